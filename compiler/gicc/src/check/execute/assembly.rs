//! Inline PTX in an execution: each instruction of the string in turn, through the table of crate `ptx`.
//!
//! Memory, order and moves are executed; arithmetic where it is simple; of the rest the results are unknown. Jumps inside of a
//! string are not followed. A wait on an mbarrier is taken to have succeeded, as the last round of a spin has.

use std::collections::BTreeMap;
use std::rc::Rc;

use memory_model::{ProxyFence, Scope, Semantics};
use ptx::op::{AluOp, AtomicOp, BarrierAction, CopyGroup, MbarrierAction, ProxyKind};
use ptx::{Direction, InlineAsm, Meaning, Op, Operand, OperandClass, Role, ScalarType, Slot, StateSpace};

use super::decode::Instruction;
use super::event::{Access, AccessKind, EventKind, Function as Change, WARPS};
use super::thread::{End, Run, generic};
use super::value::{Binary, Expression, Scalar, Value, cut};

/// The registers of a string, and its operands.
struct Names<'a> {
    asm: &'a InlineAsm,
    /// By placeholder.
    operands: BTreeMap<u32, Scalar>,
    registers: BTreeMap<String, Wide>,
}

/// A register: one scalar, or a 128-bit one of two halves.
#[derive(Clone)]
enum Wide {
    One(Scalar),
    Two(Scalar, Scalar),
}

/// One instruction of a string, and what it uses.
struct Step<'a> {
    /// The call of the string.
    instruction: &'a Instruction,
    /// Its number in the string.
    part: u32,
    /// Itself.
    ptx: &'a ptx::Instruction,
    /// Its operands.
    uses: Vec<(Slot, &'a Operand)>,
}

impl<'a> Step<'a> {
    /// The operands of a role.
    fn of(&self, role: Role) -> impl Iterator<Item = &'a Operand> {
        self.uses.iter().filter(move |(slot, _)| slot.role == role).map(|(_, operand)| *operand)
    }

    /// What is read as a number: registers and constants, in their order.
    fn numbers(&self) -> impl Iterator<Item = &'a Operand> {
        let are = |slot: &Slot| matches!(slot.role, Role::Source | Role::Constant);
        self.uses.iter().filter(move |(slot, _)| are(slot)).map(|(_, operand)| *operand)
    }

    fn event(&self, run: &mut Run<'_>, kind: EventKind) {
        run.event(self.instruction, self.part, &self.ptx.opcode, kind);
    }

    fn gap(&self, run: &mut Run<'_>, words: impl Into<String>) {
        run.gap(self.instruction, words);
    }
}

/// Executes a string; its outputs.
pub(super) fn run(
    run: &mut Run<'_>,
    instruction: &Instruction,
    asm: &InlineAsm,
    arguments: &[Value],
) -> Result<Value, End> {
    let mut names = Names { asm, operands: BTreeMap::new(), registers: BTreeMap::new() };
    let mut arguments = arguments.iter();
    for (index, operand) in asm.constraints.operands.iter().enumerate() {
        // An indirect output is an argument as well.
        if operand.direction == Direction::Output && !operand.indirect {
            continue;
        }
        let Some(argument) = arguments.next() else { break };
        let scalar = argument.scalar();
        if let OperandClass::Tied(output) = operand.class {
            names.operands.insert(output, scalar.clone());
        }
        names.operands.insert(index as u32, scalar);
    }
    if !asm.unknown().is_empty() {
        run.gap(instruction, "inline assembly with an instruction that is not known");
    }
    for (part, one) in asm.instructions().into_iter().enumerate() {
        if let Some(guard) = &one.guard {
            let predicate = names.read(run, &guard.predicate).get();
            match predicate {
                Some(number) if (number & 1 == 1) == guard.negated => continue,
                Some(_) => {}
                None => {
                    run.gap(instruction, "a predicate inside of inline assembly");
                }
            }
        }
        names.execute(run, &Step { instruction, part: part as u32, ptx: one, uses: one.uses() })?;
    }
    let outputs: Vec<u32> = asm
        .constraints
        .operands
        .iter()
        .enumerate()
        .filter(|(_, operand)| operand.direction != Direction::Input && !operand.indirect)
        .map(|(index, _)| index as u32)
        .collect();
    let mut values: Vec<Value> = Vec::new();
    for output in &outputs {
        values.push(Value::One(match names.operands.get(output) {
            Some(scalar) => scalar.clone(),
            None => run.unknown(&[]),
        }));
    }
    Ok(if values.len() == 1 { values.swap_remove(0) } else { Value::Many(Rc::new(values)) })
}

