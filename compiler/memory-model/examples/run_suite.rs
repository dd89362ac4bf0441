//! Runs a suite of litmus tests in the published format, and compares with the published verdicts.
//!
//! ```text
//! cargo run --release -p memory-model --example run_suite -- FOLDER --expected CSV [--liveness CSV]
//! ```
//!
//! `FOLDER` is the folder to which the paths of the CSV files are relative. A line of `--expected` is `PATH,1` where the
//! last clause holds and `PATH,0` where it does not. The verdicts of `--liveness` are about progress, which the model
//! does not decide: they are counted and named as unsupported. Every other `.litmus` file in the folder is run too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use memory_model::Model;
use memory_model::litmus::published::{Limits, Test};

fn main() -> ExitCode {
    match suite() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn suite() -> Result<bool, String> {
    let mut arguments = std::env::args().skip(1);
    let (mut folder, mut expected, mut liveness) = (None, None, None);
    while let Some(argument) = arguments.next() {
        let target = match argument.as_str() {
            "--expected" => &mut expected,
            "--liveness" => &mut liveness,
            _ => {
                folder = Some(argument);
                continue;
            }
        };
        *target = Some(arguments.next().ok_or_else(|| format!("{argument} needs a file"))?);
    }
    let folder = PathBuf::from(folder.ok_or("usage: run_suite FOLDER --expected CSV [--liveness CSV]")?);
    let expected = expected.map(|path| verdicts(&path)).transpose()?.unwrap_or_default();
    let liveness = liveness.map(|path| verdicts(&path)).transpose()?.unwrap_or_default();

    let mut names: BTreeSet<String> = expected.keys().cloned().collect();
    find(&folder, &folder, &mut names)?;
    let (mut agree, mut other, mut bounded) = (0, BTreeMap::<&str, usize>::new(), 0);
    let mut problems = Vec::new();
    let start = Instant::now();
    for name in &names {
        let text = std::fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let answer = Test::parse(&text)
            .map_err(|error| error.to_string())
            .and_then(|test| test.answer(&Model::default(), Limits::default()).map_err(|error| error.to_string()));
        match (expected.get(name), answer) {
            (Some(expected), Ok(answer)) => {
                bounded += usize::from(answer.bounded);
                if answer.holds == *expected {
                    agree += 1;
                } else {
                    let witness = answer.witness.map_or_else(String::new, |witness| format!("\n{witness}"));
                    problems.push(format!(
                        "DISAGREES {name}: published {}, here {}{witness}",
                        u8::from(*expected),
                        u8::from(answer.holds)
                    ));
                }
            }
            (Some(_), Err(error)) => problems.push(format!("NO ANSWER {name}: {error}")),
            (None, Ok(answer)) => {
                *other
                    .entry(if answer.holds { "the clause holds" } else { "the clause does not hold" })
                    .or_default() += 1;
            }
            (None, Err(error)) => {
                *other.entry("no answer").or_default() += 1;
                problems.push(format!("NO ANSWER (and no published verdict) {name}: {error}"));
            }
        }
    }
    for problem in &problems {
        println!("{problem}");
    }
    for name in liveness.keys() {
        println!("UNSUPPORTED {name}: its verdict is about progress (liveness), which the model does not decide");
    }
    println!("{} files, {:.1} s", names.len(), start.elapsed().as_secs_f64());
    println!(
        "{agree} of {} published safety verdicts agree; {bounded} of them up to a bound of loop rounds",
        expected.len()
    );
    println!("files without a published safety verdict: {other:?}");
    println!("{} published liveness verdicts are unsupported", liveness.len());
    Ok(agree == expected.len())
}

/// The verdicts of a CSV file.
fn verdicts(path: &str) -> Result<BTreeMap<String, bool>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut verdicts = BTreeMap::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let verdict = line.rsplit_once(',').and_then(|(name, verdict)| match verdict.trim() {
            "1" => Some((name, true)),
            "0" => Some((name, false)),
            _ => None,
        });
        let (name, holds) =
            verdict.ok_or_else(|| format!("{path}, line {}: expected `PATH,1` or `PATH,0`", index + 1))?;
        verdicts.insert(name.trim().to_owned(), holds);
    }
    Ok(verdicts)
}

/// All litmus files below a folder, relative to the root.
fn find(root: &Path, folder: &Path, names: &mut BTreeSet<String>) -> Result<(), String> {
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            find(root, &path, names)?;
        } else if path.extension().is_some_and(|extension| extension == "litmus")
            && let Ok(relative) = path.strip_prefix(root)
        {
            names.insert(relative.to_string_lossy().into_owned());
        }
    }
    Ok(())
}
