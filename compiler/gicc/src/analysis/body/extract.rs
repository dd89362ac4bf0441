//! LLVM's function becomes a [`Body`].

use std::collections::HashMap;
use std::rc::Rc;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef};
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMTypeKind,
};
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::values::{AsValueRef as _, FunctionValue};
use memory_model::{Scope, Semantics};
use ptx::op::AtomicOp;

use super::places::Places;
use super::{AsmOperand, Assembly, Block, Body, GlobalVariable, IrOrder, Kind, Layout, Node, NodeId, Parameter};
use crate::analysis::communication::Space;
use crate::llvm::name_of;

/// Constant expressions are entered so deep; what lies deeper is not known.
const DEEPEST: u32 = 48;

/// What the kernels of a module share: assembly that was parsed already, names.
#[derive(Debug)]
pub(crate) struct Extractor<'t> {
    target: &'t TargetData,
    assembly: HashMap<(String, String), Rc<Assembly>>,
    names: HashMap<usize, Rc<str>>,
    scopes: [(u32, Scope); 4],
    foreign: Vec<String>,
}

impl<'t> Extractor<'t> {
    /// For a module. `foreign` are folders whose files no user wrote.
    pub(crate) fn new(module: &Module<'_>, target: &'t TargetData, foreign: Vec<String>) -> Self {
        use inkwell::context::AsContextRef as _;
        let context = module.get_context();
        let id = |name: &str| {
            // SAFETY: the context is alive; the name is given with its length.
            unsafe { LLVMGetSyncScopeID(context.as_ctx_ref(), name.as_ptr().cast(), name.len()) }
        };
        const SYSTEM: u32 = 1;
        let scopes = [
            (SYSTEM, Scope::Sys),
            (id("device"), Scope::Gpu),
            (id("cluster"), Scope::Cluster),
            (id("block"), Scope::Cta),
        ];
        Extractor { target, assembly: HashMap::new(), names: HashMap::new(), scopes, foreign }
    }
}

/// The body of a function.
pub(crate) fn of(function: FunctionValue<'_>, shared: &mut Extractor<'_>) -> Body {
    let mut work = Work {
        places: Places::new(shared.foreign.clone()),
        shared,
        values: HashMap::new(),
        globals: HashMap::new(),
        body: Body {
            name: name_of(function),
            span: None,
            parameters: Vec::new(),
            globals: Vec::new(),
            nodes: Vec::new(),
            blocks: Vec::new(),
            places: Vec::new(),
        },
    };
    // SAFETY: the function is alive and nothing changes it meanwhile.
    unsafe { work.all(function) };
    let mut body = work.body;
    body.places = work.places.all;
    body
}

struct Work<'a, 't> {
    shared: &'a mut Extractor<'t>,
    places: Places,
    values: HashMap<usize, NodeId>,
    globals: HashMap<usize, u32>,
    body: Body,
}

impl Work<'_, '_> {
    fn target(&self) -> LLVMTargetDataRef {
        self.shared.target.as_mut_ptr()
    }

    fn push(&mut self, kind: Kind, bits: u32) -> NodeId {
        let id = NodeId(self.body.nodes.len() as u32);
        self.body.nodes.push(Node { kind, bits, float: false, place: 0, at: None });
        id
    }

