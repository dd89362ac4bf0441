//! Inline PTX that computes with a rounding mode other than to the nearest, and limits of results.

use ptx::op::{Alu, AluFlag, AluOp, Rounding};
use ptx::{Operand, ScalarType};

use super::super::ir::Value;
use super::Refusal;
use super::body::Body;

/// The mode's name in PTX and in the library, where it is a directed one.
pub(super) fn direction(rounding: Option<Rounding>) -> Option<&'static str> {
    match rounding {
        Some(Rounding::Rz) => Some("rz"),
        Some(Rounding::Rm) => Some("rm"),
        Some(Rounding::Rp) => Some("rp"),
        _ => None,
    }
}

impl Body<'_> {
    /// An operation whose exact result is rounded in a direction.
    pub(super) fn directed(&mut self, op: &Alu, operands: &[Operand]) -> Result<(), Refusal> {
        let mode = direction(op.rounding).ok_or("this rounding is not supported")?;
        let (ty, suffix) = match op.ty {
            ScalarType::F32 | ScalarType::F64 => self.float_type(op.ty).ok_or("this type is not supported")?,
            other => return Err(format!("rounding in a direction is not supported for .{other}")),
        };
        let mut values = Vec::new();
        for operand in &operands[1..] {
            let value = self.read_float(operand, op.ty)?;
            values.push(self.flushed(op, value, op.ty));
        }
        let name = match (op.op, values.len()) {
            (AluOp::Add, 2) => "add",
            (AluOp::Sub, 2) => "sub",
            (AluOp::Mul, 2) => "mul",
            (AluOp::Div, 2) => "div",
            (AluOp::Fma | AluOp::Mad, 3) => "fma",
            (AluOp::Sqrt, 1) => "sqrt",
            (AluOp::Rcp, 1) => {
                values.insert(0, self.ir.real(ty, 1.0));
                "div"
            }
            _ => return Err("the simulator has no such instruction".to_owned()),
        };
        let value = self.call(&format!("sim.lib.{name}.{mode}.{suffix}"), ty, &values);
        let value = self.limited(op, self.flushed(op, value, op.ty));
        let value = self.canonical(value, op.ty);
        self.write_float(&operands[0], value, op.ty)
    }

    /// The result of `.sat`, which makes a NaN zero, or `.relu`, which keeps it.
    pub(super) fn limited(&self, op: &Alu, value: Value) -> Value {
        let Some((ty, suffix)) = self.float_type(op.ty) else { return value };
        let on = |name: &str, value: Value, bound: f64| {
            self.call(&format!("llvm.{name}.{suffix}"), ty, &[value, self.ir.real(ty, bound)])
        };
        if op.has(AluFlag::Sat) {
            on("minimumnum", on("maximumnum", value, 0.0), 1.0)
        } else if op.has(AluFlag::Relu) {
            on("maximum", value, 0.0)
        } else {
            value
        }
    }
}
