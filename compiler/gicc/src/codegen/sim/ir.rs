//! Handles to LLVM's values, types and blocks for the rewriting of a module, as thin as possible: each method is one or two
//! calls of LLVM's C interface.
//!
//! A handle is valid as long as the module it came from. That holds by construction: this module is private to the
//! simulator's code generator, which owns the context and the module for the whole of a rewrite, keeps no handle past it,
//! and does not use an instruction after having erased it.

use std::ffi::{CStr, CString, c_char, c_uint};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind};

use crate::diagnostic::Span;

/// A value: constant, argument, instruction, function or variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Value(pub(super) LLVMValueRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ty(pub(super) LLVMTypeRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Block(pub(super) LLVMBasicBlockRef);

/// The text of a name as C wants it. A name with a zero byte inside is cut there; LLVM's names have none.
pub(super) fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().take_while(|&b| b != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// # Safety
/// `text` points to `length` bytes, or is null.
unsafe fn owned(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) }).into_owned()
}

// SAFETY of every call below: the handles are valid, see the head of this file; calls on a handle of the wrong kind are
// excluded by the checks named in each comment or done by the caller on the opcode.
impl Value {
    pub(super) fn some(value: LLVMValueRef) -> Option<Value> {
        (!value.is_null()).then_some(Value(value))
    }

    pub(super) fn ty(self) -> Ty {
        Ty(unsafe { LLVMTypeOf(self.0) })
    }

    pub(super) fn name(self) -> String {
        let mut length = 0;
        unsafe { owned(LLVMGetValueName2(self.0, &mut length), length) }
    }

    pub(super) fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// The opcode, where this is an instruction.
    pub(super) fn opcode(self) -> Option<LLVMOpcode> {
        unsafe { (!LLVMIsAInstruction(self.0).is_null()).then(|| LLVMGetInstructionOpcode(self.0)) }
    }

    /// The opcode, where this is a constant expression.
    pub(super) fn const_opcode(self) -> Option<LLVMOpcode> {
        unsafe { (!LLVMIsAConstantExpr(self.0).is_null()).then(|| LLVMGetConstOpcode(self.0)) }
    }

    /// The opcode of an instruction or constant expression.
    pub(super) fn any_opcode(self) -> Option<LLVMOpcode> {
        self.opcode().or_else(|| self.const_opcode())
    }

