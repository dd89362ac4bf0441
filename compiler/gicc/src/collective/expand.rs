//! `gicc-expand-collectives`: each collective becomes a call of the function that is made for its signature.
//!
//! ```text
//! before
//!   gicc.all_reduce block sum %out, %in : memref<1024xf32>, memref<1024xf32>
//! after
//!   llvm.call @gicc_all_reduce_block_f32_sum_one_shot(%1, %3, %count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//!   …
//!   llvm.func @gicc_all_reduce_block_f32_sum_one_shot(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64) attributes {…} {
//!     (arith, scf, llvm, and calls of intrinsics)
//!   }
//! ```
//!
//! A remark at each says which algorithm it has, and why.
//!
//! It is for whoever looks at a program as MLIR. What gicc compiles has its collectives expanded as those of CUDA C++ are, by
//! `materialise`, which makes the same functions of the same signature; a count that only LLVM finds to be constant may have it
//! choose another algorithm.
//!
//! Requires: operations that the verifiers let through. Ensures: no collective is left; each signature has one function in the
//! module (or GPU module) of its calls. Preserves: everything else.

use std::collections::HashSet;

use melior::ir::attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute};
use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;
use melior::ir::{OperationRef, RegionLike as _};
use mlir_sys::{mlirBlockAppendOwnedOperation, mlirOperationRemoveFromParent};

use super::{Asked, MADE_BY_GICC, Refused, expansion};
use crate::dialect::ir::{Before, all_below, erase, name_of, symbol_name};
use crate::dialect::lower::symbol_table;
use crate::dialect::passes::Failed;
use crate::dialect::{emit_error, emit_remark, parse_own_text};

/// Expands every collective below a module.
///
/// # Errors
/// Where one has no expansion; all of them are told.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    let mut failed = false;
    let mut tables = Tables::default();
    for operation in all_below(module) {
        if matches!(name_of(operation).as_str(), "gicc.all_reduce" | "gicc.all_gather") {
            match one(operation, &mut tables) {
                Ok(()) => erase(operation),
                Err(Failed) => failed = true,
            }
        }
    }
    if failed { Err(Failed) } else { Ok(()) }
}

/// The symbols of each module that has collectives.
#[derive(Default)]
struct Tables<'c, 'a> {
    known: Vec<(OperationRef<'c, 'a>, HashSet<String>)>,
}

impl<'c, 'a> Tables<'c, 'a> {
    fn of(&mut self, table: OperationRef<'c, 'a>) -> &mut HashSet<String> {
        let at = self.known.iter().position(|(other, _)| *other == table).unwrap_or_else(|| {
            let body = table.region(0).ok().and_then(|r| r.first_block());
            let first = body.and_then(|b| b.first_operation());
            let symbols = std::iter::successors(first, |o| o.next_in_block()).filter_map(symbol_name).collect();
            self.known.push((table, symbols));
            self.known.len() - 1
        });
        &mut self.known[at].1
    }

    /// Whether something has a symbol, and is no function of an expansion.
    fn is_the_programs(&self, table: OperationRef<'c, 'a>, symbol: &str) -> bool {
        let body = table.region(0).ok().and_then(|r| r.first_block());
        let first = body.and_then(|b| b.first_operation());
        let found =
            std::iter::successors(first, |o| o.next_in_block()).find(|o| symbol_name(*o).as_deref() == Some(symbol));
        let made = |o: OperationRef<'_, '_>| o.attribute("passthrough").map(|a| a.to_string()).unwrap_or_default();
        found.is_some_and(|o| !made(o).contains(MADE_BY_GICC))
    }
}

fn one<'c, 'a>(operation: OperationRef<'c, 'a>, tables: &mut Tables<'c, 'a>) -> Result<(), Failed> {
    let at = Before::new(operation);
    let refuse = |message: &str| {
        emit_error(operation.location(), message);
        Failed
    };
    let missing = || refuse("internal error: the collective lacks a part that its verifier asks for");
    let asked = Asked::by(&at, operation).ok_or_else(missing)?;
    let refused = |why: Refused| refuse(&format!("{why}: {}; {}", why.cause(), why.cure()));
    let (signature, choice) = asked.signature.decided(asked.count).map_err(refused)?;
    let table = symbol_table(operation).ok_or_else(missing)?;
    emit_remark(operation.location(), &signature.remark(&choice));
    let symbol = signature.symbol();
    if tables.is_the_programs(table, &symbol) {
        return Err(refuse(&format!(
            "`{symbol}` is the program's: gicc makes a function of that name for this collective; name the program's otherwise"
        )));
    }
    let known = tables.of(table);
    if !known.contains(&symbol) {
        let text = expansion(&[signature], &|name| known.contains(name));
        add_functions(&at, table, known, &text).ok_or_else(|| refuse("internal error: an expansion does not parse"))?;
    }
    let mut arguments = asked.arguments.to_vec();
    arguments.extend(asked.part.into_iter().flatten());
    let parameters = i32::try_from(arguments.len()).expect("a function has few parameters");
    at.operation(
        "llvm.call",
        &arguments,
        &[
            ("callee", FlatSymbolRefAttribute::new(at.context(), &symbol).into()),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(at.context(), &[parameters, 0]).into()),
            ("op_bundle_sizes", DenseI32ArrayAttribute::new(at.context(), &[]).into()),
        ],
        &[],
    );
    Ok(())
}

/// Adds the functions of an expansion that are not there yet.
fn add_functions(
    at: &Before<'_, '_>,
    table: OperationRef<'_, '_>,
    known: &mut HashSet<String>,
    text: &str,
) -> Option<()> {
    let made = parse_own_text(at.location, text)?;
    let body = table.region(0).ok()?.first_block()?;
    let functions: Vec<OperationRef<'_, '_>> =
        std::iter::successors(made.body().first_operation(), |o| o.next_in_block()).collect();
    for function in functions {
        if symbol_name(function).is_some_and(|name| !known.insert(name)) {
            continue;
        }
        // SAFETY: the operation stands in the module that was made here, and goes over to the block that outlives it.
        unsafe {
            mlirOperationRemoveFromParent(function.to_raw());
            mlirBlockAppendOwnedOperation(body.to_raw(), function.to_raw());
        }
    }
    Some(())
}
