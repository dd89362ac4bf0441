//! What a collective costs when it is compiled to PTX: the processor's time (which other programs' load does not add to) of the
//! compilation beyond that of the same kernel without it. Kernels take turns, and the least of several rounds is printed:
//! `cargo bench -p gicc --bench collectives`.
//!
//! - *in the cache*: its unit and its entry are, as `make build` or `gicc cache fill` leaves them; its count, where it is constant,
//!   was never compiled before.
//! - *a process*: the same, of the command `gicc` from start to end.
//! - *without a cache*: units are compiled, too.
//! - *as IR*: the stage `materialise` alone, where level H makes all of its code as IR (for the simulator).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Cache, CheckErrors, Emit, Observer, Options, Stage, Tools, compile};

/// Compilations in a round: the system counts a thread's time in steps of some milliseconds.
const COMPILATIONS: u32 = 10;
/// The same where each takes long.
const LONG_COMPILATIONS: u32 = 2;
/// Rounds.
const ROUNDS: usize = 4;
/// Processes in a round.
const PROCESSES: usize = 8;

/// The body of a kernel with `float *f`, `__nv_bfloat16 *h`, `long n` and `int pe`.
const CUDA: &[(&str, &str)] = &[
    ("no collective", ""),
    ("`all_reduce(f, f, 1024)`", "all_reduce<block>(f, f, 1024);"),
    ("`all_reduce(f, f, n)`", "all_reduce<block>(f, f, n);"),
    ("the same by the grid", "all_reduce<grid>(f, f, n);"),
    ("the same of bf16", "all_reduce<block>(h, h, n);"),
    ("the same of bf16 by the grid", "all_reduce<grid>(h, h, n);"),
    ("one_shot, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::one_shot);"),
    ("two_shot, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::two_shot);"),
    ("ring, constant count", "all_reduce<block>(f, f, 1024, reduce::sum, algorithm::ring);"),
    ("`all_gather(f, f, 1024)`", "all_gather<block>(f, f, 1024);"),
    ("`all_gather(f, f, n)`", "all_gather<block>(f, f, n);"),
    ("`all_reduce(team, f, f, n)`", "all_reduce(team(pe, 1, 4), f, f, n);"),
    ("the same of bf16 by the grid", "all_reduce<grid>(team(pe, 1, 4), h, h, n);"),
    ("`all_gather(team, f, f, n)`", "all_gather(team(pe, 1, 4), f, f, n);"),
    ("two calls, count at run time", "all_reduce<block>(f, f, n); all_reduce<block>(f, f + 1, n);"),
    (
        "four constant counts",
        "all_reduce<block>(f, f, 4); all_reduce<block>(f, f, 8); all_reduce<block>(f, f, 12); all_reduce<block>(f, f, 16);",
    ),
];

/// The same in MLIR.
const MLIR: &[(&str, &str)] = &[
    ("no collective, MLIR", ""),
    ("`gicc.all_reduce block`, f32", "gicc.all_reduce block sum %f, %f count %n of f32 : !llvm.ptr, !llvm.ptr, i64"),
    ("`gicc.all_reduce grid`, f32", "gicc.all_reduce grid sum %f, %f count %n of f32 : !llvm.ptr, !llvm.ptr, i64"),
    ("`gicc.all_reduce grid`, bf16", "gicc.all_reduce grid sum %h, %h count %n of bf16 : !llvm.ptr, !llvm.ptr, i64"),
    ("`gicc.all_gather block`, f32", "gicc.all_gather block %f, %f count %n of f32 : !llvm.ptr, !llvm.ptr, i64"),
    (
        "`gicc.all_reduce block … part`, f32",
        "gicc.all_reduce block sum %f, %f count %n of f32 part(%pe, %pe, %pe) : !llvm.ptr, !llvm.ptr, i64",
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

/// What a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Kept,
    Process,
    WithoutCache,
    /// Up to where `materialise` begins.
    Verified,
    Materialised,
}

const COLUMNS: [Column; 5] =
    [Column::Kept, Column::Process, Column::WithoutCache, Column::Verified, Column::Materialised];

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

/// A kernel with these calls: for CUDA C++ what clang makes of it, so that clang's time is not in the figures.
fn input(folder: &Path, name: &str, calls: &str, is_mlir: bool) -> PathBuf {
    let write = |ending: &str, content: &[u8]| {
        let path = folder.join(name).with_extension(ending);
        std::fs::write(&path, content).expect("the temporary folder is writable");
        path
    };
    if is_mlir {
        let text = format!(
            "gpu.module @kernels {{\n  gpu.func @k(%f: !llvm.ptr, %h: !llvm.ptr, %n: i64, %pe: i32) kernel {{\n    {calls}\n    \
             gpu.return\n  }}\n}}\n"
        );
        return write("mlir", text.as_bytes());
    }
    let text = format!(
        "#include <gicc/gicc.cuh>\nusing namespace gicc;\n\
         extern \"C\" __global__ void k(float *f, __nv_bfloat16 *h, long n, int pe) {{ {calls} }}\n"
    );
    let source = write("cu", text.as_bytes());
    let compiled = compile(&options(source, Some(Stage::Frontend), None), &mut Loud).expect("the kernel compiles");
    write("bc", &compiled.products[0].1)
}

/// Nanoseconds that this thread has run.
fn on_processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the system counts a thread's time");
    text.split_whitespace().next().and_then(|first| first.parse().ok()).expect("a number comes first")
}

