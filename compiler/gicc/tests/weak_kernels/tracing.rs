//! All blocks of all PEs, traced together over one memory.
//!
//! Blocks take turns: one runs until it ends or polls in vain, then the next one goes on. So polls end by what others
//! store, and the same events come out each time.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard};

use ptx::trace::{ConcreteMemory, Event, Launch, Memory, MemoryFault, Request, TraceError, run};

use crate::manifest::Kernel;

/// Where PE 0's part of the symmetric heap begins.
pub(crate) const BASE: u64 = 0x100_0000;
/// Distance of the parts.
pub(crate) const STRIDE: u64 = 0x10_0000;
/// Where the kernel's symmetric memory lies in each part, and how much it is.
pub(crate) const SYMMETRIC: u64 = 0xA_0000;
pub(crate) const SYMMETRIC_BYTES: u64 = 2048;
/// Memory of one PE alone: its marks, and its error word behind them.
const PRIVATE: u64 = 0x900_0000;
const PRIVATE_BYTES: u64 = 0x1000;
const ERROR: u64 = 0x800;
/// After so many reads that say nothing new, another block has its turn.
const PATIENCE: u32 = 6;
/// A thread that takes more steps polls for what nobody stores.
const STEPS: u64 = 100_000;

/// What one thread did.
pub(crate) struct Traced {
    pub(crate) pe: u32,
    pub(crate) block: u32,
    pub(crate) phase: u32,
    pub(crate) thread: u32,
    pub(crate) events: Vec<Event>,
}

/// Whether an address lies in the memory of one PE alone, and where in it.
pub(crate) fn private(address: u64) -> Option<u64> {
    (PRIVATE..PRIVATE + 16 * PRIVATE_BYTES).contains(&address).then(|| (address - PRIVATE) % PRIVATE_BYTES)
}

/// Runs all phases of an entry point.
pub(crate) fn trace(module: &ptx::Module, kernel: &Kernel, entry: &str) -> Result<Vec<Traced>, String> {
    let mut memory = ConcreteMemory::new();
    memory.region(BASE, vec![0; (STRIDE * u64::from(kernel.pes)) as usize]);
    memory.region(PRIVATE, vec![0; (PRIVATE_BYTES * u64::from(kernel.pes)) as usize]);
    let mut all = Vec::new();
    for phase in 0..kernel.phases {
        let (traced, after) = trace_phase(module, kernel, entry, phase, memory)?;
        all.extend(traced);
        memory = after;
    }
    Ok(all)
}

fn trace_phase(
    module: &ptx::Module,
    kernel: &Kernel,
    entry: &str,
    phase: u32,
    memory: ConcreteMemory,
) -> Result<(Vec<Traced>, ConcreteMemory), String> {
    let count = (kernel.pes * kernel.blocks) as usize;
    let table =
        Table { state: Mutex::new(State { memory, turn: 0, done: vec![false; count] }), changed: Condvar::new() };
    let results: Vec<Result<Vec<Traced>, TraceError>> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..count)
            .map(|me| {
                let table = &table;
                scope.spawn(move || {
                    let (pe, block) = (me as u32 / kernel.blocks, me as u32 % kernel.blocks);
                    let result = trace_block(module, kernel, entry, phase, table, me);
                    table.finish(me);
                    result.map(|traces| {
                        let threads = traces.into_iter();
                        threads.map(|(thread, events)| Traced { pe, block, phase, thread, events }).collect()
                    })
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().expect("tracing does not panic")).collect()
    });
    let mut all = Vec::new();
    for result in results {
        all.extend(result.map_err(|error| format!("{entry}: {error}"))?);
    }
    let state = table.state.into_inner().expect("no trace panicked");
    Ok((all, state.memory))
}

