//! Reads: which writes may be returned, and which one is.

use super::cells::{all, look, place, same_operation};
use super::{Engine, Looked};
use crate::weak::access::Access;
use crate::weak::choice::{Chooser, Offer, Ready};
use crate::weak::clock::{ASYNC_READ, ASYNC_WRITE, Tid, block_of};
use crate::weak::history::{Read, Span, Write};
use crate::weak::order::{Order, Strength, before_any, bits};
use crate::weak::race::{AccessKind, index_of};
use crate::weak::record::Done;

impl Engine {
    /// A read of a thread; what it returns. `accept` says which values may be returned: it is given the whole value.
    /// Nothing where no value is acceptable.
    pub(crate) fn read(
        &mut self,
        tid: Tid,
        access: &Access,
        chooser: &mut dyn Chooser,
        accept: Option<&dyn Fn(u128) -> bool>,
    ) -> Option<u128> {
        self.operations += 1;
        if !access.is_strong()
            && !access.foreign
            && accept.is_none()
            && let Some(value) = self.read_quickly(tid, access, chooser)
        {
            self.note(tid, || Done::Read { access: *access, value });
            return Some(value);
        }
        if access.acquires {
            self.acquire_tagged(tid, access.span, access.scope);
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let host = std::mem::take(&mut self.host_orders);
        let order = if access.foreign {
            Order::Foreign { tid, clock: &clock, host: &host }
        } else {
            Order::Generic { tid, clock: &clock }
        };
        let picked = self.pick(tid, access, &order, chooser, accept, false);
        let result = picked.map(|(picked, value)| {
            self.after_read(tid, access, &order, &picked, value, AccessKind::Load);
            self.observe(tid, access, &picked, true);
            value
        });
        self.host_orders = host;
        if let Some(value) = result {
            self.note(tid, || Done::Read { access: *access, value });
        }
        result
    }

    /// The cell of an access that is a whole one, with its granule; nothing where there is no such cell yet.
    #[inline(always)]
    pub(super) fn whole_cell(&mut self, span: Span) -> Option<(usize, usize)> {
        let start = (span.address & 7) as u8;
        if start + span.bytes > 8 {
            return None;
        }
        let granule = self.shadow.granule(span.address & !7);
        let cells = &self.shadow.granules[granule].cells;
        cells.iter().position(|c| c.start == start && c.bytes == span.bytes).map(|cell| (granule, cell))
    }

    /// A weak read of one whole cell that nothing races with and that returns the newest write: the usual case. Nothing
    /// where it is another one; then nothing has been done.
    #[inline]
    pub(super) fn read_quickly(&mut self, tid: Tid, access: &Access, chooser: &mut dyn Chooser) -> Option<u128> {
        let (granule, at) = self.whole_cell(access.span)?;
        let Some(Some(block)) = self.blocks.get(block_of(tid)) else { return None };
        let thread = &block.threads[index_of(tid)];
        let order = Order::Generic { tid, clock: &thread.clock };
        let cell = &mut self.shadow.granules[granule].cells[at];
        let newest = cell.writes.len() - 1;
        let caused = order.caused(cell);
        let candidates = all(cell) & !before_any(cell, caused);
        if caused != all(cell) && self.options.races {
            return None;
        }
        if candidates != 1 << newest {
            let offer = Offer { count: candidates.count_ones() as usize, strong: false, stale: thread.stale };
            // The choice is made once: where it is not the newest, the rest is done here too.
            let picked = bits(candidates).nth(chooser.value(offer))?;
            if picked != newest {
                let value = cell.writes[picked].value >> (8 * cell.start);
                let address = access.span.address & !7;
                let looked = Looked { granule, address, cell: at, caused, candidates };
                let clock = thread.clock.clone();
                let order = Order::Generic { tid, clock: &clock };
                self.after_read(tid, access, &order, &[(looked, picked)], value.into(), AccessKind::Load);
                return Some(value.into());
            }
        }
        if self.options.races {
            let read =
                Read { tid, epoch: thread.epoch, site: access.site, scope: None, span: access.span, foreign: false };
            cell.note_read(read, |old| order.follows(old.tid, old.epoch));
        }
        Some((cell.writes[newest].value >> (8 * cell.start)).into())
    }

    /// A weak write of one whole cell after everything that is there: the usual case. False where it is another one;
    /// then nothing has been done.
    #[inline]
    pub(super) fn write_quickly(&mut self, tid: Tid, access: &Access, value: u128) -> bool {
        let Some((granule, at)) = self.whole_cell(access.span) else { return false };
        let Some(Some(block)) = self.blocks.get(block_of(tid)) else { return false };
        let thread = &block.threads[index_of(tid)];
        let order = Order::Generic { tid, clock: &thread.clock };
        let cell = &mut self.shadow.granules[granule].cells[at];
        if order.caused(cell) != all(cell) {
            return false;
        }
        if self.options.races && !cell.reads.is_empty() {
            let ordered = |r: &Read| !r.foreign && (r.tid == tid || order.follows(r.tid, r.epoch));
            if !cell.reads.iter().all(ordered) {
                return false;
            }
            cell.reads.clear();
        }
        let word = (value as u64) << (8 * cell.start) & cell.mask();
        let address = access.span.address & !7;
        let mut write = Write::new(tid, thread.epoch, access.site, access.span, address, word);
        let newest = cell.writes.len() - 1;
        let last = &cell.writes[newest];
        // A thread's own writes without a release between them: those who race with it may see the last one, or older
        // ones; each single one takes too much room.
        if newest >= 3 && last.tid == tid && last.epoch == thread.epoch && last.strong.is_none() {
            write.before = (1 << newest) - 1;
            cell.writes[newest] = write;
        } else {
            write.before = all(cell);
            cell.push(write, self.options.history);
        }
        true
    }

    /// Whether a read could return an acceptable value now.
    pub(crate) fn could_read(&mut self, tid: Tid, access: &Access, accept: &dyn Fn(u128) -> bool) -> bool {
        struct Any(usize);
        impl Chooser for Any {
            fn value(&mut self, offer: Offer) -> usize {
                self.0 = offer.count;
                0
            }
            fn thread(&mut self, _: &[Ready]) -> Option<usize> {
                None
            }
            fn put_off(&mut self) -> bool {
                false
            }
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let host = self.host_orders.clone();
        let order = if access.foreign {
            Order::Foreign { tid, clock: &clock, host: &host }
        } else {
            Order::Generic { tid, clock: &clock }
        };
        let stale = self.thread(tid).stale;
        let found = self.pick(tid, access, &order, &mut Any(0), Some(accept), false).is_some();
        self.thread_mut(tid).stale = stale;
        found
    }

    /// Decides which write of each touched cell is returned.
    pub(super) fn pick(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        chooser: &mut dyn Chooser,
        accept: Option<&dyn Fn(u128) -> bool>,
        rmw: bool,
    ) -> Option<(Vec<(Looked, usize)>, u128)> {
        let strength = access.strength(tid);
        let looked: Vec<Looked> = self
            .touched
            .iter()
            .map(|&(granule, address, cell)| {
                let c = &self.shadow.granules[granule].cells[cell];
                let (caused, candidates) = look(c, address, order, &strength, &self.places, rmw);
                Looked { granule, address, cell, caused, candidates }
            })
            .collect();
        let value = |choice: &[usize]| {
            looked.iter().zip(choice).fold(0u128, |all, (l, &at)| {
                let word = self.shadow.granules[l.granule].cells[l.cell].writes[at].value;
                place(all, word, l.address, access.span)
            })
        };
        let mut choices = vec![Vec::with_capacity(looked.len())];
        for (number, l) in looked.iter().enumerate() {
            // Many pieces with many writes: the later ones return the newest.
            let narrow = choices.len() > 64 && number > 0;
            let newest = 1 << (31 - l.candidates.leading_zeros());
            let set = if narrow { newest } else { l.candidates };
            choices = bits(set)
                .flat_map(|at| {
                    choices.iter().map(move |c| {
                        let mut c = c.clone();
                        c.push(at);
                        c
                    })
                })
                .collect();
        }
        if looked.len() > 1 {
            choices.retain(|c| self.is_whole(&looked, c, &strength));
        }
        if let Some(accept) = accept {
            choices.retain(|c| accept(value(c)));
        }
        if choices.is_empty() {
            return None;
        }
        let stale = self.thread(tid).stale;
        let offer = Offer { count: choices.len(), strong: access.is_strong(), stale };
        let picked = if choices.len() == 1 { 0 } else { chooser.value(offer).min(choices.len() - 1) };
        if access.is_strong() {
            let newest = picked + 1 == choices.len();
            let thread = self.thread_mut(tid);
            thread.stale = if newest { 0 } else { thread.stale + 1 };
        }
        let choice = choices.swap_remove(picked);
        let value = {
            let shadow = &self.shadow;
            looked.iter().zip(&choice).fold(0u128, |all, (l, &at)| {
                place(all, shadow.granules[l.granule].cells[l.cell].writes[at].value, l.address, access.span)
            })
        };
        Some((looked.into_iter().zip(choice).collect(), value))
    }

    /// Single-copy atomicity (PTX ISA §8.10.3): where one piece comes from a morally strong write, no other piece comes
    /// from a write before it.
    pub(super) fn is_whole(&self, looked: &[Looked], choice: &[usize], strength: &Strength) -> bool {
        looked.iter().zip(choice).all(|(l, &at)| {
            let write = &self.shadow.granules[l.granule].cells[l.cell].writes[at];
            if !strength.with_write(write, l.address, &self.places) {
                return true;
            }
            looked.iter().zip(choice).all(|(other, &source)| {
                let cell = &self.shadow.granules[other.granule].cells[other.cell];
                // The same write is in each of the pieces that it wrote.
                let here = cell.writes.iter().position(|w| w.strong.is_some() && w.operation == write.operation);
                match here {
                    Some(here) if here != source => cell.writes[here].before >> source & 1 == 0,
                    _ => true,
                }
            })
        })
    }

    /// Races of a read, and whether it returned an old write.
    pub(in crate::weak) fn after_read(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        picked: &[(Looked, usize)],
        value: u128,
        kind: AccessKind,
    ) {
        let strength = access.strength(tid);
        let epoch = access.epoch.unwrap_or_else(|| self.thread(tid).epoch);
        for (l, at) in picked {
            let cell = &self.shadow.granules[l.granule].cells[l.cell];
            let newest = cell.writes.len() - 1;
            if *at != newest && !self.races.stale_again((access.site, cell.writes[newest].site)) {
                self.stale(tid, access, l, *at, value, kind);
            }
            if !self.options.races {
                continue;
            }
            let cell = &self.shadow.granules[l.granule].cells[l.cell];
            let racing: Vec<usize> = bits(all(cell) & !l.caused)
                .filter(|&i| {
                    let w = &cell.writes[i];
                    !w.is_initial() && !same_operation(w.tid, tid) && !strength.with_write(w, l.address, &self.places)
                })
                .collect();
            for i in racing {
                self.race_with_write(tid, access, l.granule, l.address, l.cell, i, Some(value), kind);
            }
            // What only one thread has written and read needs no note as long as that stays so.
            let cell = &mut self.shadow.granules[l.granule].cells[l.cell];
            let read = Read {
                tid,
                epoch,
                site: access.site,
                scope: access.is_strong().then_some(access.scope),
                span: access.span,
                foreign: access.foreign,
            };
            cell.note_read(read, |old| order.follows(old.tid, old.epoch));
        }
    }

    pub(in crate::weak) fn touch_for_copy(&mut self, span: Span) {
        self.operations += 1;
        self.touch(span);
    }

    pub(in crate::weak) fn pick_for_copy(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        chooser: &mut dyn Chooser,
    ) -> u128 {
        match self.pick(tid & !(ASYNC_READ | ASYNC_WRITE), access, order, chooser, None, false) {
            Some((picked, value)) => {
                self.after_read(tid, access, order, &picked, value, AccessKind::CopyRead);
                value
            }
            None => unreachable!("the newest write can always be read"),
        }
    }
}
