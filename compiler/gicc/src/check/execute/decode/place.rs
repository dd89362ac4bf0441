//! Where an instruction stands: the innermost line of the user's.

use std::ffi::c_char;

use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;

use crate::diagnostic::Span;

/// # Safety
/// `text` points to `length` bytes, or is null.
pub(super) unsafe fn copied(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) }).into_owned()
}

/// Parts of the names of files that are the compiler's or the runtime's: what was inlined from there stands at the user's
/// call.
const NOT_THE_USERS: &[&str] =
    &["/lib/clang/", "/gicc_cuda", "/gicc/", "runtime/device/", "/nvidia/", "/cuda/include/", "__clang_cuda"];

/// The innermost line of the user's.
pub(super) fn place(instruction: LLVMValueRef) -> Option<Span> {
    // SAFETY: only instructions come here, and they are alive.
    let own = crate::llvm::span(unsafe { inkwell::values::InstructionValue::new(instruction) })?;
    if !NOT_THE_USERS.iter().any(|part| own.file.contains(part)) {
        return Some(own);
    }
    // SAFETY: as above; locations and files are metadata of the instruction's context, and may be null, which is checked.
    unsafe {
        let mut location = LLVMInstructionGetDebugLoc(instruction);
        while !location.is_null() {
            location = LLVMDILocationGetInlinedAt(location);
            if location.is_null() {
                break;
            }
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            if file.is_null() {
                continue;
            }
            let mut length = 0;
            let name = LLVMDIFileGetFilename(file, &raw mut length);
            let name = copied(name, length as usize);
            let mut length = 0;
            let folder = LLVMDIFileGetDirectory(file, &raw mut length);
            let folder = copied(folder, length as usize);
            let (line, column) = (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
            if name.is_empty() || line == 0 || NOT_THE_USERS.iter().any(|part| name.contains(part)) {
                continue;
            }
            let here = std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default();
            let file = if name.starts_with('/') || folder.is_empty() || folder == here {
                name
            } else {
                format!("{folder}/{name}")
            };
            return Some(Span { file, line, column });
        }
    }
    Some(own)
}
