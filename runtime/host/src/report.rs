//! What a run reports, as JSON and as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gicc_sim::weak::explore::Exploration;
use gicc_sim::weak::report::WeakReport;
use serde::Serialize;

use crate::compare::Mismatch;
use crate::device_error::DeviceFailure;
use crate::error::HostError;
use crate::folder::Folder;
use crate::run::{REPORTED_FAILURES, RunOptions, Schedules, Target};

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
    /// Every number is right, but accesses race, and that was asked for.
    Racy,
}

impl Outcome {
    /// The exit code of the command.
    pub const fn exit_code(self) -> u8 {
        match self {
            Outcome::Right => 0,
            Outcome::Wrong => 1,
            Outcome::DeviceError => 3,
            Outcome::Racy => 4,
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
    /// What weak memory told of all runs, where memory was weak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<WeakReport>,
    /// How far going through all choices came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
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
    /// What weak memory told of this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<WeakReport>,
    /// Whether memory was weak.
    #[serde(skip_serializing_if = "is_false")]
    pub weak: bool,
    /// Whether all choices were gone through; the schedule is the number of the run then.
    #[serde(skip_serializing_if = "is_false")]
    pub explored: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
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
            weak: None,
            exploration: None,
        }
    }

    /// Adds what the schedules of a run came to; whether a device failed.
    pub(crate) fn add_schedules(&mut self, run: u32, ended: Schedules, options: &RunOptions) -> bool {
        if self.devices.is_empty() {
            self.devices = ended.devices;
        }
        if let Some(found) = ended.findings {
            self.weak.get_or_insert_with(WeakReport::default).merge(found);
        }
        if let Some(seen) = ended.exploration {
            let all = self.exploration.get_or_insert(Exploration { complete: true, ..Exploration::default() });
            all.runs += seen.runs;
            all.given_up += seen.given_up;
            all.complete &= seen.complete;
        }
        let Some((schedule, mut failure)) = ended.failure else {
            if self.outcome == Outcome::Right
                && options.races
                && self.weak.as_ref().is_some_and(|w| !w.races.is_empty())
            {
                self.outcome = Outcome::Racy;
            }
            return false;
        };
        let device = failure.device.is_some() || failure.fault.is_some();
        failure.run = run;
        failure.schedule = Some(schedule);
        failure.explored = options.explore.is_some();
        failure.weak = self.weak.is_some();
        self.failed += 1;
        self.outcome = if device { Outcome::DeviceError } else { Outcome::Wrong };
        if self.failures.len() < REPORTED_FAILURES || device {
            self.failures.push(failure);
        }
        device
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
            Outcome::Racy => "RACY",
        };
        let right = self.runs - self.failed;
        let _ = match self.outcome {
            Outcome::Right | Outcome::Racy => {
                write!(out, "{verdict}: {} {on}: {}", self.source, plural(self.runs, "run"))
            }
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
        self.write_weak(&mut out);
        out
    }

    fn write_weak(&self, out: &mut String) {
        if let Some(exploration) = &self.exploration {
            let _ = write!(out, "\n{}", exploration.text());
        }
        let Some(weak) = &self.weak else { return };
        let between = weak.races.iter().filter(|r| r.between_pes).count();
        let _ = write!(
            out,
            "\nweak memory: {} operations; {} of places in the source race, {between} of them between PEs",
            weak.operations,
            if weak.races.len() == 1 { "1 pair".to_owned() } else { format!("{} pairs", weak.races.len()) },
        );
        if self.failures.is_empty() {
            for race in &weak.races {
                let _ = write!(out, "\n{}", race.text());
            }
        }
        for line in &weak.exactness.approximated {
            let _ = write!(out, "\n  approximated: {line}");
        }
        for line in &weak.exactness.unreachable {
            let _ = write!(out, "\n  not reached: {line}");
        }
    }
}

impl RunFailure {
    fn write(&self, out: &mut String) {
        let schedule = self.schedule.map_or(String::new(), |s| format!(", schedule {s}"));
        let _ = write!(out, "run {}{schedule}: repeat with --seed {}", self.run, self.seed);
        if self.explored {
            let _ = write!(out, " --explore");
        } else {
            if self.weak {
                let _ = write!(out, " --memory weak");
            }
            if let Some(schedule) = self.schedule {
                let _ = write!(out, " --schedule {schedule}");
            }
        }
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
        if let Some(findings) = &self.findings {
            let text = findings.text();
            if !text.is_empty() {
                let _ = write!(out, "\n{text}");
            }
        }
    }
}
