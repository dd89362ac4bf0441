//! Values of arithmetic and logic instructions (PTX ISA §9.7.1–§9.7.8).
//!
//! Integers and bits in full; single and double precision where the result is defined to be correctly rounded to
//! nearest. Approximate operations, other roundings, half precision and packed types are refused.

use super::error::TraceErrorKind;
use crate::op::{Alu, AluFlag, AluOp, AtomicOp, Combine, Compare, Rounding};
use crate::types::ScalarType;

/// What an instruction yields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) value: u128,
    /// The second destination of `d|p`.
    pub(super) second: Option<bool>,
    /// The carry, if the instruction sets it.
    pub(super) carry: Option<bool>,
}

type Result<T> = std::result::Result<T, TraceErrorKind>;

/// The low bits of a value.
pub(super) fn mask(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// The value of the low bits as a signed number.
pub(super) fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    ((value << shift) as i128) >> shift
}

/// A value of a type, extended to a register of another width as a load or conversion does it.
pub(super) fn extend(value: u128, ty: ScalarType, register_bits: u32) -> u128 {
    let value = if ty.is_signed() { signed(value, ty.bits()) as u128 } else { mask(value, ty.bits()) };
    mask(value, register_bits)
}

fn unsupported<T>(alu: &Alu) -> Result<T> {
    Err(TraceErrorKind::Unsupported(alu.spell().finish()))
}

fn undefined<T>(what: &str) -> Result<T> {
    Err(TraceErrorKind::UndefinedResult(what.to_owned()))
}

/// Executes on source values that are already cut to their types.
pub(super) fn evaluate(alu: &Alu, sources: &[u128], carry: bool) -> Result<Outcome> {
    let get = |i: usize| sources.get(i).copied().unwrap_or(0);
    let plain = |value: u128| Ok(Outcome { value: mask(value, alu.result_type().bits()), ..Outcome::default() });
    match alu.op {
        AluOp::Setp => {
            let holds = compare(alu, alu.ty, get(0), get(1))?;
            let with = |holds: bool| match alu.combine {
                None => holds,
                Some(combine) => combined(combine, holds, get(2) != 0),
            };
            Ok(Outcome { value: u128::from(with(holds)), second: Some(with(!holds)), carry: None })
        }
        AluOp::Set => {
            let holds = compare(alu, alu.source_ty.unwrap_or(alu.ty), get(0), get(1))?;
            let holds = alu.combine.map_or(holds, |combine| combined(combine, holds, get(2) != 0));
            plain(match (holds, alu.ty) {
                (false, _) => 0,
                (true, ScalarType::F32) => u128::from(1f32.to_bits()),
                (true, ty) if ty.is_integer() => u128::MAX,
                _ => return unsupported(alu),
            })
        }
        AluOp::Selp => plain(if get(2) != 0 { get(0) } else { get(1) }),
        AluOp::Slct => {
            let first = match alu.source_ty {
                Some(ScalarType::S32) => signed(get(2), 32) >= 0,
                Some(ScalarType::F32) => single(get(2), alu.has(AluFlag::Ftz)) >= 0.0,
                _ => return unsupported(alu),
            };
            plain(if first { get(0) } else { get(1) })
        }
        AluOp::Cvt => plain(convert(alu, get(0))?),
        _ if alu.ty.is_float() => plain(float(alu, sources)?),
        _ if matches!(alu.ty, ScalarType::U16x2 | ScalarType::S16x2) => unsupported(alu),
        _ => integer(alu, sources, carry),
    }
}

fn combined(combine: Combine, a: bool, b: bool) -> bool {
    match combine {
        Combine::And => a && b,
        Combine::Or => a || b,
        Combine::Xor => a ^ b,
    }
}

