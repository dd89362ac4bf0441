//! Inline PTX in the simulator.

mod sim_support;

use sim_support::{Bench, Params, bitcode, emit};

/// A prelude of accesses as published kernels write them.
const ACCESS: &str = r#"
static __device__ void st_release(unsigned *p, unsigned v) { asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
static __device__ unsigned ld_acquire(unsigned *p) { unsigned v; asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
"#;

#[test]
fn loads_and_stores_of_every_shape() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void shapes(unsigned *out, const unsigned *in) {
  __shared__ unsigned tile[32];
  unsigned a, b, c, d;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in));
  unsigned shared = (unsigned)__cvta_generic_to_shared(tile);
  asm volatile("st.shared.v2.u32 [%0+8], {%1, %2};" :: "r"(shared), "r"(a), "r"(b) : "memory");
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(shared), "r"(c + d) : "memory");
  __syncthreads();
  unsigned e; unsigned long long f; unsigned short g; signed char h; int i;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(e) : "r"(shared));
  asm volatile("ld.shared.b64 %0, [%1+8];" : "=l"(f) : "r"(shared));
  asm volatile("ld.global.u8 %0, [%1+1];" : "=h"(g) : "l"(in));
  asm volatile("{ .reg .s32 %%x<2>; ld.global.s8 %%x0, [%1+3]; neg.s32 %%x1, %%x0; mov.b32 %0, %%x1; }" : "=r"(i) : "l"(in + 4));
  asm volatile("{ .reg .b128 q; ld.relaxed.sys.global.b128 q, [%1]; st.relaxed.sys.global.b128 [%0], q; }" :: "l"(out + 8), "l"(in) : "memory");
  float x; asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(in + 5));
  out[0] = e; out[1] = (unsigned)f; out[2] = (unsigned)(f >> 32); out[3] = g; out[4] = i; out[5] = (unsigned)(x * 4); (void)h;
}"#,
    );
    let words = [0x0102_0304, 2, 3, 4, 0x85_00_00_00, 2.5f32.to_bits(), 0, 0];
    let (out, input) = (bench.buffer("out", &[0; 12]), bench.buffer("in", &words));
    bench.run("shapes", 1, 1, Params::new().ptr(out).ptr(input)).unwrap();
    let found = bench.words(out, 12);
    assert_eq!(found[..6], [7, 0x0102_0304, 2, 3, 0x7b, 10]);
    assert_eq!(found[8..], words[..4]);
}

#[test]
fn arithmetic_logic_and_predicates() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void alu(unsigned *o, unsigned a, unsigned b) {
  asm("mad.lo.u32 %0, %1, %2, 5;" : "=r"(o[0]) : "r"(a), "r"(b));
  unsigned lo, hi;
  asm("{ add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0; }" : "=r"(lo), "=r"(hi) : "r"(0xfffffff0u), "r"(a));
  o[1] = lo; o[2] = hi;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(o[3]) : "r"(a), "r"(b), "r"(0x0f0f0f0fu));
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(o[4]) : "r"(0x11223344u), "r"(0x55667788u));
  asm("bfe.s32 %0, %1, 4, 8;" : "=r"(o[5]) : "r"(0xff0u));
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(o[6]) : "r"(0xau), "r"(0xffffffffu));
  asm("{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; @p mov.u32 %0, 11; @!p mov.u32 %0, 22; @q add.u32 %0, %0, 100; }" : "=r"(o[7]) : "r"(a), "r"(b));
  asm("{ .reg .u32 i; mov.u32 i, 0; mov.u32 %0, 0; LOOP: add.u32 %0, %0, i; add.u32 i, i, 1; .reg .pred p; setp.le.u32 p, i, %1; @p bra LOOP; }" : "=&r"(o[8]) : "r"(a));
  unsigned long long wide; asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(0x80000000u), "r"(6u));
  o[9] = (unsigned)(wide >> 32);
  asm("mov.b64 {%0, %1}, %2;" : "=r"(o[10]), "=r"(o[11]) : "l"(0x0000000700000009ull));
  float f; asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(1.5f), "f"(4.f), "f"(-1.f)); o[12] = (unsigned)f;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(o[13]) : "f"(-7.9f));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(o[14]) : "f"(2.f), "f"(1.f));
  asm("{ .reg .f16x2 h; mov.b32 h, %1; add.rn.f16x2 h, h, h; mov.b32 %0, h; }" : "=r"(o[15]) : "r"(o[14]));
  asm("max.s32 %0, %1, %2;" : "=r"(o[16]) : "r"(-5), "r"(3));
  asm("selp.b32 %0, 1, 2, %1;" : "=r"(o[17]) : "r"(0));
  int y = 40; asm("add.s32 %0, %0, %1;" : "+r"(y) : "n"(2)); o[18] = y;
  asm("mov.u32 %0, %%laneid;" : "=r"(o[19]));
}"#
        .replace("selp.b32 %0, 1, 2, %1;\" : \"=r\"(o[17]) : \"r\"(0)", "{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.b32 %0, 1, 2, p; }\" : \"=r\"(o[17]) : \"r\"(0)")
        .as_str(),
    );
    let out = bench.buffer("out", &[0; 20]);
    bench.run("alu", 1, 1, Params::new().ptr(out).int(20).int(7)).unwrap();
    let expected = [
        145,
        4,
        1,
        20 ^ 7 ^ 0x0f0f_0f0f,
        0x6677_8811,
        u32::MAX,
        0xffff_faff,
        122,
        210,
        3,
        9,
        7,
        5,
        -7i32 as u32,
        0x4000_3c00,
        0x4400_4000,
        3,
        2,
        42,
        0,
    ];
    assert_eq!(bench.words(out, 20), expected);
}

