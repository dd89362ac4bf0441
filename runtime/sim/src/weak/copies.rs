//! Asynchronous copies: an observer of their own. A copy starts with what is before its instruction; proxy fences in its
//! block decide which of the generic accesses it sees, and its completion orders it before what follows the wait. Its
//! reads and writes happen at any time between the instruction and the wait that covers them, or the end of the kernel.

use std::collections::VecDeque;

use super::access::{Access, CopyProgress};
use super::choice::Chooser;
use super::clock::{ASYNC_READ, ASYNC_WRITE, Clock, Tid, block_of};
use super::engine::Engine;
use super::history::Span;
use super::order::Order;
use super::race::AccessKind;
use super::record::Done;

/// A copy that has started.
#[derive(Clone, Debug)]
struct Copy {
    to: u64,
    from: u64,
    bytes: u64,
    site: u32,
    number: u32,
    base: Clock,
    /// What proxy fences let the reads see, and the writes: they may be in different spaces.
    read_view: Clock,
    write_view: Clock,
    /// What was read: an access of at most eight bytes each.
    words: Option<Vec<(u64, u8, u64)>>,
}

/// The copies of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    count: u32,
    /// Copies whose writes have not happened.
    open: VecDeque<Copy>,
    /// The number of the last copy of each group.
    groups: Vec<u32>,
    done: CopyProgress,
}

/// Which space an address is in, as far as proxy fences go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopySpace {
    Global,
    Shared,
}

impl Engine {
    /// Starts a copy.
    pub(crate) fn copy(&mut self, tid: Tid, to: (u64, CopySpace), from: (u64, CopySpace), bytes: u64, site: u32) {
        let base = {
            let mut clock = Clock::default();
            self.stamp(tid).join_into(&mut clock);
            clock
        };
        let shared = |of: (u64, CopySpace)| (of.0, of.1 == CopySpace::Shared);
        self.note(tid, || Done::Copy { to: shared(to), from: shared(from), bytes });
        let read_view = self.view(tid, &base, from.1);
        let write_view = self.view(tid, &base, to.1);
        let thread = self.thread_mut(tid);
        thread.epoch += 1;
        let copies = thread.copies.get_or_insert_default();
        copies.count += 1;
        let number = copies.count;
        copies.open.push_back(Copy {
            to: to.0,
            from: from.0,
            bytes,
            site,
            number,
            base,
            read_view,
            write_view,
            words: None,
        });
    }

    /// What proxy fences of the block that are before let through for a space.
    fn view(&self, tid: Tid, base: &Clock, space: CopySpace) -> Clock {
        let mut view = Clock::default();
        if let Some(block) = &self.blocks[block_of(tid)] {
            for (stamp, global, shared) in &block.proxy_fences {
                let covers = match space {
                    CopySpace::Global => *global,
                    CopySpace::Shared => *shared,
                };
                if covers && base.covers(stamp.tid, stamp.epoch) {
                    stamp.join_into(&mut view);
                }
            }
        }
        view
    }

    /// Ends a group of copies.
    pub(crate) fn commit(&mut self, tid: Tid) {
        self.note(tid, || Done::Commit);
        let copies = self.thread_mut(tid).copies.get_or_insert_default();
        let count = copies.count;
        copies.groups.push(count);
    }

    /// Copies of a thread that have not happened: how many have to be read, and how many to be written.
    pub(crate) fn open_copies(&self, tid: Tid) -> (usize, usize) {
        let open = self.thread(tid).copies.as_ref();
        let reads = open.map_or(0, |c| c.open.iter().filter(|c| c.words.is_none()).count());
        (reads, open.map_or(0, |c| c.open.len()))
    }

    /// The bytes that the next step of the thread's copies reads, and those that it writes.
    pub(crate) fn next_copy(&self, tid: Tid) -> Option<((u64, u64), bool)> {
        let copies = self.thread(tid).copies.as_ref()?;
        if let Some(copy) = copies.open.iter().find(|c| c.words.is_none()) {
            return Some(((copy.from, copy.from + copy.bytes), false));
        }
        copies.open.front().map(|c| ((c.to, c.to + c.bytes), true))
    }

