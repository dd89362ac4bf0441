//! One operation that matters: what it is, what it does to memory in the words of the PTX memory model, where it stands.

use memory_model::{Proxy, Scope, Semantics};
use ptx::op::{AtomicOp, CopyGroup, MbarrierAction, ProxyKind};

use super::address::{Address, Reason, Space};
use super::control::{LoopId, Position};
use super::guard::Guard;
use crate::diagnostic::Span;

/// The number of a site in its kernel: an index into [`super::Kernel::sites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// The number of a value in its kernel: two sites that name the same number compute with the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl SiteId {
    /// The site's place in the kernel's list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a site is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Stores data into a peer's memory.
    RemoteStore,
    /// Stores data into own memory that peers read.
    ExportedStore,
    /// Tells a peer something: a flag's store, or a read-modify-write of a flag or counter in a peer's memory.
    Signal,
    /// Sets, resets or counts a flag in own memory that takes part in the protocol.
    LocalFlag,
    /// Reads a flag in own memory until it says what is waited for.
    PollLocal,
    /// Reads a flag in a peer's memory until it says what is waited for.
    PollRemote,
    /// Reads data from a peer's memory.
    RemoteLoad,
    /// Reads, from own memory, data that a peer wrote.
    LocalLoad,
    /// A stand-alone fence, of memory or between proxies.
    Fence,
    /// Counts blocks of the own GPU, or waits for that count.
    GridCounter,
    /// Stores to own memory that nobody else reads in this kernel.
    LocalOutput,
    /// Stores a packet, data and flag in one access, into a peer's memory.
    PacketStore,
    /// Reads packets until they have arrived.
    PacketLoad,
    /// Threads meet: of a block, some of a block, a cluster, a grid or a warp.
    Barrier,
    /// A copy by the asynchronous unit, or what waits for it.
    BulkCopy,
    /// A call of a communication library that stays a call.
    LibraryCall,
    /// A collective of gicc's, whose own protocol is not looked into.
    Collective,
}

impl Class {
    /// All classes.
    pub const ALL: &[Class] = &[
        Class::RemoteStore,
        Class::ExportedStore,
        Class::Signal,
        Class::LocalFlag,
        Class::PollLocal,
        Class::PollRemote,
        Class::RemoteLoad,
        Class::LocalLoad,
        Class::Fence,
        Class::GridCounter,
        Class::LocalOutput,
        Class::PacketStore,
        Class::PacketLoad,
        Class::Barrier,
        Class::BulkCopy,
        Class::LibraryCall,
        Class::Collective,
    ];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Class::RemoteStore => "remote-store",
            Class::ExportedStore => "exported-store",
            Class::Signal => "signal",
            Class::LocalFlag => "local-flag",
            Class::PollLocal => "poll-local",
            Class::PollRemote => "poll-remote",
            Class::RemoteLoad => "remote-load",
            Class::LocalLoad => "local-load",
            Class::Fence => "fence",
            Class::GridCounter => "grid-counter",
            Class::LocalOutput => "local-output",
            Class::PacketStore => "packet-store",
            Class::PacketLoad => "packet-load",
            Class::Barrier => "barrier",
            Class::BulkCopy => "bulk-copy",
            Class::LibraryCall => "library-call",
            Class::Collective => "collective",
        }
    }

    /// The name in sentences.
    pub const fn words(self) -> &'static str {
        match self {
            Class::RemoteStore => "remote data store",
            Class::ExportedStore => "exported store",
            Class::Signal => "signal",
            Class::LocalFlag => "local flag",
            Class::PollLocal => "poll",
            Class::PollRemote => "poll of a peer's memory",
            Class::RemoteLoad => "remote load",
            Class::LocalLoad => "load of what a peer wrote",
            Class::Fence => "fence",
            Class::GridCounter => "grid counter",
            Class::LocalOutput => "local output",
            Class::PacketStore => "packet store",
            Class::PacketLoad => "packet poll",
            Class::Barrier => "barrier",
            Class::BulkCopy => "asynchronous copy",
            Class::LibraryCall => "library call",
            Class::Collective => "collective",
        }
    }

    /// Whether a site of this class reads until it sees what it waits for.
    pub const fn is_poll(self) -> bool {
        matches!(self, Class::PollLocal | Class::PollRemote | Class::PacketLoad)
    }

    /// Whether a site of this class writes data that a signal has to publish.
    pub const fn is_published_data(self) -> bool {
        matches!(self, Class::RemoteStore | Class::ExportedStore)
    }

    /// Whether a site of this class reads data that a poll has to bring.
    pub const fn is_received_data(self) -> bool {
        matches!(self, Class::RemoteLoad | Class::LocalLoad)
    }
}

