//! How fast the simulator is: `cargo test --release -p gicc --test sim_speed -- --ignored --nocapture`. Not run by default,
//! since a time says nothing on a busy machine.
#![allow(clippy::unwrap_used, reason = "tests state facts; an unwrap there is an assertion")]

mod sim_support;

use std::time::Instant;

use sim_support::{Bench, Params};

/// Accesses and loop iterations, or accesses alone, in millions a second.
fn measure(name: &str, cuda: &str, grid: u32, block: u32, accesses: u64) -> f64 {
    let mut bench = Bench::one(cuda);
    let n = (grid * block) as usize;
    let (a, b) = (bench.buffer("a", &vec![1; n + 64]), bench.buffer("b", &vec![0; n + 64]));
    let params = || Params::new().ptr(a).ptr(b).int(1000);
    bench.run("k", grid, block, params()).unwrap();
    let begun = Instant::now();
    let report = bench.run("k", grid, block, params()).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let rate = accesses as f64 / seconds / 1e6;
    println!(
        "{name}: {accesses} accesses in {seconds:.3} s: {rate:.1} million/s ({:.1} million steps/s, {} rounds)",
        report.steps as f64 / seconds / 1e6,
        report.rounds
    );
    rate
}

#[test]
#[ignore = "a measurement; see the head of this file"]
fn accesses_a_second() {
    let threads = 64 * 256;
    let simple = measure(
        "loads and stores in a loop",
        r#"
extern "C" __global__ void k(const int *a, int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; ++i) b[t] = a[t + (i & 31)] + i;
}"#,
        64,
        256,
        2000 * threads,
    );
    measure(
        "one load and store a thread, 4 million threads",
        r#"
extern "C" __global__ void k(const int *a, int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  b[t] = a[t] + n;
}"#,
        16384,
        256,
        2 * 16384 * 256,
    );
    measure(
        "barriers and shared memory",
        r#"
extern "C" __global__ void k(const int *a, int *b, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, v = a[t];
  for (int i = 0; i < 100; ++i) { s[t] = v; __syncthreads(); v += s[(t + 1) & 255]; __syncthreads(); }
  b[blockIdx.x * 256 + t] = v;
}"#,
        64,
        256,
        200 * threads,
    );
    measure(
        "shuffles (five an addition)",
        r#"
extern "C" __global__ void k(const int *a, int *b, int n) {
  int t = threadIdx.x, v = a[t];
  for (int i = 0; i < 20; ++i) for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  b[blockIdx.x * 256 + t] = v;
}"#,
        64,
        256,
        100 * threads,
    );
    measure(
        "atomics",
        r#"
extern "C" __global__ void k(const int *a, int *b, int n) {
  for (int i = 0; i < n; ++i) atomicAdd(b + (i & 7), 1);
}"#,
        64,
        256,
        1000 * threads,
    );
    assert!(simple >= 20.0, "the goal is 20 million accesses a second on one core");
}
