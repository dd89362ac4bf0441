//! The host runtime: symmetric memory, teams, module load and init, launches whose error words are read, and checked runs
//! of compiled folders. No LLVM is linked, and CUDA's driver is loaded only when GPUs are used.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`launch`] | the launch description `launch.toml` |
//! | [`backend`] | what a team runs on |
//! | [`team`] | PEs with symmetric memory; modules made usable; launches |
//! | [`record`] | the record of a compiled module |
//! | [`device_error`] | error words in words |
//! | [`folder`] | a compiled folder, its parts checked against each other |
//! | [`reference`] | the host function that computes expected results |
//! | [`compare`] | results against expected results |
//! | [`run`] | a folder run on random data |
//! | [`together`] | several folders' modules in one team |
//! | [`report`] | what a run reports |
//! | [`bench`] | a kernel timed over swept parameters |
//! | [`error`] | everything that can go wrong |
//!
//! The compiler is never imported here, and the compiler never imports this crate.

pub mod backend;
pub mod bench;
pub mod compare;
pub mod device_error;
pub mod error;
pub mod folder;
pub mod launch;
pub mod record;
pub mod reference;
pub mod report;
pub mod run;
pub mod team;
pub mod together;

pub use error::HostError;
pub use report::{Outcome, RunReport, exit_code};
pub use run::{Memory, RunOptions, Target, run_folder};
