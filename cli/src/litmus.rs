//! `gicc litmus`: small programs of memory operations, judged by the axioms of the PTX memory model and run in the
//! simulator's weak memory. Both gicc's own form and the published one for PTX are read.

use std::path::{Path, PathBuf};

use gicc::diagnostic::{Diagnostic, codes};
use serde::Serialize;

use crate::args::{LitmusArgs, LitmusEngine};
use crate::exit;
use crate::messages::Messages;

/// One file, as `--json` prints it.
#[derive(Serialize)]
struct FileReport {
    file: String,
    /// What the axioms say.
    #[serde(skip_serializing_if = "Option::is_none")]
    axioms: Option<memory_model::litmus::LitmusReport>,
    /// What the simulator reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<gicc_sim::weak::litmus::LitmusReport>,
}

/// Judges every test; 1 where a verdict is not the one that the test states, or where the simulator reached an outcome that
/// the axioms forbid.
pub(crate) fn litmus(args: &LitmusArgs, messages: &Messages) -> u8 {
    let mut files = Vec::new();
    for path in &args.inputs {
        if let Err(why) = find(path, &mut files) {
            messages.diagnostic(&unreadable(path, &why));
            return exit::REFUSED;
        }
    }
    files.sort();
    let (mut right, mut tests) = (true, 0);
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(e) => {
                messages.diagnostic(&unreadable(file, &e));
                return exit::REFUSED;
            }
        };
        let report = judge(args, file, &text);
        tests += report.axioms.as_ref().map_or(0, |r| r.tests.len());
        right &= report.axioms.as_ref().is_none_or(|r| r.is_right());
        right &= report.simulator.as_ref().is_none_or(|r| r.is_sound());
        print(args, &report);
    }
    if tests == 0 && args.engine != LitmusEngine::Sim {
        messages.diagnostic(
            &Diagnostic::error(codes::UNREADABLE_INPUT, "no litmus test was found")
                .cure("name a file, or a folder with files that end in .litmus"),
        );
        return exit::REFUSED;
    }
    if right { exit::OK } else { exit::REFUSED }
}

fn judge(args: &LitmusArgs, file: &Path, text: &str) -> FileReport {
    let wants = |engine| args.engine == LitmusEngine::Both || args.engine == engine;
    FileReport {
        file: file.display().to_string(),
        axioms: wants(LitmusEngine::Axioms).then(|| memory_model::litmus::run(text)),
        simulator: wants(LitmusEngine::Sim).then(|| gicc_sim::weak::litmus::run(text, args.limit)),
    }
}

fn print(args: &LitmusArgs, report: &FileReport) {
    if args.json {
        if let Ok(line) = serde_json::to_string(report) {
            println!("{line}");
        }
        return;
    }
    println!("{}", report.file);
    if let Some(axioms) = &report.axioms {
        print!("{axioms}");
    }
    if let Some(simulator) = &report.simulator {
        print!("{simulator}");
    }
}

/// A file, or all litmus files below a folder.
fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "litmus") {
            find(&path, files)?;
        }
    }
    Ok(())
}

fn unreadable(path: &Path, why: &std::io::Error) -> Diagnostic {
    Diagnostic::error(codes::UNREADABLE_INPUT, format!("cannot read `{}`", path.display()))
        .cause(why.to_string())
        .cure("check the name and the permissions")
}
