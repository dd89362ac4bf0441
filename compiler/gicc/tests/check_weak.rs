//! `gicc check` over `lit-tests/weak`: right forms have no finding of correctness, and each mutant has one that names the line
//! of its manifest: as the cause, or as an access that goes wrong. (That the mutants are wrong is what
//! `tests/weak_kernels` computes from their PTX.)

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gicc::check::code::{self, Level};
use gicc::check::report::{KernelReport, Report};
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Examination, Observer, Options, Stage, Tools, check};
use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    kernel: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    name: String,
    file: String,
    mutant: Vec<Mutant>,
}

#[derive(Deserialize)]
struct Mutant {
    number: u32,
    what: String,
    line: u32,
    cause: Option<u32>,
}

struct Errors(String);

impl Observer for Errors {
    fn diagnostic(&mut self, d: Diagnostic) {
        if d.severity == Severity::Error {
            self.0 += &d.to_string();
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/weak")
}

fn checked(file: &Path) -> Report {
    let mut errors = Errors(String::new());
    check(&Options::new(vec![file.to_owned()], Tools::discover()), &Examination::default(), &mut errors)
        .unwrap_or_else(|_| panic!("{}", errors.0))
}

fn said(kernel: &KernelReport) -> String {
    let mut text = String::new();
    for finding in &kernel.findings {
        text +=
            &format!("    {} line {}: {} {:?}\n", finding.code.code, finding.line(), finding.message, finding.lines());
    }
    text
}

/// Whether a kernel has a finding that may be the reason of a failure at this line. A packet that is taken to arrive as one
/// is a note, because hardware does so.
fn reports(kernel: &KernelReport, lines: &BTreeSet<u32>) -> bool {
    kernel.findings.iter().any(|finding| {
        (finding.code.level == Level::Correctness || finding.code == &code::HARDWARE_PACKETS)
            && !finding.lines().is_disjoint(lines)
    })
}

#[test]
fn right_forms_are_clean_and_mutants_are_reported() {
    let text = std::fs::read_to_string(folder().join("kernels.toml")).expect("the manifest is there");
    let manifest: Manifest = toml::from_str(&text).expect("the manifest is right");
    let mut files: BTreeMap<String, Vec<Kernel>> = BTreeMap::new();
    for kernel in manifest.kernel {
        files.entry(kernel.file.clone()).or_default().push(kernel);
    }
    let mut problems = Vec::new();
    for (file, kernels) in files {
        let report = checked(&folder().join(&file));
        let of = |name: String| report.kernels.iter().find(|k| k.name == name).expect("the kernel is there");
        for kernel in kernels {
            let right = of(format!("{}_0", kernel.name));
            if right.findings.iter().any(|finding| finding.code.level == Level::Correctness) {
                problems.push(format!("{}: the right form is reported\n{}", kernel.name, said(right)));
            }
            for mutant in &kernel.mutant {
                let wrong = of(format!("{}_{}", kernel.name, mutant.number));
                let lines: BTreeSet<u32> = mutant.cause.into_iter().chain([mutant.line]).collect();
                if !reports(wrong, &lines) {
                    let what = &mutant.what;
                    problems.push(format!(
                        "{}: {what} at line {} is not reported\n{}",
                        wrong.name,
                        mutant.line,
                        said(wrong)
                    ));
                } else if std::env::var_os("CHECK_WEAK_PRINT").is_some() {
                    eprintln!("{}: {}\n{}", wrong.name, mutant.what, said(wrong));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
