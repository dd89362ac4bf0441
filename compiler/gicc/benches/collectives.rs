//! What a collective costs when it is compiled: the processor's time (which other programs' load does not add to) of the stage
//! `materialise`, where level H makes its code, and of the compilation as a whole, both beyond the same kernel without it.
//! Kernels take turns, and the least of several rounds is printed: `cargo bench -p gicc --bench collectives`.

use std::path::{Path, PathBuf};

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{CheckErrors, Emit, Observer, Options, Stage, Tools, compile};

/// Compilations in a round: the system counts a thread's time in steps of some milliseconds.
const COMPILATIONS: u32 = 10;
/// Rounds.
const ROUNDS: usize = 4;

/// Calls in the body of a kernel with `float *f`, `__nv_bfloat16 *h` and `long n`.
const KERNELS: &[(&str, &str)] = &[
    ("no collective", ""),
    ("constant count", "all_reduce<block>(f, f, 1024);"),
    ("count at run time", "all_reduce<block>(f, f, n);"),
    ("the same by the grid", "all_reduce<grid>(f, f, n);"),
    ("count at run time, bf16", "all_reduce<block>(h, h, n);"),
    ("one_shot, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::one_shot);"),
    ("two_shot, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::two_shot);"),
    ("ring, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::ring);"),
    ("all_gather, constant count", "all_gather<block>(f, f, 1024);"),
    ("all_gather, count at run time", "all_gather<block>(f, f, n);"),
    ("two calls alike", "all_reduce<block>(f, f, n); all_reduce<block>(f, f + 1, n);"),
    (
        "four constant counts",
        "all_reduce<block>(f, f, 4); all_reduce<block>(f, f, 8); all_reduce<block>(f, f, 12); all_reduce<block>(f, f, 16);",
    ),
];

/// Prints what goes wrong; a benchmark has nobody else to tell.
struct Loud;

impl Observer for Loud {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            eprintln!("{diagnostic}");
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

fn options(input: PathBuf, stop_after: Option<Stage>) -> Options {
    let mut options = Options::new(vec![input], Tools::discover());
    options.check_errors = CheckErrors::Off;
    options.stop_after = stop_after;
    if stop_after.is_some() {
        options.emit = vec![Emit::Bitcode];
    }
    options.verify_each = false;
    options
}

/// What clang makes of a kernel, in a file.
fn bitcode(folder: &Path, number: usize, calls: &str) -> PathBuf {
    let source = folder.join(format!("{number}.cu"));
    let text = format!(
        "#include <gicc/gicc.cuh>\nusing namespace gicc;\n\
         extern \"C\" __global__ void k(float *f, __nv_bfloat16 *h, long n) {{ {calls} }}\n"
    );
    std::fs::write(&source, text).expect("the temporary folder is writable");
    let compiled = compile(&options(source, Some(Stage::Frontend)), &mut Loud).expect("the kernel compiles");
    let path = folder.join(number.to_string()).with_extension("bc");
    std::fs::write(&path, &compiled.products[0].1).expect("the temporary folder is writable");
    path
}

/// Nanoseconds that this thread has run.
fn on_processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the system counts a thread's time");
    text.split_whitespace().next().and_then(|first| first.parse().ok()).expect("a number comes first")
}

/// Milliseconds of a compilation.
fn time(options: &Options) -> f64 {
    let before = on_processor();
    for _ in 0..COMPILATIONS {
        compile(options, &mut Loud).expect("the kernel compiles");
    }
    (on_processor() - before) as f64 / 1e6 / f64::from(COMPILATIONS)
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stages = [Some(Stage::Verify), Some(Stage::Materialise), None];
    let inputs: Vec<Vec<Options>> = KERNELS
        .iter()
        .enumerate()
        .map(|(number, (_, calls))| {
            let input = bitcode(folder.path(), number, calls);
            stages.iter().map(|stage| options(input.clone(), *stage)).collect()
        })
        .collect();
    let mut least = vec![[f64::INFINITY; 3]; KERNELS.len()];
    for _ in 0..ROUNDS {
        for (least, options) in least.iter_mut().zip(&inputs) {
            for (least, options) in least.iter_mut().zip(options) {
                *least = least.min(time(options));
            }
        }
    }
    println!("| kernel | materialise, ms | beyond no collective, to PTX, ms |\n| --- | --- | --- |");
    for ((name, _), [verify, materialise, ptx]) in KERNELS.iter().zip(&least) {
        println!("| {name} | {:.1} | {:.1} |", materialise - verify, ptx - least[0][2]);
    }
}
