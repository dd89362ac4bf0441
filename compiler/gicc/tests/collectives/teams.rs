//! Collectives of parts of the PEs in the simulator: machines of 1 to 9 PEs are divided into teams of 1 to 9, with strides of 1
//! to 4, all of which call at once. One kernel calls with a first division, then with all PEs, with a second division, whose
//! teams overlap the first one's, and with the first again; a second launch continues. PEs in no team do not call.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use gicc_abi::codes::ElementType;
use gicc_abi::heap;
use gicc_sim::Config;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::case::{Kernel, bytes_of};
use crate::machine::compile_source;
use crate::pes::{OnEveryPe, Pes};
use crate::reference::{Bits, draw, is_right};

/// Blocks of a case at most.
const BLOCKS: u32 = 3;
/// Bytes of one of a PE's buffers: its elements, and the results of four calls.
const BUFFER: u64 = 6 << 20;
/// Elements in front of and behind a buffer's that nobody may write.
const AROUND: u64 = 8;
/// What stands there, and in all results at first.
const UNTOUCHED: u8 = 0xA5;

/// Teams of one size and stride, as many as there is room for; each PE has one or none.
#[derive(Clone, Copy, Debug)]
struct Division {
    size: u32,
    stride: u32,
}

/// The PEs of a team.
type Members = Vec<u32>;

impl Division {
    /// The team of each PE.
    fn teams(self, pes: u32) -> Vec<Option<Members>> {
        let mut of: Vec<Option<Members>> = vec![None; pes as usize];
        for start in 0..pes {
            let members: Members = (0..self.size).map(|n| start + n * self.stride).collect();
            if members.iter().all(|pe| *pe < pes && of[*pe as usize].is_none()) {
                for pe in &members {
                    of[*pe as usize] = Some(members.clone());
                }
            }
        }
        of
    }
}

/// One case.
#[derive(Clone, Copy, Debug)]
struct Case {
    kernel: Kernel,
    pes: u32,
    divisions: [Division; 2],
    count: u64,
    blocks: u32,
    threads: u32,
    symmetric: bool,
    shift: u64,
}

const COUNTS: &[u64] = &[0, 1, 3, 7, 255, 1001, 4098, 13_001, 20_480, 26_003];
const THREADS: &[u32] = &[32, 64, 160];

impl Case {
    fn draw(kernel: Kernel, random: &mut StdRng) -> Case {
        let pes = random.random_range(1..=9);
        let mut division = || Division { size: random.random_range(1..=pes), stride: random.random_range(1..=4) };
        let divisions = [division(), division()];
        Case {
            kernel,
            pes,
            divisions,
            count: COUNTS[random.random_range(0..COUNTS.len())],
            blocks: random.random_range(1..=BLOCKS),
            threads: THREADS[random.random_range(0..THREADS.len())],
            symmetric: random.random_range(0..3) > 0,
            shift: if random.random_range(0..2) == 0 { 0 } else { random.random_range(0..8) },
        }
    }

    /// The teams of the four calls, by PE.
    fn calls(&self) -> [Vec<Option<Members>>; 4] {
        let [first, second] = self.divisions.map(|d| d.teams(self.pes));
        let all = vec![Some((0..self.pes).collect()); self.pes as usize];
        [first.clone(), all, second, first]
    }

    /// The elements of each call.
    fn counts(&self) -> [u64; 4] {
        [self.count, self.count.div_ceil(3), self.count.div_ceil(2), self.count]
    }
}

/// The source of a kernel: each call's result has its buffer, and a team of no PEs is none of this PE's.
fn source(kernel: &Kernel) -> String {
    let (ty, group, algorithm) = (kernel.c_type(), kernel.group(), kernel.c_algorithm());
    let first = if kernel.grid { "0" } else { "blockIdx.x * count" };
    let call = |team: &str, out: &str, count: &str| match kernel.c_op() {
        Some(op) => {
            format!("gicc::all_reduce<gicc::{group}>({team}{out} + first, in + first, {count}, {op}, {algorithm});")
        }
        None => {
            let pes = if team.is_empty() { "gicc::n_pes()".to_owned() } else { format!("{}.n_pes()", &team[..1]) };
            format!("gicc::all_gather<gicc::{group}>({team}{out} + first * {pes}, in + first, {count}, {algorithm});")
        }
    };
    format!(
        "extern \"C\" __global__ void {name}({ty} *o0, {ty} *o1, {ty} *o2, {ty} *o3, const {ty} *in, long long count,\n  \
         int as, int at, int an, int bs, int bt, int bn) {{\n  \
         const gicc::team a(as, at, an), b(bs, bt, bn);\n  long long first = {first};\n  \
         if (an > 0) {}\n  {}\n  if (bn > 0) {}\n  if (an > 0) {}\n}}\n",
        call("a, ", "o0", "count"),
        call("", "o1", "(count + 2) / 3"),
        call("b, ", "o2", "(count + 1) / 2"),
        call("a, ", "o3", "count"),
        name = kernel.name(),
    )
}

