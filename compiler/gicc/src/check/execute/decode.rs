//! Functions of level L as flat tables, read once: what [`super::thread`] executes many times with other numbers.
//!
//! Everything is copied out of LLVM, so that nothing here borrows the module. What is not known keeps its name and gives an
//! unknown result; no instruction is an error.

use std::collections::HashMap;
use std::ffi::c_char;
use std::rc::Rc;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;
use memory_model::{Scope, Semantics};
use ptx::InlineAsm;

use super::value::{Binary, Compare};
use crate::diagnostic::Span;
use crate::llvm::{defined_functions, is_kernel, name_of};

/// The code of a module.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// Defined functions.
    pub(crate) functions: Vec<Rc<Function>>,
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    /// The name.
    pub(crate) name: String,
    /// Whether it is an entry point.
    pub(crate) is_kernel: bool,
    /// Where its first line stands.
    pub(crate) span: Option<Span>,
    /// Parameters.
    pub(crate) parameters: Vec<Parameter>,
    /// How many values there are.
    pub(crate) values: usize,
    /// Basic blocks; the first is the entry.
    pub(crate) blocks: Vec<Vec<Instruction>>,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Bytes of a structure that is passed by value: the parameter is its address.
    pub(crate) by_value: Option<u64>,
    /// Whether it is a pointer.
    pub(crate) is_pointer: bool,
    /// Whether it is an integer of 64 bits, which may hold an address.
    pub(crate) bits: u32,
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    /// The value that it defines.
    pub(crate) result: Option<usize>,
    /// What it does.
    pub(crate) op: Op,
    /// Where it stands in the user's source.
    pub(crate) span: Option<Span>,
    /// A number unique in the module.
    pub(crate) id: u32,
}

/// An operand.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// A value of the function.
    Value(usize),
    /// A number with its bits.
    Int(u128),
    /// Several.
    Many(Vec<Arg>),
    /// A constant expression.
    Expression(Box<Op>),
    /// Nothing that is known.
    Unknown,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bytes of one element.
    pub(crate) width: u32,
    /// Elements.
    pub(crate) count: u32,
    /// The result is several values rather than one number.
    pub(crate) vector: bool,
    /// A pointer is loaded.
    pub(crate) pointer: bool,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Binary(Binary, Arg, Arg, u32),
    Compare(Compare, Arg, Arg, u32),
    /// To so many bits, sign-extended where it says so, from so many.
    Convert {
        value: Arg,
        from: u32,
        to: u32,
        signed: bool,
    },
    /// Between address spaces: from, to.
    Space(Arg, u32, u32),
    Copy(Arg),
    Select(Arg, Arg, Arg),
    Phi(Vec<(usize, Arg)>),
    Jump(usize),
    Branch(Arg, usize, usize),
    Switch(Arg, usize, Vec<(u128, usize)>),
    Return(Option<Arg>),
    Unreachable,
    Load {
        address: Arg,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        volatile: bool,
        space: u32,
    },
    Store {
        address: Arg,
        value: Arg,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        volatile: bool,
        space: u32,
    },
    Atomic {
        address: Arg,
        value: Arg,
        kind: Option<LLVMAtomicRMWBinOp>,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
    },
    Swap {
        address: Arg,
        expected: Arg,
        desired: Arg,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
    },
    Fence(Semantics, Scope),
    /// Base, constant offset, and factors; the element size of the last variable index.
    Element {
        base: Arg,
        offset: i64,
        terms: Vec<(Arg, u32, i64)>,
    },
    Frame {
        bytes: u64,
    },
    Extract(Arg, Vec<Arg>),
    Insert(Arg, Arg, Vec<Arg>),
    Shuffle(Arg, Arg, Vec<Option<usize>>),
    Call {
        name: String,
        arguments: Vec<Arg>,
    },
    Assembly {
        text: Result<Rc<InlineAsm>, String>,
        arguments: Vec<Arg>,
    },
    /// The result depends on these.
    Opaque(Vec<Arg>),
}

/// Where the windows of the address spaces begin; heaps of GPUs lie far above.
pub(crate) const SHARED_WINDOW: u64 = 0x1_0000_0000;
/// Variables in global memory and constants.
pub(crate) const VARIABLES: u64 = 0x2_0000_0000;

struct Decoder {
    data: LLVMTargetDataRef,
    context: LLVMContextRef,
    globals: HashMap<LLVMValueRef, u64>,
    assembly: HashMap<(String, String), Result<Rc<InlineAsm>, String>>,
    next_id: u32,
}

