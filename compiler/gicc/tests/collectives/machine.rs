//! Compiled kernels on simulated PEs.

use std::io::Write as _;
use std::path::Path;

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Emit, Observer, Options, Stage, Tools, compile};
use gicc_abi::heap;
use gicc_sim::{Config, Machine};
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::case::{Case, Kernel, bytes_of};
use crate::pes::{OnEveryPe, Pes};
use crate::reference::{Bits, draw, is_right};

/// Blocks of a case at most.
const BLOCKS: u32 = 3;
/// Bytes of the elements of a PE at most, and of its results for an all-gather.
const ELEMENTS: u64 = 1 << 20;
const RESULTS: u64 = 9 << 20;

struct Errors(String);

impl Observer for Errors {
    fn diagnostic(&mut self, d: Diagnostic) {
        if d.severity == Severity::Error {
            self.0 += &d.to_string();
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// A program for the simulator with these kernels.
pub(crate) fn compile_kernels(kernels: &[Kernel]) -> tempfile::NamedTempFile {
    compile_source(&kernels.iter().map(Kernel::source).collect::<String>())
}

/// A program for the simulator of this source.
pub(crate) fn compile_source(source: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".cu").tempfile().expect("a temporary file");
    write!(file, "#include <gicc/gicc.cuh>\n{source}").expect("it can be written");
    let mut options = Options::new(vec![file.path().to_owned()], Tools::discover());
    options.emit = vec![Emit::Sim];
    let mut errors = Errors(String::new());
    let compiled = compile(&options, &mut errors).unwrap_or_else(|_| panic!("{}", errors.0));
    let program = tempfile::Builder::new().suffix(".so").tempfile().expect("a temporary file");
    std::fs::write(program.path(), &compiled.products[0].1).expect("it can be written");
    program
}

/// A machine with a program on it.
pub(crate) struct Loaded {
    on: Pes,
    pes: u32,
    buffers: u64,
    local: Vec<[u64; 3]>,
}

impl Loaded {
    pub(crate) fn new(pes: u32, program: &Path) -> Loaded {
        let workspace_bytes = heap::WORKSPACE_BYTES + heap::packet_bytes(pes, BLOCKS);
        let buffers = workspace_bytes.next_multiple_of(256);
        let heap_bytes = buffers + 2 * RESULTS + ELEMENTS;
        let config = Config { pes, heap_bytes, sms: 4, step_limit: 2_000_000_000, ..Config::default() };
        let mut on = Pes::new(config, program, workspace_bytes, 10_000_000_000).expect("a machine with the program");
        let local = (0..pes)
            .map(|pe| [ELEMENTS, RESULTS, RESULTS].map(|bytes| on.machine.alloc(pe, bytes, "local").expect("room")))
            .collect();
        Loaded { on, pes, buffers, local }
    }

    /// Runs a case; what was wrong.
    pub(crate) fn run(&mut self, case: &Case, seed: u64) -> Result<(), String> {
        let mut random = StdRng::seed_from_u64(seed ^ case.count << 8 ^ u64::from(case.pes));
        let (element, size) = (case.kernel.element, bytes_of(case.kernel.element));
        let times = if case.kernel.grid { 1 } else { u64::from(case.blocks) };
        let all = case.count * times;
        let data: Vec<Vec<Bits>> =
            (0..self.pes).map(|_| (0..all).map(|_| draw(element, case.kernel.op, &mut random)).collect()).collect();
        // Elements, results, and the results of the first call. 8 elements around each say whether something else is written.
        let places: Vec<[u64; 3]> = (0..self.pes)
            .map(|pe| {
                let [mut elements, mut results, mut again] = if case.symmetric {
                    let base = self.on.machine.segment(pe) + self.buffers;
                    [base, base + ELEMENTS, base + ELEMENTS + RESULTS]
                } else {
                    self.local[pe as usize]
                };
                for place in [&mut elements, &mut results, &mut again] {
                    *place += size * (8 + case.shift);
                }
                if case.in_place { [elements, elements, again] } else { [elements, results, again] }
            })
            .collect();
        let gathered = if case.kernel.op.is_none() { u64::from(self.pes) } else { 1 };
        let bytes = |bits: &[Bits]| -> Vec<u8> {
            bits.iter().flat_map(|b| b.to_le_bytes().into_iter().take(size as usize)).collect()
        };
        let fill = vec![0xA5u8; ((all * gathered + 16) * size) as usize];
        for (pe, [elements, results, again]) in places.iter().enumerate() {
            let write =
                |machine: &mut Machine, at: u64, what: &[u8]| machine.write(at, what).map_err(|e| e.to_string());
            write(&mut self.on.machine, *results - 8 * size, &fill)?;
            write(&mut self.on.machine, *again - 8 * size, &fill)?;
            write(&mut self.on.machine, *elements, &bytes(&data[pe]))?;
        }
        let name = case.kernel.name();
        let parameters: Vec<Vec<u8>> = places
            .iter()
            .map(|[elements, results, again]| {
                [*results, *elements, *again, case.count].iter().flat_map(|w| w.to_le_bytes()).collect()
            })
            .collect();
        let kernel = OnEveryPe { kernel: &name, blocks: case.blocks, threads: case.threads };
        self.on.launch(kernel, &parameters).map_err(|e| e.to_string())?.map_or(Ok(()), Err)?;
        for (pe, [_, results, again]) in places.iter().enumerate() {
            let got = self.read(*results - 8 * size, all * gathered + 16, size)?;
            self.compare(case, &data, &got, case.count, times).map_err(|e| format!("PE {pe}: {e}"))?;
            let got = self.read(*again - 8 * size, all * gathered + 16, size)?;
            self.compare(case, &data, &got, case.count.div_ceil(2), times)
                .map_err(|e| format!("PE {pe}, first call: {e}"))?;
            let first = self.read(places[0][1], all * gathered, size)?;
            let same = self.read(*results, all * gathered, size)?;
            if let Some(at) = first.iter().zip(&same).position(|(a, b)| a != b) {
                return Err(format!("PE {pe} has {:#x} where PE 0 has {:#x}, at {at}", same[at], first[at]));
            }
        }
        Ok(())
    }

    fn read(&self, at: u64, count: u64, size: u64) -> Result<Vec<Bits>, String> {
        let mut bytes = vec![0; (count * size) as usize];
        self.on.machine.read(at, &mut bytes).map_err(|e| e.to_string())?;
        Ok(bytes
            .chunks_exact(size as usize)
            .map(|c| {
                let mut word = [0; 8];
                word[..c.len()].copy_from_slice(c);
                u64::from_le_bytes(word)
            })
            .collect())
    }

    /// Compares results (with 8 elements around them) of calls with `count` elements.
    fn compare(&self, case: &Case, data: &[Vec<Bits>], got: &[Bits], count: u64, times: u64) -> Result<(), String> {
        let (element, pes) = (case.kernel.element, u64::from(self.pes));
        let untouched = 0xA5A5_A5A5_A5A5_A5A5 & (u64::MAX >> (64 - 8 * bytes_of(element)));
        let gathered = if case.kernel.op.is_none() { pes } else { 1 };
        let mut right = vec![None; got.len()];
        for call in 0..times {
            for i in 0..count * gathered {
                let place = 8 + call * case.count * gathered + i;
                right[place as usize] = Some((call, i));
            }
        }
        for (place, right) in right.into_iter().enumerate() {
            let bits = got[place];
            match right {
                // In place, what the second call leaves are elements.
                None if case.in_place && count == case.count && (8..got.len() - 8).contains(&place) => {}
                None => {
                    if bits != untouched {
                        return Err(format!("something wrote {bits:#x} at element {}", place as i64 - 8));
                    }
                }
                Some((call, i)) => {
                    let good = match case.kernel.op {
                        Some(op) => {
                            let all: Vec<Bits> = data.iter().map(|d| d[(call * case.count + i) as usize]).collect();
                            is_right(element, op, &all, bits)
                        }
                        None => data[(i / count) as usize][(call * case.count + i % count) as usize] == bits,
                    };
                    if !good {
                        return Err(format!("wrong: {bits:#x} at element {i} of call {call}"));
                    }
                }
            }
        }
        Ok(())
    }
}
