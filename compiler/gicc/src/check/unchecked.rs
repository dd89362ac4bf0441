//! Waits whose failure nothing looks at, as notes: which these are was found while they still were calls.

use super::code;
use super::report::{Confirmed, Finding};
use crate::analysis::communication::{Communication, Kernel};

/// The note on a kernel.
pub(super) fn find(communication: &Communication, kernel: &Kernel) -> Option<Finding> {
    let wait = communication.unchecked.iter().find(|wait| wait.kernel == kernel.name)?;
    Some(Finding {
        code: &code::UNCHECKED_ERROR,
        kernel: kernel.name.clone(),
        span: wait.place.clone(),
        message: "nothing looks whether the wait failed".to_owned(),
        cause: "a wait that reaches its bound returns, and the kernel goes on with data that never came".to_owned(),
        cure: "ask gicc::error() or gicc::failed<group>() behind the wait and return, or compile with --check-errors strict"
            .to_owned(),
        witness: None,
        confirmed: Confirmed::Undecided,
        labels: Vec::new(),
        inlined_at: Vec::new(),
    })
}
