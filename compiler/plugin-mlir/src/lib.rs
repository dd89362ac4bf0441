//! The dialect `gicc` and its passes as a plugin for MLIR's own tools:
//!
//! ```text
//! mlir-opt-22 --load-dialect-plugin=libgicc_mlir.so --load-pass-plugin=libgicc_mlir.so \
//!             --pass-pipeline='builtin.module(gicc-to-llvm)' kernel.mlir
//! ```
//!
//! The tool must be the MLIR that the plugin was built with: version 22, as a shared library.

use std::ffi::{CStr, c_char, c_void};

use gicc::dialect::{dialect_handle, passes};
use mlir_sys::{MlirDialectRegistry, mlirDialectHandleInsertDialect};

/// What MLIR asks a plugin for: `DialectPluginLibraryInfo` and `PassPluginLibraryInfo`, which are laid out alike.
#[repr(C)]
#[derive(Debug)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    callback: *const c_void,
}

/// The version of both interfaces in MLIR 22.
const API_VERSION: u32 = 1;
const NAME: &CStr = c"gicc";
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

fn info(callback: *const c_void) -> PluginInfo {
    PluginInfo { api_version: API_VERSION, name: NAME.as_ptr(), version: VERSION.as_ptr(), callback }
}

extern "C" fn register_dialect(registry: *mut c_void) {
    // SAFETY: MLIR hands over its DialectRegistry, which is what this handle of the C interface holds.
    unsafe { mlirDialectHandleInsertDialect(dialect_handle().to_raw(), MlirDialectRegistry { ptr: registry }) }
}

extern "C" fn register_passes() {
    passes::register_in_host();
}

/// Called by `--load-dialect-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> PluginInfo {
    info(register_dialect as *const c_void)
}

/// Called by `--load-pass-plugin`.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PluginInfo {
    info(register_passes as *const c_void)
}
