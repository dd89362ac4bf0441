//! Runs the command in a folder of its own, and says what came out.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A temporary folder in which the command runs.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

/// What a run of the command left.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    /// An empty folder; gicc's own CUDA surface, so that tests do not depend on what is installed.
    pub(crate) fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let environment = ["GICC_CUDA", "GICC_LIBDEVICE"].map(|v| (v.to_owned(), String::new())).to_vec();
        Bench { folder, environment }
    }

    /// The same with an environment variable.
    #[must_use]
    pub(crate) fn with(mut self, variable: &str, value: &str) -> Bench {
        self.environment.push((variable.to_owned(), value.to_owned()));
        self
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a shell script that can be run as a program; its path.
    pub(crate) fn program(&self, name: &str, script: &str) -> String {
        let path = self.file(name, format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// Names of everything in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.path()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The command with these arguments.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gicc"));
        command.args(args).current_dir(self.path());
        for name in ["GICC_CLANG", "GICC_PTXAS", "GICC_NVDISASM", "NO_COLOR", "COLUMNS"] {
            command.env_remove(name);
        }
        // Nothing of another compilation, and nothing for one.
        command.env("GICC_CACHE_DIR", "");
        command.envs(self.environment.iter().map(|(k, v)| (k, v)));
        command
    }

    /// Runs the command.
    pub(crate) fn gicc(&self, args: &[&str]) -> Outcome {
        Outcome::from(self.command(args).output().unwrap())
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Outcome {
    /// Asserts the exit code and that each word stands in what was printed to standard error.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }

    /// Asserts success without a word on standard error.
    #[track_caller]
    pub(crate) fn quiet(&self) {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:#?}");
    }
}
