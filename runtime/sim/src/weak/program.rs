//! Runs a program of the memory model (`memory_model::Program`) in the engine: the simulator's side of a litmus test. What
//! comes out must be among what the axioms allow; [`compare`] says so, and lists allowed outcomes that were not reached.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use memory_model::{
    Access as ModelAccess, Address, BarrierAction, BarrierLevel, Model, ModelError, Op, Operand, Outcome, Place,
    Program, Proxy, ProxyFence, Register, RmwFunction, Scope, Semantics, Space, Term,
};

use super::access::{Access, CopyProgress};
use super::choice::{Chooser, Footprint, Ready};
use super::clock::{ASYNC_READ, ASYNC_WRITE, Tid, tid};
use super::copies::CopySpace;
use super::engine::{Engine, Gathering, Options};
use super::explore::{Exploration, Explorer};
use super::history::{Backing, MAX_HISTORY, Span};
use super::message::{BlockPlace, Level, Message, Part};
use super::race::Race;
use super::record::Recording;

/// Bytes between two locations.
const DISTANCE: u64 = 1 << 16;

/// What was seen of a program.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The final states.
    pub outcomes: BTreeSet<Outcome>,
    /// Races, one for each pair of steps; the site of a party is the number of its step.
    pub races: Vec<Race>,
    /// How far it went.
    pub exploration: Exploration,
}

/// What the simulator and the axioms say about a program.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// Outcomes of the simulator that the axioms forbid: a mistake of one of the two.
    pub forbidden: Vec<Outcome>,
    /// Allowed outcomes that the simulator did not reach.
    pub unreached: Vec<Outcome>,
    /// What was seen.
    pub seen: Seen,
}

/// Why a program cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// It is refused by the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Something that the engine does not know.
    #[error("the simulator does not know {0}")]
    Unsupported(&'static str),
}

/// Sees all executions that the simulator has, at most `limit` runs, with the longest histories.
///
/// # Errors
///
/// A program with something that the engine does not know.
pub fn explore(program: &Program, limit: u64) -> Result<Seen, ProgramError> {
    explore_with(program, Options { history: MAX_HISTORY, races: true }, limit)
}

/// The same with other options.
///
/// # Errors
///
/// As of [`explore`].
pub fn explore_with(program: &Program, options: Options, limit: u64) -> Result<Seen, ProgramError> {
    check(program)?;
    let mut explorer = Explorer::new();
    let mut seen = Seen::default();
    loop {
        let mut run = Run::new(program, options);
        match run.complete(&mut explorer) {
            Some(outcome) => {
                seen.exploration.runs += 1;
                seen.outcomes.insert(outcome);
            }
            None => seen.exploration.given_up += 1,
        }
        seen.note(&run);
        if !explorer.advance() {
            seen.exploration.complete = true;
            return Ok(seen);
        }
        if seen.exploration.runs + seen.exploration.given_up >= limit {
            return Ok(seen);
        }
    }
}

/// One run with the choices of a source; nothing where it came to no end (a poll that never ended).
///
/// # Errors
///
/// As of [`explore`].
pub fn run(program: &Program, options: Options, chooser: &mut dyn Chooser) -> Result<Option<Outcome>, ProgramError> {
    check(program)?;
    Ok(Run::new(program, options).complete(chooser))
}

/// The same, with a record of what was executed.
///
/// # Errors
///
/// As of [`explore`].
pub fn run_recorded(
    program: &Program,
    options: Options,
    chooser: &mut dyn Chooser,
) -> Result<(Option<Outcome>, Recording), ProgramError> {
    check(program)?;
    let mut run = Run::new(program, options);
    run.engine.record();
    let outcome = run.complete(chooser);
    Ok((outcome, run.engine.take_recording().unwrap_or_default()))
}

