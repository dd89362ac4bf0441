//! Conditions on the final state: comparisons of registers and memory, combined.

use std::fmt;

use crate::program::{Comparison, Register};

/// What a condition speaks of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// The last value of a register of a thread.
    Register {
        /// The thread, by name.
        thread: String,
        /// The register.
        register: Register,
    },
    /// The final content of memory.
    Memory {
        /// The location, by name.
        location: String,
        /// Bytes from its start.
        offset: u64,
        /// Width in bytes, 1 to 16.
        width: u8,
    },
}

/// A condition on the final state of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Holds always.
    True,
    /// A comparison with a number.
    Compare(Term, Comparison, u128),
    /// A comparison of two terms.
    CompareTerms(Term, Comparison, Term),
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// At least one holds.
    Or(Box<Condition>, Box<Condition>),
    /// Does not hold.
    Not(Box<Condition>),
}

impl Condition {
    /// `thread.register == value`
    pub fn register(thread: &str, register: &str, value: u128) -> Self {
        let term = Term::Register { thread: thread.to_owned(), register: register.into() };
        Condition::Compare(term, Comparison::Eq, value)
    }

    /// `[location] == value`, for `width` bytes at the start of the location.
    pub fn memory(location: &str, width: u8, value: u128) -> Self {
        let term = Term::Memory { location: location.to_owned(), offset: 0, width };
        Condition::Compare(term, Comparison::Eq, value)
    }

    /// Both.
    pub fn and(self, other: Condition) -> Self {
        Condition::And(Box::new(self), Box::new(other))
    }

    /// At least one.
    pub fn or(self, other: Condition) -> Self {
        Condition::Or(Box::new(self), Box::new(other))
    }

    /// The opposite.
    #[expect(clippy::should_implement_trait, reason = "it reads as the word in a chain; `!` is not wanted")]
    pub fn not(self) -> Self {
        Condition::Not(Box::new(self))
    }

    /// The terms, each once for each time that it is written.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Condition::True => Vec::new(),
            Condition::Compare(term, ..) => vec![term],
            Condition::CompareTerms(left, _, right) => vec![left, right],
            Condition::And(left, right) | Condition::Or(left, right) => {
                let mut terms = left.terms();
                terms.extend(right.terms());
                terms
            }
            Condition::Not(inner) => inner.terms(),
        }
    }

    /// The comparisons that hold whenever the condition does.
    pub(crate) fn implied(&self) -> Vec<(&Term, Comparison, u128)> {
        match self {
            Condition::Compare(term, comparison, value) => vec![(term, *comparison, *value)],
            Condition::And(left, right) => {
                let mut all = left.implied();
                all.extend(right.implied());
                all
            }
            Condition::True | Condition::CompareTerms(..) | Condition::Or(..) | Condition::Not(_) => Vec::new(),
        }
    }

    /// Whether it holds where the terms have the values that `value_of` gives.
    pub(crate) fn holds(&self, value_of: &dyn Fn(&Term) -> u128) -> bool {
        match self {
            Condition::True => true,
            Condition::Compare(term, comparison, value) => comparison.holds(value_of(term), *value),
            Condition::CompareTerms(left, comparison, right) => comparison.holds(value_of(left), value_of(right)),
            Condition::And(left, right) => left.holds(value_of) && right.holds(value_of),
            Condition::Or(left, right) => left.holds(value_of) || right.holds(value_of),
            Condition::Not(inner) => !inner.holds(value_of),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Register { thread, register } => write!(f, "{thread}.{register}"),
            Term::Memory { location, offset: 0, width } => write!(f, "[{location}].b{}", u32::from(*width) * 8),
            Term::Memory { location, offset, width } => write!(f, "[{location}+{offset}].b{}", u32::from(*width) * 8),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::True => f.write_str("true"),
            Condition::Compare(term, comparison, value) => write!(f, "{term} {comparison} {value}"),
            Condition::CompareTerms(left, comparison, right) => write!(f, "{left} {comparison} {right}"),
            Condition::And(left, right) => write!(f, "({left} && {right})"),
            Condition::Or(left, right) => write!(f, "({left} || {right})"),
            Condition::Not(inner) => write!(f, "!({inner})"),
        }
    }
}
