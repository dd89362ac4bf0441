//! Calls of the simulator: while a module is being rewritten they are calls of functions named `sim.*`; at the end each of
//! these functions gets a body that goes through the table, and each call its site.

use gicc_abi::sim::{API_SYMBOL, Entry, Meta, Type};
use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::{LLVMSetLinkage, LLVMSetUnnamedAddress};

use super::ir::{Ir, Ty, Value};
use super::module;
use super::site::Sites;

/// The function type of an entry point.
pub(super) fn signature(ir: &Ir, entry: Entry) -> Ty {
    let of = |ty| match ty {
        Type::Void => ir.void(),
        Type::I64 => ir.int(64),
        Type::Ptr => ir.pointer(0),
    };
    let parameters: Vec<_> = entry.parameters().iter().map(|&t| of(t)).collect();
    ir.function_type(of(entry.result()), &parameters)
}

/// The `sim.*` function of an entry point, declared where it is not there yet.
pub(super) fn function(ir: &Ir, entry: Entry) -> Value {
    ir.function(entry.name()).unwrap_or_else(|| ir.add_function(entry.name(), signature(ir, entry)))
}

/// Calls an entry point. `meta` comes last and gets its site at the end.
pub(super) fn call(ir: &Ir, entry: Entry, arguments: &[Value], meta: Meta) -> Value {
    let mut all = arguments.to_vec();
    all.push(ir.i64(meta.0));
    ir.call(signature(ir, entry), function(ir, entry), &all)
}

/// Gives each call of an entry point its site. Runs when everything that calls entry points has been inlined where it
/// will be: a call from the library then stands where the user's call stood.
pub(super) fn number_sites(ir: &Ir, sites: &mut Sites) {
    let names: std::collections::HashMap<Value, usize> =
        Entry::ALL[1..].iter().filter_map(|&e| Some((ir.function(e.name())?, e.parameters().len() - 1))).collect();
    for function in ir.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = function.name();
        for instruction in function.instructions() {
            if instruction.opcode() != Some(inkwell::llvm_sys::LLVMOpcode::LLVMCall) {
                continue;
            }
            let Some(&last) = names.get(&instruction.callee()) else { continue };
            let Some(meta) = instruction.operand(last as u32).const_i64() else { continue };
            let site = sites.number(instruction.span().as_ref(), &name);
            instruction.set_operand(last as u32, ir.i64(Meta(meta as u64).at(site).0));
        }
    }
}

/// Gives the entry points that are used their bodies: a call through the table.
pub(super) fn define(ir: &Ir) {
    let pointer = ir.pointer(0);
    let table_type = ir.array(pointer, Entry::COUNT as u64);
    let table = ir.add_global(API_SYMBOL, table_type, ir.zero(table_type));
    for (index, &entry) in Entry::ALL.iter().enumerate() {
        let Some(function) = ir.function(entry.name()) else { continue };
        let block = ir.append_block(function, "entry");
        ir.at_end(block);
        let slot = ir.offset(table, ir.i64(8 * index as u64));
        let target = ir.load(pointer, slot, 8);
        module::mark_invariant(ir, target);
        let result = ir.call(signature(ir, entry), target, &function.parameters());
        module::add_call_attribute(ir, result, "nounwind");
        if entry == Entry::Thread {
            // The same for the whole life of a thread, so one call in a function is enough.
            module::add_attribute(ir, function, "speculatable");
            module::add_attribute(ir, function, "willreturn");
            module::add_call_memory_none(ir, result);
        }
        ir.ret((entry.result() != Type::Void).then_some(result));
        module::add_attribute(ir, function, "alwaysinline");
        module::add_attribute(ir, function, "nounwind");
        // SAFETY: a function of this module.
        unsafe {
            LLVMSetLinkage(function.0, LLVMLinkage::LLVMInternalLinkage);
            LLVMSetUnnamedAddress(function.0, inkwell::llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
        }
    }
}
