//! Calls of the CUDA driver with errors in words. The driver's library is loaded when it is first used; nothing of CUDA is
//! needed to build.

use std::ffi::{CStr, c_char};

use cudarc::driver::sys;
use cudarc::driver::sys::CUresult;

/// The oldest driver whose functions this runtime calls: CUDA 12.0.
const OLDEST_DRIVER: i32 = 12000;

/// The variable by which the driver, when it starts, decides when kernels are loaded.
const LOADING: &str = "CUDA_MODULE_LOADING";

/// Why the CUDA backend could not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CudaError {
    /// There is no driver.
    #[error(
        "error: there is no CUDA driver here (libcuda.so.1 cannot be loaded)\n  = help: run on a machine with an NVIDIA GPU and its driver, or use --target sim"
    )]
    NoDriver,
    /// The driver is too old.
    #[error(
        "error: the CUDA driver is of version {found}, but version {} is needed\n  = help: install a newer driver",
        version(OLDEST_DRIVER)
    )]
    OldDriver {
        /// Its version.
        found: String,
    },
    /// There are fewer GPUs than PEs.
    #[error(
        "error: {asked} PEs need {asked} GPUs, but the driver shows {found}\n  = help: ask for at most {found} with --pes, check CUDA_VISIBLE_DEVICES, or use --target sim"
    )]
    TooFewGpus {
        /// PEs that were asked for.
        asked: u32,
        /// GPUs that there are.
        found: u32,
    },
    /// Two GPUs cannot reach each other's memory.
    #[error(
        "error: GPU {from} cannot access the memory of GPU {to}\n  = help: choose GPUs that NVLink or one PCIe root connects, with CUDA_VISIBLE_DEVICES; `nvidia-smi topo -p2p r` shows which"
    )]
    NoPeerAccess {
        /// The one.
        from: u32,
        /// The other.
        to: u32,
    },
    /// A GPU lacks virtual memory management.
    #[error("error: GPU {0} does not support CUDA's virtual memory management, on which symmetric memory is built")]
    NoVirtualMemory(u32),
    /// A module was refused.
    #[error("error: the driver refuses {file} on GPU {pe} ({arch}): {code}{log}\n  = help: {help}")]
    Module {
        /// The file.
        file: String,
        /// The GPU.
        pe: u32,
        /// Its architecture.
        arch: String,
        /// The driver's code.
        code: String,
        /// The log of its compiler, on lines of their own.
        log: String,
        /// The cure.
        help: String,
    },
    /// A kernel ended with a fault.
    #[error("error: kernel `{kernel}` on PE {pe} was ended: {code} ({text})\n  = help: {help}")]
    Fault {
        /// The kernel's symbol.
        kernel: String,
        /// The PE.
        pe: u32,
        /// The driver's code.
        code: String,
        /// What it means.
        text: String,
        /// The cure.
        help: String,
    },
    /// Anything else that the driver refused.
    #[error("error: {what}: {code} ({text})")]
    Call {
        /// What was tried.
        what: String,
        /// The driver's code.
        code: String,
        /// What it means.
        text: String,
    },
    /// An earlier launch hangs or faulted, so nothing more can be done with the devices.
    #[error(
        "error: an earlier kernel still runs or was ended by a fault, so the devices cannot be used any more by this process"
    )]
    Unusable,
}

/// A driver's version in the usual spelling.
fn version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Loads the driver and starts it.
pub(crate) fn start() -> Result<(), CudaError> {
    // SAFETY: only looks whether the library can be loaded.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    // Kernels that are loaded at their first launch can wait for a kernel that spins on another device.
    if std::env::var_os(LOADING).is_none_or(|v| v != "EAGER") {
        // SAFETY: nothing else in this process uses the environment at this time: a command opens its backend before it
        // makes any thread, and `gicc/host.h` asks other programs to set the variable themselves.
        unsafe { std::env::set_var(LOADING, "EAGER") };
    }
    let mut found = 0;
    // SAFETY: writes one integer.
    check(unsafe { sys::cuDriverGetVersion(&mut found) }, "asking the driver for its version")?;
    if found < OLDEST_DRIVER {
        return Err(CudaError::OldDriver { found: version(found) });
    }
    // SAFETY: the flags must be 0.
    check(unsafe { sys::cuInit(0) }, "starting the CUDA driver (no GPU may be visible)")
}

/// A result of the driver as an error that says what was tried.
pub(crate) fn check(result: CUresult, what: impl Into<String>) -> Result<(), CudaError> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let (code, text) = words(result);
    Err(CudaError::Call { what: what.into(), code, text })
}

/// The name and the meaning of a result.
pub(crate) fn words(result: CUresult) -> (String, String) {
    let ask = |f: unsafe fn(CUresult, *mut *const c_char) -> CUresult| {
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: the driver returns a pointer to a constant string, or leaves it null.
        unsafe {
            if f(result, &mut text) != CUresult::CUDA_SUCCESS || text.is_null() {
                return format!("{result:?}");
            }
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    };
    (ask(sys::cuGetErrorName), ask(sys::cuGetErrorString))
}