struct Loaded {
    on: Pes,
    buffers: u64,
    local: Vec<u64>,
}

impl Loaded {
    fn new(pes: u32, program: &Path) -> Loaded {
        let workspace = heap::WORKSPACE_BYTES + heap::packet_bytes(pes, BLOCKS);
        let parts = heap::PART_BYTES * u64::from(pes) * u64::from(BLOCKS);
        let buffers = (workspace + parts).next_multiple_of(256);
        let config =
            Config { pes, heap_bytes: buffers + 5 * BUFFER, sms: 4, step_limit: 2_000_000_000, ..Config::default() };
        let mut on = Pes::new(config, program, workspace, 10_000_000_000).expect("a machine with the program");
        let local = (0..pes).map(|pe| on.machine.alloc(pe, 5 * BUFFER, "local").expect("room")).collect();
        Loaded { on, buffers, local }
    }

    /// Launches a case once; what was wrong.
    fn run(&mut self, case: &Case, random: &mut StdRng) -> Result<(), String> {
        let size = bytes_of(case.kernel.element);
        let times = if case.kernel.grid { 1 } else { u64::from(case.blocks) };
        let data: Vec<Vec<Bits>> = (0..case.pes)
            .map(|_| (0..case.count * times).map(|_| draw(case.kernel.element, case.kernel.op, random)).collect())
            .collect();
        let (calls, counts) = (case.calls(), case.counts());
        let places: Vec<[u64; 5]> = (0..case.pes)
            .map(|pe| {
                let base =
                    if case.symmetric { self.on.machine.segment(pe) + self.buffers } else { self.local[pe as usize] };
                [0, 1, 2, 3, 4].map(|n| base + n * BUFFER + size * (AROUND + case.shift))
            })
            .collect();
        let mut parameters = Vec::new();
        for (pe, place) in places.iter().enumerate() {
            let fill = vec![UNTOUCHED; (BUFFER / 2) as usize];
            for at in &place[..4] {
                self.on.machine.write(*at - AROUND * size, &fill).map_err(|e| e.to_string())?;
            }
            let bytes: Vec<u8> =
                data[pe].iter().flat_map(|b| b.to_le_bytes().into_iter().take(size as usize)).collect();
            self.on.machine.write(place[4], &bytes).map_err(|e| e.to_string())?;
            let mut words: Vec<u8> = place.iter().chain([&case.count]).flat_map(|w| w.to_le_bytes()).collect();
            for (team, division) in [(&calls[0][pe], case.divisions[0]), (&calls[2][pe], case.divisions[1])] {
                let numbers =
                    team.as_ref().map_or([0, 1, 0], |members| [members[0], division.stride, members.len() as u32]);
                words.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
            }
            parameters.push(words);
        }
        let name = case.kernel.name();
        let kernel = OnEveryPe { kernel: &name, blocks: case.blocks, threads: case.threads };
        self.on.launch(kernel, &parameters).map_err(|e| e.to_string())?.map_or(Ok(()), Err)?;
        for (n, teams) in calls.iter().enumerate() {
            for (pe, team) in teams.iter().enumerate() {
                let where_ = |e: String| format!("call {n}, PE {pe}, team {team:?}: {e}");
                let got = self.read(places[pe][n] - AROUND * size, case, team.as_ref(), size).map_err(where_)?;
                compare(case, &data, team.as_ref(), counts[n], &got).map_err(where_)?;
                let Some(leader) = team.as_ref().map(|t| t[0] as usize) else { continue };
                let first = self.read(places[leader][n] - AROUND * size, case, team.as_ref(), size).map_err(where_)?;
                if first != got {
                    return Err(where_(format!("other bits than on PE {leader}")));
                }
            }
        }
        Ok(())
    }

    /// All that a call may write, with what lies around it.
    fn read(&self, at: u64, case: &Case, team: Option<&Members>, size: u64) -> Result<Vec<Bits>, String> {
        let times = if case.kernel.grid { 1 } else { u64::from(case.blocks) };
        let members = if case.kernel.op.is_none() { team.map_or(1, |t| t.len() as u64) } else { 1 };
        let mut bytes = vec![0; ((2 * AROUND + case.count * times * members) * size) as usize];
        self.on.machine.read(at, &mut bytes).map_err(|e| e.to_string())?;
        let word = |c: &[u8]| c.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        Ok(bytes.chunks_exact(size as usize).map(word).collect())
    }
}

