//! Litmus tests in the simulator: the outcomes that it reaches, against those that the axioms allow.
//!
//! [`run`] takes a text in either format that `memory_model::litmus` reads. Every outcome that is reached has to be allowed;
//! allowed ones that are not reached are listed. Of a test with branches (published format), every combination of paths is a
//! program of its own, and what is told is told of all of them.
//!
//! Limits: the simulator makes all assumptions of the memory model, so a test without one is not run; nor is one that uses
//! the texture, surface or constant proxies' fences. Where accesses of different sizes race, the axioms say nothing, and
//! nothing is compared.

use std::fmt;

use memory_model::litmus::published::{Limits, Test};
use memory_model::litmus::{Litmus, split};
use memory_model::{Assumptions, Model, Outcome, Program, RaceKind};
use serde::Serialize;

use super::program::compare;

/// What became of the tests of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LitmusReport {
    /// The tests, in order.
    pub tests: Vec<TestReport>,
}

/// What became of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TestReport {
    /// Its name.
    pub name: String,
    /// How many programs it stands for.
    pub programs: usize,
    /// How many distinct outcomes the simulator reached.
    pub reached: usize,
    /// Whether it saw all its executions.
    pub complete: bool,
    /// Outcomes that it reached and the axioms forbid: a mistake.
    pub forbidden: Vec<String>,
    /// Outcomes that the axioms allow and it did not reach.
    pub unreached: Vec<String>,
    /// How many races it told.
    pub races: usize,
    /// Why it was not run, or not compared.
    pub skipped: Option<String>,
}

impl LitmusReport {
    /// Whether no test reached a forbidden outcome.
    pub fn is_sound(&self) -> bool {
        self.tests.iter().all(|test| test.forbidden.is_empty())
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        // Plain data with names as keys, which can be written.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Runs the tests of a text in the simulator, each program at most `limit` times.
pub fn run(text: &str, limit: u64) -> LitmusReport {
    let first = text.split_whitespace().next().unwrap_or_default();
    let tests = if first.eq_ignore_ascii_case("ptx") {
        vec![run_published(text, limit)]
    } else {
        split(text).into_iter().map(|(_, part)| run_own(&part, limit)).collect()
    };
    LitmusReport { tests }
}

fn run_own(text: &str, limit: u64) -> TestReport {
    let test = match Litmus::parse(text) {
        Ok(test) => test,
        Err(error) => return TestReport { skipped: Some(error.to_string()), ..TestReport::default() },
    };
    let mut report = TestReport { name: test.name.clone(), complete: true, ..TestReport::default() };
    if test.assumptions == Assumptions::default() {
        report.program(&test.program, limit);
    } else {
        report.skipped = Some("the test does without an assumption that the simulator makes".to_owned());
    }
    report
}

fn run_published(text: &str, limit: u64) -> TestReport {
    let variants = Test::parse(text).map_err(|error| error.to_string()).and_then(|test| {
        test.variants(Limits::default()).map(|all| (test.name, all)).map_err(|error| error.to_string())
    });
    match variants {
        Err(error) => TestReport { skipped: Some(error), ..TestReport::default() },
        Ok((name, all)) => {
            let mut report = TestReport { name, complete: true, ..TestReport::default() };
            for variant in all.variants {
                report.program(&variant.program, limit);
            }
            report
        }
    }
}

impl TestReport {
    fn program(&mut self, program: &Program, limit: u64) {
        let model = Model::default();
        self.programs += 1;
        let found = compare(program, &model, limit).map_err(|error| error.to_string());
        let mixed = model.races(program).map(|races| races.iter().any(|race| race.kind == RaceKind::MixedSize));
        match (found, mixed) {
            (Err(error), _) => self.skipped = Some(error),
            (Ok(_), Ok(true)) => {
                self.skipped = Some("accesses of different sizes race: no outcome is defined".to_owned())
            }
            (Ok(found), _) => {
                self.reached += found.seen.outcomes.len();
                self.complete &= found.seen.exploration.complete;
                self.races += found.seen.races.len();
                self.forbidden.extend(found.forbidden.iter().map(outcome_text));
                self.unreached.extend(found.unreached.iter().map(outcome_text));
            }
        }
    }
}

/// An outcome as a conjunction.
fn outcome_text(outcome: &Outcome) -> String {
    let all = outcome.registers.iter().chain(&outcome.memory);
    all.map(|(term, value)| format!("{term} == {value}")).collect::<Vec<_>>().join(" && ")
}

impl fmt::Display for LitmusReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for test in &self.tests {
            if let Some(reason) = &test.skipped {
                writeln!(f, "not compared: `{}`: {reason}", test.name)?;
                continue;
            }
            let word = if test.forbidden.is_empty() { "ok" } else { "WRONG" };
            let all = if test.complete { "all executions seen" } else { "not all executions seen" };
            writeln!(
                f,
                "{word}: `{}`: {} outcomes reached ({all}), {} allowed ones not",
                test.name,
                test.reached,
                test.unreached.len()
            )?;
            for outcome in &test.forbidden {
                writeln!(f, "  reached and forbidden: {outcome}")?;
            }
            for outcome in &test.unreached {
                writeln!(f, "  allowed and not reached: {outcome}")?;
            }
        }
        Ok(())
    }
}
