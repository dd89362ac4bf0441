//! The body of a translated expression: registers and placeholders as untyped bits in allocas, labels as blocks, guards
//! as branches.

use std::collections::HashMap;

use gicc_abi::sim::{Entry, Meta};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use ptx::ast::Registers;
use ptx::{Immediate, ImmediateValue, Instruction, Op, Operand, ScalarType, Statement, StatementKind};

use super::super::entry;
use super::super::ir::{Block, Ir, Ty, Value};
use super::Refusal;

/// A register or placeholder.
#[derive(Clone, Copy)]
struct Cell {
    place: Value,
    bits: u32,
    /// The number, where it is known at compile time.
    constant: Option<i64>,
}

/// Names of a `{ … }`.
#[derive(Default)]
struct Scope {
    declared: Vec<Registers>,
    registers: HashMap<String, Cell>,
    labels: HashMap<String, Block>,
}

/// A body under translation.
pub(super) struct Body<'a> {
    pub(super) ir: &'a Ir,
    pub(super) function: Value,
    placeholders: Vec<Cell>,
    scopes: Vec<Scope>,
    carry: Option<Value>,
}

impl<'a> Body<'a> {
    pub(super) fn new(ir: &'a Ir, function: Value) -> Self {
        let block = ir.append_block(function, "entry");
        // Allocas come at the start, behind which the body begins.
        ir.at_end(block);
        Self { ir, function, placeholders: Vec::new(), scopes: vec![Scope::default()], carry: None }
    }

    fn cell(&self, bits: u32, constant: Option<i64>) -> Cell {
        let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
        Cell { place: self.ir.entry_alloca(self.function, bytes, bytes.max(8)), bits, constant }
    }

    pub(super) fn add_placeholder(
        &mut self,
        bits: u32,
        initial: Option<Value>,
        constant: Option<i64>,
    ) -> Result<(), Refusal> {
        let cell = self.cell(bits, constant);
        // A result that no statement writes is undefined in PTX; zero is one of the values that it may have.
        let initial = initial.unwrap_or_else(|| self.ir.constant(self.ir.int(bits), 0));
        self.store(cell, initial);
        self.placeholders.push(cell);
        Ok(())
    }

    /// Gives an output its initial value.
    pub(super) fn tie(&mut self, output: u32, initial: Value) -> Result<(), Refusal> {
        let cell =
            *self.placeholders.get(output as usize).ok_or("an input is tied to an output that does not exist")?;
        self.store(cell, self.resize(initial, cell.bits, false));
        Ok(())
    }

    /// The bits of a value of any type as an integer.
    pub(super) fn bits_of(&self, value: Value) -> Result<Value, Refusal> {
        let ty = value.ty();
        let bits = super::bits(self.ir, ty)?;
        Ok(if ty.is_pointer() {
            self.ir.cast(LLVMOpcode::LLVMPtrToInt, value, self.ir.int(64))
        } else {
            self.ir.cast(LLVMOpcode::LLVMBitCast, value, self.ir.int(bits))
        })
    }

    /// The final value of a placeholder, as a value of this type.
    pub(super) fn placeholder_as(&self, index: usize, ty: Ty) -> Result<Value, Refusal> {
        let cell = self.placeholders.get(index).copied().ok_or("an output does not exist")?;
        let word = self.load(cell);
        Ok(if ty.is_pointer() {
            self.ir.cast(LLVMOpcode::LLVMIntToPtr, word, ty)
        } else {
            self.ir.cast(LLVMOpcode::LLVMBitCast, word, ty)
        })
    }

    fn load(&self, cell: Cell) -> Value {
        self.ir.load(self.ir.int(cell.bits), cell.place, 8)
    }

    fn store(&self, cell: Cell, value: Value) {
        self.ir.store(value, cell.place, 8);
    }

    // Integers.

    /// An integer of this width.
    pub(super) fn int(&self, bits: u32, value: u64) -> Value {
        self.ir.constant(self.ir.int(bits), value)
    }

    /// The integer with another width.
    pub(super) fn resize(&self, value: Value, bits: u32, signed: bool) -> Value {
        let from = value.ty().int_bits();
        let opcode = match (from < bits, signed) {
            (false, _) => LLVMOpcode::LLVMTrunc,
            (true, true) => LLVMOpcode::LLVMSExt,
            (true, false) => LLVMOpcode::LLVMZExt,
        };
        self.ir.cast(opcode, value, self.ir.int(bits))
    }

    /// Calls a function of LLVM or of the library, by name.
    pub(super) fn call(&self, name: &str, result: Ty, arguments: &[Value]) -> Value {
        let types: Vec<_> = arguments.iter().map(|a| a.ty()).collect();
        let ty = self.ir.function_type(result, &types);
        let function = self.ir.function(name).unwrap_or_else(|| self.ir.add_function(name, ty));
        self.ir.call(ty, function, arguments)
    }

