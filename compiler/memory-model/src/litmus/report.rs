//! Runs litmus tests and reports: [`run`] takes a text in either format.

use std::fmt;

use serde::Serialize;

use super::published::{self, Limits, PublishedError, Quantifier};
use super::{Expectation, Litmus};
use crate::condition::Condition;
use crate::model::{Model, Verdict};

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LitmusReport {
    /// Its tests, in order.
    pub tests: Vec<TestReport>,
}

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// Its name.
    pub name: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// How it is written.
    pub format: Format,
    /// What it says, and what was found.
    pub clauses: Vec<ClauseReport>,
    /// Changes to it that must turn every answer round.
    pub mutations: Vec<MutationReport>,
    /// Only executions up to a bound were looked at.
    pub bounded: bool,
    /// Why there is no answer, or no full one.
    pub error: Option<ErrorReport>,
}

/// How a test is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// The format of [`Litmus`].
    Own,
    /// The format of [`published`].
    Published,
}

/// One clause of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClauseReport {
    /// The clause as written.
    pub text: String,
    /// Whether it holds.
    pub holds: bool,
    /// What the model says of the outcome that it names.
    pub outcome: OutcomeKind,
    /// An execution that shows it, where the outcome is possible.
    pub witness: Option<String>,
}

/// What the model says of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeKind {
    /// Possible.
    Allowed,
    /// Impossible.
    Forbidden,
    /// A race of different sizes: anything is possible.
    Undefined,
}

/// One change of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutationReport {
    /// The line that is changed, from 1 in the whole text.
    pub line: usize,
    /// Its new text; empty where it is deleted.
    pub replacement: String,
    /// Whether every clause turns to its opposite.
    pub flips: bool,
    /// Why that cannot be said.
    pub error: Option<String>,
}

/// Why a test has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// The line, from 1 in the whole text, where it is about a place.
    pub line: Option<usize>,
    /// The column.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl TestReport {
    /// Whether every clause holds and every change turns the answer.
    pub fn is_right(&self) -> bool {
        self.error.is_none()
            && self.clauses.iter().all(|clause| clause.holds)
            && self.mutations.iter().all(|mutation| mutation.flips)
    }
}

