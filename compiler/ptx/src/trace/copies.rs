//! Asynchronous copies and mbarriers. A copy is carried out when it is issued; that it need not be complete until it is
//! waited for is for the reader of the events to consider.

use super::alu::atomic;
use super::error::TraceErrorKind;
use super::event::EventKind;
use super::machine::{Block, MbarrierState, Step};
use super::memory::Place;
use crate::instruction::{Instruction, Op};
use crate::meaning::Meaning;
use crate::op::{AtomicOp, BulkCompletion, BulkReduction};
use crate::operand::Operand;
use crate::types::{ScalarType, StateSpace, lanes};

/// Bytes that one copy may have.
const MAX_COPY: u64 = 1 << 24;

impl Block<'_, '_> {
    pub(super) fn asynchronous(&mut self, t: usize, instruction: &Instruction) -> Step<()> {
        let operands = &instruction.operands;
        let Some(Meaning::AsyncCopy(copy)) = instruction.op.meaning() else { return self.refuse(instruction) };
        if copy.multicast {
            return self.refuse(instruction);
        }
        let size = |block: &Self, operand: &Operand| {
            block.value(t, operand, ScalarType::U32).map(|size| size as u64).and_then(|size| match size {
                0..=MAX_COPY => Ok(size),
                _ => Err(TraceErrorKind::UndefinedResult(format!("a copy of {size} bytes"))),
            })
        };
        let (mut destination, mut source, mut mbarrier) = (None, None, None);
        let bytes;
        match &instruction.op {
            Op::CpAsync(cp) => {
                let to = self.memory_operand(t, &operands[0], cp.destination)?;
                let from = self.memory_operand(t, &operands[1], StateSpace::Global)?;
                bytes = size(self, &operands[2])?;
                let real = match operands.get(3) {
                    Some(Operand::Address(_)) | None => bytes,
                    Some(_) if cp.cache_hint && operands.len() == 4 => bytes,
                    Some(operand) => size(self, operand)?.min(bytes),
                };
                self.aligned_copy(to, from, bytes.max(1))?;
                self.copy(t, to, from, real)?;
                for i in real..bytes {
                    self.write(t, Place { address: to.address.wrapping_add(i), ..to }, 1, 0, None, 0)?;
                }
                (destination, source) = (Some(to), Some(from));
            }
            Op::CpAsyncBulk(cp) if !cp.byte_mask => {
                let to = self.memory_operand(t, &operands[0], cp.destination)?;
                let from = self.memory_operand(t, &operands[1], cp.source)?;
                bytes = size(self, &operands[2])?;
                if bytes % 16 != 0 {
                    return Err(TraceErrorKind::UndefinedResult(format!("a bulk copy of {bytes} bytes")));
                }
                self.aligned_copy(to, from, 16)?;
                self.copy(t, to, from, bytes)?;
                (destination, source) = (Some(to), Some(from));
                mbarrier = self.completion(t, cp.completion, operands.get(3), bytes)?;
            }
            Op::CpReduceAsyncBulk(cp) => {
                let to = self.memory_operand(t, &operands[0], cp.destination)?;
                let from = self.memory_operand(t, &operands[1], cp.source)?;
                bytes = size(self, &operands[2])?;
                let op = reduction(cp.op);
                atomic(op, cp.ty, 0, 0, 0)?;
                if bytes % 16 != 0 {
                    return Err(TraceErrorKind::UndefinedResult(format!("a bulk copy of {bytes} bytes")));
                }
                self.aligned_copy(to, from, 16)?;
                let width = cp.ty.bytes();
                for i in (0..bytes).step_by(width as usize) {
                    let at = |place: Place| Place { address: place.address.wrapping_add(i), ..place };
                    let value = self.read(t, at(from), width, None, 0)?;
                    let old = self.read(t, at(to), width, None, 0)?;
                    self.write(t, at(to), width, atomic(op, cp.ty, old, value, 0)?, None, 0)?;
                }
                (destination, source) = (Some(to), Some(from));
                mbarrier = self.completion(t, cp.completion, operands.get(3), bytes)?;
            }
            Op::CpAsyncBulkPrefetch(_) => {
                source = Some(self.memory_operand(t, &operands[0], StateSpace::Global)?);
                bytes = size(self, &operands[1])?;
            }
            Op::StAsync(st) => {
                let to = self.memory_operand(t, &operands[0], StateSpace::SharedCluster)?;
                bytes = u64::from(st.ty.bytes() * lanes(st.vector));
                let parts = match &operands[1] {
                    Operand::Vector(parts) => parts.as_slice(),
                    other => std::slice::from_ref(other),
                };
                for (i, part) in parts.iter().enumerate() {
                    let value = self.value(t, part, st.ty)?;
                    let address = to.address.wrapping_add(u64::from(st.ty.bytes()) * i as u64);
                    self.write(t, Place { address, ..to }, st.ty.bytes(), value, None, i as u32)?;
                }
                destination = Some(to);
                mbarrier = self.completion(t, BulkCompletion::Mbarrier, operands.get(2), bytes)?;
            }
            _ => return self.refuse(instruction),
        }
        self.record(t, EventKind::AsyncCopy { copy, destination, source, bytes, mbarrier }, instruction);
        Ok(())
    }