impl Names<'_> {
    fn read(&self, run: &mut Run<'_>, operand: &Operand) -> Scalar {
        match operand {
            Operand::Placeholder(placeholder) => self.operands.get(&placeholder.index).cloned(),
            Operand::Register(name) => match self.registers.get(name) {
                Some(Wide::One(scalar) | Wide::Two(scalar, _)) => Some(scalar.clone()),
                None => None,
            },
            Operand::Immediate(number) => number.as_integer().map(|n| Scalar::known(n as u128)),
            Operand::Special(special) => {
                let name = special.to_string();
                run.special(name.trim_start_matches('%')).map(|n| Scalar::known(n.into()))
            }
            Operand::Negated(inner) => {
                let inner = self.read(run, inner);
                Some(run.binary(Binary::Xor, &inner, &Scalar::known(1), 1))
            }
            Operand::Vector(parts) => parts.first().map(|part| self.read(run, part)),
            _ => None,
        }
        .unwrap_or_else(|| run.unknown(&[]))
    }

    /// All parts of an operand.
    fn read_all(&self, run: &mut Run<'_>, operand: &Operand) -> Vec<Scalar> {
        match operand {
            Operand::Vector(parts) => parts.iter().map(|part| self.read(run, part)).collect(),
            Operand::Register(name) => match self.registers.get(name) {
                Some(Wide::Two(low, high)) => vec![low.clone(), high.clone()],
                _ => vec![self.read(run, operand)],
            },
            operand => vec![self.read(run, operand)],
        }
    }

    fn write(&mut self, operand: &Operand, values: &[Scalar]) {
        match (operand, values) {
            (Operand::Placeholder(placeholder), [value, ..]) => {
                let bits = self
                    .asm
                    .constraints
                    .class(placeholder.index)
                    .and_then(|c| c.register_type())
                    .map_or(64, ScalarType::bits);
                let mut value = value.clone();
                if let Ok(number) = &mut value.number {
                    *number = cut(*number, bits);
                }
                self.operands.insert(placeholder.index, value);
            }
            (Operand::Register(name), [low, high]) => {
                self.registers.insert(name.clone(), Wide::Two(low.clone(), high.clone()));
            }
            (Operand::Register(name), [value, ..]) => {
                self.registers.insert(name.clone(), Wide::One(value.clone()));
            }
            (Operand::Vector(parts), values) => {
                for (part, value) in parts.iter().zip(values) {
                    self.write(part, std::slice::from_ref(value));
                }
            }
            (Operand::Pair(first, _), values) => self.write(first, values),
            _ => {}
        }
    }

    fn address(&self, run: &mut Run<'_>, operand: &Operand, space: StateSpace) -> Option<u64> {
        let Operand::Address(address) = operand else { return None };
        let base = self.read(run, &address.base).get()?;
        let offset = match &address.offset {
            ptx::Offset::None => 0,
            ptx::Offset::Bytes(bytes) => *bytes,
            ptx::Offset::Placeholder(placeholder) => self.operands.get(&placeholder.index)?.get()? as i64,
        };
        let at = base.wrapping_add_signed(offset.into());
        let shared = matches!(space, StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster);
        Some(generic(at, if shared { 3 } else { 0 }))
    }

    fn execute(&mut self, run: &mut Run<'_>, step: &Step<'_>) -> Result<(), End> {
        match step.ptx.op.meaning() {
            Some(Meaning::Access(access)) => return self.access(run, step, &access),
            Some(Meaning::Fence { semantics, scope, .. }) => step.event(run, EventKind::Fence(semantics, scope)),
            Some(Meaning::ProxyFence { kind, .. }) => {
                let fence = match kind {
                    ProxyKind::Alias => ProxyFence::Alias,
                    ProxyKind::Async | ProxyKind::AsyncGeneric => ProxyFence::Async,
                    ProxyKind::AsyncGlobal => ProxyFence::AsyncGlobal,
                    ProxyKind::AsyncSharedCta => ProxyFence::AsyncSharedCta,
                    ProxyKind::AsyncSharedCluster => ProxyFence::AsyncSharedCluster,
                    ProxyKind::TensormapGeneric => return Ok(()),
                };
                step.event(run, EventKind::ProxyFence(fence));
            }
            Some(Meaning::Barrier { action }) => {
                let id = match step.of(Role::Source).next().or_else(|| step.of(Role::Constant).next()) {
                    Some(operand) => self.read(run, operand).get().unwrap_or(0) as u32,
                    None => 0,
                };
                step.event(run, EventKind::Barrier { id, arrives: action == BarrierAction::Arrive });
                self.forget(run, step);
            }
            Some(Meaning::WarpBarrier) => {
                let id = WARPS + run.role.thread / 32;
                step.event(run, EventKind::Barrier { id, arrives: false });
            }
            Some(Meaning::AsyncCopy(copy)) => {
                let mut addresses = step.of(Role::Address);
                let (to, from, third) = (addresses.next(), addresses.next(), addresses.next());
                let to = to.and_then(|operand| self.address(run, operand, copy.destination));
                let from = copy.source.and_then(|space| from.and_then(|operand| self.address(run, operand, space)));
                let bytes = step.of(Role::Source).next().or_else(|| step.of(Role::Constant).next());
                let bytes = bytes.and_then(|operand| self.read(run, operand).get());
                let mbarrier = third.and_then(|operand| self.address(run, operand, StateSpace::SharedCta));
                let bulk = copy.proxy == memory_model::Proxy::Async && copy.reduces.is_none() && !copy.prefetch;
                match (to, from) {
                    (Some(to), Some(from)) if bulk => {
                        let bytes = bytes.unwrap_or(16).clamp(1, 64) as u32;
                        let mbarrier = mbarrier.map(|at| (at, run.phases.get(&at).copied().unwrap_or(0)));
                        step.event(run, EventKind::Copy { to, from, bytes, mbarrier });
                    }
                    _ if copy.prefetch => {}
                    _ => step.gap(run, "an asynchronous copy whose addresses are not seen"),
                }
            }
            Some(Meaning::CopyGroup(group)) => match group {
                CopyGroup::BulkCommit => step.event(run, EventKind::Commit),
                CopyGroup::BulkWait { read } => {
                    let pending = step.ptx.operands.first().map(|operand| self.read(run, operand).get().unwrap_or(0));
                    let kind = EventKind::Wait { pending: pending.unwrap_or(0) as u32, read_only: read };
                    step.event(run, kind);
                }
                CopyGroup::Commit | CopyGroup::Wait | CopyGroup::WaitAll => {}
            },
            Some(Meaning::Mbarrier { action, semantics, scope, space }) => {
                let at = step.of(Role::Address).next().and_then(|operand| self.address(run, operand, space));
                self.mbarrier(run, step, at, action, (semantics, scope));
            }
            Some(_) => {
                step.gap(run, format!("`{}`", step.ptx.opcode));
                self.forget(run, step);
            }
            None => self.arithmetic(run, step),
        }
        Ok(())
    }

    fn mbarrier(
        &mut self,
        run: &mut Run<'_>,
        step: &Step<'_>,
        at: Option<u64>,
        action: MbarrierAction,
        (semantics, scope): (Semantics, Scope),
    ) {
        self.forget(run, step);
        let Some(at) = at else {
            step.gap(run, "an mbarrier whose address is not seen");
            return;
        };
        if action.arrives() {
            let phase = *run.phases.entry(at).or_insert(0);
            step.event(run, EventKind::Mbarrier { at, phase, waits: false, semantics, scope });
        } else if action.waits() {
            let parity = step.numbers().next().and_then(|operand| self.read(run, operand).get()).unwrap_or(0) as u32;
            let phase = parity & 1;
            step.event(run, EventKind::Mbarrier { at, phase, waits: true, semantics, scope });
            run.phases.insert(at, phase + 1);
            // It has succeeded.
            for operand in step.of(Role::Destination) {
                self.write(operand, &[Scalar::known(1)]);
            }
        }
    }

    fn access(&mut self, run: &mut Run<'_>, step: &Step<'_>, access: &ptx::Access) -> Result<(), End> {
        let at = step.of(Role::Address).next().and_then(|operand| self.address(run, operand, access.space));
        let Some(at) = at else {
            if access.space != StateSpace::Param {
                step.gap(run, "an address that depends on memory");
            }
            self.forget(run, step);
            return Ok(());
        };
        let mut sources = step.of(Role::Source);
        let (kind, values) = match access.kind {
            ptx::AccessKind::Load => (AccessKind::Load, Vec::new()),
            ptx::AccessKind::Store => {
                let values = sources.next().map_or_else(Vec::new, |operand| self.read_all(run, operand));
                (AccessKind::Store, values)
            }
            ptx::AccessKind::ReadModifyWrite { op, returns } => {
                let values: Vec<Scalar> = sources.flat_map(|operand| self.read_all(run, operand)).collect();
                (AccessKind::Atomic(change(op), returns), values)
            }
            ptx::AccessKind::MultimemLoad { .. } => {
                return self.multicast(run, step, access, at, AccessKind::Load);
            }
            ptx::AccessKind::MultimemStore => {
                return self.multicast(run, step, access, at, AccessKind::Store);
            }
            ptx::AccessKind::MultimemReduce { op } => {
                let change = change(op.unwrap_or(AtomicOp::Add));
                return self.multicast(run, step, access, at, AccessKind::Atomic(change, false));
            }
        };
        // A word of 16 bytes goes in halves of its own.
        let packet = access.width == 16;
        let bits = if packet { 64 } else { access.width * 8 };
        let mut values: Vec<Result<u128, Rc<Expression>>> =
            values.into_iter().map(|scalar| scalar.number.map(|number| cut(number, bits))).collect();
        let wanted = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => access.count as usize,
            AccessKind::Atomic(Change::Swap, _) => 2,
            AccessKind::Atomic(..) => 1,
        } * if packet { 2 } else { 1 };
        values.truncate(wanted);
        while values.len() < wanted {
            values.push(run.unknown(&[]).number);
        }
        let event = Access {
            kind,
            address: at,
            width: access.width,
            count: access.count,
            semantics: access.semantics,
            scope: access.scope.unwrap_or(Scope::Sys),
            proxy: access.proxy,
            values,
            packet,
        };
        let read = run.access(step.instruction, step.part, &step.ptx.opcode, event)?;
        if let Some(into) = step.of(Role::Destination).next()
            && !read.is_empty()
        {
            self.write(into, &read);
        }
        Ok(())
    }

    /// A multicast access: one of each PE's copy. What a load gives is made of all of them.
    fn multicast(
        &mut self,
        run: &mut Run<'_>,
        step: &Step<'_>,
        access: &ptx::Access,
        at: u64,
        kind: AccessKind,
    ) -> Result<(), End> {
        let copies = run.copies(at);
        if copies.is_empty() {
            step.gap(run, format!("`{}`: whose memory is behind a multicast address is not seen", step.ptx.opcode));
        }
        let stored: Vec<Scalar> = step.of(Role::Source).flat_map(|operand| self.read_all(run, operand)).collect();
        let wanted = match kind {
            AccessKind::Load => 0,
            AccessKind::Store => access.count as usize,
            AccessKind::Atomic(..) => 1,
        };
        let mut seen = Vec::new();
        for address in copies {
            let mut values: Vec<_> = stored.iter().take(wanted).map(|scalar| scalar.number.clone()).collect();
            while values.len() < wanted {
                values.push(run.unknown(&[]).number);
            }
            let copy = Access {
                kind,
                address,
                width: access.width,
                count: if wanted == 1 { 1 } else { access.count },
                semantics: access.semantics,
                scope: access.scope.unwrap_or(Scope::Sys),
                proxy: access.proxy,
                values,
                packet: false,
            };
            seen.extend(run.access(step.instruction, step.part, &step.ptx.opcode, copy)?);
        }
        for operand in step.of(Role::Destination) {
            let unknown = run.unknown(&seen);
            self.write(operand, &[unknown]);
        }
        Ok(())
    }

    /// The results are not known.
    fn forget(&mut self, run: &mut Run<'_>, step: &Step<'_>) {
        for operand in step.of(Role::Destination) {
            let unknown = run.unknown(&[]);
            self.write(operand, &[unknown]);
        }
    }

    fn arithmetic(&mut self, run: &mut Run<'_>, step: &Step<'_>) {
        let Some(&(slot, into)) = step.uses.iter().find(|(slot, _)| slot.role == Role::Destination) else { return };
        let sources: Vec<&Operand> = step.numbers().collect();
        let bits = slot.ty.bits();
        let read = |this: &Self, run: &mut Run<'_>, index: usize| match sources.get(index) {
            Some(operand) => this.read(run, operand),
            None => run.unknown(&[]),
        };
        let values = match &step.ptx.op {
            Op::Mov(_) if matches!(into, Operand::Vector(_)) && bits <= 64 => match (sources.first(), into) {
                (Some(from), Operand::Vector(parts)) if !matches!(from, Operand::Vector(_)) => {
                    let from = self.read(run, from);
                    split(run, &from, parts.len() as u32, bits)
                }
                (from, _) => from.map_or_else(Vec::new, |from| self.read_all(run, from)),
            },
            Op::Mov(_) if matches!(sources.first(), Some(Operand::Vector(_))) && bits <= 64 => {
                let parts = sources.first().map_or_else(Vec::new, |from| self.read_all(run, from));
                vec![joined(run, &parts, bits)]
            }
            Op::Mov(_) | Op::Cvta(_) => match sources.first() {
                Some(operand) => self.read_all(run, operand),
                None => Vec::new(),
            },
            Op::Alu(alu) => {
                let binary = match alu.op {
                    AluOp::Add => Some(Binary::Add),
                    AluOp::Sub => Some(Binary::Sub),
                    AluOp::And => Some(Binary::And),
                    AluOp::Or => Some(Binary::Or),
                    AluOp::Xor => Some(Binary::Xor),
                    AluOp::Shl => Some(Binary::Shl),
                    _ => None,
                };
                let (a, b) = (read(self, run, 0), read(self, run, 1));
                let value = match (binary, alu.op) {
                    (Some(kind), _) if !slot.ty.is_float() => run.binary(kind, &a, &b, bits),
                    (_, AluOp::Selp) => match read(self, run, 2).get() {
                        Some(picked) if picked & 1 == 1 => a,
                        Some(_) => b,
                        None => run.unknown(&[a, b]),
                    },
                    (_, AluOp::Setp) => match alu.compare {
                        Some(ptx::op::Compare::Eq) => run.compare(super::value::Compare::Eq, &a, &b, 64),
                        Some(ptx::op::Compare::Ne) => run.compare(super::value::Compare::Ne, &a, &b, 64),
                        _ => run.unknown(&[a, b]),
                    },
                    _ => run.unknown(&[a, b]),
                };
                vec![value]
            }
            Op::ElectSync => {
                run.looks_at_thread = true;
                vec![Scalar::known(u128::from(run.role.thread.is_multiple_of(32)))]
            }
            _ => vec![run.unknown(&[])],
        };
        self.write(into, &values);
    }
}