fn trace_block(
    module: &ptx::Module,
    kernel: &Kernel,
    entry: &str,
    phase: u32,
    table: &Table,
    me: usize,
) -> Result<Vec<(u32, Vec<Event>)>, TraceError> {
    let (pe, block) = (me as u32 / kernel.blocks, me as u32 % kernel.blocks);
    let mut launch = Launch::new(module, entry).block(kernel.threads, 1, 1);
    if !kernel.acting.is_empty() {
        launch = launch.only(kernel.acting.iter().copied());
    }
    launch.grid = [kernel.blocks, 1, 1];
    launch.block_index = [block, 0, 0];
    launch.step_limit = STEPS;
    launch.constants.insert(gicc_abi::STATE_SYMBOL.into(), state(kernel.pes, pe));
    let symmetric = BASE + STRIDE * u64::from(pe) + SYMMETRIC;
    let launch = launch
        .parameter(symmetric.to_le_bytes())
        .parameter((PRIVATE + PRIVATE_BYTES * u64::from(pe)).to_le_bytes())
        .parameter(phase.to_le_bytes());
    let mut memory = Turns { table, me, idle: 0, seen: HashMap::new() };
    let traces = run(&launch, &mut memory)?;
    Ok(traces.into_iter().map(|trace| (trace.thread, trace.events)).collect())
}

fn state(pes: u32, pe: u32) -> Vec<u8> {
    gicc_abi::layout::State {
        abi_version: gicc_abi::ABI_VERSION,
        my_pe: pe as i32,
        n_pes: pes as i32,
        flags: 0,
        heap_base: BASE,
        heap_stride: STRIDE,
        heap_bytes: STRIDE,
        workspace_offset: 0,
        workspace_bytes: gicc_abi::heap::WORKSPACE_BYTES,
        error: PRIVATE + PRIVATE_BYTES * u64::from(pe) + ERROR,
        timeout_ns: u64::MAX,
    }
    .to_bytes()
}

/// The memory, and whose turn it is.
struct Table {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    memory: ConcreteMemory,
    turn: usize,
    done: Vec<bool>,
}

impl Table {
    fn take(&self, me: usize) -> MutexGuard<'_, State> {
        let state = self.state.lock().expect("no trace panicked");
        self.changed.wait_while(state, |state| state.turn != me).expect("no trace panicked")
    }

    fn finish(&self, me: usize) {
        let mut state = self.state.lock().expect("no trace panicked");
        state.done[me] = true;
        if state.turn == me {
            state.pass_on();
        }
        self.changed.notify_all();
    }
}

impl State {
    fn pass_on(&mut self) {
        let count = self.done.len();
        if let Some(next) = (1..=count).map(|step| (self.turn + step) % count).find(|&next| !self.done[next]) {
            self.turn = next;
        }
    }
}

/// The memory as one block sees it.
struct Turns<'t> {
    table: &'t Table,
    me: usize,
    idle: u32,
    /// What each place of the text last read, by thread and address.
    seen: HashMap<(u32, usize, u64), u128>,
}

impl Turns<'_> {
    fn note(&mut self, request: &Request, value: u128) {
        let old = self.seen.insert((request.thread, request.span.start, request.address), value);
        self.idle = if old == Some(value) { self.idle + 1 } else { 0 };
        if self.idle >= PATIENCE {
            self.idle = 0;
            let mut state = self.table.take(self.me);
            state.pass_on();
            self.table.changed.notify_all();
        }
    }
}

impl Memory for Turns<'_> {
    fn load(&mut self, request: &Request) -> Result<u128, MemoryFault> {
        let value = self.table.take(self.me).memory.load(request)?;
        self.note(request, value);
        Ok(value)
    }

    fn store(&mut self, request: &Request, value: u128) -> Result<(), MemoryFault> {
        self.table.take(self.me).memory.store(request, value)
    }

    fn update(&mut self, request: &Request, new: &mut dyn FnMut(u128) -> u128) -> Result<u128, MemoryFault> {
        let old = self.table.take(self.me).memory.update(request, new)?;
        self.note(request, old);
        Ok(old)
    }
}
