//! `gicc-expand-collectives`: each collective becomes a call of the function that is made for its signature.
//!
//! ```text
//! before
//!   gicc.all_reduce block sum %out, %in : memref<1024xf32>, memref<1024xf32>
//! after
//!   llvm.call @gicc_all_reduce_block_f32_sum_auto_1024(%1, %3, %count) : (!llvm.ptr, !llvm.ptr, i64) -> ()
//!   …
//!   llvm.func @gicc_all_reduce_block_f32_sum_auto_1024(%0: !llvm.ptr, %1: !llvm.ptr, %2: i64) attributes {…} {
//!     (arith, scf, llvm, and calls of intrinsics)
//!   }
//! ```
//!
//! A remark at each says which algorithm it has, and why.
//!
//! Requires: operations that the verifiers let through. Ensures: no collective is left; each signature has one function in the
//! module (or GPU module) of its calls. Preserves: everything else.

use std::collections::HashSet;

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};
use melior::ir::attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute};
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationLike as _, OperationResult};
use melior::ir::{OperationRef, RegionLike as _, Type, Value, ValueLike as _};
use mlir_sys::{mlirBlockAppendOwnedOperation, mlirOperationRemoveFromParent};

use super::{Collective, Group, Signature, is_root};
use crate::dialect::ir::{
    Before, all_below, element_of, enumeration, erase, name_attribute, name_of, operand, symbol_name, type_attribute,
};
use crate::dialect::lower::{Part, address, count, elements};
use crate::dialect::passes::Failed;
use crate::dialect::{emit_error, emit_remark, parse_own_text};

/// Expands every collective below a module.
///
/// # Errors
/// Where one has no expansion; all of them are told.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    expand(module, false)
}

/// The same, with declarations of roots instead of their definitions.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_lean(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    expand(module, true)
}

fn expand(module: OperationRef<'_, '_>, lean: bool) -> Result<(), Failed> {
    let mut failed = false;
    let mut tables = Tables { lean, ..Tables::default() };
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
    /// Roots need not be written.
    lean: bool,
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
}

fn one<'c, 'a>(operation: OperationRef<'c, 'a>, tables: &mut Tables<'c, 'a>) -> Result<(), Failed> {
    let at = Before::new(operation);
    let refuse = |message: &str| {
        emit_error(operation.location(), message);
        Failed
    };
    let missing = || refuse("internal error: the collective lacks a part that its verifier asks for");
    let (out, input) = (operand(operation, 0).ok_or_else(missing)?, operand(operation, 1).ok_or_else(missing)?);
    // Start, stride and members of a part, where it is one, stand behind the count, where there is one.
    let written = matches!(operation.operand_count(), 3 | 6).then(|| operand(operation, 2)).flatten();
    let many = match written {
        Some(written) => count(&at, written),
        // The input's elements: of an all-reduce the result has as many, of an all-gather more.
        None => elements(&at, input).or_else(|| elements(&at, out)).ok_or_else(missing)?,
    };
    let part = part(&at, operation).ok_or_else(missing)?;
    let signature = signature(operation, (out, input), written.unwrap_or(many), part.is_some()).ok_or_else(missing)?;
    let table = symbol_table(operation).ok_or_else(missing)?;
    let lean = tables.lean;
    let known = tables.of(table);
    let expansion = signature
        .expand(&|name| known.contains(name) || lean && is_root(name))
        .map_err(|why| refuse(&format!("{why}: {}; {}", why.cause(), why.cure())))?;
    emit_remark(operation.location(), &signature.remark());
    if let Some(text) = &expansion.text {
        add_functions(&at, table, known, text).ok_or_else(|| refuse("internal error: an expansion does not parse"))?;
    }
    let mut arguments = vec![address(&at, out), address(&at, input), many];
    arguments.extend(part.into_iter().flatten());
    let parameters = i32::try_from(arguments.len()).expect("a function has few parameters");
    at.operation(
        "llvm.call",
        &arguments,
        &[
            ("callee", FlatSymbolRefAttribute::new(at.context(), &expansion.symbol).into()),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(at.context(), &[parameters, 0]).into()),
            ("op_bundle_sizes", DenseI32ArrayAttribute::new(at.context(), &[]).into()),
        ],
        &[],
    );
    Ok(())
}

