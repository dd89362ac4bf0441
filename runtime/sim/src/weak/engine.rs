//! The engine: executes memory operations one by one, in whatever order it is told, and decides what each may see. It
//! sees PTX events only.
//!
//! | module | what it does |
//! | --- | --- |
//! | `reads` | which writes a read may return, and which one it does |
//! | `observe` | what a strong read brings to its thread |
//! | `writes` | writes and atomic operations |
//! | `meetings` | fences, barriers, the host |
//! | `races` | races and old reads |
//! | `cells` | a cell's writes and bytes |

mod cells;
mod meetings;
mod observe;
mod races;
mod reads;
mod writes;

use std::rc::Rc;

use super::access::Memory;
use super::clock::{Clock, MAX_BLOCKS, THREAD_BITS, Tid, block_of};
use super::copies::Copies;
use super::history::{Backing, Cell, MAX_HISTORY, Read, Shadow, Span, Write};
use super::message::{BlockPlace, Level, Message, Stamp};
use super::order::HostOrder;
use super::race::{Race, Races, StaleRead, index_of};
use super::record::{Done, Recording};
use cells::place;

/// How an engine is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Writes of each piece of memory that are remembered, 2 to 31; a read returns none that is older.
    pub history: usize,
    /// Whether races are looked for.
    pub races: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { history: 12, races: true }
    }
}

/// Patterns on single locations that a thread's state keeps apart.
const MAX_TAGGED: usize = 24;

/// What the engine knows of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadState {
    pub(super) epoch: u32,
    pub(super) clock: Clock,
    /// The last releasing fence of each scope.
    fences: [Option<Stamp>; 4],
    /// Release operations on locations: a later strong write to the same one publishes what precedes them.
    releases: Vec<(Span, Level, Stamp)>,
    /// What strong reads have observed: a later acquire takes it.
    pending: Vec<(Span, Rc<Message>)>,
    /// The same where too much was observed to keep the locations apart.
    loose: Message,
    /// Old values in a row that strong reads returned.
    stale: u32,
    pub(super) copies: Option<Box<Copies>>,
}

/// What the engine knows of a block.
#[derive(Clone, Debug)]
pub(super) struct BlockState {
    pub(super) threads: Vec<ThreadState>,
    /// Proxy fences: who, in which epoch, what was before, whether of global and of shared memory.
    pub(super) proxy_fences: Vec<(Stamp, bool, bool)>,
}

/// What arrived at a barrier or mbarrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathering {
    clock: Clock,
    arrived: Vec<Tid>,
    /// The barrier's number in a recording.
    serial: u32,
}

impl Gathering {
    /// Takes all that another has gathered; who arrived does not matter any more.
    pub(crate) fn absorb(&mut self, other: Gathering) {
        self.clock.join(&other.clock);
    }
}

/// Memory as several threads see it.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(super) options: Options,
    pub(super) places: Vec<BlockPlace>,
    pub(super) blocks: Vec<Option<Box<BlockState>>>,
    pub(super) shadow: Shadow,
    fence_sc: Message,
    pub(super) host_orders: Vec<HostOrder>,
    pub(super) races: Races,
    /// Places of the cells of the present access: granule, its address, cell.
    touched: Vec<(usize, u64, usize)>,
    /// Operations executed.
    pub(super) operations: u64,
    /// What was executed, where that is wanted.
    pub(super) recording: Option<Box<Recording>>,
}

/// Everything of a candidate that a read of several cells needs.
pub(super) struct Looked {
    granule: usize,
    address: u64,
    cell: usize,
    caused: u32,
    candidates: u32,
}

impl Engine {
    pub(crate) fn new(options: Options, backing: Backing) -> Self {
        let options = Options { history: options.history.clamp(2, MAX_HISTORY), ..options };
        Self {
            options,
            places: Vec::new(),
            blocks: Vec::new(),
            shadow: Shadow::new(backing),
            fence_sc: Message::default(),
            host_orders: Vec::new(),
            races: Races::default(),
            touched: Vec::new(),
            operations: 0,
            recording: None,
        }
    }

