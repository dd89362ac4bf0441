//! What an instruction of the table means in the memory model (PTX ISA §8, §9.7.9, §9.7.13).
//!
//! The words are those of `memory-model`; what an implementation may do with them is not said here. Defaults are the
//! manual's from PTX 6.0 on, where the memory model begins: a plain access is weak; `volatile` is relaxed at system
//! scope; `atom` and `red` are relaxed at gpu scope; `fence` without ordering is acquire and release; `membar` is
//! `fence.sc`; mbarrier arrivals release and waits acquire, at block scope; `multimem.red` is relaxed at system scope.
//!
//! `ldu`, whose data may not be written, is counted with the non-coherent loads.
//!
//! Limits: texture, surface, matrix and `tcgen05` instructions are not in the table, so they have no meaning here.

use crate::ast::Version;
use crate::instruction::{Instruction, Op};
use crate::op::{
    Atomic, AtomicOp, BarrierAction, BulkCompletion, CopyGroup, Ld, MbarrierAction, MembarLevel, MultimemKind, Order,
    ProxyKind, St,
};
use crate::types::{ScalarType, StateSpace, lanes};
use memory_model::{Proxy, Scope, Semantics};

/// The meaning of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Accesses to memory by the issuing thread.
    Access(Access),
    /// A fence.
    Fence {
        /// Ordering.
        semantics: Semantics,
        /// Scope.
        scope: Scope,
        /// Only operations on this space are ordered (`.sync_restrict`).
        restrict: Option<StateSpace>,
    },
    /// A fence between proxies; what it orders otherwise is said by the ordering, if it has one.
    ProxyFence {
        /// Between which proxies.
        kind: ProxyKind,
        /// Ordering of the one-directional forms.
        semantics: Option<Semantics>,
        /// Scope of the one-directional forms.
        scope: Option<Scope>,
    },
    /// `fence.mbarrier_init.release.cluster`: publishes the initialisation of mbarriers.
    MbarrierInitFence,
    /// A barrier over threads of the block; the number is the first operand that is no destination.
    Barrier {
        /// Whether it waits, only arrives, or waits and reduces.
        action: BarrierAction,
    },
    /// A barrier over the cluster.
    ClusterBarrier {
        /// It arrives rather than waits.
        arrive: bool,
        /// Release for an arrival, acquire for a wait, relaxed if written so.
        semantics: Semantics,
    },
    /// A barrier over lanes of the warp, which also orders their memory accesses.
    WarpBarrier,
    /// A copy by the asynchronous unit: reads the source and writes the destination, outside program order.
    AsyncCopy(AsyncCopy),
    /// Closes a group of asynchronous copies, or waits for some.
    CopyGroup(CopyGroup),
    /// An operation on an mbarrier.
    Mbarrier {
        /// What it does.
        action: MbarrierAction,
        /// Ordering, default filled in; operations that order nothing are relaxed.
        semantics: Semantics,
        /// Scope, default filled in.
        scope: Scope,
        /// State space.
        space: StateSpace,
    },
    /// `cp.async.mbarrier.arrive`: an arrival when this thread's earlier `cp.async` are complete.
    CopyArrival {
        /// State space of the mbarrier.
        space: StateSpace,
    },
    /// `griddepcontrol.wait` or `.launch_dependents`: ordering with the kernel before or behind.
    GridDependency {
        /// `.launch_dependents`
        launch: bool,
    },
}

/// Which kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A read.
    Load,
    /// A write.
    Store,
    /// An atomic read and write; a `red` (nothing returned) starts no acquire pattern (PTX ISA §8.11.1).
    ReadModifyWrite {
        /// The operation.
        op: AtomicOp,
        /// Whether the old value is returned.
        returns: bool,
    },
    /// A read of all replicas of a multimem address, reduced.
    MultimemLoad {
        /// The reduction.
        op: Option<AtomicOp>,
    },
    /// A write to all replicas of a multimem address.
    MultimemStore,
    /// A read and write of all replicas of a multimem address.
    MultimemReduce {
        /// The reduction.
        op: Option<AtomicOp>,
    },
}

/// Accesses to memory: `count` scalars of `width` bytes each, side by side, without mutual order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Load, store, or both.
    pub kind: AccessKind,
    /// Ordering, default filled in.
    pub semantics: Semantics,
    /// Scope; weak accesses have none.
    pub scope: Option<Scope>,
    /// Through which proxy.
    pub proxy: Proxy,
    /// Bytes of each scalar; a `.b128` is one scalar of 16.
    pub width: u32,
    /// How many scalars (PTX ISA §8.2.2: a vector access is that many scalar accesses).
    pub count: u32,
    /// State space.
    pub space: StateSpace,
    /// `.volatile` or `.mmio`: may be neither removed nor merged.
    pub volatile: bool,
}

