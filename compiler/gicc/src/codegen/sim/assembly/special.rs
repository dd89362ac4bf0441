//! Special values in inline PTX: subnormal numbers where `.ftz` says that they are zero, NaN, and rounding to `.tf32`.
//!
//! Source: PTX ISA 9.0, "Floating Point Instructions" and `cvt`. Results of single and half precision that are NaN are the
//! canonical one (all bits of the fraction set, positive); double precision keeps what the host computes.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use ptx::ScalarType;
use ptx::op::{Alu, AluFlag, AluOp, Rounding};

use super::super::ir::Value;
use super::Refusal;
use super::body::Body;

/// Refuses modifiers that nothing here heeds for this opcode and type.
pub(super) fn check_flags(op: &Alu) -> Result<(), Refusal> {
    use AluFlag::*;
    let converts = op.op == AluOp::Cvt;
    let compares = matches!(op.op, AluOp::Setp | AluOp::Set | AluOp::Slct);
    let computes = op.ty.is_float() && !converts && !compares;
    let source = op.source_ty.unwrap_or(op.ty);
    let has_single = [op.ty, source].iter().any(|t| flushes(*t) && (!converts || *t == ScalarType::F32));
    for &flag in &op.flags {
        let heeded = match flag {
            Ftz => has_single,
            Relu => converts || (computes && !matches!(op.op, AluOp::Abs | AluOp::Neg)) || minimum(op.op),
            Nan => computes && minimum(op.op),
            XorSign | AbsResult | F4e | B4e | Rc8 | Ecl | Ecr | Rc16 => false,
            Sat | SatFinite | Approx | Full | Hi | Lo | Wide | Left | Right | Wrap | Clamp | ShiftAmount | CarryOut => {
                true
            }
            Finite | Infinite | Number | NotANumber | Normal | Subnormal => op.op == AluOp::Testp,
        };
        if !heeded {
            return Err(format!("the modifier .{flag} is not supported here"));
        }
    }
    Ok(())
}

fn minimum(op: AluOp) -> bool {
    matches!(op, AluOp::Min | AluOp::Max)
}

/// Whether `.ftz` exists for a type.
fn flushes(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F32 | ScalarType::F32x2 | ScalarType::F16 | ScalarType::F16x2)
}

impl Body<'_> {
    /// A number with `.ftz` where the instruction has it: a subnormal one becomes zero with its sign.
    pub(super) fn flushed(&self, op: &Alu, value: Value, ty: ScalarType) -> Value {
        let single = !matches!(op.op, AluOp::Cvt) || ty == ScalarType::F32;
        if op.has(AluFlag::Ftz) && flushes(ty) && single { self.without_subnormal(value, ty) } else { value }
    }

    fn without_subnormal(&self, value: Value, ty: ScalarType) -> Value {
        let Some((float, suffix)) = self.float_type(ty) else { return value };
        let ir = self.ir;
        let least = if matches!(ty, ScalarType::F16 | ScalarType::F16x2) { -14 } else { -126 };
        let magnitude = self.call(&format!("llvm.fabs.{suffix}"), float, &[value]);
        let tiny = ir.compare_floats(LLVMRealPredicate::LLVMRealOLT, magnitude, ir.real(float, 2f64.powi(least)));
        let zero = self.call(&format!("llvm.copysign.{suffix}"), float, &[ir.real(float, 0.0), value]);
        ir.select(tiny, zero, value)
    }

    /// The result with the canonical NaN for any other.
    pub(super) fn canonical(&self, value: Value, ty: ScalarType) -> Value {
        let Some((float, _)) = self.float_type(ty) else { return value };
        let pattern = match ty {
            ScalarType::F16 | ScalarType::Bf16 => 0x7fff,
            ScalarType::F16x2 | ScalarType::Bf16x2 => 0x7fff_7fff,
            ScalarType::F32 | ScalarType::Tf32 => 0x7fff_ffff,
            ScalarType::F32x2 => 0x7fff_ffff_7fff_ffff,
            _ => return value,
        };
        let ir = self.ir;
        let nan = ir.cast(LLVMOpcode::LLVMBitCast, self.int(ty.bits(), pattern), float);
        let is_nan = if ty.packed().0 == 1 {
            // As bits: LLVM asks the operand of a square root otherwise.
            let sign = 1u64 << (ty.bits() - 1);
            let bits = ir.cast(LLVMOpcode::LLVMBitCast, value, ir.int(ty.bits()));
            let magnitude = ir.binary(LLVMOpcode::LLVMAnd, bits, self.int(ty.bits(), sign - 1));
            let infinity = match ty {
                ScalarType::F16 => 0x7c00,
                ScalarType::Bf16 => 0x7f80,
                _ => 0x7f80_0000,
            };
            ir.compare(LLVMIntPredicate::LLVMIntUGT, magnitude, self.int(ty.bits(), infinity))
        } else {
            ir.compare_floats(LLVMRealPredicate::LLVMRealUNO, value, value)
        };
        ir.select(is_nan, nan, value)
    }

    /// A single rounded to the ten bits of fraction of `.tf32`.
    pub(super) fn to_tf32(&self, value: Value, rounding: Option<Rounding>) -> Result<Value, Refusal> {
        use LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMBitCast, LLVMLShr};
        let ir = self.ir;
        let bits = ir.cast(LLVMBitCast, value, self.int(32, 0).ty());
        let raised = match rounding {
            Some(Rounding::Rz) => bits,
            Some(Rounding::Rna) => ir.binary(LLVMAdd, bits, self.int(32, 0x1000)),
            Some(Rounding::Rn) => {
                let odd = ir.binary(LLVMAnd, ir.binary(LLVMLShr, bits, self.int(32, 13)), self.int(32, 1));
                ir.binary(LLVMAdd, ir.binary(LLVMAdd, bits, self.int(32, 0xfff)), odd)
            }
            _ => return Err("this rounding is not supported".to_owned()),
        };
        let cut = ir.binary(LLVMAnd, raised, self.int(32, 0xffff_e000));
        let cut = ir.cast(LLVMBitCast, cut, ir.float());
        let is_nan = ir.compare_floats(LLVMRealPredicate::LLVMRealUNO, value, value);
        Ok(ir.select(is_nan, value, cut))
    }
}
