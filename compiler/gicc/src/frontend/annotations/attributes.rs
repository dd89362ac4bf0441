//! `__attribute__((annotate("gicc.…")))`, as clang writes it: `llvm.var.annotation` for parameters and local variables,
//! `llvm.ptr.annotation` for fields at each access, `llvm.global.annotations` for variables and functions.

use std::collections::BTreeSet;

use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMTypeKind, LLVMValueKind};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, InstructionValue};

use super::domains;
use crate::analysis::annotation::{Annotation, Notes, ParameterNote, Said};
use crate::analysis::known::ANNOTATED;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{Call, calls, erase, name_of, span};

/// As many addresses are followed from one annotation.
const MOST: usize = 4096;

/// Reads all annotations and marks values.
pub(super) fn read(module: &Module<'_>, notes: &mut Notes) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    of_globals(module, notes, &mut errors);
    each_call(module, &mut errors, &mut |call, annotation, is_field| {
        // SAFETY: the call is alive; behind the text it has the file and the line.
        let place = unsafe {
            let value = call.instruction.as_value_ref();
            let arguments = LLVMGetNumArgOperands(value);
            if arguments < 4 { None } else { place(LLVMGetOperand(value, 2), LLVMGetOperand(value, 3)) }
        };
        let said = Said { set: BTreeSet::from([annotation]), place };
        let number = notes.set(said.clone());
        let value = call.instruction.as_value_ref();
        // SAFETY: the call has the annotated address as its first argument; what follows from it is alive.
        unsafe {
            let address = LLVMGetOperand(value, 0);
            if is_field {
                LLVMReplaceAllUsesWith(value, address);
                // Each access to a field has its own annotation, so only this address is meant.
                mark_loads(module, vec![address], number);
            } else {
                variable(module, address, number, notes, &said);
            }
        }
        erase(call.instruction);
    });
    errors
}

/// Removes all annotations; of what they say, the declarations of domains are kept.
pub(super) fn remove(module: &Module<'_>, notes: &mut Notes) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut found = Notes::default();
    of_globals(module, &mut found, &mut errors);
    notes.domains.append(&mut found.domains);
    each_call(module, &mut errors, &mut |call, _, is_field| {
        if is_field {
            let value = call.instruction.as_value_ref();
            // SAFETY: the call has the annotated address as its first argument, of the result's type.
            unsafe { LLVMReplaceAllUsesWith(value, LLVMGetOperand(value, 0)) };
        }
        erase(call.instruction);
    });
    errors
}

/// Calls `with` for each annotation of gicc's; those of others are left alone.
fn each_call<'c>(module: &Module<'c>, errors: &mut Vec<Diagnostic>, with: &mut dyn FnMut(Call<'c>, Annotation, bool)) {
    for call in calls(module) {
        let name = name_of(call.callee);
        let is_field = name.starts_with("llvm.ptr.annotation.");
        if !is_field && !name.starts_with("llvm.var.annotation") {
            continue;
        }
        // SAFETY: the call is alive; its second argument is the text.
        let text = unsafe {
            let value = call.instruction.as_value_ref();
            if LLVMGetNumArgOperands(value) < 2 { None } else { string(LLVMGetOperand(value, 1)) }
        };
        match text.as_deref().and_then(Annotation::parse) {
            None => {}
            Some(Ok(Annotation::DeclaresDomain(name))) => {
                errors.push(domains::declared_elsewhere(&name).at(span(call.instruction)));
            }
            Some(Ok(annotation)) => with(call, annotation, is_field),
            Some(Err(why)) => errors.push(unknown(&why, Some(call.instruction))),
        }
    }
}

fn unknown(why: &str, at: Option<InstructionValue<'_>>) -> Diagnostic {
    Diagnostic::error(codes::BAD_ANNOTATION, why)
        .at(at.and_then(span))
        .cause("annotations that begin with `gicc.` are gicc's")
        .cure(format!("there are {}", Annotation::KNOWN))
}

