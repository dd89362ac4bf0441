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

#[test]
fn named_barriers_count_threads() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void pipeline(int *out) {
  __shared__ int slot[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int round = 0; round < 4; ++round) {
      slot[t] = 100 * round + t;
      asm volatile("bar.arrive %0, 128;" :: "r"(1 + (round & 1)) : "memory");
      asm volatile("bar.sync 5, 128;" ::: "memory");
    }
  } else if (t < 128) {
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
      asm volatile("bar.sync %0, 128;" :: "r"(1 + (round & 1)) : "memory");
      sum += slot[(t - 64 + 1) & 63];
      asm volatile("bar.sync 5, 128;" ::: "memory");
    }
    out[t - 64] = sum;
  }
}"#,
    );
    let out = bench.buffer("out", &[0; 64]);
    bench.run("pipeline", 1, 160, Params::new().ptr(out)).unwrap();
    let expected: Vec<u32> = (0..64).map(|t| 600 + 4 * ((t + 1) & 63)).collect();
    assert_eq!(bench.words(out, 64), expected);
}

#[test]
fn barriers_reduce() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void vote(int *out) {
  int t = threadIdx.x;
  int n = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < 96);
  int none = __syncthreads_or(t > 95);
  int some = __syncthreads_or(t == 7);
  if (t == 0) { out[0] = n; out[1] = all; out[2] = none; out[3] = some; }
}"#,
    );
    let out = bench.buffer("out", &[9; 4]);
    bench.run("vote", 1, 96, Params::new().ptr(out)).unwrap();
    let words = bench.words(out, 4);
    assert_eq!((words[0], words[1] != 0, words[2] != 0, words[3] != 0), (32, true, false, true));
}

#[test]
fn lanes_shuffle_and_vote() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void warp(float *sum, unsigned *out) {
  unsigned t = threadIdx.x;
  float v = t;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  if ((t & 31) == 0) sum[t / 32] = v;
  unsigned up = __shfl_up_sync(0xffffffffu, t, 1);
  unsigned turned = __shfl_xor_sync(0xffffffffu, t, 3);
  unsigned first = __shfl_sync(0xffffffffu, t, 0, 8);
  unsigned odd = __ballot_sync(0xffffffffu, t & 1);
  int all = __all_sync(0xffffffffu, t < 64), any = __any_sync(0xffffffffu, t == 40);
  unsigned same = __match_any_sync(0xffffffffu, t & 3);
  unsigned total = __reduce_add_sync(0xffffffffu, t);
  if (t & 1) {
    unsigned half = __shfl_sync(0xaaaaaaaau, t, 5);
    __syncwarp(0xaaaaaaaau);
    up += 1000 * half;
  }
  unsigned *o = out + 8 * t;
  o[0] = up; o[1] = turned; o[2] = first; o[3] = odd; o[4] = all; o[5] = any; o[6] = same; o[7] = total;
}"#,
    );
    let (sum, out) = (bench.buffer("sum", &[0; 2]), bench.buffer("out", &[0; 512]));
    bench.run("warp", 1, 64, Params::new().ptr(sum).ptr(out)).unwrap();
    assert_eq!(bench.floats(sum, 2), [496.0, 1520.0]);
    let words = bench.words(out, 512);
    for t in 0..64u32 {
        let lane = t & 31;
        let up = if lane == 0 { t } else { t - 1 } + if t & 1 == 1 { 1000 * ((t & 32) + 5) } else { 0 };
        let total = if t < 32 { 496 } else { 1520 };
        let same = 0x1111_1111 << (t & 3);
        let expected = [up, t ^ 3, t & !7, 0xaaaa_aaaa, 1, u32::from(t >= 32), same, total];
        assert_eq!(words[8 * t as usize..][..8], expected, "thread {t}");
    }
}