fn integer(alu: &Alu, sources: &[u128], carry: bool) -> Result<Outcome> {
    use AluOp::*;
    let (ty, bits) = (alu.ty, alu.ty.bits());
    let get = |i: usize| sources.get(i).copied().unwrap_or(0);
    let (a, b, c) = (get(0), get(1), get(2));
    let number = |value: u128| if ty.is_signed() { signed(value, bits) } else { mask(value, bits) as i128 };
    let (x, y, z) = (number(a), number(b), number(c));
    let saturate = |value: i128| match alu.has(AluFlag::Sat) {
        true => value.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as u128,
        false => value as u128,
    };
    let mut out = Outcome::default();
    let carry_in = u128::from(carry);
    let full = |value: u128| value >> bits & 1 != 0;
    out.value = match alu.op {
        Add | Addc => {
            let sum = mask(a, bits) + mask(b, bits) + if alu.op == Addc { carry_in } else { 0 };
            out.carry = alu.has(AluFlag::CarryOut).then(|| full(sum));
            if alu.has(AluFlag::Sat) { saturate(x + y) } else { sum }
        }
        Sub | Subc => {
            let borrow = if alu.op == Subc { carry_in } else { 0 };
            let difference = mask(a, bits).wrapping_sub(mask(b, bits)).wrapping_sub(borrow);
            out.carry = alu.has(AluFlag::CarryOut).then(|| full(difference));
            if alu.has(AluFlag::Sat) { saturate(x - y) } else { difference }
        }
        Mul | Mad | Madc => {
            let product = x.wrapping_mul(y);
            let part = if alu.has(AluFlag::Hi) { product >> bits } else { product };
            match alu.op {
                Mul => part as u128,
                _ if alu.has(AluFlag::Wide) => {
                    let third = if ty.is_signed() { signed(c, 2 * bits) } else { c as i128 };
                    part.wrapping_add(third) as u128
                }
                Mad if alu.has(AluFlag::Sat) => saturate(part.wrapping_add(z)),
                _ => {
                    let sum = mask(part as u128, bits) + mask(c, bits) + if alu.op == Madc { carry_in } else { 0 };
                    out.carry = alu.has(AluFlag::CarryOut).then(|| full(sum));
                    sum
                }
            }
        }
        Mul24 | Mad24 => {
            let cut = |value: u128| if ty.is_signed() { signed(value, 24) } else { mask(value, 24) as i128 };
            let product = cut(a) * cut(b);
            let part = if alu.has(AluFlag::Hi) { product >> 16 } else { product };
            match alu.op {
                Mul24 => part as u128,
                _ => saturate(part.wrapping_add(z)),
            }
        }
        Div | Rem if y == 0 => return undefined("division by zero"),
        Div => (x / y) as u128,
        Rem => (x % y) as u128,
        Sad => (z + (x - y).abs()) as u128,
        Abs => x.unsigned_abs(),
        Neg => x.wrapping_neg() as u128,
        Min => (if sources.len() > 2 { x.min(y).min(z) } else { x.min(y) }) as u128,
        Max => (if sources.len() > 2 { x.max(y).max(z) } else { x.max(y) }) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Not => !a,
        Cnot => u128::from(mask(a, bits) == 0),
        Shl => a.checked_shl(clamped(b)).unwrap_or(0),
        Shr if ty.is_signed() => (x >> clamped(b).min(127)) as u128,
        Shr => mask(a, bits).checked_shr(clamped(b)).unwrap_or(0),
        Shf => {
            let both = mask(b, 32) << 32 | mask(a, 32);
            let amount = if alu.has(AluFlag::Clamp) { clamped(c).min(32) } else { clamped(c) & 31 };
            if alu.has(AluFlag::Left) { both << amount >> 32 } else { both >> amount }
        }
        Popc => u128::from(mask(a, bits).count_ones()),
        Clz => u128::from(mask(a, bits).leading_zeros() - (128 - bits)),
        Brev => mask(a, bits).reverse_bits() >> (128 - bits),
        Bfind => {
            let magnitude = if ty.is_signed() && x < 0 { !x as u128 } else { mask(a, bits) };
            let magnitude = mask(magnitude, bits);
            match magnitude.checked_ilog2() {
                None => u128::from(u32::MAX),
                Some(bit) if alu.has(AluFlag::ShiftAmount) => u128::from(bits - 1 - bit),
                Some(bit) => u128::from(bit),
            }
        }
        Bfe => {
            let (position, length) = ((b & 0xff) as u32, (c & 0xff) as u32);
            extract_field(a, position, length, ty)
        }
        Bfi => {
            let (position, length) = ((c & 0xff) as u32, (get(3) & 0xff) as u32);
            let length = length.min(bits.saturating_sub(position));
            let field = mask(u128::MAX, length).checked_shl(position).unwrap_or(0);
            b & !field | a.checked_shl(position).unwrap_or(0) & field
        }
        Bmsk => {
            let (mut position, mut length) = (clamped(a), clamped(b));
            if alu.has(AluFlag::Wrap) {
                position &= 31;
                length &= 31;
            }
            mask(u128::MAX, length.min(32)).checked_shl(position).unwrap_or(0)
        }
        Szext => {
            let n = if alu.has(AluFlag::Wrap) { clamped(b) & 31 } else { clamped(b).min(32) };
            match (n, ty.is_signed()) {
                (0, _) => 0,
                (n, true) => signed(a, n) as u128,
                (n, false) => mask(a, n),
            }
        }
        Prmt => permute(alu, a, b, c)?,
        Lop3 => {
            let table = get(3);
            let bit = |i: u32| {
                let row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
                (table >> row & 1) << i
            };
            let value = (0..32).fold(0, |value, i| value | bit(i));
            if let Some(combine) = alu.combine {
                out.second = Some(combined(combine, value != 0, get(4) != 0));
            }
            value
        }
        Dp4a => {
            let element = |value: u128, ty: ScalarType, i: u32| {
                let byte = value >> (8 * i) & 0xff;
                if ty.is_signed() { signed(byte, 8) } else { byte as i128 }
            };
            let other = alu.source_ty.unwrap_or(ty);
            (0..4).fold(z, |sum, i| sum + element(a, ty, i) * element(b, other, i)) as u128
        }
        _ => return unsupported(alu),
    };
    out.value = mask(out.value, alu.result_type().bits());
    Ok(out)
}

