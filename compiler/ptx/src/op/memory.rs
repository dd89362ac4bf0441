//! Loads, stores, atomics, reductions, multimem (PTX ISA §9.7.9).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::{ScalarType, StateSpace, VectorSize, lanes};
use crate::words::words;
use memory_model::{Scope, Semantics};

/// The ordering words of a load or store, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Nothing written: weak.
    Unmarked,
    /// `.weak`
    Weak,
    /// `.volatile`
    Volatile,
    /// `.relaxed`, `.acquire`, `.release` with a scope.
    Strong(Semantics, Scope),
    /// `.mmio` with an ordering at system scope.
    Mmio(Semantics),
}

words! {
    /// Legacy cache operators (PTX ISA §9.7.9.1).
    CacheOperator { Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt" }
}

words! {
    /// Cache hints, none of which has an effect on ordering (PTX ISA §9.7.9.2).
    CacheHint {
        L1EvictNormal = "L1::evict_normal", L1EvictUnchanged = "L1::evict_unchanged", L1EvictFirst = "L1::evict_first",
        L1EvictLast = "L1::evict_last", L1NoAllocate = "L1::no_allocate",
        L2EvictNormal = "L2::evict_normal", L2EvictFirst = "L2::evict_first", L2EvictLast = "L2::evict_last",
        L2CacheHint = "L2::cache_hint",
        L2Prefetch64 = "L2::64B", L2Prefetch128 = "L2::128B", L2Prefetch256 = "L2::256B",
    }
}

/// `ld`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ld {
    /// Ordering.
    pub order: Order,
    /// State space.
    pub space: StateSpace,
    /// `.nc`: through the non-coherent path.
    pub non_coherent: bool,
    /// Legacy cache operator.
    pub cache: Option<CacheOperator>,
    /// Cache hints; with `L2::cache_hint` a policy operand follows.
    pub hints: Vec<CacheHint>,
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
}

/// `st`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct St {
    /// Ordering.
    pub order: Order,
    /// State space.
    pub space: StateSpace,
    /// Legacy cache operator.
    pub cache: Option<CacheOperator>,
    /// Cache hints; with `L2::cache_hint` a policy operand follows.
    pub hints: Vec<CacheHint>,
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
}

/// `ldu`: a load that is the same for all threads of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ldu {
    /// State space.
    pub space: StateSpace,
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
}

words! {
    /// The operation of an atomic or a reduction.
    AtomicOp {
        And = "and", Or = "or", Xor = "xor", Add = "add", Inc = "inc", Dec = "dec", Min = "min", Max = "max",
        Exch = "exch", Cas = "cas",
    }
}

/// `atom` and `red`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// `atom` returns the old value, `red` does not.
    pub returns: bool,
    /// Ordering, if written.
    pub semantics: Option<Semantics>,
    /// Scope, if written.
    pub scope: Option<Scope>,
    /// State space.
    pub space: StateSpace,
    /// The operation.
    pub op: AtomicOp,
    /// `.noftz`
    pub noftz: bool,
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
}

words! {
    /// The three multimem operations.
    MultimemKind { LdReduce = "ld_reduce", St = "st", Red = "red" }
}

/// `multimem.ld_reduce`, `multimem.st`, `multimem.red` (PTX ISA §9.7.9.14).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Multimem {
    /// Which of the three.
    pub kind: MultimemKind,
    /// Ordering, if written.
    pub semantics: Option<Semantics>,
    /// Scope, if written.
    pub scope: Option<Scope>,
    /// State space.
    pub space: StateSpace,
    /// The operation; `multimem.st` has none.
    pub op: Option<AtomicOp>,
    /// `.acc::f32` or `.acc::f16`, without the dot.
    pub accumulator: Option<ScalarType>,
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
}

/// `st.async`: a store to shared memory of the cluster that completes on an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StAsync {
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type of each scalar.
    pub ty: ScalarType,
    /// `.weak` is written.
    pub weak: bool,
}

const ACCESS_SPACES: &[StateSpace] = &[
    StateSpace::Global,
    StateSpace::Shared,
    StateSpace::SharedCta,
    StateSpace::SharedCluster,
    StateSpace::Const,
    StateSpace::Local,
    StateSpace::Param,
    StateSpace::ParamEntry,
    StateSpace::ParamFunc,
];
const ATOMIC_SPACES: &[StateSpace] =
    &[StateSpace::Global, StateSpace::Shared, StateSpace::SharedCta, StateSpace::SharedCluster];