/// One operation that matters, in one kernel after inlining.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its number.
    pub id: SiteId,
    /// What it is for.
    pub class: Class,
    /// Where it stands in the source.
    pub place: PlaceStack,
    /// Where it stands in the program.
    pub position: Position,
    /// What it does to memory.
    pub access: Access,
    /// Where it does so; nothing for fences and barriers.
    pub address: Option<Address>,
    /// What is written, where it is known to be the same as elsewhere.
    pub stored: Option<ValueId>,
    /// The constant that is written, where it is one.
    pub stored_constant: Option<i64>,
    /// Whether what it reads is an address that other operations go to, as from a table of pointers.
    pub reads_address: bool,
    /// Which threads execute it.
    pub guard: Guard,
    /// The innermost loop around it.
    pub in_loop: Option<LoopId>,
    /// How it waits, where it does.
    pub poll: Option<Poll>,
    /// The packet that it is part of.
    pub packet: Option<Packet>,
    /// Why it has its class, in words; the first is the strongest.
    pub why: Vec<Reason>,
    /// What orders it with the sites on the other side.
    pub ordered_by: Vec<Ordered>,
}

/// Where an operation stands in the source: the innermost line that a user wrote, and the calls through which it was inlined.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceStack {
    /// The operation's own place.
    pub innermost: Option<Span>,
    /// The calls, inner ones first.
    pub inlined_at: Vec<Span>,
}

/// What an operation does to memory. A vector is `count` scalars of `width` bytes without mutual order; a 16-byte word of
/// one piece is one scalar of 16.
#[derive(Clone, Debug)]
pub struct Access {
    /// Load, store, fence and so on.
    pub operation: Operation,
    /// Bytes of each scalar; 0 where there is none or the length is not known.
    pub width: u32,
    /// How many scalars.
    pub count: u32,
    /// Bytes in all, where known: for copies.
    pub bytes: Option<u64>,
    /// How strongly it orders; what PTX makes of it, whatever the IR says.
    pub semantics: Semantics,
    /// How far; weak accesses have none.
    pub scope: Option<Scope>,
    /// Through which proxy.
    pub proxy: Proxy,
    /// Volatile: may be neither removed nor merged.
    pub volatile: bool,
    /// State space.
    pub space: Space,
    /// How it is written.
    pub shape: Shape,
    /// Whether the compiler may move other memory accesses across it: inline assembly without a memory clobber.
    pub reorderable: bool,
    /// Executed only where a predicate inside the assembly holds.
    pub predicated: bool,
}

/// Which kind of operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A read.
    Load,
    /// A write.
    Store,
    /// A read and write in one.
    ReadModifyWrite {
        /// The operation; compare-and-swap is [`AtomicOp::Cas`].
        op: Option<AtomicOp>,
        /// Whether the old value is used.
        returns: bool,
    },
    /// Reads memory and writes other memory: memcpy and memmove. Its [`Site::address`] is the side that communicates.
    Copy,
    /// A read of all replicas of a multicast address, reduced.
    MultimemLoad,
    /// A write of all replicas of a multicast address.
    MultimemStore,
    /// A read-modify-write of all replicas of a multicast address.
    MultimemReduce,
    /// A fence.
    Fence,
    /// A fence between proxies.
    ProxyFence(ProxyKind),
    /// Threads meet.
    Barrier(Barrier),
    /// A copy by the asynchronous unit. Its [`Site::address`] is the destination where that is memory of the GPU.
    AsyncCopy {
        /// Whether the destination is global memory, and so may be a peer's.
        to_global: bool,
        /// Whether its addresses are in a descriptor that the program cannot be read for.
        described: bool,
    },
    /// Closes a group of asynchronous copies, or waits for some. `.read` waits for the reads only.
    CopyGroup(CopyGroup),
    /// An operation on an mbarrier.
    Mbarrier(MbarrierAction),
    /// A call of a communication library, or a collective of gicc's: its name and what it does.
    Call {
        /// The function.
        name: String,
        /// What it does, in words.
        does: &'static str,
    },
}

/// A number that the program may compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A constant.
    Known(i64),
    /// A value; the same number is the same value.
    Value(ValueId),
    /// Nothing is known.
    Unknown,
}