fn clamped(amount: u128) -> u32 {
    mask(amount, 32).min(128) as u32
}

fn extract_field(a: u128, position: u32, length: u32, ty: ScalarType) -> u128 {
    let bits = ty.bits();
    if length == 0 {
        return 0;
    }
    let value = mask(a, bits);
    let sign_at = (position + length - 1).min(bits - 1);
    let fill = ty.is_signed() && value >> sign_at & 1 != 0;
    let mut out = 0u128;
    for i in 0..bits {
        let from = position + i;
        let bit = if i < length && from < bits { value >> from & 1 != 0 } else { fill };
        out |= u128::from(bit) << i;
    }
    out
}

fn permute(alu: &Alu, a: u128, b: u128, selector: u128) -> Result<u128> {
    let bytes = mask(b, 32) << 32 | mask(a, 32);
    let byte = |i: u128| bytes >> (8 * (i & 7)) & 0xff;
    let low = selector & 3;
    let indices: [u128; 4] = match alu.flags.first() {
        None => {
            let mut out = 0;
            for i in 0..4 {
                let nibble = selector >> (4 * i) & 0xf;
                let chosen = byte(nibble);
                let chosen = match nibble & 8 {
                    0 => chosen,
                    _ if chosen & 0x80 != 0 => 0xff,
                    _ => 0,
                };
                out |= chosen << (8 * i);
            }
            return Ok(out);
        }
        Some(AluFlag::F4e) => [low, low + 1, low + 2, low + 3],
        Some(AluFlag::B4e) => [low, low + 7, low + 6, low + 5],
        Some(AluFlag::Rc8) => [low; 4],
        Some(AluFlag::Ecl) => [0, 1, 2, 3].map(|i: u128| i.max(low)),
        Some(AluFlag::Ecr) => [0, 1, 2, 3].map(|i: u128| i.min(low)),
        Some(AluFlag::Rc16) => {
            let half = (selector & 1) * 2;
            [half, half + 1, half, half + 1]
        }
        Some(_) => return unsupported(alu),
    };
    Ok(indices.iter().enumerate().fold(0, |out, (i, index)| out | byte(*index) << (8 * i)))
}

