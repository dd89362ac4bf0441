//! Accesses to memory become calls of the simulator: loads, stores, `memcpy` and its kin, atomics and fences. What is
//! provably in a thread's own local memory stays native, with a check of its bounds where the offset is not constant.
//!
//! The meaning that counts is that of the PTX which LLVM 22 would make of the instruction. For one instruction the IR says
//! something else: an `atomicrmw` is relaxed and of gpu scope whatever its ordering and scope.

use gicc_abi::codes::{Order, Scope};
use gicc_abi::sim::{Entry, FenceKind, Meta, Rmw, Space};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use super::entry;
use super::ir::{Ir, Value};
use super::{codes, local_check_name};
use crate::diagnostic::Diagnostic;

/// The largest access in bytes that one call moves.
const MAX_ACCESS: u64 = 128;

/// Rewrites every access of a function.
pub(super) fn rewrite(ir: &Ir, function: Value, errors: &mut Vec<Diagnostic>) {
    for instruction in function.instructions() {
        let result = match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => load(ir, function, instruction),
            Some(LLVMOpcode::LLVMStore) => store(ir, function, instruction),
            Some(LLVMOpcode::LLVMAtomicRMW) => atomic_rmw(ir, function, instruction),
            Some(LLVMOpcode::LLVMAtomicCmpXchg) => compare_exchange(ir, function, instruction),
            Some(LLVMOpcode::LLVMFence) => fence(ir, instruction),
            Some(LLVMOpcode::LLVMCall) => bulk(ir, instruction),
            _ => Ok(()),
        };
        if let Err(error) = result {
            errors.push(error);
        }
    }
}

/// What is known of an address: in which local object it lies, and where.
struct Local {
    bytes: u64,
    base: Value,
    offset: Option<u64>,
}

/// The local object under an address, where it is provably one of this thread.
fn local(ir: &Ir, address: Value) -> Option<Local> {
    let mut at = address;
    let mut offset = Some(0i64);
    for _ in 0..64 {
        match at.any_opcode() {
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                offset = offset.zip(constant_offset(ir, at)).map(|(a, b)| a.wrapping_add(b));
                at = at.operand(0);
            }
            Some(LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast) => at = at.operand(0),
            Some(LLVMOpcode::LLVMAlloca) => {
                // SAFETY: an alloca.
                let ty = super::ir::Ty(unsafe { LLVMGetAllocatedType(at.0) });
                let count = at.operand(0).const_i64()?;
                let bytes = ir.bytes(ty).checked_mul(u64::try_from(count).ok()?)?;
                return Some(Local { bytes, base: at, offset: offset.and_then(|o| u64::try_from(o).ok()) });
            }
            _ => {
                let bytes = super::kernel::byval_bytes(ir, at)?;
                return Some(Local { bytes, base: at, offset: offset.and_then(|o| u64::try_from(o).ok()) });
            }
        }
    }
    None
}

/// Whether an address is provably in this thread's own memory.
pub(super) fn is_local(ir: &Ir, address: Value) -> bool {
    local(ir, address).is_some()
}

/// The offset in bytes that a `getelementptr` adds, where it is constant.
fn constant_offset(ir: &Ir, gep: Value) -> Option<i64> {
    // SAFETY: a `getelementptr`, as an instruction or a constant.
    let mut ty = super::ir::Ty(unsafe { LLVMGetGEPSourceElementType(gep.0) });
    let mut offset = 0i64;
    for (place, index) in gep.operands().skip(1).enumerate() {
        let index = index.const_i64()?;
        if place == 0 {
            offset = offset.wrapping_add(index.wrapping_mul(ir.bytes(ty) as i64));
        } else if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
            let field = u32::try_from(index).ok()?;
            offset = offset.wrapping_add(ir.field_offset(ty, field) as i64);
            // SAFETY: a structure that has this field, or the module would not have been verified.
            ty = super::ir::Ty(unsafe { LLVMStructGetTypeAtIndex(ty.0, field) });
        } else {
            ty = ty.element();
            offset = offset.wrapping_add(index.wrapping_mul(ir.bytes(ty) as i64));
        }
    }
    Some(offset)
}

