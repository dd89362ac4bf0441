//! Values of an execution: numbers, or expressions over what loads of shared memory returned.

use std::collections::BTreeSet;
use std::rc::Rc;

/// Arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Compare {
    Eq,
    Ne,
    UGt,
    UGe,
    ULt,
    ULe,
    SGt,
    SGe,
    SLt,
    SLe,
}

/// What one load returned in one of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Read {
    /// The event of the thread.
    pub(crate) event: usize,
    /// The lane.
    pub(crate) lane: u32,
}

/// An expression that is not a number.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expression {
    /// What a load returned.
    Read(Read),
    /// A number.
    Known(u128),
    /// Arithmetic at so many bits.
    Binary(Binary, Rc<Expression>, Rc<Expression>, u32),
    /// A comparison at so many bits.
    Compare(Compare, Rc<Expression>, Rc<Expression>, u32),
    /// To so many bits from so many.
    Convert { value: Rc<Expression>, from: u32, to: u32, signed: bool },
    /// Something that depends on these reads. Equal numbers are the same value.
    Opaque(u32, Vec<Read>),
}

/// The number of an input that nothing in the kernel decides.
pub(crate) type Input = u32;

/// A scalar.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    /// The number, or an expression.
    pub(crate) number: Result<u128, Rc<Expression>>,
    /// Inputs that it was computed from.
    pub(crate) inputs: Option<Rc<BTreeSet<Input>>>,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// One.
    One(Scalar),
    /// Several.
    Many(Rc<Vec<Value>>),
}

/// The number cut to so many bits.
pub(crate) fn cut(number: u128, bits: u32) -> u128 {
    if bits == 0 || bits >= 128 { number } else { number & ((1 << bits) - 1) }
}

/// The number as signed.
pub(crate) fn signed(number: u128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 {
        return number as i128;
    }
    let shift = 128 - bits;
    ((number << shift) as i128) >> shift
}

impl Binary {
    /// The result, or none where the operation has none.
    pub(crate) fn apply(self, a: u128, b: u128, bits: u32) -> Option<u128> {
        let (a, b) = (cut(a, bits), cut(b, bits));
        let (sa, sb) = (signed(a, bits), signed(b, bits));
        let shift = u32::try_from(b).ok().filter(|&b| b < bits.max(1));
        let result = match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::Mul => a.wrapping_mul(b),
            Binary::UDiv => a.checked_div(b)?,
            Binary::URem => a.checked_rem(b)?,
            Binary::SDiv => sa.checked_div(sb)? as u128,
            Binary::SRem => sa.checked_rem(sb)? as u128,
            Binary::Shl => a.checked_shl(shift?)?,
            Binary::LShr => a.checked_shr(shift?)?,
            Binary::AShr => (sa >> shift?) as u128,
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
        };
        Some(cut(result, bits))
    }
}

impl Compare {
    /// Whether it holds.
    pub(crate) fn holds(self, a: u128, b: u128, bits: u32) -> bool {
        let (a, b) = (cut(a, bits), cut(b, bits));
        let (sa, sb) = (signed(a, bits), signed(b, bits));
        match self {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::UGt => a > b,
            Compare::UGe => a >= b,
            Compare::ULt => a < b,
            Compare::ULe => a <= b,
            Compare::SGt => sa > sb,
            Compare::SGe => sa >= sb,
            Compare::SLt => sa < sb,
            Compare::SLe => sa <= sb,
        }
    }

    /// The one that holds exactly where this one does not.
    pub(crate) fn negated(self) -> Compare {
        match self {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::UGt => Compare::ULe,
            Compare::UGe => Compare::ULt,
            Compare::ULt => Compare::UGe,
            Compare::ULe => Compare::UGt,
            Compare::SGt => Compare::SLe,
            Compare::SGe => Compare::SLt,
            Compare::SLt => Compare::SGe,
            Compare::SLe => Compare::SGt,
        }
    }

