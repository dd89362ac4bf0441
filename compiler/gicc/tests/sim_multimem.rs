//! Multimem instructions in the simulator: each stands for an access of every PE's location behind a multicast address.

#![allow(clippy::unwrap_used, reason = "tests state facts; an unwrap there is an assertion")]

mod sim_support;

use gicc_sim::{Config, MemoryMode, SimError};
use sim_support::{Bench, Params};

fn config(pes: u32, memory: MemoryMode) -> Config {
    Config { pes, heap_bytes: 1 << 20, seed: 3, memory, ..Config::default() }
}

/// Words at an offset of a PE's segment.
fn put(bench: &mut Bench, pe: u32, offset: u64, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let address = bench.machine.segment(pe) + offset;
    bench.machine.write(address, &bytes).unwrap();
}

/// Each opcode of `ld_reduce` and `red` with the words of PE p, what a load gives, and the rest of the operands.
struct Reduction {
    opcode: &'static str,
    class: (&'static str, &'static str),
    lanes: usize,
    /// Words of a PE.
    of: fn(u32) -> Vec<u32>,
    /// The result over so many PEs.
    result: fn(u32) -> Vec<u32>,
}

const WORD: (&str, &str) = ("unsigned", "r");
const WIDE: (&str, &str) = ("unsigned long long", "l");
const FLOAT: (&str, &str) = ("float", "f");
const DOUBLE: (&str, &str) = ("double", "d");

fn halves(low: f32, high: f32) -> u32 {
    let bits = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
    bits(low) | bits(high) << 16
}

fn bfloats(low: f32, high: f32) -> u32 {
    let bits = |x: f32| u32::from(half::bf16::from_f32(x).to_bits());
    bits(low) | bits(high) << 16
}

