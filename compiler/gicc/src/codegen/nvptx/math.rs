//! Mathematical functions: clang turns `sinf` and its kin into calls of `__nv_*`. NVIDIA's libdevice has them all; where it
//! is not found, gicc's own implementation of the common ones is linked.
//!
//! Requires: nothing. Ensures: no `__nv_*` is undefined, or an error names it.

use inkwell::context::Context;
use inkwell::module::{Linkage, Module};

use crate::diagnostic::{Diagnostic, codes};
use crate::driver::Tools;
use crate::llvm::{Messages, calls, defined_functions, is_kernel, name_of, span};
use crate::transform::link_runtime::link_bitcode;

/// gicc's own functions.
static OWN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/device_math.bc"));

/// Links what is called.
pub(crate) fn link<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    tools: &Tools,
) -> Result<(), Vec<Diagnostic>> {
    if !needs_any(module) {
        return Ok(());
    }
    let (bitcode, what) = match &tools.libdevice {
        Some(path) => (std::borrow::Cow::Owned(read_libdevice(path)?), path.display().to_string()),
        None => (std::borrow::Cow::Borrowed(OWN), "gicc's mathematical functions".to_owned()),
    };
    link_privately(context, messages, module, &bitcode, &what)?;
    missing(module, &what)
}

/// Links gicc's own functions, for the simulator: they are plain LLVM operations. What they lack (with NVIDIA's headers also
/// `min` is such a function) comes from libdevice where that is found, and else stays undefined, since the simulator has
/// some of its own.
pub(crate) fn link_own<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    tools: &Tools,
) -> Result<(), Vec<Diagnostic>> {
    if needs_any(module) {
        link_privately(context, messages, module, OWN, "gicc's mathematical functions")?;
    }
    match &tools.libdevice {
        Some(path) if needs_any(module) => {
            link_privately(context, messages, module, &read_libdevice(path)?, &path.display().to_string())
        }
        _ => Ok(()),
    }
}

fn read_libdevice(path: &std::path::Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    std::fs::read(path).map_err(|e| {
        vec![
            Diagnostic::error(codes::MISSING_TOOL, format!("cannot read `{}`", path.display()))
                .cause(e.to_string())
                .cure("set GICC_LIBDEVICE to libdevice.10.bc, or to nothing to use gicc's own functions"),
        ]
    })
}

/// Links bitcode, and keeps what it defines out of sight of whatever links the module.
fn link_privately<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    bitcode: &[u8],
    what: &str,
) -> Result<(), Vec<Diagnostic>> {
    let mine = defined_functions(module);
    link_bitcode(context, messages, module, bitcode, what).map_err(|d| vec![d])?;
    for function in defined_functions(module) {
        if !mine.contains(&function) && !is_kernel(function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

fn needs_any(module: &Module<'_>) -> bool {
    module.get_functions().any(|f| f.count_basic_blocks() == 0 && name_of(f).starts_with("__nv_"))
}

fn missing(module: &Module<'_>, what: &str) -> Result<(), Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for call in calls(module) {
        let name = name_of(call.callee);
        if call.callee.count_basic_blocks() == 0 && name.starts_with("__nv_") {
            errors.push(
                Diagnostic::error(codes::UNDEFINED_FUNCTION, format!("the function `{}` is not in {what}", &name[5..]))
                    .at(span(call.instruction))
                    .cure("install NVIDIA's libdevice: `pip install nvidia-nvvm`, or set GICC_LIBDEVICE"),
            );
        }
    }
    errors.dedup_by(|a, b| a.message == b.message);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