#[test]
fn atomics_are_atomic() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void count(unsigned *u, float *f, double *d, unsigned long long *l) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(u + 0, t);
  atomicMax(u + 1, t);
  atomicMin(u + 2, 5000 - t);
  atomicInc(u + 3, 6);
  atomicDec(u + 4, 9);
  atomicOr(u + 5, 1u << (t & 31));
  atomicAnd(u + 6, ~(1u << (t & 15)));
  atomicXor(u + 7, t);
  atomicExch(u + 8, 77);
  unsigned old = u[9], seen;
  do { seen = old; old = atomicCAS(u + 9, seen, seen + 3); } while (old != seen);
  atomicSub(u + 10, 1);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd(l, 1ull << 33);
  atomicMax((int *)(u + 11), -(int)t);
}"#,
    );
    let n = 4 * 96u32;
    let u = bench.buffer("u", &[0, 0, u32::MAX, 0, 0, 0, u32::MAX, 0, 0, 0, 1000, i32::MIN as u32]);
    let (f, d, l) = (bench.buffer("f", &[0]), bench.buffer("d", &[0; 2]), bench.buffer("l", &[0; 2]));
    bench.run("count", 4, 96, Params::new().ptr(u).ptr(f).ptr(d).ptr(l)).unwrap();
    let sum: u32 = (0..n).sum();
    let xor = (0..n).fold(0, |x, t| x ^ t);
    let expected = [
        sum,
        n - 1,
        5000 - (n - 1),
        n % 7,
        (10 - n % 10) % 10,
        u32::MAX,
        0xffff_0000,
        xor,
        77,
        3 * n,
        1000u32.wrapping_sub(n),
        0,
    ];
    assert_eq!(bench.words(u, 12), expected);
    assert_eq!(bench.floats(f, 1), [0.5 * n as f32]);
    assert_eq!(bench.words(l, 2), [0, 2 * n]);
    assert_eq!(bench.words(d, 2)[1], ((0.25 * f64::from(n)).to_bits() >> 32) as u32);
}

#[test]
fn kernels_print() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void hello(float x) {
  printf("block %d of %d, x = %.2f, %s, %lld\n", blockIdx.x, gridDim.x, x, "text", 1ll << 40);
}"#,
    );
    let report = bench.run("hello", 1, 1, Params::new().float(2.5)).unwrap();
    assert_eq!(report.output, "block 0 of 1, x = 2.50, text, 1099511627776\n");
}

#[test]
fn shared_memory_is_static_and_dynamic() {
    let mut bench = Bench::one(
        r#"
extern __shared__ int dynamic[];
__shared__ int before[5];
extern "C" __global__ void mirror(int *out) {
  __shared__ int own[64];
  int t = threadIdx.x;
  own[t] = t; dynamic[t] = 10 * t; if (t < 5) before[t] = 7;
  __syncthreads();
  out[t] = own[63 - t] + dynamic[63 - t] + before[t % 5];
}"#,
    );
    let out = bench.buffer("out", &[0; 64]);
    bench.run_shared("mirror", 1, 64, 256, Params::new().ptr(out)).unwrap();
    let expected: Vec<u32> = (0..64).map(|t| 11 * (63 - t) + 7).collect();
    assert_eq!(bench.words(out, 64), expected);
}

#[test]
fn variables_and_pointers_to_them() {
    let mut bench = Bench::one(
        r#"
__constant__ int table[4] = {3, 5, 7, 9};
__device__ int counter = 40;
__device__ int *where = &counter;
static __device__ int twice(int x) { return 2 * x; }
static __device__ int thrice(int x) { return 3 * x; }
__device__ int (*const choice[2])(int) = {twice, thrice};
__constant__ float scale;
extern "C" __global__ void use(int *out, int n) {
  out[0] = table[n & 3];
  *where += 2;
  out[1] = counter;
  out[2] = choice[n & 1](7);
  out[3] = (int)(scale * 8);
}"#,
    );
    let (scale, bytes) = bench.machine.symbol(bench.module, 0, "scale").unwrap();
    assert_eq!(bytes, 4);
    bench.machine.write(scale, &1.5f32.to_le_bytes()).unwrap();
    let out = bench.buffer("out", &[0; 4]);
    bench.run("use", 1, 1, Params::new().ptr(out).int(3)).unwrap();
    assert_eq!(bench.words(out, 4), [9, 42, 21, 12]);
}

