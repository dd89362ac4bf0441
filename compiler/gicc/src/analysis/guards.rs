//! Which threads execute a block: the conditions on the way to it, and what each of them looks at.
//!
//! A condition holds at a block where one successor of a branch, entered from that branch alone, dominates the block. What a
//! condition looks at is followed through arithmetic: a thread's number, its lane, its warp, arguments, data.

use inkwell::llvm_sys::LLVMOpcode;

use super::body::{Body, Kind, NodeId};
use super::communication::{BlockId, Condition, Control, Guard, Position, Space, Who};
use super::numbering::Numbers;
use super::provenance::{Path, Provenance};

/// What a number depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Looks {
    /// The same for all threads of the block.
    Uniform,
    /// The thread's number, perhaps with something uniform added: different for each thread.
    Thread,
    /// One coordinate of several.
    Coordinate,
    /// The number in the warp.
    Lane,
    /// The warp's number.
    Warp,
    /// Otherwise computed from the thread's number.
    Varying,
    /// Read from memory.
    Data,
}

/// As many conditions are kept of a block.
const MOST: usize = 64;

/// The guards of all blocks.
pub(crate) struct Guards<'a> {
    body: &'a Body,
    provenance: &'a Provenance,
    looks: Vec<Option<Looks>>,
}

/// The guard of each block.
pub(crate) fn of(body: &Body, control: &Control, provenance: &Provenance, numbers: &Numbers) -> Vec<Guard> {
    let mut guards = Guards { body, provenance, looks: vec![None; body.nodes.len()] };
    let nothing = Guard { who: Who::Everyone, conditions: Vec::new() };
    let mut found = vec![nothing; body.blocks.len()];
    for block in control.blocks() {
        let Some(above) = control.immediate_dominator(block) else { continue };
        // The dominator comes first in the order, so its guard is known.
        let mut conditions = found[above.0 as usize].conditions.clone();
        if let Some(condition) = guards.edge(control, above, block)
            && conditions.len() < MOST
        {
            conditions.extend(guards.split(condition.0, condition.1, numbers, condition.2, 0));
            conditions.truncate(MOST);
        }
        let who = together(&conditions);
        found[block.0 as usize] = Guard { who, conditions };
    }
    found
}

