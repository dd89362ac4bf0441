//! A block's barriers: the sixteen named ones.

use gicc_abi::sim::BarrierKind;

use crate::block::Block;
use crate::thread::{State, Thread};

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

/// One barrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Barrier {
    /// Lanes that have arrived, by warp.
    arrived: Vec<u32>,
    /// Threads that arrived.
    pub(crate) threads: u32,
    /// Threads that it is for; 0 for all of the block.
    pub(crate) count: u32,
    /// Threads that wait.
    pub(crate) waiting: Vec<u32>,
    true_predicates: u32,
    predicates: u32,
    kind: Option<BarrierKind>,
}

impl Barrier {
    fn result(&self) -> u64 {
        match self.kind {
            Some(BarrierKind::Count) => self.true_predicates.into(),
            Some(BarrierKind::And) => u64::from(self.true_predicates == self.predicates),
            Some(BarrierKind::Or) => u64::from(self.true_predicates > 0),
            _ => 0,
        }
    }

    /// Whether a thread has arrived and is not yet released.
    pub(crate) fn has(&self, thread: &Thread) -> bool {
        self.threads > 0 && self.arrived.get(thread.warp()).is_some_and(|w| w >> thread.lane() & 1 != 0)
    }
}

/// A thread arrives; gives the result where the barrier is complete or the thread need not wait.
///
/// # Safety
///
/// `thread` and its block are alive, and nothing else borrows them.
pub(crate) unsafe fn arrive(
    thread: *mut Thread,
    kind: BarrierKind,
    id: usize,
    count: u32,
    predicate: bool,
) -> Option<u64> {
    // SAFETY: as the caller promises.
    let (thread, block) = unsafe { (&mut *thread, &mut *(*thread).block) };
    let warps = block.warps.len();
    let barrier = &mut block.barriers[id];
    if barrier.threads == 0 {
        barrier.arrived.clear();
        barrier.arrived.resize(warps, 0);
        barrier.count = count;
        barrier.kind = None;
    }
    barrier.arrived[thread.warp()] |= 1 << thread.lane();
    barrier.threads += 1;
    if kind != BarrierKind::Arrive {
        barrier.waiting.push(thread.index);
        barrier.predicates += 1;
        barrier.true_predicates += u32::from(predicate);
        if kind != BarrierKind::Sync || barrier.kind.is_none() {
            barrier.kind = Some(kind);
        }
    }
    block.weak(|weak, number| weak.arrive(number, id, thread.index));
    let complete = is_complete(block, id);
    if complete {
        let result = release(block, id, Some(thread.index));
        return Some(result);
    }
    if kind == BarrierKind::Arrive {
        return Some(0);
    }
    thread.state = State::Barrier { id: id as u32 };
    None
}

/// Whether enough have arrived. PTX counts warps, so a warp of which everybody who has not exited is there counts as 32.
fn is_complete(block: &Block, id: usize) -> bool {
    let barrier = &block.barriers[id];
    if barrier.threads == 0 {
        return false;
    }
    if barrier.count == 0 {
        return block.warps.iter().zip(&barrier.arrived).all(|(warp, arrived)| warp.live & !arrived == 0);
    }
    // A lane that arrives again before the barrier is complete counts again.
    let lanes: u32 = barrier.arrived.iter().map(|a| a.count_ones()).sum();
    let whole: u32 = block
        .warps
        .iter()
        .zip(&barrier.arrived)
        .map(|(warp, &arrived)| {
            let all = arrived != 0 && warp.live & !arrived == 0;
            if all { 32 } else { arrived.count_ones() }
        })
        .sum();
    whole + (barrier.threads - lanes) >= barrier.count
}

/// Releases everybody who waits; the result.
fn release(block: &mut Block, id: usize, but: Option<u32>) -> u64 {
    let barrier = &mut block.barriers[id];
    let result = barrier.result();
    let mut waiting = std::mem::take(&mut barrier.waiting);
    let arrived = std::mem::take(&mut barrier.arrived);
    *barrier = Barrier::default();
    block.weak(|weak, number| weak.meet(number, id, &waiting));
    for &index in &waiting {
        if Some(index) != but {
            block.wake(index, result);
        }
    }
    // The room of the lists is used again.
    waiting.clear();
    block.barriers[id].waiting = waiting;
    block.barriers[id].arrived = arrived;
    block.progress();
    result
}

/// A thread has exited: barriers that only it was missing at are complete.
pub(crate) fn exited(block: &mut Block) {
    for id in 0..BARRIERS {
        if !block.barriers[id].waiting.is_empty() && is_complete(block, id) {
            release(block, id, None);
        }
    }
}
