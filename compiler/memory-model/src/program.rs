//! Programs: threads with a place, each a straight list of operations, over named locations.
//!
//! A program has no branches and no loops. A spin is a load that is constrained to the value which ends it
//! ([`Op::Load::until`]); the rounds before the last have no effect that the model sees. What a later operation may
//! depend on is stated by registers (data), by [`Op::Assume`], [`Op::Branch`] and polls (control), and by
//! [`Access::depends_on`] (address).
//!
//! All fields are public, so that a program can be made from extracted events; [`crate::ThreadBuilder`] is for hand-written
//! ones, and [`crate::litmus`] for text.

use std::fmt;

use crate::{Proxy, Scope, Semantics};

/// A location of a [`Program`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub usize);

/// A thread of a [`Program`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub usize);

/// The name of a register. Registers belong to one thread; the last assignment before a use counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub String);

/// Where a thread runs. Scopes (PTX ISA §8.5) are decided from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A thread of the host program: only system scope reaches it.
    Host,
    /// A thread of a block on a GPU. Two threads share a block when all three numbers agree.
    Device {
        /// The GPU (PE).
        gpu: u32,
        /// The cluster within the GPU.
        cluster: u32,
        /// The block (cooperative thread array) within the cluster.
        cta: u32,
    },
}

/// The state space of a location; proxy fences may name one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Global memory, of any GPU.
    Global,
    /// Shared memory of the block at this place. Only threads of its cluster may access it.
    Shared(Place),
}

/// A named piece of memory. Offsets are bytes from its start, and it is as long as its accesses need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name, unique in the program.
    pub name: String,
    /// The state space.
    pub space: Space,
    /// The location that this one is another virtual address of (PTX ISA §8.2.2), at equal offsets.
    pub alias_of: Option<LocationId>,
    /// What memory holds at the start, where that is not zero.
    pub initial: Vec<InitialValue>,
}

/// One value that memory holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialValue {
    /// Bytes from the start of the location.
    pub offset: u64,
    /// Width in bytes, 1 to 16.
    pub width: u8,
    /// The value, little-endian in memory.
    pub value: u128,
}

/// A byte address: a location and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The location (which one of several aliases, too).
    pub location: LocationId,
    /// Bytes from its start.
    pub offset: u64,
}

/// How an operation reaches memory: address, width, strength and proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The first byte.
    pub address: Address,
    /// Bytes of one element: 1, 2, 4, 8 or 16.
    pub width: u8,
    /// Elements of a vector access; 1 for a scalar. The elements are separate accesses without mutual order
    /// (PTX ISA §8.2.4).
    pub count: u8,
    /// The semantics. A fence's [`Semantics::SequentiallyConsistent`] is refused here.
    pub semantics: Semantics,
    /// The scope; without meaning where the access is weak.
    pub scope: Scope,
    /// The proxy.
    pub proxy: Proxy,
    /// Registers that the address, or a known value that is stored, was computed from.
    pub depends_on: Vec<Register>,
}

/// A value that is stored or combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A known value.
    Constant(u128),
    /// What an earlier load of this thread returned.
    Register(Register),
    /// The same plus a constant.
    Sum(Register, u128),
}

/// What an atomic operation does with the value it read. All are unsigned, at the width of the access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RmwFunction {
    /// Adds, wrapping.
    Add(Operand),
    /// Replaces.
    Exchange(Operand),
    /// Replaces where the old value is the expected one, and else writes nothing.
    CompareAndSwap {
        /// The expected value.
        expected: Operand,
        /// The new value.
        desired: Operand,
    },
    /// Bitwise and.
    And(Operand),
    /// Bitwise or.
    Or(Operand),
    /// Bitwise exclusive or.
    Xor(Operand),
    /// The smaller.
    Min(Operand),
    /// The larger.
    Max(Operand),
    /// One more, or zero where the limit is reached (`inc`).
    Increment(Operand),
    /// One less, or the limit where the old value is zero or beyond it (`dec`).
    Decrement(Operand),
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A constraint that a poll puts on the value it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until {
    /// The comparison, with the loaded value on the left.
    pub comparison: Comparison,
    /// The right side.
    pub value: u128,
}

