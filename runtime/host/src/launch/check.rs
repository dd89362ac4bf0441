//! A launch description against the kernels of a module: each launch names a kernel that exists, with an argument of the
//! right kind for each of its parameters.

use gicc_abi::manifest::{Kernel, KernelParameter, Manifest, ParameterKind};

use super::diagnostic::{Diagnostic, Diagnostics, closest};
use super::{Argument, At, Description, Field, kernel_name};

/// The kernel of each launch, as its index in the manifest.
pub fn check(description: &Description, manifest: &Manifest) -> Result<Vec<usize>, Diagnostics> {
    let mut errors = Vec::new();
    let mut kernels = Vec::new();
    for launch in &description.launches {
        match kernel(description, manifest, &launch.kernel) {
            Ok(index) => {
                let kernel = &manifest.kernels[index];
                arguments(description, kernel, &launch.arguments, &mut errors);
                kernels.push(index);
            }
            Err(e) => errors.push(e),
        }
    }
    if let Some(output) = description.buffers.iter().find(|b| b.output.is_some())
        && manifest.reference.is_none()
    {
        errors.push(description.source.error(
            &output.name.span,
            format!(
                "buffer `{}` has a tolerance, but the folder has no reference to compare it with",
                output.name.value
            ),
            "add reference.cpp beside the kernel and compile again, or leave `output` out",
        ));
    }
    if errors.is_empty() { Ok(kernels) } else { Err(Diagnostics(errors)) }
}

fn kernel(description: &Description, manifest: &Manifest, name: &At<String>) -> Result<usize, Diagnostic> {
    let by_symbol = manifest.kernels.iter().position(|k| k.symbol == name.value);
    let called = |k: &Kernel| k.name == name.value || kernel_name::matches(&k.symbol, &name.value);
    let by_name: Vec<usize> = (0..manifest.kernels.len()).filter(|i| called(&manifest.kernels[*i])).collect();
    match (by_symbol, &by_name[..]) {
        (Some(index), _) | (None, &[index]) => Ok(index),
        (None, []) => {
            let names: Vec<&str> = manifest.kernels.iter().map(|k| k.name.as_str()).collect();
            let help = match closest(&name.value, names.iter().copied()) {
                Some(k) => format!("did you mean `{k}`?"),
                None if names.is_empty() => "the module has no kernel".into(),
                None => format!("the kernels are {}", names.join(", ")),
            };
            let message = format!("{} has no kernel `{}`", manifest.source, name.value);
            Err(description.source.error(&name.span, message, help))
        }
        (None, several) => {
            let symbols: Vec<&str> = several.iter().map(|i| manifest.kernels[*i].symbol.as_str()).collect();
            let message = format!("{} has {} kernels `{}`", manifest.source, several.len(), name.value);
            Err(description.source.error(&name.span, message, format!("write the symbol: {}", symbols.join(" or "))))
        }
    }
}

fn arguments(description: &Description, kernel: &Kernel, given: &At<Vec<At<Argument>>>, errors: &mut Vec<Diagnostic>) {
    let (wanted, count) = (kernel.parameters.len(), given.value.len());
    if wanted != count {
        let help = format!("the kernel is {}", signature(kernel));
        let message = format!(
            "kernel `{}` takes {wanted} argument{}, not {count}",
            kernel.name,
            if wanted == 1 { "" } else { "s" }
        );
        errors.push(description.source.error(&given.span, message, help));
        return;
    }
    for (index, (parameter, argument)) in kernel.parameters.iter().zip(&given.value).enumerate() {
        if let Err((message, help)) = fits(description, parameter, &argument.value) {
            let name =
                if parameter.name.is_empty() { format!("{}", index + 1) } else { format!("`{}`", parameter.name) };
            let message = format!("parameter {name} of kernel `{}` is {}, {message}", kernel.name, spelled(parameter));
            errors.push(description.source.error(&argument.span, message, help));
        }
    }
}

/// A kernel with its parameters, for messages.
fn signature(kernel: &Kernel) -> String {
    let parameters: Vec<String> = kernel
        .parameters
        .iter()
        .map(|p| format!("{}: {}", if p.name.is_empty() { "_" } else { &p.name }, spelled(p)))
        .collect();
    format!("{}({})", kernel.name, parameters.join(", "))
}

