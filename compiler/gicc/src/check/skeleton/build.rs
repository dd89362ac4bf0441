//! The program for one group of data: each thread's events become steps.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::super::execute::event::{Access, AccessKind, Event, EventKind, Function};
use super::super::execute::thread::{Path, Role};
use super::super::execute::value::{Binary, Compare, Expression, Read, cut};
use super::cells::{Key, key};
use super::{Play, Skeleton};

impl Builder<'_, '_> {
    pub(super) fn thread(&mut self, index: usize, role: Role, path: &Path) {
        let place = mm::Place::block(role.pe, role.block);
        let mut steps = Vec::new();
        let mut guessed = Vec::new();
        let mut recent: BTreeMap<((u32, u32), usize), usize> = BTreeMap::new();
        let mut registers: BTreeSet<Read> = BTreeSet::new();
        let mut touches_memory = false;
        let mut unfollowed = false;
        for (number, event) in path.events.iter().enumerate() {
            let ops = match &event.kind {
                EventKind::Access(access) => {
                    let Some(cell) = self.play.cells.find(key(role, access.address)) else { continue };
                    let is_flag = self.play.cells.flags.contains(&cell);
                    if is_flag && !self.play.is_used(cell)
                        || !is_flag && Some(self.play.cells.group[cell]) != self.group
                    {
                        continue;
                    }
                    if is_flag {
                        recent.clear();
                    } else {
                        let seen = recent.entry((event.site, cell)).or_default();
                        *seen += 1;
                        if *seen > REPEATED {
                            continue;
                        }
                    }
                    touches_memory = true;
                    let part = self.play.cells.part(cell);
                    let lanes = (0..access.count).map(|scalar| access.lane(scalar, part));
                    registers.extend(lanes.map(|lane| Read { event: number, lane }));
                    let known = self.fresh;
                    let op = self.access(number, cell, is_flag, access, role, &registers);
                    if is_flag && self.fresh != known {
                        guessed.push(steps.len());
                    }
                    vec![op]
                }
                EventKind::Fence(semantics, scope) => {
                    recent.clear();
                    vec![mm::Op::Fence { semantics: *semantics, scope: *scope }]
                }
                EventKind::ProxyFence(fence) => vec![mm::Op::ProxyFence(*fence)],
                EventKind::Barrier { id, arrives } => {
                    recent.clear();
                    let action = if *arrives { mm::BarrierAction::Arrive } else { mm::BarrierAction::Sync };
                    vec![mm::Op::Barrier { id: *id, action, level: mm::BarrierLevel::Cta, participants: None }]
                }
                EventKind::Copy { to, from, mbarrier, .. } => {
                    let cells = (self.play.cells.find(key(role, *to)), self.play.cells.find(key(role, *from)));
                    let (Some(to), Some(from)) = cells else { continue };
                    if Some(self.play.cells.group[to]) != self.group {
                        continue;
                    }
                    touches_memory = true;
                    let destination = mm::Address { location: self.location(to, role), offset: 0 };
                    let source = mm::Address { location: self.location(from, role), offset: 0 };
                    let mut ops = vec![mm::Op::BulkCopy { destination, source, bytes: WORD.into() }];
                    if let Some((at, phase)) = mbarrier {
                        ops.push(mm::Op::BulkOnMbarrier { id: self.mbarrier(key(role, *at)), phase: *phase });
                    }
                    ops
                }
                EventKind::Commit => vec![mm::Op::BulkCommit],
                EventKind::Wait { pending, read_only } => {
                    vec![mm::Op::BulkWait { pending: *pending, read_only: *read_only }]
                }
                EventKind::Mbarrier { at, phase, waits, semantics, scope } => {
                    let action = if *waits { mm::BarrierAction::Wait } else { mm::BarrierAction::Arrive };
                    let id = self.mbarrier(key(role, *at));
                    vec![mm::Op::Mbarrier { id, phase: *phase, action, semantics: *semantics, scope: *scope }]
                }
                EventKind::Assume { read, compare, with } => {
                    if !registers.contains(read) {
                        continue;
                    }
                    let comparison = comparison(*compare);
                    if self.is_torn(path, role, *read) {
                        steps.push((number, mm::Step { op: mm::Op::Branch(register(*read)), text: None }));
                        continue;
                    }
                    vec![mm::Op::Assume { register: register(*read), until: mm::Until { comparison, value: *with } }]
                }
                EventKind::Because(reads, condition) => {
                    let known = reads.iter().filter(|read| registers.contains(read));
                    let mut ops: Vec<mm::Op> = known.map(|read| mm::Op::Branch(register(*read))).collect();
                    if let (false, Some(condition)) = (ops.is_empty(), condition) {
                        let refused = self.play.refused(path, role, reads, condition);
                        unfollowed |= refused.is_none();
                        let refused = refused.into_iter().flatten().filter(|(read, _)| registers.contains(read));
                        ops.extend(refused.map(|(read, value)| {
                            let until = mm::Until { comparison: mm::Comparison::Ne, value };
                            mm::Op::Assume { register: register(read), until }
                        }));
                    }
                    ops
                }
            };
            for op in ops {
                steps.push((number, mm::Step { op, text: text(event) }));
            }
        }
        if !touches_memory {
            return;
        }
        let name = format!("PE {} block {} thread {}", role.pe, role.block, role.thread);
        let id = self.skeleton.program.thread(name, place).id();
        let (numbers, steps): (Vec<usize>, Vec<mm::Step>) = steps.into_iter().unzip();
        self.skeleton.program.threads[id.0].steps = steps;
        self.skeleton.unfollowed |= unfollowed;
        self.skeleton.guessed.extend(guessed.into_iter().map(|step| (id.0, step)));
        self.skeleton.threads.push(index);
        self.skeleton.steps.push(numbers);
    }