fn double(x: f64) -> Vec<u32> {
    vec![x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

/// 1 + 2 + … + n.
fn sum(n: u32) -> f32 {
    (n * (n + 1) / 2) as f32
}

const REDUCTIONS: &[Reduction] = &[
    Reduction { opcode: "add.u32", class: WORD, lanes: 1, of: |p| vec![p + 1], result: |n| vec![n * (n + 1) / 2] },
    Reduction { opcode: "add.s32", class: WORD, lanes: 1, of: |_| vec![u32::MAX], result: |n| vec![n.wrapping_neg()] },
    Reduction {
        opcode: "min.s32",
        class: WORD,
        lanes: 1,
        of: |p| vec![(1 - p as i32) as u32],
        result: |n| vec![2u32.wrapping_sub(n)],
    },
    Reduction {
        opcode: "max.s32",
        class: WORD,
        lanes: 1,
        of: |p| vec![(p as i32 - 9) as u32],
        result: |n| vec![n.wrapping_sub(10)],
    },
    Reduction { opcode: "min.u32", class: WORD, lanes: 1, of: |p| vec![p + 4], result: |_| vec![4] },
    Reduction { opcode: "max.u32", class: WORD, lanes: 1, of: |p| vec![p + 4], result: |n| vec![n + 3] },
    Reduction { opcode: "and.b32", class: WORD, lanes: 1, of: |p| vec![!(1 << p)], result: |n| vec![!((1 << n) - 1)] },
    Reduction { opcode: "or.b32", class: WORD, lanes: 1, of: |p| vec![1 << p], result: |n| vec![(1 << n) - 1] },
    Reduction { opcode: "xor.b32", class: WORD, lanes: 1, of: |p| vec![3 << p], result: |n| vec![1 | 1 << n] },
    Reduction {
        opcode: "add.u64",
        class: WIDE,
        lanes: 1,
        of: |p| vec![0, p + 1],
        result: |n| vec![0, n * (n + 1) / 2],
    },
    Reduction {
        opcode: "max.s64",
        class: WIDE,
        lanes: 1,
        of: |p| vec![p, u32::MAX],
        result: |n| vec![n - 1, u32::MAX],
    },
    Reduction { opcode: "min.u64", class: WIDE, lanes: 1, of: |p| vec![p, 1], result: |_| vec![0, 1] },
    Reduction { opcode: "or.b64", class: WIDE, lanes: 1, of: |p| vec![0, 1 << p], result: |n| vec![0, (1 << n) - 1] },
    Reduction {
        opcode: "add.f32",
        class: FLOAT,
        lanes: 1,
        of: |p| vec![(p as f32 + 1.0).to_bits()],
        result: |n| vec![sum(n).to_bits()],
    },
    Reduction {
        opcode: "add.v2.f32",
        class: FLOAT,
        lanes: 2,
        of: |p| vec![(p as f32 + 1.0).to_bits(), 0.5f32.to_bits()],
        result: |n| vec![sum(n).to_bits(), (0.5 * n as f32).to_bits()],
    },
    Reduction {
        opcode: "add.v4.f32",
        class: FLOAT,
        lanes: 4,
        of: |p| (0..4).map(|i| ((p + 1) as f32 * (i + 1) as f32).to_bits()).collect(),
        result: |n| (0..4).map(|i| (sum(n) * (i + 1) as f32).to_bits()).collect(),
    },
    Reduction {
        opcode: "add.f64",
        class: DOUBLE,
        lanes: 1,
        of: |p| double(f64::from(p) + 1.0),
        result: |n| double(sum(n).into()),
    },
    Reduction {
        opcode: "add.f16x2",
        class: WORD,
        lanes: 1,
        of: |p| vec![halves(p as f32 + 1.0, 0.5)],
        result: |n| vec![halves(sum(n), 0.5 * n as f32)],
    },
    Reduction {
        opcode: "min.f16x2",
        class: WORD,
        lanes: 1,
        of: |p| vec![halves(p as f32 + 1.0, -(p as f32))],
        result: |n| vec![halves(1.0, -(n as f32 - 1.0))],
    },
    Reduction {
        opcode: "max.bf16x2",
        class: WORD,
        lanes: 1,
        of: |p| vec![bfloats(p as f32 + 1.0, -1.0)],
        result: |n| vec![bfloats(n as f32, -1.0)],
    },
    Reduction {
        opcode: "add.bf16x2",
        class: WORD,
        lanes: 1,
        of: |p| vec![bfloats(p as f32 + 1.0, 0.5)],
        result: |n| vec![bfloats(sum(n), 0.5 * n as f32)],
    },
    Reduction {
        opcode: "add.v4.f16x2",
        class: WORD,
        lanes: 4,
        of: |p| vec![halves(p as f32 + 1.0, 0.5); 4],
        result: |n| vec![halves(sum(n), 0.5 * n as f32); 4],
    },
    Reduction {
        opcode: "add.v4.bf16x2",
        class: WORD,
        lanes: 4,
        of: |p| vec![bfloats(p as f32 + 1.0, 0.5); 4],
        result: |n| vec![bfloats(sum(n), 0.5 * n as f32); 4],
    },
];

/// Forms of `ld_reduce` that `red` does not have: 256 + 1 + … + 1 with and without an accumulator of single precision.
const ACCUMULATED: &[Reduction] = &[
    Reduction {
        opcode: "add.acc::f32.v4.bf16x2",
        class: WORD,
        lanes: 4,
        of: |p| vec![if p == 0 { bfloats(256.0, 2048.0) } else { bfloats(1.0, 1.0) }; 4],
        result: |n| vec![bfloats(255.0 + n as f32, 2047.0 + n as f32); 4],
    },
    Reduction {
        opcode: "add.acc::f32.v4.f16x2",
        class: WORD,
        lanes: 4,
        of: |p| vec![if p == 0 { halves(2048.0, 256.0) } else { halves(1.0, 1.0) }; 4],
        result: |n| vec![halves(2047.0 + n as f32, 255.0 + n as f32); 4],
    },
    Reduction {
        opcode: "add.v2.bf16x2",
        class: WORD,
        lanes: 2,
        of: |p| vec![if p == 0 { bfloats(256.0, 1.0) } else { bfloats(1.0, 1.0) }; 2],
        result: |n| vec![bfloats(256.0, n as f32); 2],
    },
];

fn list(from: usize, count: usize) -> String {
    let all: Vec<_> = (from..from + count).map(|i| format!("%{i}")).collect();
    if count == 1 { all[0].clone() } else { format!("{{{}}}", all.join(", ")) }
}

/// `o` gets what PE 0 loads; with `reduces`, each PE reduces its own words onto `r`.
fn kernel(name: &str, reduction: &Reduction, number: usize, reduces: bool) -> String {
    let (c, constraint) = reduction.class;
    let (lanes, opcode) = (reduction.lanes, reduction.opcode);
    let values: Vec<_> = (0..lanes).map(|i| format!("v{i}")).collect();
    let bound =
        |prefix: &str| values.iter().map(|v| format!("\"{prefix}{constraint}\"({v})")).collect::<Vec<_>>().join(", ");
    let order = ["", ".weak", ".relaxed.sys", ".acquire.gpu", ".relaxed.cluster"][number % 5];
    let mut text = format!(
        "extern \"C\" __global__ void {name}(char *multicast, char *mine, unsigned *o) {{ {c} {}; ",
        values.join(", ")
    );
    text += &format!(
        "asm volatile(\"multimem.ld_reduce{order}.global.{opcode} {}, [%{lanes}];\" : {} : \"l\"(multicast) : \"memory\"); ",
        list(0, lanes),
        bound("=")
    );
    for value in &values {
        text += &format!("(({c} *)o)[{}] = {value}; ", &value[1..]);
    }
    if reduces {
        for value in &values {
            text += &format!("{value} = (({c} *)mine)[{}]; ", &value[1..]);
        }
        let order = ["", ".relaxed.sys", ".release.gpu", ".release.sys", ".relaxed.cta"][number % 5];
        text += &format!(
            "asm volatile(\"multimem.red{order}.global.{opcode} [%0], {};\" :: \"l\"(multicast + 256), {} : \"memory\"); ",
            list(1, lanes),
            bound("")
        );
    }
    text + "}\n"
}

/// What changes nothing of a PE's place for `red`, in words.
fn neutral(opcode: &str, words: usize) -> Vec<u32> {
    match opcode {
        "and.b32" | "min.u32" | "min.u64" => vec![u32::MAX; words],
        "min.s32" => vec![i32::MAX as u32],
        "max.s32" => vec![i32::MIN as u32],
        "max.s64" => vec![0, i32::MIN as u32],
        "min.f16x2" => vec![halves(f32::INFINITY, f32::INFINITY)],
        "max.bf16x2" => vec![bfloats(f32::NEG_INFINITY, f32::NEG_INFINITY)],
        _ => vec![0; words],
    }
}

#[test]
fn loads_that_reduce_and_reductions() {
    let all: Vec<(&Reduction, bool)> =
        REDUCTIONS.iter().map(|r| (r, true)).chain(ACCUMULATED.iter().map(|r| (r, false))).collect();
    let cuda: String = (0..).zip(&all).map(|(i, (r, reduces))| kernel(&format!("form{i}"), r, i, *reduces)).collect();
    for pes in [2, 4, 8] {
        let mut bench = Bench::new(config(pes, MemoryMode::Functional), &cuda);
        let outs: Vec<u64> = (0..pes).map(|pe| bench.machine.alloc(pe, 64, "o").unwrap()).collect();
        let segments: Vec<u64> = (0..pes).map(|pe| bench.machine.segment(pe)).collect();
        for (i, (reduction, reduces)) in all.iter().enumerate() {
            let expected = (reduction.result)(pes);
            for pe in 0..pes {
                put(&mut bench, pe, 0, &(reduction.of)(pe));
                put(&mut bench, pe, 256, &neutral(reduction.opcode, expected.len()));
            }
            let multicast = bench.machine.multicast(segments[0]).unwrap();
            bench
                .run_all(&format!("form{i}"), 1, 1, |pe| {
                    Params::new().ptr(multicast).ptr(segments[pe as usize]).ptr(outs[pe as usize])
                })
                .unwrap();
            for pe in 0..pes as usize {
                assert_eq!(
                    bench.words(outs[pe], expected.len()),
                    expected,
                    "{} on {pes} PEs, PE {pe}",
                    reduction.opcode
                );
                if *reduces {
                    let found = bench.words(segments[pe] + 256, expected.len());
                    assert_eq!(found, expected, "red.{} on {pes} PEs, PE {pe}", reduction.opcode);
                }
            }
        }
    }
}

#[test]
fn stores_reach_every_pe() {
    let mut bench = Bench::new(
        config(4, MemoryMode::Functional),
        r#"
extern "C" __global__ void store(unsigned *multicast, const float *in) {
  asm volatile("multimem.st.global.b32 [%0], %1;" :: "l"(multicast), "r"(7) : "memory");
  asm volatile("multimem.st.weak.global.b64 [%0], %1;" :: "l"(multicast + 2), "l"(0x0000000900000008ull) : "memory");
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(multicast + 4), "f"(in[0]), "f"(in[1]), "f"(in[2]), "f"(in[3]) : "memory");
  asm volatile("multimem.st.release.gpu.global.v4.f16x2 [%0], {%1, %2, %3, %4};" :: "l"(multicast + 8), "r"(1), "r"(2), "r"(3), "r"(4) : "memory");
  asm volatile("multimem.st.release.sys.global.v2.bf16x2 [%0+48], {%1, %2};" :: "l"(multicast), "r"(5), "r"(6) : "memory");
  asm volatile("multimem.st.f64 [%0], %1;" :: "l"(multicast + 14), "d"(1.0) : "memory");
}"#,
    );
    let floats = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits);
    let input = bench.buffer("in", &floats);
    // An address of any PE's segment stands for all.
    let multicast = bench.machine.multicast(bench.machine.segment(2)).unwrap();
    bench.run("store", 1, 1, Params::new().ptr(multicast).ptr(input)).unwrap();
    let mut expected = vec![7, 0, 8, 9];
    expected.extend(floats);
    expected.extend([1, 2, 3, 4, 5, 6, 0, 0x3ff0_0000]);
    for pe in 0..4 {
        assert_eq!(bench.words(bench.machine.segment(pe), 16), expected, "PE {pe}");
    }
}

