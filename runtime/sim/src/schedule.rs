//! Who runs when. All launches run together: blocks become resident as multiprocessors have room; in each round every
//! block has a turn, in an order drawn from the seed, in which each of its threads that can run does so, in an order drawn
//! from the seed, until it waits, ends, or has used up its slice.
//!
//! A round in which nobody got anywhere (only values read that had been read before) is idle. After several idle rounds
//! virtual time jumps, further and further, if somebody sleeps or looks at a clock; when that does not help either, it is
//! a deadlock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use corosensei::{Coroutine, CoroutineResult};
use gicc_abi::sim::{Description, ThreadInfo};

use crate::block::Block;
use crate::config::Config;
use crate::error::{AccessProblem, FaultKind, Place, SimError, Source};
use crate::memory::Memory;
use crate::program::Wrapper;
use crate::report::Report;
use crate::stack::{RESERVE, StackPool};
use crate::thread::{CacheLine, State, Thread, set_current};
use crate::weak::record::Recording;
use crate::weak::report::WeakReport;
use crate::weak::run::{BlockOf, WeakRun};
use crate::{trap, wait};

/// Idle rounds before time jumps.
const PATIENCE: u32 = 16;
/// Nanoseconds of a round at least.
const ROUND_NS: u64 = 100;

/// Passes over a block's threads in one turn at most.
const MAX_PASSES: u64 = 16;

/// What happened in a round.
#[derive(Default)]
struct Round {
    /// Steps of the thread that did most.
    longest: u64,
    /// Somebody used up a slice without waiting for anything.
    busy: bool,
    /// Threads that ran.
    threads: u32,
}

/// How a thread stopped.
pub(crate) enum Stepped {
    /// It was the last of its block.
    Gone,
    /// It can run again, or waits, or has ended.
    Stopped { used: u64, again: bool, busy: bool },
}

/// A launch that runs.
pub(crate) struct Running<'a> {
    pub(crate) pe: u32,
    pub(crate) kernel: String,
    pub(crate) wrapper: Wrapper,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u64,
    pub(crate) dynamic_shared_bytes: u64,
    pub(crate) parameters: Vec<u64>,
    pub(crate) description: &'a Description,
    pub(crate) cache: Vec<CacheLine>,
    pub(crate) next_block: u64,
    pub(crate) blocks: u64,
    pub(crate) blocks_done: u64,
    free_shared: Vec<u64>,
}

impl<'a> Running<'a> {
    #[expect(
        clippy::too_many_arguments,
        reason = "a launch has that many parts, and this is the one place that joins them"
    )]
    pub(crate) fn new(
        pe: u32,
        kernel: String,
        wrapper: Wrapper,
        grid: [u32; 3],
        block: [u32; 3],
        shared: (u64, u64),
        parameters: &[u8],
        description: &'a Description,
    ) -> Self {
        let mut words = vec![0u64; parameters.len().div_ceil(8).max(1)];
        for (word, bytes) in words.iter_mut().zip(parameters.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        Self {
            pe,
            kernel,
            wrapper,
            grid,
            block,
            shared_bytes: shared.0 + shared.1,
            dynamic_shared_bytes: shared.1,
            parameters: words,
            description,
            cache: vec![CacheLine::default(); 2 * description.sites.len().max(1)],
            next_block: 0,
            blocks: grid.iter().map(|&n| u64::from(n)).product(),
            blocks_done: 0,
            free_shared: Vec::new(),
        }
    }

    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Threads of all its blocks.
    pub(crate) fn all_threads(&self) -> u64 {
        self.blocks * u64::from(self.threads())
    }
}

