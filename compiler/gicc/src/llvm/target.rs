//! LLVM's target machine for NVPTX, its verifier, and its pass pipelines.

use inkwell::OptimizationLevel;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple};

use crate::diagnostic::{Diagnostic, codes};
use crate::driver::Arch;

/// The triple of every GPU module.
pub(super) const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// The target machine of an architecture. Only known pairs of architecture and PTX version reach LLVM, which aborts on
/// others.
pub fn machine(arch: Arch) -> Result<TargetMachine, Diagnostic> {
    Target::initialize_nvptx(&InitializationConfig::default());
    let refuse = |why: String| Diagnostic::error(codes::INTERNAL, "LLVM has no NVPTX target").cause(why);
    let triple = TargetTriple::create(TRIPLE);
    Target::from_triple(&triple)
        .map_err(|e| refuse(e.to_string()))?
        .create_target_machine(
            &triple,
            arch.name,
            &arch.feature(),
            OptimizationLevel::Aggressive,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| refuse(format!("no machine for {}", arch.name)))
}

/// Runs a pipeline, as `opt -passes=` spells it.
pub fn run_passes(module: &Module<'_>, machine: &TargetMachine, passes: &str) -> Result<(), Diagnostic> {
    module.run_passes(passes, machine, PassBuilderOptions::create()).map_err(|e| {
        Diagnostic::error(codes::INTERNAL, format!("LLVM's passes `{passes}` failed")).cause(e.to_string())
    })
}

/// Runs LLVM's verifier; `what` says who made the module.
pub fn verify(module: &Module<'_>, what: &str) -> Result<(), Diagnostic> {
    module.verify().map_err(|e| {
        Diagnostic::error(codes::INTERNAL, format!("{what} left IR that breaks LLVM's rules"))
            .cause(e.to_string())
            .cure("this is a mistake of gicc: please report it with the input")
    })
}
