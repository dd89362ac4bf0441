//! `link_runtime`: the device runtime, which the compiler carries as bitcode, is linked and what is called of it is inlined.
//!
//! ```text
//! before   call void @__gicc_put_signal_block(ptr %dst, ptr %src, i64 %n, i32 4, ptr %sig, i64 1, i32 0, i32 %pe)
//! after    the copy loop; call void @llvm.nvvm.barrier…; in thread 0: call void @__gicc_signal_set(%p, 1, release, %pe)
//! ```
//!
//! Requires: `verify_intrinsics`. Ensures: every function that is called is defined, or is an intrinsic of LLVM, a
//! requirement, an ordering, a fact about the team, the root of a collective, or one of the functions
//! that a target supplies; only kernels and
//! variables are visible outside; inlined code stands at the user's call line. Preserves: the user's functions.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::{AsContextRef as _, Context};
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};

use super::team_facts::mark_as_value;
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::units::{declare, is_declared_root};
use crate::llvm::{Messages, attribute, calls, defined_functions, demangled, is_kernel, name_of, span};

/// The device runtime.
static DEVICE_RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/device_runtime.bc"));

/// What a target supplies: CUDA's system calls.
const SUPPLIED: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// The division of the device runtime, which is called so that it can leave loops.
pub(super) const DIV_UP: &str = "__gicc_div_up";

/// Hash of the device runtime, for the module's record.
pub(crate) fn runtime_hash() -> u64 {
    env!("GICC_RUNTIME_HASH").parse().unwrap_or_default()
}

/// Links the runtime, if anything of it is called, and refuses calls of what is defined nowhere.
pub(crate) fn run<'c>(context: &'c Context, messages: &Messages, module: &Module<'c>) -> Result<(), Vec<Diagnostic>> {
    link(context, messages, module)?;
    undefined(module)
}

/// The same for an analysis, which takes calls of undefined functions as they are.
pub(crate) fn link<'c>(context: &'c Context, messages: &Messages, module: &Module<'c>) -> Result<(), Vec<Diagnostic>> {
    // IR of gicc's own has it already; nobody else's takes its place.
    if let Some(linked) = module.get_function(DIV_UP).filter(|f| f.count_basic_blocks() > 0) {
        declare(module, linked);
    }
    link_bitcode(context, messages, module, DEVICE_RUNTIME, "the device runtime").map_err(|d| vec![d])?;
    for function in defined_functions(module) {
        // `peer_ptr` returns null after an error; what its caller does with that is a fault, and not undefined. All functions
        // say so, since one that does is not inlined into one that does not.
        let kind = Attribute::get_named_enum_kind_id("null_pointer_is_valid");
        function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind, 0));
        // The target machine decides; what a function says of its own would override it and keep functions apart.
        for key in ["target-cpu", "target-features", "tune-cpu"] {
            if attribute(function, key).is_some() {
                function.remove_string_attribute(AttributeLoc::Function, key);
            }
        }
        if !is_kernel(function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    if let Some(function) = module.get_function(DIV_UP) {
        mark_as_value(module, function);
    }
    Ok(())
}

/// Links bitcode that the compiler carries, as far as the module calls it: a function that is not called is not even read.
pub(crate) fn link_bitcode<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    bitcode: &[u8],
    what: &str,
) -> Result<(), Diagnostic> {
    let fail = |why: String| {
        let mut reasons = messages.take_errors();
        reasons.push(why);
        Diagnostic::error(codes::INTERNAL, format!("{what} does not link")).cause(reasons.join("; "))
    };
    let part = read_lazily(context, bitcode, what).ok_or_else(|| fail("its bitcode is broken".into()))?;
    // What is read later is no declaration, though it has no blocks yet.
    for function in part.get_functions().filter(|f| !f.as_global_value().is_declaration()) {
        function.set_linkage(Linkage::LinkOnceODR);
    }
    link_module(messages, module, part, what)
}

/// A module whose functions' bodies are read when they are linked.
fn read_lazily<'c>(context: &'c Context, bitcode: &[u8], name: &str) -> Option<Module<'c>> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, name);
    let mut module = std::ptr::null_mut();
    // SAFETY: the buffer goes over to the module, also where this fails; the module belongs to the caller, and is not used by
    // others.
    unsafe {
        let failed = LLVMGetBitcodeModuleInContext2(context.as_ctx_ref(), buffer.as_mut_ptr(), &raw mut module);
        std::mem::forget(buffer);
        (failed == 0).then(|| Module::new(module))
    }
}

/// Links a module that the compiler made.
pub(crate) fn link_module<'c>(
    messages: &Messages,
    module: &Module<'c>,
    part: Module<'c>,
    what: &str,
) -> Result<(), Diagnostic> {
    let fail = |why: String| {
        let mut reasons = messages.take_errors();
        reasons.push(why);
        Diagnostic::error(codes::INTERNAL, format!("{what} does not link")).cause(reasons.join("; "))
    };
    part.set_triple(&module.get_triple());
    part.set_data_layout(&module.get_data_layout());
    module.link_in_module(part).map_err(|e| fail(e.to_string()))
}

/// Whether a call of an undefined function may stay.
fn may_stay(name: &str) -> bool {
    name.starts_with("llvm.")
        || name.starts_with("__nv_")
        || SUPPLIED.contains(&name)
        || gicc_abi::intrinsics::find(name).is_some()
}

fn undefined(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    let mut named: Vec<String> = Vec::new();
    for call in calls(module) {
        let name = name_of(call.callee);
        if call.callee.count_basic_blocks() > 0
            || may_stay(&name)
            || is_declared_root(call.callee)
            || named.contains(&name)
        {
            continue;
        }
        let shown = demangled(&name);
        errors.push(
            Diagnostic::error(codes::UNDEFINED_FUNCTION, format!("`{shown}` is called and defined nowhere"))
                .at(span(call.instruction))
                .cause("device code is linked whole: there is no later step that could find the function")
                .cure("define it in one of the inputs, or name the input that defines it on the command line"),
        );
        named.push(name);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
