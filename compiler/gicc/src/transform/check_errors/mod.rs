//! `check_errors`: what `--check-errors` asks for. Strict: behind each operation that may fail waiting the whole group asks
//! for the PE's error word, and where there is an error calls the kernel's fall-back, if it has one, and leaves the kernel.
//! Otherwise a kernel that waits and never looks at errors gets one warning.
//!
//! ```text
//! before   call i64 @__gicc_wait_block(ptr %sig, i32 3, i64 1, i32 %pe)
//!          …
//! after    call i64 @__gicc_wait_block(ptr %sig, i32 3, i64 1, i32 %pe)
//!          %failed = call i32 @__gicc_check_error_block()
//!          br (%failed != 0), label %gicc.failed, label %gicc.checked
//!        gicc.failed:   call void @fallback(<the kernel's arguments>)
//!                       ret void
//!        gicc.checked:  …
//! ```
//!
//! Who decides (`place`): the group of the operation, alike, by a vote or a barrier's reduction. Where a thread or a warp
//! waits and a `__syncthreads()` follows on every path before anything else happens, that barrier's reduction decides for
//! the whole block instead, in its place. Where nothing of the kind follows, the thread or warp leaves alone, and the block's
//! later barriers get a check behind them.
//!
//! Requires: `verify_intrinsics`, `fallbacks`; user code simplified so far that a wait which another thread has to be seen
//! in front of its barrier is (`prepare`, then another simplification, has every wait stand in a kernel). Ensures: strict:
//! each operation that may fail waiting is followed by a check that leaves the kernel. Preserves: what happens without an
//! error; no order of memory is added but that of barriers that are there already.

mod insert;
mod place;
mod unchecked;

use gicc_abi::intrinsics::{self, Intrinsic};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{BasicValue as _, FunctionValue, InstructionValue};

use super::fallbacks;
use crate::analysis::communication::UncheckedWait;
use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{Call, attribute, calls, defined_functions, demangled, instructions, is_kernel, name_of, span};

/// When errors are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CheckErrors {
    /// Behind each operation that may fail waiting.
    Strict,
    /// Where the kernel does it; a kernel that waits and never does is a warning.
    #[default]
    Warn,
    /// Where the kernel does it.
    Off,
}

/// Strict: has every function that waits inlined into its callers, so that a check can leave the kernel. Whether anything is
/// to be inlined.
pub(crate) fn prepare(module: &Module<'_>, mode: CheckErrors) -> bool {
    if mode != CheckErrors::Strict {
        return false;
    }
    let waiting = waiting_functions(module);
    let kind = Attribute::get_named_enum_kind_id;
    for &function in &waiting {
        for name in ["noinline", "optnone"] {
            function.remove_enum_attribute(AttributeLoc::Function, kind(name));
        }
        let inline = module.get_context().create_enum_attribute(kind("alwaysinline"), 0);
        function.add_attribute(AttributeLoc::Function, inline);
    }
    !waiting.is_empty()
}

/// Does what the mode asks for; remarks and warnings.
///
/// # Errors
/// Strict: waits that no check can follow.
pub(crate) fn run(module: &Module<'_>, mode: CheckErrors) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let told = match mode {
        CheckErrors::Off => Vec::new(),
        CheckErrors::Warn => unchecked::warnings(module),
        CheckErrors::Strict => strict(module)?,
    };
    fallbacks::forget(module);
    Ok(told)
}

/// Kernels that wait and never look whether that failed, each with its wait; nothing where `mode` says not to look for them.
pub(crate) fn unchecked(module: &Module<'_>, mode: CheckErrors) -> Vec<UncheckedWait> {
    if mode != CheckErrors::Warn {
        return Vec::new();
    }
    let waits = unchecked::waits(module).into_iter();
    waits.map(|(kernel, place)| UncheckedWait { kernel: name_of(kernel), place }).collect()
}

fn strict(module: &Module<'_>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = waiting_functions(module).into_iter().filter_map(uncheckable).collect();
    let mut remarks = Vec::new();
    for kernel in defined_functions(module).into_iter().filter(|&f| is_kernel(f)) {
        match insert::kernel(module, kernel) {
            Ok(told) => remarks.extend(told),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(remarks) } else { Err(errors) }
}

/// A function that waits, and that is still called or named somewhere although it was to be inlined.
fn uncheckable(function: FunctionValue<'_>) -> Option<Diagnostic> {
    let named = function.as_global_value().as_pointer_value().get_first_use().is_some();
    let wait = instructions(function).into_iter().find_map(|i| may_fail(i)).map(|(call, _)| call.instruction);
    named.then(|| {
        Diagnostic::error(
            codes::UNCHECKABLE,
            format!(
                "`{}` waits and cannot be inlined, so that no check can leave its kernel",
                demangled(&name_of(function))
            ),
        )
        .at(wait.and_then(span))
        .cause("the function calls itself, or is called through a pointer")
        .cure("wait in the kernel or in a function that is called directly, or compile with --check-errors warn")
    })
}

/// The call that an instruction is, where it may fail waiting.
fn may_fail(instruction: InstructionValue<'_>) -> Option<(Call<'_>, &'static Intrinsic)> {
    let call = Call::new(instruction)?;
    let known = intrinsics::find(&name_of(call.callee))?;
    known.may_fail_waiting().then_some((call, known))
}

/// The functions, kernels and fall-backs aside, in which something may fail waiting: in themselves or in what they call.
/// In a fall-back every wait returns at once.
fn waiting_functions<'c>(module: &Module<'c>) -> Vec<FunctionValue<'c>> {
    let fallbacks: Vec<String> =
        module.get_functions().filter_map(|f| attribute(f, intrinsics::FALLBACK_ATTRIBUTE)).collect();
    let candidates: Vec<FunctionValue> =
        defined_functions(module).into_iter().filter(|&f| !is_kernel(f) && !fallbacks.contains(&name_of(f))).collect();
    let all = calls(module);
    let mut waiting: Vec<FunctionValue> = Vec::new();
    loop {
        let before = waiting.len();
        for call in &all {
            let caller = call.instruction.get_parent().and_then(|b| b.get_parent());
            let Some(caller) = caller.filter(|c| candidates.contains(c) && !waiting.contains(c)) else { continue };
            if may_fail(call.instruction).is_some() || waiting.contains(&call.callee) {
                waiting.push(caller);
            }
        }
        if waiting.len() == before {
            return waiting;
        }
    }
}

/// Whether an instruction's result is used.
fn is_used(instruction: InstructionValue<'_>) -> bool {
    instruction.get_first_use().is_some()
}
