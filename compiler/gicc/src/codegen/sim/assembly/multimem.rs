//! Multimem instructions: one ordinary access of each PE's location, in the order of the PEs.
//!
//! `multimem.ld_reduce` starts from the operation's neutral value and folds the PEs' values in that order; with
//! `.acc::f32` it does so in single precision and rounds once, else in the elements' own precision. Not translated: 8-bit
//! floating point in reductions.

use gicc_abi::sim::{Entry, Meta};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use ptx::op::{AtomicOp, Multimem, MultimemKind, Order};
use ptx::{Operand, ScalarType, Scope, Semantics, StateSpace};

use super::super::ir::{Ty, Value};
use super::Refusal;
use super::body::Body;
use super::memory::{describe, operation};

/// How the lanes of a load are folded.
struct Fold {
    op: AtomicOp,
    /// The type of an element as it is loaded, and in which it is folded.
    loaded: ScalarType,
    folded: ScalarType,
}

impl Body<'_> {
    pub(super) fn multimem(&mut self, op: &Multimem, operands: &[Operand]) -> Result<(), Refusal> {
        let default = if op.kind == MultimemKind::Red { Semantics::Relaxed } else { Semantics::Weak };
        let semantics = op.semantics.unwrap_or(default);
        let how = match semantics {
            Semantics::Weak => Order::Weak,
            strong => Order::Strong(strong, op.scope.unwrap_or(Scope::Sys)),
        };
        let meta = describe(StateSpace::Global, op.ty, op.vector, how)?;
        match op.kind {
            MultimemKind::St => {
                let address = self.address(&operands[0], StateSpace::Global)?;
                self.each_replica(address, meta, |body, place| body.store_lanes(place, &operands[1], op.ty, meta))
            }
            MultimemKind::Red => {
                let wanted = op.op.ok_or("the operation is missing")?;
                let operation =
                    operation(wanted, op.ty).ok_or_else(|| format!("there is no .{wanted} of .{}", op.ty))?;
                let one = describe(StateSpace::Global, op.ty, None, how)?.reduction();
                let address = self.address(&operands[0], StateSpace::Global)?;
                let code = self.int(64, operation.code());
                self.each_replica(address, meta, |body, place| {
                    for (lane, value) in (0..).zip(Self::lanes(&operands[1])) {
                        let value = body.read(value, op.ty)?;
                        let value = body.resize(value, 64, false);
                        let place = body.at(place, lane * u64::from(op.ty.bytes()));
                        body.entry(Entry::Atomic, &[place, value, value, code], one);
                    }
                    Ok(())
                })
            }
            MultimemKind::LdReduce => self.load_and_reduce(op, operands, meta),
        }
    }

    fn load_and_reduce(&mut self, op: &Multimem, operands: &[Operand], meta: Meta) -> Result<(), Refusal> {
        let wanted = op.op.ok_or("the operation is missing")?;
        let folded = match (op.accumulator, op.ty) {
            (None, ty) => ty,
            (Some(ScalarType::F32), ScalarType::F16 | ScalarType::Bf16) => ScalarType::F32,
            (Some(ScalarType::F32), ScalarType::F16x2 | ScalarType::Bf16x2) => ScalarType::F32x2,
            (Some(_), ty) => return Err(format!("sums of .{ty} are not accumulated like this")),
        };
        let fold = Fold { op: wanted, loaded: op.ty, folded };
        let neutral = self.neutral(&fold)?;
        let address = self.address(&operands[1], StateSpace::Global)?;
        let (lanes, bytes) = (Self::lanes(&operands[0]), u64::from(op.ty.bytes()));
        let size = u64::from(folded.bytes());
        let sums = self.buffer(size * lanes.len() as u64);
        for lane in 0..lanes.len() as u64 {
            self.ir.store(neutral, self.at(sums, lane * size), 1);
        }
        let buffer = self.buffer(meta.bytes());
        let ty = neutral.ty();
        self.each_replica(address, meta, |body, place| {
            if meta.bytes() <= 8 {
                let word = body.entry(Entry::Load, &[place], meta);
                let value = body.resize(word, 8 * meta.bytes() as u32, false);
                body.ir.store(value, buffer, 1);
            } else {
                body.entry(Entry::LoadTo, &[buffer, place], meta);
            }
            for lane in 0..lanes.len() as u64 {
                let value = body.ir.load(body.ir.int(op.ty.bits()), body.at(buffer, lane * bytes), 1);
                let here = body.at(sums, lane * size);
                let sum = body.ir.load(ty, here, 1);
                let sum = body.fold(&fold, sum, value)?;
                body.ir.store(sum, here, 1);
            }
            Ok(())
        })?;
        for (lane, operand) in (0..).zip(lanes) {
            let mut sum = self.ir.load(ty, self.at(sums, lane * size), 1);
            if !op.ty.is_float() {
                self.write(operand, sum, op.ty)?;
                continue;
            }
            if folded != op.ty {
                let (narrow, _) = self.float_type(op.ty).ok_or("this type is not supported")?;
                sum = self.ir.cast(LLVMOpcode::LLVMFPTrunc, sum, narrow);
            }
            self.write_float(operand, sum, op.ty)?;
        }
        Ok(())
    }

    /// The value that changes nothing.
    fn neutral(&self, fold: &Fold) -> Result<Value, Refusal> {
        use AtomicOp::{Add, And, Max, Min, Or, Xor};
        use ScalarType::*;
        let refused = || format!("there is no .{} of .{}", fold.op, fold.loaded);
        if fold.loaded.is_float() {
            let (ty, _): (Ty, _) = self.float_type(fold.folded).ok_or_else(refused)?;
            return match (fold.op, fold.loaded) {
                (Add, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64) => Ok(self.ir.real(ty, -0.0)),
                // A number wins over what is none.
                (Min | Max, F16 | F16x2 | Bf16 | Bf16x2) => Ok(self.ir.real(ty, f64::NAN)),
                _ => Err(refused()),
            };
        }
        let bits = fold.loaded.bits();
        let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let value = match (fold.op, fold.loaded) {
            (Add, U32 | S32 | U64 | S64) | (Or | Xor, B32 | B64) | (Max, U32 | U64) => 0,
            (And, B32 | B64) | (Min, U32 | U64) => ones,
            (Min, S32 | S64) => ones >> 1,
            (Max, S32 | S64) => (ones >> 1) + 1,
            _ => return Err(refused()),
        };
        Ok(self.int(bits, value))
    }

    /// A value, as bits, folded in.
    fn fold(&self, fold: &Fold, sum: Value, value: Value) -> Result<Value, Refusal> {
        use LLVMIntPredicate::*;
        use LLVMOpcode::*;
        let ir = self.ir;
        if fold.loaded.is_float() {
            let (ty, _) = self.float_type(fold.loaded).ok_or("this type is not supported")?;
            let (wide, suffix) = self.float_type(fold.folded).ok_or("this type is not supported")?;
            let mut value = ir.cast(LLVMBitCast, value, ty);
            if fold.folded != fold.loaded {
                value = ir.cast(LLVMFPExt, value, wide);
            }
            return Ok(match fold.op {
                AtomicOp::Min => self.call(&format!("llvm.minnum.{suffix}"), wide, &[sum, value]),
                AtomicOp::Max => self.call(&format!("llvm.maxnum.{suffix}"), wide, &[sum, value]),
                _ => ir.binary(LLVMFAdd, sum, value),
            });
        }
        let pick = |predicate| ir.select(ir.compare(predicate, value, sum), value, sum);
        Ok(match (fold.op, fold.loaded.is_signed()) {
            (AtomicOp::And, _) => ir.binary(LLVMAnd, sum, value),
            (AtomicOp::Or, _) => ir.binary(LLVMOr, sum, value),
            (AtomicOp::Xor, _) => ir.binary(LLVMXor, sum, value),
            (AtomicOp::Min, true) => pick(LLVMIntSLT),
            (AtomicOp::Min, false) => pick(LLVMIntULT),
            (AtomicOp::Max, true) => pick(LLVMIntSGT),
            (AtomicOp::Max, false) => pick(LLVMIntUGT),
            _ => ir.binary(LLVMAdd, sum, value),
        })
    }

    /// Does something at the location of each PE behind a multicast address.
    fn each_replica(
        &mut self,
        address: Value,
        meta: Meta,
        mut access: impl FnMut(&mut Self, Value) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (ir, function) = (self.ir, self.function);
        let number = ir.entry_alloca(function, 8, 8);
        let [head, inside, done] = ["replica", "access", "replicas"].map(|name| ir.append_block(function, name));
        ir.store(self.int(64, 0), number, 8);
        ir.branch(head);
        ir.at_end(head);
        let pe = ir.load(ir.int(64), number, 8);
        let place = self.entry(Entry::Multicast, &[address, pe], meta);
        let bits = ir.cast(LLVMOpcode::LLVMPtrToInt, place, ir.int(64));
        let over = ir.compare(LLVMIntPredicate::LLVMIntEQ, bits, self.int(64, 0));
        ir.branch_if(over, done, inside);
        ir.at_end(inside);
        access(self, place)?;
        let next = ir.binary(LLVMOpcode::LLVMAdd, pe, self.int(64, 1));
        ir.store(next, number, 8);
        ir.branch(head);
        ir.at_end(done);
        Ok(())
    }
}