    /// Whether a packet is read where others access parts of it: then no part stands for what is read.
    fn is_torn(&self, path: &Path, role: Role, read: Read) -> bool {
        let Some(Event { kind: EventKind::Access(access), .. }) = path.events.get(read.event) else { return false };
        let cell = self.play.cells.find(key(role, access.address));
        access.packet && cell.is_some_and(|cell| self.play.cells.mixed.contains(&cell))
    }

    fn location(&mut self, cell: usize, role: Role) -> mm::LocationId {
        if let Some(&known) = self.locations.get(&cell) {
            return known;
        }
        let (start, _) = self.play.cells.ranges[cell];
        let is_flag = self.play.cells.flags.contains(&cell);
        let kind = if is_flag { "flag" } else { "data" };
        let name = format!("{kind}{cell}");
        let program = &mut self.skeleton.program;
        let id = if (1..100_000).contains(&start.0) {
            program.shared(name, mm::Place::block(role.pe, role.block))
        } else {
            program.global(name)
        };
        self.locations.insert(cell, id);
        if !is_flag {
            self.skeleton.data.insert(id.0);
        }
        id
    }

    fn mbarrier(&mut self, at: Key) -> u32 {
        let next = self.mbarriers.len() as u32;
        *self.mbarriers.entry(at).or_insert(next)
    }

