//! Weak memory.
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