fn spelled(p: &KernelParameter) -> String {
    match p.kind {
        ParameterKind::Pointer => "a pointer".into(),
        ParameterKind::Integer => format!("an integer of {} bits", 8 * p.bytes),
        ParameterKind::Float => format!("a floating-point number of {} bits", 8 * p.bytes),
        ParameterKind::Bytes => format!("a structure of {} bytes", p.bytes),
    }
}

/// Whether an argument fits a parameter; else what the argument is, and the cure.
fn fits(description: &Description, p: &KernelParameter, argument: &Argument) -> Result<(), (String, String)> {
    match (argument, p.kind) {
        (Argument::Buffer { .. }, ParameterKind::Pointer) if p.bytes == 8 => Ok(()),
        (Argument::Buffer { buffer, .. }, _) => {
            let name = &description.buffers[*buffer].name.value;
            Err((format!("but `{name}` is a buffer"), "is the order of the arguments that of the kernel?".into()))
        }
        (Argument::Integer(e), ParameterKind::Integer) => match e.as_literal() {
            Some(value) if !representable(value, p.bytes) => {
                Err((format!("which cannot hold {value}"), "use a smaller number, or a wider parameter".into()))
            }
            _ => Ok(()),
        },
        (Argument::Integer(e), ParameterKind::Pointer) if e.as_literal() == Some(0) => Ok(()),
        (Argument::Integer(_), ParameterKind::Float)
        | (Argument::Real(_) | Argument::RealParameter(_), ParameterKind::Float) => {
            if matches!(p.bytes, 4 | 8) {
                Ok(())
            } else {
                Err((
                    "of which this description cannot know the format".into(),
                    "pass it as { struct = [{ type = \"f16\", value = … }] }, or change the parameter to float".into(),
                ))
            }
        }
        (Argument::Integer(_), _) => {
            Err(("but the argument is an integer".into(), "is the order of the arguments that of the kernel?".into()))
        }
        (Argument::Real(_) | Argument::RealParameter(_), _) => Err((
            "but the argument is a floating-point number".into(),
            "is the order of the arguments that of the kernel?".into(),
        )),
        (Argument::Structure(fields), ParameterKind::Bytes | ParameterKind::Float) => {
            if let Some((index, field)) = fields.iter().enumerate().find(|(_, f)| !field_fits(f)) {
                let ty = match field.ty {
                    super::FieldType::Pointer => "pointer",
                    super::FieldType::Number(ty) => ty.name(),
                };
                return Err((
                    format!("and field {} of the argument cannot be a {ty}", index + 1),
                    "a pointer holds a buffer or 0, an integer an integer, a floating-point field a number".into(),
                ));
            }
            let bytes = structure_bytes(fields);
            if bytes == p.bytes as usize {
                Ok(())
            } else {
                Err((format!("but the fields take {bytes} bytes"), "write every field, with its type, in order".into()))
            }
        }
        (Argument::Structure(_), _) => {
            Err(("but the argument is a structure".into(), "write the value without { struct = … }".into()))
        }
    }
}

/// Whether a field's value is of the field's kind.
fn field_fits(field: &Field) -> bool {
    match (field.ty, &field.value.value) {
        (super::FieldType::Pointer, Argument::Buffer { .. }) => true,
        (super::FieldType::Pointer, Argument::Integer(e)) => e.as_literal() == Some(0),
        (super::FieldType::Number(_), Argument::Integer(_)) => true,
        (super::FieldType::Number(ty), Argument::Real(_) | Argument::RealParameter(_)) => ty.is_real(),
        _ => false,
    }
}

/// Whether an integer of `bytes` bytes can hold `value`, signed or unsigned.
pub(super) fn representable(value: i64, bytes: u32) -> bool {
    let bits = 8 * bytes;
    bits >= 64 || ((-1i64 << (bits - 1))..1i64 << bits).contains(&value)
}

/// Bytes of a structure whose fields lie at their natural alignment.
pub(super) fn structure_bytes(fields: &[Field]) -> usize {
    let mut at = 0usize;
    let mut align = 1;
    for f in fields {
        at = at.next_multiple_of(f.ty.bytes()) + f.ty.bytes();
        align = align.max(f.ty.bytes());
    }
    at.next_multiple_of(align)
}