fn single(bits: u128, flush: bool) -> f32 {
    let value = f32::from_bits(bits as u32);
    if flush && value.is_subnormal() { 0f32.copysign(value) } else { value }
}

fn compare(alu: &Alu, ty: ScalarType, a: u128, b: u128) -> Result<bool> {
    use Compare::*;
    let Some(compare) = alu.compare else { return unsupported(alu) };
    if ty.is_float() {
        let (x, y) = match ty {
            ScalarType::F32 => {
                let flush = alu.has(AluFlag::Ftz);
                (f64::from(single(a, flush)), f64::from(single(b, flush)))
            }
            ScalarType::F64 => (f64::from_bits(a as u64), f64::from_bits(b as u64)),
            _ => return unsupported(alu),
        };
        let unordered = x.is_nan() || y.is_nan();
        return Ok(match compare {
            Eq => x == y,
            Ne => !unordered && x != y,
            Lt => x < y,
            Le => x <= y,
            Gt => x > y,
            Ge => x >= y,
            Equ => unordered || x == y,
            Neu => unordered || x != y,
            Ltu => unordered || x < y,
            Leu => unordered || x <= y,
            Gtu => unordered || x > y,
            Geu => unordered || x >= y,
            Num => !unordered,
            Nan => unordered,
            Lo | Ls | Hi | Hs => return unsupported(alu),
        });
    }
    let bits = ty.bits();
    let (a, b) = (mask(a, bits), mask(b, bits));
    let order = if ty.is_signed() { signed(a, bits).cmp(&signed(b, bits)) } else { a.cmp(&b) };
    let unsigned = a.cmp(&b);
    Ok(match compare {
        Eq => a == b,
        Ne => a != b,
        Lt => order.is_lt(),
        Le => order.is_le(),
        Gt => order.is_gt(),
        Ge => order.is_ge(),
        Lo => unsigned.is_lt(),
        Ls => unsigned.is_le(),
        Hi => unsigned.is_gt(),
        Hs => unsigned.is_ge(),
        _ => return unsupported(alu),
    })
}

fn float(alu: &Alu, sources: &[u128]) -> Result<u128> {
    use AluOp::*;
    let get = |i: usize| sources.get(i).copied().unwrap_or(0);
    let nearest = matches!(alu.rounding, None | Some(Rounding::Rn));
    let plain_flags = alu.flags.iter().all(|flag| matches!(flag, AluFlag::Ftz | AluFlag::Sat));
    // Division, reciprocal and square root are correctly rounded only where that is written.
    let exact = alu.rounding == Some(Rounding::Rn) || !matches!(alu.op, Div | Rcp | Sqrt);
    if !nearest || !plain_flags || !exact {
        return unsupported(alu);
    }
    match alu.ty {
        ScalarType::F32 => {
            let flush = alu.has(AluFlag::Ftz);
            let (a, b, c) = (single(get(0), flush), single(get(1), flush), single(get(2), flush));
            let value = match alu.op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Mad | Fma => a.mul_add(b, c),
                Div => a / b,
                Min => minimum(a, b),
                Max => maximum(a, b),
                Neg => -a,
                Abs => a.abs(),
                Rcp => 1.0 / a,
                Sqrt => a.sqrt(),
                Copysign => b.copysign(a),
                _ => return unsupported(alu),
            };
            let value =
                if alu.has(AluFlag::Sat) { if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) } } else { value };
            let value = single(u128::from(value.to_bits()), flush);
            // The canonical NaN of PTX.
            let moves = matches!(alu.op, Neg | Abs | Copysign);
            Ok(u128::from(if value.is_nan() && !moves { 0x7fff_ffff } else { value.to_bits() }))
        }
        ScalarType::F64 => {
            let [a, b, c] = [get(0), get(1), get(2)].map(|bits| f64::from_bits(bits as u64));
            let value = match alu.op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Mad | Fma => a.mul_add(b, c),
                Div => a / b,
                Min => a.min(b),
                Max => a.max(b),
                Neg => -a,
                Abs => a.abs(),
                Rcp => 1.0 / a,
                Sqrt => a.sqrt(),
                Copysign => b.copysign(a),
                _ => return unsupported(alu),
            };
            Ok(u128::from(value.to_bits()))
        }
        _ => unsupported(alu),
    }
}