    /// The same with its sides exchanged.
    pub(crate) fn turned(self) -> Compare {
        match self {
            Compare::Eq | Compare::Ne => self,
            Compare::UGt => Compare::ULt,
            Compare::UGe => Compare::ULe,
            Compare::ULt => Compare::UGt,
            Compare::ULe => Compare::UGe,
            Compare::SGt => Compare::SLt,
            Compare::SGe => Compare::SLe,
            Compare::SLt => Compare::SGt,
            Compare::SLe => Compare::SGe,
        }
    }
}

impl Expression {
    /// The value where reads return what `of` says.
    pub(crate) fn evaluate(&self, of: &dyn Fn(Read) -> Option<u128>) -> Option<u128> {
        match self {
            Expression::Read(read) => of(*read),
            Expression::Known(number) => Some(*number),
            Expression::Binary(kind, a, b, bits) => kind.apply(a.evaluate(of)?, b.evaluate(of)?, *bits),
            Expression::Compare(kind, a, b, bits) => Some(kind.holds(a.evaluate(of)?, b.evaluate(of)?, *bits).into()),
            Expression::Convert { value, from, to, signed: extend } => {
                let value = value.evaluate(of)?;
                Some(if *extend { cut(signed(value, *from) as u128, *to) } else { cut(cut(value, *from), *to) })
            }
            Expression::Opaque(..) => None,
        }
    }

