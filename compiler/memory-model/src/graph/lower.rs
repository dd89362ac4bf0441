//! Makes the events of each thread, and checks its operations on the way.

use std::collections::{BTreeMap, BTreeSet};

use super::barrier::{Arrival, Generations};
use super::check::{check_access, check_elements, check_location, check_names};
use super::{Constraint, Event, EventId, Graph, Input, Kind, Range, Written};
use crate::assumption::Assumptions;
use crate::error::{ModelError, StepProblem};
use crate::program::{
    Access, Address, BarrierAction, BarrierLevel, Op, Operand, Place, Program, Register, RmwFunction, Until,
};
use crate::relation::MAX_EVENTS;
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
pub(super) struct Lowering<'a> {
    pub(super) program: &'a Program,
    pub(super) events: Vec<Event>,
    /// Position in the thread; events of one step share it.
    pub(super) positions: Vec<usize>,
    pub(super) edges: Vec<(EventId, EventId)>,
    pub(super) dependencies: Vec<(EventId, EventId)>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) registers: Vec<(usize, Register, EventId)>,
    pub(super) arrivals: Vec<Arrival>,
    /// Those of them that are reductions.
    pub(super) reductions: BTreeSet<EventId>,
    /// Arrivals at and waits on mbarriers.
    pub(super) mbarriers: Vec<Phase>,
    /// Parts of bulk copies that complete on mbarriers.
    pub(super) completions: Vec<Phase>,
    pub(super) host_orders: Vec<(EventId, EventId)>,
    pub(super) starts: BTreeMap<usize, EventId>,
    pub(super) ends: BTreeMap<usize, EventId>,
}

/// An operation on a phase of an mbarrier, or a part of a copy that completes in it.
pub(super) struct Phase {
    pub(super) event: EventId,
    pub(super) id: u32,
    pub(super) phase: u32,
    pub(super) wait: bool,
}

/// What one thread has done so far.
#[derive(Default)]
struct ThreadState {
    registers: BTreeMap<Register, EventId>,
    /// Results of barrier reductions, which have no value.
    results: BTreeMap<Register, EventId>,
    /// What decides whether what follows is executed.
    control: BTreeSet<EventId>,
    generations: Generations,
    /// Reads and writes of bulk copies without a group.
    open: Vec<(EventId, EventId)>,
    groups: Vec<Vec<(EventId, EventId)>>,
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
            reductions: BTreeSet::new(),
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
            Op::Load { registers, access, until } => self.load(thread, step, registers, access, *until, state)?,
            Op::Store { access, values } => self.store(thread, step, access, values, state)?,
            Op::Rmw { returns, register, access, function } => {
                self.rmw(thread, step, (*returns, register.as_ref()), access, function, state)?;
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
            Op::BarrierReduction { id, predicate, result } => {
                if host {
                    return Err(StepProblem::HostOperation);
                }
                let (action, level) = (BarrierAction::Sync, BarrierLevel::Cta);
                let generation = state.generations.next(*id, level, action);
                let from = predicate.iter().map(|register| state.source(register)).collect::<Result<Vec<_>, _>>()?;
                let event = self.push(thread, step, step + 1, Kind::Barrier);
                self.depend(event, &from, state);
                self.arrivals.push(Arrival { event, thread, id: *id, action, level, participants: None, generation });
                self.reductions.insert(event);
                if let Some(register) = result {
                    state.registers.remove(register);
                    state.results.insert(register.clone(), event);
                }
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
                let event = state.source(register)?;
                state.control.insert(event);
            }
        }
        Ok(())
    }

    fn load(
        &mut self,
        thread: usize,
        step: usize,
        registers: &[Register],
        access: &Access,
        until: Option<Until>,
        state: &mut ThreadState,
    ) -> Result<(), StepProblem> {
        check_access(
            self.program,
            thread,
            access,
            &[Semantics::Weak, Semantics::Relaxed, Semantics::Acquire],
            "a load",
        )?;
        if access.proxy != Proxy::Generic && (access.semantics != Semantics::Weak || access.proxy == Proxy::Async) {
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
            self.constraints.push(Constraint { read: *event, until });
            state.control.insert(*event);
        }
        for (register, event) in loaded {
            self.assign(thread, register, event, state);
        }
        Ok(())
    }

    fn store(
        &mut self,
        thread: usize,
        step: usize,
        access: &Access,
        values: &[Operand],
        state: &mut ThreadState,
    ) -> Result<(), StepProblem> {
        check_access(
            self.program,
            thread,
            access,
            &[Semantics::Weak, Semantics::Relaxed, Semantics::Release],
            "a store",
        )?;
        let surface = access.proxy == Proxy::Surface && access.semantics == Semantics::Weak;
        if access.proxy != Proxy::Generic && !surface {
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
        Ok(())
    }

    /// `atom` or `red`: whether it returns the old value, and where to.
    fn rmw(
        &mut self,
        thread: usize,
        step: usize,
        (returns, register): (bool, Option<&Register>),
        access: &Access,
        function: &RmwFunction,
        state: &mut ThreadState,
    ) -> Result<(), StepProblem> {
        let allowed: &[Semantics] = if returns {
            &[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease]
        } else {
            &[Semantics::Relaxed, Semantics::Release]
        };
        check_access(self.program, thread, access, allowed, if returns { "atom" } else { "red" })?;
        if access.count != 1 || (register.is_some() && !returns) {
            return Err(StepProblem::AtomicShape);
        }
        if access.proxy != Proxy::Generic {
            return Err(StepProblem::ProxyOperation);
        }
        let address = self.address_dependencies(access, state)?;
        let (written, inputs) = written(function, state)?;
        let event = self.access(thread, step, access, 0, Kind::Rmw { atom: returns }, written);
        self.depend(event, &address, state);
        self.depend_on_inputs(event, &inputs);
        if let Some(register) = register {
            self.assign(thread, register.clone(), event, state);
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
        access.depends_on.iter().map(|register| state.source(register)).collect()
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
        state.results.remove(&register);
        state.registers.insert(register, event);
    }
}

impl ThreadState {
    /// What a register was assigned by, whether it has a value or not.
    fn source(&self, register: &Register) -> Result<EventId, StepProblem> {
        self.results.get(register).copied().map_or_else(|| self.lookup(register), Ok)
    }

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
