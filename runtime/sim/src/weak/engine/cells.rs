//! What a cell's writes may be returned, and the bytes of accesses that are larger or smaller than a cell.

use crate::weak::clock::{ASYNC_READ, ASYNC_WRITE, Tid};
use crate::weak::history::{Cell, Span};
use crate::weak::message::BlockPlace;
use crate::weak::order::{Order, Strength, before_any, bits};

/// Both are parts of asynchronous operations of one thread, or the same thread.
#[inline]
pub(super) fn same_operation(one: Tid, other: Tid) -> bool {
    one == other
        || (one | ASYNC_READ | ASYNC_WRITE == other | ASYNC_READ | ASYNC_WRITE
            && one & (ASYNC_READ | ASYNC_WRITE) != 0
            && other & (ASYNC_READ | ASYNC_WRITE) != 0)
}

#[inline]
pub(super) fn all(cell: &Cell) -> u32 {
    if cell.writes.len() >= 32 { u32::MAX } else { (1 << cell.writes.len()) - 1 }
}

/// Newer writes, in coherence, that are morally strong with an access which returns the write at a place.
#[inline]
pub(super) fn newer_strong(cell: &Cell, at: usize, granule: u64, strength: &Strength, places: &[BlockPlace]) -> u32 {
    let mut set = 0;
    for (i, w) in cell.writes.iter().enumerate().skip(at + 1) {
        if w.before >> at & 1 != 0 && strength.with_write(w, granule, places) {
            set |= 1 << i;
        }
    }
    set
}

/// The writes of a cell that are causally before an access, and those that it may return.
#[inline]
pub(super) fn look(
    cell: &Cell,
    granule: u64,
    order: &Order<'_>,
    strength: &Strength,
    places: &[BlockPlace],
    rmw: bool,
) -> (u32, u32) {
    let caused = order.caused(cell);
    let mut candidates = all(cell) & !before_any(cell, caused);
    let newest = 1u32 << (cell.writes.len() - 1);
    if strength.scope.is_some() && candidates != newest {
        let seen = cell.seen_by(strength.tid);
        for at in bits(candidates) {
            let skipped = newer_strong(cell, at, granule, strength, places);
            if skipped == 0 {
                continue;
            }
            let mut reach = seen;
            if strength.with_write(&cell.writes[at], granule, places) {
                reach |= 1 << at | cell.writes[at].strong.as_ref().map_or(0, |s| s.reach);
            }
            // An atomic operation reads the last write before its own (§8.10.3).
            if rmw || skipped & reach != 0 {
                candidates &= !(1 << at);
            }
        }
    }
    (caused, candidates | if candidates == 0 { newest } else { 0 })
}

/// Puts the bytes of a granule's word into the value of an access.
#[inline]
pub(super) fn place(all: u128, word: u64, granule: u64, span: Span) -> u128 {
    let wide = u128::from(word);
    let moved = if granule >= span.address {
        wide << (8 * (granule - span.address))
    } else {
        wide >> (8 * (span.address - granule))
    };
    let ones = if span.bytes >= 16 { u128::MAX } else { (1u128 << (8 * span.bytes)) - 1 };
    all | moved & ones
}

/// The bytes of an access's value that lie in a granule, at their places there.
#[inline]
pub(super) fn extract(value: u128, granule: u64, span: Span) -> u64 {
    if granule >= span.address {
        (value >> (8 * (granule - span.address))) as u64
    } else {
        (value << (8 * (span.address - granule))) as u64
    }
}
