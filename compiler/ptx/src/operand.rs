//! Operands of instructions (PTX ISA §6).

use crate::special::SpecialRegister;
use std::fmt;

/// An operand as it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register, by its declared name.
    Register(String),
    /// One element of a vector register: `%v.x`.
    Element(String, Component),
    /// A predefined register such as `%tid.x`.
    Special(SpecialRegister),
    /// The name of a variable, function, label or parameter, with a byte offset if one is written.
    Symbol {
        /// The name.
        name: String,
        /// What is added to the address; 0 if nothing is written.
        offset: i64,
    },
    /// A number.
    Immediate(Immediate),
    /// `{a, b, …}`.
    Vector(Vec<Operand>),
    /// `[…]`.
    Address(Address),
    /// `p|q`: two destinations.
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`.
    Negated(Box<Operand>),
    /// `_`: the result is not wanted.
    Sink,
    /// An operand of inline assembly: `$N` or `${N:m}`.
    Placeholder(Placeholder),
}

/// An operand of inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placeholder {
    /// Which operand, counted over outputs and inputs as the constraint string lists them.
    pub index: u32,
    /// LLVM's modifier letter, if one is written.
    pub modifier: Option<char>,
}

/// Element of a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the components' own")]
pub enum Component {
    X,
    Y,
    Z,
    W,
}

impl Component {
    /// From `.x`, `.r` and their kin, without the dot.
    pub fn from_ptx(word: &str) -> Option<Self> {
        Some(match word {
            "x" | "r" => Component::X,
            "y" | "g" => Component::Y,
            "z" | "b" => Component::Z,
            "w" | "a" => Component::W,
            _ => return None,
        })
    }

    /// The letter.
    pub const fn ptx(self) -> &'static str {
        match self {
            Component::X => "x",
            Component::Y => "y",
            Component::Z => "z",
            Component::W => "w",
        }
    }
}

/// A memory operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// What the address starts from: a register, symbol, placeholder or number.
    pub base: Box<Operand>,
    /// What is added to it.
    pub offset: Offset,
    /// Tensor coordinates: `[map, {x, y}]`, and with im2col offsets a second vector.
    pub coordinates: Vec<Operand>,
}

/// What is added to the base of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// Nothing is written.
    None,
    /// A number of bytes.
    Bytes(i64),
    /// An operand of inline assembly, which must be a constant.
    Placeholder(Placeholder),
}

impl Address {
    /// An address without offset.
    pub fn of(base: Operand) -> Self {
        Address { base: Box::new(base), offset: Offset::None, coordinates: Vec::new() }
    }

    /// An address with an offset in bytes.
    pub fn at(base: Operand, bytes: i64) -> Self {
        Address { base: Box::new(base), offset: Offset::Bytes(bytes), coordinates: Vec::new() }
    }
}

/// A number, with the text that it was written as.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Immediate {
    /// The value.
    pub value: ImmediateValue,
    /// The text, which printing gives back.
    pub text: String,
}

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImmediateValue {
    /// A whole number: −2⁶³ … 2⁶⁴−1.
    Integer(i128),
    /// `0f…`: the bits of an IEEE single.
    F32(u32),
    /// `0d…` or a decimal fraction: the bits of an IEEE double.
    F64(u64),
}

impl Immediate {
    /// A decimal whole number.
    pub fn integer(value: i64) -> Self {
        Immediate { value: ImmediateValue::Integer(value.into()), text: value.to_string() }
    }

    /// The whole number, if it is one.
    pub fn as_integer(&self) -> Option<i128> {
        match self.value {
            ImmediateValue::Integer(value) => Some(value),
            _ => None,
        }
    }
}

impl Operand {
    /// A register operand.
    pub fn register(name: impl Into<String>) -> Self {
        Operand::Register(name.into())
    }

    /// A symbol without offset.
    pub fn symbol(name: impl Into<String>) -> Self {
        Operand::Symbol { name: name.into(), offset: 0 }
    }

    /// A whole number.
    pub fn integer(value: i64) -> Self {
        Operand::Immediate(Immediate::integer(value))
    }

    /// Visits this operand and all operands in it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Operand)) {
        visit(self);
        match self {
            Operand::Vector(elements) => elements.iter().for_each(|e| e.walk(visit)),
            Operand::Address(address) => {
                address.base.walk(visit);
                address.coordinates.iter().for_each(|c| c.walk(visit));
            }
            Operand::Pair(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Operand::Negated(inner) => inner.walk(visit),
            _ => {}
        }
    }
}

impl fmt::Display for Placeholder {
    /// In the lexer's internal form; [`crate::asm`] turns it into `$N`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.modifier {
            Some(modifier) => write!(f, "\u{1}{}:{modifier}\u{2}", self.index),
            None => write!(f, "\u{1}{}\u{2}", self.index),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(name) => f.write_str(name),
            Operand::Element(name, component) => write!(f, "{name}.{}", component.ptx()),
            Operand::Special(special) => write!(f, "{special}"),
            Operand::Symbol { name, offset: 0 } => f.write_str(name),
            Operand::Symbol { name, offset } => write!(f, "{name}+{offset}"),
            Operand::Immediate(number) => f.write_str(&number.text),
            Operand::Vector(elements) => {
                f.write_str("{")?;
                write_list(f, elements)?;
                f.write_str("}")
            }
            Operand::Address(address) => write!(f, "{address}"),
            Operand::Pair(a, b) => write!(f, "{a}|{b}"),
            Operand::Negated(inner) => write!(f, "!{inner}"),
            Operand::Sink => f.write_str("_"),
            Operand::Placeholder(placeholder) => write!(f, "{placeholder}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.base)?;
        match &self.offset {
            Offset::None => {}
            Offset::Bytes(bytes) => write!(f, "+{bytes}")?,
            Offset::Placeholder(placeholder) => write!(f, "+{placeholder}")?,
        }
        for coordinate in &self.coordinates {
            write!(f, ", {coordinate}")?;
        }
        f.write_str("]")
    }
}

/// Writes operands with commas between them.
pub(crate) fn write_list(f: &mut fmt::Formatter<'_>, operands: &[Operand]) -> fmt::Result {
    for (i, operand) in operands.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{operand}")?;
    }
    Ok(())
}
