//! LLVM's readers of IR and bitcode verify a module with debug information themselves, to bring old forms up to date, and end
//! the process where it is broken. They are told not to: whoever reads verifies, and refuses. Old forms lose their
//! locations, as they do in LLVM.

use std::ffi::c_char;
use std::sync::Once;

use inkwell::llvm_sys::debuginfo::{
    LLVMDebugMetadataVersion, LLVMGetModuleDebugMetadataVersion, LLVMStripModuleDebugInfo,
};
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::module::Module;

/// From now on LLVM's readers leave broken modules to their caller.
pub fn leave_verification_to_the_reader() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let arguments = [c"gicc".as_ptr(), c"-disable-auto-upgrade-debug-info".as_ptr()];
        let count = arguments.len() as i32;
        let nothing: *const c_char = std::ptr::null();
        // SAFETY: two arguments that end with a zero byte; LLVM copies what it keeps.
        unsafe { LLVMParseCommandLineOptions(count, arguments.as_ptr(), nothing) };
    });
}

/// Removes debug information whose form is not LLVM's present one.
pub fn strip_old_debug_information(module: &Module<'_>) {
    // SAFETY: the module is alive for as long as the borrow.
    unsafe {
        let version = LLVMGetModuleDebugMetadataVersion(module.as_mut_ptr());
        if version != 0 && version != LLVMDebugMetadataVersion() {
            LLVMStripModuleDebugInfo(module.as_mut_ptr());
        }
    }
}
