//! What a strong read brings to its thread: observation, and what an acquire takes.

use std::rc::Rc;

use super::cells::newer_strong;
use super::{Engine, Looked, MAX_TAGGED};
use crate::weak::access::Access;
use crate::weak::clock::{Tid, block_of};
use crate::weak::history::Span;
use crate::weak::message::{Level, Message};
use crate::weak::race::index_of;

impl Engine {
    /// What a strong read leaves behind: observation, and what its acquire takes.
    pub(super) fn observe(&mut self, tid: Tid, access: &Access, picked: &[(Looked, usize)], atom: bool) {
        if !access.is_strong() || access.foreign {
            return;
        }
        let strength = access.strength(tid);
        let mut last: Option<Rc<Message>> = None;
        for (l, at) in picked {
            let cell = &mut self.shadow.granules[l.granule].cells[l.cell];
            let own = strength.with_write(&cell.writes[*at], l.address, &self.places);
            // The order that §8.10.5 wants acyclic.
            let mut reach = cell.seen_by(tid);
            if own {
                reach |= 1 << at | cell.writes[*at].strong.as_ref().map_or(0, |s| s.reach);
            }
            let skipped = newer_strong(cell, *at, l.address, &strength, &self.places);
            if skipped != 0 {
                cell.taint |= reach;
            }
            cell.see(tid, reach);
            if let Some(strong) = &mut cell.writes[*at].strong {
                strong.read_reach |= reach;
                if own
                    && atom
                    && let Some(message) = &strong.message
                {
                    let again = last.as_ref().is_some_and(|l| Rc::ptr_eq(l, message));
                    if !again {
                        last = Some(message.clone());
                    }
                }
            }
        }
        if let Some(message) = last {
            self.take(tid, access, &message);
        }
        for (l, at) in picked {
            let write = &self.shadow.granules[l.granule].cells[l.cell].writes[*at];
            if !strength.with_write(write, l.address, &self.places) || write.tid == tid {
                continue;
            }
            let (writer, epoch) = (write.tid, write.epoch);
            let thread = self.thread(tid);
            if thread.clock.covers(writer, epoch) {
                continue;
            }
            let now = thread.epoch;
            let write = &mut self.shadow.granules[l.granule].cells[l.cell].writes[*at];
            if let Some(strong) = &mut write.strong
                && !strong.observers.iter().any(|o| o.0 == tid)
            {
                strong.observers.push((tid, now));
            }
        }
    }

    pub(super) fn take(&mut self, tid: Tid, access: &Access, message: &Rc<Message>) {
        if access.acquires {
            let mut clock = std::mem::take(&mut self.thread_mut(tid).clock);
            message.acquire(access.scope, tid, &self.places, &mut clock);
            self.thread_mut(tid).clock = clock;
            if access.scope == 3 {
                return;
            }
        }
        let places = &self.places;
        let Some(block) = &mut self.blocks[block_of(tid)] else { return };
        let thread = &mut block.threads[index_of(tid)];
        if thread.pending.iter().any(|p| p.0 == access.span && Rc::ptr_eq(&p.1, message)) {
            return;
        }
        thread.pending.push((access.span, message.clone()));
        if thread.pending.len() > MAX_TAGGED {
            for (_, message) in thread.pending.drain(..MAX_TAGGED / 2) {
                thread.loose.extend(&message, places);
            }
        }
    }

    /// An acquire of a location takes what was observed there before.
    pub(super) fn acquire_tagged(&mut self, tid: Tid, span: Span, scope: Level) {
        let thread = self.thread(tid);
        if thread.pending.is_empty() && thread.loose.is_empty() {
            return;
        }
        let mut clock = thread.clock.clone();
        for (_, message) in thread.pending.iter().filter(|p| p.0 == span) {
            message.acquire(scope, tid, &self.places, &mut clock);
        }
        thread.loose.acquire(scope, tid, &self.places, &mut clock);
        self.thread_mut(tid).clock = clock;
    }
}
