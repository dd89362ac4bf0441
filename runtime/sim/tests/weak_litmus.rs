//! Litmus tests in the engine of weak memory: every outcome is one that the axioms allow, and nearly every bad outcome
//! that they allow is reached. The tests are those of the memory model.

use std::path::{Path, PathBuf};

use gicc_sim::weak::program::{ProgramError, compare};
use memory_model::litmus::{Expectation, Litmus};
use memory_model::{Assumptions, Condition, Model, ModelError, Outcome, RaceKind};

/// Runs of a program at most.
const LIMIT: u64 = 20_000;

#[derive(Default)]
struct Totals {
    programs: usize,
    complete: usize,
    reached: usize,
    unreached: Vec<String>,
    skipped: Vec<String>,
    failures: Vec<String>,
}

#[test]
fn outcomes_are_among_the_allowed_ones_and_bad_ones_are_reached() {
    let mut totals = Totals::default();
    for file in files() {
        let text = std::fs::read_to_string(&file).unwrap();
        for part in split(&text) {
            let test = Litmus::parse(&part).unwrap();
            let name = format!("{} `{}`", file.file_stem().unwrap().to_string_lossy(), test.name);
            totals.look(&name, &test, false);
            for mutation in &test.mutations {
                let mutant = Litmus::parse(&mutation.apply(&part)).unwrap();
                totals.look(&format!("{name} line {} as `{}`", mutation.line, mutation.replacement), &mutant, true);
            }
        }
    }
    println!(
        "{} programs, {} seen completely; {} bad outcomes reached, {} not:\n  {}\nskipped {}:\n  {}",
        totals.programs,
        totals.complete,
        totals.reached,
        totals.unreached.len(),
        totals.unreached.join("\n  "),
        totals.skipped.len(),
        totals.skipped.join("\n  ")
    );
    assert!(totals.failures.is_empty(), "{} failures:\n{}", totals.failures.len(), totals.failures.join("\n"));
    assert!(totals.programs >= 200, "only {} programs", totals.programs);
}

impl Totals {
    fn look(&mut self, name: &str, test: &Litmus, mutant: bool) {
        // The simulator makes the assumptions.
        if test.assumptions != Assumptions::default() {
            return self.skipped.push(format!("{name}: without an assumption"));
        }
        let model = Model::default();
        let agreement = match compare(&test.program, &model, LIMIT) {
            Ok(agreement) => agreement,
            Err(ProgramError::Unsupported(what)) => return self.skipped.push(format!("{name}: {what}")),
            Err(ProgramError::Model(ModelError::TooLarge { .. })) => {
                return self.skipped.push(format!("{name}: too large for the axioms"));
            }
            Err(error) => return self.failures.push(format!("{name}: {error}")),
        };
        self.programs += 1;
        self.complete += usize::from(agreement.seen.exploration.complete);
        if let Some(outcome) = agreement.forbidden.first() {
            // Where sizes are mixed in a race, the axioms say nothing.
            let races = model.races(&test.program).expect("the model took it before");
            if !races.iter().any(|r| r.kind == RaceKind::MixedSize) {
                self.failures.push(format!("{name}: reached {outcome:?}"));
            }
        }
        for expectation in &test.expectations {
            let (condition, possible) = match expectation {
                Expectation::Exists(condition) => (condition, !mutant),
                Expectation::Forbid(condition) => (condition, mutant),
                Expectation::Undefined => continue,
            };
            if possible && agreement.seen.outcomes.iter().any(|o| holds(condition, o)) {
                self.reached += 1;
            } else if possible {
                let races = agreement.seen.races.len();
                let seen = agreement.seen.exploration.text();
                self.unreached.push(format!("{name} ({seen}; {races} races told)"));
            }
        }
    }
}

fn holds(condition: &Condition, outcome: &Outcome) -> bool {
    let find = |term| outcome.registers.get(term).or(outcome.memory.get(term)).copied().unwrap_or_default();
    match condition {
        Condition::True => true,
        Condition::Compare(term, comparison, value) => comparison.holds(find(term), *value),
        Condition::CompareTerms(one, comparison, other) => comparison.holds(find(one), find(other)),
        Condition::And(a, b) => holds(a, outcome) && holds(b, outcome),
        Condition::Or(a, b) => holds(a, outcome) || holds(b, outcome),
        Condition::Not(a) => !holds(a, outcome),
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compiler/memory-model/tests/litmus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of tests can be read")
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .collect();
    files.sort();
    files
}

fn split(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("litmus ") {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}
