//! Inline assembly: every instruction with a meaning in the memory model is an operation; its address is traced back to an
//! input through moves, conversions and additions inside the assembly.

use std::collections::HashMap;

use memory_model::{Proxy, Semantics};
use ptx::op::{AtomicOp, BarrierAction};
use ptx::{AccessKind, Instruction, Meaning, Op, Operand, Role, StateSpace, StatementKind};

use super::{Gap, Raw, Says, fence, weak};
use crate::analysis::body::{AsmOperand, Assembly, NodeId};
use crate::analysis::communication::{Access, AssumptionKind, Barrier, Number, Operation, Shape, Space};

/// The operations of one inline assembly.
pub(super) fn operations(node: NodeId, code: &Assembly, inputs: &[NodeId], raws: &mut Vec<Raw>, gaps: &mut Vec<Gap>) {
    let parsed = match &code.code {
        Ok(parsed) => parsed,
        Err(why) => {
            gaps.push(Gap {
                kind: AssumptionKind::Assembly,
                words: format!("assembly that does not parse is taken to touch no memory: {why}"),
                node,
            });
            return;
        }
    };
    for (_, unknown) in parsed.unknown() {
        gaps.push(Gap {
            kind: AssumptionKind::Assembly,
            words: format!("`{}` is taken to touch no memory: {}", unknown.opcode, unknown.reason),
            node,
        });
    }
    let repeated = repeated(&parsed.statements);
    let mut trace = Trace { code, inputs, registers: HashMap::new() };
    let reorderable = !parsed.constraints.clobbers_memory;
    for (part, instruction) in parsed.instructions().into_iter().enumerate() {
        let (part, before) = (part as u32, raws.len());
        match instruction.op.meaning() {
            Some(meaning) => one(node, part, instruction, meaning, &trace, raws, gaps),
            None => trace.follow(instruction),
        }
        if let Op::Ld(_) | Op::Atomic(_) = instruction.op {
            trace.forget(instruction);
        }
        for raw in &mut raws[before..] {
            raw.access.reorderable = reorderable;
            raw.access.predicated = instruction.guard.is_some();
            raw.repeated = repeated.is_some_and(|(from, to)| (from..=to).contains(&part));
        }
    }
}

/// The inputs that are addresses, with the constant bytes added to them.
pub(crate) fn addresses(code: &Assembly, inputs: &[NodeId]) -> Vec<NodeId> {
    let (mut raws, mut gaps) = (Vec::new(), Vec::new());
    operations(NodeId(0), code, inputs, &mut raws, &mut gaps);
    raws.into_iter().filter_map(|r| r.address).map(|(n, _)| n).collect()
}

/// The instructions that a backward branch repeats: from the label to the branch.
fn repeated(statements: &[ptx::Statement]) -> Option<(u32, u32)> {
    let (mut count, mut labels, mut found) = (0_u32, HashMap::new(), None);
    ptx::ast::walk(statements, &mut |statement| match &statement.kind {
        StatementKind::Label(name) => {
            labels.insert(name.clone(), count);
        }
        StatementKind::Instruction(instruction) => {
            if let (Op::Bra { .. }, Some(Operand::Symbol { name, .. })) =
                (&instruction.op, instruction.operands.first())
                && let Some(from) = labels.get(name)
            {
                found = Some((*from, count));
            }
            count += 1;
        }
        _ => {}
    });
    found
}

/// Which input each register of the assembly comes from.
struct Trace<'a> {
    code: &'a Assembly,
    inputs: &'a [NodeId],
    registers: HashMap<String, (NodeId, i64)>,
}

