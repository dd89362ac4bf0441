//! Conversions of floating point to integers. A number out of range becomes the nearest that there is. NaN becomes zero
//! where neither type has 64 bits, and else the number whose highest bit alone is set (PTX ISA 9.0, `cvt`).

use inkwell::llvm_sys::{LLVMRealPredicate, LLVMTypeKind};

use super::ir::{Ir, Value};

/// What NaN becomes.
pub(super) const fn of_nan(from_double: bool, bits: u32) -> u64 {
    if from_double || bits == 64 { 1 << (bits - 1) } else { 0 }
}

/// The integer, at the builder's place. `value` has been rounded already, or is to be cut off.
pub(super) fn convert(ir: &Ir, value: Value, bits: u32, signed: bool) -> Value {
    let (suffix, double) = match value.ty().kind() {
        LLVMTypeKind::LLVMHalfTypeKind => ("f16", false),
        LLVMTypeKind::LLVMFloatTypeKind => ("f32", false),
        _ => ("f64", true),
    };
    let to = ir.int(bits);
    let name = format!("llvm.fpto{}i.sat.i{bits}.{suffix}", if signed { "s" } else { "u" });
    let ty = ir.function_type(to, &[value.ty()]);
    let function = ir.function(&name).unwrap_or_else(|| ir.add_function(&name, ty));
    let number = ir.call(ty, function, &[value]);
    match of_nan(double, bits) {
        // What LLVM's conversion gives too.
        0 => number,
        pattern => {
            let is_nan = ir.compare_floats(LLVMRealPredicate::LLVMRealUNO, value, value);
            ir.select(is_nan, ir.constant(to, pattern), number)
        }
    }
}
