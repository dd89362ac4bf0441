//! Everything that can go wrong between a compiled folder and its result.

use std::path::PathBuf;
use std::time::Duration;

use crate::backend::cuda::CudaError;
use crate::device_error::DeviceFailure;
use crate::launch::diagnostic::Diagnostics;
use crate::record::RecordError;
use crate::reference::ReferenceError;

/// Why something could not run, or ran into an error.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The launch description is wrong.
    #[error("{0}")]
    Description(Diagnostics),
    /// A file could not be read.
    #[error("error: cannot read {}: {reason}\n  = help: {help}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
        /// The cure.
        help: String,
    },
    /// The folder lacks a compiled form for the target.
    #[error("error: {} has no compiled form for {target}: it has {found}\n  = help: {help}", folder.display())]
    NoImage {
        /// The compiled folder.
        folder: PathBuf,
        /// What it should run on.
        target: String,
        /// What is there.
        found: String,
        /// The cure.
        help: String,
    },
    /// The number of PEs does not fit the description.
    #[error(
        "error: {asked} PEs were asked for, but {file} is made for {allowed}\n  = help: choose one of these with --pes, or change `pes` there"
    )]
    PeCount {
        /// What was asked for.
        asked: u32,
        /// The description.
        file: String,
        /// What it allows.
        allowed: String,
    },
    /// A symmetric buffer or a workspace does not fit.
    #[error(
        "error: `{name}` needs {bytes} bytes, but {left} of the symmetric heap's {heap} bytes are left\n  = help: make the heap larger or the buffers smaller"
    )]
    HeapFull {
        /// The buffer.
        name: String,
        /// Bytes that it needs.
        bytes: u64,
        /// Bytes that are left.
        left: u64,
        /// Bytes of a segment.
        heap: u64,
    },
    /// The module's record was refused.
    #[error("error: {source_name}: {error}")]
    Record {
        /// The module's source.
        source_name: String,
        /// Why.
        error: RecordError,
    },
    /// A channel's messages go by packets, which two GPUs cannot exchange.
    #[error(
        "error: {source_name}: {channel} sends packets, 16-byte words that have to be written as a whole, and GPU {from} does not execute atomic operations on the memory of GPU {to} itself\n  = help: declare the channel with gicc::protocol::simple, or use GPUs that NVLink connects"
    )]
    NoPackets {
        /// The module's source.
        source_name: String,
        /// The channel.
        channel: String,
        /// The one GPU.
        from: u32,
        /// The other.
        to: u32,
    },
    /// The module lacks a kernel that the manifest names.
    #[error(
        "error: the compiled module has no kernel `{symbol}`, although module.json names it\n  = help: compile the folder again"
    )]
    NoKernel {
        /// The symbol.
        symbol: String,
    },
    /// A launch that waits for its own blocks has more than fit.
    #[error("error: kernel `{kernel}` waits between its blocks, so all {asked} of a launch must be resident at once, but the device holds {fit}\n  = help: {}", if *fit == 0 { "even one does not fit: use fewer threads or less shared memory".to_owned() } else { format!("launch at most {fit} blocks, or blocks with fewer threads or less shared memory") })]
    NotResident {
        /// The kernel.
        kernel: String,
        /// Blocks of the launch.
        asked: u64,
        /// Blocks that fit.
        fit: u64,
    },
    /// A device wrote its error word.
    #[error("{0}")]
    Device(DeviceFailure),
    /// An argument is a multicast address.
    #[error(
        "error: an argument is a multicast address, but NVLink multicast is not used on {backend}\n  = help: run it with --target sim, or pass the addresses of the PEs' buffers"
    )]
    NoMulticast {
        /// The backend.
        backend: &'static str,
    },
    /// Launches are to be recorded as a graph.
    #[error(
        "error: {backend} does not record launches as graphs\n  = help: time single launches, without `graph` in [bench] and without --graph"
    )]
    NoGraphs {
        /// The backend.
        backend: &'static str,
    },
    /// Kernels did not end.
    #[error("error: launch {launch} of kernel `{kernel}` did not end within {} s; still running: {}\n  = help: every wait of gicc is bounded, so look for a loop of the kernel's own that waits for memory; --host-timeout sets the bound", waited.as_secs_f64(), pes(running))]
    Hang {
        /// Index of the launch.
        launch: usize,
        /// The kernel.
        kernel: String,
        /// How long the host waited.
        waited: Duration,
        /// PEs whose kernel still runs.
        running: Vec<u32>,
    },
    /// The CUDA driver refused something.
    #[error("{0}")]
    Cuda(#[from] CudaError),
    /// The simulator could not begin.
    #[error("error: {0}")]
    Simulator(String),
    /// The simulator found an error of the kernel: a bad access, a deadlock, an endless loop.
    #[error("error: {0}")]
    SimulatedFault(String),
    /// Every choice that is left has been seen in another run; only where all choices are gone through.
    #[error("error: the run was given up, since every choice that is left has been seen")]
    GivenUp,
    /// The reference failed.
    #[error("{0}")]
    Reference(#[from] ReferenceError),
    /// A program error of the caller: an address outside every allocation, a PE that does not exist.
    #[error("error: {0}")]
    Misuse(String),
}

impl HostError {
    /// Whether the kernel failed while it ran; otherwise it could not be run.
    pub fn is_of_the_kernel(&self) -> bool {
        matches!(
            self,
            HostError::Device(_)
                | HostError::Hang { .. }
                | HostError::SimulatedFault(_)
                | HostError::Cuda(CudaError::Fault { .. })
        )
    }
}

fn pes(list: &[u32]) -> String {
    list.iter().map(|pe| format!("PE {pe}")).collect::<Vec<_>>().join(", ")
}

impl From<Diagnostics> for HostError {
    fn from(d: Diagnostics) -> Self {
        HostError::Description(d)
    }
}

impl From<crate::launch::diagnostic::Diagnostic> for HostError {
    fn from(d: crate::launch::diagnostic::Diagnostic) -> Self {
        HostError::Description(d.into())
    }
}