/// A fault of a thread, before it has been told in words.
pub(crate) enum Fault {
    /// A bad access.
    Access { access: &'static str, address: u64, bytes: u64, problem: AccessProblem },
    /// Something else.
    Other(FaultKind),
}

/// A multiprocessor.
#[derive(Clone, Copy, Default)]
struct Sm {
    threads: u32,
    blocks: u32,
}

/// Everything that runs. It does not move while it runs: threads hold pointers to it.
pub(crate) struct Scheduler {
    config: Config,
    pub(crate) memory: *mut Memory,
    stacks: *mut StackPool,
    /// The launches; their descriptions outlive the scheduler.
    pub(crate) launches: Vec<Running<'static>>,
    pub(crate) blocks: Vec<Option<Box<Block>>>,
    sms: Vec<Vec<Sm>>,
    /// Blocks with threads that can run.
    pub(crate) active: Vec<*mut Block>,
    pub(crate) sleepers: BinaryHeap<Reverse<(u64, u64, *mut Thread)>>,
    sleeps: u64,
    random: Random,
    /// Virtual time in nanoseconds.
    pub(crate) now: u64,
    /// Somebody got somewhere in this round.
    pub(crate) progress: bool,
    /// Somebody looked at a clock since somebody got somewhere.
    pub(crate) clock_read: bool,
    pub(crate) fault: Option<Fault>,
    pub(crate) output: String,
    pub(crate) steps: u64,
    /// The engine of weak memory, where memory is weak.
    pub(crate) weak: Option<Box<WeakRun>>,
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every host and in every version.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Runs launches to their end.
pub(crate) fn run(
    config: &Config,
    memory: &mut Memory,
    stacks: &mut StackPool,
    start: u64,
    launches: Vec<Running<'_>>,
    weak: Option<Box<WeakRun>>,
) -> (Result<Report, SimError>, u64, Option<WeakReport>, Option<Recording>) {
    // SAFETY: only the lifetime changes. The scheduler is dropped before this function returns, so the descriptions
    // outlive it.
    let launches = unsafe { std::mem::transmute::<Vec<Running<'_>>, Vec<Running<'static>>>(launches) };
    let sms = vec![vec![Sm::default(); config.sms as usize]; config.pes as usize];
    let mut scheduler = Box::new(Scheduler {
        config: config.clone(),
        memory,
        stacks,
        launches,
        blocks: Vec::new(),
        sms,
        active: Vec::new(),
        sleepers: BinaryHeap::new(),
        sleeps: 0,
        random: Random(config.seed),
        now: start,
        progress: false,
        clock_read: false,
        fault: None,
        output: String::new(),
        steps: 0,
        weak,
    });
    memory.reset_arena();
    let result = scheduler.run(start);
    let told = scheduler.weak.as_ref().map(|weak| scheduler.tell(weak));
    let recording = scheduler.weak.as_mut().and_then(|weak| weak.engine.take_recording());
    (result, scheduler.now, told, recording)
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        for block in self.blocks.iter_mut().flatten() {
            for thread in &mut block.threads {
                retire(thread, self.stacks);
            }
        }
    }
}

/// Takes a thread's stack back; a coroutine that has not ended is forgotten where it stands.
fn retire(thread: &mut Thread, stacks: *mut StackPool) {
    if let Some(mut coroutine) = thread.coroutine.take() {
        if !coroutine.done() {
            // SAFETY: what is on the stack is the program's frames, which own nothing, and entry points of the simulator,
            // which own nothing while they are suspended.
            unsafe { coroutine.force_reset() };
        }
        // SAFETY: the pool outlives the scheduler.
        unsafe { (*stacks).give(coroutine.into_stack()) };
    }
}

impl Scheduler {
    fn run(&mut self, start: u64) -> Result<Report, SimError> {
        let begun = Instant::now();
        let _handlers = trap::Handlers::install();
        self.fill()?;
        if self.weak.as_ref().is_some_and(|w| w.is_explored()) {
            return self.run_explored(start, begun);
        }
        let (mut rounds, mut idle_rounds, mut jump, mut jumped) = (0u64, 0u32, 1000u64, 0u64);
        loop {
            self.wake_sleepers();
            if self.active.is_empty() {
                match self.sleepers.peek() {
                    Some(&Reverse((until, _, _))) => {
                        self.now = self.now.max(until);
                        self.wake_sleepers();
                    }
                    None if self.blocks.iter().all(Option::is_none) => break,
                    None => return Err(SimError::Deadlock { waits: wait::report(self) }),
                }
            }
            rounds += 1;
            self.progress = false;
            let round = self.round()?;
            self.now += round.longest.max(ROUND_NS);
            self.check_time(begun)?;
            if self.progress || round.busy {
                (idle_rounds, jump, jumped) = (0, 1000, 0);
                self.clock_read &= !self.progress;
                continue;
            }
            idle_rounds += 1;
            if idle_rounds < PATIENCE {
                continue;
            }
            if let Some(&Reverse((until, _, _))) = self.sleepers.peek() {
                self.now = self.now.max(until);
            }
            let limit = self.config.idle_rounds.min(20_000_000 / round.threads.max(1)).max(256);
            if self.clock_read && jumped < self.config.idle_time_limit {
                if idle_rounds.is_multiple_of(4) {
                    self.now += jump;
                    jumped += jump;
                    jump = jump.saturating_mul(2);
                }
            } else if idle_rounds >= limit {
                return Err(SimError::Deadlock { waits: wait::report(self) });
            }
        }
        Ok(Report {
            output: std::mem::take(&mut self.output),
            steps: self.steps,
            rounds,
            nanoseconds: self.now - start,
        })
    }

