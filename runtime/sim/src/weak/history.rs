//! Histories of writes. Memory is cut into granules of eight bytes, and a granule into *cells*: the coarsest pieces such
//! that every access so far consists of whole cells. A cell holds its last writes, oldest first; relations between them
//! are bit masks over their places in that list. Coherence, causality and observation go from older to newer places only,
//! since writes are listed in the order in which they were executed.

use std::collections::HashMap;
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use super::clock::{NOBODY, Tid};
use super::message::{Level, Message};

/// Writes of a cell that are kept at most.
pub(crate) const MAX_HISTORY: usize = 31;
/// Reads of a cell that are kept for the detection of races.
const MAX_READS: usize = 24;

/// Bytes of an access, without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) address: u64,
    pub(crate) bytes: u8,
}

impl Span {
    pub(crate) fn end(self) -> u64 {
        self.address + u64::from(self.bytes)
    }
}

/// What only strong writes have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strong {
    pub(crate) scope: Level,
    /// An atomic operation.
    pub(crate) rmw: bool,
    /// Writes that this one observed, as the write of an atomic operation (PTX ISA §8.9.2).
    pub(crate) chain: u32,
    /// Writes that come before this one in the order that §8.10.5 wants acyclic.
    pub(crate) reach: u32,
    /// The same for the strong reads of this write.
    pub(crate) read_reach: u32,
    pub(crate) message: Option<Rc<Message>>,
    /// Who read it by a morally strong read, without being ordered after it by that.
    pub(crate) observers: Vec<(Tid, u32)>,
}

/// A write in the history of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) tid: Tid,
    pub(crate) epoch: u32,
    pub(crate) site: u32,
    /// First byte of the access, from the start of the granule.
    start: i8,
    bytes: u8,
    /// Writes that are coherence-before this one.
    pub(crate) before: u32,
    /// The number of a strong write's operation: the same in each piece that it wrote, and in no other write of a history.
    pub(crate) operation: u32,
    /// The cell's bytes, at their places in the granule.
    pub(crate) value: u64,
    pub(crate) strong: Option<Box<Strong>>,
}

impl Write {
    pub(crate) fn new(tid: Tid, epoch: u32, site: u32, span: Span, granule: u64, value: u64) -> Self {
        let start = span.address.wrapping_sub(granule) as i64 as i8;
        Self { tid, epoch, site, start, bytes: span.bytes, before: 0, operation: 0, value, strong: None }
    }

    pub(crate) fn is_initial(&self) -> bool {
        self.tid == NOBODY
    }

    pub(crate) fn span(&self, granule: u64) -> Span {
        Span { address: granule.wrapping_add_signed(self.start.into()), bytes: self.bytes }
    }

    pub(crate) fn chain(&self) -> u32 {
        self.strong.as_ref().map_or(0, |s| s.chain)
    }
}

/// A read that a later write may race with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) tid: Tid,
    pub(crate) epoch: u32,
    pub(crate) site: u32,
    /// Scope of a strong read, else `None`.
    pub(crate) scope: Option<Level>,
    pub(crate) span: Span,
    /// Whether only the start of a kernel orders it (`ld.nc`).
    pub(crate) foreign: bool,
}

/// A piece of a granule that no access has split. What most pieces have stands in it without a pointer: a launch has
/// millions of them, and each pointer is a line that is in no cache.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) start: u8,
    pub(crate) bytes: u8,
    /// Whether a write has been left out since the history was full.
    pub(crate) pruned: bool,
    /// What a strong read that returned an old write had seen; everybody counts as having seen it.
    pub(crate) taint: u32,
    pub(crate) writes: SmallVec<[Write; 2]>,
    /// What each thread's strong accesses have seen.
    pub(crate) seen: Vec<(Tid, u32)>,
    pub(crate) reads: SmallVec<[Read; 1]>,
}

impl Cell {
    /// The bits of the cell's bytes in the granule.
    pub(crate) fn mask(&self) -> u64 {
        mask(self.start, self.bytes)
    }

    pub(crate) fn seen_by(&self, tid: Tid) -> u32 {
        self.taint | self.seen.iter().find(|s| s.0 == tid).map_or(0, |s| s.1)
    }

