//! Paths in words, for messages: `edge`, "a pointer of the table `peers`".

use super::{Bytes, Path, PathId, Provenance};
use crate::analysis::body::Body;

/// A parameter's name, or its number where it has none.
pub(crate) fn parameter(body: &Body, n: u32) -> String {
    match body.parameters.get(n as usize) {
        Some(p) if !p.name.is_empty() => p.name.clone(),
        _ => format!("parameter {n}"),
    }
}

/// What a pointer points to.
pub(crate) fn of(body: &Body, provenance: &Provenance, path: PathId) -> String {
    match provenance.paths.get(path) {
        Path::Parameter(n) | Path::ByValue(n) => format!("`{}`", parameter(body, *n)),
        Path::Global(g) => body
            .globals
            .get(*g as usize)
            .map_or_else(|| "a variable".to_owned(), |g| format!("`{}`", crate::llvm::demangled(&g.name))),
        Path::Alloca(_) => "a variable of the thread's".to_owned(),
        Path::Call(name) => format!("what `{name}` returned"),
        Path::Computed(_) => "memory at an address that is not known".to_owned(),
        Path::Loaded { from, at, .. } => {
            let holder = of(body, provenance, *from);
            match at {
                Bytes::Known(n) => format!("the pointer at byte {n} of {holder}"),
                Bytes::From(0) | Bytes::Unknown => format!("a pointer of the table {holder}"),
                Bytes::From(n) => format!("a pointer of the table at byte {n} of {holder}"),
            }
        }
    }
}
