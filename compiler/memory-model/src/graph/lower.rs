//! Makes the events of a program and checks it on the way.

use std::collections::{BTreeMap, BTreeSet};

use super::barrier::{Arrival, Generations, synchronise};
use super::{Cell, Constraint, Event, EventId, Graph, Input, Kind, Range, Slot, Written};
use crate::assumption::Assumptions;
use crate::error::{ModelError, StepProblem};
use crate::program::{Access, Address, BarrierAction, Op, Operand, Place, Program, Register, RmwFunction, Space};
use crate::relation::{MAX_EVENTS, Relation};
use crate::{Proxy, Scope, Semantics};

impl<'a> Graph<'a> {
    /// Checks a program and makes its events.
    pub(crate) fn new(program: &'a Program, assumptions: Assumptions) -> Result<Self, ModelError> {
        check_names(program)?;
        let mut lowering = Lowering::new(program);
        lowering.initial_writes();
        for thread in 0..program.threads.len() {
            lowering.thread(thread)?;
        }
        if lowering.events.len() > MAX_EVENTS {
            return Err(ModelError::TooLarge { what: "events", limit: MAX_EVENTS as u64 });
        }
        lowering.finish(assumptions)
    }
}

/// The state of lowering.
struct Lowering<'a> {
    program: &'a Program,
    events: Vec<Event>,
    /// Position in the thread; events of one step share it.
    positions: Vec<usize>,
    edges: Vec<(EventId, EventId)>,
    dependencies: Vec<(EventId, EventId)>,
    constraints: Vec<Constraint>,
    registers: Vec<(usize, Register, EventId)>,
    arrivals: Vec<Arrival>,
    /// Arrivals at and waits on mbarriers.
    mbarriers: Vec<Phase>,
    /// Parts of bulk copies that complete on mbarriers.
    completions: Vec<Phase>,
    host_orders: Vec<(EventId, EventId)>,
    starts: BTreeMap<usize, EventId>,
    ends: BTreeMap<usize, EventId>,
}

/// An operation on a phase of an mbarrier, or a part of a copy that completes in it.
struct Phase {
    event: EventId,
    id: u32,
    phase: u32,
    wait: bool,
}

/// What one thread has done so far.
#[derive(Default)]
struct ThreadState {
    registers: BTreeMap<Register, EventId>,
    /// Reads that decide whether what follows is executed.
    control: BTreeSet<EventId>,
    generations: Generations,
    /// Reads and writes of bulk copies without a group.
    open: Vec<(EventId, EventId)>,
    groups: Vec<Vec<(EventId, EventId)>>,
}

/// Whether a piece of memory is one that the model can speak of.
pub(crate) fn check_range(what: &'static str, name: &str, offset: u64, width: u8) -> Result<(), ModelError> {
    if (1..=16).contains(&width) && offset <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(ModelError::BadRange { what, name: name.to_owned(), offset, width })
}

