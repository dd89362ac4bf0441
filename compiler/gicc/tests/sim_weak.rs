//! Kernels in weak memory: right ones never fail, and ones with an ordering removed or narrowed fail within few schedules.

mod sim_support;

use std::cell::RefCell;
use std::rc::Rc;

use gicc_sim::weak::Options;
use gicc_sim::weak::explore::Explorer;
use gicc_sim::weak::report::WeakReport;
use gicc_sim::{Config, MemoryMode, SimError};
use sim_support::{Bench, Params};

/// Schedules within which a mutant has to fail.
const MOST: u64 = 10_000;
/// Schedules that a right kernel is given here.
const GIVEN: u64 = 200;

/// A kernel of two PEs: PE 0 sends, PE 1 receives, and `out` of PE 1 holds what it read.
struct Shape {
    name: &'static str,
    cuda: String,
    threads: u32,
    /// What PE 1 must have read.
    expected: &'static [u32],
}

/// The helpers that the kernels share; `SEND`, `RECEIVE` and so on are replaced.
const PRELUDE: &str = r#"
typedef unsigned int u32;
__device__ void st_release_sys(u32 *p, u32 v) { asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ void st_release_gpu(u32 *p, u32 v) { asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ void st_relaxed_sys(u32 *p, u32 v) { asm volatile("st.relaxed.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }
__device__ u32 ld_acquire_sys(u32 *p) { u32 v; asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ u32 ld_acquire_gpu(u32 *p) { u32 v; asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ u32 ld_relaxed_sys(u32 *p) { u32 v; asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void red_release_sys(u32 *p) { asm volatile("red.release.sys.global.add.u32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ void red_relaxed_sys(u32 *p) { asm volatile("red.relaxed.sys.global.add.u32 [%0], 1;" :: "l"(p) : "memory"); }
"#;

fn shape(name: &'static str, body: &str, changes: &[(&str, &str)], threads: u32, expected: &'static [u32]) -> Shape {
    let mut body = body.to_owned();
    for (from, to) in changes {
        assert!(body.contains(from), "{name}: no `{from}`");
        body = body.replace(from, to);
    }
    Shape { name, cuda: format!("{PRELUDE}{body}"), threads, expected }
}

/// Data by all threads, a barrier, one release; one polls, a barrier, all read.
const MESSAGE: &str = r#"
extern "C" __global__ void k(int pe, u32 *data, u32 *flag, u32 *out) {
  u32 t = threadIdx.x;
  if (pe == 0) {
    data[t] = 100 + t;
    __syncthreads(); /* out */
    if (t == 0) st_release_sys(flag, 1);
  } else {
    if (t == 0) while (ld_acquire_sys(flag) != 1) {}
    __syncthreads(); /* in */
    out[t] = data[t];
  }
}"#;

/// A word of 16 bytes that carries its flag.
const WORD: &str = r#"
extern "C" __global__ void k(int pe, u32 *data, u32 *flag, u32 *out) {
  unsigned long long a, b;
  if (pe == 0) {
    a = 7; b = 1;
    asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.sys.global.b128 [%0], w; }" :: "l"(data), "l"(a), "l"(b) : "memory");
  } else {
    do {
      asm volatile("{ .reg .b128 w; ld.relaxed.sys.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }" : "=l"(a), "=l"(b) : "l"(data) : "memory");
    } while (b != 1);
    out[0] = (u32)a;
  }
}"#;

/// The same word written three times by one instruction, with no release in between: each reading is of one of them.
const WORD_AGAIN: &str = r#"
extern "C" __global__ void k(int pe, u32 *data, u32 *flag, u32 *out) {
  unsigned long long a, b;
  if (pe == 0) {
    for (a = 7, b = 1; b <= 3; a++, b++)
      asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.sys.global.b128 [%0], w; }" :: "l"(data), "l"(a), "l"(b) : "memory");
  } else {
    unsigned wrong = 0;
    do {
      asm volatile("{ .reg .b128 w; ld.relaxed.sys.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }" : "=l"(a), "=l"(b) : "l"(data) : "memory");
      wrong += b != 0 && a != b + 6;
    } while (b != 3);
    out[0] = wrong;
  }
}"#;

/// Two PEs count each other in.
const COUNT: &str = r#"
extern "C" __global__ void k(int pe, u32 *data, u32 *flag, u32 *out) {
  if (pe == 0) data[0] = 5; else data[1] = 6;
  red_release_sys(flag);
  while (ld_acquire_sys(flag) != 2) {}
  if (pe == 1) { out[0] = data[0]; out[1] = data[1]; }
}"#;

/// A bulk copy of a tile to the peer.
const BULK: &str = r#"
extern "C" __global__ void k(int pe, u32 *data, u32 *flag, u32 *out) {
  __shared__ alignas(16) u32 tile[4];
  u32 t = threadIdx.x;
  if (pe == 0) {
    tile[t] = 20 + t;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      u32 s = (u32)__cvta_generic_to_shared(tile);
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" :: "l"(data), "r"(s) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      st_release_sys(flag, 1);
    }
  } else {
    if (t == 0) while (ld_acquire_sys(flag) != 1) {}
    __syncthreads();
    out[t] = data[t];
  }
}"#;

fn right() -> Vec<Shape> {
    vec![
        shape("message", MESSAGE, &[], 4, &[100, 101, 102, 103]),
        shape("word", WORD, &[], 1, &[7]),
        shape("word again", WORD_AGAIN, &[], 1, &[0]),
        shape("count", COUNT, &[], 1, &[5, 6]),
        shape("bulk", BULK, &[], 4, &[20, 21, 22, 23]),
    ]
}

fn mutants() -> Vec<Shape> {
    let message = |name, change| shape(name, MESSAGE, &[change], 4, &[100, 101, 102, 103]);
    let bulk = |name, change| shape(name, BULK, &[change], 4, &[20, 21, 22, 23]);
    vec![
        message("message: relaxed flag", ("st_release_sys(flag", "st_relaxed_sys(flag")),
        message("message: flag of GPU scope", ("st_release_sys(flag", "st_release_gpu(flag")),
        message("message: relaxed poll", ("ld_acquire_sys(flag)", "ld_relaxed_sys(flag)")),
        message("message: poll of GPU scope", ("ld_acquire_sys(flag)", "ld_acquire_gpu(flag)")),
        message("message: no barrier before the release", ("__syncthreads(); /* out */", "")),
        message("message: no barrier after the poll", ("__syncthreads(); /* in */", "")),
        shape(
            "word: two words",
            WORD,
            &[("st.relaxed.sys.global.b128 [%0], w;", "st.relaxed.sys.global.v2.b64 [%0], {%1, %2};")],
            1,
            &[7],
        ),
        shape("count: relaxed", COUNT, &[("red_release_sys(flag)", "red_relaxed_sys(flag)")], 1, &[5, 6]),
        shape("count: relaxed poll", COUNT, &[("ld_acquire_sys(flag)", "ld_relaxed_sys(flag)")], 1, &[5, 6]),
        bulk("bulk: no proxy fence", ("asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");", "")),
        bulk("bulk: wait for the reads only", ("wait_group 0", "wait_group.read 0")),
        bulk("bulk: no wait", ("asm volatile(\"cp.async.bulk.wait_group 0;\" ::: \"memory\");", "")),
        bulk("bulk: relaxed flag", ("st_release_sys(flag", "st_relaxed_sys(flag")),
    ]
}

/// What a schedule came to.
struct Ran {
    wrong: bool,
    told: WeakReport,
}

struct Loaded {
    bench: Bench,
    data: u64,
    flag: u64,
    out: u64,
    threads: u32,
    expected: &'static [u32],
}

impl Loaded {
    fn new(shape: &Shape) -> Self {
        let config = Config { pes: 2, memory: MemoryMode::Weak(Options::default()), ..Config::default() };
        let bench = Bench::new(config, &shape.cuda);
        let data = bench.machine.segment(1);
        let mut loaded =
            Self { bench, data, flag: data + 4096, out: 0, threads: shape.threads, expected: shape.expected };
        loaded.bench.machine.name_range(1, data, 64, "data");
        loaded.bench.machine.name_range(1, loaded.flag, 64, "flag");
        loaded.out = loaded.flag + 4096;
        loaded.bench.machine.name_range(1, loaded.out, 64, "out");
        loaded
    }

    fn run(&mut self) -> Result<Ran, SimError> {
        for address in [self.data, self.flag, self.out] {
            self.bench.machine.write(address, &[0; 64]).expect("the buffer was allocated");
        }
        let (data, flag, out) = (self.data, self.flag, self.out);
        let parameters = |pe: u32| Params::new().int(pe as i32).ptr(data).ptr(flag).ptr(out);
        let result = self.bench.run_all("k", 1, self.threads, parameters);
        let told = self.bench.machine.take_findings();
        result?;
        let words = self.bench.words(self.out, self.expected.len());
        Ok(Ran { wrong: words != self.expected, told })
    }

    fn seeded(&mut self, seed: u64) -> Ran {
        self.bench.machine.set_seed(seed);
        self.run().unwrap_or_else(|e| panic!("{e}"))
    }
}

#[test]
fn right_kernels_never_fail_and_have_no_races() {
    for shape in right() {
        let mut loaded = Loaded::new(&shape);
        for seed in 0..GIVEN {
            let ran = loaded.seeded(seed);
            assert!(!ran.wrong, "{} with seed {seed}:\n{}", shape.name, ran.told.text());
            assert_eq!(ran.told.races, [], "{} with seed {seed}", shape.name);
        }
    }
}

#[test]
fn mutants_fail_and_replay() {
    for shape in mutants() {
        let mut loaded = Loaded::new(&shape);
        let failing = (0..MOST).find(|&seed| loaded.seeded(seed).wrong);
        let Some(seed) = failing else { panic!("{}: no schedule of {MOST} fails", shape.name) };
        let again = loaded.seeded(seed);
        println!("{}: fails with schedule {seed}", shape.name);
        assert!(again.wrong, "{}: seed {seed} does not fail again", shape.name);
        let told = again.told.wrong_reads().next();
        let torn = shape.name.starts_with("word") || shape.name == "bulk: no proxy fence";
        assert!(told.is_some() || torn, "{}: nothing told\n{}", shape.name, again.told.text());
        let text = again.told.text();
        assert_eq!(loaded.seeded(seed).told.text(), text, "{}: the same seed tells the same", shape.name);
    }
}

#[test]
fn a_failure_is_told_with_its_lines_and_the_missing_relation() {
    let shape = shape("relaxed poll", MESSAGE, &[("ld_acquire_sys(flag)", "ld_relaxed_sys(flag)")], 1, &[100]);
    let mut loaded = Loaded::new(&shape);
    let seed = (0..MOST).find(|&seed| loaded.seeded(seed).wrong).unwrap();
    let told = loaded.seeded(seed).told;
    let stale = told.wrong_reads().next().unwrap();
    assert_eq!((stale.read.pe, stale.newest.pe), (1, 0));
    assert_eq!(stale.read.value.as_deref(), Some("0"));
    assert_eq!(stale.newest.value.as_deref(), Some("100"));
    assert!(stale.read.source.starts_with("kernel.cu:"), "{}", stale.read.source);
    assert_eq!(stale.read.location, "data of PE 1");
    assert!(stale.missing.contains("no acquire follows"), "{}", stale.missing);
    let race = told.races.iter().find(|r| r.between_pes).expect("the race is told too");
    assert_eq!((race.first.pe, race.second.pe), (0, 1));
}

/// What a failing run executed is a program of the memory model, and the axioms allow what its loads returned.
#[test]
fn failures_are_allowed_by_the_axioms() {
    let mut judged = 0;
    for mut shape in mutants() {
        shape.threads = shape.threads.min(2);
        shape.expected = &shape.expected[..shape.expected.len().min(shape.threads.max(1) as usize)];
        let mut loaded = Loaded::new(&shape);
        let Some(seed) = (0..MOST).find(|&seed| loaded.seeded(seed).wrong) else {
            panic!("{}: no schedule of {MOST} fails", shape.name)
        };
        loaded.bench.machine.set_recording(true);
        assert!(loaded.seeded(seed).wrong);
        let recording = loaded.bench.machine.take_recording().unwrap();
        let (program, condition) = recording.program().unwrap_or_else(|error| panic!("{}: {error}", shape.name));
        match memory_model::Model::default().check(&program, &condition) {
            Ok(verdict) => assert!(
                verdict.is_possible(),
                "{}: {condition}\n{}",
                shape.name,
                memory_model::litmus::program_text(&program)
            ),
            Err(memory_model::ModelError::TooLarge { .. }) => continue,
            Err(error) => panic!("{}: {error}", shape.name),
        }
        judged += 1;
    }
    println!("{judged} failures judged");
    assert!(judged >= 8);
}

#[test]
fn exploration_sees_all_executions_of_small_kernels() {
    let explore = |shape: &Shape| {
        let mut loaded = Loaded::new(shape);
        let explorer = Rc::new(RefCell::new(Explorer::new()));
        loaded.bench.machine.set_explorer(Some(explorer.clone()));
        let (mut runs, mut wrong, mut given_up) = (0, 0, 0);
        loop {
            match loaded.run() {
                Ok(ran) => {
                    runs += 1;
                    wrong += usize::from(ran.wrong);
                }
                Err(SimError::GivenUp) => given_up += 1,
                Err(error) => panic!("{}: {error}", shape.name),
            }
            if !explorer.borrow_mut().advance() {
                println!("{}: {runs} runs, {wrong} wrong, {given_up} given up", shape.name);
                return (runs, wrong);
            }
            assert!(runs + given_up < 50_000, "{}: too many runs", shape.name);
        }
    };
    for mut shape in right() {
        shape.threads = shape.threads.min(2);
        if shape.name == "bulk" {
            continue;
        }
        shape.expected = &shape.expected[..shape.threads as usize];
        let (runs, wrong) = explore(&shape);
        assert!(runs > 0 && wrong == 0, "{}", shape.name);
    }
    let (_, wrong) =
        explore(&shape("relaxed flag", MESSAGE, &[("st_release_sys(flag", "st_relaxed_sys(flag")], 1, &[100]));
    assert!(wrong > 0);
}