    /// # Safety
    /// The function is alive.
    unsafe fn all(&mut self, function: FunctionValue<'_>) {
        let by_value = Attribute::get_named_enum_kind_id("byval");
        for (n, parameter) in function.get_param_iter().enumerate() {
            let value = parameter.as_value_ref();
            let node = self.push(Kind::Parameter(n as u32), 0);
            // SAFETY: the parameter's type is alive; a type attribute has a type.
            let layout = unsafe {
                self.body.nodes[node.index()].bits = self.bits(LLVMTypeOf(value));
                function
                    .get_enum_attribute(AttributeLoc::Param(n as u32), by_value)
                    .map(|a| Layout::of(LLVMGetTypeAttributeValue(a.as_mut_ptr()), self.target()))
            };
            self.values.insert(value as usize, node);
            // SAFETY: a value's name is a text of the length that LLVM says.
            let name = unsafe { value_name(value) };
            self.body.parameters.push(Parameter { name, by_value: layout, pointer: parameter.is_pointer_value() });
        }
        let mut blocks = HashMap::new();
        let all = function.get_basic_blocks();
        for (n, block) in all.iter().enumerate() {
            blocks.insert(block.as_mut_ptr() as usize, n as u32);
        }
        // Numbers first, so that what comes later in the text can be named: phis.
        let mut list: Vec<(LLVMValueRef, NodeId)> = Vec::new();
        for (n, block) in all.iter().enumerate() {
            let mut filled = Block::default();
            // SAFETY: the block is alive; its instructions are a list that ends with null.
            unsafe {
                let mut at = LLVMGetFirstInstruction(block.as_mut_ptr());
                while !at.is_null() {
                    let bits = self.bits(LLVMTypeOf(at));
                    let node = self.push(Kind::Constant, bits);
                    let place = self.places.of(LLVMInstructionGetDebugLoc(at));
                    let index = filled.nodes.len() as u32;
                    let entry = &mut self.body.nodes[node.index()];
                    entry.place = place;
                    entry.float = is_float(LLVMTypeOf(at));
                    entry.at = Some((n as u32, index));
                    filled.nodes.push(node);
                    self.values.insert(at as usize, node);
                    list.push((at, node));
                    at = LLVMGetNextInstruction(at);
                }
                let end = LLVMGetBasicBlockTerminator(block.as_mut_ptr());
                if !end.is_null() {
                    for s in 0..LLVMGetNumSuccessors(end) {
                        filled.successors.extend(blocks.get(&(LLVMGetSuccessor(end, s) as usize)).copied());
                    }
                }
            }
            self.body.blocks.push(filled);
        }
        for (value, node) in list {
            // SAFETY: the instruction is alive.
            let kind = unsafe { self.instruction(value, &blocks) };
            if let (Kind::Branch(condition), Some((block, _))) = (&kind, self.body.nodes[node.index()].at) {
                self.body.blocks[block as usize].condition = *condition;
            }
            self.body.nodes[node.index()].kind = kind;
        }
        self.body.span = function.get_subprogram().and_then(|s| {
            // SAFETY: the subprogram is a live scope.
            unsafe { subprogram_span(s.as_mut_ptr()) }
        });
    }

    /// Bits of a type, 0 where it has no size.
    ///
    /// # Safety
    /// The type is alive.
    unsafe fn bits(&self, ty: LLVMTypeRef) -> u32 {
        // SAFETY: as the caller states; only sized types are asked.
        unsafe {
            match LLVMGetTypeKind(ty) {
                LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(ty),
                _ => self.bytes(ty).saturating_mul(8),
            }
        }
    }

    /// # Safety
    /// The type is alive.
    unsafe fn bytes(&self, ty: LLVMTypeRef) -> u32 {
        // SAFETY: as the caller states; only sized types are asked.
        unsafe {
            let kind = LLVMGetTypeKind(ty);
            if LLVMTypeIsSized(ty) == 0 || kind == LLVMTypeKind::LLVMScalableVectorTypeKind {
                return 0;
            }
            u32::try_from(LLVMStoreSizeOfType(self.target(), ty)).unwrap_or(0)
        }
    }

    /// The node of an operand.
    ///
    /// # Safety
    /// The value is alive.
    unsafe fn value(&mut self, value: LLVMValueRef, depth: u32) -> NodeId {
        if let Some(found) = self.values.get(&(value as usize)) {
            return *found;
        }
        // SAFETY: as the caller states.
        let (kind, bits) = unsafe { (self.constant(value, depth), self.bits_of(value)) };
        let node = self.push(kind, bits);
        self.values.insert(value as usize, node);
        node
    }

