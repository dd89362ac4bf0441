//! LLVM may end the process: it aborts on what it does not expect. So a compilation runs in a child made by fork, and
//! when that child is killed the parent says so, with LLVM's last words. A fork costs a fraction of a millisecond and
//! shares all memory that is not written.
//!
//! The child's standard error is a pipe to the parent (gicc's own messages do not go there), its core dumps are off, its
//! temporary files lie in a folder that the parent removes however the child ends, and it dies with its parent.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;

use crate::exit;

/// How the child ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// By itself, with this exit code, after this text on standard error.
    Exited(u8, String),
    /// By a signal.
    Killed(i32, String),
}

/// As much of the end of the child's standard error is kept.
const KEPT: usize = 64 * 1024;

/// Runs `work` in a child process. `work` returns the exit code.
///
/// # Errors
/// Where the system gives no pipe, folder or process.
pub(crate) fn isolated(work: impl FnOnce() -> u8) -> io::Result<Ended> {
    let scratch = tempfile::Builder::new().prefix("gicc-").tempdir()?;
    let (read, write) = pipe()?;
    // SAFETY: getpid has no preconditions.
    let parent = unsafe { libc::getpid() };
    // SAFETY: the process has one thread (no thread is started before this), so the child may use everything.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            drop(read);
            let code = match enter_child(&write, parent, scratch.path()) {
                Ok(()) => {
                    drop(write);
                    // The panic hook has said everything.
                    catch_unwind(AssertUnwindSafe(work)).unwrap_or(exit::INTERNAL)
                }
                Err(_) => exit::INTERNAL,
            };
            // SAFETY: ends the child at once; destructors of libraries, which take milliseconds, have nothing to do, and
            // the scratch folder is the parent's.
            unsafe { libc::_exit(i32::from(code)) }
        }
        child => {
            drop(write);
            let words = last_words(read);
            let status = wait_for(child)?;
            Ok(match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Exited(u8::try_from(code).unwrap_or(exit::INTERNAL), words),
                (None, signal) => Ended::Killed(signal.unwrap_or(0), words),
            })
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: pipe2 writes two descriptors to the array.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both descriptors are new and nobody else's.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

fn enter_child(stderr: &OwnedFd, parent: libc::pid_t, scratch: &std::path::Path) -> io::Result<()> {
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain system calls with valid arguments; dup2 makes descriptor 2 the pipe.
    let ok = unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::dup2(stderr.as_raw_fd(), libc::STDERR_FILENO) >= 0
    };
    if !ok {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: getppid has no preconditions.
    if unsafe { libc::getppid() } != parent {
        return Err(io::Error::other("the parent is gone"));
    }
    // SAFETY: the process has one thread.
    unsafe { std::env::set_var("TMPDIR", scratch) };
    Ok(())
}

/// Reads to the end; the last part is kept.
fn last_words(read: OwnedFd) -> String {
    let mut file = File::from(read);
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                kept.extend_from_slice(&buffer[..n]);
                if kept.len() > 2 * KEPT {
                    kept.drain(..kept.len() - KEPT);
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn wait_for(child: libc::pid_t) -> io::Result<ExitStatus> {
    let mut status = 0;
    loop {
        // SAFETY: `child` is our own child; waitpid writes its status.
        if unsafe { libc::waitpid(child, &raw mut status, 0) } == child {
            return Ok(ExitStatus::from_raw(status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
