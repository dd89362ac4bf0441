//! The simulated GPUs as the host sees them: memory, modules, launches.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use crate::config::{Config, MemoryMode};
use crate::error::{LaunchProblem, SimError};
use crate::memory::{Memory, Region, RegionKind};
use crate::program::{self, Program};
use crate::report::Report;
use crate::schedule::{self, Running};
use crate::stack::StackPool;
use crate::weak::choice::{Random, Seeded};
use crate::weak::explore::Explorer;
use crate::weak::record::Recording;
use crate::weak::report::WeakReport;
use crate::weak::run::{Source, WeakRun};

/// Threads of launches that run together, from which on weak memory does not switch after each access.
const MANY_THREADS: u64 = 4096;

/// A loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(usize);

/// A kernel to launch on one PE.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The PE.
    pub pe: u32,
    /// The module.
    pub module: ModuleId,
    /// The kernel's symbol.
    pub kernel: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u64,
    /// The parameters, packed: each at its alignment, as `gicc_abi::manifest::Kernel::packing` says.
    pub params: &'a [u8],
}

/// Several GPUs.
pub struct Machine {
    config: Config,
    memory: Memory,
    stacks: StackPool,
    programs: Vec<Program>,
    now: u64,
    launches: u64,
    explorer: Option<Rc<RefCell<Explorer>>>,
    told: WeakReport,
    records: bool,
    recording: Option<Recording>,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("config", &self.config).field("programs", &self.programs.len()).finish()
    }
}

impl Machine {
    /// A machine.
    ///
    /// # Errors
    ///
    /// A configuration that makes no sense, or a host without the memory.
    pub fn new(config: Config) -> Result<Self, SimError> {
        let refuse = |text: &str| Err(SimError::Config(text.to_owned()));
        if config.pes == 0 || config.sms == 0 || config.threads_per_sm == 0 || config.blocks_per_sm == 0 {
            return refuse("there is at least one PE, one multiprocessor, and room for a thread and a block on it");
        }
        if config.stack_bytes < 32 << 10 {
            return refuse("a thread's stack has at least 32 KiB");
        }
        let memory = Memory::new(config.pes, config.heap_bytes, config.strict_segments)?;
        let stacks = StackPool::new(config.stack_bytes);
        Ok(Self {
            config,
            memory,
            stacks,
            programs: Vec::new(),
            now: 1_000_000_000,
            launches: 0,
            explorer: None,
            told: WeakReport::default(),
            records: false,
            recording: None,
        })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Draws the order of later launches from another seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
        self.launches = 0;
    }

    /// Takes the choices of later launches from an explorer instead of the seed; memory has to be weak.
    pub fn set_explorer(&mut self, explorer: Option<Rc<RefCell<Explorer>>>) {
        self.explorer = explorer;
    }

    /// What weak memory has told of the launches so far; forgets it.
    pub fn take_findings(&mut self) -> WeakReport {
        std::mem::take(&mut self.told)
    }

    /// Records what later launches execute in weak memory, or no longer: for small kernels.
    pub fn set_recording(&mut self, on: bool) {
        self.records = on;
    }