/// The lesser one; −0 is less than +0, and a number is preferred to a NaN.
fn minimum(a: f32, b: f32) -> f32 {
    if a == b && a.is_sign_negative() { a } else { a.min(b) }
}

fn maximum(a: f32, b: f32) -> f32 {
    if a == b && a.is_sign_positive() { a } else { a.max(b) }
}

fn convert(alu: &Alu, value: u128) -> Result<u128> {
    let (to, from) = (alu.ty, alu.source_ty.unwrap_or(alu.ty));
    let known = alu.flags.iter().all(|flag| matches!(flag, AluFlag::Ftz | AluFlag::Sat));
    if !known {
        return unsupported(alu);
    }
    match (from.is_integer(), to.is_integer()) {
        (true, true) => {
            let number = if from.is_signed() { signed(value, from.bits()) } else { mask(value, from.bits()) as i128 };
            if !alu.has(AluFlag::Sat) {
                return Ok(mask(number as u128, to.bits()));
            }
            let (low, high) = range(to);
            Ok(mask(number.clamp(low, high) as u128, to.bits()))
        }
        (true, false) => {
            let number = if from.is_signed() { signed(value, from.bits()) } else { mask(value, from.bits()) as i128 };
            if alu.has(AluFlag::Sat) || !matches!(alu.rounding, Some(Rounding::Rn)) {
                return unsupported(alu);
            }
            match to {
                ScalarType::F32 => Ok(u128::from((number as f32).to_bits())),
                ScalarType::F64 => Ok(u128::from((number as f64).to_bits())),
                _ => unsupported(alu),
            }
        }
        (false, true) => {
            let number = match from {
                ScalarType::F32 => f64::from(single(value, alu.has(AluFlag::Ftz))),
                ScalarType::F64 => f64::from_bits(value as u64),
                _ => return unsupported(alu),
            };
            let rounded = round(alu, number)?;
            if rounded.is_nan() {
                return unsupported(alu);
            }
            let (low, high) = range(to);
            Ok(mask((rounded as i128).clamp(low, high) as u128, to.bits()))
        }
        (false, false) => match (from, to, alu.rounding) {
            (ScalarType::F32, ScalarType::F64, None) if !alu.has(AluFlag::Sat) => {
                Ok(u128::from(f64::from(single(value, alu.has(AluFlag::Ftz))).to_bits()))
            }
            (ScalarType::F64, ScalarType::F32, Some(Rounding::Rn)) if !alu.has(AluFlag::Sat) => {
                let rounded = f64::from_bits(value as u64) as f32;
                Ok(u128::from(single(u128::from(rounded.to_bits()), alu.has(AluFlag::Ftz)).to_bits()))
            }
            (ScalarType::F32, ScalarType::F32, Some(_)) if !alu.has(AluFlag::Sat) => {
                let rounded = round(alu, f64::from(single(value, alu.has(AluFlag::Ftz))))?;
                Ok(u128::from((rounded as f32).to_bits()))
            }
            _ => unsupported(alu),
        },
    }
}

fn round(alu: &Alu, number: f64) -> Result<f64> {
    match alu.rounding {
        Some(Rounding::Rzi) => Ok(number.trunc()),
        Some(Rounding::Rni) => Ok(number.round_ties_even()),
        Some(Rounding::Rmi) => Ok(number.floor()),
        Some(Rounding::Rpi) => Ok(number.ceil()),
        _ => unsupported(alu),
    }
}

fn range(ty: ScalarType) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits.min(126)) - 1) }
}

