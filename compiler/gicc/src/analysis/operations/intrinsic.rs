//! Calls of functions that are known by their names: what is told by name is LLVM's, gicc's or a communication library's.

use gicc_abi::codes::{Order, Scope as AbiScope};
use gicc_abi::intrinsics::{self, Family, Intrinsic};
use memory_model::{Proxy, Scope, Semantics};
use ptx::op::{AtomicOp, CopyGroup, MbarrierAction, ProxyKind};

use super::{Gap, Raw, Says, fence, weak};
use crate::analysis::body::{Body, NodeId};
use crate::analysis::communication::{Access, AssumptionKind, Barrier, Number, Operation, Shape, Space};
use crate::analysis::known;

/// The operations of one call.
pub(super) fn operations(
    body: &Body,
    node: NodeId,
    name: &str,
    arguments: &[NodeId],
    defined: bool,
    raws: &mut Vec<Raw>,
    gaps: &mut Vec<Gap>,
) {
    let shape = || Shape::Intrinsic(name.to_owned());
    let new = |access: Access| Raw::new(node, 0, access);
    let constant = |n: usize| arguments.get(n).and_then(|a| body.integer(*a));
    if let Some((to, from)) = known::copy(name) {
        let bytes = constant(2).and_then(|n| u64::try_from(n).ok());
        let width = bytes.and_then(|b| u32::try_from(b).ok()).filter(|b| *b <= 64).unwrap_or(0);
        for (part, operation, side) in [(0, Operation::Load, from), (1, Operation::Store, to)] {
            let Some(&pointer) = arguments.get(side) else { continue };
            raws.push(Raw {
                address: Some((pointer, 0)),
                ..Raw::new(node, part, Access { bytes, ..weak(operation, width, Shape::Memory) })
            });
        }
        return;
    }
    if known::fill(name) {
        let bytes = constant(2).and_then(|n| u64::try_from(n).ok());
        if let Some(&pointer) = arguments.first() {
            raws.push(Raw {
                address: Some((pointer, 0)),
                value: arguments.get(1).copied(),
                ..new(Access { bytes, ..weak(Operation::Store, 0, Shape::Memory) })
            });
        }
        return;
    }
    if let Some(rest) = name.strip_prefix("llvm.nvvm.") {
        raws.extend(nvvm(rest, arguments, shape(), &constant).into_iter().map(|raw| raw.of(node, arguments)));
        return;
    }
    if name.starts_with("llvm.") || name.starts_with("__nv_") || name.starts_with(known::ANNOTATED) {
        return;
    }
    if let Some(does) = known::collective(name) {
        let called = name.trim_start_matches(gicc_abi::PREFIX).to_owned();
        let operation = Operation::Call { name: called.clone(), does };
        raws.push(new(weak(operation, 0, Shape::Call(called))));
        return;
    }
    // It stays a call in an examination. That of a warp is a vote, which orders nothing.
    if name == "__gicc_check_error_block" {
        raws.push(new(weak(Operation::Barrier(Barrier::Block), 0, shape())));
        return;
    }
    if let Some(intrinsic) = intrinsics::find(name) {
        raws.extend(own(intrinsic, node, arguments, shape(), &constant));
        return;
    }
    if let Some(library) = known::library(name) {
        let address = match library {
            known::Library::Put(n)
            | known::Library::PutSignal(n)
            | known::Library::Get(n)
            | known::Library::Signal(n)
            | known::Library::Wait(n) => arguments.get(n).map(|a| (*a, 0)),
            _ => None,
        };
        let operation = Operation::Call { name: name.to_owned(), does: library.does() };
        let access = match library {
            known::Library::Fence | known::Library::Quiet => Access {
                semantics: Semantics::SequentiallyConsistent,
                scope: Some(Scope::Sys),
                ..weak(operation, 0, Shape::Call(name.to_owned()))
            },
            _ => weak(operation, 0, Shape::Call(name.to_owned())),
        };
        raws.push(Raw { address, says: Says::Library(library), ..new(access) });
        return;
    }
    // Pointers into peers' memory, ranks and their kin touch no memory.
    let harmless = known::peer_pointer(name)
        || known::local_symmetric_pointer(name)
        || known::is_own_rank(name)
        || name.starts_with("nvshmem_n_pes")
        || name.starts_with("gicc_rt_")
        || ["vprintf", "malloc", "free", "__assertfail", "__assert_fail", "__trap"].contains(&name);
    if !harmless {
        let what = if defined { "is too large or calls itself, and was not inlined" } else { "is defined nowhere" };
        gaps.push(Gap {
            kind: AssumptionKind::Call,
            words: format!("`{}` {what}: it is taken to do nothing that communicates", crate::llvm::demangled(name)),
            node,
        });
    }
}

/// An operation whose operands are told by their places.
struct Found {
    access: Access,
    address: Option<usize>,
    value: Option<usize>,
    reads: bool,
    numbers: (Option<usize>, Option<usize>),
}

impl Found {
    fn new(access: Access) -> Vec<Found> {
        vec![Found { access, address: None, value: None, reads: false, numbers: (None, None) }]
    }

