//! Arguments become the bytes of a launch, each parameter at its alignment.

use gicc_abi::manifest::{Kernel, KernelParameter, ParameterKind};

use super::check::representable;
use super::diagnostic::Diagnostic;
use super::draw::Drawn;
use super::element::{ElementType, Value};
use super::{Argument, At, Description, FieldType};

/// Where and for whom arguments are packed.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The numbers of the run.
    pub drawn: &'a Drawn,
    /// The PE.
    pub pe: u32,
    /// The number of the repetition.
    pub iteration: u32,
    /// The address of each buffer on the PE.
    pub addresses: &'a [u64],
    /// The multicast address of each buffer, or 0 where it is not used; may be empty where no argument is one.
    pub multicast: &'a [u64],
}

/// Whether an argument of launch `index` is the multicast address of a buffer.
pub fn uses_multicast(description: &Description, index: usize, buffer: usize) -> bool {
    fn is(argument: &Argument, wanted: usize) -> bool {
        match argument {
            Argument::Buffer { buffer, multicast, .. } => *multicast && *buffer == wanted,
            Argument::Structure(fields) => fields.iter().any(|f| is(&f.value.value, wanted)),
            _ => false,
        }
    }
    description.launches[index].arguments.value.iter().any(|a| is(&a.value, buffer))
}

/// The bytes of the arguments of launch `index`, whose kernel is `kernel`.
pub fn pack(
    description: &Description,
    index: usize,
    kernel: &Kernel,
    target: Target<'_>,
) -> Result<Vec<u8>, Diagnostic> {
    let packer = Packer { description, target };
    let (offsets, bytes) = kernel.packing();
    let mut out = vec![0; bytes as usize];
    let arguments = &description.launches[index].arguments.value;
    for ((parameter, offset), argument) in kernel.parameters.iter().zip(offsets).zip(arguments) {
        let value = packer.parameter(parameter, argument)?;
        let (at, end) = (offset as usize, (offset + parameter.bytes) as usize);
        out[at..end].copy_from_slice(&value);
    }
    Ok(out)
}

struct Packer<'a> {
    description: &'a Description,
    target: Target<'a>,
}

impl Packer<'_> {
    fn error(&self, span: &std::ops::Range<usize>, message: String, help: &str) -> Diagnostic {
        let t = &self.target;
        let help =
            format!("{help} (seed {}, PE {} of {}, iteration {})", t.drawn.seed, t.pe, t.drawn.n_pes, t.iteration);
        self.description.source.error(span, message, help)
    }

    fn parameter(&self, parameter: &KernelParameter, argument: &At<Argument>) -> Result<Vec<u8>, Diagnostic> {
        let bytes = parameter.bytes as usize;
        if let Argument::Structure(fields) = &argument.value {
            let mut out = Vec::new();
            for field in fields {
                out.resize(out.len().next_multiple_of(field.ty.bytes()), 0);
                match field.ty {
                    FieldType::Pointer => out.extend(self.integer(&field.value, 8)?),
                    FieldType::Number(ty) if ty.is_real() => ty.push(Value::Real(self.real(&field.value)?), &mut out),
                    FieldType::Number(ty) => out.extend(self.integer(&field.value, ty.bytes())?),
                }
            }
            out.resize(bytes, 0);
            return Ok(out);
        }
        if parameter.kind == ParameterKind::Float {
            let ty = if bytes == 8 { ElementType::F64 } else { ElementType::F32 };
            let mut out = Vec::new();
            ty.push(Value::Real(self.real(argument)?), &mut out);
            return Ok(out);
        }
        self.integer(argument, bytes)
    }

    fn values(&self) -> super::expression::Values<'_> {
        self.target.drawn.values(self.target.pe, self.target.iteration, 0)
    }

    fn real(&self, argument: &At<Argument>) -> Result<f64, Diagnostic> {
        match &argument.value {
            Argument::Real(value) => Ok(*value),
            Argument::RealParameter(index) => Ok(self.target.drawn.reals[self.target.pe as usize][*index]),
            Argument::Integer(e) => match e.evaluate(&self.values()) {
                Ok(value) => Ok(value as f64),
                Err(m) => Err(self.error(&argument.span, m, "the argument must have a value in every launch")),
            },
            _ => Err(self.error(&argument.span, "an address is no floating-point number".into(), "write a number")),
        }
    }

    /// An integer or an address in `bytes` bytes.
    fn integer(&self, argument: &At<Argument>, bytes: usize) -> Result<Vec<u8>, Diagnostic> {
        let value = match &argument.value {
            Argument::Buffer { buffer, offset, in_bytes, multicast } => {
                let b = &self.description.buffers[*buffer];
                let size = self.target.drawn.lengths[*buffer] * b.element.bytes() as u64;
                let addresses = if *multicast { self.target.multicast } else { self.target.addresses };
                let Some(mut address) = addresses.get(*buffer).copied() else {
                    let message = format!("buffer `{}` has no multicast address", b.name.value);
                    return Err(self.error(&argument.span, message, "this launch was prepared without one"));
                };
                if let Some(e) = offset {
                    let unit = if *in_bytes { 1 } else { b.element.bytes() as i64 };
                    let n = e
                        .value
                        .evaluate(&self.values())
                        .map_err(|m| self.error(&e.span, m, "the offset must have a value in every launch"))?;
                    let moved = n.checked_mul(unit).and_then(|n| u64::try_from(n).ok()).filter(|n| *n <= size);
                    let Some(moved) = moved else {
                        let message =
                            format!("an offset of {n} leaves buffer `{}`, which has {size} bytes", b.name.value);
                        return Err(self.error(&e.span, message, "make the buffer longer or the offset smaller"));
                    };
                    address += moved;
                }
                address as i64
            }
            Argument::Integer(e) => {
                let value = e
                    .evaluate(&self.values())
                    .map_err(|m| self.error(&argument.span, m, "the argument must have a value in every launch"))?;
                if !representable(value, bytes as u32) {
                    let message = format!("{value} does not fit in {} bits", 8 * bytes);
                    return Err(self.error(&argument.span, message, "use a smaller number, or a wider parameter"));
                }
                value
            }
            _ => {
                return Err(self.error(
                    &argument.span,
                    "a floating-point number is no integer".into(),
                    "write an integer",
                ));
            }
        };
        let mut out = value.to_le_bytes().to_vec();
        // A wider integer keeps its sign.
        out.resize(bytes.max(8), if value < 0 { 0xFF } else { 0 });
        out.truncate(bytes);
        Ok(out)
    }
}
