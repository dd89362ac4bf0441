//! What the host would do otherwise than a GPU: divisions by zero (they trap), conversions out of range (a GPU saturates),
//! endless loops (nobody else would run), deep recursion, and places that are never reached.
//!
//! Each guard is a call of a library function (`library.ll`), inlined later.

use std::collections::{HashMap, HashSet};

use gicc_abi::sim::{Entry, Fault, Meta};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use super::codes;
use super::entry;
use super::ir::{Block, Ir, Value};
use crate::diagnostic::Diagnostic;

/// Library functions that guards call.
const DIVISION: &str = "sim.lib.division";
const LOOP: &str = "sim.lib.loop";
const STACK: &str = "sim.lib.stack";

/// Puts all guards into a function.
pub(super) fn insert(ir: &Ir, function: Value, errors: &mut Vec<Diagnostic>) {
    for instruction in function.instructions() {
        use LLVMOpcode::*;
        match instruction.opcode() {
            Some(LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem) => {
                if let Err(error) = division(ir, instruction) {
                    errors.push(error);
                }
            }
            Some(LLVMFPToSI | LLVMFPToUI) => saturate(ir, instruction),
            Some(LLVMUnreachable) => {
                ir.before(instruction);
                let code = ir.i64(Fault::Unreachable.code());
                entry::call(ir, Entry::Fault, &[code, ir.i64(0)], Meta(0));
            }
            _ => {}
        }
    }
    loops(ir, function);
    if let Err(error) = super::describe::check_frame(ir, function) {
        errors.push(error);
    }
    stack(ir, function);
}

fn division(ir: &Ir, instruction: Value) -> Result<(), Diagnostic> {
    let opcode = instruction.opcode();
    let signed = matches!(opcode, Some(LLVMOpcode::LLVMSDiv | LLVMOpcode::LLVMSRem));
    let divisor = instruction.operand(1);
    if divisor.const_i64().is_some_and(|c| c != 0 && !(signed && c == -1)) {
        return Ok(());
    }
    let ty = divisor.ty();
    if !ty.is_int() {
        // A vector of constants cannot be zero where the source's own division is not.
        if divisor.is_constant() {
            return Ok(());
        }
        return Err(Diagnostic::error(codes::UNSUPPORTED, "the simulator has no division of vectors of integers")
            .at(instruction.span())
            .cure("Divide element by element."));
    }
    ir.before(instruction);
    let word = ir.int(64);
    let is_zero = ir.compare(LLVMIntPredicate::LLVMIntEQ, divisor, ir.zero(ty));
    let flag = ir.cast(LLVMOpcode::LLVMZExt, is_zero, word);
    let check = library(ir, DIVISION, &[word.0]);
    ir.call(check.value_type(), check, &[flag]);
    let one = ir.constant(ty, 1);
    let mut safe = ir.select(is_zero, one, divisor);
    if !signed {
        instruction.set_operand(1, safe);
        return Ok(());
    }
    // The smallest number divided by -1 overflows, on which the host traps and a GPU does not.
    let minus_one = ir.compare(LLVMIntPredicate::LLVMIntEQ, divisor, Value(unsafe { LLVMConstAllOnes(ty.0) }));
    safe = ir.select(minus_one, one, safe);
    let dividend = instruction.operand(0);
    let (result, special) = if opcode == Some(LLVMOpcode::LLVMSDiv) {
        let quotient = ir.binary(LLVMOpcode::LLVMSDiv, dividend, safe);
        (quotient, ir.binary(LLVMOpcode::LLVMSub, ir.zero(ty), dividend))
    } else {
        (ir.binary(LLVMOpcode::LLVMSRem, dividend, safe), ir.zero(ty))
    };
    let value = ir.select(minus_one, special, result);
    instruction.replace_uses(value);
    instruction.erase();
    Ok(())
}

/// A conversion to an integer saturates, and NaN has a number of its own.
fn saturate(ir: &Ir, instruction: Value) {
    let (from, to) = (instruction.operand(0), instruction.ty());
    if from.ty().kind() == LLVMTypeKind::LLVMBFloatTypeKind
        || from.ty().is_vector()
        || !(2..=64).contains(&to.int_bits())
    {
        return;
    }
    let signed = instruction.opcode() == Some(LLVMOpcode::LLVMFPToSI);
    ir.before(instruction);
    let value = super::to_integer::convert(ir, from, to.int_bits(), signed);
    instruction.replace_uses(value);
    instruction.erase();
}

/// A library function that returns nothing.
fn library(ir: &Ir, name: &str, parameters: &[inkwell::llvm_sys::prelude::LLVMTypeRef]) -> Value {
    let parameters: Vec<_> = parameters.iter().map(|&p| super::ir::Ty(p)).collect();
    let ty = ir.function_type(ir.void(), &parameters);
    ir.function(name).unwrap_or_else(|| ir.add_function(name, ty))
}

/// Counts a step at the source of each edge that goes back.
fn loops(ir: &Ir, function: Value) {
    for latch in latches(function) {
        if let Some(terminator) = latch.terminator() {
            ir.before(terminator);
            let step = library(ir, LOOP, &[]);
            ir.call(step.value_type(), step, &[]);
        }
    }
}

/// Blocks from which an edge leads to a block that is being visited, in a depth-first walk: every cycle has one.
fn latches(function: Value) -> Vec<Block> {
    #[derive(PartialEq)]
    enum State {
        Open,
        Done,
    }
    let mut state: HashMap<Block, State> = HashMap::new();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let Some(&entry) = function.blocks().first() else { return found };
    let mut stack = vec![(entry, entry.successors(), 0)];
    state.insert(entry, State::Open);
    while let Some((block, successors, next)) = stack.last_mut() {
        let block = *block;
        let Some(&to) = successors.get(*next) else {
            state.insert(block, State::Done);
            stack.pop();
            continue;
        };
        *next += 1;
        match state.get(&to) {
            Some(State::Open) => {
                if seen.insert(block) {
                    found.push(block);
                }
            }
            Some(State::Done) => {}
            None => {
                state.insert(to, State::Open);
                stack.push((to, to.successors(), 0));
            }
        }
    }
    found
}

/// Checks at a function's start that its frame fits on the stack.
fn stack(ir: &Ir, function: Value) {
    let frame = super::describe::frame(ir, function);
    ir.at_start(function);
    let check = library(ir, STACK, &[ir.int(64).0]);
    ir.call(check.value_type(), check, &[ir.i64(frame)]);
}
