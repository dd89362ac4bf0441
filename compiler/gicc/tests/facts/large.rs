//! Time grows with the program, not with its square.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use gicc::analysis::annotation::Assume;

use super::support::{LOAD_FLAG, STORE_FLAG, module, try_examine};

/// So many rounds of data, barrier, flag and poll, each in blocks of its own.
fn rounds(count: usize) -> String {
    let mut body = String::from(
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n  \
         %p = getelementptr ptr, ptr %table, i64 %i\n  %peer = load ptr, ptr %p\n  br label %r0\n",
    );
    for n in 0..count {
        let _ = writeln!(
            body,
            "r{n}:\n  %d{n} = getelementptr i8, ptr %peer, i64 {}\n  store volatile i32 {n}, ptr %d{n}\n  \
             store i32 {n}, ptr %peer\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  \
             call void {STORE_FLAG}(ptr %peer, i32 {n})\n  br label %w{n}\nw{n}:\n  \
             %s{n} = call i32 {LOAD_FLAG}(ptr %mine)\n  %m{n} = icmp ult i32 %s{n}, {n}\n  \
             br i1 %m{n}, label %w{n}, label %r{}",
            16 * n + 64,
            n + 1
        );
    }
    let _ = writeln!(body, "r{count}:\n  ret void");
    module("", "ptr %table, ptr %mine", &body)
}

fn time(text: &str) -> (Duration, usize) {
    let start = Instant::now();
    let found = try_examine(text, Assume::Evidence, None).expect("the program is right");
    (start.elapsed(), found.kernels[0].sites.len())
}

#[test]
fn ten_thousand_operations_take_seconds() {
    let (small, _) = time(&rounds(250));
    let (large, sites) = time(&rounds(2_000));
    // The first poll waits for at least 0, which is no wait.
    assert!(sites >= 9_999, "{sites}");
    // Ten seconds are the goal for an idle machine; tests run beside each other.
    assert!(large < Duration::from_secs(40), "{large:?}");
    assert!(large < small * 8 * 8 + Duration::from_secs(2), "{small:?} {large:?}");
}
