//! Weak memory: what the PTX memory model lets a read return, executed.
//!
//! Operations are executed one by one in some order. Each piece of memory has a history of writes, and each thread a
//! vector clock of what is causally before it. A read returns *any* write that causality does not hide: so a missing
//! release and a missing acquire both show as old data. What a read returns and who runs next are choices, drawn from a
//! seed ([`choice::Seeded`]) or gone through one by one ([`explore::Explorer`]). Nothing here knows gicc's signals or
//! primitives; the engine sees PTX events.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `clock`, `message` | clocks compressed by blocks; what a write publishes, by scope |
//! | `history` | cells and their writes; the granules that have been touched |
//! | `order` | which operations are before, and which pairs are morally strong |
//! | `engine` | reads, writes, atomics, fences, barriers |
//! | `copies` | the asynchronous proxy |
//! | `race`, [`report`] | races and old reads, and what is missing; in words |
//! | [`choice`], [`explore`] | where choices come from; sleep sets |
//! | [`program`], [`litmus`] | programs of the memory model in the engine, against the axioms |
//! | [`record`] | what was executed, as a program of the memory model |
//! | `run` | the engine of the launches that run together |
//!
//! # How it follows the model
//!
//! - **Causality** (PTX ISA §8.9.5): a release pattern publishes what precedes its *first* instruction. A strong write
//!   therefore carries the clocks of the thread's last releasing fence of each scope, of its earlier release operations
//!   on that location, and its own if it releases. A strong read that is morally strong with it takes the parts whose
//!   scope and whose own acquire's scope include the other thread, at once (an acquire), or at a later acquire of the
//!   location or a later fence.
//! - **Observation** (§8.9.2): the write of an atomic operation carries on what it read; a plain store does not. A read
//!   that observed a write hides older ones from whatever follows it, without any acquire.
//! - **Coherence** (§8.9.6): between writes of a cell that causality orders or that are morally strong, in the order of
//!   execution. Others have no order, and each may be read until it is hidden.
//! - **SC per location** (§8.10.5): strong accesses do not go back behind what they have seen.
//! - **Atomicity** (§8.10.3): an atomic operation reads the last write that is morally strong with it; a strong word of 16
//!   bytes is not torn (assumption `b128-single-copy`). Vector accesses are separate scalars.
//! - **`fence.sc`** (§8.9.3): each takes what the ones before it publish, where both scopes include the other.
//! - **Barriers** of blocks, clusters, warps (`bar.warp.sync`), mbarriers: all arrivals before all that wait.
//! - **The asynchronous proxy** (assumption `async-as-proxy`): a bulk copy starts with what is before its instruction,
//!   sees of generic accesses what proxy fences of its block let through, happens at any time up to the wait that covers
//!   it, and is before what follows that wait; `.read` covers its reads only.
//! - **Kernel boundaries**: all launches that run together start with the same memory, and the host sees everything when
//!   they have ended. Blocks of later waves are not ordered after earlier ones.
//! - One address for each location (assumption `one-address-per-location`).
//!
//! # What it does not reach
//!
//! Every outcome is one that the axioms allow (tests: litmus tests and random programs, whose outcomes are a subset of
//! those of the axiomatic model). Not every allowed one is reached:
//!
//! - *Load buffering*: a read returns no write that is executed after it. Where that means overwriting too early, the
//!   race is told: a write that is unordered with an earlier read.
//! - *2+2W and S*: coherence follows the order of execution, so a strong write never gets a place before one that was
//!   executed earlier.
//! - Aliases without their proxy fence.
//! - Histories are bounded ([`Options::history`]): what has fallen out of one is not read any more. Several weak writes of
//!   one thread to one place without a release in between leave one entry where there are four.
//!
//! Approximated towards more order: chains of more than a dozen atomic operations below GPU scope; mbarriers, whose
//! arrivals all release and whose waits all acquire; `cp.async` without `.bulk`, which happens at once.
//! Races: the last 24 unordered reads of a place are remembered, and one pair is told for each pair of source places.
//!
//! # Systematic exploration
//!
//! [`explore::Explorer`] goes through all choices, depth first, with sleep sets: of executions that differ in the order
//! of independent steps one is run. When [`explore::Explorer::advance`] says false, all have been seen. A loop that reads
//! one place again waits for another value there, so that polls are finite. It is for kernels of a few threads with a few
//! dozen accesses each.
pub(crate) mod access;
pub mod choice;
pub(crate) mod clock;
pub(crate) mod copies;
mod engine;
pub mod explore;
pub(crate) mod history;
pub mod litmus;
mod message;
mod order;
pub mod program;
mod race;
pub mod record;
pub mod report;
pub(crate) mod run;

pub use engine::{Engine, Options};
pub use message::BlockPlace;
pub use race::{AccessKind, Missing, Party, Race, StaleRead};
