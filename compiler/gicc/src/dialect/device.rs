//! `gicc-device-module`: all functions of a file become one module of device code. `gicc-check-lowered`: nothing but LLVM's
//! dialects is left in it, and `gicc.kernel` has become `nvvm.kernel`, `gicc.fallback = @f` and `gicc.domains` attributes of LLVM's.
//!
//! ```text
//! before                                              after
//! func.func @k(%x: memref<4xf32>)                     gpu.module @gicc {
//!     attributes {gicc.kernel} { … }                    func.func @k(%x: memref<4xf32>) attributes {gicc.kernel} { … }
//! gpu.module @more {                                    gpu.func @l() kernel { … }
//!   gpu.func @l() kernel { … }                        }
//! }
//! ```
//!
//! Ensures: one `gpu.module`, which MLIR's lowering for NVIDIA GPUs takes; declarations of teams and domains go along. A
//! kernel is a `gpu.func` with `kernel`, or a function with `gicc.kernel`. Host code is refused: launches are described in
//! a launch description.

use std::collections::HashMap;

use gicc_abi::domain::MEMBERS_ATTRIBUTE;
use gicc_abi::intrinsics::FALLBACK_ATTRIBUTE;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationBuilder, OperationLike as _};
use melior::ir::r#type::{FunctionType, MemRefType, TypeLike as _};
use melior::ir::{Attribute, Block, BlockRef, Identifier, OperationRef, Region, RegionLike as _};
use mlir_sys::{mlirBlockAppendOwnedOperation, mlirOperationRemoveFromParent};

use super::ir::{
    all_below, erase, name_attribute, name_of, remove_attribute, set_attribute, symbol_name, type_attribute,
};
use super::passes::Failed;
use super::{emit_error, emit_error_with_note};

/// Marks functions that a launch description may launch.
const KERNEL: &str = "gicc.kernel";

/// Gathers all functions below a module in one `gpu.module`.
///
/// # Errors
/// Where the file holds what is no device code; all of it is told.
pub(super) fn gather(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    let Some(body) = body(module) else { return Ok(()) };
    let mut gathered = Vec::new();
    let mut emptied = Vec::new();
    let mut failed = false;
    for operation in operations(body) {
        if name_of(operation) == "gpu.module" {
            emptied.push(operation);
            let inner = super::device::body(operation).map(operations).unwrap_or_default();
            gathered.extend(inner.into_iter().filter(|o| name_of(*o) != "gpu.module_end"));
        } else {
            gathered.push(operation);
        }
    }
    for &operation in &gathered {
        failed |= refuse_host_code(operation);
    }
    let Ok(gathered) = without_duplicates(gathered) else { return Err(Failed) };
    if failed {
        return Err(Failed);
    }
    let context = module.context();
    // SAFETY: the context outlives the module.
    let context = unsafe { context.to_ref() };
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let device = OperationBuilder::new("gpu.module", module.location())
        .add_attributes(&[(Identifier::new(context, "sym_name"), StringAttribute::new(context, "gicc").into())])
        .add_regions([region])
        .build()
        .expect("a gpu.module that MLIR can build");
    let Some(inside) = device.region(0).ok().and_then(|r| r.first_block()) else { return Err(Failed) };
    for operation in gathered {
        // SAFETY: the operation leaves its block and enters another one; nothing outside it refers to values inside.
        unsafe {
            mlirOperationRemoveFromParent(operation.to_raw());
            mlirBlockAppendOwnedOperation(inside.to_raw(), operation.to_raw());
        }
    }
    emptied.into_iter().for_each(erase);
    body.append_operation(device);
    Ok(())
}

fn body<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    operation.region(0).ok()?.first_block()
}

fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |o| o.next_in_block()).collect()
}

/// What cannot be device code; whether there was any.
fn refuse_host_code(operation: OperationRef<'_, '_>) -> bool {
    let name = name_of(operation);
    if !matches!(
        name.as_str(),
        "func.func" | "gpu.func" | "llvm.func" | "memref.global" | "llvm.mlir.global" | "gicc.team" | "gicc.domain"
    ) {
        emit_error(
            operation.location(),
            &format!("`{name}` cannot be compiled for a GPU: functions, gpu.module and globals can"),
        );
        return true;
    }
    let mut failed = false;
    for inner in all_below(operation) {
        if matches!(name_of(inner).as_str(), "gpu.launch" | "gpu.launch_func") {
            emit_error(
                inner.location(),
                "this launches a kernel, which is host code: gicc takes kernels alone, and a launch description launches them",
            );
            failed = true;
        }
    }
    failed | refuse_buffers_without_shape(operation)
}