impl Order {
    fn decode(m: &mut Modifiers<'_>, ordered: Semantics) -> Result<Order, Reason> {
        let weak = m.take("weak");
        let volatile = m.take("volatile");
        let mmio = m.take("mmio");
        let semantics = m.semantics(&[Semantics::Relaxed, ordered]);
        let scope = m.scope();
        match (weak, volatile, mmio, semantics, scope) {
            (false, false, false, None, None) => Ok(Order::Unmarked),
            (true, false, false, None, None) => Ok(Order::Weak),
            (false, true, false, None, None) => Ok(Order::Volatile),
            (false, false, false, Some(semantics), Some(scope)) => Ok(Order::Strong(semantics, scope)),
            (false, false, false, Some(_), None) => Err("an ordering needs a scope".to_owned()),
            (false, false, true, Some(semantics), Some(Scope::Sys)) => Ok(Order::Mmio(semantics)),
            _ => Err("these ordering words do not go together".to_owned()),
        }
    }

    fn spell(self, s: &mut Spelling) {
        match self {
            Order::Unmarked => {}
            Order::Weak => {
                s.word("weak");
            }
            Order::Volatile => {
                s.word("volatile");
            }
            Order::Strong(semantics, scope) => {
                s.word(semantics.ptx()).word(scope.ptx());
            }
            Order::Mmio(semantics) => {
                s.word("mmio").word(semantics.ptx()).word("sys");
            }
        }
    }
}

fn hints(m: &mut Modifiers<'_>) -> Vec<CacheHint> {
    std::iter::from_fn(|| m.find(CacheHint::from_ptx)).collect()
}

fn policy(hinted: bool) -> &'static [Slot] {
    const POLICY: &[Slot] = &[Slot::source(ScalarType::B64)];
    if hinted { POLICY } else { &[] }
}

