//! Initial contents of buffers.

use super::diagnostic::Diagnostic;
use super::draw::Drawn;
use super::element::Value;
use super::expression::Expression;
use super::random::Random;
use super::{At, Buffer, Description, Init, Scalar};

/// The bytes of buffer `index` on PE `pe` before the first launch.
pub fn fill(description: &Description, drawn: &Drawn, index: usize, pe: u32) -> Result<Vec<u8>, Diagnostic> {
    let buffer = &description.buffers[index];
    let (element, length) = (buffer.element, drawn.lengths[index]);
    let mut random = Random::new(drawn.seed, &buffer.name.value, pe.into());
    let mut out = Vec::with_capacity(length as usize * element.bytes());
    let value = |e: &At<Expression>, i: u64| {
        let error = |message: String, help: &str| {
            let help = format!("{help} (seed {}, PE {pe} of {}, element {i})", drawn.seed, drawn.n_pes);
            description.source.error(&e.span, message, help)
        };
        let value = e
            .value
            .evaluate(&drawn.values(pe, 0, i))
            .map_err(|m| error(m, "the value must exist for every element"))?;
        match element.range() {
            Some((least, most)) if !(least..=most).contains(&i128::from(value)) => Err(error(
                format!("{value} does not fit in {}", element.name()),
                &format!("values are from {least} to {most}"),
            )),
            _ => Ok(value),
        }
    };
    let mut push = |v: Value| element.push(v, &mut out);
    match &buffer.init.value {
        Init::Poison => return Ok(poison(buffer, length)),
        Init::Zero => return Ok(vec![0; length as usize * element.bytes()]),
        Init::Iota => (0..length).for_each(|i| push(Value::Integer(i.into()))),
        Init::Random => (0..length).for_each(|_| push(Value::Integer(random.next().into()))),
        Init::Constant(Scalar::Real(v)) => (0..length).for_each(|_| push(Value::Real(*v))),
        Init::Constant(Scalar::Integer(e)) => {
            let v = value(e, 0)?;
            (0..length).for_each(|_| push(Value::Integer(v.into())));
        }
        Init::UniformReals(low, high) => {
            (0..length).for_each(|_| push(Value::Real(low + (high - low) * random.unit())));
        }
        Init::UniformIntegers(low, high) => {
            let (l, h) = (value(low, 0)?, value(high, 0)?);
            if l > h {
                let message = format!("there is no integer from {l} to {h}");
                return Err(description.source.error(
                    &high.span,
                    message,
                    "keep the second bound at least as large as the first",
                ));
            }
            (0..length).for_each(|_| push(Value::Integer(random.integer(l, h).into())));
        }
        Init::Each(e) => {
            for i in 0..length {
                push(Value::Integer(value(e, i)?.into()));
            }
        }
    }
    Ok(out)
}

/// Bytes that stand for "nobody wrote here".
fn poison(buffer: &Buffer, length: u64) -> Vec<u8> {
    buffer.element.poison().repeat(length as usize)
}
