//! Entries: what of a collective is inlined into each program that calls it (`collective/root` has the other part). Between
//! compilations they are kept in the cache, as bitcode, so MLIR does not run for a collective that was compiled before, whatever
//! its count.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use super::Cache;
use crate::collective::{Signature, lower};
use crate::diagnostic::Diagnostic;

/// The entry of a signature, with declarations of what it calls.
///
/// # Errors
/// Where MLIR or LLVM refuses what was made.
pub(crate) fn entry<'c>(
    context: &'c Context,
    cache: Option<&Cache>,
    signature: Signature,
) -> Result<Module<'c>, Vec<Diagnostic>> {
    let key = key(signature);
    if let Some(bitcode) = cache.and_then(|c| c.load(&key)) {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, &key);
        if let Ok(module) = Module::parse_bitcode_from_buffer(&buffer, context) {
            return Ok(module);
        }
    }
    let module = lower(context, &[signature], true)?;
    if let Some(cache) = cache {
        cache.store(&key, module.write_bitcode_to_memory().as_slice());
    }
    Ok(module)
}

/// What an entry depends on besides this build of gicc.
pub(crate) fn key(signature: Signature) -> String {
    format!("entry {}", signature.symbol())
}
