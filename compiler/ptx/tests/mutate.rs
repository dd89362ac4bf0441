//! Every ordering of a text is found, and each change changes that one and nothing else.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ptx::mutate::{Change, Mutation, Subject, mutations};
use ptx::{Module, Scope, Semantics, StatementKind};

fn input(name: &str) -> (String, Module) {
    let path = format!("{}/tests/inputs/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).unwrap();
    let module = ptx::parse_module(&source).unwrap();
    (source, module)
}

fn statements(module: &Module) -> Vec<String> {
    let mut out = Vec::new();
    module.walk(&mut |statement| {
        if !matches!(statement.kind, StatementKind::Block(_)) {
            out.push(statement.to_string());
        }
    });
    out
}

/// The statements in which two texts differ: (before, after), with an empty text for a removed one.
fn difference(a: &[String], b: &[String]) -> Vec<(String, String)> {
    if a.len() == b.len() {
        return a.iter().zip(b).filter(|(x, y)| x != y).map(|(x, y)| (x.clone(), y.clone())).collect();
    }
    assert_eq!(a.len(), b.len() + 1);
    let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(b.len());
    assert_eq!(a[at + 1..], b[at..]);
    vec![(a[at].clone(), String::new())]
}

fn list(name: &str) -> Vec<Mutation> {
    let (source, module) = input(name);
    let before = statements(&module);
    let all = mutations(&source, &module);
    for mutation in &all {
        let changed = ptx::parse_module(&mutation.apply(&source)).unwrap_or_else(|e| panic!("{mutation}: {e}"));
        assert!(changed.unknown().is_empty(), "{mutation}: {:?}", changed.unknown());
        let changes = difference(&before, &statements(&changed));
        assert_eq!(changes.len(), 1, "{mutation}: {changes:?}");
        assert_eq!(changes[0].1.is_empty(), mutation.change == Change::Removed, "{mutation}");
        assert!(mutation.site.start < mutation.site.end && mutation.site.line > 1, "{mutation}");
    }
    all
}

fn described(all: &[Mutation]) -> Vec<String> {
    all.iter().map(|m| format!("{}: {} => {}", m.function, m.before, m.after)).collect()
}

#[test]
fn a_put_and_its_wait() {
    assert_eq!(
        described(&list("peer_put")),
        [
            "put: bar.sync \t0; => ",
            "put: st.release.sys.global.u64 => st.relaxed.sys.global.u64",
            "put: st.release.sys.global.u64 => st.release.gpu.global.u64",
            "wait: ld.acquire.sys.global.u64 => ld.relaxed.sys.global.u64",
            "wait: ld.acquire.sys.global.u64 => ld.acquire.gpu.global.u64",
            "wait: st.relaxed.sys.global.b32 => st.relaxed.gpu.global.b32",
            "wait: bar.sync \t0; => ",
        ]
    );
}

#[test]
fn bulk_copies() {
    assert_eq!(
        described(&list("bulk_copy")),
        [
            "bulk_put: fence.proxy.async.shared::cta; => ",
            "bulk_put: bar.sync \t0; => ",
            "bulk_put: cp.async.bulk.commit_group; => ",
            "bulk_put: cp.async.bulk.wait_group 0; => ",
            "bulk_put: cp.async.bulk.wait_group => cp.async.bulk.wait_group.read",
            "bulk_put: st.release.sys.global.u64 => st.relaxed.sys.global.u64",
            "bulk_put: st.release.sys.global.u64 => st.release.gpu.global.u64",
            "bulk_get: fence.mbarrier_init.release.cluster; => ",
            "bulk_get: bar.sync \t0; => ",
            "bulk_get: mbarrier.arrive.expect_tx.shared::cta.b64 => mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64",
            "bulk_get: mbarrier.try_wait.parity.shared::cta.b64 => mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64",
        ]
    );
}

#[test]
fn named_barriers_fences_and_counters() {
    let all = list("named_barriers");
    let count = |subject: Subject| all.iter().filter(|m| m.subject == subject).count();
    assert_eq!(count(Subject::Barrier), 6);
    assert_eq!(count(Subject::Fence), 2);
    assert_eq!(count(Subject::Semantics(Semantics::AcquireRelease)), 3);
    assert!(count(Subject::Scope(Scope::Sys)) >= 3);
    assert_eq!(count(Subject::Scope(Scope::Gpu)), 1);
}

#[test]
fn packets() {
    let all = list("packets");
    let volatile: Vec<_> = all.iter().filter(|m| m.subject == Subject::Volatile).collect();
    assert_eq!(volatile.len(), 1);
    assert_eq!(volatile[0].after, "ld.global.v4.u32");
}

#[test]
fn the_site_is_the_word() {
    let (source, module) = input("peer_put");
    let all = mutations(&source, &module);
    assert_eq!(all[1].site.text(&source), "release");
    assert_eq!(all[2].site.text(&source), "sys");
    assert_eq!(all[1].site.line, all[2].site.line);
    assert_eq!(all[2].site.column - all[1].site.column, "release.".len() as u32);
}
