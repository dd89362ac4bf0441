//! What is measured: a kernel, a mode of memory, a size. A case travels as JSON to the process that measures it, and its
//! outcome as JSON back.

use serde::{Deserialize, Serialize};

/// Threads of each block.
pub(crate) const THREADS: u32 = 256;

/// A kernel of `kernels.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kernel {
    OwnWords,
    SharedWords,
    OneEach,
    PutSignal,
    AllReduce,
    GridMeets,
}

impl Kernel {
    /// The function's name.
    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Kernel::OwnWords => "own_words",
            Kernel::SharedWords => "shared_words",
            Kernel::OneEach => "one_each",
            Kernel::PutSignal => "put_signal_rounds",
            Kernel::AllReduce => "all_reduce",
            Kernel::GridMeets => "grid_meets",
        }
    }
}

/// How memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mode {
    Functional,
    Weak,
    WeakWithoutRaces,
}

impl Mode {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Mode::Functional => "functional",
            Mode::Weak => "weak",
            Mode::WeakWithoutRaces => "weak, races not looked for",
        }
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) kernel: Kernel,
    pub(crate) mode: Mode,
    pub(crate) pes: u32,
    pub(crate) blocks: u32,
    /// Iterations or rounds of a launch.
    pub(crate) rounds: u32,
    /// Multiprocessors of a GPU, of 2048 threads each.
    pub(crate) sms: u32,
}

impl Case {
    /// Of 16 multiprocessors, as the simulator has them by default.
    pub(crate) const fn new(kernel: Kernel, mode: Mode, pes: u32, blocks: u32, rounds: u32) -> Self {
        Self { kernel, mode, pes, blocks, rounds, sms: 16 }
    }

    /// Threads of all PEs together.
    pub(crate) fn threads(&self) -> u64 {
        u64::from(self.pes) * u64::from(self.blocks) * u64::from(THREADS)
    }

    /// Loads and stores of one element that the source of the kernel asks for, signals and polls not counted.
    pub(crate) fn operations(&self) -> u64 {
        let rounds = u64::from(self.rounds);
        self.threads()
            * match self.kernel {
                Kernel::OwnWords | Kernel::SharedWords => 2 * rounds,
                Kernel::OneEach => 2,
                Kernel::PutSignal => 3 * rounds + 1,
                Kernel::AllReduce => 3 * u64::from(self.pes) * rounds + 1,
                Kernel::GridMeets => 1,
            }
    }
}

/// What a case took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Seconds of the processor for each launch, in order.
    pub(crate) cpu: Vec<f64>,
    /// Seconds on the clock for each launch.
    pub(crate) wall: Vec<f64>,
    /// The most memory that the process had before the first launch, in bytes.
    pub(crate) before: u64,
    /// The most memory that it had at all.
    pub(crate) peak: u64,
    /// Scalar memory operations that weak memory executed in a launch on average, polls and shared memory included.
    pub(crate) executed: u64,
    /// Bytes of the histories of weak memory at the end of the largest launch.
    pub(crate) histories: u64,
    /// What stopped the first launch, for cases that are expected to be stopped.
    pub(crate) stopped: Option<String>,
}

/// The middle one of some values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Outcome {
    /// Median of the launches, in seconds of the processor.
    pub(crate) fn seconds(&self) -> f64 {
        median(&self.cpu)
    }
}
