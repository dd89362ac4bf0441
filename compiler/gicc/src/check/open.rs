//! What stayed open, as notes: parts of a kernel that were not followed (C0308), and orders that were neither confirmed nor
//! refuted (C0303). Places of one kind are one note, which names the first and labels the others.

use std::collections::{BTreeMap, BTreeSet};

use super::code::Code;
use super::execute::gap::Gap;
use super::report::{Confirmed, Finding, Label};
use crate::diagnostic::Span;

/// As many other places of one kind are named.
const MOST_LABELS: usize = 8;

/// Where, and of which kind, something stayed open.
pub(crate) struct Open<'a> {
    /// The kernel's symbol.
    pub(crate) kernel: &'a str,
    /// Where it begins, for what has no place of its own.
    pub(crate) start: Option<&'a Span>,
    /// C0308 or C0303.
    pub(crate) code: &'static Code,
    /// One sentence.
    pub(crate) message: &'a str,
    /// What to do.
    pub(crate) cure: &'a str,
}

impl Open<'_> {
    /// The notes.
    pub(crate) fn notes(&self, gaps: &BTreeSet<Gap>) -> Vec<Finding> {
        let mut kinds: BTreeMap<&str, BTreeSet<&Span>> = BTreeMap::new();
        for gap in gaps {
            let places = kinds.entry(&gap.words).or_default();
            places.extend(gap.span.as_ref().or(self.start));
        }
        let note = |(words, places): (&str, BTreeSet<&Span>)| {
            let mut places = places.into_iter().cloned();
            Finding {
                code: self.code,
                kernel: self.kernel.to_owned(),
                span: places.next(),
                message: format!("{}: {words}", self.message),
                cause: words.to_owned(),
                cure: self.cure.to_owned(),
                witness: None,
                confirmed: Confirmed::Undecided,
                labels: places.take(MOST_LABELS).map(|span| Label { span, text: "here too".to_owned() }).collect(),
                inlined_at: Vec::new(),
            }
        };
        kinds.into_iter().map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::code;
    use super::*;

    #[test]
    fn one_note_for_each_kind_with_all_places() {
        let span = |line| Span { file: "k.cu".to_owned(), line, column: 1 };
        let gap = |words: &str, line: Option<u32>| Gap { words: words.to_owned(), span: line.map(span) };
        let gaps = BTreeSet::from([
            gap("a call", Some(9)),
            gap("a call", Some(4)),
            gap("a call", Some(7)),
            gap("no end", None),
        ]);
        let start = span(1);
        let open =
            Open { kernel: "k", start: Some(&start), code: &code::INCOMPLETE, message: "not followed", cure: "look" };
        let notes = open.notes(&gaps);
        let seen: Vec<(&str, u32, Vec<u32>)> = notes
            .iter()
            .map(|n| (n.message.as_str(), n.line(), n.labels.iter().map(|l| l.span.line).collect()))
            .collect();
        assert_eq!(seen, [("not followed: a call", 4, vec![7, 9]), ("not followed: no end", 1, vec![])]);
    }
}
