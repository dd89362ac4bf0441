//! Which reads wait: those whose value decides whether a loop goes on, and that the loop repeats at the same address.
//!
//! For each loop, what its exits are computed from is followed backwards inside the loop, through arithmetic, phis, selects
//! and the branches that choose between a phi's values. A read that is met waits, if its address does not change from one
//! iteration to the next. A compare-and-swap that expects what it saw last is an update and no wait.

use std::collections::{HashMap, HashSet};

use super::body::{Body, Kind, NodeId};
use memory_model::Semantics;

use super::communication::{Barrier, BlockId, Comparison, Control, LoopId, Number, Operation, Poll, Shape};
use super::numbering::Numbers;
use super::operations::Raw;
use super::provenance::{Path, PathId, Provenance};
use ptx::op::AtomicOp;

/// What is found of one read.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    pub(crate) poll: Poll,
    /// Parts of a vector that the exit looks at.
    pub(crate) parts: Vec<u32>,
    /// The loop does more than wait: it writes data, or ends when a count of its own has come to what is read.
    pub(crate) goes_on: bool,
}

/// As many values are followed for all loops together, for each value of the body.
const FACTOR: usize = 8;

/// The waiting reads, by their place in `raws`.
pub(crate) fn find(
    body: &Body,
    control: &Control,
    provenance: &Provenance,
    numbers: &Numbers,
    raws: &[Raw],
) -> HashMap<usize, Waits> {
    let mut of_node: HashMap<NodeId, Vec<usize>> = HashMap::new();
    for (n, raw) in raws.iter().enumerate() {
        if let Some(result) = raw.result {
            of_node.entry(result).or_default().push(n);
        }
    }
    // A loop in which the block meets does more than wait.
    let mut meets = vec![false; control.loops.len()];
    // So does one in which data is written that others can see.
    let mut works = vec![false; control.loops.len()];
    let mut stores: HashMap<PathId, Vec<(u32, NodeId)>> = HashMap::new();
    for raw in raws {
        let Some((block, _)) = body.node(raw.node).at else { continue };
        if matches!(raw.access.operation, Operation::Barrier(barrier) if barrier != Barrier::Warp) {
            for around in control.loops_around(BlockId(block)) {
                meets[around.0 as usize] = true;
            }
        }
        let plain = raw.access.operation == Operation::Store && raw.access.semantics == Semantics::Weak;
        if plain && let Some((address, _)) = raw.address {
            let own = |path: PathId| matches!(provenance.paths.get(path), Path::Alloca(_));
            let places = &provenance.of(address).places;
            if places.is_empty() || !places.iter().all(|(path, _)| own(*path)) {
                for around in control.loops_around(BlockId(block)) {
                    works[around.0 as usize] = true;
                }
            }
        }
        if let (Some((address, _)), Some(value), Operation::Store) = (raw.address, raw.value, &raw.access.operation) {
            for (path, _) in &provenance.of(address).places {
                if matches!(provenance.paths.get(*path), Path::Alloca(_)) {
                    stores.entry(*path).or_default().push((block, value));
                }
            }
        }
    }
    let mut found: HashMap<usize, Waits> = HashMap::new();
    let mut budget = body.nodes.len().saturating_mul(FACTOR).max(4096);
    // Inner loops come last in the list: they are looked at first, and a read belongs to the innermost one.
    for id in (0..control.loops.len()).rev() {
        let id = LoopId(id as u32);
        if meets[id.0 as usize] {
            continue;
        }
        let slice = Slice::of(body, control, provenance, &stores, id, &mut budget);
        for &node in &slice.reads {
            for &n in of_node.get(&node).into_iter().flatten() {
                if found.contains_key(&n) || is_plain(&raws[n]) || !repeats(body, control, id, &raws[n]) {
                    continue;
                }
                let poll = Poll {
                    in_loop: Some(id),
                    bounded: slice.bounded(body, node),
                    compares: slice.comparison(body, numbers, node),
                };
                let goes_on = works[id.0 as usize] || slice.counts_up_to(body, control, id, node);
                found.insert(n, Waits { poll, parts: slice.parts(body, node), goes_on });
            }
        }
    }
    for (n, raw) in raws.iter().enumerate() {
        let reads = matches!(raw.access.operation, Operation::Load | Operation::ReadModifyWrite { returns: true, .. });
        if raw.repeated && reads {
            let poll = Poll { in_loop: None, bounded: false, compares: None };
            found.entry(n).or_insert(Waits { poll, parts: Vec::new(), goes_on: false });
        }
    }
    found
}

