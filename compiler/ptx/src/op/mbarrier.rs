//! Barriers in shared memory (PTX ISA §9.7.13.15).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::{ScalarType, StateSpace};
use crate::words::words;
use memory_model::{Scope, Semantics};

words! {
    /// What an mbarrier instruction does.
    MbarrierAction {
        Init = "init", Inval = "inval", ExpectTx = "expect_tx", CompleteTx = "complete_tx",
        Arrive = "arrive", ArriveExpectTx = "arrive.expect_tx", ArriveNoComplete = "arrive.noComplete",
        ArriveDrop = "arrive_drop", ArriveDropExpectTx = "arrive_drop.expect_tx", ArriveDropNoComplete = "arrive_drop.noComplete",
        PendingCount = "pending_count", TestWait = "test_wait", TryWait = "try_wait",
    }
}

/// An mbarrier instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    /// What it does.
    pub action: MbarrierAction,
    /// `.parity`: the wait names a phase parity, not a state.
    pub parity: bool,
    /// Ordering, if written.
    pub semantics: Option<Semantics>,
    /// Scope, if written.
    pub scope: Option<Scope>,
    /// State space.
    pub space: StateSpace,
}

impl MbarrierAction {
    /// Whether threads arrive with it.
    pub const fn arrives(self) -> bool {
        use MbarrierAction::*;
        matches!(
            self,
            Arrive | ArriveExpectTx | ArriveNoComplete | ArriveDrop | ArriveDropExpectTx | ArriveDropNoComplete
        )
    }

    /// Whether it asks if a phase is complete.
    pub const fn waits(self) -> bool {
        matches!(self, MbarrierAction::TestWait | MbarrierAction::TryWait)
    }
}

impl Mbarrier {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        use MbarrierAction::*;
        let base = ["init", "inval", "complete_tx", "arrive", "arrive_drop", "pending_count", "test_wait", "try_wait"]
            .into_iter()
            .find(|word| m.take(word));
        let expect = m.take("expect_tx");
        let no_complete = m.take("noComplete");
        let action = match (base, expect, no_complete) {
            (Some("init"), false, false) => Init,
            (Some("inval"), false, false) => Inval,
            (None, true, false) => ExpectTx,
            (Some("complete_tx"), false, false) => CompleteTx,
            (Some("arrive"), false, false) => Arrive,
            (Some("arrive"), true, false) => ArriveExpectTx,
            (Some("arrive"), false, true) => ArriveNoComplete,
            (Some("arrive_drop"), false, false) => ArriveDrop,
            (Some("arrive_drop"), true, false) => ArriveDropExpectTx,
            (Some("arrive_drop"), false, true) => ArriveDropNoComplete,
            (Some("pending_count"), false, false) => PendingCount,
            (Some("test_wait"), false, false) => TestWait,
            (Some("try_wait"), false, false) => TryWait,
            _ => return Err("this mbarrier operation is not known".to_owned()),
        };
        let parity = action.waits() && m.take("parity");
        let allowed: &[Semantics] = match action {
            _ if action.arrives() => &[Semantics::Relaxed, Semantics::Release],
            _ if action.waits() => &[Semantics::Relaxed, Semantics::Acquire],
            ExpectTx | CompleteTx => &[Semantics::Relaxed],
            _ => &[],
        };
        let semantics = m.semantics(allowed);
        let scope = if allowed.is_empty() { None } else { m.scope() };
        let space = m.space(&[StateSpace::Shared, StateSpace::SharedCta, StateSpace::SharedCluster])?;
        m.exact_ty(ScalarType::B64)?;
        Ok(Mbarrier { action, parity, semantics, scope, space })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("mbarrier");
        s.word(self.action.ptx()).flag(self.parity, "parity").maybe(self.semantics.map(Semantics::ptx));
        s.maybe(self.scope.map(Scope::ptx)).space(self.space).word("b64");
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        use MbarrierAction::*;
        let address = Slot::address(ScalarType::B64);
        let number = Slot::source(ScalarType::U32);
        let state = Slot::destination(ScalarType::B64);
        match self.action {
            Init | ExpectTx | CompleteTx => slots(count, &[address, number], &[]),
            Inval => slots(count, &[address], &[]),
            Arrive | ArriveDrop => slots(count, &[state, address], &[number]),
            ArriveExpectTx | ArriveNoComplete | ArriveDropExpectTx | ArriveDropNoComplete => {
                slots(count, &[state, address, number], &[])
            }
            PendingCount => slots(count, &[Slot::destination(ScalarType::U32), Slot::source(ScalarType::B64)], &[]),
            TestWait | TryWait => {
                let phase = if self.parity { number } else { Slot::source(ScalarType::B64) };
                let hint: &[Slot] = if self.action == TryWait { &[number] } else { &[] };
                slots(count, &[Slot::destination(ScalarType::Pred), address, phase], hint)
            }
        }
    }
}
