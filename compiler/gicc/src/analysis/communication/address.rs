//! Where an address comes from, and whether a peer has what it points to.

use super::control::LoopId;
use super::site::ValueId;

/// The number of an object in its kernel: an index into [`super::Kernel::objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// State spaces that accesses are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Anything; what a pointer without a space may point to.
    Generic,
    /// Memory of a GPU or of the host.
    Global,
    /// Shared memory of the block or the cluster.
    Shared,
    /// Constant memory.
    Constant,
    /// The thread's own.
    Local,
    /// Parameters of the kernel.
    Parameter,
}

/// The address of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What is accessed. With several objects (a phi or select), the one that is most remote comes first.
    pub objects: Vec<ObjectId>,
    /// Bytes from the beginning of the first object.
    pub offset: Offset,
    /// The address as a value: two accesses with the same number have the same address, when they are executed by one thread
    /// in one iteration.
    pub value: ValueId,
    /// The address without constant offsets, and these offsets.
    pub base: (ValueId, i64),
    /// Whether a peer has it.
    pub remote: Remote,
    /// Remote on some paths only.
    pub by_path: bool,
    /// The element of a table that belongs to the own PE: chosen by a number that is the same for all threads and comes
    /// with the kernel's arguments, rather than by a loop or a thread's number.
    pub own_slot: bool,
    /// The loops around the access that may move it to another slot each time, inner ones first. In the other ones, each round
    /// accesses what the round before did.
    pub moved_by: Vec<LoopId>,
    /// How far apart neighbouring threads access, where that can be told.
    pub stride: Option<Stride>,
}

/// How the addresses of one access lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stride {
    /// Bytes from one thread's address to the next thread's.
    pub between_threads: i64,
    /// The innermost loop around the access moves it along one buffer.
    pub walks: bool,
}

/// A distance in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Offset {
    /// A constant.
    Known(i64),
    /// A constant, and a part that the program computes.
    From(i64),
    /// Nothing is known.
    Unknown,
}

/// Whether something lies in a peer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remote {
    /// It does not, as far as can be told.
    No,
    /// It may: weak evidence.
    Maybe,
    /// It does: an annotation, a call of a library, or strong evidence.
    Yes,
}

/// What speaks for a class or for remoteness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The program says so, in the source or in a file beside it.
    Annotation,
    /// gicc's own primitives.
    Primitive,
    /// A function of NVSHMEM's or NCCL's returned the pointer, or is called with it.
    Library,
    /// A multicast instruction.
    Multimem,
    /// An operation at system scope.
    SystemScope,
    /// A volatile access, which is one at system scope.
    Volatile,
    /// The same table or structure has pointers that are used so.
    Table,
    /// The value flows from such a place.
    Flow,
    /// What is compared, or repeated, or ordered: the shape of the program around.
    Shape,
    /// `--assume aggressive`.
    Assumed,
}

/// A reason in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// Of which kind.
    pub evidence: Evidence,
    /// A half sentence: `stored through a pointer loaded from a table, at system scope`.
    pub words: String,
}

/// Where a pointer comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A pointer parameter of the kernel.
    Parameter {
        /// Which.
        index: u32,
        /// Its name, where it has one.
        name: String,
    },
    /// Loaded from other memory: a structure's field or a table's element.
    Loaded {
        /// The object that holds the pointer.
        from: ObjectId,
        /// Where in it; [`Offset::From`] is a table's element.
        offset: Offset,
    },
    /// What a by-value parameter holds.
    ByValue {
        /// Which parameter.
        index: u32,
        /// Its name, where it has one.
        name: String,
    },
    /// A variable of the module in global memory.
    Global(String),
    /// A variable in constant memory.
    Constant(String),
    /// A variable in shared memory.
    Shared(String),
    /// A variable of the thread's.
    Local,
    /// What a function returned.
    Call(String),
    /// A constant address.
    Absolute,
    /// Not known.
    Unknown,
}

/// What pointers point to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its number.
    pub id: ObjectId,
    /// Where pointers to it come from.
    pub origin: Origin,
    /// In words: `what params.peers[…] points to`.
    pub words: String,
    /// Whether it lies in a peer's memory.
    pub remote: Remote,
    /// Why.
    pub why: Vec<Reason>,
    /// An annotation says that it is symmetric.
    pub symmetric: bool,
    /// An annotation says that it holds signals.
    pub signal: bool,
    /// An annotation says that it holds packets.
    pub packet: bool,
    /// The domains that annotations put it in.
    pub domains: Vec<String>,
    /// Whether the pointer to it is an element of a table.
    pub table: bool,
    /// The same symmetric memory of other PEs, as far as can be told: other elements of the table that the pointer is from,
    /// or the same pointer moved to another PE.
    pub twins: Vec<ObjectId>,
}