    pub(crate) fn see(&mut self, tid: Tid, mask: u32) {
        match self.seen.iter_mut().find(|s| s.0 == tid) {
            Some(s) => s.1 |= mask,
            None => self.seen.push((tid, mask)),
        }
    }

    /// Adds the newest write; where the history is full, the oldest one goes.
    pub(crate) fn push(&mut self, write: Write, limit: usize) {
        self.writes.push(write);
        if self.writes.len() > limit {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        self.writes.remove(0);
        self.pruned = true;
        self.taint >>= 1;
        for write in &mut self.writes {
            write.before >>= 1;
            if let Some(strong) = &mut write.strong {
                strong.chain >>= 1;
                strong.reach >>= 1;
                strong.read_reach >>= 1;
            }
        }
        self.seen.retain_mut(|s| {
            s.1 >>= 1;
            s.1 != 0
        });
    }

    /// Notes a read. One that others' order hides behind this one goes.
    pub(crate) fn note_read(&mut self, read: Read, before: impl Fn(&Read) -> bool) {
        let weaker = |old: &Read| {
            old.span == read.span
                && old.foreign == read.foreign
                && (read.scope.is_none() || read.scope <= old.scope && old.scope.is_some())
        };
        if let Some(own) = self.reads.iter_mut().find(|old| old.tid == read.tid && weaker(old)) {
            *own = read;
            return;
        }
        // In a crowd whose first one is not hidden, hardly any other one is.
        if self.reads.len() < MAX_READS || before(&self.reads[0]) {
            self.reads.retain(|old| !(weaker(old) && before(old)));
        }
        if self.reads.len() >= MAX_READS {
            // The first ones of a crowd tell as much as the others.
            self.reads.pop();
        }
        self.reads.push(read);
    }
}

const fn mask(start: u8, bytes: u8) -> u64 {
    let ones = if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
    ones << (8 * start)
}

/// Eight bytes of memory.
#[derive(Clone, Debug)]
pub(crate) struct Granule {
    pub(crate) cells: SmallVec<[Cell; 2]>,
}

impl Granule {
    fn new(value: u64) -> Self {
        let initial = Write::new(NOBODY, 0, 0, Span { address: 0, bytes: 8 }, 0, value);
        Self {
            cells: smallvec![Cell {
                start: 0,
                bytes: 8,
                pruned: false,
                taint: 0,
                writes: smallvec![initial],
                seen: Vec::new(),
                reads: SmallVec::new(),
            }],
        }
    }

    /// Splits cells so that `start..end` consists of whole ones; the places of those.
    pub(crate) fn cut(&mut self, start: u8, end: u8) -> std::ops::Range<usize> {
        for boundary in [start, end] {
            let inside = self.cells.iter().position(|c| c.start < boundary && boundary < c.start + c.bytes);
            if let Some(at) = inside {
                let mut upper = self.cells[at].clone();
                let lower = &mut self.cells[at];
                upper.bytes -= boundary - upper.start;
                upper.start = boundary;
                lower.bytes = boundary - lower.start;
                let (low, high) = (lower.mask(), upper.mask());
                lower.writes.iter_mut().for_each(|w| w.value &= low);
                upper.writes.iter_mut().for_each(|w| w.value &= high);
                self.cells.insert(at + 1, upper);
            }
        }
        let first = self.cells.iter().position(|c| c.start >= start).unwrap_or(0);
        let last = self.cells.iter().position(|c| c.start >= end).unwrap_or(self.cells.len());
        first..last
    }
}

const PAGE_BITS: u32 = 12;
const PAGE_GRANULES: usize = 1 << (PAGE_BITS - 3);

type Page = Box<[u32; PAGE_GRANULES]>;

/// Where the content of memory comes from that nobody has written yet.
#[derive(Clone, Debug)]
pub(crate) enum Backing {
    /// The host's memory at the same address.
    Host,
    /// Given values, by the address of their granule; zero elsewhere.
    Values(HashMap<u64, u64>),
}

impl Backing {
    fn granule(&self, address: u64) -> u64 {
        match self {
            // SAFETY: engines over host memory are asked only about addresses that the simulator has checked, and eight
            // aligned bytes lie in one page.
            Backing::Host => unsafe { (address as *const u64).read() },
            Backing::Values(values) => values.get(&address).copied().unwrap_or(0),
        }
    }
}

/// The granules that have been touched.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    backing: Backing,
    pages: HashMap<u64, u32, Hash>,
    tables: Vec<Page>,
    last: (u64, u32),
    pub(crate) granules: Vec<Granule>,
    free: Vec<u32>,
    /// What was there at first, where that is recorded.
    pub(crate) fresh: Option<Vec<(u64, u64)>>,
}

