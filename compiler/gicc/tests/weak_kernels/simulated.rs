//! The kernels in the simulator's weak mode.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use gicc_sim::weak::Options;
use gicc_sim::weak::explore::Explorer;
use gicc_sim::{Config, MemoryMode, SimError};

use crate::compiled::program_of;
use crate::manifest::Kernel;
use crate::pes::{OnEveryPe, Pes};
use crate::tracing::SYMMETRIC_BYTES;

/// The most PEs that a kernel has.
const PES: u32 = 3;
/// Where a kernel's symmetric memory lies in each segment.
const OFFSET: u64 = 1 << 20;
/// Bytes of the marks of a PE, and of its checks among them.
const MARKS: u64 = 1024;
const CHECKS: usize = 32 * 16;

/// A machine with the kernels of a file on it.
pub(crate) struct Simulated {
    machines: Vec<(u32, Loaded)>,
    program: tempfile::NamedTempFile,
}

struct Loaded {
    on: Pes,
    marks: Vec<u64>,
    /// The names of the kernels as the machine wants them.
    names: Vec<String>,
}

/// What one schedule came to.
pub(crate) struct Ran {
    /// A check failed.
    pub(crate) wrong_value: bool,
    /// A race was told.
    pub(crate) raced: bool,
    /// Why it counts as failed.
    pub(crate) failure: Option<String>,
    /// The lines that the races and the reads of old values name.
    pub(crate) lines: BTreeSet<u32>,
}

/// What all executions came to.
pub(crate) struct Explored {
    runs: u64,
    given_up: u64,
    complete: bool,
    pub(crate) failure: Option<String>,
}

impl Explored {
    pub(crate) fn text(&self) -> String {
        let all = if self.complete { "all executions seen" } else { "not all executions seen" };
        format!("{all}: {} runs, {} more given up as equal to one of them", self.runs, self.given_up)
    }
}

impl Simulated {
    /// Compiles a file.
    pub(crate) fn new(file: &str) -> Result<Simulated, String> {
        let bytes = program_of(file)?;
        let program = tempfile::Builder::new().suffix(".so").tempfile().map_err(|error| error.to_string())?;
        std::fs::write(program.path(), bytes).map_err(|error| error.to_string())?;
        Ok(Simulated { machines: Vec::new(), program })
    }

    /// One schedule.
    pub(crate) fn run(&mut self, kernel: &Kernel, number: u32, seed: u64) -> Ran {
        let loaded = self.loaded(kernel.pes);
        loaded.on.machine.set_explorer(None);
        loaded.on.machine.set_seed(seed);
        loaded.run(kernel, &kernel.entry(number)).unwrap_or_else(|error| Ran {
            wrong_value: false,
            raced: false,
            failure: Some(error.to_string()),
            lines: BTreeSet::new(),
        })
    }

    /// All executions, at most `limit` runs.
    pub(crate) fn explore(&mut self, kernel: &Kernel, number: u32, limit: u64) -> Explored {
        let loaded = self.loaded(kernel.pes);
        let explorer = Rc::new(RefCell::new(Explorer::new()));
        loaded.on.machine.set_explorer(Some(explorer.clone()));
        let mut explored = Explored { runs: 0, given_up: 0, complete: false, failure: None };
        while explored.runs + explored.given_up < limit && explored.failure.is_none() {
            match loaded.run(kernel, &kernel.entry(number)) {
                Ok(ran) => {
                    explored.runs += 1;
                    explored.failure = ran.failure;
                }
                Err(SimError::GivenUp) => explored.given_up += 1,
                Err(error) => explored.failure = Some(error.to_string()),
            }
            if !explorer.borrow_mut().advance() {
                explored.complete = true;
                break;
            }
        }
        loaded.on.machine.set_explorer(None);
        explored
    }

