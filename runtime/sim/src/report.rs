//! What a launch gives back.

/// A launch that came to its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What the kernels printed, in the order in which it happened.
    pub output: String,
    /// Accesses to memory and loop iterations of all threads.
    pub steps: u64,
    /// Rounds of the scheduler.
    pub rounds: u64,
    /// Virtual time from start to end, in nanoseconds. Functional, no prediction of a GPU's time.
    pub nanoseconds: u64,
}