    /// # Safety
    /// The value is alive.
    unsafe fn bits_of(&self, value: LLVMValueRef) -> u32 {
        // SAFETY: as the caller states.
        unsafe { self.bits(LLVMTypeOf(value)) }
    }

    /// # Safety
    /// The value is alive and no instruction of the function.
    unsafe fn constant(&mut self, value: LLVMValueRef, depth: u32) -> Kind {
        // SAFETY: as the caller states; each question is asked of a value of the kind that was found.
        unsafe {
            if !LLVMIsAConstantInt(value).is_null() {
                return match LLVMGetIntTypeWidth(LLVMTypeOf(value)) {
                    0..=64 => Kind::Integer(LLVMConstIntGetSExtValue(value)),
                    _ => Kind::Constant,
                };
            }
            if !LLVMIsAConstantPointerNull(value).is_null() {
                return Kind::Null;
            }
            if !LLVMIsAGlobalVariable(value).is_null() {
                return Kind::Global(self.global(value));
            }
            if !LLVMIsAConstantExpr(value).is_null() && depth < DEEPEST {
                return match LLVMGetConstOpcode(value) {
                    LLVMOpcode::LLVMGetElementPtr => self.element(value, depth + 1),
                    LLVMOpcode::LLVMAddrSpaceCast
                    | LLVMOpcode::LLVMBitCast
                    | LLVMOpcode::LLVMIntToPtr
                    | LLVMOpcode::LLVMPtrToInt
                    | LLVMOpcode::LLVMTrunc => Kind::Cast(self.value(LLVMGetOperand(value, 0), depth + 1)),
                    op @ (LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub) => {
                        let left = self.value(LLVMGetOperand(value, 0), depth + 1);
                        let right = self.value(LLVMGetOperand(value, 1), depth + 1);
                        Kind::Binary { op, left, right }
                    }
                    _ => Kind::Other(Vec::new()),
                };
            }
            Kind::Constant
        }
    }

    /// # Safety
    /// The value is a global variable.
    unsafe fn global(&mut self, value: LLVMValueRef) -> u32 {
        if let Some(found) = self.globals.get(&(value as usize)) {
            return *found;
        }
        // SAFETY: as the caller states.
        let variable = unsafe {
            GlobalVariable {
                name: value_name(value),
                space: space(LLVMGetPointerAddressSpace(LLVMTypeOf(value))),
                layout: Layout::of(LLVMGlobalGetValueType(value), self.target()),
            }
        };
        let number = self.body.globals.len() as u32;
        self.body.globals.push(variable);
        self.globals.insert(value as usize, number);
        number
    }

    /// # Safety
    /// The value is a `getelementptr`, an instruction or a constant expression.
    unsafe fn element(&mut self, value: LLVMValueRef, depth: u32) -> Kind {
        // SAFETY: as the caller states; operand 0 is the base, the others are indices into the source element type.
        unsafe {
            let base_value = LLVMGetOperand(value, 0);
            if LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMTypeKind::LLVMVectorTypeKind {
                return Kind::Other(Vec::new());
            }
            let base = self.value(base_value, depth);
            let mut ty = LLVMGetGEPSourceElementType(value);
            let (mut constant, mut variable) = (0_i64, Vec::new());
            let count = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
            for n in 1..count {
                let index = LLVMGetOperand(value, n);
                let kind = LLVMGetTypeKind(ty);
                if n > 1 && kind == LLVMTypeKind::LLVMStructTypeKind {
                    let field = if LLVMIsAConstantInt(index).is_null() { 0 } else { LLVMConstIntGetZExtValue(index) };
                    let field = u32::try_from(field).unwrap_or(0);
                    if field >= LLVMCountStructElementTypes(ty) {
                        return Kind::Other(vec![base]);
                    }
                    constant = constant.wrapping_add(LLVMOffsetOfElement(self.target(), ty, field) as i64);
                    ty = LLVMStructGetTypeAtIndex(ty, field);
                    continue;
                }
                if n > 1 {
                    ty = LLVMGetElementType(ty);
                }
                if LLVMTypeIsSized(ty) == 0 {
                    return Kind::Other(vec![base]);
                }
                let size = LLVMABISizeOfType(self.target(), ty) as i64;
                if !LLVMIsAConstantInt(index).is_null() {
                    constant = constant.wrapping_add(LLVMConstIntGetSExtValue(index).wrapping_mul(size));
                } else {
                    variable.push((self.value(index, depth), size));
                }
            }
            Kind::Element { base, constant, variable }
        }
    }

