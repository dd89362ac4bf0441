//! An example's folder becomes a compiled folder: what a launcher needs on a machine that has neither LLVM nor clang.
//!
//! ```text
//! 01_put_signal/              build/01/
//!   kernel.cu                   kernel.ptx     the driver compiles it at load
//!   reference.cpp               kernel.cubin   where ptxas is found
//!   launch.toml                 kernel.so      for the simulator
//!                               reference.so   the expected numbers
//!                               launch.toml    a copy
//!                               module.json    what is what ([`gicc_abi::manifest`])
//! ```
//!
//! The launch description is the host runtime's business: it is copied as it is, and read by whoever launches.
//!
//! Limits: one architecture; the shared objects are for the machine that compiles.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use gicc_abi::manifest::{self, Image, ImageKind, Manifest};

use super::{Emit, Failed, Observer, Options, compile, write_output};
use crate::diagnostic::{Diagnostic, Span, codes};

/// The name of the launch description, here and there.
pub const LAUNCH: &str = "launch.toml";
/// The reference's source.
pub const REFERENCE: &str = "reference.cpp";
/// The reference, compiled.
const REFERENCE_OBJECT: &str = "reference.so";
/// The kernel's source where a folder holds several.
const KERNELS: [&str; 2] = ["kernel.cu", "kernel.mlir"];

/// What an example consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The kernel's source.
    pub kernel: PathBuf,
    /// The launch description.
    pub launch: PathBuf,
    /// The reference's source, where there is one.
    pub reference: Option<PathBuf>,
}

impl Example {
    /// The example in a folder: `kernel.cu`, `kernel.mlir` or the only `.cu` or `.mlir` there is, `launch.toml`, and `reference.cpp` if it exists.
    ///
    /// # Errors
    /// Where the folder cannot be read, or lacks one of them.
    pub fn in_folder(folder: &Path) -> Result<Example, Diagnostic> {
        let refuse = |cause: String, cure: &str| {
            Diagnostic::error(codes::UNREADABLE_INPUT, format!("`{}` is no example's folder", folder.display()))
                .cause(cause)
                .cure(cure)
        };
        let entries = fs::read_dir(folder).map_err(|e| refuse(e.to_string(), "name a folder that exists"))?;
        let mut kernels: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|x| x == "cu" || x == "mlir"))
            .collect();
        kernels.sort();
        if kernels.len() > 1 {
            kernels.retain(|k| k.file_name().is_some_and(|n| KERNELS.iter().any(|k| n == *k)));
        }
        let [kernel] = kernels.as_slice() else {
            return Err(refuse(
                "it holds neither `kernel.cu` nor `kernel.mlir`, nor exactly one other .cu or .mlir file".to_owned(),
                "name the kernel's source itself, or put the kernel into kernel.cu or kernel.mlir",
            ));
        };
        let launch = folder.join(LAUNCH);
        if !launch.is_file() {
            return Err(refuse(
                format!("it holds no `{LAUNCH}`"),
                "write a launch description beside the kernel, or name the kernel's source itself to compile that alone",
            ));
        }
        Ok(Example { kernel: kernel.clone(), launch, reference: Self::reference_beside(kernel) })
    }

    /// The example of a kernel's source and a launch description; without one, that beside the kernel.
    ///
    /// # Errors
    /// Where there is no launch description.
    pub fn of_file(kernel: &Path, launch: Option<&Path>) -> Result<Example, Diagnostic> {
        let launch = launch.map_or_else(|| kernel.with_file_name(LAUNCH), Path::to_path_buf);
        if !launch.is_file() {
            return Err(Diagnostic::error(
                codes::UNREADABLE_INPUT,
                format!("there is no launch description `{}`", launch.display()),
            )
            .cause("a kernel can only run when its PEs, grid, block, buffers and arguments are described")
            .cure("write one, see examples/01_put_signal/launch.toml, and name it with --launch"));
        }
        Ok(Example { kernel: kernel.to_path_buf(), launch, reference: Self::reference_beside(kernel) })
    }

    fn reference_beside(kernel: &Path) -> Option<PathBuf> {
        Some(kernel.with_file_name(REFERENCE)).filter(|p| p.is_file())
    }
}