/// Each PE reduces a part over all and stores it to all, between two barriers of all PEs by `multimem.red`.
const ALL_REDUCE: &str = r#"
static __device__ void meet(unsigned *multicast, unsigned *mine, unsigned until) {
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("multimem.red.RELEASE.sys.global.add.u32 [%0], 1;" :: "l"(multicast) : "memory");
    unsigned v;
    do asm volatile("ld.ACQUIRE.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory"); while (v < until);
  }
  __syncthreads();
}
extern "C" __global__ void all_reduce(char *multicast, char *mine, int pe, int n) {
  int t = threadIdx.x, elements = 32 / n;
  float *data = (float *)(multicast + 4096), *local = (float *)(mine + 4096);
  local[t] = local[t] + 100;
  meet((unsigned *)multicast, (unsigned *)mine, n);
  if (t < elements) {
    float *there = data + pe * elements + t, v;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(v) : "l"(there) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0+4096], %1;" :: "l"(there), "f"(v) : "memory");
  }
  meet((unsigned *)multicast, (unsigned *)mine, 2 * n);
  local[2048 + t] = local[1024 + t];
}"#;

/// Whether every PE has the sums, over so many seeds.
fn all_reduce(pes: u32, memory: MemoryMode, cuda: &str, seeds: u64) -> Result<(), String> {
    let mut bench = Bench::new(config(pes, memory), cuda);
    let segments: Vec<u64> = (0..pes).map(|pe| bench.machine.segment(pe)).collect();
    let multicast = bench.machine.multicast(segments[0]).unwrap();
    for seed in 0..seeds {
        bench.machine.set_seed(seed);
        for pe in 0..pes {
            put(&mut bench, pe, 0, &[0]);
            let own: Vec<u32> = (0..32).map(|i| ((pe * 32 + i) as f32).to_bits()).collect();
            put(&mut bench, pe, 4096, &own);
            put(&mut bench, pe, 8192, &[0; 32]);
        }
        bench
            .run_all("all_reduce", 1, 32, |pe| {
                Params::new().ptr(multicast).ptr(segments[pe as usize]).int(pe as i32).int(pes as i32)
            })
            .map_err(|e| e.to_string())?;
        let expected: Vec<f32> = (0..32).map(|i| (0..pes).map(|pe| 100.0 + (pe * 32 + i) as f32).sum()).collect();
        for &segment in &segments {
            if bench.floats(segment + 4096 + 8192, 32) != expected {
                return Err(format!("wrong sums with seed {seed}"));
            }
        }
    }
    Ok(())
}

