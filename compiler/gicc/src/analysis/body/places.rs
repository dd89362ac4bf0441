//! Where instructions stand in the source: the innermost line of the user's, and the calls around it. Each location of LLVM's
//! is looked at once.

use std::collections::HashMap;
use std::ffi::c_uint;

use inkwell::llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn, LLVMDILocationGetInlinedAt,
    LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
};
use inkwell::llvm_sys::prelude::LLVMMetadataRef;

use crate::analysis::communication::PlaceStack;
use crate::diagnostic::Span;

/// As many calls are followed outwards.
const DEEPEST: usize = 64;

/// Locations that were looked at.
#[derive(Debug, Default)]
pub(super) struct Places {
    known: HashMap<usize, u32>,
    /// Places by number; 0 is no place.
    pub(super) all: Vec<PlaceStack>,
    here: String,
    /// Folders whose files no user wrote.
    pub(super) foreign: Vec<String>,
}

impl Places {
    pub(super) fn new(foreign: Vec<String>) -> Self {
        let here = std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default();
        Places { known: HashMap::new(), all: vec![PlaceStack::default()], here, foreign }
    }

    /// The number of a debug location's place.
    ///
    /// # Safety
    /// The location is null or a live `DILocation`.
    pub(super) unsafe fn of(&mut self, location: LLVMMetadataRef) -> u32 {
        if location.is_null() {
            return 0;
        }
        let key = location as usize;
        if let Some(found) = self.known.get(&key) {
            return *found;
        }
        let mut spans = Vec::new();
        let mut at = location;
        while !at.is_null() && spans.len() < DEEPEST {
            // SAFETY: `at` is a live location; what LLVM answers is one, or null.
            unsafe {
                spans.extend(self.span(at));
                at = LLVMDILocationGetInlinedAt(at);
            }
        }
        let place = self.stack(spans);
        let number = self.all.len() as u32;
        self.all.push(place);
        self.known.insert(key, number);
        number
    }

    /// The user's innermost line comes first; lines of headers that nobody edits are left out, unless there is no other.
    fn stack(&self, spans: Vec<Span>) -> PlaceStack {
        let own: Vec<Span> = spans.iter().filter(|s| !self.is_foreign(&s.file)).cloned().collect();
        let mut spans = if own.is_empty() { spans } else { own }.into_iter();
        PlaceStack { innermost: spans.next(), inlined_at: spans.collect() }
    }

    fn is_foreign(&self, file: &str) -> bool {
        file.starts_with("<gicc>")
            || file.contains("/lib/clang/")
            || self.foreign.iter().any(|f| !f.is_empty() && file.starts_with(f.as_str()))
    }

    /// # Safety
    /// The location is live.
    unsafe fn span(&self, location: LLVMMetadataRef) -> Option<Span> {
        // SAFETY: as the caller states; a location has a scope, a scope may have a file, whose texts are copied at once.
        unsafe {
            let line = LLVMDILocationGetLine(location);
            let column = LLVMDILocationGetColumn(location);
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            if file.is_null() || line == 0 {
                return None;
            }
            let mut length: c_uint = 0;
            let name = text(LLVMDIFileGetFilename(file, &raw mut length), length);
            let directory = text(LLVMDIFileGetDirectory(file, &raw mut length), length);
            if name.is_empty() {
                return None;
            }
            let file = if name.starts_with('/') || directory.is_empty() || directory == self.here {
                name
            } else {
                format!("{directory}/{name}")
            };
            Some(Span { file, line, column })
        }
    }
}

/// # Safety
/// The pointer is null or points to `length` bytes.
unsafe fn text(pointer: *const std::ffi::c_char, length: c_uint) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller states.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
