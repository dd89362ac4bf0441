//! MLIR becomes a module: the dialect `gicc` and what MLIR's own dialects say beside it.
//!
//! ```text
//! mlir          the file, as it was read
//! mlir-expand   gicc-device-module, gicc-expand-collectives (what a collective has in every program is only
//!               declared in the end, and `materialise` or `driver/units` takes care of it)
//! mlir-lower    gicc-to-llvm, MLIR's lowering for NVIDIA GPUs, gicc-check-lowered
//! ```
//!
//! The module carries the places of the file's text, or those that its `loc(…)` say.

use std::collections::HashSet;
use std::path::Path;

use inkwell::context::Context as LlvmContext;
use inkwell::module::Module as LlvmModule;
use melior::ir::OperationRef;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;

use super::MlirStage;
use crate::collective::is_root;
use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::ir::{all_below, name_of, symbol_name};
use crate::dialect::{Caught, context, parse_file, passes, run_passes, text_of, to_llvm};
use crate::driver::units::declare;
use crate::driver::{Options, Stage};
use crate::llvm::{defined_functions, name_of as name_of_function};

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
    let lean = !options.shows_mlir();
    let own: HashSet<String> = all_below(module.as_operation()).into_iter().filter_map(symbol_name).collect();
    for (name, work) in STAGES {
        for passes in *work {
            let passes = if lean && *passes == passes::EXPAND_COLLECTIVES { passes::EXPAND_LEAN } else { passes };
            run_passes(&context, &caught, &mut module, passes)?;
        }
        // Also where the compilation ends here: which algorithm a collective has, and why.
        warnings.extend(caught.take());
        if stage(*name, &|| text_of(&module, false)) {
            return Ok(None);
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
    // From here on it makes no difference whether they were shown.
    for root in defined_functions(&module).into_iter().filter(|f| is_root(&name_of_function(*f))) {
        if !own.contains(&name_of_function(root)) {
            declare(&module, root);
        }
    }
    module.set_name(&input.display().to_string());
    Ok(Some(module))
}