fn check_names(program: &Program) -> Result<(), ModelError> {
    let mut names = BTreeSet::new();
    for location in &program.locations {
        if !names.insert(&location.name) {
            return Err(ModelError::DuplicateName { what: "location", name: location.name.clone() });
        }
        if let Some(target) = location.alias_of {
            let target =
                program.locations.get(target.0).ok_or(ModelError::NoSuchIndex { what: "location", index: target.0 })?;
            if target.alias_of.is_some() {
                return Err(ModelError::BadAlias { name: location.name.clone() });
            }
        }
        for initial in &location.initial {
            check_range("an initial value", &location.name, initial.offset, initial.width)?;
        }
    }
    let mut names = BTreeSet::new();
    for thread in &program.threads {
        if !names.insert(&thread.name) {
            return Err(ModelError::DuplicateName { what: "thread", name: thread.name.clone() });
        }
    }
    for (first, second) in &program.orders {
        for id in [first, second] {
            if id.0 >= program.threads.len() {
                return Err(ModelError::NoSuchIndex { what: "thread", index: id.0 });
            }
        }
    }
    Ok(())
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program) -> Self {
        Lowering {
            program,
            events: Vec::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            dependencies: Vec::new(),
            constraints: Vec::new(),
            registers: Vec::new(),
            arrivals: Vec::new(),
            mbarriers: Vec::new(),
            completions: Vec::new(),
            host_orders: Vec::new(),
            starts: BTreeMap::new(),
            ends: BTreeMap::new(),
        }
    }

    /// One initial write for each location that is not an alias; its event number is remembered by its order.
    fn initial_writes(&mut self) {
        for (index, location) in self.program.locations.iter().enumerate() {
            if location.alias_of.is_some() {
                continue;
            }
            self.positions.push(0);
            self.events.push(Event {
                kind: Kind::Init,
                origin: None,
                strength: Semantics::Weak,
                scope: Scope::Sys,
                proxy: Proxy::Generic,
                issue: None,
                range: Some(Range { location: index, address: index, start: 0, end: u64::MAX }),
                cells: Vec::new(),
                written: Written::Nothing,
            });
        }
    }

    fn thread(&mut self, thread: usize) -> Result<(), ModelError> {
        let steps = &self.program.threads[thread].steps;
        let ordered = |second: bool| {
            self.program.orders.iter().any(|(from, to)| if second { to.0 == thread } else { from.0 == thread })
        };
        let (starts, ends) = (ordered(true), ordered(false));
        if starts {
            let start = self.push(thread, 0, 0, Kind::Start);
            self.starts.insert(thread, start);
        }
        let first = self.events.len();
        let mut state = ThreadState::default();
        for (index, step) in steps.iter().enumerate() {
            self.step(thread, index, &step.op, &mut state).map_err(|problem| ModelError::BadStep {
                thread: self.program.threads[thread].name.clone(),
                step: index,
                problem,
            })?;
            // Refuse before the quadratic part.
            if self.events.len() > MAX_EVENTS {
                return Err(ModelError::TooLarge { what: "events", limit: MAX_EVENTS as u64 });
            }
        }
        if ends {
            let end = self.push(thread, steps.len(), steps.len() + 1, Kind::End);
            self.ends.insert(thread, end);
            // A kernel is complete only when its asynchronous operations are.
            for event in first..end {
                self.edges.push((event, end));
            }
        }
        Ok(())
    }

    fn step(&mut self, thread: usize, step: usize, op: &Op, state: &mut ThreadState) -> Result<(), StepProblem> {
        let host = self.program.threads[thread].place == Place::Host;
        match op {
            Op::Load { registers, access, until } => {
                check_access(
                    self.program,
                    thread,
                    access,
                    &[Semantics::Weak, Semantics::Relaxed, Semantics::Acquire],
                    "a load",
                )?;
                if access.proxy != Proxy::Generic
                    && (access.semantics != Semantics::Weak || access.proxy == Proxy::Async)
                {
                    return Err(StepProblem::ProxyOperation);
                }
                check_elements(registers.len(), access)?;
                let address = self.address_dependencies(access, state)?;
                let mut loaded = Vec::new();
                for (element, register) in registers.iter().enumerate() {
                    let event = self.access(thread, step, access, element, Kind::Read, Written::Nothing);
                    self.depend(event, &address, state);
                    loaded.push((register.clone(), event));
                }
                if let (Some(until), Some((_, event))) = (until, loaded.first()) {
                    self.constraints.push(Constraint { read: *event, until: *until });
                    state.control.insert(*event);
                }
                for (register, event) in loaded {
                    self.assign(thread, register, event, state);
                }
            }
            Op::Store { access, values } => {
                check_access(
                    self.program,
                    thread,
                    access,
                    &[Semantics::Weak, Semantics::Relaxed, Semantics::Release],
                    "a store",
                )?;
                if access.proxy != Proxy::Generic {
                    return Err(StepProblem::ProxyOperation);
                }
                check_elements(values.len(), access)?;
                let address = self.address_dependencies(access, state)?;
                for (element, value) in values.iter().enumerate() {
                    let input = input(value, state)?;
                    let event = self.access(thread, step, access, element, Kind::Write, Written::Value(input));
                    self.depend(event, &address, state);
                    self.depend_on_inputs(event, &[input]);
                }
            }
            Op::Rmw { returns, register, access, function } => {
                let allowed: &[Semantics] = if *returns {
                    &[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease]
                } else {
                    &[Semantics::Relaxed, Semantics::Release]
                };
                check_access(self.program, thread, access, allowed, if *returns { "atom" } else { "red" })?;
                if access.count != 1 || (register.is_some() && !returns) {
                    return Err(StepProblem::AtomicShape);
                }
                if access.proxy != Proxy::Generic {
                    return Err(StepProblem::ProxyOperation);
                }
                let address = self.address_dependencies(access, state)?;
                let (written, inputs) = written(function, state)?;
                let event = self.access(thread, step, access, 0, Kind::Rmw { atom: *returns }, written);
                self.depend(event, &address, state);
                self.depend_on_inputs(event, &inputs);
                if let Some(register) = register {
                    self.assign(thread, register.clone(), event, state);
                }
            }
            Op::Fence { semantics, scope } => {
                if matches!(semantics, Semantics::Weak | Semantics::Relaxed) {
                    return Err(StepProblem::Semantics { operation: "a fence", semantics: semantics.ptx() });
                }
                let event = self.push(thread, step, step + 1, Kind::Fence);
                self.events[event].strength = *semantics;
                self.events[event].scope = *scope;
            }
            Op::ProxyFence(kind) => {
                self.push(thread, step, step + 1, Kind::ProxyFence(*kind));
            }
            Op::Barrier { id, action, level, participants } => {
                if host {
                    return Err(StepProblem::HostOperation);
                }
                let generation = state.generations.next(*id, *level, *action);
                let event = self.push(thread, step, step + 1, Kind::Barrier);
                let (id, action, level, participants) = (*id, *action, *level, *participants);
                self.arrivals.push(Arrival { event, thread, id, action, level, participants, generation });
            }
            Op::Mbarrier { id, phase, action, semantics, scope } => {
                if host {
                    return Err(StepProblem::HostOperation);
                }
                if *action == BarrierAction::Sync || matches!(scope, Scope::Gpu | Scope::Sys) {
                    return Err(StepProblem::MbarrierShape);
                }
                let wait = *action == BarrierAction::Wait;
                let own = if wait { Semantics::Acquire } else { Semantics::Release };
                if ![Semantics::Relaxed, own].contains(semantics) {
                    let operation = if wait { "a wait on an mbarrier" } else { "an arrival at an mbarrier" };
                    return Err(StepProblem::Semantics { operation, semantics: semantics.ptx() });
                }
                let event = self.push(thread, step, step + 1, Kind::Mbarrier);
                self.events[event].strength = *semantics;
                self.events[event].scope = *scope;
                self.mbarriers.push(Phase { event, id: *id, phase: *phase, wait });
            }
            Op::BulkOnMbarrier { id, phase } => {
                for (read, write) in std::mem::take(&mut state.open) {
                    self.completions.extend([read, write].map(|event| Phase {
                        event,
                        id: *id,
                        phase: *phase,
                        wait: false,
                    }));
                }
            }
            Op::BulkCopy { destination, source, bytes } => {
                if host {
                    return Err(StepProblem::HostOperation);
                }
                self.bulk_copy(thread, step, *destination, *source, *bytes, state)?;
            }
            Op::BulkCommit => {
                let group = std::mem::take(&mut state.open);
                state.groups.push(group);
            }
            Op::BulkWait { pending, read_only } => {
                let event = self.push(thread, step, step + 1, Kind::BulkWait);
                let complete = state.groups.len().saturating_sub(*pending as usize);
                for (read, write) in state.groups[..complete].iter().flatten() {
                    self.edges.push((*read, event));
                    if !read_only {
                        self.edges.push((*write, event));
                    }
                }
            }
            Op::Assume { register, until } => {
                let event = state.lookup(register)?;
                self.constraints.push(Constraint { read: event, until: *until });
                state.control.insert(event);
            }
            Op::Branch(register) => {
                let event = state.lookup(register)?;
                state.control.insert(event);
            }
        }
        Ok(())
    }

    fn bulk_copy(
        &mut self,
        thread: usize,
        step: usize,
        destination: Address,
        source: Address,
        bytes: u32,
        state: &mut ThreadState,
    ) -> Result<(), StepProblem> {
        if !(1..=64).contains(&bytes) {
            return Err(StepProblem::BulkSize(bytes));
        }
        let issue = self.push(thread, step, step + 1, Kind::Issue);
        for start in (0..u64::from(bytes)).step_by(8) {
            let width = (u64::from(bytes) - start).min(8);
            let mut pair = [0; 2];
            for (index, (address, kind)) in [(source, Kind::Read), (destination, Kind::Write)].into_iter().enumerate() {
                check_location(self.program, thread, address)?;
                let event = self.push(thread, step, step + 1, kind);
                let range = self.range(address, start, width);
                let record = &mut self.events[event];
                record.proxy = Proxy::Async;
                record.issue = Some(issue);
                record.range = Some(range);
                pair[index] = event;
                self.depend(event, &[], state);
            }
            let [read, write] = pair;
            self.events[write].written = Written::Value(Input::Read(read));
            self.edges.push((read, write));
            self.dependencies.push((read, write));
            state.open.push((read, write));
        }
        Ok(())
    }

    fn push(&mut self, thread: usize, step: usize, position: usize, kind: Kind) -> EventId {
        self.positions.push(position);
        self.events.push(Event {
            kind,
            origin: Some((thread, step)),
            strength: Semantics::Weak,
            scope: Scope::Cta,
            proxy: Proxy::Generic,
            issue: None,
            range: None,
            cells: Vec::new(),
            written: Written::Nothing,
        });
        self.events.len() - 1
    }

    fn access(
        &mut self,
        thread: usize,
        step: usize,
        access: &Access,
        element: usize,
        kind: Kind,
        written: Written,
    ) -> EventId {
        let event = self.push(thread, step, step + 1, kind);
        let width = u64::from(access.width);
        let range = self.range(access.address, element as u64 * width, width);
        let record = &mut self.events[event];
        record.strength = access.semantics;
        record.scope = access.scope;
        record.proxy = access.proxy;
        record.range = Some(range);
        record.written = written;
        event
    }

    fn range(&self, address: Address, start: u64, width: u64) -> Range {
        let location = self.program.locations[address.location.0].alias_of.unwrap_or(address.location);
        let start = address.offset + start;
        Range { location: location.0, address: address.location.0, start, end: start + width }
    }

    fn address_dependencies(&self, access: &Access, state: &ThreadState) -> Result<Vec<EventId>, StepProblem> {
        access.depends_on.iter().map(|register| state.lookup(register)).collect()
    }

    fn depend(&mut self, event: EventId, address: &[EventId], state: &ThreadState) {
        self.dependencies.extend(address.iter().chain(&state.control).map(|&read| (read, event)));
    }

    fn depend_on_inputs(&mut self, event: EventId, inputs: &[Input]) {
        for input in inputs {
            if let Input::Read(read) | Input::Sum(read, _) = input {
                self.dependencies.push((*read, event));
            }
        }
    }

    fn assign(&mut self, thread: usize, register: Register, event: EventId, state: &mut ThreadState) {
        self.registers.push((thread, register.clone(), event));
        state.registers.insert(register, event);
    }

    fn finish(mut self, assumptions: Assumptions) -> Result<Graph<'a>, ModelError> {
        let count = self.events.len();
        let mut program_order = Relation::new(count);
        for one in 0..count {
            for other in 0..count {
                let (first, second) = (&self.events[one], &self.events[other]);
                let same_thread = match (first.origin, second.origin) {
                    (Some((thread, _)), Some((thread2, _))) => thread == thread2,
                    _ => false,
                };
                let synchronous = first.issue.is_none() && second.issue.is_none();
                if same_thread && synchronous && self.positions[one] < self.positions[other] {
                    program_order.add(one, other);
                }
            }
        }
        let cells = self.make_cells();
        let mut base = program_order.clone();
        for (from, to) in &self.edges {
            base.add(*from, *to);
        }
        for init in (0..count).filter(|&event| self.events[event].kind == Kind::Init) {
            for event in (0..count).filter(|&event| self.events[event].kind != Kind::Init) {
                base.add(init, event);
            }
        }
        synchronise(self.program, &self.arrivals, &mut base)?;
        self.complete_phases(&mut base);
        for (first, second) in &self.program.orders {
            if let (Some(&end), Some(&start)) = (self.ends.get(&first.0), self.starts.get(&second.0)) {
                base.add(end, start);
                self.host_orders.push((end, start));
            }
        }
        base.close();
        for (&thread, &start) in &self.starts {
            if base.has(start, start) {
                return Err(ModelError::CyclicOrder { thread: self.program.threads[thread].name.clone() });
            }
        }
        let mut dependencies = Relation::new(count);
        for (from, to) in &self.dependencies {
            dependencies.add(*from, *to);
        }
        dependencies.close();
        Ok(self.assemble(assumptions, cells, program_order, base, dependencies))
    }

    /// Mbarriers (PTX ISA §8.8, §9.7.13.15): an arrival that releases synchronises with a wait that acquires the same
    /// phase, where each one's scope includes the other; and a wait that acquires finds the phase's copies complete.
    fn complete_phases(&self, base: &mut Relation) {
        let place = |event: EventId| self.events[event].origin.map(|(thread, _)| self.program.threads[thread].place);
        let includes = |one: EventId, other: EventId| match (place(one), place(other)) {
            (Some(here), Some(there)) => here.scope_includes(self.events[one].scope, there),
            _ => false,
        };
        for wait in self.mbarriers.iter().filter(|operation| operation.wait) {
            if !self.events[wait.event].strength.acquires() {
                continue;
            }
            let same = |other: &&Phase| (other.id, other.phase) == (wait.id, wait.phase);
            for arrival in self.mbarriers.iter().filter(|operation| !operation.wait).filter(same) {
                let strong = includes(arrival.event, wait.event) && includes(wait.event, arrival.event);
                let apart =
                    self.events[arrival.event].origin.map(|at| at.0) != self.events[wait.event].origin.map(|at| at.0);
                if strong && apart && self.events[arrival.event].strength.releases() {
                    base.add(arrival.event, wait.event);
                }
            }
            for part in self.completions.iter().filter(same) {
                base.add(part.event, wait.event);
            }
        }
    }

    /// Cuts the locations into cells and gives each memory event its own.
    fn make_cells(&mut self) -> Vec<Cell> {
        let mut cuts: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        let mut ranges: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
        for range in self.events.iter().filter(|event| event.kind != Kind::Init).filter_map(|event| event.range) {
            let cuts = cuts.entry(range.location).or_default();
            cuts.extend([range.start, range.end]);
            cuts.extend((range.start..range.end).filter(|offset| offset % 8 == 0));
            ranges.entry(range.location).or_default().push((range.start, range.end));
        }
        let mut cells = Vec::new();
        for (location, cuts) in cuts {
            let cuts: Vec<u64> = cuts.into_iter().collect();
            for pair in cuts.windows(2) {
                let &[start, end] = pair else { continue };
                if ranges[&location].iter().any(|&(from, to)| from <= start && end <= to) {
                    cells.push(Cell { location, start, width: (end - start) as u8 });
                }
            }
        }
        for event in &mut self.events {
            let Some(range) = event.range else { continue };
            let inside =
                |cell: &Cell| cell.location == range.location && range.start <= cell.start && cell.start < range.end;
            event.cells = cells.iter().enumerate().filter(|(_, cell)| inside(cell)).map(|(id, _)| id).collect();
        }
        cells
    }

    fn assemble(
        self,
        assumptions: Assumptions,
        cells: Vec<Cell>,
        program_order: Relation,
        base: Relation,
        dependencies: Relation,
    ) -> Graph<'a> {
        let events = self.events;
        let count = events.len();
        let mut slots = Vec::new();
        let mut first_slot = vec![0; count];
        for (read, event) in events.iter().enumerate().filter(|(_, event)| event.reads()) {
            first_slot[read] = slots.len();
            slots.extend(event.cells.iter().map(|&cell| Slot { read, cell }));
        }
        let mut writers = vec![Vec::new(); cells.len()];
        let mut accesses = vec![Vec::new(); self.program.locations.len()];
        for (id, event) in events.iter().enumerate() {
            if let Some(range) = event.range {
                accesses[range.location].push(id);
                if event.writes() {
                    event.cells.iter().for_each(|&cell| writers[cell].push(id));
                }
            }
        }
        let addresses: BTreeSet<(usize, usize)> =
            events.iter().filter_map(|event| event.range.map(|range| (range.location, range.address))).collect();
        let single_proxy = events.iter().all(|event| event.proxy == Proxy::Generic)
            && addresses.iter().all(|(location, address)| location == address);
        let of_kind = |wanted: fn(&Event) -> bool| -> Vec<EventId> {
            events.iter().enumerate().filter(|(_, event)| wanted(event)).map(|(id, _)| id).collect()
        };
        let conditional = of_kind(|event| matches!(event.written, Written::CompareAndSwap { .. }));
        let proxy_fences = of_kind(|event| matches!(event.kind, Kind::ProxyFence(_)));
        let mut graph = Graph {
            program: self.program,
            assumptions,
            cells,
            slots,
            first_slot,
            writers,
            accesses,
            morally_strong: Relation::new(count),
            release_starts: vec![Vec::new(); count],
            acquire_ends: vec![Vec::new(); count],
            sc_pairs: Vec::new(),
            constraints: self.constraints,
            conditional,
            registers: self.registers,
            host_orders: self.host_orders,
            single_proxy,
            mixed_sizes: false,
            proxy_fences,
            program_order,
            base,
            dependencies,
            events,
        };
        graph.derive_strength();
        graph.derive_patterns();
        graph
    }
}

