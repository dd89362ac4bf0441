//! The constraint string of inline assembly, as NVPTX has it.

use crate::error::{ParseError, ParseErrorKind};
use crate::span::Span;
use crate::types::ScalarType;

/// Operands and clobbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// The operands in the order in which placeholders count them.
    pub operands: Vec<Constraint>,
    /// Names of clobbers other than memory.
    pub clobbers: Vec<String>,
    /// `~{memory}` is among them: the compiler may not move memory accesses across. It says nothing about what the
    /// instructions do; published flags and polls often lack it.
    pub clobbers_memory: bool,
}

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    /// Whether it is written, read, or both.
    pub direction: Direction,
    /// `&`: written before all inputs are read.
    pub early_clobber: bool,
    /// `*`: the operand is the address of the value.
    pub indirect: bool,
    /// What it is.
    pub class: OperandClass,
}

/// Whether an operand is written, read, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `=`
    Output,
    /// Nothing written.
    Input,
    /// `+`, in source only; LLVM IR has an output and a tied input instead.
    InputOutput,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandClass {
    /// `b`: a predicate, 1 bit.
    Predicate,
    /// `c`: 8 bits, in a 16-bit register.
    Byte,
    /// `h`: 16 bits.
    Half,
    /// `r`: 32 bits.
    Word,
    /// `l` (and `N`): 64 bits.
    Long,
    /// `q`: 128 bits.
    Quad,
    /// `f`: a single.
    Single,
    /// `d`: a double.
    Double,
    /// `n` or `i`: a number known at compile time.
    Immediate,
    /// `s`: the address of a symbol.
    Symbol,
    /// `0`, `1`, …: an input that starts in the same register as that output.
    Tied(u32),
}

impl OperandClass {
    /// The PTX type of the register, if it is one.
    pub const fn register_type(self) -> Option<ScalarType> {
        Some(match self {
            OperandClass::Predicate => ScalarType::Pred,
            OperandClass::Byte | OperandClass::Half => ScalarType::B16,
            OperandClass::Word => ScalarType::B32,
            OperandClass::Long => ScalarType::B64,
            OperandClass::Quad => ScalarType::B128,
            OperandClass::Single => ScalarType::F32,
            OperandClass::Double => ScalarType::F64,
            OperandClass::Immediate | OperandClass::Symbol | OperandClass::Tied(_) => return None,
        })
    }

    /// The constraint's letters.
    pub fn letters(self) -> String {
        match self {
            OperandClass::Predicate => "b",
            OperandClass::Byte => "c",
            OperandClass::Half => "h",
            OperandClass::Word => "r",
            OperandClass::Long => "l",
            OperandClass::Quad => "q",
            OperandClass::Single => "f",
            OperandClass::Double => "d",
            OperandClass::Immediate => "n",
            OperandClass::Symbol => "s",
            OperandClass::Tied(index) => return index.to_string(),
        }
        .to_owned()
    }
}

impl Constraints {
    /// Parses `"=r,l,~{memory}"`. The error's span is an offset into this string.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut out = Constraints::default();
        let mut offset = 0;
        for piece in text.split(',') {
            let trimmed = piece.trim();
            let span = Span { start: offset, end: offset + piece.len(), line: 1, column: offset as u32 + 1 };
            offset += piece.len() + 1;
            if trimmed.is_empty() {
                continue;
            }
            match trimmed.strip_prefix("~{").and_then(|rest| rest.strip_suffix('}')) {
                Some("memory") => out.clobbers_memory = true,
                Some(name) => out.clobbers.push(name.to_owned()),
                None => {
                    let operand = constraint(trimmed)
                        .ok_or_else(|| ParseError::new(ParseErrorKind::Constraint(trimmed.to_owned()), span))?;
                    if let OperandClass::Tied(index) = operand.class
                        && !out.operands.get(index as usize).is_some_and(|o| o.direction != Direction::Input)
                    {
                        return Err(ParseError::new(ParseErrorKind::Constraint(trimmed.to_owned()), span));
                    }
                    out.operands.push(operand);
                }
            }
        }
        Ok(out)
    }

    /// The register class or constant that a placeholder stands for; a tie is followed to its output.
    pub fn class(&self, index: u32) -> Option<OperandClass> {
        match self.operands.get(index as usize)?.class {
            OperandClass::Tied(output) => self.operands.get(output as usize).map(|operand| operand.class),
            class => Some(class),
        }
    }
}

fn constraint(text: &str) -> Option<Constraint> {
    let (direction, rest) = match text.as_bytes()[0] {
        b'=' => (Direction::Output, &text[1..]),
        b'+' => (Direction::InputOutput, &text[1..]),
        _ => (Direction::Input, text),
    };
    let (early_clobber, rest) = strip(rest, '&');
    let (indirect, rest) = strip(rest, '*');
    let class = match rest {
        "b" => OperandClass::Predicate,
        "c" => OperandClass::Byte,
        "h" => OperandClass::Half,
        "r" => OperandClass::Word,
        "l" | "N" => OperandClass::Long,
        "q" => OperandClass::Quad,
        "f" => OperandClass::Single,
        "d" => OperandClass::Double,
        "n" | "i" => OperandClass::Immediate,
        "s" => OperandClass::Symbol,
        digits => OperandClass::Tied(digits.parse().ok()?),
    };
    let written = direction != Direction::Input;
    let register = class.register_type().is_some();
    if written && !register {
        return None;
    }
    Some(Constraint { direction, early_clobber, indirect, class })
}

fn strip(text: &str, prefix: char) -> (bool, &str) {
    match text.strip_prefix(prefix) {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}
