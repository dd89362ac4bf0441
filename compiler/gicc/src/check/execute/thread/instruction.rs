//! One instruction: those with an effect, and where control goes.

use std::rc::Rc;

use inkwell::llvm_sys::LLVMAtomicRMWBinOp as Rmw;

use super::super::assembly;
use super::super::decode::{Instruction, Op};
use super::super::event::{EventKind, Function as Change};
use super::super::value::{Binary, Compare, Scalar, Value};
use super::{End, Run, Step};

impl<'a> Run<'a> {
    pub(super) fn instruction(
        &mut self,
        instruction: &Instruction,
        block: usize,
        values: &mut [Option<Value>],
    ) -> Result<Step, End> {
        let value = match &instruction.op {
            Op::Jump(to) => return Ok(Step::Jump(*to)),
            Op::Branch(condition, yes, no) => {
                let condition = self.scalar(condition, values);
                let back = if *yes <= block { Some(true) } else { (*no <= block).then_some(false) };
                let taken = self.branch(&condition, instruction, back)?;
                return Ok(Step::Jump(if taken { *yes } else { *no }));
            }
            Op::Switch(on, default, cases) => {
                let on = self.scalar(on, values);
                for (case, to) in cases {
                    let equal = self.compare(Compare::Eq, &on, &Scalar::known(*case), 64);
                    if self.branch(&equal, instruction, None)? {
                        return Ok(Step::Jump(*to));
                    }
                }
                return Ok(Step::Jump(*default));
            }
            Op::Return(value) => return Ok(Step::Return(value.as_ref().map(|value| self.arg(value, values)))),
            Op::Unreachable => return Err(End::Failure),
            Op::Frame { bytes } => {
                let at = self.next_frame;
                self.next_frame += bytes.max(&1).next_multiple_of(256);
                Some(Value::known(at.into()))
            }
            Op::Load { address, shape, semantics, scope, volatile, space } => {
                let address = self.scalar(address, values);
                let constant = *space == 4 || *space == 101;
                Some(self.load(instruction, &address, *shape, *semantics, *scope, *space, constant, *volatile)?)
            }
            Op::Store { address, value, shape, semantics, scope, volatile, space } => {
                let address = self.scalar(address, values);
                let value = self.arg(value, values);
                self.store(instruction, &address, value, *shape, *semantics, *scope, *space, *volatile)?;
                None
            }
            Op::Atomic { address, value, kind, shape, semantics, scope } => {
                let address = self.scalar(address, values);
                let mut value = self.scalar(value, values);
                let change = match kind {
                    Some(Rmw::LLVMAtomicRMWBinOpAdd) => Some(Change::Add),
                    Some(Rmw::LLVMAtomicRMWBinOpSub) => {
                        value = self.binary(Binary::Sub, &Scalar::known(0), &value, shape.width * 8);
                        Some(Change::Add)
                    }
                    Some(Rmw::LLVMAtomicRMWBinOpXchg) => Some(Change::Exchange),
                    Some(Rmw::LLVMAtomicRMWBinOpAnd) => Some(Change::And),
                    Some(Rmw::LLVMAtomicRMWBinOpOr) => Some(Change::Or),
                    Some(Rmw::LLVMAtomicRMWBinOpXor) => Some(Change::Xor),
                    Some(Rmw::LLVMAtomicRMWBinOpUMin) => Some(Change::Min),
                    Some(Rmw::LLVMAtomicRMWBinOpUMax) => Some(Change::Max),
                    Some(Rmw::LLVMAtomicRMWBinOpUIncWrap) => Some(Change::Increment),
                    Some(Rmw::LLVMAtomicRMWBinOpUDecWrap) => Some(Change::Decrement),
                    _ => None,
                };
                Some(self.atomic(
                    instruction,
                    "atomicrmw",
                    &address,
                    vec![value],
                    change,
                    *shape,
                    *semantics,
                    *scope,
                )?)
            }
            Op::Swap { address, expected, desired, shape, semantics, scope } => {
                let address = self.scalar(address, values);
                let pair = vec![self.scalar(expected, values), self.scalar(desired, values)];
                let expected = pair[0].clone();
                let old = self.atomic(
                    instruction,
                    "cmpxchg",
                    &address,
                    pair,
                    Some(Change::Swap),
                    *shape,
                    *semantics,
                    *scope,
                )?;
                let success = self.compare(Compare::Eq, &old.scalar(), &expected, shape.width * 8);
                Some(Value::Many(Rc::new(vec![old, Value::One(success)])))
            }
            Op::Fence(semantics, scope) => {
                self.event(instruction, 0, &format!("fence.{semantics}.{scope}"), EventKind::Fence(*semantics, *scope));
                None
            }
            Op::Call { name, arguments } => {
                let arguments: Vec<Value> = arguments.iter().map(|arg| self.arg(arg, values)).collect();
                self.call(instruction, name, arguments)?
            }
            Op::Assembly { text, arguments } => {
                let arguments: Vec<Value> = arguments.iter().map(|arg| self.arg(arg, values)).collect();
                match text {
                    Ok(asm) => Some(assembly::run(self, instruction, asm, &arguments)?),
                    Err(_) => {
                        self.gap(instruction, "inline assembly that cannot be read");
                        let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                        Some(Value::One(self.unknown(&scalars)))
                    }
                }
            }
            op => Some(match self.pure(op, values) {
                Some(value) => value,
                None => Value::One(self.unknown(&[])),
            }),
        };
        if let Some(slot) = instruction.result.and_then(|r| values.get_mut(r)) {
            *slot = value;
        }
        Ok(Step::Next)
    }
}