impl Guards<'_> {
    /// The condition of the branch at the end of `above` that leads to `block`, whether it has to be true, and whether it
    /// leaves a loop.
    fn edge(&self, control: &Control, above: BlockId, block: BlockId) -> Option<(NodeId, bool, bool)> {
        let end = self.body.blocks.get(above.0 as usize)?;
        let condition = end.condition?;
        let [yes, no] = end.successors[..] else { return None };
        if yes == no {
            return None;
        }
        let holds = match block.0 {
            b if b == yes => true,
            b if b == no => false,
            _ => return None,
        };
        // Every other way in comes from the block itself: a loop that begins there.
        let at = |block| Position { block, index: 0, part: 0 };
        if control.predecessors(block).any(|p| p != above && !control.dominates(at(block), at(p))) {
            return None;
        }
        let leaves = control.loops_around(above).len() > control.loops_around(block).len();
        Some((condition, holds, leaves))
    }

    /// A condition, taken apart where it is made of several.
    fn split(&mut self, node: NodeId, holds: bool, numbers: &Numbers, of_loop: bool, depth: u32) -> Vec<Condition> {
        if depth < 16 {
            match self.body.kind(node) {
                Kind::Binary { op: LLVMOpcode::LLVMXor, left, right } if self.body.integer(*right).is_some() => {
                    return self.split(*left, !holds, numbers, of_loop, depth + 1);
                }
                Kind::Binary { op: LLVMOpcode::LLVMAnd, left, right } if holds => {
                    let (left, right) = (*left, *right);
                    let mut all = self.split(left, holds, numbers, of_loop, depth + 1);
                    all.extend(self.split(right, holds, numbers, of_loop, depth + 1));
                    return all;
                }
                Kind::Binary { op: LLVMOpcode::LLVMOr, left, right } if !holds => {
                    let (left, right) = (*left, *right);
                    let mut all = self.split(left, holds, numbers, of_loop, depth + 1);
                    all.extend(self.split(right, holds, numbers, of_loop, depth + 1));
                    return all;
                }
                // `a && b` and `a || b` may also be written with a constant.
                Kind::Select { condition, yes, no } => {
                    let (condition, yes, no) = (*condition, *yes, *no);
                    let apart = match (holds, self.body.integer(yes), self.body.integer(no)) {
                        (true, _, Some(0)) => Some((true, yes)),
                        (false, Some(1 | -1), _) => Some((false, no)),
                        _ => None,
                    };
                    if let Some((of_condition, rest)) = apart {
                        let mut all = self.split(condition, of_condition, numbers, of_loop, depth + 1);
                        all.extend(self.split(rest, holds, numbers, of_loop, depth + 1));
                        return all;
                    }
                }
                _ => {}
            }
        }
        let who = self.who(node, holds);
        vec![Condition { value: numbers.of(node), holds, who, of_loop }]
    }

    /// Which threads a condition lets through.
    fn who(&mut self, node: NodeId, holds: bool) -> Who {
        if let Kind::Compare { predicate, left, right } = self.body.kind(node) {
            let (predicate, left, right) = (*predicate, *left, *right);
            let (a, b) = (self.looks(left, 0), self.looks(right, 0));
            let looks = if a == Looks::Uniform { b } else { a };
            let one_sided = a == Looks::Uniform || b == Looks::Uniform;
            let first = predicate == "ult" && self.body.integer(right) == Some(1);
            let equal = if holds { predicate == "eq" || first } else { predicate == "ne" };
            return match looks {
                Looks::Uniform => Who::Everyone,
                Looks::Data => Who::Unknown,
                Looks::Thread if equal && one_sided => Who::OneOfBlock,
                Looks::Lane if equal && one_sided => Who::OneOfWarp,
                Looks::Warp => Who::Warps,
                _ => Who::Some,
            };
        }
        // `elect.sync` picks a lane.
        if let Kind::Extract { from, .. } = self.body.kind(node)
            && self.elects(*from)
        {
            return if holds { Who::OneOfWarp } else { Who::Some };
        }
        if self.elects(node) {
            return if holds { Who::OneOfWarp } else { Who::Some };
        }
        match self.looks(node, 0) {
            Looks::Uniform => Who::Everyone,
            Looks::Warp => Who::Warps,
            Looks::Data => Who::Unknown,
            _ => Who::Some,
        }
    }

    fn elects(&self, node: NodeId) -> bool {
        match self.body.kind(node) {
            Kind::Call { name, .. } => &**name == "llvm.nvvm.elect.sync",
            Kind::Assembly { code, .. } => {
                code.code.as_ref().is_ok_and(|c| c.instructions().iter().any(|i| matches!(i.op, ptx::Op::ElectSync)))
            }
            Kind::Cast(from) => self.elects(*from),
            Kind::Compare { left, .. } => self.elects(*left),
            _ => false,
        }
    }

    fn looks(&mut self, node: NodeId, depth: u32) -> Looks {
        if let Some(found) = self.looks[node.index()] {
            return found;
        }
        if depth > 64 {
            return Looks::Varying;
        }
        // A phi that depends on itself adds nothing.
        self.looks[node.index()] = Some(Looks::Uniform);
        let found = self.look(node, depth);
        self.looks[node.index()] = Some(found);
        found
    }

    fn look(&mut self, node: NodeId, depth: u32) -> Looks {
        let body = self.body;
        match body.kind(node) {
            Kind::Call { name, arguments, .. } => match name.strip_prefix("llvm.nvvm.") {
                Some("read.ptx.sreg.tid.x") => Looks::Thread,
                Some("read.ptx.sreg.tid.y" | "read.ptx.sreg.tid.z") => Looks::Coordinate,
                Some("read.ptx.sreg.laneid") => Looks::Lane,
                Some("read.ptx.sreg.warpid") => Looks::Warp,
                Some(rest) if rest.starts_with("read.ptx.sreg.lanemask") => Looks::Varying,
                Some(rest) if rest.starts_with("read.ptx.sreg.") => Looks::Uniform,
                Some(rest) if rest.starts_with("shfl") => {
                    let of: Vec<Looks> = arguments.iter().map(|a| self.looks(*a, depth + 1)).collect();
                    if of.contains(&Looks::Warp) { Looks::Warp } else { Looks::Data }
                }
                _ if name.starts_with("__gicc_") => Looks::Uniform,
                _ => self.join(arguments, depth),
            },
            Kind::Assembly { code, inputs } => {
                let code = code.clone();
                let Ok(parsed) = &code.code else { return Looks::Data };
                let mut found = None;
                for instruction in parsed.instructions() {
                    for operand in &instruction.operands {
                        operand.walk(&mut |o| {
                            if let ptx::Operand::Special(special) = o {
                                let text = special.to_string();
                                found = match text.as_str() {
                                    "%laneid" => Some(Looks::Lane),
                                    "%tid.x" => Some(Looks::Thread),
                                    t if t.starts_with("%tid") => Some(Looks::Coordinate),
                                    "%warpid" => Some(Looks::Warp),
                                    t if t.starts_with("%lanemask") => Some(Looks::Varying),
                                    _ => found,
                                };
                            }
                        });
                    }
                    if matches!(instruction.op, ptx::Op::Ld(_) | ptx::Op::Atomic(_) | ptx::Op::Shfl(_)) {
                        found = Some(Looks::Data);
                    }
                }
                found.unwrap_or_else(|| self.join(inputs, depth))
            }
            Kind::Load { pointer, .. } => {
                let value = self.provenance.of(*pointer);
                let argument = !value.places.is_empty()
                    && value.places.iter().all(|(p, _)| match self.provenance.paths.get(*p) {
                        Path::ByValue(_) => true,
                        Path::Global(g) => body.globals.get(*g as usize).is_some_and(|g| g.space == Space::Constant),
                        _ => false,
                    });
                if argument { self.looks(*pointer, depth + 1) } else { Looks::Data }
            }
            Kind::Rmw { .. } | Kind::CompareExchange { .. } | Kind::Indirect { .. } => Looks::Data,
            Kind::Binary { op, left, right } => self.binary(*op, *left, *right, depth),
            Kind::Cast(from) | Kind::Extract { from, .. } => self.looks(*from, depth + 1),
            _ => {
                let mut operands = Vec::new();
                body.operands(node, &mut |o| operands.push(o));
                self.join(&operands, depth)
            }
        }
    }

    fn join(&mut self, nodes: &[NodeId], depth: u32) -> Looks {
        let all: Vec<Looks> = nodes.iter().map(|n| self.looks(*n, depth + 1)).collect();
        let varying = all.iter().any(|l| !matches!(l, Looks::Uniform | Looks::Data));
        match (all.contains(&Looks::Data), varying) {
            (true, _) => Looks::Data,
            (false, true) if all.iter().all(|l| matches!(l, Looks::Uniform | Looks::Warp)) => Looks::Warp,
            (false, true) => Looks::Varying,
            (false, false) => Looks::Uniform,
        }
    }

    fn binary(&mut self, op: LLVMOpcode, left: NodeId, right: NodeId, depth: u32) -> Looks {
        let (a, b) = (self.looks(left, depth + 1), self.looks(right, depth + 1));
        let constant = self.body.integer(right);
        match (op, a, b) {
            (LLVMOpcode::LLVMAnd, Looks::Thread, _) if constant == Some(31) => Looks::Lane,
            (LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem, Looks::Thread, _) if constant == Some(32) => Looks::Lane,
            (LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr, Looks::Thread, _) if constant == Some(5) => Looks::Warp,
            (LLVMOpcode::LLVMUDiv | LLVMOpcode::LLVMSDiv, Looks::Thread, _) if constant == Some(32) => Looks::Warp,
            (LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub, Looks::Uniform, x @ (Looks::Thread | Looks::Lane))
            | (LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub, x @ (Looks::Thread | Looks::Lane), Looks::Uniform) => x,
            // A number made of coordinates is the thread's own.
            (LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl, Looks::Coordinate, Looks::Uniform)
            | (LLVMOpcode::LLVMMul, Looks::Uniform, Looks::Coordinate) => Looks::Coordinate,
            (
                LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr,
                Looks::Thread | Looks::Coordinate,
                Looks::Thread | Looks::Coordinate,
            ) if a != b || a == Looks::Coordinate => {
                if a == Looks::Thread || b == Looks::Thread {
                    Looks::Thread
                } else {
                    Looks::Coordinate
                }
            }
            _ => self.join(&[left, right], depth),
        }
    }
}

/// All conditions together. One that leaves a loop lets everybody through at last.
fn together(conditions: &[Condition]) -> Who {
    let has = |who: Who| conditions.iter().any(|c| !c.of_loop && c.who == who);
    if has(Who::OneOfBlock) || (has(Who::OneOfWarp) && has(Who::Warps)) {
        return Who::OneOfBlock;
    }
    [Who::OneOfWarp, Who::Warps, Who::Some, Who::Unknown].into_iter().find(|w| has(*w)).unwrap_or(Who::Everyone)
}
