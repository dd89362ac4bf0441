//! MLIR's messages become [`Diagnostic`]s; and errors are emitted as MLIR's, so that they look the same from `mlir-opt`.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::rc::Rc;

use melior::Context;
use melior::diagnostic::{DiagnosticHandlerId, DiagnosticSeverity};
use melior::ir::Location;
use mlir_sys::{MlirLocation, mlirEmitError};

use crate::diagnostic::{Diagnostic, Note, Span, codes};

/// Messages of a context, caught from its making until it is dropped.
#[derive(Debug)]
pub struct Caught<'c> {
    context: &'c Context,
    handler: DiagnosticHandlerId,
    messages: Rc<RefCell<Vec<Diagnostic>>>,
}

impl<'c> Caught<'c> {
    /// Catches from now on.
    pub fn new(context: &'c Context) -> Self {
        let messages = Rc::<RefCell<Vec<Diagnostic>>>::default();
        let sink = Rc::clone(&messages);
        let handler = context.attach_diagnostic_handler(move |message| {
            if let (Some(diagnostic), Ok(mut sink)) = (diagnostic(&message), sink.try_borrow_mut()) {
                sink.push(diagnostic);
            }
            true
        });
        Caught { context, handler, messages }
    }

    /// What was caught since the last call.
    pub fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.messages.borrow_mut())
    }

    /// What was caught, of which at least one is an error: where there is none, `what` says what failed.
    pub fn take_errors(&self, what: &str) -> Vec<Diagnostic> {
        let mut all = self.take();
        if !all.iter().any(|d| d.severity == crate::diagnostic::Severity::Error) {
            all.push(Diagnostic::error(codes::INTERNAL, format!("{what} failed, and MLIR does not say why")));
        }
        all
    }
}

impl Drop for Caught<'_> {
    fn drop(&mut self) {
        self.context.detach_diagnostic_handler(self.handler);
    }
}

/// A message of MLIR's; nothing of a note that stands alone. Remarks come from the expansion of collectives only.
fn diagnostic(message: &melior::diagnostic::Diagnostic<'_>) -> Option<Diagnostic> {
    let text = message.to_string();
    let made = match message.severity() {
        DiagnosticSeverity::Error => Diagnostic::error(codes::BAD_MLIR, text),
        DiagnosticSeverity::Warning => Diagnostic::warning(codes::MLIR_WARNING, text),
        DiagnosticSeverity::Remark => Diagnostic::remark(codes::COLLECTIVE, text),
        DiagnosticSeverity::Note => return None,
    };
    let mut made = made.at(span_of(message.location()));
    for n in 0..message.note_count() {
        if let Ok(note) = message.note(n) {
            let text = note.to_string();
            // "see current operation" repeats the source, in MLIR's generic form.
            if !text.starts_with("see current operation") {
                made.notes.push(Note { message: text, span: span_of(note.location()) });
            }
        }
    }
    Some(made)
}

/// The place in the user's file that a location leads to: of inlined code where it was written, of fused code the first.
pub fn span_of(location: Location<'_>) -> Option<Span> {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename().as_string_ref().as_str().unwrap_or_default().to_owned();
        let number = |n: usize| u32::try_from(n).unwrap_or(0);
        return Some(Span {
            file,
            line: number(location.file_line_col_range_start_line()),
            column: number(location.file_line_col_range_start_column()),
        });
    }
    if location.is_name() {
        return span_of(location.name_child_location());
    }
    if location.is_call_site() {
        return span_of(location.call_site_callee()).or_else(|| span_of(location.call_site_caller()));
    }
    if location.is_fused() {
        return (0..location.fused_num_locations()).find_map(|n| span_of(location.fused_location(n)));
    }
    None
}

/// Emits an error through the context.
pub fn emit_error(location: Location<'_>, message: &str) {
    let text = c_text(message);
    // SAFETY: the location is alive, the text ends with zero.
    unsafe { mlirEmitError(location.to_raw(), text.as_ptr()) }
}

/// Emits an error with a note at a second place.
pub fn emit_error_with_note(location: Location<'_>, message: &str, place: Location<'_>, note: &str) {
    let (text, note) = (c_text(message), c_text(note));
    // SAFETY: the locations are alive, the texts end with zero.
    unsafe { giccEmitErrorWithNote(location.to_raw(), text.as_ptr(), place.to_raw(), note.as_ptr()) }
}

/// Emits a remark through the context.
pub fn emit_remark(location: Location<'_>, message: &str) {
    let text = c_text(message);
    // SAFETY: the location is alive, the text ends with zero.
    unsafe { giccEmitRemark(location.to_raw(), text.as_ptr()) }
}

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

unsafe extern "C" {
    fn giccEmitRemark(location: MlirLocation, text: *const c_char);
    fn giccEmitErrorWithNote(location: MlirLocation, error: *const c_char, place: MlirLocation, note: *const c_char);
}
