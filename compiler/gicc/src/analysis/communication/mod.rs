//! What communicates in a kernel: each memory operation that matters, what it is, why, under which condition it is executed,
//! and what orders it. Everything here is plain data without a tie to LLVM: whoever judges, prints or draws a kernel needs
//! nothing else.
//!
//! ```text
//! Communication ─► Kernel ─► Site (class, access, address, guard, poll, packet, ordered_by)
//!                    ├─────► Control (blocks, dominators, loops; what reaches what; what stands between)
//!                    ├─────► Object (what a pointer points to, and whether a peer has it)
//!                    └─────► Relations (the communication graph, a petgraph)
//! ```
//!
//! | file | what it says |
//! | --- | --- |
//! | `site` | one operation: class, kind, order, scope, width, place |
//! | `address` | where an address comes from, and whether a peer has what it points to |
//! | `guard` | which threads execute a site |
//! | `control` | order in the program: reachability, dominance, loops, what stands on every path |
//! | `kernel` | all of a kernel; the communication graph |
//! | `json` | the same as it is written by `--format json` |
//!
//! Where something could not be decided it says so (`Unknown`, `Remote::Maybe`, [`Assumption`]); it never guesses silently.

pub mod address;
pub mod control;
pub mod guard;
pub mod json;
pub mod kernel;
pub mod site;

pub use address::{Address, Evidence, Object, ObjectId, Offset, Origin, Reason, Remote, Space, Stride};
pub use control::{BlockId, Control, Loop, LoopId, Position};
pub use guard::{Condition, Guard, Who};
pub use kernel::{Assumption, AssumptionKind, Communication, Kernel, Relation, RelationKind, UncheckedWait};
pub use site::{
    Access, Barrier, Class, Comparison, How, Number, Operation, Ordered, Packet, PlaceStack, Poll, Shape, Site, SiteId,
    ValueId,
};