    /// Records what is executed from now on.
    pub(crate) fn record(&mut self) {
        self.shadow.fresh = Some(Vec::new());
        self.recording = Some(Box::default());
    }

    /// What has been recorded.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        let mut recording = *self.recording.take()?;
        recording.places.clone_from(&self.places);
        recording.initial = self.shadow.fresh.take().unwrap_or_default().into_iter().collect();
        Some(recording)
    }

    #[inline]
    pub(super) fn note(&mut self, tid: Tid, done: impl FnOnce() -> Done) {
        if let Some(recording) = &mut self.recording {
            recording.note(tid, done());
        }
    }

    /// A new block; its number, or nothing where there are too many.
    pub(crate) fn add_block(&mut self, place: BlockPlace, threads: usize) -> Option<usize> {
        if self.blocks.len() >= MAX_BLOCKS || threads > 1 << THREAD_BITS {
            return None;
        }
        let threads = vec![ThreadState { epoch: 1, ..ThreadState::default() }; threads];
        self.places.push(place);
        self.blocks.push(Some(Box::new(BlockState { threads, proxy_fences: Vec::new() })));
        Some(self.blocks.len() - 1)
    }

    /// A block has ended; its shared memory is given back.
    pub(crate) fn end_block(&mut self, block: usize, shared: (u64, u64)) {
        self.blocks[block] = None;
        self.shadow.forget(shared.0, shared.1);
    }

    /// Memory that has gone, or is new.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        self.shadow.forget(start, bytes);
    }

    pub(super) fn thread(&self, tid: Tid) -> &ThreadState {
        match &self.blocks[block_of(tid)] {
            Some(block) => &block.threads[index_of(tid)],
            None => unreachable!("a thread of a block that has ended runs"),
        }
    }

    pub(super) fn thread_mut(&mut self, tid: Tid) -> &mut ThreadState {
        match &mut self.blocks[block_of(tid)] {
            Some(block) => &mut block.threads[index_of(tid)],
            None => unreachable!("a thread of a block that has ended runs"),
        }
    }

    pub(super) fn stamp(&self, tid: Tid) -> Stamp {
        let thread = self.thread(tid);
        Stamp { clock: thread.clock.clone(), tid, epoch: thread.epoch }
    }

    /// Whether two choices of a read at this place can differ.
    fn touch(&mut self, span: Span) {
        self.touched.clear();
        let mut at = span.address & !7;
        while at < span.end() {
            let granule = self.shadow.granule(at);
            let from = span.address.max(at) - at;
            let to = span.end().min(at + 8) - at;
            for cell in self.shadow.granules[granule].cut(from as u8, to as u8) {
                self.touched.push((granule, at, cell));
            }
            at += 8;
        }
    }

    /// The newest value of bytes, as the host finds it when everything has ended.
    pub(crate) fn newest(&mut self, span: Span) -> u128 {
        self.touch(span);
        self.touched.iter().fold(0, |all, &(granule, address, cell)| {
            let word = self.shadow.granules[granule].cells[cell].writes.last().map_or(0, |w| w.value);
            place(all, word, address, span)
        })
    }

    /// What the run tells beside its numbers.
    pub(crate) fn findings(&self) -> (&[Race], &[StaleRead], u64) {
        (&self.races.races, &self.races.stale, self.races.dropped)
    }

    /// Operations executed.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Cells that have forgotten a write.
    pub(crate) fn pruned(&self) -> u64 {
        self.shadow.granules.iter().flat_map(|g| &g.cells).filter(|c| c.pruned).count() as u64
    }

    /// Memory that the engine takes, roughly, in bytes, and the number of granules.
    pub(crate) fn footprint(&self) -> Memory {
        let cells: usize = self
            .shadow
            .granules
            .iter()
            .flat_map(|g| &g.cells)
            .map(|c| {
                size_of::<Cell>() + c.writes.capacity() * size_of::<Write>() + c.reads.capacity() * size_of::<Read>()
            })
            .sum();
        Memory { bytes: cells as u64, granules: self.shadow.granules.len() as u64 }
    }
}
