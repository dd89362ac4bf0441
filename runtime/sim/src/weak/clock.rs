//! Vector clocks of causality, compressed by blocks.
//!
//! A thread counts *epochs*: the number rises after each operation that others may synchronise with (a release, a fence,
//! an arrival at a barrier). A clock says for each thread up to which epoch its operations are causally before. Threads
//! of a block that has met at a barrier have the same entry, so a clock has an entry for each block and not for each
//! thread; and clocks are shared until they change.

use std::rc::Rc;

/// A thread: number of its block, and place in it; with [`ASYNC_WRITE`] or [`ASYNC_READ`] the part of the asynchronous
/// proxy that works for it.
pub(crate) type Tid = u32;

/// Threads of a block at most, as a power of two.
pub(crate) const THREAD_BITS: u32 = 10;
/// Writes of the asynchronous proxy for a thread.
pub(crate) const ASYNC_WRITE: Tid = 1 << 31;
/// Reads of the asynchronous proxy for a thread.
pub(crate) const ASYNC_READ: Tid = 1 << 30;
/// Nobody: the writer of what memory holds at the start.
pub(crate) const NOBODY: Tid = Tid::MAX;
/// Blocks of a run at most.
pub(crate) const MAX_BLOCKS: usize = 1 << 20;

/// The number of a thread's block.
pub(crate) const fn block_of(tid: Tid) -> usize {
    ((tid & !(ASYNC_WRITE | ASYNC_READ)) >> THREAD_BITS) as usize
}

/// A thread of a block.
pub(crate) const fn tid(block: usize, index: usize) -> Tid {
    (block as u32) << THREAD_BITS | index as u32
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    /// The block, with the bits of the asynchronous proxy.
    key: u32,
    /// All threads of the block up to here.
    all: u32,
    /// Threads of which more is known, in order.
    some: Option<Rc<Vec<(u16, u32)>>>,
}

/// A vector clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(Option<Rc<Vec<Entry>>>);

impl Entry {
    fn epoch(&self, index: u16) -> u32 {
        let more = self.some.as_ref().and_then(|s| s.binary_search_by_key(&index, |e| e.0).ok().map(|at| s[at].1));
        self.all.max(more.unwrap_or(0))
    }

    fn add(&mut self, index: u16, epoch: u32) {
        if self.epoch(index) >= epoch {
            return;
        }
        let some = Rc::make_mut(self.some.get_or_insert_with(Rc::default));
        match some.binary_search_by_key(&index, |e| e.0) {
            Ok(at) => some[at].1 = epoch,
            Err(at) => some.insert(at, (index, epoch)),
        }
    }

    fn add_all(&mut self, epoch: u32) {
        if epoch <= self.all {
            return;
        }
        self.all = epoch;
        if let Some(some) = &mut self.some {
            if some.iter().all(|e| e.1 <= epoch) {
                self.some = None;
            } else {
                Rc::make_mut(some).retain(|e| e.1 > epoch);
            }
        }
    }

    /// Whether this entry knows all that the other knows.
    fn covers(&self, other: &Entry) -> bool {
        if self.all < other.all {
            return false;
        }
        match (&self.some, &other.some) {
            (_, None) => true,
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => true,
            (_, Some(b)) => b.iter().all(|&(index, epoch)| self.epoch(index) >= epoch),
        }
    }

    fn join(&mut self, other: &Entry) {
        self.add_all(other.all);
        for &(index, epoch) in other.some.iter().flat_map(|s| s.iter()) {
            self.add(index, epoch);
        }
    }
}

impl Clock {
    fn entries(&self) -> &[Entry] {
        self.0.as_ref().map_or(&[], |e| e.as_slice())
    }

    /// Whether operations of a thread in an epoch are before.
    #[inline]
    pub(crate) fn covers(&self, tid: Tid, epoch: u32) -> bool {
        let key = tid >> THREAD_BITS;
        let entries = self.entries();
        let found = if entries.len() <= 8 {
            entries.iter().position(|e| e.key == key)
        } else {
            entries.binary_search_by_key(&key, |e| e.key).ok()
        };
        found.is_some_and(|at| entries[at].epoch((tid & ((1 << THREAD_BITS) - 1)) as u16) >= epoch)
    }

