//! `verify_intrinsics`: what LLVM would abort on, and what later passes take for granted, is checked first.
//!
//! Rules, each with its code:
//! 1. The module is for NVPTX or for no target yet (E0208).
//! 2. A function named `__gicc_*` is one of `gicc_abi::intrinsics`, has its signature, and is not defined by the user (E0201).
//!    Nor is a function or variable named `gicc_rt_*`, as those of the device runtime are: it would take the place of gicc's. IR of
//!    gicc's own is let through: there they are internal, and of intrinsics only the division is a function.
//! 3. A user's module calls only the interface and the team's facts; requirements and orderings belong to the device
//!    runtime and to `place_fences` (E0207).
//! 4. Every atomic operation's syncscope is one that NVPTX has: system, `device`, `cluster`, `block` (E0202).
//!
//! Requires: a module that LLVM's verifier accepts. Ensures: the rules. Changes nothing. All violations are reported.

use gicc_abi::PREFIX;
use gicc_abi::intrinsics::{self, Family, Intrinsic, Type};
use inkwell::context::AsContextRef as _;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{
    LLVMGetAtomicSyncScopeID, LLVMGetFirstGlobalAlias, LLVMGetNextGlobalAlias, LLVMGetOrdering, LLVMGetSyncScopeID,
    LLVMGetValueName2,
};
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{AnyValue as _, AsValueRef as _, FunctionValue, InstructionOpcode, InstructionValue};

use super::link_runtime::DIV_UP;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{calls, defined_functions, instructions, name_of, span};

/// What names of the device runtime's functions begin with, besides those of intrinsics.
const RUNTIME: &str = "gicc_rt_";

/// Why those are refused.
const OF_RUNTIME: &str = "functions of the device runtime have such names";

/// Checks a module as it came from the front end.
pub(crate) fn run(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    target(module, &mut errors);
    for function in module.get_functions() {
        let name = name_of(function);
        if name.starts_with(PREFIX) {
            intrinsic(module, function, &name, &mut errors);
        } else if name.starts_with(RUNTIME)
            && function.count_basic_blocks() > 0
            && function.get_linkage() != Linkage::Internal
        {
            errors.push(defined(&name, OF_RUNTIME, "name the function otherwise"));
        }
    }
    for variable in module.get_globals() {
        let name = variable.get_name().to_string_lossy().into_owned();
        if name.starts_with(RUNTIME) {
            errors.push(defined(&name, OF_RUNTIME, "name the variable otherwise"));
        }
    }
    for name in aliases(module) {
        if name.starts_with(RUNTIME) || name.starts_with(PREFIX) {
            errors.push(defined(&name, OF_RUNTIME, "name the alias otherwise"));
        }
    }
    scopes(module, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn target(module: &Module<'_>, errors: &mut Vec<Diagnostic>) {
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    if !triple.is_empty() && !triple.starts_with("nvptx64") {
        errors.push(
            Diagnostic::error(codes::BAD_TARGET, format!("the module is for `{triple}`"))
                .cause("gicc compiles device code for NVIDIA GPUs")
                .cure("compile with --cuda-device-only, or for the target nvptx64-nvidia-cuda"),
        );
    }
}

fn intrinsic(module: &Module<'_>, function: FunctionValue<'_>, name: &str, errors: &mut Vec<Diagnostic>) {
    let place = first_call(module, function);
    let Some(known) = intrinsics::find(name) else {
        errors.push(
            Diagnostic::error(codes::UNKNOWN_INTRINSIC, format!("there is no intrinsic `{name}`"))
                .at(place)
                .cause("names that start with `__gicc_` belong to gicc")
                .cure("call gicc through `gicc/gicc.cuh`, and name your own functions otherwise"),
        );
        return;
    };
    // What was linked is linked again (`link_runtime`).
    let is_gicc = name == DIV_UP && function.get_linkage() == Linkage::Internal;
    if function.count_basic_blocks() > 0 && !is_gicc {
        errors.push(defined(name, "gicc defines its intrinsics itself", "declare the function without a body"));
    } else if let Err(expected) = signature(function, known) {
        errors.push(
            Diagnostic::error(codes::UNKNOWN_INTRINSIC, format!("`{name}` is declared with another signature"))
                .at(place.clone())
                .cause(format!("it is {expected}"))
                .cure("include `gicc/abi.h` of this compiler's version instead of declaring it"),
        );
    }
    if matches!(known.family, Family::Requirement | Family::Ordering) && place_exists(module, function) {
        errors.push(
            Diagnostic::error(codes::RESERVED_INTRINSIC, format!("`{name}` is called by the program"))
                .at(place)
                .cause("orderings are made by the compiler; an order written by hand would escape its proofs")
                .cure("use gicc::signal, gicc::wait, gicc::release and gicc::acquire"),
        );
    }
}

/// The names of a module's aliases.
fn aliases(module: &Module<'_>) -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: the module is alive, and a global value's name is given with its length.
    unsafe {
        let mut alias = LLVMGetFirstGlobalAlias(module.as_mut_ptr());
        while !alias.is_null() {
            let mut length = 0;
            let name = LLVMGetValueName2(alias, &raw mut length);
            names.push(String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), length)).into_owned());
            alias = LLVMGetNextGlobalAlias(alias);
        }
    }
    names
}

