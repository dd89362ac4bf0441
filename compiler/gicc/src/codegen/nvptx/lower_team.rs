//! `lower_team`: facts about the team become loads from `__gicc_state`, which the host writes when it makes the module
//! usable and which no kernel writes.
//!
//! ```text
//! %me = call i32 @__gicc_my_pe()
//!   becomes
//! %me = load i32, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @__gicc_state, i64 4), !invariant.load !{}
//! ```
//!
//! Requires: nothing. Ensures: no function of the team family is left; the variable exists, also where nothing reads it, so
//! that every module can be told its team.

use gicc_abi::STATE_SYMBOL;
use gicc_abi::layout::{Field, State};
use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef as _, GlobalValue, InstructionValue};

use crate::llvm::{calls_to, replace};

/// The function of each fact, and the field that holds it.
const FACTS: &[(&str, &str)] = &[
    ("__gicc_my_pe", "my_pe"),
    ("__gicc_n_pes", "n_pes"),
    ("__gicc_heap_base", "heap_base"),
    ("__gicc_heap_stride", "heap_stride"),
    ("__gicc_heap_bytes", "heap_bytes"),
    ("__gicc_error_words", "error"),
    ("__gicc_workspace_bytes", "workspace_bytes"),
    ("__gicc_timeout_ns", "timeout_ns"),
];

/// Lowers every call.
pub(super) fn run(module: &Module<'_>) {
    let state = state_variable(module);
    for (function, field) in FACTS {
        for call in calls_to(module, function) {
            let ty = call.callee.get_type().get_return_type().expect("a fact has a value");
            let value = load(module, state, call.instruction, field, ty);
            replace(call.instruction, Some(value));
        }
    }
    for call in calls_to(module, "__gicc_workspace") {
        workspace(module, state, call.instruction);
    }
}

fn state_variable<'c>(module: &Module<'c>) -> GlobalValue<'c> {
    let context = module.get_context();
    let bytes = u32::try_from(size_of::<State>()).expect("the state is small");
    let ty = context.i8_type().array_type(bytes);
    let global = module
        .get_global(STATE_SYMBOL)
        .unwrap_or_else(|| module.add_global(ty, Some(AddressSpace::from(4u16)), STATE_SYMBOL));
    global.set_initializer(&ty.const_zero());
    global.set_externally_initialized(true);
    global.set_alignment(8);
    global
}

/// Leaves the variable to another module to define.
pub(crate) fn declare_state(module: &Module<'_>) {
    let state = state_variable(module);
    // SAFETY: a variable without an initial value is a declaration; null takes the value away.
    unsafe { inkwell::llvm_sys::core::LLVMSetInitializer(state.as_value_ref(), std::ptr::null_mut()) };
}

fn field(name: &str) -> &'static Field {
    State::FIELDS.iter().find(|f| f.name == name).expect("the table names fields of the state")
}

fn load<'c>(
    module: &Module<'c>,
    state: GlobalValue<'c>,
    at: InstructionValue<'c>,
    name: &str,
    ty: BasicTypeEnum<'c>,
) -> inkwell::values::BasicValueEnum<'c> {
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&at);
    let offset = context.i64_type().const_int(field(name).offset as u64, false);
    // SAFETY: the offset lies inside the variable.
    let address = unsafe { builder.build_in_bounds_gep(context.i8_type(), state.as_pointer_value(), &[offset], "") }
        .expect("the builder has a position");
    let value = builder.build_load(ty, address, name).expect("the builder has a position");
    if let Some(instruction) = inkwell::values::BasicValue::as_instruction_value(&value) {
        let kind = context.get_kind_id("invariant.load");
        let _ = instruction.set_metadata(context.metadata_node(&[]), kind);
    }
    value
}

/// heap_base + my_pe * heap_stride + workspace_offset, as a pointer.
fn workspace<'c>(module: &Module<'c>, state: GlobalValue<'c>, at: InstructionValue<'c>) {
    let context = module.get_context();
    let wide = context.i64_type();
    let get = |name: &str, ty: BasicTypeEnum<'c>| load(module, state, at, name, ty).into_int_value();
    let (base, stride) = (get("heap_base", wide.into()), get("heap_stride", wide.into()));
    let (offset, me) = (get("workspace_offset", wide.into()), get("my_pe", context.i32_type().into()));
    let builder = context.create_builder();
    builder.position_before(&at);
    let address = builder
        .build_int_s_extend(me, wide, "")
        .and_then(|me| builder.build_int_mul(me, stride, ""))
        .and_then(|segment| builder.build_int_add(base, segment, ""))
        .and_then(|segment| builder.build_int_add(segment, offset, ""))
        .and_then(|address| builder.build_int_to_ptr(address, context.ptr_type(AddressSpace::default()), "workspace"))
        .expect("the builder has a position");
    replace(at, Some(address.into()));
}