#[test]
fn atomics_and_reductions() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void atom(unsigned *u, float *f) {
  unsigned old;
  asm volatile("atom.acq_rel.sys.global.add.u32 %0, [%1], 2;" : "=r"(old) : "l"(u) : "memory");
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" :: "l"(u + 1), "r"(old & 1 ? 1000 : 3) : "memory");
  asm volatile("atom.global.cas.b32 %0, [%1], 0, %2;" : "=r"(old) : "l"(u + 2), "r"(threadIdx.x + 1) : "memory");
  if (old == 0) asm volatile("red.relaxed.sys.global.max.u32 [%0], %1;" :: "l"(u + 3), "r"(threadIdx.x + 1) : "memory");
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(f), "f"(1.f), "f"(0.5f) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(u + 4), "r"(0x3c003800u) : "memory");
}"#,
    );
    let (u, f) = (bench.buffer("u", &[0; 5]), bench.buffer("f", &[0; 2]));
    bench.run("atom", 1, 64, Params::new().ptr(u).ptr(f)).unwrap();
    let words = bench.words(u, 5);
    assert_eq!(words[..2], [128, 192]);
    assert!(words[2] > 0 && words[2] == words[3]);
    assert_eq!(bench.floats(f, 2), [64.0, 32.0]);
    assert_eq!(words[4], 0x5400_5000);
}

#[test]
fn bulk_copies_complete_on_an_mbarrier() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void bulk(const float *in, float *out) {
  __shared__ alignas(128) float tile[128];
  __shared__ alignas(8) unsigned long long bar;
  unsigned t = (unsigned)__cvta_generic_to_shared(tile), b = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(b) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" :: "r"(t), "l"(in), "r"(b) : "memory");
  }
  asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra DONE; bra WAIT; DONE: }" :: "r"(b) : "memory");
  tile[threadIdx.x] = tile[threadIdx.x] * 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" :: "l"(out), "r"(t) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}"#,
    );
    let words: Vec<u32> = (0..128).map(|i| (i as f32).to_bits()).collect();
    let (input, out) = (bench.buffer("in", &words), bench.buffer("out", &[0; 128]));
    bench.run("bulk", 1, 128, Params::new().ptr(input).ptr(out)).unwrap();
    assert_eq!(bench.floats(out, 128), (0..128).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
}

/// Each PE writes its block to every peer and raises a flag there; everybody waits for all flags and sums what came.
const EXCHANGE: &str = r#"
extern "C" __global__ void exchange(unsigned *data, unsigned *flags, unsigned *sum, long stride, int me, int n) {
  int t = threadIdx.x;
  for (int p = 0; p < n; ++p) {
    unsigned *there = (unsigned *)((char *)data + (p - me) * stride);
    there[me * 64 + t] = 1000 * me + t;
  }
  __syncthreads();
  if (t < n) st_release((unsigned *)((char *)flags + (t - me) * stride) + me, 1);
  if (t < n) while (ld_acquire(flags + t) != 1) {}
  __syncthreads();
  unsigned s = 0;
  for (int p = 0; p < n; ++p) s += data[p * 64 + t];
  sum[t] = s;
}"#;

#[test]
fn peers_exchange_and_wait() {
    for pes in [1u32, 2, 4, 8] {
        let config = gicc_sim::Config { pes, heap_bytes: 1 << 20, seed: 7, ..gicc_sim::Config::default() };
        let mut bench = Bench::new(config, &format!("{ACCESS}{EXCHANGE}"));
        let stride = bench.machine.stride();
        let segments: Vec<u64> = (0..pes).map(|pe| bench.machine.segment(pe)).collect();
        let sums: Vec<u64> = (0..pes).map(|pe| bench.machine.alloc(pe, 256, "sum").unwrap()).collect();
        bench
            .run_all("exchange", 1, 64, |pe| {
                let base = segments[pe as usize];
                let params = Params::new().ptr(base).ptr(base + 65536).ptr(sums[pe as usize]);
                params.ptr(stride).int(pe as i32).int(pes as i32)
            })
            .unwrap();
        let expected: Vec<u32> = (0..64).map(|t| (0..pes).map(|p| 1000 * p + t).sum()).collect();
        for &sum in &sums {
            assert_eq!(bench.words(sum, 64), expected, "{pes} PEs");
        }
    }
}

#[test]
fn what_is_not_supported_is_named_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |cuda: &str| {
        let module = bitcode(folder.path(), cuda);
        let path = folder.path().join("k.so");
        let errors = emit(&module, &path).unwrap_err();
        assert!(!path.exists());
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let text = [
        refused(
            "extern \"C\" __global__ void k(int *p) {\n  asm volatile(\"tcgen05.fence::before_thread_sync;\" ::: \"memory\");\n}",
        ),
        refused(
            "extern \"C\" __global__ void k(int *p) {\n  int x;\n  asm volatile(\"add.rz.f16 %0, %0, %0;\" : \"=r\"(x));\n  *p = x;\n}",
        ),
        refused(
            "extern \"C\" __device__ int other(int);\nextern \"C\" __global__ void k(int *p) {\n  *p = other(3);\n}",
        ),
        refused("extern __device__ int missing;\nextern \"C\" __global__ void k(int *p) {\n  *p = missing;\n}"),
    ];
    insta::assert_snapshot!(text.join("\n"));
}
