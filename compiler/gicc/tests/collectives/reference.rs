//! What must come out: exact sums and products, or as exact as matters, and how far a result may be from them.

use gicc_abi::codes::{ElementType, ReduceOp};
use half::{bf16, f16};
use rand::RngExt as _;
use rand::rngs::StdRng;

use crate::case::bytes_of;

/// An element's bits.
pub(crate) type Bits = u64;

/// An element's value as a number of double precision; exact but for 64-bit integers, which nobody asks.
pub(crate) fn value(element: ElementType, bits: Bits) -> f64 {
    match element {
        ElementType::F16 => f16::from_bits(bits as u16).to_f64(),
        ElementType::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        ElementType::F32 => f32::from_bits(bits as u32).into(),
        ElementType::F64 => f64::from_bits(bits),
        _ => bits as f64,
    }
}

fn float_bits(element: ElementType, value: f64) -> Bits {
    match element {
        ElementType::F16 => f16::from_f64(value).to_bits().into(),
        ElementType::Bf16 => bf16::from_f64(value).to_bits().into(),
        ElementType::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// A random element for an operation.
pub(crate) fn draw(element: ElementType, op: Option<ReduceOp>, random: &mut StdRng) -> Bits {
    let word = |random: &mut StdRng| random.random::<u64>();
    match element {
        ElementType::I32 | ElementType::U32 => word(random) & 0xffff_ffff,
        ElementType::I64 | ElementType::U64 => word(random),
        _ => match op {
            // Any bits travel.
            None => word(random) & (u64::MAX >> (64 - 8 * bytes_of(element))),
            Some(ReduceOp::Prod) => float_bits(element, random.random_range(0.5..1.6)),
            Some(ReduceOp::Min | ReduceOp::Max) if random.random_range(0..8) == 0 => float_bits(element, f64::NAN),
            _ => float_bits(element, random.random_range(-1.0..1.0)),
        },
    }
}

/// Whether `got` is a right combination of `all`.
pub(crate) fn is_right(element: ElementType, op: ReduceOp, all: &[Bits], got: Bits) -> bool {
    match element {
        ElementType::I32 => {
            integer(op, all.iter().map(|b| *b as u32 as i32), |a, b| a.wrapping_add(b), |a, b| a.wrapping_mul(b)) as u32
                == got as u32
        }
        ElementType::U32 => {
            integer(op, all.iter().map(|b| *b as u32), |a, b| a.wrapping_add(b), |a, b| a.wrapping_mul(b)) == got as u32
        }
        ElementType::I64 => {
            integer(op, all.iter().map(|b| *b as i64), |a, b| a.wrapping_add(b), |a, b| a.wrapping_mul(b)) as u64 == got
        }
        ElementType::U64 => integer(op, all.iter().copied(), |a, b| a.wrapping_add(b), |a, b| a.wrapping_mul(b)) == got,
        _ => float(element, op, all, value(element, got)),
    }
}

fn integer<T>(op: ReduceOp, all: impl Iterator<Item = T>, sum: impl Fn(T, T) -> T, prod: impl Fn(T, T) -> T) -> T
where
    T: Ord + Copy + Default + std::ops::BitAnd<Output = T> + std::ops::BitOr<Output = T> + std::ops::BitXor<Output = T>,
{
    all.reduce(|a, b| match op {
        ReduceOp::Sum => sum(a, b),
        ReduceOp::Prod => prod(a, b),
        ReduceOp::Min => a.min(b),
        ReduceOp::Max => a.max(b),
        ReduceOp::And => a & b,
        ReduceOp::Or => a | b,
        ReduceOp::Xor => a ^ b,
    })
    .unwrap_or_default()
}

/// Sums and products exact to about 100 bits: the value and what its rounding lost.
fn exact(op: ReduceOp, all: &[f64]) -> (f64, f64) {
    let mut high = all[0];
    let mut low = 0.0;
    for &x in &all[1..] {
        if op == ReduceOp::Sum {
            let sum = high + x;
            let part = sum - high;
            low += (high - (sum - part)) + (x - part);
            high = sum;
        } else {
            let product = high * x;
            low = low * x + high.mul_add(x, -product);
            high = product;
        }
    }
    (high, low)
}

fn float(element: ElementType, op: ReduceOp, all: &[Bits], got: f64) -> bool {
    let values: Vec<f64> = all.iter().map(|b| value(element, *b)).collect();
    match op {
        ReduceOp::Min | ReduceOp::Max => {
            let best = values.iter().copied().fold(f64::NAN, if op == ReduceOp::Min { f64::min } else { f64::max });
            got == best || (got.is_nan() && best.is_nan())
        }
        _ => {
            let (high, low) = exact(op, &values);
            let error = ((got - high) - low).abs();
            // Each step rounds once, in the type in which elements are combined; 16-bit elements once more at the end.
            let size: f64 = match op {
                ReduceOp::Sum => values.iter().map(|v| v.abs()).sum(),
                _ => high.abs() * 1.01,
            };
            let (step, last) = match element {
                ElementType::F16 => (2f64.powi(-24), 2f64.powi(-11)),
                ElementType::Bf16 => (2f64.powi(-24), 2f64.powi(-8)),
                ElementType::F32 => (2f64.powi(-24), 0.0),
                _ => (2f64.powi(-53), 0.0),
            };
            let subnormal = if element == ElementType::F16 { 2f64.powi(-25) } else { 0.0 };
            error <= step * (all.len() - 1) as f64 * size * 1.0001 + last * high.abs() * 1.01 + subnormal
        }
    }
}