/// Whether the access may stay native; puts in a check where the bounds are not known now.
fn stays_native(ir: &Ir, instruction: Value, address: Value, bytes: u64) -> bool {
    let Some(local) = local(ir, address) else { return false };
    if local.offset.is_some_and(|o| o.checked_add(bytes).is_some_and(|end| end <= local.bytes)) {
        return true;
    }
    ir.before(instruction);
    let word = ir.int(64);
    let at = ir.cast(LLVMOpcode::LLVMPtrToInt, address, word);
    let base = ir.cast(LLVMOpcode::LLVMPtrToInt, local.base, word);
    let offset = ir.binary(LLVMOpcode::LLVMSub, at, base);
    // Where nothing fits, the largest offset is none at all: -1 would allow all, so the size is compared too.
    let last = ir.i64(local.bytes.saturating_sub(bytes));
    let empty = ir.i64(u64::from(local.bytes < bytes));
    let ty = ir.function_type(ir.void(), &[word, word, word]);
    let check = ir.function(local_check_name()).unwrap_or_else(|| ir.add_function(local_check_name(), ty));
    ir.call(ty, check, &[offset, last, empty]);
    true
}

/// The state space of a pointer.
fn space(address: Value) -> Space {
    // A cast from a known space says more than the generic pointer that it makes.
    let known = match address.any_opcode() {
        Some(LLVMOpcode::LLVMAddrSpaceCast) => address.operand(0),
        _ => address,
    };
    match known.ty().address_space() {
        1 => Space::Global,
        3 => Space::Shared,
        4 => Space::Constant,
        5 => Space::Local,
        7 => Space::SharedCluster,
        101 => Space::Param,
        _ => Space::Generic,
    }
}

/// The address as an argument of an entry point.
pub(super) fn generic(ir: &Ir, address: Value) -> Value {
    ir.cast(LLVMOpcode::LLVMAddrSpaceCast, address, ir.pointer(0))
}

/// Size, elements, alignment and space of an access to a value of this type.
fn describe(ir: &Ir, instruction: Value, ty: super::ir::Ty, address: Value) -> Result<Meta, Diagnostic> {
    let bytes = ir.store_bytes(ty);
    if bytes == 0 || bytes > MAX_ACCESS {
        return Err(Diagnostic::error(codes::ACCESS, format!("the simulator has no access of {bytes} bytes at once"))
            .at(instruction.span())
            .cure("Copy large structures with memcpy, or member by member."));
    }
    let align = instruction.alignment();
    let element = if ty.is_vector() { ir.bytes(ty.element()) } else { bytes };
    let element = largest_power(element).min(align);
    // PTX wants a vector access aligned as a whole; LLVM splits what is aligned less.
    Ok(Meta::access(bytes).element(element).align(align.min(largest_power(bytes))).space(space(address)))
}

/// The largest power of two that divides a size.
const fn largest_power(bytes: u64) -> u64 {
    1 << bytes.trailing_zeros()
}

fn order_of(ordering: LLVMAtomicOrdering) -> Option<Order> {
    use LLVMAtomicOrdering::*;
    Some(match ordering {
        LLVMAtomicOrderingNotAtomic => return None,
        LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic => Order::Relaxed,
        LLVMAtomicOrderingAcquire => Order::Acquire,
        LLVMAtomicOrderingRelease => Order::Release,
        LLVMAtomicOrderingAcquireRelease => Order::AcquireRelease,
        LLVMAtomicOrderingSequentiallyConsistent => Order::SequentiallyConsistent,
    })
}