    fn access(
        &mut self,
        number: usize,
        cell: usize,
        is_flag: bool,
        access: &Access,
        role: Role,
        assigned: &BTreeSet<Read>,
    ) -> mm::Op {
        let location = self.location(cell, role);
        let start = self.play.cells.ranges[cell].0.1;
        let modelled = if is_flag {
            mm::Access {
                address: mm::Address { location, offset: access.address - start },
                width: access.width.clamp(1, 16) as u8,
                count: access.count.clamp(1, 8) as u8,
                semantics: access.semantics,
                scope: access.scope,
                proxy: access.proxy,
                depends_on: Vec::new(),
            }
        } else {
            mm::Access {
                address: mm::Address { location, offset: 0 },
                width: WORD,
                count: 1,
                semantics: Semantics::Weak,
                scope: Scope::Sys,
                proxy: access.proxy,
                depends_on: Vec::new(),
            }
        };
        let count = modelled.count;
        let bits = u32::from(modelled.width) * 8;
        let part = self.play.cells.part(cell);
        let lane = |scalar: u32| access.lane(scalar, part);
        let registers: Vec<mm::Register> =
            (0..u32::from(count)).map(|scalar| register(Read { event: number, lane: lane(scalar) })).collect();
        let value = |scalar: u32| access.value(lane(scalar));
        let mut operand = |value: Option<Result<u128, Rc<Expression>>>| match value {
            Some(Ok(number)) if is_flag => mm::Operand::Constant(cut(number, bits)),
            Some(Err(expression)) if is_flag => from_expression(&expression, assigned).unwrap_or_else(|| {
                self.fresh += 1;
                mm::Operand::Constant(cut(self.fresh, bits))
            }),
            _ => {
                self.fresh += 1;
                mm::Operand::Constant(cut(self.fresh, bits))
            }
        };
        match access.kind {
            AccessKind::Load => mm::Op::Load { registers, access: modelled, until: None },
            AccessKind::Store => {
                let values = (0..u32::from(count)).map(|scalar| operand(value(scalar))).collect();
                mm::Op::Store { access: modelled, values }
            }
            AccessKind::Atomic(function, returns) if is_flag => {
                let first = operand(value(0));
                let function = match function {
                    Function::Add => mm::RmwFunction::Add(first),
                    Function::Exchange => mm::RmwFunction::Exchange(first),
                    Function::Swap => {
                        let desired = operand(value(1));
                        mm::RmwFunction::CompareAndSwap { expected: first, desired }
                    }
                    Function::And => mm::RmwFunction::And(first),
                    Function::Or => mm::RmwFunction::Or(first),
                    Function::Xor => mm::RmwFunction::Xor(first),
                    Function::Min => mm::RmwFunction::Min(first),
                    Function::Max => mm::RmwFunction::Max(first),
                    Function::Increment => mm::RmwFunction::Increment(first),
                    Function::Decrement => mm::RmwFunction::Decrement(first),
                };
                let register = returns.then(|| registers[0].clone());
                mm::Op::Rmw { returns, register, access: mm::Access { count: 1, ..modelled }, function }
            }
            AccessKind::Atomic(..) => {
                let values = vec![operand(None)];
                mm::Op::Store { access: modelled, values }
            }
        }
    }

    /// A flag's value that is not known is what ends the wait for it: where the wait ends, it was that.
    pub(super) fn values_that_end_waits(&mut self) {
        for (thread, step) in self.skeleton.guessed.clone() {
            let program = &mut self.skeleton.program;
            let mm::Op::Store { access, .. } = &program.threads[thread].steps[step].op else { continue };
            let (address, width) = (access.address, access.width);
            // In each thread, the last read is the one with which a wait ends.
            let waits: Vec<Vec<mm::Until>> = program
                .threads
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != thread)
                .filter_map(|(_, record)| {
                    let mut waits = record.steps.iter().enumerate().filter_map(|(at, one)| match &one.op {
                        mm::Op::Load { registers, access, .. }
                            if access.count == 1 && (access.address, access.width) == (address, width) =>
                        {
                            Some(conditions(&record.steps[at..], registers.first()?))
                        }
                        _ => None,
                    });
                    waits.rfind(|conditions| !conditions.is_empty())
                })
                .collect();
            let ends = |value: u128| waits.iter().filter(|wait| holds(wait, value)).count();
            let candidates = waits.iter().filter_map(|wait| satisfying(wait, u32::from(width) * 8));
            let Some(best) = candidates.rev().max_by_key(|value| ends(*value)) else { continue };
            if let mm::Op::Store { values, .. } = &mut program.threads[thread].steps[step].op
                && let [value] = values.as_mut_slice()
            {
                *value = mm::Operand::Constant(best);
            }
        }
    }

    /// A flag that is waited for and that nobody in this launch ever sets was set before it began.
    pub(super) fn flags_set_before(&mut self) {
        let mut given: BTreeMap<(mm::LocationId, u64), (u8, u128)> = BTreeMap::new();
        for (thread, record) in self.skeleton.program.threads.iter().enumerate() {
            for (step, one) in record.steps.iter().enumerate() {
                let mm::Op::Load { registers, access, .. } = &one.op else { continue };
                let location = access.address.location;
                let Some((&cell, _)) = self.locations.iter().find(|(_, id)| **id == location) else { continue };
                if self.play.written_somewhere.contains(&cell) {
                    continue;
                }
                for (lane, register) in registers.iter().enumerate() {
                    let offset = access.address.offset + lane as u64 * u64::from(access.width);
                    let Some(value) = ending(&record.steps[step..], register, u32::from(access.width) * 8) else {
                        continue;
                    };
                    if value != 0 && given.insert((location, offset), (access.width, value)).is_none() {
                        self.skeleton.set_before.push((thread, step));
                    }
                }
            }
        }
        for ((location, offset), (width, value)) in given {
            self.skeleton.program.initial(location, offset, width, value);
        }
    }
}

