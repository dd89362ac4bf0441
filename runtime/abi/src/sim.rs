//! The entry points between a program for the simulator and the simulator.
//!
//! A program is a shared object without references to the simulator: it reaches it through a table of function pointers,
//! [`API_SYMBOL`], that the loader fills in the order of [`Entry`]. It says of itself: its version ([`VERSION_SYMBOL`]),
//! the kernels' wrappers ([`KERNELS_SYMBOL`]), its global variables ([`GLOBALS_SYMBOL`]) and a description in JSON
//! ([`Description`], [`DESCRIPTION_SYMBOL`]). Each PE gets a copy of its own, so that variables need no indirection.
//!
//! Every access to memory that another thread might see is a call with a [`Meta`] word: size, order, scope, space, and
//! the site in the source. Nothing is an inlined host access but what is provably in the thread's own local memory.

use serde::{Deserialize, Serialize};

use crate::codes::{Order, Scope};

/// The version of what stands in this file; a program of another version is refused at load.
pub const SIM_VERSION: u32 = 4;

/// The names of the symbols below start with this.
pub const SYMBOL_PREFIX: &str = "__gicc_sim_";

/// `[u32; 2]`: [`crate::ABI_VERSION`] and [`SIM_VERSION`] of the compiler.
pub const VERSION_SYMBOL: &str = "__gicc_sim_version";
/// The table of entry points, [`Entry::COUNT`] pointers, filled by the loader.
pub const API_SYMBOL: &str = "__gicc_sim_api";
/// The kernels' wrappers, `void (const void *parameters)`, in the order of [`Description::kernels`].
pub const KERNELS_SYMBOL: &str = "__gicc_sim_kernels";
/// The addresses of the variables, in the order of [`Description::globals`].
pub const GLOBALS_SYMBOL: &str = "__gicc_sim_globals";
/// [`Description`] as JSON, ended by a zero byte.
pub const DESCRIPTION_SYMBOL: &str = "__gicc_sim_description";

/// A type in an entry point's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// No result.
    Void,
    /// 64 bits.
    I64,
    /// A host address.
    Ptr,
}

