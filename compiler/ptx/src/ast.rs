//! The parts of a PTX text: a module, its items, and the statements of a function body (PTX ISA §4, §5.4, §7, §11).

use crate::instruction::Instruction;
use crate::operand::Operand;
use crate::span::Span;
use crate::types::{ScalarType, StateSpace, VectorSize};

/// A whole PTX file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Everything in it, in order.
    pub items: Vec<Item>,
}

/// Something at the top level of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Where.
    pub span: Span,
}

/// The kinds of top-level items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `.version 8.8`
    Version(Version),
    /// `.target sm_90, texmode_unified`
    Target(Vec<String>),
    /// `.address_size 64`
    AddressSize(u32),
    /// A variable of the module.
    Variable(Variable),
    /// An `.entry` or `.func`.
    Function(Function),
    /// `.file`, `.section`, `.pragma`, `.loc` and other directives without meaning for execution, as written.
    Directive(Verbatim),
    /// What the parser does not know, as written.
    Unknown(Unknown),
}

/// A version of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// Behind the dot.
    pub minor: u32,
}

/// Text kept as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim {
    /// The directive's name, with the dot.
    pub name: String,
    /// All of the text, name included.
    pub text: String,
}

/// A statement that is not in the instruction table, kept as written, and named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The opcode with its modifiers, or the directive.
    pub opcode: String,
    /// The whole statement, with its terminator.
    pub text: String,
    /// Why it is not known.
    pub reason: String,
}

/// How a name is seen by other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A declared variable, or parameter variable inside a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Linkage, if written.
    pub linkage: Option<Linkage>,
    /// Where it lies.
    pub space: StateSpace,
    /// `.attribute(…)`, as written.
    pub attribute: Option<String>,
    /// Alignment in bytes, if written.
    pub align: Option<u64>,
    /// Vector size, if it is a vector.
    pub vector: Option<VectorSize>,
    /// Element type.
    pub ty: ScalarType,
    /// Name.
    pub name: String,
    /// Array dimensions; `None` is `[]`.
    pub dimensions: Vec<Option<u64>>,
    /// Initial contents.
    pub initializer: Option<Initializer>,
}

impl Variable {
    /// Size in bytes. A dimension that is not written counts what the initialiser holds.
    pub fn size(&self) -> u64 {
        let element = u64::from(self.ty.bytes()) * u64::from(crate::types::lanes(self.vector));
        self.dimensions.iter().fold(element, |size, dimension| {
            let count = dimension.unwrap_or_else(|| match &self.initializer {
                Some(Initializer::List(list)) => list.len() as u64,
                _ => 0,
            });
            size.saturating_mul(count)
        })
    }

    /// Alignment in bytes: the one written, or the natural one.
    pub fn alignment(&self) -> u64 {
        let natural = u64::from(self.ty.bytes()) * u64::from(crate::types::lanes(self.vector));
        self.align.unwrap_or(natural).max(1)
    }
}

/// Initial contents of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer {
    /// One value: a number, or a symbol's address with an offset.
    Value(Operand),
    /// `generic(symbol)+offset`: the generic address.
    Generic {
        /// The symbol.
        symbol: String,
        /// What is added.
        offset: i64,
    },
    /// `0xFF00(symbol)`: the bytes of an address that the mask selects.
    Masked {
        /// The mask.
        mask: u64,
        /// The address.
        value: Box<Initializer>,
    },
    /// `{…}`
    List(Vec<Initializer>),
}

/// Registers that are declared together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Vector size, if they are vectors.
    pub vector: Option<VectorSize>,
    /// Type.
    pub ty: ScalarType,
    /// Names; with a count, `%r<3>` declares `%r0`, `%r1`, `%r2`.
    pub names: Vec<(String, Option<u32>)>,
}

