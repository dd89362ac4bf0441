//! `gicc doctor` says what is there, and its exit code says whether the main job can be done.

use crate::bench::Bench;

/// Paths and versions differ between machines.
fn settled(text: &str, place: &std::path::Path) -> String {
    text.replace(&place.display().to_string(), "[PLACE]").replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}

/// A program that says a version, as clang and NVIDIA's tools do.
fn program(bench: &Bench, name: &str, says: &str) -> String {
    bench.program(name, &format!("echo '{says}'"))
}

#[test]
fn everything_there() {
    let bench = Bench::new();
    let clang = program(&bench, "clang", "Debian clang version 22.1.8 (1)");
    let ptxas = program(&bench, "ptxas", "Cuda compilation tools, release 13.0, V13.0.88");
    let library = bench.file("libdevice.10.bc", "").display().to_string();
    let place = bench.path().to_owned();
    let cuda = bench.path().display().to_string();
    let bench = bench
        .with("GICC_CLANG", &clang)
        .with("GICC_PTXAS", &ptxas)
        .with("GICC_NVDISASM", &ptxas)
        .with("GICC_LIBDEVICE", &library)
        .with("GICC_CUDA", &cuda);
    let outcome = bench.gicc(&["doctor"]);
    outcome.quiet();
    insta::with_settings!({filters => vec![
        (r"(?s)(found|missing)   GPUs .*?\nnot used", "[GPUs]\nnot used"),
        (r"with LLVM 22\.\d+\.\d+", "with LLVM [LLVM]"),
    ]}, {
        insta::assert_snapshot!("everything_there", settled(&outcome.stdout, &place));
    });
}

#[test]
fn nothing_there() {
    let bench = Bench::new()
        .with("GICC_CLANG", "/nonexistent/clang")
        .with("GICC_PTXAS", "/nonexistent/ptxas")
        .with("GICC_NVDISASM", "/nonexistent/nvdisasm");
    let outcome = bench.gicc(&["doctor"]);
    assert_eq!(outcome.code, 2, "{outcome:#?}");
    insta::with_settings!({filters => vec![
        (r"(?s)(found|missing)   GPUs .*?\nnot used", "[GPUs]\nnot used"),
        (r"with LLVM 22\.\d+\.\d+", "with LLVM [LLVM]"),
    ]}, {
        insta::assert_snapshot!("nothing_there", settled(&outcome.stdout, bench.path()));
    });
}

#[test]
fn another_clang_is_not_good_enough() {
    let bench = Bench::new();
    let clang = program(&bench, "clang", "Ubuntu clang version 14.0.0");
    let outcome = bench.with("GICC_CLANG", &clang).gicc(&["doctor", "--json"]);
    assert_eq!(outcome.code, 2);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["ready"], false);
    assert_eq!(report["parts"][0]["state"], "needed");
    assert_eq!(report["parts"][0]["version"], "14.0.0");
}

#[test]
fn a_program_that_does_not_start_is_told() {
    let bench = Bench::new();
    let clang = bench.file("clang", "no program").display().to_string();
    let outcome = bench.with("GICC_CLANG", &clang).gicc(&["doctor"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.stdout.contains("does not run: "), "{}", outcome.stdout);
}

#[test]
fn how_many_collectives_were_compiled_ahead_is_told() {
    let bench = Bench::new();
    let cache = bench.path().join("cache").display().to_string();
    let bench = bench.with("GICC_CACHE_DIR", &cache);
    let collectives = || {
        let report: serde_json::Value = serde_json::from_str(&bench.gicc(&["doctor", "--json"]).stdout).unwrap();
        let parts = report["parts"].as_array().unwrap().clone();
        parts.into_iter().find(|part| part["name"] == "collectives").unwrap()
    };
    let none = collectives();
    assert_eq!((&none["state"], &none["cure"]), (&"missing".into(), &"gicc cache fill".into()));
    assert!(none["found"].is_null(), "{none}");
    let text = "#include <gicc/gicc.cuh>\n__global__ void k(int *x) { gicc::all_reduce(x, x, 4); }\n";
    let kernel = bench.file("k.cu", text).display().to_string();
    let compiled = bench.gicc(&[&kernel, "--check-errors", "off", "-o", "k.ptx"]);
    assert_eq!(compiled.code, 0, "{compiled:#?}");
    // Its root, and the wait that all share.
    let some = collectives();
    assert!(some["found"].as_str().unwrap().starts_with("2 of "), "{some}");
    assert_eq!(some["state"], "missing");
}
