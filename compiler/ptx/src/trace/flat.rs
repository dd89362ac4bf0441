//! A function's body as a line of instructions: blocks opened, labels resolved, registers with their widths.

use super::error::{TraceError, TraceErrorKind};
use crate::ast::{Function, Statement, StatementKind, Unknown, Variable};
use crate::instruction::Instruction;
use crate::span::Span;
use crate::types::{ScalarType, StateSpace};
use std::collections::HashMap;

/// One line of a flat body.
#[derive(Clone, Copy)]
pub(super) enum Line<'m> {
    Instruction(&'m Instruction),
    /// It is an error to come here.
    Unknown(&'m Unknown, Span),
}

/// A flat body.
pub(super) struct Flat<'m> {
    pub(super) function: &'m Function,
    pub(super) lines: Vec<Line<'m>>,
    /// The block that each line is in.
    scope_of: Vec<usize>,
    /// The block around each block; the body itself is block 0.
    parents: Vec<usize>,
    labels: HashMap<(usize, &'m str), usize>,
    targets: HashMap<(usize, &'m str), &'m [String]>,
    /// Declared registers, by the block that declares them. Expansions of inline assembly declare the same names again,
    /// each in its own block.
    registers: HashMap<usize, Vec<Declared<'m>>>,
    /// Room for the variables declared in the body, by name.
    pub(super) rooms: Vec<Room<'m>>,
}

/// Registers that are declared together: one, or with a count a numbered family.
struct Declared<'m> {
    name: &'m str,
    count: Option<u32>,
    ty: ScalarType,
}

/// Room for the variables of one name. Blocks beside each other, as the call sequences of LLVM are, declare the same names
/// with different sizes; they are never in use at the same time, so they share the room of the largest.
pub(super) struct Room<'m> {
    pub(super) name: &'m str,
    pub(super) space: StateSpace,
    pub(super) size: u64,
    pub(super) align: u64,
    /// The blocks that declare it.
    scopes: Vec<usize>,
}

impl<'m> Flat<'m> {
    pub(super) fn of(function: &'m Function) -> Result<Self, TraceError> {
        let mut flat = Flat {
            function,
            lines: Vec::new(),
            scope_of: Vec::new(),
            parents: vec![0],
            labels: HashMap::new(),
            targets: HashMap::new(),
            registers: HashMap::new(),
            rooms: Vec::new(),
        };
        for parameter in function.parameters.iter().chain(&function.returns) {
            if parameter.space == StateSpace::Reg {
                flat.declare(0, &parameter.name, None, parameter.ty);
            }
        }
        flat.add(function.body.as_deref().unwrap_or(&[]), 0)?;
        Ok(flat)
    }

    fn add(&mut self, statements: &'m [Statement], scope: usize) -> Result<(), TraceError> {
        let mut last_label = None;
        for statement in statements {
            match &statement.kind {
                StatementKind::Label(name) => {
                    self.labels.insert((scope, name), self.lines.len());
                    last_label = Some(name.as_str());
                }
                StatementKind::Instruction(instruction) => self.push(Line::Instruction(instruction), scope),
                StatementKind::Unknown(unknown) => self.push(Line::Unknown(unknown, statement.span), scope),
                StatementKind::Block(inner) => {
                    self.parents.push(scope);
                    self.add(inner, self.parents.len() - 1)?;
                }
                StatementKind::Registers(registers) => {
                    for (name, count) in &registers.names {
                        if registers.vector.is_some() {
                            return Err(TraceErrorKind::Unsupported("vector registers".to_owned()).at(statement.span));
                        }
                        self.declare(scope, name, *count, registers.ty);
                    }
                }
                StatementKind::Variable(variable) => self.room(variable, scope, statement.span)?,
                StatementKind::BranchTargets(labels) => {
                    if let Some(name) = last_label {
                        self.targets.insert((scope, name), labels);
                    }
                }
                StatementKind::Directive(_) => {}
            }
        }
        Ok(())
    }

