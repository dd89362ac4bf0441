//! Annotations in a file, so that a source need not be edited:
//!
//! ```toml
//! [[annotation]]
//! function = "all_reduce"      # a kernel's symbol, or its name without namespaces and arguments
//! parameter = "params"         # a parameter's name, or its number from 0
//! offset = 24                  # bytes from the beginning of the structure, where a field of it is meant
//! is = ["gicc.remote"]
//!
//! [[annotation]]
//! variable = "peer_table"      # a variable's symbol or name
//! is = ["gicc.remote", "gicc.domain:halo"]
//!
//! [[annotation]]
//! function = "all_reduce"
//! is = ["gicc.rendezvous"]
//! ```
//!
//! `function` may also be `*`: every kernel that has such a parameter. What names nothing is an error.
//!
//! Limit: a structure's field is named by its distance, since IR keeps no names of fields.

use std::collections::BTreeSet;
use std::path::Path;

use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, FunctionValue};
use serde::Deserialize;

use crate::analysis::annotation::{Annotation, Notes, ParameterNote, Said};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{defined_functions, demangled, is_kernel, name_of};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    annotation: Vec<toml::Spanned<Entry>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    function: Option<String>,
    parameter: Option<ParameterName>,
    offset: Option<u64>,
    variable: Option<String>,
    is: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ParameterName {
    Number(u32),
    Name(String),
}

/// Reads one file.
pub(super) fn read(module: &Module<'_>, path: &Path, notes: &mut Notes) -> Result<(), Diagnostic> {
    let fail = |message: String| Diagnostic::error(codes::BAD_SIDE_FILE, message);
    let text = std::fs::read_to_string(path).map_err(|e| {
        Diagnostic::error(codes::UNREADABLE_INPUT, format!("cannot read `{}`", path.display())).cause(e.to_string())
    })?;
    let at = |offset: usize| {
        let before = text.get(..offset).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |n| n + 1) + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(0);
        Some(Span { file: path.display().to_string(), line: number(line), column: number(column) })
    };
    let file: File = toml::from_str(&text).map_err(|e| {
        fail(format!("the file of annotations does not parse: {}", e.message()))
            .at(e.span().and_then(|s| at(s.start)))
            .cure("each [[annotation]] has `function` or `variable`, perhaps `parameter` and `offset`, and `is`")
    })?;
    for entry in file.annotation {
        let place = at(entry.span().start);
        apply(module, entry.get_ref(), place.clone(), notes).map_err(|why| {
            fail(why)
                .at(place)
                .cure("`gicc explain` shows the kernels and the parameters that their pointers come from")
        })?;
    }
    Ok(())
}

fn apply(module: &Module<'_>, entry: &Entry, place: Option<Span>, notes: &mut Notes) -> Result<(), String> {
    let mut set = BTreeSet::new();
    for text in &entry.is {
        match Annotation::parse(text) {
            Some(Ok(annotation)) if !matches!(annotation, Annotation::DeclaresDomain(_)) => set.insert(annotation),
            _ => return Err(format!("`{text}` is no annotation: there are {}", Annotation::KNOWN)),
        };
    }
    match (&entry.function, &entry.variable) {
        (None, Some(variable)) => of_variable(module, variable, set, notes),
        (Some(function), None) => of_function(module, function, entry, &Said { set, place }, notes),
        _ => Err("an annotation is of either a `function` or a `variable`".to_owned()),
    }
}

fn of_variable(module: &Module<'_>, wanted: &str, set: BTreeSet<Annotation>, notes: &mut Notes) -> Result<(), String> {
    let mut found = false;
    for global in module.get_globals() {
        let symbol = global.get_name().to_string_lossy().into_owned();
        if symbol == wanted || plain(&demangled(&symbol)) == wanted {
            notes.variables.entry(symbol).or_default().extend(set.iter().cloned());
            found = true;
        }
    }
    if found { Ok(()) } else { Err(format!("there is no variable `{wanted}`")) }
}

fn of_function(module: &Module<'_>, wanted: &str, entry: &Entry, said: &Said, notes: &mut Notes) -> Result<(), String> {
    let kernels: Vec<FunctionValue<'_>> = defined_functions(module)
        .into_iter()
        .filter(|f| is_kernel(*f))
        .filter(|f| wanted == "*" || name_of(*f) == wanted || plain(&demangled(&name_of(*f))) == wanted)
        .collect();
    if kernels.is_empty() {
        return Err(format!("there is no kernel `{wanted}`"));
    }
    let mut found = false;
    for kernel in kernels {
        let symbol = name_of(kernel);
        let Some(parameter) = &entry.parameter else {
            notes.functions.entry(symbol).or_default().extend(said.set.iter().cloned());
            found = true;
            continue;
        };
        for (n, value) in kernel.get_param_iter().enumerate() {
            let index = u32::try_from(n).unwrap_or(u32::MAX);
            let is_it = match parameter {
                ParameterName::Number(wanted) => *wanted == index,
                ParameterName::Name(wanted) => name(value) == *wanted,
            };
            if is_it {
                let note = ParameterNote { function: symbol.clone(), index, offset: entry.offset, said: said.clone() };
                notes.parameters.push(note);
                found = true;
            }
        }
    }
    let shown = match &entry.parameter {
        Some(ParameterName::Number(n)) => n.to_string(),
        Some(ParameterName::Name(name)) => name.clone(),
        None => String::new(),
    };
    if found { Ok(()) } else { Err(format!("no kernel `{wanted}` has a parameter `{shown}`")) }
}

fn name(value: BasicValueEnum<'_>) -> String {
    match value {
        BasicValueEnum::PointerValue(v) => v.get_name().to_string_lossy().into_owned(),
        BasicValueEnum::IntValue(v) => v.get_name().to_string_lossy().into_owned(),
        BasicValueEnum::StructValue(v) => v.get_name().to_string_lossy().into_owned(),
        BasicValueEnum::ArrayValue(v) => v.get_name().to_string_lossy().into_owned(),
        _ => String::new(),
    }
}

/// A demangled name without its result, namespaces, template arguments and parameters.
fn plain(name: &str) -> &str {
    let mut depth = 0_i32;
    let mut end = name.len();
    for (at, c) in name.char_indices() {
        match c {
            '(' if depth == 0 => {
                end = at;
                break;
            }
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
    }
    let head = &name[..end];
    let head = head.split('<').next().unwrap_or(head);
    head.rsplit([' ', ':']).next().unwrap_or(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_what_is_around_it() {
        assert_eq!(plain("void ns::kernel<float, 8>(ns::Params, int)"), "kernel");
        assert_eq!(plain("kernel(float*)"), "kernel");
        assert_eq!(plain("kernel"), "kernel");
        assert_eq!(plain("ns::table"), "table");
    }
}
