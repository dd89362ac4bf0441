//! What a team needs of the machines it runs on. Each backend gives every PE a segment of the symmetric heap at equal
//! distances in one address space, memory of its own, loaded modules and launches.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use gicc_abi::manifest::Manifest;
use gicc_sim::weak::explore::Explorer;
use gicc_sim::weak::report::WeakReport;

use crate::error::HostError;

pub mod cuda;
#[cfg(test)]
pub(crate) mod fake;
pub mod sim;

/// Where the symmetric heap lies. PE p's segment starts at `base + p * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// Address of PE 0's segment.
    pub base: u64,
    /// Distance of two segments in bytes.
    pub stride: u64,
    /// Bytes of a segment that may be used.
    pub bytes: u64,
}

/// One kernel of one PE to launch.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The PE.
    pub pe: u32,
    /// The kernel's symbol.
    pub symbol: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The parameters, packed.
    pub parameters: Vec<u8>,
}

/// How launches ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// All kernels returned.
    All {
        /// Time of PE 0's kernel on the device's own clock, in microseconds, where the backend has one.
        microseconds: Option<f64>,
    },
    /// These PEs' kernels still run; the backend can do nothing more.
    Running(Vec<u32>),
}

/// A module that a backend loaded; an index of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleHandle(pub usize);

/// Launches that a backend recorded; an index of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphHandle(pub usize);

/// The machines of a team.
pub trait Backend {
    /// Its name: `sim`, `cuda`.
    fn name(&self) -> &'static str;

    /// What runs there, for reports: one line a device, and facts about their connection.
    fn describe(&self) -> Vec<String>;

    /// Number of PEs.
    fn n_pes(&self) -> u32;

    /// The symmetric heap.
    fn heap(&self) -> Heap;

    /// Whether a kernel's access past the end of a buffer is found when it happens. Otherwise guard bytes are put there.
    fn checks_bounds(&self) -> bool {
        false
    }

    /// The multicast address of an address in the symmetric heap: it stands for that location of every PE.
    fn multicast(&self, _address: u64) -> Result<u64, HostError> {
        Err(HostError::NoMulticast { backend: self.name() })
    }

    /// Two GPUs of which the first does not execute atomic operations on the second one's memory itself: 16-byte words are not
    /// whole between them.
    fn without_wide_words(&self) -> Option<(u32, u32)> {
        None
    }

    /// Memory of one PE outside the symmetric heap, aligned to 256 bytes.
    fn allocate(&mut self, pe: u32, bytes: u64, name: &str) -> Result<u64, HostError>;

    /// Gives back what [`Backend::allocate`] returned.
    fn free(&mut self, pe: u32, address: u64) -> Result<(), HostError>;

    /// Says what a range of the symmetric heap is for, on one PE; for messages only.
    fn name_range(&mut self, _pe: u32, _address: u64, _bytes: u64, _name: &str) {}

    /// Forgets every name of a range.
    fn forget_names(&mut self) {}

    /// Copies to a PE's memory.
    fn write(&mut self, pe: u32, address: u64, bytes: &[u8]) -> Result<(), HostError>;

    /// Copies from a PE's memory.
    fn read(&self, pe: u32, address: u64, bytes: &mut [u8]) -> Result<(), HostError>;

    /// Loads the module of a compiled folder on every PE.
    fn load(&mut self, folder: &Path, manifest: &Manifest) -> Result<ModuleHandle, HostError>;

    /// Takes modules that somebody else loaded, one a PE (on CUDA a `CUmodule` each); they stay theirs.
    fn adopt(&mut self, _modules: &[*mut std::ffi::c_void]) -> Result<ModuleHandle, HostError> {
        Err(HostError::Misuse(format!("{} takes no modules that were loaded elsewhere", self.name())))
    }

    /// Address and bytes of a module's variable on a PE, where the module has it.
    fn symbol(&self, module: ModuleHandle, pe: u32, name: &str) -> Result<Option<(u64, u64)>, HostError>;

    /// How many blocks of a kernel one PE holds at once, where there is a limit.
    fn resident_blocks(&self, _module: ModuleHandle, _launch: &Launch<'_>) -> Result<Option<u64>, HostError> {
        Ok(None)
    }

    /// What weak memory has told of the launches so far, where memory is weak; forgets it.
    fn findings(&mut self) -> Option<WeakReport> {
        None
    }

    /// Takes the choices of later launches from an explorer, where memory is weak.
    fn explore(&mut self, _explorer: Rc<RefCell<Explorer>>) {}

    /// Launches kernels, PE 0's last, and waits for all of them, at most `bound`.
    fn launch(&mut self, module: ModuleHandle, launches: &[Launch<'_>], bound: Duration) -> Result<Ended, HostError>;

    /// Records launches, which [`Backend::replay`] then starts at once: those of one PE follow each other in the order given.
    fn record(&mut self, _module: ModuleHandle, _launches: &[Launch<'_>]) -> Result<GraphHandle, HostError> {
        Err(HostError::NoGraphs { backend: self.name() })
    }

    /// Starts recorded launches on every PE, PE 0 last, and waits for all of them, at most `bound`. The time is of all of
    /// PE 0's.
    fn replay(&mut self, _graph: GraphHandle, _bound: Duration) -> Result<Ended, HostError> {
        Err(HostError::NoGraphs { backend: self.name() })
    }

    /// Forgets recorded launches.
    fn discard(&mut self, _graph: GraphHandle) {}
}
