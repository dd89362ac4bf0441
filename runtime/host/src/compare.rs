//! Results against what the reference expects.

use serde::Serialize;

use crate::launch::Tolerance;
use crate::launch::element::{ElementType, Value};

/// Mismatches that are kept of each buffer on each PE.
pub const SHOWN: usize = 4;

/// An element that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mismatch {
    /// The buffer.
    pub buffer: String,
    /// The PE.
    pub pe: u32,
    /// The element.
    pub index: u64,
    /// What the reference computed.
    pub expected: String,
    /// What the kernel left.
    pub got: String,
    /// Whether the element still holds what it held before the first launch.
    pub untouched: bool,
}

/// All wrong elements of a buffer on a PE.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// How many.
    pub count: u64,
    /// The first ones.
    pub first: Vec<Mismatch>,
}

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The buffer's name.
    pub buffer: &'a str,
    /// The PE.
    pub pe: u32,
    /// The type of its elements.
    pub element: ElementType,
    /// How exact the result must be.
    pub tolerance: Tolerance,
    /// Contents before the first launch.
    pub initial: &'a [u8],
    /// What the reference computed.
    pub expected: &'a [u8],
    /// What the kernel left.
    pub got: &'a [u8],
}

/// Compares a buffer on a PE.
pub fn compare(c: Comparison<'_>) -> Difference {
    let mut difference = Difference::default();
    let bytes = c.element.bytes();
    let elements = c.initial.chunks_exact(bytes).zip(c.expected.chunks_exact(bytes)).zip(c.got.chunks_exact(bytes));
    for (index, ((initial, expected), got)) in elements.enumerate() {
        // Equal bits of a number that is none are still wrong.
        if expected == got && !c.element.is_real() {
            continue;
        }
        let (e, g) = (c.element.read(expected), c.element.read(got));
        // Where the kernel must leave an element alone, poison is what it must find.
        if (initial == expected && got == initial) || agrees(e, g, c.tolerance) {
            continue;
        }
        difference.count += 1;
        if difference.first.len() < SHOWN {
            difference.first.push(Mismatch {
                buffer: c.buffer.to_owned(),
                pe: c.pe,
                index: index as u64,
                expected: c.element.show(e),
                got: c.element.show(g),
                untouched: got == initial,
            });
        }
    }
    difference
}

fn agrees(expected: Value, got: Value, tolerance: Tolerance) -> bool {
    match (expected, got, tolerance) {
        (Value::Integer(e), Value::Integer(g), Tolerance::Exact) => e == g,
        (Value::Integer(e), Value::Integer(g), Tolerance::Within { absolute, relative }) => {
            (e - g).unsigned_abs() as f64 <= absolute + relative * e.unsigned_abs() as f64
        }
        (e, g, tolerance) => {
            let (e, g) = (e.to_f64(), g.to_f64());
            if e.is_nan() || g.is_nan() {
                return false;
            }
            match tolerance {
                Tolerance::Exact => e == g,
                // Infinities agree only with themselves.
                Tolerance::Within { .. } if e.is_infinite() || g.is_infinite() => e == g,
                Tolerance::Within { absolute, relative } => (e - g).abs() <= absolute + relative * e.abs(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(initial: &[f32], expected: &[f32], got: &[f32], tolerance: Tolerance) -> Difference {
        let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        compare(Comparison {
            buffer: "x",
            pe: 1,
            element: ElementType::F32,
            tolerance,
            initial: &bytes(initial),
            expected: &bytes(expected),
            got: &bytes(got),
        })
    }

    const CLOSE: Tolerance = Tolerance::Within { absolute: 0.01, relative: 0.1 };

    #[test]
    fn a_number_that_is_none_never_passes() {
        let nan = f32::NAN;
        assert_eq!(difference(&[0.0], &[nan], &[nan], CLOSE).count, 1);
        assert_eq!(difference(&[0.0], &[1.0], &[nan], CLOSE).count, 1);
        assert_eq!(difference(&[nan], &[1.0], &[nan], Tolerance::Exact).count, 1);
    }

    #[test]
    fn poison_passes_only_where_nothing_had_to_be_written() {
        let poison = f32::from_bits(0x7FE5_A5A5);
        assert_eq!(difference(&[poison; 2], &[poison, 1.0], &[poison; 2], Tolerance::Exact).first[0].index, 1);
        assert_eq!(difference(&[poison], &[poison], &[f32::NAN], Tolerance::Exact).count, 1);
    }

    #[test]
    fn tolerances_bound_the_distance() {
        assert_eq!(difference(&[0.0; 2], &[10.0; 2], &[11.0, 11.1], CLOSE).count, 1);
        assert_eq!(difference(&[0.0], &[10.0], &[10.0], Tolerance::Exact).count, 0);
        assert_eq!(difference(&[1.0], &[0.0], &[-0.0], Tolerance::Exact).count, 0);
        assert_eq!(difference(&[0.0], &[f32::INFINITY], &[3.0], CLOSE).count, 1);
        assert_eq!(difference(&[0.0], &[f32::INFINITY], &[f32::INFINITY], CLOSE).count, 0);
    }

    #[test]
    fn the_first_mismatches_are_kept_and_all_are_counted() {
        let d = difference(&[7.0; 10], &[1.0; 10], &[7.0; 10], Tolerance::Exact);
        assert_eq!((d.count, d.first.len()), (10, SHOWN));
        assert!(d.first[0].untouched);
    }
}
