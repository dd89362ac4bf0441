//! The engine as the machine uses it, for the launches that run together.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::access::Access;
use super::choice::{Chooser, Footprint, Offer, Ready, Seeded};
use super::clock::Tid;
use super::copies::CopySpace;
use super::engine::{Engine, Gathering, Options};
use super::explore::Explorer;
use super::history::Backing;
use super::message::BlockPlace;

/// Where choices come from.
pub(crate) enum Source {
    Seeded(Seeded),
    Explored(Rc<RefCell<Explorer>>),
}

impl Chooser for Source {
    #[inline]
    fn value(&mut self, offer: Offer) -> usize {
        match self {
            Source::Seeded(seeded) => seeded.value(offer),
            Source::Explored(explorer) => explorer.borrow_mut().value(offer),
        }
    }

    fn thread(&mut self, ready: &[Ready]) -> Option<usize> {
        match self {
            Source::Seeded(seeded) => seeded.thread(ready),
            Source::Explored(explorer) => explorer.borrow_mut().thread(ready),
        }
    }

    fn put_off(&mut self) -> bool {
        match self {
            Source::Seeded(seeded) => seeded.put_off(),
            Source::Explored(explorer) => explorer.borrow_mut().put_off(),
        }
    }
}

/// A block of the run, for reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockOf {
    pub(crate) launch: usize,
    pub(crate) coordinates: [u32; 3],
    pub(crate) shared_base: u64,
}

/// What a run did that it did not do exactly.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Approximated {
    pub(crate) thread_copies: u64,
    pub(crate) store_async: u64,
    pub(crate) tensor_map: u64,
    pub(crate) multimem: u64,
    pub(crate) bulk_reductions: u64,
}

/// Which lanes of which warp of which block.
type WarpKey = (usize, usize, u32);

/// Weak memory of the launches that run together.
pub(crate) struct WeakRun {
    pub(crate) engine: Engine,
    pub(crate) source: Source,
    pub(crate) blocks: Vec<BlockOf>,
    pub(crate) approximated: Approximated,
    barriers: HashMap<(usize, usize), Gathering>,
    warps: HashMap<WarpKey, Gathering>,
    /// Arrivals of the present phase, and all that completed phases publish.
    mbarriers: HashMap<u64, (Gathering, Gathering)>,
}

impl WeakRun {
    pub(crate) fn new(options: Options, source: Source) -> Self {
        Self {
            engine: Engine::new(options, Backing::Host),
            source,
            blocks: Vec::new(),
            approximated: Approximated::default(),
            barriers: HashMap::new(),
            warps: HashMap::new(),
            mbarriers: HashMap::new(),
        }
    }

    /// Whether every choice is gone through.
    pub(crate) fn is_explored(&self) -> bool {
        matches!(self.source, Source::Explored(_))
    }

    /// A block begins; its number, or nothing where there are too many.
    pub(crate) fn begin_block(&mut self, pe: u32, threads: usize, of: BlockOf, shared: (u64, u64)) -> Option<usize> {
        // A cluster is one block.
        let number = self.blocks.len() as u32;
        self.engine.forget(shared.0, shared.1);
        self.blocks.push(of);
        self.engine.add_block(BlockPlace { pe, cluster: number, block: 0 }, threads)
    }

    /// A block has ended.
    pub(crate) fn end_block(&mut self, block: usize, shared: (u64, u64)) {
        self.barriers.retain(|key, _| key.0 != block);
        self.warps.retain(|key, _| key.0 != block);
        self.mbarriers.retain(|&address, _| address.wrapping_sub(shared.0) >= shared.1);
        self.engine.end_block(block, shared);
    }

    // Barriers.

    pub(crate) fn arrive(&mut self, block: usize, id: usize, thread: u32) {
        let gathering = self.barriers.entry((block, id)).or_default();
        self.engine.arrive(super::clock::tid(block, thread as usize), gathering);
    }

    pub(crate) fn meet(&mut self, block: usize, id: usize, waiting: &[u32]) {
        if let Some(gathering) = self.barriers.remove(&(block, id)) {
            let waiters: Vec<Tid> = waiting.iter().map(|&t| super::clock::tid(block, t as usize)).collect();
            self.engine.meet(gathering, &waiters);
        }
    }