#[test]
fn structures_are_passed_by_value() {
    let mut bench = Bench::one(
        r#"
struct Job { int *to; char tag; short small; double factor; int values[6]; };
static __device__ __attribute__((noinline)) int total(Job job) { job.values[0] = 1; int s = 0; for (int v : job.values) s += v; return s; }
extern "C" __global__ void work(char first, Job job, int last) {
  int i = threadIdx.x;
  job.values[i % 6] += i;
  job.to[i] = total(job) + (int)(job.factor * job.values[i % 6]) + job.tag + job.small + first + last;
}"#,
    );
    let out = bench.buffer("out", &[0; 8]);
    let mut job = Vec::new();
    job.extend_from_slice(&out.to_le_bytes());
    job.extend_from_slice(&[5, 0, 0x10, 0x27, 0, 0, 0, 0]);
    job.extend_from_slice(&0.5f64.to_le_bytes());
    for v in 10..16i32 {
        job.extend_from_slice(&v.to_le_bytes());
    }
    let mut params = Params::new().put(&[3]);
    params.0.resize(8, 0);
    params.0.extend_from_slice(&job);
    bench.run("work", 1, 8, params.int(100)).unwrap();
    let expected: Vec<u32> = (0..8u32)
        .map(|i| {
            let mut values = [10, 11, 12, 13, 14, 15];
            values[i as usize % 6] += i;
            let own = values[i as usize % 6];
            values[0] = 1;
            values.iter().sum::<u32>() + own / 2 + 5 + 10_000 + 3 + 100
        })
        .collect();
    assert_eq!(bench.words(out, 8), expected);
}

#[test]
fn small_floats_compute() {
    let mut bench = Bench::of_ir(
        gicc_sim::Config::default(),
        r#"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @halves(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load <2 x half>, ptr addrspace(1) %in, align 4
  %p = getelementptr i8, ptr addrspace(1) %in, i64 4
  %b = load <2 x bfloat>, ptr addrspace(1) %p, align 4
  %s = fadd <2 x half> %a, %a
  %m = fmul <2 x half> %s, %a
  store <2 x half> %m, ptr addrspace(1) %out, align 4
  %t = fadd <2 x bfloat> %b, %b
  %u = fmul <2 x bfloat> %t, %b
  %o1 = getelementptr i8, ptr addrspace(1) %out, i64 4
  store <2 x bfloat> %u, ptr addrspace(1) %o1, align 4
  %e = extractelement <2 x bfloat> %b, i32 1
  %f = fpext bfloat %e to float
  %d = fpext float %f to double
  %d3 = fdiv double %d, 3.0
  %h = fptrunc double %d3 to half
  %w = fptrunc double %d3 to bfloat
  %o2 = getelementptr i8, ptr addrspace(1) %out, i64 8
  store half %h, ptr addrspace(1) %o2, align 2
  %o3 = getelementptr i8, ptr addrspace(1) %out, i64 10
  store bfloat %w, ptr addrspace(1) %o3, align 2
  %r = call float @llvm.nvvm.ex2.approx.ftz.f(float %f)
  %o4 = getelementptr i8, ptr addrspace(1) %out, i64 12
  store float %r, ptr addrspace(1) %o4, align 4
  ret void
}
declare float @llvm.nvvm.ex2.approx.ftz.f(float)
"#,
    );
    use half::{bf16, f16};
    let (x, y) = (f16::from_f32(1.5), f16::from_f32(-3.25));
    let (z, w) = (bf16::from_f32(2.5), bf16::from_f32(7.0));
    let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
    let input = bench.buffer("in", &[pair(x.to_bits(), y.to_bits()), pair(z.to_bits(), w.to_bits())]);
    let out = bench.buffer("out", &[0; 4]);
    bench.run("halves", 1, 1, Params::new().ptr(input).ptr(out)).unwrap();
    let expected = [
        pair(f16::from_f32(4.5).to_bits(), f16::from_f32(21.125).to_bits()),
        pair(bf16::from_f32(12.5).to_bits(), bf16::from_f32(98.0).to_bits()),
        pair(f16::from_f64(7.0 / 3.0).to_bits(), bf16::from_f64(7.0 / 3.0).to_bits()),
        128f32.to_bits(),
    ];
    assert_eq!(bench.words(out, 4), expected);
}

