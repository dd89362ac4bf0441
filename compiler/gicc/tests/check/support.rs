//! IR text through the whole check, in this process.

use std::path::{Path, PathBuf};

use gicc::analysis::annotation::Assume;
use gicc::check::report::Report;
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Emit, Examination, Observer, Options, Stage, Tools, check, compile};

#[derive(Default)]
struct Said(Vec<Diagnostic>);

impl Observer for Said {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

impl Said {
    fn errors(self) -> Vec<Diagnostic> {
        self.0.into_iter().filter(|d| d.severity == Severity::Error).collect()
    }
}

/// What is found in IR, or what was said against it. `path` is where the text lies for the time: after an abort the input
/// is still there.
pub(crate) fn checked(path: &Path, text: &str, assume: Assume) -> Result<Report, Vec<Diagnostic>> {
    std::fs::write(path, text).expect("the folder is writable");
    let options = Options::new(vec![path.to_owned()], Tools::default());
    let mut said = Said::default();
    check(&options, &Examination { assume, side_files: Vec::new() }, &mut said).map_err(|_| said.errors())
}

/// The kernels of `lit-tests/weak` as IR: right protocols and wrong ones, each with all that they are made of.
pub(crate) fn protocols() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/weak");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    files.sort();
    files.into_iter().map(ir).collect()
}

/// What clang makes of a source.
fn ir(source: PathBuf) -> String {
    let mut options = Options::new(vec![source], Tools::discover());
    options.emit = vec![Emit::Llvm];
    options.stop_after = Some(Stage::Frontend);
    let mut said = Said::default();
    let compiled = compile(&options, &mut said).unwrap_or_else(|_| panic!("{:?}", said.errors()));
    String::from_utf8(compiled.products[0].1.clone()).expect("IR is text")
}