    fn entry(&mut self, key: u32) -> &mut Entry {
        let entries = Rc::make_mut(self.0.get_or_insert_with(Rc::default));
        let at = match entries.binary_search_by_key(&key, |e| e.key) {
            Ok(at) => at,
            Err(at) => {
                entries.insert(at, Entry { key, all: 0, some: None });
                at
            }
        };
        &mut entries[at]
    }

    /// A thread's operations up to an epoch are before.
    pub(crate) fn add(&mut self, tid: Tid, epoch: u32) {
        if !self.covers(tid, epoch) {
            self.entry(tid >> THREAD_BITS).add((tid & ((1 << THREAD_BITS) - 1)) as u16, epoch);
        }
    }

    /// Operations of all threads of a block up to an epoch are before.
    pub(crate) fn add_all(&mut self, block: usize, epoch: u32) {
        self.entry(block as u32).add_all(epoch);
    }

    /// All that is before the other is before.
    pub(crate) fn join(&mut self, other: &Clock) {
        let Some(theirs) = &other.0 else { return };
        let Some(ours) = &self.0 else {
            self.0 = Some(theirs.clone());
            return;
        };
        if Rc::ptr_eq(ours, theirs) || covers_all(ours, theirs) {
            return;
        }
        if covers_all(theirs, ours) {
            self.0 = Some(theirs.clone());
            return;
        }
        let mut merged: Vec<Entry> = Vec::with_capacity(ours.len().max(theirs.len()));
        let (mut a, mut b) = (ours.iter().peekable(), theirs.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.key == y.key => {
                    let mut entry = (*x).clone();
                    if !entry.covers(y) {
                        if y.covers(x) { entry = (*y).clone() } else { entry.join(y) }
                    }
                    merged.push(entry);
                    a.next();
                    b.next();
                }
                (Some(x), Some(y)) if x.key > y.key => merged.extend(b.next().cloned()),
                (Some(_), _) => merged.extend(a.next().cloned()),
                (None, Some(_)) => merged.extend(b.next().cloned()),
                (None, None) => break,
            }
        }
        self.0 = Some(Rc::new(merged));
    }
}

/// Whether the first list knows all that the second knows.
fn covers_all(ours: &[Entry], theirs: &[Entry]) -> bool {
    let mut at = 0;
    theirs.iter().all(|t| {
        while at < ours.len() && ours[at].key < t.key {
            at += 1;
        }
        at < ours.len() && ours[at].key == t.key && ours[at].covers(t)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_covers_what_was_added_or_joined() {
        let mut a = Clock::default();
        a.add(tid(3, 5), 7);
        assert!(a.covers(tid(3, 5), 7) && !a.covers(tid(3, 5), 8) && !a.covers(tid(3, 4), 1));
        let mut b = Clock::default();
        b.add_all(3, 6);
        b.add(tid(9, 0) | ASYNC_WRITE, 2);
        a.join(&b);
        assert!(a.covers(tid(3, 4), 6) && a.covers(tid(3, 5), 7) && !a.covers(tid(3, 4), 7));
        assert!(a.covers(tid(9, 0) | ASYNC_WRITE, 2) && !a.covers(tid(9, 0), 1));
        a.add_all(3, 9);
        assert!(a.covers(tid(3, 1023), 9));
        let before = a.clone();
        a.join(&b);
        assert!(Rc::ptr_eq(before.0.as_ref().unwrap(), a.0.as_ref().unwrap()), "nothing new, nothing copied");
    }

    #[test]
    fn many_blocks_are_found() {
        let mut a = Clock::default();
        for block in (0..100).rev() {
            a.add(tid(block, block), block as u32 + 1);
        }
        assert!((0..100).all(|b| a.covers(tid(b, b), b as u32 + 1) && !a.covers(tid(b, b), b as u32 + 2)));
    }
}
