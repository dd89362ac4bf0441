//! Predefined registers (PTX ISA §10).

use crate::operand::Component;
use crate::words::words;
use std::fmt;

words! {
    /// A predefined register that has no components.
    ScalarSpecial {
        LaneId = "%laneid", WarpId = "%warpid", NWarpId = "%nwarpid", SmId = "%smid", NSmId = "%nsmid",
        GridId = "%gridid", WarpSize = "WARP_SZ",
        IsExplicitCluster = "%is_explicit_cluster", ClusterCtaRank = "%cluster_ctarank", ClusterNCtaRank = "%cluster_nctarank",
        LaneMaskEq = "%lanemask_eq", LaneMaskLe = "%lanemask_le", LaneMaskLt = "%lanemask_lt",
        LaneMaskGe = "%lanemask_ge", LaneMaskGt = "%lanemask_gt",
        Clock = "%clock", ClockHi = "%clock_hi", Clock64 = "%clock64",
        GlobalTimer = "%globaltimer", GlobalTimerLo = "%globaltimer_lo", GlobalTimerHi = "%globaltimer_hi",
        TotalSmemSize = "%total_smem_size", AggrSmemSize = "%aggr_smem_size", DynamicSmemSize = "%dynamic_smem_size",
        CurrentGraphExec = "%current_graph_exec",
    }
}

words! {
    /// A predefined register with components x, y, z.
    VectorSpecial {
        Tid = "%tid", NTid = "%ntid", CtaId = "%ctaid", NCtaId = "%nctaid",
        ClusterId = "%clusterid", NClusterId = "%nclusterid", ClusterCtaId = "%cluster_ctaid", ClusterNCtaId = "%cluster_nctaid",
    }
}

/// A predefined register as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    /// One without components.
    Scalar(ScalarSpecial),
    /// One component.
    Vector(VectorSpecial, Component),
}

impl SpecialRegister {
    /// Width of the register in bits.
    pub const fn bits(self) -> u32 {
        match self {
            SpecialRegister::Scalar(
                ScalarSpecial::GridId
                | ScalarSpecial::Clock64
                | ScalarSpecial::GlobalTimer
                | ScalarSpecial::CurrentGraphExec,
            ) => 64,
            SpecialRegister::Scalar(ScalarSpecial::IsExplicitCluster) => 1,
            _ => 32,
        }
    }
}

impl fmt::Display for SpecialRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecialRegister::Scalar(scalar) => write!(f, "{scalar}"),
            SpecialRegister::Vector(vector, component) => write!(f, "{vector}.{}", component.ptx()),
        }
    }
}
