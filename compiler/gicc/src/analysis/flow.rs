//! The control-flow graph of a function in petgraph, with dominators and natural loops.

use std::collections::{BTreeSet, HashMap};

use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::{LLVMGetBasicBlockTerminator, LLVMGetNumSuccessors, LLVMGetSuccessor};
use inkwell::values::FunctionValue;
use petgraph::Direction;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;

/// A function's blocks and edges. Node weights are the blocks; node 0 is the entry.
#[derive(Debug)]
pub(crate) struct Flow<'c> {
    /// The graph.
    pub(crate) graph: DiGraph<BasicBlock<'c>, ()>,
    /// Reachable blocks, each after its predecessors but for back edges.
    pub(crate) order: Vec<NodeIndex>,
    dominators: Dominators<NodeIndex>,
}

/// A natural loop with one entry from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The block that every path into the loop passes.
    pub(crate) header: NodeIndex,
    /// The only block outside from which the header is entered, where that block leads nowhere else.
    pub(crate) preheader: Option<NodeIndex>,
    /// Every block of the loop, the header included.
    pub(crate) body: BTreeSet<NodeIndex>,
}

impl<'c> Flow<'c> {
    /// The graph of a function that has a body; `None` where it has none.
    pub(crate) fn of(function: FunctionValue<'c>) -> Option<Flow<'c>> {
        let mut graph = DiGraph::new();
        let mut nodes = HashMap::new();
        for block in function.get_basic_blocks() {
            nodes.insert(block, graph.add_node(block));
        }
        let entry = *nodes.get(&function.get_first_basic_block()?)?;
        for (block, &node) in &nodes {
            for next in successors(*block) {
                graph.update_edge(node, *nodes.get(&next)?, ());
            }
        }
        let mut order = Vec::new();
        let mut walk = DfsPostOrder::new(&graph, entry);
        while let Some(node) = walk.next(&graph) {
            order.push(node);
        }
        order.reverse();
        let dominators = simple_fast(&graph, entry);
        Some(Flow { graph, order, dominators })
    }

    /// Whether every path to `b` passes `a`.
    pub(crate) fn dominates(&self, a: NodeIndex, b: NodeIndex) -> bool {
        self.dominators.dominators(b).is_some_and(|mut d| d.any(|n| n == a))
    }

    /// The blocks that every path to `node` passes, the nearest first, without `node` itself.
    pub(crate) fn strict_dominators(&self, node: NodeIndex) -> Vec<NodeIndex> {
        self.dominators.strict_dominators(node).map(Iterator::collect).unwrap_or_default()
    }

    /// Whether every path from the end of `from` passes `to`, or one of the blocks in `aside`, before it ends or comes back.
    pub(crate) fn leads_to(&self, from: NodeIndex, to: NodeIndex, aside: &BTreeSet<NodeIndex>) -> bool {
        let mut seen = BTreeSet::new();
        let mut work: Vec<NodeIndex> = self.graph.neighbors(from).collect();
        if work.is_empty() {
            return false;
        }
        while let Some(node) = work.pop() {
            if node == to || aside.contains(&node) {
                continue;
            }
            if node == from {
                return false;
            }
            if !seen.insert(node) {
                continue;
            }
            let before = work.len();
            work.extend(self.graph.neighbors(node));
            if work.len() == before {
                return false;
            }
        }
        true
    }

    /// The natural loops, larger ones first.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        let mut bodies: HashMap<NodeIndex, BTreeSet<NodeIndex>> = HashMap::new();
        for &latch in &self.order {
            for header in self.graph.neighbors(latch) {
                if self.dominates(header, latch) {
                    let body = bodies.entry(header).or_insert_with(|| BTreeSet::from([header]));
                    self.add_body(body, latch);
                }
            }
        }
        let mut loops: Vec<Loop> = bodies
            .into_iter()
            .map(|(header, body)| Loop { header, preheader: self.preheader(header, &body), body })
            .collect();
        loops.sort_by_key(|l| (std::cmp::Reverse(l.body.len()), l.header));
        loops
    }

    /// Adds what reaches `from` without passing the blocks that are already there.
    fn add_body(&self, body: &mut BTreeSet<NodeIndex>, from: NodeIndex) {
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if body.insert(node) {
                work.extend(self.graph.neighbors_directed(node, Direction::Incoming));
            }
        }
    }

    fn preheader(&self, header: NodeIndex, body: &BTreeSet<NodeIndex>) -> Option<NodeIndex> {
        let mut outside = self.graph.neighbors_directed(header, Direction::Incoming).filter(|n| !body.contains(n));
        let only = outside.next()?;
        (outside.next().is_none() && self.graph.neighbors(only).count() == 1).then_some(only)
    }
}

fn successors(block: BasicBlock<'_>) -> Vec<BasicBlock<'_>> {
    // SAFETY: the block is alive; each index is below the number of successors that LLVM says.
    unsafe {
        let terminator = LLVMGetBasicBlockTerminator(block.as_mut_ptr());
        if terminator.is_null() {
            return Vec::new();
        }
        (0..LLVMGetNumSuccessors(terminator)).filter_map(|n| BasicBlock::new(LLVMGetSuccessor(terminator, n))).collect()
    }
}
