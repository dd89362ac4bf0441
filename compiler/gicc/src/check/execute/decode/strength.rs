//! How strong an access is, and how far it reaches: what PTX makes of it.

use std::ffi::c_char;

use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use memory_model::{Scope, Semantics};

use super::Decoder;

// SAFETY of every call below: values, types and blocks come from the module that `decode` borrows, and each call is made on
// what its opcode or kind was checked to be.
impl Decoder {
    /// Strength of a load or store: what PTX makes of it.
    pub(super) fn strength(&self, value: LLVMValueRef) -> (Semantics, Scope, bool) {
        let volatile = unsafe { LLVMGetVolatile(value) } != 0;
        match unsafe { LLVMGetOrdering(value) } {
            LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic | LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => {
                let semantics = if volatile { Semantics::Relaxed } else { Semantics::Weak };
                (semantics, Scope::Sys, volatile)
            }
            LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => {
                let load = unsafe { LLVMGetInstructionOpcode(value) } == LLVMOpcode::LLVMLoad;
                (if load { Semantics::Acquire } else { Semantics::Release }, self.scope(value), volatile)
            }
            other => (semantics_of(other), self.scope(value), volatile),
        }
    }

    /// Of an `atomicrmw`: one of sequential consistency over the whole system is how clang writes CUDA's `atomicAdd`, which
    /// PTX has as relaxed at gpu scope.
    pub(super) fn rmw_strength(&self, value: LLVMValueRef) -> (Semantics, Scope) {
        let semantics = semantics_of(unsafe { LLVMGetOrdering(value) });
        let scope = self.scope(value);
        match semantics {
            Semantics::SequentiallyConsistent if scope == Scope::Sys => (Semantics::Relaxed, Scope::Gpu),
            Semantics::SequentiallyConsistent => (Semantics::AcquireRelease, scope),
            _ => (semantics, scope),
        }
    }

    pub(super) fn scope(&self, value: LLVMValueRef) -> Scope {
        unsafe {
            let id = LLVMGetAtomicSyncScopeID(value);
            let named = |name: &str| LLVMGetSyncScopeID(self.context, name.as_ptr().cast::<c_char>(), name.len());
            for (name, scope) in [("block", Scope::Cta), ("cluster", Scope::Cluster), ("device", Scope::Gpu)] {
                if named(name) == id {
                    return scope;
                }
            }
        }
        Scope::Sys
    }
}

pub(super) fn semantics_of(ordering: LLVMAtomicOrdering) -> Semantics {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => Semantics::Weak,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered | LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => {
            Semantics::Relaxed
        }
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Semantics::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Semantics::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Semantics::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Semantics::SequentiallyConsistent,
    }
}
