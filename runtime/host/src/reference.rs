//! Calls the reference of an example: a function in a shared object that computes what kernels must leave behind
//! (`include/gicc/reference.h`).
//!
//! The call runs in a process of its own whose buffers are shared memory, so that a crash or an endless loop of the
//! reference is a message and not the end of the runner.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Version of the interface; `GICC_REFERENCE_VERSION` of the header.
pub const VERSION: u32 = 1;
/// Bytes of a message; `GICC_REFERENCE_MESSAGE_BYTES` of the header.
const MESSAGE_BYTES: usize = 512;
/// The function's name.
const SYMBOL: &[u8] = b"gicc_reference\0";

/// Why a reference gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// The shared object cannot be loaded.
    #[error("error: cannot load the reference {}: {reason}\n  = help: compile the folder again on this system", path.display())]
    Load {
        /// The shared object.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It reported a failure.
    #[error("error: the reference failed: {message}\n  = help: correct reference.cpp and compile the folder again")]
    Failed {
        /// Its message.
        message: String,
    },
    /// It crashed.
    #[error("error: the reference was ended by {}\n  = help: use run.buffer<T>(…)[i], which checks the index, and look for a null pointer or an endless recursion", signal_name(*signal))]
    Crashed {
        /// The signal's number.
        signal: i32,
    },
    /// It ended the process instead of returning.
    #[error(
        "error: the reference ended its process with status {status} instead of returning\n  = help: return from gicc_reference, and call neither exit nor what calls it"
    )]
    Left {
        /// The status.
        status: i32,
    },
    /// It did not end.
    #[error("error: the reference did not end within {} s", bound.as_secs_f64())]
    Endless {
        /// How long it was waited for.
        bound: Duration,
    },
    /// The operating system refused memory or a process.
    #[error("error: the reference cannot be run: {reason}")]
    System {
        /// Why.
        reason: String,
    },
}

fn signal_name(signal: i32) -> String {
    match signal {
        libc::SIGSEGV => "SIGSEGV (an access outside memory)".into(),
        libc::SIGBUS => "SIGBUS (an access outside memory)".into(),
        libc::SIGFPE => "SIGFPE (an integer division by zero)".into(),
        libc::SIGABRT => "SIGABRT (an abort)".into(),
        libc::SIGILL => "SIGILL (a trap)".into(),
        other => format!("signal {other}"),
    }
}

/// A parameter as the reference sees it.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether it is a floating-point number.
    pub is_real: bool,
    /// On each PE.
    pub integers: Vec<i64>,
    /// On each PE.
    pub reals: Vec<f64>,
}

/// A buffer as the reference sees it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Its type's name.
    pub type_name: String,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// Elements.
    pub length: u64,
    /// Whether it lies in the symmetric heap.
    pub symmetric: bool,
    /// Whether it is compared.
    pub output: bool,
    /// Contents on each PE: initial before the call, expected after it.
    pub contents: Vec<Vec<u8>>,
}

#[repr(C)]
struct RawParameter {
    name: *const c_char,
    is_real: u32,
    reserved: u32,
    integers: *const i64,
    reals: *const f64,
}

#[repr(C)]
struct RawBuffer {
    name: *const c_char,
    type_name: *const c_char,
    element_bytes: u64,
    length: u64,
    symmetric: u32,
    output: u32,
    data: *const *mut c_void,
}

#[repr(C)]
struct RawCall {
    version: u32,
    n_pes: i32,
    n_parameters: u32,
    n_buffers: u32,
    parameters: *const RawParameter,
    buffers: *const RawBuffer,
    message: *mut c_char,
}

type Function = unsafe extern "C" fn(*const RawCall) -> i32;

/// A loaded reference.
pub struct Reference {
    library: libloading::Library,
}

impl Reference {
    /// Loads a shared object.
    pub fn load(path: &Path) -> Result<Reference, ReferenceError> {
        let error = |e: &dyn std::fmt::Display| ReferenceError::Load { path: path.to_owned(), reason: e.to_string() };
        // A name without a slash would be looked for on the loader's path.
        let path = std::path::absolute(path).map_err(|e| error(&e))?;
        // SAFETY: loading runs the object's initialisers; it is code that the user asked to run.
        let library = unsafe { libloading::Library::new(&path) }.map_err(|e| error(&e))?;
        // SAFETY: the symbol is only looked up here.
        unsafe { library.get::<Function>(SYMBOL) }.map_err(|e| error(&e))?;
        Ok(Reference { library })
    }