fn defined(name: &str, cause: &str, cure: &str) -> Diagnostic {
    Diagnostic::error(codes::UNKNOWN_INTRINSIC, format!("`{name}` is defined by the program")).cause(cause).cure(cure)
}

fn place_exists(module: &Module<'_>, function: FunctionValue<'_>) -> bool {
    calls(module).iter().any(|c| c.callee == function)
}

fn first_call(module: &Module<'_>, function: FunctionValue<'_>) -> Option<Span> {
    calls(module).into_iter().filter(|c| c.callee == function).find_map(|c| span(c.instruction))
}

/// Whether a declaration has the signature of the table; else the signature in words.
fn signature(function: FunctionValue<'_>, known: &Intrinsic) -> Result<(), String> {
    let ty = function.get_type();
    let result = ty.get_return_type().map(BasicMetadataTypeEnum::from);
    let parameters = ty.get_param_types();
    let same = matches(result, known.result)
        && parameters.len() == known.parameters.len()
        && parameters.iter().zip(known.parameters).all(|(have, want)| matches(Some(*have), want.ty));
    if same {
        return Ok(());
    }
    let word = |t: Type| match t {
        Type::Void => "void",
        Type::I32 => "i32",
        Type::I64 => "i64",
        Type::Ptr => "ptr",
        Type::V2I64 => "<2 x i64>",
    };
    let parameters: Vec<String> = known.parameters.iter().map(|p| format!("{} {}", word(p.ty), p.name)).collect();
    Err(format!("{} {}({})", word(known.result), known.name, parameters.join(", ")))
}

fn matches(have: Option<BasicMetadataTypeEnum<'_>>, want: Type) -> bool {
    match (have, want) {
        (None, Type::Void) => true,
        (Some(BasicMetadataTypeEnum::IntType(t)), Type::I32) => t.get_bit_width() == 32,
        (Some(BasicMetadataTypeEnum::IntType(t)), Type::I64) => t.get_bit_width() == 64,
        (Some(BasicMetadataTypeEnum::PointerType(t)), Type::Ptr) => {
            t.get_address_space() == inkwell::AddressSpace::default()
        }
        (Some(BasicMetadataTypeEnum::VectorType(t)), Type::V2I64) => {
            let element = t.get_element_type();
            t.get_size() == 2 && element.is_int_type() && element.into_int_type().get_bit_width() == 64
        }
        _ => false,
    }
}

fn scopes(module: &Module<'_>, errors: &mut Vec<Diagnostic>) {
    const SYSTEM: u32 = 1;
    let context = module.get_context();
    let mut legal = vec![SYSTEM];
    for name in ["block", "cluster", "device"] {
        // SAFETY: the context is alive; the name is given with its length.
        legal.push(unsafe { LLVMGetSyncScopeID(context.as_ctx_ref(), name.as_ptr().cast(), name.len()) });
    }
    for instruction in defined_functions(module).into_iter().flat_map(instructions) {
        if !is_atomic(instruction) {
            continue;
        }
        // SAFETY: the instruction is atomic, so it has a scope.
        let scope = unsafe { LLVMGetAtomicSyncScopeID(instruction.as_value_ref()) };
        if !legal.contains(&scope) {
            let text = instruction.print_to_string().to_string();
            let text = text.split(", !dbg").next().unwrap_or(&text);
            errors.push(
                Diagnostic::error(
                    codes::BAD_SYNCSCOPE,
                    format!("syncscope(\"{}\") does not exist on NVIDIA GPUs", written_scope(text)),
                )
                .at(span(instruction))
                .cause(format!("in `{}`", text.trim()))
                .cure("use no syncscope (system), or \"device\", \"cluster\" or \"block\""),
            );
        }
    }
}

fn is_atomic(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::AtomicRMW | InstructionOpcode::AtomicCmpXchg | InstructionOpcode::Fence => true,
        InstructionOpcode::Load | InstructionOpcode::Store => {
            // SAFETY: the instruction is a load or a store.
            let ordering = unsafe { LLVMGetOrdering(instruction.as_value_ref()) };
            ordering != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        }
        _ => false,
    }
}

/// The name inside `syncscope("…")` of an instruction's text.
fn written_scope(text: &str) -> &str {
    text.split_once("syncscope(\"").and_then(|(_, rest)| rest.split_once('"')).map_or("singlethread", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scope_is_read_off_the_text() {
        assert_eq!(written_scope("fence syncscope(\"agent\") acquire"), "agent");
    }

    #[test]
    fn every_type_of_the_table_matches_itself_only() {
        let context = inkwell::context::Context::create();
        let i32_type = BasicMetadataTypeEnum::from(context.i32_type());
        assert!(matches(Some(i32_type), Type::I32));
        assert!(!matches(Some(i32_type), Type::I64));
        assert!(!matches(Some(i32_type), Type::Ptr));
        assert!(matches(None, Type::Void));
        let pair = BasicMetadataTypeEnum::from(context.i64_type().vec_type(2));
        assert!(matches(Some(pair), Type::V2I64));
        assert!(!matches(Some(BasicMetadataTypeEnum::from(context.i32_type().vec_type(2))), Type::V2I64));
        assert!(!matches(Some(pair), Type::I64));
    }
}