fn of_globals(module: &Module<'_>, notes: &mut Notes, errors: &mut Vec<Diagnostic>) {
    let Some(list) = module.get_global("llvm.global.annotations") else { return };
    // SAFETY: the list is alive; its initialiser is an array of structures of the annotated value, a text, a file and a line.
    unsafe {
        let all = LLVMGetInitializer(list.as_value_ref());
        if all.is_null() {
            return;
        }
        let mut others = false;
        let mut declarations = Vec::new();
        for n in 0..u32::try_from(LLVMGetNumOperands(all)).unwrap_or(0) {
            let entry = LLVMGetOperand(all, n);
            if LLVMGetNumOperands(entry) < 2 {
                others = true;
                continue;
            }
            let what = strip(LLVMGetOperand(entry, 0));
            let annotation = match string(LLVMGetOperand(entry, 1)).as_deref().and_then(Annotation::parse) {
                None => {
                    others = true;
                    continue;
                }
                Some(Err(why)) => {
                    errors.push(unknown(&why, None));
                    continue;
                }
                Some(Ok(annotation)) => annotation,
            };
            if let Annotation::DeclaresDomain(name) = annotation {
                let located = LLVMGetNumOperands(entry) >= 4;
                let place = if located { place(LLVMGetOperand(entry, 2), LLVMGetOperand(entry, 3)) } else { None };
                match domains::of_variable(name, what, place) {
                    Ok(domain) => notes.domains.push(domain),
                    Err(error) => errors.push(error),
                }
                declarations.push(what);
                continue;
            }
            let name = value_name(what);
            let of = if LLVMIsAFunction(what).is_null() { &mut notes.variables } else { &mut notes.functions };
            of.entry(name).or_default().insert(annotation);
        }
        // A list that names a kernel makes the back end declare the kernel once more.
        if !others {
            LLVMDeleteGlobal(list.as_value_ref());
        }
        domains::forget(module, &declarations);
    }
}

/// The place that clang writes beside an annotation: a file, and a line of it.
///
/// # Safety
/// Both values are alive.
unsafe fn place(file: LLVMValueRef, line: LLVMValueRef) -> Option<Span> {
    // SAFETY: as the caller states.
    unsafe {
        let line = if LLVMIsAConstantInt(line).is_null() { 0 } else { LLVMConstIntGetZExtValue(line) };
        let line = u32::try_from(line).ok().filter(|l| *l > 0)?;
        Some(Span { file: string(file)?, line, column: 0 })
    }
}

/// A variable or parameter, by the address that it has.
///
/// # Safety
/// The address is alive.
unsafe fn variable(module: &Module<'_>, address: LLVMValueRef, number: u32, notes: &mut Notes, said: &Said) {
    // SAFETY: as the caller states; each question is asked of a value of the kind that was found.
    unsafe {
        let address = strip(address);
        if LLVMGetValueKind(address) == LLVMValueKind::LLVMArgumentValueKind {
            // A structure that is passed by value.
            note_parameter(address, notes, said);
            mark_loads(module, vec![address], number);
            return;
        }
        let is_alloca =
            !LLVMIsAInstruction(address).is_null() && LLVMGetInstructionOpcode(address) == LLVMOpcode::LLVMAlloca;
        let scalar = is_alloca
            && matches!(
                LLVMGetTypeKind(LLVMGetAllocatedType(address)),
                LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMIntegerTypeKind
            );
        if !scalar {
            mark_loads(module, vec![address], number);
            return;
        }
        for user in users(address) {
            if LLVMGetInstructionOpcode(user) == LLVMOpcode::LLVMStore && LLVMGetOperand(user, 1) == address {
                let stored = LLVMGetOperand(user, 0);
                if LLVMGetValueKind(stored) == LLVMValueKind::LLVMArgumentValueKind {
                    note_parameter(stored, notes, said);
                }
                if let Some(marked) = mark(module, stored, user, number) {
                    LLVMSetOperand(user, 0, marked);
                }
            }
        }
    }
}

/// Keeps the annotation of a parameter by its place.
///
/// # Safety
/// The value is an argument of a function.
unsafe fn note_parameter(argument: LLVMValueRef, notes: &mut Notes, said: &Said) {
    // SAFETY: as the caller states.
    unsafe {
        let function = LLVMGetParamParent(argument);
        for n in 0..LLVMCountParams(function) {
            if LLVMGetParam(function, n) == argument {
                notes.parameters.push(ParameterNote {
                    function: value_name(function),
                    index: n,
                    offset: None,
                    said: said.clone(),
                });
            }
        }
    }
}

