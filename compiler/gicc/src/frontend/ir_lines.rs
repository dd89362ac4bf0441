//! Textual IR without debug information gets the lines of its own text, so that messages, profilers and the simulator can
//! point into the `.ll` file.
//!
//! ```text
//! before                                   after
//! define void @k(ptr %p) {                 define void @k(ptr %p) !dbg !1000003 {
//!   store i32 1, ptr %p                      store i32 1, ptr %p, !dbg !1000004
//!   ret void                                 ret void, !dbg !1000005
//! }                                        }
//! ```
//!
//! Requires: text that LLVM's parser accepts. Ensures: the same module with locations, or `None` where the text has some
//! already, or is laid out in a way that this does not know; the text is then used as it is.

use std::fmt::Write as _;
use std::path::Path;

/// Metadata numbers from here on are ours; text with numbers this high is left alone.
const FIRST: usize = 1_000_000;

/// The text with locations.
pub(super) fn annotate(text: &str, file: &Path) -> Option<String> {
    if text.contains("!dbg") || text.contains("!llvm.module.flags") || text.contains("!1000000") {
        return None;
    }
    let mut lines =
        Lines { out: String::with_capacity(text.len() * 2), metadata: String::new(), next: FIRST + 3, scope: None };
    let mut open = false;
    for (line, number) in text.lines().zip(1..) {
        lines.one(line, number, &mut open)?;
    }
    if lines.scope.is_some() || open {
        return None;
    }
    let (unit, di_file, ty) = (FIRST, FIRST + 1, FIRST + 2);
    let name = quoted(&file.file_name()?.to_string_lossy());
    let folder = file.parent().map(|p| p.display().to_string()).unwrap_or_default();
    let folder = if folder.is_empty() { std::env::current_dir().ok()?.display().to_string() } else { folder };
    let Lines { mut out, metadata, .. } = lines;
    write!(
        out,
        "\n!llvm.dbg.cu = !{{!{unit}}}\n!llvm.module.flags = !{{!{flag}}}\n!{flag} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
         !{unit} = distinct !DICompileUnit(language: DW_LANG_C, file: !{di_file}, producer: \"gicc\", isOptimized: true, \
         runtimeVersion: 0, emissionKind: DebugDirectivesOnly)\n\
         !{di_file} = !DIFile(filename: \"{name}\", directory: \"{folder}\")\n\
         !{ty} = !DISubroutineType(types: !{{}})\n{metadata}",
        flag = FIRST * 10,
        folder = quoted(&folder),
    )
    .ok()?;
    Some(out)
}

/// A name inside a string of IR.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\5C").replace('"', "\\22")
}

/// The text under way.
struct Lines {
    out: String,
    metadata: String,
    next: usize,
    /// The subprogram of the function that is open.
    scope: Option<usize>,
}

impl Lines {
    /// Copies one line; `open` says that an instruction goes on over several lines.
    fn one(&mut self, line: &str, number: usize, open: &mut bool) -> Option<()> {
        let (code, comment) = split_comment(line);
        let trimmed = code.trim();
        let column = code.len() - code.trim_start().len() + 1;
        match self.scope {
            None if trimmed.starts_with("define ") => self.function(code.trim_end(), number)?,
            None => self.out.push_str(code),
            Some(_) if trimmed == "}" && !*open => {
                self.scope = None;
                self.out.push_str(code);
            }
            Some(_) if trimmed.is_empty() || is_label(trimmed) => self.out.push_str(code),
            Some(scope) => {
                self.out.push_str(code.trim_end());
                *open = if *open { trimmed != "]" } else { trimmed.ends_with('[') };
                if !*open {
                    let at = self.next;
                    self.next += 1;
                    write!(self.out, ", !dbg !{at}").ok()?;
                    writeln!(self.metadata, "!{at} = !DILocation(line: {number}, column: {column}, scope: !{scope})")
                        .ok()?;
                }
            }
        }
        self.out.push_str(comment);
        self.out.push('\n');
        Some(())
    }

    /// A function's first line gets its subprogram.
    fn function(&mut self, code: &str, number: usize) -> Option<()> {
        let head = code.strip_suffix('{')?;
        let name = head.split_once('@')?.1.split('(').next()?.trim_matches('"').to_owned();
        let scope = self.next;
        self.next += 1;
        self.scope = Some(scope);
        write!(self.out, "{head}!dbg !{scope} {{").ok()?;
        writeln!(
            self.metadata,
            "!{scope} = distinct !DISubprogram(name: \"{}\", scope: !{file}, file: !{file}, line: {number}, type: !{ty}, \
             scopeLine: {number}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{FIRST})",
            quoted(&name),
            file = FIRST + 1,
            ty = FIRST + 2,
        )
        .ok()
    }
}

/// A line's code, and its comment with the semicolon.
fn split_comment(line: &str) -> (&str, &str) {
    let mut in_string = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => in_string = !in_string,
            ';' if !in_string => return line.split_at(at),
            _ => {}
        }
    }
    (line, "")
}

/// `name:`, `"name":` or `12:`.
fn is_label(code: &str) -> bool {
    code.ends_with(':') && !code.contains(' ') && !code.contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_gets_its_line() {
        let text = "define void @k(ptr %p, i32 %c) {\nentry: ; first\n  store i32 1, ptr %p ; \"a; b\"\n  switch i32 %c, label %a [\n    i32 1, label %b\n  ]\na:\n  ret void\nb:\n  ret void\n}\n";
        let out = annotate(text, Path::new("x/k.ll")).unwrap();
        assert!(out.contains("define void @k(ptr %p, i32 %c) !dbg !1000003 {"), "{out}");
        assert!(out.contains("store i32 1, ptr %p, !dbg !1000004; \"a; b\""), "{out}");
        assert!(out.contains("  ], !dbg !1000005"), "{out}");
        assert!(out.contains("!1000006 = !DILocation(line: 8, column: 3, scope: !1000003)"), "{out}");
        let context = inkwell::context::Context::create();
        let buffer = inkwell::memory_buffer::MemoryBuffer::create_from_memory_range_copy(out.as_bytes(), "k");
        context.create_module_from_ir(buffer).unwrap().verify().unwrap();
    }

    #[test]
    fn text_with_locations_is_left_alone() {
        assert_eq!(annotate("define void @k() {\n  ret void, !dbg !1\n}\n", Path::new("k.ll")), None);
        assert_eq!(annotate("define void @k()\n{\n  ret void\n}\n", Path::new("k.ll")), None);
    }
}
