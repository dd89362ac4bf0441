//! Races and old reads: who took part, and what is missing between them.

use super::cells::{all, same_operation};
use super::{Engine, Looked};
use crate::weak::access::Access;
use crate::weak::clock::{ASYNC_READ, ASYNC_WRITE, Tid, block_of};
use crate::weak::history::{Cell, Span, Write};
use crate::weak::message::BlockPlace;
use crate::weak::order::{Order, bits};
use crate::weak::race::{AccessKind, Missing, Party, Race, StaleRead, index_of};

impl Engine {
    pub(in crate::weak) fn party(
        &self,
        of: Tid,
        kind: AccessKind,
        site: u32,
        value: Option<u128>,
        span: Span,
    ) -> Party {
        let block = block_of(of);
        Party {
            place: self.places.get(block).copied().unwrap_or(BlockPlace { pe: 0, cluster: 0, block: 0 }),
            block,
            thread: index_of(of),
            kind,
            site,
            value,
            address: span.address,
            bytes: span.bytes,
        }
    }

    pub(super) fn writer(&self, write: &Write, granule: u64, cell: &Cell) -> Party {
        let kind = match &write.strong {
            _ if write.tid & ASYNC_WRITE != 0 => AccessKind::CopyWrite,
            Some(s) if s.rmw => AccessKind::Atomic,
            _ => AccessKind::Store,
        };
        let value = u128::from(write.value >> (8 * cell.start));
        self.party(write.tid, kind, write.site, Some(value), write.span(granule))
    }

    #[cold]
    pub(super) fn stale(&mut self, tid: Tid, access: &Access, l: &Looked, at: usize, value: u128, kind: AccessKind) {
        let cell = &self.shadow.granules[l.granule].cells[l.cell];
        let newest = &cell.writes[cell.writes.len() - 1];
        let key = (access.site, newest.site);
        let returned = &cell.writes[at];
        let stale = StaleRead {
            read: self.party(tid, kind, access.site, Some(value), access.span),
            newest: self.writer(newest, l.address, cell),
            returned: (!returned.is_initial()).then(|| self.writer(returned, l.address, cell)),
            strong: access.is_strong(),
            missing: self.missing(newest.tid, newest.epoch, tid, access.foreign),
            count: 1,
        };
        self.races.add_stale(key, stale);
    }

    /// Which relation is missing between an access and a later one.
    pub(in crate::weak) fn missing(&self, first: Tid, epoch: u32, second: Tid, foreign: bool) -> Missing {
        if foreign {
            return Missing::NonCoherent;
        }
        if (first | second) & (ASYNC_READ | ASYNC_WRITE) != 0 {
            return Missing::Proxy;
        }
        let apart = self.places[block_of(first)].apart(self.places[block_of(second)]);
        if let Some(Some(block)) = self.blocks.get(block_of(second)) {
            let reader = &block.threads[index_of(second)];
            let seen = reader.pending.iter().filter_map(|p| p.1.publishes(first, epoch)).max();
            if let Some(scope) = seen.max(reader.loose.publishes(first, epoch)) {
                return if scope >= apart { Missing::Acquire } else { Missing::Scope };
            }
        }
        match self.blocks.get(block_of(first)) {
            Some(Some(block)) => {
                let writer = &block.threads[index_of(first)];
                if writer.epoch == epoch {
                    return Missing::Release;
                }
                let fences = (0..4u8).filter(|&s| writer.fences[s as usize].as_ref().is_some_and(|f| f.epoch >= epoch));
                let operations = writer.releases.iter().filter(|r| r.2.epoch >= epoch).map(|r| r.1);
                match fences.chain(operations).max() {
                    Some(widest) if widest < apart => Missing::Scope,
                    _ => Missing::Chain,
                }
            }
            _ => Missing::Chain,
        }
    }

    #[cold]
    #[expect(clippy::too_many_arguments, reason = "both sides of a race")]
    pub(super) fn race_with_write(
        &mut self,
        tid: Tid,
        access: &Access,
        granule: usize,
        address: u64,
        cell: usize,
        at: usize,
        value: Option<u128>,
        kind: AccessKind,
    ) {
        let cell = &self.shadow.granules[granule].cells[cell];
        let write = &cell.writes[at];
        let first = self.writer(write, address, cell);
        let mixed = write.span(address) != access.span;
        let key = (first.site, access.site, first.kind, kind, mixed);
        if self.races.again(key) {
            return;
        }
        let missing = self.missing(write.tid, write.epoch, tid, access.foreign);
        let second = self.party(tid, kind, access.site, value, access.span);
        self.races.add(key, Race { first, second, mixed, missing, count: 1 });
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a race")]
    pub(super) fn races_of_write(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        (granule, address, at): (usize, u64, usize),
        ordered: u32,
        value: u128,
        kind: AccessKind,
    ) {
        let cell = &self.shadow.granules[granule].cells[at];
        let strength = access.strength(tid);
        if ordered != all(cell) {
            let racing: Vec<usize> = bits(all(cell) & !ordered)
                .filter(|&i| !cell.writes[i].is_initial() && !same_operation(cell.writes[i].tid, tid))
                .collect();
            for i in racing {
                self.race_with_write(tid, access, granule, address, at, i, Some(value), kind);
            }
        }
        let cell = &mut self.shadow.granules[granule].cells[at];
        if cell.reads.is_empty() {
            return;
        }
        let mut reads = std::mem::take(&mut cell.reads);
        for read in &reads {
            if read.tid == tid
                || !read.foreign && order.follows(read.tid, read.epoch)
                || same_operation(read.tid, tid)
                || strength.with_read(read, &self.places)
            {
                continue;
            }
            let read_kind = if read.tid & ASYNC_READ != 0 { AccessKind::CopyRead } else { AccessKind::Load };
            let mixed = read.span != access.span;
            let key = (read.site, access.site, read_kind, kind, mixed);
            if self.races.again(key) {
                continue;
            }
            let missing = match self.missing(read.tid, read.epoch, tid, read.foreign) {
                Missing::Release | Missing::Chain => Missing::ReadDone,
                other => other,
            };
            let first = self.party(read.tid, read_kind, read.site, None, read.span);
            let second = self.party(tid, kind, access.site, Some(value), access.span);
            self.races.add(key, Race { first, second, mixed, missing, count: 1 });
        }
        // A later write that is after this one is after what was before this one.
        reads.retain(|read| read.foreign || !(read.tid == tid || order.follows(read.tid, read.epoch)));
        self.shadow.granules[granule].cells[at].reads = reads;
    }
}
