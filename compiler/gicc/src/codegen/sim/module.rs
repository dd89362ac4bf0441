//! Attributes, passes and linking: the parts of LLVM's interface that concern a whole module.

use std::ffi::{CStr, c_uint};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use inkwell::llvm_sys::target_machine::LLVMTargetMachineRef;
use inkwell::llvm_sys::transforms::pass_builder::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode};

use super::codes;
use super::ir::{Ir, Value, c_string};
use crate::diagnostic::Diagnostic;

/// Attributes of functions that stay true when accesses have become calls of the simulator.
const KEPT_FUNCTION: &[&str] = &["convergent", "noinline", "alwaysinline", "noreturn", "nounwind", "cold", "optnone"];
/// Attributes of parameters and results that stay true.
const KEPT_PARAMETER: &[&str] = &["byval", "sret", "align", "zeroext", "signext", "noundef", "inreg"];

fn kind(name: &str) -> c_uint {
    // SAFETY: the name is given with its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Adds an attribute to a function.
pub(super) fn add_attribute(ir: &Ir, function: Value, name: &str) {
    // SAFETY: a function of the context.
    unsafe {
        let attribute = LLVMCreateEnumAttribute(ir.context, kind(name), 0);
        LLVMAddAttributeAtIndex(function.0, LLVMAttributeFunctionIndex, attribute);
    }
}

/// Makes the device runtime part of its callers: it has no lines of its own, so what goes wrong in it gets the caller's.
pub(super) fn inline_runtime(ir: &Ir) {
    for function in ir.functions() {
        if !function.is_declaration() && function.name().starts_with("gicc_rt_") {
            for name in ["noinline", "optnone"] {
                // SAFETY: a function; a missing attribute is no error.
                unsafe { LLVMRemoveEnumAttributeAtIndex(function.0, LLVMAttributeFunctionIndex, kind(name)) };
            }
            add_attribute(ir, function, "alwaysinline");
        }
    }
}

/// Adds an attribute to a call.
pub(super) fn add_call_attribute(ir: &Ir, call: Value, name: &str) {
    // SAFETY: a call of the context.
    unsafe {
        let attribute = LLVMCreateEnumAttribute(ir.context, kind(name), 0);
        LLVMAddCallSiteAttribute(call.0, LLVMAttributeFunctionIndex, attribute);
    }
}

/// Says that a call reads and writes nothing that the program sees.
pub(super) fn add_call_memory_none(ir: &Ir, call: Value) {
    // SAFETY: a call of the context; 0 is `memory(none)`.
    unsafe {
        let attribute = LLVMCreateEnumAttribute(ir.context, kind("memory"), 0);
        LLVMAddCallSiteAttribute(call.0, LLVMAttributeFunctionIndex, attribute);
    }
    add_call_attribute(ir, call, "willreturn");
}

/// Says that a load gives the same value whenever it runs.
pub(super) fn mark_invariant(ir: &Ir, load: Value) {
    // SAFETY: a load of the context.
    unsafe {
        let name = "invariant.load";
        let id = LLVMGetMDKindIDInContext(ir.context, name.as_ptr().cast(), name.len() as c_uint);
        let node = LLVMMDNodeInContext2(ir.context, std::ptr::null_mut(), 0);
        LLVMSetMetadata(load.0, id, LLVMMetadataAsValue(ir.context, node));
    }
}

/// The value of a string attribute of a function.
pub(super) fn string_attribute(function: Value, name: &str) -> Option<String> {
    // SAFETY: a function; the attribute's text has the length that comes with it.
    unsafe {
        let attribute = LLVMGetStringAttributeAtIndex(
            function.0,
            LLVMAttributeFunctionIndex,
            name.as_ptr().cast(),
            name.len() as c_uint,
        );
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut length);
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The attribute from which a kernel's largest block is known.
pub(super) const MAX_THREADS: &str = "nvvm.maxntid";

/// Drops the names of the GPU's processor and features, which the host's target machine would take for its own.
pub(super) fn drop_processor(ir: &Ir) {
    for function in ir.functions() {
        for name in ["target-cpu", "target-features", "tune-cpu"] {
            // SAFETY: a function; a missing attribute is no error.
            unsafe {
                LLVMRemoveStringAttributeAtIndex(
                    function.0,
                    LLVMAttributeFunctionIndex,
                    name.as_ptr().cast(),
                    name.len() as c_uint,
                );
            }
        }
    }
}

/// Drops every attribute that speaks of the GPU, or of memory as it was before the accesses became calls.
pub(super) fn drop_attributes(ir: &Ir) {
    for function in ir.functions() {
        if function.name().starts_with("llvm.") {
            continue;
        }
        // SAFETY: a function and its own attributes; indices are the function's, the result's and the parameters'.
        unsafe {
            let parameters = function.parameters().len() as c_uint;
            let indices = std::iter::once((LLVMAttributeFunctionIndex, KEPT_FUNCTION))
                .chain((0..=parameters).map(|i| (i, KEPT_PARAMETER)));
            for (index, kept) in indices {
                let count = LLVMGetAttributeCountAtIndex(function.0, index);
                let mut attributes = vec![std::ptr::null_mut(); count as usize];
                LLVMGetAttributesAtIndex(function.0, index, attributes.as_mut_ptr());
                for attribute in attributes {
                    if LLVMIsStringAttribute(attribute) != 0 {
                        let mut length = 0;
                        let text = LLVMGetStringAttributeKind(attribute, &mut length);
                        let name = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
                        if name == MAX_THREADS.as_bytes() {
                            continue;
                        }
                        LLVMRemoveStringAttributeAtIndex(function.0, index, text, length);
                    } else {
                        let this = LLVMGetEnumAttributeKind(attribute);
                        if !kept.iter().any(|k| kind(k) == this) {
                            LLVMRemoveEnumAttributeAtIndex(function.0, index, this);
                        }
                    }
                }
            }
        }
        for call in function.instructions() {
            if call.opcode() == Some(LLVMOpcode::LLVMCall) {
                drop_call_attributes(call);
            }
        }
    }
}

fn drop_call_attributes(call: Value) {
    if call.callee().is_function() && call.callee().name().starts_with("llvm.") {
        return;
    }
    // SAFETY: a call and its own attributes.
    unsafe {
        let parameters = call.arguments().len() as c_uint;
        let indices = std::iter::once((LLVMAttributeFunctionIndex, KEPT_FUNCTION))
            .chain((0..=parameters).map(|i| (i, KEPT_PARAMETER)));
        for (index, kept) in indices {
            let count = LLVMGetCallSiteAttributeCount(call.0, index);
            let mut attributes = vec![std::ptr::null_mut(); count as usize];
            LLVMGetCallSiteAttributes(call.0, index, attributes.as_mut_ptr());
            for attribute in attributes {
                if LLVMIsStringAttribute(attribute) != 0 {
                    let mut length = 0;
                    let text = LLVMGetStringAttributeKind(attribute, &mut length);
                    LLVMRemoveCallSiteStringAttribute(call.0, index, text, length);
                } else {
                    let this = LLVMGetEnumAttributeKind(attribute);
                    if !kept.iter().any(|k| kind(k) == this) {
                        LLVMRemoveCallSiteEnumAttribute(call.0, index, this);
                    }
                }
            }
        }
    }
    // SAFETY: a call. A tail call may not hand over allocas, which accesses to local memory now do.
    unsafe { LLVMSetTailCall(call.0, 0) };
}

/// Copies the `byval` attributes of a function to a call of it.
pub(super) fn copy_byval(ir: &Ir, function: Value, call: Value) {
    // SAFETY: a function, a call of it, and attributes of the same context.
    unsafe {
        for place in 1..=function.parameters().len() as c_uint {
            let attribute = LLVMGetEnumAttributeAtIndex(function.0, place, kind("byval"));
            if attribute.is_null() {
                continue;
            }
            let ty = LLVMGetTypeAttributeValue(attribute);
            let copy = LLVMCreateTypeAttribute(ir.context, kind("byval"), ty);
            LLVMAddCallSiteAttribute(call.0, place, copy);
            let align = LLVMGetEnumAttributeAtIndex(function.0, place, kind("align"));
            if !align.is_null() {
                LLVMAddCallSiteAttribute(call.0, place, align);
            }
        }
    }
}

/// The alignment that a parameter's attribute gives (1 is the first), or 0.
pub(super) fn parameter_align(function: Value, place: u32) -> u64 {
    // SAFETY: a function with this many parameters.
    unsafe {
        let attribute = LLVMGetEnumAttributeAtIndex(function.0, place, kind("align"));
        if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) }
    }
}

