//! What a run reports, as JSON and as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::compare::Mismatch;
use crate::device_error::DeviceFailure;
use crate::error::HostError;
use crate::folder::Folder;
use crate::run::Target;

/// How runs ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every number is right.
    #[default]
    Right,
    /// A number is wrong, or something wrote past the end of a buffer.
    Wrong,
    /// A device wrote its error word, or a kernel was ended by a fault or did not end.
    DeviceError,
}

impl Outcome {
    /// The exit code of the command.
    pub const fn exit_code(self) -> u8 {
        match self {
            Outcome::Right => 0,
            Outcome::Wrong => 1,
            Outcome::DeviceError => 3,
        }
    }
}

/// The exit code for an error: 3 where the kernel failed while it ran, 2 where it could not be run.
pub fn exit_code(error: &HostError) -> u8 {
    if error.is_of_the_kernel() { 3 } else { 2 }
}

/// What runs of a folder gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The source, as it was named to the compiler.
    pub source: String,
    /// `sim` or `cuda`.
    pub target: String,
    /// What it ran on.
    pub devices: Vec<String>,
    /// Number of PEs.
    pub n_pes: u32,
    /// Seed of the first run; run k has seed + k.
    pub seed: u64,
    /// Runs that were made.
    pub runs: u32,
    /// Runs that failed.
    pub failed: u32,
    /// The worst outcome.
    pub outcome: Outcome,
    /// Outputs that are compared, with the number of PEs: nothing is compared where it is empty.
    pub compared: Vec<String>,
    /// The first failing runs.
    pub failures: Vec<RunFailure>,
}

/// A run that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunFailure {
    /// The run, from 0.
    pub run: u32,
    /// The simulator's schedule, where several were tried.
    pub schedule: Option<u32>,
    /// The seed that repeats it.
    pub seed: u64,
    /// The parameters' values.
    pub parameters: BTreeMap<String, String>,
    /// How many elements are wrong.
    pub wrong_elements: u64,
    /// The first wrong elements of each buffer on each PE.
    pub mismatches: Vec<Mismatch>,
    /// Writes past the end of a buffer.
    pub guards: Vec<String>,
    /// What the devices reported.
    pub device: Option<DeviceFailure>,
    /// How a kernel was ended: a fault, a deadlock, no end.
    pub fault: Option<String>,
}

impl RunReport {
    /// A report of no runs yet.
    pub(crate) fn new(folder: &Folder, target: Target, n_pes: u32, seed: u64) -> Self {
        let outputs = folder.description.buffers.iter().filter(|b| b.output.is_some());
        RunReport {
            source: folder.manifest.source.clone(),
            target: target.name().into(),
            devices: Vec::new(),
            n_pes,
            seed,
            runs: 0,
            failed: 0,
            outcome: Outcome::Right,
            compared: outputs.map(|b| b.name.value.clone()).collect(),
            failures: Vec::new(),
        }
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let plural = |n: u32, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
        let on = format!("on {} with {}, seed {}", self.target, plural(self.n_pes, "PE"), self.seed);
        let verdict = match self.outcome {
            Outcome::Right if self.compared.is_empty() => "ended, nothing compared",
            Outcome::Right => "right",
            Outcome::Wrong => "WRONG",
            Outcome::DeviceError => "DEVICE ERROR",
        };
        let right = self.runs - self.failed;
        let _ = match self.outcome {
            Outcome::Right => write!(out, "{verdict}: {} {on}: {}", self.source, plural(self.runs, "run")),
            _ => write!(out, "{verdict}: {} {on}: {right} of {} right", self.source, plural(self.runs, "run")),
        };
        if !self.compared.is_empty() {
            let names: Vec<String> = self.compared.iter().map(|n| format!("`{n}`")).collect();
            let _ = write!(out, "; compared {} on every PE", names.join(", "));
        }
        for failure in &self.failures {
            out.push('\n');
            failure.write(&mut out);
        }
        out
    }
}

impl RunFailure {
    fn write(&self, out: &mut String) {
        let schedule = self.schedule.map_or(String::new(), |s| format!(", schedule {s}"));
        let _ = write!(out, "run {}{schedule}: repeat with --seed {}", self.run, self.seed);
        if !self.parameters.is_empty() {
            let all: Vec<String> = self.parameters.iter().map(|(k, v)| format!("{k} = {v}")).collect();
            let _ = write!(out, " ({})", all.join(", "));
        }
        if let Some(device) = &self.device {
            let _ = write!(out, "\n{device}");
        }
        if let Some(fault) = &self.fault {
            let _ = write!(out, "\n{fault}");
        }
        if self.wrong_elements > 0 {
            let are = if self.wrong_elements == 1 { "element is" } else { "elements are" };
            let _ = write!(out, "\n  {} {are} wrong; the first of each buffer and PE:", self.wrong_elements);
        }
        for m in &self.mismatches {
            let untouched = if m.untouched { ", as before the launch" } else { "" };
            let _ = write!(
                out,
                "\n  PE {}, `{}`[{}]: expected {}, got {}{untouched}",
                m.pe, m.buffer, m.index, m.expected, m.got
            );
        }
        for guard in &self.guards {
            let _ = write!(out, "\n  {guard}");
        }
    }
}
