//! What a search costs, counted: looks at pairs of events, and decisions. Never timed, so that reaching a limit depends on the
//! program alone.

use std::cell::Cell;

/// A count of looks at pairs of events.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    looks: Cell<u64>,
}

/// As many looks take about as long as copying a small state does.
const LOOKS_A_STEP: u64 = 256;

/// Rows that a decision copies or goes through for each event: those of three relations, and one that is kept closed.
const ROWS_OF_EVENT: usize = 4;

impl Meter {
    /// So many pairs were looked at.
    pub(crate) fn look(&self, pairs: usize) {
        self.looks.set(self.looks.get().saturating_add(pairs as u64));
    }

    /// Something was decided, in a program of so many events.
    pub(crate) fn decide(&self, events: usize) {
        self.look(LOOKS_A_STEP as usize + ROWS_OF_EVENT * events);
    }

    /// All of it, in steps.
    pub(crate) fn steps(&self) -> u64 {
        self.looks.get() / LOOKS_A_STEP
    }
}
