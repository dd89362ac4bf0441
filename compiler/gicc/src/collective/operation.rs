//! What an operation of the dialect asks of level H.

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};
use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationLike as _, OperationResult};
use melior::ir::{OperationRef, RegionLike as _, Type, Value, ValueLike as _};

use super::{Collective, Group, Signature};
use crate::dialect::ir::{
    Before, element_of, enumeration, name_attribute, name_of, operand, symbol_name, type_attribute,
};
use crate::dialect::lower::{Part, address, count, elements, symbol_table};

/// A collective as its operation says it.
#[derive(Clone, Debug)]
pub(crate) struct Asked<'c, 'a> {
    /// With the algorithm that is asked for.
    pub(crate) signature: Signature,
    /// The count, where it is constant.
    pub(crate) count: Option<i64>,
    /// Addresses of out and in, and the count (64 bits).
    pub(crate) arguments: [Value<'c, 'a>; 3],
    /// Start, stride and members of the part of the PEs (32 bits); nothing where it means all.
    pub(crate) part: Option<[Value<'c, 'a>; 3]>,
}

impl<'c, 'a> Asked<'c, 'a> {
    /// What an operation `gicc.all_reduce` or `gicc.all_gather` says; what that takes is put in front of it. Nothing where the
    /// operation lacks what its verifier asks for.
    pub(crate) fn by(at: &Before<'c, 'a>, operation: OperationRef<'c, 'a>) -> Option<Asked<'c, 'a>> {
        let (out, input) = (operand(operation, 0)?, operand(operation, 1)?);
        // Start, stride and members of a part, where it is one, stand behind the count, where there is one.
        let written = matches!(operation.operand_count(), 3 | 6).then(|| operand(operation, 2)).flatten();
        let many = match written {
            Some(written) => count(at, written),
            // The input's elements: of an all-reduce the result has as many, of an all-gather more.
            None => elements(at, input).or_else(|| elements(at, out))?,
        };
        let part = part(at, operation)?;
        Some(Asked {
            signature: signature(operation, (out, input), part.is_some())?,
            count: constant(written.unwrap_or(many)),
            arguments: [address(at, out), address(at, input), many],
            part,
        })
    }
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
