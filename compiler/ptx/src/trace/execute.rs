//! One instruction of one thread.

use super::alu::{atomic, evaluate, mask};
use super::error::TraceErrorKind;
use super::event::{End, EventKind};
use super::flat::Line;
use super::layout::is_in;
use super::machine::{Block, Passed, State, Step, WarpWait};
use super::memory::{FUNCTION_BASE, Place, window};
use crate::instruction::{Call, Instruction, Op};
use crate::meaning::{Access, Meaning};
use crate::op::{AtomicOp, BarrierAction, CopyGroup, Mbarrier, MbarrierAction, Multimem, MultimemKind};
use crate::operand::{Address, Operand};
use crate::signature::Role;
use crate::types::{ScalarType, StateSpace, lanes};
use std::collections::BTreeSet;

impl<'m> Block<'m, '_> {
    /// Executes the next instruction. The thread's state says afterwards whether it can go on.
    pub(super) fn step(&mut self, t: usize) -> Step<()> {
        let frame = self.frame_mut(t)?;
        let (flat, pc) = (frame.flat.clone(), frame.pc);
        frame.pc += 1;
        let instruction = match flat.lines.get(pc) {
            Some(Line::Instruction(instruction)) => *instruction,
            Some(Line::Unknown(unknown, span)) => {
                self.threads[t].span = *span;
                return Err(TraceErrorKind::Unknown { opcode: unknown.opcode.clone(), reason: unknown.reason.clone() });
            }
            // The end of the body returns.
            None => {
                self.threads[t].gives.clear();
                return self.leave(t);
            }
        };
        self.threads[t].span = instruction.span;
        self.threads[t].steps += 1;
        if self.threads[t].steps > self.launch.step_limit {
            return Err(TraceErrorKind::StepLimit(self.launch.step_limit));
        }
        self.trace_origins(t, instruction);
        if let Some(guard) = &instruction.guard {
            let holds = self.value(t, &guard.predicate, ScalarType::Pred)? != 0;
            if holds == guard.negated {
                return Ok(());
            }
        }
        self.execute(t, instruction, pc)
    }

    /// What the instruction's operands were computed from. Its results come from the same, unless it is an event itself.
    fn trace_origins(&mut self, t: usize, instruction: &Instruction) {
        let mut found = BTreeSet::new();
        for (slot, operand) in instruction.uses() {
            if slot.role != Role::Destination {
                self.origins(t, operand, &mut found);
            }
        }
        // What lanes exchange (but that a vote is an event itself), and what local memory holds, is not followed: nothing is
        // claimed of it.
        let followed = !matches!(
            instruction.op,
            Op::Barrier(_) | Op::Vote(_) | Op::Match(_) | Op::Shfl(_) | Op::Redux(_) | Op::ElectSync | Op::Mbarrier(_)
        );
        let thread = &mut self.threads[t];
        thread.gives = if followed { found.clone() } else { BTreeSet::new() };
        thread.uses = found;
    }

    /// The results of the instruction under way come from the event that it will record; of a load of parameters, from what
    /// those were computed from.
    fn gives_event(&mut self, t: usize, place: Place, bytes: u32) {
        let thread = &mut self.threads[t];
        thread.gives = match place.space {
            StateSpace::Param => thread.param_origins(place.address, bytes.into()),
            StateSpace::Local => BTreeSet::new(),
            _ => BTreeSet::from([thread.events.len()]),
        };
    }

    fn execute(&mut self, t: usize, instruction: &'m Instruction, pc: usize) -> Step<()> {
        let operands = &instruction.operands;
        match &instruction.op {
            Op::Ld(ld) => self.load(t, instruction, ld.ty, lanes(ld.vector), ld.space),
            Op::Ldu(ldu) => self.load(t, instruction, ldu.ty, lanes(ldu.vector), ldu.space),
            Op::St(st) => self.store(t, instruction, st.ty, lanes(st.vector), st.space),
            Op::Atomic(op) => {
                let (address, sources) = match op.returns {
                    true => (&operands[1], &operands[2..]),
                    false => (&operands[0], &operands[1..]),
                };
                let destination = op.returns.then(|| &operands[0]);
                self.atomic(t, instruction, op.op, op.ty, lanes(op.vector), op.space, destination, address, sources)
            }
            Op::Multimem(op) => self.multimem(t, instruction, op),
            Op::Fence(_) | Op::Membar(_) => match instruction.op.meaning() {
                Some(Meaning::Fence { semantics, scope, restrict }) => {
                    self.record(t, EventKind::Fence { semantics, scope, restrict }, instruction);
                    Ok(())
                }
                _ => self.refuse(instruction),
            },
            Op::FenceProxy(fence) => {
                let kind = EventKind::ProxyFence { kind: fence.kind, semantics: fence.semantics, scope: fence.scope };
                self.record(t, kind, instruction);
                Ok(())
            }
            Op::FenceMbarrierInit => {
                self.record(t, EventKind::MbarrierInitFence, instruction);
                Ok(())
            }
            Op::Barrier(barrier) => {
                let first = usize::from(barrier.action == BarrierAction::Red);
                let id = self.value(t, &operands[first], ScalarType::U32)? as u32;
                let more = operands.len() - first - usize::from(barrier.action == BarrierAction::Red);
                let count = match more {
                    2 => Some(self.value(t, &operands[first + 1], ScalarType::U32)? as u32),
                    _ => None,
                };
                let predicate = match barrier.action {
                    BarrierAction::Red => {
                        let last = &operands[operands.len() - 1];
                        self.value(t, last, ScalarType::Pred)? != 0
                    }
                    _ => false,
                };
                self.arrive_at_barrier(t, instruction, barrier.action, id, count, predicate)
            }
            Op::BarrierCluster(barrier) => self.cluster_barrier(t, instruction, barrier),
            Op::BarWarpSync => self.warp(t, instruction, pc, Some(&operands[0]), &[]),
            Op::Vote(vote) if vote.sync => {
                self.warp(t, instruction, pc, Some(&operands[2]), &[(&operands[1], ScalarType::Pred)])
            }
            Op::Match(op) => self.warp(t, instruction, pc, Some(&operands[2]), &[(&operands[1], op.ty)]),
            Op::Shfl(shfl) if shfl.sync => {
                let word = ScalarType::B32;
                let sources = [(&operands[1], word), (&operands[2], word), (&operands[3], word)];
                self.warp(t, instruction, pc, Some(&operands[4]), &sources)
            }
            Op::Redux(redux) if redux.ty.is_integer() => {
                self.warp(t, instruction, pc, Some(&operands[2]), &[(&operands[1], redux.ty)])
            }
            Op::ElectSync => self.warp(t, instruction, pc, Some(&operands[1]), &[]),
            Op::ActiveMask => self.warp(t, instruction, pc, None, &[]),
            Op::CpAsync(_)
            | Op::CpAsyncBulk(_)
            | Op::CpReduceAsyncBulk(_)
            | Op::CpAsyncBulkPrefetch(_)
            | Op::StAsync(_) => self.asynchronous(t, instruction),
            Op::CopyGroup(group) => {
                let pending = match group {
                    CopyGroup::Wait | CopyGroup::BulkWait { .. } => {
                        self.value(t, &operands[0], ScalarType::U32)? as u64
                    }
                    _ => 0,
                };
                self.record(t, EventKind::CopyGroup { group: *group, pending }, instruction);
                Ok(())
            }
            Op::CpAsyncMbarrierArrive(arrival) => {
                let place = self.memory_operand(t, &operands[0], arrival.space)?;
                self.mbarrier_arrive(place, u32::from(arrival.noinc), 0)?;
                self.record(t, EventKind::CopyArrival { place }, instruction);
                Ok(())
            }
            Op::Mbarrier(op) => self.mbarrier(t, instruction, op),
            Op::Nanosleep => {
                let nanoseconds = self.value(t, &operands[0], ScalarType::U32)? as u64;
                // Sleeping lets time pass; steps are what time is counted in.
                let steps = nanoseconds.checked_div(self.launch.time_per_step).unwrap_or(0);
                let thread = &mut self.threads[t];
                thread.slept = thread.slept.saturating_add(steps);
                Ok(())
            }
            Op::GridDepControl { launch } => {
                self.record(t, EventKind::GridDependency { launch: *launch }, instruction);
                Ok(())
            }
            Op::SetMaxNReg { .. } | Op::Prefetch(_) => Ok(()),
            Op::CreatePolicy(_) => self.assign(t, &operands[0], 0, ScalarType::B64),
            Op::Cvta(cvta) => {
                let address = self.value(t, &operands[1], cvta.ty)? as u64;
                let base = window(cvta.space);
                let converted = if cvta.to { address.wrapping_sub(base) } else { address.wrapping_add(base) };
                self.assign(t, &operands[0], converted.into(), cvta.ty)
            }
            Op::Mapa(mapa) => {
                let address = self.value(t, &operands[1], mapa.ty)?;
                match self.value(t, &operands[2], ScalarType::U32)? {
                    0 => self.assign(t, &operands[0], address, mapa.ty),
                    rank => Err(TraceErrorKind::Unsupported(format!(
                        "`{}` to block {rank} of the cluster (one block is run)",
                        instruction.opcode
                    ))),
                }
            }
            Op::GetCtaRank(_) => self.assign(t, &operands[0], 0, ScalarType::U32),
            Op::IsSpaceP(space) => {
                let address = self.value(t, &operands[1], ScalarType::B64)? as u64;
                self.assign(t, &operands[0], is_in(*space, address).into(), ScalarType::Pred)
            }
            Op::Mov(mov) => match (mov.vector, &operands[0], &operands[1]) {
                (None, destination, source) => match self.value(t, source, mov.ty) {
                    Ok(value) => self.assign(t, destination, value, mov.ty),
                    // What a compiler leaves open on this path; whoever uses the copy is told.
                    Err(TraceErrorKind::Undefined(_)) => self.undefine(t, destination),
                    Err(other) => Err(other),
                },
                (Some(_), Operand::Vector(destinations), Operand::Vector(sources)) => {
                    let values =
                        sources.iter().map(|source| self.value(t, source, mov.ty)).collect::<Step<Vec<_>>>()?;
                    destinations
                        .iter()
                        .zip(values)
                        .try_for_each(|(destination, value)| self.assign(t, destination, value, mov.ty))
                }
                _ => self.refuse(instruction),
            },
            Op::Alu(alu) => {
                let uses = instruction.uses();
                let mut sources = Vec::with_capacity(uses.len());
                for (slot, operand) in uses.iter().skip(1) {
                    sources.push(self.value(t, operand, slot.ty)?);
                }
                let outcome = evaluate(alu, &sources, self.frame(t)?.carry)?;
                if let Some(carry) = outcome.carry {
                    self.frame_mut(t)?.carry = carry;
                }
                match &operands[0] {
                    Operand::Pair(first, second) => {
                        self.assign(t, first, outcome.value, alu.result_type())?;
                        self.assign(t, second, outcome.second.unwrap_or(false).into(), ScalarType::Pred)
                    }
                    destination => self.assign(t, destination, outcome.value, alu.result_type()),
                }
            }
            Op::Bra { .. } => self.branch(t, &operands[0], pc),
            Op::BrxIdx { .. } => {
                let index = self.value(t, &operands[0], ScalarType::U32)? as usize;
                let name = label(&operands[1])?;
                let targets = self
                    .frame(t)?
                    .flat
                    .branch_targets(name, pc)
                    .ok_or_else(|| TraceErrorKind::Undeclared(name.to_owned()))?;
                match targets.get(index) {
                    Some(target) => self.branch(t, &Operand::symbol(target), pc),
                    None => Err(TraceErrorKind::UndefinedResult(format!("branch index {index}"))),
                }
            }
            Op::Call(call) => self.call(t, call),
            Op::Ret { .. } => self.leave(t),
            Op::Exit => {
                self.threads[t].state = State::Done(End::Exited);
                Ok(())
            }
            Op::Trap => {
                self.threads[t].state = State::Done(End::Trapped);
                Ok(())
            }
            Op::Brkpt | Op::Vote(_) | Op::Shfl(_) | Op::Redux(_) | Op::CpAsyncBulkTensor(_) => self.refuse(instruction),
        }
    }

    pub(super) fn refuse<T>(&self, instruction: &Instruction) -> Step<T> {
        Err(TraceErrorKind::Unsupported(instruction.opcode.clone()))
    }

    pub(super) fn memory_operand(&self, t: usize, operand: &Operand, space: StateSpace) -> Step<Place> {
        self.place(t, address_of(operand)?, space)
    }

    fn branch(&mut self, t: usize, target: &Operand, pc: usize) -> Step<()> {
        let name = label(target)?;
        let frame = self.frame_mut(t)?;
        frame.pc = frame.flat.label(name, pc).ok_or_else(|| TraceErrorKind::Undeclared(name.to_owned()))?;
        Ok(())
    }

    fn call(&mut self, t: usize, call: &'m Call) -> Step<()> {
        let name = match &call.target {
            Operand::Symbol { name, .. } => name.as_str(),
            register => {
                let address = self.value(t, register, ScalarType::B64)? as u64;
                let index = address.wrapping_sub(FUNCTION_BASE) / 16;
                let found = usize::try_from(index).ok().and_then(|i| self.layout.function_names.get(i));
                found.copied().ok_or_else(|| {
                    TraceErrorKind::UndefinedResult(format!("a call of {address:#x}, where no function is"))
                })?
            }
        };
        if let Some(bytes) = self.launch.externals.get(name) {
            let bytes = bytes.clone();
            return match call.returns.as_slice() {
                [] => Ok(()),
                [result] => self.give(t, result, &Passed::constant(bytes)),
                _ => Err(TraceErrorKind::Unsupported(format!("several results of `{name}`"))),
            };
        }
        let function = self.launch.module.function(name).ok_or_else(|| TraceErrorKind::External(name.to_owned()))?;
        let mut arguments = Vec::new();
        for (i, argument) in call.arguments.iter().enumerate() {
            let size = function.parameters.get(i).map_or(0, |parameter| parameter.size());
            arguments.push(self.argument(t, argument, size)?);
        }
        self.enter(t, name, arguments, call.returns.clone())
    }

    fn meaning_of(&self, instruction: &Instruction) -> Step<Access> {
        match instruction.op.meaning() {
            Some(Meaning::Access(access)) => Ok(access),
            _ => self.refuse(instruction),
        }
    }

    fn load(&mut self, t: usize, instruction: &Instruction, ty: ScalarType, lanes: u32, space: StateSpace) -> Step<()> {
        let access = self.meaning_of(instruction)?;
        let place = self.aligned(t, &instruction.operands[1], space, ty.bytes() * lanes)?;
        self.gives_event(t, place, ty.bytes() * lanes);
        let width = ty.bytes();
        let mut read = Vec::new();
        for lane in 0..lanes {
            let at = Place { address: place.address.wrapping_add(u64::from(width * lane)), ..place };
            read.push(self.read(t, at, width, Some(access), lane)?);
        }
        match (&instruction.operands[0], lanes) {
            (Operand::Vector(parts), _) => {
                for (part, value) in parts.iter().zip(&read) {
                    self.assign(t, part, *value, ty)?;
                }
            }
            (destination, 1) => self.assign(t, destination, read[0], ty)?,
            _ => return self.refuse(instruction),
        }
        self.record_access(t, instruction, access, place, read, Vec::new());
        Ok(())
    }

    fn store(
        &mut self,
        t: usize,
        instruction: &Instruction,
        ty: ScalarType,
        lanes: u32,
        space: StateSpace,
    ) -> Step<()> {
        let access = self.meaning_of(instruction)?;
        let place = self.aligned(t, &instruction.operands[0], space, ty.bytes() * lanes)?;
        let written = self.parts(t, &instruction.operands[1], ty, lanes)?;
        for (lane, value) in written.iter().enumerate() {
            let at = Place { address: place.address.wrapping_add(u64::from(ty.bytes()) * lane as u64), ..place };
            self.write(t, at, ty.bytes(), *value, Some(access), lane as u32)?;
        }
        if place.space == StateSpace::Param {
            let thread = &mut self.threads[t];
            let from = thread.uses.clone();
            thread.set_param_origins(place.address, (ty.bytes() * lanes).into(), &from);
        }
        self.record_access(t, instruction, access, place, Vec::new(), written);
        Ok(())
    }

    /// The values of a vector operand, or of a scalar one.
    fn parts(&self, t: usize, operand: &Operand, ty: ScalarType, lanes: u32) -> Step<Vec<u128>> {
        match (operand, lanes) {
            (Operand::Vector(parts), _) => parts.iter().map(|part| self.value(t, part, ty)).collect(),
            (operand, 1) => Ok(vec![self.value(t, operand, ty)?]),
            (operand, _) => Err(TraceErrorKind::Unsupported(format!("the operand `{operand}`"))),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "an atomic has this many parts, for `atom` and `red` alike")]
    fn atomic(
        &mut self,
        t: usize,
        instruction: &Instruction,
        op: AtomicOp,
        ty: ScalarType,
        lanes: u32,
        space: StateSpace,
        destination: Option<&Operand>,
        address: &Operand,
        sources: &[Operand],
    ) -> Step<()> {
        let access = self.meaning_of(instruction)?;
        let width = ty.bytes();
        let place = self.aligned(t, address, space, width * lanes)?;
        self.gives_event(t, place, 0);
        let b = self.parts(t, &sources[0], ty, lanes)?;
        let c = match (op, sources.get(1)) {
            (AtomicOp::Cas, Some(c)) => self.parts(t, c, ty, lanes)?,
            _ => vec![0; b.len()],
        };
        // Refuse before memory is touched.
        atomic(op, ty, 0, 0, 0)?;
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for (lane, (b, c)) in b.iter().zip(&c).enumerate() {
            let at = Place { address: place.address.wrapping_add(u64::from(width) * lane as u64), ..place };
            let new = |old: u128| atomic(op, ty, old, *b, *c).unwrap_or(old);
            let old = match at.space {
                StateSpace::Global => {
                    let request = self.request(t, at.address, width, Some(access), lane as u32);
                    mask(self.memory.update(&request, &mut |old| new(old))?, 8 * width)
                }
                StateSpace::Shared => {
                    let old = self.read(t, at, width, Some(access), lane as u32)?;
                    self.write(t, at, width, new(old), Some(access), lane as u32)?;
                    old
                }
                _ => return self.refuse(instruction),
            };
            read.push(old);
            if op != AtomicOp::Cas || old == *b {
                written.push(new(old));
            }
        }
        match destination {
            Some(Operand::Vector(parts)) => {
                for (part, value) in parts.iter().zip(&read) {
                    self.assign(t, part, *value, ty)?;
                }
            }
            Some(destination) => self.assign(t, destination, read[0], ty)?,
            None => {}
        }
        self.record_access(t, instruction, access, place, read, written);
        Ok(())
    }

    /// The memory knows what a multimem address stands for; here its loads, stores and updates are passed on.
    fn multimem(&mut self, t: usize, instruction: &Instruction, op: &Multimem) -> Step<()> {
        let access = self.meaning_of(instruction)?;
        let (lanes, width) = (lanes(op.vector), op.ty.bytes());
        let operands = &instruction.operands;
        let address = if op.kind == MultimemKind::LdReduce { &operands[1] } else { &operands[0] };
        let place = self.aligned(t, address, op.space, width * lanes)?;
        if place.space != StateSpace::Global {
            return self.refuse(instruction);
        }
        self.gives_event(t, place, 0);
        let request = |block: &Self, lane: u32| {
            let address = place.address.wrapping_add(u64::from(width * lane));
            block.request(t, address, width, Some(access), lane)
        };
        let (mut read, mut written) = (Vec::new(), Vec::new());
        match op.kind {
            MultimemKind::LdReduce => {
                for lane in 0..lanes {
                    let request = request(self, lane);
                    read.push(mask(self.memory.load(&request)?, 8 * width));
                }
                match &operands[0] {
                    Operand::Vector(parts) => {
                        for (part, value) in parts.iter().zip(&read) {
                            self.assign(t, part, *value, op.ty)?;
                        }
                    }
                    destination => self.assign(t, destination, read[0], op.ty)?,
                }
            }
            MultimemKind::St | MultimemKind::Red => {
                let values = self.parts(t, &operands[1], op.ty, lanes)?;
                for (lane, value) in values.into_iter().enumerate() {
                    let request = request(self, lane as u32);
                    match op.op {
                        None => self.memory.store(&request, value)?,
                        Some(kind) => {
                            atomic(kind, op.ty, 0, 0, 0)?;
                            let new = |old| atomic(kind, op.ty, old, value, 0).unwrap_or(old);
                            self.memory.update(&request, &mut |old| new(old))?;
                        }
                    }
                    written.push(value);
                }
            }
        }
        self.record_access(t, instruction, access, place, read, written);
        Ok(())
    }

    fn mbarrier(&mut self, t: usize, instruction: &Instruction, op: &Mbarrier) -> Step<()> {
        use MbarrierAction::*;
        let operands = &instruction.operands;
        let Some(Meaning::Mbarrier { action, semantics, scope, space }) = instruction.op.meaning() else {
            return self.refuse(instruction);
        };
        let (result, address) = match action {
            Init | Inval | ExpectTx | CompleteTx => (None, 0),
            _ => (Some(&operands[0]), 1),
        };
        let place = self.memory_operand(t, &operands[address], space)?;
        if place.space != StateSpace::Shared {
            return self.refuse(instruction);
        }
        let number = match operands.get(address + 1) {
            Some(operand) => {
                let ty = if action.waits() && !op.parity { ScalarType::B64 } else { ScalarType::U32 };
                Some(self.value(t, operand, ty)? as u64)
            }
            None => None,
        };
        let count = number.unwrap_or(1) as u32;
        let (mut phase, mut complete) = (0, None);
        match action {
            Init => self.mbarrier_init(place, count)?,
            Inval => self.mbarrier_inval(place)?,
            ExpectTx => phase = self.mbarrier_arrive(place, 0, i64::from(count))?,
            CompleteTx => phase = self.mbarrier_arrive(place, 0, -i64::from(count))?,
            Arrive | ArriveNoComplete => phase = self.mbarrier_arrive(place, count, 0)?,
            ArriveExpectTx => phase = self.mbarrier_arrive(place, 1, i64::from(count))?,
            TestWait | TryWait => {
                phase = number.unwrap_or(0);
                let now = self.mbarrier_phase(place)?;
                let done = if op.parity { now & 1 != phase & 1 } else { now > phase };
                complete = Some(done);
            }
            ArriveDrop | ArriveDropExpectTx | ArriveDropNoComplete | PendingCount => {
                return self.refuse(instruction);
            }
        }
        match (result, complete) {
            (Some(result), Some(done)) => self.assign(t, result, done.into(), ScalarType::Pred)?,
            (Some(result), None) => self.assign(t, result, phase.into(), ScalarType::B64)?,
            _ => {}
        }
        let kind = EventKind::Mbarrier { action, semantics, scope, place, phase, complete };
        self.record(t, kind, instruction);
        Ok(())
    }

    /// Lets the lane wait for the others of its mask.
    fn warp(
        &mut self,
        t: usize,
        instruction: &Instruction,
        pc: usize,
        lanes: Option<&Operand>,
        sources: &[(&Operand, ScalarType)],
    ) -> Step<()> {
        let mask = match lanes {
            Some(operand) => Some(self.value(t, operand, ScalarType::B32)? as u32),
            None => None,
        };
        let lane = self.threads[t].index % 32;
        if mask.is_some_and(|mask| mask >> lane & 1 == 0) {
            let what = format!("`{}` by lane {lane}, which its mask leaves out", instruction.opcode);
            return Err(TraceErrorKind::UndefinedResult(what));
        }
        let sources = sources.iter().map(|(operand, ty)| self.value(t, operand, *ty)).collect::<Step<Vec<_>>>()?;
        let at = (self.threads[t].frames.len(), pc);
        self.threads[t].state =
            State::Warp(Box::new(WarpWait { op: instruction.op.clone(), mask, sources, at, waited: 0 }));
        Ok(())
    }

    fn aligned(&self, t: usize, operand: &Operand, space: StateSpace, bytes: u32) -> Step<Place> {
        let place = self.memory_operand(t, operand, space)?;
        match place.address % u64::from(bytes) {
            0 => Ok(place),
            _ => Err(TraceErrorKind::Misaligned { address: place.address, bytes }),
        }
    }

    /// Parameters and local memory are the thread's own: accesses to them are no events.
    fn record_access(
        &mut self,
        t: usize,
        instruction: &Instruction,
        access: Access,
        place: Place,
        read: Vec<u128>,
        written: Vec<u128>,
    ) {
        if !matches!(place.space, StateSpace::Param | StateSpace::Local) {
            self.record(t, EventKind::Access { access, place, read, written }, instruction);
        }
    }
}

pub(super) fn address_of(operand: &Operand) -> Step<&Address> {
    match operand {
        Operand::Address(address) => Ok(address),
        other => Err(TraceErrorKind::Unsupported(format!("the operand `{other}`"))),
    }
}

fn label(operand: &Operand) -> Step<&str> {
    match operand {
        Operand::Symbol { name, offset: 0 } => Ok(name),
        other => Err(TraceErrorKind::Unsupported(format!("the target `{other}`"))),
    }
}