    /// What the last launch executed, where that was recorded.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.recording.take()
    }

    /// Gives up later launches after this time on the host.
    pub fn set_watch_time(&mut self, limit: Option<std::time::Duration>) {
        self.config.watch_time = limit;
    }

    /// The address of a PE's segment of the symmetric heap: `segment(0) + pe * stride()`.
    pub fn segment(&self, pe: u32) -> u64 {
        self.memory.segment(pe)
    }

    /// The distance between two PEs' segments.
    pub fn stride(&self) -> u64 {
        self.memory.stride()
    }

    /// The multicast address of an address in a segment: multimem instructions access that location of every PE with it,
    /// and no other instruction may use it. Nothing where the address is in no segment.
    pub fn multicast(&self, address: u64) -> Option<u64> {
        self.memory.multicast(address)
    }

    /// Bytes of a segment that may be used.
    pub fn heap_bytes(&self) -> u64 {
        self.memory.heap_bytes()
    }

    /// Memory of one PE alone, zeroed, at a multiple of 4096 bytes.
    ///
    /// # Errors
    ///
    /// The PE does not exist, or the host has no such memory.
    pub fn alloc(&mut self, pe: u32, bytes: u64, name: &str) -> Result<u64, SimError> {
        if pe >= self.config.pes {
            return Err(SimError::Config(format!("there is no PE {pe}")));
        }
        self.memory.allocate(pe, bytes, name, RegionKind::Private)
    }

    /// Gives back what [`Machine::alloc`] returned for this PE.
    ///
    /// # Errors
    ///
    /// Something else.
    pub fn free(&mut self, pe: u32, address: u64) -> Result<(), SimError> {
        if self.memory.free(pe, address, RegionKind::Private) {
            Ok(())
        } else {
            Err(SimError::HostAccess { address, bytes: 0 })
        }
    }

    /// Names a part of a PE's segment. As soon as a segment has a name, accesses to its unnamed parts are errors (unless
    /// [`Config::strict_segments`] is off).
    pub fn name_range(&mut self, pe: u32, address: u64, bytes: u64, name: &str) {
        self.memory.name_range(pe, address, bytes, name);
    }

    /// Forgets the names of all parts of segments.
    pub fn forget_names(&mut self) {
        self.memory.forget_names();
    }

    /// Copies to the PEs' memory.
    ///
    /// # Errors
    ///
    /// Nothing is there.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), SimError> {
        self.memory.check_host(address, bytes.len() as u64)?;
        // SAFETY: the range exists, and no program runs.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }

    /// Copies from the PEs' memory.
    ///
    /// # Errors
    ///
    /// Nothing is there.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), SimError> {
        self.memory.check_host(address, bytes.len() as u64)?;
        // SAFETY: the range exists, and no program runs.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Loads a program on every PE.
    ///
    /// # Errors
    ///
    /// The file is no program, or one of another version.
    pub fn load(&mut self, path: &Path) -> Result<ModuleId, SimError> {
        let program = program::load(path, self.config.pes, self.config.memory != MemoryMode::Functional)?;
        for (pe, copy) in program.copies.iter().enumerate() {
            for (global, variable) in program.description.globals.iter().zip(&copy.variables) {
                self.memory.add_region(Region {
                    start: variable.address,
                    bytes: variable.bytes,
                    pe: pe as u32,
                    kind: if global.constant { RegionKind::Constant } else { RegionKind::Private },
                    name: global.name.clone(),
                });
            }
        }
        self.programs.push(program);
        Ok(ModuleId(self.programs.len() - 1))
    }

    /// Address and size of a module's variable on a PE.
    pub fn symbol(&self, module: ModuleId, pe: u32, name: &str) -> Option<(u64, u64)> {
        let program = self.programs.get(module.0)?;
        let at = program.description.globals.iter().position(|g| g.exported && g.name == name)?;
        let variable = program.copies.get(pe as usize)?.variables.get(at)?;
        Some((variable.address, variable.bytes))
    }

    /// Symbols of a module's kernels.
    pub fn kernels(&self, module: ModuleId) -> Vec<String> {
        let program = self.programs.get(module.0);
        program.map_or_else(Vec::new, |p| p.description.kernels.iter().map(|k| k.symbol.clone()).collect())
    }

    /// How many blocks of this many threads a PE holds at once.
    pub fn resident_blocks(&self, threads: u32) -> u64 {
        let by_threads = self.config.threads_per_sm / threads.max(1);
        u64::from(self.config.sms) * u64::from(by_threads.min(self.config.blocks_per_sm))
    }

    /// Runs launches together, to the end of all.
    ///
    /// # Errors
    ///
    /// A launch that is not possible, or what stopped the run. After an error memory is as the run left it.
    pub fn launch(&mut self, launches: &[Launch<'_>]) -> Result<Report, SimError> {
        let mut running = Vec::new();
        for launch in launches {
            let ready = prepare(&self.config, &self.programs, launch)
                .map_err(|problem| SimError::Launch { kernel: launch.kernel.to_owned(), problem })?;
            running.push(ready);
        }
        let programs = launches.iter().filter_map(|l| self.programs.get(l.module.0));
        self.stacks.fit(self.config.stack_bytes, programs.map(|p| p.description.stack));
        // Each launch of a machine has another order.
        let mut config = self.config.clone();
        config.seed = self.config.seed ^ self.launches.wrapping_mul(0xa076_1d64_78bd_642f);
        self.launches += 1;
        let weak = match (config.memory, &self.explorer) {
            (MemoryMode::Functional, _) => None,
            (MemoryMode::Weak(options), None) => Some((options, Source::Seeded(Seeded::new(config.seed)))),
            (MemoryMode::Weak(options), Some(explorer)) => Some((options, Source::Explored(explorer.clone()))),
        };
        if weak.is_some() && self.explorer.is_none() {
            // Some schedules switch threads after each access, and some hardly ever. Where thousands of threads run, each
            // switch finds its thread's state in no cache, a microsecond where an access is 40 ns: there, slices are longer.
            let mut random = Random::new(config.seed ^ 0x0051_1ce5);
            let threads: u64 = running.iter().map(Running::all_threads).sum();
            let slices = if threads > MANY_THREADS { [256, 512, 1024, 2048] } else { [2, 8, 64, 1024] };
            let drawn = slices.get(random.below(5) as usize).copied();
            config.slice_steps = drawn.map_or(config.slice_steps, |s| config.slice_steps.min(s));
        }
        let weak = weak.map(|(options, source)| Box::new(WeakRun::new(options, source)));
        let weak = weak.map(|mut weak| {
            if self.records {
                weak.engine.record();
            }
            weak
        });
        let (result, now, told, recording) =
            schedule::run(&config, &mut self.memory, &mut self.stacks, self.now, running, weak);
        self.now = now;
        self.recording = recording;
        self.told.merge(told.unwrap_or_default());
        result
    }
}

