//! Step 4: facts about level L, read-only.
//!
//! | file | fact |
//! | --- | --- |
//! | `flow` | the control-flow graph of a function, its dominators and loops |
//! | `effects` | what each instruction means for the order of memory |
//! | `communication` | what communicates in a kernel, as data: what `gicc check` and `gicc explain` work on |
//! | `words` | the same in words |

pub(crate) mod annotated;
pub mod annotation;
pub(crate) mod body;
pub(crate) mod classify;
pub mod communication;
pub(crate) mod effects;
pub(crate) mod flow;
pub(crate) mod guards;
pub(crate) mod known;
pub(crate) mod numbering;
pub(crate) mod operations;
pub(crate) mod polls;
pub(crate) mod provenance;
pub(crate) mod rewritten;
pub(crate) mod strides;
pub(crate) mod through;
pub mod words;