/// Milliseconds of a compilation in this process.
fn time(options: &Options, compilations: u32) -> f64 {
    let before = on_processor();
    for _ in 0..compilations {
        compile(options, &mut Loud).expect("the kernel compiles");
    }
    (on_processor() - before) as f64 / 1e6 / f64::from(compilations)
}

/// Milliseconds of the processor that a process takes which compiles the input.
#[expect(clippy::zombie_processes, reason = "`wait4` below, which tells what was used, waits for it")]
fn time_of_process(gicc: &Path, input: &Path, cache: &Path, output: &Path) -> f64 {
    let mut command = Command::new(gicc);
    command.arg(input).args(["--check-errors", "off", "-o"]).arg(output).env(Cache::VARIABLE, cache);
    let child = command.stdout(Stdio::null()).spawn().expect("gicc starts");
    let (mut status, mut used) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both pointers are valid for writing, and zeroes are valid for what they point to. Nobody else waits for the child.
    let used = unsafe {
        let id = libc::pid_t::try_from(child.id()).expect("a process number");
        assert_eq!(libc::wait4(id, &raw mut status, 0, used.as_mut_ptr()), id, "the child ends");
        used.assume_init()
    };
    assert_eq!(status, 0, "gicc compiles {}", input.display());
    let milliseconds = |t: libc::timeval| t.tv_sec as f64 * 1e3 + t.tv_usec as f64 / 1e3;
    milliseconds(used.ru_utime) + milliseconds(used.ru_stime)
}

/// The command that was built beside this program.
fn command() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let gicc = own.parent()?.parent()?.join("gicc");
    gicc.is_file().then_some(gicc)
}

/// The kernels of one kind; the first has no collective, and is what the others are compared with.
fn table(folder: &Path, gicc: Option<&Path>, kernels: &[(&str, &str)], is_mlir: bool) {
    let cache = Cache::in_folder(&folder.join("kept")).expect("the benchmark has an identity");
    let of_process = folder.join("kept by processes");
    let inputs: Vec<PathBuf> = (0..kernels.len())
        .map(|n| {
            let (_, calls) = kernels[n];
            // What fills the caches has other constants, for which the same algorithm is chosen.
            let other =
                input(folder, &format!("{n}-other"), &calls.replace("1024", "1000").replace("16)", "20)"), is_mlir);
            compile(&options(other.clone(), None, Some(cache.clone())), &mut Loud).expect("the kernel compiles");
            if let Some(gicc) = gicc {
                time_of_process(gicc, &other, &of_process, &folder.join("out.ptx"));
            }
            input(folder, &n.to_string(), calls, is_mlir)
        })
        .collect();
    let mut least = vec![[f64::INFINITY; COLUMNS.len()]; kernels.len()];
    for _ in 0..ROUNDS {
        for (least, input) in least.iter_mut().zip(&inputs) {
            for (least, column) in least.iter_mut().zip(COLUMNS) {
                let of = |stage, cache| time(&options(input.clone(), stage, cache), COMPILATIONS);
                let took = match (column, gicc) {
                    (Column::Kept, _) => of(None, Some(cache.clone())),
                    (Column::Process, None) => f64::INFINITY,
                    (Column::Process, Some(gicc)) => (0..PROCESSES)
                        .map(|_| time_of_process(gicc, input, &of_process, &folder.join("out.ptx")))
                        .fold(f64::INFINITY, f64::min),
                    (Column::WithoutCache, _) => time(&options(input.clone(), None, None), LONG_COMPILATIONS),
                    (Column::Verified, _) => of(Some(Stage::Verify), None),
                    (Column::Materialised, _) => of(Some(Stage::Materialise), None),
                };
                *least = least.min(took);
            }
        }
    }
    let [none_kept, none_process, none_without, ..] = least[0];
    for ((name, _), [kept, process, without, verified, materialised]) in kernels.iter().zip(&least) {
        let process = if gicc.is_some() { format!("{:.1}", process - none_process) } else { "skipped".into() };
        println!(
            "| {name} | {:.1} | {process} | {:.1} | {:.1} |",
            kept - none_kept,
            without - none_without,
            materialised - verified
        );
    }
    println!("({}: {none_kept:.1} ms in this process, {none_process:.1} ms as one of its own)", kernels[0].0);
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gicc = command();
    if gicc.is_none() {
        println!("skipped: processes, since there is no gicc beside this program (cargo build --release -p gicc-cli)");
    }
    println!(
        "| kernel | in the cache, ms | a process, ms | without a cache, ms | as IR, ms |\n| --- | --- | --- | --- | --- |"
    );
    table(folder.path(), gicc.as_deref(), CUDA, false);
    table(folder.path(), gicc.as_deref(), MLIR, true);
}
