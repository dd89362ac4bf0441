//! Order in the program: the control-flow graph of one kernel, with where its sites stand.
//!
//! `reaches` follows back edges (a site in a loop reaches itself), `leads_to` does not: it is order within one iteration.
//! The graph's blocks are those of the IR; the questions cost a walk over the graph, and its answer for one block is kept.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use petgraph::Direction;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;

use super::site::SiteId;

/// The number of a basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// The number of a loop: an index into [`Control::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// A place in the program: a block, and how many instructions stand before it in that block. The parts of one instruction
/// (of one inline assembly) are told apart by the third number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The block.
    pub block: BlockId,
    /// Which instruction of the block.
    pub index: u32,
    /// Which part of the instruction.
    pub part: u32,
}

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that every way in passes.
    pub header: BlockId,
    /// Its blocks, in order of their numbers.
    pub blocks: Vec<BlockId>,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
}

impl Loop {
    /// Whether a block belongs to the loop.
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

/// As many answers of reachability are kept.
const KEPT: usize = 512;

/// As many sites are found by one search. Where an elected thread signals, the others pass by, and so come to the signals of
/// all rounds that follow.
pub const MOST_FOUND: usize = 64;

/// The control flow of one kernel.
#[derive(Debug)]
pub struct Control {
    graph: DiGraph<(), ()>,
    /// Reachable blocks in reverse post-order, and the position of each in it.
    order: Vec<NodeIndex>,
    rank: Vec<u32>,
    dominators: Dominators<NodeIndex>,
    /// Over the reversed graph, from one node behind all exits.
    post_dominators: Dominators<NodeIndex>,
    /// All loops; an inner loop comes after the ones around it.
    pub loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
    sites: Vec<Vec<(Position, SiteId)>>,
    reached: RefCell<HashMap<u32, std::rc::Rc<Vec<bool>>>>,
    marks: RefCell<Marks>,
}

/// Which blocks a search has seen. Kept from one search to the next: a search costs what it visits, not what there is.
#[derive(Debug, Default)]
struct Marks {
    of: Vec<u32>,
    now: u32,
    /// Blocks that were asked for, by all searches together.
    asked: u64,
}

impl Marks {
    /// Marks a block; whether it was marked before.
    fn set(&mut self, block: BlockId) -> bool {
        self.asked += 1;
        std::mem::replace(&mut self.of[block.0 as usize], self.now) == self.now
    }
}

const UNREACHABLE: u32 = u32::MAX;

impl Control {
    /// The control flow of blocks with the numbers 0 (the entry) to `successors.len() - 1`.
    pub fn new(successors: &[Vec<u32>]) -> Control {
        let count = successors.len().max(1);
        let mut graph = DiGraph::with_capacity(count, count);
        for _ in 0..count {
            graph.add_node(());
        }
        for (from, all) in successors.iter().enumerate() {
            for &to in all.iter().filter(|t| (**t as usize) < count) {
                graph.update_edge(NodeIndex::new(from), NodeIndex::new(to as usize), ());
            }
        }
        let entry = NodeIndex::new(0);
        let mut order = Vec::with_capacity(count);
        let mut walk = DfsPostOrder::new(&graph, entry);
        while let Some(node) = walk.next(&graph) {
            order.push(node);
        }
        order.reverse();
        let mut rank = vec![UNREACHABLE; count];
        for (n, node) in order.iter().enumerate() {
            rank[node.index()] = n as u32;
        }
        let dominators = simple_fast(&graph, entry);
        let post_dominators = post_dominators(&graph, &order);
        let mut control = Control {
            graph,
            order,
            rank,
            dominators,
            post_dominators,
            loops: Vec::new(),
            innermost: vec![None; count],
            sites: vec![Vec::new(); count],
            reached: RefCell::default(),
            marks: RefCell::default(),
        };
        control.find_loops();
        control
    }