/// Compares what a call of a team left on a PE with the reference.
fn compare(case: &Case, data: &[Vec<Bits>], team: Option<&Members>, count: u64, got: &[Bits]) -> Result<(), String> {
    let element = case.kernel.element;
    let untouched = (0..bytes_of(element)).fold(0, |all, _| all << 8 | u64::from(UNTOUCHED));
    let times = if case.kernel.grid { 1 } else { u64::from(case.blocks) };
    let gathered = if case.kernel.op.is_none() { team.map_or(1, |t| t.len() as u64) } else { 1 };
    for (place, bits) in got.iter().enumerate() {
        let inside = (place as u64).wrapping_sub(AROUND);
        let (call, i) = (inside / (case.count * gathered).max(1), inside % (case.count * gathered).max(1));
        let right = match (team, case.kernel.op) {
            (Some(_), _) if call >= times || i >= count * gathered => *bits == untouched,
            (None, _) => *bits == untouched,
            (Some(team), Some(op)) => {
                let all: Vec<Bits> =
                    team.iter().map(|pe| data[*pe as usize][(call * case.count + i) as usize]).collect();
                is_right(element, op, &all, *bits)
            }
            (Some(team), None) => {
                let pe = team[(i / count) as usize] as usize;
                data[pe][(call * case.count + i % count) as usize] == *bits
            }
        };
        if !right {
            return Err(format!("wrong: {bits:#x} at element {i} of block {call} (at {place})"));
        }
    }
    Ok(())
}

/// Runs cases, compiled together by element type; what failed.
fn run_all(cases: &[Case], seed: u64) -> Vec<String> {
    let mut failures = Vec::new();
    for &element in ElementType::ALL {
        let of_type: Vec<&Case> = cases.iter().filter(|c| c.kernel.element == element).collect();
        let mut kernels: Vec<Kernel> = of_type.iter().map(|c| c.kernel).collect();
        kernels.sort();
        kernels.dedup();
        for part in kernels.chunks(20) {
            let program = compile_source(&part.iter().map(source).collect::<String>());
            let mut machines: BTreeMap<u32, Loaded> = BTreeMap::new();
            for case in of_type.iter().filter(|c| part.contains(&c.kernel)) {
                let mut random = StdRng::seed_from_u64(seed ^ case.count << 8 ^ u64::from(case.pes));
                let machine = machines.entry(case.pes).or_insert_with(|| Loaded::new(case.pes, program.path()));
                for launch in 0..2 {
                    if let Err(why) = machine.run(case, &mut random) {
                        failures.push(format!("{case:?}, launch {launch}: {why}"));
                        machines.remove(&case.pes);
                        break;
                    }
                }
            }
        }
    }
    failures
}

fn expect_none(failures: &[String], cases: usize) {
    let _ = writeln!(std::io::stderr(), "{cases} cases of teams, {} failed", failures.len());
    assert!(failures.is_empty(), "{}", failures[..failures.len().min(8)].join("\n"));
}

#[test]
fn a_choice_of_teams_is_right() {
    let mut random = StdRng::seed_from_u64(7);
    let kernels = Kernel::all();
    let cases: Vec<Case> =
        (0..24).map(|_| Case::draw(kernels[random.random_range(0..kernels.len())], &mut random)).collect();
    expect_none(&run_all(&cases, 1), cases.len());
}

#[test]
#[ignore = "every kernel with several divisions; by hand"]
fn every_operation_type_algorithm_and_group_is_right_in_teams() {
    let seed = std::env::var("GICC_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut random = StdRng::seed_from_u64(seed);
    let cases: Vec<Case> =
        Kernel::all().iter().flat_map(|k| (0..3).map(|_| Case::draw(*k, &mut random)).collect::<Vec<_>>()).collect();
    expect_none(&run_all(&cases, seed), cases.len());
}

#[test]
fn divisions_have_the_teams_that_fit() {
    let teams = Division { size: 2, stride: 2 }.teams(5);
    assert_eq!(teams, [Some(vec![0, 2]), Some(vec![1, 3]), Some(vec![0, 2]), Some(vec![1, 3]), None]);
    assert_eq!(Division { size: 3, stride: 4 }.teams(9)[8], Some(vec![0, 4, 8]));
}
