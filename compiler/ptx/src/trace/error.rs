//! Why an execution stopped.

use super::memory::MemoryFault;
use crate::span::Span;
use thiserror::Error;

/// An error of the executor, with the statement at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{span}: {kind}")]
pub struct TraceError {
    /// What happened.
    pub kind: TraceErrorKind,
    /// The statement; of a deadlock, that of the first waiting thread.
    pub span: Span,
    /// The thread, as its linear index in the block.
    pub thread: u32,
}

/// The kinds of errors of the executor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TraceErrorKind {
    /// The launch does not fit the module.
    #[error("the launch does not fit: {0}")]
    Launch(String),
    /// An instruction that is in the table but that the executor does not execute.
    #[error("`{0}` cannot be executed")]
    Unsupported(String),
    /// A statement that is not in the table.
    #[error("`{opcode}` is not known: {reason}")]
    Unknown {
        /// The opcode.
        opcode: String,
        /// Why.
        reason: String,
    },
    /// A register was read before it was written.
    #[error("the register `{0}` is read before it is written")]
    Undefined(String),
    /// A name that nothing declares.
    #[error("nothing declares `{0}`")]
    Undeclared(String),
    /// A function without a body and without an entry in the launch's external functions.
    #[error("the function `{0}` has no body here")]
    External(String),
    /// Calls nested deeper than the executor follows.
    #[error("calls are nested deeper than {0} levels")]
    CallDepth(usize),
    /// A thread took more steps than the launch allows.
    #[error("the thread took more than {0} steps")]
    StepLimit(u64),
    /// Every thread that is left waits.
    #[error("no thread can go on: {0}")]
    Deadlock(String),
    /// The memory refused an access.
    #[error("{0}")]
    Memory(#[from] MemoryFault),
    /// An address outside the memory that the executor itself keeps.
    #[error("{what} address {address:#x} with {bytes} bytes is outside what is declared")]
    OutOfRange {
        /// The state space.
        what: &'static str,
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// An address that is no multiple of the access's size.
    #[error("address {address:#x} is not aligned to {bytes} bytes")]
    Misaligned {
        /// The address.
        address: u64,
        /// The size.
        bytes: u32,
    },
    /// A division by zero, a branch index out of range, and other values that PTX leaves undefined.
    #[error("the result is undefined: {0}")]
    UndefinedResult(String),
}

impl TraceErrorKind {
    pub(super) fn at(self, span: Span) -> TraceError {
        TraceError { kind: self, span, thread: 0 }
    }
}
