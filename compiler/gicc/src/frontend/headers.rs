//! The headers that gicc supplies: `gicc/gicc.cuh`, the ABI, and the CUDA surface for machines without a toolkit. They are
//! part of the compiler and are laid out in a temporary folder for clang.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::diagnostic::{Diagnostic, codes};

/// Relative name and text of every header.
const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// The folder, removed when this is dropped.
#[derive(Debug)]
pub(super) struct Headers {
    folder: TempDir,
}

impl Headers {
    /// Writes every header.
    pub(super) fn lay_out() -> Result<Headers, Diagnostic> {
        let refuse = |e: std::io::Error| {
            Diagnostic::error(codes::UNWRITABLE_OUTPUT, "cannot lay out gicc's headers in the temporary folder")
                .cause(e.to_string())
                .cure("set TMPDIR to a folder that you may write to")
        };
        let folder = tempfile::Builder::new().prefix("gicc-headers-").tempdir().map_err(refuse)?;
        for (name, text) in HEADERS {
            let path = folder.path().join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(refuse)?;
            }
            std::fs::write(path, text).map_err(refuse)?;
        }
        Ok(Headers { folder })
    }

    /// The folder to put on the include path.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// One of the headers.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }
}