    /// Says where the sites stand: each with its number in the kernel.
    pub fn place(&mut self, sites: impl Iterator<Item = (Position, SiteId)>) {
        for list in &mut self.sites {
            list.clear();
        }
        for (position, site) in sites {
            if let Some(list) = self.sites.get_mut(position.block.0 as usize) {
                list.push((position, site));
            }
        }
        for list in &mut self.sites {
            list.sort_unstable();
        }
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.graph.node_count()
    }

    /// The blocks that can be reached, each after its predecessors but for back edges.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.order.iter().map(|n| BlockId(n.index() as u32))
    }

    /// The blocks that come next.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.neighbors(node(block)).map(|n| BlockId(n.index() as u32))
    }

    /// The blocks that come before.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.graph.neighbors_directed(node(block), Direction::Incoming).map(|n| BlockId(n.index() as u32))
    }

    /// The sites of a block, in order.
    pub fn sites_in(&self, block: BlockId) -> &[(Position, SiteId)] {
        self.sites.get(block.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The innermost loop around a block.
    pub fn loop_of(&self, block: BlockId) -> Option<LoopId> {
        self.innermost.get(block.0 as usize).copied().flatten()
    }

    /// A loop by its number.
    pub fn get_loop(&self, id: LoopId) -> Option<&Loop> {
        self.loops.get(id.0 as usize)
    }

    /// The loops around a block, the innermost first.
    pub fn loops_around(&self, block: BlockId) -> Vec<LoopId> {
        let mut found = Vec::new();
        let mut at = self.loop_of(block);
        while let Some(id) = at {
            found.push(id);
            at = self.get_loop(id).and_then(|l| l.parent);
        }
        found
    }

    /// Steps that all searches so far took: how much work the kernel made, whatever the machine.
    pub fn searched(&self) -> u64 {
        self.marks.borrow().asked
    }

    /// A search for which no block is marked. The condition of a search may search itself: then there are two.
    fn search<T>(&self, search: impl FnOnce(&mut Marks) -> T) -> T {
        let mut marks = self.marks.take();
        marks.of.resize(self.graph.node_count(), 0);
        marks.now = marks.now.checked_add(1).unwrap_or_else(|| {
            marks.of.fill(0);
            1
        });
        let found = search(&mut marks);
        // A search within this one kept marks of its own.
        marks.asked += self.marks.take().asked;
        self.marks.replace(marks);
        found
    }

    /// Whether some execution comes to `b` after it was at `a`; in a loop also in a later iteration.
    pub fn reaches(&self, a: Position, b: Position) -> bool {
        (a.block == b.block && a < b) || self.block_reaches(a.block, b.block)
    }

    /// Whether `b` can come after `a` without a back edge: in the same iteration of every loop around both.
    pub fn leads_to(&self, a: Position, b: Position) -> bool {
        if a.block == b.block {
            return a < b;
        }
        if self.rank_of(a.block) >= self.rank_of(b.block) {
            return false;
        }
        let last = self.rank_of(b.block);
        self.search(|seen| {
            let mut work = vec![a.block];
            while let Some(block) = work.pop() {
                for next in self.successors(block) {
                    if next == b.block {
                        return true;
                    }
                    let rank = self.rank_of(next);
                    // Forward edges only, and nothing behind the goal.
                    if rank > self.rank_of(block) && rank < last && !seen.set(next) {
                        work.push(next);
                    }
                }
            }
            false
        })
    }

    /// Whether every way from the kernel's entry to `b` passes `a`.
    pub fn dominates(&self, a: Position, b: Position) -> bool {
        if a.block == b.block {
            return a <= b;
        }
        self.dominators.dominators(node(b.block)).is_some_and(|mut d| d.any(|n| n == node(a.block)))
    }

    /// Whether every way from `a` to the end of the kernel passes `b`.
    pub fn post_dominates(&self, b: Position, a: Position) -> bool {
        if a.block == b.block {
            return a <= b;
        }
        self.post_dominators.dominators(node(a.block)).is_some_and(|mut d| d.any(|n| n == node(b.block)))
    }

    /// The immediate dominator of a block.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators.immediate_dominator(node(block)).map(|n| BlockId(n.index() as u32))
    }

    /// The immediate post-dominator of a block; nothing for the end of the kernel.
    pub fn immediate_post_dominator(&self, block: BlockId) -> Option<BlockId> {
        let found = self.post_dominators.immediate_dominator(node(block))?;
        (found.index() < self.graph.node_count()).then_some(BlockId(found.index() as u32))
    }

    /// Whether every way from `a` to `b` passes a site that `wanted` accepts, strictly between. False where there is no way.
    pub fn always_between(&self, a: Position, b: Position, wanted: &dyn Fn(SiteId) -> bool) -> bool {
        self.reaches(a, b) && !self.way_without(a, b, wanted)
    }

    /// Whether there is a way from `a` to `b` on which no site that `wanted` accepts stands between.
    pub fn way_without(&self, a: Position, b: Position, wanted: &dyn Fn(SiteId) -> bool) -> bool {
        let stops = |block: BlockId, from: Option<Position>, to: Option<Position>| {
            self.sites_in(block)
                .iter()
                .any(|(p, s)| from.is_none_or(|f| *p > f) && to.is_none_or(|t| *p < t) && wanted(*s))
        };
        if a.block == b.block && a < b && !stops(a.block, Some(a), Some(b)) {
            return true;
        }
        if a.block == b.block && a < b && stops(a.block, Some(a), Some(b)) && !self.block_reaches(a.block, a.block) {
            return false;
        }
        if stops(a.block, Some(a), None) {
            return false;
        }
        self.search(|seen| {
            let mut work: Vec<BlockId> = self.successors(a.block).collect();
            while let Some(block) = work.pop() {
                if seen.set(block) {
                    continue;
                }
                if block == b.block && !stops(block, None, Some(b)) {
                    return true;
                }
                if !stops(block, None, None) {
                    work.extend(self.successors(block));
                }
            }
            false
        })
    }

    /// The sites that come after `a` on some way, the ones of the same iteration and of later ones.
    pub fn after(&self, a: Position) -> Vec<SiteId> {
        let reached = self.reached_from(a.block);
        let mut found = Vec::new();
        for block in self.blocks() {
            let whole = reached[block.0 as usize];
            found.extend(
                self.sites_in(block).iter().filter(|(p, _)| whole || (block == a.block && *p > a)).map(|(_, s)| *s),
            );
        }
        found
    }

    /// The sites that come first after `a` on some way, of those that `wanted` accepts: no other wanted one stands between. At
    /// most [`MOST_FOUND`], near ones rather than far ones.
    pub fn first_after(&self, a: Position, wanted: &dyn Fn(SiteId) -> bool) -> Vec<SiteId> {
        let mut found = Vec::new();
        if let Some((_, s)) = self.sites_in(a.block).iter().find(|(p, s)| *p > a && wanted(*s)) {
            return vec![*s];
        }
        self.search(|seen| {
            let mut work: VecDeque<BlockId> = self.successors(a.block).collect();
            while let Some(block) = work.pop_front().filter(|_| found.len() < MOST_FOUND) {
                if seen.set(block) {
                    continue;
                }
                match self.sites_in(block).iter().find(|(_, s)| wanted(*s)) {
                    Some((_, s)) => found.push(*s),
                    None => work.extend(self.successors(block)),
                }
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The sites that come last before `b` on some way, of those that `wanted` accepts; as many as of [`Control::first_after`].
    pub fn last_before(&self, b: Position, wanted: &dyn Fn(SiteId) -> bool) -> Vec<SiteId> {
        let mut found = Vec::new();
        if let Some((_, s)) = self.sites_in(b.block).iter().rev().find(|(p, s)| *p < b && wanted(*s)) {
            return vec![*s];
        }
        self.search(|seen| {
            let mut work: VecDeque<BlockId> = self.predecessors(b.block).collect();
            while let Some(block) = work.pop_front().filter(|_| found.len() < MOST_FOUND) {
                if self.rank_of(block) == UNREACHABLE || seen.set(block) {
                    continue;
                }
                match self.sites_in(block).iter().rev().find(|(_, s)| wanted(*s)) {
                    Some((_, s)) => found.push(*s),
                    None => work.extend(self.predecessors(block)),
                }
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    fn rank_of(&self, block: BlockId) -> u32 {
        self.rank.get(block.0 as usize).copied().unwrap_or(UNREACHABLE)
    }

    /// Whether a way of at least one edge leads from one block to another.
    fn block_reaches(&self, from: BlockId, to: BlockId) -> bool {
        self.reached_from(from).get(to.0 as usize).copied().unwrap_or(false)
    }

    fn reached_from(&self, from: BlockId) -> std::rc::Rc<Vec<bool>> {
        let mut kept = self.reached.borrow_mut();
        if let Some(found) = kept.get(&from.0) {
            return found.clone();
        }
        let mut seen = vec![false; self.graph.node_count()];
        let mut work: Vec<BlockId> = self.successors(from).collect();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block.0 as usize], true) {
                work.extend(self.successors(block));
            }
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        let seen = std::rc::Rc::new(seen);
        kept.insert(from.0, seen.clone());
        seen
    }

    fn find_loops(&mut self) {
        let mut latches: Vec<(NodeIndex, Vec<NodeIndex>)> = Vec::new();
        let mut of_header: HashMap<NodeIndex, usize> = HashMap::new();
        for &latch in &self.order {
            for header in self.graph.neighbors(latch) {
                let back = self.rank[header.index()] <= self.rank[latch.index()]
                    && self.dominators.dominators(latch).is_some_and(|mut d| d.any(|n| n == header));
                if back {
                    let n = *of_header.entry(header).or_insert_with(|| {
                        latches.push((header, Vec::new()));
                        latches.len() - 1
                    });
                    latches[n].1.push(latch);
                }
            }
        }
        // Each block remembers the last loop that it was met in.
        let mut met = vec![usize::MAX; self.graph.node_count()];
        let mut bodies: Vec<(NodeIndex, Vec<BlockId>)> = Vec::with_capacity(latches.len());
        for (n, (header, mut work)) in latches.into_iter().enumerate() {
            met[header.index()] = n;
            let mut blocks = vec![BlockId(header.index() as u32)];
            while let Some(at) = work.pop() {
                if self.rank[at.index()] != UNREACHABLE && std::mem::replace(&mut met[at.index()], n) != n {
                    blocks.push(BlockId(at.index() as u32));
                    work.extend(self.graph.neighbors_directed(at, Direction::Incoming));
                }
            }
            blocks.sort_unstable();
            bodies.push((header, blocks));
        }
        // Larger loops first: a loop inside another one is smaller.
        bodies.sort_by_key(|(header, blocks)| (std::cmp::Reverse(blocks.len()), self.rank[header.index()]));
        for (n, (header, blocks)) in bodies.into_iter().enumerate() {
            let parent = self.innermost[header.index()];
            for block in &blocks {
                self.innermost[block.0 as usize] = Some(LoopId(n as u32));
            }
            self.loops.push(Loop { header: BlockId(header.index() as u32), blocks, parent });
        }
    }
}

fn node(block: BlockId) -> NodeIndex {
    NodeIndex::new(block.0 as usize)
}

/// Post-dominators: dominators of the reversed graph, whose entry is a node of its own behind all exits. A block from which
/// no exit is reached (an endless loop) counts as an exit.
fn post_dominators(graph: &DiGraph<(), ()>, order: &[NodeIndex]) -> Dominators<NodeIndex> {
    let count = graph.node_count();
    let mut reversed: DiGraph<(), ()> = DiGraph::with_capacity(count + 1, graph.edge_count() + 1);
    for _ in 0..=count {
        reversed.add_node(());
    }
    let end = NodeIndex::new(count);
    let mut ends = vec![false; count];
    let mut work = Vec::new();
    for &at in order {
        for next in graph.neighbors(at) {
            reversed.update_edge(next, at, ());
        }
        if graph.neighbors(at).next().is_none() {
            reversed.update_edge(end, at, ());
            ends[at.index()] = true;
            work.push(at);
        }
    }
    loop {
        while let Some(at) = work.pop() {
            for before in graph.neighbors_directed(at, Direction::Incoming) {
                if !std::mem::replace(&mut ends[before.index()], true) {
                    work.push(before);
                }
            }
        }
        // The last block of an endless part.
        let Some(&endless) = order.iter().rev().find(|n| !ends[n.index()]) else { break };
        reversed.update_edge(end, endless, ());
        ends[endless.index()] = true;
        work.push(endless);
    }
    simple_fast(&reversed, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(block: u32, index: u32) -> Position {
        Position { block: BlockId(block), index, part: 0 }
    }

    /// 0 → 1 → 2 → 1, 2 → 3; 0 → 3.
    fn looped() -> Control {
        let mut control = Control::new(&[vec![1, 3], vec![2], vec![1, 3], vec![]]);
        control.place([(at(1, 5), SiteId(0)), (at(2, 1), SiteId(1)), (at(3, 0), SiteId(2))].into_iter());
        control
    }

    #[test]
    fn a_loop_reaches_itself_but_does_not_lead_to_itself() {
        let control = looped();
        assert!(control.reaches(at(2, 0), at(1, 0)));
        assert!(!control.leads_to(at(2, 0), at(1, 0)));
        assert!(control.leads_to(at(1, 0), at(3, 0)));
        assert!(control.reaches(at(1, 4), at(1, 4)));
        assert!(!control.reaches(at(0, 1), at(0, 0)));
        assert_eq!(control.loops.len(), 1);
        assert_eq!(control.loops_around(BlockId(2)), [LoopId(0)]);
        assert_eq!(control.loop_of(BlockId(3)), None);
    }

    #[test]
    fn dominance_goes_by_every_way() {
        let control = looped();
        assert!(control.dominates(at(1, 0), at(2, 0)));
        assert!(!control.dominates(at(1, 0), at(3, 0)));
        assert!(control.post_dominates(at(3, 0), at(0, 0)));
        assert!(control.post_dominates(at(2, 0), at(1, 0)));
        assert!(!control.post_dominates(at(1, 0), at(0, 0)));
    }

    #[test]
    fn what_stands_between_is_found_on_every_way() {
        let control = looped();
        assert!(!control.always_between(at(0, 0), at(3, 1), &|s| s == SiteId(0)));
        assert!(control.always_between(at(0, 0), at(3, 1), &|s| s == SiteId(2)));
        assert!(control.always_between(at(1, 0), at(2, 2), &|s| s == SiteId(1)));
        assert!(control.way_without(at(1, 6), at(2, 0), &|_| true));
        assert_eq!(control.first_after(at(0, 0), &|_| true), [SiteId(0), SiteId(2)]);
        assert_eq!(control.last_before(at(3, 0), &|_| true), [SiteId(1)]);
        assert_eq!(control.after(at(2, 2)), [SiteId(0), SiteId(1), SiteId(2)]);
    }

    #[test]
    fn endless_loops_and_unreachable_blocks_are_taken_as_they_are() {
        let control = Control::new(&[vec![1], vec![1], vec![0]]);
        assert!(control.post_dominates(at(1, 0), at(0, 0)));
        assert!(!control.leads_to(at(2, 0), at(1, 0)));
        assert_eq!(Control::new(&[]).block_count(), 1);
    }
}
