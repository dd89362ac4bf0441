//! Walking a module: functions, instructions, calls and their constant arguments.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::{
    AnyValue as _, AsValueRef as _, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, PointerValue,
};

/// A direct call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'c> {
    /// The instruction.
    pub instruction: InstructionValue<'c>,
    /// The function.
    pub callee: FunctionValue<'c>,
}

impl<'c> Call<'c> {
    /// The call that an instruction is, if its callee is known.
    pub fn new(instruction: InstructionValue<'c>) -> Option<Call<'c>> {
        if !matches!(instruction.get_opcode(), InstructionOpcode::Call | InstructionOpcode::Invoke) {
            return None;
        }
        let last = instruction.get_num_operands().checked_sub(1)?;
        let callee = instruction.get_operand(last)?.value()?;
        let callee = callee.is_pointer_value().then(|| callee.into_pointer_value())?;
        Some(Call { instruction, callee: as_function(callee)? })
    }

    /// The arguments in order.
    pub fn arguments(&self) -> Vec<BasicValueEnum<'c>> {
        (0..self.instruction.get_num_operands().saturating_sub(1))
            .filter_map(|n| self.instruction.get_operand(n)?.value())
            .collect()
    }

    /// The argument at `n`.
    pub fn argument(&self, n: usize) -> Option<BasicValueEnum<'c>> {
        self.instruction.get_operand(u32::try_from(n).ok()?)?.value()
    }

    /// The constant integer at `n`, sign-extended.
    pub fn constant(&self, n: usize) -> Option<i64> {
        constant_int(self.argument(n)?)
    }
}

/// A pointer value that is a function.
pub fn as_function(pointer: PointerValue<'_>) -> Option<FunctionValue<'_>> {
    // SAFETY: the value is alive; LLVM answers null where it is no function, and `new` then gives `None`.
    unsafe {
        let value = inkwell::llvm_sys::core::LLVMIsAFunction(pointer.as_value_ref());
        if value.is_null() { None } else { FunctionValue::new(value) }
    }
}

/// A function's or global's name.
pub fn name_of(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// The functions that have a body.
pub fn defined_functions<'c>(module: &Module<'c>) -> Vec<FunctionValue<'c>> {
    module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect()
}

/// Every instruction of a function, in the order of its blocks.
pub fn instructions<'c>(function: FunctionValue<'c>) -> Vec<InstructionValue<'c>> {
    function.get_basic_blocks().iter().flat_map(|b| b.get_instructions()).collect()
}

/// Every direct call in a module.
pub fn calls<'c>(module: &Module<'c>) -> Vec<Call<'c>> {
    defined_functions(module).into_iter().flat_map(instructions).filter_map(Call::new).collect()
}

/// Every direct call of the function of this name.
pub fn calls_to<'c>(module: &Module<'c>, name: &str) -> Vec<Call<'c>> {
    match module.get_function(name) {
        Some(wanted) => calls(module).into_iter().filter(|c| c.callee == wanted).collect(),
        None => Vec::new(),
    }
}

/// Whether a function is a kernel: NVPTX's calling convention for entries.
pub fn is_kernel(function: FunctionValue<'_>) -> bool {
    const PTX_KERNEL: u32 = 71;
    function.get_call_conventions() == PTX_KERNEL
}

/// A constant integer of at most 64 bits, sign-extended.
pub fn constant_int(value: BasicValueEnum<'_>) -> Option<i64> {
    let value = value.is_int_value().then(|| value.into_int_value())?;
    value.get_sign_extended_constant()
}

/// A function's string attribute.
pub fn attribute(function: FunctionValue<'_>, key: &str) -> Option<String> {
    let attribute = function.get_string_attribute(AttributeLoc::Function, key)?;
    Some(attribute.get_string_value().to_string_lossy().into_owned())
}

/// What a load from a variable of the thread's own returns, where the function stores there once. (Members of an object whose
/// address is given to an intrinsic stay in memory until the device runtime is inlined.)
pub fn stored(value: BasicValueEnum<'_>) -> BasicValueEnum<'_> {
    let found = || {
        let load = value.as_instruction_value().filter(|i| i.get_opcode() == InstructionOpcode::Load)?;
        let wanted = variable(load.get_operand(0)?.value()?)?;
        let function = load.get_parent()?.get_parent()?;
        let mut stores = instructions(function)
            .into_iter()
            .filter(|i| i.get_opcode() == InstructionOpcode::Store)
            .filter(|store| store.get_operand(1).and_then(|o| o.value()).and_then(variable) == Some(wanted));
        let (first, more) = (stores.next()?, stores.next());
        if more.is_some() { None } else { first.get_operand(0)?.value() }
    };
    found().unwrap_or(value)
}

/// The variable that an address lies in, and how far from its start; only constant distances.
fn variable(address: BasicValueEnum<'_>) -> Option<(BasicValueEnum<'_>, i64)> {
    let instruction = address.as_instruction_value().filter(|_| address.is_pointer_value())?;
    match instruction.get_opcode() {
        InstructionOpcode::Alloca => Some((address, 0)),
        InstructionOpcode::GetElementPtr if instruction.get_num_operands() == 2 => {
            // SAFETY: the instruction is a GEP; its element type has a kind.
            let bytes = unsafe {
                use inkwell::llvm_sys::core::{LLVMGetGEPSourceElementType, LLVMGetIntTypeWidth, LLVMGetTypeKind};
                let element = LLVMGetGEPSourceElementType(instruction.as_value_ref());
                LLVMGetTypeKind(element) == inkwell::llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind
                    && LLVMGetIntTypeWidth(element) == 8
            };
            if !bytes {
                return None;
            }
            let (base, offset) = variable(instruction.get_operand(0)?.value()?)?;
            Some((base, offset + constant_int(instruction.get_operand(1)?.value()?)?))
        }
        _ => None,
    }
}

/// The object that a pointer is derived from: casts and element addresses are looked through.
pub fn strip_casts(mut value: BasicValueEnum<'_>) -> BasicValueEnum<'_> {
    use inkwell::llvm_sys::LLVMOpcode;
    use inkwell::llvm_sys::core::{LLVMGetConstOpcode, LLVMGetOperand, LLVMIsAConstantExpr};
    for _ in 0..64 {
        let Some(instruction) =
            value.as_any_value_enum().is_pointer_value().then(|| value.as_instruction_value()).flatten()
        else {
            // SAFETY: the value is alive; a constant expression has the operands that LLVM says it has.
            let inner = unsafe {
                let reference = value.as_value_ref();
                let looked_through = !LLVMIsAConstantExpr(reference).is_null()
                    && matches!(
                        LLVMGetConstOpcode(reference),
                        LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMGetElementPtr
                    );
                looked_through.then(|| BasicValueEnum::new(LLVMGetOperand(reference, 0)))
            };
            match inner {
                Some(inner) => value = inner,
                None => return value,
            }
            continue;
        };
        match instruction.get_opcode() {
            InstructionOpcode::AddrSpaceCast | InstructionOpcode::BitCast | InstructionOpcode::GetElementPtr => {
                match instruction.get_operand(0).and_then(|o| o.value()) {
                    Some(inner) => value = inner,
                    None => return value,
                }
            }
            _ => return value,
        }
    }
    value
}

use inkwell::values::BasicValue as _;
