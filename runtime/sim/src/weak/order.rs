//! Which earlier operations are causally before the one that is executed, and which pairs are morally strong.

use super::clock::{ASYNC_READ, ASYNC_WRITE, Clock, NOBODY, Tid, block_of};
use super::history::{Cell, Read, Span, Write};
use super::message::{BlockPlace, Level};

/// An order that the host made: a thread started after all that a clock covers, for every proxy.
#[derive(Clone, Debug)]
pub(crate) struct HostOrder {
    pub(crate) tid: Tid,
    pub(crate) epoch: u32,
    pub(crate) clock: Clock,
}

/// Who executes an operation, as far as causality goes.
#[derive(Clone, Copy)]
pub(crate) enum Order<'a> {
    /// A thread, through the generic proxy.
    Generic { tid: Tid, clock: &'a Clock },
    /// A thread, through the non-coherent path: only what is initial, or ordered by the host, is before.
    Foreign { tid: Tid, clock: &'a Clock, host: &'a [HostOrder] },
    /// The asynchronous proxy. `base` is all that is before its start; `view` what proxy fences have let through.
    Async { tid: Tid, base: &'a Clock, view: &'a Clock, host: &'a [HostOrder] },
}

fn by_host(host: &[HostOrder], own: Tid, clock: &Clock, tid: Tid, epoch: u32) -> bool {
    host.iter().any(|h| (h.tid == own || clock.covers(h.tid, h.epoch)) && h.clock.covers(tid, epoch))
}

impl Order<'_> {
    /// Whether an operation is causally before (PTX ISA §8.9.5, proxies included).
    #[inline]
    pub(crate) fn follows(&self, tid: Tid, epoch: u32) -> bool {
        if tid == NOBODY {
            return true;
        }
        match *self {
            Order::Generic { tid: own, clock } => tid == own || clock.covers(tid, epoch),
            Order::Foreign { tid: own, clock, host } => by_host(host, own, clock, tid, epoch),
            Order::Async { tid: own, base, view, host } => {
                let within = tid & (ASYNC_READ | ASYNC_WRITE) != 0 && block_of(tid) == block_of(own);
                let seen = if within { base } else { view };
                seen.covers(tid, epoch) || by_host(host, own & !(ASYNC_READ | ASYNC_WRITE), base, tid, epoch)
            }
        }
    }

    /// The writes of a cell that are causally before (§8.9.5: also what was observed before).
    pub(crate) fn caused(&self, cell: &Cell) -> u32 {
        let mut caused = 0;
        for (at, write) in cell.writes.iter().enumerate() {
            if self.follows(write.tid, write.epoch) {
                caused |= 1 << at | write.chain();
            } else if let Some(strong) = &write.strong
                && strong.observers.iter().any(|&(tid, epoch)| self.follows(tid, epoch))
            {
                caused |= 1 << at | strong.chain;
            }
        }
        caused
    }
}

/// The strength of an access as far as pairs go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strength {
    pub(crate) tid: Tid,
    pub(crate) scope: Option<Level>,
    pub(crate) span: Span,
}

impl Strength {
    /// Whether this access and a write are morally strong (PTX ISA §8.7).
    pub(crate) fn with_write(&self, write: &Write, granule: u64, places: &[BlockPlace]) -> bool {
        let Some(strong) = &write.strong else {
            return write.tid == self.tid && self.is_generic() && write.span(granule) == self.span;
        };
        write.span(granule) == self.span && self.reaches(write.tid, Some(strong.scope), places)
    }

    /// Whether this access and a read are morally strong.
    pub(crate) fn with_read(&self, read: &Read, places: &[BlockPlace]) -> bool {
        read.span == self.span && !read.foreign && self.reaches(read.tid, read.scope, places)
    }

    fn is_generic(&self) -> bool {
        self.tid & (ASYNC_READ | ASYNC_WRITE) == 0
    }

    fn reaches(&self, tid: Tid, scope: Option<Level>, places: &[BlockPlace]) -> bool {
        if tid == self.tid {
            return self.is_generic();
        }
        match (self.scope, scope) {
            (Some(one), Some(other)) => {
                let apart = places[block_of(self.tid)].apart(places[block_of(tid)]);
                one >= apart && other >= apart
            }
            _ => false,
        }
    }
}

/// All writes of a cell that are coherence-before one of a set.
pub(crate) fn before_any(cell: &Cell, set: u32) -> u32 {
    bits(set).fold(0, |all, at| all | cell.writes[at].before)
}

/// The places of the bits of a mask.
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (at < 32).then_some(at as usize)
    })
}