impl LitmusReport {
    /// Whether every test is right.
    pub fn is_right(&self) -> bool {
        self.tests.iter().all(TestReport::is_right)
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        // Every part is plain data with names as keys, which can be written.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Runs the tests of a text: one test in the published format where it begins with `PTX`, and else any number in ours.
/// What cannot be read or answered is in the report.
///
/// ```
/// let report = memory_model::litmus::run("
///     litmus store buffering
///     global x y
///     thread A on 0.0
///       st.relaxed.sys [x], 1
///       fence.sc.sys          //~ delete
///       ld.relaxed.sys r0, [y]
///     thread B on 1.0
///       st.relaxed.sys [y], 1
///       fence.sc.sys
///       ld.relaxed.sys r0, [x]
///     forbid A.r0 == 0 && B.r0 == 0");
/// assert!(report.is_right(), "{report}");
/// assert!(report.to_json().contains("\"outcome\": \"forbidden\""));
/// ```
pub fn run(text: &str) -> LitmusReport {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.eq_ignore_ascii_case("ptx") {
        return LitmusReport { tests: vec![run_published(text)] };
    }
    LitmusReport { tests: split(text).into_iter().map(|(line, part)| run_own(line, &part)).collect() }
}

/// The tests of a text in our format, with the line on which each begins: at each line `litmus NAME`, the first one
/// together with what stands before it.
pub fn split(text: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = vec![(1, String::new())];
    let mut named = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("litmus ") {
            let only_comments = parts.last().is_some_and(|(_, part)| {
                part.lines().all(|line| line.split("//").next().is_none_or(|code| code.trim().is_empty()))
            });
            if named || !only_comments {
                parts.push((index + 1, String::new()));
            } else {
                parts = vec![(index + 1, String::new())];
            }
            named = true;
        }
        if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

fn run_own(first_line: usize, text: &str) -> TestReport {
    let mut report = TestReport {
        name: String::new(),
        line: first_line,
        format: Format::Own,
        clauses: Vec::new(),
        mutations: Vec::new(),
        bounded: false,
        error: None,
    };
    let test = match Litmus::parse(text) {
        Ok(test) => test,
        Err(error) => {
            report.error = Some(ErrorReport {
                line: Some(first_line + error.line - 1),
                column: Some(error.column),
                message: error.problem.to_string(),
            });
            return report;
        }
    };
    report.name = test.name.clone();
    for expectation in &test.expectations {
        match clause(&test, expectation) {
            Ok(clause) => report.clauses.push(clause),
            Err(message) => report.error = Some(ErrorReport { line: None, column: None, message }),
        }
    }
    for mutation in &test.mutations {
        let line = first_line + mutation.line - 1;
        let mut result = MutationReport { line, replacement: mutation.replacement.clone(), flips: false, error: None };
        match Litmus::parse(&mutation.apply(text)) {
            Err(error) => result.error = Some(error.to_string()),
            Ok(mutant) => {
                let clauses: Result<Vec<_>, _> =
                    mutant.expectations.iter().map(|expectation| clause(&mutant, expectation)).collect();
                match clauses {
                    Ok(clauses) => result.flips = clauses.iter().all(|clause| !clause.holds),
                    Err(message) => result.error = Some(message),
                }
            }
        }
        report.mutations.push(result);
    }
    report
}

fn clause(test: &Litmus, expectation: &Expectation) -> Result<ClauseReport, String> {
    let model = Model { assumptions: test.assumptions, ..Model::default() };
    let (word, condition) = match expectation {
        Expectation::Exists(condition) => ("exists ", condition.clone()),
        Expectation::Forbid(condition) => ("forbid ", condition.clone()),
        Expectation::Undefined => ("undefined", Condition::True),
    };
    let verdict = model.check(&test.program, &condition).map_err(|error| error.to_string())?;
    let text = match expectation {
        Expectation::Undefined => word.to_owned(),
        _ => format!("{word}{condition}"),
    };
    let outcome = match &verdict {
        Verdict::Forbidden => OutcomeKind::Forbidden,
        Verdict::Allowed(_) => OutcomeKind::Allowed,
        Verdict::Undefined(..) => OutcomeKind::Undefined,
    };
    let wanted = match expectation {
        Expectation::Exists(_) => OutcomeKind::Allowed,
        Expectation::Forbid(_) => OutcomeKind::Forbidden,
        Expectation::Undefined => OutcomeKind::Undefined,
    };
    Ok(ClauseReport { text, holds: outcome == wanted, outcome, witness: verdict.witness().map(ToString::to_string) })
}

fn run_published(text: &str) -> TestReport {
    let mut report = TestReport {
        name: String::new(),
        line: 1,
        format: Format::Published,
        clauses: Vec::new(),
        mutations: Vec::new(),
        bounded: false,
        error: None,
    };
    let answer = published::Test::parse(text).map_err(PublishedError::from).and_then(|test| {
        report.name.clone_from(&test.name);
        Ok((test.answer(&Model::default(), Limits::default())?, test.quantifier))
    });
    match answer {
        Ok((answer, quantifier)) => {
            let word = match quantifier {
                Quantifier::Exists => "exists",
                Quantifier::NotExists => "~exists",
                Quantifier::Forall => "forall",
            };
            report.bounded = answer.bounded;
            report.clauses.push(ClauseReport {
                text: word.to_owned(),
                holds: answer.holds,
                outcome: if answer.witness.is_some() { OutcomeKind::Allowed } else { OutcomeKind::Forbidden },
                witness: answer.witness.map(|witness| witness.to_string()),
            });
        }
        Err(error) => {
            let place = match &error {
                PublishedError::Text(error) => Some((error.line, error.column)),
                _ => None,
            };
            let message = match &error {
                PublishedError::Text(error) => error.problem.to_string(),
                other => other.to_string(),
            };
            report.error = Some(ErrorReport {
                line: place.map(|(line, _)| line),
                column: place.map(|(_, column)| column),
                message,
            });
        }
    }
    report
}

impl fmt::Display for LitmusReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for test in &self.tests {
            let word = if test.is_right() { "ok" } else { "FAILED" };
            writeln!(f, "{word}: `{}` (line {})", test.name, test.line)?;
            if let Some(error) = &test.error {
                let place = error.line.map_or(String::new(), |line| format!("line {line}: "));
                writeln!(f, "  {place}{}", error.message)?;
            }
            for clause in &test.clauses {
                let outcome = match clause.outcome {
                    OutcomeKind::Allowed => "allowed",
                    OutcomeKind::Forbidden => "forbidden",
                    OutcomeKind::Undefined => "undefined",
                };
                let holds = if clause.holds { "holds" } else { "does not hold" };
                writeln!(f, "  `{}` {holds}: the outcome is {outcome}", clause.text)?;
                if let (false, Some(witness)) = (clause.holds, &clause.witness) {
                    writeln!(f, "{witness}")?;
                }
            }
            for mutation in test.mutations.iter().filter(|mutation| !mutation.flips) {
                let reason = mutation.error.as_deref().unwrap_or("the answer is the same");
                writeln!(f, "  line {} as `{}`: {reason}", mutation.line, mutation.replacement)?;
            }
            if test.bounded {
                writeln!(f, "  only executions up to a bound of loop rounds were looked at")?;
            }
        }
        Ok(())
    }
}
