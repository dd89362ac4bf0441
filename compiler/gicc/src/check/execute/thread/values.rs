//! Values of an execution: operands, arithmetic over numbers and expressions, and what instructions without effect give.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::decode::{Arg, Op, SHARED_WINDOW};
use super::super::value::{Binary, Compare, Expression, Scalar, Value, bounded, cut, join, opaque, signed};
use super::Run;

impl<'a> Run<'a> {
    /// A value that nothing is known of, but for what it depends on.
    pub(in crate::check::execute) fn unknown(&mut self, on: &[Scalar]) -> Scalar {
        let mut reads = BTreeSet::new();
        let mut inputs = None;
        for scalar in on {
            reads.extend(scalar.reads());
            inputs = join(inputs.as_ref(), scalar.inputs.as_ref());
        }
        Scalar { number: Err(opaque(reads, &mut self.fresh)), inputs }
    }

    pub(super) fn arg(&mut self, arg: &Arg, values: &[Option<Value>]) -> Value {
        match arg {
            Arg::Value(index) => match values.get(*index) {
                Some(Some(value)) => value.clone(),
                _ => Value::One(self.unknown(&[])),
            },
            Arg::Int(number) => Value::known(*number),
            Arg::Many(all) => {
                let all = all.iter().map(|arg| self.arg(arg, values)).collect();
                Value::Many(Rc::new(all))
            }
            Arg::Expression(op) => self.pure(op, values).unwrap_or_else(|| Value::One(self.unknown(&[]))),
            Arg::Unknown => Value::One(self.unknown(&[])),
        }
    }

    pub(super) fn scalar(&mut self, arg: &Arg, values: &[Option<Value>]) -> Scalar {
        self.arg(arg, values).scalar()
    }

    /// Applies to each part of vectors.
    fn lanes(&mut self, a: &Value, b: &Value, f: &mut dyn FnMut(&mut Self, &Scalar, &Scalar) -> Scalar) -> Value {
        match (a, b) {
            (Value::Many(a), Value::Many(b)) => {
                let all = a.iter().zip(b.iter()).map(|(a, b)| self.lanes(a, b, f)).collect();
                Value::Many(Rc::new(all))
            }
            (a, b) => Value::One(f(self, &a.scalar(), &b.scalar())),
        }
    }

