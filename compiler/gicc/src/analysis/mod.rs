//! Step 4: facts about level L, read-only.
//!
//! | file | fact |
//! | --- | --- |
//! | `flow` | the control-flow graph of a function, its dominators and loops |
//! | `effects` | what each instruction means for the order of memory |

pub(crate) mod effects;
pub(crate) mod flow;
