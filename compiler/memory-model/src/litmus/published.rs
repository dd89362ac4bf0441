//! Litmus tests in the published text format for PTX: a header, initial values, one column of instructions a thread, and a
//! closing clause.
//!
//! ```text
//! PTX MP-relacq
//! "Message passing"
//! { x = 0; flag = 0; P1:r0 = 0; s @ surface aliases x; x2 @ generic aliases x; }
//!  P0@cta 0,gpu 0          | P1@cta 1,gpu 0           ;
//!  st.weak x, 1            | ld.acquire.gpu r0, flag  ;
//!  st.release.gpu flag, 1  | ld.weak r1, x            ;
//! exists (P1:r0 == 1 /\ P1:r1 != 1)
//! ```
//!
//! [`Test::parse`] reads the text, with located errors. [`Test::answer`] says whether the closing clause holds: for
//! `exists`, that some execution satisfies it; for `~exists`, that none does; for `forall`, that all do. A `filter` clause
//! restricts the executions.
//!
//! Threads with branches are unfolded into straight paths, and each combination of paths is one program of the model.
//! A barrier with a quorum is unfolded into the ways in which its arrivals can form groups; a thread that is left waiting
//! takes no further step, and a clause over a register that it never assigns does not hold. Where threads wait for each
//! other at barriers in a circle there is no execution, and so none that satisfies a clause.
//!
//! An alias through another proxy (`s @ surface aliases x`) is the same virtual address; a generic alias is another one,
//! and needs `fence.proxy.alias`.
//!
//! # Limits
//!
//! - A label is passed at most [`Limits::visits`] times; longer paths are cut off and [`Answer::bounded`] says so.
//! - Whether a spin ends (liveness) is not asked.
//! - All values have 64 bits, and comparisons are unsigned. `mul` and `div`, pointers as values and arrays are refused.

mod clause;
mod lexer;
mod parse;
mod paths;
mod quorum;
mod translate;

use super::{LitmusError, Parsed};
use crate::condition::Condition;
use crate::error::ModelError;
use crate::model::{Model, Verdict};
use crate::program::{Comparison, ProxyFence};
use crate::witness::Witness;
use crate::{Proxy, Scope, Semantics};

/// A parsed test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name in the header.
    pub name: String,
    /// The locations.
    pub locations: Vec<Declared>,
    /// Initial values of registers: thread, register, value.
    pub registers: Vec<(usize, String, u64)>,
    /// The threads.
    pub threads: Vec<Column>,
    /// Only executions in which this holds are looked at.
    pub filter: Option<Formula>,
    /// What the closing clause says of the executions.
    pub quantifier: Quantifier,
    /// Its formula.
    pub clause: Formula,
}

/// A declared location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: DeclaredKind,
}

/// What a declared location is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredKind {
    /// Memory, with its initial value.
    Memory(u64),
    /// Another virtual address of the location with this index.
    Alias(usize),
    /// A name of the location with this index, for accesses through another proxy.
    SameAddress(usize),
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name, `P0`.
    pub name: String,
    /// The GPU.
    pub gpu: u32,
    /// The block.
    pub cta: u32,
    /// The instructions, with the line that each stands on.
    pub instructions: Vec<(usize, Instruction)>,
}

/// A value: a number or a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A register.
    Register(String),
}

/// What an atomic operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtomicFunction {
    /// Adds.
    Add(Value),
    /// Subtracts.
    Subtract(Value),
    /// Bitwise and.
    And(Value),
    /// Bitwise or.
    Or(Value),
    /// Bitwise exclusive or.
    Xor(Value),
    /// Replaces.
    Exchange(Value),
    /// Replaces the first value by the second.
    CompareAndSwap(Value, Value),
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// `st`, `sust`.
    Store {
        /// Strength.
        semantics: Semantics,
        /// Scope; without meaning where weak.
        scope: Scope,
        /// Proxy.
        proxy: Proxy,
        /// Index of the location.
        location: usize,
        /// What is stored.
        value: Value,
    },
    /// `ld`, `tld`, `suld`, `cold`.
    Load {
        /// Strength.
        semantics: Semantics,
        /// Scope; without meaning where weak.
        scope: Scope,
        /// Proxy.
        proxy: Proxy,
        /// The register.
        register: String,
        /// Index of the location.
        location: usize,
    },
    /// `ld r0, 1`, `add r0, r0, 1`, `sub …`: a register gets `left + right` (or `left - right`).
    Set {
        /// The register.
        register: String,
        /// The first value.
        left: Value,
        /// The second.
        right: Value,
        /// It is subtracted.
        subtract: bool,
    },
    /// `atom`, `red`.
    Atomic {
        /// The register, of `atom`.
        register: Option<String>,
        /// Strength.
        semantics: Semantics,
        /// Scope.
        scope: Scope,
        /// Index of the location.
        location: usize,
        /// What is written.
        function: AtomicFunction,
    },
    /// `fence`.
    Fence {
        /// Strength.
        semantics: Semantics,
        /// Scope.
        scope: Scope,
    },
    /// `fence.proxy`.
    ProxyFence(ProxyFence),
    /// `bar.cta`.
    Barrier {
        /// It arrives without waiting.
        arrive: bool,
        /// Which barrier.
        id: Value,
        /// How many arrivals complete it; without it, all threads that have it.
        quorum: Option<u32>,
    },
    /// A label.
    Label(String),
    /// `goto`.
    Goto(String),
    /// `beq` and its kin.
    Branch {
        /// How the values are compared.
        comparison: Comparison,
        /// The left one.
        left: Value,
        /// The right one.
        right: Value,
        /// Where to.
        label: String,
    },
}

