//! Variables. Global and constant ones stay variables of the shared object, of which each PE loads a copy of its own;
//! shared ones become offsets into the block's shared memory, the dynamic ones behind the static ones.

use std::collections::HashMap;

use gicc_abi::sim as abi;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind};

use super::codes;
use super::ir::{Ir, Ty, Value};
use crate::diagnostic::{Diagnostic, Span};

/// The address space of shared memory.
const SHARED: u32 = 3;

/// Dynamic shared memory starts at a multiple of this.
const DYNAMIC_ALIGN: u64 = 128;

/// The library function that gives the address of the block's shared memory.
pub(super) const SHARED_BASE: &str = "sim.lib.shared_base";

/// Where the shared variables lie.
pub(super) struct SharedLayout {
    offsets: HashMap<Value, u64>,
    pub(super) variables: Vec<abi::Shared>,
    pub(super) bytes: u64,
}

/// Lays out the shared variables, static ones in the order of the module, dynamic ones after them.
pub(super) fn lay_out_shared(ir: &Ir) -> SharedLayout {
    let mut layout = SharedLayout { offsets: HashMap::new(), variables: Vec::new(), bytes: 0 };
    let shared: Vec<_> = ir.globals().into_iter().filter(|g| g.ty().address_space() == SHARED).collect();
    let is_dynamic = |g: &Value| g.is_declaration() || ir.bytes(g.value_type()) == 0;
    for &global in shared.iter().filter(|g| !is_dynamic(g)) {
        let (bytes, ty) = (ir.bytes(global.value_type()), global.value_type());
        let offset = layout.bytes.next_multiple_of(global.alignment().max(ir.align(ty)));
        layout.bytes = offset + bytes;
        layout.offsets.insert(global, offset);
        layout.variables.push(abi::Shared { name: global.name(), offset, bytes });
    }
    if shared.iter().any(is_dynamic) {
        layout.bytes = layout.bytes.next_multiple_of(DYNAMIC_ALIGN);
    }
    for &global in shared.iter().filter(|g| is_dynamic(g)) {
        layout.offsets.insert(global, layout.bytes);
        layout.variables.push(abi::Shared { name: global.name(), offset: layout.bytes, bytes: 0 });
    }
    layout
}

impl SharedLayout {
    /// Whether a constant holds the address of a shared variable.
    fn mentions(&self, value: Value, known: &mut HashMap<Value, bool>) -> bool {
        if self.offsets.contains_key(&value) {
            return true;
        }
        if !value.is_constant() || value.is_global_variable() || value.is_function() {
            return false;
        }
        if let Some(&answer) = known.get(&value) {
            return answer;
        }
        known.insert(value, false);
        let answer = value.operands().any(|o| self.mentions(o, known));
        known.insert(value, answer);
        answer
    }

    /// Replaces the addresses of shared variables in all functions.
    pub(super) fn rewrite(&self, ir: &Ir, errors: &mut Vec<Diagnostic>) {
        let mut known = HashMap::new();
        for function in ir.functions() {
            for instruction in function.instructions() {
                let operands: Vec<_> = instruction.operands().collect();
                for (index, operand) in operands.into_iter().enumerate() {
                    if !self.mentions(operand, &mut known) {
                        continue;
                    }
                    let place = if instruction.is_phi() {
                        // SAFETY: a phi with this many incoming blocks.
                        super::ir::Block(unsafe { LLVMGetIncomingBlock(instruction.0, index as u32) }).terminator()
                    } else {
                        Some(instruction)
                    };
                    let Some(place) = place else { continue };
                    ir.before(place);
                    match self.build(ir, operand, &mut known) {
                        Some(value) => set_operand(instruction, index as u32, value),
                        None => errors.push(
                            Diagnostic::error(
                                codes::SHARED,
                                "this use of a shared variable's address is not supported",
                            )
                            .at(instruction.span()),
                        ),
                    }
                }
            }
        }
        for global in ir.globals() {
            let initial = (!global.is_declaration()).then(|| global.operand(0));
            let internal = global.name().starts_with("llvm.");
            if !internal && initial.is_some_and(|i| self.mentions(i, &mut known)) {
                let message = format!("the initial value of {} holds the address of a shared variable", global.name());
                errors.push(Diagnostic::error(codes::SHARED, message));
            }
        }
    }