    /// # Safety
    /// The value is an instruction that is atomic, or a load or store.
    unsafe fn order(&self, value: LLVMValueRef, volatile: bool) -> IrOrder {
        // SAFETY: as the caller states.
        unsafe {
            let atomic = match LLVMGetOrdering(value) {
                LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => None,
                ordering => Some(semantics(ordering)),
            };
            let scope = if atomic.is_some() { self.scope(LLVMGetAtomicSyncScopeID(value)) } else { Scope::Sys };
            IrOrder { volatile, atomic, scope }
        }
    }

    fn scope(&self, id: u32) -> Scope {
        self.shared.scopes.iter().find(|(known, _)| *known == id).map_or(Scope::Sys, |(_, scope)| *scope)
    }

    /// # Safety
    /// The value is an instruction of the function.
    unsafe fn instruction(&mut self, value: LLVMValueRef, blocks: &HashMap<usize, u32>) -> Kind {
        // SAFETY: as the caller states; operands have the places that LLVM gives them for the opcode.
        unsafe {
            let operand = |n: u32| LLVMGetOperand(value, n);
            match LLVMGetInstructionOpcode(value) {
                LLVMOpcode::LLVMAlloca => Kind::Alloca,
                LLVMOpcode::LLVMLoad => Kind::Load {
                    pointer: self.value(operand(0), 0),
                    bytes: self.bytes(LLVMTypeOf(value)),
                    order: self.order(value, LLVMGetVolatile(value) != 0),
                },
                LLVMOpcode::LLVMStore => Kind::Store {
                    value: self.value(operand(0), 0),
                    pointer: self.value(operand(1), 0),
                    bytes: self.bytes(LLVMTypeOf(operand(0))),
                    order: self.order(value, LLVMGetVolatile(value) != 0),
                },
                LLVMOpcode::LLVMAtomicRMW => Kind::Rmw {
                    pointer: self.value(operand(0), 0),
                    value: self.value(operand(1), 0),
                    bytes: self.bytes(LLVMTypeOf(operand(1))),
                    op: atomic_op(LLVMGetAtomicRMWBinOp(value)),
                    order: self.order(value, LLVMGetVolatile(value) != 0),
                },
                LLVMOpcode::LLVMAtomicCmpXchg => {
                    let order = IrOrder {
                        volatile: LLVMGetVolatile(value) != 0,
                        atomic: Some(semantics(LLVMGetCmpXchgSuccessOrdering(value))),
                        scope: self.scope(LLVMGetAtomicSyncScopeID(value)),
                    };
                    Kind::CompareExchange {
                        pointer: self.value(operand(0), 0),
                        expected: self.value(operand(1), 0),
                        desired: self.value(operand(2), 0),
                        bytes: self.bytes(LLVMTypeOf(operand(1))),
                        order,
                    }
                }
                LLVMOpcode::LLVMFence => Kind::Fence(self.order(value, false)),
                LLVMOpcode::LLVMGetElementPtr => self.element(value, 0),
                LLVMOpcode::LLVMIntToPtr
                | LLVMOpcode::LLVMPtrToInt
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMZExt
                | LLVMOpcode::LLVMSExt
                | LLVMOpcode::LLVMTrunc
                | LLVMOpcode::LLVMFreeze
                | LLVMOpcode::LLVMSIToFP
                | LLVMOpcode::LLVMUIToFP
                | LLVMOpcode::LLVMFPToSI
                | LLVMOpcode::LLVMFPToUI
                | LLVMOpcode::LLVMFPExt
                | LLVMOpcode::LLVMFPTrunc => Kind::Cast(self.value(operand(0), 0)),
                LLVMOpcode::LLVMICmp => Kind::Compare {
                    predicate: integer_predicate(LLVMGetICmpPredicate(value)),
                    left: self.value(operand(0), 0),
                    right: self.value(operand(1), 0),
                },
                LLVMOpcode::LLVMFCmp => Kind::Compare {
                    predicate: real_predicate(LLVMGetFCmpPredicate(value)),
                    left: self.value(operand(0), 0),
                    right: self.value(operand(1), 0),
                },
                LLVMOpcode::LLVMSelect => Kind::Select {
                    condition: self.value(operand(0), 0),
                    yes: self.value(operand(1), 0),
                    no: self.value(operand(2), 0),
                },
                LLVMOpcode::LLVMPHI => {
                    let count = LLVMCountIncoming(value);
                    let mut incoming = Vec::with_capacity(count as usize);
                    for n in 0..count {
                        let from = LLVMGetIncomingBlock(value, n) as usize;
                        let node = self.value(LLVMGetIncomingValue(value, n), 0);
                        incoming.push((node, blocks.get(&from).copied().unwrap_or(0)));
                    }
                    Kind::Phi(incoming)
                }
                LLVMOpcode::LLVMExtractValue => {
                    Kind::Extract { from: self.value(operand(0), 0), index: indices(value) }
                }
                LLVMOpcode::LLVMInsertValue => {
                    Kind::Insert { into: self.value(operand(0), 0), value: self.value(operand(1), 0) }
                }
                LLVMOpcode::LLVMExtractElement => {
                    let index = vec![constant_index(operand(1))];
                    Kind::Extract { from: self.value(operand(0), 0), index }
                }
                LLVMOpcode::LLVMInsertElement => {
                    Kind::Insert { into: self.value(operand(0), 0), value: self.value(operand(1), 0) }
                }
                LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => self.call(value),
                LLVMOpcode::LLVMBr => {
                    let condition = (LLVMGetNumOperands(value) == 3).then(|| operand(0));
                    Kind::Branch(condition.map(|c| self.value(c, 0)))
                }
                LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr => Kind::Branch(Some(self.value(operand(0), 0))),
                op @ (LLVMOpcode::LLVMAdd
                | LLVMOpcode::LLVMSub
                | LLVMOpcode::LLVMMul
                | LLVMOpcode::LLVMUDiv
                | LLVMOpcode::LLVMSDiv
                | LLVMOpcode::LLVMURem
                | LLVMOpcode::LLVMSRem
                | LLVMOpcode::LLVMShl
                | LLVMOpcode::LLVMLShr
                | LLVMOpcode::LLVMAShr
                | LLVMOpcode::LLVMAnd
                | LLVMOpcode::LLVMOr
                | LLVMOpcode::LLVMXor) => {
                    Kind::Binary { op, left: self.value(operand(0), 0), right: self.value(operand(1), 0) }
                }
                _ => {
                    let count = u32::try_from(LLVMGetNumOperands(value)).unwrap_or(0);
                    let mut operands = Vec::new();
                    for n in 0..count {
                        let operand = operand(n);
                        if !operand.is_null() && LLVMValueIsBasicBlock(operand) == 0 {
                            operands.push(self.value(operand, 0));
                        }
                    }
                    Kind::Other(operands)
                }
            }
        }
    }

