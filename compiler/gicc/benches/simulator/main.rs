//! How fast the simulator is and how much memory it takes: `cargo bench -p gicc --bench simulator`, with
//! `-- --out FOLDER` for where the table and the picture go (the folder `simulator` of the target folder by default), and
//! `-- --quick` for small sizes only.
//!
//! | part | what is measured |
//! | --- | --- |
//! | rates | loads and stores a second, functional and weak |
//! | rounds | put_signal between neighbours of 2 to 8 PEs, rounds after each other |
//! | growth | put_signal and a one-shot all-reduce on 1 to 8 PEs, 1 to 256 blocks of 256 threads: time and memory |
//! | residency | 256 blocks a PE: all at once, and blocks that wait for blocks that have found no room |
//!
//! Each case runs in a process of its own, since Linux tells the most memory of a whole process. Kernels are compiled
//! once, from `kernels.cu`. Results of kernels are checked.

mod case;
mod measure;
mod plot;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Emit, Observer, Options, Stage, Tools, compile};

use crate::case::{Case, Kernel, Mode, Outcome};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Prints what goes wrong; a benchmark has nobody else to tell.
struct Loud;

impl Observer for Loud {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            eprintln!("{diagnostic}");
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// The program of all kernels, in a file.
fn program(folder: &Path) -> Fallible<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/simulator/kernels.cu");
    let mut options = Options::new(vec![source], Tools::discover());
    options.emit = vec![Emit::Sim];
    let compiled = compile(&options, &mut Loud).map_err(|_| "the kernels do not compile")?;
    let (_, bytes) = compiled.products.first().ok_or("there is no program")?;
    let path = folder.join("kernels.so");
    std::fs::write(&path, bytes)?;
    Ok(path)
}

/// Measures a case in another process.
fn elsewhere(case: &Case, program: &Path) -> Fallible<Outcome> {
    let output = Command::new(std::env::current_exe()?)
        .arg("--case")
        .arg(serde_json::to_string(case)?)
        .arg(program)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{case:?} failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn rates() -> Vec<Case> {
    let mut cases = Vec::new();
    for kernel in [Kernel::OwnWords, Kernel::SharedWords] {
        cases.push(Case::new(kernel, Mode::Functional, 1, 64, 1000));
        cases.push(Case::new(kernel, Mode::Weak, 1, 64, 100));
        cases.push(Case::new(kernel, Mode::WeakWithoutRaces, 1, 64, 100));
    }
    cases.push(Case::new(Kernel::OneEach, Mode::Functional, 1, 4096, 1));
    cases.push(Case::new(Kernel::OneEach, Mode::Weak, 1, 4096, 1));
    cases.push(Case::new(Kernel::OneEach, Mode::WeakWithoutRaces, 1, 4096, 1));
    cases
}

fn rounds() -> Vec<Case> {
    let sizes = [2, 4, 8].into_iter().flat_map(|pes| [Mode::Functional, Mode::Weak].map(|mode| (pes, mode)));
    sizes.map(|(pes, mode)| Case::new(Kernel::PutSignal, mode, pes, 8, 20)).collect()
}

fn growth(quick: bool) -> Vec<Case> {
    let blocks: &[u32] = if quick { &[1, 4, 16] } else { &[1, 4, 16, 64, 256] };
    let mut cases = Vec::new();
    for kernel in [Kernel::PutSignal, Kernel::AllReduce] {
        for mode in [Mode::Functional, Mode::Weak] {
            for pes in [1, 2, 4, 8] {
                cases.extend(blocks.iter().map(|&blocks| Case::new(kernel, mode, pes, blocks, 1)));
            }
        }
    }
    cases
}

fn residency() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in [Mode::Functional, Mode::Weak] {
        for kernel in [Kernel::PutSignal, Kernel::AllReduce, Kernel::GridMeets] {
            cases.push(Case { sms: 32, ..Case::new(kernel, mode, 8, 256, 1) });
        }
        cases.push(Case::new(Kernel::GridMeets, mode, 8, 256, 1));
    }
    cases
}

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, case, program] = arguments.as_slice()
        && flag == "--case"
    {
        let outcome = measure::measure(serde_json::from_str(case)?, Path::new(program))?;
        println!("{}", serde_json::to_string(&outcome)?);
        return Ok(());
    }
    let quick = arguments.iter().any(|a| a == "--quick");
    let named = arguments.iter().position(|a| a == "--out").and_then(|at| arguments.get(at + 1));
    let out = named.map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("simulator"), PathBuf::from);
    std::fs::create_dir_all(&out)?;
    let folder = tempfile::tempdir()?;
    let program = program(folder.path())?;

    let mut text = String::new();
    let mut run = |title: &str, cases: Vec<Case>| -> Fallible<Vec<(Case, Outcome)>> {
        let mut results = Vec::new();
        for case in cases {
            let outcome = elsewhere(&case, &program)?;
            eprintln!("{}", table::row(&case, &outcome));
            results.push((case, outcome));
        }
        text += &table::table(title, &results);
        Ok(results)
    };
    let rates = run("Rates", rates())?;
    run("Rounds of put_signal", rounds())?;
    let growth = run("Growth", growth(quick))?;
    if !quick {
        run("Residency", residency())?;
    }
    std::fs::write(out.join("simulator.md"), &text)?;
    plot::draw(&out.join("simulator.svg"), &growth, &rates)?;
    println!("{text}\n{} holds simulator.md and simulator.svg", out.display());
    Ok(())
}
