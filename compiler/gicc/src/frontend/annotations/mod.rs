//! What programs say about their memory, and the packets that they access, are read before anything is optimised: an
//! annotation makes clang's variable escape, and the optimiser takes packets apart.
//!
//! ```text
//! call void @llvm.var.annotation(ptr %p.addr, ptr @"gicc.remote", …)      before
//! store ptr %p, ptr %p.addr
//!
//! %m = call ptr @gicc.annotated.p0(ptr %p, i32 0)                         after
//! store ptr %m, ptr %p.addr
//! ```
//!
//! `gicc.annotated` returns its argument, touches no memory and survives every pass; its number names a set of annotations in
//! [`Notes`]. A field's annotation (`llvm.ptr.annotation`) marks what is loaded from it; that of a structure or array, what is
//! loaded through its address; that of a kernel's parameter is also kept by the parameter's place; those of variables and
//! functions by their symbols. A side file says the same of a source that is not to be edited.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `attributes` | clang's intrinsics for `__attribute__((annotate("…")))` |
//! | `domains` | declarations of domains, and what MLIR says of its functions' arguments |
//! | `side_file` | a file in TOML |
//! | `packets` | copies of 16 bytes and their kin |
//!
//! Requires: IR as the front end made it. Ensures: no annotation of gicc's is left in the IR but the marks. Preserves:
//! everything else; [`remove`] takes annotations away for a compilation that needs none.

mod attributes;
mod domains;
mod packets;
mod side_file;

use std::path::PathBuf;

use inkwell::module::Module;

use crate::analysis::annotation::{DomainNote, Notes};
use crate::diagnostic::Diagnostic;

/// Reads annotations and packets of a module, and side files.
///
/// # Errors
/// An annotation that begins with `gicc.` and is none; a side file that does not parse, or names what does not exist; domains
/// that do not agree.
pub(crate) fn read(module: &Module<'_>, side_files: &[PathBuf]) -> Result<Notes, Vec<Diagnostic>> {
    let mut notes = Notes::default();
    let mut errors = Vec::new();
    for file in side_files {
        errors.extend(side_file::read(module, file, &mut notes).err());
    }
    errors.extend(attributes::read(module, &mut notes));
    errors.extend(domains::read_members(module, &mut notes));
    errors.extend(domains::read_declarations(module, &mut notes));
    packets::read(module, &mut notes);
    if errors.is_empty() { Ok(notes) } else { Err(errors) }
}

/// Takes gicc's annotations out of a module, so that annotated variables live in registers again; the domains that are
/// declared.
///
/// # Errors
/// An annotation that begins with `gicc.` and is none; domains that do not agree.
pub(crate) fn remove(module: &Module<'_>) -> Result<Vec<DomainNote>, Vec<Diagnostic>> {
    let mut notes = Notes::default();
    let mut errors = attributes::remove(module, &mut notes);
    errors.extend(domains::remove_members(module));
    errors.extend(domains::read_declarations(module, &mut notes));
    if errors.is_empty() { Ok(notes.domains) } else { Err(errors) }
}
