//! Loads, stores, copies.

use gicc_abi::sim::Meta;

use super::{fail, pace, polled, scheduler};
use crate::error::AccessProblem;
use crate::schedule::Fault;
use crate::thread::{CacheLine, Thread, current};

/// Which way an access goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Load,
    Store,
    Atomic,
}

impl Way {
    const fn writes(self) -> bool {
        !matches!(self, Way::Load)
    }

    const fn name(self) -> &'static str {
        match self {
            Way::Load => "load",
            Way::Store => "store",
            Way::Atomic => "atomic operation",
        }
    }
}

/// Checks an access; comes back only where it is allowed.
///
/// # Safety
///
/// `thread` is current.
#[inline(always)]
pub(super) unsafe fn check(thread: *mut Thread, address: u64, bytes: u64, meta: Meta, way: Way) {
    // SAFETY: as the caller promises; the cache has two lines for each site, and the site is compared with its length.
    unsafe {
        let t = &mut *thread;
        t.info.steps -= 1;
        if address & (meta.required_align() - 1) == 0 {
            let inside = address.wrapping_sub(t.info.shared_base);
            if inside < t.info.shared_bytes && t.info.shared_bytes - inside >= bytes {
                return;
            }
            let line = 2 * meta.site() as usize + usize::from(way.writes());
            if line < t.cache_lines {
                let CacheLine { start, bytes: length } = *t.cache.add(line);
                let inside = address.wrapping_sub(start);
                if inside < length && length - inside >= bytes {
                    return;
                }
            }
        }
        check_slowly(thread, address, bytes, meta, way);
    }
}

/// # Safety
///
/// `thread` is current.
#[cold]
#[inline(never)]
unsafe fn check_slowly(thread: *mut Thread, address: u64, bytes: u64, meta: Meta, way: Way) {
    // SAFETY: as the caller promises.
    unsafe {
        let t = &mut *thread;
        let problem = 'bad: {
            if address & (meta.required_align() - 1) != 0 && address >= 4096 {
                break 'bad AccessProblem::Misaligned { required: meta.required_align() };
            }
            let (low, high) = t.stack;
            if address >= low && address < high && high - address >= bytes {
                return;
            }
            let scheduler = scheduler(thread);
            let memory = &*scheduler.memory;
            if memory.in_arena(address) {
                let inside = address.wrapping_sub(t.info.shared_base);
                // A little past the end is more likely this block's mistake than a pointer of another block.
                break 'bad if inside < t.info.shared_bytes + 256 {
                    AccessProblem::PastShared { bytes: t.info.shared_bytes }
                } else {
                    AccessProblem::OtherBlock
                };
            }
            if scheduler.on_a_stack(address) {
                break 'bad AccessProblem::OtherThread;
            }
            match memory.lookup(t.pe, address, bytes, way.writes()) {
                Ok(region) => {
                    let line = 2 * meta.site() as usize + usize::from(way.writes());
                    if line < t.cache_lines {
                        *t.cache.add(line) = CacheLine { start: region.start, bytes: region.bytes };
                    }
                    return;
                }
                Err(problem) => problem,
            }
        };
        fail(thread, meta, Fault::Access { access: way.name(), address, bytes, problem })
    }
}

/// The value of so many bytes, zero-extended.
///
/// # Safety
///
/// The bytes exist. Sizes other than 1, 2, 4 and 8 read fewer than 8 bytes one by one.
#[inline(always)]
pub(super) unsafe fn read(address: u64, bytes: u64) -> u64 {
    // SAFETY: as the caller promises; one host thread runs all programs, so nothing writes meanwhile.
    unsafe {
        match bytes {
            4 => (address as *const u32).read_unaligned().into(),
            8 => (address as *const u64).read_unaligned(),
            1 => (address as *const u8).read().into(),
            2 => (address as *const u16).read_unaligned().into(),
            _ => {
                let mut word = [0u8; 8];
                std::ptr::copy_nonoverlapping(address as *const u8, word.as_mut_ptr(), bytes.min(8) as usize);
                u64::from_le_bytes(word)
            }
        }
    }
}