    fn of(self, node: NodeId, arguments: &[NodeId]) -> Raw {
        let get = |n: Option<usize>| n.and_then(|n| arguments.get(n)).copied();
        Raw {
            address: get(self.address).map(|a| (a, 0)),
            value: get(self.value),
            result: self.reads.then_some(node),
            numbers: (get(self.numbers.0), get(self.numbers.1)),
            ..Raw::new(node, 0, self.access)
        }
    }
}

/// An intrinsic of LLVM's for NVPTX, without its prefix.
fn nvvm(name: &str, arguments: &[NodeId], shape: Shape, constant: &dyn Fn(usize) -> Option<i64>) -> Vec<Found> {
    let proxy = |kind| Found::new(weak(Operation::ProxyFence(kind), 0, shape.clone()));
    match name {
        "membar.cta" => return Found::new(fence(Semantics::SequentiallyConsistent, Scope::Cta, shape)),
        "membar.gl" => return Found::new(fence(Semantics::SequentiallyConsistent, Scope::Gpu, shape)),
        "membar.sys" => return Found::new(fence(Semantics::SequentiallyConsistent, Scope::Sys, shape)),
        "fence.sc.cluster" => return Found::new(fence(Semantics::SequentiallyConsistent, Scope::Cluster, shape)),
        "fence.proxy.alias" => return proxy(ProxyKind::Alias),
        "fence.proxy.async" => return proxy(ProxyKind::Async),
        "fence.proxy.async.global" => return proxy(ProxyKind::AsyncGlobal),
        "fence.proxy.async.shared_cta" => return proxy(ProxyKind::AsyncSharedCta),
        "fence.proxy.async.shared_cluster" => return proxy(ProxyKind::AsyncSharedCluster),
        "bar.warp.sync" => return Found::new(weak(Operation::Barrier(Barrier::Warp), 0, shape)),
        "barrier0" | "barrier0.and" | "barrier0.or" | "barrier0.popc" => {
            return Found::new(weak(Operation::Barrier(Barrier::Block), 0, shape));
        }
        "cp.async.bulk.commit.group" => {
            return Found::new(weak(Operation::CopyGroup(CopyGroup::BulkCommit), 0, shape));
        }
        "cp.async.bulk.wait.group" => {
            return Found::new(weak(Operation::CopyGroup(CopyGroup::BulkWait { read: false }), 0, shape));
        }
        "cp.async.bulk.wait.group.read" => {
            return Found::new(weak(Operation::CopyGroup(CopyGroup::BulkWait { read: true }), 0, shape));
        }
        "cp.async.commit.group" => return Found::new(weak(Operation::CopyGroup(CopyGroup::Commit), 0, shape)),
        "cp.async.wait.group" => return Found::new(weak(Operation::CopyGroup(CopyGroup::Wait), 0, shape)),
        "cp.async.wait.all" => return Found::new(weak(Operation::CopyGroup(CopyGroup::WaitAll), 0, shape)),
        _ => {}
    }
    if let Some(rest) = name.strip_prefix("atomic.") {
        return atomic(rest, shape);
    }
    if let Some(rest) = name.strip_prefix("barrier.cta.") {
        return block_barrier(rest, shape, constant);
    }
    if let Some(rest) = name.strip_prefix("barrier.cluster.") {
        let arrives = rest.starts_with("arrive");
        let semantics = match (arrives, rest.contains("relaxed")) {
            (true, true) => Semantics::Relaxed,
            (true, false) => Semantics::Release,
            (false, _) => Semantics::Acquire,
        };
        let operation = Operation::Barrier(Barrier::Cluster { arrives, waits: !arrives });
        return Found::new(Access { semantics, scope: Some(Scope::Cluster), ..weak(operation, 0, shape) });
    }
    if name.starts_with("ldu.global.") || name.starts_with("ldg.global.") {
        let access = Access { proxy: Proxy::Texture, space: Space::Global, ..weak(Operation::Load, 4, shape) };
        return vec![Found { access, address: Some(0), value: None, reads: true, numbers: (None, None) }];
    }
    if let Some(rest) = name.strip_prefix("cp.async.bulk.") {
        let to_global = rest.contains("to.global") || rest.contains("reduce") || rest.contains("s2g");
        let described = rest.contains("tensor");
        if rest.contains("prefetch") {
            return Vec::new();
        }
        let operation = Operation::AsyncCopy { to_global, described };
        let access = Access { proxy: Proxy::Async, space: Space::Global, ..weak(operation, 0, shape) };
        // shared to global: (destination, source, …); global to shared: (destination, mbarrier, source, …).
        let address = if described {
            None
        } else if to_global {
            Some(0)
        } else {
            Some(if arguments.len() > 3 { 2 } else { 1 })
        };
        return vec![Found { access, address, value: None, reads: false, numbers: (None, None) }];
    }
    if let Some(rest) = name.strip_prefix("mbarrier.") {
        let action = match rest.split('.').next() {
            Some("arrive") => MbarrierAction::Arrive,
            Some("test") => MbarrierAction::TestWait,
            Some("try") => MbarrierAction::TryWait,
            Some("init") => MbarrierAction::Init,
            _ => return Vec::new(),
        };
        let semantics = match action {
            MbarrierAction::Arrive => Semantics::Release,
            MbarrierAction::Init => Semantics::Weak,
            _ => Semantics::Acquire,
        };
        let scope = if rest.contains("scope.cluster") { Scope::Cluster } else { Scope::Cta };
        let access = Access {
            semantics,
            scope: Some(scope),
            space: Space::Shared,
            ..weak(Operation::Mbarrier(action), 8, shape)
        };
        return vec![Found { access, address: Some(0), value: None, reads: false, numbers: (None, None) }];
    }
    Vec::new()
}