/// The parts of a number, the lowest first.
fn split(run: &mut Run<'_>, from: &Scalar, parts: u32, bits: u32) -> Vec<Scalar> {
    let width = bits / parts.max(1);
    (0..parts)
        .map(|part| {
            let shifted = run.binary(Binary::LShr, from, &Scalar::known(u128::from(part * width)), bits);
            run.convert(&shifted, bits, width, false)
        })
        .collect()
}

/// A number of parts, the lowest first.
fn joined(run: &mut Run<'_>, parts: &[Scalar], bits: u32) -> Scalar {
    let width = bits / (parts.len() as u32).max(1);
    let mut whole = Scalar::known(0);
    for (index, part) in (0..).zip(parts) {
        let part = run.convert(part, width, bits, false);
        let part = run.binary(Binary::Shl, &part, &Scalar::known(u128::from(index * width)), bits);
        whole = run.binary(Binary::Or, &whole, &part, bits);
    }
    whole
}

/// What an atomic operation does.
fn change(op: AtomicOp) -> Change {
    match op {
        AtomicOp::Add => Change::Add,
        AtomicOp::Exch => Change::Exchange,
        AtomicOp::Cas => Change::Swap,
        AtomicOp::And => Change::And,
        AtomicOp::Or => Change::Or,
        AtomicOp::Xor => Change::Xor,
        AtomicOp::Min => Change::Min,
        AtomicOp::Max => Change::Max,
        AtomicOp::Inc => Change::Increment,
        AtomicOp::Dec => Change::Decrement,
    }
}
