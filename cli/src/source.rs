//! Sources that findings speak of: each is read once, and a place in it is found by its line, however many findings there are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use gicc::diagnostic::Span;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// A source larger than this is not shown.
const LARGEST: u64 = 4 << 20;

/// The sources that were read, by their names; nothing for those that cannot be shown.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    known: RefCell<HashMap<String, Option<Rc<Source>>>>,
}

impl Sources {
    /// The source of a place.
    pub(crate) fn of(&self, span: &Span) -> Option<Rc<Source>> {
        if span.line == 0 {
            return None;
        }
        let mut known = self.known.borrow_mut();
        if let Some(source) = known.get(&span.file) {
            return source.clone();
        }
        let source = read(&span.file).map(|text| Rc::new(Source::new(&span.file, text)));
        known.insert(span.file.clone(), source.clone());
        source
    }
}

fn read(file: &str) -> Option<String> {
    if std::fs::metadata(file).ok()?.len() > LARGEST {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    let shown = |c: char| if c.is_control() && c != '\t' && c != '\n' { ' ' } else { c };
    Some(String::from_utf8_lossy(&bytes).chars().map(shown).collect())
}

/// A source with its lines.
#[derive(Debug)]
pub(crate) struct Source {
    name: String,
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl Source {
    pub(crate) fn new(name: &str, text: String) -> Source {
        let behind = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(behind).collect();
        Source { name: name.to_owned(), text, starts }
    }

    /// Offset and length of the word at a place.
    pub(crate) fn word(&self, span: &Span) -> Option<(usize, usize)> {
        let start = *self.starts.get((span.line as usize).checked_sub(1)?)?;
        let line = self.text[start..].lines().next().unwrap_or("");
        let mut at = (span.column.max(1) as usize - 1).min(line.len());
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        let word = line[at..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len() - at);
        Some((start + at, word.max(usize::from(at < line.len()))))
    }

    /// The number of the line that an offset is in, from 0.
    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let end = span.offset() + span.len();
        if end > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let first = self.line_of(span.offset()).saturating_sub(before);
        let last = self.line_of(end.saturating_sub(1).max(span.offset())) + after;
        // Without lines before it, what is asked for is the place itself: its column is shown.
        let from = if before == 0 { span.offset() } else { self.starts[first] };
        let to = self.starts.get(last + 1).copied().unwrap_or(self.text.len());
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[from..to],
            (from, to - from).into(),
            first,
            from - self.starts[first],
            last + 1 - first,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(line: u32, column: u32) -> Span {
        Span { file: "k.cu".to_owned(), line, column }
    }

    #[test]
    fn the_word_at_a_place_is_marked() {
        let source = Source::new("k.cu", "one\ntwo three\n\nfour".to_owned());
        assert_eq!(source.word(&span(2, 5)), Some((8, 5)));
        assert_eq!(source.word(&span(3, 1)), Some((14, 0)));
        assert_eq!(source.word(&span(4, 100)), Some((19, 0)));
        assert_eq!(source.word(&span(9, 1)), None);
    }

    #[test]
    fn the_lines_around_a_place_are_found_by_its_offset() {
        let source = Source::new("k.cu", "one\ntwo\nthree\nfour\n".to_owned());
        let contents = source.read_span(&(8, 5).into(), 1, 1).expect("it is in the text");
        assert_eq!((contents.data(), contents.line()), (&b"two\nthree\nfour\n"[..], 1));
        assert_eq!((contents.column(), contents.line_count()), (0, 3));
        let contents = source.read_span(&(0, 3).into(), 1, 0).expect("it is in the text");
        assert_eq!((contents.data(), contents.line()), (&b"one\n"[..], 0));
        let contents = source.read_span(&(10, 2).into(), 0, 0).expect("it is in the text");
        assert_eq!((contents.line(), contents.column()), (2, 2));
        assert!(source.read_span(&(19, 1).into(), 1, 1).is_err());
    }
}
