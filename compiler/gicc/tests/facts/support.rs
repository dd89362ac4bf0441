//! Kernels as IR text, and what is found in them.

use std::fmt::Write as _;

use gicc::analysis::annotation::Assume;
use gicc::analysis::communication::{Class, Communication, Kernel, Site};
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Examination, Observer, Options, Stage, Tools, examine};

#[derive(Default)]
struct Said(Vec<Diagnostic>);

impl Observer for Said {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// What is found in IR, or what was said against it.
pub(crate) fn try_examine(
    text: &str,
    assume: Assume,
    side_file: Option<&str>,
) -> Result<Communication, Vec<Diagnostic>> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("kernel.ll");
    std::fs::write(&path, text).expect("the folder is writable");
    let mut examination = Examination { assume, side_files: Vec::new() };
    if let Some(notes) = side_file {
        let path = folder.path().join("notes.toml");
        std::fs::write(&path, notes).expect("the folder is writable");
        examination.side_files.push(path);
    }
    let options = Options::new(vec![path], Tools::default());
    let mut said = Said::default();
    examine(&options, &examination, &mut said)
        .map_err(|_| said.0.into_iter().filter(|d| d.severity == Severity::Error).collect())
}

/// What is found in the only kernel of IR.
pub(crate) fn kernel(text: &str) -> Kernel {
    kernel_with(text, Assume::Evidence, None)
}

/// The same, with what is assumed and annotations.
pub(crate) fn kernel_with(text: &str, assume: Assume, side_file: Option<&str>) -> Kernel {
    let mut found = try_examine(text, assume, side_file).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(found.kernels.len(), 1);
    found.kernels.remove(0)
}

/// A module with one kernel: its parameters, its body, and what stands in front of it.
pub(crate) fn module(before: &str, parameters: &str, body: &str) -> String {
    let mut text = String::from("target triple = \"nvptx64-nvidia-cuda\"\n");
    let _ = writeln!(text, "{before}\ndefine ptx_kernel void @k({parameters}) {{\nentry:\n{body}\n}}");
    text.push_str(
        "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
         declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n\
         declare void @llvm.nvvm.membar.sys()\n\
         declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n",
    );
    text
}

/// The sites of a class.
pub(crate) fn of(kernel: &Kernel, class: Class) -> Vec<&Site> {
    kernel.sites.iter().filter(|s| s.class == class).collect()
}

/// The classes in order.
pub(crate) fn classes(kernel: &Kernel) -> Vec<Class> {
    kernel.sites.iter().map(|s| s.class).collect()
}

/// A release store and an acquire poll of a flag at system scope, as assembly.
pub(crate) const STORE_FLAG: &str = "asm sideeffect \"st.release.sys.global.u32 [$0], $1;\", \"l,r,~{memory}\"";
/// The poll's load.
pub(crate) const LOAD_FLAG: &str = "asm sideeffect \"ld.acquire.sys.global.u32 $0, [$1];\", \"=r,l,~{memory}\"";