/// Compiles an example into an empty folder. `options` say how, but not what: inputs and products are set here.
/// `headers` (path relative to an include folder, text) are what the reference may include besides its own folder.
///
/// # Errors
/// [`Failed`] after at least one diagnostic of severity error; what lies in the folder then is to be thrown away.
pub fn compile_example(
    example: &Example,
    into: &Path,
    options: &Options,
    headers: &[(&str, &str)],
    observer: &mut dyn Observer,
) -> Result<(), Failed> {
    // The reference is compiled while the kernel is.
    let reference = match &example.reference {
        None => None,
        Some(source) => match start_reference(source, into, options, headers) {
            Ok(running) => Some(running),
            Err(diagnostic) => {
                observer.diagnostic(diagnostic);
                return Err(Failed);
            }
        },
    };
    let kernel = compile_kernel(example, into, options, observer);
    let reference = reference.map(|running| running.finish());
    if let Some(Err(diagnostics)) = &reference {
        diagnostics.iter().for_each(|d| observer.diagnostic(d.clone()));
    }
    let (images, kernels) = kernel?;
    if let Some(Err(_)) = reference {
        return Err(Failed);
    }
    let manifest = Manifest {
        abi_version: gicc_abi::ABI_VERSION,
        source: example.kernel.display().to_string(),
        images,
        kernels,
        reference: example.reference.as_ref().map(|_| REFERENCE_OBJECT.to_owned()),
    };
    let finish = || -> Result<(), Diagnostic> {
        let mut text = serde_json::to_vec_pretty(&manifest).map_err(|e| {
            Diagnostic::error(codes::INTERNAL, "the module's description cannot be written").cause(e.to_string())
        })?;
        text.push(b'\n');
        write_output(&into.join(manifest::FILE_NAME), &text)?;
        let launch = fs::read(&example.launch).map_err(|e| unreadable(&example.launch, &e))?;
        write_output(&into.join(LAUNCH), &launch)
    };
    finish().map_err(|diagnostic| {
        observer.diagnostic(diagnostic);
        Failed
    })
}

fn compile_kernel(
    example: &Example,
    into: &Path,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<(Vec<Image>, Vec<manifest::Kernel>), Failed> {
    let mut options = options.clone();
    options.inputs = vec![example.kernel.clone()];
    options.stop_after = None;
    options.emit = vec![Emit::Ptx, Emit::Sim];
    if options.tools.ptxas.is_some() {
        options.emit.insert(1, Emit::Cubin);
    } else {
        observer.diagnostic(
            Diagnostic::remark(codes::MISSING_TOOL, "no cubin was made: ptxas is missing")
                .cause("CUDA's driver compiles the PTX when the module is loaded"),
        );
    }
    let compiled = compile(&options, observer)?;
    let mut images = Vec::new();
    for (emit, bytes) in &compiled.products {
        let (kind, arch, file) = match emit {
            Emit::Ptx => (ImageKind::Ptx, options.arch.name, "kernel.ptx"),
            Emit::Cubin => (ImageKind::Cubin, options.arch.name, "kernel.cubin"),
            Emit::Sim => (ImageKind::Sim, "", "kernel.so"),
            Emit::Mlir | Emit::Llvm | Emit::Bitcode => continue,
        };
        if let Err(diagnostic) = write_output(&into.join(file), bytes) {
            observer.diagnostic(diagnostic);
            return Err(Failed);
        }
        images.push(Image { kind, arch: arch.to_owned(), file: file.to_owned() });
    }
    Ok((images, compiled.kernels))
}

/// A reference that clang is compiling.
struct Running {
    child: Child,
    source: PathBuf,
    /// Holds the headers.
    _include: tempfile::TempDir,
}

fn start_reference(
    source: &Path,
    into: &Path,
    options: &Options,
    headers: &[(&str, &str)],
) -> Result<Running, Diagnostic> {
    let Some(clang) = &options.tools.clang else {
        return Err(Diagnostic::error(codes::MISSING_TOOL, "clang 22 is missing")
            .cause(format!("it compiles the reference `{}`", source.display()))
            .cure("install the Debian package clang-22, or set GICC_CLANG; `gicc doctor` says what was found"));
    };
    let include = write_headers(headers).map_err(|e| {
        Diagnostic::error(
            codes::UNWRITABLE_OUTPUT,
            "the headers of the reference cannot be written to a temporary folder",
        )
        .cause(e.to_string())
    })?;
    let child = Command::new(clang)
        .args(["--driver-mode=g++", "-std=c++17", "-O2", "-shared", "-fPIC", "-static-libstdc++", "-static-libgcc"])
        .args(["-fno-color-diagnostics", "-fno-caret-diagnostics", "-x", "c++"])
        .arg("-I")
        .arg(include.path())
        .arg(source)
        .arg("-o")
        .arg(into.join(REFERENCE_OBJECT))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| {
            Diagnostic::error(codes::MISSING_TOOL, format!("`{}` cannot be started", clang.display()))
                .cause(e.to_string())
                .cure("install the Debian package clang-22, or set GICC_CLANG")
        })?;
    Ok(Running { child, source: source.to_path_buf(), _include: include })
}

