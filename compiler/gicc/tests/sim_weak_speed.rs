//! How fast weak memory is, and what it takes: `cargo test --release -p gicc --test sim_weak_speed -- --ignored
//! --nocapture`. Not run by default, since the numbers are of the machine that it runs on.

mod sim_support;

use std::time::Instant;

use gicc_sim::weak::Options;
use gicc_sim::{Config, MemoryMode};
use sim_support::{Bench, Params};

/// Weak accesses of a thread's own words; a message between blocks for each round; a barrier.
const KERNELS: &str = r#"
typedef unsigned int u32;
extern "C" __global__ void stream(u32 *data, u32 n, u32 rounds) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (u32 r = 0; r < rounds; ++r)
    for (u32 i = 0; i < n; ++i) {
      volatile u32 *p = data + i * gridDim.x * blockDim.x + t;
      u32 v; asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
      asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(v + 1) : "memory");
    }
}
extern "C" __global__ void put_signal(u32 pe, u32 pes, u32 *mine, unsigned long long stride, u32 *flags, u32 words, u32 *out) {
  u32 peer = (pe + 1) % pes;
  long long there = ((long long)peer - (long long)pe) * (long long)stride;
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (u32 i = 0; i < words; ++i) {
    u32 *p = (u32 *)((char *)mine + there) + i * gridDim.x * blockDim.x + t;
    asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(t + i + pe) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 *f = (u32 *)((char *)flags + there) + blockIdx.x;
    asm volatile("st.release.sys.global.u32 [%0], 1;" :: "l"(f) : "memory");
    u32 v;
    do { asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(flags + blockIdx.x) : "memory"); } while (v != 1);
  }
  __syncthreads();
  u32 sum = 0;
  for (u32 i = 0; i < words; ++i) {
    u32 v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(mine + i * gridDim.x * blockDim.x + t) : "memory");
    sum += v;
  }
  out[t] = sum;
}
"#;

fn config(pes: u32, weak: bool, races: bool) -> Config {
    let memory = if weak { MemoryMode::Weak(Options { races, ..Options::default() }) } else { MemoryMode::Functional };
    Config { pes, memory, strict_segments: false, ..Config::default() }
}

fn stream(weak: bool, races: bool) -> f64 {
    let mut bench = Bench::new(config(1, weak, races), KERNELS);
    let (blocks, threads, n, rounds) = (8, 256, 16, if weak { 20 } else { 200 });
    let data = bench.machine.alloc(0, u64::from(blocks * threads * n * 4), "data").unwrap();
    let begun = Instant::now();
    bench.run("stream", blocks, threads, Params::new().ptr(data).int(n as i32).int(rounds)).unwrap();
    let operations = f64::from(2 * blocks * threads * n) * f64::from(rounds);
    operations / begun.elapsed().as_secs_f64() / 1e6
}

fn put_signal(pes: u32, blocks: u32, weak: bool, races: bool) -> (f64, u64) {
    let words = 2;
    let mut config = config(pes, weak, races);
    config.heap_bytes = 16 << 20;
    let stride = |b: &Bench| b.machine.stride();
    let mut bench = Bench::new(config, KERNELS);
    let (threads, stride) = (256u32, stride(&bench));
    let segments: Vec<u64> = (0..pes).map(|pe| bench.machine.segment(pe)).collect();
    let begun = Instant::now();
    for seed in 0..1 {
        bench.machine.set_seed(seed);
        bench
            .run_all("put_signal", blocks, threads, |pe| {
                let mine = segments[pe as usize];
                Params::new()
                    .int(pe as i32)
                    .int(pes as i32)
                    .ptr(mine)
                    .ptr(stride)
                    .ptr(mine + (8 << 20))
                    .int(words)
                    .ptr(mine + (9 << 20))
            })
            .unwrap();
    }
    let seconds = begun.elapsed().as_secs_f64();
    let told = bench.machine.take_findings();
    assert_eq!(told.races, []);
    println!(
        "    {} operations, {} granules, {} MB of histories",
        told.operations,
        told.granules,
        told.history_bytes >> 20
    );
    for pe in 0..pes {
        let sums = bench.words(segments[pe as usize] + (9 << 20), (blocks * threads) as usize);
        let from = (pe + pes - 1) % pes;
        assert!(sums.iter().zip(0..).all(|(&s, t)| s == 2 * (t + from) + 1), "PE {pe}");
    }
    (seconds, peak())
}

/// The most memory that the process has had, in MB.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let functional = stream(false, false);
    let weak = stream(true, false);
    let races = stream(true, true);
    println!(
        "stream: functional {functional:.1} M operations/s, weak {weak:.2} ({:.1} times), with races {races:.2} ({:.1} times)",
        functional / weak,
        functional / races
    );
    for blocks in [4, 16, 64, 256] {
        let (plain, _) = put_signal(8, blocks, false, false);
        let (seconds, mb) = put_signal(8, blocks, true, true);
        println!(
            "put_signal, 8 PEs, {blocks} blocks of 256: functional {plain:.2} s, weak {seconds:.2} s, {mb} MB at most"
        );
    }
}
