//! What can be wrong with a program or a question about it.

use crate::program::{Place, Register};

/// A refusal: the program is not one, or it is too large. Nothing is ever answered on a part of the executions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// An index names no location or thread.
    #[error("{what} number {index} does not exist in the program")]
    NoSuchIndex {
        /// "location" or "thread".
        what: &'static str,
        /// The index.
        index: usize,
    },
    /// A name is declared twice.
    #[error("the {what} `{name}` is declared twice")]
    DuplicateName {
        /// "location" or "thread".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An operation is malformed.
    #[error("thread `{thread}`, step {step}: {problem}")]
    BadStep {
        /// The thread.
        thread: String,
        /// The step, from 0.
        step: usize,
        /// What is wrong with it.
        problem: StepProblem,
    },
    /// An alias of an alias, or of itself.
    #[error("the location `{name}` is an alias of an alias: name the location itself")]
    BadAlias {
        /// The alias.
        name: String,
    },
    /// An initial value, or memory in a condition, has an impossible width or lies beyond 4 GiB.
    #[error("{what} of `{name}` has {width} bytes at offset {offset}: 1 to 16 bytes below 4 GiB are possible")]
    BadRange {
        /// "an initial value" or "a condition".
        what: &'static str,
        /// The location.
        name: String,
        /// The offset.
        offset: u64,
        /// The width.
        width: u8,
    },
    /// Another number of threads arrives at a barrier than it says.
    #[error("barrier {id} at {place}, generation {generation}: {arrived} threads arrive and it is for {expected}")]
    BarrierCount {
        /// The barrier.
        id: u32,
        /// A thread that takes part.
        place: Place,
        /// The generation, from 0.
        generation: u32,
        /// How many threads arrive.
        arrived: usize,
        /// How many it is for.
        expected: u32,
    },
    /// The host's orders between threads form a cycle.
    #[error("the orders between threads form a cycle through `{thread}`")]
    CyclicOrder {
        /// A thread on the cycle.
        thread: String,
    },
    /// The condition speaks of a register that is never assigned.
    #[error("the condition speaks of register `{register}` of thread `{thread}`, which is never assigned")]
    UnknownRegister {
        /// The thread.
        thread: String,
        /// The register.
        register: Register,
    },
    /// The condition speaks of a thread or location that does not exist.
    #[error("the condition speaks of the {what} `{name}`, which does not exist")]
    UnknownName {
        /// "thread" or "location".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// No execution satisfies the polls and assumptions, so that every verdict would be vacuous.
    #[error("no execution satisfies the polls and assumptions of the program: any verdict would be vacuous")]
    NoExecution,
    /// The search was given up. No verdict is drawn from the part that was seen.
    #[error("the program is too large: more than {limit} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit that was reached.
        limit: u64,
    },
}

/// What is wrong with one step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepProblem {
    /// The address names no location.
    #[error("location number {0} does not exist in the program")]
    NoSuchLocation(usize),
    /// An offset beyond 4 GiB.
    #[error("the offset {0} is beyond 4 GiB")]
    Offset(u64),
    /// The width of an access.
    #[error("an access of {0} bytes: 1, 2, 4, 8 and 16 are possible")]
    Width(u8),
    /// The element count of a vector.
    #[error("a vector of {0} elements: 1, 2, 4 and 8 are possible")]
    Count(u8),
    /// The address is not a multiple of the width.
    #[error("the access at offset {offset} is not aligned to its {width} bytes")]
    Misaligned {
        /// The offset.
        offset: u64,
        /// The width of the whole access.
        width: u64,
    },
    /// A number of registers or values that does not fit the vector.
    #[error("{given} registers or values for {count} elements")]
    ElementCount {
        /// How many there are.
        given: usize,
        /// How many elements the access has.
        count: u8,
    },
    /// Semantics that the kind of operation cannot have.
    #[error("{operation} cannot be {semantics}")]
    Semantics {
        /// The operation.
        operation: &'static str,
        /// The semantics.
        semantics: &'static str,
    },
    /// A proxy that the kind of operation cannot use.
    #[error("only weak loads, and weak stores to surfaces, go through another proxy here")]
    ProxyOperation,
    /// A register is used before it is assigned.
    #[error("register `{0}` is used before it is assigned")]
    UndefinedRegister(Register),
    /// Shared memory of a block in another cluster.
    #[error("`{0}` is in the shared memory of another cluster")]
    ForeignShared(String),
    /// A vector RMW, or `red` with a register.
    #[error("an atomic operation has one element, and a register exactly if it is `atom`")]
    AtomicShape,
    /// A bulk copy of an impossible size.
    #[error("a bulk copy of {0} bytes: between 1 and 64 are possible here")]
    BulkSize(u32),
    /// An mbarrier operation that both arrives and waits, or has a scope beyond the cluster.
    #[error("an mbarrier operation arrives or waits, at block or cluster scope")]
    MbarrierShape,
    /// A host thread at a barrier or with a bulk copy.
    #[error("a host thread has no barriers and no bulk copies")]
    HostOperation,
}