fn prepare<'a>(config: &Config, programs: &'a [Program], launch: &Launch<'_>) -> Result<Running<'a>, LaunchProblem> {
    if launch.pe >= config.pes {
        return Err(LaunchProblem::Pe(launch.pe));
    }
    let program = programs.get(launch.module.0).ok_or(LaunchProblem::Module)?;
    let kernels = &program.description.kernels;
    let Some(at) = kernels.iter().position(|k| k.symbol == launch.kernel) else {
        let names: Vec<_> = kernels.iter().map(|k| k.symbol.as_str()).collect();
        return Err(LaunchProblem::Kernel(names.join(", ")));
    };
    let kernel = &kernels[at];
    let shape = LaunchProblem::Shape { grid: launch.grid, block: launch.block };
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return Err(shape);
    }
    let threads =
        launch.block.iter().try_fold(1u32, |all, &n| all.checked_mul(n)).filter(|&n| n <= 1024).ok_or(shape)?;
    if kernel.max_threads > 0 && threads > kernel.max_threads {
        return Err(LaunchProblem::Bounds { limit: kernel.max_threads, threads });
    }
    if threads > config.threads_per_sm {
        return Err(LaunchProblem::Residency { threads, limit: config.threads_per_sm });
    }
    // A launcher may pad the parameters at the end, but not leave any out.
    if launch.params.len() < kernel.parameter_bytes as usize {
        return Err(LaunchProblem::Parameters { expected: kernel.parameter_bytes, found: launch.params.len() });
    }
    let shared = program.description.shared_bytes;
    if launch.shared_bytes > config.shared_bytes {
        return Err(LaunchProblem::Shared { bytes: launch.shared_bytes, limit: config.shared_bytes });
    }
    Ok(Running::new(
        launch.pe,
        kernel.name.clone(),
        program.copies[launch.pe as usize].kernels[at],
        launch.grid,
        launch.block,
        (shared, launch.shared_bytes),
        launch.params,
        &program.description,
    ))
}
