//! Asynchronous copies (PTX ISA §9.7.9.25 and its neighbours).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Role, Slot, slots};
use crate::types::{ScalarType, StateSpace};
use crate::words::words;

/// `cp.async`: up to 16 bytes from global to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsync {
    /// `.ca` rather than `.cg`.
    pub cache_all: bool,
    /// `.shared` or `.shared::cta`.
    pub destination: StateSpace,
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
    /// `.L2::128B` and its kin, without the dot.
    pub prefetch: Option<L2Prefetch>,
}

words! {
    /// Prefetch sizes.
    L2Prefetch { L2B64 = "L2::64B", L2B128 = "L2::128B", L2B256 = "L2::256B" }
}

words! {
    /// How the completion of a bulk copy is told.
    BulkCompletion { Mbarrier = "mbarrier::complete_tx::bytes", BulkGroup = "bulk_group" }
}

/// `cp.async.bulk`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsyncBulk {
    /// Where to.
    pub destination: StateSpace,
    /// Where from.
    pub source: StateSpace,
    /// How completion is told.
    pub completion: BulkCompletion,
    /// `.multicast::cluster`: a mask of blocks follows.
    pub multicast: bool,
    /// `.cp_mask`: a byte mask follows.
    pub byte_mask: bool,
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
}

words! {
    /// The operation of a reducing bulk copy.
    BulkReduction { And = "and", Or = "or", Xor = "xor", Add = "add", Inc = "inc", Dec = "dec", Min = "min", Max = "max" }
}

