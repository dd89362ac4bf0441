//! Output files are written whole or not at all: the bytes go to a temporary file in the same folder, which then takes the
//! output's name.

use std::io::Write as _;
use std::path::Path;

use crate::diagnostic::{Diagnostic, codes};

/// Writes `bytes` to `path`, or leaves what was there untouched.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let refuse = |e: std::io::Error| {
        Diagnostic::error(codes::UNWRITABLE_OUTPUT, format!("cannot write `{}`", path.display()))
            .cause(e.to_string())
            .cure("name an output in a folder that exists and that you may write to, with -o")
    };
    // A device such as /dev/stdout cannot be replaced by a file.
    if path.exists() && !path.is_file() {
        if path.is_dir() {
            return Err(refuse(std::io::Error::other("it is a folder")));
        }
        return std::fs::write(path, bytes).map_err(refuse);
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".gicc-").tempfile_in(folder).map_err(refuse)?;
    file.write_all(bytes).map_err(refuse)?;
    set_permissions(file.as_file()).map_err(refuse)?;
    file.persist(path).map_err(|e| refuse(e.error))?;
    Ok(())
}

/// Temporary files are private; an output is as readable as any new file (0666 less the user's mask).
fn set_permissions(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("none/k.ptx");
        let error = write(&missing, b"x").unwrap_err();
        assert_eq!(error.code, codes::UNWRITABLE_OUTPUT);
        assert_eq!(dir.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn an_old_output_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k.ptx");
        write(&path, b"a long first version").unwrap();
        write(&path, b"short").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
        assert_eq!(dir.path().read_dir().unwrap().count(), 1);
    }
}
