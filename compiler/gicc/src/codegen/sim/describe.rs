//! What a program says of itself: its version, its kernels' wrappers, its variables, and the description in JSON.

use gicc_abi::ABI_VERSION;
use gicc_abi::sim::{self as abi, Description, MAX_LOCAL_BYTES, SIM_VERSION, Stack};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::LLVMGetAllocatedType;

use super::globals::{self, SharedLayout};
use super::ir::{Ir, Ty, Value};
use super::kernel::Kernel;
use super::object::Machine;
use super::site::Sites;
use super::{codes, entry, module};
use crate::diagnostic::Diagnostic;

/// Inlines the library, numbers the sites, and adds all that the loader reads but the description, which [`write`] adds.
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
    Ok(Description {
        source: source.to_owned(),
        kernels: kernels.iter().map(|k| k.description.clone()).collect(),
        globals,
        shared: shared.variables,
        shared_bytes: shared.bytes,
        stack: Stack::default(),
        files,
        functions,
        sites,
    })
}

/// Adds the description, when the functions have their final frames.
pub(super) fn write(ir: &Ir, description: &mut Description) -> Result<(), Diagnostic> {
    description.stack = stack(ir);
    let text = serde_json::to_vec(&*description);
    let mut text =
        text.map_err(|e| Diagnostic::error(codes::LLVM, format!("the description cannot be written: {e}")))?;
    text.push(0);
    let text = ir.bytes_constant(&text);
    ir.add_global(abi::DESCRIPTION_SYMBOL, text.ty(), text);
    Ok(())
}

/// Refuses a function whose variables no thread of a GPU could hold.
pub(super) fn check_frame(ir: &Ir, function: Value) -> Result<(), Diagnostic> {
    let frame = frame(ir, function);
    if frame <= MAX_LOCAL_BYTES {
        return Ok(());
    }
    let message = format!("the local variables of one function have {frame} bytes");
    let place = function.instructions().into_iter().find_map(|i| i.span());
    Err(Diagnostic::error(codes::ACCESS, message)
        .at(place)
        .cause(format!("A thread has {MAX_LOCAL_BYTES} bytes of local memory at most."))
        .cure("Make the arrays smaller, or keep them in a buffer."))
}

/// Bytes of a function's local variables.
pub(super) fn frame(ir: &Ir, function: Value) -> u64 {
    let allocas = function.instructions().into_iter().filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca));
    let bytes = allocas.map(|alloca| {
        // SAFETY: an alloca.
        let element = ir.bytes(Ty(unsafe { LLVMGetAllocatedType(alloca.0) }));
        element.saturating_mul(alloca.operand(0).const_i64().map_or(1, |count| count.max(0) as u64))
    });
    bytes.fold(0, u64::saturating_add)
}

/// What all functions need, with room in each frame for what the host's code generator keeps there.
fn stack(ir: &Ir) -> Stack {
    const SPILLS: u64 = 512;
    let mut stack = Stack::default();
    for function in ir.functions() {
        if !function.is_declaration() {
            let frame = frame(ir, function).saturating_add(SPILLS);
            stack.frames = stack.frames.saturating_add(frame);
            stack.largest = stack.largest.max(frame);
        }
    }
    stack
}
