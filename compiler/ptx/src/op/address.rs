//! Addresses and cache control: conversion, mapping, queries, prefetches (PTX ISA §9.7.9).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::{ScalarType, StateSpace};
use crate::words::words;

/// `cvta` and `cvta.to`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cvta {
    /// `.to`: from generic to the space, rather than from the space to generic.
    pub to: bool,
    /// The space.
    pub space: StateSpace,
    /// `.u32` or `.u64`.
    pub ty: ScalarType,
}

/// `mapa`: the address of a variable in another block of the cluster; `getctarank`: the block of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterAddress {
    /// State space: `.shared::cluster` or generic.
    pub space: StateSpace,
    /// `.u32` or `.u64`: the type of the address.
    pub ty: ScalarType,
}

words! {
    /// Where a prefetch goes to.
    PrefetchLevel {
        L1 = "L1", L2 = "L2", L2EvictLast = "L2::evict_last", L2EvictNormal = "L2::evict_normal", Tensormap = "tensormap",
    }
}

/// `prefetch`, `prefetchu`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prefetch {
    /// `prefetchu`
    pub uniform: bool,
    /// State space.
    pub space: StateSpace,
    /// Where to.
    pub level: PrefetchLevel,
}

words! {
    /// Modifiers of `createpolicy`.
    PolicyModifier {
        Fractional = "fractional", Range = "range", Cvt = "cvt", L2 = "L2",
        EvictLast = "L2::evict_last", EvictNormal = "L2::evict_normal", EvictFirst = "L2::evict_first",
        EvictUnchanged = "L2::evict_unchanged",
    }
}

/// `createpolicy.fractional`: makes an operand for `.L2::cache_hint`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreatePolicy {
    /// Modifiers, as written.
    pub modifiers: Vec<PolicyModifier>,
}

const NAMED: &[StateSpace] = &[
    StateSpace::Global,
    StateSpace::Shared,
    StateSpace::SharedCta,
    StateSpace::SharedCluster,
    StateSpace::Const,
    StateSpace::Local,
    StateSpace::Param,
    StateSpace::ParamEntry,
];

fn named(m: &mut Modifiers<'_>) -> Result<StateSpace, Reason> {
    match m.space(NAMED)? {
        StateSpace::Generic => Err("the state space is missing".to_owned()),
        space => Ok(space),
    }
}

fn address_type(m: &mut Modifiers<'_>) -> Result<ScalarType, Reason> {
    match m.ty()? {
        ty @ (ScalarType::U32 | ScalarType::U64) => Ok(ty),
        ty => Err(format!("an address has type .u32 or .u64, not .{ty}")),
    }
}

impl Cvta {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        Ok(Cvta { to: m.take("to"), space: named(m)?, ty: address_type(m)? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cvta");
        s.flag(self.to, "to").space(self.space).word(self.ty.ptx());
        s
    }
}

impl ClusterAddress {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        Ok(ClusterAddress { space: m.space(&[StateSpace::SharedCluster])?, ty: address_type(m)? })
    }

    pub(crate) fn spell(&self, opcode: &str) -> Spelling {
        let mut s = Spelling::new(opcode);
        s.space(self.space).word(self.ty.ptx());
        s
    }
}

/// `isspacep.space`
pub(crate) fn decode_isspacep(m: &mut Modifiers<'_>) -> Result<StateSpace, Reason> {
    named(m)
}

impl Prefetch {
    pub(crate) fn decode(m: &mut Modifiers<'_>, uniform: bool) -> Result<Self, Reason> {
        let space = m.space(&[StateSpace::Global, StateSpace::Local, StateSpace::Const, StateSpace::Param])?;
        Ok(Prefetch { uniform, space, level: m.need("level", PrefetchLevel::from_ptx)? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new(if self.uniform { "prefetchu" } else { "prefetch" });
        s.space(self.space).word(self.level.ptx());
        s
    }
}

impl CreatePolicy {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let modifiers: Vec<_> = std::iter::from_fn(|| m.find(PolicyModifier::from_ptx)).collect();
        if !modifiers.contains(&PolicyModifier::Fractional) {
            return Err("only .fractional is known".to_owned());
        }
        m.exact_ty(ScalarType::B64)?;
        Ok(CreatePolicy { modifiers })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("createpolicy");
        for modifier in &self.modifiers {
            s.word(modifier.ptx());
        }
        s.word("b64");
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        slots(count, &[Slot::destination(ScalarType::B64)], &[Slot::source(ScalarType::F32)])
    }
}
