//! MLIR becomes a module: the dialect `gicc` and what MLIR's own dialects say beside it.
//!
//! ```text
//! mlir          the file, as it was read
//! mlir-expand   gicc-device-module, and where somebody looks: gicc-expand-collectives
//! mlir-lower    gicc-to-llvm, MLIR's lowering for NVIDIA GPUs, gicc-check-lowered
//! ```
//!
//! What goes on to LLVM calls collectives as CUDA C++ does, so that `materialise` makes the same of both. The MLIR that is shown
//! is a copy in which they are expanded; where LLVM finds a count to be constant that MLIR does not tell, the algorithm that is
//! compiled, and that remarks name, may be another one.
//!
//! The module carries the places of the file's text, or those that its `loc(…)` say.

use std::path::Path;

use inkwell::context::Context as LlvmContext;
use inkwell::module::Module as LlvmModule;
use melior::ir::OperationRef;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;

use super::MlirStage;
use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::ir::name_of;
use crate::dialect::{Caught, context, copy, parse_file, passes, run_passes, text_of, to_llvm};
use crate::driver::{Options, Stage};

/// The passes of each stage.
const STAGES: &[(Stage, &[&str])] = &[
    (Stage::Mlir, &[]),
    // One module first, so that what several collectives call is there once.
    (Stage::MlirExpand, &[passes::DEVICE_MODULE, passes::EXPAND_COLLECTIVES]),
    (Stage::MlirLower, &[passes::TO_LLVM, passes::DEVICE_TO_LLVM, passes::CHECK_LOWERED]),
];

/// Reads a file and lowers it; nothing where `stage` said to stop.
pub(super) fn read<'l>(
    llvm: &'l LlvmContext,
    options: &Options,
    input: &Path,
    stage: &mut MlirStage<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<LlvmModule<'l>>, Vec<Diagnostic>> {
    let context = context();
    let caught = Caught::new(&context);
    let mut module = parse_file(&context, &caught, input)?;
    if options.shows_mlir() {
        let mut shown = copy(&module);
        for (name, passes) in STAGES {
            passes.iter().try_for_each(|passes| run_passes(&context, &caught, &mut shown, passes))?;
            if stage(*name, &|| text_of(&shown, false)) {
                // Which algorithm a collective has, and why.
                warnings.extend(caught.take());
                return Ok(None);
            }
        }
        caught.take();
    }
    for (name, passes) in STAGES {
        let passes = passes.iter().filter(|passes| **passes != passes::EXPAND_COLLECTIVES);
        passes.into_iter().try_for_each(|passes| run_passes(&context, &caught, &mut module, passes))?;
        warnings.extend(caught.take());
        if !options.shows_mlir() {
            stage(*name, &|| text_of(&module, false));
        }
    }
    let device = std::iter::successors(module.body().first_operation(), |o: &OperationRef<'_, '_>| o.next_in_block())
        .find(|o| name_of(*o) == "gpu.module");
    let Some(device) = device else {
        return Err(vec![
            Diagnostic::error(codes::INTERNAL, "lowering MLIR left no module of device code")
                .cure("this is a mistake of gicc: please report it with the input"),
        ]);
    };
    let module = to_llvm(device, &caught, llvm)?;
    module.set_name(&input.display().to_string());
    Ok(Some(module))
}
