//! What each instruction means for the order of memory, as far as placing fences needs to know.
//!
//! The question is whether a release fence that stood earlier still covers everything that a later signal must publish. It
//! does not if, in between, the thread may have written memory that others can see, or may have learned of others' writes
//! (a barrier, an acquiring load): those are in causality before the signal and after the fence. What cannot be told counts
//! as both.

use gicc_abi::codes::{Order, Scope};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMGetAtomicSyncScopeID, LLVMGetOrdering, LLVMGetSyncScopeID, LLVMGetVolatile, LLVMIsAtomicSingleThread,
};
use inkwell::values::{AsValueRef as _, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue};

use crate::llvm::{Call, name_of, strip_casts};

/// The name of the device runtime's functions that write the error words. Those are read by the host after the kernel and
/// need no order with signals.
const FAILURE_PREFIX: &str = "gicc_rt_fail";

/// What an instruction does to the order of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect<'c> {
    /// Nothing that others can see, and nothing is learned.
    None,
    /// May write memory that others see, or may learn of others' writes.
    Unordered,
    /// A fence that is already there.
    Fence(Order, Scope),
    /// One of the requirements of [`gicc_abi::intrinsics`], by name.
    Requirement(Call<'c>, Requirement),
}

/// The requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// `__gicc_publish`.
    Publish,
    /// `__gicc_observe`.
    Observe,
    /// `__gicc_signal_set`.
    SignalSet,
    /// `__gicc_signal_add`.
    SignalAdd,
    /// `__gicc_poll`.
    Poll,
    /// `__gicc_count`.
    Count,
    /// `__gicc_count_add`.
    CountAdd,
    /// `__gicc_count_poll`.
    CountPoll,
}

impl Requirement {
    /// The requirement that a function states.
    pub(crate) fn of(function: &str) -> Option<Requirement> {
        Some(match function {
            "__gicc_publish" => Requirement::Publish,
            "__gicc_observe" => Requirement::Observe,
            "__gicc_signal_set" => Requirement::SignalSet,
            "__gicc_signal_add" => Requirement::SignalAdd,
            "__gicc_poll" => Requirement::Poll,
            "__gicc_count" => Requirement::Count,
            "__gicc_count_add" => Requirement::CountAdd,
            "__gicc_count_poll" => Requirement::CountPoll,
            _ => return None,
        })
    }
}

/// Whether an instruction reports a failure.
pub(crate) fn is_failure(instruction: InstructionValue<'_>) -> bool {
    Call::new(instruction).is_some_and(|c| name_of(c.callee).starts_with(FAILURE_PREFIX))
}