/// The scope of an atomic instruction or fence.
fn scope_of(ir: &Ir, instruction: Value) -> Result<Scope, Diagnostic> {
    // SAFETY: an atomic access or a fence.
    let id = unsafe { LLVMGetAtomicSyncScopeID(instruction.0) };
    for (name, scope) in
        [("", Scope::System), ("device", Scope::Device), ("block", Scope::Block), ("cluster", Scope::Cluster)]
    {
        // SAFETY: the context lives.
        if id == unsafe { LLVMGetSyncScopeID(ir.context, name.as_ptr().cast(), name.len()) } {
            return Ok(scope);
        }
    }
    Err(Diagnostic::error(codes::SCOPE, "this synchronisation scope does not exist on the target")
        .at(instruction.span())
        .cause("PTX has the scopes block, cluster, device and system.")
        .cure("Use one of the scopes \"block\", \"cluster\", \"device\" or none (the system)."))
}

fn ordered(ir: &Ir, instruction: Value, meta: Meta) -> Result<Meta, Diagnostic> {
    // SAFETY: a load or store.
    let order = order_of(unsafe { LLVMGetOrdering(instruction.0) });
    let meta = match (order, instruction.is_volatile()) {
        (Some(order), true) => meta.strong(order, scope_of(ir, instruction)?).volatile().mmio(),
        (Some(order), false) => meta.strong(order, scope_of(ir, instruction)?),
        // MEMORY-MODEL: volatile is relaxed.sys.
        (None, true) => meta.strong(Order::Relaxed, Scope::System).volatile(),
        (None, false) => meta,
    };
    Ok(meta)
}

fn load(ir: &Ir, function: Value, instruction: Value) -> Result<(), Diagnostic> {
    let (ty, address) = (instruction.ty(), instruction.operand(0));
    if stays_native(ir, instruction, address, ir.store_bytes(ty)) {
        return Ok(());
    }
    let mut meta = ordered(ir, instruction, describe(ir, instruction, ty, address)?)?;
    if instruction.has_metadata("invariant.load") && meta.state_space() == Some(Space::Global) {
        meta = meta.non_coherent();
    }
    ir.before(instruction);
    let value = emit_load(ir, function, ty, address, meta);
    instruction.replace_uses(value);
    instruction.erase();
    Ok(())
}

/// A load of a value of this type at the builder's place.
pub(super) fn emit_load(ir: &Ir, function: Value, ty: super::ir::Ty, address: Value, meta: Meta) -> Value {
    let address = generic(ir, address);
    if ir.scalar_bits(ty).is_some() {
        let word = entry::call(ir, Entry::Load, &[address], meta);
        ir.of_bits(word, ty)
    } else {
        let here = ir.entry_alloca(function, meta.bytes().next_multiple_of(16), 16);
        entry::call(ir, Entry::LoadTo, &[here, address], meta);
        ir.load(ty, here, 16)
    }
}

fn store(ir: &Ir, function: Value, instruction: Value) -> Result<(), Diagnostic> {
    let (value, address) = (instruction.operand(0), instruction.operand(1));
    if stays_native(ir, instruction, address, ir.store_bytes(value.ty())) {
        return Ok(());
    }
    let meta = ordered(ir, instruction, describe(ir, instruction, value.ty(), address)?)?;
    ir.before(instruction);
    emit_store(ir, function, value, address, meta);
    instruction.erase();
    Ok(())
}

/// A store of a value at the builder's place.
pub(super) fn emit_store(ir: &Ir, function: Value, value: Value, address: Value, meta: Meta) {
    let address = generic(ir, address);
    if let Some(word) = ir.to_bits(value) {
        entry::call(ir, Entry::Store, &[address, word], meta);
    } else {
        let here = ir.entry_alloca(function, meta.bytes().next_multiple_of(16), 16);
        ir.store(value, here, 16);
        entry::call(ir, Entry::StoreFrom, &[address, here], meta);
    }
}

