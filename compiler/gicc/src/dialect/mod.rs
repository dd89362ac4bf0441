//! Step 2 for MLIR input and for collectives: the dialect `gicc`, and how MLIR is read, transformed and left.
//!
//! | file | what it is |
//! | --- | --- |
//! | `ods/` | the operations, types and attributes, in TableGen; `Codes.td` comes from `runtime/abi` |
//! | `cpp/` | verifiers and memory effects, and the little of MLIR that its C interface lacks |
//! | `context` | an MLIR context with everything registered |
//! | `messages` | MLIR's messages become diagnostics with their places |
//! | `module` | read, run passes, print, leave for LLVM |
//! | `ir` | building and walking operations; typed views of the dialect's attributes and types |
//! | `passes` | the passes by name, and the pipelines |
//! | `lower` | operations become calls of intrinsics |
//! | `device` | what a file holds becomes one module of device code |
//!
//! `RATIONALE.md` says what each operation means under the PTX memory model.
//!
//! Everything here runs on one thread: a compilation is a forked child, and its output does not depend on timing. No panic
//! crosses into C++: passes are entered through [`passes::guarded`].

mod context;
mod device;
pub mod ir;
pub(crate) mod lower;
mod messages;
mod module;
pub mod passes;

pub use context::{context, dialect_handle};
pub use messages::{Caught, emit_error, emit_error_with_note, emit_remark, span_of};
pub(crate) use module::parse_own_text;
pub use module::{copy, parse_file, parse_text, run_passes, text_of, to_llvm};
