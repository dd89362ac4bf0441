//! From a program to its events and to the relations that do not depend on the execution.
//!
//! Program order (PTX ISA §8.9.1, asynchronous operations outside it: §8.9.1.1), barriers (§8.9.4), the host's orders
//! (§8.9.4, API synchronization), dependencies (§8.10.4), moral strength (§8.7), release and acquire patterns (§8.8),
//! and the proxies' preconditions (§8.9.5).
//!
//! A memory location is cut into *cells*: the coarsest pieces such that every access consists of whole cells, and none
//! crosses a multiple of eight bytes. Reads-from and coherence are decided cell by cell.

mod assemble;
mod barrier;
mod check;
mod lower;
mod strength;

pub(crate) use check::check_range;

use crate::assumption::Assumptions;
use crate::meter::Meter;
use crate::program::{Place, Program, ProxyFence, Register, Space, Until};
use crate::relation::Relation;
use crate::{Proxy, Scope, Semantics};

/// The number of an event in its [`Graph`].
pub(crate) type EventId = usize;

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The initial write of a whole location.
    Init,
    Read,
    Write,
    /// An atomic operation, read and write in one. `atom` or `red`.
    Rmw {
        atom: bool,
    },
    Fence,
    ProxyFence(ProxyFence),
    Barrier,
    Mbarrier,
    BulkWait,
    /// The instruction that starts an asynchronous operation.
    Issue,
    /// Start of a thread that the host orders after another.
    Start,
    /// End of a thread that the host orders before another.
    End,
}

/// A value that an event uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Constant(u128),
    Read(EventId),
    Sum(EventId, u128),
}

/// What an event writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Nothing,
    Value(Input),
    Add(Input),
    CompareAndSwap { expected: Input, desired: Input },
    And(Input),
    Or(Input),
    Xor(Input),
    Min(Input),
    Max(Input),
    Increment(Input),
    Decrement(Input),
}

/// The bytes that a memory event touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The location, aliases resolved.
    pub(crate) location: usize,
    /// The virtual address: the location as the program names it.
    pub(crate) address: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// The thread and the step that it comes from; none of initial writes.
    pub(crate) origin: Option<(usize, usize)>,
    pub(crate) strength: Semantics,
    pub(crate) scope: Scope,
    pub(crate) proxy: Proxy,
    /// Of a part of an asynchronous operation, which is outside program order: the instruction that starts it.
    pub(crate) issue: Option<EventId>,
    pub(crate) range: Option<Range>,
    /// The cells of the range, in order of address.
    pub(crate) cells: Vec<usize>,
    pub(crate) written: Written,
}

/// A piece of memory that no access splits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) location: usize,
    pub(crate) start: u64,
    pub(crate) width: u8,
}

/// A constraint on the value that a read returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraint {
    pub(crate) read: EventId,
    pub(crate) until: Until,
}

/// A place where a read of one cell takes its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) read: EventId,
    pub(crate) cell: usize,
}

/// The events of a program, with the relations that hold in each of its executions.
#[derive(Debug)]
pub(crate) struct Graph<'a> {
    pub(crate) program: &'a Program,
    pub(crate) assumptions: Assumptions,
    pub(crate) events: Vec<Event>,
    pub(crate) cells: Vec<Cell>,
    /// The reads of cells, in the order in which the search decides them.
    pub(crate) slots: Vec<Slot>,
    /// For each read, the first of its slots (they follow each other).
    pub(crate) first_slot: Vec<usize>,
    /// For each cell, the events that may write it, the initial write first.
    pub(crate) writers: Vec<Vec<EventId>>,
    /// For each location, its memory events.
    pub(crate) accesses: Vec<Vec<EventId>>,
    pub(crate) program_order: Relation,
    /// Base causality so far as no execution changes it, closed.
    pub(crate) base: Relation,
    /// Dependencies, closed.
    pub(crate) dependencies: Relation,
    pub(crate) morally_strong: Relation,
    /// For each write, the first operations of the release patterns that it ends.
    pub(crate) release_starts: Vec<Vec<EventId>>,
    /// For each read, the last operations of the acquire patterns that it starts.
    pub(crate) acquire_ends: Vec<Vec<EventId>>,
    /// Pairs of morally strong `fence.sc`.
    pub(crate) sc_pairs: Vec<(EventId, EventId)>,
    pub(crate) constraints: Vec<Constraint>,
    /// Compare-and-swap events, whose writing depends on the execution.
    pub(crate) conditional: Vec<EventId>,
    /// The last value of each register: thread, name, event.
    pub(crate) registers: Vec<(usize, Register, EventId)>,
    /// (end event, start event) of the host's orders.
    pub(crate) host_orders: Vec<(EventId, EventId)>,
    /// Whether causality between overlapping accesses is just base causality: generic proxy, no aliases.
    pub(crate) single_proxy: bool,
    /// Whether two accesses overlap partially, one of them writing.
    pub(crate) mixed_sizes: bool,
    proxy_fences: Vec<EventId>,
    /// What was looked at so far.
    pub(crate) meter: Meter,
}

