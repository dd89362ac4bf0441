//! Builds what the compiler carries inside itself: the device runtime and gicc's own mathematical functions as bitcode,
//! the headers that it supplies to kernels, and the dialect.

#[path = "build/mlir.rs"]
mod mlir;

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the package's folder"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the output folder"));
    let llvm = PathBuf::from(env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into())).join("bin");
    let device = here.join("../../runtime/device");
    let surface = here.join("include");
    for path in [&device, &surface] {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,/usr/lib/llvm-22/lib");

    let generated = out.join("include");
    fs::create_dir_all(generated.join("gicc")).expect("the output folder is writable");
    fs::write(generated.join(gicc_abi::header::FILE_NAME), gicc_abi::header::text())
        .expect("the output folder is writable");

    embed_headers(&out, &[&generated, &device.join("include"), &surface]);
    let includes = [&generated, &device.join("include"), &surface.join("cuda"), &device];
    let runtime = bitcode(&llvm, &[device.join("runtime.cu")], &includes, &out.join("device_runtime.bc"));
    bitcode(&llvm, &files(&device.join("math"), |name| name.ends_with(".cu")), &includes, &out.join("device_math.bc"));
    let mut hasher = DefaultHasher::new();
    runtime.hash(&mut hasher);
    println!("cargo:rustc-env=GICC_RUNTIME_HASH={}", hasher.finish());
    mlir::build(&here, &out);
}

/// A table of the headers' names and texts, as Rust source.
fn embed_headers(out: &Path, roots: &[&PathBuf]) {
    let mut table = String::from("&[\n");
    for root in roots {
        for file in files(root, |_| true) {
            let name = file.strip_prefix(root).expect("the file lies below the root");
            table +=
                &format!("    ({:?}, include_str!({:?})),\n", name.display().to_string(), file.display().to_string());
        }
    }
    table += "]\n";
    fs::write(out.join("headers.rs"), table).expect("the output folder is writable");
}

/// Compiles sources and links them to one bitcode file; its bytes.
fn bitcode(llvm: &Path, sources: &[PathBuf], includes: &[&PathBuf], output: &Path) -> Vec<u8> {
    let work = output.with_extension("d");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).expect("the output folder is writable");
    let mut parts = Vec::new();
    for (n, source) in sources.iter().enumerate() {
        let part = work.join(format!("{n}.bc"));
        let mut clang = Command::new(llvm.join("clang"));
        // The oldest architecture: the bitcode has no target of its own, the compiler sets it when it links.
        clang.args(["-x", "cuda", "-std=c++17", "--cuda-device-only", "--cuda-gpu-arch=sm_80"]);
        clang.args(["-Xclang", "-target-feature", "-Xclang", "+ptx84", "-nocudainc", "-nocudalib"]);
        // Optimisation happens after linking into a kernel; here only its preconditions are wanted.
        clang.args(["-O2", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-emit-llvm", "-c"]);
        clang.args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-command-line-argument",
            "-Wno-unused-parameter",
            "-DGICC_DEVICE_RUNTIME=1",
        ]);
        for dir in includes {
            clang.arg("-I").arg(dir);
        }
        // Stand-ins for the toolkit's headers, which clang's own headers include.
        clang.arg("-isystem").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include/cuda"));
        clang.arg("-include").arg("gicc_cuda.h").arg(source).arg("-o").arg(&part);
        run(&mut clang);
        parts.push(part);
    }
    let mut link = Command::new(llvm.join("llvm-link"));
    link.args(&parts).arg("-o").arg(output);
    if parts.is_empty() {
        link.arg("/dev/null");
    }
    run(&mut link);
    fs::read(output).expect("llvm-link wrote its output")
}

fn run(command: &mut Command) {
    let output =
        command.output().unwrap_or_else(|e| panic!("{}: {e}; is LLVM 22 installed?", command.get_program().display()));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}");
}

/// The files below a folder, sorted, so that a build is the same every time.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool + Copy) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = folder.read_dir() else { return found };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, wanted));
        } else if path.file_name().is_some_and(|n| wanted(&n.to_string_lossy())) {
            found.push(path);
        }
    }
    found.sort();
    found
}
