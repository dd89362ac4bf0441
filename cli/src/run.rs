//! `gicc run`: compile an example to a temporary folder and have the host runtime run it.

use std::time::Instant;

use crate::args::RunArgs;
use crate::messages::Messages;
use crate::{exit, not_built};

/// Compiles, runs and checks; the exit code.
pub(crate) fn run(args: &RunArgs, messages: &Messages, start: Instant) -> u8 {
    let _ = start;
    if let Some(d) = not_built::in_run(args) {
        messages.diagnostic(&d);
        return exit::USAGE;
    }
    exit::INTERNAL
}
