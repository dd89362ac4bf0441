//! How far apart neighbouring threads access memory, whether a loop walks along one buffer, and which loops move an address:
//! what tells a copy of an array from a scatter, a flag, or one store for each peer, and a slot that each round uses again from
//! slots that alternate. A slot whose pointer the kernel itself writes anew in memory is another one each time.
//!
//! The distance is the derivative of the address by the thread's number, followed through arithmetic with constants, loops and
//! tables that all threads read alike. Where that is not known there is no answer.

use inkwell::llvm_sys::LLVMOpcode;

use super::body::{Body, Kind, NodeId};
use super::communication::{BlockId, Control, Loop, LoopId, Stride};
use super::rewritten::{Change, Rewritten};

/// Values are followed so far.
const DEEPEST: u32 = 96;
/// Values that are looked at to tell whether a loop moves an address.
const MOST: usize = 256;
/// Copies of copies of memory are followed so far.
const MOST_COPIES: usize = 8;

/// The strides of a kernel's addresses.
pub(crate) struct Strides<'a> {
    body: &'a Body,
    control: &'a Control,
    rewritten: Rewritten<'a>,
    /// Of each value: not asked yet, asked, or the answer.
    known: Vec<Option<Option<i64>>>,
}

impl<'a> Strides<'a> {
    pub(crate) fn new(body: &'a Body, control: &'a Control, rewritten: Rewritten<'a>) -> Strides<'a> {
        Strides { body, control, rewritten, known: vec![None; body.nodes.len()] }
    }

    /// The stride of an address that is accessed in a block.
    pub(crate) fn of(&mut self, address: NodeId, block: BlockId) -> Option<Stride> {
        let between_threads = self.derivative(address, 0)?;
        Some(Stride { between_threads, walks: self.walks(address, block) })
    }

    fn derivative(&mut self, node: NodeId, depth: u32) -> Option<i64> {
        if let Some(known) = self.known[node.index()] {
            return known;
        }
        if depth > DEEPEST {
            return None;
        }
        let found = self.look(node, depth + 1);
        self.known[node.index()] = Some(found);
        found
    }

    fn look(&mut self, node: NodeId, depth: u32) -> Option<i64> {
        let body = self.body;
        match body.kind(node) {
            Kind::Parameter(_) | Kind::Global(_) | Kind::Integer(_) | Kind::Null | Kind::Constant => Some(0),
            // All threads read the same word, so they get the same.
            Kind::Load { pointer, .. } => self.uniform(&[*pointer], depth),
            Kind::Cast(from) => self.derivative(*from, depth),
            Kind::Element { base, variable, .. } => {
                let mut sum = self.derivative(*base, depth)?;
                for (value, bytes) in variable {
                    sum = sum.checked_add(self.derivative(*value, depth)?.checked_mul(*bytes)?)?;
                }
                Some(sum)
            }
            Kind::Binary { op, left, right } => self.binary(*op, *left, *right, depth),
            Kind::Phi(incoming) => self.phi(node, incoming, depth),
            Kind::Call { name, arguments, .. } => match name.strip_prefix("llvm.nvvm.read.ptx.sreg.") {
                Some("tid.x" | "laneid") => Some(1),
                Some(register) if !register.starts_with("lanemask") && !register.contains("clock") => Some(0),
                Some(_) => None,
                None if name.starts_with("__gicc_") || name.starts_with("llvm.") => self.uniform(arguments, depth),
                None => None,
            },
            Kind::Select { yes, no, .. } if self.is_null(*yes) => self.derivative(*no, depth),
            Kind::Select { yes, no, .. } if self.is_null(*no) => self.derivative(*yes, depth),
            Kind::Select { condition, yes, no } => {
                self.uniform(&[*condition], depth)?;
                let (yes, no) = (self.derivative(*yes, depth)?, self.derivative(*no, depth)?);
                (yes == no).then_some(yes)
            }
            Kind::Compare { left, right, .. } => self.uniform(&[*left, *right], depth),
            Kind::Extract { from, .. } => self.uniform(&[*from], depth),
            Kind::Other(operands) => self.uniform(operands, depth),
            _ => None,
        }
    }

    /// 0 where all of these are the same for all threads.
    fn uniform(&mut self, nodes: &[NodeId], depth: u32) -> Option<i64> {
        for node in nodes {
            if self.derivative(*node, depth)? != 0 {
                return None;
            }
        }
        Some(0)
    }

    fn binary(&mut self, op: LLVMOpcode, left: NodeId, right: NodeId, depth: u32) -> Option<i64> {
        let (a, b) = (self.derivative(left, depth)?, self.derivative(right, depth)?);
        let constant = |node| self.body.integer(node);
        match op {
            LLVMOpcode::LLVMAdd => a.checked_add(b),
            LLVMOpcode::LLVMSub => a.checked_sub(b),
            _ if a == 0 && b == 0 => Some(0),
            LLVMOpcode::LLVMMul if b == 0 => a.checked_mul(constant(right)?),
            LLVMOpcode::LLVMMul if a == 0 => b.checked_mul(constant(left)?),
            LLVMOpcode::LLVMShl if b == 0 => a.checked_mul(1_i64.checked_shl(u32::try_from(constant(right)?).ok()?)?),
            _ => None,
        }
    }

    /// A value that a loop changes begins so far apart, and stays so where each round adds the same.
    fn phi(&mut self, node: NodeId, incoming: &[(NodeId, u32)], depth: u32) -> Option<i64> {
        let block = self.block_of(node)?;
        let around = self.control.loops_around(block);
        let own = around.iter().filter_map(|id| self.control.get_loop(*id)).find(|l| l.header == block);
        let begins: Vec<NodeId> = incoming
            .iter()
            .filter(|(value, from)| !self.is_null(*value) && own.is_none_or(|l| !l.contains(BlockId(*from))))
            .map(|(value, _)| *value)
            .collect();
        let mut all = begins.iter().map(|value| self.derivative(*value, depth));
        let first = all.next()??;
        if !all.all(|other| other == Some(first)) {
            return None;
        }
        // Different values that meet: which one a thread has may depend on the thread.
        if begins.len() > 1 && own.is_none() {
            return None;
        }
        self.known[node.index()] = Some(Some(first));
        let rest = incoming.iter().filter(|(value, _)| !begins.contains(value) && !self.is_null(*value));
        let rest: Vec<NodeId> = rest.map(|(value, _)| *value).collect();
        let same = rest.into_iter().all(|value| self.derivative(value, depth) == Some(first));
        same.then_some(first)
    }

    /// Nothing is accessed there, so it does not matter which threads have it.
    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.body.kind(node), Kind::Null | Kind::Constant)
    }

    fn block_of(&self, node: NodeId) -> Option<BlockId> {
        self.body.node(node).at.map(|(block, _)| BlockId(block))
    }

    /// Whether the address moves with the innermost loop, from a buffer that the loop does not choose.
    fn walks(&self, address: NodeId, block: BlockId) -> bool {
        let Some(own) = self.control.loop_of(block).and_then(|id| self.control.get_loop(id)) else { return false };
        let inside = |node: NodeId| self.block_of(node).is_some_and(|b| own.contains(b));
        let mut moves = false;
        let mut work = vec![address];
        let mut seen = std::collections::HashSet::new();
        while let Some(node) = work.pop() {
            if seen.len() > MOST {
                return false;
            }
            // The loop goes from one PE's memory to the next one's.
            if matches!(self.body.kind(node), Kind::Call { name, .. } if &**name == "__gicc_heap_stride") {
                return false;
            }
            if !seen.insert(node) || !inside(node) {
                continue;
            }
            match self.body.kind(node) {
                Kind::Phi(incoming) => {
                    moves |= self.block_of(node) == Some(own.header);
                    work.extend(incoming.iter().map(|(value, _)| *value));
                }
                // The loop picks the buffer, or the place, from memory.
                Kind::Load { .. } | Kind::Assembly { .. } | Kind::Rmw { .. } | Kind::CompareExchange { .. } => {
                    return false;
                }
                _ => self.body.operands(node, &mut |operand| work.push(operand)),
            }
        }
        moves
    }

    /// The loops around a block that may move an address to another slot each time.
    pub(crate) fn moved_by(&self, address: NodeId, block: BlockId) -> Vec<LoopId> {
        let around = self.control.loops_around(block);
        around.into_iter().filter(|id| self.control.get_loop(*id).is_none_or(|l| self.moves(address, l))).collect()
    }

    /// Whether an address may change from one round of a loop to the next. A loop inside it walks along the same places in each
    /// round, if it begins at the same one; a pointer that is read from a table of the caller's is what it was before, if the
    /// kernel does not write it anew, or writes what is the same in each round; one that is kept in a variable of the module, or
    /// that others may write, may not be, an index is not.
    fn moves(&self, address: NodeId, around: &Loop) -> bool {
        let inside = |node: NodeId| self.block_of(node).is_some_and(|b| around.contains(b));
        // A value, whether it is a pointer, and whether it is what the kernel writes where a pointer was read.
        let mut work = vec![(address, true, false)];
        let mut seen = std::collections::HashSet::new();
        while let Some((node, is_pointer, written)) = work.pop() {
            if !inside(node) || !seen.insert((node, is_pointer, written)) {
                continue;
            }
            if seen.len() > MOST {
                return true;
            }
            match self.body.kind(node) {
                Kind::Phi(incoming) => {
                    let block = self.block_of(node);
                    let loops = &self.control.loops;
                    let begins_inner = loops.iter().any(|l| Some(l.header) == block && l.header != around.header);
                    // Which way was taken to where values meet may change with the round.
                    if block == Some(around.header) || !begins_inner {
                        return true;
                    }
                    work.extend(incoming.iter().map(|(value, _)| (*value, is_pointer, written)));
                }
                Kind::Element { base, variable, .. } => {
                    work.push((*base, is_pointer, written));
                    work.extend(variable.iter().map(|(value, _)| (*value, false, written)));
                }
                Kind::Cast(from) => work.push((*from, is_pointer, written)),
                Kind::Load { pointer, order, .. } if is_pointer => {
                    if order.volatile || order.atomic.is_some() {
                        return true;
                    }
                    let Some(read) = self.read(*pointer, around, written) else { return true };
                    work.extend(read);
                }
                Kind::Call { name, arguments, .. } if name.starts_with("llvm.") => {
                    work.extend(arguments.iter().map(|value| (*value, false, written)));
                }
                Kind::Binary { .. } | Kind::Compare { .. } | Kind::Select { .. } => {
                    self.body.operands(node, &mut |operand| work.push((operand, false, written)));
                }
                _ => return true,
            }
        }
        false
    }

    /// What a pointer that a loop reads comes from: the addresses that it is read at, and what the loop writes there. Nothing
    /// where it is another one each time, as far as can be told. `written`: the read is of what the loop writes where a pointer
    /// is read.
    fn read(&self, mut pointer: NodeId, around: &Loop, written: bool) -> Option<Vec<(NodeId, bool, bool)>> {
        let mut found = Vec::new();
        for _ in 0..MOST_COPIES {
            if self.is_in_variable(pointer) {
                return None;
            }
            found.push((pointer, true, written));
            match self.rewritten.change(pointer, around) {
                Change::None => return Some(found),
                // What is written comes from what is written: pointers that change places, or that go on.
                Change::To(_) if written => return None,
                Change::To(value) => {
                    found.push((value, true, true));
                    return Some(found);
                }
                Change::Copied(from) => pointer = from,
                Change::Unknown => return None,
            }
        }
        None
    }

    /// Whether an address lies in a variable of the module: shared memory, for example.
    fn is_in_variable(&self, address: NodeId) -> bool {
        let mut at = address;
        for _ in 0..MOST {
            at = match self.body.kind(at) {
                Kind::Element { base, .. } => *base,
                Kind::Cast(from) => *from,
                kind => return matches!(kind, Kind::Global(_)),
            };
        }
        true
    }
}
