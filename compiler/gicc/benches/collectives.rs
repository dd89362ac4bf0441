//! What a collective costs when it is compiled to PTX: the processor's time (which other programs' load does not add to) of the
//! compilation beyond that of the same kernel without it. Kernels take turns, and the least of several rounds is printed:
//! `cargo bench -p gicc --bench collectives`.
//!
//! - *again*: everything of it is in the cache.
//! - *another count*: its units are, as `gicc cache fill` leaves them; the entry is made for this kernel.
//! - *without a cache*: units are compiled, too.
//! - *as IR*: the stage `materialise` alone, where level H makes all of its code as IR (for the simulator and for `check`).

use std::path::{Path, PathBuf};

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Cache, CheckErrors, Emit, Observer, Options, Stage, Tools, compile};

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

/// What is in the cache when a compilation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Everything,
    Units,
    Nothing,
}

/// One way to compile, and what its column says.
const COLUMNS: &[(&str, Option<Stage>, Kept)] = &[
    ("again", None, Kept::Everything),
    ("another count", None, Kept::Units),
    ("without a cache", None, Kept::Nothing),
    ("up to verify", Some(Stage::Verify), Kept::Nothing),
    ("as IR", Some(Stage::Materialise), Kept::Nothing),
];

fn options(input: PathBuf, stop_after: Option<Stage>, cache: Option<Cache>) -> Options {
    let mut options = Options::new(vec![input], Tools::discover());
    options.check_errors = CheckErrors::Off;
    options.stop_after = stop_after;
    if stop_after.is_some() {
        options.emit = vec![Emit::Bitcode];
    }
    options.verify_each = false;
    options.cache = cache;
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
    let compiled = compile(&options(source, Some(Stage::Frontend), None), &mut Loud).expect("the kernel compiles");
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
fn time(options: &Options, kept: Kept) -> f64 {
    let mut spent = 0;
    for _ in 0..COMPILATIONS {
        if let Some(cache) = options.cache.as_ref().filter(|_| kept == Kept::Units) {
            forget_entries(cache);
        }
        let before = on_processor();
        compile(options, &mut Loud).expect("the kernel compiles");
        spent += on_processor() - before;
    }
    spent as f64 / 1e6 / f64::from(COMPILATIONS)
}

/// Removes from a cache what is no unit. An entry's file begins with two numbers, and then its key.
fn forget_entries(cache: &Cache) {
    for file in cache.folder().read_dir().into_iter().flatten().filter_map(Result::ok) {
        let content = std::fs::read(file.path()).expect("a file of the cache can be read");
        if content.get(16..).is_some_and(|key| key.starts_with(b"entry ")) {
            std::fs::remove_file(file.path()).expect("a file of the cache can be removed");
        }
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = |name: &str| Cache::in_folder(&folder.path().join(name)).expect("the benchmark has an identity");
    let inputs: Vec<Vec<Options>> = KERNELS
        .iter()
        .enumerate()
        .map(|(number, (_, calls))| {
            let input = bitcode(folder.path(), number, calls);
            let column = |(_, stage, kept): &(&str, Option<Stage>, Kept)| {
                let cache = match kept {
                    Kept::Everything => Some(cache("everything")),
                    Kept::Units => Some(cache("units")),
                    Kept::Nothing => None,
                };
                options(input.clone(), *stage, cache)
            };
            COLUMNS.iter().map(column).collect()
        })
        .collect();
    // What is not measured fills the caches.
    for options in inputs.iter().flatten().filter(|o| o.cache.is_some()) {
        compile(options, &mut Loud).expect("the kernel compiles");
    }
    let mut least = vec![[f64::INFINITY; COLUMNS.len()]; KERNELS.len()];
    for _ in 0..ROUNDS {
        for (least, options) in least.iter_mut().zip(&inputs) {
            for ((least, options), (_, _, kept)) in least.iter_mut().zip(options).zip(COLUMNS) {
                *least = least.min(time(options, *kept));
            }
        }
    }
    println!(
        "| kernel | again, ms | another count, ms | without a cache, ms | as IR, ms |\n| --- | --- | --- | --- | --- |"
    );
    let none = least[0];
    for ((name, _), [again, other, without, verify, ir]) in KERNELS.iter().zip(&least) {
        let (again, other, without) = (again - none[0], other - none[1], without - none[2]);
        println!("| {name} | {again:.1} | {other:.1} | {without:.1} | {:.1} |", ir - verify);
    }
}
