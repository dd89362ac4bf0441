//! `drop_last_meeting`: blocks of a grid need not meet when their kernel does nothing any more, since its end orders
//! everything. A collective of the grid ends with such a meeting, which costs as much as a small message: a kernel that only
//! calls the collective does without.
//!
//! ```text
//!   %e = call i64 @gicc_all_reduce_grid_…(…)          %e = call i64 @gicc_all_reduce_grid_…(…)
//!   call void @__gicc_grid_sync()
//!   store i64 %e, ptr %epoch                           store i64 %e, ptr %epoch
//!   …                                                  …
//!   ret void                                           ret void
//! ```
//!
//! A meeting is dropped where no path from it to the kernel's end touches memory that another block could see: only variables
//! of the thread (allocas), and the block's own epoch, which no other block reads.
//!
//! Requires: `hold_epochs`, which brings collectives into kernels. Ensures: nothing. Preserves: everything else; what a kernel
//! leaves behind is the same.

use std::collections::HashSet;

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{InstructionOpcode, InstructionValue, Operand};

use crate::llvm::{Call, calls_to, is_kernel, name_of, replace, strip_casts};

/// The meeting of a grid's blocks.
const MEETING: &str = "__gicc_grid_sync";

/// Drops the meetings that nothing follows; how many.
pub(crate) fn run(module: &Module<'_>) -> usize {
    let last: Vec<_> = calls_to(module, MEETING).into_iter().filter(is_last).collect();
    last.iter().for_each(|site| replace(site.instruction, None));
    last.len()
}

/// Whether a call is in a kernel, and nothing after it touches memory that others see.
fn is_last(site: &Call<'_>) -> bool {
    let Some(block) = site.instruction.get_parent() else { return false };
    if !block.get_parent().is_some_and(is_kernel) || !rest(site.instruction.get_next_instruction()) {
        return false;
    }
    let mut seen: HashSet<BasicBlock<'_>> = HashSet::new();
    let mut open = successors(block);
    while let Some(block) = open.pop() {
        if seen.insert(block) {
            if !rest(block.get_first_instruction()) {
                return false;
            }
            open.extend(successors(block));
        }
    }
    true
}

/// Whether an instruction and those behind it in its block touch no memory that others see.
fn rest(first: Option<InstructionValue<'_>>) -> bool {
    std::iter::successors(first, |i| i.get_next_instruction()).all(is_private)
}

fn is_private(instruction: InstructionValue<'_>) -> bool {
    let of_thread = |operand: u32| {
        let pointer = instruction.get_operand(operand).and_then(Operand::value);
        pointer.is_some_and(|p| {
            let base = strip_casts(p);
            base.is_pointer_value()
                && base
                    .into_pointer_value()
                    .as_instruction()
                    .is_some_and(|i| i.get_opcode() == InstructionOpcode::Alloca)
        })
    };
    match instruction.get_opcode() {
        InstructionOpcode::Load => of_thread(0),
        InstructionOpcode::Store => of_thread(1),
        InstructionOpcode::Call => Call::new(instruction).is_some_and(|call| {
            let name = name_of(call.callee);
            name == "__gicc_epoch_store" || name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.")
        }),
        InstructionOpcode::Fence
        | InstructionOpcode::AtomicRMW
        | InstructionOpcode::AtomicCmpXchg
        | InstructionOpcode::Invoke
        | InstructionOpcode::CallBr
        | InstructionOpcode::IndirectBr
        | InstructionOpcode::VAArg => false,
        _ => true,
    }
}

fn successors(block: BasicBlock<'_>) -> Vec<BasicBlock<'_>> {
    let Some(end) = block.get_terminator() else { return Vec::new() };
    (0..end.get_num_operands()).filter_map(|i| end.get_operand(i).and_then(Operand::block)).collect()
}