/// An asynchronous copy. Where it completes on an mbarrier, that completion releases at cluster scope, through the
/// generic proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsyncCopy {
    /// Where to.
    pub destination: StateSpace,
    /// Where from; nothing where the value is an operand (`st.async`).
    pub source: Option<StateSpace>,
    /// Through which proxy. `cp.async` that is not bulk goes through the generic one.
    pub proxy: Proxy,
    /// How completion is told; nothing for `cp.async` that is not bulk, which is waited for by its groups.
    pub completion: Option<BulkCompletion>,
    /// Of a reducing copy: the scope at which each element's read-modify-write of the destination is relaxed and atomic.
    /// Everything else that a copy reads and writes is weak.
    pub reduces: Option<Scope>,
    /// Whether it goes to the same place in several blocks of the cluster.
    pub multicast: bool,
    /// Only a hint to the cache: nothing is written.
    pub prefetch: bool,
}

/// Why an instruction has no meaning in this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeaningError {
    /// The memory model begins with PTX 6.0.
    #[error("PTX {0} has no memory model; it begins with PTX 6.0")]
    NoModel(Version),
}

/// The first version with a memory model.
const FIRST: Version = Version { major: 6, minor: 0 };
/// From here on the manual says that reducing bulk copies are relaxed at system scope; before, at gpu scope.
const SYS_REDUCTIONS: Version = Version { major: 9, minor: 3 };

impl Instruction {
    /// What the instruction means in the memory model of the PTX version; nothing if it touches neither memory nor order.
    pub fn meaning(&self, version: Version) -> Result<Option<Meaning>, MeaningError> {
        match self.op.meaning() {
            Some(_) if version < FIRST => Err(MeaningError::NoModel(version)),
            Some(Meaning::AsyncCopy(mut copy)) if copy.reduces.is_some() && version >= SYS_REDUCTIONS => {
                copy.reduces = Some(Scope::Sys);
                Ok(Some(Meaning::AsyncCopy(copy)))
            }
            meaning => Ok(meaning),
        }
    }
}