macro_rules! entries {
    ($($(#[$doc:meta])* $variant:ident = $name:literal ($($p:ident),*) -> $r:ident;)*) => {
        /// One entry point. Its number is its place in the table. Except for [`Entry::Thread`] the last parameter of each
        /// is a [`Meta`] word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(usize)]
        pub enum Entry { $($(#[$doc])* $variant,)* }

        impl Entry {
            /// Every entry point, in the order of the table.
            pub const ALL: &'static [Entry] = &[$(Entry::$variant,)*];
            /// Their number.
            pub const COUNT: usize = Self::ALL.len();

            /// The name by which the code generator calls it.
            pub const fn name(self) -> &'static str {
                match self { $(Entry::$variant => $name,)* }
            }

            /// Types of its parameters.
            pub const fn parameters(self) -> &'static [Type] {
                match self { $(Entry::$variant => &[$(Type::$p),*],)* }
            }

            /// Type of its result.
            pub const fn result(self) -> Type {
                match self { $(Entry::$variant => Type::$r,)* }
            }
        }
    };
}

entries! {
    /// The calling thread's [`ThreadInfo`]; the same for the whole life of the thread.
    Thread = "sim.thread"() -> Ptr;
    /// Load up to 8 bytes (address, meta); the value in the low bits.
    Load = "sim.load"(Ptr, I64) -> I64;
    /// Load any number of bytes (where to, address, meta); where to is the thread's own.
    LoadTo = "sim.load_to"(Ptr, Ptr, I64) -> Void;
    /// Store up to 8 bytes (address, value, meta).
    Store = "sim.store"(Ptr, I64, I64) -> Void;
    /// Store any number of bytes (address, where from, meta); where from is the thread's own.
    StoreFrom = "sim.store_from"(Ptr, Ptr, I64) -> Void;
    /// Copy (destination, source, bytes, meta); the two may overlap.
    Copy = "sim.copy"(Ptr, Ptr, I64, I64) -> Void;
    /// Fill (destination, byte, bytes, meta).
    Fill = "sim.fill"(Ptr, I64, I64, I64) -> Void;
    /// Read-modify-write up to 8 bytes (address, operand, expected value, [`Rmw`], meta); the old value.
    Atomic = "sim.atomic"(Ptr, I64, I64, I64, I64) -> I64;
    /// Exchange or compare-and-swap 16 bytes (address, where the old value goes, operand, expected value, [`Rmw`], meta).
    AtomicWide = "sim.atomic_wide"(Ptr, Ptr, Ptr, Ptr, I64, I64) -> Void;
    /// A fence ([`FenceKind`], meta with order and scope).
    Fence = "sim.fence"(I64, I64) -> Void;
    /// A block barrier ([`BarrierKind`], id, threads or 0 for all, predicate, meta); the result of a reduction.
    Barrier = "sim.barrier"(I64, I64, I64, I64, I64) -> I64;
    /// An operation of the lanes of a warp ([`WarpOp`], mask, three operands, meta). Where PTX has a second, predicate
    /// result, it is bit 32.
    Warp = "sim.warp"(I64, I64, I64, I64, I64, I64) -> I64;
    /// A clock ([`Clock`], meta).
    Time = "sim.time"(I64, I64) -> I64;
    /// Sleep about so many nanoseconds (duration, meta).
    Sleep = "sim.sleep"(I64, I64) -> Void;
    /// The thread has used up its steps: let others run (meta).
    Step = "sim.step"(I64) -> Void;
    /// A fault that the program found itself ([`Fault`], a value, meta). Does not return.
    Fault = "sim.fault"(I64, I64, I64) -> Void;
    /// `printf` (format, packed arguments, meta); the number of arguments.
    Print = "sim.print"(Ptr, Ptr, I64) -> I64;
    /// `malloc` on the device (bytes, meta).
    Malloc = "sim.malloc"(I64, I64) -> Ptr;
    /// `free` on the device (address, meta).
    Free = "sim.free"(Ptr, I64) -> Void;
    /// A failed assertion (message, file, line, function, meta). Does not return.
    AssertFail = "sim.assert_fail"(Ptr, Ptr, I64, Ptr, I64) -> Void;
    /// The thread ends (meta). Does not return.
    Exit = "sim.exit"(I64) -> Void;
    /// An operation on an mbarrier ([`MbarrierOp`], address, two operands, meta).
    Mbarrier = "sim.mbarrier"(I64, Ptr, I64, I64, I64) -> I64;
    /// Whether an address lies in a space (address, [`Space`], meta).
    IsSpace = "sim.is_space"(Ptr, I64, I64) -> I64;
    /// Groups of asynchronous copies ([`CopyGroupOp`], groups that may be open, meta).
    CopyGroup = "sim.copy_group"(I64, I64, I64) -> Void;
    /// The location of a PE behind a multicast address (address, number of the PE, meta); null where there is no such PE.
    Multicast = "sim.multicast"(Ptr, I64, I64) -> Ptr;
    /// A reducing asynchronous copy (destination, source, bytes, [`Rmw`], meta with the size of an element).
    CopyReduce = "sim.copy_reduce"(Ptr, Ptr, I64, I64, I64) -> Void;
}

/// Defines an enumeration whose numbers are passed as arguments of entry points.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)* }

        impl $name {
            /// The number that stands for this value.
            pub const fn code(self) -> u64 { self as u64 }

            /// The value of a number, or `None` where no value has it.
            pub const fn from_code(code: u64) -> Option<$name> {
                match code { $($number => Some($name::$variant),)* _ => None }
            }
        }
    };
}

numbers! {
    /// A state space of PTX.
    Space {
        /// Found out from the address.
        Generic = 0,
        /// Memory of a GPU.
        Global = 1,
        /// Shared by a block.
        Shared = 3,
        /// Constant memory.
        Constant = 4,
        /// A thread's own.
        Local = 5,
        /// Parameters of a kernel.
        Param = 6,
        /// Shared by the blocks of a cluster.
        SharedCluster = 7,
    }
}

numbers! {
    /// A read-modify-write operation.
    Rmw {
        /// Store the operand.
        Exchange = 0,
        /// Store the operand where the expected value was found.
        CompareAndSwap = 1,
        /// Integer sum.
        Add = 2,
        /// Integer difference.
        Sub = 3,
        /// Bitwise and.
        And = 4,
        /// Bitwise or.
        Or = 5,
        /// Bitwise exclusive or.
        Xor = 6,
        /// Bitwise and, inverted.
        Nand = 7,
        /// Signed minimum.
        MinSigned = 8,
        /// Signed maximum.
        MaxSigned = 9,
        /// Unsigned minimum.
        MinUnsigned = 10,
        /// Unsigned maximum.
        MaxUnsigned = 11,
        /// Add one, or zero from the operand on.
        IncrementWrap = 12,
        /// Subtract one; the operand where the value was zero or above it.
        DecrementWrap = 13,
        /// Sum of `f32` or `f64`, by size.
        AddFloat = 14,
        /// Sum of `f16`, for each two bytes.
        AddHalf = 15,
        /// Sum of `bf16`, for each two bytes.
        AddBfloat = 16,
        /// Difference of `f32` or `f64`, by size.
        SubFloat = 17,
        /// Minimum of `f32` or `f64`, by size.
        MinFloat = 18,
        /// Maximum of `f32` or `f64`, by size.
        MaxFloat = 19,
        /// Minimum of `f16`, for each two bytes.
        MinHalf = 20,
        /// Maximum of `f16`, for each two bytes.
        MaxHalf = 21,
        /// Minimum of `bf16`, for each two bytes.
        MinBfloat = 22,
        /// Maximum of `bf16`, for each two bytes.
        MaxBfloat = 23,
    }
}

numbers! {
    /// What a fence fences.
    FenceKind {
        /// Memory, by order and scope.
        Memory = 0,
        /// The alias proxy.
        ProxyAlias = 1,
        /// The asynchronous proxy, all spaces.
        ProxyAsync = 2,
        /// The asynchronous proxy, global memory.
        ProxyAsyncGlobal = 3,
        /// The asynchronous proxy, shared memory.
        ProxyAsyncShared = 4,
        /// The initialisation of an mbarrier.
        MbarrierInit = 5,
        /// The tensor-map proxy.
        ProxyTensorMap = 6,
    }
}

numbers! {
    /// An operation on a block barrier.
    BarrierKind {
        /// Arrive and wait.
        Sync = 0,
        /// Arrive.
        Arrive = 1,
        /// Arrive and wait; how many predicates are true.
        Count = 2,
        /// Arrive and wait; whether all predicates are true.
        And = 3,
        /// Arrive and wait; whether any predicate is true.
        Or = 4,
        /// A cluster's barrier, arrival; a cluster is one block.
        ClusterArrive = 5,
        /// A cluster's barrier, waiting.
        ClusterWait = 6,
    }
}

numbers! {
    /// An operation of the lanes of a warp. The operands a, b and c are named with each.
    WarpOp {
        /// Wait for all lanes of the mask.
        Sync = 0,
        /// Value a from lane b (clamp c).
        ShuffleIndex = 1,
        /// Value a from the lane b below (clamp c).
        ShuffleUp = 2,
        /// Value a from the lane b above (clamp c).
        ShuffleDown = 3,
        /// Value a from lane xor b (clamp c).
        ShuffleXor = 4,
        /// Whether a holds for all.
        VoteAll = 5,
        /// Whether a holds for any.
        VoteAny = 6,
        /// Whether a is the same for all.
        VoteUniform = 7,
        /// The lanes for which a holds.
        Ballot = 8,
        /// The lanes whose 32-bit or 64-bit a is the same.
        MatchAny = 9,
        /// The mask where a is the same for all lanes, else 0; bit 32: whether it is.
        MatchAll = 10,
        /// Sum of a.
        ReduceAdd = 11,
        /// Unsigned minimum of a.
        ReduceMinUnsigned = 12,
        /// Unsigned maximum of a.
        ReduceMaxUnsigned = 13,
        /// Signed minimum of a.
        ReduceMinSigned = 14,
        /// Signed maximum of a.
        ReduceMaxSigned = 15,
        /// Bitwise and of a.
        ReduceAnd = 16,
        /// Bitwise or of a.
        ReduceOr = 17,
        /// Bitwise exclusive or of a.
        ReduceXor = 18,
        /// The lanes that are executing: the calling one alone, which is always a legal answer. Takes no mask.
        ActiveMask = 19,
        /// A leader of the mask; bit 32: whether it is the calling lane.
        Elect = 20,
        /// Minimum of a, an `f32`; b: 1 where a NaN wins.
        ReduceMinFloat = 21,
        /// Maximum of a, an `f32`; b: 1 where a NaN wins.
        ReduceMaxFloat = 22,
    }
}

numbers! {
    /// A clock.
    Clock {
        /// `%clock64`: ticks of the multiprocessor.
        Cycles = 0,
        /// `%globaltimer`: nanoseconds.
        Nanoseconds = 1,
    }
}

numbers! {
    /// A fault that a program finds itself.
    Fault {
        /// An integer was divided by zero.
        DivisionByZero = 0,
        /// `trap`.
        Trap = 1,
        /// An access outside a local array (value: the offset in bytes).
        Local = 2,
        /// The stack is used up.
        StackOverflow = 3,
        /// A place that the compiler took for unreachable.
        Unreachable = 4,
        /// `brkpt`.
        Breakpoint = 5,
    }
}

numbers! {
    /// An operation on an mbarrier. The operands a and b are named with each.
    MbarrierOp {
        /// Initialise for a arrivals.
        Init = 0,
        /// Invalidate.
        Invalidate = 1,
        /// Arrive a times; the state before.
        Arrive = 2,
        /// Expect a bytes.
        ExpectTransaction = 3,
        /// Expect a bytes, and arrive once; the state before.
        ArriveExpectTransaction = 4,
        /// a bytes have come.
        CompleteTransaction = 5,
        /// Whether the phase of state a is over.
        TestState = 6,
        /// Whether the phase of parity a is over.
        TestParity = 7,
        /// Arrive a times without being expected in later phases; the state before.
        ArriveDrop = 8,
        /// Pending arrivals of state a.
        PendingCount = 9,
    }
}

numbers! {
    /// An operation on groups of asynchronous copies.
    CopyGroupOp {
        /// `cp.async.bulk.commit_group`.
        Commit = 0,
        /// `cp.async.bulk.wait_group`: the copies are complete.
        Wait = 1,
        /// `cp.async.bulk.wait_group.read`: their sources have been read.
        WaitRead = 2,
    }
}

/// The bits of an entry point's last argument.
///
/// | bits | what |
/// | --- | --- |
/// | 0–23 | site, a place in [`Description::sites`] |
/// | 24–31 | bytes of the access, 1 to 128 |
/// | 32–35 | bytes of an element of a vector access, as a power of two |
/// | 36–39 | alignment that is required, as a power of two |
/// | 40–42 | order: [`Order`] plus 1; 0: weak |
/// | 43–45 | [`Scope`] |
/// | 46–48 | [`Space`] |
/// | 49 | volatile |
/// | 50 | memory-mapped I/O |
/// | 51 | through the non-coherent path (`ld.nc`) |
/// | 52 | by the asynchronous proxy |
/// | 53 | a reduction: the result is not used |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Meta(pub u64);

impl Meta {
    /// The most sites of a program.
    pub const MAX_SITES: usize = 1 << 24;

    /// A weak access of this size whose elements and alignment have that size too.
    pub const fn access(bytes: u64) -> Self {
        let log = bytes.trailing_zeros() as u64;
        Self(bytes << 24 | log << 32 | log << 36)
    }

    /// The same with elements of another size (a power of two).
    #[must_use]
    pub const fn element(self, bytes: u64) -> Self {
        Self(self.0 & !(0xf << 32) | (bytes.trailing_zeros() as u64) << 32)
    }

    /// The same with another required alignment (a power of two).
    #[must_use]
    pub const fn align(self, bytes: u64) -> Self {
        Self(self.0 & !(0xf << 36) | (bytes.trailing_zeros() as u64) << 36)
    }

    /// The same as a strong access.
    #[must_use]
    pub const fn strong(self, order: Order, scope: Scope) -> Self {
        Self(self.0 & !(0x3f << 40) | (order as u64 + 1) << 40 | (scope as u64) << 43)
    }

    /// The same in a space.
    #[must_use]
    pub const fn space(self, space: Space) -> Self {
        Self(self.0 & !(7 << 46) | (space as u64) << 46)
    }

    /// The same, volatile.
    #[must_use]
    pub const fn volatile(self) -> Self {
        Self(self.0 | 1 << 49)
    }

    /// The same, memory-mapped I/O.
    #[must_use]
    pub const fn mmio(self) -> Self {
        Self(self.0 | 1 << 50)
    }

    /// The same, through the non-coherent path.
    #[must_use]
    pub const fn non_coherent(self) -> Self {
        Self(self.0 | 1 << 51)
    }

    /// The same, by the asynchronous proxy.
    #[must_use]
    pub const fn asynchronous(self) -> Self {
        Self(self.0 | 1 << 52)
    }

    /// The same, without a result.
    #[must_use]
    pub const fn reduction(self) -> Self {
        Self(self.0 | 1 << 53)
    }

    /// The same at a site.
    #[must_use]
    pub const fn at(self, site: u32) -> Self {
        Self(self.0 & !0xff_ffff | (site as u64 & 0xff_ffff))
    }

    /// The site.
    pub const fn site(self) -> u32 {
        (self.0 & 0xff_ffff) as u32
    }

    /// Bytes of the access.
    pub const fn bytes(self) -> u64 {
        self.0 >> 24 & 0xff
    }

    /// Bytes of an element.
    pub const fn element_bytes(self) -> u64 {
        1 << (self.0 >> 32 & 0xf)
    }

    /// Alignment that is required.
    pub const fn required_align(self) -> u64 {
        1 << (self.0 >> 36 & 0xf)
    }

    /// Order; `None` where the access is weak.
    pub const fn order(self) -> Option<Order> {
        match self.0 >> 40 & 7 {
            0 => None,
            n => Order::from_code(n - 1),
        }
    }

    /// Scope; meaningful where there is an order.
    pub const fn scope(self) -> Option<Scope> {
        Scope::from_code(self.0 >> 43 & 7)
    }

    /// Space.
    pub const fn state_space(self) -> Option<Space> {
        Space::from_code(self.0 >> 46 & 7)
    }

    /// Whether the access is strong or volatile, and so could be a poll.
    pub const fn is_strong(self) -> bool {
        self.0 & (7 << 40 | 1 << 49) != 0
    }

    /// Whether it goes through the non-coherent path.
    pub const fn is_non_coherent(self) -> bool {
        self.0 & 1 << 51 != 0
    }

    /// Whether the asynchronous proxy does it.
    pub const fn is_asynchronous(self) -> bool {
        self.0 & 1 << 52 != 0
    }

    /// Whether it is a reduction, whose result is not used.
    pub const fn is_reduction(self) -> bool {
        self.0 & 1 << 53 != 0
    }

    /// Whether the access is volatile.
    pub const fn is_volatile(self) -> bool {
        self.0 & 1 << 49 != 0
    }
}

/// What a program reads natively of its thread. Written by the simulator; only `steps` is also written by the program.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadInfo {
    /// Steps left before the thread lets others run; the program counts down at the back edges of loops.
    pub steps: i64,
    /// Lowest address of the stack that may be used.
    pub stack_limit: u64,
    /// Address of the block's shared memory; its low 32 bits are what PTX calls a shared address.
    pub shared_base: u64,
    /// Bytes of shared memory, static and dynamic.
    pub shared_bytes: u64,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u64,
    /// Identifier of the launch.
    pub grid: u64,
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// `blockDim`.
    pub block_dim: [u32; 3],
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `gridDim`.
    pub grid_dim: [u32; 3],
    /// Lane in its warp.
    pub lane: u32,
    /// Warp in its block.
    pub warp: u32,
    /// Multiprocessor.
    pub sm: u32,
    /// Number of multiprocessors.
    pub sms: u32,
}

