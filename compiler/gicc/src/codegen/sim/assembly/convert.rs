//! `cvt`.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use ptx::op::{Alu, AluFlag, Rounding};
use ptx::{Operand, ScalarType};

use super::super::ir::Value;
use super::Refusal;
use super::body::Body;

impl Body<'_> {
    /// Translates a conversion.
    pub(super) fn convert(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        let to = op.ty;
        let from = op.source_ty.ok_or("the source's type is missing")?;
        if op.has(AluFlag::SatFinite) {
            return Err(".satfinite is not supported".to_owned());
        }
        if to.packed().0 > 1 || operands.len() > 2 {
            return self.convert_pair(op, operands, from);
        }
        match (to.is_float(), from.is_float()) {
            (true, true) => {
                let value = self.read_float(&operands[1], from)?;
                let value = self.between_floats(op, value, from, to)?;
                self.write_float(&operands[0], value, to)
            }
            (true, false) => {
                if !matches!(op.rounding, None | Some(Rounding::Rn)) {
                    return Err("only rounding to the nearest is supported".to_owned());
                }
                let value = self.read(&operands[1], from)?;
                let opcode = if from.is_signed() { LLVMOpcode::LLVMSIToFP } else { LLVMOpcode::LLVMUIToFP };
                let (float, _) = self.float_type(to).ok_or("this type is not supported")?;
                // A narrow type is reached over a single, which holds what it can hold exactly in all cases that matter:
                // integers of up to 16 bits; a wider one would be rounded twice.
                let value = if matches!(to, ScalarType::F16 | ScalarType::Bf16) {
                    if from.bits() > 16 {
                        return Err(format!("a conversion of .{from} to .{to} is not supported"));
                    }
                    let single = self.ir.cast(opcode, value, self.ir.float());
                    self.narrow(single, to)?
                } else {
                    self.ir.cast(opcode, value, float)
                };
                self.write_float(&operands[0], value, to)
            }
            (false, true) => {
                let value = self.read_float(&operands[1], from)?;
                let wide = matches!(from, ScalarType::F64);
                let value = match from {
                    ScalarType::F16 | ScalarType::Bf16 => self.ir.cast(LLVMOpcode::LLVMFPExt, value, self.ir.float()),
                    _ => value,
                };
                let suffix = if wide { "f64" } else { "f32" };
                let round = rounding(op.rounding.unwrap_or(Rounding::Rzi))?;
                let rounded = self.call(&format!("llvm.{round}.{suffix}"), value.ty(), &[value]);
                let (sign, bits) = (if to.is_signed() { "s" } else { "u" }, to.bits());
                let name = format!("llvm.fpto{sign}i.sat.i{bits}.{suffix}");
                let value = self.call(&name, self.ir.int(bits), &[rounded]);
                self.write(&operands[0], value, to)
            }
            (false, false) => {
                let value = self.read(&operands[1], from)?;
                let value = if op.has(AluFlag::Sat) {
                    self.saturate(value, from, to)
                } else {
                    self.resize(value, to.bits(), from.is_signed())
                };
                self.write(&operands[0], value, to)
            }
        }
    }

    /// Two singles become a packed pair, the first one high.
    fn convert_pair(&mut self, op: &Alu, operands: &[Operand], from: ScalarType) -> Result<(), Refusal> {
        let half = match op.ty {
            ScalarType::F16x2 => ScalarType::F16,
            ScalarType::Bf16x2 => ScalarType::Bf16,
            _ => return Err(format!("a conversion to .{} is not supported", op.ty)),
        };
        if from != ScalarType::F32 || operands.len() != 3 {
            return Err(format!("a conversion of .{from} to .{} is not supported", op.ty));
        }
        let mut word = self.int(32, 0);
        for (operand, shift) in [(&operands[1], 16), (&operands[2], 0)] {
            let value = self.read_float(operand, from)?;
            let value = self.between_floats(op, value, from, half)?;
            let bits = self.ir.cast(LLVMOpcode::LLVMBitCast, value, self.ir.int(16));
            let wide = self.resize(bits, 32, false);
            let there = self.ir.binary(LLVMOpcode::LLVMShl, wide, self.int(32, shift));
            word = self.ir.binary(LLVMOpcode::LLVMOr, word, there);
        }
        self.write(&operands[0], word, op.ty)
    }

    fn between_floats(&mut self, op: &Alu, value: Value, from: ScalarType, to: ScalarType) -> Result<Value, Refusal> {
        let (float, suffix) = self.float_type(to).ok_or_else(|| format!("a conversion to .{to} is not supported"))?;
        let whole = matches!(op.rounding, Some(Rounding::Rni | Rounding::Rzi | Rounding::Rmi | Rounding::Rpi));
        let truncates = to.bits() < from.bits();
        if matches!(op.rounding, Some(Rounding::Rm | Rounding::Rp | Rounding::Rna | Rounding::Rs)) {
            return Err("this rounding is not supported".to_owned());
        }
        let mut value = if truncates && op.rounding == Some(Rounding::Rz) {
            if to != ScalarType::Bf16 || from != ScalarType::F32 {
                return Err("this rounding is not supported".to_owned());
            }
            self.call("nvvm.f2bf16.rz", float, &[value])
        } else if truncates {
            if from == ScalarType::F64 && to == ScalarType::F32 {
                self.ir.cast(LLVMOpcode::LLVMFPTrunc, value, float)
            } else {
                self.narrow(value, to)?
            }
        } else if to.bits() > from.bits() {
            self.ir.cast(LLVMOpcode::LLVMFPExt, value, float)
        } else if from == to {
            value
        } else {
            // f16 and bf16 into each other, or to tf32, which keeps its bits here.
            let single = self.ir.cast(LLVMOpcode::LLVMFPExt, value, self.ir.float());
            if to == ScalarType::Tf32 { value } else { self.narrow(single, to)? }
        };
        if whole {
            let round = rounding(op.rounding.unwrap_or(Rounding::Rni))?;
            value = self.call(&format!("llvm.{round}.{suffix}"), float, &[value]);
        }
        if op.has(AluFlag::Sat) || op.has(AluFlag::Relu) {
            value = self.call(&format!("llvm.maxnum.{suffix}"), float, &[value, self.ir.real(float, 0.0)]);
            if op.has(AluFlag::Sat) {
                value = self.call(&format!("llvm.minnum.{suffix}"), float, &[value, self.ir.real(float, 1.0)]);
            }
        }
        Ok(value)
    }

    /// A single or double as half or bfloat.
    fn narrow(&mut self, value: Value, to: ScalarType) -> Result<Value, Refusal> {
        let (float, _) = self.float_type(to).ok_or("this type is not supported")?;
        Ok(self.ir.cast(LLVMOpcode::LLVMFPTrunc, value, float))
    }

    /// An integer limited to what another type holds.
    fn saturate(&mut self, value: Value, from: ScalarType, to: ScalarType) -> Value {
        let wide = self.resize(value, 128, from.is_signed());
        let (least, most) = if to.is_signed() {
            (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1)
        } else {
            (0, (1i128 << to.bits()) - 1)
        };
        let constant = |body: &Self, number: i128| {
            let (low, high) = (body.int(64, number as u64), body.int(64, (number >> 64) as u64));
            let (low, high) = (body.resize(low, 128, false), body.resize(high, 128, false));
            let shift = body.int(64, 64);
            let shift = body.resize(shift, 128, false);
            let high = body.ir.binary(LLVMOpcode::LLVMShl, high, shift);
            body.ir.binary(LLVMOpcode::LLVMOr, high, low)
        };
        let (least, most) = (constant(self, least), constant(self, most));
        let below = self.ir.compare(LLVMIntPredicate::LLVMIntSLT, wide, least);
        let raised = self.ir.select(below, least, wide);
        let above = self.ir.compare(LLVMIntPredicate::LLVMIntSGT, raised, most);
        let limited = self.ir.select(above, most, raised);
        self.resize(limited, to.bits(), false)
    }
}

/// LLVM's name of a rounding to a whole number.
fn rounding(rounding: Rounding) -> Result<&'static str, Refusal> {
    Ok(match rounding {
        Rounding::Rni | Rounding::Rn => "roundeven",
        Rounding::Rzi | Rounding::Rz => "trunc",
        Rounding::Rmi | Rounding::Rm => "floor",
        Rounding::Rpi | Rounding::Rp => "ceil",
        _ => return Err("this rounding is not supported".to_owned()),
    })
}