fn atomic_rmw(ir: &Ir, function: Value, instruction: Value) -> Result<(), Diagnostic> {
    use LLVMAtomicRMWBinOp::*;
    let (address, value) = (instruction.operand(0), instruction.operand(1));
    let ty = value.ty();
    let element = if ty.is_vector() { ty.element() } else { ty };
    let by_type = |float, half, bfloat| match element.kind() {
        LLVMTypeKind::LLVMHalfTypeKind => Some(half),
        LLVMTypeKind::LLVMBFloatTypeKind => Some(bfloat),
        _ if ty.is_vector() => None,
        _ => Some(float),
    };
    // SAFETY: an `atomicrmw`.
    let operation = match unsafe { LLVMGetAtomicRMWBinOp(instruction.0) } {
        LLVMAtomicRMWBinOpXchg => Some(Rmw::Exchange),
        LLVMAtomicRMWBinOpAdd => Some(Rmw::Add),
        LLVMAtomicRMWBinOpSub => Some(Rmw::Sub),
        LLVMAtomicRMWBinOpAnd => Some(Rmw::And),
        LLVMAtomicRMWBinOpNand => Some(Rmw::Nand),
        LLVMAtomicRMWBinOpOr => Some(Rmw::Or),
        LLVMAtomicRMWBinOpXor => Some(Rmw::Xor),
        LLVMAtomicRMWBinOpMax => Some(Rmw::MaxSigned),
        LLVMAtomicRMWBinOpMin => Some(Rmw::MinSigned),
        LLVMAtomicRMWBinOpUMax => Some(Rmw::MaxUnsigned),
        LLVMAtomicRMWBinOpUMin => Some(Rmw::MinUnsigned),
        LLVMAtomicRMWBinOpUIncWrap => Some(Rmw::IncrementWrap),
        LLVMAtomicRMWBinOpUDecWrap => Some(Rmw::DecrementWrap),
        LLVMAtomicRMWBinOpFAdd => by_type(Rmw::AddFloat, Rmw::AddHalf, Rmw::AddBfloat),
        LLVMAtomicRMWBinOpFMax => by_type(Rmw::MaxFloat, Rmw::MaxHalf, Rmw::MaxBfloat),
        LLVMAtomicRMWBinOpFMin => by_type(Rmw::MinFloat, Rmw::MinHalf, Rmw::MinBfloat),
        LLVMAtomicRMWBinOpFSub
            if matches!(ty.kind(), LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind) =>
        {
            Some(Rmw::SubFloat)
        }
        _ => None,
    };
    let unsupported = || {
        Diagnostic::error(codes::ATOMIC, format!("the simulator has no such atomic operation on {}", ty.text()))
            .at(instruction.span())
    };
    let operation = operation.ok_or_else(unsupported)?;
    // An unknown scope is refused although the instruction drops it: the backend for GPUs aborts on it.
    scope_of(ir, instruction)?;
    let meta = describe(ir, instruction, ty, address)?.strong(Order::Relaxed, Scope::Device);
    let meta = meta.align(largest_power(meta.bytes()));
    let meta = if instruction.has_uses() { meta } else { meta.reduction() };
    ir.before(instruction);
    let old = if ir.scalar_bits(ty).is_some() {
        let word = ir.to_bits(value).ok_or_else(unsupported)?;
        let code = ir.i64(operation.code());
        let old = entry::call(ir, Entry::Atomic, &[generic(ir, address), word, ir.i64(0), code], meta);
        ir.of_bits(old, ty)
    } else if operation == Rmw::Exchange && meta.bytes() == 16 {
        wide(ir, function, address, value, value, operation, meta)
    } else {
        return Err(unsupported());
    };
    instruction.replace_uses(old);
    instruction.erase();
    Ok(())
}

/// An exchange or compare-and-swap of 16 bytes; the old value.
pub(super) fn wide(
    ir: &Ir,
    function: Value,
    address: Value,
    value: Value,
    expected: Value,
    operation: Rmw,
    meta: Meta,
) -> Value {
    let [old, new, compare] = [(); 3].map(|()| ir.entry_alloca(function, 16, 16));
    ir.store(value, new, 16);
    ir.store(expected, compare, 16);
    let code = ir.i64(operation.code());
    entry::call(ir, Entry::AtomicWide, &[generic(ir, address), old, new, compare, code], meta);
    ir.load(value.ty(), old, 16)
}

