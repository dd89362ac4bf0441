//! An MLIR context that knows the dialect `gicc`, MLIR's own dialects, and how they become LLVM IR.

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::utility::{register_all_dialects, register_all_llvm_translations};

use super::passes;

unsafe extern "C" {
    fn mlirGetDialectHandle__gicc__() -> mlir_sys::MlirDialectHandle;
}

/// The dialect, for a registry.
pub fn dialect_handle() -> DialectHandle {
    // SAFETY: the handle is a constant of the dialect's C++.
    unsafe { DialectHandle::from_raw(mlirGetDialectHandle__gicc__()) }
}

/// A context. Dialects are loaded when a file names them.
pub fn context() -> Context {
    passes::register();
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    dialect_handle().insert_dialect(&registry);
    let context = Context::new_with_registry(&registry, false);
    register_all_llvm_translations(&context);
    context
}