    /// # Safety
    /// The value is a call.
    unsafe fn call(&mut self, value: LLVMValueRef) -> Kind {
        // SAFETY: as the caller states.
        unsafe {
            let callee = LLVMGetCalledValue(value);
            let mut arguments = Vec::new();
            for n in 0..LLVMGetNumArgOperands(value) {
                let argument = LLVMGetOperand(value, n);
                // Metadata is no value that a kernel computes with.
                if LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMTypeKind::LLVMMetadataTypeKind {
                    arguments.push(self.push(Kind::Constant, 0));
                } else {
                    arguments.push(self.value(argument, 0));
                }
            }
            if !LLVMIsAInlineAsm(callee).is_null() {
                return Kind::Assembly { code: self.assembly(callee), inputs: arguments };
            }
            if LLVMIsAFunction(callee).is_null() {
                return Kind::Indirect { arguments };
            }
            let name = self
                .shared
                .names
                .entry(callee as usize)
                .or_insert_with(|| Rc::from(value_name(callee).as_str()))
                .clone();
            Kind::Call { name, arguments, defined: LLVMIsDeclaration(callee) == 0 }
        }
    }

    /// # Safety
    /// The value is inline assembly.
    unsafe fn assembly(&mut self, callee: LLVMValueRef) -> Rc<Assembly> {
        let string = |get: unsafe extern "C" fn(LLVMValueRef, *mut usize) -> *const std::ffi::c_char| {
            let mut length = 0;
            // SAFETY: as the caller states; the text has the length that LLVM says.
            unsafe {
                let start = get(callee, &raw mut length);
                if start.is_null() || length == 0 {
                    return String::new();
                }
                String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned()
            }
        };
        let key = (string(LLVMGetInlineAsmAsmString), string(LLVMGetInlineAsmConstraintString));
        if let Some(found) = self.shared.assembly.get(&key) {
            return found.clone();
        }
        let code = ptx::InlineAsm::parse(&key.0, &key.1).map_err(|e| e.to_string());
        let mut operands = Vec::new();
        if let Ok(code) = &code {
            let (mut outputs, mut inputs) = (0, 0);
            for constraint in &code.constraints.operands {
                if constraint.direction == ptx::Direction::Output && !constraint.indirect {
                    operands.push(AsmOperand::Output(outputs));
                    outputs += 1;
                } else {
                    operands.push(AsmOperand::Input(inputs));
                    inputs += 1;
                }
            }
        }
        let found = Rc::new(Assembly { code, operands });
        self.shared.assembly.insert(key, found.clone());
        found
    }
}