    /// Lets every block have a turn.
    fn round(&mut self) -> Result<Round, SimError> {
        let mut blocks = std::mem::take(&mut self.active);
        self.random.shuffle(&mut blocks);
        let mut round = Round::default();
        for block in blocks {
            self.turn(block, &mut round)?;
        }
        Ok(round)
    }

    /// Lets every thread of a block that can run do so once, and those that others of the block released meanwhile a few
    /// times more: threads of one block share caches, and others would have to come back for each barrier.
    fn turn(&mut self, block: *mut Block, round: &mut Round) -> Result<(), SimError> {
        // SAFETY: a block in the list is alive; only `step` ends it, and says so.
        unsafe {
            (*block).queued = false;
            (*block).running = true;
        }
        let mut later = Vec::new();
        for _ in 0..1 + self.random.below(MAX_PASSES) {
            // SAFETY: as above.
            let mut threads = unsafe { std::mem::take(&mut (*block).ready) };
            if threads.is_empty() {
                break;
            }
            self.random.shuffle(&mut threads);
            for &thread in &threads {
                round.threads += 1;
                match self.step(thread)? {
                    Stepped::Gone => return Ok(()),
                    Stepped::Stopped { used, again, busy } => {
                        round.longest = round.longest.max(used);
                        round.busy |= busy;
                        if again {
                            later.push(thread);
                        }
                    }
                }
            }
            threads.clear();
            // SAFETY: the block is alive, since no step said otherwise.
            unsafe {
                if (*block).ready.is_empty() {
                    (*block).ready = threads;
                    break;
                }
            }
        }
        // SAFETY: as above.
        unsafe {
            (*block).running = false;
            (*block).ready.append(&mut later);
            if !(*block).ready.is_empty() {
                self.queue(block);
            }
        }
        Ok(())
    }

    /// Gives a block a turn in the next round.
    ///
    /// # Safety
    ///
    /// The block is alive.
    unsafe fn queue(&mut self, block: *mut Block) {
        // SAFETY: as the caller promises.
        unsafe {
            if !(*block).queued && !(*block).running {
                (*block).queued = true;
                self.active.push(block);
            }
        }
    }

