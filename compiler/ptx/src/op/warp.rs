//! Instructions among the threads of a warp, and of launch control (PTX ISA §9.7.9, §9.7.13).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::ScalarType;
use crate::words::words;

words! {
    /// What a vote returns.
    VoteMode { All = "all", Any = "any", Uni = "uni", Ballot = "ballot" }
}

/// `vote.sync`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vote {
    /// `.sync`: a mask of lanes follows.
    pub sync: bool,
    /// What it returns.
    pub mode: VoteMode,
}

/// `match.sync`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    /// `.all` rather than `.any`.
    pub all: bool,
    /// Type compared.
    pub ty: ScalarType,
}

words! {
    /// From which lane a shuffle reads.
    ShflMode { Up = "up", Down = "down", Bfly = "bfly", Idx = "idx" }
}

/// `shfl.sync`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shfl {
    /// `.sync`: a mask of lanes follows.
    pub sync: bool,
    /// From which lane.
    pub mode: ShflMode,
}

words! {
    /// The operation of a `redux.sync`.
    ReduxOp { Add = "add", Min = "min", Max = "max", And = "and", Or = "or", Xor = "xor" }
}

/// `redux.sync`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Redux {
    /// The operation.
    pub op: ReduxOp,
    /// `.abs` (single precision only).
    pub abs: bool,
    /// `.NaN` (single precision only).
    pub nan: bool,
    /// Type.
    pub ty: ScalarType,
}

impl Vote {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let sync = m.take("sync");
        let mode = m.need("mode", VoteMode::from_ptx)?;
        m.exact_ty(if mode == VoteMode::Ballot { ScalarType::B32 } else { ScalarType::Pred })?;
        Ok(Vote { sync, mode })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("vote");
        s.flag(self.sync, "sync").word(self.mode.ptx());
        s.word(if self.mode == VoteMode::Ballot { "b32" } else { "pred" });
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let ty = if self.mode == VoteMode::Ballot { ScalarType::B32 } else { ScalarType::Pred };
        let mut required = vec![Slot::destination(ty), Slot::source(ScalarType::Pred)];
        if self.sync {
            required.push(Slot::source(ScalarType::B32));
        }
        slots(count, &required, &[])
    }
}

impl Match {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let all = m.one_of(&[("all", true), ("any", false)]).ok_or("neither .all nor .any")?;
        if !m.take("sync") {
            return Err("match is known with .sync only".to_owned());
        }
        let ty = m.ty()?;
        if !matches!(ty, ScalarType::B32 | ScalarType::B64) {
            return Err("match compares .b32 or .b64".to_owned());
        }
        Ok(Match { all, ty })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("match");
        s.word(if self.all { "all" } else { "any" }).word("sync").word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let result = Slot::destination(ScalarType::B32);
        let result = if self.all { result.paired(ScalarType::Pred) } else { result };
        slots(count, &[result, Slot::source(self.ty), Slot::source(ScalarType::B32)], &[])
    }
}

impl Shfl {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let sync = m.take("sync");
        let mode = m.need("mode", ShflMode::from_ptx)?;
        m.exact_ty(ScalarType::B32)?;
        Ok(Shfl { sync, mode })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("shfl");
        s.flag(self.sync, "sync").word(self.mode.ptx()).word("b32");
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let word = Slot::source(ScalarType::B32);
        let mut required = vec![Slot::destination(ScalarType::B32).paired(ScalarType::Pred), word, word, word];
        if self.sync {
            required.push(word);
        }
        slots(count, &required, &[])
    }
}

impl Redux {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        if !m.take("sync") {
            return Err("redux is known with .sync only".to_owned());
        }
        let op = m.need("operation", ReduxOp::from_ptx)?;
        let (abs, nan, ty) = (m.take("abs"), m.take("NaN"), m.ty()?);
        let float = ty == ScalarType::F32;
        if (abs || nan) && !float {
            return Err(".abs and .NaN go with .f32".to_owned());
        }
        Ok(Redux { op, abs, nan, ty })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("redux");
        s.word("sync").word(self.op.ptx()).flag(self.abs, "abs").flag(self.nan, "NaN").word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        slots(count, &[Slot::destination(self.ty), Slot::source(self.ty), Slot::source(ScalarType::B32)], &[])
    }
}