/// Reads a module.
pub(crate) fn decode(module: &Module<'_>) -> Code {
    // SAFETY: the module is alive, and so is its data layout as long as it is not changed, which nobody does here.
    let data = unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) };
    let mut decoder = Decoder {
        data,
        // SAFETY: the module is alive.
        context: unsafe { LLVMGetModuleContext(module.as_mut_ptr()) },
        globals: HashMap::new(),
        assembly: HashMap::new(),
        next_id: 0,
    };
    let mut code = Code::default();
    let (mut shared, mut variables) = (0u64, 0u64);
    for global in module.get_globals() {
        let value = global.as_value_ref();
        // SAFETY: the variable is alive; a type without a size is not asked for one.
        let (space, bytes) = unsafe {
            let ty = LLVMGlobalGetValueType(value);
            let bytes = if LLVMTypeIsSized(ty) != 0 { LLVMABISizeOfType(data, ty) } else { 0 };
            (LLVMGetPointerAddressSpace(LLVMTypeOf(value)), bytes)
        };
        let next = if space == 3 { &mut shared } else { &mut variables };
        let window = if space == 3 { 0 } else { VARIABLES };
        decoder.globals.insert(value, window + *next);
        // A variable without a size is as long as the launch says.
        *next = (*next + bytes.clamp(1, 1 << 24)).next_multiple_of(128) + if bytes == 0 { 1 << 16 } else { 0 };
    }
    for function in defined_functions(module) {
        let reference = function.as_value_ref();
        let mut decoded = decoder.function(reference);
        decoded.name = name_of(function);
        decoded.is_kernel = is_kernel(function);
        code.functions.push(Rc::new(decoded));
    }
    code
}

// SAFETY of every call below: values, types and blocks come from the module that `decode` borrows, and each call is made on
// what its opcode or kind was checked to be.
impl Decoder {
    fn function(&mut self, function: LLVMValueRef) -> Function {
        let mut numbers: HashMap<LLVMValueRef, usize> = HashMap::new();
        let mut parameters = Vec::new();
        for index in 0..unsafe { LLVMCountParams(function) } {
            let parameter = unsafe { LLVMGetParam(function, index) };
            numbers.insert(parameter, numbers.len());
            parameters.push(self.parameter(function, index, parameter));
        }
        let mut blocks: Vec<LLVMBasicBlockRef> = Vec::new();
        let mut block = unsafe { LLVMGetFirstBasicBlock(function) };
        while !block.is_null() {
            blocks.push(block);
            block = unsafe { LLVMGetNextBasicBlock(block) };
        }
        let indices: HashMap<LLVMBasicBlockRef, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let instructions: Vec<Vec<LLVMValueRef>> = blocks.iter().map(|&block| instructions_of(block)).collect();
        for &instruction in instructions.iter().flatten() {
            if unsafe { LLVMGetTypeKind(LLVMTypeOf(instruction)) } != LLVMTypeKind::LLVMVoidTypeKind {
                let next = numbers.len();
                numbers.insert(instruction, next);
            }
        }
        let mut span = None;
        let mut decoded = Vec::new();
        for block in &instructions {
            let mut out = Vec::new();
            for &instruction in block {
                let op = self.instruction(instruction, &numbers, &indices);
                let at = place(instruction);
                if span.is_none() {
                    span.clone_from(&at);
                }
                self.next_id += 1;
                out.push(Instruction { result: numbers.get(&instruction).copied(), op, span: at, id: self.next_id });
            }
            decoded.push(out);
        }
        Function { name: String::new(), is_kernel: false, span, parameters, values: numbers.len(), blocks: decoded }
    }

    fn parameter(&self, function: LLVMValueRef, index: u32, parameter: LLVMValueRef) -> Parameter {
        let ty = unsafe { LLVMTypeOf(parameter) };
        let is_pointer = unsafe { LLVMGetTypeKind(ty) } == LLVMTypeKind::LLVMPointerTypeKind;
        const BY_VALUE: &str = "byval";
        let by_value = unsafe {
            let kind = LLVMGetEnumAttributeKindForName(BY_VALUE.as_ptr().cast::<c_char>(), BY_VALUE.len());
            let attribute = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
            (!attribute.is_null()).then(|| LLVMABISizeOfType(self.data, LLVMGetTypeAttributeValue(attribute)))
        };
        let bits = unsafe { if LLVMTypeIsSized(ty) != 0 { LLVMSizeOfTypeInBits(self.data, ty) as u32 } else { 0 } };
        Parameter { by_value, is_pointer, bits }
    }