    /// The constant as instructions.
    fn build(&self, ir: &Ir, value: Value, known: &mut HashMap<Value, bool>) -> Option<Value> {
        if let Some(&offset) = self.offsets.get(&value) {
            let ty = ir.function_type(ir.pointer(SHARED), &[]);
            let base = ir.function(SHARED_BASE).unwrap_or_else(|| ir.add_function(SHARED_BASE, ty));
            let base = ir.call(ty, base, &[]);
            return Some(ir.offset(base, ir.i64(offset)));
        }
        if !self.mentions(value, known) {
            return Some(value);
        }
        let operands: Vec<_> = value.operands().map(|o| self.build(ir, o, known)).collect::<Option<_>>()?;
        use LLVMOpcode::*;
        match value.const_opcode() {
            Some(LLVMGetElementPtr) => {
                // SAFETY: a constant `getelementptr`.
                let element = Ty(unsafe { LLVMGetGEPSourceElementType(value.0) });
                Some(ir.gep(element, *operands.first()?, &operands[1..]))
            }
            Some(opcode @ (LLVMAddrSpaceCast | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMTrunc)) => {
                Some(ir.cast(opcode, *operands.first()?, value.ty()))
            }
            Some(opcode @ (LLVMAdd | LLVMSub | LLVMXor)) => Some(ir.binary(opcode, operands[0], operands[1])),
            Some(_) => None,
            None => match value.ty().kind() {
                LLVMTypeKind::LLVMVectorTypeKind => {
                    let start = ir.poison(value.ty());
                    Some((0..).zip(operands).fold(start, |v, (i, o)| ir.insert_element(v, o, i)))
                }
                LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind => {
                    let start = ir.poison(value.ty());
                    Some((0..).zip(operands).fold(start, |v, (i, o)| ir.insert_value(v, o, i)))
                }
                _ => None,
            },
        }
    }
}

/// Sets an operand. A phi with several edges from one block must have one value for all of them, so the same operand of
/// each is set.
fn set_operand(instruction: Value, index: u32, value: Value) {
    if !instruction.is_phi() {
        instruction.set_operand(index, value);
        return;
    }
    // SAFETY: a phi; the indices are within its incoming edges.
    unsafe {
        let block = LLVMGetIncomingBlock(instruction.0, index);
        for edge in 0..LLVMCountIncoming(instruction.0) {
            if LLVMGetIncomingBlock(instruction.0, edge) == block {
                instruction.set_operand(edge, value);
            }
        }
    }
}

/// Refuses variables that are declared and nowhere defined.
pub(super) fn check_defined(ir: &Ir, errors: &mut Vec<Diagnostic>) {
    for global in ir.globals() {
        if global.is_declaration() && global.ty().address_space() != SHARED && global.has_uses() {
            let message = format!("the variable {} is declared and nowhere defined", global.name());
            errors.push(
                Diagnostic::error(codes::UNDEFINED, message)
                    .at(first_use(ir, global))
                    .cure("Define it in this module, or link the module that does."),
            );
        }
    }
}

/// Where a variable is used first.
fn first_use(ir: &Ir, global: Value) -> Option<Span> {
    fn mentions(value: Value, global: Value) -> bool {
        value == global || (value.const_opcode().is_some() && value.operands().any(|o| mentions(o, global)))
    }
    let instructions = ir.functions().into_iter().flat_map(Value::instructions);
    instructions.filter(|i| i.operands().any(|o| mentions(o, global))).find_map(Value::span)
}

/// Makes the table of the variables, and describes them.
pub(super) fn describe(ir: &Ir) -> Vec<abi::Global> {
    let mut table = Vec::new();
    let mut described = Vec::new();
    for global in ir.globals() {
        let name = global.name();
        let ours = name.starts_with("llvm.") || name.starts_with(abi::SYMBOL_PREFIX);
        if global.is_declaration() || global.ty().address_space() == SHARED || ours {
            continue;
        }
        let space = global.ty().address_space();
        // SAFETY: a variable.
        let (constant, linkage) = unsafe { (LLVMIsGlobalConstant(global.0) != 0, LLVMGetLinkage(global.0)) };
        let exported = !matches!(linkage, LLVMLinkage::LLVMPrivateLinkage | LLVMLinkage::LLVMInternalLinkage);
        described.push(abi::Global {
            bytes: ir.bytes(global.value_type()),
            constant: constant || space == 4,
            exported,
            name,
        });
        let pointer = ir.pointer(0);
        table.push(if space == 0 {
            global
        } else {
            // SAFETY: a constant pointer.
            Value(unsafe { LLVMConstAddrSpaceCast(global.0, pointer.0) })
        });
        // SAFETY: a variable. Each copy of the program has its own, so the dynamic linker must not unite them; and the
        // host may write constants.
        unsafe {
            LLVMSetLinkage(global.0, LLVMLinkage::LLVMInternalLinkage);
            if LLVMIsExternallyInitialized(global.0) != 0 {
                LLVMSetGlobalConstant(global.0, 0);
            }
        }
    }
    let pointer = ir.pointer(0);
    // A table of no entries would have no address.
    if table.is_empty() {
        table.push(ir.zero(pointer));
    }
    let values = ir.array_constant(pointer, &table);
    ir.add_global(abi::GLOBALS_SYMBOL, values.ty(), values);
    described
}