impl Ld {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let order = Order::decode(m, Semantics::Acquire)?;
        let (space, non_coherent) = (m.space(ACCESS_SPACES)?, m.take("nc"));
        if non_coherent && !(space == StateSpace::Global && matches!(order, Order::Unmarked | Order::Weak)) {
            return Err(".nc goes with weak loads from global memory only".to_owned());
        }
        let cache = m.find(CacheOperator::from_ptx);
        Ok(Ld { order, space, non_coherent, cache, hints: hints(m), vector: m.vector(), ty: m.ty()? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("ld");
        self.order.spell(&mut s);
        s.space(self.space).maybe(self.cache.map(CacheOperator::ptx)).flag(self.non_coherent, "nc");
        for hint in &self.hints {
            s.word(hint.ptx());
        }
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let required =
            [Slot::destination(self.ty).lanes(lanes(self.vector)), Slot::address(self.ty).lanes(lanes(self.vector))];
        slots(count, &required, policy(self.hints.contains(&CacheHint::L2CacheHint)))
    }
}

impl St {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let order = Order::decode(m, Semantics::Release)?;
        let space = m.space(ACCESS_SPACES)?;
        if space == StateSpace::Const {
            return Err("constant memory cannot be stored to".to_owned());
        }
        let cache = m.find(CacheOperator::from_ptx);
        Ok(St { order, space, cache, hints: hints(m), vector: m.vector(), ty: m.ty()? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("st");
        self.order.spell(&mut s);
        s.space(self.space).maybe(self.cache.map(CacheOperator::ptx));
        for hint in &self.hints {
            s.word(hint.ptx());
        }
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let required =
            [Slot::address(self.ty).lanes(lanes(self.vector)), Slot::source(self.ty).lanes(lanes(self.vector))];
        slots(count, &required, policy(self.hints.contains(&CacheHint::L2CacheHint)))
    }
}

impl Ldu {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        Ok(Ldu { space: m.space(&[StateSpace::Global])?, vector: m.vector(), ty: m.ty()? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("ldu");
        s.space(self.space).maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let lanes = lanes(self.vector);
        slots(count, &[Slot::destination(self.ty).lanes(lanes), Slot::address(self.ty).lanes(lanes)], &[])
    }
}

impl Atomic {
    pub(crate) fn decode(m: &mut Modifiers<'_>, returns: bool) -> Result<Self, Reason> {
        let op = m.need("operation", AtomicOp::from_ptx)?;
        if !returns && matches!(op, AtomicOp::Exch | AtomicOp::Cas) {
            return Err(format!("red has no .{op}"));
        }
        let allowed: &[Semantics] = if returns {
            &[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease]
        } else {
            &[Semantics::Relaxed, Semantics::Release]
        };
        Ok(Atomic {
            returns,
            op,
            semantics: m.semantics(allowed),
            scope: m.scope(),
            space: m.space(ATOMIC_SPACES)?,
            noftz: m.take("noftz"),
            cache_hint: m.take("L2::cache_hint"),
            vector: m.vector(),
            ty: m.ty()?,
        })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new(if self.returns { "atom" } else { "red" });
        s.maybe(self.semantics.map(Semantics::ptx)).maybe(self.scope.map(Scope::ptx)).space(self.space);
        s.word(self.op.ptx()).flag(self.noftz, "noftz").flag(self.cache_hint, "L2::cache_hint");
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let lanes = lanes(self.vector);
        let source = Slot::source(self.ty).lanes(lanes);
        let mut required = Vec::new();
        if self.returns {
            required.push(Slot::destination(self.ty).lanes(lanes));
        }
        required.extend([Slot::address(self.ty).lanes(lanes), source]);
        if self.op == AtomicOp::Cas {
            required.push(source);
        }
        slots(count, &required, policy(self.cache_hint))
    }
}

impl Multimem {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let kind = m.need("multimem operation", MultimemKind::from_ptx)?;
        let allowed: &[Semantics] = match kind {
            MultimemKind::LdReduce => &[Semantics::Weak, Semantics::Relaxed, Semantics::Acquire],
            MultimemKind::St => &[Semantics::Weak, Semantics::Relaxed, Semantics::Release],
            MultimemKind::Red => &[Semantics::Relaxed, Semantics::Release],
        };
        let semantics = m.semantics(allowed);
        let scope = m.scope();
        if semantics == Some(Semantics::Weak) && scope.is_some() {
            return Err(".weak has no scope".to_owned());
        }
        let op = match kind {
            MultimemKind::St => None,
            _ => Some(m.need("operation", |word| {
                AtomicOp::from_ptx(word)
                    .filter(|op| !matches!(op, AtomicOp::Exch | AtomicOp::Cas | AtomicOp::Inc | AtomicOp::Dec))
            })?),
        };
        let accumulator = m.one_of(&[("acc::f32", ScalarType::F32), ("acc::f16", ScalarType::F16)]);
        Ok(Multimem {
            kind,
            semantics,
            scope,
            op,
            accumulator,
            space: m.space(&[StateSpace::Global])?,
            vector: m.vector(),
            ty: m.ty()?,
        })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("multimem");
        s.word(self.kind.ptx()).maybe(self.semantics.map(Semantics::ptx)).maybe(self.scope.map(Scope::ptx));
        s.space(self.space).maybe(self.op.map(AtomicOp::ptx));
        s.maybe(self.accumulator.map(|ty| if ty == ScalarType::F32 { "acc::f32" } else { "acc::f16" }));
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let lanes = lanes(self.vector);
        let address = Slot::address(self.ty).lanes(lanes);
        match self.kind {
            MultimemKind::LdReduce => slots(count, &[Slot::destination(self.ty).lanes(lanes), address], &[]),
            _ => slots(count, &[address, Slot::source(self.ty).lanes(lanes)], &[]),
        }
    }
}

impl StAsync {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let weak = m.take("weak");
        if !m.take("shared::cluster") || !m.take("mbarrier::complete_tx::bytes") {
            return Err("only the form that completes on an mbarrier of the cluster is known".to_owned());
        }
        Ok(StAsync { weak, vector: m.vector(), ty: m.ty()? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("st");
        s.word("async").flag(self.weak, "weak").word("shared::cluster").word("mbarrier::complete_tx::bytes");
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let lanes = lanes(self.vector);
        let value = Slot::source(self.ty).lanes(lanes);
        slots(count, &[Slot::address(self.ty).lanes(lanes), value, Slot::address(ScalarType::B64)], &[])
    }
}
