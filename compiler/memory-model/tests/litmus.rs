//! Every litmus file under `tests/litmus` gives the verdict that it names, and the opposite with each of its changes.

use std::path::{Path, PathBuf};

use memory_model::litmus::{Expectation, Litmus};
use memory_model::{Model, Verdict};

/// The least number of tests; a file that is lost must be noticed.
const LEAST: usize = 200;

#[test]
fn every_file_gives_its_verdict() {
    let files = files();
    let mut failures = Vec::new();
    let (mut tests, mut mutants) = (0, 0);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        for part in split(&text) {
            tests += 1;
            let test = match Litmus::parse(&part) {
                Ok(test) => test,
                Err(error) => {
                    failures.push(format!("{}: {error}", file.display()));
                    continue;
                }
            };
            for expectation in &test.expectations {
                if let Err(problem) = verify(&test, expectation, false) {
                    failures.push(format!("{} `{}`: {problem}", file.display(), test.name));
                }
                let forbids = matches!(expectation, Expectation::Forbid(_));
                if forbids && test.mutations.is_empty() {
                    failures.push(format!(
                        "{} `{}`: a forbidden outcome without a mutation",
                        file.display(),
                        test.name
                    ));
                }
            }
            for mutation in &test.mutations {
                mutants += 1;
                let mutant = Litmus::parse(&mutation.apply(&part)).unwrap_or_else(|error| {
                    panic!("{} `{}` with `{}`: {error}", file.display(), test.name, mutation.replacement)
                });
                for expectation in &mutant.expectations {
                    if let Err(problem) = verify(&mutant, expectation, true) {
                        let Mutation { line, replacement } = mutation.into();
                        failures.push(format!(
                            "{} `{}`, line {line} as `{replacement}`: {problem}",
                            file.display(),
                            test.name
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(tests >= LEAST, "only {tests} tests");
    assert!(mutants >= LEAST, "only {mutants} mutants");
}

#[test]
fn printed_programs_parse_to_the_same_program() {
    for file in files() {
        for part in split(&std::fs::read_to_string(&file).unwrap()) {
            let test = Litmus::parse(&part).unwrap();
            let text = memory_model::litmus::program_text(&test.program) + "undefined\n";
            let again = Litmus::parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", file.display()));
            assert_eq!(again.program, test.program, "{}", test.name);
        }
    }
}

struct Mutation<'a> {
    line: usize,
    replacement: &'a str,
}

impl<'a> From<&'a memory_model::litmus::Mutation> for Mutation<'a> {
    fn from(mutation: &'a memory_model::litmus::Mutation) -> Self {
        Mutation { line: mutation.line, replacement: &mutation.replacement }
    }
}

/// Checks one expectation, or that its opposite holds.
fn verify(test: &Litmus, expectation: &Expectation, opposite: bool) -> Result<(), String> {
    let model = Model { assumptions: test.assumptions, ..Model::default() };
    let condition = match expectation {
        Expectation::Exists(condition) | Expectation::Forbid(condition) => condition.clone(),
        Expectation::Undefined => memory_model::Condition::True,
    };
    let verdict = model.check(&test.program, &condition).map_err(|error| error.to_string())?;
    let holds = match expectation {
        Expectation::Exists(_) => matches!(verdict, Verdict::Allowed(_)),
        Expectation::Forbid(_) => verdict.is_forbidden(),
        Expectation::Undefined => matches!(verdict, Verdict::Undefined(..)),
    };
    if holds != opposite {
        return Ok(());
    }
    let found = match verdict {
        Verdict::Forbidden => "forbidden".to_owned(),
        Verdict::Allowed(witness) => format!("allowed\n{witness}"),
        Verdict::Undefined(_, race) => format!("undefined: {race}"),
    };
    Err(format!("`{condition}` is {found}"))
}

/// The litmus files.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/litmus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of tests can be read")
        .map(|entry| entry.expect("an entry of the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "litmus"))
        .collect();
    files.sort();
    files
}

/// The tests of one file: each begins with a line `litmus NAME`.
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
