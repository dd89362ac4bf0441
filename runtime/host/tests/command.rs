//! The command `gicc-launch` as a user meets it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn launch(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gicc-launch"));
    command.args(arguments).env("COLUMNS", "100").env_remove("NO_COLOR").output().expect("the command")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn help_says_what_it_does() {
    for (name, arguments) in [("help", &["--help"][..]), ("bench_help", &["bench", "--help"])] {
        let output = launch(arguments);
        assert!(output.status.success());
        insta::assert_snapshot!(name, text(&output.stdout));
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for arguments in [&[][..], &["x", "--runs", "0"], &["x", "--timeout", "-1"], &["x", "--target", "tpu"], &["bench"]]
    {
        let output = launch(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

fn folder(module: &str, description: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("module.json"), module).expect("a file");
    std::fs::write(folder.path().join("launch.toml"), description).expect("a file");
    folder
}

const MODULE: &str = r#"{"abi_version": 4, "source": "kernel.cu", "images": [],
    "kernels": [{"symbol": "push", "name": "push", "parameters": []}]}"#;
const DESCRIPTION: &str = "pes = [1, 2]\n[[launches]]\nkernel = \"push\"\ngrid = 1\nblock = 1\narguments = []\n";

/// Runs a folder and gives code and standard error, the folder's name replaced.
fn error(path: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let name = path.display().to_string();
    let output = launch(&[&[name.as_str()], arguments].concat());
    (output.status.code(), text(&output.stderr).replace(&name, "FOLDER"))
}

#[test]
fn what_cannot_run_is_an_error_with_a_cure() {
    let empty = tempfile::tempdir().expect("a folder");
    let broken = folder("{", DESCRIPTION);
    let unknown = folder(&MODULE.replace("\"images\"", "\"pictures\""), DESCRIPTION);
    let old = folder(&MODULE.replace("\"abi_version\": 4", "\"old\": 1, \"abi_version\": 0"), DESCRIPTION);
    let wrong = folder(MODULE, &DESCRIPTION.replace("grid = 1", "gird = 1"));
    let right = folder(MODULE, DESCRIPTION);
    let binary = folder(MODULE, "");
    std::fs::write(binary.path().join("launch.toml"), [b'p', 0xFF]).expect("a file");
    let sim = ["--target", "sim"];
    let all = [
        error(empty.path(), &sim),
        error(broken.path(), &sim),
        error(unknown.path(), &sim),
        error(old.path(), &sim),
        error(wrong.path(), &sim),
        error(binary.path(), &sim),
        error(right.path(), &["--target", "sim", "--pes", "3"]),
        error(right.path(), &sim),
    ];
    assert!(all.iter().all(|(code, _)| *code == Some(2)), "{all:?}");
    let messages: Vec<&str> = all.iter().map(|(_, message)| message.trim_end()).collect();
    assert!(messages.iter().all(|m| m.starts_with("error: ")), "{messages:?}");
    insta::assert_snapshot!(messages.join("\n"));
    assert!(messages.iter().all(|m| !m.contains('\x1b')), "colours are for terminals");
}

#[test]
fn gpus_that_are_not_there_are_an_error() {
    let right = folder(MODULE, DESCRIPTION);
    let (code, message) = error(right.path(), &[]);
    assert_eq!(code, Some(2), "{message}");
    if gicc_host::backend::cuda::gpu_count() == 0 {
        assert!(message.contains("no CUDA driver") || message.contains("GPU"), "{message}");
    } else {
        let _ = writeln!(std::io::stderr(), "skipped: there are GPUs");
    }
    let (code, message) = error(right.path(), &["--seed", "1", "--json"]);
    assert_eq!(code, Some(2), "{message}");
}