/// A plain load of the IR waits for nothing: the compiler may take it out of the loop.
fn is_plain(raw: &Raw) -> bool {
    raw.access.semantics == Semantics::Weak && matches!(raw.access.shape, Shape::Plain | Shape::Memory)
}

/// Whether a loop repeats the same read.
fn repeats(body: &Body, control: &Control, id: LoopId, raw: &Raw) -> bool {
    let Some((address, _)) = raw.address else { return false };
    let swaps = matches!(raw.access.operation, Operation::ReadModifyWrite { op: Some(AtomicOp::Cas), .. });
    if matches!(raw.access.operation, Operation::ReadModifyWrite { .. }) && !swaps {
        // Adding nothing, or exchanging for the same, again and again is a read; adding something is not.
        let unchanged = raw.value.is_some_and(|v| body.integer(v) == Some(0))
            || matches!(raw.access.operation, Operation::ReadModifyWrite { op: Some(AtomicOp::Exch), .. });
        if !unchanged {
            return false;
        }
    }
    if swaps && raw.expected.is_some_and(|e| varies(body, control, id, e)) {
        return false;
    }
    !varies(body, control, id, address)
}

/// Whether a value changes from one iteration of the loop to the next: a phi of the loop's header is in it.
fn varies(body: &Body, control: &Control, id: LoopId, node: NodeId) -> bool {
    let Some(around) = control.get_loop(id) else { return false };
    let (mut seen, mut work) = (HashSet::new(), vec![node]);
    while let Some(at) = work.pop() {
        if seen.len() > 512 {
            return true;
        }
        let Some((block, _)) = body.node(at).at else { continue };
        if !around.contains(BlockId(block)) || !seen.insert(at) {
            continue;
        }
        match body.kind(at) {
            Kind::Phi(_) if BlockId(block) == around.header => return true,
            Kind::Load { .. } | Kind::Assembly { .. } => {}
            _ => body.operands(at, &mut |o| work.push(o)),
        }
    }
    false
}

/// What the exits of a loop are computed from.
struct Slice {
    /// Values read, each once, in the order in which they were met.
    reads: Vec<NodeId>,
    /// The conditions of the loop's exits, and whether the loop ends where the condition is true.
    exits: Vec<(NodeId, bool)>,
    all: HashSet<NodeId>,
}

impl Slice {
    fn of(
        body: &Body,
        control: &Control,
        provenance: &Provenance,
        stores: &HashMap<PathId, Vec<(u32, NodeId)>>,
        id: LoopId,
        budget: &mut usize,
    ) -> Slice {
        let mut slice = Slice { reads: Vec::new(), exits: Vec::new(), all: HashSet::new() };
        let Some(around) = control.get_loop(id) else { return slice };
        let mut work = Vec::new();
        for &block in &around.blocks {
            let Some(end) = body.blocks.get(block.0 as usize) else { continue };
            let leaves = |s: &u32| !around.contains(BlockId(*s));
            if let Some(condition) = end.condition
                && end.successors.iter().any(leaves)
            {
                slice.exits.push((condition, end.successors.first().is_some_and(leaves)));
                work.push(condition);
            }
        }
        while let Some(at) = work.pop() {
            let Some((block, _)) = body.node(at).at else { continue };
            if !around.contains(BlockId(block)) || *budget == 0 || !slice.all.insert(at) {
                continue;
            }
            *budget -= 1;
            match body.kind(at) {
                Kind::Load { pointer, .. } => {
                    slice.reads.push(at);
                    // What the loop put into an array of the thread's.
                    for (path, _) in &provenance.of(*pointer).places {
                        let all = stores.get(path).into_iter().flatten();
                        work.extend(all.filter(|(b, _)| around.contains(BlockId(*b))).map(|(_, value)| *value));
                    }
                }
                Kind::Rmw { .. } | Kind::CompareExchange { .. } => slice.reads.push(at),
                Kind::Call { arguments, .. } => {
                    slice.reads.push(at);
                    work.extend(arguments);
                }
                Kind::Assembly { inputs, .. } => {
                    slice.reads.push(at);
                    work.extend(inputs);
                }
                Kind::Phi(incoming) => {
                    for (value, from) in incoming {
                        work.push(*value);
                        // Which value it is depends on the branches that led here.
                        for block in [Some(BlockId(*from)), control.immediate_dominator(BlockId(*from))] {
                            let Some(block) = block.filter(|b| around.contains(*b)) else { continue };
                            work.extend(body.blocks.get(block.0 as usize).and_then(|b| b.condition));
                        }
                    }
                }
                _ => body.operands(at, &mut |o| work.push(o)),
            }
        }
        slice
    }

