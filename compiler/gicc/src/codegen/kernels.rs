//! What a launcher has to know of the kernels: symbols, names and parameters.

use gicc_abi::manifest::{Kernel, KernelParameter, ParameterKind};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicValueEnum, FunctionValue};

use crate::llvm::{defined_functions, is_kernel, name_of};

/// The kernels of a module, in its order.
pub(crate) fn describe(module: &Module<'_>, layout: &TargetData) -> Vec<Kernel> {
    defined_functions(module).into_iter().filter(|f| is_kernel(*f)).map(|f| kernel(f, layout)).collect()
}

fn kernel(function: FunctionValue<'_>, layout: &TargetData) -> Kernel {
    let symbol = name_of(function);
    let parameters =
        function.get_params().into_iter().zip(0..).map(|(p, n)| parameter(function, p, n, layout)).collect();
    Kernel { name: source_name(&symbol), symbol, parameters }
}

/// The name without namespaces, template arguments and parameters: `_ZN2ns3addIfEEvPT_i` is `add`.
pub(super) fn source_name(symbol: &str) -> String {
    // The demangler takes `f` for `float`.
    let mangled = symbol.starts_with("_Z").then(|| cpp_demangle::Symbol::new(symbol).ok()).flatten();
    let Some(demangled) = mangled else { return symbol.to_owned() };
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    let Ok(text) = demangled.demangle_with_options(&options) else { return symbol.to_owned() };
    let plain = text.split(['<', '(']).next().unwrap_or(&text);
    plain.rsplit("::").next().unwrap_or(plain).trim().to_owned()
}

fn parameter(function: FunctionValue<'_>, value: BasicValueEnum<'_>, n: u32, layout: &TargetData) -> KernelParameter {
    let name = match value {
        BasicValueEnum::PointerValue(v) => v.get_name().to_string_lossy().into_owned(),
        BasicValueEnum::IntValue(v) => v.get_name().to_string_lossy().into_owned(),
        BasicValueEnum::FloatValue(v) => v.get_name().to_string_lossy().into_owned(),
        _ => String::new(),
    };
    let name = name.trim_end_matches(".coerce").to_owned();
    let by_value = function.get_enum_attribute(AttributeLoc::Param(n), Attribute::get_named_enum_kind_id("byval"));
    if let Some(by_value) = by_value {
        let ty = by_value.get_type_value();
        let align = function
            .get_enum_attribute(AttributeLoc::Param(n), Attribute::get_named_enum_kind_id("align"))
            .map_or_else(|| u64::from(layout.get_abi_alignment(&ty)), |a| a.get_enum_value());
        return KernelParameter {
            name,
            bytes: narrow(layout.get_abi_size(&ty)),
            align: narrow(align),
            kind: ParameterKind::Bytes,
        };
    }
    let ty = value.get_type();
    let kind = match ty {
        BasicTypeEnum::PointerType(_) => ParameterKind::Pointer,
        BasicTypeEnum::IntType(_) => ParameterKind::Integer,
        BasicTypeEnum::FloatType(_) => ParameterKind::Float,
        _ => ParameterKind::Bytes,
    };
    KernelParameter { name, bytes: narrow(layout.get_abi_size(&ty)), align: layout.get_abi_alignment(&ty), kind }
}

/// Kernel parameters are limited to 32764 bytes, so sizes and alignments fit.
fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn the_name_in_the_source_is_found_in_the_symbol() {
        assert_eq!(source_name("jacobi"), "jacobi");
        assert_eq!(source_name("_Z3addPfS_i"), "add");
        assert_eq!(source_name("_ZN2ns3addIfEEvPT_i"), "add");
    }
}
