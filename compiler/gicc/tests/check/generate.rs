//! Large modules of communication as IR text, for measurements and for tests of growth: rounds of five operations (a store into
//! a peer's memory, a barrier, a signal that releases, a poll that acquires, a read of what came), put together in three ways.

use std::fmt::Write as _;

/// Operations of one round.
pub(crate) const OPERATIONS: usize = 5;

/// How rounds are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A kernel for every two rounds.
    Kernels,
    /// One kernel with all rounds.
    Kernel,
    /// One kernel that calls a device function for every round.
    Functions,
}

impl Form {
    /// All forms.
    pub(crate) const ALL: [Form; 3] = [Form::Kernels, Form::Kernel, Form::Functions];

    /// For reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Form::Kernels => "many kernels",
            Form::Kernel => "one kernel",
            Form::Functions => "many functions",
        }
    }
}

const PARAMETERS: &str = "ptr %data, ptr %flag, ptr %out";
const DECLARATIONS: &str = "\
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @__gicc_my_pe()
declare ptr @__gicc_peer_ptr(ptr, i32)
";

/// What a kernel or function computes first.
const BEGIN: &str = "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %tid, 0
  %me = call i32 @__gicc_my_pe()
  %other = sub i32 1, %me
  %peer = call ptr @__gicc_peer_ptr(ptr %data, i32 %other)
  %theirs = call ptr @__gicc_peer_ptr(ptr %flag, i32 %other)
";

/// A module with about so many operations.
pub(crate) fn module(form: Form, operations: usize) -> String {
    let rounds = operations / OPERATIONS;
    let mut text = String::from("target triple = \"nvptx64-nvidia-cuda\"\n");
    match form {
        Form::Kernels => {
            for n in 0..rounds.div_ceil(2) {
                let _ = write!(text, "define ptx_kernel void @k{n}({PARAMETERS}) {{\nentry:\n{BEGIN}");
                body(&mut text, 2 * n, rounds.min(2 * n + 2));
            }
        }
        Form::Kernel => {
            let _ = write!(text, "define ptx_kernel void @k({PARAMETERS}) {{\nentry:\n{BEGIN}");
            body(&mut text, 0, rounds);
        }
        Form::Functions => {
            for n in 0..rounds {
                let _ = write!(text, "define internal void @f{n}({PARAMETERS}) {{\nentry:\n{BEGIN}");
                body(&mut text, n, n + 1);
            }
            let _ = writeln!(text, "define ptx_kernel void @k({PARAMETERS}) {{");
            for n in 0..rounds {
                let _ = writeln!(text, "  call void @f{n}(ptr %data, ptr %flag, ptr %out)");
            }
            text += "  ret void\n}\n";
        }
    }
    text + DECLARATIONS
}

/// The rounds of a body, and its end.
fn body(text: &mut String, from: usize, to: usize) {
    let _ = writeln!(text, "  br label %r{from}");
    for n in from..to {
        let (at, epoch) = (256 * n, n + 1);
        let _ = write!(
            text,
            "r{n}:
  %d{n} = getelementptr i8, ptr %peer, i64 {at}
  %e{n} = getelementptr i32, ptr %d{n}, i32 %tid
  store i32 {epoch}, ptr %e{n}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %first, label %s{n}, label %a{n}
s{n}:
  call void asm sideeffect \"st.release.sys.global.u32 [$0], $1;\", \"l,r,~{{memory}}\"(ptr %theirs, i32 {epoch})
  br label %w{n}
w{n}:
  %v{n} = call i32 asm sideeffect \"ld.acquire.sys.global.u32 $0, [$1];\", \"=r,l,~{{memory}}\"(ptr %flag)
  %m{n} = icmp ult i32 %v{n}, {epoch}
  br i1 %m{n}, label %w{n}, label %a{n}
a{n}:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %l{n} = getelementptr i8, ptr %data, i64 {at}
  %i{n} = getelementptr i32, ptr %l{n}, i32 %tid
  %x{n} = load i32, ptr %i{n}
  %o{n} = getelementptr i32, ptr %out, i32 %tid
  store i32 %x{n}, ptr %o{n}
  br label %r{}
",
            n + 1
        );
    }
    let _ = write!(text, "r{to}:\n  ret void\n}}\n");
}