/// Compares what the simulator reaches with what the axioms allow.
///
/// # Errors
///
/// As of [`explore`], and programs that the model refuses.
pub fn compare(program: &Program, model: &Model, limit: u64) -> Result<Agreement, ProgramError> {
    let seen = explore(program, limit)?;
    let allowed = match model.outcomes(program) {
        Ok(allowed) => allowed.outcomes,
        Err(ModelError::NoExecution) => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    Ok(Agreement {
        forbidden: seen.outcomes.difference(&allowed).cloned().collect(),
        unreached: allowed.difference(&seen.outcomes).cloned().collect(),
        seen,
    })
}

fn check(program: &Program) -> Result<(), ProgramError> {
    for step in program.threads.iter().flat_map(|t| &t.steps) {
        let access = match &step.op {
            Op::Load { access, .. } | Op::Store { access, .. } | Op::Rmw { access, .. } => access,
            Op::ProxyFence(
                ProxyFence::Alias
                | ProxyFence::Async
                | ProxyFence::AsyncGlobal
                | ProxyFence::AsyncSharedCta
                | ProxyFence::AsyncSharedCluster,
            ) => continue,
            Op::ProxyFence(_) => return Err(ProgramError::Unsupported("fences of this proxy")),
            _ => continue,
        };
        if access.width == 0 || access.width > 16 || matches!(access.proxy, Proxy::Async | Proxy::Surface) {
            return Err(ProgramError::Unsupported("accesses of this width or proxy"));
        }
    }
    Ok(())
}

impl Seen {
    fn note(&mut self, run: &Run<'_>) {
        for race in run.engine.findings().0 {
            let same = |r: &Race| {
                (r.first.block, r.first.thread, r.first.site) == (race.first.block, race.first.thread, race.first.site)
                    && (r.second.block, r.second.thread, r.second.site)
                        == (race.second.block, race.second.thread, race.second.site)
                    && r.mixed == race.mixed
            };
            if !self.races.iter().any(same) {
                self.races.push(race.clone());
            }
        }
    }
}

type BarrierKey = (bool, Place, u32, u32);

#[derive(Default)]
struct Barrier {
    gathering: Gathering,
    expected: usize,
    arrived: usize,
    waiters: Vec<Tid>,
}

#[derive(Default)]
struct Phase {
    message: Message,
    expected: usize,
    arrived: usize,
    /// Copies that complete here: whose, and up to which number.
    copies: Vec<(Tid, u32)>,
}

struct ThreadRun {
    tid: Tid,
    step: usize,
    started: bool,
    registers: BTreeMap<Register, u128>,
    waiting: Option<BarrierKey>,
    arrivals: HashMap<(bool, u32), u32>,
    waits: HashMap<(bool, u32), u32>,
}

struct Run<'p> {
    program: &'p Program,
    engine: Engine,
    threads: Vec<ThreadRun>,
    barriers: HashMap<BarrierKey, Barrier>,
    phases: HashMap<(u32, u32), Phase>,
}

/// Numbers of copies among the runners.
const COPIES: u64 = 1 << 32;

impl<'p> Run<'p> {
    fn new(program: &'p Program, options: Options) -> Self {
        let mut values: HashMap<u64, u64> = HashMap::new();
        for (index, location) in program.locations.iter().enumerate() {
            for initial in &location.initial {
                let base = base(program, index) + initial.offset;
                for byte in 0..u64::from(initial.width) {
                    let at = base + byte;
                    let word = values.entry(at & !7).or_default();
                    let shift = 8 * (at & 7);
                    *word = *word & !(0xff << shift) | ((initial.value >> (8 * byte)) as u64 & 0xff) << shift;
                }
            }
        }
        let mut engine = Engine::new(options, Backing::Values(values));
        let mut blocks: Vec<(Place, usize)> = Vec::new();
        let mut threads = Vec::new();
        for thread in &program.threads {
            match blocks.iter_mut().find(|b| b.0 == thread.place) {
                Some(b) => b.1 += 1,
                None => blocks.push((thread.place, 1)),
            }
        }
        let mut next = HashMap::new();
        for &(place, count) in &blocks {
            if let Some(block) = engine.add_block(block_place(place), count) {
                next.insert(place, (block, 0));
            }
        }
        for thread in &program.threads {
            let (block, index) = next.entry(thread.place).or_insert((0, 0));
            threads.push(ThreadRun {
                tid: tid(*block, *index),
                step: 0,
                started: false,
                registers: BTreeMap::new(),
                waiting: None,
                arrivals: HashMap::new(),
                waits: HashMap::new(),
            });
            *index += 1;
        }
        let mut run = Self { program, engine, threads, barriers: HashMap::new(), phases: HashMap::new() };
        run.expect_arrivals();
        run
    }

