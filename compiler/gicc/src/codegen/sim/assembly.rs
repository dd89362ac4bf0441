//! Inline PTX.

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::LLVMGetInlineAsmAsmString;

use super::codes;
use super::ir::{Ir, Value};
use crate::diagnostic::Diagnostic;

/// Translates the inline PTX of a function.
pub(super) fn rewrite(_ir: &Ir, function: Value, errors: &mut Vec<Diagnostic>) {
    for call in function.instructions() {
        if call.opcode() != Some(LLVMOpcode::LLVMCall) || !call.callee().is_inline_asm() {
            continue;
        }
        let mut length = 0;
        // SAFETY: inline assembly, whose text has the length that comes with it.
        let text = unsafe {
            let text = LLVMGetInlineAsmAsmString(call.callee().0, &mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), length)).into_owned()
        };
        if text.trim().is_empty() && call.ty().is_void() {
            call.erase();
        } else {
            let message = format!("inline PTX cannot be run in the simulator: {text}");
            errors.push(Diagnostic::error(codes::ASSEMBLY, message).at(call.span()));
        }
    }
}
