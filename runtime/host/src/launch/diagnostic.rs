//! Errors in a launch description, each with the place in the file, the cause and the cure.
//!
//! ```text
//! error: unknown key `legnth` in buffer `flags`
//!   --> launch.toml:7:1
//!    |
//!  7 | legnth = 4
//!    | ^^^^^^
//!    = help: did you mean `length`?
//! ```

use std::fmt;
use std::ops::Range;

/// The text of a launch description and its name, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, as the user named it.
    pub file: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// Line and column, both from 1, of a byte offset; columns count characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// An error at a range of bytes.
    pub fn error(&self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let (line, column) = self.position(span.start);
        let text = self.text.lines().nth(line - 1).unwrap_or_default().to_owned();
        let end = span.end.min(self.text.len()).max(span.start.min(self.text.len()));
        let covered = self.text.get(span.start.min(end)..end).unwrap_or_default();
        let width = covered.lines().next().unwrap_or_default().chars().count().max(1);
        Diagnostic { file: self.file.clone(), line, column, width, text, message: message.into(), help: help.into() }
    }
}

/// One located error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters that are underlined.
    pub width: usize,
    /// The line's text.
    pub text: String,
    /// The cause.
    pub message: String,
    /// The cure.
    pub help: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let tabs: String =
            self.text.chars().take(self.column - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, "error: {}", self.message)?;
        writeln!(f, " {margin}--> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(f, " {margin} |")?;
        writeln!(f, " {number} | {}", self.text)?;
        write!(f, " {margin} | {tabs}{}", "^".repeat(self.width))?;
        if !self.help.is_empty() {
            write!(f, "\n {margin} = help: {}", self.help)?;
        }
        Ok(())
    }
}

/// All errors of one launch description; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            d.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Self {
        Diagnostics(vec![d])
    }
}

/// The known name closest to `name`, if one is close.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|k| (edits(name, k), k))
        .filter(|&(edits, k)| {
            let length = k.chars().count().max(name.chars().count());
            edits <= 1 + length / 4 && edits < length
        })
        .min()
        .map(|(_, k)| k)
}

/// The least number of insertions, deletions, changes and swaps of neighbours that make `b` of `a`.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(edits("legnth", "length"), 1);
        assert_eq!(closest("legnth", ["type", "length", "init"]), Some("length"));
        assert_eq!(closest("colour", ["type", "length", "init"]), None);
    }

    #[test]
    fn columns_count_characters() {
        let source = Source { file: "f".into(), text: "ä = 1\nbö = 2\n".into() };
        assert_eq!(source.position(source.text.len() - 2), (2, 6));
        assert_eq!(source.position(10_000).0, 3);
    }
}
