//! The PTX memory model: what threads on several GPUs may see of each other's memory operations.
//!
//! This crate is the one place in the project where ordering is decided. Proofs of lowering templates, the checker,
//! the simulator's tests and the fuzzers ask it; none has rules of its own. It depends on nothing else here.
//!
//! A [`Program`] is a few threads, each with a [`Place`] and a straight list of operations. [`Model::check`] says
//! whether a [`Condition`] can hold at the end of some execution, and shows such an execution as a [`Witness`] in
//! words; [`Model::outcomes`] lists all final states and the data races. The search is exhaustive: it either sees
//! every execution or refuses with [`ModelError::TooLarge`].
//!
//! # A proof
//!
//! A component that extracts events from emitted PTX makes each thread of them, with [`ThreadBuilder::op_with_text`]
//! so that witnesses show the PTX; adds the waiting side; and asks for the bad outcome. A spin is one load with the
//! value that ended it. [`Program::symbol`] finds or adds a location by its name.
//!
//! ```
//! use memory_model::{Access, Condition, Model, Op, Place, Program, Scope, Semantics, weakenings};
//!
//! let mut program = Program::new();
//! let (data, sig) = (program.symbol("data"), program.symbol("sig"));
//!
//! // Extracted: one thread of GPU 0 stores data, another one releases the signal after the block's barrier.
//! program
//!     .thread("writer", Place::block(0, 0))
//!     .op_with_text(Op::Store { access: Access::weak(data, 4), values: vec![7.into()] }, "st.global.u32 [%rd1], %r1;")
//!     .barrier(0);
//! program
//!     .thread("signaller", Place::block(0, 0))
//!     .barrier(0)
//!     .store(Access::strong(Semantics::Release, Scope::Sys, sig, 8), 1);
//!
//! // Closing side: GPU 1 polls the signal, then reads.
//! program
//!     .thread("waiter", Place::block(1, 0))
//!     .poll("flag", Access::strong(Semantics::Acquire, Scope::Sys, sig, 8), 1)
//!     .load("r", Access::weak(data, 4));
//!
//! let stale = Condition::register("waiter", "r", 7).not();
//! let model = Model::default();
//! assert!(model.check(&program, &stale)?.is_forbidden());
//!
//! // Each ordering is needed: with any one of them weaker, the stale read is possible.
//! for weaker in weakenings(&program) {
//!     assert!(model.check(&weaker.program, &stale)?.is_possible(), "{} {}", weaker.step, weaker.change);
//! }
//! # Ok::<(), memory_model::ModelError>(())
//! ```
//!
//! A poll that can never end would make any bad outcome impossible; such a program is refused
//! ([`ModelError::NoExecution`]). Write the condition over what is read *after* the poll, and the value that the poll
//! waits for into the poll. A race of accesses of different size gives [`Verdict::Undefined`], which is not forbidden.
//! Whether a sending side is right may depend on who receives: [`Judgement`] sums up the verdicts.
//! Programs can also be written as text, see [`litmus`].
//!
//! # An observed execution
//!
//! Whether the axioms explain what a simulator or a machine did is the same question: the program of what was
//! executed, with the values that were stored as constants where no dependency is claimed, and the conjunction of what
//! the loads returned as condition. (A poll instead of a condition would claim a control dependency.)
//!
//! ```
//! use memory_model::{Model, litmus::{Expectation, Litmus}};
//!
//! let trace = Litmus::parse("
//!     global x y
//!     thread A on 0.0
//!       ld.relaxed.sys r0, [x]
//!       st.relaxed.sys [y], 1
//!     thread B on 1.0
//!       ld.relaxed.sys r0, [y]
//!       st.relaxed.sys [x], 1
//!     exists A.r0 == 1 && B.r0 == 1")?;
//! let Expectation::Exists(seen) = &trace.expectations[0] else { unreachable!() };
//! let verdict = Model::default().check(&trace.program, seen)?;
//! let witness = verdict.witness().expect("load buffering is allowed");
//! assert!(witness.explanations[0].text.contains("load buffering"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is modelled
//!
//! | PTX ISA | subject | where |
//! | --- | --- | --- |
//! | §8.2.1, §8.2.2 | overlap, aliases | `graph` |
//! | §8.2.4 | vector accesses: separate scalars without mutual order | `graph::lower` |
//! | §8.2.6 | initial writes, before every thread | `graph::lower` |
//! | §8.4, §8.5 | operation types, scopes; volatile is relaxed at system scope | `vocabulary`, `program` |
//! | §8.6, §9.7.13 | proxies and proxy fences (alias, async; texture, surface and constant as in the published mixed-proxy model) | `graph` |
//! | §8.7 | moral strength; races, of different sizes too | `graph::strength`, `race` |
//! | §8.8 | release and acquire patterns; they cover what precedes their first, or follows their last, instruction | `graph::strength` |
//! | §8.9.1 | program order; bulk copies outside it, ordered by `wait_group` or an mbarrier | `graph::assemble` |
//! | §8.9.2 | observation through chains of atomic operations; a plain store ends a chain | `search` |
//! | §8.9.3, §8.10.2 | fence-SC order | `search` |
//! | §8.9.4 | patterns, block and cluster barriers by generation, mbarriers by phase, orders made by the host | `search`, `graph::barrier`, `graph::assemble` |
//! | §8.9.5, §8.10.6 | base causality, proxies, causality | `graph`, `search` |
//! | §8.9.6, §8.10.1 | coherence, partial on racing writes | `search::coherence` |
//! | §8.10.3, §8.10.5 | atomicity, SC per location | `search::coherence` |
//! | §8.10.4 | no values out of thin air: data, address and control dependencies; else loads may be buffered | `search` |
//! | §8.11.1 | `red` starts no acquire pattern | `graph::strength` |
//!
//! # Assumptions
//!
//! They have names, [`Assumptions`] switches them, and [`Model::assumptions_of`] says which a program rests on.
//! - `b128-single-copy`: strong 16-byte scalar accesses are single-copy atomic (the manual promises 8 bytes).
//! - `reduction-carries-dependency`: what depends on the result of `bar.red` depends on the predicates of all threads that
//!   took part: the reduction communicates values (PTX ISA §9.7.13.1), where a plain barrier communicates none, so that
//!   behind the latter another thread's store may be seen by a load in front of it (§8.10.4).
//! - `async-as-proxy`: the asynchronous proxy obeys base causality; `fence.proxy.async` in the block of a copy orders
//!   generic accesses before it, and its completion orders it before generic accesses.
//! - `one-address-per-location`: a program reaches a location by one virtual address, where it declares no alias.
//!
//! Beside them: a scalar access of up to 8 bytes returns no mixture of racing writes of the same size, also where it
//! is weak; an atomic operation's write depends on its read.
//!
//! # Limits
//!
//! - At most 256 events, and [`Model::step_limit`] steps of search: a decision is one or more, by the number of events, and
//!   so many looks at pairs of events are one. Typical programs of five threads with eight operations take milliseconds.
//! - No branches and no loops: the rounds of a spin before the last are not seen, nor is whether a spin ends.
//!   A barrier is taken to complete, and the n-th arrival of each thread at it belongs to its n-th generation; a
//!   thread that never arrives, or a choice of which threads meet, is noticed (and refused) only where the barrier
//!   names its number of participants.
//! - Not expressible, and so to be refused by whoever extracts events: multimem accesses, bulk
//!   reductions, `cp.async` of a thread, `wgmma`, strong or atomic texture and surface accesses; `ld.global.nc` is a texture load
//!   (which is ordered only by the start of a kernel), the tensormap proxy.

mod assumption;
mod builder;
mod condition;
mod error;
mod graph;
pub mod litmus;
mod meter;
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
pub use builder::ThreadBuilder;
pub use condition::{Condition, Term};
pub use error::{ModelError, StepProblem};
pub use model::{Judgement, Model, Outcome, Outcomes, Verdict};
pub use program::{
    Access, Address, BarrierAction, BarrierLevel, Comparison, InitialValue, Location, LocationId, Op, Operand, Place,
    Program, ProxyFence, Register, RmwFunction, Space, Step, Thread, ThreadId, Until,
};
pub use race::{Race, RaceKind};
pub use vocabulary::{Proxy, Scope, Semantics};
pub use weaken::{Change, Weakening, weakenings};
pub use witness::{Explanation, Operation, ReadFrom, Witness};
