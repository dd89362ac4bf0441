//! Types and state spaces (PTX ISA §5).

use crate::words::words;

words! {
    /// A fundamental, packed or alternate type (PTX ISA §5.2).
    ScalarType {
        Pred = "pred",
        B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128",
        U8 = "u8", U16 = "u16", U32 = "u32", U64 = "u64",
        S8 = "s8", S16 = "s16", S32 = "s32", S64 = "s64",
        F16 = "f16", F16x2 = "f16x2", F32 = "f32", F32x2 = "f32x2", F64 = "f64",
        Bf16 = "bf16", Bf16x2 = "bf16x2", Tf32 = "tf32",
        U16x2 = "u16x2", S16x2 = "s16x2",
        E4m3 = "e4m3", E5m2 = "e5m2", E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2", E4m3x4 = "e4m3x4", E5m2x4 = "e5m2x4",
    }
}

impl ScalarType {
    /// Width in bits; a predicate counts as one bit.
    pub const fn bits(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 | E4m3 | E5m2 => 8,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 => 16,
            B32 | U32 | S32 | F32 | F16x2 | Bf16x2 | Tf32 | U16x2 | S16x2 | E4m3x4 | E5m2x4 => 32,
            B64 | U64 | S64 | F64 | F32x2 => 64,
            B128 => 128,
        }
    }

    /// Width in bytes as it lies in memory (a predicate, which has no place in memory, counts as one).
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The elements of a packed type: how many, and how many bytes each. The memory model splits a packed access into
    /// them (PTX ISA §8.2.3). Any other type is one element.
    pub const fn packed(self) -> (u32, u32) {
        use ScalarType::*;
        match self {
            F16x2 | Bf16x2 | U16x2 | S16x2 => (2, 2),
            E4m3x2 | E5m2x2 => (2, 1),
            E4m3x4 | E5m2x4 => (4, 1),
            F32x2 => (2, 4),
            _ => (1, self.bytes()),
        }
    }

    /// Whether integers of this type have a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, ScalarType::S8 | ScalarType::S16 | ScalarType::S32 | ScalarType::S64)
    }

    /// Whether this is a type of whole numbers or bits of a fixed width.
    pub const fn is_integer(self) -> bool {
        use ScalarType::*;
        matches!(self, B8 | B16 | B32 | B64 | B128 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64)
    }

    /// Whether this is a floating-point type, packed ones included.
    pub const fn is_float(self) -> bool {
        use ScalarType::*;
        matches!(
            self,
            F16 | F16x2 | F32 | F32x2 | F64 | Bf16 | Bf16x2 | Tf32 | E4m3 | E5m2 | E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4
        )
    }
}

words! {
    /// A state space (PTX ISA §5.1). No space written means generic addressing.
    StateSpace {
        Generic = "generic",
        Global = "global",
        Shared = "shared",
        SharedCta = "shared::cta",
        SharedCluster = "shared::cluster",
        Const = "const",
        Local = "local",
        Param = "param",
        ParamEntry = "param::entry",
        ParamFunc = "param::func",
        Reg = "reg",
        Tex = "tex",
    }
}

impl StateSpace {
    /// Whether this is shared memory of one's own block (`.shared` means `.shared::cta`).
    pub const fn is_shared_cta(self) -> bool {
        matches!(self, StateSpace::Shared | StateSpace::SharedCta)
    }

    /// Whether this is any spelling of parameter space.
    pub const fn is_param(self) -> bool {
        matches!(self, StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc)
    }
}

words! {
    /// The number of scalars of a vector access.
    VectorSize { V2 = "v2", V4 = "v4", V8 = "v8" }
}

impl VectorSize {
    /// How many scalars.
    pub const fn lanes(self) -> u32 {
        match self {
            VectorSize::V2 => 2,
            VectorSize::V4 => 4,
            VectorSize::V8 => 8,
        }
    }
}

/// Lanes of an optional vector: a scalar is one lane.
pub(crate) fn lanes(vector: Option<VectorSize>) -> u32 {
    vector.map_or(1, VectorSize::lanes)
}
