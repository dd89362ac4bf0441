//! `fallbacks`: which function a kernel calls where a check of errors leaves it. A kernel names it in C++ by
//! `gicc::fallback(f)`, which is a call of a marker, or by an attribute in IR and MLIR; afterwards only the attribute is left.
//!
//! ```text
//! before   define ptx_kernel void @k(ptr %p) { call void @__gicc_fallback(ptr @f) …
//! after    define ptx_kernel void @k(ptr %p) #0 { …        attributes #0 = { "gicc.fallback"="f" }
//! ```
//!
//! Requires: `verify_intrinsics`; user code simplified so far that the marker stands in the kernel and its argument is a
//! constant. Ensures: no marker is left; each attribute names a function of this module that has a body and the kernel's
//! parameters. Preserves: everything else.

use std::collections::HashMap;

use gicc_abi::intrinsics::FALLBACK_ATTRIBUTE;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::FunctionValue;

use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{
    Call, as_function, attribute, calls_to, defined_functions, demangled, erase, is_kernel, name_of, span,
};

/// Keeps the functions that attributes name, which nothing calls yet. Runs before anything that removes unused functions.
pub(crate) fn keep(module: &Module<'_>) {
    let names = module.get_functions().filter_map(|f| attribute(f, FALLBACK_ATTRIBUTE));
    for function in names.collect::<Vec<_>>().iter().filter_map(|name| module.get_function(name)) {
        function.set_linkage(Linkage::External);
    }
}

/// Turns markers into attributes, and checks all attributes.
pub(crate) fn run(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut places: HashMap<String, Option<Span>> = HashMap::new();
    for call in calls_to(module, "__gicc_fallback") {
        let place = span(call.instruction);
        match declared(&call) {
            Ok((kernel, function)) => {
                if places.contains_key(&name_of(kernel)) {
                    errors.push(
                        Diagnostic::error(codes::BAD_FALLBACK, "the kernel names a second fall-back")
                            .at(place.clone())
                            .cause("one function takes the kernel's place where its communication failed")
                            .cure("keep one gicc::fallback, and decide between several inside that function"),
                    );
                }
                kernel.add_attribute(
                    AttributeLoc::Function,
                    module.get_context().create_string_attribute(FALLBACK_ATTRIBUTE, &name_of(function)),
                );
                places.insert(name_of(kernel), place);
            }
            Err(error) => errors.push(error.at(place)),
        }
        erase(call.instruction);
    }
    keep(module);
    for kernel in defined_functions(module) {
        if let Some(name) = attribute(kernel, FALLBACK_ATTRIBUTE)
            && let Err(error) = check(module, kernel, &name)
        {
            errors.push(error.at(places.get(&name_of(kernel)).cloned().flatten()));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The fall-back of a kernel, which `run` has checked.
pub(super) fn of<'c>(module: &Module<'c>, kernel: FunctionValue<'c>) -> Option<FunctionValue<'c>> {
    module.get_function(&attribute(kernel, FALLBACK_ATTRIBUTE)?)
}

/// Forgets the fall-backs: what names them is of no use to later passes.
pub(super) fn forget(module: &Module<'_>) {
    for function in module.get_functions() {
        if attribute(function, FALLBACK_ATTRIBUTE).is_some() {
            function.remove_string_attribute(AttributeLoc::Function, FALLBACK_ATTRIBUTE);
        }
    }
}

/// The kernel and the function that a marker means.
fn declared<'c>(call: &Call<'c>) -> Result<(FunctionValue<'c>, FunctionValue<'c>), Diagnostic> {
    let kernel = call.instruction.get_parent().and_then(|b| b.get_parent()).filter(|&f| is_kernel(f));
    let function = call.argument(0).filter(|a| a.is_pointer_value()).and_then(|a| as_function(a.into_pointer_value()));
    match (kernel, function) {
        (Some(kernel), Some(function)) => Ok((kernel, function)),
        (None, _) => Err(Diagnostic::error(codes::BAD_FALLBACK, "a fall-back is named outside a kernel")
            .cause("it takes the place of a kernel, and is called with that kernel's arguments")
            .cure("call gicc::fallback in the body of the __global__ function")),
        (_, None) => Err(Diagnostic::error(codes::BAD_FALLBACK, "the fall-back is not one function")
            .cause("which function is called is decided when the kernel is compiled")
            .cure("name a __device__ function: gicc::fallback(recover)")),
    }
}

fn check(module: &Module<'_>, kernel: FunctionValue<'_>, name: &str) -> Result<(), Diagnostic> {
    let (shown, kernel_shown) = (demangled(name), demangled(&name_of(kernel)));
    let error = |message: String| Diagnostic::error(codes::BAD_FALLBACK, message);
    let Some(function) = module.get_function(name).filter(|f| f.count_basic_blocks() > 0) else {
        return Err(error(format!("the fall-back `{shown}` of `{kernel_shown}` is defined nowhere"))
            .cure("define it in the same input, as a __device__ function"));
    };
    if !is_kernel(kernel) || is_kernel(function) {
        return Err(error(format!("`{shown}` cannot be the fall-back of `{kernel_shown}`"))
            .cause("a kernel falls back to a function that it calls")
            .cure("make the fall-back a __device__ function"));
    }
    let (have, want) = (function.get_type(), kernel.get_type());
    let same = have == want && by_value(function) == by_value(kernel) && same_in_source(&shown, &kernel_shown);
    if same {
        return Ok(());
    }
    Err(error(format!("the fall-back `{shown}` has other parameters than its kernel `{kernel_shown}`"))
        .cause("it is called with the kernel's own arguments, and its result would be nobody's")
        .cure("give it the kernel's parameters, and void as its result"))
}

/// Which parameters are structures that are passed as a copy, and of which type.
fn by_value(function: FunctionValue<'_>) -> Vec<Option<String>> {
    let kind = Attribute::get_named_enum_kind_id("byval");
    (0..function.count_params())
        .map(|n| function.get_enum_attribute(AttributeLoc::Param(n), kind))
        .map(|a| a.map(|a| a.get_type_value().to_string()))
        .collect()
}

/// Whether two functions have the same parameters in C++, as far as their names tell: pointers to different types are all
/// alike in IR.
fn same_in_source(a: &str, b: &str) -> bool {
    match (parameters(a), parameters(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// The parameters in a demangled name: what the last pair of parentheses on the outside holds.
fn parameters(demangled: &str) -> Option<&str> {
    let text = demangled.strip_suffix(')')?;
    let mut depth = 1;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_off_the_demangled_name() {
        assert_eq!(parameters("k(float*, int)"), Some("float*, int"));
        assert_eq!(parameters("void k<int>(void (*)(int), S)"), Some("void (*)(int), S"));
        assert_eq!(parameters("plain"), None);
        assert!(same_in_source("f(int*)", "plain"));
        assert!(!same_in_source("f(int*)", "k(float*)"));
    }
}
