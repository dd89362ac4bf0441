//! What an instruction, or a constant expression, does.

use std::collections::HashMap;
use std::rc::Rc;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};
use memory_model::Semantics;
use ptx::InlineAsm;

use super::super::value::{Binary, Compare};
use super::place::copied;
use super::strength::semantics_of;
use super::{Arg, Decoder, Op};

// SAFETY of every call below: values, types and blocks come from the module that `decode` borrows, and each call is made on
// what its opcode or kind was checked to be.
impl Decoder {
    pub(super) fn instruction(
        &mut self,
        value: LLVMValueRef,
        numbers: &HashMap<LLVMValueRef, usize>,
        blocks: &HashMap<LLVMBasicBlockRef, usize>,
    ) -> Op {
        self.operation(value, unsafe { LLVMGetInstructionOpcode(value) }, numbers, blocks)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each opcode")]
    pub(super) fn operation(
        &mut self,
        value: LLVMValueRef,
        opcode: LLVMOpcode,
        numbers: &HashMap<LLVMValueRef, usize>,
        blocks: &HashMap<LLVMBasicBlockRef, usize>,
    ) -> Op {
        use LLVMOpcode::*;
        let ty = unsafe { LLVMTypeOf(value) };
        let operand = |index: u32| unsafe { LLVMGetOperand(value, index) };
        let block = |b: LLVMBasicBlockRef| blocks.get(&b).copied().unwrap_or(0);
        let binary = |kind, this: &mut Self| {
            Op::Binary(kind, this.arg(operand(0), numbers), this.arg(operand(1), numbers), this.scalar_bits(ty))
        };
        match opcode {
            LLVMAdd => binary(Binary::Add, self),
            LLVMSub => binary(Binary::Sub, self),
            LLVMMul => binary(Binary::Mul, self),
            LLVMUDiv => binary(Binary::UDiv, self),
            LLVMSDiv => binary(Binary::SDiv, self),
            LLVMURem => binary(Binary::URem, self),
            LLVMSRem => binary(Binary::SRem, self),
            LLVMShl => binary(Binary::Shl, self),
            LLVMLShr => binary(Binary::LShr, self),
            LLVMAShr => binary(Binary::AShr, self),
            LLVMAnd => binary(Binary::And, self),
            LLVMOr => binary(Binary::Or, self),
            LLVMXor => binary(Binary::Xor, self),
            LLVMICmp => {
                let predicate = match unsafe { LLVMGetICmpPredicate(value) } {
                    LLVMIntPredicate::LLVMIntEQ => Compare::Eq,
                    LLVMIntPredicate::LLVMIntNE => Compare::Ne,
                    LLVMIntPredicate::LLVMIntUGT => Compare::UGt,
                    LLVMIntPredicate::LLVMIntUGE => Compare::UGe,
                    LLVMIntPredicate::LLVMIntULT => Compare::ULt,
                    LLVMIntPredicate::LLVMIntULE => Compare::ULe,
                    LLVMIntPredicate::LLVMIntSGT => Compare::SGt,
                    LLVMIntPredicate::LLVMIntSGE => Compare::SGe,
                    LLVMIntPredicate::LLVMIntSLT => Compare::SLt,
                    LLVMIntPredicate::LLVMIntSLE => Compare::SLe,
                };
                let bits = self.scalar_bits(unsafe { LLVMTypeOf(operand(0)) });
                Op::Compare(predicate, self.arg(operand(0), numbers), self.arg(operand(1), numbers), bits)
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast => {
                let from = self.scalar_bits(unsafe { LLVMTypeOf(operand(0)) });
                let to = self.scalar_bits(ty);
                let scalar = |ty| unsafe { LLVMGetTypeKind(ty) } != LLVMTypeKind::LLVMVectorTypeKind;
                if opcode == LLVMBitCast && !(scalar(ty) && scalar(unsafe { LLVMTypeOf(operand(0)) })) {
                    return Op::Opaque(vec![self.arg(operand(0), numbers)]);
                }
                Op::Convert { value: self.arg(operand(0), numbers), from, to, signed: opcode == LLVMSExt }
            }
            LLVMAddrSpaceCast => {
                let space = |v| unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(v)) };
                Op::Space(self.arg(operand(0), numbers), space(operand(0)), space(value))
            }
            LLVMFreeze => Op::Copy(self.arg(operand(0), numbers)),
            LLVMSelect => {
                Op::Select(self.arg(operand(0), numbers), self.arg(operand(1), numbers), self.arg(operand(2), numbers))
            }
            LLVMPHI => {
                let count = unsafe { LLVMCountIncoming(value) };
                let incoming = (0..count).map(|i| unsafe {
                    (block(LLVMGetIncomingBlock(value, i)), self.arg(LLVMGetIncomingValue(value, i), numbers))
                });
                Op::Phi(incoming.collect())
            }
            LLVMBr | LLVMSwitch if blocks.is_empty() => Op::Unreachable,
            LLVMBr => unsafe {
                let to = |i| block(LLVMGetSuccessor(value, i));
                if LLVMIsConditional(value) != 0 {
                    Op::Branch(self.arg(LLVMGetCondition(value), numbers), to(0), to(1))
                } else {
                    Op::Jump(to(0))
                }
            },
            LLVMSwitch => unsafe {
                let on = self.arg(LLVMGetOperand(value, 0), numbers);
                let default = block(LLVMGetSwitchDefaultDest(value));
                let cases = (1..LLVMGetNumSuccessors(value)).filter_map(|i| {
                    let case = LLVMGetSwitchCaseValue(value, i);
                    let known = !case.is_null() && !LLVMIsAConstantInt(case).is_null();
                    known.then(|| (LLVMConstIntGetZExtValue(case).into(), block(LLVMGetSuccessor(value, i))))
                });
                Op::Switch(on, default, cases.collect())
            },
            LLVMRet => {
                let has = unsafe { LLVMGetNumOperands(value) } > 0;
                Op::Return(has.then(|| self.arg(operand(0), numbers)))
            }
            LLVMUnreachable => Op::Unreachable,
            LLVMLoad => {
                let (semantics, scope, volatile) = self.strength(value);
                Op::Load {
                    address: self.arg(operand(0), numbers),
                    shape: self.shape(ty),
                    semantics,
                    scope,
                    volatile,
                    space: unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(operand(0))) },
                }
            }
            LLVMStore => {
                let (semantics, scope, volatile) = self.strength(value);
                Op::Store {
                    address: self.arg(operand(1), numbers),
                    value: self.arg(operand(0), numbers),
                    shape: self.shape(unsafe { LLVMTypeOf(operand(0)) }),
                    semantics,
                    scope,
                    volatile,
                    space: unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(operand(1))) },
                }
            }
            LLVMAtomicRMW => {
                let (semantics, scope) = self.rmw_strength(value);
                Op::Atomic {
                    address: self.arg(operand(0), numbers),
                    value: self.arg(operand(1), numbers),
                    kind: Some(unsafe { LLVMGetAtomicRMWBinOp(value) }),
                    shape: self.shape(unsafe { LLVMTypeOf(operand(1)) }),
                    semantics,
                    scope,
                }
            }
            LLVMAtomicCmpXchg => {
                let semantics = semantics_of(unsafe { LLVMGetCmpXchgSuccessOrdering(value) });
                Op::Swap {
                    address: self.arg(operand(0), numbers),
                    expected: self.arg(operand(1), numbers),
                    desired: self.arg(operand(2), numbers),
                    shape: self.shape(unsafe { LLVMTypeOf(operand(1)) }),
                    semantics: match semantics {
                        Semantics::SequentiallyConsistent => Semantics::AcquireRelease,
                        other => other,
                    },
                    scope: self.scope(value),
                }
            }
            LLVMFence => Op::Fence(semantics_of(unsafe { LLVMGetOrdering(value) }), self.scope(value)),
            LLVMGetElementPtr => self.element(value, numbers),
            LLVMAlloca => {
                let ty = unsafe { LLVMGetAllocatedType(value) };
                let bytes = unsafe { if LLVMTypeIsSized(ty) != 0 { LLVMABISizeOfType(self.data, ty) } else { 16 } };
                Op::Frame { bytes }
            }
            LLVMExtractValue => {
                let count = unsafe { LLVMGetNumIndices(value) };
                let indices = unsafe { LLVMGetIndices(value) };
                let path = (0..count).map(|i| Arg::Int(unsafe { *indices.add(i as usize) }.into())).collect();
                Op::Extract(self.arg(operand(0), numbers), path)
            }
            LLVMInsertValue => {
                let count = unsafe { LLVMGetNumIndices(value) };
                let indices = unsafe { LLVMGetIndices(value) };
                let path = (0..count).map(|i| Arg::Int(unsafe { *indices.add(i as usize) }.into())).collect();
                Op::Insert(self.arg(operand(0), numbers), self.arg(operand(1), numbers), path)
            }
            LLVMExtractElement => Op::Extract(self.arg(operand(0), numbers), vec![self.arg(operand(1), numbers)]),
            LLVMInsertElement => Op::Insert(
                self.arg(operand(0), numbers),
                self.arg(operand(1), numbers),
                vec![self.arg(operand(2), numbers)],
            ),
            LLVMShuffleVector => {
                let lanes = unsafe { LLVMGetNumMaskElements(value) };
                let mask = (0..lanes).map(|i| usize::try_from(unsafe { LLVMGetMaskValue(value, i) }).ok()).collect();
                Op::Shuffle(self.arg(operand(0), numbers), self.arg(operand(1), numbers), mask)
            }
            LLVMCall | LLVMInvoke | LLVMCallBr => self.call(value, numbers),
            _ => {
                let count = unsafe { LLVMGetNumOperands(value) }.max(0) as u32;
                Op::Opaque((0..count).map(|i| self.arg(operand(i), numbers)).collect())
            }
        }
    }

    fn call(&mut self, value: LLVMValueRef, numbers: &HashMap<LLVMValueRef, usize>) -> Op {
        unsafe {
            let count = LLVMGetNumArgOperands(value);
            let arguments = (0..count).map(|i| self.arg(LLVMGetOperand(value, i), numbers)).collect();
            let callee = LLVMGetCalledValue(value);
            if !LLVMIsAInlineAsm(callee).is_null() {
                let mut length = 0;
                let text = copied(LLVMGetInlineAsmAsmString(callee, &raw mut length), length);
                let mut length = 0;
                let constraints = copied(LLVMGetInlineAsmConstraintString(callee, &raw mut length), length);
                let parsed = self.assembly.entry((text.clone(), constraints.clone())).or_insert_with(|| {
                    InlineAsm::parse(&text, &constraints).map(Rc::new).map_err(|error| error.to_string())
                });
                return Op::Assembly { text: parsed.clone(), arguments };
            }
            if LLVMIsAFunction(callee).is_null() {
                return Op::Call { name: String::new(), arguments };
            }
            let mut length = 0;
            let name = LLVMGetValueName2(callee, &raw mut length);
            Op::Call { name: copied(name, length), arguments }
        }
    }

    fn element(&mut self, value: LLVMValueRef, numbers: &HashMap<LLVMValueRef, usize>) -> Op {
        unsafe {
            if LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMTypeKind::LLVMPointerTypeKind {
                return Op::Opaque(vec![self.arg(LLVMGetOperand(value, 0), numbers)]);
            }
            let base = self.arg(LLVMGetOperand(value, 0), numbers);
            let (mut offset, mut terms) = (0i64, Vec::new());
            let mut ty = LLVMGetGEPSourceElementType(value);
            for index in 1..LLVMGetNumOperands(value).max(1) as u32 {
                let at = LLVMGetOperand(value, index);
                let constant = (!LLVMIsAConstantInt(at).is_null()).then(|| LLVMConstIntGetSExtValue(at));
                if index > 1 {
                    if LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMStructTypeKind {
                        let field = constant.unwrap_or(0).max(0) as u32;
                        if field >= LLVMCountStructElementTypes(ty) {
                            return Op::Opaque(vec![base]);
                        }
                        offset = offset.wrapping_add(LLVMOffsetOfElement(self.data, ty, field) as i64);
                        ty = LLVMStructGetTypeAtIndex(ty, field);
                        continue;
                    }
                    ty = LLVMGetElementType(ty);
                }
                let size = if LLVMTypeIsSized(ty) != 0 { LLVMABISizeOfType(self.data, ty) as i64 } else { 1 };
                match constant {
                    Some(constant) => offset = offset.wrapping_add(constant.wrapping_mul(size)),
                    None => {
                        let bits = self.scalar_bits(LLVMTypeOf(at));
                        terms.push((self.arg(at, numbers), bits, size));
                    }
                }
            }
            Op::Element { base, offset, terms }
        }
    }
}
