//! Waits whose failure nothing looks at, as notes: which these are was found while they still were calls.

use super::code;
use super::report::Finding;
use crate::analysis::communication::{Communication, Kernel};

/// The note on a kernel.
pub(super) fn find(communication: &Communication, kernel: &Kernel) -> Option<Finding> {
    let wait = communication.unchecked.iter().find(|wait| wait.kernel == kernel.name)?;
    Some(Finding::unasked(
        &code::UNCHECKED_ERROR,
        &kernel.name,
        wait.place.clone(),
        "nothing looks whether the wait failed",
        "a wait that reaches its bound returns, and the kernel goes on with data that never came",
        "ask gicc::error() or gicc::failed<group>() behind the wait and return, or compile with --check-errors strict",
    ))
}
