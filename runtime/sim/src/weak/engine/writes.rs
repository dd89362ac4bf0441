//! Writes and atomic operations: where they stand in coherence, and what they publish.

use std::rc::Rc;

use super::cells::extract;
use super::{Engine, MAX_TAGGED};
use crate::weak::access::Access;
use crate::weak::choice::Chooser;
use crate::weak::clock::Tid;
use crate::weak::history::{Strong, Write};
use crate::weak::message::{Level, Message, Part};
use crate::weak::order::{Order, before_any, bits};
use crate::weak::race::AccessKind;
use crate::weak::record::Done;

impl Engine {
    /// A write of a thread.
    pub(crate) fn write(&mut self, tid: Tid, access: &Access, value: u128) {
        self.operations += 1;
        self.note(tid, || Done::Write { access: *access, value });
        if !access.is_strong() && self.write_quickly(tid, access, value) {
            return;
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let message = if access.is_strong() { self.own_message(tid, access) } else { None };
        let order = Order::Generic { tid, clock: &clock };
        self.put(tid, access, &order, value, message, &[], AccessKind::Store);
        if access.releases {
            self.released(tid, access);
        }
    }

    /// Puts a write into the touched cells. `sources` are the writes that an atomic operation read.
    #[expect(clippy::too_many_arguments, reason = "a write has that many parts, and three callers")]
    pub(in crate::weak) fn put(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        value: u128,
        message: Option<Rc<Message>>,
        sources: &[usize],
        kind: AccessKind,
    ) {
        let strength = access.strength(tid);
        let epoch = access.epoch.unwrap_or_else(|| self.thread(tid).epoch);
        for number in 0..self.touched.len() {
            let (granule, address, at) = self.touched[number];
            let cell = &self.shadow.granules[granule].cells[at];
            let caused = order.caused(cell);
            let mut strong = 0;
            for (i, w) in cell.writes.iter().enumerate() {
                strong |= u32::from(strength.with_write(w, address, &self.places)) << i;
            }
            let direct = caused | strong | 1 & u32::from(cell.writes[0].is_initial());
            let before = direct | before_any(cell, direct);
            if self.options.races {
                self.races_of_write(tid, access, order, (granule, address, at), caused | strong, value, kind);
            }
            let limit = self.options.history;
            let cell = &mut self.shadow.granules[granule].cells[at];
            let word = extract(value, address, access.span) & cell.mask();
            let mut write = Write::new(tid, epoch, access.site, access.span, address, word);
            write.before = before;
            if access.is_strong() {
                let mut reach = cell.seen_by(tid);
                for i in bits(before) {
                    reach |= 1 << i;
                    if let Some(s) = &cell.writes[i].strong {
                        reach |= s.reach | s.read_reach;
                    }
                }
                let mut chain = 0;
                if let Some(&source) = sources.get(number)
                    && strong >> source & 1 != 0
                {
                    chain = 1 << source | cell.writes[source].chain();
                }
                cell.see(tid, reach | 1 << cell.writes.len());
                write.operation = self.operations as u32;
                write.strong = Some(Box::new(Strong {
                    scope: access.scope,
                    rmw: kind == AccessKind::Atomic,
                    chain,
                    reach,
                    read_reach: 0,
                    message: message.clone(),
                    observers: Vec::new(),
                }));
            }
            cell.push(write, limit);
        }
    }

    /// What a strong write publishes by itself.
    pub(super) fn own_message(&self, tid: Tid, access: &Access) -> Option<Rc<Message>> {
        let thread = self.thread(tid);
        let mut message = Message::default();
        for (scope, stamp) in thread.fences.iter().enumerate() {
            if let Some(stamp) = stamp {
                message.add(Part { scope: scope as Level, stamp: stamp.clone() }, &self.places);
            }
        }
        for (span, scope, stamp) in &thread.releases {
            if *span == access.span {
                message.add(Part { scope: *scope, stamp: stamp.clone() }, &self.places);
            }
        }
        if access.releases {
            message.add(Part { scope: access.scope, stamp: self.stamp(tid) }, &self.places);
        }
        (!message.is_empty()).then(|| Rc::new(message))
    }

    /// A release operation has been executed.
    pub(super) fn released(&mut self, tid: Tid, access: &Access) {
        let stamp = self.stamp(tid);
        let thread = self.thread_mut(tid);
        thread.releases.retain(|r| !(r.0 == access.span && r.1 <= access.scope));
        thread.releases.push((access.span, access.scope, stamp));
        if thread.releases.len() > MAX_TAGGED {
            // Towards more order: it counts as a fence from now on.
            let (_, scope, stamp) = thread.releases.remove(0);
            let fence = &mut thread.fences[scope as usize];
            if fence.as_ref().is_none_or(|f| f.epoch < stamp.epoch) {
                *fence = Some(stamp);
            }
        }
        thread.epoch += 1;
    }

    /// A read-modify-write; the old value. `function` gives the new value, or nothing where none is written; `returns` is
    /// false for `red`, which starts no acquire pattern.
    pub(crate) fn rmw(
        &mut self,
        tid: Tid,
        access: &Access,
        returns: bool,
        function: &mut dyn FnMut(u128) -> Option<u128>,
        chooser: &mut dyn Chooser,
    ) -> u128 {
        self.operations += 1;
        if access.acquires && returns {
            self.acquire_tagged(tid, access.span, access.scope);
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let order = Order::Generic { tid, clock: &clock };
        let Some((picked, old)) = self.pick(tid, access, &order, chooser, None, true) else {
            unreachable!("the newest write can always be read");
        };
        self.after_read(tid, access, &order, &picked, old, AccessKind::Atomic);
        self.observe(tid, access, &picked, returns);
        let new = function(old);
        self.note(tid, || Done::Rmw { access: *access, returns, old, new });
        if let Some(new) = new {
            let strength = access.strength(tid);
            let mut message = self.own_message(tid, access).map_or_else(Message::default, |m| (*m).clone());
            for (l, at) in &picked {
                let write = &self.shadow.granules[l.granule].cells[l.cell].writes[*at];
                if strength.with_write(write, l.address, &self.places)
                    && let Some(read) = write.strong.as_ref().and_then(|s| s.message.as_ref())
                {
                    message.extend(read, &self.places);
                    break;
                }
            }
            let message = (!message.is_empty()).then(|| Rc::new(message));
            let sources: Vec<usize> = picked.iter().map(|p| p.1).collect();
            let clock = self.thread(tid).clock.clone();
            let order = Order::Generic { tid, clock: &clock };
            self.put(tid, access, &order, new, message, &sources, AccessKind::Atomic);
        }
        if access.releases {
            self.released(tid, access);
        }
        old
    }
}
