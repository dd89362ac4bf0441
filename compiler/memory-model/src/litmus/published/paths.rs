//! The straight paths through one thread of a published test.
//!
//! Registers become names that are assigned once. A branch on a number is an assumption of the path; one on two registers
//! is a condition on the final state, with the same control dependency.

use std::collections::{BTreeMap, BTreeSet};

use super::{AtomicFunction, Instruction, Limits, PublishedError, Test, Value};
use crate::condition::{Condition, Term};
use crate::program::{
    Access, Address, BarrierAction, BarrierLevel, Comparison, LocationId, Op, Operand, Program, Register, RmwFunction,
    Until,
};
use crate::{Proxy, Scope, Semantics};

/// Barriers that a thread has for itself are numbered from here.
const OWN_BARRIER: u32 = 1 << 17;

/// Steps of a path on average, beyond which there are taken to be too many paths.
const STEPS_A_PATH: usize = 64;

/// Bytes of every value.
pub(super) const WIDTH: u8 = 8;

/// What a register holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Number(u64),
    Register(Register),
    Sum(Register, u64),
}

/// One step of a path.
#[derive(Clone, Debug)]
pub(super) enum PathStep {
    Op(Op),
    /// A barrier with a quorum, and what the registers hold before it.
    Quorum {
        id: u32,
        quorum: u32,
        held: BTreeMap<String, Held>,
    },
}

/// One path.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) steps: Vec<PathStep>,
    /// What the registers hold at the end.
    pub(super) held: BTreeMap<String, Held>,
    /// Assignments, with the step that makes them.
    pub(super) assigned: Vec<(usize, String)>,
    /// What must hold for the path to be taken, with the step before which it is decided.
    pub(super) conditions: Vec<(usize, Condition)>,
}

/// Walks a thread.
pub(super) struct Walker<'t> {
    test: &'t Test,
    thread: usize,
    limits: Limits,
    locations: &'t [LocationId],
    spill: LocationId,
    pub(super) paths: Vec<Path>,
    pub(super) bounded: bool,
}

/// Where a walk is.
#[derive(Clone)]
struct Walk {
    at: usize,
    path: Path,
    visits: BTreeMap<String, u32>,
    names: usize,
    spills: u64,
}

impl<'t> Walker<'t> {
    /// `spill` is memory of the thread's own, for values that are computed.
    pub(super) fn new(
        test: &'t Test,
        thread: usize,
        limits: Limits,
        locations: &'t [LocationId],
        spill: LocationId,
    ) -> Self {
        Walker { test, thread, limits, locations, spill, paths: Vec::new(), bounded: false }
    }

    /// Finds all paths.
    pub(super) fn run(&mut self) -> Result<(), PublishedError> {
        let mut path = Path::default();
        for (thread, register, value) in &self.test.registers {
            if *thread == self.thread {
                path.held.insert(register.clone(), Held::Number(*value));
            }
        }
        let mut open = vec![Walk { at: 0, path, visits: BTreeMap::new(), names: 0, spills: 0 }];
        let instructions = &self.test.threads[self.thread].instructions;
        let mut walks = 0;
        while let Some(mut walk) = open.pop() {
            // Paths that are cut off count too.
            walks += 1;
            let too_long = walks > self.limits.combinations.saturating_mul(STEPS_A_PATH);
            if too_long || self.paths.len() + open.len() > self.limits.combinations {
                return Err(PublishedError::TooManyPaths(self.limits.combinations));
            }
            let Some((_, instruction)) = instructions.get(walk.at) else {
                self.paths.push(walk.path);
                continue;
            };
            walk.at += 1;
            match instruction {
                Instruction::Label(label) => {
                    let visits = walk.visits.entry(label.clone()).or_default();
                    *visits += 1;
                    if *visits > self.limits.visits {
                        self.bounded = true;
                        continue;
                    }
                }
                Instruction::Goto(label) => walk.at = self.label(label),
                Instruction::Branch { comparison, left, right, label } => {
                    let mut taken = walk.clone();
                    taken.at = self.label(label);
                    if self.decide(&mut taken, *comparison, left, right) {
                        open.push(taken);
                    }
                    if !self.decide(&mut walk, opposite(*comparison), left, right) {
                        continue;
                    }
                }
                Instruction::Barrier { arrive, id, quorum } => {
                    self.barrier(walk, *arrive, id, *quorum, &mut open);
                    continue;
                }
                other => self.step(&mut walk, other),
            }
            open.push(walk);
        }
        Ok(())
    }

