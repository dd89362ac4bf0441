//! Kernels of one GPU in the simulator: memory, barriers, warps, atomics, printing, arithmetic.

mod sim_support;

use sim_support::{Bench, Params};

#[test]
fn vectors_are_added() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}"#,
    );
    let n = 1000;
    let a: Vec<u32> = (0..n).map(|i| (i as f32).to_bits()).collect();
    let b: Vec<u32> = (0..n).map(|i| (0.5 * i as f32).to_bits()).collect();
    let (a, b) = (bench.buffer("a", &a), bench.buffer("b", &b));
    let c = bench.buffer("c", &vec![0; n]);
    bench.run("add", 8, 128, Params::new().ptr(a).ptr(b).ptr(c).int(n as i32)).unwrap();
    let expected: Vec<f32> = (0..n).map(|i| 1.5 * i as f32).collect();
    assert_eq!(bench.floats(c, n), expected);
}

#[test]
fn a_block_reduces_through_shared_memory() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void reduce(const float *in, float *out) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}"#,
    );
    let values: Vec<u32> = (0..1024).map(|i| (i as f32).to_bits()).collect();
    let input = bench.buffer("in", &values);
    let out = bench.buffer("out", &[0; 4]);
    bench.run("reduce", 4, 256, Params::new().ptr(input).ptr(out)).unwrap();
    let expected: Vec<f32> = (0..4).map(|b| (b * 256..(b + 1) * 256).sum::<i32>() as f32).collect();
    assert_eq!(bench.floats(out, 4), expected);
}
