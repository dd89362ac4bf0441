//! The kernels of `lit-tests/weak`: by the axioms, each right form is safe and each mutant can fail.
//!
//! The kernels are compiled to PTX, all their blocks are traced together, and what they did is a program of the memory
//! model, closed by the kernel's own marks (see `lit-tests/weak/weak.h`). No verdict is anybody's opinion.
//!
//! The same kernels run in the simulator's weak mode: no right form may ever fail, and each mutant has to within 10,000
//! schedules. How many each took: `cargo test --release -p gicc --test weak_kernels -- --ignored --nocapture`.

mod compiled;
mod manifest;
#[path = "../sim_support/pes.rs"]
mod pes;
mod program;
mod simulated;
mod tracing;

use std::collections::{BTreeMap, BTreeSet};

use compiled::ptx_of;
use manifest::{Finding, Kernel, Manifest, Mutant};
use memory_model::{Model, Verdict};
use program::{Extracted, any, extract};

use simulated::Simulated;

/// At least so many kernels in right form.
const LEAST: usize = 40;

fn extracted((text, module): &(String, ptx::Module), kernel: &Kernel, number: u32) -> Result<Extracted, String> {
    let entry = kernel.entry(number);
    let traces = tracing::trace(module, kernel, &entry)?;
    let extracted = extract(text, kernel, &traces).map_err(|error| format!("{entry}: {error}"))?;
    if extracted.checks.is_empty() {
        return Err(format!("{entry}: nothing is checked"));
    }
    Ok(extracted)
}

/// The right form: no check can fail, and nothing races.
fn right(module: &(String, ptx::Module), kernel: &Kernel, problems: &mut Vec<String>) {
    let name = &kernel.name;
    let found = match extracted(module, kernel, 0) {
        Ok(found) => found,
        Err(error) => return problems.push(error),
    };
    let model = Model::default();
    match model.check(&found.program, &any(&found.checks)) {
        Ok(Verdict::Forbidden) => {}
        Ok(verdict) => problems.push(format!(
            "{name}: the right form can fail: {}",
            verdict.witness().map_or_else(String::new, ToString::to_string)
        )),
        Err(error) => problems.push(format!("{name}: {error}")),
    }
    match model.races(&found.program) {
        Ok(races) => match (races.first(), &kernel.formal_race) {
            (Some(race), None) => problems.push(format!("{name}: the right form has a {race}")),
            (None, Some(_)) => {
                problems.push(format!("{name}: the right form has no race, and the manifest says it has"))
            }
            _ => {}
        },
        Err(error) => problems.push(format!("{name}: races: {error}")),
    }
}

