//! `lower_orderings`: each function of the ordering family becomes one PTX instruction (PTX ISA §9.7.9 and §9.7.13).
//!
//! ```text
//! call void @__gicc_store_u64(ptr %f, i64 1, i32 release, i32 sys)
//!   becomes
//! call void asm sideeffect "st.release.sys.global.u64 [$0], $1;", "l,l,~{memory}"(ptr addrspace(1) %f.global, i64 1)
//! ```
//!
//! Inline PTX and not LLVM's atomics, because LLVM 22 drops the order and scope of `atomicrmw` for this target, and because
//! one written instruction is one emitted instruction: no fence comes in that `place_fences` did not place. Signals, counters
//! and error words lie in global memory, so the accesses say `.global`.
//!
//! Requires: constant orders and scopes, as `place_fences` makes them. Ensures: no ordering function is left.

use gicc_abi::codes::{Order, Scope};
use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, InstructionValue, StructValue};

use crate::diagnostic::{Diagnostic, codes};
use crate::driver::Arch;
use crate::llvm::{Call, call_asm, calls, name_of, replace, span};

/// Lowers every call.
pub(super) fn run(module: &Module<'_>, arch: Arch) -> Result<(), Diagnostic> {
    for call in calls(module) {
        let name = name_of(call.callee);
        let Some(known) = gicc_abi::intrinsics::find(&name) else { continue };
        if known.family != gicc_abi::intrinsics::Family::Ordering {
            continue;
        }
        let code = |parameter: &str| known.parameter(parameter).and_then(|n| call.constant(n)).map(i64::cast_unsigned);
        let order = code("order").and_then(Order::from_code);
        let scope = code("scope").and_then(Scope::from_code).filter(|s| *s != Scope::Auto);
        let (Some(order), Some(scope)) = (order, scope) else {
            return Err(Diagnostic::error(codes::INTERNAL, format!("`{name}` without a constant order and scope"))
                .at(span(call.instruction))
                .cure("this is a mistake of gicc: please report it with the input"));
        };
        let Some(text) = instruction(&name, order, scope, arch) else {
            return Err(Diagnostic::error(codes::INTERNAL, format!("`{name}` cannot be {}", order.name()))
                .at(span(call.instruction))
                .cure("this is a mistake of gicc: please report it with the input"));
        };
        emit(module, &call, &text);
    }
    Ok(())
}

/// The instruction, with LLVM's operand names; `None` where PTX has none with this order.
fn instruction(name: &str, order: Order, scope: Scope, arch: Arch) -> Option<String> {
    let scope = scope.name();
    let sem = match order {
        Order::Relaxed => "relaxed",
        Order::Release => "release",
        Order::Acquire => "acquire",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "sc",
    };
    let store = matches!(order, Order::Relaxed | Order::Release);
    let load = matches!(order, Order::Relaxed | Order::Acquire);
    let rmw = order != Order::SequentiallyConsistent;
    Some(match name {
        "__gicc_fence" => match order {
            Order::Relaxed => return None,
            Order::SequentiallyConsistent => format!("fence.sc.{scope};"),
            Order::Acquire | Order::Release if arch.has_one_way_fences() => format!("fence.{sem}.{scope};"),
            Order::Acquire | Order::Release | Order::AcquireRelease => format!("fence.acq_rel.{scope};"),
        },
        "__gicc_store_u32" if store => format!("st.{sem}.{scope}.global.u32 [$0], $1;"),
        "__gicc_store_u64" if store => format!("st.{sem}.{scope}.global.u64 [$0], $1;"),
        "__gicc_load_u32" if load => format!("ld.{sem}.{scope}.global.u32 $0, [$1];"),
        "__gicc_load_u64" if load => format!("ld.{sem}.{scope}.global.u64 $0, [$1];"),
        "__gicc_store_b128" if order == Order::Relaxed => {
            format!("{{.reg .b128 t; mov.b128 t, {{$1, $2}}; st.relaxed.{scope}.global.b128 [$0], t;}}")
        }
        "__gicc_load_b128" if order == Order::Relaxed => {
            format!("{{.reg .b128 t; ld.relaxed.{scope}.global.b128 t, [$2]; mov.b128 {{$0, $1}}, t;}}")
        }
        "__gicc_red_add_u64" if store => format!("red.{sem}.{scope}.global.add.u64 [$0], $1;"),
        "__gicc_atom_add_u64" if rmw => format!("atom.{sem}.{scope}.global.add.u64 $0, [$1], $2;"),
        "__gicc_atom_inc_u32" if rmw => format!("atom.{sem}.{scope}.global.inc.u32 $0, [$1], $2;"),
        "__gicc_atom_cas_u32" if rmw => format!("atom.{sem}.{scope}.global.cas.b32 $0, [$1], $2, $3;"),
        _ => return None,
    })
}

