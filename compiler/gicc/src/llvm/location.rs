//! Where an instruction stands in the user's source, from its debug location.

use std::ffi::c_uint;
use std::sync::LazyLock;

use inkwell::llvm_sys::core::{
    LLVMGetDebugLocColumn, LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
};
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use inkwell::values::{AsValueRef as _, InstructionValue};

use crate::diagnostic::Span;

/// The folder in which gicc runs. Every instruction is asked for its place, the system once for this.
static HERE: LazyLock<String> =
    LazyLock::new(|| std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default());

/// Gives an instruction the place of another one.
pub(crate) fn stand_at(instruction: InstructionValue<'_>, other: InstructionValue<'_>) {
    // SAFETY: both are alive, and of one context.
    unsafe {
        LLVMInstructionSetDebugLoc(instruction.as_value_ref(), LLVMInstructionGetDebugLoc(other.as_value_ref()));
    }
}

/// The place of an instruction, or `None` where it has no debug location. Code that was inlined from the device runtime,
/// which carries no debug information, stands at the user's call.
pub fn span(instruction: InstructionValue<'_>) -> Option<Span> {
    instruction.get_debug_location()?;
    let value = instruction.as_value_ref();
    let mut length: c_uint = 0;
    // SAFETY: the instruction has a debug location, so LLVM returns pointers into its metadata, which lives as long as the
    // context; the text is copied before anything can change.
    let (file, directory, line, column) = unsafe {
        let pointer = LLVMGetDebugLocFilename(value, &raw mut length);
        let file = text(pointer, length);
        let pointer = LLVMGetDebugLocDirectory(value, &raw mut length);
        (file, text(pointer, length), LLVMGetDebugLocLine(value), LLVMGetDebugLocColumn(value))
    };
    if line == 0 || file.is_empty() {
        return None;
    }
    Some(Span { file: in_folder(file, &directory), line, column })
}

/// A file as a user finds it. Files are recorded relative to the folder in which the compiler ran; from elsewhere the folder is
/// needed.
pub(crate) fn in_folder(file: String, directory: &str) -> String {
    if file.starts_with('/') || directory.is_empty() || directory == *HERE {
        file
    } else {
        format!("{directory}/{file}")
    }
}

/// A copy of LLVM's text.
///
/// # Safety
/// `pointer` is null or points to `length` bytes.
unsafe fn text(pointer: *const std::ffi::c_char, length: c_uint) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller states.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