    /// Calls an entry point of the simulator.
    pub(super) fn entry(&self, entry: Entry, arguments: &[Value], meta: Meta) -> Value {
        entry::call(self.ir, entry, arguments, meta)
    }

    // Operands.

    fn find(&mut self, name: &str) -> Result<Cell, Refusal> {
        for level in (0..self.scopes.len()).rev() {
            if let Some(&cell) = self.scopes[level].registers.get(name) {
                return Ok(cell);
            }
            let declared = self.scopes[level].declared.iter().find(|r| r.declares(name));
            if let Some(registers) = declared {
                if registers.vector.is_some() {
                    return Err(format!("the vector register {name} is not supported"));
                }
                let cell = self.cell(registers.ty.bits(), None);
                self.scopes[level].registers.insert(name.to_owned(), cell);
                return Ok(cell);
            }
        }
        Err(format!("the register {name} is not declared"))
    }

    fn operand_cell(&mut self, operand: &Operand) -> Result<Cell, Refusal> {
        match operand {
            Operand::Register(name) => self.find(name),
            Operand::Placeholder(p) => self
                .placeholders
                .get(p.index as usize)
                .copied()
                .ok_or_else(|| format!("there is no operand {}", p.index)),
            other => Err(format!("`{other}` cannot stand there")),
        }
    }

    /// A number that has to be known at compile time.
    pub(super) fn constant(&mut self, operand: &Operand) -> Result<i64, Refusal> {
        match operand {
            Operand::Immediate(Immediate { value: ImmediateValue::Integer(value), .. }) => Ok(*value as i64),
            Operand::Placeholder(_) => {
                self.operand_cell(operand)?.constant.ok_or_else(|| "an operand has to be a constant".to_owned())
            }
            other => Err(format!("`{other}` is no constant")),
        }
    }

    /// The bits of an operand that is read as this type.
    pub(super) fn read(&mut self, operand: &Operand, ty: ScalarType) -> Result<Value, Refusal> {
        self.read_bits(operand, ty.bits(), ty)
    }

    fn read_bits(&mut self, operand: &Operand, bits: u32, ty: ScalarType) -> Result<Value, Refusal> {
        match operand {
            Operand::Immediate(number) => Ok(self.immediate(number, bits, ty)),
            Operand::Special(register) => {
                let value = self.special(*register)?;
                Ok(self.resize(value, bits, false))
            }
            Operand::Negated(inner) => {
                let value = self.read_bits(inner, 1, ScalarType::Pred)?;
                Ok(self.ir.binary(LLVMOpcode::LLVMXor, value, self.int(1, 1)))
            }
            _ => {
                let cell = self.operand_cell(operand)?;
                let value = self.load(cell);
                if ty == ScalarType::Pred && cell.bits != 1 {
                    let zero = self.int(cell.bits, 0);
                    return Ok(self.ir.compare(LLVMIntPredicate::LLVMIntNE, value, zero));
                }
                Ok(self.resize(value, bits, false))
            }
        }
    }

    fn immediate(&self, number: &Immediate, bits: u32, ty: ScalarType) -> Value {
        let word = match number.value {
            ImmediateValue::Integer(value) => value as u64,
            ImmediateValue::F32(value) if ty == ScalarType::F64 => f64::from(f32::from_bits(value)).to_bits(),
            ImmediateValue::F32(value) => value.into(),
            ImmediateValue::F64(value) if ty == ScalarType::F32 => (f64::from_bits(value) as f32).to_bits().into(),
            ImmediateValue::F64(value) => value,
        };
        let value = self.int(bits.min(64), if bits < 64 { word & ((1 << bits) - 1) } else { word });
        let negative = matches!(number.value, ImmediateValue::Integer(v) if v < 0);
        self.resize(value, bits, negative)
    }

    /// Writes the bits of a value of this type; a wider register gets the sign or zeros.
    pub(super) fn write(&mut self, operand: &Operand, value: Value, ty: ScalarType) -> Result<(), Refusal> {
        if matches!(operand, Operand::Sink) {
            return Ok(());
        }
        let cell = self.operand_cell(operand)?;
        let value = self.resize(value, cell.bits, ty.is_signed());
        self.store(cell, value);
        Ok(())
    }

    /// Writes to `d|p`, or to `d` alone.
    pub(super) fn write_pair(
        &mut self,
        operand: &Operand,
        value: Value,
        ty: ScalarType,
        predicate: Value,
    ) -> Result<(), Refusal> {
        match operand {
            Operand::Pair(first, second) => {
                self.write(first, value, ty)?;
                self.write(second, predicate, ScalarType::Pred)
            }
            _ => self.write(operand, value, ty),
        }
    }

