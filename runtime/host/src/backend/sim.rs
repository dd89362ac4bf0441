//! Simulated GPUs.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use gicc_abi::manifest::Manifest;
use gicc_sim::weak::Options;
use gicc_sim::weak::explore::Explorer;
use gicc_sim::weak::report::WeakReport;
use gicc_sim::{Config, Machine, MemoryMode, ModuleId, SimError};

use super::{Backend, Ended, Heap, Launch, ModuleHandle};
use crate::error::HostError;
use crate::folder::sim_image;
use crate::run::Memory;

/// A simulated machine.
pub struct Sim {
    machine: Machine,
    modules: Vec<ModuleId>,
}

impl Sim {
    /// A machine of `n_pes` GPUs with segments of at least `heap_bytes` bytes, whose threads run in an order drawn from
    /// `seed`.
    pub fn open(n_pes: u32, heap_bytes: u64, seed: u64, memory: Memory) -> Result<Sim, HostError> {
        let memory = match memory {
            Memory::Functional => MemoryMode::Functional,
            Memory::Weak => MemoryMode::Weak(Options::default()),
        };
        let config = Config { pes: n_pes, heap_bytes, seed, memory, ..Config::default() };
        Ok(Sim { machine: Machine::new(config).map_err(error)?, modules: Vec::new() })
    }

    fn module(&self, module: ModuleHandle) -> Result<ModuleId, HostError> {
        let id = self.modules.get(module.0).copied();
        id.ok_or_else(|| HostError::Misuse(format!("there is no module {}", module.0)))
    }
}

/// Whether the simulator could not begin, or found an error of the kernel.
fn error(e: SimError) -> HostError {
    match &e {
        SimError::BadAccess { .. }
        | SimError::Fault { .. }
        | SimError::Deadlock { .. }
        | SimError::Endless { .. }
        | SimError::TimeOut { .. } => HostError::SimulatedFault(e.to_string()),
        SimError::GivenUp => HostError::GivenUp,
        _ => HostError::Simulator(e.to_string()),
    }
}

impl Backend for Sim {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn describe(&self) -> Vec<String> {
        let c = self.machine.config();
        vec![format!("simulated GPUs of {} multiprocessors, one a PE", c.sms)]
    }

    fn n_pes(&self) -> u32 {
        self.machine.config().pes
    }

    fn heap(&self) -> Heap {
        let m = &self.machine;
        Heap { base: m.segment(0), stride: m.stride(), bytes: m.heap_bytes() }
    }

    fn multicast(&self, address: u64) -> Result<u64, HostError> {
        let outside = || HostError::Misuse(format!("{address:#x} is not in the symmetric heap"));
        self.machine.multicast(address).ok_or_else(outside)
    }

    fn checks_bounds(&self) -> bool {
        true
    }

    fn allocate(&mut self, pe: u32, bytes: u64, name: &str) -> Result<u64, HostError> {
        // An empty buffer has an address, too.
        self.machine.alloc(pe, bytes.max(1), name).map_err(error)
    }

    fn free(&mut self, pe: u32, address: u64) -> Result<(), HostError> {
        self.machine.free(pe, address).map_err(error)
    }

    fn name_range(&mut self, pe: u32, address: u64, bytes: u64, name: &str) {
        self.machine.name_range(pe, address, bytes, name);
    }

    fn forget_names(&mut self) {
        self.machine.forget_names();
    }

    fn write(&mut self, _pe: u32, address: u64, bytes: &[u8]) -> Result<(), HostError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.machine.write(address, bytes).map_err(error)
    }

    fn read(&self, _pe: u32, address: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.machine.read(address, bytes).map_err(error)
    }

    fn load(&mut self, folder: &Path, manifest: &Manifest) -> Result<ModuleHandle, HostError> {
        let id = self.machine.load(&sim_image(folder, manifest)?).map_err(error)?;
        let known = self.machine.kernels(id);
        if let Some(kernel) = manifest.kernels.iter().find(|k| !known.contains(&k.symbol)) {
            return Err(HostError::NoKernel { symbol: kernel.symbol.clone() });
        }
        self.modules.push(id);
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    fn symbol(&self, module: ModuleHandle, pe: u32, name: &str) -> Result<Option<(u64, u64)>, HostError> {
        Ok(self.machine.symbol(self.module(module)?, pe, name))
    }

    fn resident_blocks(&self, _module: ModuleHandle, launch: &Launch<'_>) -> Result<Option<u64>, HostError> {
        Ok(Some(self.machine.resident_blocks(launch.block.iter().product())))
    }

    fn findings(&mut self) -> Option<WeakReport> {
        (self.machine.config().memory != MemoryMode::Functional).then(|| self.machine.take_findings())
    }

    fn explore(&mut self, explorer: Rc<RefCell<Explorer>>) {
        self.machine.set_explorer(Some(explorer));
    }

    fn launch(&mut self, module: ModuleHandle, launches: &[Launch<'_>], bound: Duration) -> Result<Ended, HostError> {
        let module = self.module(module)?;
        self.machine.set_watch_time(Some(bound));
        let launches: Vec<gicc_sim::Launch<'_>> = launches
            .iter()
            .map(|l| gicc_sim::Launch {
                pe: l.pe,
                module,
                kernel: l.symbol,
                grid: l.grid,
                block: l.block,
                shared_bytes: l.shared_bytes.into(),
                params: &l.parameters,
            })
            .collect();
        let report = self.machine.launch(&launches).map_err(error)?;
        // As the CUDA driver does with what kernels print; a reader that has gone away is no error.
        let _ = std::io::stdout().write_all(report.output.as_bytes());
        Ok(Ended::All { microseconds: None })
    }
}