impl Trace<'_> {
    fn operand(&self, operand: &Operand) -> Option<(NodeId, i64)> {
        match operand {
            Operand::Placeholder(p) => match self.code.operands.get(p.index as usize)? {
                AsmOperand::Input(n) => Some((*self.inputs.get(*n as usize)?, 0)),
                AsmOperand::Output(_) => None,
            },
            Operand::Register(name) | Operand::Symbol { name, .. } => self.registers.get(name).copied(),
            _ => None,
        }
    }

    fn address(&self, operand: &Operand) -> Option<(NodeId, i64)> {
        let Operand::Address(address) = operand else { return None };
        let (base, bytes) = self.operand(&address.base)?;
        let more = if let ptx::Offset::Bytes(n) = address.offset { n } else { 0 };
        Some((base, bytes.wrapping_add(more)))
    }

    /// Follows an instruction without a meaning in the memory model.
    fn follow(&mut self, instruction: &Instruction) {
        let Some(Operand::Register(name) | Operand::Symbol { name, .. }) = instruction.operands.first() else { return };
        let found = instruction.operands.iter().skip(1).find_map(|o| self.operand(o));
        match found {
            Some((base, bytes)) => {
                let more = instruction.operands.iter().skip(1).find_map(|o| match o {
                    Operand::Immediate(n) => n.as_integer().and_then(|n| i64::try_from(n).ok()),
                    _ => None,
                });
                let adds = matches!(&instruction.op, Op::Alu(_)) && instruction.opcode.starts_with("add");
                let more = if adds { more.unwrap_or(0) } else { 0 };
                self.registers.insert(name.clone(), (base, bytes.wrapping_add(more)));
            }
            None => {
                self.registers.remove(name);
            }
        }
    }

    /// What was loaded comes from no input.
    fn forget(&mut self, instruction: &Instruction) {
        if let Some(Operand::Register(name) | Operand::Symbol { name, .. }) = instruction.operands.first() {
            self.registers.remove(name);
        }
    }

    /// The first operand that is read and is no address.
    fn source(&self, instruction: &Instruction, skip: usize) -> Option<NodeId> {
        let uses = instruction.uses();
        let operand = uses.into_iter().filter(|(slot, _)| slot.role == Role::Source).nth(skip)?.1;
        let first = match operand {
            Operand::Vector(parts) => parts.first()?,
            operand => operand,
        };
        self.operand(first).map(|(n, _)| n)
    }
}