/// Who meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// All threads of the block (`bar.sync 0`).
    Block,
    /// The threads of the block that use a barrier of this number.
    Named {
        /// Its number.
        id: Number,
        /// How many threads meet; all of the block where nothing is said.
        threads: Option<Number>,
        /// It arrives and does not wait.
        arrives_only: bool,
    },
    /// All threads of the cluster.
    Cluster {
        /// It arrives.
        arrives: bool,
        /// It waits.
        waits: bool,
    },
    /// All blocks of the grid.
    Grid,
    /// Lanes of the warp.
    Warp,
}

/// How an operation is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A plain load or store of the IR.
    Plain,
    /// A volatile load or store of the IR.
    Volatile,
    /// An atomic load, store, read-modify-write or fence of the IR.
    Atomic,
    /// memcpy, memmove or memset.
    Memory,
    /// Inline assembly: the instruction's text.
    Assembly(String),
    /// An intrinsic of LLVM's or of gicc's: its name.
    Intrinsic(String),
    /// A call.
    Call(String),
}

/// How a read waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The loop that it is repeated in; nothing where a branch inside assembly repeats it.
    pub in_loop: Option<LoopId>,
    /// Whether the loop has another way out that does not look at what was read: a bound.
    pub bounded: bool,
    /// How what was read is compared, where that can be told.
    pub compares: Option<Comparison>,
}

/// How a value that was read ends a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// In the words of LLVM: `eq`, `uge`, `slt` …; the poll **ends** where it holds.
    pub predicate: String,
    /// With what.
    pub with: Number,
}

/// A packet: a wide access whose data and flag travel together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Bytes of the packet.
    pub bytes: u32,
    /// The pieces that it is accessed in, in the program as it is now: 1 for one instruction.
    pub pieces: u32,
    /// Whether it is one single-copy-atomic word (`.b128`, or at most 8 bytes in one scalar).
    pub single_copy: bool,
    /// Whether its flag is a sentinel in the data, rather than a word of its own.
    pub sentinel: bool,
    /// Whether an annotation says that it is a packet.
    pub annotated: bool,
}

/// One thing that orders a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// How.
    pub how: How,
    /// The site that does it; nothing for the kernel's boundary.
    pub by: Option<SiteId>,
}

/// In which way a site is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// By its own ordering.
    Itself,
    /// By a fence.
    Fence,
    /// By a barrier between it and what publishes or acquires it.
    Barrier,
    /// By a signal after it, which publishes it.
    Signal,
    /// By a poll before it, which brings it.
    Poll,
    /// By being in one packet with its flag.
    Packet,
    /// By the end or the beginning of the kernel.
    Boundary,
    /// By the calls of a library.
    Library,
}

impl How {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            How::Itself => "itself",
            How::Fence => "fence",
            How::Barrier => "barrier",
            How::Signal => "signal",
            How::Poll => "poll",
            How::Packet => "packet",
            How::Boundary => "kernel boundary",
            How::Library => "library",
        }
    }
}

impl Site {
    /// Whether it writes memory.
    pub fn writes(&self) -> bool {
        matches!(
            self.access.operation,
            Operation::Store
                | Operation::ReadModifyWrite { .. }
                | Operation::Copy
                | Operation::MultimemStore
                | Operation::MultimemReduce
                | Operation::AsyncCopy { .. }
        )
    }

    /// Whether it reads memory.
    pub fn reads(&self) -> bool {
        matches!(
            self.access.operation,
            Operation::Load | Operation::ReadModifyWrite { .. } | Operation::Copy | Operation::MultimemLoad
        )
    }

    /// Whether it is a release operation, or a release fence, at least as far as `scope`.
    pub fn releases(&self, scope: Scope) -> bool {
        matches!(
            self.access.semantics,
            Semantics::Release | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        ) && self.access.scope >= Some(scope)
    }

    /// Whether it is an acquire operation, or an acquire fence, at least as far as `scope`.
    pub fn acquires(&self, scope: Scope) -> bool {
        matches!(
            self.access.semantics,
            Semantics::Acquire | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        ) && self.access.scope >= Some(scope)
    }

    /// Whether it is a fence of memory (not between proxies).
    pub fn is_fence(&self) -> bool {
        self.access.operation == Operation::Fence
    }

    /// The barrier that it is.
    pub fn barrier(&self) -> Option<Barrier> {
        match self.access.operation {
            Operation::Barrier(barrier) => Some(barrier),
            _ => None,
        }
    }
}
