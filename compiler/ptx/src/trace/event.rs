//! What a traced thread did to memory and order.

use super::memory::Place;
use crate::instruction::Instruction;
use crate::meaning::{Access, AsyncCopy};
use crate::op::{BarrierAction, CopyGroup, MbarrierAction, ProxyKind};
use crate::span::Span;
use crate::types::StateSpace;
use memory_model::{Scope, Semantics};

/// One event, in its thread's program order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The instruction in the text.
    pub span: Span,
    /// Its opcode, as written.
    pub opcode: String,
    /// The place of this event among all events of the block, in the order in which this execution made them.
    pub sequence: u64,
    /// Earlier events of the thread (loads, atomic operations, barrier reductions, votes) whose results what this one uses was computed
    /// from: its address, the values that it writes, the predicate that it gives. Through registers only, so that none is
    /// claimed that is not there; what decides whether the event happens at all is not listed.
    pub depends_on: Vec<usize>,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An access to memory; scalar by scalar in the order of the operands.
    Access {
        /// What it means.
        access: Access,
        /// Where the first scalar lies.
        place: Place,
        /// The values read; empty for a store, and for a `red` (whose old value nobody sees).
        read: Vec<u128>,
        /// The values written; empty for a load, and for a compare-and-swap that failed.
        written: Vec<u128>,
    },
    /// A fence.
    Fence {
        /// Ordering.
        semantics: Semantics,
        /// Scope.
        scope: Scope,
        /// Only operations on this space are ordered.
        restrict: Option<StateSpace>,
    },
    /// A fence between proxies.
    ProxyFence {
        /// Between which proxies.
        kind: ProxyKind,
        /// Ordering of the one-directional forms.
        semantics: Option<Semantics>,
        /// Scope of the one-directional forms.
        scope: Option<Scope>,
    },
    /// `fence.mbarrier_init`
    MbarrierInitFence,
    /// A block barrier.
    Barrier {
        /// Whether it waits, only arrives, or waits and reduces.
        action: BarrierAction,
        /// Which barrier, 0 … 15.
        id: u32,
        /// How many threads take part; nothing if all.
        count: Option<u32>,
        /// How often this barrier had completed before.
        generation: u64,
    },
    /// A cluster barrier.
    ClusterBarrier {
        /// It arrives rather than waits.
        arrive: bool,
        /// Ordering.
        semantics: Semantics,
    },
    /// `bar.warp.sync`, and every other warp instruction with a mask of lanes (which do not order memory).
    Warp {
        /// The mask.
        mask: u32,
        /// Whether it orders memory: `bar.warp.sync` only.
        orders: bool,
    },
    /// An asynchronous copy.
    AsyncCopy {
        /// What it means.
        copy: AsyncCopy,
        /// Where to; nothing for a prefetch.
        destination: Option<Place>,
        /// Where from; nothing where the value is an operand.
        source: Option<Place>,
        /// How many bytes.
        bytes: u64,
        /// The mbarrier on which it completes.
        mbarrier: Option<Place>,
    },
    /// A group of copies is closed, or waited for.
    CopyGroup {
        /// Which of these.
        group: CopyGroup,
        /// How many groups may still be open after a wait.
        pending: u64,
    },
    /// An operation on an mbarrier.
    Mbarrier {
        /// What it does.
        action: MbarrierAction,
        /// Ordering.
        semantics: Semantics,
        /// Scope.
        scope: Scope,
        /// Which.
        place: Place,
        /// The phase: of an arrival, the one arrived at; of a wait, the one asked for, as a number or a parity.
        phase: u64,
        /// Of a wait: whether the phase was complete.
        complete: Option<bool>,
    },
    /// `cp.async.mbarrier.arrive`
    CopyArrival {
        /// Which mbarrier.
        place: Place,
    },
    /// `griddepcontrol`
    GridDependency {
        /// `.launch_dependents`
        launch: bool,
    },
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// It returned from the kernel, or exited.
    Exited,
    /// It trapped.
    Trapped,
}

/// What one thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadTrace {
    /// Its linear index in the block.
    pub thread: u32,
    /// Its events in program order.
    pub events: Vec<Event>,
    /// How it ended.
    pub end: End,
    /// How many instructions it executed.
    pub steps: u64,
}

impl Event {
    pub(super) fn new(kind: EventKind, instruction: &Instruction, sequence: u64, depends_on: Vec<usize>) -> Self {
        Event { kind, span: instruction.span, opcode: instruction.opcode.clone(), sequence, depends_on }
    }

    /// The meaning and place of an access, if it is one.
    pub fn access(&self) -> Option<(&Access, Place)> {
        match &self.kind {
            EventKind::Access { access, place, .. } => Some((access, *place)),
            _ => None,
        }
    }
}
