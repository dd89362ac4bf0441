//! The numbers of one run: random parameters are drawn, expressions evaluated, and what can only be judged then is judged
//! (lengths, grids, blocks).

use std::ops::Range;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::expression::{Expression, Values};
use super::random::Random;
use super::{At, Description, Draw, Parameter};

/// The most bytes of one buffer: 4 GiB.
pub const MAX_BUFFER_BYTES: u64 = 1 << 32;
/// The most bytes of all buffers of all PEs: 32 GiB. The host keeps a copy of each, and the reference another one.
pub const MAX_TOTAL_BYTES: u64 = 1 << 35;
/// The most blocks of a grid in x, y and z.
pub const MAX_GRID: [i64; 3] = [0x7FFF_FFFF, 65535, 65535];
/// The most threads of a block in x, y and z.
pub const MAX_BLOCK: [i64; 3] = [1024, 1024, 64];
/// The most threads of a block.
pub const MAX_BLOCK_THREADS: i64 = 1024;
/// The most bytes of dynamic shared memory that any architecture has.
pub const MAX_SHARED_BYTES: i64 = 232_448;
/// The most repetitions of a launch.
pub const MAX_REPEAT: i64 = 1_000_000;

/// The numbers of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Number of PEs.
    pub n_pes: u32,
    /// The seed of everything random in it.
    pub seed: u64,
    /// Each parameter's value on each PE, truncated where it is a floating-point number: `integers[pe][parameter]`.
    pub integers: Vec<Vec<i64>>,
    /// The same as floating-point numbers.
    pub reals: Vec<Vec<f64>>,
    /// Elements of each buffer.
    pub lengths: Vec<u64>,
    /// Shape of each launch.
    pub shapes: Vec<Shape>,
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// How often.
    pub repeat: u32,
}

impl Drawn {
    /// The values of names on a PE.
    pub fn values(&self, pe: u32, iteration: u32, index: u64) -> Values<'_> {
        Values {
            parameters: self.integers.get(pe as usize).map_or(&[], Vec::as_slice),
            n_pes: self.n_pes.into(),
            pe: pe.into(),
            iteration: iteration.into(),
            index: index as i64,
        }
    }
}

/// Draws the numbers of a run. `fixed` are parameters (by index) whose value is given.
pub fn draw(description: &Description, n_pes: u32, seed: u64, fixed: &[(usize, i64)]) -> Result<Drawn, Diagnostics> {
    let pes = n_pes as usize;
    let mut drawn = Drawn {
        n_pes,
        seed,
        integers: vec![Vec::new(); pes],
        reals: vec![Vec::new(); pes],
        lengths: Vec::new(),
        shapes: Vec::new(),
    };
    for (index, parameter) in description.parameters.iter().enumerate() {
        for pe in 0..n_pes {
            let (integer, real) = match fixed.iter().find(|(i, _)| *i == index) {
                Some((_, value)) => (*value, *value as f64),
                None => one(description, &drawn, parameter, pe)?,
            };
            drawn.integers[pe as usize].push(integer);
            drawn.reals[pe as usize].push(real);
        }
    }
    let mut errors = Vec::new();
    for buffer in &description.buffers {
        let bytes = buffer.element.bytes() as u64;
        match evaluate(description, &drawn, &buffer.length) {
            Ok(n) => match u64::try_from(n).ok().filter(|n| n.saturating_mul(bytes) <= MAX_BUFFER_BYTES) {
                Some(n) => drawn.lengths.push(n),
                None => {
                    let name = &buffer.name.value;
                    let limit = MAX_BUFFER_BYTES / bytes;
                    let message = if n < 0 {
                        format!("buffer `{name}` has {n} elements")
                    } else {
                        format!("buffer `{name}` has {n} elements of {bytes} bytes, which is too large")
                    };
                    errors.push(at(
                        description,
                        &drawn,
                        &buffer.length.span,
                        message,
                        &format!("a length is from 0 to {limit}"),
                    ));
                }
            },
            Err(e) => errors.push(e),
        }
    }
    let bytes = description.buffers.iter().zip(&drawn.lengths).map(|(b, n)| n * b.element.bytes() as u64);
    let total = bytes.fold(0u64, u64::saturating_add).saturating_mul(n_pes.into());
    if let Some(buffer) = description.buffers.iter().find(|_| total > MAX_TOTAL_BYTES) {
        let message = format!("the buffers of all PEs take {total} bytes, which is too much");
        errors.push(at(
            description,
            &drawn,
            &buffer.name.span,
            message,
            &format!("at most {MAX_TOTAL_BYTES} are possible"),
        ));
    }
    for launch in &description.launches {
        match shape(description, &drawn, launch) {
            Ok(shape) => drawn.shapes.push(shape),
            Err(e) => errors.push(e),
        }
    }
    if errors.is_empty() { Ok(drawn) } else { Err(Diagnostics(errors)) }
}

