//! Whole runs in the simulator, of a program for it that is written by hand in C.

use std::path::Path;
use std::process::Command;

use gicc_abi::codes::{Compare, ErrorCode, Order, Scope};
use gicc_abi::layout::ModuleRecord;
use gicc_abi::manifest::{Image, ImageKind, Kernel, KernelParameter, Manifest, ParameterKind};
use gicc_abi::sim::{Clock, Description, Entry, Global, Kernel as SimKernel, Meta, SIM_VERSION};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, STATE_SYMBOL};
use gicc_host::{Memory, Outcome, RunOptions, RunReport, Target, run_folder};

/// The kernel copies n words to the next PE, signals it, and waits for its own signal. `mode` makes it go wrong:
/// 1 writes a word too many, 2 never signals and waits without a bound, 3 writes a wrong word on PE 1, 4 never signals
/// and waits with a bound. From 5 on it copies each word that came onto itself; 6 signals without a release.
const PROGRAM: &str = r#"
#include "abi.h"
extern void *__gicc_sim_api[];
void *__gicc_sim_api[ENTRIES];
const uint32_t __gicc_sim_version[2] = {GICC_ABI_VERSION, SIM_VERSION};
struct gicc_state __gicc_state;
struct gicc_module_record __gicc_module_record = {.magic = GICC_MODULE_RECORD_MAGIC,
    .abi_version = GICC_ABI_VERSION, .record_bytes = RECORD_BYTES, .error_words = 1, .co_resident = 1};
uint64_t __gicc_sim_globals[2] = {(uint64_t)&__gicc_state, (uint64_t)&__gicc_module_record};
#define CALL(index, type) ((type)__gicc_sim_api[index])
static uint64_t load(uint64_t p, uint64_t meta) { return CALL(LOAD, uint64_t (*)(uint64_t, uint64_t))(p, meta); }
static void store(uint64_t p, uint64_t v, uint64_t meta) { CALL(STORE, void (*)(uint64_t, uint64_t, uint64_t))(p, v, meta); }
static uint64_t now(void) { return CALL(TIME, uint64_t (*)(uint64_t, uint64_t))(NANOSECONDS, 0); }
struct parameters { uint64_t landing, source, flags, n, mode; };
static void push(const struct parameters *a) {
  struct gicc_state s = __gicc_state;
  int32_t next = (s.my_pe + 1) % s.n_pes;
  uint64_t there = (uint64_t)(next - s.my_pe) * s.heap_stride;
  for (uint64_t i = 0; i < a->n + (a->mode == 1); ++i) {
    uint64_t word = load(a->source + 4 * (i % a->n), WEAK);
    store(a->landing + there + 4 * i, word + (a->mode == 3 && s.my_pe == 0 && i == 0), WEAK);
  }
  if (a->mode != 2 && a->mode != 4) store(a->flags + there, 1, a->mode == 6 ? RELAXED : RELEASE);
  uint64_t start = now(), seen;
  while ((seen = load(a->flags, ACQUIRE)) != 1) {
    if (a->mode == 2 || now() - start < s.timeout_ns) continue;
    store(s.error + 8, s.my_pe, WEAK);
    store(s.error + 12, (s.my_pe + s.n_pes - 1) % s.n_pes, WEAK);
    store(s.error + 16, EQUAL, WEAK);
    store(s.error + 32, a->flags, WEAK_8);
    store(s.error + 40, 1, WEAK_8);
    store(s.error + 48, seen, WEAK_8);
    store(s.error, TIMEOUT, WEAK);
    return;
  }
  for (uint64_t i = 0; a->mode >= 5 && i < a->n; ++i) store(a->landing + 4 * i, load(a->landing + 4 * i, WEAK), WEAK);
}
void (*const __gicc_sim_kernels[1])(const struct parameters *) = {push};
const char __gicc_sim_description[] = DESCRIPTION;
"#;

const REFERENCE: &str = r#"
#include <gicc/reference.h>
GICC_REFERENCE(run) {
  for (int pe = 0; pe < run.n_pes(); ++pe) {
    auto source = run.buffer<uint32_t>("source", (pe + run.n_pes() - 1) % run.n_pes());
    auto landing = run.buffer<uint32_t>("landing", pe);
    for (int64_t i = 0; i < run.parameter("n"); ++i) landing[i] = source[i];
  }
}
"#;

const DESCRIPTION: &str = r#"
pes = { from = 1, to = 8 }
[parameters]
n = { random = [1, 200] }
mode = 0
[buffers.source]
type = "u32"
length = "n"
init = "random"
[buffers.landing]
type = "u32"
length = "n"
symmetric = true
output = "exact"
[buffers.flags]
type = "u64"
length = 1
symmetric = true
init = "zero"
[[launches]]
kernel = "push"
grid = 1
block = 1
arguments = ["landing", "source", "flags", "n", "mode"]
"#;

