//! What a program says of itself: its version, its kernels' wrappers, its variables, and the description in JSON.

use gicc_abi::ABI_VERSION;
use gicc_abi::sim::{self as abi, Description, SIM_VERSION};

use super::globals::{self, SharedLayout};
use super::ir::Ir;
use super::kernel::Kernel;
use super::object::Machine;
use super::site::Sites;
use super::{codes, entry, module};
use crate::diagnostic::Diagnostic;

/// Inlines the library, numbers the sites, and adds all that the loader reads.
pub(super) fn add(
    ir: &Ir,
    source: &str,
    kernels: &[Kernel],
    shared: SharedLayout,
    sites: &mut Sites,
    machine: &Machine,
) -> Result<Description, Vec<Diagnostic>> {
    let single = |e| vec![e];
    let version = ir.array_constant(ir.int(32), &[ir.i32(ABI_VERSION), ir.i32(SIM_VERSION)]);
    ir.add_global(abi::VERSION_SYMBOL, version.ty(), version);
    let pointer = ir.pointer(0);
    let mut wrappers: Vec<_> = kernels.iter().map(|k| k.wrapper).collect();
    if wrappers.is_empty() {
        wrappers.push(ir.zero(pointer));
    }
    let wrappers = ir.array_constant(pointer, &wrappers);
    ir.add_global(abi::KERNELS_SYMBOL, wrappers.ty(), wrappers);

    module::run_passes(ir, machine.handle(), "always-inline").map_err(single)?;
    entry::number_sites(ir, sites);
    let globals = globals::describe(ir);

    let (files, functions, sites) = std::mem::take(sites).into_parts();
    let description = Description {
        source: source.to_owned(),
        kernels: kernels.iter().map(|k| k.description.clone()).collect(),
        globals,
        shared: shared.variables,
        shared_bytes: shared.bytes,
        files,
        functions,
        sites,
    };
    let mut text = serde_json::to_vec(&description)
        .map_err(|e| vec![Diagnostic::error(codes::LLVM, format!("the description cannot be written: {e}"))])?;
    text.push(0);
    let text = ir.bytes_constant(&text);
    ir.add_global(abi::DESCRIPTION_SYMBOL, text.ty(), text);
    Ok(description)
}
