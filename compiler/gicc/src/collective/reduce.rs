//! Elements and how two of them are combined.
//!
//! | element | combined in | sum, prod | min, max | and, or, xor |
//! | --- | --- | --- | --- | --- |
//! | f16, bf16 | f32, rounded once at the end | yes | yes | refused |
//! | f32, f64 | itself | yes | yes | refused |
//! | i32, i64 | itself, modulo 2^n | yes | signed | yes |
//! | u32, u64 | itself, modulo 2^n | yes | unsigned | yes |
//!
//! Minimum and maximum of floating-point numbers give the number where one operand is NaN, and NaN where both are.

use gicc_abi::codes::{ElementType, ReduceOp};

use super::body::{Body, Scalar, Type, Value};

/// An element type and an operation on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    /// The elements.
    pub(crate) element: ElementType,
    /// The operation.
    pub(crate) op: ReduceOp,
}

/// Bytes of an element.
pub(crate) const fn bytes_of(element: ElementType) -> u32 {
    match element {
        ElementType::F16 | ElementType::Bf16 => 2,
        ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
        ElementType::F64 | ElementType::I64 | ElementType::U64 => 8,
    }
}

/// The element in memory.
pub(crate) const fn stored(element: ElementType) -> Scalar {
    match element {
        ElementType::F16 => Scalar::F16,
        ElementType::Bf16 => Scalar::Bf16,
        ElementType::F32 => Scalar::F32,
        ElementType::F64 => Scalar::F64,
        ElementType::I32 | ElementType::U32 => Scalar::I32,
        ElementType::I64 | ElementType::U64 => Scalar::I64,
    }
}

/// The type in which elements are combined.
pub(crate) const fn combined(element: ElementType) -> Scalar {
    match element {
        ElementType::F16 | ElementType::Bf16 => Scalar::F32,
        other => stored(other),
    }
}

/// Whether an element has 16 bits, and so is combined in a wider type.
pub(crate) const fn is_half(element: ElementType) -> bool {
    bytes_of(element) == 2
}

/// Elements as they are combined, from elements as they are stored.
pub(crate) fn widen(b: &mut Body, element: ElementType, v: Value) -> Value {
    match v.ty {
        Type::Lanes(n, _) if is_half(element) => b.cast("llvm.fpext", v, Type::Lanes(n, Scalar::F32)),
        _ => v,
    }
}

/// The way back from [`widen`], rounded to nearest even.
pub(crate) fn round(b: &mut Body, element: ElementType, v: Value) -> Value {
    match v.ty {
        Type::Lanes(n, _) if is_half(element) => b.cast("llvm.fptrunc", v, Type::Lanes(n, stored(element))),
        _ => v,
    }
}

impl Reduction {
    /// Whether the operation exists for the elements.
    pub(crate) const fn exists(self) -> bool {
        let bits = matches!(self.op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
        let integers =
            matches!(self.element, ElementType::I32 | ElementType::U32 | ElementType::I64 | ElementType::U64);
        integers || !bits
    }

    /// Two values of the combined type as one.
    pub(crate) fn combine(self, b: &mut Body, x: Value, y: Value) -> Value {
        let float = matches!(combined(self.element), Scalar::F32 | Scalar::F64);
        let signed = matches!(self.element, ElementType::I32 | ElementType::I64);
        let name = match (self.op, float, signed) {
            (ReduceOp::Sum, true, _) => "llvm.fadd",
            (ReduceOp::Sum, ..) => "llvm.add",
            (ReduceOp::Prod, true, _) => "llvm.fmul",
            (ReduceOp::Prod, ..) => "llvm.mul",
            (ReduceOp::Min, true, _) => "llvm.intr.minnum",
            (ReduceOp::Min, _, true) => "llvm.intr.smin",
            (ReduceOp::Min, ..) => "llvm.intr.umin",
            (ReduceOp::Max, true, _) => "llvm.intr.maxnum",
            (ReduceOp::Max, _, true) => "llvm.intr.smax",
            (ReduceOp::Max, ..) => "llvm.intr.umax",
            (ReduceOp::And, ..) => "llvm.and",
            (ReduceOp::Or, ..) => "llvm.or",
            (ReduceOp::Xor, ..) => "llvm.xor",
        };
        b.op(name, x, y)
    }
}
