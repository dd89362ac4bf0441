//! What a run tells beside its numbers: races, and reads that returned old writes, each with the relation that is missing.

use std::collections::HashMap;

use super::clock::Tid;
use super::message::BlockPlace;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Atomic,
    /// A read of the asynchronous proxy.
    CopyRead,
    /// A write of the asynchronous proxy.
    CopyWrite,
}

impl AccessKind {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic operation",
            AccessKind::CopyRead => "read of an asynchronous copy",
            AccessKind::CopyWrite => "write of an asynchronous copy",
        }
    }
}

/// One access of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// Where the thread's block is.
    pub place: BlockPlace,
    /// The block's number in the run.
    pub block: usize,
    /// The thread in the block.
    pub thread: usize,
    /// What it did.
    pub kind: AccessKind,
    /// Where in the source.
    pub site: u32,
    /// What it read or wrote, where that is known.
    pub value: Option<u128>,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u8,
}

/// What is missing between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Missing {
    /// After the first access, its thread published nothing: no release, and no barrier.
    Release,
    /// It was published, with a scope that does not include the second thread, or by a flag whose scope does not.
    Scope,
    /// The second thread has read a flag that publishes it, but no acquire follows.
    Acquire,
    /// It was published, and nothing that the second thread read or waited for leads there.
    Chain,
    /// A fence of the asynchronous proxy, or the wait for a copy, is missing.
    Proxy,
    /// The load goes through the non-coherent path, which only the start of a kernel orders.
    NonCoherent,
    /// The first one reads: that it was done has to be told to the thread that overwrites.
    ReadDone,
}

impl Missing {
    /// In words.
    pub const fn text(self) -> &'static str {
        match self {
            Missing::Release => {
                "no release and no barrier follows the first access in its thread: nothing publishes it"
            }
            Missing::Scope => "the first access is published with a scope that does not include the second thread",
            Missing::Acquire => {
                "the second thread read a flag that publishes the first access, but no acquire follows that read"
            }
            Missing::Chain => {
                "the first access is published, but nothing that the second thread read or waited for before leads there"
            }
            Missing::Proxy => {
                "the generic and the asynchronous proxy are not ordered: a fence.proxy.async or the full wait for the copy is missing"
            }
            Missing::NonCoherent => "the load is non-coherent (ld.global.nc), and only the start of a kernel orders it",
            Missing::ReadDone => "nothing tells the writing thread that the read is done before it overwrites",
        }
    }
}

/// Two conflicting accesses that nothing orders (PTX ISA §8.7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one that was executed first.
    pub first: Party,
    /// The other.
    pub second: Party,
    /// Whether they touch different bytes, so that the axioms say nothing (§8.7.2).
    pub mixed: bool,
    /// The relation that is missing.
    pub missing: Missing,
    /// How many such pairs at these two places there were.
    pub count: u64,
}

/// A read that returned an old write, or had to be allowed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleRead {
    /// The read, with what it returned.
    pub read: Party,
    /// The newest write that had been executed.
    pub newest: Party,
    /// Whose write it returned; `None` for what memory held at the start.
    pub returned: Option<Party>,
    /// Whether the read is strong.
    pub strong: bool,
    /// What would have hidden the old write.
    pub missing: Missing,
    /// How many such reads at these two places there were.
    pub count: u64,
}

/// Most pairs of places that are told.
const MAX_REPORTS: usize = 256;

type Key = (u32, u32, AccessKind, AccessKind, bool);

/// Races of a run, one for each pair of places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Races {
    pub(crate) races: Vec<Race>,
    known: HashMap<Key, usize>,
    pub(crate) stale: Vec<StaleRead>,
    known_stale: HashMap<(u32, u32), usize>,
    /// Pairs of places that found no room.
    pub(crate) dropped: u64,
}

impl Races {
    /// Counts a pair that is known.
    pub(crate) fn again(&mut self, key: Key) -> bool {
        match self.known.get(&key) {
            Some(&at) => {
                self.races[at].count += 1;
                true
            }
            None => false,
        }
    }

    pub(crate) fn add(&mut self, key: Key, race: Race) {
        if self.races.len() >= MAX_REPORTS {
            self.dropped += 1;
            return;
        }
        self.known.insert(key, self.races.len());
        self.races.push(race);
    }

    /// Counts a pair of places of an old read that is known.
    pub(crate) fn stale_again(&mut self, key: (u32, u32)) -> bool {
        match self.known_stale.get(&key) {
            Some(&at) => {
                self.stale[at].count += 1;
                true
            }
            None => false,
        }
    }

    pub(crate) fn add_stale(&mut self, key: (u32, u32), read: StaleRead) {
        if self.stale.len() >= MAX_REPORTS {
            self.dropped += 1;
            return;
        }
        self.known_stale.insert(key, self.stale.len());
        self.stale.push(read);
    }
}

/// The parts of a thread's number.
pub(crate) const fn index_of(tid: Tid) -> usize {
    (tid & ((1 << super::clock::THREAD_BITS) - 1)) as usize
}