/// The effect of one instruction.
pub(crate) fn of(instruction: InstructionValue<'_>) -> Effect<'_> {
    match instruction.get_opcode() {
        InstructionOpcode::Store => store(instruction),
        InstructionOpcode::Load => load(instruction),
        InstructionOpcode::AtomicRMW | InstructionOpcode::AtomicCmpXchg => Effect::Unordered,
        InstructionOpcode::Fence => fence(instruction),
        InstructionOpcode::Call | InstructionOpcode::Invoke | InstructionOpcode::CallBr => call(instruction),
        InstructionOpcode::VAArg => Effect::Unordered,
        _ => Effect::None,
    }
}

/// A store into the thread's own frame is nobody else's business: a GPU's local memory cannot be reached by another thread.
fn store(instruction: InstructionValue<'_>) -> Effect<'_> {
    match instruction.get_operand(1).and_then(|o| o.value()) {
        Some(pointer) if is_local(pointer) => Effect::None,
        _ => Effect::Unordered,
    }
}

fn is_local(pointer: BasicValueEnum<'_>) -> bool {
    use inkwell::values::BasicValue as _;
    strip_casts(pointer)
        .as_instruction_value()
        .is_some_and(|i| pointer.is_pointer_value() && i.get_opcode() == InstructionOpcode::Alloca)
}

/// A plain load learns nothing that causality knows of; a volatile or atomic one may be one half of a synchronisation.
fn load(instruction: InstructionValue<'_>) -> Effect<'_> {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is a load.
    let plain = unsafe {
        LLVMGetVolatile(value) == 0 && LLVMGetOrdering(value) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    };
    if plain { Effect::None } else { Effect::Unordered }
}

fn fence(instruction: InstructionValue<'_>) -> Effect<'_> {
    let value = instruction.as_value_ref();
    // SAFETY: the instruction is a fence, which has an ordering and a scope.
    let (ordering, scope, single) =
        unsafe { (LLVMGetOrdering(value), LLVMGetAtomicSyncScopeID(value), LLVMIsAtomicSingleThread(value) != 0) };
    let order = match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Order::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Order::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Order::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Order::SequentiallyConsistent,
        _ => return Effect::Unordered,
    };
    if single {
        return Effect::Unordered;
    }
    match scope_of_id(instruction, scope) {
        Some(scope) => Effect::Fence(order, scope),
        None => Effect::Unordered,
    }
}

/// The scope of a syncscope's number in the instruction's context.
fn scope_of_id(instruction: InstructionValue<'_>, id: u32) -> Option<Scope> {
    const SYSTEM: u32 = 1;
    if id == SYSTEM {
        return Some(Scope::System);
    }
    let context = instruction.get_parent()?.get_context();
    [("block", Scope::Block), ("cluster", Scope::Cluster), ("device", Scope::Device)].into_iter().find_map(
        |(name, scope)| {
            // SAFETY: the context is alive; the name is given with its length.
            let known = unsafe { LLVMGetSyncScopeID(context.as_ctx_ref(), name.as_ptr().cast(), name.len()) };
            (known == id).then_some(scope)
        },
    )
}

fn call(instruction: InstructionValue<'_>) -> Effect<'_> {
    let Some(call) = Call::new(instruction) else { return Effect::Unordered };
    let name = name_of(call.callee);
    if let Some(requirement) = Requirement::of(&name) {
        return Effect::Requirement(call, requirement);
    }
    if name.starts_with(FAILURE_PREFIX) {
        return Effect::None;
    }
    match name.as_str() {
        "llvm.nvvm.membar.sys" => return Effect::Fence(Order::SequentiallyConsistent, Scope::System),
        "llvm.nvvm.membar.gl" => return Effect::Fence(Order::SequentiallyConsistent, Scope::Device),
        "llvm.nvvm.membar.cta" => return Effect::Fence(Order::SequentiallyConsistent, Scope::Block),
        _ => {}
    }
    // Relaxed loads of the device runtime itself: its own bookkeeping on this PE, and packets, which bring their data in the
    // same word and nothing else into causality.
    if matches!(name.as_str(), "__gicc_load_u32" | "__gicc_load_u64" | "__gicc_load_b128") {
        return Effect::None;
    }
    if is_marker(&name) || !may_write(call.callee) {
        return Effect::None;
    }
    Effect::Unordered
}

/// Intrinsics that LLVM says touch memory, and which only tell the optimiser something.
fn is_marker(name: &str) -> bool {
    [
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.dbg.",
        "llvm.experimental.noalias",
        "llvm.invariant.",
        "llvm.var.annotation",
    ]
    .iter()
    .any(|m| name.starts_with(m))
}

/// Whether a function may write memory, or is convergent with effects on memory, as barriers are. LLVM's attribute
/// `memory(…)` holds two bits a location: 1 may be read, 2 may be written.
fn may_write(function: FunctionValue<'_>) -> bool {
    const EVERY_LOCATION_WRITTEN: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let kind = Attribute::get_named_enum_kind_id("memory");
    match function.get_enum_attribute(AttributeLoc::Function, kind) {
        Some(memory) => memory.get_enum_value() & EVERY_LOCATION_WRITTEN != 0,
        None => true,
    }
}
