//! Strict: the checks of one kernel.

use std::collections::HashSet;

use gicc_abi::codes::Group;
use gicc_abi::intrinsics;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, BasicMetadataValueEnum, FunctionValue, InstructionValue, IntValue};
use inkwell::{IntPredicate, llvm_sys};

use super::place::{self, Place};
use super::{fallbacks, may_fail};
use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{call, demangled, erase, instructions, name_of, span, split_after};

/// One check that is to be made.
struct Check<'c> {
    /// The instruction behind which it stands.
    at: InstructionValue<'c>,
    /// Who decides.
    group: Group,
    /// Whether `at` is a barrier of the block whose part the check takes.
    replaces: bool,
}

/// Puts all checks into a kernel; the remarks.
pub(super) fn kernel<'c>(module: &Module<'c>, kernel: FunctionValue<'c>) -> Result<Vec<Diagnostic>, Diagnostic> {
    let fallback = fallbacks::of(module, kernel);
    let mut remarks = Vec::new();
    let mut checks: Vec<Check<'c>> = Vec::new();
    let mut alone = Vec::new();
    for instruction in instructions(kernel) {
        let Some((_, known)) = may_fail(instruction) else { continue };
        let group = known.group().unwrap_or(Group::Block);
        let found = place::of(instruction, group);
        remarks.push(remark(instruction, known, group, &found, fallback));
        match found {
            Place::Behind => {
                if group != Group::Block {
                    alone.push((instruction, group));
                }
                checks.push(Check { at: instruction, group, replaces: false });
            }
            Place::Barriers(barriers) => {
                for at in barriers {
                    add(&mut checks, Check { at, group: Group::Block, replaces: true });
                }
            }
        }
    }
    if let (Some(&(wait, group)), Some(fallback)) = (alone.first(), fallback)
        && place::meets_block(fallback, &mut HashSet::new())
    {
        return Err(meets(wait, group, kernel, fallback));
    }
    // Whoever left alone is missed at the block's later barriers.
    for (wait, _) in alone {
        for at in place::reached_barriers(wait) {
            add(&mut checks, Check { at, group: Group::Block, replaces: false });
        }
    }
    for check in checks {
        insert(module, kernel, fallback, &check);
    }
    Ok(remarks)
}

/// One check at a place; a barrier that may stay has to.
fn add<'c>(checks: &mut Vec<Check<'c>>, check: Check<'c>) {
    match checks.iter_mut().find(|c| c.at == check.at) {
        Some(there) => there.replaces &= check.replaces,
        None => checks.push(check),
    }
}

fn insert<'c>(module: &Module<'c>, kernel: FunctionValue<'c>, fallback: Option<FunctionValue<'c>>, check: &Check<'c>) {
    let context = module.get_context();
    let Some(next) = check.at.get_next_instruction() else { return };
    let ty = context.i32_type().fn_type(&[], false);
    let name = format!("__gicc_check_error_{}", check.group.name());
    // The call takes the place, in the source too, of what it checks.
    let Some(failed) = call(module, next, &name, ty, &[]) else { return };
    let failed = failed.into_int_value();
    make_convergent(module, &name);
    let Some(question) = check.at.get_next_instruction() else { return };
    at_place_of(question, check.at);
    let Some(tail) = split_after(question, "gicc.checked") else { return };
    let leave = context.append_basic_block(kernel, "gicc.failed");
    let builder = context.create_builder();
    branch(&builder, check.at, failed, leave, tail);
    builder.position_at_end(leave);
    set_location(&builder, check.at);
    if let Some(fallback) = fallback {
        let arguments: Vec<BasicMetadataValueEnum> = kernel.get_param_iter().map(Into::into).collect();
        let site = builder.build_call(fallback, &arguments, "").expect("the builder has a position");
        copy_by_value(kernel, site);
    }
    builder.build_return(None).expect("the builder has a position");
    if check.replaces {
        erase(check.at);
    }
}