/// The proxy fences (PTX ISA §9.7.13, `fence.proxy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyFence {
    /// Between different virtual addresses of one location.
    Alias,
    /// Between the generic and the asynchronous proxy, in every space.
    Async,
    /// The same, for global memory only.
    AsyncGlobal,
    /// The same, for the shared memory of the own block (`shared::cta`) only.
    AsyncSharedCta,
    /// The same, for the shared memory of the own cluster (`shared::cluster`).
    AsyncSharedCluster,
    /// Between the generic and the texture proxy, in the own block. PTX has no such instruction; the published mixed-proxy
    /// model and its tests do.
    Texture,
    /// The same for the surface proxy.
    Surface,
    /// The same for the constant proxy.
    Constant,
}

/// What a thread does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierAction {
    /// Arrives and waits.
    Sync,
    /// Only arrives.
    Arrive,
    /// Only waits, for the generation that its number of waits so far names (`barrier.cluster.wait`).
    Wait,
}

/// Who takes part in a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierLevel {
    /// The block: `bar.sync`, `bar.arrive`.
    Cta,
    /// The cluster: `barrier.cluster.arrive`, `barrier.cluster.wait`, with their default semantics.
    Cluster,
}

/// One operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `ld`.
    Load {
        /// A register for each element.
        registers: Vec<Register>,
        /// What is read.
        access: Access,
        /// Of a poll: the value that ended it, on the first element. Later operations depend on it (control).
        until: Option<Until>,
    },
    /// `st`.
    Store {
        /// What is written.
        access: Access,
        /// A value for each element.
        values: Vec<Operand>,
    },
    /// `atom` (which returns the old value) or `red` (which does not, and so starts no acquire pattern).
    Rmw {
        /// Whether this is `atom`.
        returns: bool,
        /// The register for the old value, of `atom`.
        register: Option<Register>,
        /// The location. Always strong, never a vector.
        access: Access,
        /// What is written.
        function: RmwFunction,
    },
    /// `fence.{acquire,release,acq_rel,sc}`.
    Fence {
        /// One of acquire, release, acquire-release, sequentially consistent.
        semantics: Semantics,
        /// The scope.
        scope: Scope,
    },
    /// `fence.proxy.*`.
    ProxyFence(ProxyFence),
    /// A barrier. The n-th arrival of a thread at a barrier belongs to its n-th generation.
    Barrier {
        /// Which barrier.
        id: u32,
        /// What the thread does.
        action: BarrierAction,
        /// Block or cluster.
        level: BarrierLevel,
        /// How many threads of this program arrive at a generation; checked where it is given.
        participants: Option<u32>,
    },
    /// `bar.red`: a barrier of the block (arrives and waits) that also computes a result from the predicates of all its threads.
    /// What depends on the result depends on every arrival's predicate (assumption `reduction-carries-dependency`).
    BarrierReduction {
        /// Which barrier; its generations are counted together with those of [`Op::Barrier`].
        id: u32,
        /// Registers that the thread's predicate was computed from.
        predicate: Vec<Register>,
        /// The register of the result. It has no value here: later operations may depend on it ([`Access::depends_on`],
        /// [`Op::Branch`]).
        result: Option<Register>,
    },
    /// `cp.async.bulk`: reads and writes in the asynchronous proxy, outside program order (PTX ISA §8.9.1.1). Each
    /// eight bytes are one read and one write; a shorter rest is one more.
    BulkCopy {
        /// Where it writes.
        destination: Address,
        /// Where it reads.
        source: Address,
        /// How much, at most 64 bytes here.
        bytes: u32,
    },
    /// `cp.async.bulk.commit_group`.
    BulkCommit,
    /// `cp.async.bulk.wait_group`.
    BulkWait {
        /// How many of the newest groups may still be pending.
        pending: u32,
        /// `.read`: only the reads of the sources are complete.
        read_only: bool,
    },
    /// `mbarrier.arrive`, `mbarrier.test_wait` or `mbarrier.try_wait` (one that succeeded), on one phase of an mbarrier.
    Mbarrier {
        /// Which mbarrier, unique in the program.
        id: u32,
        /// The phase that is arrived at, or that was found complete.
        phase: u32,
        /// [`BarrierAction::Arrive`] or [`BarrierAction::Wait`].
        action: BarrierAction,
        /// Release or relaxed of an arrival, acquire or relaxed of a wait.
        semantics: Semantics,
        /// Block or cluster.
        scope: Scope,
    },
    /// The bulk copies since the last group or the last such operation complete on an mbarrier
    /// (`.mbarrier::complete_tx::bytes`) and not in a group. It orders only the copies themselves.
    BulkOnMbarrier {
        /// Which mbarrier.
        id: u32,
        /// The phase in which they complete.
        phase: u32,
    },
    /// Only executions in which the comparison holds are looked at; later operations depend on the register.
    Assume {
        /// The left side.
        register: Register,
        /// The comparison and the right side.
        until: Until,
    },
    /// Later operations of the thread are executed because of the value in this register (control dependency).
    Branch(Register),
}