/// Bytes of local memory that a thread has at most, as on a GPU.
pub const MAX_LOCAL_BYTES: u64 = 512 << 10;

/// What the functions of a program need of a thread's stack, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// The frames of all functions, each once; recursion needs more.
    pub frames: u64,
    /// The largest frame of one function.
    pub largest: u64,
}

/// What a program says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The source, for messages.
    pub source: String,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// Variables in global and constant memory.
    pub globals: Vec<Global>,
    /// Variables in shared memory, dynamic ones last; they lie at their offsets in every block.
    pub shared: Vec<Shared>,
    /// Bytes of static shared memory; dynamic shared memory starts there.
    pub shared_bytes: u64,
    /// What threads need of their stacks.
    pub stack: Stack,
    /// Files of the sites.
    pub files: Vec<String>,
    /// Functions of the sites.
    pub functions: Vec<String>,
    /// Places in the source: file, line, column, function. The first is "unknown".
    pub sites: Vec<[u32; 4]>,
}

/// A kernel of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The symbol.
    pub symbol: String,
    /// The name in the source, without namespaces, parameters and mangling.
    pub name: String,
    /// Offset and size in bytes of each parameter in the packed parameters.
    pub parameters: Vec<[u32; 2]>,
    /// Bytes of the packed parameters.
    pub parameter_bytes: u32,
    /// The largest number of threads in a block that it was compiled for, or 0.
    pub max_threads: u32,
}

