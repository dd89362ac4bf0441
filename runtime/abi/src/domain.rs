//! Domains: which numbers they have, and how IR says what is declared and what belongs to them.
//!
//! A domain is a name, a number and a scope. Programs speak of names; calls of intrinsics and descriptors carry the number,
//! by which a table of a domain's own is found, so numbers are small.

/// The largest number of a domain; 0 is the whole symmetric heap.
pub const LARGEST: u32 = 255;

/// What the symbols of the variables begin with that MLIR's declarations become. Such a variable holds the text
/// `NAME NUMBER SCOPE PLACE`, the scope as [`crate::codes::Scope`] numbers it, the place as `FILE:LINE:COLUMN` or nothing.
pub const DECLARATION_PREFIX: &str = "gicc.domain.";

/// The attribute of a function that says which of its parameters belong to domains: `0:halo,2:halo,2:rows`.
pub const MEMBERS_ATTRIBUTE: &str = "gicc.domains";