    /// Performs the reads of the first copy that has not been read; whether there was one.
    pub(crate) fn copy_read(&mut self, tid: Tid, chooser: &mut dyn Chooser) -> bool {
        let Some(copies) = &mut self.thread_mut(tid).copies else { return false };
        let Some(at) = copies.open.iter().position(|c| c.words.is_none()) else { return false };
        let copy = copies.open[at].clone();
        let host = std::mem::take(&mut self.host_orders);
        let order = Order::Async { tid: tid | ASYNC_READ, base: &copy.base, view: &copy.read_view, host: &host };
        let mut words = Vec::new();
        for (offset, bytes) in pieces(copy.to, copy.from, copy.bytes) {
            let mut access = Access::weak(copy.from + offset, bytes, copy.site);
            access.epoch = Some(copy.number);
            self.touch_for_copy(access.span);
            let value = self.pick_for_copy(tid | ASYNC_READ, &access, &order, chooser);
            words.push((copy.to + offset, bytes, value as u64));
        }
        self.host_orders = host;
        if let Some(copies) = &mut self.thread_mut(tid).copies {
            copies.open[at].words = Some(words);
            copies.done.reads = copy.number;
        }
        true
    }

    /// Performs the writes of the first copy whose reads have been done; what was written, for the host's memory.
    pub(crate) fn copy_write(&mut self, tid: Tid) -> Option<Vec<(u64, u8, u64)>> {
        let copies = self.thread_mut(tid).copies.as_mut()?;
        copies.open.front().filter(|c| c.words.is_some())?;
        let copy = copies.open.pop_front()?;
        copies.done.writes = copy.number;
        let words = copy.words.unwrap_or_default();
        let host = std::mem::take(&mut self.host_orders);
        // The reads of the copy are before its writes.
        let mut base = copy.base;
        base.add(tid | ASYNC_READ, copy.number);
        let order = Order::Async { tid: tid | ASYNC_WRITE, base: &base, view: &copy.write_view, host: &host };
        for &(address, bytes, value) in &words {
            let mut access = Access::weak(address, bytes, copy.site);
            access.epoch = Some(copy.number);
            self.touch_for_copy(Span { address, bytes });
            self.put(tid | ASYNC_WRITE, &access, &order, value.into(), None, &[], AccessKind::CopyWrite);
        }
        self.host_orders = host;
        Some(words)
    }

    /// How many of the thread's copies a wait covers whose newest `pending` groups may be open.
    pub(crate) fn covered(&self, tid: Tid, pending: usize) -> u32 {
        let Some(copies) = &self.thread(tid).copies else { return 0 };
        let complete = copies.groups.len().saturating_sub(pending);
        complete.checked_sub(1).map_or(0, |at| copies.groups[at])
    }

    /// Whether the copies up to a number have been read, and written.
    pub(crate) fn copies_done(&self, tid: Tid) -> CopyProgress {
        self.thread(tid).copies.as_ref().map_or_else(CopyProgress::default, |c| c.done)
    }

    /// The number of the thread's last copy.
    pub(crate) fn last_copy(&self, tid: Tid) -> u32 {
        self.thread(tid).copies.as_ref().map_or(0, |c| c.count)
    }

    /// The thread has waited for all but the newest `pending` groups.
    pub(crate) fn waited_group(&mut self, tid: Tid, pending: usize, full: bool) {
        let number = self.covered(tid, pending);
        let pending = u32::try_from(pending).unwrap_or(u32::MAX);
        self.note(tid, || Done::Wait { pending, read_only: !full });
        self.waited(tid, number, full);
    }

    /// The thread has waited for copies up to a number: their reads, and with `full` their writes, are before what
    /// follows.
    fn waited(&mut self, tid: Tid, number: u32, full: bool) {
        if number == 0 {
            return;
        }
        let thread = self.thread_mut(tid);
        thread.clock.add(tid | ASYNC_READ, number);
        if full {
            thread.clock.add(tid | ASYNC_WRITE, number);
        }
    }
}

/// Cuts a copy into pieces of eight bytes, and shorter ones at its ends.
fn pieces(to: u64, from: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let aligned = (to | from) & 7 == 0;
    let mut offset = 0;
    std::iter::from_fn(move || {
        if offset >= bytes {
            return None;
        }
        let left = bytes - offset;
        let room = if aligned { 8 } else { (8 - ((to + offset) & 7)).min(8 - ((from + offset) & 7)) };
        let piece = (offset, left.min(room) as u8);
        offset += u64::from(piece.1);
        Some(piece)
    })
}