/// Buffers cross calls and launches as addresses alone, so their types must tell the rest.
fn refuse_buffers_without_shape(function: OperationRef<'_, '_>) -> bool {
    let Some(ty) = type_attribute(function, "function_type").and_then(|t| FunctionType::try_from(t).ok()) else {
        return false;
    };
    let mut failed = false;
    for n in 0..ty.input_count() {
        let Some(memref) = ty.input(n).ok().and_then(|t| MemRefType::try_from(t).ok()) else { continue };
        let (strides, offset) = memref.strides_and_offset();
        // SAFETY: the type is shaped; the second returns a constant.
        let (known, dynamic) = unsafe {
            (
                mlir_sys::mlirShapedTypeHasStaticShape(memref.to_raw()),
                mlir_sys::mlirShapedTypeGetDynamicStrideOrOffset(),
            )
        };
        if !known || offset == dynamic || strides.contains(&dynamic) {
            emit_error(
                function.location(),
                &format!(
                    "argument {n} of `{}` has the type {}, whose sizes are not all known: a buffer is passed as an address, \
                     so its shape and layout must be static; pass `!llvm.ptr` and a count otherwise",
                    symbol_name(function).unwrap_or_default(),
                    memref
                ),
            );
            failed = true;
        }
    }
    failed
}

/// One definition of each name: declarations give way to definitions and to equal declarations.
fn without_duplicates<'c, 'a>(gathered: Vec<OperationRef<'c, 'a>>) -> Result<Vec<OperationRef<'c, 'a>>, Failed> {
    let mut by_name: HashMap<String, OperationRef<'c, 'a>> = HashMap::new();
    let mut dropped = Vec::new();
    let mut failed = false;
    for &operation in &gathered {
        let Some(name) = symbol_name(operation) else { continue };
        let Some(&first) = by_name.get(&name) else {
            by_name.insert(name, operation);
            continue;
        };
        let (old, new) = (is_declaration(first), is_declaration(operation));
        // What is declared alike in several modules is one thing.
        let same = name_of(operation).starts_with("gicc.") && operation.to_string() == first.to_string();
        if new || same {
            dropped.push(operation);
        } else if old {
            dropped.push(first);
            by_name.insert(name, operation);
        } else {
            emit_error_with_note(
                operation.location(),
                &format!("`{name}` is defined twice: all of a file's modules become one"),
                first.location(),
                "it is defined here too",
            );
            failed = true;
        }
    }
    if failed {
        return Err(Failed);
    }
    let kept = gathered.into_iter().filter(|o| !dropped.contains(o)).collect();
    dropped.into_iter().for_each(erase);
    Ok(kept)
}

fn is_declaration(operation: OperationRef<'_, '_>) -> bool {
    body(operation).is_none() && name_of(operation).ends_with(".func")
}

/// Refuses what is left of dialects that are not LLVM's, and marks kernels as those have it.
///
/// # Errors
/// Where anything is left; each kind of operation is told once.
pub(super) fn check_lowered(module: OperationRef<'_, '_>) -> Result<(), Failed> {
    let mut told = Vec::new();
    for operation in all_below(module) {
        let name = name_of(operation);
        if name == "llvm.func" && operation.has_attribute(KERNEL) {
            let context = operation.context();
            remove_attribute(operation, KERNEL);
            // SAFETY: the context outlives the operation.
            set_attribute(operation, "nvvm.kernel", Attribute::unit(unsafe { context.to_ref() }));
        }
        if name == "llvm.func" {
            keep(operation, FALLBACK_ATTRIBUTE);
            keep(operation, MEMBERS_ATTRIBUTE);
        }
        let dialect = name.split('.').next().unwrap_or_default();
        if matches!(dialect, "llvm" | "nvvm")
            || matches!(name.as_str(), "gpu.module" | "builtin.module")
            || told.contains(&name)
        {
            continue;
        }
        let message = if name == "builtin.unrealized_conversion_cast" {
            format!("a value of type {} could not be lowered for the GPU", operand_type(operation))
        } else {
            format!("`{name}` has no lowering for the GPU")
        };
        emit_error(operation.location(), &message);
        told.push(name);
    }
    if told.is_empty() { Ok(()) } else { Err(Failed) }
}

/// A name or text that a function has as an attribute becomes a string attribute of the function in LLVM IR.
fn keep(function: OperationRef<'_, '_>, attribute: &str) {
    let Some(value) = name_attribute(function, attribute) else { return };
    remove_attribute(function, attribute);
    let others = function.attribute("passthrough").map(|a| a.to_string()).unwrap_or_default();
    let others = others.strip_prefix('[').and_then(|o| o.strip_suffix(']')).unwrap_or_default();
    let separator = if others.is_empty() { "" } else { ", " };
    let context = function.context();
    // SAFETY: the context outlives the operation.
    let context = unsafe { context.to_ref() };
    let all = format!("[{others}{separator}[\"{attribute}\", \"{value}\"]]");
    if let Some(attribute) = Attribute::parse(context, &all) {
        set_attribute(function, "passthrough", attribute);
    }
}

fn operand_type(operation: OperationRef<'_, '_>) -> String {
    use melior::ir::ValueLike as _;
    operation.operand(0).map(|v| v.r#type().to_string()).unwrap_or_default()
}
