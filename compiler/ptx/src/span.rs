//! Places in a PTX text.

use std::fmt;

/// A piece of the text: byte offsets, and the line and column (both from 1, the column in bytes) at which it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1, counted in bytes.
    pub column: u32,
}

impl Span {
    /// The smallest span that covers both; line and column are those of the earlier one.
    pub fn to(self, other: Span) -> Span {
        let (first, last) = if self.start <= other.start { (self, other) } else { (other, self) };
        Span { start: first.start, end: first.end.max(last.end), line: first.line, column: first.column }
    }

    /// The text of the span, or nothing if the span is not from this text.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
