//! Time of `gicc check` for modules of 1,250 to 10,000 operations, in three forms: many small kernels, one long kernel, one
//! kernel that calls many functions. It has to grow with the module, not with its square, and to stay below ten seconds.

#[path = "../tests/check/generate.rs"]
mod generate;

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Examination, Observer, Options, Stage, Tools, check};

use generate::{Form, module};

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

fn benchmark(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut group = c.benchmark_group("check");
    group.sample_size(10).warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(1));
    for form in Form::ALL {
        for operations in [1_250, 2_500, 5_000, 10_000] {
            let path = folder.path().join(format!("{operations}.ll"));
            std::fs::write(&path, module(form, operations)).expect("the temporary folder is writable");
            let options = Options::new(vec![path], Tools::default());
            group.throughput(Throughput::Elements(operations as u64));
            group.bench_function(BenchmarkId::new(form.name(), operations), |b| {
                b.iter(|| check(&options, &Examination::default(), &mut Loud).expect("the module is right"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