impl Op {
    /// The meaning as of PTX 6.0 to 9.2 (see [`Instruction::meaning`] for what changed later).
    pub fn meaning(&self) -> Option<Meaning> {
        Some(match self {
            Op::Ld(ld) => Meaning::Access(load(ld)),
            Op::St(st) => Meaning::Access(store(st)),
            Op::Ldu(ldu) => Meaning::Access(Access {
                proxy: Proxy::Texture,
                ..access(AccessKind::Load, Order::Unmarked, ldu.ty, lanes(ldu.vector), ldu.space)
            }),
            Op::Atomic(atomic) => Meaning::Access(read_modify_write(atomic)),
            Op::Multimem(op) => {
                let (kind, default) = match op.kind {
                    MultimemKind::LdReduce => (AccessKind::MultimemLoad { op: op.op }, Semantics::Weak),
                    MultimemKind::St => (AccessKind::MultimemStore, Semantics::Weak),
                    MultimemKind::Red => (AccessKind::MultimemReduce { op: op.op }, Semantics::Relaxed),
                };
                let semantics = op.semantics.unwrap_or(default);
                Meaning::Access(Access {
                    kind,
                    semantics,
                    scope: semantics.is_strong().then_some(op.scope.unwrap_or(Scope::Sys)),
                    proxy: Proxy::Generic,
                    width: op.ty.packed().1,
                    count: lanes(op.vector) * op.ty.packed().0,
                    space: op.space,
                    volatile: false,
                })
            }
            Op::StAsync(_) => Meaning::AsyncCopy(AsyncCopy {
                destination: StateSpace::SharedCluster,
                source: None,
                proxy: Proxy::Generic,
                completion: Some(BulkCompletion::Mbarrier),
                reduces: None,
                multicast: false,
                prefetch: false,
            }),
            Op::Fence(fence) => Meaning::Fence {
                semantics: fence.semantics.unwrap_or(Semantics::AcquireRelease),
                scope: fence.scope,
                restrict: fence.restrict,
            },
            Op::Membar(level) => Meaning::Fence {
                semantics: Semantics::SequentiallyConsistent,
                scope: match level {
                    MembarLevel::Cta => Scope::Cta,
                    MembarLevel::Gl => Scope::Gpu,
                    MembarLevel::Sys => Scope::Sys,
                },
                restrict: None,
            },
            Op::FenceProxy(fence) => {
                Meaning::ProxyFence { kind: fence.kind, semantics: fence.semantics, scope: fence.scope }
            }
            Op::FenceMbarrierInit => Meaning::MbarrierInitFence,
            Op::Barrier(barrier) => Meaning::Barrier { action: barrier.action },
            Op::BarrierCluster(barrier) => Meaning::ClusterBarrier {
                arrive: barrier.arrive,
                semantics: barrier.semantics.unwrap_or(if barrier.arrive {
                    Semantics::Release
                } else {
                    Semantics::Acquire
                }),
            },
            Op::BarWarpSync => Meaning::WarpBarrier,
            Op::CpAsync(copy) => Meaning::AsyncCopy(AsyncCopy {
                destination: copy.destination,
                source: Some(StateSpace::Global),
                proxy: Proxy::Generic,
                completion: None,
                reduces: None,
                multicast: false,
                prefetch: false,
            }),
            Op::CpAsyncBulk(copy) => Meaning::AsyncCopy(AsyncCopy {
                destination: copy.destination,
                source: Some(copy.source),
                proxy: Proxy::Async,
                completion: Some(copy.completion),
                reduces: None,
                multicast: copy.multicast,
                prefetch: false,
            }),
            Op::CpReduceAsyncBulk(copy) => Meaning::AsyncCopy(AsyncCopy {
                destination: copy.destination,
                source: Some(copy.source),
                proxy: Proxy::Async,
                completion: Some(copy.completion),
                reduces: Some(Scope::Gpu),
                multicast: false,
                prefetch: false,
            }),
            Op::CpAsyncBulkTensor(copy) => Meaning::AsyncCopy(AsyncCopy {
                destination: copy.destination,
                source: Some(copy.source),
                proxy: Proxy::Async,
                completion: Some(copy.completion),
                reduces: copy.reduction.map(|_| Scope::Gpu),
                multicast: copy.multicast,
                prefetch: false,
            }),
            Op::CpAsyncBulkPrefetch(_) => Meaning::AsyncCopy(AsyncCopy {
                destination: StateSpace::Global,
                source: Some(StateSpace::Global),
                proxy: Proxy::Async,
                completion: None,
                reduces: None,
                multicast: false,
                prefetch: true,
            }),
            Op::CopyGroup(group) => Meaning::CopyGroup(*group),
            Op::CpAsyncMbarrierArrive(arrival) => Meaning::CopyArrival { space: arrival.space },
            Op::Mbarrier(op) if op.action == MbarrierAction::PendingCount => return None,
            Op::Mbarrier(op) => Meaning::Mbarrier {
                action: op.action,
                semantics: op.semantics.unwrap_or(match op.action {
                    action if action.arrives() => Semantics::Release,
                    action if action.waits() => Semantics::Acquire,
                    MbarrierAction::Init | MbarrierAction::Inval => Semantics::Weak,
                    _ => Semantics::Relaxed,
                }),
                scope: op.scope.unwrap_or(Scope::Cta),
                space: op.space,
            },
            Op::GridDepControl { launch } => Meaning::GridDependency { launch: *launch },
            Op::Vote(_)
            | Op::Match(_)
            | Op::Shfl(_)
            | Op::Redux(_)
            | Op::ElectSync
            | Op::ActiveMask
            | Op::Nanosleep
            | Op::SetMaxNReg { .. }
            | Op::Cvta(_)
            | Op::Mapa(_)
            | Op::GetCtaRank(_)
            | Op::IsSpaceP(_)
            | Op::Prefetch(_)
            | Op::CreatePolicy(_)
            | Op::Mov(_)
            | Op::Alu(_)
            | Op::Bra { .. }
            | Op::BrxIdx { .. }
            | Op::Call(_)
            | Op::Ret { .. }
            | Op::Exit
            | Op::Trap
            | Op::Brkpt => return None,
        })
    }
}

fn access(kind: AccessKind, order: Order, ty: ScalarType, count: u32, space: StateSpace) -> Access {
    let (semantics, scope) = match order {
        Order::Unmarked | Order::Weak => (Semantics::Weak, None),
        Order::Volatile => (Semantics::Relaxed, Some(Scope::Sys)),
        Order::Strong(semantics, scope) => (semantics, Some(scope)),
        Order::Mmio(semantics) => (semantics, Some(Scope::Sys)),
    };
    let volatile = matches!(order, Order::Volatile | Order::Mmio(_));
    Access {
        kind,
        semantics,
        scope,
        proxy: Proxy::Generic,
        width: ty.packed().1,
        count: count * ty.packed().0,
        space,
        volatile,
    }
}

fn load(ld: &Ld) -> Access {
    let proxy = match ld.space {
        StateSpace::Const => Proxy::Constant,
        StateSpace::Global if ld.non_coherent => Proxy::Texture,
        _ => Proxy::Generic,
    };
    Access { proxy, ..access(AccessKind::Load, ld.order, ld.ty, lanes(ld.vector), ld.space) }
}

fn store(st: &St) -> Access {
    access(AccessKind::Store, st.order, st.ty, lanes(st.vector), st.space)
}

fn read_modify_write(atomic: &Atomic) -> Access {
    Access {
        kind: AccessKind::ReadModifyWrite { op: atomic.op, returns: atomic.returns },
        semantics: atomic.semantics.unwrap_or(Semantics::Relaxed),
        scope: Some(atomic.scope.unwrap_or(Scope::Gpu)),
        proxy: Proxy::Generic,
        width: atomic.ty.packed().1,
        count: lanes(atomic.vector) * atomic.ty.packed().0,
        space: atomic.space,
        volatile: false,
    }
}