/// Whether a type is a floating-point number, or a vector of some.
///
/// # Safety
/// The type is alive.
unsafe fn is_float(ty: LLVMTypeRef) -> bool {
    // SAFETY: as the caller states; a vector has an element type.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind => true,
            LLVMTypeKind::LLVMVectorTypeKind => is_float(LLVMGetElementType(ty)),
            _ => false,
        }
    }
}

/// # Safety
/// The value is alive.
unsafe fn value_name(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: as the caller states; the text has the length that LLVM says.
    unsafe {
        let start = LLVMGetValueName2(value, &raw mut length);
        if start.is_null() || length == 0 {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned()
    }
}

/// # Safety
/// The instruction is `extractvalue` or `insertvalue`.
unsafe fn indices(value: LLVMValueRef) -> Vec<u32> {
    // SAFETY: as the caller states; LLVM says how many indices there are.
    unsafe {
        let start = LLVMGetIndices(value);
        if start.is_null() {
            return Vec::new();
        }
        std::slice::from_raw_parts(start, LLVMGetNumIndices(value) as usize).to_vec()
    }
}

/// A constant index, or a number that no part has.
///
/// # Safety
/// The value is alive.
unsafe fn constant_index(value: LLVMValueRef) -> u32 {
    // SAFETY: as the caller states.
    unsafe {
        if LLVMIsAConstantInt(value).is_null() {
            return u32::MAX;
        }
        u32::try_from(LLVMConstIntGetZExtValue(value)).unwrap_or(u32::MAX)
    }
}

/// # Safety
/// The scope is a live subprogram.
unsafe fn subprogram_span(scope: inkwell::llvm_sys::prelude::LLVMMetadataRef) -> Option<crate::diagnostic::Span> {
    use inkwell::llvm_sys::debuginfo::{
        LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    };
    let mut length: std::ffi::c_uint = 0;
    // SAFETY: LLVM returns null or so many bytes.
    let text = |start: *const std::ffi::c_char, length: std::ffi::c_uint| unsafe {
        let bytes = if start.is_null() { &[][..] } else { std::slice::from_raw_parts(start.cast(), length as usize) };
        String::from_utf8_lossy(bytes).into_owned()
    };
    // SAFETY: as the caller states; a file's name has the length that LLVM says.
    unsafe {
        let line = LLVMDISubprogramGetLine(scope);
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() || line == 0 {
            return None;
        }
        let start = LLVMDIFileGetFilename(file, &raw mut length);
        let name = text(start, length);
        if name.is_empty() {
            return None;
        }
        let start = LLVMDIFileGetDirectory(file, &raw mut length);
        let name = crate::llvm::in_folder(name, &text(start, length));
        Some(crate::diagnostic::Span { file: name, line, column: 0 })
    }
}

/// The state space of an address space of NVPTX's.
fn space(number: u32) -> Space {
    match number {
        1 => Space::Global,
        3 | 7 => Space::Shared,
        4 => Space::Constant,
        5 => Space::Local,
        101 => Space::Parameter,
        _ => Space::Generic,
    }
}

fn semantics(ordering: LLVMAtomicOrdering) -> Semantics {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Semantics::Acquire,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Semantics::Release,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Semantics::AcquireRelease,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Semantics::SequentiallyConsistent,
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => Semantics::Weak,
        _ => Semantics::Relaxed,
    }
}