fn compare_exchange(ir: &Ir, function: Value, instruction: Value) -> Result<(), Diagnostic> {
    let (address, expected, desired) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
    let ty = desired.ty();
    // SAFETY: a `cmpxchg`.
    let order = order_of(unsafe { LLVMGetCmpXchgSuccessOrdering(instruction.0) }).unwrap_or(Order::Relaxed);
    let meta = describe(ir, instruction, ty, address)?.strong(order, scope_of(ir, instruction)?);
    let meta = meta.align(largest_power(meta.bytes()));
    ir.before(instruction);
    let (old, same) = match (ir.to_bits(desired), ir.to_bits(expected)) {
        (Some(new), Some(compare)) => {
            let code = ir.i64(Rmw::CompareAndSwap.code());
            let old = entry::call(ir, Entry::Atomic, &[generic(ir, address), new, compare, code], meta);
            (ir.of_bits(old, ty), ir.compare(LLVMIntPredicate::LLVMIntEQ, old, compare))
        }
        _ if meta.bytes() == 16 && ty.is_int() => {
            let old = wide(ir, function, address, desired, expected, Rmw::CompareAndSwap, meta);
            (old, ir.compare(LLVMIntPredicate::LLVMIntEQ, old, expected))
        }
        _ => {
            let message = format!("the simulator has no compare-and-swap of {}", ty.text());
            return Err(Diagnostic::error(codes::ATOMIC, message).at(instruction.span()));
        }
    };
    let pair = ir.insert_value(ir.poison(instruction.ty()), old, 0);
    let pair = ir.insert_value(pair, same, 1);
    instruction.replace_uses(pair);
    instruction.erase();
    Ok(())
}

fn fence(ir: &Ir, instruction: Value) -> Result<(), Diagnostic> {
    // SAFETY: a fence.
    let order = order_of(unsafe { LLVMGetOrdering(instruction.0) }).unwrap_or(Order::SequentiallyConsistent);
    let scope = scope_of(ir, instruction)?;
    ir.before(instruction);
    emit_fence(ir, order, scope);
    instruction.erase();
    Ok(())
}

/// A fence at the builder's place.
pub(super) fn emit_fence(ir: &Ir, order: Order, scope: Scope) {
    entry::call(ir, Entry::Fence, &[ir.i64(FenceKind::Memory.code())], Meta(0).strong(order, scope));
}

/// `memcpy`, `memmove` and `memset`.
fn bulk(ir: &Ir, instruction: Value) -> Result<(), Diagnostic> {
    let callee = instruction.callee();
    if !callee.is_function() {
        return Ok(());
    }
    let name = callee.name();
    let copy = ["llvm.memcpy.", "llvm.memmove."].iter().any(|p| name.starts_with(p));
    let fill = name.starts_with("llvm.memset.");
    if !copy && !fill {
        return Ok(());
    }
    let [to, what, bytes, volatile] = instruction.arguments()[..] else { return Ok(()) };
    let mut meta = Meta::access(1).space(space(to));
    if volatile.const_i64() == Some(1) || volatile.const_i64() == Some(-1) {
        meta = meta.strong(Order::Relaxed, Scope::System).volatile();
    }
    ir.before(instruction);
    let length = ir.cast(LLVMOpcode::LLVMZExt, bytes, ir.int(64));
    if copy {
        entry::call(ir, Entry::Copy, &[generic(ir, to), generic(ir, what), length], meta);
    } else {
        let byte = ir.cast(LLVMOpcode::LLVMZExt, what, ir.int(64));
        entry::call(ir, Entry::Fill, &[generic(ir, to), byte, length], meta);
    }
    instruction.erase();
    Ok(())
}
