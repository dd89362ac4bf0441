//! Programs and folders outside gicc: clang, ptxas, libdevice, a CUDA toolkit. They are looked for once, in a fixed order,
//! and [`Tools::report`] says what was found where, for `gicc doctor`.

use std::env;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// clang 22.
    pub clang: Option<PathBuf>,
    /// NVIDIA's assembler.
    pub ptxas: Option<PathBuf>,
    /// NVIDIA's disassembler.
    pub nvdisasm: Option<PathBuf>,
    /// NVIDIA's library of mathematical functions, bitcode.
    pub libdevice: Option<PathBuf>,
    /// A folder with CUDA's headers in `include/`: a toolkit, or the wheels.
    pub cuda: Option<PathBuf>,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What was looked for.
    pub name: &'static str,
    /// Where it is.
    pub path: Option<PathBuf>,
    /// What it is for.
    pub purpose: &'static str,
    /// How to get it.
    pub cure: &'static str,
    /// Whether the main job needs it.
    pub required: bool,
}

impl Tools {
    /// Looks for everything. Environment variables `GICC_CLANG`, `GICC_PTXAS`, `GICC_LIBDEVICE` and `GICC_CUDA` name a
    /// place outright (a place that does not exist then counts as missing; an empty value means "do not use one"); else
    /// `PATH`, LLVM's own folder, the `.tools` folder above the program, and a CUDA toolkit are tried, in this order.
    pub fn discover() -> Tools {
        let cuda_roots = cuda_roots();
        let in_cuda = |rest: &str| cuda_roots.iter().map(|r| r.join(rest)).find(|p| p.exists());
        Tools {
            clang: named("GICC_CLANG", || on_path("clang-22").or_else(|| existing("/usr/lib/llvm-22/bin/clang"))),
            ptxas: named("GICC_PTXAS", || on_path("ptxas").or_else(|| in_cuda("bin/ptxas"))),
            nvdisasm: named("GICC_NVDISASM", || on_path("nvdisasm").or_else(|| in_cuda("bin/nvdisasm"))),
            libdevice: named("GICC_LIBDEVICE", || in_cuda("nvvm/libdevice/libdevice.10.bc")),
            cuda: named("GICC_CUDA", || cuda_roots.iter().find(|r| r.join("include/cuda_runtime.h").exists()).cloned()),
        }
    }

    /// What was looked for, what was found, and how to get what is missing.
    pub fn report(&self) -> Vec<Found> {
        vec![
            Found {
                name: "clang",
                path: self.clang.clone(),
                purpose: "compiles CUDA C++ to LLVM IR; links programs for the simulator",
                cure: "install the Debian package clang-22, or set GICC_CLANG",
                required: true,
            },
            Found {
                name: "ptxas",
                path: self.ptxas.clone(),
                purpose: "assembles PTX to machine code (--emit cubin)",
                cure: "pip install nvidia-cuda-nvcc, or set GICC_PTXAS",
                required: false,
            },
            Found {
                name: "nvdisasm",
                path: self.nvdisasm.clone(),
                purpose: "shows machine code",
                cure: "pip install nvidia-cuda-nvdisasm",
                required: false,
            },
            Found {
                name: "libdevice",
                path: self.libdevice.clone(),
                purpose: "NVIDIA's mathematical functions; without it gicc's own are linked",
                cure: "pip install nvidia-nvvm, or set GICC_LIBDEVICE",
                required: false,
            },
            Found {
                name: "CUDA headers",
                path: self.cuda.clone(),
                purpose: "the full CUDA surface; without them gicc supplies its own",
                cure: "pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl, or set GICC_CUDA",
                required: false,
            },
        ]
    }
}

/// The value of an environment variable, or what is found otherwise.
fn named(variable: &str, search: impl FnOnce() -> Option<PathBuf>) -> Option<PathBuf> {
    match env::var_os(variable) {
        Some(value) if value.is_empty() => None,
        Some(value) => Some(PathBuf::from(value)).filter(|p| p.exists()),
        None => search(),
    }
}

fn existing(path: impl AsRef<Path>) -> Option<PathBuf> {
    Some(path.as_ref().to_path_buf()).filter(|p| p.exists())
}

fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(program)).find(|p| p.is_file())
}

/// Folders laid out like a CUDA toolkit, best first.
fn cuda_roots() -> Vec<PathBuf> {
    let mut roots = Vec::new();
    if let Ok(program) = env::current_exe() {
        for dir in program.ancestors().skip(1) {
            roots.extend(wheels(&dir.join(".tools/venv")));
        }
    }
    if let Some(venv) = env::var_os("VIRTUAL_ENV") {
        roots.extend(wheels(Path::new(&venv)));
    }
    roots.extend(["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from));
    roots.push(PathBuf::from("/usr/local/cuda"));
    roots
}

/// The folder in which NVIDIA's wheels lie in a Python environment.
fn wheels(environment: &Path) -> Vec<PathBuf> {
    let Ok(versions) = environment.join("lib").read_dir() else { return Vec::new() };
    versions.filter_map(Result::ok).map(|e| e.path().join("site-packages/nvidia/cu13")).filter(|p| p.is_dir()).collect()
}
