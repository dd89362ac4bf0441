//! When the compilation is killed, as LLVM does to itself, there is a message, exit code 3, and nothing is left behind.
//! A clang that kills its parent stands for LLVM.

use crate::bench::{Bench, Outcome};

const KERNEL: &str = "__global__ void k(int *p) { *p = 1; }\n";

/// Compiles with a clang that is this shell script; the names in the folder afterwards.
fn with_clang(script: &str, args: &[&str]) -> (Outcome, Vec<String>) {
    let bench = Bench::new();
    bench.file("k.cu", KERNEL);
    bench.file("tmp/keep", "");
    let clang = bench.program("clang", script);
    let temporary = bench.path().join("tmp");
    let bench = bench.with("GICC_CLANG", &clang).with("TMPDIR", &temporary.display().to_string());
    let outcome = bench.gicc(args);
    let mut names = bench.names();
    names.extend(std::fs::read_dir(&temporary).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()));
    (outcome, names)
}

#[test]
fn an_abort_is_a_message_and_leaves_nothing_behind() {
    let script = "echo 'LLVM ERROR: Cannot select: intrinsic' > /proc/$PPID/fd/2\nkill -ABRT $PPID";
    let (outcome, names) = with_clang(script, &["k.cu", "-o", "k.ptx"]);
    outcome.refused(3, &["E0503", "internal error", "LLVM ERROR: Cannot select: intrinsic", "please report"]);
    assert_eq!(names, ["clang", "k.cu", "tmp", "keep"]);
}

#[test]
fn a_crash_in_an_examples_folder_leaves_nothing_behind() {
    let bench = Bench::new();
    bench.file("example/k.cu", KERNEL);
    bench.file("example/launch.toml", "pes = 1\n[[launches]]\nkernel = \"k\"\ngrid = 1\nblock = 1\narguments = [\"b\"]\n[buffers.b]\ntype = \"i32\"\nlength = 1\n");
    let clang = bench.program("clang", "kill -KILL $PPID");
    let bench = bench.with("GICC_CLANG", &clang);
    bench.gicc(&["example", "-o", "out/x", "--diagnostics", "json"]).refused(3, &[r#""code":"E0503""#, "signal 9"]);
    assert_eq!(bench.names(), ["clang", "example", "out"]);
    assert_eq!(std::fs::read_dir(bench.path().join("out")).unwrap().count(), 0);
}

#[test]
fn what_llvm_says_when_all_is_well_is_passed_on() {
    let (outcome, _) = with_clang("echo 'warning: from LLVM' > /proc/$PPID/fd/2\nexit 1", &["k.cu"]);
    outcome.refused(1, &["E0101", "warning: from LLVM"]);
}