/// Gives every function with a body internal linkage.
pub(super) fn internalize(ir: &Ir) {
    for function in ir.functions() {
        let runtime = super::library::KEPT_SYMBOLS.contains(&function.name().as_str());
        if !function.is_declaration() && !runtime {
            // SAFETY: a function.
            unsafe {
                LLVMSetLinkage(function.0, LLVMLinkage::LLVMInternalLinkage);
                LLVMSetDLLStorageClass(function.0, inkwell::llvm_sys::LLVMDLLStorageClass::LLVMDefaultStorageClass);
                inkwell::llvm_sys::comdat::LLVMSetComdat(function.0, std::ptr::null_mut());
            }
        }
    }
}

/// Runs passes, named as `opt` names them.
pub(super) fn run_passes(ir: &Ir, machine: LLVMTargetMachineRef, passes: &str) -> Result<(), Diagnostic> {
    // SAFETY: the module lives, and its functions are verified.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(ir.module, c_string(passes).as_ptr(), machine, options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let text = LLVMGetErrorMessage(error);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(Diagnostic::error(codes::LLVM, format!("LLVM's passes failed: {message}")))
    }
}

/// Checks the module's form.
pub(super) fn verify(ir: &Ir, when: &str) -> Result<(), Diagnostic> {
    use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
    // SAFETY: the module lives; the message is disposed of once.
    unsafe {
        let mut text = std::ptr::null_mut();
        let bad = LLVMVerifyModule(ir.module, LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut text);
        let message = if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() };
        LLVMDisposeMessage(text);
        if bad == 0 {
            return Ok(());
        }
        Err(Diagnostic::error(codes::LLVM, format!("the module is not well-formed {when}: {}", message.trim())))
    }
}