fn one(
    node: NodeId,
    part: u32,
    instruction: &Instruction,
    meaning: Meaning,
    trace: &Trace<'_>,
    raws: &mut Vec<Raw>,
    gaps: &mut Vec<Gap>,
) {
    let shape = Shape::Assembly(instruction.opcode.clone());
    let new = |access: Access| Raw::new(node, part, access);
    let address = || instruction.operands.iter().find_map(|o| trace.address(o));
    match meaning {
        Meaning::Access(access) => {
            let (operation, says) = match access.kind {
                AccessKind::Load => (Operation::Load, Says::Nothing),
                AccessKind::Store => (Operation::Store, Says::Nothing),
                AccessKind::ReadModifyWrite { op, returns } => {
                    (Operation::ReadModifyWrite { op: Some(op), returns }, Says::Nothing)
                }
                AccessKind::MultimemLoad { .. } => (Operation::MultimemLoad, Says::Multimem),
                AccessKind::MultimemStore => (Operation::MultimemStore, Says::Multimem),
                AccessKind::MultimemReduce { .. } => (Operation::MultimemReduce, Says::Multimem),
            };
            let reads = matches!(
                operation,
                Operation::Load | Operation::MultimemLoad | Operation::ReadModifyWrite { returns: true, .. }
            );
            let swaps = matches!(operation, Operation::ReadModifyWrite { op: Some(AtomicOp::Cas), .. });
            raws.push(Raw {
                address: address(),
                value: trace.source(instruction, usize::from(swaps)),
                expected: if swaps { trace.source(instruction, 0) } else { None },
                result: reads.then_some(node),
                says,
                ..new(Access {
                    operation,
                    width: access.width,
                    count: access.count,
                    bytes: None,
                    semantics: access.semantics,
                    scope: access.scope,
                    proxy: access.proxy,
                    volatile: access.volatile,
                    space: space(access.space),
                    shape,
                    reorderable: false,
                    predicated: false,
                })
            });
        }
        Meaning::Fence { semantics, scope, .. } => raws.push(new(fence(semantics, scope, shape))),
        Meaning::ProxyFence { kind, semantics, scope } => raws.push(new(Access {
            semantics: semantics.unwrap_or(Semantics::Weak),
            scope,
            ..weak(Operation::ProxyFence(kind), 0, shape)
        })),
        Meaning::MbarrierInitFence => {}
        Meaning::Barrier { action } => {
            let numbers: Vec<&Operand> = instruction
                .uses()
                .into_iter()
                .filter(|(slot, _)| slot.role == Role::Source && slot.ty != ptx::ScalarType::Pred)
                .map(|(_, o)| o)
                .collect();
            let known = |o: Option<&&Operand>| match o {
                Some(Operand::Immediate(n)) => {
                    n.as_integer().and_then(|n| i64::try_from(n).ok()).map_or(Number::Unknown, Number::Known)
                }
                _ => Number::Unknown,
            };
            let id = known(numbers.first());
            let threads = numbers.get(1).map(|o| known(Some(o)));
            let arrives_only = action == BarrierAction::Arrive;
            let barrier = match (id, threads, arrives_only) {
                (Number::Known(0), None, false) => Barrier::Block,
                _ => Barrier::Named { id, threads, arrives_only },
            };
            let value = |o: Option<&&Operand>| o.and_then(|o| trace.operand(o)).map(|(n, _)| n);
            raws.push(Raw {
                numbers: (value(numbers.first()), value(numbers.get(1))),
                ..new(weak(Operation::Barrier(barrier), 0, shape))
            });
        }
        Meaning::ClusterBarrier { arrive, semantics } => raws.push(new(Access {
            semantics,
            scope: Some(memory_model::Scope::Cluster),
            ..weak(Operation::Barrier(Barrier::Cluster { arrives: arrive, waits: !arrive }), 0, shape)
        })),
        Meaning::WarpBarrier => raws.push(new(weak(Operation::Barrier(Barrier::Warp), 0, shape))),
        Meaning::AsyncCopy(copy) => {
            let described = matches!(instruction.op, Op::CpAsyncBulkTensor(_));
            if copy.prefetch {
                return;
            }
            if described {
                gaps.push(Gap {
                    kind: AssumptionKind::Descriptor,
                    words: format!("the addresses of `{}` are in a descriptor", instruction.opcode),
                    node,
                });
            }
            let to_global = matches!(copy.destination, StateSpace::Global | StateSpace::Generic);
            let mut operands = instruction.operands.iter().filter_map(|o| trace.address(o));
            let (to, from) = (operands.next(), operands.next());
            raws.push(Raw {
                address: if to_global { to } else { from.or(to) },
                ..new(Access {
                    proxy: copy.proxy,
                    space: space(if to_global { copy.destination } else { copy.source.unwrap_or(copy.destination) }),
                    ..weak(Operation::AsyncCopy { to_global, described }, 0, shape)
                })
            });
        }
        Meaning::CopyGroup(group) => raws.push(new(weak(Operation::CopyGroup(group), 0, shape))),
        Meaning::Mbarrier { action, semantics, scope, space: of } => raws.push(Raw {
            address: address(),
            ..new(Access {
                semantics,
                scope: Some(scope),
                space: space(of),
                ..weak(Operation::Mbarrier(action), 8, shape)
            })
        }),
        Meaning::CopyArrival { .. } | Meaning::GridDependency { .. } => {}
    }
    if let Some(raw) = raws.last_mut()
        && raw.node == node
        && raw.access.proxy == Proxy::Constant
    {
        raw.access.space = Space::Constant;
    }
}

fn space(space: StateSpace) -> Space {
    match space {
        StateSpace::Global => Space::Global,
        StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => Space::Shared,
        StateSpace::Const => Space::Constant,
        StateSpace::Local => Space::Local,
        s if s.is_param() => Space::Parameter,
        _ => Space::Generic,
    }
}
