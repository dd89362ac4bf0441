//! A call of an intrinsic, which is declared where the call's function is.

use gicc_abi::intrinsics::{self, Type as AbiType};
use melior::ir::attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationBuilder, OperationLike as _};
use melior::ir::{Identifier, Location, OperationRef, Region, RegionLike as _, Type, Value};

use crate::dialect::ir::{Before, name_of, symbol_name};

/// The type's spelling inside `!llvm.func<…>`, and alone.
fn spelling(ty: AbiType) -> (&'static str, &'static str) {
    match ty {
        AbiType::Void => ("void", ""),
        AbiType::I32 => ("i32", "i32"),
        AbiType::I64 => ("i64", "i64"),
        AbiType::Ptr => ("ptr", "!llvm.ptr"),
        AbiType::V2I64 => ("vector<2xi64>", "vector<2xi64>"),
    }
}

/// Calls an intrinsic; its result, where it has one.
///
/// # Panics
/// Where there is no such intrinsic, or the arguments are not as many as its parameters: a mistake of the caller.
pub(super) fn call<'c, 'a>(at: &Before<'c, 'a>, name: &str, arguments: &[Value<'c, '_>]) -> Option<Value<'c, 'a>> {
    let known = intrinsics::find(name).expect("an intrinsic of the table");
    assert_eq!(known.parameters.len(), arguments.len(), "arguments of {name}");
    declare(at, name);
    let results: Vec<Type<'c>> = match known.result {
        AbiType::Void => Vec::new(),
        other => vec![at.ty(spelling(other).1)],
    };
    let count = i32::try_from(arguments.len()).expect("an intrinsic has few parameters");
    let attributes = [
        ("callee", FlatSymbolRefAttribute::new(at.context(), name).into()),
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(at.context(), &[count, 0]).into()),
        ("op_bundle_sizes", DenseI32ArrayAttribute::new(at.context(), &[]).into()),
    ];
    let call = at.operation("llvm.call", arguments, &attributes, &results);
    call.result(0).ok().map(Into::into)
}

/// The module that holds an operation's function.
pub(crate) fn symbol_table<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    std::iter::successors(operation.parent_operation(), |o| o.parent_operation())
        .find(|o| matches!(name_of(*o).as_str(), "builtin.module" | "gpu.module"))
}

/// Declares an intrinsic in the module that the call stands in.
fn declare(at: &Before<'_, '_>, name: &str) {
    let Some(block) = symbol_table(at.anchor).and_then(|t| t.region(0).ok()).and_then(|r| r.first_block()) else {
        return;
    };
    if std::iter::successors(block.first_operation(), |o| o.next_in_block())
        .any(|o| symbol_name(o).as_deref() == Some(name))
    {
        return;
    }
    let Some(known) = intrinsics::find(name) else { return };
    let parameters: Vec<&str> = known.parameters.iter().map(|p| spelling(p.ty).0).collect();
    let ty = at.ty(&format!("!llvm.func<{} ({})>", spelling(known.result).0, parameters.join(", ")));
    let function = OperationBuilder::new("llvm.func", Location::unknown(at.context()))
        .add_attributes(&[
            (Identifier::new(at.context(), "sym_name"), StringAttribute::new(at.context(), name).into()),
            (Identifier::new(at.context(), "function_type"), TypeAttribute::new(ty).into()),
        ])
        .add_regions([Region::new()])
        .build()
        .expect("a declaration that MLIR can build");
    block.insert_operation(0, function);
}
