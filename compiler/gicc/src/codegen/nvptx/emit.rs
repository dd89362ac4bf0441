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
    Ok(without_numbers_of_calls(text.trim_end_matches('\0')))
}

/// LLVM numbers calls through all that the process has compiled, in comments. Without, the same program has the same text.
fn without_numbers_of_calls(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.split_once(" // callseq ") {
            Some((code, _)) => {
                kept += code;
                kept.push('\n');
            }
            None => kept += line,
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_no_numbers() {
        let text = "\t{ // callseq 59, 0\n\tcall.uni f;\n\t} // callseq 59\n\t// inline: // callseq\n";
        assert_eq!(without_numbers_of_calls(text), "\t{\n\tcall.uni f;\n\t}\n\t// inline: // callseq\n");
    }
}
