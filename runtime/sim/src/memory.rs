//! Which addresses exist. All pointers of programs are host addresses: the symmetric heap is one reservation with the PEs'
//! segments at equal distances; a PE's own memory is mapped buffer by buffer; variables lie in the loaded program; shared
//! memory is an arena that starts at a multiple of 4 GiB, so that the low half of an address is what PTX calls a shared
//! address and the whole can be had back from it.

use std::collections::BTreeMap;

use crate::error::{AccessProblem, Nearest, SimError};

/// Distance between things, so that an access past an end finds nothing.
const GAP: u64 = 64 << 10;
/// Addresses below this count as null.
const NULL_PAGE: u64 = 4096;
/// Bytes of the arena of shared memory.
const ARENA_BYTES: u64 = 1 << 32;
/// Distance between two blocks' shared memory.
const SHARED_GAP: u64 = 256;

/// Memory mapped from the host; not committed before it is touched.
pub(crate) struct Mapping {
    raw: *mut libc::c_void,
    raw_bytes: usize,
    address: u64,
    bytes: u64,
}

impl Mapping {
    /// Bytes at a multiple of `align`, zeroed.
    pub(crate) fn new(bytes: u64, align: u64) -> Option<Self> {
        let raw_bytes = usize::try_from(bytes.checked_add(align)?).ok()?;
        // SAFETY: a fresh anonymous mapping; nothing else knows its address.
        let raw = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                raw_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if raw == libc::MAP_FAILED {
            return None;
        }
        Some(Self { raw, raw_bytes, address: (raw as u64).next_multiple_of(align), bytes })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Asks for small pages, where only a little of much is touched.
    pub(crate) fn small_pages(&self) {
        // SAFETY: advice on memory that is ours; a refusal changes nothing but speed.
        unsafe { libc::madvise(self.raw, self.raw_bytes, libc::MADV_NOHUGEPAGE) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, unmapped once.
        unsafe { libc::munmap(self.raw, self.raw_bytes) };
    }
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionKind {
    /// A PE's segment of the symmetric heap, or a named part of it.
    Symmetric,
    /// A buffer or variable of a PE alone.
    Private,
    /// A variable in constant memory.
    Constant,
    /// What `malloc` on the device returned.
    Heap,
}

/// Addresses that exist.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) pe: u32,
    pub(crate) kind: RegionKind,
    pub(crate) name: String,
}

impl Region {
    fn end(&self) -> u64 {
        self.start + self.bytes
    }
}

/// Everything that the host and kernels can address.
pub(crate) struct Memory {
    heap: Mapping,
    heap_bytes: u64,
    stride: u64,
    strict: bool,
    /// Segments, buffers and variables by their start.
    regions: BTreeMap<u64, Region>,
    /// Named parts of segments by their start.
    names: BTreeMap<u64, Region>,
    named: Vec<bool>,
    buffers: BTreeMap<u64, Mapping>,
    arena: Mapping,
    arena_used: u64,
    /// Addresses that stand for one location of every PE; nothing is there.
    window: Mapping,
}

impl Memory {
    pub(crate) fn new(pes: u32, heap_bytes: u64, strict: bool) -> Result<Self, SimError> {
        let none = |what: &str, bytes| SimError::Memory { what: what.to_owned(), bytes };
        let heap_bytes = heap_bytes.next_multiple_of(4096);
        let stride = (heap_bytes + GAP).next_multiple_of(2 << 20);
        let all = stride.checked_mul(u64::from(pes)).ok_or_else(|| none("the symmetric heap", u64::MAX))?;
        let heap = Mapping::new(all, 2 << 20).ok_or_else(|| none("the symmetric heap", all))?;
        let arena = Mapping::new(ARENA_BYTES, ARENA_BYTES).ok_or_else(|| none("shared memory", ARENA_BYTES))?;
        let window = Mapping::new(stride, 2 << 20).ok_or_else(|| none("multicast addresses", stride))?;
        let mut memory = Self {
            heap,
            heap_bytes,
            stride,
            strict,
            regions: BTreeMap::new(),
            names: BTreeMap::new(),
            named: vec![false; pes as usize],
            buffers: BTreeMap::new(),
            arena,
            arena_used: 0,
            window,
        };
        for pe in 0..pes {
            let start = memory.segment(pe);
            let name = "the symmetric heap".to_owned();
            memory.add_region(Region { start, bytes: heap_bytes, pe, kind: RegionKind::Symmetric, name });
        }
        memory.reset_arena();
        Ok(memory)
    }

    pub(crate) fn segment(&self, pe: u32) -> u64 {
        self.heap.address() + u64::from(pe) * self.stride
    }

    pub(crate) fn stride(&self) -> u64 {
        self.stride
    }

    pub(crate) fn heap_bytes(&self) -> u64 {
        self.heap_bytes
    }

    /// The multicast address of a symmetric one: it stands for that location of every PE.
    pub(crate) fn multicast(&self, address: u64) -> Option<u64> {
        let inside = address.checked_sub(self.heap.address()).filter(|&o| o < self.heap.bytes())? % self.stride;
        (inside < self.heap_bytes).then(|| self.window.address() + inside)
    }

    fn multicast_offset(&self, address: u64) -> Option<u64> {
        address.checked_sub(self.window.address()).filter(|&offset| offset < self.stride)
    }

    /// The location of a PE behind a multicast address; 0 where there is no such PE, and nothing where the address is no
    /// multicast address.
    pub(crate) fn replica(&self, address: u64, pe: u64) -> Option<u64> {
        let offset = self.multicast_offset(address)?;
        Some(if pe < self.named.len() as u64 { self.heap.address() + pe * self.stride + offset } else { 0 })
    }

    /// Makes addresses known.
    pub(crate) fn add_region(&mut self, region: Region) {
        if region.bytes > 0 {
            self.regions.insert(region.start, region);
        }
    }

    /// Names a part of a segment.
    pub(crate) fn name_range(&mut self, pe: u32, start: u64, bytes: u64, name: &str) {
        if let Some(named) = self.named.get_mut(pe as usize) {
            *named = true;
            let region = Region { start, bytes, pe, kind: RegionKind::Symmetric, name: name.to_owned() };
            self.names.insert(start, region);
        }
    }

    /// Forgets the names of all parts of segments.
    pub(crate) fn forget_names(&mut self) {
        self.names.clear();
        self.named.fill(false);
    }

    /// A buffer of one PE.
    pub(crate) fn allocate(&mut self, pe: u32, bytes: u64, name: &str, kind: RegionKind) -> Result<u64, SimError> {
        let none = || SimError::Memory { what: name.to_owned(), bytes };
        let mapping = bytes.checked_add(2 * GAP).and_then(|all| Mapping::new(all, 4096)).ok_or_else(none)?;
        let start = mapping.address() + GAP;
        self.buffers.insert(start, mapping);
        self.add_region(Region { start, bytes: bytes.max(1), pe, kind, name: name.to_owned() });
        Ok(start)
    }

    /// Gives back what [`Memory::allocate`] returned for this PE and kind.
    pub(crate) fn free(&mut self, pe: u32, start: u64, kind: RegionKind) -> bool {
        if !self.regions.get(&start).is_some_and(|r| r.pe == pe && r.kind == kind) {
            return false;
        }
        if self.buffers.remove(&start).is_none() {
            return false;
        }
        self.regions.remove(&start);
        true
    }

    fn within(regions: &BTreeMap<u64, Region>, address: u64) -> Option<&Region> {
        regions.range(..=address).next_back().map(|(_, r)| r).filter(|r| address < r.end())
    }

    /// The region of an access of a PE's kernel.
    pub(crate) fn lookup(&self, pe: u32, address: u64, bytes: u64, write: bool) -> Result<&Region, AccessProblem> {
        if address < NULL_PAGE {
            return Err(AccessProblem::Null);
        }
        if self.multicast_offset(address).is_some() {
            return Err(AccessProblem::Multicast);
        }
        let outside = || AccessProblem::OutOfBounds { nearest: self.nearest(pe, address) };
        let mut region = Self::within(&self.regions, address).ok_or_else(outside)?;
        if region.kind == RegionKind::Symmetric && self.strict && self.named[region.pe as usize] {
            region = Self::within(&self.names, address).ok_or_else(outside)?;
        }
        if bytes > region.end() - address {
            return Err(outside());
        }
        if region.kind != RegionKind::Symmetric && region.pe != pe {
            return Err(AccessProblem::OtherPe { pe: region.pe, name: region.name.clone() });
        }
        if write && region.kind == RegionKind::Constant {
            return Err(AccessProblem::ReadOnly { name: region.name.clone() });
        }
        Ok(region)
    }

    /// Whether an address is in constant memory.
    pub(crate) fn is_constant(&self, address: u64) -> bool {
        Self::within(&self.regions, address).is_some_and(|r| r.kind == RegionKind::Constant)
    }

    /// Whether an address is in global memory.
    pub(crate) fn is_global(&self, address: u64) -> bool {
        self.multicast_offset(address).is_some()
            || Self::within(&self.regions, address).is_some_and(|r| r.kind != RegionKind::Constant)
    }

    /// The buffer closest to an address that is in none; named parts before whole segments.
    fn nearest(&self, pe: u32, address: u64) -> Option<Nearest> {
        let candidates = [&self.names, &self.regions].into_iter().flat_map(|regions| {
            let below = regions.range(..=address).next_back();
            let above = regions.range(address..).next();
            below.into_iter().chain(above).map(|(_, r)| r)
        });
        let distance =
            |r: &Region| if address < r.start { r.start - address } else { (address + 1).saturating_sub(r.end()) };
        // A whole segment says nothing while its parts have names.
        let whole = |r: &Region| {
            r.kind == RegionKind::Symmetric && self.regions.contains_key(&r.start) && r.bytes == self.heap_bytes
        };
        let useful = candidates.filter(|r| !(whole(r) && self.named[r.pe as usize]));
        let nearest = useful.min_by_key(|r| (distance(r), r.pe != pe))?;
        // What is a gigabyte away explains nothing.
        (distance(nearest) < 1 << 30).then(|| Nearest {
            name: nearest.name.clone(),
            bytes: nearest.bytes,
            pe: nearest.pe,
            offset: address.wrapping_sub(nearest.start) as i64,
        })
    }

    /// The name of the buffer at an address, with the offset: `sig+8`.
    pub(crate) fn describe(&self, address: u64) -> String {
        if let Some(offset) = self.multicast_offset(address) {
            return format!("multicast of {}", self.describe(self.heap.address() + offset));
        }
        let region = Self::within(&self.names, address).or_else(|| Self::within(&self.regions, address));
        match region {
            Some(r) if address == r.start => r.name.clone(),
            Some(r) => format!("{}+{}", r.name, address - r.start),
            None => format!("{address:#x}"),
        }
    }

    /// The same with the PE: `sig+8 of PE 1`.
    pub(crate) fn describe_with_pe(&self, address: u64) -> String {
        match Self::within(&self.regions, address) {
            Some(region) => format!("{} of PE {}", self.describe(address), region.pe),
            None => self.describe(address),
        }
    }

    /// Whether the host may access these bytes.
    pub(crate) fn check_host(&self, address: u64, bytes: u64) -> Result<(), SimError> {
        let fits = Self::within(&self.regions, address).is_some_and(|r| bytes <= r.end() - address);
        if fits || bytes == 0 { Ok(()) } else { Err(SimError::HostAccess { address, bytes }) }
    }

    /// The end of the region at an address.
    pub(crate) fn end_at(&self, address: u64) -> Option<u64> {
        Some(Self::within(&self.regions, address)?.end())
    }

    // Shared memory.

    /// Whether an address is in the arena of shared memory.
    pub(crate) fn in_arena(&self, address: u64) -> bool {
        address.wrapping_sub(self.arena.address()) < ARENA_BYTES
    }

    /// Shared memory for a block, at a multiple of 128 bytes.
    pub(crate) fn take_shared(&mut self, bytes: u64) -> Option<u64> {
        let at = self.arena_used;
        let next = at.checked_add(shared_slot(bytes))?;
        if next > ARENA_BYTES {
            return None;
        }
        self.arena_used = next;
        Some(self.arena.address() + at)
    }

    /// Takes back all shared memory, when nothing runs.
    pub(crate) fn reset_arena(&mut self) {
        // Shared address 0 is kept free, so that it is never a variable's.
        self.arena_used = 1024;
    }
}

/// Bytes that a block's shared memory takes of the arena.
fn shared_slot(bytes: u64) -> u64 {
    (bytes + SHARED_GAP).next_multiple_of(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(2, 1 << 20, true).unwrap()
    }

    #[test]
    fn segments_lie_at_equal_distances_and_belong_to_everybody() {
        let m = memory();
        assert_eq!(m.segment(1) - m.segment(0), m.stride());
        assert!(m.lookup(0, m.segment(1), 8, true).is_ok());
        let past = m.segment(0) + m.heap_bytes();
        assert!(matches!(m.lookup(0, past - 4, 8, false), Err(AccessProblem::OutOfBounds { .. })));
        assert_eq!(m.lookup(0, 8, 4, false).err(), Some(AccessProblem::Null));
    }

    #[test]
    fn a_named_segment_has_memory_only_where_it_has_names() {
        let mut m = memory();
        let base = m.segment(0);
        m.name_range(0, base + 256, 64, "data");
        assert!(m.lookup(1, base + 256 + 60, 4, true).is_ok());
        let error = m.lookup(1, base + 256 + 64, 4, true).unwrap_err();
        assert_eq!(error.to_string(), "there is no memory; nearest is data of PE 0 (64 bytes), 0 bytes past its end");
        assert_eq!(m.describe(base + 264), "data+8");
        m.forget_names();
        assert!(m.lookup(1, base + 256 + 64, 4, true).is_ok());
    }

    #[test]
    fn a_multicast_address_stands_for_every_pe() {
        let m = memory();
        let alias = m.multicast(m.segment(1) + 64).unwrap();
        assert_eq!(alias, m.multicast(m.segment(0) + 64).unwrap());
        assert_eq!(m.replica(alias, 1), Some(m.segment(1) + 64));
        assert_eq!((m.replica(alias, 2), m.replica(m.segment(0), 0)), (Some(0), None));
        assert_eq!(m.multicast(m.segment(0) + m.heap_bytes()), None);
        assert_eq!(m.lookup(0, alias, 4, false).err(), Some(AccessProblem::Multicast));
        assert_eq!(m.describe(alias), "multicast of the symmetric heap+64");
    }

    #[test]
    fn private_memory_is_private() {
        let mut m = memory();
        let a = m.allocate(0, 100, "a", RegionKind::Private).unwrap();
        assert!(m.lookup(0, a + 96, 4, true).is_ok());
        assert!(matches!(m.lookup(1, a, 4, false), Err(AccessProblem::OtherPe { pe: 0, .. })));
        assert!(matches!(m.lookup(0, a + 97, 4, true), Err(AccessProblem::OutOfBounds { .. })));
        assert!(!m.free(1, a, RegionKind::Private));
        assert!(m.free(0, a, RegionKind::Private));
        assert!(m.lookup(0, a, 4, false).is_err());
    }

    #[test]
    fn the_low_half_of_an_address_is_a_shared_address() {
        let mut m = memory();
        let s = m.take_shared(1000).unwrap();
        assert!(s as u32 != 0 && s & 127 == 0);
        assert_eq!(s >> 32 << 32 | u64::from(s as u32), s);
        assert!(m.in_arena(s) && !m.in_arena(m.segment(0)));
    }
}