impl Registers {
    /// Whether this declares the register.
    pub fn declares(&self, register: &str) -> bool {
        self.names.iter().any(|(name, count)| match count {
            None => name == register,
            Some(count) => register
                .strip_prefix(name.as_str())
                .filter(|digits| !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0')))
                .and_then(|digits| digits.parse::<u32>().ok())
                .is_some_and(|number| number < *count),
        })
    }
}

/// A kernel or a device function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Linkage, if written.
    pub linkage: Option<Linkage>,
    /// `.entry` rather than `.func`.
    pub is_entry: bool,
    /// `.attribute(…)`, as written.
    pub attribute: Option<String>,
    /// What it returns (`.func` only).
    pub returns: Vec<Parameter>,
    /// Name.
    pub name: String,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// `.maxntid 256`, `.minnctapersm 2`, `.reqnctapercluster …`, `.noreturn`, `.pragma …`: name and arguments as written.
    pub directives: Vec<Verbatim>,
    /// The body; a declaration has none.
    pub body: Option<Vec<Statement>>,
}

/// A parameter or returned value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// `.param`, or `.reg` for the parameters of a `.func` in old style.
    pub space: StateSpace,
    /// Alignment in bytes, if written before the type.
    pub align: Option<u64>,
    /// Vector size (`.reg` only).
    pub vector: Option<VectorSize>,
    /// Element type.
    pub ty: ScalarType,
    /// `.ptr …`, if written.
    pub pointer: Option<PointerAttribute>,
    /// Name; a prototype may have `_`.
    pub name: String,
    /// Array dimensions; `None` is `[]`.
    pub dimensions: Vec<Option<u64>>,
}

impl Parameter {
    /// Size in bytes; an array without length counts as empty.
    pub fn size(&self) -> u64 {
        self.dimensions
            .iter()
            .fold(u64::from(self.ty.bytes()), |size, dimension| size.saturating_mul(dimension.unwrap_or(0)))
    }
}

/// What a kernel parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PointerAttribute {
    /// State space, if written.
    pub space: Option<StateSpace>,
    /// Alignment of what it points to, if written.
    pub align: Option<u64>,
}

/// A statement of a function body or of an inline-assembly string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where, terminator included.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `name:`
    Label(String),
    /// An instruction of the table.
    Instruction(Box<Instruction>),
    /// `{ … }`
    Block(Vec<Statement>),
    /// `.reg …;`
    Registers(Registers),
    /// `.shared …;`, `.local …;`, `.param …;` and so on.
    Variable(Variable),
    /// `.branchtargets a, b;`, behind a label.
    BranchTargets(Vec<String>),
    /// `.loc`, `.pragma`, `.callprototype`, `.calltargets`: as written.
    Directive(Verbatim),
    /// What the parser or the table does not know, as written.
    Unknown(Unknown),
}

impl Module {
    /// The `.version`, if there is one.
    pub fn version(&self) -> Option<Version> {
        self.items.iter().find_map(|item| match item.kind {
            ItemKind::Version(version) => Some(version),
            _ => None,
        })
    }

    /// The words of `.target`; the first is the architecture.
    pub fn target(&self) -> &[String] {
        let found = self.items.iter().find_map(|item| match &item.kind {
            ItemKind::Target(target) => Some(target.as_slice()),
            _ => None,
        });
        found.unwrap_or(&[])
    }

    /// All functions and kernels, declarations included.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// All variables of the module.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Variable(variable) => Some(variable),
            _ => None,
        })
    }

    /// The function or kernel with this name; a definition wins over a declaration.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let named = || self.functions().filter(|function| function.name == name);
        named().find(|function| function.body.is_some()).or_else(|| named().next())
    }

    /// Visits every statement of every body, blocks and what is in them included.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Statement)) {
        for function in self.functions() {
            walk(function.body.as_deref().unwrap_or(&[]), visit);
        }
    }

    /// What the parser or the table did not know, with its place.
    pub fn unknown(&self) -> Vec<(Span, &Unknown)> {
        let mut out = Vec::new();
        for item in &self.items {
            if let ItemKind::Unknown(unknown) = &item.kind {
                out.push((item.span, unknown));
            }
        }
        self.walk(&mut |statement| {
            if let StatementKind::Unknown(unknown) = &statement.kind {
                out.push((statement.span, unknown));
            }
        });
        out
    }
}

/// Visits statements in order, a block before what is in it.
pub fn walk<'a>(statements: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for statement in statements {
        visit(statement);
        if let StatementKind::Block(inner) = &statement.kind {
            walk(inner, visit);
        }
    }
}
