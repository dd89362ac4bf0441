//! `lower_atomics`: LLVM 22 lowers every `atomicrmw` of this target to a relaxed operation of GPU scope, whatever order and
//! scope the IR has. Operations that ask for more (or for less: block scope) become inline PTX.
//!
//! ```text
//! %old = atomicrmw add ptr %p, i64 1 release                      ; system scope
//!   becomes
//! %old = call i64 asm sideeffect "atom.release.sys.add.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 1)
//! ```
//!
//! A sequentially consistent operation is PTX's mapping of it: `fence.sc` in front of an acquiring and releasing one. That
//! fence is part of the operation that the user wrote, not an order that gicc adds.
//!
//! Requires: legal syncscopes. Ensures: every `atomicrmw` that is left is relaxed at GPU scope. What PTX has no instruction
//! for is refused.

use inkwell::AtomicRMWBinOp as Op;
use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMAtomicOrdering as Ordering;
use inkwell::llvm_sys::core::{LLVMGetAtomicSyncScopeID, LLVMGetOrdering, LLVMGetSyncScopeID};
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef as _, BasicValueEnum, InstructionOpcode, InstructionValue};

use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{call_asm, defined_functions, instructions, replace, span};

/// Lowers every `atomicrmw` that the back end would weaken.
pub(super) fn run(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for instruction in defined_functions(module).into_iter().flat_map(instructions) {
        if instruction.get_opcode() != InstructionOpcode::AtomicRMW {
            continue;
        }
        let (ordering, scope) = order_and_scope(module, instruction);
        if ordering == Ordering::LLVMAtomicOrderingMonotonic && scope == "gpu" {
            continue;
        }
        if let Err(d) = lower(module, instruction, ordering, scope) {
            errors.push(d.at(span(instruction)));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn order_and_scope(module: &Module<'_>, instruction: InstructionValue<'_>) -> (Ordering, &'static str) {
    let context = module.get_context();
    // SAFETY: the instruction is an atomicrmw; names are given with their length.
    unsafe {
        let id = LLVMGetAtomicSyncScopeID(instruction.as_value_ref());
        let named = [("block", "cta"), ("cluster", "cluster"), ("device", "gpu")]
            .into_iter()
            .find(|(name, _)| LLVMGetSyncScopeID(context.as_ctx_ref(), name.as_ptr().cast(), name.len()) == id);
        (LLVMGetOrdering(instruction.as_value_ref()), named.map_or("sys", |(_, ptx)| ptx))
    }
}

fn lower<'c>(
    module: &Module<'c>,
    instruction: InstructionValue<'c>,
    ordering: Ordering,
    scope: &str,
) -> Result<(), Diagnostic> {
    let operand = |n| instruction.get_operand(n).and_then(|o| o.value());
    let (Some(pointer), Some(value), Some(op)) = (operand(0), operand(1), instruction.get_atomic_rmw_bin_op()) else {
        return Err(refuse("an atomicrmw without operands"));
    };
    let (operation, register) = operation(op, value.get_type())?;
    let sem = match ordering {
        Ordering::LLVMAtomicOrderingMonotonic => "relaxed",
        Ordering::LLVMAtomicOrderingAcquire => "acquire",
        Ordering::LLVMAtomicOrderingRelease => "release",
        _ => "acq_rel",
    };
    let fence = match ordering {
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => format!("fence.sc.{scope}; "),
        _ => String::new(),
    };
    let value = if op == Op::Sub { negated(module, instruction, value)? } else { value };
    let text = format!("{fence}atom.{sem}.{scope}{}.{operation} $0, [$1], $2;", space(pointer)?);
    let constraints = format!("={register},l,{register},~{{memory}}");
    let old = call_asm(module, instruction, &text, &constraints, Some(value.get_type()), &[pointer, value]);
    replace(instruction, old);
    Ok(())
}

fn refuse(what: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_ATOMIC, format!("{what} cannot be compiled for NVIDIA GPUs with its order and scope"))
        .cause("PTX has no such instruction, and LLVM would weaken it to a relaxed operation of GPU scope")
        .cure("use a compare-and-swap loop, or `syncscope(\"device\") monotonic` where that is meant")
}

/// PTX's operation and type, and the constraint letter of its register.
fn operation(op: Op, ty: BasicTypeEnum<'_>) -> Result<(String, char), Diagnostic> {
    let name = format!("{op:?}");
    let unknown = || refuse(&format!("atomicrmw {} of {ty}", name.to_lowercase()));
    match ty {
        BasicTypeEnum::IntType(t) if matches!(t.get_bit_width(), 32 | 64) => {
            let bits = t.get_bit_width();
            let operation = match op {
                Op::Add | Op::Sub => format!("add.u{bits}"),
                Op::And => format!("and.b{bits}"),
                Op::Or => format!("or.b{bits}"),
                Op::Xor => format!("xor.b{bits}"),
                Op::Xchg => format!("exch.b{bits}"),
                Op::Max => format!("max.s{bits}"),
                Op::Min => format!("min.s{bits}"),
                Op::UMax => format!("max.u{bits}"),
                Op::UMin => format!("min.u{bits}"),
                _ if bits == 32 && name == "UIncWrap" => "inc.u32".into(),
                _ if bits == 32 && name == "UDecWrap" => "dec.u32".into(),
                _ => return Err(unknown()),
            };
            Ok((operation, if bits == 32 { 'r' } else { 'l' }))
        }
        BasicTypeEnum::FloatType(t) if op == Op::FAdd && t == t.get_context().f32_type() => Ok(("add.f32".into(), 'f')),
        BasicTypeEnum::FloatType(t) if op == Op::FAdd && t == t.get_context().f64_type() => Ok(("add.f64".into(), 'd')),
        _ => Err(unknown()),
    }
}

/// The state space of a pointer, as PTX writes it.
fn space(pointer: BasicValueEnum<'_>) -> Result<&'static str, Diagnostic> {
    let space = pointer.into_pointer_value().get_type().get_address_space();
    [(0u16, ""), (1, ".global"), (3, ".shared")]
        .into_iter()
        .find(|(n, _)| inkwell::AddressSpace::from(*n) == space)
        .map(|(_, text)| text)
        .ok_or_else(|| refuse("an atomicrmw outside global and shared memory"))
}

fn negated<'c>(
    module: &Module<'c>,
    at: InstructionValue<'c>,
    value: BasicValueEnum<'c>,
) -> Result<BasicValueEnum<'c>, Diagnostic> {
    let builder = module.get_context().create_builder();
    builder.position_before(&at);
    builder.build_int_neg(value.into_int_value(), "").map(Into::into).map_err(|_| refuse("an atomicrmw sub"))
}
