//! What threads do together: block and cluster barriers, and instructions of a warp.

use super::alu::{mask, signed};
use super::error::TraceErrorKind;
use super::event::EventKind;
use super::flat::Line;
use super::machine::{Block, State, Step, WarpWait};
use crate::instruction::{Instruction, Op};
use crate::op::{BarrierAction, BarrierCluster, BarrierReduction, ReduxOp, ShflMode, VoteMode};
use crate::operand::Operand;
use crate::types::ScalarType;
use memory_model::Semantics;

/// Rounds of the scheduler after which `activemask` no longer waits for lanes that are still running.
const ACTIVE_MASK_ROUNDS: u32 = 64;

impl<'m> Block<'m, '_> {
    pub(super) fn arrive_at_barrier(
        &mut self,
        t: usize,
        instruction: &Instruction,
        action: BarrierAction,
        id: u32,
        count: Option<u32>,
        predicate: bool,
    ) -> Step<()> {
        let Some(barrier) = self.barriers.get_mut(id as usize) else {
            return Err(TraceErrorKind::UndefinedResult(format!("barrier number {id}")));
        };
        if barrier.arrived > 0 && barrier.count != count {
            return Err(TraceErrorKind::UndefinedResult(format!("different thread counts at barrier {id}")));
        }
        barrier.count = count;
        barrier.arrived += 1;
        let generation = barrier.generation;
        self.record(t, EventKind::Barrier { action, id, count, generation }, instruction);
        if action != BarrierAction::Arrive {
            self.threads[t].state = State::Barrier(id);
            self.threads[t].barrier_predicate = predicate;
        }
        Ok(())
    }

    pub(super) fn cluster_barrier(
        &mut self,
        t: usize,
        instruction: &Instruction,
        barrier: &BarrierCluster,
    ) -> Step<()> {
        let default = if barrier.arrive { Semantics::Release } else { Semantics::Acquire };
        let semantics = barrier.semantics.unwrap_or(default);
        self.record(t, EventKind::ClusterBarrier { arrive: barrier.arrive, semantics }, instruction);
        let thread = &mut self.threads[t];
        match (barrier.arrive, thread.cluster_phase) {
            (true, None) => {
                thread.cluster_phase = Some(self.cluster_phase);
                self.cluster_arrived += 1;
            }
            (false, Some(phase)) => thread.state = State::Cluster(phase),
            (true, Some(_)) => {
                return Err(TraceErrorKind::UndefinedResult(
                    "two arrivals at a cluster barrier without a wait".to_owned(),
                ));
            }
            (false, None) => {
                return Err(TraceErrorKind::UndefinedResult(
                    "a wait at a cluster barrier without an arrival".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn live(&self) -> u32 {
        self.threads.iter().filter(|thread| !matches!(thread.state, State::Done(_))).count() as u32
    }

    /// Completes every barrier and warp instruction that can be; says whether anything went on.
    pub(super) fn resolve(&mut self) -> Result<bool, (usize, TraceErrorKind)> {
        let mut progress = false;
        let subset = self.launch.threads.is_some();
        let live = self.live();
        for id in 0..self.barriers.len() {
            let barrier = &self.barriers[id];
            let waiting = self.waiting_at(id as u32);
            let full = match barrier.count {
                Some(count) => barrier.arrived >= count,
                None => !waiting.is_empty() && waiting.len() as u32 >= live,
            };
            let everyone = subset && !waiting.is_empty() && barrier.arrived >= live;
            if barrier.arrived > 0 && (full || everyone) {
                self.complete_barrier(id as u32)?;
                progress = true;
            }
        }
        if self.cluster_arrived > 0 && self.cluster_arrived >= live {
            let arrived = self.threads.iter().filter(|thread| thread.cluster_phase.is_some());
            let arrived = arrived.filter(|thread| !matches!(thread.state, State::Done(_))).count() as u32;
            if arrived >= live {
                self.cluster_phase += 1;
                self.cluster_arrived = 0;
            }
        }
        for thread in &mut self.threads {
            if let State::Cluster(phase) = thread.state
                && phase < self.cluster_phase
            {
                thread.state = State::Running;
                thread.cluster_phase = None;
                progress = true;
            }
        }
        let mut t = 0;
        while t < self.threads.len() {
            if matches!(self.threads[t].state, State::Warp(_)) {
                progress |= self.resolve_warp(t).map_err(|kind| (t, kind))?;
            }
            t += 1;
        }
        Ok(progress)
    }

    /// With a part of the block's threads only, the others are taken to have come. Says whether that helped.
    pub(super) fn complete_for_absent(&mut self) -> Result<bool, (usize, TraceErrorKind)> {
        if self.launch.threads.is_none() {
            return Ok(false);
        }
        for id in 0..self.barriers.len() as u32 {
            if !self.waiting_at(id).is_empty() {
                self.complete_barrier(id)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn waiting_at(&self, id: u32) -> Vec<usize> {
        (0..self.threads.len()).filter(|t| self.threads[*t].state == State::Barrier(id)).collect()
    }

    fn complete_barrier(&mut self, id: u32) -> Result<(), (usize, TraceErrorKind)> {
        let waiting = self.waiting_at(id);
        let predicates: Vec<bool> = waiting.iter().map(|t| self.threads[*t].barrier_predicate).collect();
        for t in waiting {
            self.threads[t].state = State::Running;
            self.finish_reduction(t, &predicates).map_err(|kind| (t, kind))?;
        }
        let barrier = &mut self.barriers[id as usize];
        barrier.generation += 1;
        barrier.arrived = 0;
        barrier.count = None;
        Ok(())
    }

    /// The instruction that the thread has just left.
    fn previous(&self, t: usize) -> Step<&'m Instruction> {
        let frame = self.frame(t)?;
        match frame.pc.checked_sub(1).and_then(|pc| frame.flat.lines.get(pc)) {
            Some(Line::Instruction(instruction)) => Ok(instruction),
            _ => Err(TraceErrorKind::Launch("the thread has ended".to_owned())),
        }
    }

    fn finish_reduction(&mut self, t: usize, predicates: &[bool]) -> Step<()> {
        let instruction = self.previous(t)?;
        let Op::Barrier(barrier) = &instruction.op else { return Ok(()) };
        let (value, ty) = match barrier.reduction {
            None => return Ok(()),
            Some(BarrierReduction::And) => (u128::from(predicates.iter().all(|p| *p)), ScalarType::Pred),
            Some(BarrierReduction::Or) => (u128::from(predicates.iter().any(|p| *p)), ScalarType::Pred),
            Some(BarrierReduction::Popc) => (predicates.iter().filter(|p| **p).count() as u128, ScalarType::U32),
        };
        // The result comes from the barrier, which was the thread's last event.
        let thread = &mut self.threads[t];
        thread.gives = thread.events.len().checked_sub(1).into_iter().collect();
        self.assign(t, &instruction.operands[0], value, ty)
    }

    /// Lanes of the warp of a thread that are run and have not ended: (thread, lane).
    fn lanes_of(&self, t: usize) -> Vec<(usize, u32)> {
        let warp = self.threads[t].index / 32;
        (0..self.threads.len())
            .filter(|u| self.threads[*u].index / 32 == warp && !matches!(self.threads[*u].state, State::Done(_)))
            .map(|u| (u, self.threads[u].index % 32))
            .collect()
    }

    fn wait_of(&self, t: usize) -> Option<&WarpWait> {
        match &self.threads[t].state {
            State::Warp(wait) => Some(wait),
            _ => None,
        }
    }

    fn resolve_warp(&mut self, t: usize) -> Step<bool> {
        let Some(mine) = self.wait_of(t).cloned() else { return Ok(false) };
        let lanes = self.lanes_of(t);
        let Some(wanted) = mine.mask else { return self.resolve_active_mask(t, &mine, &lanes) };
        let group: Vec<(usize, u32)> = lanes.into_iter().filter(|(_, lane)| wanted >> lane & 1 != 0).collect();
        let together = group
            .iter()
            .all(|(u, _)| self.wait_of(*u).is_some_and(|wait| wait.op == mine.op && wait.mask == mine.mask));
        if !together {
            return Ok(false);
        }
        let sources: Vec<(u32, Vec<u128>)> = group
            .iter()
            .map(|(u, lane)| (*lane, self.wait_of(*u).map(|wait| wait.sources.clone()).unwrap_or_default()))
            .collect();
        let present = group.iter().fold(0u32, |mask, (_, lane)| mask | 1 << lane);
        for (u, lane) in group {
            self.threads[u].state = State::Running;
            let instruction = self.previous(u)?;
            let orders = instruction.op == Op::BarWarpSync;
            self.record(u, EventKind::Warp { mask: wanted, orders }, instruction);
            self.finish_warp(u, lane, present, instruction, &sources)?;
        }
        Ok(true)
    }

    /// The lanes that are at the same instruction, once the warp's other lanes wait or have ended.
    fn resolve_active_mask(&mut self, t: usize, mine: &WarpWait, lanes: &[(usize, u32)]) -> Step<bool> {
        let running = lanes.iter().any(|(u, _)| self.threads[*u].state == State::Running);
        if running && mine.waited < ACTIVE_MASK_ROUNDS {
            if let State::Warp(wait) = &mut self.threads[t].state {
                wait.waited += 1;
            }
            return Ok(false);
        }
        let group: Vec<(usize, u32)> = lanes
            .iter()
            .copied()
            .filter(|(u, _)| self.wait_of(*u).is_some_and(|wait| wait.mask.is_none() && wait.at == mine.at))
            .collect();
        let mask = group.iter().fold(0u32, |mask, (_, lane)| mask | 1 << lane);
        for (u, _) in group {
            self.threads[u].state = State::Running;
            let instruction = self.previous(u)?;
            self.assign(u, &instruction.operands[0], mask.into(), ScalarType::B32)?;
        }
        Ok(true)
    }

    fn finish_warp(
        &mut self,
        t: usize,
        lane: u32,
        present: u32,
        instruction: &Instruction,
        sources: &[(u32, Vec<u128>)],
    ) -> Step<()> {
        let of = |lane: u32, i: usize| {
            sources.iter().find(|(l, _)| *l == lane).and_then(|(_, values)| values.get(i)).copied()
        };
        let first = || sources.iter().filter_map(|(_, values)| values.first().copied());
        let destination = instruction.operands.first();
        let Some(destination) = destination else { return Ok(()) };
        match &instruction.op {
            Op::BarWarpSync => Ok(()),
            Op::Vote(vote) => {
                let ballot = sources
                    .iter()
                    .filter(|(_, values)| values.first().is_some_and(|value| *value != 0))
                    .fold(0u32, |mask, (lane, _)| mask | 1 << lane);
                let (value, ty) = match vote.mode {
                    VoteMode::All => (u128::from(ballot == present), ScalarType::Pred),
                    VoteMode::Any => (u128::from(ballot != 0), ScalarType::Pred),
                    VoteMode::Uni => (u128::from(ballot == 0 || ballot == present), ScalarType::Pred),
                    VoteMode::Ballot => (ballot.into(), ScalarType::B32),
                };
                // The result comes from the vote, which was the thread's last event.
                let thread = &mut self.threads[t];
                thread.gives = thread.events.len().checked_sub(1).into_iter().collect();
                self.assign(t, destination, value, ty)
            }
            Op::Match(op) => {
                let mine = of(lane, 0);
                let same = sources
                    .iter()
                    .filter(|(_, values)| values.first().copied() == mine)
                    .fold(0u32, |mask, (lane, _)| mask | 1 << lane);
                let (value, holds) = match op.all {
                    true if same == present => (same, true),
                    true => (0, false),
                    false => (same, true),
                };
                self.assign_pair(t, destination, value.into(), ScalarType::B32, holds)
            }
            Op::Redux(redux) => {
                let bits = redux.ty.bits();
                let fold = |a: u128, b: u128| match redux.op {
                    ReduxOp::Add => mask(a + b, bits),
                    ReduxOp::And => a & b,
                    ReduxOp::Or => a | b,
                    ReduxOp::Xor => a ^ b,
                    ReduxOp::Min if redux.ty.is_signed() => {
                        if signed(a, bits) <= signed(b, bits) {
                            a
                        } else {
                            b
                        }
                    }
                    ReduxOp::Max if redux.ty.is_signed() => {
                        if signed(a, bits) >= signed(b, bits) {
                            a
                        } else {
                            b
                        }
                    }
                    ReduxOp::Min => a.min(b),
                    ReduxOp::Max => a.max(b),
                };
                self.assign(t, destination, first().reduce(fold).unwrap_or(0), redux.ty)
            }
            Op::ElectSync => {
                let leader = present.trailing_zeros();
                self.assign_pair(t, destination, leader.into(), ScalarType::B32, leader == lane)
            }
            Op::Shfl(shfl) => {
                let number = |i: usize| of(lane, i).unwrap_or(0) as u32;
                let (b, c) = (number(1) & 31, number(2));
                let (clamp, segment) = (c & 31, c >> 8 & 31);
                let (low, high) = (lane & segment, lane & segment | clamp & !segment & 31);
                let (from, holds) = match shfl.mode {
                    ShflMode::Up => (i64::from(lane) - i64::from(b), i64::from(lane) - i64::from(b) >= i64::from(high)),
                    ShflMode::Down => (i64::from(lane + b), lane + b <= high),
                    ShflMode::Bfly => (i64::from(lane ^ b), lane ^ b <= high),
                    ShflMode::Idx => {
                        let from = low | b & !segment & 31;
                        (i64::from(from), from <= high)
                    }
                };
                let from = if holds { from as u32 } else { lane };
                let value = of(from, 0).ok_or_else(|| {
                    TraceErrorKind::UndefinedResult(format!("a shuffle from lane {from}, which does not take part"))
                })?;
                self.assign_pair(t, destination, value, ScalarType::B32, holds)
            }
            _ => self.refuse(instruction),
        }
    }

    fn assign_pair(&mut self, t: usize, operand: &Operand, value: u128, ty: ScalarType, second: bool) -> Step<()> {
        match operand {
            Operand::Pair(first, predicate) => {
                self.assign(t, first, value, ty)?;
                self.assign(t, predicate, second.into(), ScalarType::Pred)
            }
            single => self.assign(t, single, value, ty),
        }
    }
}