    /// Whether there is an exit that does not look at the value.
    fn bounded(&self, body: &Body, node: NodeId) -> bool {
        self.exits.iter().any(|(condition, _)| !depends(body, *condition, node))
    }

    /// Whether all that the value decides is how far a count of the loop's goes.
    fn counts_up_to(&self, body: &Body, control: &Control, id: LoopId, node: NodeId) -> bool {
        let mut any = false;
        let all = self.all.iter().all(|at| {
            let Kind::Compare { left, right, .. } = body.kind(*at) else { return true };
            let other = match (depends(body, *left, node), depends(body, *right, node)) {
                (false, false) => return true,
                (true, true) => return false,
                (true, false) => *right,
                (false, true) => *left,
            };
            any = true;
            varies(body, control, id, other)
        });
        all && any
    }

    /// How the value is compared to end the loop, where it is compared directly.
    fn comparison(&self, body: &Body, numbers: &Numbers, node: NodeId) -> Option<Comparison> {
        for (condition, ends) in &self.exits {
            let Kind::Compare { predicate, left, right } = body.kind(*condition) else { continue };
            let (mut predicate, with) = if strip(body, *left) == node {
                (*predicate, *right)
            } else if strip(body, *right) == node {
                (mirrored(predicate), *left)
            } else {
                continue;
            };
            if !ends {
                predicate = opposite(predicate);
            }
            let with = match body.integer(with) {
                Some(n) => Number::Known(n),
                None => Number::Value(numbers.of(with)),
            };
            return Some(Comparison { predicate: predicate.to_owned(), with });
        }
        None
    }

    /// The parts of a vector that were looked at.
    fn parts(&self, body: &Body, node: NodeId) -> Vec<u32> {
        let mut parts: Vec<u32> = self
            .all
            .iter()
            .filter_map(|n| match body.kind(*n) {
                Kind::Extract { from, index } if *from == node => index.first().copied(),
                _ => None,
            })
            .collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// What the waits of the device runtime ask now and then whether to go on. It is told what was read for its report alone.
const PATIENCE: &str = "gicc_rt_keep_waiting";

/// Whether a value is computed from another one, a few steps away.
fn depends(body: &Body, of: NodeId, on: NodeId) -> bool {
    let (mut seen, mut work) = (HashSet::new(), vec![of]);
    while let Some(at) = work.pop() {
        if at == on {
            return true;
        }
        if seen.len() < 256 && seen.insert(at) {
            match body.kind(at) {
                Kind::Load { .. } => {}
                Kind::Call { name, .. } if **name == *PATIENCE => {}
                _ => body.operands(at, &mut |o| work.push(o)),
            }
        }
    }
    false
}

fn strip(body: &Body, mut node: NodeId) -> NodeId {
    for _ in 0..8 {
        match body.kind(node) {
            Kind::Cast(from) | Kind::Extract { from, .. } => node = *from,
            _ => break,
        }
    }
    node
}

fn mirrored(predicate: &'static str) -> &'static str {
    match predicate {
        "ugt" => "ult",
        "uge" => "ule",
        "ult" => "ugt",
        "ule" => "uge",
        "sgt" => "slt",
        "sge" => "sle",
        "slt" => "sgt",
        "sle" => "sge",
        same => same,
    }
}

fn opposite(predicate: &'static str) -> &'static str {
    match predicate {
        "eq" => "ne",
        "ne" => "eq",
        "ugt" => "ule",
        "uge" => "ult",
        "ult" => "uge",
        "ule" => "ugt",
        "sgt" => "sle",
        "sge" => "slt",
        "slt" => "sge",
        "sle" => "sgt",
        "feq" => "fne",
        "fne" => "feq",
        same => same,
    }
}