/// All threads of a group come to its check at one place: no pass may make several of it.
fn make_convergent(module: &Module<'_>, check: &str) {
    use inkwell::attributes::{Attribute, AttributeLoc};
    let Some(function) = module.get_function(check) else { return };
    for name in ["convergent", "nounwind"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, module.get_context().create_enum_attribute(kind, 0));
    }
}

/// Replaces the branch that the split left by one that leaves where the check failed.
fn branch<'c>(
    builder: &Builder<'c>,
    at: InstructionValue<'c>,
    failed: IntValue<'c>,
    leave: BasicBlock<'c>,
    tail: BasicBlock<'c>,
) {
    let Some(old) = at.get_parent().and_then(|b| b.get_terminator()) else { return };
    builder.position_before(&old);
    set_location(builder, at);
    let zero = failed.get_type().const_zero();
    let is_failed =
        builder.build_int_compare(IntPredicate::NE, failed, zero, "gicc.failed").expect("both are integers of a type");
    builder.build_conditional_branch(is_failed, leave, tail).expect("the builder has a position");
    erase(old);
}

/// Structures are passed on as copies, as the kernel got them.
fn copy_by_value<'c>(kernel: FunctionValue<'c>, site: inkwell::values::CallSiteValue<'c>) {
    use inkwell::attributes::{Attribute, AttributeLoc};
    for n in 0..kernel.count_params() {
        for name in ["byval", "align"] {
            let kind = Attribute::get_named_enum_kind_id(name);
            if let Some(a) = kernel.get_enum_attribute(AttributeLoc::Param(n), kind) {
                site.add_attribute(AttributeLoc::Param(n), a);
            }
        }
    }
}

/// What the builder makes stands where `other` does in the source.
fn set_location<'c>(builder: &Builder<'c>, other: InstructionValue<'c>) {
    // SAFETY: builder and instruction are alive; a location may be null, which is none.
    unsafe {
        let location = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(other.as_value_ref());
        llvm_sys::core::LLVMSetCurrentDebugLocation2(builder.as_mut_ptr(), location);
    }
}

/// Gives an instruction another one's place in the source.
fn at_place_of(instruction: InstructionValue<'_>, other: InstructionValue<'_>) {
    use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
    // SAFETY: both are alive; a location may be null, which is none.
    unsafe {
        LLVMInstructionSetDebugLoc(instruction.as_value_ref(), LLVMInstructionGetDebugLoc(other.as_value_ref()));
    }
}

fn remark(
    wait: InstructionValue<'_>,
    known: &intrinsics::Intrinsic,
    group: Group,
    place: &Place<'_>,
    fallback: Option<FunctionValue<'_>>,
) -> Diagnostic {
    let what = known.name.trim_start_matches(gicc_abi::PREFIX);
    let what = what.strip_suffix(&format!("_{}", group.name())).unwrap_or(what).replace('_', " ");
    let who = match (place, group) {
        (Place::Barriers(_), _) => "by its block, in the place of the barrier that follows".to_owned(),
        (Place::Behind, Group::Thread) => "by the thread alone".to_owned(),
        (Place::Behind, group) => format!("by its {}", if group == Group::Warp { "warp alone" } else { "block" }),
    };
    let then = match fallback {
        Some(f) => format!("`{}` and the kernel ends", demangled(&name_of(f))),
        None => "the kernel ends".to_owned(),
    };
    Diagnostic::remark(codes::CHECK, format!("{what}: errors are checked {who}; then {then}")).at(span(wait))
}

fn meets(
    wait: InstructionValue<'_>,
    group: Group,
    kernel: FunctionValue<'_>,
    fallback: FunctionValue<'_>,
) -> Diagnostic {
    let (kernel, fallback) = (demangled(&name_of(kernel)), demangled(&name_of(fallback)));
    Diagnostic::error(
        codes::UNCHECKABLE,
        format!(
            "the fall-back `{fallback}` of `{kernel}` has a barrier of the block, and a {} may come to it alone",
            group.name()
        ),
    )
    .at(span(wait))
    .cause("what follows this wait is no barrier, so whoever waits in vain leaves the kernel without its block")
    .cure("put __syncthreads() right behind the wait, or wait by the block, or have no barrier in the fall-back")
}