#[test]
fn threads_diverge_and_leave_early() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void leave(int *out) {
  __shared__ int sum;
  int t = threadIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  if (t % 3 == 0) return;
  if (t % 3 == 1) { for (int i = 0; i < t; ++i) atomicAdd(&sum, 1); }
  else atomicAdd(&sum, 1000);
  __syncthreads();
  out[t] = sum;
}"#,
    );
    let out = bench.buffer("out", &[0; 48]);
    bench.run("leave", 1, 48, Params::new().ptr(out)).unwrap();
    let sum: u32 = (0..48).map(|t| [0, t, 1000][t as usize % 3]).sum();
    let expected: Vec<u32> = (0..48).map(|t| if t % 3 == 0 { 0 } else { sum }).collect();
    assert_eq!(bench.words(out, 48), expected);
}

#[test]
fn more_blocks_run_than_fit() {
    let config = gicc_sim::Config { sms: 2, threads_per_sm: 128, ..gicc_sim::Config::default() };
    let mut bench = Bench::new(
        config,
        r#"
extern "C" __global__ void fill(int *out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = blockIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s + 1;
}"#,
    );
    let n = 100 * 64;
    let out = bench.buffer("out", &vec![0; n]);
    bench.run("fill", 100, 64, Params::new().ptr(out)).unwrap();
    let expected: Vec<u32> = (0..n as u32).map(|i| i / 64 + 1).collect();
    assert_eq!(bench.words(out, n), expected);
}

#[test]
fn local_arrays_and_integer_corners() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void corners(int *out, const int *in, float huge) {
  int local[8];
  for (int i = 0; i < 8; ++i) local[i] = in[i] * i;
  int s = 0;
  for (int i = 0; i < 8; ++i) s += local[(i * 3 + in[0]) & 7];
  out[0] = s;
  out[1] = in[1] / in[2];
  out[2] = in[1] % in[2];
  out[3] = (int)huge;
  out[4] = (unsigned)-huge;
  out[5] = __popc(in[0]) + __clz(in[3]) + __ffs(in[4]);
  out[6] = __byte_perm(0x33221100, 0x77665544, 0x7351);
  out[7] = (int)__umulhi(0x80000000u, 6u);
}"#,
    );
    let words = [5, i32::MIN as u32, -1i32 as u32, 1, 8, 5, 6, 7];
    let (out, input) = (bench.buffer("out", &[0; 8]), bench.buffer("in", &words));
    bench.run("corners", 1, 1, Params::new().ptr(out).ptr(input).float(1e20)).unwrap();
    let sum = (0..8u32).fold(0u32, |s, i| s.wrapping_add(words[i as usize].wrapping_mul(i)));
    let expected = [sum, i32::MIN as u32, 0, i32::MAX as u32, 0, 2 + 31 + 4, 0x7735_5511, 3];
    let found = bench.words(out, 8);
    assert_eq!(found[..6], expected[..6]);
    assert_eq!(found[6], 0x7733_5511);
    assert_eq!(found[7], expected[7]);
}

#[test]
fn the_heap_of_the_device() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void heap(int *out) {
  int *p = (int *)malloc(64);
  for (int i = 0; i < 16; ++i) p[i] = i * threadIdx.x;
  int s = 0;
  for (int i = 0; i < 16; ++i) s += p[i];
  free(p);
  out[threadIdx.x] = s;
}"#,
    );
    let out = bench.buffer("out", &[0; 8]);
    bench.run("heap", 1, 8, Params::new().ptr(out)).unwrap();
    assert_eq!(bench.words(out, 8), (0..8).map(|t| 120 * t).collect::<Vec<_>>());
}

#[test]
fn the_order_comes_from_the_seed() {
    let cuda = r#"
extern "C" __global__ void order(int *out, int *next) {
  for (int i = 0; i < 3; ++i) out[atomicAdd(next, 1)] = threadIdx.x + 100 * blockIdx.x;
}"#;
    let run = |seed| {
        let mut bench = Bench::new(gicc_sim::Config { seed, ..gicc_sim::Config::default() }, cuda);
        let (out, next) = (bench.buffer("out", &[0; 192]), bench.buffer("next", &[0]));
        bench.run("order", 2, 32, Params::new().ptr(out).ptr(next)).unwrap();
        bench.words(out, 192)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
