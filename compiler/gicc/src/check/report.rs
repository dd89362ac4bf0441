//! Findings, and the report of a module: plain data, from which the command makes text, JSON or SARIF.

use std::collections::BTreeSet;

use serde::Serialize;

use super::code::{self, Code, Level};
use crate::diagnostic::Span;

/// What the memory model says about a missing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmed {
    /// The bad execution is allowed, and forbidden with the cure.
    Confirmed,
    /// It is forbidden.
    Refuted,
    /// The program was too large for the search, or parts of it are not known.
    Undecided,
}

/// A line that a finding speaks of, beside its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What stands there.
    pub text: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub code: &'static Code,
    /// The kernel's symbol.
    pub kernel: String,
    /// Where the cause is.
    pub span: Option<Span>,
    /// One sentence: what is wrong.
    pub message: String,
    /// Why.
    pub cause: String,
    /// What to do about it.
    pub cure: String,
    /// An execution that goes wrong, in words.
    pub witness: Option<String>,
    /// What the memory model says.
    pub confirmed: Confirmed,
    /// Other lines.
    pub labels: Vec<Label>,
    /// The calls through which the cause was inlined.
    pub inlined_at: Vec<Span>,
}

impl Finding {
    /// One that no question to the memory model belongs to: its place, what is said, why, and what to do.
    pub(crate) fn unasked(
        code: &'static Code,
        kernel: &str,
        span: Option<Span>,
        message: impl Into<String>,
        cause: impl Into<String>,
        cure: impl Into<String>,
    ) -> Finding {
        Finding {
            code,
            kernel: kernel.to_owned(),
            span,
            message: message.into(),
            cause: cause.into(),
            cure: cure.into(),
            witness: None,
            confirmed: Confirmed::Undecided,
            labels: Vec::new(),
            inlined_at: Vec::new(),
        }
    }

    /// What may be wrong only: a finding of correctness becomes a note that it is not decided, for this reason.
    pub(crate) fn is_doubtful(&mut self, why: &str) {
        if self.code.level == Level::Correctness {
            self.code = &code::UNDECIDED;
            self.confirmed = Confirmed::Undecided;
            self.message = format!("perhaps {}", self.message);
            self.cause += why;
        }
    }

    /// The line, or 0.
    pub fn line(&self) -> u32 {
        self.span.as_ref().map_or(0, |span| span.line)
    }

    /// Every line that the finding names.
    pub fn lines(&self) -> BTreeSet<u32> {
        self.span.iter().chain(self.labels.iter().map(|label| &label.span)).map(|span| span.line).collect()
    }
}

/// The findings of one kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelReport {
    /// Its symbol.
    pub name: String,
    /// Where it begins.
    pub span: Option<Span>,
    /// What was found, in the order of lines.
    pub findings: Vec<Finding>,
}

/// The report of a module.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The kernels, in the order of the module.
    pub kernels: Vec<KernelReport>,
    /// What communicates, as `gicc explain` shows it.
    pub sites: Vec<crate::analysis::communication::json::KernelJson>,
    /// Steps of the searches through the kernels: work that is counted, and so is the same on every machine.
    pub searched: u64,
}

impl Report {
    /// All findings.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kernels.iter().flat_map(|kernel| &kernel.findings)
    }

    /// Whether a finding is denied: one of correctness, or of a kind that is named.
    pub fn is_denied(&self, also: &[&'static Code]) -> bool {
        self.findings().any(|finding| finding.code.level == Level::Correctness || also.contains(&finding.code))
    }
}

/// Sorts by place, and leaves one of those that say the same of the same line.
pub(crate) fn tidy(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.code.level, f.span.clone(), f.code.code, f.message.clone());
        key(a).cmp(&key(b))
    });
    findings.dedup_by(|later, first| {
        // What stayed open is told apart by its words.
        let open = later.code == &code::UNDECIDED || later.code == &code::INCOMPLETE;
        let same = later.code == first.code
            && later.span == first.span
            && later.kernel == first.kernel
            && (!open || later.message == first.message);
        if same {
            let new: Vec<Label> =
                later.labels.drain(..).filter(|l| first.labels.iter().all(|f| f.span != l.span)).collect();
            first.labels.extend(new);
        }
        same
    });
}
