//! What a write publishes: for each release pattern that it ends (PTX ISA §8.8) what precedes the pattern's first
//! instruction, with that instruction's scope. A reader takes of it what its own acquire's scope allows: both scopes must
//! include the other thread (§8.7).

use super::clock::{Clock, Tid, block_of};

/// How far a scope reaches, or how far two threads are apart: 0 block, 1 cluster, 2 GPU, 3 system.
pub(crate) type Level = u8;

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockPlace {
    /// The PE; [`BlockPlace::HOST`] for threads of the host.
    pub pe: u32,
    /// The cluster on the PE.
    pub cluster: u32,
    /// The block in the cluster.
    pub block: u32,
}

impl BlockPlace {
    /// The PE number of the host.
    pub const HOST: u32 = u32::MAX;

    /// The narrowest scope that holds both.
    pub(crate) fn apart(self, other: BlockPlace) -> Level {
        if self.pe != other.pe {
            3
        } else if self.cluster != other.cluster {
            2
        } else if self.block != other.block {
            1
        } else {
            0
        }
    }
}

/// All that precedes a thread's operation in an epoch, itself included.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) clock: Clock,
    pub(crate) tid: Tid,
    pub(crate) epoch: u32,
}

impl Stamp {
    pub(crate) fn join_into(&self, clock: &mut Clock) {
        clock.join(&self.clock);
        clock.add(self.tid, self.epoch);
    }

    pub(crate) fn covers(&self, tid: Tid, epoch: u32) -> bool {
        (tid == self.tid && epoch <= self.epoch) || self.clock.covers(tid, epoch)
    }
}

/// One release pattern.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) scope: Level,
    pub(crate) stamp: Stamp,
}

/// Parts that are kept apart; more are joined by PE.
const MAX_PARTS: usize = 12;

/// What a write publishes, or what `fence.sc` publish.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    parts: Vec<Part>,
    /// Parts that were joined: of all PEs, as far as their scope is the system.
    system: Clock,
    /// The same for each PE. An acquire of block or cluster scope takes it too, which is more than it may: joined parts
    /// are approximated towards more order.
    device: Vec<(u32, Clock)>,
    joined: bool,
}

impl Message {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && !self.joined
    }

    /// Adds a pattern. A later one of the same thread with as wide a scope takes the place of an earlier one.
    pub(crate) fn add(&mut self, part: Part, places: &[BlockPlace]) {
        let dominated = |old: &Part, new: &Part| {
            old.stamp.tid == new.stamp.tid && old.stamp.epoch <= new.stamp.epoch && old.scope <= new.scope
        };
        if self.parts.iter().any(|old| dominated(&part, old)) {
            return;
        }
        self.parts.retain(|old| !dominated(old, &part));
        self.parts.push(part);
        if self.parts.len() > MAX_PARTS {
            for part in std::mem::take(&mut self.parts) {
                self.join_part(&part, places);
            }
        }
    }

    fn join_part(&mut self, part: &Part, places: &[BlockPlace]) {
        self.joined = true;
        if part.scope == 3 {
            part.stamp.join_into(&mut self.system);
        }
        let pe = places[block_of(part.stamp.tid)].pe;
        let at = self.device.iter().position(|d| d.0 == pe).unwrap_or_else(|| {
            self.device.push((pe, Clock::default()));
            self.device.len() - 1
        });
        part.stamp.join_into(&mut self.device[at].1);
    }

    /// Adds all that another publishes.
    pub(crate) fn extend(&mut self, other: &Message, places: &[BlockPlace]) {
        if other.joined {
            self.joined = true;
            self.system.join(&other.system);
            for (pe, clock) in &other.device {
                match self.device.iter_mut().find(|d| d.0 == *pe) {
                    Some(d) => d.1.join(clock),
                    None => self.device.push((*pe, clock.clone())),
                }
            }
        }
        for part in &other.parts {
            self.add(part.clone(), places);
        }
    }

    /// What a thread's acquire of a scope takes.
    pub(crate) fn acquire(&self, scope: Level, tid: Tid, places: &[BlockPlace], clock: &mut Clock) {
        let here = places[block_of(tid)];
        for part in &self.parts {
            let apart = here.apart(places[block_of(part.stamp.tid)]);
            if part.stamp.tid != tid && part.scope >= apart && scope >= apart {
                part.stamp.join_into(clock);
            }
        }
        if self.joined {
            if scope == 3 {
                clock.join(&self.system);
            }
            if let Some((_, device)) = self.device.iter().find(|d| d.0 == here.pe) {
                clock.join(device);
            }
        }
    }

    /// The widest scope with which an operation is published, if it is.
    pub(crate) fn publishes(&self, tid: Tid, epoch: u32) -> Option<Level> {
        let parts = self.parts.iter().filter(|p| p.stamp.covers(tid, epoch)).map(|p| p.scope).max();
        let device = self.device.iter().any(|d| d.1.covers(tid, epoch)).then_some(2);
        let system = self.system.covers(tid, epoch).then_some(3);
        parts.max(device).max(system)
    }
}
