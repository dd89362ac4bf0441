//! Read-modify-write operations.

use gicc_abi::sim::{Meta, Rmw};
use half::{bf16, f16};

use super::memory::{Way, check, read, write};
use super::{fail, fault, pace, polled, scheduler};
use crate::error::{AccessProblem, FaultKind};
use crate::schedule::Fault;
use crate::thread::current;

pub(super) extern "C" fn atomic(address: u64, operand: u64, expected: u64, operation: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    let bytes = meta.bytes();
    // SAFETY: programs run only while a thread is current; the access has been checked before it is done.
    unsafe {
        let Some(operation) = Rmw::from_code(operation) else { fault(thread, meta, FaultKind::BadRequest) };
        check(thread, address, bytes, meta, Way::Atomic);
        let old = read(address, bytes);
        let Some(new) = apply(operation, old, operand, expected, bytes) else {
            let problem = AccessProblem::Operation { what: "there is no such operation on this many bytes" };
            fail(thread, meta, Fault::Access { access: "atomic operation", address, bytes, problem })
        };
        write(address, bytes, new);
        if read(address, bytes) == old {
            polled(thread, address, old, meta);
        } else {
            scheduler(thread).progress = true;
            pace(thread, meta);
        }
        old
    }
}

pub(super) extern "C" fn atomic_wide(
    address: u64,
    old: *mut [u64; 2],
    new: *const [u64; 2],
    expected: *const [u64; 2],
    operation: u64,
    meta: u64,
) {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above; the three places are the program's own and have 16 bytes.
    unsafe {
        check(thread, address, 16, meta, Way::Atomic);
        let place = address as *mut [u64; 2];
        let was = place.read_unaligned();
        let write = match Rmw::from_code(operation) {
            Some(Rmw::Exchange) => true,
            Some(Rmw::CompareAndSwap) => was == expected.read_unaligned(),
            _ => fault(thread, meta, FaultKind::BadRequest),
        };
        let value = new.read_unaligned();
        old.write_unaligned(was);
        if write && was != value {
            place.write_unaligned(value);
            scheduler(thread).progress = true;
            pace(thread, meta);
        } else {
            polled(thread, address, was[0] ^ was[1].rotate_left(17), meta);
        }
    }
}

/// The new value, where the operation exists for the size.
pub(super) fn apply(operation: Rmw, old: u64, a: u64, expected: u64, bytes: u64) -> Option<u64> {
    let bits = 8 * bytes;
    let low = |v: u64| if bits >= 64 { v } else { v & ((1 << bits) - 1) };
    let signed = |v: u64| if bits >= 64 { v as i64 } else { (v << (64 - bits)) as i64 >> (64 - bits) };
    let pick = |condition: bool| if condition { a } else { old };
    Some(match operation {
        Rmw::Exchange => a,
        Rmw::CompareAndSwap => pick(old == low(expected)),
        Rmw::Add => old.wrapping_add(a),
        Rmw::Sub => old.wrapping_sub(a),
        Rmw::And => old & a,
        Rmw::Or => old | a,
        Rmw::Xor => old ^ a,
        Rmw::Nand => !(old & a),
        Rmw::MinSigned => pick(signed(a) < signed(old)),
        Rmw::MaxSigned => pick(signed(a) > signed(old)),
        Rmw::MinUnsigned => pick(low(a) < old),
        Rmw::MaxUnsigned => pick(low(a) > old),
        Rmw::IncrementWrap => {
            if old >= low(a) {
                0
            } else {
                old + 1
            }
        }
        Rmw::DecrementWrap => {
            if old == 0 || old > low(a) {
                a
            } else {
                old - 1
            }
        }
        Rmw::AddFloat => float(old, a, bytes, |x, y| x + y, |x, y| x + y)?,
        Rmw::SubFloat => float(old, a, bytes, |x, y| x - y, |x, y| x - y)?,
        Rmw::MinFloat => float(old, a, bytes, f32::min, f64::min)?,
        Rmw::MaxFloat => float(old, a, bytes, f32::max, f64::max)?,
        Rmw::AddHalf => halves(old, a, bytes, |x, y| f16::from_f32(x.to_f32() + y.to_f32())),
        Rmw::MinHalf => halves(old, a, bytes, |x, y| f16::from_f32(x.to_f32().min(y.to_f32()))),
        Rmw::MaxHalf => halves(old, a, bytes, |x, y| f16::from_f32(x.to_f32().max(y.to_f32()))),
        Rmw::AddBfloat => bfloats(old, a, bytes, |x, y| x + y),
        Rmw::MinBfloat => bfloats(old, a, bytes, f32::min),
        Rmw::MaxBfloat => bfloats(old, a, bytes, f32::max),
    })
}

fn float(old: u64, a: u64, bytes: u64, narrow: fn(f32, f32) -> f32, wide: fn(f64, f64) -> f64) -> Option<u64> {
    match bytes {
        4 => Some(narrow(f32::from_bits(old as u32), f32::from_bits(a as u32)).to_bits().into()),
        8 => Some(wide(f64::from_bits(old), f64::from_bits(a)).to_bits()),
        _ => None,
    }
}

fn halves(old: u64, a: u64, bytes: u64, f: fn(f16, f16) -> f16) -> u64 {
    (0..bytes / 2).fold(0, |word, i| {
        let part = |v: u64| f16::from_bits((v >> (16 * i)) as u16);
        word | u64::from(f(part(old), part(a)).to_bits()) << (16 * i)
    })
}

fn bfloats(old: u64, a: u64, bytes: u64, f: fn(f32, f32) -> f32) -> u64 {
    (0..bytes / 2).fold(0, |word, i| {
        let part = |v: u64| bf16::from_bits((v >> (16 * i)) as u16).to_f32();
        word | u64::from(bf16::from_f32(f(part(old), part(a))).to_bits()) << (16 * i)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_those_of_the_manual() {
        let on = |op, old, a| apply(op, old, a, 0, 4).unwrap() as u32;
        assert_eq!(on(Rmw::IncrementWrap, 3, 3), 0);
        assert_eq!(on(Rmw::IncrementWrap, 2, 3), 3);
        assert_eq!(on(Rmw::DecrementWrap, 0, 7), 7);
        assert_eq!(on(Rmw::DecrementWrap, 9, 7), 7);
        assert_eq!(on(Rmw::DecrementWrap, 5, 7), 4);
        assert_eq!(on(Rmw::MinSigned, 1, u64::from(-5i32 as u32)), -5i32 as u32);
        assert_eq!(on(Rmw::MaxUnsigned, 1, u64::from(-5i32 as u32)), -5i32 as u32);
        assert_eq!(apply(Rmw::CompareAndSwap, 4, 9, 4, 4), Some(9));
        assert_eq!(apply(Rmw::CompareAndSwap, 5, 9, 4, 4), Some(5));
        assert_eq!(on(Rmw::AddFloat, 1.5f32.to_bits().into(), 2.0f32.to_bits().into()), 3.5f32.to_bits());
        assert_eq!(apply(Rmw::AddFloat, 0, 0, 0, 2), None);
        let one = u64::from(f16::ONE.to_bits());
        assert_eq!(
            apply(Rmw::AddHalf, one << 16 | one, one, 0, 4),
            Some(one << 16 | u64::from(f16::from_f32(2.0).to_bits()))
        );
    }
}