/// Marks what is loaded through addresses, also through element addresses computed from them.
///
/// # Safety
/// The addresses are alive.
unsafe fn mark_loads(module: &Module<'_>, mut addresses: Vec<LLVMValueRef>, number: u32) {
    let mut seen = std::collections::HashSet::new();
    // SAFETY: as the caller states; users of a value are instructions or constants that live as long.
    unsafe {
        while let Some(address) = addresses.pop() {
            if seen.len() >= MOST || !seen.insert(address as usize) {
                continue;
            }
            for user in users(address) {
                match LLVMGetInstructionOpcode(user) {
                    LLVMOpcode::LLVMLoad => mark_result(module, user, number),
                    LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast
                        if LLVMGetOperand(user, 0) == address =>
                    {
                        addresses.push(user);
                    }
                    // A second annotation of the same field.
                    LLVMOpcode::LLVMCall
                        if value_name(LLVMGetCalledValue(user)).starts_with("llvm.ptr.annotation.") =>
                    {
                        addresses.push(user);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Marks the result of a load, if it is wide enough for an address.
///
/// # Safety
/// The value is a load.
unsafe fn mark_result(module: &Module<'_>, load: LLVMValueRef, number: u32) {
    // SAFETY: as the caller states; the mark stands behind the load and is the only use that keeps the load itself.
    unsafe {
        let next = LLVMGetNextInstruction(load);
        if next.is_null() {
            return;
        }
        let Some(marked) = mark(module, load, next, number) else { return };
        LLVMReplaceAllUsesWith(load, marked);
        LLVMSetOperand(marked, 0, load);
    }
}

/// Marks what a parameter holds, everywhere in its function.
///
/// # Safety
/// The value is an argument of a function that has a body.
pub(super) unsafe fn mark_parameter(module: &Module<'_>, argument: LLVMValueRef, notes: &mut Notes, said: &Said) {
    // SAFETY: as the caller states; the mark stands in front of all instructions, and is the only use that keeps the value.
    unsafe {
        note_parameter(argument, notes, said);
        let first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(argument)));
        if let Some(marked) = mark(module, argument, first, notes.set(said.clone())) {
            LLVMReplaceAllUsesWith(argument, marked);
            LLVMSetOperand(marked, 0, argument);
        }
    }
}

/// A mark of a value in front of an instruction; nothing for a value that cannot be an address.
///
/// # Safety
/// Both are alive, and the value is there in front of the instruction.
unsafe fn mark(module: &Module<'_>, value: LLVMValueRef, before: LLVMValueRef, number: u32) -> Option<LLVMValueRef> {
    // SAFETY: as the caller states; the builder is disposed of.
    unsafe {
        let ty = LLVMTypeOf(value);
        let suffix = match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMPointerTypeKind => format!("p{}", LLVMGetPointerAddressSpace(ty)),
            LLVMTypeKind::LLVMIntegerTypeKind if LLVMGetIntTypeWidth(ty) == 64 => "i64".to_owned(),
            _ => return None,
        };
        let name = format!("{ANNOTATED}.{suffix}\0");
        let reference = module.as_mut_ptr();
        let context = LLVMGetModuleContext(reference);
        let number_type = LLVMInt32TypeInContext(context);
        let mut parameters = [ty, number_type];
        let function_type = LLVMFunctionType(ty, parameters.as_mut_ptr(), 2, 0);
        let mut function = LLVMGetNamedFunction(reference, name.as_ptr().cast());
        if function.is_null() {
            function = LLVMAddFunction(reference, name.as_ptr().cast(), function_type);
            for (attribute, value) in [("nounwind", 0), ("willreturn", 0), ("speculatable", 0), ("memory", 0)] {
                let kind = LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len());
                let attribute = LLVMCreateEnumAttribute(context, kind, value);
                LLVMAddAttributeAtIndex(function, inkwell::llvm_sys::LLVMAttributeFunctionIndex, attribute);
            }
        }
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, before);
        let mut arguments = [value, LLVMConstInt(number_type, u64::from(number), 0)];
        let call = LLVMBuildCall2(builder, function_type, function, arguments.as_mut_ptr(), 2, c"".as_ptr());
        LLVMDisposeBuilder(builder);
        Some(call)
    }
}

/// The instructions that use a value.
///
/// # Safety
/// The value is alive.
unsafe fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut found = Vec::new();
    // SAFETY: as the caller states; the list of uses ends with null.
    unsafe {
        let mut at = LLVMGetFirstUse(value);
        while !at.is_null() {
            let user = LLVMGetUser(at);
            if !LLVMIsAInstruction(user).is_null() {
                found.push(user);
            }
            at = LLVMGetNextUse(at);
        }
    }
    found
}

/// Casts looked through.
///
/// # Safety
/// The value is alive.
unsafe fn strip(mut value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: as the caller states; a cast has one operand.
    unsafe {
        for _ in 0..16 {
            let casts = |op| matches!(op, LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast);
            let is_cast = (!LLVMIsAConstantExpr(value).is_null() && casts(LLVMGetConstOpcode(value)))
                || (!LLVMIsAInstruction(value).is_null() && casts(LLVMGetInstructionOpcode(value)));
            if !is_cast {
                break;
            }
            value = LLVMGetOperand(value, 0);
        }
    }
    value
}

/// The text of a constant.
///
/// # Safety
/// The value is alive.
pub(super) unsafe fn string(value: LLVMValueRef) -> Option<String> {
    // SAFETY: as the caller states; a constant string has the length that LLVM says.
    unsafe {
        let variable = strip(value);
        if LLVMIsAGlobalVariable(variable).is_null() {
            return None;
        }
        let text = LLVMGetInitializer(variable);
        if text.is_null() || LLVMIsAConstantDataSequential(text).is_null() || LLVMIsConstantString(text) == 0 {
            return None;
        }
        let mut length = 0;
        let start = LLVMGetAsString(text, &raw mut length);
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
        Some(String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned())
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
