//! A finding of `gicc check` as text: the lines of the source with what happens there, the cause, the cure, and an execution
//! that goes wrong.

use std::fmt;
use std::rc::Rc;

use gicc::check::code::Level;
use gicc::check::report::{Confirmed, Finding, Report};
use miette::{LabeledSpan, SourceCode};

use crate::messages::{Messages, report_handler};
use crate::source::{Source, Sources};

/// Writes reports.
#[derive(Debug)]
pub(crate) struct Page {
    color: bool,
    width: Option<usize>,
    sources: Sources,
}

impl Page {
    /// As the messages are written.
    pub(crate) fn new(messages: &Messages) -> Page {
        Page { color: messages.color(), width: messages.width(), sources: Sources::default() }
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
        let handler = report_handler(self.color, self.width);
        let mut text = String::new();
        match handler.render_report(&mut text, &Shown::new(finding, &self.sources)) {
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
    source: Option<Rc<Source>>,
    labels: Vec<LabeledSpan>,
    /// What has no line in the source that is shown.
    elsewhere: Vec<String>,
}

#[derive(Debug)]
struct Cause(String);

impl<'a> Shown<'a> {
    fn new(finding: &'a Finding, sources: &Sources) -> Shown<'a> {
        let source = finding.span.as_ref().and_then(|span| sources.of(span));
        let mut labels = Vec::new();
        let mut elsewhere = Vec::new();
        if let (Some(span), Some(text)) = (&finding.span, &source) {
            match text.word(span) {
                Some(at) => labels.push(LabeledSpan::new_primary_with_span(None, at)),
                None => elsewhere.push(span.to_string()),
            }
            for label in &finding.labels {
                match text.word(&label.span).filter(|_| label.span.file == span.file) {
                    Some(at) => labels.push(LabeledSpan::new_with_span(Some(label.text.clone()), at)),
                    None => elsewhere.push(format!("{}: {}", label.span, label.text)),
                }
            }
        } else {
            elsewhere.extend(finding.span.iter().map(ToString::to_string));
            elsewhere.extend(finding.labels.iter().map(|label| format!("{}: {}", label.span, label.text)));
        }
        Shown { finding, cause: Cause(finding.cause.clone()), source, labels, elsewhere }
    }
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
        self.source.as_deref().map(|source| source as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as _)
    }
}
