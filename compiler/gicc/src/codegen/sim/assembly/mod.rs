//! Inline PTX. Each `asm` expression becomes a function of its own whose body is the translation of its statements, called
//! where the expression stood; it is inlined later and takes the call's place in the source.
//!
//! What each statement means comes from the crate `ptx`; what it does not know, or is not translated here, is refused by
//! name.
//!
//! | module | what it translates |
//! | --- | --- |
//! | `body` | registers, labels, guards, operands |
//! | `memory` | loads, stores, atomics, fences, copies, mbarriers |
//! | `multimem` | accesses of every PE's location |
//! | `group` | barriers, warps, special registers, time |
//! | `special` | NaN, subnormal numbers, modifiers that are not supported |
//! | `arithmetic`, `convert`, `rounding` | the rest |

mod arithmetic;
mod body;
mod convert;
mod group;
mod memory;
mod multimem;
mod rounding;
mod special;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use ptx::{Direction, InlineAsm, OperandClass};

use self::body::Body;
use super::codes;
use super::ir::{Ir, Ty, Value};
use crate::diagnostic::Diagnostic;

/// Why a statement cannot be translated.
type Refusal = String;

/// Translates the inline PTX of a function.
pub(super) fn rewrite(ir: &Ir, function: Value, errors: &mut Vec<Diagnostic>) {
    for call in function.instructions() {
        if call.opcode() != Some(LLVMOpcode::LLVMCall) || !call.callee().is_inline_asm() {
            continue;
        }
        if let Err(error) = translate(ir, call) {
            errors.push(error);
        }
    }
}

fn translate(ir: &Ir, call: Value) -> Result<(), Diagnostic> {
    let asm = call.callee();
    // SAFETY: inline assembly, whose texts have the lengths that come with them.
    let (text, constraints) = unsafe {
        let mut length = 0;
        let text = LLVMGetInlineAsmAsmString(asm.0, &mut length);
        let text = String::from_utf8_lossy(std::slice::from_raw_parts(text.cast::<u8>(), length)).into_owned();
        let constraints = LLVMGetInlineAsmConstraintString(asm.0, &mut length);
        (text, String::from_utf8_lossy(std::slice::from_raw_parts(constraints.cast::<u8>(), length)).into_owned())
    };
    let refuse = |message: String| Diagnostic::error(codes::ASSEMBLY, message).at(call.span());
    let parsed = InlineAsm::parse(&text, &constraints)
        .map_err(|e| refuse(format!("inline PTX cannot be understood: {e}")).cause(format!("The text is: {text}")))?;
    let (function, outputs, result) = prepare(ir, call, &parsed).map_err(&refuse)?;
    ir.before(call);
    let arguments: Vec<_> = call.arguments();
    let _ = outputs;
    let new = ir.call(function.value_type(), function, &arguments);
    if !result.is_void() {
        call.replace_uses(new);
    }
    call.erase();
    Ok(())
}

/// Makes the function of an expression.
fn prepare(ir: &Ir, call: Value, asm: &InlineAsm) -> Result<(Value, usize, Ty), String> {
    let result = call.ty();
    let arguments = call.arguments();
    let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
    let function = ir.add_function("sim.asm", ir.function_type(result, &types));
    super::module::add_attribute(ir, function, "alwaysinline");
    super::module::add_attribute(ir, function, "convergent");
    let mut body = Body::new(ir, function);

    let outputs: Vec<_> = asm.constraints.operands.iter().filter(|c| c.direction != Direction::Input).collect();
    if asm.constraints.operands.iter().any(|c| c.indirect) {
        return Err("inline PTX with operands in memory is not supported".to_owned());
    }
    let output_types = match outputs.len() {
        0 => Vec::new(),
        1 => vec![result],
        // SAFETY: a structure with as many members as there are outputs, or the module would not have been verified.
        n => (0..n as u32).map(|i| Ty(unsafe { LLVMStructGetTypeAtIndex(result.0, i) })).collect(),
    };
    let mut parameters = function.parameters().into_iter().zip(&arguments);
    let mut next_output = output_types.iter();
    for constraint in &asm.constraints.operands {
        if constraint.direction != Direction::Input {
            let ty = next_output.next().ok_or("inline PTX has more outputs than results")?;
            body.add_placeholder(bits(ir, *ty)?, None, None)?;
            continue;
        }
        let (parameter, argument) = parameters.next().ok_or("inline PTX has more inputs than arguments")?;
        let width = bits(ir, parameter.ty())?;
        let constant = argument.const_i64();
        let initial = body.bits_of(parameter)?;
        if let OperandClass::Tied(output) = constraint.class {
            body.tie(output, initial)?;
        }
        body.add_placeholder(width, Some(initial), constant)?;
    }
    body.statements(&asm.statements)?;
    let values: Vec<_> =
        (0..).zip(&output_types).map(|(i, &ty)| body.placeholder_as(i, ty)).collect::<Result<_, _>>()?;
    let value = match values[..] {
        [] => None,
        [value] => Some(value),
        _ => {
            let start = ir.poison(result);
            Some((0..).zip(&values).fold(start, |all, (i, &value)| ir.insert_value(all, value, i)))
        }
    };
    ir.ret(value);
    Ok((function, outputs.len(), result))
}

/// Bits of an operand.
fn bits(ir: &Ir, ty: Ty) -> Result<u32, Refusal> {
    if ty.is_int() {
        return Ok(ty.int_bits());
    }
    if ty.is_pointer() {
        return Ok(64);
    }
    if ty.is_float() || ty.is_vector() {
        return Ok(ir.bits(ty) as u32);
    }
    Err(format!("inline PTX with an operand of type {} is not supported", ty.text()))
}