    fn aligned_copy(&self, to: Place, from: Place, bytes: u64) -> Step<()> {
        match [to, from].iter().find(|place| !place.address.is_multiple_of(bytes)) {
            None => Ok(()),
            Some(place) => Err(TraceErrorKind::Misaligned { address: place.address, bytes: bytes as u32 }),
        }
    }

    fn copy(&mut self, t: usize, to: Place, from: Place, bytes: u64) -> Step<()> {
        let mut done = 0;
        while done < bytes {
            let width = [16, 8, 4, 2, 1]
                .into_iter()
                .find(|w| bytes - done >= *w && to.address.wrapping_add(done).is_multiple_of(*w));
            let width = width.unwrap_or(1);
            let at = |place: Place| Place { address: place.address.wrapping_add(done), ..place };
            let value = self.read(t, at(from), width as u32, None, 0)?;
            self.write(t, at(to), width as u32, value, None, 0)?;
            done += width;
        }
        Ok(())
    }

    fn completion(
        &mut self,
        t: usize,
        completion: BulkCompletion,
        operand: Option<&Operand>,
        bytes: u64,
    ) -> Step<Option<Place>> {
        match (completion, operand) {
            (BulkCompletion::Mbarrier, Some(operand)) => {
                let place = self.memory_operand(t, operand, StateSpace::Shared)?;
                self.mbarrier_arrive(place, 0, -(bytes as i64))?;
                Ok(Some(place))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn mbarrier_init(&mut self, place: Place, count: u32) -> Step<()> {
        if !place.address.is_multiple_of(8) {
            return Err(TraceErrorKind::Misaligned { address: place.address, bytes: 8 });
        }
        let state = MbarrierState { expected: count, pending: count, transactions: 0, phase: 0 };
        self.mbarriers.insert(place.address, state);
        Ok(())
    }

    pub(super) fn mbarrier_inval(&mut self, place: Place) -> Step<()> {
        match self.mbarriers.remove(&place.address) {
            Some(_) => Ok(()),
            None => Err(uninitialised(place)),
        }
    }

    pub(super) fn mbarrier_phase(&self, place: Place) -> Step<u64> {
        self.mbarriers.get(&place.address).map(|state| state.phase).ok_or_else(|| uninitialised(place))
    }

    /// Arrivals and transactions; returns the phase that they belong to.
    pub(super) fn mbarrier_arrive(&mut self, place: Place, count: u32, transactions: i64) -> Step<u64> {
        let state = self.mbarriers.get_mut(&place.address).ok_or_else(|| uninitialised(place))?;
        let phase = state.phase;
        state.pending = state.pending.checked_sub(count).ok_or_else(|| {
            TraceErrorKind::UndefinedResult(format!("more arrivals than the mbarrier at {:#x} expects", place.address))
        })?;
        state.transactions += transactions;
        if state.pending == 0 && state.transactions == 0 {
            state.phase += 1;
            state.pending = state.expected;
        }
        Ok(phase)
    }
}

fn uninitialised(place: Place) -> TraceErrorKind {
    TraceErrorKind::UndefinedResult(format!("there is no initialised mbarrier at shared address {:#x}", place.address))
}

fn reduction(op: BulkReduction) -> AtomicOp {
    match op {
        BulkReduction::And => AtomicOp::And,
        BulkReduction::Or => AtomicOp::Or,
        BulkReduction::Xor => AtomicOp::Xor,
        BulkReduction::Add => AtomicOp::Add,
        BulkReduction::Inc => AtomicOp::Inc,
        BulkReduction::Dec => AtomicOp::Dec,
        BulkReduction::Min => AtomicOp::Min,
        BulkReduction::Max => AtomicOp::Max,
    }
}
