//! `not_local`: what is done to a thread's own variables is nobody's communication, so questions whether an address is one of
//! theirs are answered with no. libcu++ asks before each atomic operation, and accesses such a variable without order.
//!
//! ```text
//! %1 = call i1 @llvm.nvvm.isspacep.local(ptr %p)      br i1 %1, label %plain, label %atomic
//!   becomes
//! br i1 false, label %plain, label %atomic
//! ```
//!
//! Requires: nothing. Ensures: no such question is left. Preserves: what a kernel does with memory that others reach. This is
//! for analyses only.

use inkwell::module::Module;
use inkwell::values::CallSiteValue;

use crate::llvm::calls_to;

/// The question.
const IS_LOCAL: &str = "llvm.nvvm.isspacep.local";

/// Answers every question.
pub(crate) fn run(module: &Module<'_>) {
    let no = module.get_context().bool_type().const_zero();
    for call in calls_to(module, IS_LOCAL) {
        let Ok(site) = CallSiteValue::try_from(call.instruction) else { continue };
        if let Some(answer) = site.try_as_basic_value().basic() {
            answer.into_int_value().replace_all_uses_with(no);
        }
    }
}