/// The value of one parameter on one PE.
fn one(description: &Description, drawn: &Drawn, parameter: &Parameter, pe: u32) -> Result<(i64, f64), Diagnostic> {
    // Where all PEs have the same value they draw from the same stream.
    let mut random =
        Random::new(drawn.seed, &parameter.name.value, if parameter.per_pe { pe.into() } else { u64::MAX });
    let evaluate = |e: &At<Expression>| {
        e.value.evaluate(&drawn.values(pe, 0, 0)).map_err(|m| {
            at(description, drawn, &e.span, m, "the parameters above it have values for which this has none")
        })
    };
    let integer = match &parameter.draw {
        Draw::Integer(e) => evaluate(e)?,
        Draw::Random { low, high, logarithmic } => {
            let (l, h) = (evaluate(low)?, evaluate(high)?);
            if l > h {
                let message = format!("there is no integer from {l} to {h} for parameter `{}`", parameter.name.value);
                return Err(at(
                    description,
                    drawn,
                    &high.span,
                    message,
                    "keep the second bound at least as large as the first",
                ));
            }
            if *logarithmic { random.logarithmic(l, h) } else { random.integer(l, h) }
        }
        Draw::Choice(values) => {
            let index = random.integer(0, values.len() as i64 - 1);
            values.get(index as usize).copied().unwrap_or_default()
        }
        Draw::Real(value) => return Ok((*value as i64, *value)),
        Draw::Uniform(low, high) => {
            let value = low + (high - low) * random.unit();
            return Ok((value as i64, value));
        }
    };
    Ok((integer, integer as f64))
}

fn at(description: &Description, drawn: &Drawn, span: &Range<usize>, message: String, help: &str) -> Diagnostic {
    let help = format!("{help} (seed {}, {} PEs)", drawn.seed, drawn.n_pes);
    description.source.error(span, message, help)
}

/// An expression that is the same on every PE.
fn evaluate(description: &Description, drawn: &Drawn, e: &At<Expression>) -> Result<i64, Diagnostic> {
    e.value
        .evaluate(&drawn.values(0, 0, 0))
        .map_err(|m| at(description, drawn, &e.span, m, "the value must exist in every run"))
}

fn shape(description: &Description, drawn: &Drawn, launch: &super::Launch) -> Result<Shape, Diagnostic> {
    let number = |e: &At<Expression>, what: &str, least: i64, most: i64| {
        let n = evaluate(description, drawn, e)?;
        match u32::try_from(n).ok().filter(|_| (least..=most).contains(&n)) {
            Some(n) => Ok(n),
            None => {
                let message = format!("{what} is {n}");
                Err(at(description, drawn, &e.span, message, &format!("it must be from {least} to {most}")))
            }
        }
    };
    let mut shape = Shape { grid: [1; 3], block: [1; 3], shared_bytes: 0, repeat: 0 };
    for (axis, e) in launch.grid.value.iter().enumerate() {
        shape.grid[axis] = number(e, &format!("the grid in {}", ["x", "y", "z"][axis]), 1, MAX_GRID[axis])?;
    }
    for (axis, e) in launch.block.value.iter().enumerate() {
        shape.block[axis] = number(e, &format!("the block in {}", ["x", "y", "z"][axis]), 1, MAX_BLOCK[axis])?;
    }
    let threads: i64 = shape.block.iter().map(|n| i64::from(*n)).product();
    if threads > MAX_BLOCK_THREADS {
        let message = format!("the block has {threads} threads");
        return Err(at(
            description,
            drawn,
            &launch.block.span,
            message,
            &format!("at most {MAX_BLOCK_THREADS} are possible"),
        ));
    }
    shape.shared_bytes = number(&launch.shared_bytes, "the shared memory", 0, MAX_SHARED_BYTES)?;
    shape.repeat = number(&launch.repeat, "`repeat`", 0, MAX_REPEAT)?;
    Ok(shape)
}
