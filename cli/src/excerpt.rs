//! The lines of a source file around a place, cut so that any file can be shown: lines may be very long, or no text at all.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use gicc::diagnostic::Span;

/// Lines shown before and after the marked one.
const CONTEXT: u32 = 1;
/// Characters shown on each side of the mark.
const HALF_WIDTH: usize = 90;
/// A line is read no further than this; what lies behind is not shown.
const LINE_LIMIT: u64 = 1 << 20;

/// Up to three lines of a file with a mark in the middle one.
#[derive(Debug)]
pub(crate) struct Excerpt {
    file: String,
    text: String,
    /// Lines before the first one of `text`.
    lines_before: usize,
    column: usize,
    mark: (usize, usize),
}

impl Excerpt {
    /// The lines around `span`; none where the file cannot be read or has no such line.
    pub(crate) fn read(span: &Span) -> Option<Excerpt> {
        if span.line == 0 {
            return None;
        }
        let first = span.line.saturating_sub(CONTEXT).max(1);
        let mut reader = BufReader::new(File::open(&span.file).ok()?);
        let mut text = String::new();
        let mut mark = None;
        for number in 1..=span.line.saturating_add(CONTEXT) {
            let Some(line) = read_line(&mut reader) else { break };
            if number < first {
                continue;
            }
            let column = (span.column.max(1) as usize - 1).min(line.len());
            let (shown, at, length) = cut(&line, column);
            if number == span.line {
                mark = Some((text.len() + at, length));
            }
            text.push_str(&shown);
            text.push('\n');
        }
        Some(Excerpt {
            file: span.file.clone(),
            text,
            lines_before: first as usize - 1,
            column: span.column.max(1) as usize - 1,
            mark: mark?,
        })
    }

    /// Offset and length of the mark in the excerpt.
    pub(crate) fn mark(&self) -> (usize, usize) {
        self.mark
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, before, after)?;
        // With no context miette asks for the place alone, and prints its column; a cut line has another one.
        let column = if before == 0 && after == 0 { self.column } else { inner.column() };
        Ok(Box::new(MietteSpanContents::new_named(
            self.file.clone(),
            inner.data(),
            *inner.span(),
            inner.line() + self.lines_before,
            column,
            inner.line_count(),
        )))
    }
}

/// The next line without its end; what lies behind [`LINE_LIMIT`] is skipped.
fn read_line(reader: &mut BufReader<File>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    if reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line).ok()? == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    } else {
        reader.skip_until(b'\n').ok()?;
    }
    Some(line)
}

/// The part of a line around a byte, as text; where that byte is in it, and how long the word there is.
fn cut(line: &[u8], at: usize) -> (String, usize, usize) {
    let clean = |bytes: &[u8]| -> String {
        let replaced = |c: char| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c };
        String::from_utf8_lossy(bytes).chars().map(replaced).collect()
    };
    let (left, right) = line.split_at(at);
    let (left, right) = (clean(left), clean(right));
    let mut shown = match left.char_indices().rev().nth(HALF_WIDTH) {
        Some((i, c)) => format!("…{}", &left[i + c.len_utf8()..]),
        None => left,
    };
    let mark = shown.len();
    let word = right.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(right.len());
    let (right, more) = match right.char_indices().nth(HALF_WIDTH) {
        Some((i, _)) => (&right[..i], "…"),
        None => (right.as_str(), ""),
    };
    let first = right.chars().next().map_or(0, char::len_utf8);
    let length = word.clamp(first, right.len());
    shown.push_str(right);
    shown.push_str(more);
    (shown, mark, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &[u8], line: u32, column: u32) -> Option<Excerpt> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Excerpt::read(&Span { file: file.path().display().to_string(), line, column })
    }

    #[test]
    fn the_word_at_the_place_is_marked() {
        let e = excerpt(b"one\ntwo three four\nfive\nsix\n", 2, 5).unwrap();
        assert_eq!(e.text, "one\ntwo three four\nfive\n");
        let (at, length) = e.mark();
        assert_eq!(&e.text[at..at + length], "three");
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let line = format!("{}target{}", "x ".repeat(200_000), " y".repeat(5_000));
        let e = excerpt(line.as_bytes(), 1, 400_001).unwrap();
        assert!(e.text.chars().count() < 200, "{}", e.text.len());
        let (at, length) = e.mark();
        assert_eq!(&e.text[at..at + length], "target");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let e = excerpt(b"\xff\xfe\x1b[31m bad\n", 1, 8).unwrap();
        let (at, length) = e.mark();
        assert_eq!(&e.text[at..at + length], " ");
        assert!(!e.text.contains('\x1b'));
    }

    #[test]
    fn a_place_outside_the_file_gives_nothing() {
        assert!(excerpt(b"one\n", 7, 1).is_none());
        assert!(excerpt(b"", 1, 1).is_none());
        assert!(excerpt(b"one\n", 0, 0).is_none());
        assert!(excerpt(b"one\n", 1, 4_000_000_000).is_some());
    }
}
