//! What a machine is like.

use std::time::Duration;

use crate::weak::Options;

/// How memory behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryMode {
    /// Every access takes effect at once, for everybody.
    #[default]
    Functional,
    /// As the PTX memory model allows: what nothing orders may be seen late.
    Weak(Options),
}

/// A machine of several GPUs, and how it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Number of GPUs.
    pub pes: u32,
    /// How memory behaves.
    pub memory: MemoryMode,
    /// Bytes of each PE's segment of the symmetric heap.
    pub heap_bytes: u64,
    /// From which the order is drawn in which threads run.
    pub seed: u64,
    /// Multiprocessors of a GPU.
    pub sms: u32,
    /// Threads that a multiprocessor holds at once; further blocks wait for room.
    pub threads_per_sm: u32,
    /// Blocks that a multiprocessor holds at once.
    pub blocks_per_sm: u32,
    /// Bytes of shared memory of a block at most.
    pub shared_bytes: u64,
    /// Bytes of a thread's stack beside one frame of every function of the program; used only as far as it is touched.
    pub stack_bytes: usize,
    /// Steps (accesses and loop iterations) that a thread does at most before others run; the actual number is drawn anew
    /// each time.
    pub slice_steps: u32,
    /// Steps of one thread in a launch, after which it counts as endless.
    pub step_limit: u64,
    /// Nanoseconds of virtual time that may be skipped while everybody waits, before that counts as a deadlock.
    pub idle_time_limit: u64,
    /// Rounds in which nobody gets anywhere, before that counts as a deadlock where nobody looks at a clock; fewer when
    /// many threads wait.
    pub idle_rounds: u32,
    /// Time on the host after which a launch is given up.
    pub watch_time: Option<Duration>,
    /// Whether an access to a part of a segment that has no name is an error. It applies to segments with names.
    pub strict_segments: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            pes: 1,
            memory: MemoryMode::Functional,
            heap_bytes: 64 << 20,
            seed: 0,
            sms: 16,
            threads_per_sm: 2048,
            blocks_per_sm: 32,
            shared_bytes: 227 << 10,
            stack_bytes: 128 << 10,
            slice_steps: 4096,
            step_limit: 100_000_000_000,
            idle_time_limit: 3_600_000_000_000,
            idle_rounds: 20_000,
            watch_time: None,
            strict_segments: true,
        }
    }
}