    /// The carry of extended arithmetic.
    pub(super) fn carry(&mut self) -> Value {
        let place = *self.carry.get_or_insert_with(|| self.ir.entry_alloca(self.function, 8, 8));
        self.ir.load(self.ir.int(1), place, 8)
    }

    pub(super) fn set_carry(&mut self, carry: Value) {
        let place = *self.carry.get_or_insert_with(|| self.ir.entry_alloca(self.function, 8, 8));
        self.ir.store(carry, place, 8);
    }

    // Statements.

    /// Translates statements, with a scope of their own for labels and registers.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), Refusal> {
        self.scopes.push(Scope::default());
        for statement in statements {
            if let StatementKind::Label(name) = &statement.kind {
                let block = self.ir.append_block(self.function, "label");
                self.innermost().labels.insert(name.clone(), block);
            }
        }
        for statement in statements {
            self.statement(statement).map_err(|reason| {
                if reason.starts_with("inline PTX") {
                    return reason;
                }
                let text = readable(&statement.to_string());
                format!("inline PTX `{}` cannot be run in the simulator: {reason}", text.trim())
            })?;
        }
        self.scopes.pop();
        Ok(())
    }

    fn innermost(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn label(&self, name: &str) -> Result<Block, Refusal> {
        let found = self.scopes.iter().rev().find_map(|s| s.labels.get(name).copied());
        found.ok_or_else(|| format!("there is no label {name}"))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Refusal> {
        match &statement.kind {
            StatementKind::Label(name) => {
                let block = self.label(name)?;
                self.ir.branch(block);
                self.ir.at_end(block);
                Ok(())
            }
            StatementKind::Block(inner) => self.statements(inner),
            StatementKind::Registers(registers) => {
                self.innermost().declared.push(registers.clone());
                Ok(())
            }
            StatementKind::Directive(verbatim) if matches!(verbatim.name.as_str(), ".pragma" | ".loc") => Ok(()),
            StatementKind::Directive(verbatim) => Err(format!("the directive {} is not supported", verbatim.name)),
            StatementKind::Variable(variable) => Err(format!("the variable {} is not supported", variable.name)),
            StatementKind::BranchTargets(_) => Err("a computed branch is not supported".to_owned()),
            StatementKind::Unknown(unknown) => Err(format!("{} is not known: {}", unknown.opcode, unknown.reason)),
            StatementKind::Instruction(instruction) => self.guarded(instruction),
        }
    }

    fn guarded(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let Some(guard) = &instruction.guard else { return self.instruction(instruction) };
        let mut condition = self.read(&guard.predicate, ScalarType::Pred)?;
        if guard.negated {
            condition = self.ir.binary(LLVMOpcode::LLVMXor, condition, self.int(1, 1));
        }
        let taken = self.ir.append_block(self.function, "guarded");
        let after = self.ir.append_block(self.function, "after");
        self.ir.branch_if(condition, taken, after);
        self.ir.at_end(taken);
        let result = self.instruction(instruction);
        self.ir.branch(after);
        self.ir.at_end(after);
        result
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let operands = &instruction.operands[..];
        match &instruction.op {
            Op::Bra { .. } => {
                let name = match operands {
                    [Operand::Symbol { name, offset: 0 } | Operand::Register(name)] => name,
                    _ => return Err("the target of a branch is no label".to_owned()),
                };
                let to = self.label(name)?;
                // Any branch could close a loop.
                self.call("sim.lib.loop", self.ir.void(), &[]);
                self.ir.branch(to);
                // What follows is reached by a label only; it needs a block all the same.
                let dead = self.ir.append_block(self.function, "dead");
                self.ir.at_end(dead);
                Ok(())
            }
            Op::Mov(op) => self.mov(op, operands),
            Op::Alu(op) => self.alu(op, operands),
            op => match self.memory(op, operands)? {
                true => Ok(()),
                false => match self.group(op, operands)? {
                    true => Ok(()),
                    false => Err("the simulator has no such instruction".to_owned()),
                },
            },
        }
    }
}

/// A statement's text with its operands as LLVM writes them; `ptx` keeps them between control characters.
fn readable(text: &str) -> String {
    text.replace('\u{1}', "$").replace(['\u{2}', ptx::asm::UNIQUE], "")
}

#[cfg(test)]
mod tests {
    #[test]
    fn operands_are_readable() {
        assert_eq!(super::readable("add.u32 \u{1}0\u{2}, \u{1}1\u{2}, L\u{3};"), "add.u32 $0, $1, L;");
    }
}
