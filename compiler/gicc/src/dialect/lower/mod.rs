//! `gicc-to-llvm`: operations become calls of gicc's intrinsics.
//!
//! ```text
//! before
//!   gicc.put_signal block %to, %from signal %word set %one to %pe : memref<64xf32>, memref<64xf32>, memref<1xi64>
//! after
//!   %0 = builtin.unrealized_conversion_cast %to : memref<64xf32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
//!   %1 = llvm.extractvalue %0[1]
//!   …
//!   llvm.call @__gicc_put_signal_block(%1, %3, %bytes, %element, %5, %one, %set, %pe) : (…) -> ()
//! ```
//!
//! A collective that was not expanded becomes a call of the interface too, which `materialise` takes up.
//!
//! Requires: operations that the verifiers let through. Ensures: no operation, type or attribute of the dialect is left
//! but `gicc.kernel`, `gicc.fallback` and `gicc.domains`; each call stands at its operation's place. The casts from memrefs are
//! those that MLIR's conversion to LLVM makes, and go when memrefs are converted. Preserves: everything else.
//!
//! | file | what it lowers |
//! | --- | --- |
//! | `memory` | memrefs and pointers to addresses, counts to bytes |
//! | `operation` | each operation |
//! | `channel` | opening a channel |
//! | `domain` | declarations of domains and their members |
//! | `call` | a call of an intrinsic, with its declaration |
//! | `text` | constant text beside the functions |

mod call;
mod channel;
mod domain;
mod memory;
mod operation;
mod text;

pub(crate) use call::symbol_table;
pub(crate) use memory::{address, count, elements};

use std::collections::HashMap;

use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, RegionLike as _, Type, Value, ValueLike as _};

use super::emit_error;
use super::ir::{all_below, erase, event_group, integer, name_of, replace_uses, symbol_name, type_attribute};
use super::passes::Failed;

/// A part of the PEs: `start`, `start + stride`, and so on, `pes` in all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its first PE.
    pub(crate) start: i64,
    /// The distance of two of its PEs.
    pub(crate) stride: i64,
    /// How many there are.
    pub(crate) pes: i64,
}

impl Part {
    /// The part that a `gicc.team` declares; nothing where it means all PEs.
    pub(crate) fn of(team: OperationRef<'_, '_>) -> Option<Part> {
        let (start, stride) = (integer(team, "start"), integer(team, "stride"));
        if start.is_none() && stride.is_none() {
            return None;
        }
        Some(Part { start: start.unwrap_or(0), stride: stride.unwrap_or(1), pes: integer(team, "pes")? })
    }
}

/// Lowers every operation below a module.
///
/// # Errors
/// Where an operation cannot be lowered; all of them are told.
pub(super) fn run(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    let operations: Vec<_> = all_below(module).into_iter().filter(|o| name_of(*o).starts_with("gicc.")).collect();
    let (domains, parts) = (domain::numbered(&operations)?, parts(&operations));
    domain::leave(module, &domains)?;
    let mut failed = events_that_cross_calls(module);
    let mut opened = Vec::new();
    for &operation in operations.iter().filter(|o| name_of(**o) == "gicc.channel") {
        match channel::open(operation) {
            Ok(stands_for_it) => opened.push(stands_for_it),
            Err(Failed) => {
                emit_error(operation.location(), "the channel is not opened in a function, or lacks a part");
                failed = true;
            }
        }
    }
    for &operation in &operations {
        failed |= operation::lower(operation, &domains, &parts).is_err();
    }
    if failed {
        return Err(Failed);
    }
    // From the last to the first: what is defined by one is used by later ones only.
    operations.into_iter().rev().for_each(erase);
    opened.into_iter().for_each(erase);
    events_become_numbers(module);
    Ok(())
}

/// The teams that are a part of the PEs, by name.
fn parts(operations: &[OperationRef<'_, '_>]) -> HashMap<String, Part> {
    let declared = operations.iter().filter(|o| name_of(**o) == "gicc.team");
    let part = |o: &OperationRef<'_, '_>| Some((symbol_name(*o)?, Part::of(*o)?));
    declared.filter_map(part).collect()
}

/// Refuses events and channels in signatures of functions; whether there are any.
fn events_that_cross_calls(module: OperationRef<'_, '_>) -> bool {
    let mut failed = false;
    for operation in all_below(module) {
        let Some(ty) = type_attribute(operation, "function_type") else { continue };
        let text = ty.to_string();
        if text.contains("!gicc.") {
            emit_error(
                operation.location(),
                "an event or a channel may not cross a call: it is used in the function that made it",
            );
            failed = true;
        }
    }
    failed
}

/// Values of an event's type, which may go through loops and branches, become the numbers that the intrinsics know.
fn events_become_numbers(module: OperationRef<'_, '_>) {
    let number = |value: Value<'_, '_>| {
        if event_group(value.r#type()).is_some() {
            let context = value.context();
            // SAFETY: the context outlives the module.
            let ty: Type<'_> = IntegerType::new(unsafe { context.to_ref() }, 64).into();
            value.set_type(ty);
        }
    };
    let mut casts = Vec::new();
    for operation in all_below(module) {
        if name_of(operation) == operation::CAST && operation.result(0).is_ok_and(|r| event_group(r.r#type()).is_some())
        {
            casts.push(operation);
        }
        operation.results().for_each(|r| number(r.into()));
        for region in operation.regions() {
            for block in std::iter::successors(region.first_block(), |b| b.next_in_region()) {
                (0..block.argument_count()).filter_map(|n| block.argument(n).ok()).for_each(|a| number(a.into()));
            }
        }
    }
    for cast in casts {
        if let (Ok(result), Ok(number)) = (cast.result(0), cast.operand(0)) {
            replace_uses(result.into(), number);
            erase(cast);
        }
    }
}
