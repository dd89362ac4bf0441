//! What can be wrong with a PTX text, located.
//!
//! A statement that is well-formed but not in the instruction table is no error: it is kept as
//! [`Unknown`](crate::Unknown).

use crate::span::Span;
use thiserror::Error;

/// An error with the place where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{span}: {kind}")]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Where.
    pub span: Span,
}

/// The kinds of errors of the lexer and the parser.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseErrorKind {
    /// A byte sequence that begins no PTX token.
    #[error("this is no PTX token: `{0}`")]
    Token(String),
    /// Something else was needed here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would have been right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The text ends inside a construct.
    #[error("the text ends inside {0}")]
    UnexpectedEnd(&'static str),
    /// A number that does not fit.
    #[error("the number `{0}` does not fit its type")]
    Number(String),
    /// Blocks or operands nested deeper than the parser follows.
    #[error("nested deeper than {0} levels")]
    TooDeep(usize),
    /// An operand placeholder of inline assembly that cannot be read.
    #[error("`{0}` is no operand placeholder of inline assembly")]
    Placeholder(String),
    /// A placeholder without a constraint.
    #[error("operand {index} is used, but the constraint string describes {count} operands")]
    PlaceholderOutOfRange {
        /// The number in the text.
        index: u32,
        /// How many operands there are.
        count: usize,
    },
    /// A constraint that NVPTX does not have.
    #[error("`{0}` is no inline-assembly constraint of NVPTX")]
    Constraint(String),
}

impl ParseError {
    pub(crate) fn new(kind: ParseErrorKind, span: Span) -> Self {
        Self { kind, span }
    }
}