    /// A barrier whose number may be in a register: one path for each number that the test mentions, and one for all
    /// others, on which nobody else comes to the barrier.
    fn barrier(&self, mut walk: Walk, arrive: bool, id: &Value, quorum: Option<u32>, open: &mut Vec<Walk>) {
        let held = walk.held(id);
        if let Held::Number(number) = held {
            walk.arrive(number, arrive, quorum);
            open.push(walk);
            return;
        }
        let register = self.in_register(&mut walk, held);
        let numbers = numbers(self.test);
        for &number in &numbers {
            let mut here = walk.clone();
            let until = Until { comparison: Comparison::Eq, value: number.into() };
            here.push(Op::Assume { register: register.clone(), until });
            here.arrive(number, arrive, quorum);
            open.push(here);
        }
        for &number in &numbers {
            let until = Until { comparison: Comparison::Ne, value: number.into() };
            walk.push(Op::Assume { register: register.clone(), until });
        }
        walk.arrive(u64::from(OWN_BARRIER) + self.thread as u64, arrive, quorum);
        open.push(walk);
    }

    fn label(&self, label: &str) -> usize {
        let instructions = &self.test.threads[self.thread].instructions;
        let found = instructions.iter().position(|(_, at)| matches!(at, Instruction::Label(name) if name == label));
        // The parser has seen that each label exists.
        found.unwrap_or(instructions.len())
    }

    /// Lets a comparison hold from here on; false where it cannot.
    fn decide(&self, walk: &mut Walk, comparison: Comparison, left: &Value, right: &Value) -> bool {
        let (left, right) = (walk.held(left), walk.held(right));
        let (comparison, left, right) = match (&left, &right) {
            (Held::Number(one), Held::Number(other)) => return comparison.holds((*one).into(), (*other).into()),
            (Held::Number(_), _) => (mirrored(comparison), right, left),
            _ => (comparison, left, right),
        };
        let left = self.in_register(walk, left);
        if let Held::Number(value) = right {
            let until = Until { comparison, value: value.into() };
            walk.push(Op::Assume { register: left, until });
            return true;
        }
        let right = self.in_register(walk, right);
        for register in [&left, &right] {
            walk.push(Op::Branch(register.clone()));
        }
        let condition = Condition::CompareTerms(self.term(left), comparison, self.term(right));
        walk.path.conditions.push((walk.path.steps.len(), condition));
        true
    }

    fn term(&self, register: Register) -> Term {
        Term::Register { thread: self.test.threads[self.thread].name.clone(), register }
    }

    /// A register that holds the value: a computed one goes through memory of the thread's own.
    fn in_register(&self, walk: &mut Walk, held: Held) -> Register {
        let value = match held {
            Held::Register(register) => return register,
            Held::Sum(register, number) => Operand::Sum(register, number.into()),
            Held::Number(number) => Operand::Constant(number.into()),
        };
        let register = walk.name("sum");
        let (store, load) = spilled(self.spill, walk.spills, value, &register);
        walk.spills += 1;
        walk.push(store);
        walk.push(load);
        register
    }

    fn access(&self, location: usize, semantics: Semantics, scope: Scope, proxy: Proxy) -> Access {
        Access {
            address: Address { location: self.locations[location], offset: 0 },
            width: WIDTH,
            count: 1,
            semantics,
            scope,
            proxy,
            depends_on: Vec::new(),
        }
    }