impl Event {
    pub(crate) fn reads(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Rmw { .. })
    }

    /// Whether it writes, or may write.
    pub(crate) fn writes(&self) -> bool {
        matches!(self.kind, Kind::Init | Kind::Write | Kind::Rmw { .. })
    }

    pub(crate) fn is_memory(&self) -> bool {
        self.range.is_some()
    }

    pub(crate) fn is_rmw(&self) -> bool {
        matches!(self.kind, Kind::Rmw { .. })
    }

    pub(crate) fn is_sc_fence(&self) -> bool {
        self.kind == Kind::Fence && self.strength == Semantics::SequentiallyConsistent
    }

    pub(crate) fn width(&self) -> u32 {
        self.range.map_or(0, |range| (range.end - range.start) as u32)
    }
}

impl Range {
    /// Whether both touch a common byte of physical memory.
    pub(crate) fn touches(&self, other: &Range) -> bool {
        self.location == other.location && self.start < other.end && other.start < self.end
    }

    /// Overlap (PTX ISA §8.2.1): the same virtual address, and a common byte.
    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        self.address == other.address && self.touches(other)
    }

    pub(crate) fn same_bytes(&self, other: &Range) -> bool {
        (self.location, self.start, self.end) == (other.location, other.start, other.end)
    }
}

