//! Constant text in the module of device code.
//!
//! ```text
//! llvm.mlir.global private constant @symbol("text\00") {addr_space = 1 : i32}
//! ```

use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationBuilder, OperationLike as _};
use melior::ir::{Identifier, Region, RegionLike as _};

use super::call::symbol_table;
use crate::dialect::ir::Before;

/// Puts a constant with this text and a zero byte in front of everything else in the module around `at`. `linkage` is LLVM's,
/// as MLIR spells it.
pub(super) fn add(at: &Before<'_, '_>, symbol: &str, linkage: &str, text: &str) -> Option<()> {
    let text = format!("{text}\0");
    let attributes = [
        ("global_type", TypeAttribute::new(at.ty(&format!("!llvm.array<{} x i8>", text.len()))).into()),
        ("sym_name", StringAttribute::new(at.context(), symbol).into()),
        ("linkage", at.attribute(&format!("#llvm.linkage<{linkage}>"))),
        ("constant", at.attribute("unit")),
        ("value", StringAttribute::new(at.context(), &text).into()),
        ("addr_space", at.attribute("1 : i32")),
    ];
    let attributes: Vec<_> = attributes.iter().map(|(n, a)| (Identifier::new(at.context(), n), *a)).collect();
    let global = OperationBuilder::new("llvm.mlir.global", at.location)
        .add_attributes(&attributes)
        .add_regions([Region::new()])
        .build()
        .ok()?;
    symbol_table(at.anchor)?.region(0).ok()?.first_block()?.insert_operation(0, global);
    Some(())
}
