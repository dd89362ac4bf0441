//! What the simulator says when a kernel goes wrong: who, where in the source, and what is near.

mod sim_support;

use gicc_sim::{Config, SimError};
use sim_support::{Bench, Params};

/// The message, without addresses, which differ from run to run.
fn told(result: Result<gicc_sim::Report, SimError>) -> String {
    let text = match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - at - 2);
        let keep = digits <= 8;
        out.push_str(&rest[..at]);
        out.push_str(if keep { &rest[at..at + 2 + digits] } else { "[address]" });
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}

#[test]
fn bad_accesses_are_located() {
    let cuda = r#"
extern "C" __global__ void past(int *p, int n) {
  int i = threadIdx.x;
  if (i < n)
    p[i] = i;
}
extern "C" __global__ void null(int *p) { p[3] = 1; }
extern "C" __global__ void crooked(char *p) {
  *(int *)(p + 2) = 1;
}
extern "C" __global__ void beyond(int *p, int n) {
  __shared__ int tile[16];
  tile[n + threadIdx.x] = 1;
  __syncthreads();
  p[0] = tile[n & 15];
}
extern "C" __global__ void local(int *p, int n) {
  int a[4] = {1, 2, 3, 4};
  a[n] = 7;
  p[0] = a[n & 3];
}
__constant__ int fixed[2];
extern "C" __global__ void constant(int *p) {
  p[0] = fixed[1];
}
"#;
    let mut bench = Bench::one(cuda);
    let p = bench.buffer("numbers", &[0; 24]);
    let (fixed, _) = bench.machine.symbol(bench.module, 0, "fixed").unwrap();
    let report = [
        told(bench.run("past", 1, 32, Params::new().ptr(p).int(25))),
        told(bench.run("null", 1, 1, Params::new().ptr(0))),
        told(bench.run("crooked", 1, 1, Params::new().ptr(p))),
        told(bench.run("beyond", 1, 1, Params::new().ptr(p).int(16))),
        told(bench.run("local", 1, 1, Params::new().ptr(p).int(9))),
        told(bench.run("constant", 1, 1, Params::new().ptr(fixed))),
    ];
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn memory_of_another_pe_is_refused_unless_symmetric() {
    let config = Config { pes: 2, heap_bytes: 1 << 20, ..Config::default() };
    let mut bench = Bench::new(config, "extern \"C\" __global__ void put(int *p) {\n  p[threadIdx.x] = 5;\n}");
    let private = bench.machine.alloc(1, 64, "secret").unwrap();
    let segment = bench.machine.segment(1);
    bench.machine.name_range(1, segment + 256, 64, "inbox");
    bench.run("put", 1, 16, Params::new().ptr(segment + 256)).unwrap();
    let report = [
        told(bench.run("put", 1, 1, Params::new().ptr(private))),
        told(bench.run("put", 1, 17, Params::new().ptr(segment + 256))),
    ];
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn faults_are_located() {
    let cuda = r#"
extern "C" __global__ void divide(int *p, int n) {
  p[0] = p[1] / n;
}
extern "C" __global__ void stop() { __trap(); }
extern "C" __global__ void deep(int *p, int n);
static __device__ __attribute__((noinline)) int sink(volatile int *p, int n) {
  int a[64];
  for (int i = 0; i < 64; ++i) a[i] = p[i & 1] + n;
  return n == 0 ? a[3] : sink(p, n - 1) + a[n & 63];
}
extern "C" __global__ void deep(int *p, int n) { p[0] = sink(p, n); }
extern "C" __global__ void lanes() { __syncwarp(2); }
extern "C" __global__ void release(char *p) { free(p); }
"#;
    let mut bench = Bench::one(cuda);
    let p = bench.buffer("numbers", &[0; 4]);
    let report = [
        told(bench.run("divide", 1, 1, Params::new().ptr(p).int(0))),
        told(bench.run("stop", 1, 1, Params::new())),
        told(bench.run("deep", 1, 1, Params::new().ptr(p).int(100_000))),
        told(bench.run("lanes", 1, 1, Params::new())),
        told(bench.run("release", 1, 1, Params::new().ptr(p + 8))),
    ];
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let cuda = r#"
extern "C" __global__ void poll(volatile int *flag) {
  if (threadIdx.x < 3)
    while (flag[2] != 1) {}
  __syncthreads();
}
extern "C" __global__ void barrier(int *p) {
  if (threadIdx.x != 5)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else if (p[0] == 0)
    asm volatile("bar.sync 2, 64;" ::: "memory");
}
extern "C" __global__ void lanes(int *p) {
  if (threadIdx.x < 16) __syncwarp();
  else if (p[0] == 0) __syncthreads();
}
"#;
    let mut bench = Bench::one(cuda);
    let flag = bench.buffer("flag", &[0; 4]);
    let report = [
        told(bench.run("poll", 2, 64, Params::new().ptr(flag))),
        told(bench.run("barrier", 1, 64, Params::new().ptr(flag))),
        told(bench.run("lanes", 1, 32, Params::new().ptr(flag))),
    ];
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn blocks_that_wait_for_blocks_that_do_not_fit_are_a_deadlock() {
    let config = Config { sms: 1, threads_per_sm: 64, ..Config::default() };
    let mut bench = Bench::new(
        config,
        r#"
extern "C" __global__ void grid(volatile unsigned *count) {
  if (threadIdx.x == 0) {
    atomicAdd((unsigned *)count, 1);
    while (*count < gridDim.x) {}
  }
  __syncthreads();
}"#,
    );
    let count = bench.buffer("count", &[0]);
    assert!(bench.run("grid", 2, 32, Params::new().ptr(count)).is_ok());
    let count = bench.buffer("count", &[0]);
    insta::assert_snapshot!(told(bench.run("grid", 3, 32, Params::new().ptr(count))));
}

#[test]
fn a_bounded_wait_reaches_its_bound() {
    let mut bench = Bench::one(
        r#"
extern "C" __global__ void bounded(volatile int *flag, unsigned *out, unsigned long long bound) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    if (*flag) return;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < bound);
  out[0] = 1;
}
extern "C" __global__ void asleep(volatile int *flag, unsigned *out, int times) {
  for (int i = 0; i < times && !*flag; ++i) __nanosleep(1000000);
  out[1] = 1;
}"#,
    );
    let (flag, out) = (bench.buffer("flag", &[0]), bench.buffer("out", &[0; 2]));
    let report = bench.run("bounded", 1, 1, Params::new().ptr(flag).ptr(out).ptr(10_000_000_000)).unwrap();
    assert!(report.nanoseconds >= 10_000_000_000, "{report:?}");
    bench.run("asleep", 1, 4, Params::new().ptr(flag).ptr(out).int(100)).unwrap();
    assert_eq!(bench.words(out, 2), [1, 1]);
}

#[test]
fn endless_threads_are_ended() {
    let config = Config { step_limit: 1_000_000, ..Config::default() };
    let cuda = "extern \"C\" __global__ void spin(int n) {\n  for (unsigned i = 0; n; ++i) asm volatile(\"\");\n}";
    let mut bench = Bench::new(config, cuda);
    let error = bench.run("spin", 1, 1, Params::new().int(1)).unwrap_err();
    assert!(matches!(error, SimError::Endless { .. }), "{error}");
    let mut bench =
        Bench::new(Config { watch_time: Some(std::time::Duration::from_millis(50)), ..Config::default() }, cuda);
    let error = bench.run("spin", 1, 1, Params::new().int(1)).unwrap_err();
    assert!(matches!(&error, SimError::TimeOut { running, .. } if *running == [0]), "{error}");
}

#[test]
fn launches_that_are_not_possible_are_refused() {
    let cuda = "extern \"C\" __global__ void __launch_bounds__(64) k(int *p) { p[0] = 1; }";
    let mut bench = Bench::one(cuda);
    let p = bench.buffer("p", &[0]);
    let report = [
        told(bench.run("other", 1, 1, Params::new().ptr(p))),
        told(bench.run("k", 0, 1, Params::new().ptr(p))),
        told(bench.run("k", 1, 65, Params::new().ptr(p))),
        told(bench.run("k", 1, 2048, Params::new().ptr(p))),
        told(bench.run("k", 1, 1, Params::new())),
        told(bench.run_shared("k", 1, 1, 1 << 20, Params::new().ptr(p))),
    ];
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn files_that_are_no_program_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut machine = gicc_sim::Machine::new(Config::default()).unwrap();
    let missing = machine.load(&folder.path().join("missing.so")).unwrap_err();
    assert!(missing.to_string().contains("cannot be read"), "{missing}");
    let text = folder.path().join("text.so");
    std::fs::write(&text, "no shared object").unwrap();
    assert!(machine.load(&text).unwrap_err().to_string().contains("cannot be loaded"));
    let source = folder.path().join("old.c");
    std::fs::write(&source, "unsigned __gicc_sim_version[2] = {0, 99};").unwrap();
    let old = folder.path().join("old.so");
    let status = std::process::Command::new("cc").arg("-shared").arg("-o").arg(&old).arg(&source).status().unwrap();
    assert!(status.success());
    let error = machine.load(&old).unwrap_err();
    assert!(error.to_string().contains("version [0, 99]"), "{error}");
}
