//! Making and replacing calls.

use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum, FunctionType};
use inkwell::values::{BasicMetadataValueEnum, BasicValue as _, BasicValueEnum, InstructionValue};

/// A builder in front of an instruction, with the instruction's debug location.
fn before<'c>(instruction: InstructionValue<'c>, module: &Module<'c>) -> Builder<'c> {
    let builder = module.get_context().create_builder();
    builder.position_before(&instruction);
    builder
}

/// Calls the function `name` in front of `instruction`, declaring it where it is not; its result where it has one.
pub fn call<'c>(
    module: &Module<'c>,
    instruction: InstructionValue<'c>,
    name: &str,
    ty: FunctionType<'c>,
    arguments: &[BasicValueEnum<'c>],
) -> Option<BasicValueEnum<'c>> {
    let function = module.get_function(name).unwrap_or_else(|| module.add_function(name, ty, None));
    let arguments: Vec<BasicMetadataValueEnum> = arguments.iter().map(|&a| a.into()).collect();
    let site = before(instruction, module).build_call(function, &arguments, "").expect("the builder has a position");
    site.try_as_basic_value().basic()
}

/// Calls inline assembly in front of `instruction`. It has side effects; `constraints` are LLVM's.
pub fn call_asm<'c>(
    module: &Module<'c>,
    instruction: InstructionValue<'c>,
    text: &str,
    constraints: &str,
    result: Option<BasicTypeEnum<'c>>,
    arguments: &[BasicValueEnum<'c>],
) -> Option<BasicValueEnum<'c>> {
    let context = module.get_context();
    let parameters: Vec<BasicMetadataTypeEnum> = arguments.iter().map(|a| a.get_type().into()).collect();
    let ty = match result {
        Some(BasicTypeEnum::IntType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::FloatType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::PointerType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::StructType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::VectorType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::ArrayType(t)) => t.fn_type(&parameters, false),
        Some(BasicTypeEnum::ScalableVectorType(t)) => t.fn_type(&parameters, false),
        None => context.void_type().fn_type(&parameters, false),
    };
    let asm = context.create_inline_asm(ty, text.to_owned(), constraints.to_owned(), true, false, None, false);
    let arguments: Vec<BasicMetadataValueEnum> = arguments.iter().map(|&a| a.into()).collect();
    let site =
        before(instruction, module).build_indirect_call(ty, asm, &arguments, "").expect("the builder has a position");
    site.try_as_basic_value().basic()
}

/// Puts `value` in the place of `instruction` and erases it. A `None` is for instructions without a result.
pub fn replace<'c>(instruction: InstructionValue<'c>, value: Option<BasicValueEnum<'c>>) {
    use inkwell::values::AsValueRef as _;
    if let Some(value) = value {
        // SAFETY: both values are alive and of one type; the C interface takes any value, inkwell's only instructions.
        unsafe { inkwell::llvm_sys::core::LLVMReplaceAllUsesWith(instruction.as_value_ref(), value.as_value_ref()) };
        debug_assert!(value.as_instruction_value() != Some(instruction), "an instruction cannot replace itself");
    }
    instruction.erase_from_basic_block();
}

/// Erases an instruction whose result nobody uses.
pub fn erase(instruction: InstructionValue<'_>) {
    instruction.erase_from_basic_block();
}
