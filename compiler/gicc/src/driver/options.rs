//! What a compilation is asked to do. The command fills this in; nothing else reads the command line or the environment.

use std::path::PathBuf;

use super::{Arch, Cache, Stage, Tools};
use crate::analysis::annotation::Assume;
pub use crate::transform::check_errors::CheckErrors;

/// The product of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Emit {
    /// MLIR as text, of MLIR inputs: after the stage of `stop_after`, else as it is left for LLVM.
    Mlir,
    /// LLVM IR as text: after the stage of `stop_after`, else after the last stage that has IR.
    Llvm,
    /// The same as bitcode.
    Bitcode,
    /// PTX text.
    Ptx,
    /// Machine code.
    Cubin,
    /// A shared object for the simulator.
    Sim,
}

impl Emit {
    /// Every product.
    pub const ALL: &[Emit] = &[Emit::Mlir, Emit::Llvm, Emit::Bitcode, Emit::Ptx, Emit::Cubin, Emit::Sim];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Emit::Mlir => "mlir",
            Emit::Llvm => "llvm",
            Emit::Bitcode => "bc",
            Emit::Ptx => "ptx",
            Emit::Cubin => "cubin",
            Emit::Sim => "sim",
        }
    }

    /// The product that a file name's ending asks for.
    pub fn from_extension(extension: &str) -> Option<Emit> {
        match extension {
            "mlir" => Some(Emit::Mlir),
            "ll" => Some(Emit::Llvm),
            "bc" => Some(Emit::Bitcode),
            "ptx" => Some(Emit::Ptx),
            "cubin" => Some(Emit::Cubin),
            "so" => Some(Emit::Sim),
            _ => None,
        }
    }
}

/// What an examination is asked, besides [`Options`].
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// How much is believed without an annotation.
    pub assume: Assume,
    /// Files of annotations.
    pub side_files: Vec<PathBuf>,
}

/// One compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sources: CUDA C++ (`.cu`, `.cuh`, `.cpp`, `.cc`), MLIR (`.mlir`), LLVM IR (`.ll`) or bitcode (`.bc`), linked in order.
    pub inputs: Vec<PathBuf>,
    /// The architecture.
    pub arch: Arch,
    /// The products; several share one run of the front end.
    pub emit: Vec<Emit>,
    /// Stop after this stage; the only product is then its IR (or PTX).
    pub stop_after: Option<Stage>,
    /// Hand the IR after each of these stages to [`super::Observer::dump`].
    pub dump_ir_after: Vec<Stage>,
    /// Run LLVM's verifier after each stage.
    pub verify_each: bool,
    /// When errors of the device are checked.
    pub check_errors: CheckErrors,
    /// `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// `-D`, as NAME or NAME=VALUE.
    pub defines: Vec<String>,
    /// The standard of C++ that sources are written in, as clang names it.
    pub standard: String,
    /// Device functions and variables may be defined in another source than the one that uses them.
    pub relocatable: bool,
    /// The programs and folders that were found.
    pub tools: Tools,
    /// Where what is the same in every program is kept between compilations.
    pub cache: Option<Cache>,
}

impl Options {
    /// The standard of C++ that is taken where none is named.
    pub const STANDARD: &str = "c++17";

    /// Whether the program is shown, or ends, as MLIR.
    pub(crate) fn shows_mlir(&self) -> bool {
        let ends = self.stop_after.is_some_and(Stage::has_mlir) || self.emit.contains(&Emit::Mlir);
        ends || self.dump_ir_after.iter().any(|s| s.has_mlir())
    }

    /// Compile these inputs to PTX for the default architecture, with the tools that are found and without a cache.
    pub fn new(inputs: Vec<PathBuf>, tools: Tools) -> Self {
        Options {
            inputs,
            arch: Arch::DEFAULT,
            emit: vec![Emit::Ptx],
            stop_after: None,
            dump_ir_after: Vec::new(),
            verify_each: cfg!(debug_assertions),
            check_errors: CheckErrors::default(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            standard: Options::STANDARD.to_owned(),
            relocatable: false,
            tools,
            cache: None,
        }
    }
}
