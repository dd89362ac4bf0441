//! What cannot be run in the simulator and can be seen before anything is rewritten.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;

use super::codes;
use super::ir::{Ir, Value};
use crate::diagnostic::Diagnostic;

/// Refuses a module with assembly at module level, or with instructions that no GPU code has.
pub(super) fn module(ir: &Ir) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    // SAFETY: the module lives.
    let mut length = 0;
    let text = unsafe { LLVMGetModuleInlineAsm(ir.module, &mut length) };
    if !text.is_null() && length > 0 {
        errors.push(
            Diagnostic::error(codes::UNSUPPORTED, "PTX at module level cannot be run in the simulator")
                .cure("Put it into a function."),
        );
    }
    for function in ir.functions() {
        for instruction in function.instructions() {
            if let Some(what) = refused(instruction) {
                errors.push(
                    Diagnostic::error(codes::UNSUPPORTED, format!("{what} cannot be run in the simulator"))
                        .at(instruction.span()),
                );
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refused(instruction: Value) -> Option<&'static str> {
    use LLVMOpcode::*;
    Some(match instruction.opcode()? {
        LLVMInvoke | LLVMLandingPad | LLVMResume | LLVMCleanupRet | LLVMCatchRet | LLVMCatchPad | LLVMCleanupPad
        | LLVMCatchSwitch => "an exception",
        LLVMIndirectBr | LLVMCallBr => "a computed branch",
        LLVMVAArg => "va_arg",
        LLVMAlloca if instruction.operand(0).const_i64().is_none() => "an array of variable length",
        _ => return None,
    })
}
