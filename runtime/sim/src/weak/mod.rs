//! Weak memory.
mod access;
pub mod choice;
mod clock;
mod copies;
mod engine;
pub mod explore;
mod history;
mod message;
mod order;
pub mod program;
mod race;

pub use engine::{Engine, Options};
pub use message::BlockPlace;
pub use race::{AccessKind, Missing, Party, Race, StaleRead};