fn compile(compiler: &str, arguments: &[String], source: &Path, out: &Path) {
    let status = Command::new(compiler)
        .args(["-shared", "-fPIC", "-O1"])
        .args(arguments)
        .arg(source)
        .arg("-o")
        .arg(out)
        .status();
    assert!(status.expect("a compiler").success());
}

/// A compiled folder with the program and its reference.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("gicc")).expect("a folder");
    std::fs::write(at("abi.h"), gicc_abi::header::text()).expect("a file");
    std::fs::write(at("program.c"), PROGRAM).expect("a file");
    std::fs::write(at("reference.cpp"), REFERENCE).expect("a file");
    std::fs::write(at("launch.toml"), DESCRIPTION).expect("a file");
    let global = |name: &str, bytes: usize, constant| Global {
        name: name.into(),
        bytes: bytes as u64,
        constant,
        exported: true,
    };
    let description = Description {
        source: "program.c".into(),
        kernels: vec![SimKernel {
            symbol: "push".into(),
            name: "push".into(),
            parameters: (0..5).map(|i| [8 * i, 8]).collect(),
            parameter_bytes: 40,
            max_threads: 0,
        }],
        globals: vec![
            global(STATE_SYMBOL, size_of::<gicc_abi::layout::State>(), true),
            global(MODULE_RECORD_SYMBOL, size_of::<ModuleRecord>(), false),
        ],
        files: vec!["unknown".into(), "program.c".into()],
        functions: vec![String::new(), "push".into()],
        sites: vec![[0; 4], [1, 7, 3, 1]],
        ..Description::default()
    };
    let json = serde_json::to_string(&description).expect("JSON");
    let entry = |e: Entry| Entry::ALL.iter().position(|x| *x == e).expect("an entry").to_string();
    let defines = [
        ("DESCRIPTION", format!("{json:?}")),
        ("ENTRIES", Entry::COUNT.to_string()),
        ("SIM_VERSION", SIM_VERSION.to_string()),
        ("RECORD_BYTES", size_of::<ModuleRecord>().to_string()),
        ("LOAD", entry(Entry::Load)),
        ("STORE", entry(Entry::Store)),
        ("TIME", entry(Entry::Time)),
        ("NANOSECONDS", Clock::Nanoseconds.code().to_string()),
        ("WEAK", Meta::access(4).at(1).0.to_string() + "ULL"),
        ("WEAK_8", Meta::access(8).at(1).0.to_string() + "ULL"),
        ("RELEASE", Meta::access(8).strong(Order::Release, Scope::System).at(1).0.to_string() + "ULL"),
        ("RELAXED", Meta::access(8).strong(Order::Relaxed, Scope::System).at(1).0.to_string() + "ULL"),
        ("ACQUIRE", Meta::access(8).strong(Order::Acquire, Scope::System).at(1).0.to_string() + "ULL"),
        ("EQUAL", Compare::Eq.code().to_string()),
        ("TIMEOUT", ErrorCode::Timeout.code().to_string()),
    ];
    let mut arguments: Vec<String> = defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
    arguments.push(format!("-I{}", folder.path().display()));
    compile("cc", &arguments, &at("program.c"), &at("program.so"));
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
    compile("c++", &["-std=c++17".into(), include.into()], &at("reference.cpp"), &at("reference.so"));
    let parameter = |name: &str, kind| KernelParameter { name: name.into(), bytes: 8, align: 8, kind };
    let (pointer, integer) = (ParameterKind::Pointer, ParameterKind::Integer);
    let parameters = [("landing", pointer), ("source", pointer), ("flags", pointer), ("n", integer), ("mode", integer)];
    let manifest = Manifest {
        abi_version: ABI_VERSION,
        source: "program.c".into(),
        images: vec![Image { kind: ImageKind::Sim, arch: String::new(), file: "program.so".into() }],
        kernels: vec![Kernel {
            symbol: "push".into(),
            name: "push".into(),
            parameters: parameters.iter().map(|(name, kind)| parameter(name, *kind)).collect(),
        }],
        reference: Some("reference.so".into()),
    };
    std::fs::write(at("module.json"), serde_json::to_string(&manifest).expect("JSON")).expect("a file");
    folder
}