    /// One of the two words of 32 bits of a number of 64, where it was put together of such.
    pub(crate) fn word(&self, upper: bool) -> Option<Result<u128, Rc<Expression>>> {
        match self {
            Expression::Known(number) => Some(Ok(number >> if upper { 32 } else { 0 } & 0xffff_ffff)),
            Expression::Convert { value, from: 32, to: 64, signed: false } => {
                Some(if upper { Ok(0) } else { Err(Rc::clone(value)) })
            }
            Expression::Binary(Binary::Shl, value, by, 64) if matches!(by.as_ref(), Expression::Known(32)) => {
                if upper {
                    value.word(false)
                } else {
                    Some(Ok(0))
                }
            }
            Expression::Binary(op @ (Binary::Or | Binary::Add | Binary::Xor), a, b, 64) => {
                // What the lower words of a sum carry over is not followed.
                let low = |word: &Rc<Expression>| matches!(word.word(false), Some(Ok(0)));
                if matches!(op, Binary::Add) && upper && !low(a) && !low(b) {
                    return None;
                }
                match (a.word(upper)?, b.word(upper)?) {
                    (Ok(0), other) | (other, Ok(0)) => Some(other),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The reads that it depends on.
    pub(crate) fn reads(&self, into: &mut BTreeSet<Read>) {
        match self {
            Expression::Read(read) => {
                into.insert(*read);
            }
            Expression::Known(_) => {}
            Expression::Binary(_, a, b, _) | Expression::Compare(_, a, b, _) => {
                a.reads(into);
                b.reads(into);
            }
            Expression::Convert { value, .. } => value.reads(into),
            Expression::Opaque(_, reads) => into.extend(reads),
        }
    }

    /// The numbers in it.
    pub(crate) fn numbers(&self, into: &mut BTreeSet<u128>) {
        match self {
            Expression::Known(number) => {
                into.insert(*number);
            }
            Expression::Binary(_, a, b, _) | Expression::Compare(_, a, b, _) => {
                a.numbers(into);
                b.numbers(into);
            }
            Expression::Convert { value, .. } => value.numbers(into),
            Expression::Read(_) | Expression::Opaque(..) => {}
        }
    }

    /// How deep it is nested, up to a bound.
    fn size(&self, left: u32) -> u32 {
        if left == 0 {
            return 1;
        }
        match self {
            Expression::Binary(_, a, b, _) | Expression::Compare(_, a, b, _) => 1 + a.size(left - 1) + b.size(left - 1),
            Expression::Convert { value, .. } => 1 + value.size(left - 1),
            _ => 1,
        }
    }
}

/// Expressions beyond this are opaque.
const LARGEST: u32 = 24;

impl Scalar {
    /// A number.
    pub(crate) fn known(number: u128) -> Scalar {
        Scalar { number: Ok(number), inputs: None }
    }

    /// An expression, as an operand of another one.
    pub(crate) fn expression(&self) -> Rc<Expression> {
        match &self.number {
            Ok(number) => Rc::new(Expression::Known(*number)),
            Err(expression) => Rc::clone(expression),
        }
    }

    /// The number, if it is one.
    pub(crate) fn get(&self) -> Option<u128> {
        self.number.as_ref().ok().copied()
    }

    /// Combines two scalars.
    pub(crate) fn with(
        &self,
        other: &Scalar,
        number: impl FnOnce(u128, u128) -> Option<u128>,
        expression: impl FnOnce(Rc<Expression>, Rc<Expression>) -> Expression,
        fresh: &mut u32,
    ) -> Scalar {
        let inputs = join(self.inputs.as_ref(), other.inputs.as_ref());
        let number = match (&self.number, &other.number) {
            (Ok(a), Ok(b)) => number(*a, *b).ok_or_else(|| opaque(BTreeSet::new(), fresh)),
            _ => Err(bounded(expression(self.expression(), other.expression()), fresh)),
        };
        Scalar { number, inputs }
    }

    /// The reads that it depends on.
    pub(crate) fn reads(&self) -> BTreeSet<Read> {
        let mut reads = BTreeSet::new();
        if let Err(expression) = &self.number {
            expression.reads(&mut reads);
        }
        reads
    }
}

/// A value that is not known, and that no other equals.
pub(crate) fn opaque(reads: BTreeSet<Read>, fresh: &mut u32) -> Rc<Expression> {
    *fresh += 1;
    Rc::new(Expression::Opaque(*fresh, reads.into_iter().collect()))
}

/// The expression, or an opaque one where it is large.
pub(crate) fn bounded(expression: Expression, fresh: &mut u32) -> Rc<Expression> {
    if expression.size(6) <= LARGEST {
        return Rc::new(expression);
    }
    let mut reads = BTreeSet::new();
    expression.reads(&mut reads);
    opaque(reads, fresh)
}

/// Both sets of inputs.
pub(crate) fn join(a: Option<&Rc<BTreeSet<Input>>>, b: Option<&Rc<BTreeSet<Input>>>) -> Option<Rc<BTreeSet<Input>>> {
    match (a, b) {
        (None, None) => None,
        (Some(one), None) | (None, Some(one)) => Some(Rc::clone(one)),
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) || a.is_superset(b) => Some(Rc::clone(a)),
        (Some(a), Some(b)) => Some(Rc::new(a.union(b).copied().collect())),
    }
}

impl Value {
    /// A number.
    pub(crate) fn known(number: u128) -> Value {
        Value::One(Scalar::known(number))
    }

    /// The scalar; the first of several.
    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            Value::One(scalar) => scalar.clone(),
            Value::Many(all) => all.first().map_or_else(|| Scalar::known(0), Value::scalar),
        }
    }

    /// Every scalar in it.
    pub(crate) fn scalars(&self) -> Vec<Scalar> {
        match self {
            Value::One(scalar) => vec![scalar.clone()],
            Value::Many(all) => all.iter().flat_map(Value::scalars).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_sum_are_known_only_without_a_carry() {
        let of = |number| Rc::new(Expression::Opaque(number, Vec::new()));
        let wide = |value| Rc::new(Expression::Convert { value, from: 32, to: 64, signed: false });
        let high = |value| Rc::new(Expression::Binary(Binary::Shl, value, Rc::new(Expression::Known(32)), 64));
        let both = |op, a, b| Expression::Binary(op, a, b, 64);
        assert_eq!(both(Binary::Add, wide(of(1)), wide(of(2))).word(true), None);
        assert_eq!(both(Binary::Or, wide(of(1)), wide(of(2))).word(true), Some(Ok(0)));
        let packed = both(Binary::Add, wide(of(1)), high(wide(of(2))));
        assert_eq!(packed.word(true), Some(Err(of(2))));
        assert_eq!(packed.word(false), Some(Err(of(1))));
    }
}
