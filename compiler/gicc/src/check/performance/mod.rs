//! Findings of performance: what is right, and costs more than it needs to.
//!
//! | file | what it finds |
//! | --- | --- |
//! | `fences` | fences that are needless, too wide, too strong, or executed by too many |
//! | `programs` | what the memory model is asked about them |
//! | `stores` | arrays that go to a peer in narrow stores |
//! | `polls` | polls behind which a warp goes on diverged |
//!
//! That less order is enough is never guessed: it is said of a fence whose every use is seen in small launches, and after the
//! memory model has found no race and no other outcome without it. Where a peer or the host may depend on the fence in a way
//! that the launches do not show, nothing is said.

mod fences;
mod polls;
mod programs;
mod stores;

use super::code::Code;
use super::execute::Explored;
use super::report::Finding;
use crate::analysis::communication::{Kernel, Shape, Site};

/// The findings of a kernel; `others` are those that were made before.
pub(crate) fn findings(kernel: &Kernel, explored: &Explored, others: &[Finding]) -> Vec<Finding> {
    let mut found = fences::find(kernel, explored, others);
    found.extend(stores::find(kernel));
    found.extend(polls::find(kernel, others));
    found
}

/// Whether an operation is one of gicc's own primitives, which nobody can write otherwise.
fn is_own(site: &Site) -> bool {
    matches!(&site.access.shape, Shape::Intrinsic(name) if name.starts_with("__gicc_"))
}

/// A finding at a site that no question to the memory model belongs to.
fn seen(kernel: &Kernel, code: &'static Code, site: &Site, message: String, cause: String, cure: &str) -> Finding {
    Finding::unasked(code, &kernel.name, site.place.innermost.clone(), message, cause, cure)
}
