//! Where values come from: which memory each pointer, and each number that may be one, may point to.
//!
//! A flow through arithmetic, casts, phis and selects, through structures, through arrays in local and shared memory (what
//! was stored there is what loads give), through copies of memory, and through tables in global, constant and parameter
//! memory (whose contents have names only: [`path::Path::Loaded`]). Solved by passing over the body until nothing changes; sets are
//! small, distances widen, so that the number of passes does not grow with the body.
//!
//! Limits: stores into global memory are not followed; two names may be the same memory. A number of 32 bits or less that was
//! extended is taken for an index where it is added to something.

pub(crate) mod path;
mod solve;
pub(crate) mod value;
pub(crate) mod words;

pub(crate) use path::{Bytes, Path, PathId, Paths, Pick};
pub(crate) use solve::{Provenance, solve};
pub(crate) use value::Value;
