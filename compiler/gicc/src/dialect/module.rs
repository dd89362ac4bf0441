//! An MLIR module: read from a file, transformed, and left for LLVM.

use std::path::Path;

use inkwell::context::{AsContextRef as _, Context as LlvmContext};
use inkwell::module::Module as LlvmModule;
use melior::Context;
use melior::StringRef;
use melior::ir::operation::{OperationLike as _, OperationPrintingFlags};
use melior::ir::{Location, Module, Operation, OperationRef};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use mlir_sys::{mlirModuleCreateParseFromFile, mlirOperationClone, mlirTranslateModuleToLLVMIR};

use super::Caught;
use crate::diagnostic::{Diagnostic, codes};

/// Reads a file; its places are those of the file's own text.
///
/// # Errors
/// What MLIR's parser and the operations' verifiers say.
pub fn parse_file<'c>(context: &'c Context, caught: &Caught<'c>, file: &Path) -> Result<Module<'c>, Vec<Diagnostic>> {
    let name = file.display().to_string();
    // SAFETY: the context outlives the module, and the name is copied.
    let module = unsafe {
        Module::from_option_raw(mlirModuleCreateParseFromFile(context.to_raw(), StringRef::new(&name).to_raw()))
    };
    module.ok_or_else(|| caught.take_errors(&format!("reading `{name}`")))
}

/// Reads text that has no file.
///
/// # Errors
/// As [`parse_file`].
pub fn parse_text<'c>(context: &'c Context, caught: &Caught<'c>, text: &str) -> Result<Module<'c>, Vec<Diagnostic>> {
    if text.contains('\0') {
        return Err(vec![Diagnostic::error(codes::BAD_MLIR, "MLIR text holds a zero byte")]);
    }
    Module::parse(context, text).ok_or_else(|| caught.take_errors("reading MLIR"))
}

unsafe extern "C" {
    fn giccParseUnverified(
        place: mlir_sys::MlirLocation,
        text: *const std::ffi::c_char,
        bytes: usize,
    ) -> mlir_sys::MlirModule;
}

/// Reads text that this library wrote, without verifying it: tests verify what it writes (`collective::tests`). Everything in
/// it stands at `place`. Nothing where it is no MLIR.
pub(crate) fn parse_own_text<'c>(place: Location<'c>, text: &str) -> Option<Module<'c>> {
    let terminated = std::ffi::CString::new(text).ok()?;
    // SAFETY: the context outlives the module, and the text ends with a zero byte behind its length.
    unsafe { Module::from_option_raw(giccParseUnverified(place.to_raw(), terminated.as_ptr(), text.len())) }
}

/// A copy of a module.
pub fn copy<'c>(module: &Module<'c>) -> Module<'c> {
    // SAFETY: the copy belongs to nobody else.
    let copied = unsafe { Operation::from_raw(mlirOperationClone(module.as_operation().to_raw())) };
    Module::from_operation(copied).expect("a copy of a module is one")
}

/// Runs passes, spelt as `mlir-opt --pass-pipeline` does without the outer `builtin.module(…)`.
///
/// # Errors
/// What the passes and the verifier behind each of them say.
pub fn run_passes(
    context: &Context,
    caught: &Caught<'_>,
    module: &mut Module<'_>,
    passes: &str,
) -> Result<(), Vec<Diagnostic>> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), &format!("builtin.module({passes})")).map_err(|e| {
        vec![
            Diagnostic::error(codes::INTERNAL, format!("MLIR does not know the passes `{passes}`"))
                .cause(e.to_string()),
        ]
    })?;
    manager.run(module).map_err(|_| caught.take_errors(&format!("running the passes `{passes}`")))
}

/// The module as text, with the places of what was read where `locations` says so.
pub fn text_of(module: &Module<'_>, locations: bool) -> String {
    let mut flags = OperationPrintingFlags::new();
    if locations {
        flags = flags.enable_debug_info(true, false);
    }
    module.as_operation().to_string_with_flags(flags).unwrap_or_else(|e| e.to_string())
}

/// Makes LLVM IR of an operation that holds nothing but LLVM's dialects: a `builtin.module` or a `gpu.module`. The IR is built
/// in the LLVM context itself; nothing is written and read again.
///
/// # Errors
/// What the translation says.
pub fn to_llvm<'l>(
    operation: OperationRef<'_, '_>,
    caught: &Caught<'_>,
    llvm: &'l LlvmContext,
) -> Result<LlvmModule<'l>, Vec<Diagnostic>> {
    // SAFETY: both contexts are alive; the pointer types of mlir-sys and llvm-sys name the same C types.
    let raw = unsafe { mlirTranslateModuleToLLVMIR(operation.to_raw(), llvm.as_ctx_ref().cast()) };
    if raw.is_null() {
        return Err(caught.take_errors("leaving MLIR for LLVM"));
    }
    // SAFETY: a new module of that context, which nobody else owns.
    Ok(unsafe { LlvmModule::new(raw.cast()) })
}
