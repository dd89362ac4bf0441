//! Measures one case in this process: a machine, buffers, launches with other orders of threads, results checked.
//!
//! Time is the processor's, since the clock's says little on a machine that does other work as well. Memory is the most
//! that the process had (`VmHWM` of Linux), so a process measures one case.

use std::path::Path;
use std::time::Instant;

use gicc_abi::heap::{BUFFER_ALIGN, WORKSPACE_BYTES};
use gicc_abi::layout::{Error, State};
use gicc_abi::{ABI_VERSION, STATE_SYMBOL};
use gicc_sim::weak::Options;
use gicc_sim::{Config, Launch, Machine, MemoryMode, ModuleId, SimError};

use crate::case::{Case, Kernel, Mode, Outcome, THREADS};

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Launches of a case at most, and seconds after which no further one begins.
const LAUNCHES: usize = 5;
const ENOUGH: f64 = 1.0;

/// Seconds of the processor that this process has used.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The most memory that this process has had, in bytes.
fn peak() -> Fallible<u64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:")).ok_or("the kernel tells no VmHWM")?;
    let kilobytes = line.split_whitespace().nth(1).ok_or("VmHWM has no number")?;
    Ok(kilobytes.parse::<u64>()? << 10)
}

/// A machine on which the kernels are loaded, with buffers.
struct Team {
    case: Case,
    machine: Machine,
    module: ModuleId,
    /// First free byte of each segment.
    free: u64,
    /// Each PE's error words.
    errors: Vec<u64>,
}

impl Team {
    fn new(case: Case, program: &Path, heap_bytes: u64) -> Fallible<Self> {
        let memory = match case.mode {
            Mode::Functional => MemoryMode::Functional,
            Mode::Weak => MemoryMode::Weak(Options::default()),
            Mode::WeakWithoutRaces => MemoryMode::Weak(Options { races: false, ..Options::default() }),
        };
        let workspace_bytes = WORKSPACE_BYTES.next_multiple_of(BUFFER_ALIGN);
        let heap_bytes = workspace_bytes + heap_bytes;
        let mut machine =
            Machine::new(Config { pes: case.pes, memory, heap_bytes, sms: case.sms, ..Config::default() })?;
        let module = machine.load(program)?;
        let mut errors = Vec::new();
        for pe in 0..case.pes {
            let error = machine.alloc(pe, size_of::<Error>() as u64, "error words")?;
            errors.push(error);
            let state = State {
                abi_version: ABI_VERSION,
                my_pe: pe as i32,
                n_pes: case.pes as i32,
                flags: 0,
                heap_base: machine.segment(0),
                heap_stride: machine.stride(),
                heap_bytes: machine.heap_bytes(),
                workspace_offset: 0,
                workspace_bytes,
                error,
                timeout_ns: 10_000_000_000,
            };
            let (address, _) = machine.symbol(module, pe, STATE_SYMBOL).ok_or("the program has no state")?;
            machine.write(address, &state.to_bytes())?;
        }
        Ok(Self { case, machine, module, free: workspace_bytes, errors })
    }

    /// A symmetric buffer: its address on each PE.
    fn symmetric(&mut self, bytes: u64) -> Vec<u64> {
        let offset = self.free;
        self.free += bytes.next_multiple_of(BUFFER_ALIGN);
        (0..self.case.pes).map(|pe| self.machine.segment(pe) + offset).collect()
    }

    /// A buffer in each PE's own memory, with these words.
    fn local(&mut self, name: &str, words: &dyn Fn(u32, u64) -> [u8; 4], count: u64) -> Fallible<Vec<u64>> {
        let mut addresses = Vec::new();
        for pe in 0..self.case.pes {
            let address = self.machine.alloc(pe, 4 * count, name)?;
            let bytes: Vec<u8> = (0..count).flat_map(|i| words(pe, i)).collect();
            self.machine.write(address, &bytes)?;
            addresses.push(address);
        }
        Ok(addresses)
    }

    /// Launches the kernel on every PE.
    fn launch(&mut self, params: &[Vec<u8>]) -> Result<(), SimError> {
        let launches: Vec<Launch<'_>> = (0..)
            .zip(params)
            .map(|(pe, params)| Launch {
                pe,
                module: self.module,
                kernel: self.case.kernel.symbol(),
                grid: [self.case.blocks, 1, 1],
                block: [THREADS, 1, 1],
                shared_bytes: 0,
                params,
            })
            .collect();
        self.machine.launch(&launches).map(|_| ())
    }

    /// The first error word that a kernel has set.
    fn error_word(&self) -> Fallible<Option<String>> {
        for &address in &self.errors {
            let mut code = [0; 4];
            self.machine.read(address, &mut code)?;
            if code != [0; 4] {
                let mut bytes = [0; size_of::<Error>()];
                self.machine.read(address, &mut bytes)?;
                return Ok(Some(format!("{:?}", Error::from_bytes(&bytes))));
            }
        }
        Ok(None)
    }

    /// Whether a buffer's words are what they should be.
    fn check(&self, addresses: &[u64], count: u64, expected: &dyn Fn(u32, u64) -> [u8; 4]) -> Fallible<()> {
        for (pe, &address) in (0..).zip(addresses) {
            let mut bytes = vec![0; 4 * count as usize];
            self.machine.read(address, &mut bytes)?;
            if let Some(at) = (0..).zip(bytes.chunks_exact(4)).find(|(i, got)| **got != expected(pe, *i)).map(|f| f.0) {
                return Err(format!("{}: word {at} of PE {pe} is wrong", self.case.kernel.symbol()).into());
            }
        }
        Ok(())
    }
}

/// Packed parameters: 8 bytes for a pointer or a long, then 4 for an int.
#[derive(Default)]
struct Params(Vec<u8>);