    /// Makes room for a variable.
    fn room(&mut self, variable: &'m Variable, scope: usize, span: Span) -> Result<(), TraceError> {
        let Some(room) = self.rooms.iter().position(|r| r.name == variable.name) else {
            self.rooms.push(Room {
                name: &variable.name,
                space: variable.space,
                size: variable.size(),
                align: variable.alignment(),
                scopes: vec![scope],
            });
            return Ok(());
        };
        let hides =
            self.rooms[room].scopes.iter().any(|&other| self.is_inside(scope, other) || self.is_inside(other, scope));
        let room = &mut self.rooms[room];
        if hides || room.space != variable.space {
            let what = format!("two variables named `{}` that are in use together", variable.name);
            return Err(TraceErrorKind::Unsupported(what).at(span));
        }
        room.size = room.size.max(variable.size());
        room.align = room.align.max(variable.alignment());
        room.scopes.push(scope);
        Ok(())
    }

    /// Whether block `inner` is block `outer` or lies in it.
    fn is_inside(&self, mut inner: usize, outer: usize) -> bool {
        while inner != outer {
            if inner == 0 {
                return false;
            }
            inner = self.parents[inner];
        }
        true
    }

    fn push(&mut self, line: Line<'m>, scope: usize) {
        self.lines.push(line);
        self.scope_of.push(scope);
    }

    fn declare(&mut self, scope: usize, name: &'m str, count: Option<u32>, ty: ScalarType) {
        self.registers.entry(scope).or_default().push(Declared { name, count, ty });
    }

    /// The block that declares a register, seen from a line, and the register's type.
    pub(super) fn register(&self, name: &str, from: usize) -> Option<(usize, ScalarType)> {
        self.lookup(from, |scope| {
            let declared = |registers: &&Declared<'_>| match registers.count {
                None => registers.name == name,
                Some(count) => name
                    .strip_prefix(registers.name)
                    .and_then(|digits| digits.parse::<u32>().ok())
                    .is_some_and(|number| number < count),
            };
            self.registers.get(&scope)?.iter().find(declared).map(|registers| (scope, registers.ty))
        })
    }

    /// The line that a label names, seen from a line.
    pub(super) fn label(&self, name: &str, from: usize) -> Option<usize> {
        self.lookup(from, |scope| self.labels.get(&(scope, name)).copied())
    }

    /// The label list that a name stands for, seen from a line.
    pub(super) fn branch_targets(&self, name: &str, from: usize) -> Option<&'m [String]> {
        self.lookup(from, |scope| self.targets.get(&(scope, name)).copied())
    }

    fn lookup<T>(&self, from: usize, find: impl Fn(usize) -> Option<T>) -> Option<T> {
        let mut scope = self.scope_of.get(from).copied().unwrap_or(0);
        loop {
            match find(scope) {
                Some(found) => return Some(found),
                None if scope == 0 => return None,
                None => scope = self.parents[scope],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::{ConcreteMemory, Launch, run};

    fn value_of(body: &str) -> Result<Option<u8>, String> {
        let text = format!(
            ".version 8.8 .target sm_90 .address_size 64
             .func f(.param .b64 a) {{ ret; }}
             .visible .entry k(.param .u64 p) {{ .reg .b64 %rd<4>; ld.param.u64 %rd1, [p]; {body} ret; }}"
        );
        let module = crate::parse_module(&text).map_err(|e| e.to_string())?;
        let mut memory = ConcreteMemory::new();
        memory.region(0x1000, [0; 8]);
        let launch = Launch::new(&module, "k").parameter(0x1000u64.to_le_bytes());
        run(&launch, &mut memory).map_err(|e| e.to_string())?;
        Ok(memory.bytes(0x1000, 1).map(|b| b[0]))
    }

    #[test]
    fn call_sequences_declare_the_same_names_with_other_sizes() {
        let small_last =
            "{ .param .b64 x; .param .b64 y; st.param.b64 [y], 7; ld.param.b64 %rd2, [y]; st.u8 [%rd1], %rd2; }
                          { .param .b64 x; .param .b32 y; st.param.b32 [y], 1; }";
        assert_eq!(value_of(small_last), Ok(Some(7)));
    }

    #[test]
    fn a_register_may_hide_another_one_and_a_variable_may_not() {
        let registers = "{ .reg .b64 t; mov.b64 t, 5; { .reg .b16 t; mov.b16 t, 6; } st.u8 [%rd1], t; }
                         { .reg .b32 t; mov.b32 t, 1; }";
        assert_eq!(value_of(registers), Ok(Some(5)));
        let hidden = "{ .param .b64 x; { .param .b32 x; } }";
        assert!(value_of(hidden).unwrap_err().contains("two variables named `x`"));
    }
}
