//! The PTX memory model.

mod vocabulary;

pub use vocabulary::{Proxy, Scope, Semantics};
