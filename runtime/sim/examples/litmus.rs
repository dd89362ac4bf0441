//! Runs litmus tests in the simulator and compares with the axioms.
//!
//! ```text
//! cargo run --release -p gicc-sim --example litmus -- [--json] [--limit RUNS] [--summary] FILE|FOLDER...
//! ```
//!
//! Ends with 1 where an outcome was reached that the axioms forbid.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gicc_sim::weak::litmus::{LitmusReport, run};

fn main() -> ExitCode {
    match tests() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn tests() -> Result<bool, String> {
    let (mut json, mut summary, mut limit, mut files) = (false, false, 20_000, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--summary" => summary = true,
            "--limit" => {
                let text = arguments.next().ok_or("--limit needs a number")?;
                limit = text.parse().map_err(|_| format!("`{text}` is no number of runs"))?;
            }
            path => find(Path::new(path), &mut files)?,
        }
    }
    files.sort();
    let mut all = LitmusReport::default();
    for file in &files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        all.tests.extend(run(&text, limit).tests);
    }
    if json {
        println!("{}", all.to_json());
    } else if !summary {
        print!("{all}");
    }
    let count =
        |what: &dyn Fn(&gicc_sim::weak::litmus::TestReport) -> bool| all.tests.iter().filter(|test| what(test)).count();
    let sum = |what: &dyn Fn(&gicc_sim::weak::litmus::TestReport) -> usize| all.tests.iter().map(what).sum::<usize>();
    if !json {
        println!(
            "{} tests, {} compared ({} programs); {} seen completely; {} outcomes reached, {} of them forbidden; {} allowed ones not reached, in {} tests",
            all.tests.len(),
            count(&|test| test.skipped.is_none()),
            sum(&|test| test.programs),
            count(&|test| test.skipped.is_none() && test.complete),
            sum(&|test| test.reached),
            sum(&|test| test.forbidden.len()),
            sum(&|test| test.unreached.len()),
            count(&|test| !test.unreached.is_empty()),
        );
    }
    Ok(all.is_sound())
}

/// A file, or all litmus files below a folder.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "litmus") {
            find(&path, files)?;
        }
    }
    Ok(())
}