    /// Counts who arrives at each generation of each barrier.
    fn expect_arrivals(&mut self) {
        for thread in &self.program.threads {
            let mut counts: HashMap<(bool, u32), u32> = HashMap::new();
            for step in &thread.steps {
                let arrival = match &step.op {
                    Op::Barrier { id, action, level, .. } if *action != BarrierAction::Wait => Some((*id, *level)),
                    Op::BarrierReduction { id, .. } => Some((*id, BarrierLevel::Cta)),
                    _ => None,
                };
                if let Some((id, level)) = arrival {
                    let wide = level == BarrierLevel::Cluster;
                    let count = counts.entry((wide, id)).or_default();
                    let key = (wide, group(thread.place, wide), id, *count);
                    *count += 1;
                    self.barriers.entry(key).or_default().expected += 1;
                }
                if let Op::Mbarrier { id, phase, action: BarrierAction::Arrive, .. } = &step.op {
                    self.phases.entry((*id, *phase)).or_default().expected += 1;
                }
            }
        }
    }

    fn complete(&mut self, chooser: &mut dyn Chooser) -> Option<Outcome> {
        loop {
            let ready = self.ready();
            if ready.is_empty() {
                let ended = (0..self.threads.len()).all(|t| self.has_ended(t));
                return ended.then(|| self.outcome());
            }
            let at = chooser.thread(&ready)?;
            let id = ready[at].id;
            if id >= COPIES {
                let tid = self.threads[(id - COPIES) as usize].tid;
                if !self.engine.copy_read(tid, chooser) {
                    self.engine.copy_write(tid);
                }
            } else {
                self.step(id as usize, chooser)?;
            }
        }
    }

    fn has_ended(&self, thread: usize) -> bool {
        let t = &self.threads[thread];
        t.waiting.is_none()
            && t.step >= self.program.threads[thread].steps.len()
            && self.engine.open_copies(t.tid) == (0, 0)
    }

    fn ready(&mut self) -> Vec<Ready> {
        let mut ready = Vec::new();
        for thread in 0..self.threads.len() {
            let tid = self.threads[thread].tid;
            if let Some((bytes, writes)) = self.engine.next_copy(tid) {
                let next = Footprint { bytes, writes, ..Footprint::LOCAL };
                ready.push(Ready { id: COPIES + thread as u64, next });
            }
            if let Some(next) = self.next(thread) {
                ready.push(Ready { id: thread as u64, next });
            }
        }
        ready
    }

    /// What a thread does next, where it can run.
    fn next(&mut self, thread: usize) -> Option<Footprint> {
        let program = self.program;
        let t = &self.threads[thread];
        if t.waiting.is_some() {
            return None;
        }
        let step = program.threads[thread].steps.get(t.step)?;
        if !t.started && !predecessors(program, thread).into_iter().all(|first| self.has_ended(first)) {
            return None;
        }
        let tid = t.tid;
        let span = |access: &ModelAccess, writes: bool| {
            let start = address(program, access.address);
            let bytes = (start, start + u64::from(access.width) * u64::from(access.count));
            Footprint { bytes, writes, ..Footprint::LOCAL }
        };
        Some(match &step.op {
            Op::Load { access, until, .. } => {
                if let Some(until) = until {
                    let one = self.access(access, 0, t.step);
                    let accept = |value: u128| until.comparison.holds(value, until.value);
                    if !self.engine.could_read(tid, &one, &accept) {
                        return None;
                    }
                }
                span(access, false)
            }
            Op::Store { access, .. } | Op::Rmw { access, .. } => span(access, true),
            Op::Fence { semantics, .. } => {
                Footprint { fence: *semantics == Semantics::SequentiallyConsistent, ..Footprint::LOCAL }
            }
            Op::BulkWait { pending, read_only } => {
                let number = self.engine.covered(tid, *pending as usize);
                let done = self.engine.copies_done(tid);
                if done.reads < number || !read_only && done.writes < number {
                    return None;
                }
                Footprint::LOCAL
            }
            Op::Barrier { id, action: BarrierAction::Wait, level, .. } => {
                let wide = *level == BarrierLevel::Cluster;
                let generation = t.waits.get(&(wide, *id)).copied().unwrap_or(0);
                let key = (wide, group(program.threads[thread].place, wide), *id, generation);
                if self.barriers.get(&key).is_none_or(|b| b.arrived < b.expected) {
                    return None;
                }
                Footprint::LOCAL
            }
            Op::Mbarrier { id, phase, action: BarrierAction::Wait, .. } => {
                if let Some(phase) = self.phases.get(&(*id, *phase)) {
                    let written = |&(tid, number): &(Tid, u32)| self.engine.copies_done(tid).writes >= number;
                    if phase.arrived < phase.expected || !phase.copies.iter().all(written) {
                        return None;
                    }
                }
                Footprint::LOCAL
            }
            _ => Footprint::LOCAL,
        })
    }