/// Multiplicative hashing of page numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hash(u64);

impl std::hash::BuildHasher for Hash {
    type Hasher = Hash;
    fn build_hasher(&self) -> Hash {
        Hash(0)
    }
}

impl std::hash::Hasher for Hash {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(b.into());
        }
    }
    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Shadow {
    pub(crate) fn new(backing: Backing) -> Self {
        Self {
            backing,
            pages: HashMap::default(),
            tables: Vec::new(),
            last: (u64::MAX, 0),
            granules: Vec::new(),
            free: Vec::new(),
            fresh: None,
        }
    }

    /// The granule at an address that is a multiple of eight.
    #[inline]
    pub(crate) fn granule(&mut self, address: u64) -> usize {
        let page = address >> PAGE_BITS;
        if self.last.0 != page {
            let next = self.tables.len() as u32;
            let table = *self.pages.entry(page).or_insert(next);
            if table == next {
                self.tables.push(Box::new([0; PAGE_GRANULES]));
            }
            self.last = (page, table);
        }
        let slot = &mut self.tables[self.last.1 as usize][(address >> 3) as usize % PAGE_GRANULES];
        if *slot == 0 {
            let value = self.backing.granule(address);
            if let Some(fresh) = &mut self.fresh {
                fresh.push((address, value));
            }
            let granule = Granule::new(value);
            *slot = match self.free.pop() {
                Some(at) => {
                    self.granules[at as usize] = granule;
                    at + 1
                }
                None => {
                    self.granules.push(granule);
                    self.granules.len() as u32
                }
            };
        }
        *slot as usize - 1
    }

    /// Forgets a range: what memory holds there counts as initial again.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        let mut at = start & !7;
        while at < start + bytes {
            let page = at >> PAGE_BITS;
            let page_end = (page + 1) << PAGE_BITS;
            if let Some(&table) = self.pages.get(&page) {
                while at < page_end && at < start + bytes {
                    let slot = &mut self.tables[table as usize][(at >> 3) as usize % PAGE_GRANULES];
                    if *slot != 0 {
                        self.granules[*slot as usize - 1].cells = SmallVec::new();
                        self.free.push(*slot - 1);
                        *slot = 0;
                    }
                    at += 8;
                }
            }
            at = page_end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_where_accesses_end() {
        let mut granule = Granule::new(0x8877_6655_4433_2211);
        assert_eq!(granule.cut(0, 8), 0..1);
        assert_eq!(granule.cut(2, 4), 1..2);
        let starts: Vec<_> = granule.cells.iter().map(|c| (c.start, c.bytes)).collect();
        assert_eq!(starts, [(0, 2), (2, 2), (4, 4)]);
        assert_eq!(granule.cells[1].writes[0].value, 0x4433_0000);
        assert_eq!(granule.cut(0, 8), 0..3);
    }

    #[test]
    fn the_oldest_write_goes_with_its_bits() {
        let mut granule = Granule::new(0);
        let cell = &mut granule.cells[0];
        for n in 0..4u32 {
            let mut write = Write::new(n, 1, 0, Span { address: 0, bytes: 8 }, 0, n.into());
            write.before = (1 << cell.writes.len()) - 1;
            cell.push(write, 3);
        }
        let values: Vec<_> = cell.writes.iter().map(|w| (w.value, w.before)).collect();
        assert_eq!(values, [(1, 0), (2, 1), (3, 3)]);
        assert!(cell.pruned);
    }

    #[test]
    fn what_is_forgotten_is_initial_again() {
        let mut shadow = Shadow::new(Backing::Values(HashMap::from([(64, 9)])));
        let at = shadow.granule(64);
        assert_eq!(shadow.granules[at].cells[0].writes[0].value, 9);
        shadow.forget(64, 8);
        assert_eq!(shadow.granule(64), at, "the place is used again");
    }
}
