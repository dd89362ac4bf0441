//! What NVIDIA's compiler accepts and clang does not, where the meaning is beyond doubt. Published kernels hold such places,
//! and a checker that cannot read them is of no use. Where clang stops at one, the file is read again with the place written
//! as clang wants it:
//!
//! | clang says | the source has | it is read as |
//! | --- | --- | --- |
//! | `expected expression` | `<<<grid, {x, y, 1}>>>` | `<<<grid, dim3{x, y, 1}>>>` |
//! | `expected ')'` | two operands of an `asm` without a comma | with the comma |
//! | `invalid % escape in inline assembly string` | `"mov.s32 %0, %laneid;"` | `"mov.s32 %0, %%laneid;"` |
//!
//! Only these, only where clang stops, and each with a warning. Sources are not touched: clang sees the mended text through an
//! overlay of its file system, under the file's own name, and lines stay as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, Span, codes};

/// How often a file is read again. One round mends every place that clang named; a place can hide others.
pub(super) const ROUNDS: usize = 12;

/// One insertion that makes a place acceptable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Insertion {
    /// Where in the text, in bytes.
    offset: usize,
    /// What is inserted.
    text: &'static str,
    /// What the source has, for the warning.
    what: &'static str,
}

/// The files as clang shall see them, by the path without `.` and `..`.
#[derive(Debug, Default)]
pub(super) struct Mended {
    texts: BTreeMap<PathBuf, String>,
}

impl Mended {
    /// Mends every place of these messages that is known, and says so in `warnings`. False: nothing was mended.
    pub(super) fn mend(&mut self, errors: &[Diagnostic], warnings: &mut Vec<Diagnostic>) -> bool {
        let mut by_file: BTreeMap<PathBuf, Vec<(Insertion, Span)>> = BTreeMap::new();
        for (error, span) in errors.iter().filter_map(|e| Some((e, e.span.as_ref()?))) {
            if error.severity != Severity::Error {
                continue;
            }
            let Some(path) = plain(Path::new(&span.file)) else { continue };
            let Some(text) = self.text(&path) else { continue };
            if let Some(insertion) = insertion(text, &error.message, span) {
                by_file.entry(path).or_default().push((insertion, span.clone()));
            }
        }
        let found = !by_file.is_empty();
        for (path, mut insertions) in by_file {
            let Some(text) = self.texts.get_mut(&path) else { continue };
            // From the end, so that the offsets before stay true.
            insertions.sort_by(|a, b| b.0.cmp(&a.0));
            insertions.dedup_by(|a, b| a.0 == b.0);
            for (insertion, _) in &insertions {
                text.insert_str(insertion.offset, insertion.text);
            }
            for (insertion, span) in insertions.into_iter().rev() {
                warnings.push(
                    Diagnostic::warning(codes::DIALECT, format!("{} is not C++ as clang reads it", insertion.what))
                        .at(Some(span))
                        .cause(format!("NVIDIA's compiler accepts it; it is read with `{}` inserted", insertion.text))
                        .cure("write it so in the source, and every compiler takes it"),
                );
            }
        }
        found
    }

    /// Writes the texts and the overlay into a folder; the overlay's path, or nothing where nothing was mended.
    pub(super) fn overlay(&self, folder: &Path) -> std::io::Result<Option<PathBuf>> {
        if self.texts.is_empty() {
            return Ok(None);
        }
        let mut roots = Vec::new();
        for (number, (path, text)) in self.texts.iter().enumerate() {
            let file = folder.join(format!("mended_{number}"));
            fs::write(&file, text)?;
            roots.push(serde_json::json!({ "type": "file", "name": path, "external-contents": file }));
        }
        let overlay = folder.join("mended.json");
        let text = serde_json::json!({ "version": 0, "use-external-names": false, "roots": roots });
        fs::write(&overlay, text.to_string())?;
        Ok(Some(overlay))
    }

    /// The text that clang saw last.
    fn text(&mut self, path: &Path) -> Option<&str> {
        if !self.texts.contains_key(path) {
            let text = fs::read_to_string(path).ok()?;
            self.texts.insert(path.to_owned(), text);
        }
        self.texts.get(path).map(String::as_str)
    }
}