impl Graph<'_> {
    pub(crate) fn place(&self, event: EventId) -> Option<Place> {
        let (thread, _) = self.events[event].origin?;
        Some(self.program.threads[thread].place)
    }

    pub(crate) fn same_thread(&self, one: EventId, other: EventId) -> bool {
        match (self.events[one].origin, self.events[other].origin) {
            (Some((thread, _)), Some((thread2, _))) => thread == thread2,
            _ => false,
        }
    }

    /// Whether both touch a common byte.
    pub(crate) fn touch(&self, one: EventId, other: EventId) -> bool {
        match (&self.events[one].range, &self.events[other].range) {
            (Some(range), Some(range2)) => range.touches(range2),
            _ => false,
        }
    }

    /// Base causality (PTX ISA §8.9.5), with what precedes an asynchronous operation. That is not in the relation itself:
    /// the completion of such an operation does not order what precedes its start (§8.9.1.1).
    pub(crate) fn reaches(&self, base: &Relation, from: EventId, to: EventId) -> bool {
        self.meter.look(1);
        base.has(from, to) || self.events[to].issue.is_some_and(|issue| base.has(from, issue))
    }

    /// Proxy-preserved base causality (PTX ISA §8.9.5) between overlapping memory operations, given base causality.
    pub(crate) fn preserved(&self, base: &Relation, from: EventId, to: EventId) -> bool {
        if !self.reaches(base, from, to) {
            return false;
        }
        if self.single_proxy || self.events[from].kind == Kind::Init {
            return true;
        }
        self.proxies_preserve(base, from, to)
    }

    /// The part of [`Graph::preserved`] about proxies and aliases.
    fn proxies_preserve(&self, base: &Relation, from: EventId, to: EventId) -> bool {
        let (one, other) = (&self.events[from], &self.events[to]);
        let (Some(range), Some(range2)) = (&one.range, &other.range) else { return false };
        let aliased = range.address != range2.address;
        let same_proxy = one.proxy == other.proxy
            && (one.proxy == Proxy::Generic || self.place(from).is_some() && self.place(from) == self.place(to));
        if same_proxy && !aliased {
            return true;
        }
        let reaches = |a: EventId, b: EventId| self.reaches(base, a, b);
        if self.host_orders.iter().any(|&(end, start)| reaches(from, end) && reaches(start, to)) {
            return true;
        }
        // What of the path from one to the other is left when it has gone through the fences that it needs, in order.
        let mut heads = match one.proxy {
            Proxy::Generic => vec![from],
            // The completion that orders an asynchronous operation before anything implies a proxy fence (§9.7.9.25).
            Proxy::Async if self.assumptions.async_as_proxy || same_proxy => vec![from],
            Proxy::Async => Vec::new(),
            Proxy::Constant | Proxy::Texture | Proxy::Surface => {
                let fences = self.proxy_fences.iter().copied();
                fences
                    .filter(|&fence| self.is_fence_of(fence, one.proxy) && self.place(fence) == self.place(from))
                    .filter(|&fence| reaches(from, fence))
                    .collect()
            }
        };
        if aliased {
            heads = self
                .proxy_fences
                .iter()
                .copied()
                .filter(|&fence| self.events[fence].kind == Kind::ProxyFence(ProxyFence::Alias))
                .filter(|&fence| heads.iter().any(|&head| reaches(head, fence)) && reaches(fence, to))
                .collect();
        }
        match other.proxy {
            Proxy::Generic => heads.iter().any(|&head| reaches(head, to)),
            Proxy::Async if same_proxy => !heads.is_empty(),
            Proxy::Async => {
                self.assumptions.async_as_proxy
                    && self.proxy_fences.iter().any(|&fence| {
                        self.covers_async(fence, range.location)
                            && self.place(fence) == self.place(to)
                            && reaches(fence, to)
                            && heads.iter().any(|&head| reaches(head, fence))
                    })
            }
            Proxy::Constant | Proxy::Texture | Proxy::Surface => self.proxy_fences.iter().any(|&fence| {
                self.is_fence_of(fence, other.proxy)
                    && self.place(fence) == self.place(to)
                    && reaches(fence, to)
                    && heads.iter().any(|&head| head == fence || reaches(head, fence))
            }),
        }
    }

    /// Whether a fence orders the generic and this other proxy (of constants, textures, surfaces).
    fn is_fence_of(&self, fence: EventId, proxy: Proxy) -> bool {
        let wanted = match proxy {
            Proxy::Generic | Proxy::Async => return false,
            Proxy::Constant => ProxyFence::Constant,
            Proxy::Texture => ProxyFence::Texture,
            Proxy::Surface => ProxyFence::Surface,
        };
        self.events[fence].kind == Kind::ProxyFence(wanted)
    }

    /// Whether a fence orders the generic and the asynchronous proxy for a location.
    fn covers_async(&self, fence: EventId, location: usize) -> bool {
        let space = self.program.locations[location].space;
        match self.events[fence].kind {
            Kind::ProxyFence(ProxyFence::Async) => true,
            Kind::ProxyFence(ProxyFence::AsyncGlobal) => space == Space::Global,
            Kind::ProxyFence(ProxyFence::AsyncSharedCta) => {
                matches!(space, Space::Shared(place) if self.place(fence) == Some(place))
            }
            Kind::ProxyFence(ProxyFence::AsyncSharedCluster) => matches!(space, Space::Shared(_)),
            _ => false,
        }
    }

    /// The slots of a read.
    pub(crate) fn slots_of(&self, read: EventId) -> std::ops::Range<usize> {
        let first = self.first_slot[read];
        first..first + self.events[read].cells.len()
    }

    /// Whether what a write writes does not depend on the execution.
    pub(crate) fn value_is_known(&self, write: EventId) -> bool {
        let event = &self.events[write];
        event.kind == Kind::Init || matches!(event.written, Written::Value(Input::Constant(_)))
    }

    /// The reads from whose values a write computes its own.
    pub(crate) fn value_origins(&self, write: EventId) -> Vec<EventId> {
        let event = &self.events[write];
        let inputs = match event.written {
            Written::Nothing => Vec::new(),
            Written::Value(input)
            | Written::Add(input)
            | Written::And(input)
            | Written::Or(input)
            | Written::Xor(input)
            | Written::Min(input)
            | Written::Max(input)
            | Written::Increment(input)
            | Written::Decrement(input) => vec![input],
            Written::CompareAndSwap { expected, desired } => vec![expected, desired],
        };
        inputs
            .into_iter()
            .filter_map(|input| match input {
                Input::Constant(_) => None,
                Input::Read(read) | Input::Sum(read, _) => Some(read),
            })
            .collect()
    }

    /// The event that assigns the last value of a register.
    pub(crate) fn final_register(&self, thread: usize, register: &Register) -> Option<EventId> {
        self.registers.iter().rev().find(|(of, name, _)| *of == thread && name == register).map(|(_, _, event)| *event)
    }
}