/// An operation, with the text that a witness shows for it where the program came from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation.
    pub op: Op,
    /// The original instruction, for instance the PTX line; without it the operation is printed as a litmus line.
    pub text: Option<String>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The name, unique in the program.
    pub name: String,
    /// Where it runs.
    pub place: Place,
    /// What it does, in program order.
    pub steps: Vec<Step>,
}

/// A program: locations, threads, and orders that the host makes between threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The locations.
    pub locations: Vec<Location>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Pairs of threads of which the first ends before the second starts, by stream order, events or the host's
    /// waiting (PTX ISA §8.9.4, API synchronization). Such an order holds for every proxy.
    pub orders: Vec<(ThreadId, ThreadId)>,
}

impl Place {
    /// A block that is alone in its cluster.
    pub fn block(gpu: u32, cta: u32) -> Self {
        Place::Device { gpu, cluster: cta, cta: 0 }
    }

    /// A block of a cluster.
    pub fn cluster_block(gpu: u32, cluster: u32, cta: u32) -> Self {
        Place::Device { gpu, cluster, cta }
    }

    /// Whether a strong operation executed here, with this scope, includes a thread at `other` (PTX ISA §8.5).
    pub fn scope_includes(self, scope: Scope, other: Place) -> bool {
        if scope == Scope::Sys {
            return true;
        }
        match (self, other) {
            (Place::Host, Place::Host) => true,
            (Place::Device { gpu, cluster, cta }, Place::Device { gpu: gpu2, cluster: cluster2, cta: cta2 }) => {
                match scope {
                    Scope::Sys => true,
                    Scope::Gpu => gpu == gpu2,
                    Scope::Cluster => (gpu, cluster) == (gpu2, cluster2),
                    Scope::Cta => (gpu, cluster, cta) == (gpu2, cluster2, cta2),
                }
            }
            _ => false,
        }
    }
}

impl RmwFunction {
    /// The operands.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            RmwFunction::Add(operand)
            | RmwFunction::Exchange(operand)
            | RmwFunction::And(operand)
            | RmwFunction::Or(operand)
            | RmwFunction::Xor(operand)
            | RmwFunction::Min(operand)
            | RmwFunction::Max(operand)
            | RmwFunction::Increment(operand)
            | RmwFunction::Decrement(operand) => vec![operand],
            RmwFunction::CompareAndSwap { expected, desired } => vec![expected, desired],
        }
    }
}

impl Comparison {
    /// Whether `left` and `right` compare so.
    pub fn holds(self, left: u128, right: u128) -> bool {
        match self {
            Comparison::Eq => left == right,
            Comparison::Ne => left != right,
            Comparison::Lt => left < right,
            Comparison::Le => left <= right,
            Comparison::Gt => left > right,
            Comparison::Ge => left >= right,
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Host => f.write_str("the host"),
            Place::Device { gpu, cluster, cta: 0 } => write!(f, "PE {gpu} block {cluster}"),
            Place::Device { gpu, cluster, cta } => write!(f, "PE {gpu} cluster {cluster} block {cta}"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        })
    }
}