/// The whole path without `.` and `..`, as clang's overlay compares paths.
fn plain(path: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(path).ok()?;
    let mut plain = PathBuf::new();
    for component in whole.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// What mends the place of one of clang's messages.
fn insertion(text: &str, message: &str, span: &Span) -> Option<Insertion> {
    let at = offset(text, span)?;
    let bytes = text.as_bytes();
    match message {
        "expected expression" if bytes.get(at) == Some(&b'{') && in_launch(&text[..at]) => {
            Some(Insertion { offset: at, text: "dim3", what: "a launch configuration in braces" })
        }
        "expected ')'" if bytes.get(at) == Some(&b'"') && after_operand(&text[..at]) => {
            Some(Insertion { offset: at, text: ", ", what: "a list of assembly operands without a comma" })
        }
        "invalid % escape in inline assembly string" => {
            let sign = register(text, at)?;
            Some(Insertion { offset: sign, text: "%", what: "a register's `%` that is not doubled in inline assembly" })
        }
        _ => None,
    }
}

/// The byte that a place stands for; clang counts columns in bytes.
fn offset(text: &str, span: &Span) -> Option<usize> {
    let (line, column) = (span.line.checked_sub(1)? as usize, span.column.checked_sub(1)? as usize);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let offset = start + column;
    (text.split_inclusive('\n').nth(line)?.len() >= column && text.is_char_boundary(offset)).then_some(offset)
}

/// Whether a text ends within a launch configuration, at the start of an argument.
fn in_launch(before: &str) -> bool {
    let before = before.trim_end();
    if !(before.ends_with(',') || before.ends_with("<<<")) {
        return false;
    }
    let Some(open) = before.rfind("<<<") else { return false };
    let inside = &before[open + 3..];
    !inside.contains(">>>") && !inside.contains(';')
}

/// Whether a text ends behind an operand of an `asm`.
fn after_operand(before: &str) -> bool {
    let statement = before.rfind([';', '}']).map_or(before, |_| statement(before));
    before.trim_end().ends_with(')') && statement.contains("asm") && statement.contains(':')
}

/// The statement that a text ends in; a `;` in a string does not end one.
fn statement(before: &str) -> &str {
    let (mut start, mut quoted) = (0, false);
    let mut last = '\n';
    for (at, c) in before.char_indices() {
        match c {
            '"' if last != '\\' => quoted = !quoted,
            // A string does not go over lines; this heals what an apostrophe or a comment spoilt.
            '\n' => quoted = false,
            ';' | '{' | '}' if !quoted => start = at + 1,
            _ => {}
        }
        last = c;
    }
    &before[start..]
}

/// The `%` of the register's name that lies nearest before a place, in the same line.
fn register(text: &str, at: usize) -> Option<usize> {
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let end = (at + 2).min(text.len());
    let sign = text.get(start..end)?.rfind('%')? + start;
    let named = text[sign + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (named && !text[..sign].ends_with('%')).then_some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Span {
        Span { file: "k.cu".into(), line, column }
    }

    fn mended(text: &str, message: &str, span: &Span) -> Option<String> {
        let insertion = insertion(text, message, span)?;
        let mut text = text.to_owned();
        text.insert_str(insertion.offset, insertion.text);
        Some(text)
    }

    #[test]
    fn a_configuration_in_braces_gets_its_type() {
        let text = "void f() {\n  k<<<grid, {32, 4, 1}, 0, s>>>(a);\n}\n";
        let mended = mended(text, "expected expression", &at(2, 13));
        assert_eq!(mended.as_deref(), Some("void f() {\n  k<<<grid, dim3{32, 4, 1}, 0, s>>>(a);\n}\n"));
    }

    #[test]
    fn other_braces_are_left_alone() {
        assert_eq!(mended("int x = a + {1};\n", "expected expression", &at(1, 13)), None);
        assert_eq!(mended("k<<<1, 2>>>(a, {1});\n", "expected expression", &at(1, 16)), None);
    }

    #[test]
    fn a_missing_comma_between_operands_is_supplied() {
        let text = "asm volatile(\"st.u8 [%1], %0;\" ::\"r\"(v) \"l\"(p) : \"memory\");\n";
        let mended = mended(text, "expected ')'", &at(1, 41));
        assert_eq!(mended.as_deref(), Some("asm volatile(\"st.u8 [%1], %0;\" ::\"r\"(v) , \"l\"(p) : \"memory\");\n"));
    }

    #[test]
    fn a_missing_bracket_elsewhere_is_the_authors_mistake() {
        assert_eq!(mended("f((a) \"b\");\n", "expected ')'", &at(1, 7)), None);
    }

    #[test]
    fn the_sign_of_a_register_is_doubled_once() {
        let text = "asm(\"mov.s32 %0, %laneid;\" : \"=r\"(l));\n";
        let message = "invalid % escape in inline assembly string";
        let first = mended(text, message, &at(1, 19)).expect("it is known");
        assert_eq!(first, "asm(\"mov.s32 %0, %%laneid;\" : \"=r\"(l));\n");
        assert_eq!(mended(&first, message, &at(1, 20)), None);
    }

    #[test]
    fn places_outside_the_text_are_no_places() {
        assert_eq!(mended("a\n", "expected expression", &at(7, 1)), None);
        assert_eq!(mended("a\n", "expected expression", &at(1, 90)), None);
        assert_eq!(mended("a\n", "expected expression", &at(0, 0)), None);
    }

    #[test]
    fn paths_are_compared_without_dots() {
        assert_eq!(plain(Path::new("/a/b/../c/./d.h")), Some(PathBuf::from("/a/c/d.h")));
    }
}
