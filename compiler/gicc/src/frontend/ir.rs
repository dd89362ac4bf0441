//! LLVM IR and bitcode become a module.

use std::path::Path;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{Messages, leave_verification_to_the_reader, strip_old_debug_information};

/// Reads a `.ll` file.
pub(super) fn read_text<'c>(context: &'c Context, messages: &Messages, input: &Path) -> Result<Module<'c>, Diagnostic> {
    let bytes = bytes(input)?;
    if std::str::from_utf8(&bytes).is_err() {
        return Err(Diagnostic::error(codes::UNREADABLE_INPUT, format!("`{}` is not UTF-8 text", input.display())));
    }
    leave_verification_to_the_reader();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bytes, &input.display().to_string());
    let parsed = context.create_module_from_ir(buffer).map_err(|e| parse_error(input, &e.to_string()));
    messages.take_errors();
    let module = checked(parsed?, input)?;
    Ok(with_lines(context, &bytes, input).unwrap_or(module))
}

/// The module with the lines of its text, where the text has no locations of its own.
fn with_lines<'c>(context: &'c Context, bytes: &[u8], input: &Path) -> Option<Module<'c>> {
    let text = super::ir_lines::annotate(std::str::from_utf8(bytes).ok()?, input)?;
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), &input.display().to_string());
    let module = context.create_module_from_ir(buffer).ok()?;
    module.verify().is_ok().then_some(module)
}

/// Reads a `.bc` file.
pub(super) fn read_bitcode<'c>(
    context: &'c Context,
    messages: &Messages,
    input: &Path,
) -> Result<Module<'c>, Diagnostic> {
    parse_bitcode(context, messages, &bytes(input)?, input)
}

/// Parses bitcode that came from `input`.
pub(super) fn parse_bitcode<'c>(
    context: &'c Context,
    messages: &Messages,
    bitcode: &[u8],
    input: &Path,
) -> Result<Module<'c>, Diagnostic> {
    leave_verification_to_the_reader();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, &input.display().to_string());
    let parsed = Module::parse_bitcode_from_buffer(&buffer, context);
    let errors = messages.take_errors();
    let module = parsed.map_err(|e| {
        let why = if errors.is_empty() { e.to_string() } else { errors.join("; ") };
        Diagnostic::error(codes::BAD_IR, format!("`{}` is not bitcode that LLVM 22 can read", input.display()))
            .cause(why)
            .cure("write it with an LLVM that is not newer than 22")
    })?;
    checked(module, input)
}

fn bytes(input: &Path) -> Result<Vec<u8>, Diagnostic> {
    std::fs::read(input).map_err(|e| {
        Diagnostic::error(codes::UNREADABLE_INPUT, format!("cannot read `{}`", input.display())).cause(e.to_string())
    })
}

/// IR that parses may still break LLVM's rules; passes must not see it.
fn checked<'c>(module: Module<'c>, input: &Path) -> Result<Module<'c>, Diagnostic> {
    strip_old_debug_information(&module);
    module.verify().map_err(|e| {
        Diagnostic::error(codes::BAD_IR, format!("`{}` breaks LLVM's rules for IR", input.display()))
            .cause(e.to_string().trim().to_owned())
    })?;
    Ok(module)
}

/// LLVM's parser says `name:line:column: error: message`, then the line and a caret.
fn parse_error(input: &Path, text: &str) -> Diagnostic {
    let name = input.display().to_string();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let rest = first.strip_prefix(&format!("{name}:")).unwrap_or(first);
    let mut parts = rest.splitn(3, ':');
    let place = (parts.next().and_then(|l| l.trim().parse().ok()), parts.next().and_then(|c| c.trim().parse().ok()));
    match (place, parts.next()) {
        ((Some(line), Some(column)), Some(message)) => {
            let message = message.trim().trim_start_matches("error:").trim();
            Diagnostic::error(codes::BAD_IR, format!("LLVM IR does not parse: {message}")).at(Some(Span {
                file: name,
                line,
                column,
            }))
        }
        _ => Diagnostic::error(codes::BAD_IR, format!("`{name}` is not LLVM IR")).cause(text.trim().to_owned()),
    }
}
