//! `cvt`.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use ptx::op::{Alu, AluFlag, Rounding};
use ptx::{Operand, ScalarType};

use super::super::ir::Value;
use super::Refusal;
use super::body::Body;
use super::rounding::direction;

impl Body<'_> {
    /// Translates a conversion.
    pub(super) fn convert(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        let to = op.ty;
        let from = op.source_ty.ok_or("the source's type is missing")?;
        if eight_bits(to) || eight_bits(from) {
            return self.convert_eight_bits(op, operands, from);
        }
        if op.has(AluFlag::SatFinite) {
            return Err(".satfinite is supported for 8-bit types only".to_owned());
        }
        if to.packed().0 > 1 || operands.len() > 2 {
            return self.convert_pair(op, operands, from);
        }
        match (to.is_float(), from.is_float()) {
            (true, true) => {
                let value = self.read_float(&operands[1], from)?;
                let value = self.flushed(op, value, from);
                let value = self.between_floats(op, value, from, to)?;
                self.write_float(&operands[0], value, to)
            }
            (true, false) => {
                let value = self.read(&operands[1], from)?;
                if let Some(mode) = direction(op.rounding) {
                    let value = self.convert_integer(value, from, to, mode)?;
                    return self.write_float(&operands[0], value, to);
                }
                if !matches!(op.rounding, None | Some(Rounding::Rn)) {
                    return Err("this rounding is not supported".to_owned());
                }
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
                let value = self.flushed(op, value, from);
                let wide = matches!(from, ScalarType::F64);
                let value = match from {
                    ScalarType::F16 | ScalarType::Bf16 => self.ir.cast(LLVMOpcode::LLVMFPExt, value, self.ir.float()),
                    _ => value,
                };
                let suffix = if wide { "f64" } else { "f32" };
                let round = rounding(op.rounding.unwrap_or(Rounding::Rzi))?;
                let rounded = self.call(&format!("llvm.{round}.{suffix}"), value.ty(), &[value]);
                let value = super::super::to_integer::convert(self.ir, rounded, to.bits(), to.is_signed());
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
            let value = self.flushed(op, value, from);
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
        if to == ScalarType::Tf32 && from == ScalarType::F32 {
            let value = self.to_tf32(value, op.rounding)?;
            let limits = Alu { ty: to, ..op.clone() };
            return Ok(self.canonical(self.limited(&limits, value), to));
        }
        if matches!(op.rounding, Some(Rounding::Rna | Rounding::Rs)) {
            return Err("this rounding is not supported".to_owned());
        }
        let mut value = if let Some(mode) = direction(op.rounding).filter(|_| truncates) {
            match (from, to) {
                (ScalarType::F32, ScalarType::Bf16) if mode == "rz" => self.call("nvvm.f2bf16.rz", float, &[value]),
                (ScalarType::F64, ScalarType::F32) => self.call(&format!("sim.lib.narrow.{mode}.f32"), float, &[value]),
                (ScalarType::F32 | ScalarType::F64, ScalarType::F16) => {
                    let mut single = value;
                    if from == ScalarType::F64 {
                        single = self.call(&format!("sim.lib.narrow.{mode}.f32"), self.ir.float(), &[value]);
                    }
                    self.call(&format!("sim.lib.narrow.{mode}.f16"), float, &[single])
                }
                _ => return Err("this rounding is not supported".to_owned()),
            }
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
            // f16 and bf16 into each other.
            let single = self.ir.cast(LLVMOpcode::LLVMFPExt, value, self.ir.float());
            self.narrow(single, to)?
        };
        if whole {
            let round = rounding(op.rounding.unwrap_or(Rounding::Rni))?;
            value = self.call(&format!("llvm.{round}.{suffix}"), float, &[value]);
        }
        // A pair's halves are limited one by one.
        let limits = Alu { ty: to, ..op.clone() };
        value = self.limited(&limits, self.flushed(op, value, to));
        Ok(if truncates { self.canonical(value, to) } else { value })
    }

    /// An integer, rounded in a direction.
    fn convert_integer(
        &mut self,
        value: Value,
        from: ScalarType,
        to: ScalarType,
        mode: &str,
    ) -> Result<Value, Refusal> {
        let (float, suffix) = match to {
            ScalarType::F16 => (self.ir.float(), "f32"),
            ScalarType::F32 | ScalarType::F64 => self.float_type(to).ok_or("this type is not supported")?,
            _ => return Err("this rounding is not supported".to_owned()),
        };
        let signed = from.is_signed();
        let wide = self.resize(value, 64, signed);
        let sign = if signed { "s" } else { "u" };
        let value = self.call(&format!("sim.lib.from_{sign}64.{mode}.{suffix}"), float, &[wide]);
        if to == ScalarType::F16 {
            return Ok(self.call(&format!("sim.lib.narrow.{mode}.f16"), self.ir.half(), &[value]));
        }
        Ok(value)
    }

    /// Pairs of 8-bit values: of two singles or a pair of halves, to the nearest and finite; or back to halves.
    fn convert_eight_bits(&mut self, op: &Alu, operands: &[Operand], from: ScalarType) -> Result<(), Refusal> {
        use LLVMOpcode::{LLVMAnd, LLVMBitCast, LLVMFPExt, LLVMLShr, LLVMOr, LLVMShl};
        let to = op.ty;
        let refused = || format!("a conversion of .{from} to .{to} is not supported");
        let ir = self.ir;
        let code = |ty| match ty {
            ScalarType::E4m3x2 => Some("e4m3"),
            ScalarType::E5m2x2 => Some("e5m2"),
            _ => None,
        };
        let part = |body: &Self, word: Value, place: u64, bits: u64| {
            let moved = ir.binary(LLVMLShr, word, body.int(32, place * bits));
            ir.binary(LLVMAnd, moved, body.int(32, (1 << bits) - 1))
        };
        if let (Some(name), ScalarType::F16x2) = (code(from), to) {
            let word = self.read(&operands[1], from)?;
            let word = self.resize(word, 32, false);
            let mut whole = self.int(32, 0);
            for place in 0..2 {
                let byte = part(self, word, place, 8);
                let value = self.call(&format!("sim.lib.of_{name}"), ir.half(), &[byte]);
                let mut limits = op.clone();
                limits.ty = ScalarType::F16;
                let value = self.limited(&limits, value);
                let bits = ir.cast(LLVMBitCast, value, ir.int(16));
                let wide = self.resize(bits, 32, false);
                whole = ir.binary(LLVMOr, whole, ir.binary(LLVMShl, wide, self.int(32, 16 * place)));
            }
            return self.write(&operands[0], whole, to);
        }
        let name = code(to).ok_or_else(refused)?;
        if !op.has(AluFlag::SatFinite) || !matches!(op.rounding, None | Some(Rounding::Rn)) {
            return Err(refused());
        }
        // The second value is the low one.
        let values = match (from, operands.len()) {
            (ScalarType::F32, 3) => [self.read_float(&operands[2], from)?, self.read_float(&operands[1], from)?],
            (ScalarType::F16x2, 2) => {
                let word = self.read(&operands[1], from)?;
                [0, 1].map(|place| {
                    let half = self.resize(part(self, word, place, 16), 16, false);
                    ir.cast(LLVMFPExt, ir.cast(LLVMBitCast, half, ir.half()), ir.float())
                })
            }
            _ => return Err(refused()),
        };
        let mut limits = op.clone();
        limits.ty = ScalarType::F32;
        let mut whole = self.int(32, 0);
        for (place, value) in (0..).zip(values) {
            let value = self.limited(&limits, value);
            let byte = self.call(&format!("sim.lib.{name}"), ir.int(32), &[value]);
            whole = ir.binary(LLVMOr, whole, ir.binary(LLVMShl, byte, self.int(32, 8 * place)));
        }
        let whole = self.resize(whole, 16, false);
        self.write(&operands[0], whole, to)
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

/// Whether this is a type of 8-bit floating point, packed or not.
const fn eight_bits(ty: ScalarType) -> bool {
    use ScalarType::*;
    matches!(ty, E4m3 | E5m2 | E4m3x2 | E5m2x2 | E4m3x4 | E5m2x4)
}
