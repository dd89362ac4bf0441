//! What can go wrong, each with the place in the source and the thread where it did.

use std::fmt;
use std::path::PathBuf;

/// A place in a program's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Source {
    /// File; empty where the program was compiled without line information.
    pub file: String,
    /// Line, from 1; 0 where it is unknown.
    pub line: u32,
    /// Column, from 1; 0 where it is unknown.
    pub column: u32,
    /// Function.
    pub function: String,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.function.is_empty()) {
            (0, true) => f.write_str("an unknown place"),
            (0, false) => write!(f, "an unknown line of {}", self.function),
            _ => write!(f, "{}:{}:{}", self.file, self.line, self.column),
        }
    }
}

/// A thread, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The PE.
    pub pe: u32,
    /// The kernel's name in the source.
    pub kernel: String,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// Where in the source.
    pub source: Source,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        let (pe, kernel) = (self.pe, &self.kernel);
        write!(f, "{}: PE {pe}, kernel {kernel}, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})", self.source)
    }
}

/// What is wrong with an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessProblem {
    /// The address is null, or close to it.
    Null,
    /// The address is no multiple of what the access requires.
    Misaligned {
        /// What it has to be a multiple of.
        required: u64,
    },
    /// Nothing is there.
    OutOfBounds {
        /// The nearest buffer and how far its end or start is away.
        nearest: Option<Nearest>,
    },
    /// Memory of another PE that is not symmetric.
    OtherPe {
        /// That PE.
        pe: u32,
        /// The buffer.
        name: String,
    },
    /// Constant memory is written.
    ReadOnly {
        /// The variable.
        name: String,
    },
    /// Shared memory of another block, or of one that has ended.
    OtherBlock,
    /// Shared memory of the block, past its end.
    PastShared {
        /// Bytes that the block has.
        bytes: u64,
    },
    /// Local memory of another thread.
    OtherThread,
    /// A multicast address in an instruction other than multimem.
    Multicast,
    /// An address that is none of multicast in a multimem instruction.
    NotMulticast,
    /// The operation does not exist for the address (an atomic on constant memory, say).
    Operation {
        /// What it is.
        what: &'static str,
    },
}

/// The nearest buffer of an access outside memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its name.
    pub name: String,
    /// Bytes that it has.
    pub bytes: u64,
    /// The PE whose it is.
    pub pe: u32,
    /// The access' offset from the buffer's start.
    pub offset: i64,
}

impl fmt::Display for AccessProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AccessProblem::Null => f.write_str("the pointer is null"),
            AccessProblem::Misaligned { required } => write!(f, "the address is no multiple of {required}"),
            AccessProblem::Multicast => f.write_str("a multicast address is for multimem instructions only"),
            AccessProblem::NotMulticast => f.write_str("a multimem instruction wants a multicast address"),
            AccessProblem::OutOfBounds { nearest: None } => f.write_str("there is no memory"),
            AccessProblem::OutOfBounds { nearest: Some(n) } => {
                let distance = if n.offset < 0 {
                    format!("{} bytes before its start", -n.offset)
                } else {
                    format!("{} bytes past its end", (n.offset as u64).saturating_sub(n.bytes))
                };
                write!(f, "there is no memory; nearest is {} of PE {} ({} bytes), {distance}", n.name, n.pe, n.bytes)
            }
            AccessProblem::OtherPe { pe, name } => write!(f, "{name} is memory of PE {pe} that is not symmetric"),
            AccessProblem::ReadOnly { name } => write!(f, "{name} is constant memory"),
            AccessProblem::OtherBlock => f.write_str("this is shared memory of another block or of one that has ended"),
            AccessProblem::PastShared { bytes } => write!(f, "the block has {bytes} bytes of shared memory"),
            AccessProblem::OtherThread => f.write_str("this is local memory of another thread"),
            AccessProblem::Operation { what } => f.write_str(what),
        }
    }
}

/// A fault that is no bad access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An integer was divided by zero.
    DivisionByZero,
    /// `trap`.
    Trap,
    /// `brkpt`.
    Breakpoint,
    /// An assertion failed.
    Assertion {
        /// Its text.
        message: String,
    },
    /// An access outside a local array.
    Local {
        /// Its offset from the array's start.
        offset: i64,
    },
    /// `printf` has a conversion for which there is no argument.
    PrintArgument,
    /// The thread's stack is used up.
    StackOverflow {
        /// Bytes that it has.
        bytes: usize,
    },
    /// A place was reached that the program takes for unreachable.
    Unreachable,
    /// A barrier's number is not 0 to 15, or its count is zero.
    BadBarrier {
        /// The number.
        id: u64,
        /// The count.
        count: u64,
    },
    /// A warp operation's mask does not name the calling lane.
    BadMask {
        /// The mask.
        mask: u32,
        /// The lane.
        lane: u32,
    },
    /// `free` of something that `malloc` did not return.
    BadFree {
        /// The address.
        address: u64,
    },
    /// An mbarrier that was not initialised, or is asked for what it cannot do.
    BadMbarrier {
        /// What is wrong.
        what: &'static str,
    },
    /// The host's processor refused an instruction.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// The program passed a number that this simulator does not know.
    BadRequest,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::DivisionByZero => f.write_str("an integer is divided by zero"),
            FaultKind::Trap => f.write_str("trap"),
            FaultKind::Breakpoint => f.write_str("breakpoint"),
            FaultKind::Assertion { message } => write!(f, "assertion failed: {message}"),
            FaultKind::Local { offset } => write!(f, "an access outside a local array, at byte {offset}"),
            FaultKind::StackOverflow { bytes } => {
                write!(
                    f,
                    "the stack of {bytes} bytes is used up: functions call each other too deeply, or local arrays are too large"
                )
            }
            FaultKind::PrintArgument => f.write_str("printf is called with fewer arguments than its format takes"),
            FaultKind::Unreachable => f.write_str("a place is reached that the program takes for unreachable"),
            FaultKind::BadBarrier { id, count } => write!(f, "there is no barrier {id} for {count} threads"),
            FaultKind::BadMask { mask, lane } => {
                write!(f, "the mask {mask:#010x} does not name the calling lane {lane}")
            }
            FaultKind::BadFree { address } => write!(f, "free of {address:#x}, which malloc did not return"),
            FaultKind::BadMbarrier { what } => f.write_str(what),
            FaultKind::Signal { signal } => write!(f, "the host's processor raised signal {signal}"),
            FaultKind::BadRequest => f.write_str("the program asks for something that this simulator does not know"),
        }
    }
}