impl Params {
    fn long(mut self, value: u64) -> Self {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn int(mut self, value: u32) -> Self {
        self.0.extend(value.to_le_bytes());
        self
    }
}

/// What each PE contributes: small whole numbers, so that sums are exact in any order.
fn contribution(pe: u32, i: u64) -> f32 {
    ((i % 61) as u32 + 7 * pe + 1) as f32
}

/// Runs a case.
pub(crate) fn measure(case: Case, program: &Path) -> Fallible<Outcome> {
    let words = u64::from(case.blocks) * u64::from(THREADS);
    let (pes, rounds) = (u64::from(case.pes), case.rounds);
    let mut team = Team::new(case, program, (2 * pes * words * 4 + 2 * pes * u64::from(case.blocks) * 8) + (1 << 16))?;
    let output = team.local("output", &|_, _| [0xa5; 4], words)?;
    let mut outcome =
        Outcome { cpu: Vec::new(), wall: Vec::new(), before: 0, peak: 0, executed: 0, histories: 0, stopped: None };
    let pe_list = 0..case.pes as usize;
    type Parameters = Box<dyn Fn(u64) -> Vec<Vec<u8>>>;
    type Expected = Box<dyn Fn(u32, u64) -> [u8; 4]>;
    let (params, expected): (Parameters, Expected) = match case.kernel {
        Kernel::OwnWords | Kernel::SharedWords | Kernel::OneEach => {
            let a = team.local("a", &|_, i| (i as i32 * 3).to_le_bytes(), 4 * words + 32)?;
            let stride = if case.kernel == Kernel::OwnWords { (words, 4) } else { (1, 32) };
            let last = i64::from(rounds) - 1;
            let out = output.clone();
            (
                Box::new(move |_| {
                    pe_list.clone().map(|pe| Params::default().long(a[pe]).long(out[pe]).int(rounds).0).collect()
                }),
                Box::new(move |_, t| {
                    let (step, cycle) = stride;
                    let value = if case.kernel == Kernel::OneEach {
                        t as i64 * 3 + i64::from(rounds)
                    } else {
                        (t as i64 + last % cycle * step as i64) * 3 + last
                    };
                    (value as i32).to_le_bytes()
                }),
            )
        }
        Kernel::PutSignal => {
            let landing = team.symmetric(2 * 4 * words);
            let (arrived, credit) =
                (team.symmetric(8 * u64::from(case.blocks)), team.symmetric(8 * u64::from(case.blocks)));
            let source = team.local("source", &|pe, i| contribution(pe, i).to_le_bytes(), words)?;
            let out = output.clone();
            (
                Box::new(move |first| {
                    pe_list
                        .clone()
                        .map(|pe| {
                            let pointers = Params::default().long(landing[pe]).long(arrived[pe]).long(credit[pe]);
                            pointers.long(source[pe]).long(out[pe]).int(rounds).long(first).0
                        })
                        .collect()
                }),
                Box::new(move |pe, i| {
                    let from = (pe + case.pes - 1) % case.pes;
                    (rounds as f32 * contribution(from, i)).to_le_bytes()
                }),
            )
        }
        Kernel::AllReduce => {
            let slots = team.symmetric(2 * pes * 4 * words);
            let arrived = team.symmetric(pes * 8 * u64::from(case.blocks));
            let source = team.local("source", &|pe, i| contribution(pe, i).to_le_bytes(), words)?;
            let out = output.clone();
            (
                Box::new(move |first| {
                    pe_list
                        .clone()
                        .map(|pe| {
                            let pointers = Params::default().long(slots[pe]).long(arrived[pe]);
                            pointers.long(source[pe]).long(out[pe]).int(rounds).long(first).0
                        })
                        .collect()
                }),
                Box::new(move |_, i| {
                    let sum: f32 = (0..case.pes).map(|pe| contribution(pe, i)).sum();
                    (rounds as f32 * sum).to_le_bytes()
                }),
            )
        }
        Kernel::GridMeets => {
            let count = team.local("count", &|_, _| [0; 4], 1)?;
            let told = team.symmetric(8);
            let out = output.clone();
            (
                Box::new(move |_| {
                    pe_list.clone().map(|pe| Params::default().long(count[pe]).long(told[pe]).long(out[pe]).0).collect()
                }),
                Box::new(|_, _| 1.0f32.to_le_bytes()),
            )
        }
    };

    outcome.before = peak()?;
    let launches = if case.kernel == Kernel::GridMeets { 1 } else { LAUNCHES };
    let mut first = 1;
    while outcome.cpu.len() < launches && outcome.cpu.iter().sum::<f64>() < ENOUGH {
        let params = params(first);
        let (begun, used) = (Instant::now(), cpu());
        let ended = team.launch(&params);
        outcome.cpu.push(cpu() - used);
        outcome.wall.push(begun.elapsed().as_secs_f64());
        if let Err(error) = ended {
            if case.kernel != Kernel::GridMeets {
                return Err(error.into());
            }
            outcome.stopped = Some(error.to_string());
            break;
        }
        if let Some(told) = team.error_word()? {
            if case.kernel != Kernel::GridMeets {
                return Err(told.into());
            }
            outcome.stopped = Some(told);
            break;
        }
        team.check(&output, words, &expected)?;
        first += u64::from(rounds);
    }
    outcome.peak = peak()?;
    let told = team.machine.take_findings();
    if let Some(race) = told.races.first() {
        return Err(format!("a race was found in a kernel without one: {race:?}").into());
    }
    outcome.executed = told.operations / outcome.cpu.len().max(1) as u64;
    outcome.histories = told.history_bytes;
    Ok(outcome)
}