    fn bits(&self, ty: LLVMTypeRef) -> u32 {
        unsafe { if LLVMTypeIsSized(ty) != 0 { LLVMSizeOfTypeInBits(self.data, ty) as u32 } else { 0 } }
    }

    /// How a value of a type lies in memory.
    fn shape(&self, ty: LLVMTypeRef) -> Shape {
        let kind = unsafe { LLVMGetTypeKind(ty) };
        let bytes =
            |ty| unsafe { if LLVMTypeIsSized(ty) != 0 { LLVMStoreSizeOfType(self.data, ty) as u32 } else { 1 } };
        let pointer = kind == LLVMTypeKind::LLVMPointerTypeKind;
        if kind == LLVMTypeKind::LLVMVectorTypeKind {
            let element = unsafe { LLVMGetElementType(ty) };
            let count = unsafe { LLVMGetVectorSize(ty) };
            let pointer = unsafe { LLVMGetTypeKind(element) } == LLVMTypeKind::LLVMPointerTypeKind;
            return Shape { width: bytes(element).max(1), count, vector: true, pointer };
        }
        Shape { width: bytes(ty).max(1), count: 1, vector: false, pointer }
    }

    fn arg(&mut self, value: LLVMValueRef, numbers: &HashMap<LLVMValueRef, usize>) -> Arg {
        if let Some(&number) = numbers.get(&value) {
            return Arg::Value(number);
        }
        if let Some(&address) = self.globals.get(&value) {
            return Arg::Int(address.into());
        }
        unsafe {
            if !LLVMIsAConstantInt(value).is_null() {
                let bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
                if bits <= 64 {
                    return Arg::Int(LLVMConstIntGetZExtValue(value).into());
                }
                return Arg::Unknown;
            }
            if !LLVMIsAConstantPointerNull(value).is_null() {
                return Arg::Int(0);
            }
            if !LLVMIsAUndefValue(value).is_null() || !LLVMIsAPoisonValue(value).is_null() {
                return Arg::Unknown;
            }
            if !LLVMIsAConstantFP(value).is_null() {
                let mut lost = 0;
                let number = LLVMConstRealGetDouble(value, &raw mut lost);
                return match LLVMGetTypeKind(LLVMTypeOf(value)) {
                    LLVMTypeKind::LLVMFloatTypeKind => Arg::Int((number as f32).to_bits().into()),
                    LLVMTypeKind::LLVMDoubleTypeKind => Arg::Int(number.to_bits().into()),
                    _ => Arg::Unknown,
                };
            }
            if !LLVMIsAConstantExpr(value).is_null() {
                let op = self.operation(value, LLVMGetConstOpcode(value), numbers, &HashMap::new());
                return Arg::Expression(Box::new(op));
            }
            let kind = LLVMGetTypeKind(LLVMTypeOf(value));
            let several = matches!(
                kind,
                LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind
            );
            if several && LLVMIsConstant(value) != 0 {
                let count = match kind {
                    LLVMTypeKind::LLVMVectorTypeKind => LLVMGetVectorSize(LLVMTypeOf(value)),
                    LLVMTypeKind::LLVMStructTypeKind => LLVMCountStructElementTypes(LLVMTypeOf(value)),
                    _ => LLVMGetArrayLength2(LLVMTypeOf(value)) as u32,
                };
                if count <= 64 {
                    let parts = (0..count).map(|i| {
                        let element = LLVMGetAggregateElement(value, i);
                        if element.is_null() { Arg::Unknown } else { self.arg(element, numbers) }
                    });
                    return Arg::Many(parts.collect());
                }
            }
        }
        Arg::Unknown
    }

