//! Roots: the functions of level H that entries call, with everything below them. A root depends on its own symbol and on
//! nothing of the program that calls it (count and addresses are parameters, and what a program knows of them stays in the
//! entry), so it can be compiled on its own, ahead of the program or once for many (`driver/units`).
//!
//! ```text
//! @gicc_all_reduce_block_f32_sum_auto(out, in, count)           the entry: inlined into the program
//!   └ @gicc_all_reduce_block_f32_sum_by_auto_of_any_size(…)     a root
//!       ├ …_by_quick_2, …_by_two_shot, …_by_simple, …           what it calls, its own
//!   └ @gicc_collective_wait(…)                                  a root, which all collectives share
//! ```

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};

use super::{Collective, Group, Signature, Writer, body, frame, packets};

/// What a root's symbol ends with, but for that of the wait.
const ENDING: &str = "_of_any_size";

/// Whether a symbol is that of a root.
pub(crate) fn is_root(symbol: &str) -> bool {
    symbol == frame::FAR_WAIT || signature(symbol).is_some()
}

/// LLVM's type of a root, as text; nothing where no root has the symbol.
pub(crate) fn type_of(symbol: &str) -> Option<&'static str> {
    if symbol == frame::FAR_WAIT {
        return Some("<2 x i64> (ptr, i64, i64, i32)");
    }
    let signature = signature(symbol)?;
    let writer = Writer { signature, exists: &|_| false, functions: Vec::new() };
    Some(match (signature.part, writer.is_quick()) {
        (true, _) => "void (ptr, ptr, i64, i32, i32, i32)",
        (false, true) => "i64 (ptr, ptr, i64, i64, i32, i32, i32)",
        (false, false) => "i64 (ptr, ptr, i64, i64)",
    })
}

/// The signature whose entry calls a root.
pub(crate) fn signature(symbol: &str) -> Option<Signature> {
    let is_named_so = symbol.ends_with(ENDING) && symbol.starts_with("gicc_all_");
    if is_named_so { signatures().find(|s| s.root() == symbol) } else { None }
}

/// The name of a root behind the stem of its signature.
pub(super) fn name(algorithm: Algorithm) -> String {
    format!("{}{ENDING}", algorithm.name())
}

/// A module of MLIR with a root and what it calls; nothing where no root has the symbol.
pub(crate) fn text(symbol: &str) -> Option<String> {
    let wait = packets::far_wait(frame::FAR_WAIT);
    if symbol == frame::FAR_WAIT {
        return Some(body::module(&[wait]));
    }
    let signature = signature(symbol)?;
    let mut writer = Writer { signature, exists: &|_| false, functions: vec![wait] };
    writer.root();
    Some(body::module(&writer.functions))
}

/// The symbols of all roots, sorted.
pub(crate) fn all() -> Vec<String> {
    let mut symbols: Vec<String> = signatures().map(|s| s.root()).chain([frame::FAR_WAIT.to_owned()]).collect();
    symbols.sort();
    symbols
}

/// Every signature that a call may have.
pub(super) fn signatures() -> impl Iterator<Item = Signature> {
    let collectives =
        std::iter::once(Collective::AllGather).chain(ReduceOp::ALL.iter().map(|op| Collective::AllReduce(*op)));
    let all = collectives.flat_map(|collective| {
        let groups = [Group::Block, Group::Grid].into_iter().flat_map(|group| [(group, false), (group, true)]);
        groups.flat_map(move |(group, part)| {
            ElementType::ALL.iter().flat_map(move |&element| {
                let of = move |&algorithm| Signature { collective, group, part, element, algorithm };
                Algorithm::ALL.iter().map(of)
            })
        })
    });
    all.filter(|s| s.decided(None).is_ok_and(|(decided, _)| decided == *s))
}
