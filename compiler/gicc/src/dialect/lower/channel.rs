//! `gicc.channel`: opens a channel.
//!
//! ```text
//! before
//!   %c = gicc.channel @halo %state, %buffer : !llvm.ptr, !llvm.ptr -> !gicc.channel<f32, simple, slots = 2, capacity = 1024>
//! after
//!   %counters = llvm.alloca %n x i64                                     at the function's entry
//!   llvm.call @__gicc_channel_open(%counters, %state, %protocol)
//!   %c = builtin.unrealized_conversion_cast %counters, %state, %buffer, %name to !gicc.channel<…>
//! ```
//!
//! The cast carries what the calls of the channel need, and goes when they are lowered.

use gicc_abi::channel::LARGEST_SLOT_OF_8;
use gicc_abi::layout::ChannelCounters;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;
use melior::ir::{OperationRef, RegionLike as _, Value, ValueLike as _};

use super::call::{call, symbol_table};
use super::memory::address;
use super::operation::CAST;
use super::text;
use crate::dialect::ir::{Before, channel_type, name_attribute, name_of, operand, replace_uses, symbol_name};
use crate::dialect::passes::Failed;

/// Bytes of data in a packet of a channel whose slots have so many bytes, as `gicc/gicc.cuh` chooses.
pub(super) fn packet_data(slot: i64) -> i64 {
    if u64::try_from(slot).is_ok_and(|s| s <= LARGEST_SLOT_OF_8) { 8 } else { 12 }
}

/// Opens the channel; the operation that stands for it.
pub(super) fn open<'c, 'a>(operation: OperationRef<'c, 'a>) -> Result<OperationRef<'c, 'a>, Failed> {
    let at = Before::new(operation);
    let result: Value<'c, 'a> = operation.result(0).map_err(|_| Failed)?.into();
    let ty = channel_type(result.r#type()).ok_or(Failed)?;
    let state = address(&at, operand(operation, 0).ok_or(Failed)?);
    let buffer = address(&at, operand(operation, 1).ok_or(Failed)?);
    let counters = counters(operation).ok_or(Failed)?;
    let protocol = at.constant(32, i64::try_from(ty.protocol).map_err(|_| Failed)?);
    call(&at, "__gicc_channel_open", &[counters, state, protocol]);
    let name = name(&at, &name_attribute(operation, "name").unwrap_or_default()).ok_or(Failed)?;
    let opened = at.value(CAST, &[counters, state, buffer, name], &[], result.r#type());
    replace_uses(result, opened);
    let Ok(opened) = melior::ir::operation::OperationResult::try_from(opened) else { return Err(Failed) };
    Ok(opened.owner())
}

/// The thread's own counters, at the entry of the function.
fn counters<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let mut function = operation.parent_operation()?;
    while !name_of(function).ends_with(".func") {
        function = function.parent_operation()?;
    }
    let entry = Before::new(function.region(0).ok()?.first_block()?.first_operation()?);
    let words = i64::try_from(2 * size_of::<ChannelCounters>() / 8).ok()?;
    let attributes = [("elem_type", entry.attribute("i64")), ("alignment", entry.attribute("8 : i64"))];
    Some(entry.value("llvm.alloca", &[entry.constant(64, words)], &attributes, entry.ty("!llvm.ptr")))
}

/// The address of the channel's name, which ends with a zero byte.
fn name<'c, 'a>(at: &Before<'c, 'a>, name: &str) -> Option<Value<'c, 'a>> {
    let symbol = format!("gicc.channel.{name}");
    let block = symbol_table(at.anchor)?.region(0).ok()?.first_block()?;
    let known = std::iter::successors(block.first_operation(), |o| o.next_in_block())
        .any(|o| symbol_name(o).as_deref() == Some(&symbol));
    if !known {
        text::add(at, &symbol, "private", name)?;
    }
    let reference = FlatSymbolRefAttribute::new(at.context(), &symbol).into();
    let there = at.value("llvm.mlir.addressof", &[], &[("global_name", reference)], at.ty("!llvm.ptr<1>"));
    Some(address(at, there))
}