    fn access(&self, access: &ModelAccess, element: usize, step: usize) -> Access {
        let width = access.width;
        Access {
            span: Span {
                address: address(self.program, access.address) + element as u64 * u64::from(width),
                bytes: width,
            },
            strong: access.semantics.is_strong(),
            scope: level(access.scope),
            acquires: access.semantics.acquires(),
            releases: access.semantics.releases(),
            foreign: access.proxy != Proxy::Generic,
            site: step as u32,
            epoch: None,
        }
    }

    /// Executes a step; nothing where this is no execution of the program.
    fn step(&mut self, thread: usize, chooser: &mut dyn Chooser) -> Option<()> {
        let program = self.program;
        let tid = self.threads[thread].tid;
        if !self.threads[thread].started {
            self.threads[thread].started = true;
            for first in predecessors(program, thread) {
                let first = self.threads[first].tid;
                let last = self.engine.last_copy(first);
                self.engine.order_by_host(first, CopyProgress { reads: last, writes: last }, tid);
            }
        }
        let at = self.threads[thread].step;
        self.threads[thread].step += 1;
        let place = program.threads[thread].place;
        match &program.threads[thread].steps[at].op {
            Op::Load { registers, access, until } => {
                for (element, register) in registers.iter().enumerate() {
                    let one = self.access(access, element, at);
                    let accept = |value: u128| until.is_none_or(|u| u.comparison.holds(value, u.value));
                    let accept: Option<&dyn Fn(u128) -> bool> = if element == 0 { Some(&accept) } else { None };
                    let value = self.engine.read(tid, &one, chooser, accept)?;
                    self.threads[thread].registers.insert(register.clone(), value);
                }
            }
            Op::Store { access, values } => {
                for (element, value) in values.iter().enumerate() {
                    let one = self.access(access, element, at);
                    let value = self.operand(thread, value) & ones(access.width);
                    self.engine.write(tid, &one, value);
                }
            }
            Op::Rmw { returns, register, access, function } => {
                let one = self.access(access, 0, at);
                let operands: Vec<u128> = function.operands().iter().map(|o| self.operand(thread, o)).collect();
                let mut apply = |old: u128| apply(function, old, &operands, access.width);
                let old = self.engine.rmw(tid, &one, *returns, &mut apply, chooser);
                if let Some(register) = register {
                    self.threads[thread].registers.insert(register.clone(), old);
                }
            }
            Op::Fence { semantics, scope } => {
                let sc = *semantics == Semantics::SequentiallyConsistent;
                self.engine.fence(tid, semantics.acquires(), semantics.releases(), sc, level(*scope));
            }
            Op::ProxyFence(fence) => {
                let (global, shared) = match fence {
                    ProxyFence::Async => (true, true),
                    ProxyFence::AsyncGlobal => (true, false),
                    ProxyFence::AsyncSharedCta | ProxyFence::AsyncSharedCluster => (false, true),
                    // An address for each location, so that there is nothing to order; others are refused.
                    _ => (false, false),
                };
                self.engine.proxy_fence(tid, global, shared);
            }
            Op::Barrier { id, action, level, .. } => self.barrier(thread, place, *id, *action, *level),
            // What it communicates orders nothing in an engine in which loads are not buffered.
            Op::BarrierReduction { id, .. } => {
                self.barrier(thread, place, *id, BarrierAction::Sync, BarrierLevel::Cta);
            }
            Op::BulkCopy { destination, source, bytes } => {
                let to = (address(program, *destination), space(program, *destination));
                let from = (address(program, *source), space(program, *source));
                self.engine.copy(tid, to, from, u64::from(*bytes), at as u32);
            }
            Op::BulkCommit => self.engine.commit(tid),
            Op::BulkWait { pending, read_only } => {
                self.engine.waited_group(tid, *pending as usize, !read_only);
            }
            Op::Mbarrier { id, phase, action, semantics, scope } => {
                let phase = self.phases.entry((*id, *phase)).or_default();
                if *action == BarrierAction::Arrive {
                    phase.arrived += 1;
                    if semantics.releases() {
                        let part = Part { scope: level(*scope), stamp: self.engine.stamp(tid) };
                        phase.message.add(part, &self.engine.places);
                        self.engine.thread_mut(tid).epoch += 1;
                    }
                } else if semantics.acquires() {
                    let mut clock = self.engine.thread(tid).clock.clone();
                    phase.message.acquire(level(*scope), tid, &self.engine.places, &mut clock);
                    for &(tid, number) in &phase.copies {
                        clock.add(tid | ASYNC_READ, number);
                        clock.add(tid | ASYNC_WRITE, number);
                    }
                    self.engine.thread_mut(tid).clock = clock;
                }
            }
            Op::BulkOnMbarrier { id, phase } => {
                let number = self.engine.last_copy(tid);
                self.phases.entry((*id, *phase)).or_default().copies.push((tid, number));
            }
            Op::Assume { register, until } => {
                let value = self.threads[thread].registers.get(register).copied().unwrap_or_default();
                return until.comparison.holds(value, until.value).then_some(());
            }
            Op::Branch(_) => {}
        }
        Some(())
    }

