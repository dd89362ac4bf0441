//! Loading of a program: each PE gets a copy of the shared object, so that its variables are its own.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;

use gicc_abi::ABI_VERSION;
use gicc_abi::sim::{self as abi, Description, Entry, SIM_VERSION};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::entry;
use crate::error::{LoadProblem, SimError};

/// A kernel's wrapper.
pub(crate) type Wrapper = unsafe extern "C" fn(*const u8);

/// A variable in one PE's copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

/// One PE's copy.
pub(crate) struct Copy {
    /// In the order of the description.
    pub(crate) kernels: Vec<Wrapper>,
    /// In the order of the description.
    pub(crate) variables: Vec<Variable>,
    // The library is closed before the file whose name it was opened by.
    _library: Library,
    _file: File,
}

/// A loaded program.
pub(crate) struct Program {
    pub(crate) description: Description,
    pub(crate) copies: Vec<Copy>,
}

/// Loads a program for so many PEs, for weak memory or not.
pub(crate) fn load(path: &Path, pes: u32, weak: bool) -> Result<Program, SimError> {
    open(path, pes, weak).map_err(|problem| SimError::Load { path: path.to_owned(), problem })
}

fn open(path: &Path, pes: u32, weak: bool) -> Result<Program, LoadProblem> {
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")) {
        return Err(LoadProblem::Processor);
    }
    let bytes = std::fs::read(path).map_err(LoadProblem::Read)?;
    let mut description = None;
    let mut copies = Vec::new();
    for _ in 0..pes {
        let (copy, described) = open_copy(&bytes, description.as_ref(), weak)?;
        copies.push(copy);
        description = Some(described);
    }
    let description = description.ok_or(LoadProblem::Symbol(abi::DESCRIPTION_SYMBOL))?;
    Ok(Program { description, copies })
}

/// Opens a copy under a name of its own: the dynamic linker gives the same object for the same name.
fn open_copy(bytes: &[u8], known: Option<&Description>, weak: bool) -> Result<(Copy, Description), LoadProblem> {
    // SAFETY: the name ends with a zero byte; the descriptor is fresh, and the file takes it over.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"gicc-sim".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(LoadProblem::Read(std::io::Error::last_os_error()));
        }
        File::from_raw_fd(descriptor)
    };
    file.write_all(bytes).map_err(LoadProblem::Read)?;
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: what a program runs when it is opened is its constructors, and the compiler makes none. A file that is no
    // program and has some runs them; that is the same trust as in starting it.
    let library =
        unsafe { Library::open(Some(&name), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| LoadProblem::Open(e.to_string()))?;
    let found = {
        let version: *const [u32; 2] = symbol(&library, abi::VERSION_SYMBOL)?.cast();
        // SAFETY: the symbol of this name is two words, in every version.
        unsafe { *version }
    };
    let expected = [ABI_VERSION, SIM_VERSION];
    if found != expected {
        return Err(LoadProblem::Version { found, expected });
    }
    let description = match known {
        Some(known) => known.clone(),
        None => {
            let text = symbol(&library, abi::DESCRIPTION_SYMBOL)?;
            // SAFETY: a program of this version has its description there, ended by a zero byte.
            let text = unsafe { std::ffi::CStr::from_ptr(text.cast()) };
            serde_json::from_slice(text.to_bytes()).map_err(|e| LoadProblem::Description(e.to_string()))?
        }
    };
    // A program that calls nothing has no table.
    if let Ok(table) = symbol(&library, abi::API_SYMBOL) {
        let table: *mut *const () = table.cast();
        for (index, &entry) in Entry::ALL.iter().enumerate() {
            // SAFETY: a program of this version has a table of this length.
            unsafe { *table.add(index) = entry::pointer(entry, weak) };
        }
    }
    let kernels: *const Wrapper = symbol(&library, abi::KERNELS_SYMBOL)?.cast();
    let globals: *const u64 = symbol(&library, abi::GLOBALS_SYMBOL)?.cast();
    // SAFETY: both tables have the lengths that the description says.
    let (kernels, variables) = unsafe {
        let kernels = (0..description.kernels.len()).map(|i| *kernels.add(i)).collect();
        let variables = description
            .globals
            .iter()
            .enumerate()
            .map(|(i, g)| Variable { address: *globals.add(i), bytes: g.bytes })
            .collect();
        (kernels, variables)
    };
    Ok((Copy { kernels, variables, _library: library, _file: file }, description))
}

fn symbol(library: &Library, name: &'static str) -> Result<*mut u8, LoadProblem> {
    // SAFETY: only the address is taken here.
    let symbol = unsafe { library.get::<*mut u8>(name.as_bytes()) }.map_err(|_| LoadProblem::Symbol(name))?;
    let address = symbol.as_raw_ptr().cast::<u8>();
    if address.is_null() { Err(LoadProblem::Symbol(name)) } else { Ok(address) }
}