impl Graph<'_> {
    /// Moral strength (PTX ISA §8.7), pairs of `fence.sc`, and whether sizes are mixed.
    fn derive_strength(&mut self) {
        for one in 0..self.events.len() {
            for other in 0..self.events.len() {
                if one != other && self.is_morally_strong(one, other) {
                    self.morally_strong.add(one, other);
                    if one < other && self.events[one].is_sc_fence() && self.events[other].is_sc_fence() {
                        self.sc_pairs.push((one, other));
                    }
                }
                let (first, second) = (&self.events[one], &self.events[other]);
                if let (Some(range), Some(range2)) = (first.range, second.range)
                    && first.kind != Kind::Init
                    && second.kind != Kind::Init
                    && (first.writes() || second.writes())
                    && range.touches(&range2)
                    && !range.same_bytes(&range2)
                {
                    self.mixed_sizes = true;
                }
            }
        }
    }

    fn is_morally_strong(&self, one: EventId, other: EventId) -> bool {
        let (first, second) = (&self.events[one], &self.events[other]);
        if first.proxy != second.proxy {
            return false;
        }
        if let (Some(range), Some(range2)) = (first.range, second.range)
            && !(range.same_bytes(&range2) && range.address == range2.address)
        {
            return false;
        }
        if self.program_order.has(one, other) || self.program_order.has(other, one) {
            return true;
        }
        // Without the assumption the manual guarantees nothing for such an access: between threads it counts as weak.
        let wide = |event: &Event| event.is_memory() && event.kind != Kind::Init && event.width() > 8;
        if !self.assumptions.b128_single_copy && (wide(first) || wide(second)) {
            return false;
        }
        let includes = |event: &Event, from: EventId, to: EventId| {
            event.strength.is_strong()
                && matches!((self.place(from), self.place(to)), (Some(here), Some(there)) if here.scope_includes(event.scope, there))
        };
        includes(first, one, other) && includes(second, other, one)
    }

    /// Release and acquire patterns (PTX ISA §8.8).
    fn derive_patterns(&mut self) {
        for event in 0..self.events.len() {
            if !self.events[event].strength.is_strong() || !self.events[event].is_memory() {
                continue;
            }
            if self.events[event].writes() {
                self.release_starts[event] = self.pattern_partners(event, Semantics::releases, true);
            }
            if self.events[event].kind == Kind::Read || self.events[event].kind == (Kind::Rmw { atom: true }) {
                self.acquire_ends[event] = self.pattern_partners(event, Semantics::acquires, false);
            }
        }
    }

    /// The operation itself, operations on the same location, and fences, that are before (or after) it in program
    /// order and have the wanted semantics.
    fn pattern_partners(&self, event: EventId, wanted: fn(Semantics) -> bool, before: bool) -> Vec<EventId> {
        let at = self.events[event].range;
        (0..self.events.len())
            .filter(|&partner| {
                let candidate = &self.events[partner];
                if !wanted(candidate.strength) {
                    return false;
                }
                let ordered = if before {
                    self.program_order.has(partner, event)
                } else {
                    self.program_order.has(event, partner)
                };
                let same_location = || match (candidate.range, at) {
                    (Some(range), Some(at)) => range.same_bytes(&at) && range.address == at.address,
                    _ => false,
                };
                partner == event || ordered && (candidate.kind == Kind::Fence || same_location())
            })
            .collect()
    }
}

