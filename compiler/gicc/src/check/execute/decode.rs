//! Functions of level L as flat tables, read once: what [`super::thread`] executes many times with other numbers.
//!
//! Everything is copied out of LLVM, so that nothing here borrows the module. What is not known keeps its name and gives an
//! unknown result; no instruction is an error.
//!
//! `operation` says what an instruction does, `strength` how strongly it accesses memory, `place` where it stands.

mod operation;
mod place;
mod strength;

use super::value::{Binary, Compare};
use crate::diagnostic::Span;
use crate::llvm::{defined_functions, is_kernel, name_of};
use inkwell::attributes::AttributeLoc;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::{LLVMAtomicRMWBinOp, LLVMTypeKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue};
use memory_model::{Scope, Semantics};
use ptx::InlineAsm;
use std::collections::HashMap;
use std::ffi::c_char;
use std::rc::Rc;

/// The code of a module.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// Defined functions.
    pub(crate) functions: Vec<Rc<Function>>,
    /// The same by their names.
    pub(crate) by_name: HashMap<String, Rc<Function>>,
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
    /// As many threads of a block it is made for at most, where it says so (`__launch_bounds__`).
    pub(crate) most_threads: Option<u32>,
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
        decoded.most_threads = most_threads(function);
        let decoded = Rc::new(decoded);
        code.by_name.insert(decoded.name.clone(), Rc::clone(&decoded));
        code.functions.push(decoded);
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
                let at = place::place(instruction);
                if span.is_none() {
                    span.clone_from(&at);
                }
                self.next_id += 1;
                out.push(Instruction { result: numbers.get(&instruction).copied(), op, span: at, id: self.next_id });
            }
            decoded.push(out);
        }
        Function {
            name: String::new(),
            is_kernel: false,
            span,
            most_threads: None,
            parameters,
            values: numbers.len(),
            blocks: decoded,
        }
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

    /// Bits of a number, or of an element of a vector.
    fn scalar_bits(&self, ty: LLVMTypeRef) -> u32 {
        let ty = match unsafe { LLVMGetTypeKind(ty) } {
            LLVMTypeKind::LLVMVectorTypeKind => unsafe { LLVMGetElementType(ty) },
            _ => ty,
        };
        self.bits(ty)
    }
}

/// The threads of a block that a kernel's attribute allows.
fn most_threads(function: FunctionValue<'_>) -> Option<u32> {
    let attribute = function.get_string_attribute(AttributeLoc::Function, "nvvm.maxntid")?;
    let text = attribute.get_string_value().to_str().ok()?.to_owned();
    text.split(',').map(|number| number.trim().parse::<u32>().ok()).try_fold(1u32, |all, one| all.checked_mul(one?))
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