    pub(in crate::check::execute) fn binary(&mut self, kind: Binary, a: &Scalar, b: &Scalar, bits: u32) -> Scalar {
        // What is the same whatever the other side is.
        match (kind, a.get(), b.get()) {
            (Binary::And, Some(0), _)
            | (Binary::And, _, Some(0))
            | (Binary::Mul, Some(0), _)
            | (Binary::Mul, _, Some(0)) => {
                return Scalar::known(0);
            }
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => return b.clone(),
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::LShr, _, Some(0)) => {
                return a.clone();
            }
            (Binary::Or, Some(1), _) | (Binary::Or, _, Some(1)) if bits == 1 => return Scalar::known(1),
            (Binary::And, Some(1), _) if bits == 1 => return b.clone(),
            (Binary::And, _, Some(1)) if bits == 1 => return a.clone(),
            _ => {}
        }
        a.with(b, |a, b| kind.apply(a, b, bits), |a, b| Expression::Binary(kind, a, b, bits), &mut self.fresh)
    }

    pub(in crate::check::execute) fn compare(&mut self, kind: Compare, a: &Scalar, b: &Scalar, bits: u32) -> Scalar {
        for (side, other) in [(a, b), (b, a)] {
            if let (Some(inputs), Some(number), None) = (&side.inputs, other.get(), &other.inputs)
                && inputs.len() == 1
                // What was read decides as much as the input.
                && side.number.is_ok()
            {
                for &input in inputs.iter() {
                    self.compared.entry(input).or_default().insert(number);
                }
            }
        }
        a.with(
            b,
            |a, b| Some(kind.holds(a, b, bits).into()),
            |a, b| Expression::Compare(kind, a, b, bits),
            &mut self.fresh,
        )
    }

    pub(in crate::check::execute) fn convert(&mut self, value: &Scalar, from: u32, to: u32, extend: bool) -> Scalar {
        let number = match &value.number {
            Ok(number) if extend => Ok(cut(signed(*number, from) as u128, to)),
            Ok(number) => Ok(cut(cut(*number, from), to)),
            Err(expression) => Err(bounded(
                Expression::Convert { value: Rc::clone(expression), from, to, signed: extend },
                &mut self.fresh,
            )),
        };
        Scalar { number, inputs: value.inputs.clone() }
    }

    /// What has no effect.
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    pub(super) fn pure(&mut self, op: &Op, values: &[Option<Value>]) -> Option<Value> {
        Some(match op {
            Op::Binary(kind, a, b, bits) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                self.lanes(&a, &b, &mut |this, a, b| this.binary(*kind, a, b, *bits))
            }
            Op::Compare(kind, a, b, bits) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                self.lanes(&a, &b, &mut |this, a, b| this.compare(*kind, a, b, *bits))
            }
            Op::Convert { value, from, to, signed } => {
                let value = self.arg(value, values);
                self.lanes(&value, &value, &mut |this, a, _| this.convert(a, *from, *to, *signed))
            }
            Op::Space(value, from, to) => {
                let value = self.scalar(value, values);
                let Some(address) = value.get() else { return Some(Value::One(value)) };
                let address = match (from, to) {
                    (3, 0) => address + u128::from(SHARED_WINDOW),
                    (0, 3) => address.wrapping_sub(SHARED_WINDOW.into()),
                    _ => address,
                };
                Value::One(Scalar { number: Ok(address), inputs: value.inputs })
            }
            Op::Copy(value) => self.arg(value, values),
            Op::Select(condition, a, b) => {
                let condition = self.scalar(condition, values);
                match self.decided(&condition) {
                    Some(true) => self.arg(a, values),
                    Some(false) => self.arg(b, values),
                    None => {
                        let (a, b) = (self.arg(a, values), self.arg(b, values));
                        // A condition that is combined with another one.
                        if let (Value::One(a), Value::One(b)) = (&a, &b) {
                            match (a.get(), b.get()) {
                                (_, Some(0)) if is_bit(a) => {
                                    return Some(Value::One(self.binary(Binary::And, &condition, a, 1)));
                                }
                                (Some(1), _) if is_bit(b) => {
                                    return Some(Value::One(self.binary(Binary::Or, &condition, b, 1)));
                                }
                                (Some(x), Some(y)) if x == y => return Some(Value::One(a.clone())),
                                (Some(1), Some(0)) => return Some(Value::One(condition)),
                                _ => {}
                            }
                        }
                        let mut all = vec![condition];
                        all.extend(a.scalars());
                        all.extend(b.scalars());
                        Value::One(self.unknown(&all))
                    }
                }
            }
            Op::Element { base, offset, terms, .. } => {
                let mut address = self.scalar(base, values);
                let start = Scalar::known(*offset as u64 as u128);
                address = self.binary(Binary::Add, &address, &start, 64);
                for (index, bits, size) in terms {
                    let index = self.scalar(index, values);
                    let index = self.convert(&index, *bits, 64, true);
                    let term = self.binary(Binary::Mul, &index, &Scalar::known(*size as u64 as u128), 64);
                    address = self.binary(Binary::Add, &address, &term, 64);
                }
                Value::One(address)
            }
            Op::Extract(value, path) => {
                let mut value = self.arg(value, values);
                for index in path {
                    let index = self.scalar(index, values).get().and_then(|i| usize::try_from(i).ok());
                    let part = match (&value, index) {
                        (Value::Many(all), Some(index)) => all.get(index).cloned(),
                        _ => None,
                    };
                    value = match part {
                        Some(part) => part,
                        None => Value::One(self.unknown(&value.scalars())),
                    };
                }
                value
            }
            Op::Insert(into, value, path) => {
                let into = self.arg(into, values);
                let value = self.arg(value, values);
                let mut at = Vec::new();
                for index in path {
                    at.push(self.scalar(index, values).get().and_then(|i| usize::try_from(i).ok())?);
                }
                self.insert(&into, value, &at)
            }
            Op::Shuffle(a, b, mask) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                let mut all = match (a, b) {
                    (Value::Many(a), Value::Many(b)) => a.iter().chain(b.iter()).cloned().collect(),
                    (a, b) => vec![a, b],
                };
                let picked = mask.iter().map(|index| match index.and_then(|i| all.get_mut(i).map(|v| v.clone())) {
                    Some(value) => value,
                    None => Value::One(self.unknown(&[])),
                });
                Value::Many(Rc::new(picked.collect()))
            }
            Op::Opaque(args) => {
                let mut all = Vec::new();
                for arg in args {
                    all.extend(self.arg(arg, values).scalars());
                }
                Value::One(self.unknown(&all))
            }
            _ => return None,
        })
    }

    fn insert(&mut self, into: &Value, value: Value, path: &[usize]) -> Value {
        let [first, rest @ ..] = path else { return value };
        if *first > 64 {
            return Value::One(self.unknown(&value.scalars()));
        }
        let mut all = match into {
            Value::Many(all) => all.as_ref().clone(),
            Value::One(_) => Vec::new(),
        };
        while all.len() <= *first {
            all.push(Value::One(self.unknown(&[])));
        }
        let inner = all[*first].clone();
        all[*first] = self.insert(&inner, value, rest);
        Value::Many(Rc::new(all))
    }
}

fn is_bit(scalar: &Scalar) -> bool {
    match &scalar.number {
        Ok(number) => *number <= 1,
        Err(expression) => matches!(
            expression.as_ref(),
            Expression::Compare(..) | Expression::Binary(_, _, _, 1) | Expression::Opaque(..)
        ),
    }
}