fn write_headers(headers: &[(&str, &str)]) -> io::Result<tempfile::TempDir> {
    let include = tempfile::Builder::new().prefix("gicc-reference-").tempdir()?;
    for (name, text) in headers {
        let path = include.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text)?;
    }
    Ok(include)
}

impl Running {
    /// Waits for clang; its errors, located.
    fn finish(self) -> Result<(), Vec<Diagnostic>> {
        let refused = |text: &str| {
            Diagnostic::error(codes::SOURCE, format!("the reference `{}` does not compile", self.source.display()))
                .cause(text.trim().to_owned())
        };
        let output = self.child.wait_with_output().map_err(|e| vec![refused(&e.to_string())])?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let errors: Vec<Diagnostic> = text.lines().filter_map(clang_error).collect();
        Err(if errors.is_empty() { vec![refused(&text)] } else { errors })
    }
}

/// `file:line:column: error: message`.
fn clang_error(line: &str) -> Option<Diagnostic> {
    let (place, message) = line.split_once(": error: ").or_else(|| line.split_once(": fatal error: "))?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, row) = rest.rsplit_once(':')?;
    let span = Span { file: file.to_owned(), line: row.parse().ok()?, column: column.parse().ok()? };
    Some(
        Diagnostic::error(codes::SOURCE, message)
            .at(Some(span))
            .cause("the example's reference is compiled as C++17 for this machine"),
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::UNREADABLE_INPUT, format!("cannot read `{}`", path.display())).cause(error.to_string())
}

/// A folder that will take an output's name when it is complete; until then, and when it is dropped, nothing is seen of it.
#[derive(Debug)]
pub struct Staging {
    folder: tempfile::TempDir,
    output: PathBuf,
}