    pub(crate) fn check_time(&self, begun: Instant) -> Result<(), SimError> {
        match self.config.watch_time {
            Some(limit) if begun.elapsed() > limit => {
                let mut running: Vec<_> =
                    self.launches.iter().filter(|l| l.blocks_done < l.blocks).map(|l| l.pe).collect();
                running.sort_unstable();
                running.dedup();
                Err(SimError::TimeOut { seconds: limit.as_secs_f64(), waits: wait::report(self), running })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn wake_sleepers(&mut self) {
        while let Some(&Reverse((until, _, thread))) = self.sleepers.peek() {
            if until > self.now {
                break;
            }
            self.sleepers.pop();
            // SAFETY: a sleeping thread's block is alive.
            unsafe { (*thread).state = State::Ready };
            self.ready(thread);
        }
    }

    /// A thread can run.
    pub(crate) fn ready(&mut self, thread: *mut Thread) {
        // SAFETY: a thread that can run has a living block.
        unsafe {
            let block = (*thread).block;
            (*block).ready.push(thread);
            self.queue(block);
        }
    }

    /// Lets a thread run until it stops.
    pub(crate) fn step(&mut self, thread: *mut Thread) -> Result<Stepped, SimError> {
        // SAFETY: a thread in a list of those that can run has a living block, and nothing else refers to it now.
        let t = unsafe { &mut *thread };
        if t.coroutine.is_none() {
            self.start(thread)?;
        }
        let slice = 1 + self.random.below(u64::from(self.config.slice_steps.max(1))) as i64;
        t.slice = slice;
        t.info.steps = slice;
        t.state = State::Ready;
        t.poll = None;
        let Some(coroutine) = t.coroutine.as_mut() else { return Ok(Stepped::Gone) };
        let coroutine: *mut Coroutine<(), (), (), _> = coroutine;
        set_current(thread);
        // SAFETY: the coroutine stays where it is while it runs: only the scheduler moves it, and that is here.
        let result = unsafe { (*coroutine).resume(()) };
        set_current(std::ptr::null_mut());
        // SAFETY: as above; the program changed the thread meanwhile.
        let t = unsafe { &mut *thread };
        let used = (slice - t.info.steps).max(1) as u64;
        t.steps += used;
        self.steps += used;
        if let Some(fault) = self.fault.take() {
            return Err(self.error(t, fault));
        }
        if t.steps > self.config.step_limit {
            return Err(SimError::Endless { place: Box::new(self.place(t)), steps: t.steps });
        }
        let ended = matches!(result, CoroutineResult::Return(())) || t.state == State::Exiting;
        if ended {
            let gone = self.end(thread)?;
            return Ok(if gone { Stepped::Gone } else { Stepped::Stopped { used, again: false, busy: false } });
        }
        // A slice that came to its end within a loop of polls is idle too.
        if let (State::Ready, Some(poll)) = (t.state, t.poll) {
            t.state = State::Polling(poll);
        }
        if let State::Sleeping { until } = t.state {
            self.sleeps += 1;
            self.sleepers.push(Reverse((until, self.sleeps, thread)));
        }
        let busy = t.state == State::Ready;
        Ok(Stepped::Stopped { used, again: busy || matches!(t.state, State::Polling(_)), busy })
    }

    fn start(&mut self, thread: *mut Thread) -> Result<(), SimError> {
        // SAFETY: the pool and the thread are alive; the wrapper and the parameters outlive the coroutine.
        unsafe {
            let bytes = self.config.stack_bytes as u64;
            let stack =
                (*self.stacks).take().ok_or_else(|| SimError::Memory { what: "stacks of threads".into(), bytes })?;
            let launch = &self.launches[(*(*thread).block).launch];
            let (wrapper, parameters) = (launch.wrapper, launch.parameters.as_ptr().cast::<u8>());
            (*thread).stack = stack.range();
            (*thread).info.stack_limit = stack.range().0 + RESERVE;
            (*thread).coroutine = Some(Coroutine::with_stack(stack, move |yielder, ()| {
                (*thread).started(yielder);
                wrapper(parameters);
            }));
        }
        self.progress = true;
        Ok(())
    }

    /// A thread has come to its end; whether its block has gone with it.
    fn end(&mut self, thread: *mut Thread) -> Result<bool, SimError> {
        self.progress = true;
        if let Some(weak) = &mut self.weak {
            // SAFETY: the thread's block is alive.
            weak.finish_copies(unsafe { (*thread).weak });
        }
        // SAFETY: the thread's block is alive, and no thread of it runs.
        let block = unsafe {
            (*thread).state = State::Done;
            retire(&mut *thread, self.stacks);
            &mut *(*thread).block
        };
        // SAFETY: as above.
        block.exited(unsafe { (*thread).index });
        if block.live > 0 {
            return Ok(false);
        }
        let (launch, sm) = (block.launch, block.sm);
        let pointer: *const Block = block;
        let slot = self.blocks.iter().position(|b| b.as_deref().is_some_and(|b| std::ptr::eq(b, pointer)));
        if let Some(gone) = slot.and_then(|slot| self.blocks[slot].take()) {
            let running = &mut self.launches[launch];
            running.blocks_done += 1;
            running.free_shared.push(gone.shared_base);
            if let Some(weak) = &mut self.weak {
                weak.end_block(gone.number, (gone.shared_base, running.shared_bytes));
            }
            let room = &mut self.sms[running.pe as usize][sm];
            room.threads -= gone.threads.len() as u32;
            room.blocks -= 1;
        }
        self.fill()?;
        Ok(true)
    }

    /// Makes blocks resident as long as there is room.
    fn fill(&mut self) -> Result<(), SimError> {
        for launch in 0..self.launches.len() {
            while self.launches[launch].next_block < self.launches[launch].blocks {
                let (pe, threads) = (self.launches[launch].pe, self.launches[launch].threads());
                let sms = &self.sms[pe as usize];
                let fits = |sm: &&(usize, &Sm)| {
                    sm.1.threads + threads <= self.config.threads_per_sm && sm.1.blocks < self.config.blocks_per_sm
                };
                let emptiest = sms.iter().enumerate().min_by_key(|(_, sm)| sm.threads);
                let Some((sm, _)) = emptiest.as_ref().filter(fits).copied() else { break };
                self.begin(launch, sm)?;
            }
        }
        Ok(())
    }

    /// Makes the next block of a launch resident.
    fn begin(&mut self, launch: usize, sm: usize) -> Result<(), SimError> {
        let this: *mut Scheduler = self;
        let sms = self.config.sms;
        let running = &mut self.launches[launch];
        let number = running.next_block;
        running.next_block += 1;
        let [gx, gy, _] = running.grid.map(u64::from);
        let coordinates = [(number % gx) as u32, (number / gx % gy) as u32, (number / (gx * gy)) as u32];
        let bytes = running.shared_bytes;
        let shared_base = match running.free_shared.pop() {
            Some(base) => base,
            // SAFETY: the memory outlives the scheduler, and no thread runs now.
            None => unsafe { (*self.memory).take_shared(bytes) }
                .ok_or_else(|| SimError::Memory { what: "shared memory".into(), bytes })?,
        };
        // What a block finds in shared memory is undefined; this is no number that a kernel would want.
        // SAFETY: the arena has these bytes for this block alone.
        unsafe { std::ptr::write_bytes(shared_base as *mut u8, 0xcb, bytes as usize) };
        let [nx, ny, _] = running.block;
        let threads: Box<[Thread]> = (0..running.threads())
            .map(|index| {
                let info = ThreadInfo {
                    shared_base,
                    shared_bytes: bytes,
                    dynamic_shared_bytes: running.dynamic_shared_bytes,
                    grid: launch as u64,
                    thread: [index % nx, index / nx % ny, index / (nx * ny)],
                    block_dim: running.block,
                    block: coordinates,
                    grid_dim: running.grid,
                    lane: index % 32,
                    warp: index / 32,
                    sm: sm as u32,
                    sms,
                    ..ThreadInfo::default()
                };
                let mut thread = Thread::new(info, this, running.pe, index);
                thread.cache = running.cache.as_mut_ptr();
                thread.cache_lines = running.cache.len();
                thread
            })
            .collect();
        let room = &mut self.sms[running.pe as usize][sm];
        room.threads += threads.len() as u32;
        room.blocks += 1;
        let count = threads.len();
        let mut block = Block::new(this, launch, sm, coordinates, threads, shared_base);
        if let Some(weak) = &mut self.weak {
            let of = BlockOf { launch, coordinates, shared_base };
            block.number = weak
                .begin_block(running.pe, count, of, (shared_base, bytes))
                .ok_or_else(|| SimError::Memory { what: "the clocks of so many blocks".into(), bytes: 0 })?;
        }
        let number = block.number;
        for thread in &mut block.threads {
            thread.weak = crate::weak::clock::tid(number, thread.index as usize);
            let thread: *mut Thread = thread;
            block.ready.push(thread);
        }
        let pointer: *mut Block = &mut *block;
        // SAFETY: the block is alive.
        unsafe { self.queue(pointer) };
        match self.blocks.iter().position(Option::is_none) {
            Some(slot) => self.blocks[slot] = Some(block),
            None => self.blocks.push(Some(block)),
        }
        Ok(())
    }

    /// Forgets where accesses hit last: memory has gone.
    pub(crate) fn clear_caches(&mut self) {
        for launch in &mut self.launches {
            launch.cache.fill(CacheLine::default());
        }
    }

    /// Where a site is in the source.
    pub(crate) fn source(&self, launch: usize, site: u32) -> Source {
        let description = self.launches[launch].description;
        let Some(&[file, line, column, function]) = description.sites.get(site as usize) else {
            return Source::default();
        };
        let text = |names: &[String], at: u32| names.get(at as usize).cloned().unwrap_or_default();
        Source { file: text(&description.files, file), line, column, function: text(&description.functions, function) }
    }

    fn place(&self, thread: &Thread) -> Place {
        // SAFETY: the thread's block is alive.
        let block = unsafe { &*thread.block };
        Place {
            pe: thread.pe,
            kernel: self.launches[block.launch].kernel.clone(),
            block: block.coordinates,
            thread: thread.info.thread,
            source: self.source(block.launch, thread.site),
        }
    }

    fn error(&self, thread: &Thread, fault: Fault) -> SimError {
        let place = Box::new(self.place(thread));
        match fault {
            Fault::Access { access, address, bytes, problem } => {
                SimError::BadAccess { place, access, address, bytes, problem }
            }
            Fault::Other(kind) => SimError::Fault { place, kind },
        }
    }

    /// Whether an address is on the stack of any thread.
    pub(crate) fn on_a_stack(&self, address: u64) -> bool {
        // SAFETY: the pool outlives the scheduler.
        unsafe { (*self.stacks).contains(address) }
    }
}
