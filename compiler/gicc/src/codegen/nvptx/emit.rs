//! PTX text from LLVM's back end.

use inkwell::module::Module;
use inkwell::targets::{FileType, TargetMachine};

use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::Messages;

/// The PTX of a module that is lowered and optimised.
pub(crate) fn ptx(module: &Module<'_>, machine: &TargetMachine, messages: &Messages) -> Result<String, Diagnostic> {
    let refuse = |why: String| {
        Diagnostic::error(codes::BACKEND, "LLVM's back end refused the module")
            .cause(why)
            .cure("reduce the kernel until the message names the instruction, and report it with the input")
    };
    let buffer = machine.write_to_memory_buffer(module, FileType::Assembly).map_err(|e| refuse(e.to_string()))?;
    let errors = messages.take_errors();
    if !errors.is_empty() {
        return Err(refuse(errors.join("; ")));
    }
    let text = std::str::from_utf8(buffer.as_slice()).map_err(|e| refuse(e.to_string()))?;
    Ok(text.trim_end_matches('\0').to_owned())
}
