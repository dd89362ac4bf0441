//! CUDA's atomic functions are relaxed at GPU scope. clang's headers write them as sequentially consistent `atomicrmw` and
//! `cmpxchg` of system scope, gicc's own surface as relaxed ones of system scope, and LLVM's back end emits relaxed ones of GPU
//! scope for the former. Believing the IR would hide a missing order from every analysis, and a system scope would cost
//! time, so the IR of these functions is made to say what CUDA means:
//!
//! ```text
//! %old = atomicrmw add ptr %p, i32 1 seq_cst
//!   becomes
//! %old = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
//! ```
//!
//! Requires: a module that clang made of CUDA C++, before anything was inlined: what stands in the body of a header's
//! function is CUDA's, what stands in the user's functions (`__atomic_fetch_add` and its kin) means what it says and is not
//! touched. Ensures: the bodies of CUDA's atomic functions hold relaxed operations of GPU scope (the functions that end in
//! `_system` and `_block` are intrinsics of the target).
//!
//! `compiler_fences`, for every input: a fence of a single thread only binds the compiler, and the back end does not know it.

use std::path::Path;

use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMGetAtomicSyncScopeID, LLVMGetSyncScopeID, LLVMIsAtomicSingleThread, LLVMSetAtomicSyncScopeID,
    LLVMSetCmpXchgFailureOrdering, LLVMSetCmpXchgSuccessOrdering, LLVMSetOrdering,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, InstructionOpcode, InstructionValue};

use crate::llvm::{call_asm, defined_functions, erase, instructions, name_of, span};

/// Gives CUDA's atomic functions the order and scope that CUDA documents. `cuda` is where CUDA's own headers lie.
pub(super) fn cuda_atomics(module: &Module<'_>, cuda: Option<&Path>) {
    const SYSTEM: u32 = 1;
    let name = "device";
    // SAFETY: the context is alive; the name is given with its length.
    let device = unsafe { LLVMGetSyncScopeID(module.get_context().as_ctx_ref(), name.as_ptr().cast(), name.len()) };
    let relaxed = LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
    let headers = defined_functions(module).into_iter().filter(|f| name_of(*f).contains("tomic"));
    for instruction in headers.flat_map(instructions).filter(|i| is_of_a_header(*i, cuda)) {
        let value = instruction.as_value_ref();
        // SAFETY: each call is for an instruction of the opcode that it is about.
        unsafe {
            match instruction.get_opcode() {
                InstructionOpcode::AtomicRMW if LLVMGetAtomicSyncScopeID(value) == SYSTEM => {
                    LLVMSetOrdering(value, relaxed);
                    LLVMSetAtomicSyncScopeID(value, device);
                }
                InstructionOpcode::AtomicCmpXchg if LLVMGetAtomicSyncScopeID(value) == SYSTEM => {
                    LLVMSetCmpXchgSuccessOrdering(value, relaxed);
                    LLVMSetCmpXchgFailureOrdering(value, relaxed);
                    LLVMSetAtomicSyncScopeID(value, device);
                }
                _ => {}
            }
        }
    }
}

/// Whether an instruction stands in a header of clang or CUDA, or in gicc's own surface, which has no lines.
fn is_of_a_header(instruction: InstructionValue<'_>, cuda: Option<&Path>) -> bool {
    span(instruction).is_none_or(|place| {
        let file = Path::new(&place.file);
        place.file.contains("/lib/clang/") || cuda.is_some_and(|cuda| file.starts_with(cuda))
    })
}

/// Replaces fences of a single thread by an empty piece of assembly that the compiler moves nothing across.
pub(super) fn compiler_fences(module: &Module<'_>) {
    for instruction in defined_functions(module).into_iter().flat_map(instructions) {
        // SAFETY: the question is for a fence.
        let binds_the_compiler = instruction.get_opcode() == InstructionOpcode::Fence
            && unsafe { LLVMIsAtomicSingleThread(instruction.as_value_ref()) != 0 };
        if binds_the_compiler {
            call_asm(module, instruction, "", "~{memory}", None, &[]);
            erase(instruction);
        }
    }
}
