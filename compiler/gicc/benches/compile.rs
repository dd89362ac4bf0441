//! gicc's own time for each example, from the bitcode that clang made to PTX; clang and ptxas are not in it. The bound that
//! the project keeps is 150 ms an example.

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use gicc::diagnostic::Diagnostic;
use gicc::driver::{Emit, Observer, Options, Stage, Tools, compile};

/// Prints what goes wrong; a benchmark has nobody else to tell.
struct Loud;

impl Observer for Loud {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == gicc::diagnostic::Severity::Error {
            eprintln!("{diagnostic}");
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// What clang makes of a kernel file, in a file of its own.
fn bitcode(kernel: &Path, folder: &Path) -> PathBuf {
    let mut options = Options::new(vec![kernel.to_owned()], Tools::discover());
    options.emit = vec![Emit::Bitcode];
    options.stop_after = Some(Stage::Frontend);
    let compiled = compile(&options, &mut Loud).expect("the example compiles");
    let name =
        kernel.parent().and_then(Path::file_name).expect("an example is a folder").to_string_lossy().into_owned();
    let path = folder.join(name).with_extension("bc");
    std::fs::write(&path, &compiled.products[0].1).expect("the temporary folder is writable");
    path
}

fn benchmark(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut kernels: Vec<PathBuf> = examples
        .read_dir()
        .expect("the examples are there")
        .filter_map(Result::ok)
        .map(|e| e.path().join("kernel.cu"))
        .filter(|p| p.exists())
        .collect();
    kernels.sort();
    let mut group = c.benchmark_group("bitcode to PTX");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    for kernel in kernels {
        let input = bitcode(&kernel, folder.path());
        let name = input.file_stem().expect("the file has a name").to_string_lossy().into_owned();
        let mut options = Options::new(vec![input], Tools::discover());
        options.verify_each = false;
        group.bench_function(name, |b| b.iter(|| compile(&options, &mut Loud).expect("the example compiles")));
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
