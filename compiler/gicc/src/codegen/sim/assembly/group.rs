//! Inline PTX of threads together: barriers, warps; and special registers, time, addresses, ends.

use gicc_abi::sim::{BarrierKind, Entry, Fault, Meta, WarpOp};
use inkwell::llvm_sys::LLVMOpcode;
use ptx::op::{Barrier, BarrierAction, BarrierReduction, ReduxOp, ShflMode, VoteMode};
use ptx::operand::Component;
use ptx::special::{ScalarSpecial, SpecialRegister, VectorSpecial};
use ptx::{Op, Operand, ScalarType, StateSpace};

use super::super::ir::Value;
use super::Refusal;
use super::body::Body;
use super::memory::space;

impl Body<'_> {
    /// Translates such an instruction; false where it is none.
    pub(super) fn group(&mut self, op: &Op, operands: &[Operand]) -> Result<bool, Refusal> {
        match op {
            Op::Barrier(barrier) => self.barrier(barrier, operands)?,
            Op::BarrierCluster(barrier) => {
                let kind = if barrier.arrive { BarrierKind::ClusterArrive } else { BarrierKind::ClusterWait };
                let zero = self.int(64, 0);
                self.entry(Entry::Barrier, &[self.int(64, kind.code()), zero, zero, zero], Meta(0));
            }
            Op::BarWarpSync => {
                let mask = self.word(&operands[0])?;
                self.warp(WarpOp::Sync, mask, [None; 3]);
            }
            Op::Vote(vote) if vote.sync => {
                let predicate = self.read(&operands[1], ScalarType::Pred)?;
                let predicate = self.resize(predicate, 64, false);
                let mask = self.word(&operands[2])?;
                let (op, bits, ty) = match vote.mode {
                    VoteMode::All => (WarpOp::VoteAll, 1, ScalarType::Pred),
                    VoteMode::Any => (WarpOp::VoteAny, 1, ScalarType::Pred),
                    VoteMode::Uni => (WarpOp::VoteUniform, 1, ScalarType::Pred),
                    VoteMode::Ballot => (WarpOp::Ballot, 32, ScalarType::B32),
                };
                let value = self.warp(op, mask, [Some(predicate), None, None]);
                let value = self.resize(value, bits, false);
                self.write(&operands[0], value, ty)?;
            }
            Op::Match(m) => {
                let value = self.read(&operands[1], m.ty)?;
                let value = self.resize(value, 64, false);
                let mask = self.word(&operands[2])?;
                let op = if m.all { WarpOp::MatchAll } else { WarpOp::MatchAny };
                let result = self.warp(op, mask, [Some(value), None, None]);
                self.write_both(&operands[0], result)?;
            }
            Op::Shfl(shfl) if shfl.sync => {
                let operand = |body: &mut Self, at: usize| body.word(&operands[at]);
                let (a, b, c) = (operand(self, 1)?, operand(self, 2)?, operand(self, 3)?);
                let mask = operand(self, 4)?;
                let op = match shfl.mode {
                    ShflMode::Up => WarpOp::ShuffleUp,
                    ShflMode::Down => WarpOp::ShuffleDown,
                    ShflMode::Bfly => WarpOp::ShuffleXor,
                    ShflMode::Idx => WarpOp::ShuffleIndex,
                };
                let result = self.warp(op, mask, [Some(a), Some(b), Some(c)]);
                self.write_both(&operands[0], result)?;
            }
            Op::Redux(redux) => {
                let value = self.word(&operands[1])?;
                let mask = self.word(&operands[2])?;
                if redux.abs {
                    return Err(".abs is not supported".to_owned());
                }
                let float = redux.ty == ScalarType::F32;
                let op = match (redux.op, redux.ty.is_signed()) {
                    (ReduxOp::Min, _) if float => WarpOp::ReduceMinFloat,
                    (ReduxOp::Max, _) if float => WarpOp::ReduceMaxFloat,
                    (ReduxOp::Add, _) => WarpOp::ReduceAdd,
                    (ReduxOp::Min, true) => WarpOp::ReduceMinSigned,
                    (ReduxOp::Max, true) => WarpOp::ReduceMaxSigned,
                    (ReduxOp::Min, false) => WarpOp::ReduceMinUnsigned,
                    (ReduxOp::Max, false) => WarpOp::ReduceMaxUnsigned,
                    (ReduxOp::And, _) => WarpOp::ReduceAnd,
                    (ReduxOp::Or, _) => WarpOp::ReduceOr,
                    (ReduxOp::Xor, _) => WarpOp::ReduceXor,
                };
                let nan = self.int(64, redux.nan.into());
                let result = self.warp(op, mask, [Some(value), Some(nan), None]);
                let result = self.resize(result, 32, false);
                self.write(&operands[0], result, redux.ty)?;
            }
            Op::ElectSync => {
                let mask = self.word(&operands[1])?;
                let result = self.warp(WarpOp::Elect, mask, [None; 3]);
                self.write_both(&operands[0], result)?;
            }
            Op::ActiveMask => {
                let zero = self.int(64, 0);
                let result = self.warp(WarpOp::ActiveMask, zero, [None; 3]);
                let result = self.resize(result, 32, false);
                self.write(&operands[0], result, ScalarType::B32)?;
            }
            Op::Nanosleep => {
                let time = self.word(&operands[0])?;
                self.entry(Entry::Sleep, &[time], Meta(0));
            }
            Op::Cvta(cvta) => {
                let value = self.read(&operands[1], cvta.ty)?;
                let shared =
                    matches!(cvta.space, StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster);
                let value = if shared && !cvta.to {
                    let wide = self.resize(value, 64, false);
                    let generic = self.call("sim.lib.shared_address", self.ir.int(64), &[wide]);
                    self.resize(generic, cvta.ty.bits(), false)
                } else {
                    value
                };
                self.write(&operands[0], value, cvta.ty)?;
            }
            // A cluster is one block, whose rank is 0.
            Op::Mapa(mapa) => {
                let value = self.read(&operands[1], mapa.ty)?;
                self.write(&operands[0], value, mapa.ty)?;
            }
            Op::GetCtaRank(_) => {
                let zero = self.int(32, 0);
                self.write(&operands[0], zero, ScalarType::U32)?;
            }
            Op::IsSpaceP(of) => {
                let value = self.read(&operands[1], ScalarType::B64)?;
                let space = space(*of).ok_or_else(|| format!("the state space .{of} is not supported here"))?;
                let pointer = self.ir.cast(LLVMOpcode::LLVMIntToPtr, value, self.ir.pointer(0));
                let inside = self.entry(Entry::IsSpace, &[pointer, self.int(64, space.code())], Meta(0));
                let inside = self.resize(inside, 1, false);
                self.write(&operands[0], inside, ScalarType::Pred)?;
            }
            Op::Exit => {
                self.entry(Entry::Exit, &[], Meta(0));
            }
            Op::Trap => self.fault(Fault::Trap),
            Op::Brkpt => self.fault(Fault::Breakpoint),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&mut self, fault: Fault) {
        self.entry(Entry::Fault, &[self.int(64, fault.code()), self.int(64, 0)], Meta(0));
    }

    /// A 32-bit operand as a 64-bit argument.
    fn word(&mut self, operand: &Operand) -> Result<Value, Refusal> {
        let value = self.read(operand, ScalarType::B32)?;
        Ok(self.resize(value, 64, false))
    }

    fn warp(&mut self, op: WarpOp, mask: Value, operands: [Option<Value>; 3]) -> Value {
        let [a, b, c] = operands.map(|o| o.unwrap_or_else(|| self.int(64, 0)));
        self.entry(Entry::Warp, &[self.int(64, op.code()), mask, a, b, c], Meta(0))
    }

    /// Writes a result whose predicate is bit 32 to `d|p` or `d`.
    fn write_both(&mut self, operand: &Operand, result: Value) -> Result<(), Refusal> {
        let value = self.resize(result, 32, false);
        let high = self.ir.binary(LLVMOpcode::LLVMLShr, result, self.int(64, 32));
        let predicate = self.resize(high, 1, false);
        self.write_pair(operand, value, ScalarType::B32, predicate)
    }

    fn barrier(&mut self, barrier: &Barrier, operands: &[Operand]) -> Result<(), Refusal> {
        let zero = self.int(64, 0);
        let mut rest = operands.iter();
        let destination = if barrier.action == BarrierAction::Red { rest.next() } else { None };
        let rest: Vec<_> = rest.collect();
        let id = self.word(rest.first().ok_or("the barrier's number is missing")?)?;
        let (kind, count, predicate) = match (barrier.action, barrier.reduction) {
            (BarrierAction::Sync, _) => (BarrierKind::Sync, rest.get(1), None),
            (BarrierAction::Arrive, _) => (BarrierKind::Arrive, rest.get(1), None),
            (BarrierAction::Red, reduction) => {
                let kind = match reduction {
                    Some(BarrierReduction::And) => BarrierKind::And,
                    Some(BarrierReduction::Or) => BarrierKind::Or,
                    _ => BarrierKind::Count,
                };
                (kind, if rest.len() > 2 { rest.get(1) } else { None }, rest.last())
            }
        };
        let count = count.map_or(Ok(zero), |c| self.word(c))?;
        let predicate = match predicate {
            Some(p) => {
                let value = self.read(p, ScalarType::Pred)?;
                self.resize(value, 64, false)
            }
            None => zero,
        };
        let result = self.entry(Entry::Barrier, &[self.int(64, kind.code()), id, count, predicate], Meta(0));
        match destination {
            Some(d) if kind == BarrierKind::Count => {
                let value = self.resize(result, 32, false);
                self.write(d, value, ScalarType::U32)
            }
            Some(d) => {
                let value = self.resize(result, 1, false);
                self.write(d, value, ScalarType::Pred)
            }
            None => Ok(()),
        }
    }

    /// The value of a special register.
    pub(super) fn special(&mut self, register: SpecialRegister) -> Result<Value, Refusal> {
        let (name, bits, high) = match register {
            SpecialRegister::Vector(vector, component) => {
                let name = match vector {
                    VectorSpecial::Tid => "tid",
                    VectorSpecial::NTid => "ntid",
                    VectorSpecial::CtaId => "ctaid",
                    VectorSpecial::NCtaId => "nctaid",
                    VectorSpecial::ClusterId => "clusterid",
                    VectorSpecial::NClusterId => "nclusterid",
                    VectorSpecial::ClusterCtaId => "cluster.ctaid",
                    VectorSpecial::ClusterNCtaId => "cluster.nctaid",
                };
                if component == Component::W {
                    return Ok(self.int(32, 0));
                }
                (format!("{name}.{}", component.ptx()), 32, false)
            }
            SpecialRegister::Scalar(scalar) => {
                let (name, bits, high) = match scalar {
                    ScalarSpecial::LaneId => ("laneid", 32, false),
                    ScalarSpecial::WarpId => ("warpid", 32, false),
                    ScalarSpecial::NWarpId => ("nwarpid", 32, false),
                    ScalarSpecial::SmId => ("smid", 32, false),
                    ScalarSpecial::NSmId => ("nsmid", 32, false),
                    ScalarSpecial::GridId => ("gridid", 64, false),
                    ScalarSpecial::WarpSize => ("warpsize", 32, false),
                    ScalarSpecial::IsExplicitCluster => return Ok(self.int(1, 0)),
                    ScalarSpecial::ClusterCtaRank => ("cluster.ctarank", 32, false),
                    ScalarSpecial::ClusterNCtaRank => ("cluster.nctarank", 32, false),
                    ScalarSpecial::LaneMaskEq => ("lanemask.eq", 32, false),
                    ScalarSpecial::LaneMaskLe => ("lanemask.le", 32, false),
                    ScalarSpecial::LaneMaskLt => ("lanemask.lt", 32, false),
                    ScalarSpecial::LaneMaskGe => ("lanemask.ge", 32, false),
                    ScalarSpecial::LaneMaskGt => ("lanemask.gt", 32, false),
                    ScalarSpecial::Clock => ("clock", 32, false),
                    ScalarSpecial::ClockHi => ("clock64", 64, true),
                    ScalarSpecial::Clock64 => ("clock64", 64, false),
                    ScalarSpecial::GlobalTimer => ("globaltimer", 64, false),
                    ScalarSpecial::GlobalTimerLo => ("globaltimer.lo", 32, false),
                    ScalarSpecial::GlobalTimerHi => ("globaltimer", 64, true),
                    ScalarSpecial::TotalSmemSize | ScalarSpecial::AggrSmemSize => ("total_smem_size", 32, false),
                    ScalarSpecial::DynamicSmemSize => ("dynamic_smem_size", 32, false),
                    ScalarSpecial::CurrentGraphExec => return Err("%current_graph_exec is not supported".to_owned()),
                };
                (name.to_owned(), bits, high)
            }
        };
        let value = self.call(&format!("nvvm.read.ptx.sreg.{name}"), self.ir.int(bits), &[]);
        if high {
            let value = self.ir.binary(LLVMOpcode::LLVMLShr, value, self.int(64, 32));
            return Ok(self.resize(value, 32, false));
        }
        Ok(value)
    }
}