    fn instruction(
        &mut self,
        value: LLVMValueRef,
        numbers: &HashMap<LLVMValueRef, usize>,
        blocks: &HashMap<LLVMBasicBlockRef, usize>,
    ) -> Op {
        self.operation(value, unsafe { LLVMGetInstructionOpcode(value) }, numbers, blocks)
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each opcode")]
    fn operation(
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

    /// Bits of a number, or of an element of a vector.
    fn scalar_bits(&self, ty: LLVMTypeRef) -> u32 {
        let ty = match unsafe { LLVMGetTypeKind(ty) } {
            LLVMTypeKind::LLVMVectorTypeKind => unsafe { LLVMGetElementType(ty) },
            _ => ty,
        };
        self.bits(ty)
    }

    /// Strength of a load or store: what PTX makes of it.
    fn strength(&self, value: LLVMValueRef) -> (Semantics, Scope, bool) {
        let volatile = unsafe { LLVMGetVolatile(value) } != 0;
        match unsafe { LLVMGetOrdering(value) } {
            LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic | LLVMAtomicOrdering::LLVMAtomicOrderingUnordered => {
                let semantics = if volatile { Semantics::Relaxed } else { Semantics::Weak };
                (semantics, Scope::Sys, volatile)
            }
            LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => {
                let load = unsafe { LLVMGetInstructionOpcode(value) } == LLVMOpcode::LLVMLoad;
                (if load { Semantics::Acquire } else { Semantics::Release }, self.scope(value), volatile)
            }
            other => (semantics_of(other), self.scope(value), volatile),
        }
    }

    /// Of an `atomicrmw`: one of sequential consistency over the whole system is how clang writes CUDA's `atomicAdd`, which
    /// PTX has as relaxed at gpu scope.
    fn rmw_strength(&self, value: LLVMValueRef) -> (Semantics, Scope) {
        let semantics = semantics_of(unsafe { LLVMGetOrdering(value) });
        let scope = self.scope(value);
        match semantics {
            Semantics::SequentiallyConsistent if scope == Scope::Sys => (Semantics::Relaxed, Scope::Gpu),
            Semantics::SequentiallyConsistent => (Semantics::AcquireRelease, scope),
            _ => (semantics, scope),
        }
    }

    fn scope(&self, value: LLVMValueRef) -> Scope {
        unsafe {
            let id = LLVMGetAtomicSyncScopeID(value);
            let named = |name: &str| LLVMGetSyncScopeID(self.context, name.as_ptr().cast::<c_char>(), name.len());
            for (name, scope) in [("block", Scope::Cta), ("cluster", Scope::Cluster), ("device", Scope::Gpu)] {
                if named(name) == id {
                    return scope;
                }
            }
        }
        Scope::Sys
    }
}

fn semantics_of(ordering: LLVMAtomicOrdering) -> Semantics {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => Semantics::Weak,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered | LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => {
            Semantics::Relaxed
        }
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Semantics::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Semantics::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Semantics::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Semantics::SequentiallyConsistent,
    }
}

fn instructions_of(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    let mut next = unsafe { LLVMGetFirstInstruction(block) };
    while !next.is_null() {
        all.push(next);
        next = unsafe { LLVMGetNextInstruction(next) };
    }
    all
}

/// # Safety
/// `text` points to `length` bytes, or is null.
unsafe fn copied(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) }).into_owned()
}

/// Parts of the names of files that are the compiler's or the runtime's: what was inlined from there stands at the user's
/// call.
const NOT_THE_USERS: &[&str] =
    &["/lib/clang/", "/gicc_cuda", "/gicc/", "runtime/device/", "/nvidia/", "/cuda/include/", "__clang_cuda"];

/// The innermost line of the user's.
fn place(instruction: LLVMValueRef) -> Option<Span> {
    // SAFETY: only instructions come here, and they are alive.
    let own = crate::llvm::span(unsafe { inkwell::values::InstructionValue::new(instruction) })?;
    if !NOT_THE_USERS.iter().any(|part| own.file.contains(part)) {
        return Some(own);
    }
    // SAFETY: as above; locations and files are metadata of the instruction's context, and may be null, which is checked.
    unsafe {
        let mut location = LLVMInstructionGetDebugLoc(instruction);
        while !location.is_null() {
            location = LLVMDILocationGetInlinedAt(location);
            if location.is_null() {
                break;
            }
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            if file.is_null() {
                continue;
            }
            let mut length = 0;
            let name = LLVMDIFileGetFilename(file, &raw mut length);
            let name = copied(name, length as usize);
            let mut length = 0;
            let folder = LLVMDIFileGetDirectory(file, &raw mut length);
            let folder = copied(folder, length as usize);
            let (line, column) = (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
            if name.is_empty() || line == 0 || NOT_THE_USERS.iter().any(|part| name.contains(part)) {
                continue;
            }
            let here = std::env::current_dir().map(|d| d.display().to_string()).unwrap_or_default();
            let file = if name.starts_with('/') || folder.is_empty() || folder == here {
                name
            } else {
                format!("{folder}/{name}")
            };
            return Some(Span { file, line, column });
        }
    }
    Some(own)
}