fn atomic_op(op: LLVMAtomicRMWBinOp) -> Option<AtomicOp> {
    use LLVMAtomicRMWBinOp::*;
    Some(match op {
        LLVMAtomicRMWBinOpXchg => AtomicOp::Exch,
        LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub | LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub => {
            AtomicOp::Add
        }
        LLVMAtomicRMWBinOpAnd => AtomicOp::And,
        LLVMAtomicRMWBinOpOr => AtomicOp::Or,
        LLVMAtomicRMWBinOpXor => AtomicOp::Xor,
        LLVMAtomicRMWBinOpMax | LLVMAtomicRMWBinOpUMax | LLVMAtomicRMWBinOpFMax => AtomicOp::Max,
        LLVMAtomicRMWBinOpMin | LLVMAtomicRMWBinOpUMin | LLVMAtomicRMWBinOpFMin => AtomicOp::Min,
        LLVMAtomicRMWBinOpUIncWrap => AtomicOp::Inc,
        LLVMAtomicRMWBinOpUDecWrap => AtomicOp::Dec,
        _ => return None,
    })
}

fn integer_predicate(predicate: LLVMIntPredicate) -> &'static str {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => "eq",
        LLVMIntPredicate::LLVMIntNE => "ne",
        LLVMIntPredicate::LLVMIntUGT => "ugt",
        LLVMIntPredicate::LLVMIntUGE => "uge",
        LLVMIntPredicate::LLVMIntULT => "ult",
        LLVMIntPredicate::LLVMIntULE => "ule",
        LLVMIntPredicate::LLVMIntSGT => "sgt",
        LLVMIntPredicate::LLVMIntSGE => "sge",
        LLVMIntPredicate::LLVMIntSLT => "slt",
        LLVMIntPredicate::LLVMIntSLE => "sle",
    }
}

fn real_predicate(predicate: LLVMRealPredicate) -> &'static str {
    match predicate {
        LLVMRealPredicate::LLVMRealOEQ | LLVMRealPredicate::LLVMRealUEQ => "feq",
        LLVMRealPredicate::LLVMRealONE | LLVMRealPredicate::LLVMRealUNE => "fne",
        LLVMRealPredicate::LLVMRealUNO | LLVMRealPredicate::LLVMRealORD => "funordered",
        _ => "fordered",
    }
}
