//! Splitting a block, which LLVM's C interface does not offer.

use std::ffi::CString;

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::{
    LLVMAddIncoming, LLVMBuildBr, LLVMBuildPhi, LLVMCountIncoming, LLVMCreateBuilderInContext, LLVMDisposeBuilder,
    LLVMGetBasicBlockTerminator, LLVMGetIncomingBlock, LLVMGetIncomingValue, LLVMGetNextInstruction,
    LLVMGetNumSuccessors, LLVMGetSuccessor, LLVMGetTypeContext, LLVMGetValueName2, LLVMInsertIntoBuilderWithName,
    LLVMInstructionEraseFromParent, LLVMInstructionRemoveFromParent, LLVMIsAPHINode, LLVMPositionBuilderAtEnd,
    LLVMPositionBuilderBefore, LLVMReplaceAllUsesWith, LLVMSetCurrentDebugLocation2, LLVMSetValueName2, LLVMTypeOf,
};
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMValueRef};
use inkwell::values::{AsValueRef as _, InstructionValue};

/// Splits the block of an instruction behind it: what followed stands in a new block, which is returned, and to which the
/// old one leads. `None` where nothing follows, that is for a terminator.
pub fn split_after<'c>(instruction: InstructionValue<'c>, name: &str) -> Option<BasicBlock<'c>> {
    let first = instruction.get_next_instruction()?;
    let head = instruction.get_parent()?;
    let tail = head.get_context().insert_basic_block_after(head, name);
    // SAFETY: blocks, instructions and their context are alive; instructions are moved in order, each once, and phis of the
    // successors are replaced by ones that name the new block.
    unsafe {
        let location = LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        let builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction.as_value_ref())));
        LLVMPositionBuilderAtEnd(builder, tail.as_mut_ptr());
        let mut next = first.as_value_ref();
        while !next.is_null() {
            let moved = next;
            next = LLVMGetNextInstruction(moved);
            let name = name_of_value(moved);
            LLVMInstructionRemoveFromParent(moved);
            LLVMInsertIntoBuilderWithName(builder, moved, name.as_ptr());
        }
        let terminator = LLVMGetBasicBlockTerminator(tail.as_mut_ptr());
        if !terminator.is_null() {
            for n in 0..LLVMGetNumSuccessors(terminator) {
                rename_source(builder, LLVMGetSuccessor(terminator, n), head.as_mut_ptr(), tail.as_mut_ptr());
            }
        }
        LLVMPositionBuilderAtEnd(builder, head.as_mut_ptr());
        LLVMSetCurrentDebugLocation2(builder, location);
        LLVMBuildBr(builder, tail.as_mut_ptr());
        LLVMDisposeBuilder(builder);
    }
    Some(tail)
}

/// Makes the phis of a block take from `new` what they took from `old`.
///
/// # Safety
/// All are alive.
unsafe fn rename_source(
    builder: LLVMBuilderRef,
    block: LLVMBasicBlockRef,
    old: LLVMBasicBlockRef,
    new: LLVMBasicBlockRef,
) {
    use inkwell::llvm_sys::core::LLVMGetFirstInstruction;
    // SAFETY: as the caller promises; a phi has as many sources as LLVM says.
    unsafe {
        let mut next = LLVMGetFirstInstruction(block);
        while !next.is_null() && !LLVMIsAPHINode(next).is_null() {
            let phi = next;
            next = LLVMGetNextInstruction(phi);
            let sources = LLVMCountIncoming(phi);
            if (0..sources).all(|n| LLVMGetIncomingBlock(phi, n) != old) {
                continue;
            }
            let name = name_of_value(phi);
            LLVMPositionBuilderBefore(builder, phi);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(phi));
            let renamed = LLVMBuildPhi(builder, LLVMTypeOf(phi), c"".as_ptr());
            // A phi that takes its own value has to take the new one's.
            LLVMReplaceAllUsesWith(phi, renamed);
            for n in 0..sources {
                let mut value = LLVMGetIncomingValue(phi, n);
                let mut source = LLVMGetIncomingBlock(phi, n);
                if source == old {
                    source = new;
                }
                LLVMAddIncoming(renamed, &raw mut value, &raw mut source, 1);
            }
            LLVMInstructionEraseFromParent(phi);
            LLVMSetValueName2(renamed, name.as_ptr(), name.as_bytes().len());
        }
    }
}

/// A value's name.
///
/// # Safety
/// The value is alive.
unsafe fn name_of_value(value: LLVMValueRef) -> CString {
    let mut length = 0;
    // SAFETY: as the caller promises; LLVM returns `length` bytes that live as long as the value.
    let bytes = unsafe {
        let text = LLVMGetValueName2(value, &raw mut length);
        std::slice::from_raw_parts(text.cast::<u8>(), length)
    };
    CString::new(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use inkwell::context::Context;
    use inkwell::memory_buffer::MemoryBuffer;

    use super::*;
    use crate::llvm::{defined_functions, instructions, name_of};

    #[test]
    fn what_followed_is_in_a_block_of_its_own_and_phis_follow() {
        let text = "declare void @f(i32)\n\
                    define i32 @loop(i32 %n) {\n\
                    entry:\n  br label %body\n\
                    body:\n  %i = phi i32 [ 0, %entry ], [ %next, %body ]\n  %same = phi i32 [ 1, %entry ], [ %same, %body ]\n  \
                    call void @f(i32 %i)\n  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n  \
                    br i1 %more, label %body, label %end\n\
                    end:\n  %last = phi i32 [ %next, %body ]\n  ret i32 %last\n}\n";
        let context = Context::create();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "text");
        let module = context.create_module_from_ir(buffer).unwrap_or_else(|e| panic!("{e}"));
        let function = defined_functions(&module)[0];
        let call = instructions(function).into_iter().find(|i| crate::llvm::Call::new(*i).is_some());
        let call = call.unwrap_or_else(|| panic!("{} calls", name_of(function)));
        assert!(split_after(call, "behind").is_some());
        assert!(module.verify().is_ok(), "{}", module.print_to_string().to_string());
        let ir = module.print_to_string().to_string();
        assert!(ir.contains("%i = phi i32 [ 0, %entry ], [ %next, %behind ]"), "{ir}");
        assert!(ir.contains("%last = phi i32 [ %next, %behind ]"), "{ir}");
        let last = call.get_parent().and_then(|b| b.get_terminator());
        assert_eq!(last.and_then(|t| split_after(t, "nothing")), None);
    }
}
