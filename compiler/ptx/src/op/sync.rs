//! Fences and barriers (PTX ISA §9.7.13).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::{ScalarType, StateSpace};
use crate::words::words;
use memory_model::{Scope, Semantics};

/// `fence`, without a proxy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// Ordering, if written; without, it is acquire and release.
    pub semantics: Option<Semantics>,
    /// Scope.
    pub scope: Scope,
    /// `.sync_restrict::shared::{cta,cluster}`
    pub restrict: Option<StateSpace>,
}

words! {
    /// `membar` levels.
    MembarLevel { Cta = "cta", Gl = "gl", Sys = "sys" }
}

words! {
    /// Between which proxies a `fence.proxy` orders.
    ProxyKind {
        Alias = "alias", Async = "async", AsyncGlobal = "async.global",
        AsyncSharedCta = "async.shared::cta", AsyncSharedCluster = "async.shared::cluster",
        AsyncGeneric = "async::generic", TensormapGeneric = "tensormap::generic",
    }
}

/// `fence.proxy`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FenceProxy {
    /// Between which proxies.
    pub kind: ProxyKind,
    /// Ordering of the one-directional forms.
    pub semantics: Option<Semantics>,
    /// Scope of the one-directional forms.
    pub scope: Option<Scope>,
    /// `.sync_restrict::shared::{cta,cluster}`
    pub restrict: Option<StateSpace>,
}

words! {
    /// What a barrier instruction does.
    BarrierAction { Sync = "sync", Arrive = "arrive", Red = "red" }
}

words! {
    /// The reduction of a `bar.red`.
    BarrierReduction { And = "and", Or = "or", Popc = "popc" }
}

/// `bar` and `barrier` over threads of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// Written `bar` rather than `barrier`; `bar` is always aligned.
    pub short: bool,
    /// `.cta` is written.
    pub cta: bool,
    /// What it does.
    pub action: BarrierAction,
    /// The reduction of `.red`.
    pub reduction: Option<BarrierReduction>,
    /// `.aligned` is written, or it is `bar`.
    pub aligned: bool,
}

/// `barrier.cluster`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BarrierCluster {
    /// `.arrive` rather than `.wait`.
    pub arrive: bool,
    /// Ordering, if written.
    pub semantics: Option<Semantics>,
    /// `.aligned`
    pub aligned: bool,
}

fn restrict(m: &mut Modifiers<'_>) -> Option<StateSpace> {
    m.one_of(&[
        ("sync_restrict::shared::cta", StateSpace::SharedCta),
        ("sync_restrict::shared::cluster", StateSpace::SharedCluster),
    ])
}

fn restrict_word(space: StateSpace) -> &'static str {
    if space == StateSpace::SharedCta { "sync_restrict::shared::cta" } else { "sync_restrict::shared::cluster" }
}

impl Fence {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let semantics = m.semantics(&[
            Semantics::SequentiallyConsistent,
            Semantics::AcquireRelease,
            Semantics::Acquire,
            Semantics::Release,
        ]);
        let restrict = restrict(m);
        let scope = m.scope().ok_or("a fence needs a scope")?;
        Ok(Fence { semantics, scope, restrict })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("fence");
        s.maybe(self.semantics.map(Semantics::ptx)).maybe(self.restrict.map(restrict_word)).word(self.scope.ptx());
        s
    }
}

impl FenceProxy {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let base = m
            .one_of(&[
                ("alias", ProxyKind::Alias),
                ("async", ProxyKind::Async),
                ("async::generic", ProxyKind::AsyncGeneric),
                ("tensormap::generic", ProxyKind::TensormapGeneric),
            ])
            .ok_or("this proxy is not known")?;
        let kind = match base {
            ProxyKind::Async => m
                .one_of(&[
                    ("global", ProxyKind::AsyncGlobal),
                    ("shared::cta", ProxyKind::AsyncSharedCta),
                    ("shared::cluster", ProxyKind::AsyncSharedCluster),
                ])
                .unwrap_or(ProxyKind::Async),
            other => other,
        };
        let semantics = m.semantics(&[Semantics::Acquire, Semantics::Release]);
        let restrict = restrict(m);
        let scope = m.scope();
        let directed = matches!(kind, ProxyKind::AsyncGeneric | ProxyKind::TensormapGeneric);
        if directed != (semantics.is_some() && scope.is_some())
            || (!directed && (semantics.is_some() || scope.is_some()))
        {
            return Err("ordering and scope go with the ::generic proxies, and only with them".to_owned());
        }
        Ok(FenceProxy { kind, semantics, scope, restrict })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("fence");
        s.word("proxy").word(self.kind.ptx()).maybe(self.semantics.map(Semantics::ptx));
        s.maybe(self.restrict.map(restrict_word)).maybe(self.scope.map(Scope::ptx));
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        if self.kind == ProxyKind::TensormapGeneric && self.semantics == Some(Semantics::Acquire) {
            return slots(count, &[Slot::address(ScalarType::B8), Slot::constant(ScalarType::U32)], &[]);
        }
        slots(count, &[], &[])
    }
}

impl Barrier {
    pub(crate) fn decode(m: &mut Modifiers<'_>, short: bool) -> Result<Self, Reason> {
        let cta = m.take("cta");
        let action = m.need("barrier action", BarrierAction::from_ptx)?;
        let aligned = m.take("aligned") || short;
        let reduction = match action {
            BarrierAction::Red => {
                let reduction = m.need("reduction", BarrierReduction::from_ptx)?;
                let ty = if reduction == BarrierReduction::Popc { ScalarType::U32 } else { ScalarType::Pred };
                m.exact_ty(ty)?;
                Some(reduction)
            }
            _ => None,
        };
        Ok(Barrier { short, cta, action, reduction, aligned })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new(if self.short { "bar" } else { "barrier" });
        s.flag(self.cta, "cta").word(self.action.ptx()).maybe(self.reduction.map(BarrierReduction::ptx));
        s.flag(self.aligned && !self.short, "aligned");
        if let Some(reduction) = self.reduction {
            s.word(if reduction == BarrierReduction::Popc { "u32" } else { "pred" });
        }
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let number = Slot::source(ScalarType::U32);
        match (self.action, self.reduction) {
            (BarrierAction::Sync, _) => slots(count, &[number], &[number]),
            (BarrierAction::Arrive, _) => slots(count, &[number, number], &[]),
            (BarrierAction::Red, reduction) => {
                let result = if reduction == Some(BarrierReduction::Popc) { ScalarType::U32 } else { ScalarType::Pred };
                let result = Slot::destination(result);
                let predicate = Slot::source(ScalarType::Pred);
                match count {
                    3 => Some(vec![result, number, predicate]),
                    4 => Some(vec![result, number, number, predicate]),
                    _ => None,
                }
            }
        }
    }
}

impl BarrierCluster {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let arrive = m.one_of(&[("arrive", true), ("wait", false)]).ok_or("neither .arrive nor .wait")?;
        let allowed: &[Semantics] =
            if arrive { &[Semantics::Release, Semantics::Relaxed] } else { &[Semantics::Acquire] };
        Ok(BarrierCluster { arrive, semantics: m.semantics(allowed), aligned: m.take("aligned") })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("barrier");
        s.word("cluster").word(if self.arrive { "arrive" } else { "wait" });
        s.maybe(self.semantics.map(Semantics::ptx)).flag(self.aligned, "aligned");
        s
    }
}
