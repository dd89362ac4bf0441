//! PTX texts put together: a program's, and the functions of modules that were compiled on their own (`driver/units`).
//!
//! ```text
//! program                                  functions                        joined
//! .extern .func (…) root (…) ;             .func (…) root (…) { … }         .func (…) root (…) ;
//! .visible .const … __gicc_state[72];                                       .visible .const … __gicc_state[72];
//! .visible .entry k (…) { … }                                               .visible .entry k (…) { … }
//!                                                                           .func (…) root (…) { … }
//! ```
//!
//! Names of labels and registers belong to their functions. Only text that LLVM's back end wrote is understood here.

use gicc_abi::STATE_SYMBOL;

use crate::diagnostic::{Diagnostic, codes};

const EXTERN_FUNCTION: &str = ".extern .func";
const VISIBLE_FUNCTION: &str = ".visible .func";

/// The functions of a module's text. The module may use the state variable, and define and use functions; nothing else.
pub(crate) fn functions(text: &str) -> Result<String, Diagnostic> {
    let refuse = |line: &str| {
        Diagnostic::error(codes::INTERNAL, "a part of the program that is compiled on its own has more than functions")
            .cause(format!("`{line}`"))
    };
    let (_, body) = text.split_once(".address_size 64\n").ok_or_else(|| refuse("no .address_size"))?;
    let mut kept = String::with_capacity(body.len());
    for line in body.lines() {
        if line.starts_with("\t// .globl") {
            continue;
        }
        if line.starts_with(".extern") {
            if line.contains(STATE_SYMBOL) {
                continue;
            }
            return Err(refuse(line));
        }
        let is_function = line.starts_with(VISIBLE_FUNCTION) || line.starts_with(".func");
        if line.starts_with('.') && !is_function {
            return Err(refuse(line));
        }
        if let Some(rest) = line.strip_prefix(VISIBLE_FUNCTION) {
            kept += ".func";
            kept += rest;
        } else {
            kept += line;
        }
        kept.push('\n');
    }
    Ok(kept.trim_start_matches('\n').to_owned())
}

/// A program's text with the functions of one that it declares and calls: `symbol`, and what is below it. A program that does
/// not call it any more stays as it is.
pub(crate) fn join(program: &str, symbol: &str, functions: &str) -> Result<String, Diagnostic> {
    let is_declaration = |line: &str| line.starts_with(EXTERN_FUNCTION) && line.ends_with(&format!(" {symbol}"));
    let mut joined = String::with_capacity(program.len() + functions.len());
    let mut found = false;
    for line in program.split_inclusive('\n') {
        if is_declaration(line.trim_end()) {
            found = true;
            joined += line.strip_prefix(".extern ").unwrap_or(line);
        } else {
            joined += line;
        }
    }
    if !found {
        return Ok(program.to_owned());
    }
    if !program.contains(&format!(" {STATE_SYMBOL}[")) {
        return Err(Diagnostic::error(codes::INTERNAL, format!("the program has no `{STATE_SYMBOL}` for `{symbol}`")));
    }
    if !joined.ends_with('\n') {
        joined.push('\n');
    }
    Ok(joined + functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "//\n.version 8.8\n.target sm_90\n.address_size 64\n\n\t// .globl\troot\n.func below\n()\n;\n\
                        .extern .const .align 8 .b8 __gicc_state[72];\n.visible .func  (.param .b64 func_retval0) root(\n)\n{\n\tret;\n}\n";

    #[test]
    fn only_functions_are_kept() {
        let kept = functions(UNIT).unwrap();
        assert_eq!(kept, ".func below\n()\n;\n.func  (.param .b64 func_retval0) root(\n)\n{\n\tret;\n}\n");
    }

    #[test]
    fn more_than_functions_is_refused() {
        for line in [
            ".extern .func other",
            ".visible .global .align 4 .b8 x[4];",
            ".shared .align 4 .b8 x[4];",
            ".visible .entry k(",
        ] {
            let error = functions(&format!("{UNIT}{line}\n")).unwrap_err();
            assert_eq!((error.code, error.cause), (codes::INTERNAL, Some(format!("`{line}`"))));
        }
        assert!(functions("nothing").is_err());
    }

    #[test]
    fn a_declaration_becomes_a_definition() {
        let program = ".extern .func  (.param .b64 func_retval0) root\n(\n)\n;\n.extern .func root_of_another\n(\n)\n;\n\
                       .visible .const .align 8 .b8 __gicc_state[72];\n.visible .entry k()\n{\n}\n";
        let joined = join(program, "root", ".func root()\n{\n}\n").unwrap();
        assert!(joined.starts_with(".func  (.param .b64 func_retval0) root\n(\n)\n;\n.extern .func root_of_another\n"));
        assert!(joined.ends_with("k()\n{\n}\n.func root()\n{\n}\n"));
        assert_eq!(join(program, "not_called", "x").unwrap(), program);
        assert!(join(&program.replace("__gicc_state", "other"), "root", "").is_err());
    }
}
