//! The simulator. It loads programs that the compiler made for it and runs them on any number of PEs, blocks and threads,
//! on one host thread, without a GPU.
//!
//! Each GPU thread is a coroutine. It runs natively until it calls the simulator: every access to memory that others can
//! see, every atomic, fence, barrier and warp operation is such a call (`gicc_abi::sim`). The order in which threads run
//! is drawn from a seed, and the same seed gives the same run.
//!
//! ```no_run
//! use gicc_sim::{Config, Launch, Machine};
//! let mut machine = Machine::new(Config { pes: 2, ..Config::default() })?;
//! let module = machine.load("kernel.so".as_ref())?;
//! let data = machine.alloc(0, 4096, "data")?;
//! let report = machine.launch(&[Launch {
//!     pe: 0,
//!     module,
//!     kernel: "kernel",
//!     grid: [4, 1, 1],
//!     block: [256, 1, 1],
//!     shared_bytes: 0,
//!     params: &data.to_le_bytes(),
//! }])?;
//! # Ok::<(), gicc_sim::SimError>(())
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`], [`report`], [`error`] | what goes in and what comes out |
//! | [`machine`] | the simulated GPUs: memory, modules, launches |
//! | `memory` | which addresses exist, whose they are, and their names |
//! | `program` | loading of a program |
//! | `stack`, `thread`, `block`, `warp`, `barrier` | the state of what runs |
//! | `schedule` | who runs when; blocks in waves; virtual time; deadlock |
//! | `wait` | reports of who waits for what |
//! | `entry` | the entry points that programs call |
//! | `print` | `printf` |
//! | `trap` | host signals become errors |
//! | [`weak`] | weak memory: the engine, choices, exploration, races, reports, records |
//! | `explore_run` | running with every choice gone through |
//!
//! # What is simulated how
//!
//! - Memory is functional or weak ([`MemoryMode`]). Functional: every access takes effect at once, for everybody. Weak: an
//!   engine of histories and clocks decides what each read may return ([`weak`]); it sees PTX events only.
//! - `bar.sync` without a count waits for all threads of the block that have not exited (CUDA programming guide, on
//!   Volta and later). With a count it waits for that many; a warp whose threads that have not exited have all arrived
//!   counts as 32, as PTX counts warps.
//! - A lane that has exited is not waited for by operations of its warp.
//! - A multicast address ([`Machine::multicast`]) stands for one location of every PE. A multimem instruction accesses them
//!   one after another, in the order of the PEs, each as an ordinary access at the PE's own address would; other threads
//!   may run in between.
//! - A cluster is one block. Asynchronous copies are complete when their instruction has run.
//! - Time is virtual: about a nanosecond for each access or loop iteration of the busiest thread. When everybody waits,
//!   it jumps, so that a bounded wait reaches its bound.
//!
//! Limits: x86-64 Linux, processors with AVX2, FMA and F16C.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("the simulator runs on x86-64 Linux");

mod barrier;
mod block;
pub mod config;
mod entry;
pub mod error;
mod explore_run;
pub mod machine;
mod memory;
mod print;
mod program;
pub mod report;
mod schedule;
mod stack;
mod thread;
mod trap;
mod wait;
mod warp;
pub mod weak;

pub use config::{Config, MemoryMode};
pub use error::{AccessProblem, FaultKind, LaunchProblem, LoadProblem, Place, SimError, Source};
pub use machine::{Launch, Machine, ModuleId};
pub use report::Report;