fn ordered(release: &str, acquire: &str) -> String {
    ALL_REDUCE.replace("RELEASE", release).replace("ACQUIRE", acquire)
}

#[test]
fn all_reduce_between_barriers() {
    for pes in [1, 2, 4, 8] {
        all_reduce(pes, MemoryMode::Functional, &ordered("release", "acquire"), 3).unwrap();
    }
}

#[test]
fn in_weak_memory_a_barrier_needs_its_release_and_its_acquire() {
    let weak = MemoryMode::Weak(Default::default());
    for pes in [2, 4] {
        all_reduce(pes, weak, &ordered("release", "acquire"), 30).unwrap();
    }
    for (release, acquire) in [("relaxed", "acquire"), ("release", "relaxed")] {
        let result = all_reduce(2, weak, &ordered(release, acquire), 300);
        assert!(result.is_err(), "{release} and {acquire} went well");
    }
}

#[test]
fn addresses_are_not_mixed_up() {
    let mut bench = Bench::new(
        config(2, MemoryMode::Functional),
        r#"
extern "C" __global__ void plain(unsigned *p) { *p = 1; }
extern "C" __global__ void multimem(unsigned *p) {
  asm volatile("multimem.red.global.add.u32 [%0], 1;" :: "l"(p) : "memory");
}"#,
    );
    let place = bench.machine.segment(1);
    let multicast = bench.machine.multicast(place).unwrap();
    let message = |error: SimError| error.to_string();
    let plain = message(bench.run("plain", 1, 1, Params::new().ptr(multicast)).unwrap_err());
    assert!(plain.contains("a multicast address is for multimem instructions only"), "{plain}");
    let multimem = message(bench.run("multimem", 1, 1, Params::new().ptr(place)).unwrap_err());
    assert!(multimem.contains("a multimem instruction wants a multicast address"), "{multimem}");
    let odd = message(bench.run("multimem", 1, 1, Params::new().ptr(multicast + 2)).unwrap_err());
    assert!(odd.contains("the address is no multiple of 4"), "{odd}");
}