fn check_access(
    program: &Program,
    thread: usize,
    access: &Access,
    allowed: &[Semantics],
    operation: &'static str,
) -> Result<(), StepProblem> {
    check_location(program, thread, access.address)?;
    if !matches!(access.width, 1 | 2 | 4 | 8 | 16) {
        return Err(StepProblem::Width(access.width));
    }
    if !matches!(access.count, 1 | 2 | 4 | 8) {
        return Err(StepProblem::Count(access.count));
    }
    let width = u64::from(access.width) * u64::from(access.count);
    if !access.address.offset.is_multiple_of(width) {
        return Err(StepProblem::Misaligned { offset: access.address.offset, width });
    }
    if !allowed.contains(&access.semantics) {
        return Err(StepProblem::Semantics { operation, semantics: access.semantics.ptx() });
    }
    Ok(())
}

fn check_location(program: &Program, thread: usize, address: Address) -> Result<(), StepProblem> {
    let Some(location) = program.locations.get(address.location.0) else {
        return Err(StepProblem::NoSuchLocation(address.location.0));
    };
    if address.offset > u64::from(u32::MAX) {
        return Err(StepProblem::Offset(address.offset));
    }
    if let Space::Shared(place) = location.space
        && !place.scope_includes(Scope::Cluster, program.threads[thread].place)
    {
        return Err(StepProblem::ForeignShared(location.name.clone()));
    }
    Ok(())
}