    fn loaded(&mut self, pes: u32) -> &mut Loaded {
        assert!(pes <= PES, "a kernel for {pes} PEs");
        let at = match self.machines.iter().position(|(of, _)| *of == pes) {
            Some(at) => at,
            None => {
                let loaded = Loaded::new(pes, self.program.path()).unwrap_or_else(|error| panic!("{error}"));
                self.machines.push((pes, loaded));
                self.machines.len() - 1
            }
        };
        &mut self.machines[at].1
    }
}

impl Loaded {
    fn new(pes: u32, program: &std::path::Path) -> Result<Loaded, SimError> {
        let config = Config {
            pes,
            memory: MemoryMode::Weak(Options::default()),
            heap_bytes: 4 << 20,
            step_limit: 2_000_000,
            ..Config::default()
        };
        let mut on = Pes::new(config, program, gicc_abi::heap::WORKSPACE_BYTES, u64::MAX)?;
        let mut marks = Vec::new();
        for pe in 0..pes {
            marks.push(on.machine.alloc(pe, MARKS, "marks")?);
            on.machine.name_range(pe, on.machine.segment(pe) + OFFSET, SYMMETRIC_BYTES, "symmetric memory");
        }
        let names = on.machine.kernels(on.module);
        Ok(Loaded { on, marks, names })
    }

    fn run(&mut self, kernel: &Kernel, entry: &str) -> Result<Ran, SimError> {
        let name =
            self.names.iter().find(|name| *name == entry).unwrap_or_else(|| panic!("no kernel `{entry}`")).clone();
        for pe in 0..kernel.pes {
            self.on.machine.write(self.on.machine.segment(pe) + OFFSET, &[0; SYMMETRIC_BYTES as usize])?;
            self.on.machine.write(self.marks[pe as usize], &[0; MARKS as usize])?;
        }
        let mut result = Ok(None);
        for phase in 0..kernel.phases {
            let parameters: Vec<Vec<u8>> = (0..kernel.pes)
                .map(|pe| {
                    let symmetric = self.on.machine.segment(pe) + OFFSET;
                    let mut bytes = symmetric.to_le_bytes().to_vec();
                    bytes.extend(self.marks[pe as usize].to_le_bytes());
                    bytes.extend(phase.to_le_bytes());
                    bytes
                })
                .collect();
            let on = OnEveryPe { kernel: &name, blocks: kernel.blocks, threads: kernel.threads };
            result = self.on.launch(on, &parameters);
            if !matches!(result, Ok(None)) {
                break;
            }
        }
        let told = self.on.machine.take_findings();
        let error = result?;
        let wrong = self.wrong(kernel)?;
        let race = told.races.first().map(|race| race.text());
        let failure = wrong.clone().or_else(|| race.clone()).or(error);
        let racing = told.races.iter().flat_map(|race| [&race.first.source, &race.second.source]);
        let old = told.wrong_reads().map(|stale| &stale.read.source);
        // FILE:LINE:COLUMN
        let line = |source: &String| source.rsplit(':').nth(1)?.parse().ok();
        let lines = racing.chain(old).filter_map(line).collect();
        Ok(Ran { wrong_value: wrong.is_some(), raced: race.is_some(), failure, lines })
    }

    /// The first check that failed.
    fn wrong(&self, kernel: &Kernel) -> Result<Option<String>, SimError> {
        for pe in 0..kernel.pes {
            let mut bytes = [0; CHECKS];
            self.on.machine.read(self.marks[pe as usize], &mut bytes)?;
            for (slot, mark) in bytes.chunks_exact(16).enumerate() {
                let word = |at: usize| u32::from_le_bytes([mark[at], mark[at + 1], mark[at + 2], mark[at + 3]]);
                let (got, want, kind) = (word(0), word(4), word(12));
                if kind != 0 && got != want {
                    return Ok(Some(format!("PE {pe}, check {slot}: {got} was read instead of {want}")));
                }
            }
        }
        Ok(None)
    }
}