    fn barrier(&mut self, thread: usize, place: Place, id: u32, action: BarrierAction, level: BarrierLevel) {
        let wide = level == BarrierLevel::Cluster;
        let t = &mut self.threads[thread];
        let tid = t.tid;
        let counts = if action == BarrierAction::Wait { &mut t.waits } else { &mut t.arrivals };
        let count = counts.entry((wide, id)).or_default();
        let key = (wide, group(place, wide), id, *count);
        *count += 1;
        let barrier = self.barriers.entry(key).or_default();
        if action == BarrierAction::Wait {
            let gathering = barrier.gathering.clone();
            self.engine.wait_for(tid, &gathering);
            return;
        }
        barrier.arrived += 1;
        self.engine.arrive(tid, &mut barrier.gathering);
        if action == BarrierAction::Sync {
            barrier.waiters.push(tid);
            t.waiting = Some(key);
        }
        if barrier.arrived >= barrier.expected {
            let waiters = std::mem::take(&mut barrier.waiters);
            let gathering = barrier.gathering.clone();
            self.engine.meet(gathering, &waiters);
            for other in &mut self.threads {
                if other.waiting == Some(key) {
                    other.waiting = None;
                }
            }
        }
    }

    fn operand(&self, thread: usize, operand: &Operand) -> u128 {
        let of = |r: &Register| self.threads[thread].registers.get(r).copied().unwrap_or_default();
        match operand {
            Operand::Constant(value) => *value,
            Operand::Register(register) => of(register),
            Operand::Sum(register, value) => of(register).wrapping_add(*value),
        }
    }

    fn outcome(&mut self) -> Outcome {
        let mut outcome = Outcome::default();
        for (thread, run) in self.program.threads.iter().zip(&self.threads) {
            for (register, value) in &run.registers {
                let term = Term::Register { thread: thread.name.clone(), register: register.clone() };
                outcome.registers.insert(term, *value);
            }
        }
        for (location, offset, width) in pieces(self.program) {
            let span = Span { address: base(self.program, location) + offset, bytes: width };
            let name = self.program.locations[location].name.clone();
            outcome.memory.insert(Term::Memory { location: name, offset, width }, self.engine.newest(span));
        }
        outcome
    }
}

