//! CUDA's atomic functions are relaxed at GPU scope. clang's headers write them as sequentially consistent `atomicrmw` and
//! `cmpxchg` of system scope, gicc's own surface as relaxed ones of system scope, and LLVM's back end emits relaxed ones of GPU
//! scope for the former. Believing the IR would hide a missing order from every analysis, and a system scope would cost
//! time, so the IR is made to say what CUDA means:
//!
//! ```text
//! %old = atomicrmw add ptr %p, i32 1 seq_cst
//!   becomes
//! %old = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
//! ```
//!
//! Requires: a module that clang made of CUDA C++. Ensures: no relaxed or `seq_cst` RMW at system scope is left (the
//! functions that end in `_system` are intrinsics of the target). An acquire or release, which only a compiler's builtin
//! can have written, stays. LLVM IR that a user wrote is not touched: there an ordering means what it says.

use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMGetAtomicSyncScopeID, LLVMGetCmpXchgSuccessOrdering, LLVMGetOrdering, LLVMGetSyncScopeID,
    LLVMSetAtomicSyncScopeID, LLVMSetCmpXchgFailureOrdering, LLVMSetCmpXchgSuccessOrdering, LLVMSetOrdering,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, InstructionOpcode};

use crate::llvm::{defined_functions, instructions};

/// Gives CUDA's atomic functions the order and scope that CUDA documents.
pub(super) fn cuda_atomics(module: &Module<'_>) {
    const SYSTEM: u32 = 1;
    let name = "device";
    // SAFETY: the context is alive; the name is given with its length.
    let device = unsafe { LLVMGetSyncScopeID(module.get_context().as_ctx_ref(), name.as_ptr().cast(), name.len()) };
    let unordered_in_cuda = |ordering| {
        matches!(
            ordering,
            LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent
                | LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic
        )
    };
    let relaxed = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
    for instruction in defined_functions(module).into_iter().flat_map(instructions) {
        let value = instruction.as_value_ref();
        // SAFETY: each call is for an instruction of the opcode that it is about.
        unsafe {
            match instruction.get_opcode() {
                InstructionOpcode::AtomicRMW
                    if unordered_in_cuda(LLVMGetOrdering(value)) && LLVMGetAtomicSyncScopeID(value) == SYSTEM =>
                {
                    LLVMSetOrdering(value, relaxed);
                    LLVMSetAtomicSyncScopeID(value, device);
                }
                InstructionOpcode::AtomicCmpXchg
                    if unordered_in_cuda(LLVMGetCmpXchgSuccessOrdering(value))
                        && LLVMGetAtomicSyncScopeID(value) == SYSTEM =>
                {
                    LLVMSetCmpXchgSuccessOrdering(value, relaxed);
                    LLVMSetCmpXchgFailureOrdering(value, relaxed);
                    LLVMSetAtomicSyncScopeID(value, device);
                }
                _ => {}
            }
        }
    }
}
