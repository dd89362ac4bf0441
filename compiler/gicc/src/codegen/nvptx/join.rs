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

use std::collections::HashMap;

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

/// A program's text with the functions of units: each is the symbol of one that the program declares and calls, and the text of it
/// and what is below it. What the program does not call any more is left out.
pub(crate) fn join(program: &str, units: &[(&str, &str)]) -> Result<String, Diagnostic> {
    let mut symbols: HashMap<&str, bool> = units.iter().map(|(symbol, _)| (*symbol, false)).collect();
    let length: usize = units.iter().map(|(_, functions)| functions.len()).sum();
    let mut joined = String::with_capacity(program.len() + length);
    for line in program.split_inclusive('\n') {
        let declared = line.strip_prefix(EXTERN_FUNCTION).and_then(|rest| rest.trim_end().rsplit(' ').next());
        match declared.and_then(|symbol| symbols.get_mut(symbol)) {
            Some(called) => {
                *called = true;
                joined += line.strip_prefix(".extern ").unwrap_or(line);
            }
            None => joined += line,
        }
    }
    let called: Vec<_> = units.iter().filter(|(symbol, _)| symbols[symbol]).collect();
    let Some((first, _)) = called.first() else { return Ok(joined) };
    if !program.contains(&format!(" {STATE_SYMBOL}[")) {
        return Err(Diagnostic::error(codes::INTERNAL, format!("the program has no `{STATE_SYMBOL}` for `{first}`")));
    }
    if !joined.ends_with('\n') {
        joined.push('\n');
    }
    called.into_iter().for_each(|(_, functions)| joined += functions);
    Ok(joined)
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
        let functions = ".func root()\n{\n}\n";
        let joined = join(program, &[("root", functions)]).unwrap();
        assert!(joined.starts_with(".func  (.param .b64 func_retval0) root\n(\n)\n;\n.extern .func root_of_another\n"));
        assert!(joined.ends_with("k()\n{\n}\n.func root()\n{\n}\n"));
        assert_eq!(join(program, &[("not_called", "x")]).unwrap(), program);
        assert_eq!(join(program, &[("not_called", "x"), ("root", functions)]).unwrap(), joined);
        let both = join(program, &[("root_of_another", "other\n"), ("root", functions)]).unwrap();
        assert!(both.ends_with("k()\n{\n}\nother\n.func root()\n{\n}\n") && !both.contains(".extern"));
        assert!(join(&program.replace("__gicc_state", "other"), &[("root", "")]).is_err());
    }
}
