//! The PTX memory model.

mod assumption;
mod condition;
mod error;
mod graph;
pub mod litmus;
mod model;
mod print;
mod program;
mod race;
mod relation;
mod search;
mod vocabulary;
mod weaken;
mod witness;

pub use assumption::{Assumption, Assumptions};
pub use condition::{Condition, Term};
pub use error::{ModelError, StepProblem};
pub use model::{Judgement, Model, Outcome, Outcomes, Verdict};
pub use program::{
    Access, Address, BarrierAction, BarrierLevel, Comparison, InitialValue, Location, LocationId, Op, Operand, Place,
    Program, ProxyFence, Register, RmwFunction, Space, Step, Thread, ThreadBuilder, ThreadId, Until,
};
pub use race::{Race, RaceKind};
pub use vocabulary::{Proxy, Scope, Semantics};
pub use weaken::{Change, Weakening, weakenings};
pub use witness::{ReadFrom, Witness};
