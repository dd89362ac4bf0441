//! Kernels that wait, go on, and never look whether the wait failed: one warning a kernel, at its first such wait. A wait
//! behind which a kernel does nothing but end is none: whoever launched it reads the error word.
//!
//! Looking is: a call of `gicc::error()` or `gicc::failed()` that is reached from the wait; a use of what the wait returned
//! (for a channel's slot, which is used anyway: a comparison with null).

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::values::{BasicValue as _, BasicValueUse, FunctionValue, InstructionOpcode, InstructionValue};

use super::place::successors;
use super::{attribute, intrinsics, may_fail};
use crate::analysis::effects::{self, Effect};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{Call, defined_functions, demangled, instructions, is_kernel, name_of, span};

/// The warnings of a module.
pub(super) fn warnings(module: &Module<'_>) -> Vec<Diagnostic> {
    waits(module).into_iter().map(|(kernel, place)| warning(kernel, place)).collect()
}

/// Each kernel with such a wait, and where the wait stands.
pub(super) fn waits<'c>(module: &Module<'c>) -> Vec<(FunctionValue<'c>, Option<Span>)> {
    let mut known = Summaries::default();
    defined_functions(module)
        .into_iter()
        .filter(|&f| is_kernel(f))
        .filter_map(|kernel| {
            let wait = known.of(kernel).unchecked.filter(|w| w.goes_on)?;
            Some((kernel, wait.place))
        })
        .collect()
}

fn warning(kernel: FunctionValue<'_>, place: Option<Span>) -> Diagnostic {
    let shown = demangled(&name_of(kernel));
    let cure = if attribute(kernel, intrinsics::FALLBACK_ATTRIBUTE).is_some() {
        "compile with --check-errors strict, which calls the fall-back, or ask gicc::error() or gicc::failed<group>() \
         behind the waits; --check-errors off silences this"
    } else {
        "ask gicc::error() or gicc::failed<group>() behind the waits and return, or compile with --check-errors strict; \
         --check-errors off silences this"
    };
    Diagnostic::warning(codes::UNCHECKED_ERROR, format!("`{shown}` waits, and nothing in it looks whether that failed"))
        .at(place)
        .cause("a wait that reaches its bound returns, and the kernel goes on with data that never came")
        .cure(cure)
}

/// A wait behind which nothing looks.
#[derive(Clone, Debug)]
struct Unchecked {
    /// Where it stands.
    place: Option<Span>,
    /// Whether its function does anything behind it.
    goes_on: bool,
}

/// What is known of a function.
#[derive(Clone, Debug, Default)]
struct Summary {
    /// Its first wait behind which nothing looks; one behind which it goes on, if there is one.
    unchecked: Option<Unchecked>,
    /// Whether it looks anywhere.
    looks: bool,
}

/// What is known of functions, each looked at once.
#[derive(Default)]
struct Summaries<'c> {
    known: HashMap<FunctionValue<'c>, Summary>,
    open: HashSet<FunctionValue<'c>>,
}

impl<'c> Summaries<'c> {
    fn of(&mut self, function: FunctionValue<'c>) -> Summary {
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        // A function that calls itself: what it does shows in its own body.
        if !self.open.insert(function) {
            return Summary::default();
        }
        let mut summary = Summary::default();
        let all = instructions(function);
        let looking: HashSet<InstructionValue> = all.iter().copied().filter(|&i| self.looks(i)).collect();
        summary.looks = !looking.is_empty();
        for instruction in all {
            let Some(mut wait) = self.waits(instruction) else { continue };
            if is_checked(instruction) || reaches(instruction, |i| looking.contains(&i)) {
                continue;
            }
            wait.goes_on |= reaches(instruction, |i| !is_nothing(i));
            let better = summary.unchecked.as_ref().is_none_or(|known| wait.goes_on && !known.goes_on);
            if better {
                summary.unchecked = Some(wait);
            }
        }
        self.open.remove(&function);
        self.known.insert(function, summary.clone());
        summary
    }

    /// The wait that an instruction is, or that it calls and that nothing looks at there.
    fn waits(&mut self, instruction: InstructionValue<'c>) -> Option<Unchecked> {
        if may_fail(instruction).is_some() {
            return Some(Unchecked { place: span(instruction), goes_on: false });
        }
        let callee = Call::new(instruction)?.callee;
        if callee.count_basic_blocks() == 0 {
            return None;
        }
        self.of(callee).unchecked
    }

    fn looks(&mut self, instruction: InstructionValue<'c>) -> bool {
        let Some(call) = Call::new(instruction) else { return false };
        let name = name_of(call.callee);
        name == "__gicc_error_code"
            || name.starts_with("__gicc_check_error_")
            || (call.callee.count_basic_blocks() > 0 && self.of(call.callee).looks)
    }
}

/// Whether the result of a wait is looked at.
fn is_checked(wait: InstructionValue<'_>) -> bool {
    // A function that waits may return anything.
    if may_fail(wait).is_none() {
        return false;
    }
    let pointer = wait.get_type().is_pointer_type();
    let mut next = wait.get_first_use();
    while let Some(used) = next {
        if !pointer || is_comparison(used) {
            return true;
        }
        next = used.get_next_use();
    }
    false
}

fn is_comparison(used: BasicValueUse<'_>) -> bool {
    use inkwell::values::AnyValueEnum;
    matches!(used.get_user(), AnyValueEnum::IntValue(v)
        if v.as_instruction_value().is_some_and(|i| i.get_opcode() == InstructionOpcode::ICmp))
}

/// Whether an instruction touches no memory and calls nothing that does: waits aside, which return at once after an error.
fn is_nothing(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Load => false,
        InstructionOpcode::Return | InstructionOpcode::Unreachable => true,
        _ => is_wait(instruction) || effects::of(instruction) == Effect::None,
    }
}

fn is_wait(instruction: InstructionValue<'_>) -> bool {
    may_fail(instruction).is_some_and(|(call, _)| name_of(call.callee).starts_with("__gicc_wait_"))
}

/// Whether such an instruction is reached from behind another.
fn reaches<'c>(from: InstructionValue<'c>, mut wanted: impl FnMut(InstructionValue<'c>) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut work: Vec<InstructionValue<'c>> = from.get_next_instruction().into_iter().collect();
    while let Some(first) = work.pop() {
        let mut next = Some(first);
        while let Some(instruction) = next {
            if wanted(instruction) {
                return true;
            }
            next = instruction.get_next_instruction();
        }
        for successor in first.get_parent().map(successors).unwrap_or_default() {
            if seen.insert(successor) {
                work.extend(successor.get_first_instruction());
            }
        }
    }
    false
}
