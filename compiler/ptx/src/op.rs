//! The typed instruction table: one type per family, each with its modifiers.

pub mod address;
pub mod alu;
pub mod async_copy;
pub mod mbarrier;
pub mod memory;
pub mod sync;
pub mod warp;

pub use address::{ClusterAddress, CreatePolicy, Cvta, PolicyModifier, Prefetch, PrefetchLevel};
pub use alu::{Alu, AluFlag, AluOp, Combine, Compare, Mov, Rounding};
pub use async_copy::{
    BulkCompletion, BulkReduction, CopyGroup, CpAsync, CpAsyncBulk, CpAsyncBulkPrefetch, CpAsyncBulkTensor,
    CpAsyncMbarrierArrive, CpReduceAsyncBulk, L2Prefetch, TensorModifier,
};
pub use mbarrier::{Mbarrier, MbarrierAction};
pub use memory::{Atomic, AtomicOp, CacheHint, CacheOperator, Ld, Ldu, Multimem, MultimemKind, Order, St, StAsync};
pub use sync::{Barrier, BarrierAction, BarrierCluster, BarrierReduction, Fence, FenceProxy, MembarLevel, ProxyKind};
pub use warp::{Match, Redux, ReduxOp, Shfl, ShflMode, Vote, VoteMode};
