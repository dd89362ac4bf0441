//! Inputs, outputs and programs that are not what they should be: each gives an error that says where and why.

use crate::bench::Bench;

const KERNEL: &str = "__global__ void k(int *p) { *p = 1; }\n";

#[test]
fn inputs_that_cannot_be_read() {
    let bench = Bench::new();
    bench.gicc(&["none.cu"]).refused(1, &["E0102", "none.cu", "No such file"]);
    bench.gicc(&["-"]).refused(1, &["E010"]);
    bench.file("binary.cu", [0u8, 1, 2, 255, 254].repeat(1000));
    bench.gicc(&["binary.cu"]).refused(1, &["E0102", "binary.cu", "not text"]);
    bench.file("garbage.bc", [b'B', b'C', 0xC0, 0xDE, 1, 2, 3, 4].repeat(64));
    bench.gicc(&["garbage.bc"]).refused(1, &["E0104", "garbage.bc"]);
    bench.file("text.bc", "words");
    bench.gicc(&["text.bc"]).refused(1, &["E0102", "text.bc"]);
    bench.file("latin.ll", b"; caf\xe9\ndefine void @f() {\n".as_slice());
    bench.gicc(&["latin.ll"]).refused(1, &["latin.ll"]);
    bench.file("kernel.f90", "");
    bench.gicc(&["kernel.f90"]).refused(1, &["E0103", "kernel.f90"]);
    bench.file("x.ptx", "");
    bench.gicc(&["x.ptx"]).refused(2, &["E0105", "yet"]);
    bench.file("latin.mlir", b"// caf\xe9\nfunc.func @k() { caf\xe9 }\n".as_slice());
    bench.gicc(&["latin.mlir"]).refused(1, &["E0106", "latin.mlir:2:"]);
    bench.file("binary.mlir", [1u8, 2, 0, 255].repeat(100));
    bench.gicc(&["binary.mlir"]).refused(1, &["E0102", "binary.mlir", "not text"]);
    assert!(!bench.names().iter().any(|n| n.ends_with(".ptx") && n != "x.ptx"), "{:?}", bench.names());
}

#[test]
fn sources_that_are_refused() {
    let bench = Bench::new();
    bench.file("syntax.cu", "__global__ void k(int *p) {\n  *p = ;\n}\n");
    bench.gicc(&["syntax.cu"]).refused(1, &["E0101", "expected expression", "syntax.cu:2:8"]);
    bench.file("latin.cu", b"// caf\xe9\n__global__ void k(int *p) { *p = caf\xe9; }\n".as_slice());
    bench.gicc(&["latin.cu"]).refused(1, &["E0101", "latin.cu:2:"]);
    bench.file("long.cu", format!("__global__ void k(int *p) {{ *p = {}q; }}\n", "1 + ".repeat(100_000)));
    let outcome = bench.gicc(&["long.cu"]);
    outcome.refused(1, &["E0101", "long.cu:1:", "…"]);
    assert!(outcome.stderr.len() < 10_000, "{}", outcome.stderr.len());
    bench.file("undefined.cu", "__device__ int f(int);\n__global__ void k(int *p) {\n  *p = f(1);\n}\n");
    bench.gicc(&["undefined.cu"]).refused(1, &["E0301", "undefined.cu:3:"]);
    bench.file("scope.ll", "define void @f() {\n  fence syncscope(\"agent\") release\n  ret void\n}\n");
    bench.gicc(&["scope.ll"]).refused(1, &["E0202", "agent"]);
    assert!(!bench.names().iter().any(|n| n.ends_with(".ptx")), "{:?}", bench.names());
}

#[test]
fn nothing_to_compile_is_compiled_with_a_warning() {
    let bench = Bench::new();
    for name in ["empty.cu", "empty.ll"] {
        bench.file(name, "");
        let outcome = bench.gicc(&[name]);
        assert_eq!(outcome.code, 0, "{outcome:#?}");
        assert!(outcome.stderr.contains("W0303"), "{}", outcome.stderr);
    }
    assert!(bench.path().join("empty.ptx").exists());
}

#[test]
fn a_kernel_that_does_not_communicate_is_compiled_quietly_with_a_remark() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    bench.gicc(&["k.cu"]).quiet();
    let outcome = bench.gicc(&["k.cu", "--remarks", "json"]);
    assert_eq!(outcome.code, 0);
    let remark: serde_json::Value = serde_json::from_str(outcome.stderr.lines().next().unwrap()).unwrap();
    assert_eq!((&remark["code"], &remark["severity"]), (&"R0304".into(), &"remark".into()));
}

#[test]
fn missing_programs() {
    let bench = Bench::new().with("GICC_CLANG", "/nonexistent/clang").with("GICC_PTXAS", "/nonexistent/ptxas");
    bench.file("k.cu", KERNEL);
    bench.gicc(&["k.cu"]).refused(2, &["E0701", "clang", "GICC_CLANG"]);
    bench.file("k.ll", "define ptx_kernel void @k() {\n  ret void\n}\n");
    bench.gicc(&["k.ll", "-o", "k.cubin"]).refused(2, &["E0701", "ptxas", "GICC_PTXAS"]);
    bench.gicc(&["k.ll", "-o", "from_ir.ptx"]).quiet();
    assert_eq!(bench.names(), ["from_ir.ptx", "k.cu", "k.ll"]);
}

#[test]
fn a_clang_that_is_no_program() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let clang = bench.file("clang", "no program").display().to_string();
    bench.with("GICC_CLANG", &clang).gicc(&["k.cu"]).refused(2, &["E0701", "clang"]);
}

#[test]
fn a_ptxas_that_refuses() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    let ptxas = bench.program("ptxas", "echo 'ptxas fatal: no' >&2\nexit 1");
    let bench = bench.with("GICC_PTXAS", &ptxas);
    bench.gicc(&["k.cu", "-o", "k.cubin"]).refused(1, &["E0502", "ptxas fatal: no"]);
    assert_eq!(bench.names(), ["k.cu", "ptxas"]);
}

#[test]
fn outputs_that_cannot_be_written() {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    bench.file("folder/x", "");
    bench.gicc(&["k.cu", "-o", "none/k.ptx"]).refused(2, &["E0702", "none/k.ptx", "No such file"]);
    bench.gicc(&["k.cu", "-o", "folder"]).refused(2, &["E0702", "folder"]);
    bench.gicc(&["k.cu", "-o", "/proc/k.ptx"]).refused(2, &["E0702", "/proc/k.ptx"]);
    bench.gicc(&["k.cu", "--dump-ir-after", "link", "--dump-dir", "k.cu/d"]).refused(2, &["E0702"]);
    assert_eq!(bench.names(), ["folder", "k.cu"]);
}

#[test]
fn a_refused_input_leaves_the_old_output_alone() {
    let bench = Bench::new();
    bench.file("k.cu", "nonsense");
    bench.file("k.ptx", "the old one");
    bench.gicc(&["k.cu"]).refused(1, &["E0101"]);
    assert_eq!(std::fs::read_to_string(bench.path().join("k.ptx")).unwrap(), "the old one");
}