/// Stores the low bytes of a value.
///
/// # Safety
///
/// The bytes exist and may be written.
#[inline(always)]
pub(super) unsafe fn write(address: u64, bytes: u64, value: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            4 => (address as *mut u32).write_unaligned(value as u32),
            8 => (address as *mut u64).write_unaligned(value),
            1 => (address as *mut u8).write(value as u8),
            2 => (address as *mut u16).write_unaligned(value as u16),
            _ => {
                let word = value.to_le_bytes();
                std::ptr::copy_nonoverlapping(word.as_ptr(), address as *mut u8, bytes.min(8) as usize);
            }
        }
    }
}

pub(super) extern "C" fn load(address: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    let bytes = meta.bytes();
    // SAFETY: programs run only while a thread is current; the access has been checked before it is done.
    unsafe {
        check(thread, address, bytes, meta, Way::Load);
        let value = read(address, bytes);
        if meta.is_strong() {
            polled(thread, address, value, meta);
        } else {
            pace(thread, meta);
        }
        value
    }
}

pub(super) extern "C" fn load_to(to: *mut u8, address: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    let bytes = meta.bytes();
    // SAFETY: as in `load`; where it goes to is the program's own and has the size.
    unsafe {
        check(thread, address, bytes, meta, Way::Load);
        std::ptr::copy_nonoverlapping(address as *const u8, to, bytes as usize);
        if meta.is_strong() {
            // Every byte counts for whether there is news.
            let value = (0..bytes / 8).fold(0u64, |mix, i| {
                mix.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ read(to as u64 + 8 * i, 8)
            });
            polled(thread, address, value, meta);
        } else {
            pace(thread, meta);
        }
    }
}

pub(super) extern "C" fn store(address: u64, value: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    let bytes = meta.bytes();
    // SAFETY: as in `load`.
    unsafe {
        check(thread, address, bytes, meta, Way::Store);
        let old = read(address, bytes);
        write(address, bytes, value);
        if read(address, bytes) != old {
            scheduler(thread).progress = true;
        }
        pace(thread, meta);
    }
}

pub(super) extern "C" fn store_from(address: u64, from: *const u8, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    let bytes = meta.bytes();
    // SAFETY: as in `load`; what is stored is the program's own and has the size.
    unsafe {
        check(thread, address, bytes, meta, Way::Store);
        let to = std::slice::from_raw_parts_mut(address as *mut u8, bytes as usize);
        let from = std::slice::from_raw_parts(from, bytes as usize);
        if to != from {
            to.copy_from_slice(from);
            scheduler(thread).progress = true;
        }
        pace(thread, meta);
    }
}

pub(super) extern "C" fn copy(to: u64, from: u64, bytes: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    if bytes == 0 {
        return;
    }
    // SAFETY: as in `load`; both ends have been checked.
    unsafe {
        // A second lookup of the same site would only throw the first one out of the cache.
        let source = Meta(meta.0).align(1);
        check(thread, from, bytes, source, Way::Load);
        check(thread, to, bytes, source, Way::Store);
        std::ptr::copy(from as *const u8, to as *mut u8, bytes as usize);
        scheduler(thread).progress = true;
        (*thread).info.steps -= (bytes / 16).min(1 << 20) as i64;
        pace(thread, meta);
    }
}

pub(super) extern "C" fn fill(to: u64, byte: u64, bytes: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    if bytes == 0 {
        return;
    }
    // SAFETY: as in `load`.
    unsafe {
        check(thread, to, bytes, meta.align(1), Way::Store);
        std::ptr::write_bytes(to as *mut u8, byte as u8, bytes as usize);
        scheduler(thread).progress = true;
        (*thread).info.steps -= (bytes / 16).min(1 << 20) as i64;
        pace(thread, meta);
    }
}
