//! A finding of `gicc check` as text: the lines of the source with what happens there, the cause, the cure, and an execution
//! that goes wrong.

use std::fmt;

use gicc::check::code::Level;
use gicc::check::report::{Confirmed, Finding, Report};
use gicc::diagnostic::Span;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, ThemeCharacters, ThemeStyles,
};

use crate::messages::Messages;

/// A source larger than this is not shown.
const LARGEST_SOURCE: u64 = 4 << 20;

/// Writes reports.
#[derive(Debug)]
pub(crate) struct Page {
    color: bool,
    width: Option<usize>,
}

impl Page {
    /// As the messages are written.
    pub(crate) fn new(messages: &Messages) -> Page {
        Page { color: messages.color(), width: messages.width() }
    }

    /// All findings, and one line that sums up.
    pub(crate) fn report(&self, report: &Report) -> String {
        let mut text = String::new();
        for kernel in &report.kernels {
            for finding in &kernel.findings {
                text += &self.finding(finding);
                text.push('\n');
            }
        }
        let count = |level: Level| report.findings().filter(|finding| finding.code.level == level).count();
        let (wrong, slow, notes) = (count(Level::Correctness), count(Level::Performance), count(Level::Note));
        let plural = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
        text + &format!(
            "{}: {}, {} of performance, {}\n",
            plural(report.kernels.len(), "kernel", "kernels"),
            match wrong {
                0 => "nothing is wrong".to_owned(),
                n => plural(n, "finding of correctness", "findings of correctness"),
            },
            plural(slow, "finding", "findings"),
            plural(notes, "note", "notes"),
        )
    }

    fn finding(&self, finding: &Finding) -> String {
        let theme = GraphicalTheme {
            characters: ThemeCharacters::unicode(),
            styles: if self.color { ThemeStyles::ansi() } else { ThemeStyles::none() },
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(self.width.unwrap_or(usize::MAX))
            .with_wrap_lines(self.width.is_some())
            .with_context_lines(1)
            .with_break_words(false)
            .without_syntax_highlighting();
        let mut text = String::new();
        match handler.render_report(&mut text, &Shown::new(finding)) {
            Ok(()) => text.trim_end().to_owned() + "\n",
            Err(fmt::Error) => format!("{}: {}\n", finding.code.code, finding.message),
        }
    }
}

/// A finding as miette wants it.
#[derive(Debug)]
struct Shown<'a> {
    finding: &'a Finding,
    cause: Cause,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    /// What has no line in the source that is shown.
    elsewhere: Vec<String>,
}

#[derive(Debug)]
struct Cause(String);

impl<'a> Shown<'a> {
    fn new(finding: &'a Finding) -> Shown<'a> {
        let source = finding.span.as_ref().and_then(read);
        let mut labels = Vec::new();
        let mut elsewhere = Vec::new();
        if let (Some(span), Some(text)) = (&finding.span, &source) {
            match offset(text, span) {
                Some(at) => labels.push(LabeledSpan::new_primary_with_span(None, at)),
                None => elsewhere.push(span.to_string()),
            }
            for label in &finding.labels {
                match offset(text, &label.span).filter(|_| label.span.file == span.file) {
                    Some(at) => labels.push(LabeledSpan::new_with_span(Some(label.text.clone()), at)),
                    None => elsewhere.push(format!("{}: {}", label.span, label.text)),
                }
            }
        } else {
            elsewhere.extend(finding.span.iter().map(ToString::to_string));
            elsewhere.extend(finding.labels.iter().map(|label| format!("{}: {}", label.span, label.text)));
        }
        let source = finding.span.as_ref().zip(source).map(|(span, text)| NamedSource::new(&span.file, text));
        Shown { finding, cause: Cause(finding.cause.clone()), source, labels, elsewhere }
    }
}

fn read(span: &Span) -> Option<String> {
    let size = std::fs::metadata(&span.file).ok()?.len();
    if size > LARGEST_SOURCE || span.line == 0 {
        return None;
    }
    let bytes = std::fs::read(&span.file).ok()?;
    let shown = |c: char| if c.is_control() && c != '\t' && c != '\n' { ' ' } else { c };
    Some(String::from_utf8_lossy(&bytes).chars().map(shown).collect())
}

/// Offset and length of the word at a place.
fn offset(text: &str, span: &Span) -> Option<(usize, usize)> {
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        if number + 1 == span.line as usize {
            let mut at = (span.column.max(1) as usize - 1).min(line.len());
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            let word = line[at..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len() - at);
            return Some((start + at, word.max(usize::from(at < line.len()))));
        }
        start += line.len() + 1;
    }
    None
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.finding.message)
    }
}

impl std::error::Error for Shown<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Cause {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let level = match self.finding.code.level {
            Level::Correctness => "error",
            Level::Performance => "performance",
            Level::Note => "note",
        };
        Some(Box::new(format!(
            "{level}[{}] {}, in `{}`",
            self.finding.code.code, self.finding.code.name, self.finding.kernel
        )))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.code.level {
            Level::Correctness => miette::Severity::Error,
            Level::Performance => miette::Severity::Warning,
            Level::Note => miette::Severity::Advice,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let mut text = self.finding.cure.clone();
        if let Some(witness) = &self.finding.witness {
            text += &format!("\nwitness: {witness}");
        }
        for place in &self.elsewhere {
            text += &format!("\nat {place}");
        }
        if self.finding.confirmed == Confirmed::Undecided && self.finding.code.level == Level::Correctness {
            text += "\nthe memory model could not be asked about the whole of it";
        }
        Some(Box::new(text))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as _)
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
        let text = "one\ntwo three\n\nfour";
        assert_eq!(offset(text, &span(2, 5)), Some((8, 5)));
        assert_eq!(offset(text, &span(3, 1)), Some((14, 0)));
        assert_eq!(offset(text, &span(4, 100)), Some((19, 0)));
        assert_eq!(offset(text, &span(9, 1)), None);
    }
}
