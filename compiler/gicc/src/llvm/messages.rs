//! LLVM's own messages. Without a handler LLVM prints them and, for an error, ends the process.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::rc::Rc;

use inkwell::context::{AsContextRef as _, Context};
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

/// The messages of one context, in order. Lives longer than the context's last use.
#[derive(Debug, Default)]
pub struct Messages {
    caught: Rc<RefCell<Vec<(bool, String)>>>,
}

impl Messages {
    /// Catches the messages of `context` from now on.
    pub fn catch(context: &Context) -> Messages {
        let messages = Messages::default();
        let opaque = Rc::as_ptr(&messages.caught).cast_mut().cast::<c_void>();
        // SAFETY: `opaque` stays valid as long as `messages`, which the caller keeps beside the context.
        unsafe { LLVMContextSetDiagnosticHandler(context.as_ctx_ref(), Some(handler), opaque) };
        messages
    }

    /// The errors caught since the last call, and forgets everything.
    pub fn take_errors(&self) -> Vec<String> {
        self.caught.borrow_mut().drain(..).filter(|(is_error, _)| *is_error).map(|(_, text)| text).collect()
    }
}

extern "C" fn handler(info: LLVMDiagnosticInfoRef, opaque: *mut c_void) {
    // SAFETY: LLVM hands over a valid message and the pointer that was registered with it; the description is ours to free.
    unsafe {
        let description = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        let is_error = LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError;
        let caught = &*opaque.cast::<RefCell<Vec<(bool, String)>>>();
        if let Ok(mut caught) = caught.try_borrow_mut() {
            caught.push((is_error, text));
        }
    }
}