fn check_elements(given: usize, access: &Access) -> Result<(), StepProblem> {
    if given != usize::from(access.count) {
        return Err(StepProblem::ElementCount { given, count: access.count });
    }
    Ok(())
}

impl ThreadState {
    fn lookup(&self, register: &Register) -> Result<EventId, StepProblem> {
        self.registers.get(register).copied().ok_or_else(|| StepProblem::UndefinedRegister(register.clone()))
    }
}

fn input(operand: &Operand, state: &ThreadState) -> Result<Input, StepProblem> {
    Ok(match operand {
        Operand::Constant(value) => Input::Constant(*value),
        Operand::Register(register) => Input::Read(state.lookup(register)?),
        Operand::Sum(register, value) => Input::Sum(state.lookup(register)?, *value),
    })
}

fn written(function: &RmwFunction, state: &ThreadState) -> Result<(Written, Vec<Input>), StepProblem> {
    let inputs = function.operands().into_iter().map(|operand| input(operand, state)).collect::<Result<Vec<_>, _>>()?;
    let first = inputs[0];
    let written = match function {
        RmwFunction::Add(_) => Written::Add(first),
        RmwFunction::Exchange(_) => Written::Value(first),
        RmwFunction::CompareAndSwap { .. } => Written::CompareAndSwap { expected: first, desired: inputs[1] },
        RmwFunction::And(_) => Written::And(first),
        RmwFunction::Or(_) => Written::Or(first),
        RmwFunction::Xor(_) => Written::Xor(first),
        RmwFunction::Min(_) => Written::Min(first),
        RmwFunction::Max(_) => Written::Max(first),
        RmwFunction::Increment(_) => Written::Increment(first),
        RmwFunction::Decrement(_) => Written::Decrement(first),
    };
    Ok((written, inputs))
}
