//! What the command refuses, with which exit code and words. Nothing is written where something was refused.

use crate::bench::Bench;

const KERNEL: &str = "__global__ void k(int *p) { *p = 1; }\n";

#[test]
fn parts_that_are_not_built() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    for args in [
        &["sim"][..],
        &["k.cu", "--implicit"],
        &["k.cu", "--engine", "proxy"],
        &["k.cu", "--engine", "nvshmem"],
        &["run", ".", "--trace", "t.json"],
    ] {
        bench.gicc(args).refused(2, &["E0105", "not built yet"]);
    }
    assert_eq!(bench.names(), ["k.cu"]);
}

#[test]
fn wrong_usage() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    bench.gicc(&["k.cu", "--arch", "sm_70"]).refused(2, &["invalid value 'sm_70'", "sm_90a", "sm_120a"]);
    bench.gicc(&["k.cu", "--stop-after", "midnight"]).refused(2, &["invalid value 'midnight'", "place-fences"]);
    bench.gicc(&["k.cu", "--dump-dir", "d"]).refused(2, &["--dump-ir-after"]);
    bench.gicc(&["k.cu", "--stop-after", "link", "--emit", "ptx"]).refused(2, &["E0703", "contradict"]);
    bench.gicc(&["k.cu", "--emit", "mlir"]).refused(2, &["E0703", "no input is MLIR"]);
    bench.gicc(&["k.cu", "--stop-after", "mlir"]).refused(2, &["E0703", "no input is MLIR"]);
    bench.gicc(&["k.cu", "-o", "k.cu"]).refused(2, &["E0703", "overwritten"]);
    bench.gicc(&["./k.cu", "-o", "../none/../k.cu", "--no-such-option"]).refused(2, &["--no-such-option"]);
    assert_eq!(std::fs::read_to_string(bench.path().join("k.cu")).unwrap(), KERNEL);
    assert_eq!(bench.names(), ["k.cu"]);
}

#[test]
fn folders() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    bench.file("empty/readme", "");
    bench.file("lonely/k.cu", KERNEL);
    bench.file("example/k.cu", KERNEL);
    bench.file("example/launch.toml", "");
    bench.file("precious/thesis.tex", "");
    bench.gicc(&["empty", "-o", "out"]).refused(1, &["E0102", "no example's folder", "kernel.cu"]);
    bench.gicc(&["lonely", "-o", "out"]).refused(1, &["E0102", "launch.toml"]);
    bench.gicc(&["example"]).refused(2, &["E0703", "name the folder to write"]);
    bench.gicc(&["example", "-o", "-"]).refused(2, &["E0703", "name the folder to write"]);
    bench.gicc(&["example", "k.cu", "-o", "out"]).refused(2, &["E0703", "compiled alone"]);
    bench.gicc(&["example", "--emit", "ptx", "-o", "out"]).refused(2, &["E0703", "all products"]);
    bench.gicc(&["example", "-o", "precious"]).refused(2, &["E0702", "not a compiled folder"]);
    bench.gicc(&["example", "-o", "k.cu/out"]).refused(2, &["E0702"]);
    assert_eq!(bench.names(), ["empty", "example", "k.cu", "lonely", "precious"]);
}

#[test]
fn messages_can_be_json_and_have_no_colours_but_on_request() {
    let bench = Bench::new();
    let plain = bench.gicc(&["k.cu", "--implicit"]);
    assert!(!plain.stderr.contains('\x1b'), "{}", plain.stderr);
    let coloured = bench.gicc(&["k.cu", "--implicit", "--color", "always"]);
    assert!(coloured.stderr.contains('\x1b'), "{}", coloured.stderr);
    let json = bench.gicc(&["k.cu", "--implicit", "--diagnostics", "json"]);
    let value: serde_json::Value = serde_json::from_str(json.stderr.trim()).unwrap();
    assert_eq!((&value["code"], &value["severity"]), (&"E0105".into(), &"error".into()));
}