/// Start, stride and members of the part of the PEs that the operation names, or has as operands; `Some(None)` where it means
/// all PEs.
fn part<'c, 'a>(at: &Before<'c, 'a>, operation: OperationRef<'c, 'a>) -> Option<Option<[Value<'c, 'a>; 3]>> {
    let operands = operation.operand_count();
    if operands >= 5 {
        let of = |n: usize| operand(operation, operands - 3 + n);
        return Some(Some([of(0)?, of(1)?, of(2)?]));
    }
    let Some(name) = name_attribute(operation, "team") else { return Some(None) };
    let table = symbol_table(operation)?;
    let body = |table: OperationRef<'c, 'a>| table.region(0).ok()?.first_block()?.first_operation();
    let tables = std::iter::successors(Some(table), |table| symbol_table(*table));
    let team = tables
        .filter_map(body)
        .flat_map(|first| std::iter::successors(Some(first), |o| o.next_in_block()))
        .find(|o| name_of(*o) == "gicc.team" && symbol_name(*o).as_ref() == Some(&name))?;
    let Some(part) = Part::of(team) else { return Some(None) };
    Some(Some([part.start, part.stride, part.pes].map(|number| at.constant(32, number))))
}

fn signature(
    operation: OperationRef<'_, '_>,
    (out, input): (Value<'_, '_>, Value<'_, '_>),
    many: Value<'_, '_>,
    part: bool,
) -> Option<Signature> {
    let element = type_attribute(operation, "element")
        .or_else(|| element_of(out.r#type()))
        .or_else(|| element_of(input.r#type()))?;
    let collective = if name_of(operation) == "gicc.all_reduce" {
        Collective::AllReduce(ReduceOp::from_code(enumeration(operation, "kind")?)?)
    } else {
        Collective::AllGather
    };
    // Bodies are named by the threads that execute them; what is no block is the grid.
    let block = gicc_abi::codes::Group::Block.code();
    let group = if enumeration(operation, "group")? == u64::from(block) { Group::Block } else { Group::Grid };
    Some(Signature {
        collective,
        group,
        part,
        element: element_type(element, operation.attribute("is_unsigned").is_ok())?,
        algorithm: Algorithm::from_code(enumeration(operation, "algorithm").unwrap_or(0))?,
        count: constant(many),
    })
}

fn element_type(ty: Type<'_>, unsigned: bool) -> Option<ElementType> {
    Some(match (ty.to_string().as_str(), unsigned) {
        ("f16", _) => ElementType::F16,
        ("bf16", _) => ElementType::Bf16,
        ("f32", _) => ElementType::F32,
        ("f64", _) => ElementType::F64,
        ("i32" | "si32", false) => ElementType::I32,
        ("i32", true) | ("ui32", _) => ElementType::U32,
        ("i64" | "si64", false) => ElementType::I64,
        ("i64", true) | ("ui64", _) => ElementType::U64,
        _ => return None,
    })
}

/// The number that a value always is.
fn constant(value: Value<'_, '_>) -> Option<i64> {
    let owner = OperationResult::try_from(value).ok()?.owner();
    if !matches!(name_of(owner).as_str(), "arith.constant" | "llvm.mlir.constant") {
        return None;
    }
    IntegerAttribute::try_from(owner.attribute("value").ok()?).ok().map(|a| a.value())
}

/// The module around an operation.
fn symbol_table<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    std::iter::successors(operation.parent_operation(), |o| o.parent_operation())
        .find(|o| matches!(name_of(*o).as_str(), "builtin.module" | "gpu.module"))
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
