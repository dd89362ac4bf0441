//! Fences, barriers, and what the host orders.

use super::{Engine, Gathering};
use crate::weak::access::CopyProgress;
use crate::weak::clock::{ASYNC_READ, ASYNC_WRITE, Clock, Tid, block_of};
use crate::weak::message::{Level, Message, Part};
use crate::weak::order::HostOrder;
use crate::weak::race::index_of;
use crate::weak::record::Done;

impl Engine {
    /// A fence.
    pub(crate) fn fence(&mut self, tid: Tid, acquires: bool, releases: bool, sc: bool, scope: Level) {
        self.operations += 1;
        self.note(tid, || Done::Fence { acquires, releases, sc, scope });
        let mut clock = self.thread(tid).clock.clone();
        if acquires {
            let thread = self.thread(tid);
            for (_, message) in &thread.pending {
                message.acquire(scope, tid, &self.places, &mut clock);
            }
            thread.loose.acquire(scope, tid, &self.places, &mut clock);
        }
        if sc {
            self.fence_sc.acquire(scope, tid, &self.places, &mut clock);
        }
        let thread = self.thread_mut(tid);
        thread.clock = clock;
        if acquires && scope == 3 {
            thread.pending.clear();
            thread.loose = Message::default();
        }
        if releases || sc {
            let stamp = self.stamp(tid);
            if sc {
                let part = Part { scope, stamp: stamp.clone() };
                self.fence_sc.add(part, &self.places);
            }
            let thread = self.thread_mut(tid);
            if releases {
                thread.fences[scope as usize] = Some(stamp);
            }
            thread.epoch += 1;
        }
    }

    /// A fence between the generic and the asynchronous proxy.
    pub(crate) fn proxy_fence(&mut self, tid: Tid, global: bool, shared: bool) {
        self.operations += 1;
        self.note(tid, || Done::ProxyFence { global, shared });
        let stamp = self.stamp(tid);
        let Some(block) = &mut self.blocks[block_of(tid)] else { return };
        let fences = &mut block.proxy_fences;
        if fences.len() >= 4096 {
            // Towards more order: of a thread's older fences one stays, which counts from the first one on.
            let at = fences.iter().position(|f| f.0.tid == tid && f.1 == global && f.2 == shared);
            if let Some(at) = at {
                fences[at].0.clock = stamp.clock.clone();
                block.threads[index_of(tid)].epoch += 1;
                return;
            }
        }
        fences.push((stamp, global, shared));
        block.threads[index_of(tid)].epoch += 1;
    }

    /// A thread arrives at a barrier.
    pub(crate) fn arrive(&mut self, tid: Tid, gathering: &mut Gathering) {
        if let Some(recording) = &mut self.recording {
            if gathering.serial == 0 {
                recording.barriers += 1;
                gathering.serial = recording.barriers;
            }
            recording.note(tid, Done::Arrive { barrier: gathering.serial });
        }
        self.stamp(tid).join_into(&mut gathering.clock);
        gathering.arrived.push(tid);
        self.thread_mut(tid).epoch += 1;
    }

    /// A barrier is complete: those who wait go on.
    pub(crate) fn meet(&mut self, gathering: Gathering, waiters: &[Tid]) {
        let Gathering { mut clock, arrived, serial } = gathering;
        if let Some(recording) = &mut self.recording {
            recording.waited.insert(serial, waiters.to_vec());
        }
        let Some(&first) = waiters.first() else { return };
        let number = block_of(first);
        let Some(block) = &mut self.blocks[number] else { return };
        let whole = arrived.len() == block.threads.len()
            && waiters.len() == arrived.len()
            && arrived.iter().all(|&t| block_of(t) == number);
        if whole {
            let epoch = block.threads.iter().map(|t| t.epoch).max().unwrap_or(0);
            clock.add_all(number, epoch - 1);
            for thread in &mut block.threads {
                thread.epoch = epoch;
                thread.clock = clock.clone();
            }
            return;
        }
        for &waiter in waiters {
            self.thread_mut(waiter).clock.join(&clock);
        }
    }

    /// Joins what was gathered so far into a thread, and leaves it for others (mbarriers).
    pub(crate) fn wait_for(&mut self, tid: Tid, gathering: &Gathering) {
        self.note(tid, || Done::Unsupported("a wait for what was gathered (an mbarrier, a cluster)"));
        self.thread_mut(tid).clock.join(&gathering.clock);
    }

    /// What completes a gathering without being a thread's arrival.
    pub(crate) fn gather_copies(&mut self, tid: Tid, gathering: &mut Gathering, progress: CopyProgress) {
        gathering.clock.add(tid | ASYNC_READ, progress.reads);
        gathering.clock.add(tid | ASYNC_WRITE, progress.writes);
    }

    /// A thread starts after everything that others did (stream order, kernel boundaries).
    pub(crate) fn order_by_host(&mut self, first: Tid, copies: CopyProgress, second: Tid) {
        let mut clock = Clock::default();
        self.stamp(first).join_into(&mut clock);
        clock.add(first | ASYNC_READ, copies.reads);
        clock.add(first | ASYNC_WRITE, copies.writes);
        // What the first one has from the host counts for every proxy here, too.
        let inherited: Vec<Clock> = self
            .host_orders
            .iter()
            .filter(|h| h.tid == first || clock.covers(h.tid, h.epoch))
            .map(|h| h.clock.clone())
            .collect();
        for other in inherited {
            clock.join(&other);
        }
        let thread = self.thread_mut(second);
        thread.clock.join(&clock);
        let epoch = thread.epoch;
        self.host_orders.push(HostOrder { tid: second, epoch, clock });
    }
}