/// What the closing clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Some execution satisfies the formula.
    Exists,
    /// None does.
    NotExists,
    /// All do.
    Forall,
}

/// A formula over the final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A comparison.
    Compare(Atom, Comparison, Atom),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// At least one.
    Or(Box<Formula>, Box<Formula>),
    /// The opposite.
    Not(Box<Formula>),
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A number.
    Number(u64),
    /// The last value of a register of the thread with this index.
    Register(usize, String),
    /// The final content of the location with this index.
    Location(usize),
}

/// How far branches and barriers are unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a path may pass one label.
    pub visits: u32,
    /// How many combinations of paths and barrier groups are looked at.
    pub combinations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { visits: 2, combinations: 4096 }
    }
}

/// One program that a test stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The program.
    pub program: crate::Program,
    /// Holds exactly in the executions that this combination of paths allows and the filter admits.
    pub path: Condition,
    /// The formula of the clause; none where it speaks of a register that a waiting thread never assigns.
    pub clause: Option<Condition>,
}

/// All programs that a test stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variants {
    /// The programs.
    pub variants: Vec<Variant>,
    /// Longer paths were cut off.
    pub bounded: bool,
}

/// Whether the closing clause holds.
#[derive(Clone, Debug)]
pub struct Answer {
    /// It does.
    pub holds: bool,
    /// The execution that decided it: one that satisfies an `exists`, or one that contradicts the others.
    pub witness: Option<Box<Witness>>,
    /// Only paths up to a bound were looked at.
    pub bounded: bool,
    /// How many programs were looked at.
    pub programs: usize,
}

/// Why a test has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishedError {
    /// The text cannot be read, or asks for what is not supported.
    #[error("{0}")]
    Text(#[from] LitmusError),
    /// There are too many combinations of paths.
    #[error("the branches and barriers unfold into more than {0} programs")]
    TooManyPaths(usize),
    /// The model refuses.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The program has a race of different sizes.
    #[error("the program has no defined outcome: {0}")]
    Undefined(crate::Race),
}

impl Test {
    /// Reads a test.
    ///
    /// # Errors
    /// With line and column, at the first place that cannot be read or is not supported.
    pub fn parse(text: &str) -> Parsed<Self> {
        parse::test(text)
    }

    /// The programs that the test stands for.
    ///
    /// # Errors
    /// [`PublishedError::TooManyPaths`].
    pub fn variants(&self, limits: Limits) -> Result<Variants, PublishedError> {
        translate::variants(self, limits)
    }

    /// Whether the closing clause holds.
    ///
    /// # Errors
    /// As of [`Test::variants`] and [`Model::check`].
    pub fn answer(&self, model: &Model, limits: Limits) -> Result<Answer, PublishedError> {
        let Variants { variants, bounded } = self.variants(limits)?;
        let programs = variants.len();
        let (mut feasible, mut waits) = (false, false);
        for variant in variants {
            let Some(clause) = variant.clause else {
                waits = true;
                continue;
            };
            let bad_or_wanted = match self.quantifier {
                Quantifier::Exists | Quantifier::NotExists => clause,
                Quantifier::Forall => clause.not(),
            };
            match model.check(&variant.program, &variant.path.and(bad_or_wanted)) {
                // This combination of paths cannot be taken.
                Err(ModelError::NoExecution) => {}
                Err(error) => return Err(error.into()),
                Ok(Verdict::Forbidden) => feasible = true,
                Ok(Verdict::Undefined(_, race)) => return Err(PublishedError::Undefined(race)),
                Ok(Verdict::Allowed(witness)) => {
                    let holds = self.quantifier == Quantifier::Exists;
                    return Ok(Answer { holds, witness: Some(witness), bounded, programs });
                }
            }
        }
        // Where nothing comes to an end within the bound, any answer would be vacuous.
        if bounded && !feasible && !waits {
            return Err(ModelError::NoExecution.into());
        }
        let holds = match self.quantifier {
            Quantifier::Exists => false,
            Quantifier::NotExists => true,
            // Of a test in which nothing can come to its end, nothing is said.
            Quantifier::Forall => feasible,
        };
        Ok(Answer { holds, witness: None, bounded, programs })
    }
}