/// Why a program could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadProblem {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(std::io::Error),
    /// The dynamic linker refused it.
    #[error("it cannot be loaded: {0}")]
    Open(String),
    /// It is no program for the simulator.
    #[error("it is no program for the simulator: {0} is missing")]
    Symbol(&'static str),
    /// Another version made it.
    #[error(
        "it was compiled for version {found:?} of the interface, and this simulator has {expected:?}; compile it again"
    )]
    Version {
        /// What the program says.
        found: [u32; 2],
        /// What the simulator is.
        expected: [u32; 2],
    },
    /// Its description makes no sense.
    #[error("its description cannot be understood: {0}")]
    Description(String),
    /// The processor lacks what programs use.
    #[error("this processor lacks AVX2, FMA or F16C, which programs for the simulator use")]
    Processor,
}

/// Why a launch was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchProblem {
    /// There is no such PE.
    #[error("there is no PE {0}")]
    Pe(u32),
    /// There is no such module.
    #[error("there is no such module")]
    Module,
    /// The module has no such kernel.
    #[error("the module has no such kernel; it has: {0}")]
    Kernel(String),
    /// A dimension is zero, or a block is too large.
    #[error(
        "the grid {grid:?} of blocks {block:?} is not possible: a block has 1 to 1024 threads, and no dimension is 0"
    )]
    Shape {
        /// Blocks.
        grid: [u32; 3],
        /// Threads.
        block: [u32; 3],
    },
    /// The kernel was compiled for smaller blocks.
    #[error("the kernel was compiled for blocks of at most {limit} threads, and this one has {threads}")]
    Bounds {
        /// What it was compiled for.
        limit: u32,
        /// What was asked for.
        threads: u32,
    },
    /// Too much shared memory.
    #[error("a block would need {bytes} bytes of shared memory, and there are {limit}")]
    Shared {
        /// What was asked for.
        bytes: u64,
        /// What there is.
        limit: u64,
    },
    /// The block does not fit a multiprocessor.
    #[error("a block of {threads} threads does not fit a multiprocessor of {limit}")]
    Residency {
        /// Threads of a block.
        threads: u32,
        /// Threads of a multiprocessor.
        limit: u32,
    },
    /// The parameters have another size.
    #[error("the kernel takes {expected} bytes of parameters, and {found} were given")]
    Parameters {
        /// What it takes.
        expected: u32,
        /// What was given.
        found: usize,
    },
}

/// Why the simulator could not go on.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The configuration makes no sense.
    #[error("the configuration of the simulator is not possible: {0}")]
    Config(String),
    /// The host gave no memory.
    #[error("the host gives no {bytes} bytes for {what}")]
    Memory {
        /// What for.
        what: String,
        /// How many.
        bytes: u64,
    },
    /// The host read or wrote where nothing is.
    #[error("the host accesses {bytes} bytes at {address:#x}, where there is no memory")]
    HostAccess {
        /// Where.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// A program could not be loaded.
    #[error("{path}: {problem}")]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: LoadProblem,
    },
    /// A launch was refused.
    #[error("launch of {kernel}: {problem}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// Why.
        problem: LaunchProblem,
    },
    /// An access outside memory, or that is not allowed.
    #[error("{place}\n  {access} of {bytes} bytes at {address:#x}: {problem}")]
    BadAccess {
        /// Who and where.
        place: Box<Place>,
        /// `load`, `store`, `atomic operation`.
        access: &'static str,
        /// The address.
        address: u64,
        /// The size.
        bytes: u64,
        /// What is wrong.
        problem: AccessProblem,
    },
    /// Another fault.
    #[error("{place}\n  {kind}")]
    Fault {
        /// Who and where.
        place: Box<Place>,
        /// What.
        kind: FaultKind,
    },
    /// Every choice that is left has been seen in another run; only where all choices are gone through.
    #[error("given up: every choice that is left has been seen in another run")]
    GivenUp,
    /// Nobody can go on.
    #[error("deadlock: no thread can go on\n{waits}")]
    Deadlock {
        /// Who waits for what, one a line.
        waits: String,
    },
    /// A thread does not end.
    #[error("{place}\n  the thread has done {steps} steps without coming to an end")]
    Endless {
        /// Who and where it was last.
        place: Box<Place>,
        /// Steps done.
        steps: u64,
    },
    /// The launch took too long on the host.
    #[error("the launch did not end in {seconds} s\n{waits}")]
    TimeOut {
        /// The time that it had.
        seconds: f64,
        /// Who waits for what, one a line.
        waits: String,
        /// PEs whose kernels have not ended.
        running: Vec<u32>,
    },
}
