//! The driver: options, stages, tools outside, and the one place where the order of passes is written ([`pipeline`]).

mod arch;
mod cache;
pub(crate) mod entries;
pub mod folder;
mod options;
mod output;
pub mod pipeline;
mod stage;
mod tools;
pub mod units;

pub use arch::Arch;
pub use cache::Cache;
pub use options::{CheckErrors, Emit, Examination, Options};
pub use output::write as write_output;
pub use pipeline::{Compiled, Failed, Observer, check, compile, examine};
pub use stage::Stage;
pub use tools::{Found, Tools};