    /// Computes the expected contents of `buffers` from the initial ones.
    pub fn call(
        &self,
        n_pes: u32,
        parameters: &[Parameter],
        buffers: &mut [Buffer],
        bound: Duration,
    ) -> Result<(), ReferenceError> {
        // SAFETY: the header fixes the function's type.
        let function = unsafe { self.library.get::<Function>(SYMBOL) }
            .map_err(|e| ReferenceError::System { reason: e.to_string() })?;
        let bytes: usize = buffers.iter().flat_map(|b| &b.contents).map(|c| slot(c.len())).sum();
        let shared = Shared::new(MESSAGE_BYTES + bytes)?;
        let name = |s: &str| CString::new(s).map_err(|e| ReferenceError::System { reason: e.to_string() });
        let names = parameters.iter().map(|p| name(&p.name)).collect::<Result<Vec<_>, _>>()?;
        let buffer_names = buffers
            .iter()
            .map(|b| Ok((name(&b.name)?, name(&b.type_name)?)))
            .collect::<Result<Vec<_>, ReferenceError>>()?;
        let raw_parameters: Vec<RawParameter> = parameters
            .iter()
            .zip(&names)
            .map(|(p, name)| RawParameter {
                name: name.as_ptr(),
                is_real: p.is_real.into(),
                reserved: 0,
                integers: p.integers.as_ptr(),
                reals: p.reals.as_ptr(),
            })
            .collect();
        let mut at = MESSAGE_BYTES;
        let mut pointers: Vec<Vec<*mut c_void>> = Vec::new();
        for b in buffers.iter() {
            let mut on_pes = Vec::new();
            for contents in &b.contents {
                shared.write(at, contents);
                on_pes.push(shared.pointer(at).cast::<c_void>());
                at += slot(contents.len());
            }
            pointers.push(on_pes);
        }
        let raw_buffers: Vec<RawBuffer> = buffers
            .iter()
            .zip(&buffer_names)
            .zip(&pointers)
            .map(|((b, (name, ty)), data)| RawBuffer {
                name: name.as_ptr(),
                type_name: ty.as_ptr(),
                element_bytes: b.element_bytes,
                length: b.length,
                symmetric: b.symmetric.into(),
                output: b.output.into(),
                data: data.as_ptr(),
            })
            .collect();
        let call = RawCall {
            version: VERSION,
            n_pes: n_pes as i32,
            n_parameters: raw_parameters.len() as u32,
            n_buffers: raw_buffers.len() as u32,
            parameters: raw_parameters.as_ptr(),
            buffers: raw_buffers.as_ptr(),
            message: shared.pointer(0).cast(),
        };
        in_own_process(bound, || {
            // SAFETY: the structure and everything it points to live until the call returns; buffers lie in shared memory
            // of the stated sizes.
            unsafe { function(&call) }
        })
        .map_err(|e| match e {
            ReferenceError::Failed { .. } => ReferenceError::Failed { message: shared.message() },
            other => other,
        })?;
        let mut at = MESSAGE_BYTES;
        for contents in buffers.iter_mut().flat_map(|b| &mut b.contents) {
            shared.read(at, contents);
            at += slot(contents.len());
        }
        Ok(())
    }
}

