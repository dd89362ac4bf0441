//! What the check does grows with the module, not with its square. Work is counted, not timed; `cargo bench -p gicc --bench
//! check` times it.

use std::path::PathBuf;

use gicc::analysis::annotation::Assume;

use super::generate::{Form, module};
use super::support::checked;

#[test]
fn work_grows_with_the_module() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("kernel.ll");
    for form in Form::ALL {
        let work = |operations: usize| {
            let report = checked(&path, &module(form, operations), Assume::Evidence).expect("the module is right");
            let sites: usize = report.sites.iter().map(|kernel| kernel.sites.len()).sum();
            assert!(sites >= operations, "{form:?}: {sites} sites of {operations} operations");
            report.searched
        };
        let (one, two, four) = (work(500), work(1_000), work(2_000));
        assert!(one > 500, "{form:?}: {one}: nothing is counted");
        assert!(two < one * 5 / 2 && four < two * 5 / 2, "{form:?}: {one}, {two}, {four}");
    }
}

#[test]
#[ignore = "writes the modules that are measured into the folder GICC_CHECK_MODULES"]
fn write_modules() {
    let folder = std::env::var_os("GICC_CHECK_MODULES").map(PathBuf::from).expect("GICC_CHECK_MODULES names a folder");
    for form in Form::ALL {
        for operations in [1_250, 2_500, 5_000, 10_000] {
            let name = format!("{}_{operations}.ll", form.name().replace(' ', "_"));
            std::fs::write(folder.join(name), module(form, operations)).expect("the folder is writable");
        }
    }
}