/// A variable of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// The symbol.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
    /// Whether kernels may only read it.
    pub constant: bool,
    /// Whether the host can find it by its name.
    pub exported: bool,
}

/// A shared variable of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The symbol.
    pub name: String,
    /// Offset in the block's shared memory.
    pub offset: u64,
    /// Bytes; 0 for dynamic shared memory.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meta_word_gives_back_what_went_in() {
        let m = Meta::access(16)
            .element(4)
            .align(8)
            .strong(Order::Acquire, Scope::System)
            .space(Space::Shared)
            .volatile()
            .at(0x12_3456);
        assert_eq!((m.bytes(), m.element_bytes(), m.required_align()), (16, 4, 8));
        assert_eq!((m.order(), m.scope()), (Some(Order::Acquire), Some(Scope::System)));
        assert_eq!((m.state_space(), m.site()), (Some(Space::Shared), 0x12_3456));
        assert!(m.is_strong() && m.is_volatile());
        assert_eq!(Meta::access(4).order(), None);
        assert!(!Meta::access(128).is_strong());
        assert_eq!(Meta::access(128).bytes(), 128);
    }

    #[test]
    fn every_entry_but_the_first_ends_with_a_meta_word() {
        for entry in &Entry::ALL[1..] {
            assert_eq!(entry.parameters().last(), Some(&Type::I64), "{entry:?}");
        }
    }
}
