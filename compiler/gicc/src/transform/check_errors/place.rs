//! Where the check of a wait stands, and who decides there.
//!
//! A block's operation is checked right behind it. A thread's or warp's wait is usually followed by a barrier of the block, to
//! which the others have gone already; if one thread left in front of it, they would use data that never came. So the
//! barrier becomes the check: each thread brings what it knows to the barrier's reduction, and all leave together. That is
//! right where nothing happens in between, on any path, that stale data could spoil.

use std::collections::HashSet;

use gicc_abi::codes::Group;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::{LLVMGetBasicBlockTerminator, LLVMGetNumSuccessors, LLVMGetSuccessor};
use inkwell::values::{AsValueRef as _, InstructionOpcode, InstructionValue};

use super::{is_used, may_fail};
use crate::analysis::effects::{self, Effect};
use crate::llvm::{Call, constant_int, name_of};

/// Where a check stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place<'c> {
    /// Behind the operation; its group decides.
    Behind,
    /// In the place of these barriers of the block; the block decides.
    Barriers(Vec<InstructionValue<'c>>),
}

/// The barriers that every path from a wait of a thread or warp meets first.
pub(super) fn of<'c>(wait: InstructionValue<'c>, group: Group) -> Place<'c> {
    if group == Group::Block {
        return Place::Behind;
    }
    match barriers(wait) {
        Some(barriers) if !barriers.is_empty() => Place::Barriers(barriers),
        _ => Place::Behind,
    }
}

fn barriers(wait: InstructionValue<'_>) -> Option<Vec<InstructionValue<'_>>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut work = vec![wait.get_next_instruction()?];
    while let Some(first) = work.pop() {
        let mut next = Some(first);
        let block = first.get_parent()?;
        let mut ended = false;
        while let Some(instruction) = next {
            // Whether the loop ends may depend on what the wait saw: then it would not end.
            if instruction == wait && is_used(wait) {
                return None;
            }
            if is_block_barrier(instruction) {
                if !found.contains(&instruction) {
                    found.push(instruction);
                }
                ended = true;
                break;
            }
            if !is_harmless(instruction) {
                return None;
            }
            next = instruction.get_next_instruction();
        }
        if ended {
            continue;
        }
        let successors = successors(block);
        if successors.is_empty() {
            return None;
        }
        for successor in successors {
            if seen.insert(successor) {
                work.push(successor.get_first_instruction()?);
            }
        }
    }
    Some(found)
}

/// Every barrier of the block that is reached from an instruction.
pub(super) fn reached_barriers(from: InstructionValue<'_>) -> Vec<InstructionValue<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut work: Vec<InstructionValue<'_>> = from.get_next_instruction().into_iter().collect();
    while let Some(first) = work.pop() {
        let mut next = Some(first);
        while let Some(instruction) = next {
            if is_block_barrier(instruction) && !found.contains(&instruction) {
                found.push(instruction);
            }
            next = instruction.get_next_instruction();
        }
        let Some(block) = first.get_parent() else { continue };
        for successor in successors(block) {
            if seen.insert(successor) {
                work.extend(successor.get_first_instruction());
            }
        }
    }
    found
}

/// `__syncthreads()`: all threads of the block, barrier 0.
pub(super) fn is_block_barrier(instruction: InstructionValue<'_>) -> bool {
    const NAMES: [&str; 2] = ["llvm.nvvm.barrier.cta.sync.aligned.all", "llvm.nvvm.barrier.cta.sync.all"];
    Call::new(instruction).is_some_and(|call| {
        NAMES.contains(&name_of(call.callee).as_str()) && call.argument(0).and_then(constant_int) == Some(0)
    })
}

/// Whether it does no harm that a thread executes this with data that never came: it computes, or waits itself.
fn is_harmless(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Load | InstructionOpcode::Return | InstructionOpcode::Unreachable => false,
        InstructionOpcode::Call if is_alone(instruction) => true,
        _ => effects::of(instruction) == Effect::None,
    }
}

/// A wait or question of a thread or warp that does nothing else.
fn is_alone(instruction: InstructionValue<'_>) -> bool {
    let waits = |name: &str| ["__gicc_wait_thread", "__gicc_wait_warp", "__gicc_error_code"].contains(&name);
    may_fail(instruction).is_some_and(|(call, _)| waits(&name_of(call.callee)))
        || Call::new(instruction).is_some_and(|c| waits(&name_of(c.callee)))
}

/// The blocks that a block leads to.
pub(super) fn successors(block: BasicBlock<'_>) -> Vec<BasicBlock<'_>> {
    // SAFETY: the block is alive; each index is below the number of successors that LLVM says.
    unsafe {
        let terminator = LLVMGetBasicBlockTerminator(block.as_mut_ptr());
        if terminator.is_null() {
            return Vec::new();
        }
        (0..LLVMGetNumSuccessors(terminator)).filter_map(|n| BasicBlock::new(LLVMGetSuccessor(terminator, n))).collect()
    }
}

/// Whether a function, or what it calls, meets its block at a barrier or by one of gicc's operations of a block.
pub(super) fn meets_block(function: inkwell::values::FunctionValue<'_>, seen: &mut HashSet<usize>) -> bool {
    if !seen.insert(function.as_value_ref() as usize) {
        return false;
    }
    crate::llvm::instructions(function).into_iter().any(|i| {
        Call::new(i).is_some_and(|call| {
            let name = name_of(call.callee);
            name.starts_with("llvm.nvvm.barrier.cta.")
                || (name.starts_with(gicc_abi::PREFIX) && (name.ends_with("_block") || name.ends_with("_grid")))
                || meets_block(call.callee, seen)
        })
    })
}
