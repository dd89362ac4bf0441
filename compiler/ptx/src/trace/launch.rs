//! What is executed, by whom, and with what.

use crate::ast::Module;
use crate::special::SpecialRegister;
use std::collections::{BTreeMap, HashMap};

/// A launch of one block of a kernel.
#[derive(Clone, Debug)]
pub struct Launch<'m> {
    /// The module.
    pub module: &'m Module,
    /// The kernel.
    pub entry: String,
    /// The bytes of each parameter, as many as it has.
    pub parameters: Vec<Vec<u8>>,
    /// `%ntid`
    pub block: [u32; 3],
    /// `%nctaid`
    pub grid: [u32; 3],
    /// `%ctaid`
    pub block_index: [u32; 3],
    /// Which threads run, as linear indices; nothing means all. Threads that do not run are taken to come to every barrier
    /// that is waited at, as late as possible.
    pub threads: Option<Vec<u32>>,
    /// Values of special registers, the same for all threads, instead of the executor's own.
    pub special: HashMap<SpecialRegister, u64>,
    /// Addresses of variables in global memory. One that is not here is given an address above
    /// [`GLOBAL_BASE`](super::GLOBAL_BASE). The memory is the caller's: [`Launch::global_variables`] says what has to be
    /// put where before the launch.
    pub symbols: BTreeMap<String, u64>,
    /// Contents of constant variables, instead of their initialisers.
    pub constants: BTreeMap<String, Vec<u8>>,
    /// Functions without a body that may be called: name, and the bytes that they return. They have no other effect.
    pub externals: BTreeMap<String, Vec<u8>>,
    /// Bytes of dynamic shared memory, behind the declared variables.
    pub dynamic_shared: u64,
    /// How many instructions a thread may execute.
    pub step_limit: u64,
    /// Nanoseconds of `%globaltimer` per instruction of the thread.
    pub time_per_step: u64,
}

impl<'m> Launch<'m> {
    /// One thread, no parameters, at most a million steps.
    pub fn new(module: &'m Module, entry: impl Into<String>) -> Self {
        Launch {
            module,
            entry: entry.into(),
            parameters: Vec::new(),
            block: [1, 1, 1],
            grid: [1, 1, 1],
            block_index: [0, 0, 0],
            threads: None,
            special: HashMap::new(),
            symbols: BTreeMap::new(),
            constants: BTreeMap::new(),
            externals: BTreeMap::new(),
            dynamic_shared: 0,
            step_limit: 1_000_000,
            time_per_step: 1,
        }
    }

    /// Adds a parameter.
    pub fn parameter(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.parameters.push(bytes.as_ref().to_vec());
        self
    }

    /// Sets the number of threads.
    pub fn block(mut self, x: u32, y: u32, z: u32) -> Self {
        self.block = [x, y, z];
        self
    }

    /// Runs these threads only.
    pub fn only(mut self, threads: impl IntoIterator<Item = u32>) -> Self {
        self.threads = Some(threads.into_iter().collect());
        self
    }

    /// Gives a special register a value.
    pub fn special(mut self, register: SpecialRegister, value: u64) -> Self {
        self.special.insert(register, value);
        self
    }

    /// Puts a variable at an address.
    pub fn symbol(mut self, name: impl Into<String>, address: u64) -> Self {
        self.symbols.insert(name.into(), address);
        self
    }

    /// Number of threads of the block.
    pub fn thread_count(&self) -> u32 {
        self.block.iter().copied().fold(1, u32::saturating_mul)
    }
}
