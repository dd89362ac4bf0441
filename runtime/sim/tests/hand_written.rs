//! Programs written by hand in C, against the interface alone: what the loader and the scheduler do with them.

#![expect(clippy::unwrap_used, reason = "a test states facts; these helpers are part of it")]

use std::path::{Path, PathBuf};
use std::process::Command;

use gicc_sim::{Config, FaultKind, Launch, Machine, SimError};

/// A program with one kernel, whose body is given. `api` is the table of entry points.
fn program(folder: &Path, body: &str) -> PathBuf {
    let entries = gicc_abi::sim::Entry::COUNT;
    let versions = (gicc_abi::ABI_VERSION, gicc_abi::sim::SIM_VERSION);
    let description = gicc_abi::sim::Description {
        source: "hand.c".into(),
        kernels: vec![gicc_abi::sim::Kernel {
            symbol: "k".into(),
            name: "k".into(),
            parameters: vec![[0, 8]],
            parameter_bytes: 8,
            max_threads: 0,
        }],
        globals: vec![gicc_abi::sim::Global { name: "counter".into(), bytes: 8, constant: false, exported: true }],
        files: vec![String::new(), "hand.c".into()],
        functions: vec![String::new(), "k".into()],
        sites: vec![[0, 0, 0, 0], [1, 7, 3, 1]],
        ..gicc_abi::sim::Description::default()
    };
    let description = serde_json::to_string(&description).unwrap().replace('"', "\\\"");
    let (load, store) = (gicc_abi::sim::Entry::Load as usize, gicc_abi::sim::Entry::Store as usize);
    let text = format!(
        r#"
typedef unsigned long long u64;
unsigned __gicc_sim_version[2] = {{{}, {}}};
void *__gicc_sim_api[{entries}];
static u64 counter = 40;
void *__gicc_sim_globals[] = {{&counter}};
const char __gicc_sim_description[] = "{description}";
static u64 load(u64 p, u64 meta) {{ return ((u64 (*)(u64, u64))__gicc_sim_api[{load}])(p, meta); }}
static void store(u64 p, u64 v, u64 meta) {{ ((void (*)(u64, u64, u64))__gicc_sim_api[{store}])(p, v, meta); }}
enum {{ W8 = 8 << 24 | 1 }};
static void k(const char *params) {{ u64 p = *(const u64 *)params; (void)p; {body} }}
void (*__gicc_sim_kernels[])(const char *) = {{k}};
"#,
        versions.0, versions.1
    );
    let (source, output) = (folder.join("hand.c"), folder.join("hand.so"));
    std::fs::write(&source, text).unwrap();
    let result = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&output).arg(&source).output().unwrap();
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    output
}

fn run(machine: &mut Machine, path: &Path, parameter: u64) -> Result<gicc_sim::Report, SimError> {
    let module = machine.load(path)?;
    let params = parameter.to_le_bytes();
    let launch =
        Launch { pe: 0, module, kernel: "k", grid: [2, 1, 1], block: [33, 1, 1], shared_bytes: 0, params: &params };
    machine.launch(&[launch])
}

#[test]
fn each_pe_has_its_own_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), "store((u64)&counter, load((u64)&counter, W8) + 1, W8);");
    let mut machine = Machine::new(Config { pes: 2, ..Config::default() }).unwrap();
    run(&mut machine, &path, 0).unwrap();
    let module = machine.load(&path).unwrap();
    let value = |machine: &Machine, pe| {
        let (address, bytes) = machine.symbol(module, pe, "counter").unwrap();
        assert_eq!(bytes, 8);
        let mut word = [0; 8];
        machine.read(address, &mut word).unwrap();
        u64::from_le_bytes(word)
    };
    // Loaded once more, the variables are new ones.
    assert_eq!((value(&machine, 0), value(&machine, 1)), (40, 40));
    let params = 0u64.to_le_bytes();
    let launch =
        Launch { pe: 1, module, kernel: "k", grid: [1, 1, 1], block: [5, 1, 1], shared_bytes: 0, params: &params };
    machine.launch(&[launch]).unwrap();
    assert_eq!((value(&machine, 0), value(&machine, 1)), (40, 45));
}

#[test]
fn a_signal_is_an_error_of_the_launch() {
    let folder = tempfile::tempdir().unwrap();
    for (body, signal) in [("__builtin_trap();", 4), ("*(volatile int *)16 = 1;", 11)] {
        let path = program(folder.path(), body);
        let mut machine = Machine::new(Config::default()).unwrap();
        match run(&mut machine, &path, 0) {
            Err(SimError::Fault { kind: FaultKind::Signal { signal: found }, .. }) => assert_eq!(found, signal),
            other => panic!("{other:?}"),
        }
        // The machine is as good as before.
        let path = program(folder.path(), "store((u64)&counter, 1, W8);");
        run(&mut machine, &path, 0).unwrap();
    }
}

#[test]
fn the_machine_outlives_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = program(folder.path(), "if (p) store(p, 1, W8);");
    let mut machine = Machine::new(Config::default()).unwrap();
    let buffer = machine.alloc(0, 8, "buffer").unwrap();
    for _ in 0..3 {
        let error = run(&mut machine, &path, buffer + 8).unwrap_err().to_string();
        assert!(error.starts_with("hand.c:7:3: PE 0, kernel k, block ("), "{error}");
        assert!(error.ends_with("nearest is buffer of PE 0 (8 bytes), 0 bytes past its end"), "{error}");
        run(&mut machine, &path, buffer).unwrap();
    }
    machine.free(0, buffer).unwrap();
    assert!(machine.free(0, buffer).is_err());
    assert!(run(&mut machine, &path, buffer).is_err());
}
