//! Kernels: each gets a wrapper `void (const void *parameters)` that unpacks the packed parameters and calls it.
//!
//! Parameters that are structures by value (`byval`) become a copy in the thread's own memory, which the kernel may change.

use gicc_abi::sim as abi;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;

use super::super::kernels::source_name;
use super::entry;
use super::ir::{Ir, Ty, Value};
use super::memory;

/// LLVM's number of the calling convention `ptx_kernel`.
const PTX_KERNEL: u32 = 71;

/// A kernel, its wrapper, and what the host has to know of it.
pub(super) struct Kernel {
    pub(super) wrapper: Value,
    pub(super) description: abi::Kernel,
}

/// Whether a function is a kernel.
pub(super) fn is_kernel(function: Value) -> bool {
    // SAFETY: a function.
    unsafe { LLVMGetFunctionCallConv(function.0) == PTX_KERNEL }
}

/// The type attribute `byval` at a place of a function (1 is the first parameter).
fn byval_type(function: Value, place: u32) -> Option<Ty> {
    // SAFETY: a function with this many parameters; the attribute's value is a type.
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
        let attribute = LLVMGetEnumAttributeAtIndex(function.0, place, kind);
        (!attribute.is_null()).then(|| Ty(LLVMGetTypeAttributeValue(attribute)))
    }
}

/// Bytes of the structure behind an argument that is one by value.
pub(super) fn byval_bytes(ir: &Ir, value: Value) -> Option<u64> {
    if !value.is_argument() {
        return None;
    }
    // SAFETY: an argument.
    let function = Value(unsafe { LLVMGetParamParent(value.0) });
    let place = function.parameters().iter().position(|&p| p == value)?;
    byval_type(function, place as u32 + 1).map(|ty| ir.bytes(ty))
}

/// Makes a wrapper for every kernel, and gives all functions the host's calling convention.
pub(super) fn wrap(ir: &Ir) -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for function in ir.functions() {
        if !function.is_declaration() && is_kernel(function) {
            kernels.push(wrapper(ir, function, kernels.len()));
        }
    }
    for function in ir.functions() {
        // SAFETY: a function.
        unsafe { LLVMSetFunctionCallConv(function.0, 0) };
        for instruction in function.instructions() {
            if instruction.opcode() == Some(LLVMOpcode::LLVMCall) {
                // SAFETY: a call.
                unsafe { LLVMSetInstructionCallConv(instruction.0, 0) };
            }
        }
    }
    kernels
}

fn wrapper(ir: &Ir, kernel: Value, number: usize) -> Kernel {
    let ty = ir.function_type(ir.void(), &[ir.pointer(0)]);
    let wrapper = ir.add_function(&format!("sim.kernel.{number}"), ty);
    let block = ir.append_block(wrapper, "entry");
    ir.at_end(block);
    let packed = wrapper.parameters()[0];
    let mut at = 0u32;
    let mut layout = Vec::new();
    let mut arguments = Vec::new();
    for (index, parameter) in kernel.parameters().into_iter().enumerate() {
        let by_value = byval_type(kernel, index as u32 + 1);
        let ty = by_value.unwrap_or_else(|| parameter.ty());
        let declared = super::module::parameter_align(kernel, index as u32 + 1);
        let align = if by_value.is_some() && declared > 0 { declared } else { ir.align(ty) } as u32;
        let bytes = ir.bytes(ty) as u32;
        at = at.next_multiple_of(align.max(1));
        layout.push([at, bytes]);
        let place = ir.offset(packed, ir.i64(at.into()));
        // The buffer that the launcher packed is aligned to a byte at least.
        arguments.push(if by_value.is_some() { place } else { ir.load(ty, place, 1) });
        at += bytes;
    }
    for (index, argument) in arguments.iter_mut().enumerate() {
        if let Some(ty) = byval_type(kernel, index as u32 + 1) {
            let bytes = ir.bytes(ty);
            let copy = ir.entry_alloca(wrapper, bytes.max(1), 16);
            let memcpy = copy_bytes(ir, copy, *argument, bytes);
            debug_assert!(!memcpy.0.is_null());
            *argument = copy;
        }
    }
    let call = ir.call(kernel.value_type(), kernel, &arguments);
    super::module::copy_byval(ir, kernel, call);
    ir.ret(None);
    let max_threads = super::module::string_attribute(kernel, super::module::MAX_THREADS)
        .map_or(0, |text| text.split(',').filter_map(|n| n.trim().parse::<u32>().ok()).product());
    let symbol = kernel.name();
    Kernel {
        wrapper,
        description: abi::Kernel {
            name: source_name(&symbol),
            symbol,
            parameters: layout,
            parameter_bytes: at,
            max_threads,
        },
    }
}

/// A native copy between memory of the thread's own and the parameters.
fn copy_bytes(ir: &Ir, to: Value, from: Value, bytes: u64) -> Value {
    let (pointer, word) = (ir.pointer(0), ir.int(64));
    let ty = ir.function_type(ir.void(), &[pointer, pointer, word, ir.int(1)]);
    let name = "llvm.memcpy.p0.p0.i64";
    let function = ir.function(name).unwrap_or_else(|| ir.add_function(name, ty));
    ir.call(ty, function, &[to, from, ir.i64(bytes), ir.constant(ir.int(1), 0)])
}

/// Structures passed by value to device functions are copied natively at the call, so they have to be the thread's own:
/// one that is not is copied there first.
pub(super) fn localize_byval_arguments(ir: &Ir, function: Value) {
    for call in function.instructions() {
        if call.opcode() != Some(LLVMOpcode::LLVMCall) || !call.callee().is_function() {
            continue;
        }
        for (index, argument) in call.arguments().into_iter().enumerate() {
            let Some(ty) = byval_type(call.callee(), index as u32 + 1) else { continue };
            if memory::is_local(ir, argument) {
                continue;
            }
            ir.before(call);
            let bytes = ir.bytes(ty);
            let copy = ir.entry_alloca(function, bytes.max(1), 16);
            let meta = abi::Meta::access(1);
            entry::call(ir, abi::Entry::Copy, &[copy, memory::generic(ir, argument), ir.i64(bytes)], meta);
            call.set_operand(index as u32, copy);
        }
    }
}
