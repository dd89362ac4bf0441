//! What is written, where, and that nothing else is said.

use gicc::driver::Stage;
use std::process::Stdio;

use crate::bench::Bench;

const KERNEL: &str = "#include <gicc/gicc.cuh>\n\
    __global__ void k(float *to, const float *from, uint64_t *flag, int n, int pe) {\n  \
    gicc::put_signal<gicc::block>(to, from, n, flag, 1, pe);\n}\n";

#[test]
fn the_product_goes_where_it_is_asked_to_go() {
    let bench = Bench::new();
    bench.file("in/k.cu", KERNEL);
    bench.gicc(&["in/k.cu"]).quiet();
    bench.gicc(&["in/k.cu", "-o", "x.ll"]).quiet();
    bench.gicc(&["in/k.cu", "--emit", "bc"]).quiet();
    assert_eq!(bench.names(), ["in", "k.bc", "k.ptx", "x.ll"]);
    let ptx = std::fs::read_to_string(bench.path().join("k.ptx")).unwrap();
    assert!(ptx.contains(".target sm_90\n"), "{ptx}");
    let outcome = bench.gicc(&["in/k.cu", "-o", "-"]);
    outcome.quiet();
    assert_eq!(outcome.stdout, ptx, "the same input gives the same bytes");
    let other = bench.gicc(&["in/k.cu", "-o", "-", "--arch", "sm_120a"]);
    assert!(other.stdout.contains(".target sm_120a"));
    assert_eq!(bench.names(), ["in", "k.bc", "k.ptx", "x.ll"]);
}

/// The names of stages.
fn names_of(wanted: impl Fn(Stage) -> bool) -> Vec<&'static str> {
    Stage::ALL.iter().copied().filter(|s| wanted(*s)).map(Stage::name).collect()
}

#[test]
fn every_stage_can_be_stopped_at_and_shown() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let stages = names_of(Stage::has_ir);
    for stage in &stages {
        let outcome = bench.gicc(&["k.cu", "--verify-each", "--stop-after", stage, "-o", "-"]);
        outcome.quiet();
        assert!(outcome.stdout.contains("define "), "{stage}");
    }
    let mut args = vec!["k.cu", "-o", "/dev/null", "--dump-dir", "dumps"];
    stages.iter().for_each(|s| args.extend(["--dump-ir-after", s]));
    bench.gicc(&args).quiet();
    // Numbered as they come, those of MLIR first.
    let numbered = Stage::ALL.iter().enumerate().filter(|(_, s)| s.has_ir());
    let dumps: Vec<String> = numbered.map(|(n, s)| format!("{n:02}-{}.ll", s.name())).collect();
    let mut found: Vec<String> = std::fs::read_dir(bench.path().join("dumps"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, dumps);
    let shown = bench.gicc(&["k.cu", "-o", "/dev/null", "--dump-ir-after", "link"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stderr.starts_with("; ----- after link -----\n"), "{}", &shown.stderr[..100]);
}

#[test]
fn stages_of_mlir_can_be_stopped_at_and_shown() {
    let bench = Bench::new();
    let kernel = "func.func @k(%p: !llvm.ptr) attributes {gicc.kernel} {\n  %me = gicc.my_pe : i32\n  \
                  llvm.store %me, %p : i32, !llvm.ptr\n  return\n}\n";
    bench.file("k.mlir", kernel);
    for stage in names_of(Stage::has_mlir) {
        let what = if stage == Stage::MlirLower.name() { "__gicc_my_pe" } else { "gicc.my_pe" };
        let outcome = bench.gicc(&["k.mlir", "--stop-after", stage, "-o", "-"]);
        outcome.quiet();
        assert!(outcome.stdout.contains(what), "{stage}: {}", outcome.stdout);
    }
    let lowered = bench.gicc(&["k.mlir", "--emit", "mlir", "-o", "-"]);
    assert!(lowered.stdout.contains("nvvm.kernel"), "{}", lowered.stdout);
    bench.gicc(&["k.mlir", "-o", "x.mlir", "--dump-dir", "dumps", "--dump-ir-after", "mlir"]).quiet();
    assert!(bench.path().join("dumps/00-mlir.mlir").is_file());
    bench.gicc(&["k.mlir", "--emit", "mlir"]).refused(2, &["E0703", "overwritten"]);
    bench.gicc(&["k.mlir", "--emit", "mlir", "--stop-after", "link"]).refused(2, &["E0703", "contradict"]);
    bench.gicc(&["k.mlir", "-o", "k.ptx"]).quiet();
    assert!(std::fs::read_to_string(bench.path().join("k.ptx")).unwrap().contains(".entry k("));
}

#[test]
fn times_are_told_on_request() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let outcome = bench.gicc(&["k.cu", "--time-stages"]);
    assert_eq!(outcome.code, 0);
    let names: Vec<&str> = outcome.stderr.lines().filter_map(|l| l.split_whitespace().next()).collect();
    // The last line is "in all".
    let told = names_of(|s| s.has_ir() || s == Stage::Ptx);
    assert_eq!(names, [told, vec!["in"]].concat());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let mut child = bench.command(&["k.cu", "-o", "-"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn remarks_tell_each_decision_with_its_line() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let outcome = bench.gicc(&["k.cu", "--remarks", "human"]);
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("k.cu:3:3: remark[R0401]: signal: release.sys"), "{}", outcome.stderr);
}
