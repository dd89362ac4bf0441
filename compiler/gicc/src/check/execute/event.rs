//! What a thread of an execution did to memory and to order, in program order.

use std::rc::Rc;

use memory_model::{Proxy, ProxyFence, Scope, Semantics};

use super::value::{Compare, Expression, Read};
use crate::diagnostic::Span;

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The instruction, by its number in the module; parts of one inline assembly have one each.
    pub(crate) site: (u32, u32),
    /// Where it stands.
    pub(crate) span: Option<Span>,
    /// The instruction in words.
    pub(crate) text: Rc<str>,
    /// What it is.
    pub(crate) kind: EventKind,
}

/// Which event.
#[derive(Clone, Debug)]
pub(crate) enum EventKind {
    /// An access of memory.
    Access(Access),
    /// A fence.
    Fence(Semantics, Scope),
    /// A fence between proxies.
    ProxyFence(ProxyFence),
    /// Threads of the block meet.
    Barrier {
        /// Its number; warps have numbers of their own from [`WARPS`] on.
        id: u32,
        /// It arrives and does not wait.
        arrives: bool,
    },
    /// A copy by the asynchronous unit.
    Copy {
        /// To.
        to: u64,
        /// From.
        from: u64,
        /// Bytes.
        bytes: u32,
        /// The mbarrier that it completes on, and the phase.
        mbarrier: Option<(u64, u32)>,
    },
    /// Closes a group of copies.
    Commit,
    /// Waits for groups.
    Wait { pending: u32, read_only: bool },
    /// Arrives at, or has waited for, a phase of an mbarrier.
    Mbarrier { at: u64, phase: u32, waits: bool, semantics: Semantics, scope: Scope },
    /// What follows happens because a read compared so.
    Assume { read: Read, compare: Compare, with: u128 },
    /// What follows happens because of reads, in a way that is no comparison with a number.
    Because(Vec<Read>, Option<Condition>),
}

/// An expression over reads, and whether it is true.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The expression: a truth value.
    pub(crate) expression: Rc<Expression>,
    /// Whether it holds.
    pub(crate) holds: bool,
}

impl Condition {
    /// Whether it is so where reads returned these numbers; nothing where that cannot be told.
    pub(crate) fn allows(&self, of: &dyn Fn(Read) -> Option<u128>) -> Option<bool> {
        Some((self.expression.evaluate(of)? & 1 == 1) == self.holds)
    }
}

/// Barriers of warps have numbers from here on.
pub(crate) const WARPS: u32 = 1000;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Load,
    Store,
    /// A read-modify-write; whether the old value comes back.
    Atomic(Function, bool),
}

/// What a read-modify-write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Exchange,
    Swap,
    And,
    Or,
    Xor,
    Min,
    Max,
    Increment,
    Decrement,
}

/// The part of a packet that is compared, and so stands for it: one of its two halves, or one of its four words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Half(u32),
    Word(u32),
}

/// Lanes of the words of packets have numbers from here on: a read gives halves, and words are taken out of them.
const WORDS: u32 = 1 << 16;

impl Part {
    /// The part that a lane of a packet's read is.
    pub(crate) fn of_lane(lane: u32) -> Part {
        if lane >= WORDS { Part::Word((lane - WORDS) % 4) } else { Part::Half(lane % 2) }
    }

    /// The lane of one of the two words of a half.
    pub(crate) fn word_of_half(lane: u32, upper: bool) -> u32 {
        WORDS + 2 * lane + u32::from(upper)
    }
}

/// An access: `count` scalars of `width` bytes.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) kind: AccessKind,
    pub(crate) address: u64,
    pub(crate) width: u32,
    pub(crate) count: u32,
    pub(crate) semantics: Semantics,
    pub(crate) scope: Scope,
    pub(crate) proxy: Proxy,
    /// What is written, for each scalar; of a compare-and-swap the expected and the new value. Of a packet each has two: its
    /// halves, the lower one first.
    pub(crate) values: Vec<Result<u128, Rc<Expression>>>,
    /// Words of 16 bytes that are accessed in one piece: a read has a lane for each half.
    pub(crate) packet: bool,
}

impl Access {
    /// The bytes that are touched.
    pub(crate) fn range(&self) -> std::ops::Range<u64> {
        self.address..self.address.saturating_add(u64::from(self.width) * u64::from(self.count))
    }

    /// Lanes of a read of each scalar.
    pub(crate) fn lanes_each(&self) -> u32 {
        if self.packet { 2 } else { 1 }
    }

    /// The lane of a scalar that stands for it: of a packet this part.
    pub(crate) fn lane(&self, scalar: u32, part: Part) -> u32 {
        match part {
            _ if !self.packet => scalar,
            Part::Half(half) => 2 * scalar + half,
            Part::Word(word) => WORDS + 4 * scalar + word,
        }
    }

    /// The scalar that a lane is of.
    pub(crate) fn scalar_of(&self, lane: u32) -> u32 {
        match lane.checked_sub(WORDS) {
            Some(word) => word / 4,
            None => lane / self.lanes_each(),
        }
    }

    /// What is written in a lane.
    pub(crate) fn value(&self, lane: u32) -> Option<Result<u128, Rc<Expression>>> {
        match lane.checked_sub(WORDS) {
            Some(word) => match self.values.get(word as usize / 2)? {
                Ok(half) => Some(Ok(half >> (32 * (word % 2)) & 0xffff_ffff)),
                Err(half) => half.word(word % 2 == 1),
            },
            None => self.values.get(lane as usize).cloned(),
        }
    }

    /// Whether it writes.
    pub(crate) fn writes(&self) -> bool {
        self.kind != AccessKind::Load
    }

    /// Whether it reads.
    pub(crate) fn reads(&self) -> bool {
        self.kind != AccessKind::Store
    }
}