/// `add.gen.i.sys.i32.p0`: an atomic of another scope than the GPU.
fn atomic(name: &str, shape: Shape) -> Vec<Found> {
    let words: Vec<&str> = name.split('.').collect();
    let Some(op) = words.first().and_then(|w| AtomicOp::from_ptx(w)) else { return Vec::new() };
    let scope = if words.contains(&"cta") { Scope::Cta } else { Scope::Sys };
    let width = if words.iter().any(|w| w.ends_with("64")) {
        8
    } else if words.iter().any(|w| w.ends_with("16")) {
        2
    } else {
        4
    };
    let operation = Operation::ReadModifyWrite { op: Some(op), returns: true };
    let access = Access { semantics: Semantics::Relaxed, scope: Some(scope), ..weak(operation, width, shape) };
    let value = Some(if op == AtomicOp::Cas { 2 } else { 1 });
    vec![Found { access, address: Some(0), value, reads: true, numbers: (None, None) }]
}

/// `sync.aligned.all`, `sync.count`, `arrive.count`, `red.and.all` and their kin.
fn block_barrier(name: &str, shape: Shape, constant: &dyn Fn(usize) -> Option<i64>) -> Vec<Found> {
    let counted = name.ends_with("count");
    let arrives_only = name.starts_with("arrive");
    let number = |n: usize| constant(n).map_or(Number::Unknown, Number::Known);
    let barrier = match (number(0), counted, arrives_only) {
        (Number::Known(0), false, false) => Barrier::Block,
        (id, ..) => Barrier::Named { id, threads: counted.then(|| number(1)), arrives_only },
    };
    let mut found = Found::new(weak(Operation::Barrier(barrier), 0, shape));
    for f in &mut found {
        f.numbers = (Some(0), counted.then_some(1));
    }
    found
}

/// One of gicc's own functions: after fences are placed only orderings are left.
fn own(
    intrinsic: &Intrinsic,
    node: NodeId,
    arguments: &[NodeId],
    shape: Shape,
    constant: &dyn Fn(usize) -> Option<i64>,
) -> Option<Raw> {
    if intrinsic.family != Family::Ordering {
        return None;
    }
    let number =
        |parameter: &str| intrinsic.parameter(parameter).and_then(constant).and_then(|n| u64::try_from(n).ok());
    let semantics = match number("order").and_then(Order::from_code) {
        Some(Order::Release) => Semantics::Release,
        Some(Order::Acquire) => Semantics::Acquire,
        Some(Order::AcquireRelease) => Semantics::AcquireRelease,
        Some(Order::SequentiallyConsistent) => Semantics::SequentiallyConsistent,
        _ => Semantics::Relaxed,
    };
    let scope = match number("scope").and_then(AbiScope::from_code) {
        Some(AbiScope::Block) => Scope::Cta,
        Some(AbiScope::Cluster) => Scope::Cluster,
        Some(AbiScope::Device) => Scope::Gpu,
        _ => Scope::Sys,
    };
    let name = intrinsic.name.trim_start_matches(gicc_abi::PREFIX);
    if name == "fence" {
        return Some(Raw::new(node, 0, fence(semantics, scope, shape)));
    }
    let width = if name.ends_with("128") {
        16
    } else if name.ends_with("64") {
        8
    } else {
        4
    };
    let operation = match name.split('_').next() {
        Some("store") => Operation::Store,
        Some("load") => Operation::Load,
        Some("red") => Operation::ReadModifyWrite { op: Some(AtomicOp::Add), returns: false },
        Some("atom") if name.contains("cas") => Operation::ReadModifyWrite { op: Some(AtomicOp::Cas), returns: true },
        Some("atom") if name.contains("inc") => Operation::ReadModifyWrite { op: Some(AtomicOp::Inc), returns: true },
        Some("atom") => Operation::ReadModifyWrite { op: None, returns: true },
        _ => return None,
    };
    let reads = operation != Operation::Store;
    let argument =
        |names: &[&str]| names.iter().find_map(|n| intrinsic.parameter(n)).and_then(|n| arguments.get(n)).copied();
    Some(Raw {
        address: argument(&["p"]).map(|p| (p, 0)),
        value: argument(&["value", "desired", "wrap", "low"]),
        expected: argument(&["expected"]),
        result: reads.then_some(node),
        ..Raw::new(node, 0, Access { semantics, scope: Some(scope), ..weak(operation, width, shape) })
    })
}