impl Staging {
    /// An empty folder beside `output`, whose parents are made. An `output` that exists must be a compiled folder or empty,
    /// so that a slip of the pen never deletes anything else.
    ///
    /// # Errors
    /// Where the output could not be written.
    pub fn beside(output: &Path) -> Result<Staging, Diagnostic> {
        if output.exists() && !replaceable(output) {
            return Err(unwritable(output, "it exists and is not a compiled folder")
                .cure("name a folder that does not exist, with -o"));
        }
        let parent = output.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|e| unwritable(output, &e.to_string()))?;
        let folder = tempfile::Builder::new()
            .prefix(".gicc-")
            .tempdir_in(parent)
            .map_err(|e| unwritable(output, &e.to_string()).cure("name a folder that you may write to, with -o"))?;
        Ok(Staging { folder, output: output.to_path_buf() })
    }

    /// Where to put the files.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder its name.
    ///
    /// # Errors
    /// Where that is not possible; the old output is then untouched.
    pub fn install(self) -> Result<(), Diagnostic> {
        use std::os::unix::fs::PermissionsExt as _;
        let refuse = |e: io::Error| unwritable(&self.output, &e.to_string());
        fs::set_permissions(self.folder.path(), fs::Permissions::from_mode(0o755)).map_err(refuse)?;
        if !self.output.exists() {
            return fs::rename(self.folder.path(), &self.output).map_err(refuse);
        }
        // The old folder moves aside into a second temporary one, and back if the new one cannot take its place.
        let parent = self.folder.path().parent().unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new().prefix(".gicc-old-").tempdir_in(parent).map_err(refuse)?;
        let old = aside.path().join("old");
        fs::rename(&self.output, &old).map_err(refuse)?;
        fs::rename(self.folder.path(), &self.output).map_err(|e| {
            drop(fs::rename(&old, &self.output));
            refuse(e)
        })
    }
}

fn replaceable(output: &Path) -> bool {
    output.join(manifest::FILE_NAME).is_file() || fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_none())
}

fn unwritable(output: &Path, cause: &str) -> Diagnostic {
    Diagnostic::error(codes::UNWRITABLE_OUTPUT, format!("cannot write the folder `{}`", output.display())).cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_ours_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let precious = dir.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("thesis.tex"), "words").unwrap();
        assert_eq!(Staging::beside(&precious).unwrap_err().code, codes::UNWRITABLE_OUTPUT);
        assert_eq!(Staging::beside(&precious.join("thesis.tex")).unwrap_err().code, codes::UNWRITABLE_OUTPUT);
        assert!(precious.join("thesis.tex").exists());
    }

    #[test]
    fn a_compiled_folder_is_replaced_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("a/b");
        for round in 0..2 {
            let staging = Staging::beside(&output).unwrap();
            fs::write(staging.path().join(manifest::FILE_NAME), "{}").unwrap();
            fs::write(staging.path().join(format!("file{round}")), "").unwrap();
            staging.install().unwrap();
        }
        assert!(output.join("file1").exists() && !output.join("file0").exists());
        drop(Staging::beside(&output).unwrap());
        assert!(output.join("file1").exists());
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
    }

    #[test]
    fn an_example_needs_a_kernel_and_a_launch_description() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Example::in_folder(&dir.path().join("none")).is_err());
        let cause = |folder: &Path| Example::in_folder(folder).unwrap_err().cause.unwrap();
        assert!(cause(dir.path()).contains("neither"));
        fs::write(dir.path().join("a.cu"), "").unwrap();
        assert!(cause(dir.path()).contains("launch.toml"));
        fs::write(dir.path().join(LAUNCH), "").unwrap();
        let example = Example::in_folder(dir.path()).unwrap();
        assert_eq!((example.kernel, example.reference), (dir.path().join("a.cu"), None));
        fs::write(dir.path().join("b.cu"), "").unwrap();
        assert!(cause(dir.path()).contains("neither"));
        fs::write(dir.path().join(KERNELS[0]), "").unwrap();
        fs::write(dir.path().join(REFERENCE), "").unwrap();
        let example = Example::in_folder(dir.path()).unwrap();
        assert_eq!(example.kernel, dir.path().join(KERNELS[0]));
        assert_eq!(example.reference, Some(dir.path().join(REFERENCE)));
    }

    #[test]
    fn errors_of_clang_are_located() {
        let d = clang_error("/x/reference.cpp:3:5: error: use of undeclared identifier 'y'").unwrap();
        assert_eq!(d.span, Some(Span { file: "/x/reference.cpp".into(), line: 3, column: 5 }));
        assert_eq!(d.message, "use of undeclared identifier 'y'");
        assert!(clang_error("1 error generated.").is_none());
    }
}
