//! Step 4: facts about level L, read-only.
//!
//! | file | fact |
//! | --- | --- |
//! | `flow` | the control-flow graph of a function, its dominators and loops |
//! | `effects` | what each instruction means for the order of memory |
//! | `communication` | what communicates in a kernel, as data: what `gicc check` and `gicc explain` work on |
//! | `words` | the same in words |

pub mod communication;
pub(crate) mod effects;
pub(crate) mod flow;
pub mod words;