/// A mutant: a check can fail as the manifest says, and it is the one that the manifest names.
fn wrong(module: &(String, ptx::Module), kernel: &Kernel, mutant: &Mutant, problems: &mut Vec<String>) {
    let name = kernel.entry(mutant.number);
    let found = match extracted(module, kernel, mutant.number) {
        Ok(found) => found,
        Err(error) => return problems.push(error),
    };
    let mut lines = BTreeSet::new();
    let mut possible = false;
    let mut undefined = false;
    for check in &found.checks {
        let outcome = match mutant.finding {
            Finding::Stale => &check.older,
            Finding::Overwritten => &check.newer,
            Finding::Torn => &check.bad,
        };
        match Model::default().check(&found.program, outcome) {
            Ok(Verdict::Forbidden) => {}
            Ok(verdict) => {
                undefined |= matches!(verdict, Verdict::Undefined(..));
                possible = true;
                lines.extend(check.line);
            }
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    if !possible {
        return problems.push(format!("{name}: {} {}: no check can fail", mutant_word(mutant), mutant.what));
    }
    if !lines.contains(&mutant.line) {
        problems.push(format!("{name}: the read of line {} cannot fail; those of {lines:?} can", mutant.line));
    }
    if undefined && mutant.finding != Finding::Torn {
        problems.push(format!("{name}: accesses of different size race, which tears words"));
    }
}

fn mutant_word(mutant: &Mutant) -> String {
    format!("{:?}", mutant.change).to_lowercase()
}

#[test]
fn right_forms_are_safe_and_mutants_can_fail() {
    let manifest = Manifest::read();
    let mut files: BTreeMap<&str, Vec<&Kernel>> = BTreeMap::new();
    for kernel in &manifest.kernel {
        files.entry(&kernel.file).or_default().push(kernel);
    }
    let mut problems = Vec::new();
    for (file, kernels) in files {
        let module = match ptx_of(file) {
            Ok(module) => module,
            Err(error) => {
                problems.push(error);
                continue;
            }
        };
        let mut entries: BTreeSet<String> =
            module.1.functions().filter(|function| function.is_entry).map(|function| function.name.clone()).collect();
        for kernel in kernels {
            entries.remove(&kernel.entry(0));
            right(&module, kernel, &mut problems);
            for mutant in &kernel.mutant {
                entries.remove(&kernel.entry(mutant.number));
                wrong(&module, kernel, mutant, &mut problems);
            }
        }
        problems.extend(entries.into_iter().map(|entry| format!("{file}: the manifest does not know `{entry}`")));
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn there_are_enough_kernels_and_every_pattern_has_some() {
    let manifest = Manifest::read();
    assert!(manifest.kernel.len() >= LEAST, "{} kernels", manifest.kernel.len());
    let patterns: BTreeSet<u32> = manifest.kernel.iter().map(|kernel| kernel.pattern).collect();
    assert_eq!(patterns, (0..=14).collect());
    let mut names = BTreeSet::new();
    for kernel in &manifest.kernel {
        assert!(names.insert(&kernel.name), "`{}` is there twice", kernel.name);
        assert!(!kernel.mutant.is_empty(), "`{}` has no mutant", kernel.name);
        let changes: BTreeSet<u32> = kernel.mutant.iter().map(|mutant| mutant.number).collect();
        assert_eq!(changes.len(), kernel.mutant.len(), "`{}` has a mutant twice", kernel.name);
    }
}

/// Schedules that each right form is given where the tests are to be quick.
const GIVEN: u64 = 100;
/// Schedules within which each mutant has to fail.
const MOST: u64 = 10_000;
/// The environment variable that says for how many seconds right forms are run by the test that is not quick.
const SECONDS: &str = "WEAK_KERNELS_SECONDS";
/// The one that says with which seed they begin, so that a further run does not repeat an earlier one.
const SEED: &str = "WEAK_KERNELS_SEED";

#[test]
fn in_the_simulator_right_forms_do_not_fail_and_mutants_do() {
    let mut problems = Vec::new();
    each_file(|file, kernels| {
        let mut machine = Simulated::new(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for kernel in kernels {
            if let Err(problem) = never_fails(&mut machine, kernel, 0..GIVEN) {
                problems.push(problem);
            }
            for mutant in &kernel.mutant {
                problems.extend(fails(&mut machine, kernel, mutant));
            }
        }
    });
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// What is wrong with how a mutant fails: it has to within so many schedules, and where lines are told for it, the line of
/// the read that the manifest names has to be among them. (A wrong value that only strong accesses led to has no line.)
fn fails(machine: &mut Simulated, kernel: &Kernel, mutant: &Mutant) -> Option<String> {
    let (mut told, mut failed) = (BTreeSet::new(), false);
    let line = mutant.cause.unwrap_or(mutant.line);
    for seed in 0..MOST {
        let ran = machine.run(kernel, mutant.number, seed);
        if ran.failure.is_none() {
            continue;
        }
        failed = true;
        told.extend(ran.lines);
        if told.contains(&line) || told.is_empty() && ran.wrong_value {
            return None;
        }
    }
    let name = kernel.entry(mutant.number);
    Some(match failed {
        false => format!("{name}: no schedule of {MOST} fails"),
        true => format!("{name}: no schedule of {MOST} tells line {line}, only {told:?}"),
    })
}

/// The right form with these seeds.
fn never_fails(machine: &mut Simulated, kernel: &Kernel, seeds: std::ops::Range<u64>) -> Result<(), String> {
    for seed in seeds {
        if let Some(failure) = machine.run(kernel, 0, seed).failure {
            return Err(format!("{}: the right form fails with seed {seed}: {failure}", kernel.name));
        }
    }
    Ok(())
}

#[test]
#[ignore = "takes minutes; prints the table of how many schedules each mutant took"]
fn table_of_schedules_and_long_runs_of_right_forms() {
    let seconds: u64 = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut unfound = Vec::new();
    println!("| kernel | mutant | change | to a failure | to a wrong value | to a race |");
    println!("| --- | --- | --- | --- | --- | --- |");
    each_file(|file, kernels| {
        let mut machine = Simulated::new(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for kernel in kernels {
            for mutant in &kernel.mutant {
                let (mut value, mut race, mut any) = (None, None, None);
                for seed in 0..MOST {
                    let ran = machine.run(kernel, mutant.number, seed);
                    value = value.or(ran.wrong_value.then_some(seed + 1));
                    race = race.or(ran.raced.then_some(seed + 1));
                    any = any.or(ran.failure.is_some().then_some(seed + 1));
                    if value.is_some() && race.is_some() {
                        break;
                    }
                }
                let text = |found: Option<u64>| found.map_or_else(|| "never".to_owned(), |n| n.to_string());
                println!(
                    "| {} | {} | {} {} | {} | {} | {} |",
                    kernel.name,
                    mutant.number,
                    mutant_word(mutant),
                    mutant.what,
                    text(any),
                    text(value),
                    text(race)
                );
                if any.is_none() {
                    unfound.push(kernel.entry(mutant.number));
                }
            }
        }
    });
    assert!(unfound.is_empty(), "no schedule of {MOST} fails: {}", unfound.join(", "));
    let manifest = Manifest::read();
    let share = std::time::Duration::from_secs(seconds) / manifest.kernel.len() as u32;
    let first_seed = std::env::var(SEED).ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut runs = 0;
    each_file(|file, kernels| {
        let mut machine = Simulated::new(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for kernel in kernels {
            let begun = std::time::Instant::now();
            let mut seed = first_seed;
            while begun.elapsed() < share {
                never_fails(&mut machine, kernel, seed..seed + 100).unwrap_or_else(|problem| panic!("{problem}"));
                seed += 100;
            }
            runs += seed - first_seed;
        }
    });
    println!("\nright forms: {runs} schedules in {seconds} s, none failed");
}

#[test]
#[ignore = "takes a minute; goes through all executions of each right form"]
fn all_executions_of_right_forms() {
    each_file(|file, kernels| {
        let mut machine = Simulated::new(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for kernel in kernels {
            let explored = machine.explore(kernel, 0, 20_000);
            println!("{}: {}", kernel.name, explored.text());
            assert_eq!(explored.failure, None, "{}", kernel.name);
        }
    });
}

/// Each file with its kernels.
fn each_file(mut visit: impl FnMut(&str, &[Kernel])) {
    let mut files: BTreeMap<String, Vec<Kernel>> = BTreeMap::new();
    for kernel in Manifest::read().kernel {
        files.entry(kernel.file.clone()).or_default().push(kernel);
    }
    for (file, kernels) in &files {
        visit(file, kernels);
    }
}
