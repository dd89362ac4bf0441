//! `verify_assembly`: the text of inline assembly refers to operands that exist. LLVM's back end ends the process where it
//! does not, so it is checked first. clang checks CUDA C++ itself; IR from elsewhere has not been checked.
//!
//! ```text
//! call void asm "st.u64 [$0], $2;", "l,l"(ptr %p, i64 %v)     refused: there are operands $0 and $1
//! ```
//!
//! Rules (E0210), as LLVM reads the text: `$$` is a dollar; `$N` and `${N:modifier}` name operand N, which the constraints
//! have; `${:word}` is a special word; `$(`, `$|` and `$)` make variants, which do not nest and end. Changes nothing. What the
//! instructions mean is no concern here.

use inkwell::llvm_sys::core::{
    LLVMGetCalledValue, LLVMGetInlineAsmAsmString, LLVMGetInlineAsmConstraintString, LLVMIsAInlineAsm,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, InstructionOpcode, InstructionValue};

use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{defined_functions, instructions, span};

/// Checks all inline assembly of a module; every violation is reported.
pub(crate) fn run(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for instruction in defined_functions(module).into_iter().flat_map(instructions) {
        let Some((text, constraints)) = assembly(instruction) else { continue };
        if let Err(why) = check(&text, operands(&constraints)) {
            errors.push(
                Diagnostic::error(codes::BAD_ASSEMBLY, format!("inline assembly is malformed: {why}"))
                    .at(span(instruction))
                    .cause(format!("in `{text}` with the constraints `{constraints}`"))
                    .cure("number operands from $0, one for each constraint that is no clobber; write a dollar as $$"),
            );
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Text and constraints of the inline assembly that an instruction calls.
fn assembly(instruction: InstructionValue<'_>) -> Option<(String, String)> {
    if !matches!(instruction.get_opcode(), InstructionOpcode::Call | InstructionOpcode::Invoke) {
        return None;
    }
    // SAFETY: the instruction is a call, so it has a callee; the strings belong to the callee, which is inline assembly, and
    // are given with their lengths.
    unsafe {
        let callee = LLVMIsAInlineAsm(LLVMGetCalledValue(instruction.as_value_ref()));
        if callee.is_null() {
            return None;
        }
        let string = |get: unsafe extern "C" fn(_, *mut usize) -> *const std::ffi::c_char| {
            let mut length = 0;
            let start = get(callee, &raw mut length);
            if start.is_null() || length == 0 {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned()
        };
        Some((string(LLVMGetInlineAsmAsmString), string(LLVMGetInlineAsmConstraintString)))
    }
}

/// How many operands constraints make: all but clobbers.
fn operands(constraints: &str) -> usize {
    constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')).count()
}

/// Whether a text is one that the back end can print, with this many operands.
fn check(text: &str, operands: usize) -> Result<(), String> {
    let exists = |number: &str| match number.parse::<usize>() {
        Ok(n) if n < operands => Ok(()),
        Ok(_) => Err(format!("there is no operand ${number}, the operands are {operands}")),
        Err(_) => Err(format!("`{number}` is no number of an operand")),
    };
    let mut rest = text;
    let mut in_variant = false;
    while let Some(at) = rest.find('$') {
        rest = &rest[at + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let skip = match rest.chars().next() {
            Some('$' | '|') => 1,
            Some('(') if in_variant => return Err("variants are nested".to_owned()),
            Some(c @ ('(' | ')')) => {
                in_variant = c == '(';
                1
            }
            Some('{') => {
                let Some(end) = rest.find('}') else { return Err("`${` has no `}`".to_owned()) };
                let (number, modifier) = rest[1..end].split_once(':').unwrap_or((&rest[1..end], "-"));
                if modifier.is_empty() {
                    return Err("`${…:}` has no modifier".to_owned());
                }
                if !number.is_empty() {
                    exists(number)?;
                }
                end + 1
            }
            Some(_) if digits > 0 => {
                exists(&rest[..digits])?;
                digits
            }
            _ => return Err("a `$` names nothing".to_owned()),
        };
        rest = &rest[skip..];
    }
    if in_variant { Err("a variant does not end".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_counted_without_clobbers() {
        assert_eq!(operands("=r,l,r,~{memory}"), 3);
        assert_eq!(operands("~{memory}"), 0);
        assert_eq!(operands(""), 0);
    }

    #[test]
    fn what_the_back_end_can_print_is_accepted() {
        for text in ["", "fence.sc.sys;", "add.u32 $0, $1, $1;", "mov.u32 $$r, ${1:c};", "x${:uid}", "$(a$|b$)"] {
            assert_eq!(check(text, 2), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_it_would_abort_on_is_refused() {
        for text in ["$2", "$100", "${2:c}", "${0", "$", "$ x", "$x", "$($(a$)", "$(a", "${x:c}", "${0:}", "é$"] {
            assert!(check(text, 2).is_err(), "{text}");
        }
    }
}