/// Runs `function` in a forked process and waits for it, at most `bound`; what it wrote to shared memory stays.
fn in_own_process(bound: Duration, function: impl FnOnce() -> i32) -> Result<(), ReferenceError> {
    let system = || ReferenceError::System { reason: std::io::Error::last_os_error().to_string() };
    // The child says there that the function has returned: an exit status could come from anywhere.
    let returned = Shared::new(slot(1))?;
    // SAFETY: the child calls only the reference, which allocates with the C library (whose allocator is usable after a
    // fork) and takes none of this process's locks, and then leaves without running exit handlers.
    let child = unsafe { libc::fork() };
    match child {
        -1 => return Err(system()),
        0 => {
            let result = function();
            returned.write(0, &[1]);
            // SAFETY: ends the child.
            unsafe { libc::_exit(if result == 0 { 0 } else { 1 }) }
        }
        _ => {}
    }
    let start = Instant::now();
    let mut pause = Duration::from_micros(20);
    loop {
        let mut status = 0;
        // SAFETY: waits for the child made above.
        match unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } {
            0 => {}
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            -1 => return Err(system()),
            _ if libc::WIFSIGNALED(status) => return Err(ReferenceError::Crashed { signal: libc::WTERMSIG(status) }),
            _ if !returned.is_set() => return Err(ReferenceError::Left { status: libc::WEXITSTATUS(status) }),
            _ if libc::WEXITSTATUS(status) == 0 => return Ok(()),
            _ => return Err(ReferenceError::Failed { message: String::new() }),
        }
        if start.elapsed() > bound {
            // SAFETY: ends and reaps the child made above, by its own id.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &mut status, 0);
            }
            return Err(ReferenceError::Endless { bound });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Bytes that a buffer takes, so that the next one is aligned.
fn slot(bytes: usize) -> usize {
    bytes.next_multiple_of(64).max(64)
}

/// Memory that a forked process shares with this one.
struct Shared {
    start: *mut u8,
    bytes: usize,
}

impl Shared {
    fn new(bytes: usize) -> Result<Shared, ReferenceError> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh anonymous mapping.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            let reason = format!("{bytes} bytes of memory: {}", std::io::Error::last_os_error());
            return Err(ReferenceError::System { reason });
        }
        Ok(Shared { start: start.cast(), bytes })
    }

    fn pointer(&self, at: usize) -> *mut u8 {
        assert!(at < self.bytes, "the mapping was sized for all buffers");
        // SAFETY: within the mapping.
        unsafe { self.start.add(at) }
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.bytes, "the mapping was sized for all buffers");
        // SAFETY: within the mapping, which overlaps no Rust object.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer(at), bytes.len()) }
    }

    fn read(&self, at: usize, bytes: &mut [u8]) {
        assert!(at + bytes.len() <= self.bytes, "the mapping was sized for all buffers");
        // SAFETY: within the mapping; the child that wrote it has ended.
        unsafe { std::ptr::copy_nonoverlapping(self.pointer(at), bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Whether the first byte is set.
    fn is_set(&self) -> bool {
        let mut byte = [0];
        self.read(0, &mut byte);
        byte != [0]
    }

    fn message(&self) -> String {
        let mut bytes = [0; MESSAGE_BYTES];
        self.read(0, &mut bytes);
        bytes[MESSAGE_BYTES - 1] = 0;
        let text = CStr::from_bytes_until_nul(&bytes).map(|c| c.to_string_lossy().into_owned()).unwrap_or_default();
        if text.is_empty() { "it gave no message".into() } else { text }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_millis(300);

    #[test]
    fn a_process_of_its_own_reports_how_it_ended() {
        assert_eq!(in_own_process(BOUND, || 0), Ok(()));
        assert_eq!(in_own_process(BOUND, || 3), Err(ReferenceError::Failed { message: String::new() }));
        // SAFETY: raises a signal in the child.
        let crash = in_own_process(BOUND, || unsafe { libc::raise(libc::SIGKILL) });
        assert_eq!(crash, Err(ReferenceError::Crashed { signal: libc::SIGKILL }));
        for status in [0, 1] {
            // SAFETY: ends the child, as a reference that calls exit does.
            let left = in_own_process(BOUND, || unsafe { libc::_exit(status) });
            assert_eq!(left, Err(ReferenceError::Left { status }));
        }
        let endless = in_own_process(BOUND, || {
            std::thread::sleep(Duration::from_secs(60));
            0
        });
        assert_eq!(endless, Err(ReferenceError::Endless { bound: BOUND }));
    }

    #[test]
    fn a_file_that_is_no_shared_object_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reference.so");
        std::fs::write(&path, "text").expect("a file");
        assert!(matches!(Reference::load(&path), Err(ReferenceError::Load { .. })));
    }
}