pub(super) struct Builder<'p, 's> {
    pub(super) play: &'p Play<'s>,
    pub(super) group: Option<usize>,
    pub(super) skeleton: Skeleton,
    pub(super) locations: BTreeMap<usize, mm::LocationId>,
    pub(super) mbarriers: BTreeMap<Key, u32>,
    pub(super) fresh: u128,
}

/// Data is accessed in words of this size: copies are taken to be as wide, and races of different sizes would void the axioms.
const WORD: u8 = 8;

/// As many accesses of one instruction to one cell are kept between two operations that order.
const REPEATED: usize = 1;

/// A value that ends a wait.
fn ending(steps: &[mm::Step], register: &mm::Register, bits: u32) -> Option<u128> {
    satisfying(&conditions(steps, register), bits)
}

/// What is asked of the value of a register.
fn conditions(steps: &[mm::Step], register: &mm::Register) -> Vec<mm::Until> {
    let asked = steps.iter().filter_map(|later| match &later.op {
        mm::Op::Assume { register: of, until } if of == register => Some(*until),
        _ => None,
    });
    asked.collect()
}

/// A value for which all conditions hold.
fn satisfying(conditions: &[mm::Until], bits: u32) -> Option<u128> {
    let near = conditions.iter().flat_map(|c| [c.value, c.value.wrapping_add(1), c.value.wrapping_sub(1)]);
    near.map(|value| cut(value, bits)).find(|value| holds(conditions, *value))
}

fn holds(conditions: &[mm::Until], value: u128) -> bool {
    conditions.iter().all(|c| c.comparison.holds(value, c.value))
}

fn register(read: Read) -> mm::Register {
    mm::Register(format!("r{}_{}", read.event, read.lane))
}

fn text(event: &Event) -> Option<String> {
    match event.kind {
        EventKind::Assume { .. } | EventKind::Because(..) => None,
        _ => Some(match &event.span {
            Some(span) => format!("{} (line {})", event.text, span.line),
            None => event.text.to_string(),
        }),
    }
}

/// What is written, of reads that have registers.
fn from_expression(expression: &Expression, assigned: &BTreeSet<Read>) -> Option<mm::Operand> {
    match expression {
        Expression::Read(read) => assigned.contains(read).then(|| mm::Operand::Register(register(*read))),
        Expression::Binary(Binary::Add, a, b, _) => match (a.as_ref(), b.as_ref()) {
            (Expression::Read(read), Expression::Known(number))
            | (Expression::Known(number), Expression::Read(read)) => {
                assigned.contains(read).then(|| mm::Operand::Sum(register(*read), *number))
            }
            _ => None,
        },
        Expression::Convert { value, .. } => from_expression(value, assigned),
        _ => None,
    }
}

fn comparison(compare: Compare) -> mm::Comparison {
    match compare {
        Compare::Eq => mm::Comparison::Eq,
        Compare::Ne => mm::Comparison::Ne,
        Compare::UGt | Compare::SGt => mm::Comparison::Gt,
        Compare::UGe | Compare::SGe => mm::Comparison::Ge,
        Compare::ULt | Compare::SLt => mm::Comparison::Lt,
        Compare::ULe | Compare::SLe => mm::Comparison::Le,
    }
}
