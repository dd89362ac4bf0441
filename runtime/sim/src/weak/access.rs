//! Accesses as the engine takes them.

use super::clock::Tid;
use super::history::Span;
use super::message::Level;
use super::order::Strength;

/// One scalar access: bytes, strength, proxy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) span: Span,
    /// Whether it is strong; then `scope` counts.
    pub(crate) strong: bool,
    pub(crate) scope: Level,
    pub(crate) acquires: bool,
    pub(crate) releases: bool,
    /// Through the non-coherent path.
    pub(crate) foreign: bool,
    pub(crate) site: u32,
    /// The epoch, where it is not the thread's: of asynchronous operations.
    pub(crate) epoch: Option<u32>,
}

impl Access {
    /// A weak access.
    pub(crate) fn weak(address: u64, bytes: u8, site: u32) -> Self {
        Self {
            span: Span { address, bytes },
            strong: false,
            scope: 0,
            acquires: false,
            releases: false,
            foreign: false,
            site,
            epoch: None,
        }
    }

    pub(crate) fn is_strong(&self) -> bool {
        self.strong
    }

    pub(super) fn strength(&self, tid: Tid) -> Strength {
        Strength { tid, scope: self.strong.then_some(self.scope), span: self.span }
    }
}

/// How far a thread's asynchronous operations are known to be complete: counts of their reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CopyProgress {
    pub(crate) reads: u32,
    pub(crate) writes: u32,
}

/// What an engine takes of the host's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) bytes: u64,
    pub(crate) granules: u64,
}