/// The threads that the host orders before this one, directly or through others, which may do nothing themselves.
fn predecessors(program: &Program, thread: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![thread];
    while let Some(later) = open.pop() {
        for order in program.orders.iter().filter(|o| o.1.0 == later) {
            if found.insert(order.0.0) {
                open.push(order.0.0);
            }
        }
    }
    found
}

/// Where a location lies; aliases lie where their location does (the assumption of one address for each).
fn base(program: &Program, location: usize) -> u64 {
    let of = program.locations[location].alias_of.map_or(location, |l| l.0);
    (of as u64 + 1) * DISTANCE
}

fn address(program: &Program, address: Address) -> u64 {
    base(program, address.location.0) + address.offset
}

fn space(program: &Program, address: Address) -> CopySpace {
    match program.locations[address.location.0].space {
        Space::Global => CopySpace::Global,
        Space::Shared(_) => CopySpace::Shared,
    }
}

fn level(scope: Scope) -> Level {
    match scope {
        Scope::Cta => 0,
        Scope::Cluster => 1,
        Scope::Gpu => 2,
        Scope::Sys => 3,
    }
}

fn block_place(place: Place) -> BlockPlace {
    match place {
        Place::Host => BlockPlace { pe: BlockPlace::HOST, cluster: 0, block: 0 },
        Place::Device { gpu, cluster, cta } => BlockPlace { pe: gpu, cluster, block: cta },
    }
}

fn group(place: Place, wide: bool) -> Place {
    match place {
        Place::Device { gpu, cluster, .. } if wide => Place::Device { gpu, cluster, cta: 0 },
        other => other,
    }
}

fn ones(width: u8) -> u128 {
    if width >= 16 { u128::MAX } else { (1 << (8 * u32::from(width))) - 1 }
}

fn apply(function: &RmwFunction, old: u128, operands: &[u128], width: u8) -> Option<u128> {
    let mask = ones(width);
    let a = operands[0] & mask;
    let new = match function {
        RmwFunction::Add(_) => old.wrapping_add(a),
        RmwFunction::Exchange(_) => a,
        RmwFunction::CompareAndSwap { .. } => return (old == a).then(|| operands[1] & mask),
        RmwFunction::And(_) => old & a,
        RmwFunction::Or(_) => old | a,
        RmwFunction::Xor(_) => old ^ a,
        RmwFunction::Min(_) => old.min(a),
        RmwFunction::Max(_) => old.max(a),
        RmwFunction::Increment(_) => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        RmwFunction::Decrement(_) => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
    };
    Some(new & mask)
}

/// The pieces of memory whose final content the model tells: location, offset, width.
fn pieces(program: &Program) -> Vec<(usize, u64, u8)> {
    let mut ranges: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
    let mut add = |address: Address, start: u64, width: u64| {
        let location = program.locations[address.location.0].alias_of.unwrap_or(address.location).0;
        let start = address.offset + start;
        ranges.entry(location).or_default().push((start, start + width));
    };
    for step in program.threads.iter().flat_map(|t| &t.steps) {
        match &step.op {
            Op::Load { access, .. } | Op::Store { access, .. } | Op::Rmw { access, .. } => {
                for element in 0..u64::from(access.count) {
                    add(access.address, element * u64::from(access.width), access.width.into());
                }
            }
            Op::BulkCopy { destination, source, bytes } => {
                for start in (0..u64::from(*bytes)).step_by(8) {
                    let width = (u64::from(*bytes) - start).min(8);
                    add(*source, start, width);
                    add(*destination, start, width);
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    for (location, ranges) in ranges {
        let mut cuts = BTreeSet::new();
        for &(start, end) in &ranges {
            cuts.extend([start, end]);
            cuts.extend((start..end).filter(|o| o % 8 == 0));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        for pair in cuts.windows(2) {
            if let &[start, end] = pair
                && ranges.iter().any(|&(from, to)| from <= start && end <= to)
            {
                all.push((location, start, (end - start) as u8));
            }
        }
    }
    all
}
