//! An instruction: guard, opcode, operands; and the table that turns dotted words into a typed [`Op`].

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::op::*;
use crate::operand::{Operand, write_list};
use crate::signature::{Slot, slots};
use crate::span::Span;
use crate::types::{ScalarType, StateSpace};
use std::fmt;

/// An instruction of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// The opcode with its modifiers as written: `ld.global.acquire.sys.b32`.
    pub opcode: String,
    /// What that means.
    pub op: Op,
    /// Operands in the order of the text. A call keeps its operands in [`Call`].
    pub operands: Vec<Operand>,
    /// Where guard, opcode and operands stand, without the semicolon.
    pub span: Span,
    /// Where the opcode with its modifiers stands.
    pub opcode_span: Span,
}

/// The predicate that guards an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// `@!p`
    pub negated: bool,
    /// A register or placeholder.
    pub predicate: Operand,
}

/// `call`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// `.uni`
    pub uniform: bool,
    /// Where the results go.
    pub returns: Vec<Operand>,
    /// The function: a symbol, or a register in an indirect call.
    pub target: Operand,
    /// Arguments.
    pub arguments: Vec<Operand>,
    /// The prototype or target list of an indirect call.
    pub prototype: Option<Operand>,
}

/// What an instruction does, with its modifiers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `ld`
    Ld(Ld),
    /// `st`
    St(St),
    /// `ldu`
    Ldu(Ldu),
    /// `atom`, `red`
    Atomic(Atomic),
    /// `multimem.*`
    Multimem(Multimem),
    /// `st.async`
    StAsync(StAsync),
    /// `fence`
    Fence(Fence),
    /// `membar`
    Membar(MembarLevel),
    /// `fence.proxy`
    FenceProxy(FenceProxy),
    /// `fence.mbarrier_init.release.cluster`
    FenceMbarrierInit,
    /// `bar`, `barrier`
    Barrier(Barrier),
    /// `barrier.cluster`
    BarrierCluster(BarrierCluster),
    /// `bar.warp.sync`
    BarWarpSync,
    /// `cp.async`
    CpAsync(CpAsync),
    /// `cp.async.bulk`
    CpAsyncBulk(CpAsyncBulk),
    /// `cp.reduce.async.bulk`
    CpReduceAsyncBulk(CpReduceAsyncBulk),
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`
    CpAsyncBulkTensor(CpAsyncBulkTensor),
    /// `cp.async.bulk.prefetch.L2`
    CpAsyncBulkPrefetch(CpAsyncBulkPrefetch),
    /// `cp.async.commit_group` and its kin
    CopyGroup(CopyGroup),
    /// `cp.async.mbarrier.arrive`
    CpAsyncMbarrierArrive(CpAsyncMbarrierArrive),
    /// `mbarrier.*`
    Mbarrier(Mbarrier),
    /// `vote`
    Vote(Vote),
    /// `match`
    Match(Match),
    /// `shfl`
    Shfl(Shfl),
    /// `redux`
    Redux(Redux),
    /// `elect.sync`
    ElectSync,
    /// `activemask.b32`
    ActiveMask,
    /// `nanosleep.u32`
    Nanosleep,
    /// `griddepcontrol.launch_dependents` (true) or `.wait` (false)
    GridDepControl {
        /// `.launch_dependents`
        launch: bool,
    },
    /// `setmaxnreg.inc.sync.aligned.u32` (true) or `.dec` (false)
    SetMaxNReg {
        /// `.inc`
        increase: bool,
    },
    /// `cvta`
    Cvta(Cvta),
    /// `mapa`
    Mapa(ClusterAddress),
    /// `getctarank`
    GetCtaRank(ClusterAddress),
    /// `isspacep`
    IsSpaceP(StateSpace),
    /// `prefetch`, `prefetchu`
    Prefetch(Prefetch),
    /// `createpolicy.fractional`
    CreatePolicy(CreatePolicy),
    /// `mov`
    Mov(Mov),
    /// Arithmetic, logic, comparison, selection, conversion
    Alu(Alu),
    /// `bra`
    Bra {
        /// `.uni`
        uniform: bool,
    },
    /// `brx.idx`
    BrxIdx {
        /// `.uni`
        uniform: bool,
    },
    /// `call`
    Call(Call),
    /// `ret`
    Ret {
        /// `.uni`
        uniform: bool,
    },
    /// `exit`
    Exit,
    /// `trap`
    Trap,
    /// `brkpt`
    Brkpt,
}

impl Op {
    /// Looks the dotted words up: `ld`, then `global`, `acquire`, `sys`, `b32` in any order. Calls are made elsewhere.
    pub(crate) fn decode(name: &str, words: &[&str]) -> Result<Op, Reason> {
        let mut m = Modifiers::of(words.iter().copied());
        let op = Self::decode_family(name, &mut m)?;
        m.finish()?;
        Ok(op)
    }

    /// The instruction with these dotted words (`"ld.acquire.sys.b32"`), or why it is not in the table.
    pub fn from_opcode(opcode: &str) -> Result<Op, String> {
        let mut words = opcode.split('.');
        let name = words.next().unwrap_or("");
        Op::decode(name, &words.collect::<Vec<_>>())
    }

    fn decode_family(name: &str, m: &mut Modifiers<'_>) -> Result<Op, Reason> {
        Ok(match name {
            "ld" => Op::Ld(Ld::decode(m)?),
            "st" if m.take("async") => Op::StAsync(StAsync::decode(m)?),
            "st" => Op::St(St::decode(m)?),
            "ldu" => Op::Ldu(Ldu::decode(m)?),
            "atom" => Op::Atomic(Atomic::decode(m, true)?),
            "red" => Op::Atomic(Atomic::decode(m, false)?),
            "multimem" => Op::Multimem(Multimem::decode(m)?),
            "fence" if m.take("proxy") => Op::FenceProxy(FenceProxy::decode(m)?),
            "fence" if m.take("mbarrier_init") => {
                if !m.take("release") || !m.take("cluster") {
                    return Err("fence.mbarrier_init is .release.cluster".to_owned());
                }
                Op::FenceMbarrierInit
            }
            "fence" => Op::Fence(Fence::decode(m)?),
            "membar" => Op::Membar(m.need("level", MembarLevel::from_ptx)?),
            "bar" if m.take("warp") => {
                if !m.take("sync") {
                    return Err("bar.warp is .sync".to_owned());
                }
                Op::BarWarpSync
            }
            "bar" => Op::Barrier(Barrier::decode(m, true)?),
            "barrier" if m.take("cluster") => Op::BarrierCluster(BarrierCluster::decode(m)?),
            "barrier" => Op::Barrier(Barrier::decode(m, false)?),
            "cp" => Self::decode_copy(m)?,
            "mbarrier" => Op::Mbarrier(Mbarrier::decode(m)?),
            "vote" => Op::Vote(Vote::decode(m)?),
            "match" => Op::Match(Match::decode(m)?),
            "shfl" => Op::Shfl(Shfl::decode(m)?),
            "redux" => Op::Redux(Redux::decode(m)?),
            "elect" if m.take("sync") => Op::ElectSync,
            "activemask" => {
                m.exact_ty(ScalarType::B32)?;
                Op::ActiveMask
            }
            "nanosleep" => {
                m.exact_ty(ScalarType::U32)?;
                Op::Nanosleep
            }
            "griddepcontrol" => Op::GridDepControl {
                launch: m
                    .one_of(&[("launch_dependents", true), ("wait", false)])
                    .ok_or("neither .launch_dependents nor .wait")?,
            },
            "setmaxnreg" => {
                let increase = m.one_of(&[("inc", true), ("dec", false)]).ok_or("neither .inc nor .dec")?;
                if !m.take("sync") || !m.take("aligned") {
                    return Err("setmaxnreg is .sync.aligned".to_owned());
                }
                m.exact_ty(ScalarType::U32)?;
                Op::SetMaxNReg { increase }
            }
            "cvta" => Op::Cvta(Cvta::decode(m)?),
            "mapa" => Op::Mapa(ClusterAddress::decode(m)?),
            "getctarank" => Op::GetCtaRank(ClusterAddress::decode(m)?),
            "isspacep" => Op::IsSpaceP(address::decode_isspacep(m)?),
            "prefetch" => Op::Prefetch(Prefetch::decode(m, false)?),
            "prefetchu" => Op::Prefetch(Prefetch::decode(m, true)?),
            "createpolicy" => Op::CreatePolicy(CreatePolicy::decode(m)?),
            "mov" => Op::Mov(Mov::decode(m)?),
            "bra" => Op::Bra { uniform: m.take("uni") },
            "brx" if m.take("idx") => Op::BrxIdx { uniform: m.take("uni") },
            "ret" => Op::Ret { uniform: m.take("uni") },
            "exit" => Op::Exit,
            "trap" => Op::Trap,
            "brkpt" => Op::Brkpt,
            _ => match AluOp::from_ptx(name) {
                Some(op) => Op::Alu(Alu::decode(op, m)?),
                None => return Err("the opcode is not in the instruction table".to_owned()),
            },
        })
    }

    fn decode_copy(m: &mut Modifiers<'_>) -> Result<Op, Reason> {
        let reduces = m.take("reduce");
        if !m.take("async") {
            return Err("cp is known with .async only".to_owned());
        }
        let bulk = m.take("bulk");
        let read = bulk && m.take("read");
        if !reduces {
            let group = m.one_of(&[
                ("commit_group", if bulk { CopyGroup::BulkCommit } else { CopyGroup::Commit }),
                ("wait_group", if bulk { CopyGroup::BulkWait { read } } else { CopyGroup::Wait }),
                ("wait_all", CopyGroup::WaitAll),
            ]);
            match group {
                Some(CopyGroup::WaitAll) if bulk => return Err("there is no bulk wait_all".to_owned()),
                Some(CopyGroup::BulkWait { .. }) => return Ok(Op::CopyGroup(CopyGroup::BulkWait { read })),
                Some(group) if !read => return Ok(Op::CopyGroup(group)),
                None if !read => {}
                _ => return Err(".read goes with a bulk wait_group only".to_owned()),
            }
        }
        let tensor = bulk && m.take("tensor");
        Ok(match (reduces, bulk, tensor) {
            (true, true, false) => Op::CpReduceAsyncBulk(CpReduceAsyncBulk::decode(m)?),
            (_, true, true) => {
                if m.take("prefetch") {
                    return Err("a tensor prefetch is not in the instruction table".to_owned());
                }
                Op::CpAsyncBulkTensor(CpAsyncBulkTensor::decode(m, reduces)?)
            }
            (false, true, false) if m.take("prefetch") => Op::CpAsyncBulkPrefetch(CpAsyncBulkPrefetch::decode(m)?),
            (false, true, false) => Op::CpAsyncBulk(CpAsyncBulk::decode(m)?),
            (false, false, _) if m.take("mbarrier") => {
                if !m.take("arrive") {
                    return Err("cp.async.mbarrier is .arrive".to_owned());
                }
                Op::CpAsyncMbarrierArrive(CpAsyncMbarrierArrive::decode(m)?)
            }
            (false, false, _) => Op::CpAsync(CpAsync::decode(m)?),
            (true, false, _) => return Err("cp.reduce is .async.bulk".to_owned()),
        })
    }

    /// The opcode with its modifiers in the manual's order.
    pub fn spelling(&self) -> String {
        let plain = |text: &str| Spelling::new(text);
        let uniform = |text: &str, uniform: bool| {
            let mut s = Spelling::new(text);
            s.flag(uniform, "uni");
            s
        };
        let spelling = match self {
            Op::Ld(op) => op.spell(),
            Op::St(op) => op.spell(),
            Op::Ldu(op) => op.spell(),
            Op::Atomic(op) => op.spell(),
            Op::Multimem(op) => op.spell(),
            Op::StAsync(op) => op.spell(),
            Op::Fence(op) => op.spell(),
            Op::Membar(level) => plain(&format!("membar.{level}")),
            Op::FenceProxy(op) => op.spell(),
            Op::FenceMbarrierInit => plain("fence.mbarrier_init.release.cluster"),
            Op::Barrier(op) => op.spell(),
            Op::BarrierCluster(op) => op.spell(),
            Op::BarWarpSync => plain("bar.warp.sync"),
            Op::CpAsync(op) => op.spell(),
            Op::CpAsyncBulk(op) => op.spell(),
            Op::CpReduceAsyncBulk(op) => op.spell(),
            Op::CpAsyncBulkTensor(op) => op.spell(),
            Op::CpAsyncBulkPrefetch(op) => op.spell(),
            Op::CopyGroup(op) => op.spell(),
            Op::CpAsyncMbarrierArrive(op) => op.spell(),
            Op::Mbarrier(op) => op.spell(),
            Op::Vote(op) => op.spell(),
            Op::Match(op) => op.spell(),
            Op::Shfl(op) => op.spell(),
            Op::Redux(op) => op.spell(),
            Op::ElectSync => plain("elect.sync"),
            Op::ActiveMask => plain("activemask.b32"),
            Op::Nanosleep => plain("nanosleep.u32"),
            Op::GridDepControl { launch: true } => plain("griddepcontrol.launch_dependents"),
            Op::GridDepControl { launch: false } => plain("griddepcontrol.wait"),
            Op::SetMaxNReg { increase: true } => plain("setmaxnreg.inc.sync.aligned.u32"),
            Op::SetMaxNReg { increase: false } => plain("setmaxnreg.dec.sync.aligned.u32"),
            Op::Cvta(op) => op.spell(),
            Op::Mapa(op) => op.spell("mapa"),
            Op::GetCtaRank(op) => op.spell("getctarank"),
            Op::IsSpaceP(space) => plain(&format!("isspacep.{space}")),
            Op::Prefetch(op) => op.spell(),
            Op::CreatePolicy(op) => op.spell(),
            Op::Mov(op) => op.spell(),
            Op::Alu(op) => op.spell(),
            Op::Bra { uniform: u } => uniform("bra", *u),
            Op::BrxIdx { uniform: u } => uniform("brx.idx", *u),
            Op::Call(op) => uniform("call", op.uniform),
            Op::Ret { uniform: u } => uniform("ret", *u),
            Op::Exit => plain("exit"),
            Op::Trap => plain("trap"),
            Op::Brkpt => plain("brkpt"),
        };
        spelling.finish()
    }

    /// What each operand is for, when the instruction is written with `count` operands; nothing if it cannot be.
    pub fn signature(&self, count: usize) -> Option<Vec<Slot>> {
        let (word, none) = (Slot::source(ScalarType::B32), slots(count, &[], &[]));
        match self {
            Op::Ld(op) => op.slots(count),
            Op::St(op) => op.slots(count),
            Op::Ldu(op) => op.slots(count),
            Op::Atomic(op) => op.slots(count),
            Op::Multimem(op) => op.slots(count),
            Op::StAsync(op) => op.slots(count),
            Op::FenceProxy(op) => op.slots(count),
            Op::Barrier(op) => op.slots(count),
            Op::BarWarpSync => slots(count, &[word], &[]),
            Op::CpAsync(op) => op.slots(count),
            Op::CpAsyncBulk(op) => op.slots(count),
            Op::CpReduceAsyncBulk(op) => op.slots(count),
            Op::CpAsyncBulkTensor(op) => op.slots(count),
            Op::CpAsyncBulkPrefetch(op) => op.slots(count),
            Op::CopyGroup(op) => op.slots(count),
            Op::CpAsyncMbarrierArrive(_) => slots(count, &[Slot::address(ScalarType::B64)], &[]),
            Op::Mbarrier(op) => op.slots(count),
            Op::Vote(op) => op.slots(count),
            Op::Match(op) => op.slots(count),
            Op::Shfl(op) => op.slots(count),
            Op::Redux(op) => op.slots(count),
            Op::ElectSync => slots(count, &[Slot::destination(ScalarType::B32).paired(ScalarType::Pred), word], &[]),
            Op::ActiveMask => slots(count, &[Slot::destination(ScalarType::B32)], &[]),
            Op::Nanosleep => slots(count, &[Slot::source(ScalarType::U32)], &[]),
            Op::SetMaxNReg { .. } => slots(count, &[Slot::constant(ScalarType::U32)], &[]),
            Op::Cvta(op) => slots(count, &[Slot::destination(op.ty), Slot::source(op.ty)], &[]),
            Op::Mapa(op) => {
                slots(count, &[Slot::destination(op.ty), Slot::source(op.ty), Slot::source(ScalarType::U32)], &[])
            }
            Op::GetCtaRank(op) => slots(count, &[Slot::destination(ScalarType::U32), Slot::source(op.ty)], &[]),
            Op::IsSpaceP(_) => slots(count, &[Slot::destination(ScalarType::Pred), Slot::source(ScalarType::B64)], &[]),
            Op::Prefetch(_) => slots(count, &[Slot::address(ScalarType::B8)], &[]),
            Op::CreatePolicy(op) => op.slots(count),
            Op::Mov(op) => op.slots(count),
            Op::Alu(op) => op.slots(count),
            Op::Bra { .. } => slots(count, &[Slot::target()], &[]),
            Op::BrxIdx { .. } => slots(count, &[Slot::source(ScalarType::U32), Slot::target()], &[]),
            Op::Fence(_) | Op::Membar(_) | Op::FenceMbarrierInit | Op::BarrierCluster(_) => none,
            Op::GridDepControl { .. } | Op::Call(_) | Op::Ret { .. } | Op::Exit | Op::Trap | Op::Brkpt => none,
        }
    }
}

impl Instruction {
    /// An instruction that was not read from a text: spelled in the manual's order, without a span. The operands must fit.
    pub fn new(op: Op, operands: Vec<Operand>) -> Result<Self, String> {
        check(&op, &operands)?;
        Ok(Instruction {
            guard: None,
            opcode: op.spelling(),
            op,
            operands,
            span: Span::default(),
            opcode_span: Span::default(),
        })
    }

    /// Each operand with what it is for. A call has its operands in [`Call`], so nothing here.
    pub fn uses(&self) -> Vec<(Slot, &Operand)> {
        let slots = self.op.signature(self.operands.len()).unwrap_or_default();
        slots.into_iter().zip(&self.operands).collect()
    }

    pub(crate) fn write_call(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Op::Call(call) = &self.op else { return Ok(()) };
        if !call.returns.is_empty() {
            f.write_str(" (")?;
            write_list(f, &call.returns)?;
            f.write_str("),")?;
        }
        write!(f, " {}, (", call.target)?;
        write_list(f, &call.arguments)?;
        f.write_str(")")?;
        match &call.prototype {
            Some(prototype) => write!(f, ", {prototype}"),
            None => Ok(()),
        }
    }
}

/// Whether the operands are as many as, and of the shapes that, the instruction has.
pub(crate) fn check(op: &Op, operands: &[Operand]) -> Result<(), Reason> {
    let slots = op.signature(operands.len()).ok_or_else(|| format!("it does not take {} operands", operands.len()))?;
    match slots.iter().zip(operands).position(|(slot, operand)| !slot.accepts(operand)) {
        None => Ok(()),
        Some(i) => Err(format!("operand {} (`{}`) is not of a kind that may stand there", i + 1, operands[i])),
    }
}
