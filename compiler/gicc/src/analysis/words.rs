//! Sites in words: the operation as PTX would spell it, and how the program wrote it.

use memory_model::{Proxy, Semantics};

use super::communication::{Barrier, Number, Operation, Shape, Site, Space};

/// The operation, spelled as PTX does: `st.release.sys.global 4 bytes`.
pub fn operation(site: &Site) -> String {
    let access = &site.access;
    let mut words = match &access.operation {
        Operation::Load => "ld".to_owned(),
        Operation::Store => "st".to_owned(),
        Operation::ReadModifyWrite { op, returns } => {
            let base = if *returns { "atom" } else { "red" };
            op.map_or_else(|| base.to_owned(), |op| format!("{base}.{}", op.ptx()))
        }
        Operation::Copy => "copy".to_owned(),
        Operation::MultimemLoad => "multimem.ld_reduce".to_owned(),
        Operation::MultimemStore => "multimem.st".to_owned(),
        Operation::MultimemReduce => "multimem.red".to_owned(),
        Operation::Fence => "fence".to_owned(),
        Operation::ProxyFence(kind) => format!("fence.proxy.{}", kind.ptx()),
        Operation::Barrier(barrier) => return barrier_words(*barrier),
        Operation::AsyncCopy { .. } => "cp.async".to_owned(),
        Operation::CopyGroup(_) => "cp.async group".to_owned(),
        Operation::Mbarrier(action) => format!("mbarrier.{}", action.ptx()),
        Operation::Call { name, .. } => return format!("call {name}"),
    };
    if access.volatile {
        words += ".volatile";
    } else if access.semantics != Semantics::Weak {
        words += &format!(".{}", access.semantics.ptx());
    }
    if let Some(scope) = access.scope {
        words += &format!(".{}", scope.ptx());
    }
    if access.proxy == Proxy::Texture {
        words += ".nc";
    }
    if matches!(access.space, Space::Shared) {
        words += ".shared";
    }
    match (access.bytes, access.width, access.count) {
        (Some(bytes), ..) => words + &format!(" {bytes} bytes"),
        (None, 0, _) => words,
        (None, width, 1) => words + &format!(" {width} bytes"),
        (None, width, count) => words + &format!(" {count} × {width} bytes"),
    }
}

fn barrier_words(barrier: Barrier) -> String {
    match barrier {
        Barrier::Block => "barrier of the block".to_owned(),
        Barrier::Named { id, threads, arrives_only } => {
            let number = |n: Number| match n {
                Number::Known(n) => n.to_string(),
                _ => "?".to_owned(),
            };
            let verb = if arrives_only { "arrival at " } else { "" };
            let threads = threads.map(|t| format!(" of {} threads", number(t))).unwrap_or_default();
            format!("{verb}barrier {}{threads}", number(id))
        }
        Barrier::Cluster { arrives: true, waits: false } => "arrival at the cluster's barrier".to_owned(),
        Barrier::Cluster { .. } => "barrier of the cluster".to_owned(),
        Barrier::Grid => "barrier of the grid".to_owned(),
        Barrier::Warp => "barrier of the warp".to_owned(),
    }
}

/// How the program wrote it.
pub fn shape(site: &Site) -> String {
    match &site.access.shape {
        Shape::Plain => "plain".to_owned(),
        Shape::Volatile => "volatile".to_owned(),
        Shape::Atomic => "atomic".to_owned(),
        Shape::Memory => "memcpy".to_owned(),
        Shape::Assembly(text) => format!("asm {text}"),
        Shape::Intrinsic(name) | Shape::Call(name) => name.clone(),
    }
}
