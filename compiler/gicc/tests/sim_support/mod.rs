//! Compiles small CUDA kernels with clang and the supplied CUDA surface, makes programs for the simulator of them, and runs
//! them.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "tests state facts; an unwrap there is an assertion")]

mod pes;

use std::path::Path;
use std::process::Command;

use gicc::diagnostic::Diagnostic;
use gicc_sim::{Config, Launch, Machine, ModuleId, Report, SimError};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use pes::OnEveryPe;

/// A machine with a program on it.
pub struct Bench {
    pub machine: Machine,
    pub module: ModuleId,
}

/// Parameters, packed.
#[derive(Default)]
pub struct Params(pub Vec<u8>);

impl Params {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn put(mut self, bytes: &[u8]) -> Self {
        let at = self.0.len().next_multiple_of(bytes.len().min(8));
        self.0.resize(at, 0);
        self.0.extend_from_slice(bytes);
        self
    }

    pub fn ptr(self, address: u64) -> Self {
        self.put(&address.to_le_bytes())
    }

    pub fn int(self, value: i32) -> Self {
        self.put(&value.to_le_bytes())
    }

    pub fn float(self, value: f32) -> Self {
        self.put(&value.to_le_bytes())
    }
}

/// CUDA C++ to bitcode. Lines of the text are lines of `kernel.cu`.
pub fn bitcode(folder: &Path, cuda: &str) -> Vec<u8> {
    std::fs::write(folder.join("kernel.cu"), cuda).unwrap();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include/cuda");
    let output = Command::new("clang-22")
        .current_dir(folder)
        .args(["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "--cuda-feature=+ptx88"])
        .args(["-nocudainc", "-nocudalib", "-O1", "-gline-tables-only", "-emit-llvm", "-c"])
        .args(["-I", include, "-include", "gicc_cuda.h", "kernel.cu", "-o", "kernel.bc"])
        .output()
        .expect("clang-22 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(folder.join("kernel.bc")).unwrap()
}

/// A program of bitcode or textual LLVM IR.
pub fn emit(module: &[u8], output: &Path) -> Result<gicc::codegen::sim::Program, Vec<Diagnostic>> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(module, "kernel.cu");
    let module = context.create_module_from_ir(buffer).expect("the module is well-formed");
    gicc::codegen::sim::emit(&module, "kernel.cu", output)
}

impl Bench {
    /// A machine on which this CUDA C++ is loaded.
    pub fn new(config: Config, cuda: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let module = bitcode(folder.path(), cuda);
        Self::of_module(config, &module)
    }

    /// A machine on which this textual LLVM IR is loaded.
    pub fn of_ir(config: Config, ir: &str) -> Self {
        Self::of_module(config, ir.as_bytes())
    }

    fn of_module(config: Config, module: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.so");
        if let Err(errors) = emit(module, &path) {
            panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        }
        let mut machine = Machine::new(config).unwrap();
        let module = machine.load(&path).unwrap();
        Self { machine, module }
    }

    /// One PE, default configuration.
    pub fn one(cuda: &str) -> Self {
        Self::new(Config::default(), cuda)
    }

    /// Launches a kernel on PE 0.
    pub fn run(&mut self, kernel: &str, grid: u32, block: u32, params: Params) -> Result<Report, SimError> {
        self.run_shared(kernel, grid, block, 0, params)
    }

    /// The same with dynamic shared memory.
    pub fn run_shared(
        &mut self,
        kernel: &str,
        grid: u32,
        block: u32,
        shared: u64,
        params: Params,
    ) -> Result<Report, SimError> {
        let module = self.module;
        self.machine.launch(&[Launch {
            pe: 0,
            module,
            kernel,
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            shared_bytes: shared,
            params: &params.0,
        }])
    }

    /// Launches a kernel on every PE, with parameters of its own for each.
    pub fn run_all(
        &mut self,
        kernel: &str,
        grid: u32,
        block: u32,
        params: impl Fn(u32) -> Params,
    ) -> Result<Report, SimError> {
        let params: Vec<_> = (0..self.machine.config().pes).map(|pe| params(pe).0).collect();
        OnEveryPe { kernel, blocks: grid, threads: block }.launch(&mut self.machine, self.module, &params)
    }

    /// A buffer on PE 0 with these words.
    pub fn buffer(&mut self, name: &str, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let address = self.machine.alloc(0, bytes.len() as u64, name).unwrap();
        self.machine.write(address, &bytes).unwrap();
        address
    }

    /// Words from memory.
    pub fn words(&self, address: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * count];
        self.machine.read(address, &mut bytes).unwrap();
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    /// Floats from memory.
    pub fn floats(&self, address: u64, count: usize) -> Vec<f32> {
        self.words(address, count).into_iter().map(f32::from_bits).collect()
    }
}