fn run(folder: &Path, mode: u32, pes: u32, runs: u32) -> RunReport {
    let text = DESCRIPTION.replace("mode = 0", &format!("mode = {mode}"));
    std::fs::write(folder.join("launch.toml"), text).expect("a file");
    let options = RunOptions { pes: Some(pes), seed: Some(3), runs, ..RunOptions::new(Target::Sim) };
    run_folder(folder, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn runs_in_the_simulator_end_as_they_should() {
    let folder = folder();
    let folder = folder.path();
    for pes in [1, 2, 4, 8] {
        let report = run(folder, 0, pes, 5);
        assert_eq!((report.outcome, report.runs), (Outcome::Right, 5), "{}", report.text());
    }
    let past = run(folder, 1, 2, 3);
    let deadlock = run(folder, 2, 2, 3);
    let wrong = run(folder, 3, 2, 1);
    let timeout = run(folder, 4, 2, 3);
    for report in [&past, &deadlock, &timeout] {
        assert_eq!((report.outcome, report.runs), (Outcome::DeviceError, 1), "{}", report.text());
    }
    assert!(past.text().contains("landing") && past.text().contains("past its end"), "{}", past.text());
    assert!(deadlock.text().contains("deadlock"), "{}", deadlock.text());
    assert_eq!(wrong.failures[0].mismatches[0].pe, 1, "{}", wrong.text());
    let sentence = "waited for PE 0 on signal `flags` to be == 1; the last value seen was 0; gave up after 10 s";
    assert!(timeout.text().contains(sentence), "{}", timeout.text());
}

#[test]
fn a_seed_repeats_a_run() {
    let folder = folder();
    let (a, b) = (run(folder.path(), 3, 4, 1), run(folder.path(), 3, 4, 1));
    assert_eq!(a, b);
}

fn weak(folder: &Path, mode: u32, change: impl FnOnce(&mut RunOptions)) -> RunReport {
    let text = DESCRIPTION.replace("mode = 0", &format!("mode = {mode}")).replace("{ random = [1, 200] }", "2");
    std::fs::write(folder.join("launch.toml"), text).expect("a file");
    let mut options =
        RunOptions { pes: Some(2), seed: Some(3), schedules: 60, memory: Memory::Weak, ..RunOptions::new(Target::Sim) };
    change(&mut options);
    run_folder(folder, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn weak_memory_shows_a_missing_release_on_any_number_of_cores() {
    let folder = folder();
    let folder = folder.path();
    let right = weak(folder, 5, |o| o.races = true);
    assert_eq!(right.outcome, Outcome::Right, "{}", right.text());
    let wrong = weak(folder, 6, |_| {});
    assert_eq!(wrong.outcome, Outcome::Wrong, "{}", wrong.text());
    let failure = &wrong.failures[0];
    let schedule = failure.schedule.expect("schedules are numbered");
    let text = wrong.text();
    assert!(text.contains(&format!("repeat with --seed 3 --memory weak --schedule {schedule}")), "{text}");
    assert!(text.contains("missing: no release and no barrier follows the first access in its thread"), "{text}");
    for jobs in [1, 2, 5] {
        assert_eq!(weak(folder, 6, |o| o.jobs = Some(jobs)), wrong, "{jobs} at once");
    }
    let again = weak(folder, 6, |o| (o.first_schedule, o.schedules) = (schedule, 1));
    assert_eq!(again.failures, wrong.failures);
    // One schedule in which all goes well is enough to see the race.
    let went_well = (0..60).find_map(|n| {
        let report = weak(folder, 6, |o| (o.first_schedule, o.schedules, o.races) = (n, 1, true));
        (report.outcome != Outcome::Wrong).then_some(report)
    });
    let went_well = went_well.expect("some schedule goes well");
    assert_eq!((went_well.outcome, went_well.outcome.exit_code()), (Outcome::Racy, 4), "{}", went_well.text());
    assert!(went_well.weak.is_some_and(|w| w.races.iter().any(|r| r.between_pes)));
}

#[test]
fn all_executions_of_a_small_kernel_are_seen() {
    let folder = folder();
    let right = weak(folder.path(), 5, |o| o.explore = Some(20_000));
    assert_eq!(right.outcome, Outcome::Right, "{}", right.text());
    assert!(right.text().contains("all executions seen"), "{}", right.text());
    let wrong = weak(folder.path(), 6, |o| o.explore = Some(20_000));
    assert_eq!(wrong.outcome, Outcome::Wrong, "{}", wrong.text());
    assert!(wrong.text().contains("--explore"), "{}", wrong.text());
}

#[test]
fn weak_memory_is_refused_where_it_does_not_exist() {
    let folder = folder();
    let options = RunOptions { memory: Memory::Weak, ..RunOptions::new(Target::Cuda) };
    let error = run_folder(folder.path(), &options, &mut |_| {}).expect_err("GPUs have their own memory");
    assert!(error.to_string().contains("only in the simulator"), "{error}");
    let options = RunOptions { races: true, ..RunOptions::new(Target::Sim) };
    let error = run_folder(folder.path(), &options, &mut |_| {}).expect_err("functional memory has no races");
    assert!(error.to_string().contains("--memory weak"), "{error}");
}