    fn step(&self, walk: &mut Walk, instruction: &Instruction) {
        match instruction {
            Instruction::Store { semantics, scope, proxy, location, value } => {
                let access = self.access(*location, *semantics, *scope, *proxy);
                let values = vec![walk.operand(value)];
                walk.push(Op::Store { access, values });
            }
            Instruction::Load { semantics, scope, proxy, register, location } => {
                let access = self.access(*location, *semantics, *scope, *proxy);
                let name = walk.assign(register);
                walk.push(Op::Load { registers: vec![name], access, until: None });
            }
            Instruction::Set { register, left, right, subtract } => {
                let (left, right) = (walk.held(left), walk.held(right));
                let right = match right {
                    Held::Number(number) if *subtract => Held::Number(number.wrapping_neg()),
                    other => other,
                };
                let value = match (left, right) {
                    (Held::Number(one), Held::Number(other)) => Held::Number(one.wrapping_add(other)),
                    (Held::Number(number), held) | (held, Held::Number(number)) => held.plus(number),
                    // The parser refuses arithmetic on two registers.
                    (held, _) => held,
                };
                walk.path.assigned.push((walk.path.steps.len(), register.clone()));
                walk.path.held.insert(register.clone(), value);
            }
            Instruction::Atomic { register, semantics, scope, location, function } => {
                // PTX has no `red.acquire`: a reduction starts no acquire pattern (PTX ISA §8.11.1).
                let semantics = match (register, *semantics) {
                    (None, Semantics::Acquire) => Semantics::Relaxed,
                    (None, Semantics::AcquireRelease) => Semantics::Release,
                    (_, semantics) => semantics,
                };
                let access = self.access(*location, semantics, *scope, Proxy::Generic);
                let function = match function {
                    AtomicFunction::Add(value) => RmwFunction::Add(walk.operand(value)),
                    AtomicFunction::Subtract(Value::Number(number)) => {
                        RmwFunction::Add(Operand::Constant(number.wrapping_neg().into()))
                    }
                    // The parser refuses it.
                    AtomicFunction::Subtract(value) => RmwFunction::Add(walk.operand(value)),
                    AtomicFunction::And(value) => RmwFunction::And(walk.operand(value)),
                    AtomicFunction::Or(value) => RmwFunction::Or(walk.operand(value)),
                    AtomicFunction::Xor(value) => RmwFunction::Xor(walk.operand(value)),
                    AtomicFunction::Exchange(value) => RmwFunction::Exchange(walk.operand(value)),
                    AtomicFunction::CompareAndSwap(expected, desired) => {
                        RmwFunction::CompareAndSwap { expected: walk.operand(expected), desired: walk.operand(desired) }
                    }
                };
                let name = register.as_ref().map(|register| walk.assign(register));
                walk.push(Op::Rmw { returns: register.is_some(), register: name, access, function });
            }
            Instruction::Fence { semantics, scope } => walk.push(Op::Fence { semantics: *semantics, scope: *scope }),
            Instruction::ProxyFence(kind) => walk.push(Op::ProxyFence(*kind)),
            Instruction::Label(_) | Instruction::Goto(_) | Instruction::Branch { .. } | Instruction::Barrier { .. } => {
            }
        }
    }
}

impl Walk {
    fn push(&mut self, op: Op) {
        self.path.steps.push(PathStep::Op(op));
    }

    /// A barrier of a known number; the model's numbers have 32 bits, and larger ones are no barriers of a machine.
    fn arrive(&mut self, number: u64, arrive: bool, quorum: Option<u32>) {
        let id = u32::try_from(number).unwrap_or(u32::MAX);
        let Some(quorum) = quorum else {
            let action = if arrive { BarrierAction::Arrive } else { BarrierAction::Sync };
            self.push(Op::Barrier { id, action, level: BarrierLevel::Cta, participants: None });
            return;
        };
        let held = self.path.held.clone();
        self.path.steps.push(PathStep::Quorum { id, quorum, held });
    }

