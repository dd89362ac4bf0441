//! What the host runtime does before and behind a launch, for tests that drive a simulated machine themselves: each PE gets an
//! error word and its state; a kernel is launched on every PE; who reported an error is told.

use std::path::Path;

use gicc_abi::layout::{Error, State};
use gicc_sim::{Config, Launch, Machine, ModuleId, Report, SimError};

/// A kernel that every PE executes: blocks and threads lie in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnEveryPe<'a> {
    /// Its name.
    pub(crate) kernel: &'a str,
    /// Blocks of the grid.
    pub(crate) blocks: u32,
    /// Threads of a block.
    pub(crate) threads: u32,
}

impl OnEveryPe<'_> {
    /// Launches it, with parameters of its own for each PE.
    pub(crate) fn launch(
        self,
        machine: &mut Machine,
        module: ModuleId,
        parameters: &[Vec<u8>],
    ) -> Result<Report, SimError> {
        let launches: Vec<Launch<'_>> = (0..)
            .zip(parameters)
            .map(|(pe, params)| Launch {
                pe,
                module,
                kernel: self.kernel,
                grid: [self.blocks, 1, 1],
                block: [self.threads, 1, 1],
                shared_bytes: 0,
                params,
            })
            .collect();
        machine.launch(&launches)
    }
}

/// A machine with a module that is usable on every PE.
pub(crate) struct Pes {
    pub(crate) machine: Machine,
    pub(crate) module: ModuleId,
    /// The addresses of the error words.
    errors: Vec<u64>,
}

impl Pes {
    /// Loads a program, and gives each PE its error word and its state.
    pub(crate) fn new(config: Config, program: &Path, workspace_bytes: u64, timeout_ns: u64) -> Result<Pes, SimError> {
        let pes = config.pes;
        let mut machine = Machine::new(config)?;
        let module = machine.load(program)?;
        let mut errors = Vec::new();
        for pe in 0..pes {
            let error = machine.alloc(pe, size_of::<Error>() as u64, "error word")?;
            errors.push(error);
            let state = State {
                abi_version: gicc_abi::ABI_VERSION,
                my_pe: pe as i32,
                n_pes: pes as i32,
                heap_base: machine.segment(0),
                heap_stride: machine.stride(),
                heap_bytes: machine.heap_bytes(),
                workspace_bytes,
                error,
                timeout_ns,
                ..State::default()
            };
            // A program without communication does not read it.
            if let Some((address, _)) = machine.symbol(module, pe, gicc_abi::STATE_SYMBOL) {
                machine.write(address, &state.to_bytes())?;
            }
        }
        Ok(Pes { machine, module, errors })
    }

    /// Launches a kernel; the error that the first PE with one reported.
    pub(crate) fn launch(&mut self, kernel: OnEveryPe<'_>, parameters: &[Vec<u8>]) -> Result<Option<String>, SimError> {
        let none = [0; size_of::<Error>()];
        for error in &self.errors {
            self.machine.write(*error, &none)?;
        }
        kernel.launch(&mut self.machine, self.module, parameters)?;
        for (pe, error) in self.errors.iter().enumerate() {
            let mut bytes = none;
            self.machine.read(*error, &mut bytes)?;
            if bytes != none {
                return Ok(Some(format!("PE {pe}: {:?}", Error::from_bytes(&bytes))));
            }
        }
        Ok(None)
    }
}