    pub(super) fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    pub(super) fn is_global_variable(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() }
    }

    pub(super) fn is_function(self) -> bool {
        unsafe { !LLVMIsAFunction(self.0).is_null() }
    }

    pub(super) fn is_inline_asm(self) -> bool {
        unsafe { !LLVMIsAInlineAsm(self.0).is_null() }
    }

    pub(super) fn is_argument(self) -> bool {
        unsafe { !LLVMIsAArgument(self.0).is_null() }
    }

    pub(super) fn is_phi(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMPHI)
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    pub(super) fn const_i64(self) -> Option<i64> {
        unsafe {
            let integer = !LLVMIsAConstantInt(self.0).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) <= 64;
            integer.then(|| LLVMConstIntGetSExtValue(self.0))
        }
    }

    pub(super) fn operands(self) -> impl Iterator<Item = Value> {
        let count = unsafe { LLVMGetNumOperands(self.0) }.max(0) as c_uint;
        (0..count).map(move |i| Value(unsafe { LLVMGetOperand(self.0, i) }))
    }

    pub(super) fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub(super) fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    pub(super) fn replace_uses(self, with: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }

    pub(super) fn has_uses(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    pub(super) fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Arguments of a call.
    pub(super) fn arguments(self) -> Vec<Value> {
        let count = unsafe { LLVMGetNumArgOperands(self.0) };
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// The called value of a call.
    pub(super) fn callee(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The type of a variable's or function's content.
    pub(super) fn value_type(self) -> Ty {
        Ty(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub(super) fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub(super) fn parameters(self) -> Vec<Value> {
        let count = unsafe { LLVMCountParams(self.0) };
        (0..count).map(|i| Value(unsafe { LLVMGetParam(self.0, i) })).collect()
    }

    pub(super) fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut block = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !block.is_null() {
            blocks.push(Block(block));
            block = unsafe { LLVMGetNextBasicBlock(block) };
        }
        blocks
    }

    /// Every instruction of a function, in order.
    pub(super) fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    /// Whether a load, store, or atomic is volatile.
    pub(super) fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// Alignment in bytes of a load, store, alloca, variable or atomic.
    pub(super) fn alignment(self) -> u64 {
        unsafe { LLVMGetAlignment(self.0) }.max(1).into()
    }

    /// Whether the instruction carries metadata of this kind.
    pub(super) fn has_metadata(self, kind: &str) -> bool {
        unsafe {
            let id = LLVMGetMDKindIDInContext(
                LLVMGetTypeContext(LLVMTypeOf(self.0)),
                kind.as_ptr().cast(),
                kind.len() as c_uint,
            );
            LLVMHasMetadata(self.0) != 0 && !LLVMGetMetadata(self.0, id).is_null()
        }
    }

    /// Where the instruction stands in the source. What was inlined from a header of the compiler or the runtime stands
    /// where the user's code called it.
    pub(super) fn span(self) -> Option<Span> {
        unsafe {
            if LLVMIsAInstruction(self.0).is_null() {
                return None;
            }
            let mut location = LLVMInstructionGetDebugLoc(self.0);
            let mut innermost = None;
            while !location.is_null() {
                if let Some(span) = span_of(location) {
                    if !RUNTIME_FILES.iter().any(|part| span.file.contains(part)) {
                        return Some(span);
                    }
                    innermost.get_or_insert(span);
                }
                location = LLVMDILocationGetInlinedAt(location);
            }
            innermost
        }
    }
}

/// Parts of the names of files that are the compiler's or the runtime's.
const RUNTIME_FILES: &[&str] =
    &["/lib/clang/", "/gicc_cuda", "/gicc/", "runtime/device/", "/nvidia/", "/cuda/include/"];

/// # Safety
/// A debug location.
unsafe fn span_of(location: LLVMMetadataRef) -> Option<Span> {
    unsafe {
        let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
        if file.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMDIFileGetFilename(file, &mut length);
        let file = owned(text, length as usize);
        let (line, column) = (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
        (!file.is_empty() && line > 0).then_some(Span { file, line, column })
    }
}

impl Ty {
    pub(super) fn kind(self) -> LLVMTypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub(super) fn is_int(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMIntegerTypeKind
    }

    pub(super) fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    pub(super) fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    pub(super) fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }

    pub(super) fn is_float(self) -> bool {
        use LLVMTypeKind::*;
        matches!(self.kind(), LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind)
    }

    /// Bits of an integer type.
    pub(super) fn int_bits(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// The element of an array or vector type.
    pub(super) fn element(self) -> Ty {
        Ty(unsafe { LLVMGetElementType(self.0) })
    }

    pub(super) fn address_space(self) -> u32 {
        unsafe { LLVMGetPointerAddressSpace(self.0) }
    }

    pub(super) fn text(self) -> String {
        unsafe {
            let text = LLVMPrintTypeToString(self.0);
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            copy
        }
    }
}

impl Block {
    pub(super) fn instructions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = unsafe { LLVMGetFirstInstruction(self.0) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextInstruction(next) };
        }
        all
    }

    pub(super) fn terminator(self) -> Option<Value> {
        Value::some(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    pub(super) fn successors(self) -> Vec<Block> {
        self.terminator().map_or_else(Vec::new, |t| {
            let count = unsafe { LLVMGetNumSuccessors(t.0) };
            (0..count).map(|i| Block(unsafe { LLVMGetSuccessor(t.0, i) })).collect()
        })
    }
}

/// The module under rewriting, with a builder.
pub(super) struct Ir {
    pub(super) context: LLVMContextRef,
    pub(super) module: LLVMModuleRef,
    builder: LLVMBuilderRef,
}

impl Drop for Ir {
    fn drop(&mut self) {
        // SAFETY: made in `new`, dropped once.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Ir {
    /// Work on this module; the caller keeps both alive for as long as the result lives.
    pub(super) fn new(module: LLVMModuleRef) -> Self {
        let context = unsafe { LLVMGetModuleContext(module) };
        Self { context, module, builder: unsafe { LLVMCreateBuilderInContext(context) } }
    }

    fn data(&self) -> LLVMTargetDataRef {
        unsafe { LLVMGetModuleDataLayout(self.module) }
    }

    pub(super) fn functions(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = unsafe { LLVMGetFirstFunction(self.module) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextFunction(next) };
        }
        all
    }

    pub(super) fn globals(&self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = unsafe { LLVMGetFirstGlobal(self.module) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextGlobal(next) };
        }
        all
    }

    pub(super) fn function(&self, name: &str) -> Option<Value> {
        Value::some(unsafe { LLVMGetNamedFunction(self.module, c_string(name).as_ptr()) })
    }

    // Types.

    pub(super) fn int(&self, bits: u32) -> Ty {
        Ty(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    pub(super) fn float(&self) -> Ty {
        Ty(unsafe { LLVMFloatTypeInContext(self.context) })
    }

    pub(super) fn double(&self) -> Ty {
        Ty(unsafe { LLVMDoubleTypeInContext(self.context) })
    }

    pub(super) fn half(&self) -> Ty {
        Ty(unsafe { LLVMHalfTypeInContext(self.context) })
    }

    pub(super) fn bfloat(&self) -> Ty {
        Ty(unsafe { LLVMBFloatTypeInContext(self.context) })
    }

    pub(super) fn void(&self) -> Ty {
        Ty(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    pub(super) fn pointer(&self, address_space: u32) -> Ty {
        Ty(unsafe { LLVMPointerTypeInContext(self.context, address_space) })
    }

    pub(super) fn array(&self, element: Ty, count: u64) -> Ty {
        Ty(unsafe { LLVMArrayType2(element.0, count) })
    }

    pub(super) fn function_type(&self, result: Ty, parameters: &[Ty]) -> Ty {
        let mut types: Vec<_> = parameters.iter().map(|t| t.0).collect();
        Ty(unsafe { LLVMFunctionType(result.0, types.as_mut_ptr(), types.len() as c_uint, 0) })
    }

    /// Bytes that a load or store of the type moves.
    pub(super) fn store_bytes(&self, ty: Ty) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.data(), ty.0) }
    }

    /// Bytes from one element of the type to the next in an array.
    pub(super) fn bytes(&self, ty: Ty) -> u64 {
        unsafe { LLVMABISizeOfType(self.data(), ty.0) }
    }

    /// Bits of the value.
    pub(super) fn bits(&self, ty: Ty) -> u64 {
        unsafe { LLVMSizeOfTypeInBits(self.data(), ty.0) }
    }

    pub(super) fn align(&self, ty: Ty) -> u64 {
        unsafe { LLVMABIAlignmentOfType(self.data(), ty.0) }.into()
    }

    pub(super) fn field_offset(&self, structure: Ty, index: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.data(), structure.0, index) }
    }

    // Constants.

    pub(super) fn constant(&self, ty: Ty, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(ty.0, value, 0) })
    }

    pub(super) fn i64(&self, value: u64) -> Value {
        self.constant(self.int(64), value)
    }

    pub(super) fn i32(&self, value: u32) -> Value {
        self.constant(self.int(32), value.into())
    }

    pub(super) fn zero(&self, ty: Ty) -> Value {
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    pub(super) fn poison(&self, ty: Ty) -> Value {
        Value(unsafe { LLVMGetPoison(ty.0) })
    }

    pub(super) fn bytes_constant(&self, bytes: &[u8]) -> Value {
        Value(unsafe { LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1) })
    }

    pub(super) fn array_constant(&self, element: Ty, values: &[Value]) -> Value {
        let mut values: Vec<_> = values.iter().map(|v| v.0).collect();
        Value(unsafe { LLVMConstArray2(element.0, values.as_mut_ptr(), values.len() as u64) })
    }

    // Building. Every instruction made takes the debug location of the insertion point.

    pub(super) fn before(&self, instruction: Value) {
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }

    pub(super) fn at_end(&self, block: Block) {
        unsafe {
            LLVMPositionBuilderAtEnd(self.builder, block.0);
            // LLVM keeps the location of the last place, which may be one of another function.
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
        }
    }

    /// At the start of a function, behind its allocas.
    pub(super) fn at_start(&self, function: Value) {
        if let Some(entry) = function.blocks().first() {
            let first = entry.instructions().into_iter().find(|i| i.opcode() != Some(LLVMOpcode::LLVMAlloca));
            if let Some(first) = first {
                self.before(first);
            }
        }
    }

    pub(super) fn append_block(&self, function: Value, name: &str) -> Block {
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, c_string(name).as_ptr()) })
    }

    pub(super) fn add_function(&self, name: &str, ty: Ty) -> Value {
        Value(unsafe { LLVMAddFunction(self.module, c_string(name).as_ptr(), ty.0) })
    }

    pub(super) fn add_global(&self, name: &str, ty: Ty, initial: Value) -> Value {
        let global = unsafe { LLVMAddGlobal(self.module, ty.0, c_string(name).as_ptr()) };
        unsafe { LLVMSetInitializer(global, initial.0) };
        Value(global)
    }

    pub(super) fn call(&self, ty: Ty, callee: Value, arguments: &[Value]) -> Value {
        let mut values: Vec<_> = arguments.iter().map(|v| v.0).collect();
        Value(unsafe {
            LLVMBuildCall2(self.builder, ty.0, callee.0, values.as_mut_ptr(), values.len() as c_uint, c"".as_ptr())
        })
    }

    /// An alloca in the function's entry block, wherever the builder stands; it stays there.
    pub(super) fn entry_alloca(&self, function: Value, bytes: u64, align: u64) -> Value {
        unsafe {
            let here = LLVMGetInsertBlock(self.builder);
            let builder = LLVMCreateBuilderInContext(self.context);
            let entry = LLVMGetEntryBasicBlock(function.0);
            let first = LLVMGetFirstInstruction(entry);
            if first.is_null() {
                LLVMPositionBuilderAtEnd(builder, entry);
            } else {
                LLVMPositionBuilderBefore(builder, first);
            }
            let alloca = LLVMBuildAlloca(builder, self.array(self.int(8), bytes).0, c"".as_ptr());
            LLVMSetAlignment(alloca, align as c_uint);
            LLVMDisposeBuilder(builder);
            debug_assert!(!here.is_null());
            Value(alloca)
        }
    }

    pub(super) fn load(&self, ty: Ty, address: Value, align: u64) -> Value {
        unsafe {
            let value = LLVMBuildLoad2(self.builder, ty.0, address.0, c"".as_ptr());
            LLVMSetAlignment(value, align as c_uint);
            Value(value)
        }
    }

    pub(super) fn store(&self, value: Value, address: Value, align: u64) {
        unsafe {
            let store = LLVMBuildStore(self.builder, value.0, address.0);
            LLVMSetAlignment(store, align as c_uint);
        }
    }

    pub(super) fn offset(&self, address: Value, bytes: Value) -> Value {
        let mut index = [bytes.0];
        Value(unsafe { LLVMBuildGEP2(self.builder, self.int(8).0, address.0, index.as_mut_ptr(), 1, c"".as_ptr()) })
    }

    pub(super) fn gep(&self, element: Ty, base: Value, indices: &[Value]) -> Value {
        let mut values: Vec<_> = indices.iter().map(|v| v.0).collect();
        Value(unsafe {
            LLVMBuildGEP2(self.builder, element.0, base.0, values.as_mut_ptr(), values.len() as c_uint, c"".as_ptr())
        })
    }

    pub(super) fn cast(&self, opcode: LLVMOpcode, value: Value, ty: Ty) -> Value {
        if value.ty() == ty {
            return value;
        }
        Value(unsafe { LLVMBuildCast(self.builder, opcode, value.0, ty.0, c"".as_ptr()) })
    }

    pub(super) fn binary(&self, opcode: LLVMOpcode, left: Value, right: Value) -> Value {
        Value(unsafe { LLVMBuildBinOp(self.builder, opcode, left.0, right.0, c"".as_ptr()) })
    }

    pub(super) fn compare(&self, predicate: LLVMIntPredicate, left: Value, right: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.builder, predicate, left.0, right.0, c"".as_ptr()) })
    }

    pub(super) fn compare_floats(&self, predicate: LLVMRealPredicate, left: Value, right: Value) -> Value {
        Value(unsafe { LLVMBuildFCmp(self.builder, predicate, left.0, right.0, c"".as_ptr()) })
    }

    pub(super) fn negate_float(&self, value: Value) -> Value {
        Value(unsafe { LLVMBuildFNeg(self.builder, value.0, c"".as_ptr()) })
    }

    pub(super) fn real(&self, ty: Ty, value: f64) -> Value {
        Value(unsafe { LLVMConstReal(ty.0, value) })
    }

    pub(super) fn vector(&self, element: Ty, count: u32) -> Ty {
        Ty(unsafe { LLVMVectorType(element.0, count) })
    }

    pub(super) fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(unsafe { LLVMBuildSelect(self.builder, condition.0, yes.0, no.0, c"".as_ptr()) })
    }

    pub(super) fn insert_value(&self, aggregate: Value, value: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildInsertValue(self.builder, aggregate.0, value.0, index, c"".as_ptr()) })
    }

    pub(super) fn insert_element(&self, vector: Value, value: Value, index: u32) -> Value {
        let index = self.i32(index);
        Value(unsafe { LLVMBuildInsertElement(self.builder, vector.0, value.0, index.0, c"".as_ptr()) })
    }

    pub(super) fn branch(&self, to: Block) {
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }

    pub(super) fn branch_if(&self, condition: Value, yes: Block, no: Block) {
        unsafe { LLVMBuildCondBr(self.builder, condition.0, yes.0, no.0) };
    }

    pub(super) fn ret(&self, value: Option<Value>) {
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.builder, value.0),
                None => LLVMBuildRetVoid(self.builder),
            }
        };
    }

    /// The value's bits as a 64-bit integer, zero-extended; `None` where it has no such form (wider, or an aggregate).
    pub(super) fn to_bits(&self, value: Value) -> Option<Value> {
        let ty = value.ty();
        let bits = self.scalar_bits(ty)?;
        let word = match ty.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => return Some(self.cast(LLVMOpcode::LLVMPtrToInt, value, self.int(64))),
            LLVMTypeKind::LLVMIntegerTypeKind => value,
            _ => self.cast(LLVMOpcode::LLVMBitCast, value, self.int(bits)),
        };
        Some(self.cast(LLVMOpcode::LLVMZExt, word, self.int(64)))
    }

    /// The value of this type in the low bits of a 64-bit integer; only for types that [`Self::to_bits`] accepts.
    pub(super) fn of_bits(&self, word: Value, ty: Ty) -> Value {
        match ty.kind() {
            LLVMTypeKind::LLVMPointerTypeKind => self.cast(LLVMOpcode::LLVMIntToPtr, word, ty),
            LLVMTypeKind::LLVMIntegerTypeKind => self.cast(LLVMOpcode::LLVMTrunc, word, ty),
            _ => {
                let bits = self.bits(ty) as u32;
                let narrow = self.cast(LLVMOpcode::LLVMTrunc, word, self.int(bits));
                self.cast(LLVMOpcode::LLVMBitCast, narrow, ty)
            }
        }
    }

    /// Bits of a type that fits a 64-bit word as it lies in memory.
    pub(super) fn scalar_bits(&self, ty: Ty) -> Option<u32> {
        use LLVMTypeKind::*;
        let bits = match ty.kind() {
            LLVMPointerTypeKind => 64,
            LLVMIntegerTypeKind => match ty.int_bits() {
                1 => return Some(1),
                bits => bits,
            },
            LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind => self.bits(ty) as u32,
            LLVMVectorTypeKind => {
                let element = ty.element();
                let whole = element.is_float() || (element.is_int() && element.int_bits().is_multiple_of(8));
                if !whole || self.bits(ty) > 64 {
                    return None;
                }
                self.bits(ty) as u32
            }
            _ => return None,
        };
        matches!(bits, 8 | 16 | 32 | 64).then_some(bits)
    }
}