    pub(crate) fn arrive_warp(&mut self, block: usize, warp: usize, mask: u32, lane: u32) {
        let gathering = self.warps.entry((block, warp, mask)).or_default();
        self.engine.arrive(super::clock::tid(block, warp * 32 + lane as usize), gathering);
    }

    pub(crate) fn meet_warp(&mut self, block: usize, warp: usize, mask: u32, arrived: u32) {
        if let Some(gathering) = self.warps.remove(&(block, warp, mask)) {
            let waiters: Vec<Tid> = (0..32)
                .filter(|lane| arrived >> lane & 1 != 0)
                .map(|lane| super::clock::tid(block, warp * 32 + lane))
                .collect();
            self.engine.meet(gathering, &waiters);
        }
    }

    // mbarriers.

    pub(crate) fn mbarrier_arrive(&mut self, tid: Tid, address: u64) {
        let (present, _) = self.mbarriers.entry(address).or_default();
        self.engine.arrive(tid, present);
    }

    /// The thread's copies complete on an mbarrier.
    pub(crate) fn mbarrier_copies(&mut self, tid: Tid, address: u64) {
        self.finish_copies(tid);
        let progress = self.engine.copies_done(tid);
        let (present, _) = self.mbarriers.entry(address).or_default();
        self.engine.gather_copies(tid, present, progress);
    }

    pub(crate) fn mbarrier_phase(&mut self, address: u64) {
        let (present, done) = self.mbarriers.entry(address).or_default();
        done.absorb(std::mem::take(present));
    }

    /// How many mbarriers there are.
    pub(crate) fn mbarriers(&self) -> u64 {
        self.mbarriers.len() as u64
    }

    pub(crate) fn mbarrier_wait(&mut self, tid: Tid, address: u64) {
        if let Some((_, done)) = self.mbarriers.get(&address) {
            self.engine.wait_for(tid, done);
        }
    }

    // Copies.

    pub(crate) fn copy(&mut self, tid: Tid, to: (u64, CopySpace), from: (u64, CopySpace), bytes: u64, site: u32) {
        self.engine.copy(tid, to, from, bytes, site);
        if !self.is_explored() && !self.source.put_off() {
            self.finish_copies(tid);
        }
    }

    /// Performs what a thread's copies still have to do.
    pub(crate) fn finish_copies(&mut self, tid: Tid) {
        while self.copy_step(tid) {}
    }

    /// Performs the reads up to a copy, and with `full` the writes.
    pub(crate) fn finish_up_to(&mut self, tid: Tid, number: u32, full: bool) {
        while self.engine.copies_done(tid).reads < number && self.engine.copy_read(tid, &mut self.source) {}
        while full && self.engine.copies_done(tid).writes < number && self.copy_write(tid) {}
    }

    /// The next step of a thread's copies; whether there was one.
    pub(crate) fn copy_step(&mut self, tid: Tid) -> bool {
        self.engine.copy_read(tid, &mut self.source) || self.copy_write(tid)
    }

    fn copy_write(&mut self, tid: Tid) -> bool {
        let Some(words) = self.engine.copy_write(tid) else { return false };
        for (address, bytes, value) in words {
            let value = value.to_le_bytes();
            // SAFETY: the range of a copy was checked when it was started, and memory does not go while kernels run.
            unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), address as *mut u8, bytes.into()) };
        }
        true
    }

    /// A read, for the machine.
    #[inline]
    pub(crate) fn read(&mut self, tid: Tid, access: &Access, accept: Option<&dyn Fn(u128) -> bool>) -> u128 {
        match self.engine.read(tid, access, &mut self.source, accept) {
            Some(value) => value,
            // The scheduler lets a poll run only where it can read something else.
            None => self.engine.read(tid, access, &mut self.source, None).unwrap_or_default(),
        }
    }

    /// The number that names a thread's copies among those who can run.
    pub(crate) const fn copies_id(tid: Tid) -> u64 {
        1 << 32 | tid as u64
    }

    /// What the next step of a thread's copies touches.
    pub(crate) fn next_copy(&self, tid: Tid) -> Option<Footprint> {
        let (bytes, writes) = self.engine.next_copy(tid)?;
        Some(Footprint { bytes, writes, ..Footprint::LOCAL })
    }
}