/// What an atomic leaves in memory, and whether it writes at all.
pub(super) fn atomic(
    op: AtomicOp,
    ty: ScalarType,
    old: u128,
    b: u128,
    c: u128,
) -> std::result::Result<u128, TraceErrorKind> {
    let bits = ty.bits();
    let number = |value: u128| if ty.is_signed() { signed(value, bits) } else { mask(value, bits) as i128 };
    let refused = || TraceErrorKind::Unsupported(format!("an atomic .{op} of .{ty}"));
    let single = |value: u128| f32::from_bits(value as u32);
    let double = |value: u128| f64::from_bits(value as u64);
    let value = match (op, ty) {
        (AtomicOp::Exch, _) => b,
        (AtomicOp::Cas, _) => {
            if mask(old, bits) == mask(b, bits) {
                c
            } else {
                old
            }
        }
        (AtomicOp::Add, ScalarType::F32) => u128::from((single(old) + single(b)).to_bits()),
        (AtomicOp::Add, ScalarType::F64) => u128::from((double(old) + double(b)).to_bits()),
        _ if !ty.is_integer() => return Err(refused()),
        (AtomicOp::Add, _) => old.wrapping_add(b),
        (AtomicOp::And, _) => old & b,
        (AtomicOp::Or, _) => old | b,
        (AtomicOp::Xor, _) => old ^ b,
        (AtomicOp::Min, _) => number(old).min(number(b)) as u128,
        (AtomicOp::Max, _) => number(old).max(number(b)) as u128,
        (AtomicOp::Inc, _) => {
            if number(old) >= number(b) {
                0
            } else {
                old + 1
            }
        }
        (AtomicOp::Dec, _) => {
            if number(old) == 0 || number(old) > number(b) {
                b
            } else {
                old - 1
            }
        }
    };
    Ok(mask(value, bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Op;

    fn run(opcode: &str, sources: &[u128]) -> Outcome {
        let Ok(Op::Alu(alu)) = Op::from_opcode(opcode) else { panic!("{opcode}") };
        evaluate(&alu, sources, true).unwrap_or_else(|e| panic!("{opcode}: {e}"))
    }

    #[test]
    fn integers() {
        let m1 = u128::from(u32::MAX);
        let cases: &[(&str, &[u128], u128)] = &[
            ("add.s32", &[m1, 2], 1),
            ("sub.u32", &[1, 2], m1),
            ("mul.wide.s32", &[m1, 2], u128::from(u64::MAX - 1)),
            ("mul.wide.u32", &[m1, 2], 0x1_ffff_fffe),
            ("mul.hi.u32", &[m1, m1], 0xffff_fffe),
            ("mul.hi.s32", &[m1, m1], 0),
            ("mad.lo.s32", &[3, 4, m1], 11),
            ("mad.wide.u32", &[m1, m1, 1], 0xffff_fffe_0000_0002),
            ("div.s32", &[m1 - 6, 2], m1 - 2),
            ("rem.s32", &[m1 - 6, 2], m1),
            ("min.s32", &[m1, 1], m1),
            ("min.u32", &[m1, 1], 1),
            ("shr.s32", &[m1 - 7, 2], m1 - 1),
            ("shr.u32", &[m1, 40], 0),
            ("shl.b32", &[1, 33], 0),
            ("shl.b64", &[1, 33], 1 << 33),
            ("shf.l.wrap.b32", &[0x8000_0000, 1, 1], 3),
            ("shf.r.wrap.b32", &[0x8000_0000, 1, 31], 3),
            ("popc.b64", &[0xff << 40], 8),
            ("clz.b32", &[1], 31),
            ("bfind.u32", &[0x10], 4),
            ("bfind.shiftamt.u32", &[0x10], 27),
            ("bfind.s32", &[m1], m1),
            ("brev.b32", &[1], 0x8000_0000),
            ("bfe.u32", &[0xabcd, 4, 8], 0xbc),
            ("bfe.s32", &[0xabcd, 4, 8], 0xffff_ffbc),
            ("bfi.b32", &[0xf, 0, 4, 2], 0x30),
            ("prmt.b32", &[0x3322_1100, 0x7766_5544, 0x7531], 0x7755_3311),
            ("prmt.b32", &[0x80, 0, 0x8888], m1),
            ("lop3.b32", &[0b1100, 0b1010, 0b1111, 0xC0], 0b1000),
            ("sad.u32", &[3, 5, 10], 12),
            ("abs.s32", &[m1], 1),
            ("neg.s32", &[1], m1),
            ("cnot.b32", &[0], 1),
            ("selp.b32", &[1, 2, 0], 2),
            ("slct.u32.s32", &[1, 2, m1], 2),
            ("cvt.u32.u64", &[0x1_0000_0005], 5),
            ("cvt.s64.s32", &[m1], u128::from(u64::MAX)),
            ("cvt.sat.u8.s32", &[m1], 0),
            ("cvt.u64.u32", &[m1], m1),
            ("cvt.rn.f32.s32", &[m1], (-1f32).to_bits() as u128),
            ("cvt.rzi.s32.f32", &[(-2.7f32).to_bits() as u128], m1 - 1),
            ("add.f32", &[1f32.to_bits() as u128, 2f32.to_bits() as u128], 3f32.to_bits() as u128),
            (
                "fma.rn.f64",
                &[2f64.to_bits() as u128, 3f64.to_bits() as u128, 1f64.to_bits() as u128],
                7f64.to_bits() as u128,
            ),
            ("bmsk.clamp.b32", &[4, 4], 0xf0),
            ("addc.u32", &[1, 1], 3),
            ("dp4a.u32.u32", &[0x0101_0101, 0x0403_0201, 5], 15),
        ];
        for (opcode, sources, expected) in cases {
            assert_eq!(run(opcode, sources).value, *expected, "{opcode} {sources:x?}");
        }
    }

    #[test]
    fn predicates_and_carries() {
        let m1 = u128::from(u32::MAX);
        assert_eq!(run("setp.lt.s32", &[m1, 0]).value, 1);
        assert_eq!(run("setp.lt.u32", &[m1, 0]).value, 0);
        assert_eq!(run("setp.eq.and.s32", &[1, 1, 0]), Outcome { value: 0, second: Some(false), carry: None });
        assert_eq!(run("setp.ne.b64", &[1, 2]).second, Some(false));
        assert_eq!(run("add.cc.u32", &[m1, 1]).carry, Some(true));
        assert_eq!(run("sub.cc.u32", &[0, 1]).carry, Some(true));
        let nan = u128::from(f32::NAN.to_bits());
        assert_eq!(run("setp.neu.f32", &[nan, nan]).value, 1);
        assert_eq!(run("setp.ne.f32", &[nan, nan]).value, 0);
    }

    #[test]
    fn what_is_not_exact_is_refused() {
        for opcode in ["ex2.approx.f32", "div.full.f32", "add.rz.f32", "add.f16x2", "min.u16x2", "rcp.approx.ftz.f32"] {
            let Ok(Op::Alu(alu)) = Op::from_opcode(opcode) else { panic!("{opcode}") };
            assert!(matches!(evaluate(&alu, &[1, 1], false), Err(TraceErrorKind::Unsupported(name)) if name == opcode));
        }
        let Ok(Op::Alu(alu)) = Op::from_opcode("div.u32") else { panic!() };
        assert!(matches!(evaluate(&alu, &[1, 0], false), Err(TraceErrorKind::UndefinedResult(_))));
    }

    #[test]
    fn atomics() {
        let m1 = u128::from(u32::MAX);
        assert_eq!(atomic(AtomicOp::Add, ScalarType::U32, m1, 2, 0), Ok(1));
        assert_eq!(atomic(AtomicOp::Cas, ScalarType::B32, 5, 5, 7), Ok(7));
        assert_eq!(atomic(AtomicOp::Cas, ScalarType::B32, 5, 4, 7), Ok(5));
        assert_eq!(atomic(AtomicOp::Inc, ScalarType::U32, 3, 3, 0), Ok(0));
        assert_eq!(atomic(AtomicOp::Dec, ScalarType::U32, 0, 3, 0), Ok(3));
        assert_eq!(atomic(AtomicOp::Min, ScalarType::S32, m1, 2, 0), Ok(m1));
        assert!(atomic(AtomicOp::Add, ScalarType::F16x2, 0, 0, 0).is_err());
    }
}