/// `cp.reduce.async.bulk`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpReduceAsyncBulk {
    /// Where to.
    pub destination: StateSpace,
    /// Where from.
    pub source: StateSpace,
    /// How completion is told.
    pub completion: BulkCompletion,
    /// The operation.
    pub op: BulkReduction,
    /// `.noftz`
    pub noftz: bool,
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
    /// Element type.
    pub ty: ScalarType,
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`: known as copies, their tensor modifiers kept as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsyncBulkTensor {
    /// The reduction, if it is a `cp.reduce`.
    pub reduction: Option<BulkReduction>,
    /// Where to.
    pub destination: StateSpace,
    /// Where from.
    pub source: StateSpace,
    /// How completion is told.
    pub completion: BulkCompletion,
    /// `1d` … `5d`.
    pub dimensions: u32,
    /// `.multicast::cluster`: a mask of blocks follows.
    pub multicast: bool,
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
    /// `tile`, `im2col`, `cta_group::1` and so on, as written, without the dots.
    pub modifiers: Vec<TensorModifier>,
}

words! {
    /// Modifiers of tensor copies that do not change what gicc has to know of them.
    TensorModifier {
        Tile = "tile", TileGather4 = "tile::gather4", TileScatter4 = "tile::scatter4",
        Im2col = "im2col", Im2colW = "im2col::w", Im2colW128 = "im2col::w::128", Im2colNoOffs = "im2col_no_offs",
        CtaGroup1 = "cta_group::1", CtaGroup2 = "cta_group::2",
    }
}

/// `cp.async.bulk.prefetch.L2`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsyncBulkPrefetch {
    /// `.L2::cache_hint`: a policy operand follows.
    pub cache_hint: bool,
}

/// Groups of asynchronous copies: closing one, waiting for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyGroup {
    /// `cp.async.commit_group`
    Commit,
    /// `cp.async.wait_group N`
    Wait,
    /// `cp.async.wait_all`
    WaitAll,
    /// `cp.async.bulk.commit_group`
    BulkCommit,
    /// `cp.async.bulk.wait_group N`; with `.read` only the sources may be reused.
    BulkWait {
        /// `.read`
        read: bool,
    },
}

/// `cp.async.mbarrier.arrive`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsyncMbarrierArrive {
    /// `.noinc`
    pub noinc: bool,
    /// State space of the mbarrier.
    pub space: StateSpace,
}

fn policy(hinted: bool) -> Option<Slot> {
    hinted.then_some(Slot::source(ScalarType::B64))
}

/// Destination space, then source space, in the order of the text.
fn route(m: &mut Modifiers<'_>) -> Result<(StateSpace, StateSpace), Reason> {
    let allowed = [StateSpace::Global, StateSpace::SharedCta, StateSpace::SharedCluster];
    let (destination, source) = (m.space(&allowed)?, m.space(&allowed)?);
    use StateSpace::{Global, SharedCluster, SharedCta};
    match (destination, source) {
        (SharedCluster | SharedCta, Global) | (SharedCluster, SharedCta) | (Global, SharedCta) => {
            Ok((destination, source))
        }
        _ => Err("this pair of state spaces is not known for a bulk copy".to_owned()),
    }
}

fn completion(m: &mut Modifiers<'_>) -> Result<BulkCompletion, Reason> {
    m.need("completion mechanism", BulkCompletion::from_ptx)
}

impl CpAsync {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let cache_all = m.one_of(&[("ca", true), ("cg", false)]).ok_or("neither .ca nor .cg")?;
        let destination = m.space(&[StateSpace::Shared, StateSpace::SharedCta])?;
        let source = m.space(&[StateSpace::Global])?;
        if destination == StateSpace::Generic || source == StateSpace::Generic {
            return Err("the state spaces are missing".to_owned());
        }
        let cache_hint = m.take("L2::cache_hint");
        Ok(CpAsync { cache_all, destination, cache_hint, prefetch: m.find(L2Prefetch::from_ptx) })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("async").word(if self.cache_all { "ca" } else { "cg" }).space(self.destination).word("global");
        s.flag(self.cache_hint, "L2::cache_hint").maybe(self.prefetch.map(L2Prefetch::ptx));
        s
    }

    /// The form whose fourth operand is a predicate (`ignore-src`) is not known.
    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let required = [Slot::address(ScalarType::B8), Slot::address(ScalarType::B8), Slot::constant(ScalarType::U32)];
        // With four operands and `.L2::cache_hint`, the fourth is the policy.
        let sized = (count > 3 + usize::from(self.cache_hint)).then_some(Slot::source(ScalarType::U32));
        let optional: Vec<Slot> = sized.into_iter().chain(policy(self.cache_hint)).collect();
        slots(count, &required, &optional)
    }
}

impl CpAsyncBulk {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let (destination, source) = route(m)?;
        Ok(CpAsyncBulk {
            destination,
            source,
            completion: completion(m)?,
            multicast: m.take("multicast::cluster"),
            byte_mask: m.take("cp_mask"),
            cache_hint: m.take("L2::cache_hint"),
        })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("async").word("bulk").space(self.destination).space(self.source).word(self.completion.ptx());
        s.flag(self.multicast, "multicast::cluster").flag(self.cache_hint, "L2::cache_hint");
        s.flag(self.byte_mask, "cp_mask");
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let mut required =
            vec![Slot::address(ScalarType::B8), Slot::address(ScalarType::B8), Slot::source(ScalarType::U32)];
        if self.completion == BulkCompletion::Mbarrier {
            required.push(Slot::address(ScalarType::B64));
        }
        if self.multicast {
            required.push(Slot::source(ScalarType::U16));
        }
        required.extend(policy(self.cache_hint));
        if self.byte_mask {
            required.push(Slot::source(ScalarType::U16));
        }
        slots(count, &required, &[])
    }
}

impl CpReduceAsyncBulk {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let (destination, source) = route(m)?;
        Ok(CpReduceAsyncBulk {
            destination,
            source,
            completion: completion(m)?,
            op: m.need("operation", BulkReduction::from_ptx)?,
            noftz: m.take("noftz"),
            cache_hint: m.take("L2::cache_hint"),
            ty: m.ty()?,
        })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("reduce").word("async").word("bulk").space(self.destination).space(self.source);
        s.word(self.completion.ptx()).flag(self.cache_hint, "L2::cache_hint").word(self.op.ptx());
        s.flag(self.noftz, "noftz").word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let mut required = vec![Slot::address(self.ty), Slot::address(self.ty), Slot::source(ScalarType::U32)];
        if self.completion == BulkCompletion::Mbarrier {
            required.push(Slot::address(ScalarType::B64));
        }
        required.extend(policy(self.cache_hint));
        slots(count, &required, &[])
    }
}

impl CpAsyncBulkTensor {
    pub(crate) fn decode(m: &mut Modifiers<'_>, reduces: bool) -> Result<Self, Reason> {
        let dimensions = m
            .one_of(&[("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)])
            .ok_or("the number of dimensions is missing")?;
        let (destination, source) = route(m)?;
        let completion = completion(m)?;
        let multicast = m.take("multicast::cluster");
        let cache_hint = m.take("L2::cache_hint");
        let reduction = if reduces { Some(m.need("operation", BulkReduction::from_ptx)?) } else { None };
        let modifiers = std::iter::from_fn(|| m.find(TensorModifier::from_ptx)).collect();
        Ok(CpAsyncBulkTensor {
            reduction,
            destination,
            source,
            completion,
            dimensions,
            multicast,
            cache_hint,
            modifiers,
        })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.flag(self.reduction.is_some(), "reduce").word("async").word("bulk").word("tensor");
        s.word(&format!("{}d", self.dimensions)).space(self.destination).space(self.source);
        s.maybe(self.reduction.map(BulkReduction::ptx));
        for modifier in &self.modifiers {
            s.word(modifier.ptx());
        }
        s.word(self.completion.ptx());
        s.flag(self.multicast, "multicast::cluster").flag(self.cache_hint, "L2::cache_hint");
        s
    }

    /// Destination and source (one of them with tensor coordinates), the mbarrier, im2col offsets, mask, policy.
    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let mut required = vec![Slot::address(ScalarType::B8), Slot::address(ScalarType::B8)];
        if self.completion == BulkCompletion::Mbarrier {
            required.push(Slot::address(ScalarType::B64));
        }
        let mut tail: Vec<Slot> = Vec::new();
        if self.multicast {
            tail.push(Slot::source(ScalarType::U16));
        }
        tail.extend(policy(self.cache_hint));
        let offsets = [TensorModifier::Im2col, TensorModifier::Im2colW, TensorModifier::Im2colW128];
        let has_offsets = self.modifiers.iter().any(|modifier| offsets.contains(modifier));
        match count.checked_sub(required.len() + tail.len()) {
            Some(0) => {}
            Some(1) if has_offsets => {
                // Between one and three 16-bit offsets in braces.
                required.push(Slot::new(Role::Source, ScalarType::U16, self.dimensions.saturating_sub(2).max(1)));
            }
            _ => return None,
        }
        required.append(&mut tail);
        Some(required)
    }
}

impl CpAsyncBulkPrefetch {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        if !m.take("L2") || m.space(&[StateSpace::Global])? != StateSpace::Global {
            return Err("only .L2.global is known".to_owned());
        }
        Ok(CpAsyncBulkPrefetch { cache_hint: m.take("L2::cache_hint") })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("async").word("bulk").word("prefetch").word("L2").word("global").flag(self.cache_hint, "L2::cache_hint");
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let policy: Vec<Slot> = policy(self.cache_hint).into_iter().collect();
        let mut required = vec![Slot::address(ScalarType::B8), Slot::source(ScalarType::U32)];
        required.extend(policy);
        slots(count, &required, &[])
    }
}

impl CopyGroup {
    pub(crate) fn spell(self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("async");
        match self {
            CopyGroup::Commit => s.word("commit_group"),
            CopyGroup::Wait => s.word("wait_group"),
            CopyGroup::WaitAll => s.word("wait_all"),
            CopyGroup::BulkCommit => s.word("bulk").word("commit_group"),
            CopyGroup::BulkWait { read } => s.word("bulk").word("wait_group").flag(read, "read"),
        };
        s
    }

    pub(crate) fn slots(self, count: usize) -> Option<Vec<Slot>> {
        match self {
            CopyGroup::Wait | CopyGroup::BulkWait { .. } => slots(count, &[Slot::constant(ScalarType::U32)], &[]),
            _ => slots(count, &[], &[]),
        }
    }
}

impl CpAsyncMbarrierArrive {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let noinc = m.take("noinc");
        let space = m.space(&[StateSpace::Shared, StateSpace::SharedCta])?;
        m.exact_ty(ScalarType::B64)?;
        Ok(CpAsyncMbarrierArrive { noinc, space })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("cp");
        s.word("async").word("mbarrier").word("arrive").flag(self.noinc, "noinc").space(self.space).word("b64");
        s
    }
}