    fn name(&mut self, base: &str) -> Register {
        self.names += 1;
        Register(format!("{base}_{}", self.names))
    }

    fn assign(&mut self, register: &str) -> Register {
        let name = self.name(register);
        self.path.assigned.push((self.path.steps.len(), register.to_owned()));
        self.path.held.insert(register.to_owned(), Held::Register(name.clone()));
        name
    }

    /// A register that was never assigned is zero.
    fn held(&self, value: &Value) -> Held {
        match value {
            Value::Number(number) => Held::Number(*number),
            Value::Register(register) => self.path.held.get(register).cloned().unwrap_or(Held::Number(0)),
        }
    }

    fn operand(&self, value: &Value) -> Operand {
        match self.held(value) {
            Held::Number(number) => Operand::Constant(number.into()),
            Held::Register(register) => Operand::Register(register),
            Held::Sum(register, number) => Operand::Sum(register, number.into()),
        }
    }
}

impl Held {
    fn plus(self, number: u64) -> Held {
        match self {
            Held::Number(one) => Held::Number(one.wrapping_add(number)),
            held if number == 0 => held,
            Held::Register(register) => Held::Sum(register, number),
            Held::Sum(register, one) => Held::Sum(register, one.wrapping_add(number)),
        }
    }
}

/// All numbers that a test can hold in memory without computing: those that it mentions, and zero.
fn numbers(test: &Test) -> BTreeSet<u64> {
    let mut all = BTreeSet::from([0]);
    let mut add = |value: &Value| {
        if let Value::Number(number) = value {
            all.insert(*number);
        }
    };
    for (_, instruction) in test.threads.iter().flat_map(|column| &column.instructions) {
        match instruction {
            Instruction::Store { value, .. } | Instruction::Barrier { id: value, .. } => add(value),
            Instruction::Set { left, right, .. } => [left, right].into_iter().for_each(&mut add),
            Instruction::Atomic { function: AtomicFunction::Exchange(value), .. } => add(value),
            Instruction::Atomic { function: AtomicFunction::CompareAndSwap(_, value), .. } => add(value),
            _ => {}
        }
    }
    all.extend(test.registers.iter().map(|(_, _, value)| *value));
    all.extend(test.locations.iter().filter_map(|location| match location.kind {
        super::DeclaredKind::Memory(value) => Some(value),
        _ => None,
    }));
    all
}

/// Stores a value in memory of the thread's own, and loads it into a register.
pub(super) fn spilled(spill: LocationId, index: u64, value: Operand, register: &Register) -> (Op, Op) {
    let access = Access {
        address: Address { location: spill, offset: index * u64::from(WIDTH) },
        width: WIDTH,
        count: 1,
        semantics: Semantics::Weak,
        scope: Scope::Sys,
        proxy: Proxy::Generic,
        depends_on: Vec::new(),
    };
    let store = Op::Store { access: access.clone(), values: vec![value] };
    (store, Op::Load { registers: vec![register.clone()], access, until: None })
}

/// Adds the memory for computed values of a thread.
pub(super) fn spill_location(program: &mut Program, thread: &str) -> LocationId {
    program.global(format!("computed_by_{thread}"))
}

/// The comparison that holds when this one does not.
pub(super) fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Eq => Comparison::Ne,
        Comparison::Ne => Comparison::Eq,
        Comparison::Lt => Comparison::Ge,
        Comparison::Le => Comparison::Gt,
        Comparison::Gt => Comparison::Le,
        Comparison::Ge => Comparison::Lt,
    }
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Lt => Comparison::Gt,
        Comparison::Le => Comparison::Ge,
        Comparison::Gt => Comparison::Lt,
        Comparison::Ge => Comparison::Le,
        same => same,
    }
}
