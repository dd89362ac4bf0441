//! Inline PTX that computes: arithmetic, logic, comparison, selection, moves. NaN and
//! subnormal numbers are in `special`; rounding modes other than to the nearest are in `rounding`. What PTX leaves to the hardware (the last bits of `.approx`) is what the host computes.

use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use ptx::op::{Alu, AluFlag, AluOp, Combine, Compare, Mov, Rounding};
use ptx::{Operand, ScalarType};

use super::super::ir::{Ty, Value};
use super::Refusal;
use super::body::Body;

impl Body<'_> {
    /// The type of floating point on the host, with LLVM's name of it.
    pub(super) fn float_type(&self, ty: ScalarType) -> Option<(Ty, &'static str)> {
        let ir = self.ir;
        Some(match ty {
            ScalarType::F16 => (ir.half(), "f16"),
            ScalarType::Bf16 => (ir.bfloat(), "bf16"),
            ScalarType::F32 | ScalarType::Tf32 => (ir.float(), "f32"),
            ScalarType::F64 => (ir.double(), "f64"),
            ScalarType::F16x2 => (ir.vector(ir.half(), 2), "v2f16"),
            ScalarType::Bf16x2 => (ir.vector(ir.bfloat(), 2), "v2bf16"),
            ScalarType::F32x2 => (ir.vector(ir.float(), 2), "v2f32"),
            _ => return None,
        })
    }

    pub(super) fn read_float(&mut self, operand: &Operand, ty: ScalarType) -> Result<Value, Refusal> {
        let (float, _) = self.float_type(ty).ok_or_else(|| format!("floating point of type .{ty} is not supported"))?;
        let bits = self.read(operand, ty)?;
        Ok(self.ir.cast(LLVMOpcode::LLVMBitCast, bits, float))
    }

    pub(super) fn write_float(&mut self, operand: &Operand, value: Value, ty: ScalarType) -> Result<(), Refusal> {
        let bits = self.ir.cast(LLVMOpcode::LLVMBitCast, value, self.ir.int(ty.bits()));
        self.write(operand, bits, ty)
    }

    /// `mov`, also as packing and unpacking.
    pub(super) fn mov(&mut self, op: &Mov, operands: &[Operand]) -> Result<(), Refusal> {
        let bits = op.ty.bits();
        match operands {
            [Operand::Vector(to), Operand::Vector(from)] if to.len() == from.len() => {
                for (to, from) in to.iter().zip(from) {
                    let value = self.read(from, op.ty)?;
                    self.write(to, value, op.ty)?;
                }
                Ok(())
            }
            [to, Operand::Vector(parts)] => {
                let part = part_type(bits, parts.len())?;
                let mut whole = self.int(bits, 0);
                for (place, operand) in (0..).zip(parts) {
                    let value = self.read(operand, part)?;
                    let wide = self.resize(value, bits, false);
                    let shift = self.int(bits, place * u64::from(part.bits()));
                    let there = self.ir.binary(LLVMOpcode::LLVMShl, wide, shift);
                    whole = self.ir.binary(LLVMOpcode::LLVMOr, whole, there);
                }
                self.write(to, whole, op.ty)
            }
            [Operand::Vector(parts), from] => {
                let part = part_type(bits, parts.len())?;
                let whole = self.read(from, op.ty)?;
                for (place, operand) in (0..).zip(parts) {
                    let shift = self.int(bits, place * u64::from(part.bits()));
                    let there = self.ir.binary(LLVMOpcode::LLVMLShr, whole, shift);
                    let value = self.resize(there, part.bits(), false);
                    self.write(operand, value, part)?;
                }
                Ok(())
            }
            [to, from] => {
                let value = self.read(from, op.ty)?;
                self.write(to, value, op.ty)
            }
            _ => Err("it has the wrong number of operands".to_owned()),
        }
    }

    /// Everything else that computes.
    pub(super) fn alu(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        use AluOp::*;
        super::special::check_flags(op)?;
        let directed = matches!(op.rounding, Some(Rounding::Rz | Rounding::Rm | Rounding::Rp | Rounding::Rs));
        if directed && op.op != Cvt {
            return self.directed(op, operands);
        }
        match op.op {
            Setp | Set => self.compare(op, operands),
            Selp => {
                let (a, b) = (self.read(&operands[1], op.ty)?, self.read(&operands[2], op.ty)?);
                let condition = self.read(&operands[3], ScalarType::Pred)?;
                let value = self.ir.select(condition, a, b);
                self.write(&operands[0], value, op.ty)
            }
            Cvt => self.convert(op, operands),
            Lop3 => self.lop3(op, operands),
            Slct => self.slct(op, operands),
            Testp => self.testp(op, operands),
            _ if op.ty.is_float() => self.float(op, operands),
            _ => self.integer(op, operands),
        }
    }

    fn integer(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        use AluOp::*;
        use LLVMOpcode::*;
        let (ty, bits, signed) = (op.ty, op.ty.bits(), op.ty.is_signed());
        if ty.packed().0 > 1 {
            return Err("packed integers are not supported".to_owned());
        }
        let sources = operands.len() - 1;
        let read = |body: &mut Self, at: usize| body.read(&operands[at], ty);
        let a = read(self, 1)?;
        let ir = self.ir;
        let unary = |body: &Self, name: &str| body.call(&format!("llvm.{name}.i{bits}"), ir.int(bits), &[a]);
        let counted =
            |body: &Self, name: &str| body.call(&format!("llvm.{name}.i{bits}"), ir.int(bits), &[a, body.int(1, 0)]);
        let zero = self.int(bits, 0);
        let value = match op.op {
            Not => ir.binary(LLVMXor, a, self.all_ones(bits)),
            Cnot => {
                let is_zero = ir.compare(LLVMIntPredicate::LLVMIntEQ, a, zero);
                self.resize(is_zero, bits, false)
            }
            Neg => ir.binary(LLVMSub, zero, a),
            Abs => self.call(&format!("llvm.abs.i{bits}"), ir.int(bits), &[a, self.int(1, 0)]),
            Popc => {
                let count = unary(self, "ctpop");
                let count = self.resize(count, 32, false);
                return self.write(&operands[0], count, ScalarType::U32);
            }
            Clz => {
                let count = counted(self, "ctlz");
                let count = self.resize(count, 32, false);
                return self.write(&operands[0], count, ScalarType::U32);
            }
            Brev => unary(self, "bitreverse"),
            Bfind => {
                let sign = ir.binary(LLVMAShr, a, self.int(bits, u64::from(bits) - 1));
                let magnitude = if signed { ir.binary(LLVMXor, a, sign) } else { a };
                let name = format!("llvm.ctlz.i{bits}");
                let leading = self.call(&name, ir.int(bits), &[magnitude, self.int(1, 0)]);
                let top = self.int(bits, u64::from(bits) - 1);
                let place = ir.binary(LLVMSub, top, leading);
                let shown = if op.has(AluFlag::ShiftAmount) { leading } else { place };
                let none = ir.compare(LLVMIntPredicate::LLVMIntEQ, magnitude, zero);
                let shown = ir.select(none, self.all_ones(bits), shown);
                let shown = self.resize(shown, 32, true);
                return self.write(&operands[0], shown, ScalarType::U32);
            }
            Add | Sub | Addc | Subc | Mul | Mad | Madc => return self.sum(op, operands),
            Mul24 | Mad24 => {
                let b = read(self, 2)?;
                let (a, b) = (self.low24(a, signed), self.low24(b, signed));
                let product = ir.binary(LLVMMul, a, b);
                let shift = self.int(64, if op.has(AluFlag::Hi) { 16 } else { 0 });
                let part = ir.binary(LLVMLShr, product, shift);
                let part = self.resize(part, 32, false);
                if op.op == Mad24 {
                    let c = read(self, 3)?;
                    ir.binary(LLVMAdd, part, c)
                } else {
                    part
                }
            }
            Div | Rem => {
                let b = read(self, 2)?;
                self.divide(op.op == Div, a, b, signed)
            }
            Sad => {
                let (b, c) = (read(self, 2)?, read(self, 3)?);
                let more = ir.compare(greater(signed), a, b);
                let (x, y) = (ir.binary(LLVMSub, a, b), ir.binary(LLVMSub, b, a));
                ir.binary(LLVMAdd, ir.select(more, x, y), c)
            }
            Min | Max if sources == 2 => {
                let b = read(self, 2)?;
                let more = ir.compare(greater(signed), a, b);
                let value = if op.op == Max { ir.select(more, a, b) } else { ir.select(more, b, a) };
                if op.has(AluFlag::Relu) {
                    if !signed {
                        return Err(".relu is for signed numbers".to_owned());
                    }
                    let positive = ir.compare(LLVMIntPredicate::LLVMIntSGT, value, zero);
                    ir.select(positive, value, zero)
                } else {
                    value
                }
            }
            And | Or | Xor => {
                let b = read(self, 2)?;
                let opcode = match op.op {
                    And => LLVMAnd,
                    Or => LLVMOr,
                    _ => LLVMXor,
                };
                ir.binary(opcode, a, b)
            }
            Shl | Shr => {
                let by = self.read(&operands[2], ScalarType::U32)?;
                self.shift(op.op == Shl, a, by, signed)
            }
            Shf => {
                let b = read(self, 2)?;
                let by = self.read(&operands[3], ScalarType::U32)?;
                let by = if op.has(AluFlag::Wrap) {
                    ir.binary(LLVMAnd, by, self.int(32, 31))
                } else {
                    let more = ir.compare(LLVMIntPredicate::LLVMIntUGT, by, self.int(32, 32));
                    ir.select(more, self.int(32, 32), by)
                };
                let (low, high) = (self.resize(a, 64, false), self.resize(b, 64, false));
                let high = ir.binary(LLVMShl, high, self.int(64, 32));
                let both = ir.binary(LLVMOr, high, low);
                let by = self.resize(by, 64, false);
                let part = if op.has(AluFlag::Left) {
                    let moved = ir.binary(LLVMShl, both, by);
                    ir.binary(LLVMLShr, moved, self.int(64, 32))
                } else {
                    ir.binary(LLVMLShr, both, by)
                };
                self.resize(part, 32, false)
            }
            Bfe => {
                let (start, length) = (self.byte(&operands[2])?, self.byte(&operands[3])?);
                self.extract(a, start, length, signed)
            }
            Bfi => {
                let b = read(self, 2)?;
                let (start, length) = (self.byte(&operands[3])?, self.byte(&operands[4])?);
                let ones = self.all_ones(bits);
                let outside = self.shift(true, ones, length, false);
                let field = ir.binary(LLVMXor, outside, ones);
                let mask = self.shift(true, field, start, false);
                let moved = self.shift(true, a, start, false);
                let inside = ir.binary(LLVMAnd, moved, mask);
                let rest = ir.binary(LLVMAnd, b, ir.binary(LLVMXor, mask, ones));
                ir.binary(LLVMOr, inside, rest)
            }
            Prmt if op.flags.is_empty() => {
                let (b, c) = (read(self, 2)?, read(self, 3)?);
                self.call("nvvm.prmt", ir.int(32), &[a, b, c])
            }
            Dp4a => {
                let other = op.source_ty.unwrap_or(ty);
                let (b, mut sum) = (self.read(&operands[2], ScalarType::B32)?, read(self, 3)?);
                for place in 0..4 {
                    let byte = |body: &Self, word: Value, signed: bool| {
                        let moved = ir.binary(LLVMLShr, word, body.int(32, 8 * place));
                        let narrow = body.resize(moved, 8, false);
                        body.resize(narrow, 32, signed)
                    };
                    let (x, y) = (byte(self, a, signed), byte(self, b, other.is_signed()));
                    sum = ir.binary(LLVMAdd, sum, ir.binary(LLVMMul, x, y));
                }
                sum
            }
            _ => return Err("the simulator has no such instruction".to_owned()),
        };
        self.write(&operands[0], value, ty)
    }

    /// Sums and products, with carry: computed with twice the bits.
    fn sum(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        use AluOp::*;
        use LLVMOpcode::*;
        let (bits, signed) = (op.ty.bits(), op.ty.is_signed());
        let wide = 2 * bits + 2;
        let ir = self.ir;
        let multiplies = matches!(op.op, Mul | Mad | Madc);
        let adds = !matches!(op.op, Mul);
        let (a, b) = (self.read(&operands[1], op.ty)?, self.read(&operands[2], op.ty)?);
        let result_ty = op.result_type();
        let result_bits = result_ty.bits();
        if op.has(AluFlag::Sat) {
            if bits != 32 || !signed || multiplies {
                return Err("saturation is supported for .s32 sums only".to_owned());
            }
            let name = if op.op == Sub { "llvm.ssub.sat.i32" } else { "llvm.sadd.sat.i32" };
            let value = self.call(name, ir.int(32), &[a, b]);
            return self.write(&operands[0], value, op.ty);
        }
        let (left, right) = if multiplies {
            let (x, y) = (self.resize(a, wide, signed), self.resize(b, wide, signed));
            let product = ir.binary(LLVMMul, x, y);
            let part = if op.has(AluFlag::Hi) {
                ir.binary(LLVMLShr, product, self.int(64, bits.into()).ty_to(self, wide))
            } else {
                product
            };
            let part = self.resize(part, result_bits, false);
            if !adds {
                return self.write(&operands[0], part, result_ty);
            }
            (part, self.read(&operands[3], result_ty)?)
        } else {
            (a, b)
        };
        let subtracts = matches!(op.op, Sub | Subc);
        let carries_in = matches!(op.op, Addc | Subc | Madc);
        let sum_bits = result_bits + 1;
        let (x, y) = (self.resize(left, sum_bits, false), self.resize(right, sum_bits, false));
        let mut sum = ir.binary(if subtracts { LLVMSub } else { LLVMAdd }, x, y);
        if carries_in {
            let carry = self.carry();
            let carry = self.resize(carry, sum_bits, false);
            sum = ir.binary(if subtracts { LLVMSub } else { LLVMAdd }, sum, carry);
        }
        if op.has(AluFlag::CarryOut) {
            let top = ir.binary(LLVMLShr, sum, self.int(64, result_bits.into()).ty_to(self, sum_bits));
            let carry = self.resize(top, 1, false);
            self.set_carry(carry);
        }
        let value = self.resize(sum, result_bits, false);
        self.write(&operands[0], value, result_ty)
    }

    fn all_ones(&self, bits: u32) -> Value {
        let one = self.int(1, 1);
        self.resize(one, bits, true)
    }

    fn low24(&self, value: Value, signed: bool) -> Value {
        let narrow = self.resize(value, 24, false);
        self.resize(narrow, 64, signed)
    }

    /// A position or length: the low byte of a 32-bit operand.
    fn byte(&mut self, operand: &Operand) -> Result<Value, Refusal> {
        let value = self.read(operand, ScalarType::U32)?;
        Ok(self.ir.binary(LLVMOpcode::LLVMAnd, value, self.int(32, 255)))
    }

    /// A shift by a 32-bit amount; by the width or more it gives zero, or the sign.
    fn shift(&self, left: bool, value: Value, by: Value, signed: bool) -> Value {
        let bits = value.ty().int_bits();
        let ir = self.ir;
        let all = ir.compare(LLVMIntPredicate::LLVMIntUGE, by, self.int(32, bits.into()));
        let within = ir.select(all, self.int(32, 0), by);
        let amount = self.resize(within, bits, false);
        let opcode = match (left, signed) {
            (true, _) => LLVMOpcode::LLVMShl,
            (false, true) => LLVMOpcode::LLVMAShr,
            (false, false) => LLVMOpcode::LLVMLShr,
        };
        let moved = ir.binary(opcode, value, amount);
        let beyond = if !left && signed {
            ir.binary(LLVMOpcode::LLVMAShr, value, self.int(bits, u64::from(bits) - 1))
        } else {
            self.int(bits, 0)
        };
        ir.select(all, beyond, moved)
    }

    /// `bfe`: so many bits from a position, filled with zeros or the field's sign.
    fn extract(&self, value: Value, start: Value, length: Value, signed: bool) -> Value {
        use LLVMOpcode::*;
        let bits = value.ty().int_bits();
        let ir = self.ir;
        let moved = self.shift(false, value, start, signed);
        let ones = self.all_ones(bits);
        let above = self.shift(true, ones, length, false);
        let field = ir.binary(LLVMAnd, moved, ir.binary(LLVMXor, above, ones));
        if !signed {
            return field;
        }
        // The sign is the field's highest bit, or the value's where the field reaches past it.
        let last = ir.binary(LLVMAdd, start, ir.binary(LLVMSub, length, self.int(32, 1)));
        let top = self.int(32, u64::from(bits) - 1);
        let past = ir.compare(LLVMIntPredicate::LLVMIntUGT, last, top);
        let last = ir.select(past, top, last);
        let sign = self.shift(false, value, last, false);
        let sign = self.resize(sign, 1, false);
        let none = ir.compare(LLVMIntPredicate::LLVMIntEQ, length, self.int(32, 0));
        let filled = ir.binary(LLVMOr, field, above);
        let value = ir.select(sign, filled, field);
        ir.select(none, self.int(bits, 0), value)
    }

    fn divide(&self, quotient: bool, a: Value, b: Value, signed: bool) -> Value {
        use LLVMOpcode::*;
        let bits = a.ty().int_bits();
        let ir = self.ir;
        let is_zero = ir.compare(LLVMIntPredicate::LLVMIntEQ, b, self.int(bits, 0));
        let flag = self.resize(is_zero, 64, false);
        self.call("sim.lib.division", ir.void(), &[flag]);
        let one = self.int(bits, 1);
        let safe = ir.select(is_zero, one, b);
        if !signed {
            return ir.binary(if quotient { LLVMUDiv } else { LLVMURem }, a, safe);
        }
        let minus = ir.compare(LLVMIntPredicate::LLVMIntEQ, b, self.all_ones(bits));
        let safe = ir.select(minus, one, safe);
        let (value, special) = if quotient {
            (ir.binary(LLVMSDiv, a, safe), ir.binary(LLVMSub, self.int(bits, 0), a))
        } else {
            (ir.binary(LLVMSRem, a, safe), self.int(bits, 0))
        };
        ir.select(minus, special, value)
    }

    fn float(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        use AluOp::*;
        use LLVMOpcode::*;
        let (float, suffix) =
            self.float_type(op.ty).ok_or_else(|| format!("floating point of type .{} is not supported", op.ty))?;
        let ir = self.ir;
        let mut values = Vec::new();
        for operand in &operands[1..] {
            let value = self.read_float(operand, op.ty)?;
            values.push(self.flushed(op, value, op.ty));
        }
        let on = |body: &Self, name: &str, arguments: &[Value]| {
            body.call(&format!("llvm.{name}.{suffix}"), float, arguments)
        };
        // Both order the zeros: -0 is less than +0.
        let (least, most) = if op.has(AluFlag::Nan) { ("minimum", "maximum") } else { ("minimumnum", "maximumnum") };
        let scalar = op.ty.packed().0 == 1;
        let reciprocal = |body: &Self, value: Value| body.ir.binary(LLVMFDiv, body.ir.real(float, 1.0), value);
        let value = match (op.op, &values[..]) {
            (Add, &[a, b]) => ir.binary(LLVMFAdd, a, b),
            (Sub, &[a, b]) => ir.binary(LLVMFSub, a, b),
            (Mul, &[a, b]) => ir.binary(LLVMFMul, a, b),
            (Div, &[a, b]) => ir.binary(LLVMFDiv, a, b),
            (Fma | Mad, &[_, _, _]) => on(self, "fma", &values),
            (Abs, &[a]) => on(self, "fabs", &[a]),
            (Neg, &[a]) => ir.negate_float(a),
            (Min, &[a, ref rest @ ..]) => rest.iter().fold(a, |x, &y| on(self, least, &[x, y])),
            (Max, &[a, ref rest @ ..]) => rest.iter().fold(a, |x, &y| on(self, most, &[x, y])),
            (Rcp, &[a]) if scalar => reciprocal(self, a),
            (Sqrt, &[a]) => on(self, "sqrt", &[a]),
            (Rsqrt, &[a]) if scalar => {
                let root = on(self, "sqrt", &[a]);
                reciprocal(self, root)
            }
            (Sin, &[a]) => on(self, "sin", &[a]),
            (Cos, &[a]) => on(self, "cos", &[a]),
            (Lg2, &[a]) => on(self, "log2", &[a]),
            (Ex2, &[a]) => on(self, "exp2", &[a]),
            (Tanh, &[a]) => on(self, "tanh", &[a]),
            // PTX: the sign comes from the first operand.
            (Copysign, &[a, b]) => on(self, "copysign", &[b, a]),
            _ => return Err("the simulator has no such instruction".to_owned()),
        };
        let value = self.limited(op, self.flushed(op, value, op.ty));
        // Only these leave the bits of a NaN alone.
        let value = if matches!(op.op, Abs | Neg | Copysign) { value } else { self.canonical(value, op.ty) };
        self.write_float(&operands[0], value, op.ty)
    }

    /// Whether a comparison holds.
    fn holds(
        &mut self,
        op: &Alu,
        compare: Compare,
        a: &Operand,
        b: &Operand,
        ty: ScalarType,
    ) -> Result<Value, Refusal> {
        use Compare::*;
        if ty.is_float() {
            use LLVMRealPredicate::*;
            if ty.packed().0 > 1 {
                return Err("comparing packed values is not supported".to_owned());
            }
            let (a, b) = (self.read_float(a, ty)?, self.read_float(b, ty)?);
            let (a, b) = (self.flushed(op, a, ty), self.flushed(op, b, ty));
            let predicate = match compare {
                Eq => LLVMRealOEQ,
                Ne => LLVMRealONE,
                Lt => LLVMRealOLT,
                Le => LLVMRealOLE,
                Gt => LLVMRealOGT,
                Ge => LLVMRealOGE,
                Equ => LLVMRealUEQ,
                Neu => LLVMRealUNE,
                Ltu => LLVMRealULT,
                Leu => LLVMRealULE,
                Gtu => LLVMRealUGT,
                Geu => LLVMRealUGE,
                Num => LLVMRealORD,
                Nan => LLVMRealUNO,
                Lo | Ls | Hi | Hs => return Err("this comparison is for integers".to_owned()),
            };
            return Ok(self.ir.compare_floats(predicate, a, b));
        }
        use LLVMIntPredicate::*;
        let signed = ty.is_signed();
        let (a, b) = (self.read(a, ty)?, self.read(b, ty)?);
        let predicate = match compare {
            Eq => LLVMIntEQ,
            Ne => LLVMIntNE,
            Lt if signed => LLVMIntSLT,
            Le if signed => LLVMIntSLE,
            Gt if signed => LLVMIntSGT,
            Ge if signed => LLVMIntSGE,
            Lt | Lo => LLVMIntULT,
            Le | Ls => LLVMIntULE,
            Gt | Hi => LLVMIntUGT,
            Ge | Hs => LLVMIntUGE,
            _ => return Err("this comparison is for floating point".to_owned()),
        };
        Ok(self.ir.compare(predicate, a, b))
    }

    fn combined(&mut self, op: &Alu, holds: Value, with: Option<&Operand>) -> Result<Value, Refusal> {
        let (Some(combine), Some(operand)) = (op.combine, with) else { return Ok(holds) };
        let other = self.read(operand, ScalarType::Pred)?;
        let opcode = match combine {
            Combine::And => LLVMOpcode::LLVMAnd,
            Combine::Or => LLVMOpcode::LLVMOr,
            Combine::Xor => LLVMOpcode::LLVMXor,
        };
        Ok(self.ir.binary(opcode, holds, other))
    }

    /// `setp` and `set`.
    fn compare(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        let compare = op.compare.ok_or("the comparison is missing")?;
        let ty = if op.op == AluOp::Set { op.source_ty.unwrap_or(op.ty) } else { op.ty };
        let holds = self.holds(op, compare, &operands[1], &operands[2], ty)?;
        let value = self.combined(op, holds, operands.get(3))?;
        if op.op == AluOp::Setp {
            let not = self.ir.binary(LLVMOpcode::LLVMXor, holds, self.int(1, 1));
            let other = self.combined(op, not, operands.get(3))?;
            return self.write_pair(&operands[0], value, ScalarType::Pred, other);
        }
        if op.ty == ScalarType::F32 {
            let (one, zero) = (self.int(32, 1f32.to_bits().into()), self.int(32, 0));
            let value = self.ir.select(value, one, zero);
            return self.write(&operands[0], value, op.ty);
        }
        let value = self.resize(value, op.ty.bits(), true);
        self.write(&operands[0], value, op.ty)
    }

    fn lop3(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        use LLVMOpcode::*;
        let ir = self.ir;
        let ones = self.all_ones(32);
        let mut inputs = Vec::new();
        for operand in &operands[1..4] {
            let value = self.read(operand, ScalarType::B32)?;
            inputs.push((ir.binary(LLVMXor, value, ones), value));
        }
        let table = self.constant(&operands[4])?;
        let mut value = self.int(32, 0);
        for row in 0..8u32 {
            if table >> row & 1 == 0 {
                continue;
            }
            // The first operand is the highest bit of the row's number.
            let pick = |input: usize, bit: u32| if row >> bit & 1 != 0 { inputs[input].1 } else { inputs[input].0 };
            let term = ir.binary(LLVMAnd, ir.binary(LLVMAnd, pick(0, 2), pick(1, 1)), pick(2, 0));
            value = ir.binary(LLVMOr, value, term);
        }
        if op.combine.is_some() {
            let set = ir.compare(LLVMIntPredicate::LLVMIntNE, value, self.int(32, 0));
            let predicate = self.combined(op, set, operands.get(5))?;
            return self.write_pair(&operands[0], value, ScalarType::B32, predicate);
        }
        self.write(&operands[0], value, ScalarType::B32)
    }

    fn slct(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        let (a, b) = (self.read(&operands[1], op.ty)?, self.read(&operands[2], op.ty)?);
        let ty = op.source_ty.unwrap_or(ScalarType::S32);
        let condition = if ty == ScalarType::F32 {
            let c = self.read_float(&operands[3], ty)?;
            let c = self.flushed(op, c, ty);
            let zero = self.ir.real(c.ty(), 0.0);
            self.ir.compare_floats(LLVMRealPredicate::LLVMRealOGE, c, zero)
        } else {
            let c = self.read(&operands[3], ty)?;
            self.ir.compare(LLVMIntPredicate::LLVMIntSGE, c, self.int(ty.bits(), 0))
        };
        let value = self.ir.select(condition, a, b);
        self.write(&operands[0], value, op.ty)
    }

    fn testp(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        // LLVM's classes: 0x3 NaN, 0x204 infinite, 0x108 normal, 0x90 subnormal, 0x60 zero.
        let class = match op.flags.first() {
            Some(AluFlag::Finite) => 0x1f8,
            Some(AluFlag::Infinite) => 0x204,
            Some(AluFlag::Number) => 0x3fc,
            Some(AluFlag::NotANumber) => 0x003,
            Some(AluFlag::Normal) => 0x108,
            _ => 0x090,
        };
        let value = self.read_float(&operands[1], op.ty)?;
        let suffix = if op.ty == ScalarType::F64 { "f64" } else { "f32" };
        let name = format!("llvm.is.fpclass.{suffix}");
        let value = self.call(&name, self.ir.int(1), &[value, self.int(32, class)]);
        self.write(&operands[0], value, ScalarType::Pred)
    }
}

impl Value {
    /// A constant with another width.
    fn ty_to(self, body: &Body<'_>, bits: u32) -> Value {
        body.resize(self, bits, false)
    }
}

fn greater(signed: bool) -> LLVMIntPredicate {
    if signed { LLVMIntPredicate::LLVMIntSGT } else { LLVMIntPredicate::LLVMIntUGT }
}

/// The type of each of so many parts of a word.
fn part_type(bits: u32, parts: usize) -> Result<ScalarType, Refusal> {
    match bits / parts.max(1) as u32 {
        8 => Ok(ScalarType::B8),
        16 => Ok(ScalarType::B16),
        32 => Ok(ScalarType::B32),
        64 => Ok(ScalarType::B64),
        _ => Err("a word cannot be taken apart like this".to_owned()),
    }
}