fn emit<'c>(module: &Module<'c>, call: &Call<'c>, text: &str) {
    let result = call.callee.get_type().get_return_type();
    // A 128-bit word comes as two registers.
    let pair = result.is_some_and(BasicTypeEnum::is_vector_type);
    let context = module.get_context();
    let half = context.i64_type();
    // Everything but the order and the scope, which are in the text.
    let mut arguments = call.arguments();
    arguments.truncate(arguments.len() - 2);
    let arguments: Vec<BasicValueEnum<'c>> =
        arguments.into_iter().map(|a| global(module, call.instruction, a)).collect();
    let mut constraints: Vec<&str> = match result {
        _ if pair => vec!["=l", "=l"],
        Some(ty) => vec![if is_wide(ty) { "=l" } else { "=r" }],
        None => vec![],
    };
    constraints.extend(arguments.iter().map(|a| if is_wide(a.get_type()) { "l" } else { "r" }));
    constraints.push("~{memory}");
    let asm_result = if pair { Some(context.struct_type(&[half.into(), half.into()], false).into()) } else { result };
    let value = call_asm(module, call.instruction, text, &constraints.join(","), asm_result, &arguments);
    let value = match value {
        Some(BasicValueEnum::StructValue(halves)) => Some(joined(module, call.instruction, halves)),
        other => other,
    };
    replace(call.instruction, value);
}

/// Two registers as a vector of two halves.
fn joined<'c>(module: &Module<'c>, at: InstructionValue<'c>, halves: StructValue<'c>) -> BasicValueEnum<'c> {
    const POSITION: &str = "the builder has a position";
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&at);
    let mut word = context.i64_type().vec_type(2).get_poison();
    for n in 0..2 {
        let half = builder.build_extract_value(halves, n, "").expect(POSITION);
        let index = context.i32_type().const_int(n.into(), false);
        word = builder.build_insert_element(word, half, index, "").expect(POSITION);
    }
    word.into()
}

fn is_wide(ty: BasicTypeEnum<'_>) -> bool {
    match ty {
        BasicTypeEnum::IntType(t) => t.get_bit_width() == 64,
        _ => true,
    }
}

/// A pointer as one to global memory.
fn global<'c>(module: &Module<'c>, at: InstructionValue<'c>, value: BasicValueEnum<'c>) -> BasicValueEnum<'c> {
    if !value.is_pointer_value() {
        return value;
    }
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&at);
    builder
        .build_address_space_cast(value.into_pointer_value(), context.ptr_type(AddressSpace::from(1u16)), "")
        .expect("the builder has a position")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_fences_need_sm_90() {
        let text = |arch: &str| {
            let arch = Arch::from_name(arch).unwrap();
            instruction("__gicc_fence", Order::Release, Scope::System, arch).unwrap()
        };
        assert_eq!(text("sm_80"), "fence.acq_rel.sys;");
        assert_eq!(text("sm_90"), "fence.release.sys;");
    }

    #[test]
    fn an_order_that_ptx_does_not_have_is_refused() {
        let arch = Arch::DEFAULT;
        assert_eq!(instruction("__gicc_store_u64", Order::Acquire, Scope::System, arch), None);
        assert_eq!(instruction("__gicc_load_u64", Order::Release, Scope::System, arch), None);
        assert_eq!(instruction("__gicc_fence", Order::Relaxed, Scope::System, arch), None);
        for order in Order::ALL.iter().copied().filter(|o| *o != Order::Relaxed) {
            assert_eq!(instruction("__gicc_store_b128", order, Scope::System, arch), None);
            assert_eq!(instruction("__gicc_load_b128", order, Scope::System, arch), None);
        }
    }

    #[test]
    fn a_128_bit_word_is_one_access_between_two_halves() {
        assert_eq!(
            instruction("__gicc_load_b128", Order::Relaxed, Scope::System, Arch::DEFAULT).unwrap(),
            "{.reg .b128 t; ld.relaxed.sys.global.b128 t, [$2]; mov.b128 {$0, $1}, t;}"
        );
    }

    #[test]
    fn every_ordering_of_the_table_has_an_instruction() {
        for i in gicc_abi::intrinsics::ALL {
            if i.family == gicc_abi::intrinsics::Family::Ordering {
                let relaxed = instruction(i.name, Order::Relaxed, Scope::Device, Arch::DEFAULT);
                let fence = instruction(i.name, Order::AcquireRelease, Scope::Device, Arch::DEFAULT);
                assert!(relaxed.is_some() || fence.is_some(), "{}", i.name);
            }
        }
    }
}
