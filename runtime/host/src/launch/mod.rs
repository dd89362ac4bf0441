//! The launch description `launch.toml`: which PEs, buffers and kernels, with which arguments, and how exact the results
//! must be.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`diagnostic`] | errors with file, line and column |
//! | [`expression`] | integer expressions |
//! | [`element`] | element types |
//! | [`read`] | the text becomes a [`Description`]; what is wrong without knowing the kernels is found here |
//! | [`check`] | the description against the kernels of a module |
//! | [`draw`] | the numbers of one run: random parameters drawn, expressions evaluated, sizes checked |
//! | [`fill`] | initial contents of buffers |
//! | [`pack`] | arguments become the bytes of a launch |

use std::ops::Range;

pub mod check;
pub mod diagnostic;
pub mod draw;
pub mod element;
pub mod expression;
pub mod fill;
mod kernel_name;
pub mod pack;
pub mod random;
pub mod read;

use diagnostic::Source;
use element::ElementType;
use expression::Expression;

/// The file name in a compiled folder.
pub const FILE_NAME: &str = "launch.toml";

/// Something with the bytes of the file where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// What stands there.
    pub value: T,
    /// Where.
    pub span: Range<usize>,
}

/// A whole launch description.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The file, for messages about a run.
    pub source: Source,
    /// Numbers of PEs that the kernels are made for.
    pub pes: PeCounts,
    /// Named numbers, in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Buffers, in the order of the file.
    pub buffers: Vec<Buffer>,
    /// Launches, in the order of the file.
    pub launches: Vec<Launch>,
    /// What a benchmark sweeps, where there is one.
    pub bench: Option<Bench>,
}

/// Numbers of PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeCounts {
    /// One of these.
    List(Vec<u32>),
    /// Any number from the first to the last.
    Range(u32, u32),
}

/// A named number.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name and where it is defined.
    pub name: At<String>,
    /// Where its value comes from.
    pub draw: Draw,
    /// Whether PEs may have different values.
    pub per_pe: bool,
}

/// Where a parameter's value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// An expression.
    Integer(At<Expression>),
    /// A constant that is no integer.
    Real(f64),
    /// Random, both ends included.
    Random {
        /// The least value.
        low: At<Expression>,
        /// The greatest value.
        high: At<Expression>,
        /// Whether each order of magnitude is as likely as another.
        logarithmic: bool,
    },
    /// One of these.
    Choice(Vec<i64>),
    /// A random floating-point number, the second end excluded.
    Uniform(f64, f64),
}

impl Parameter {
    /// Whether its value is a floating-point number.
    pub fn is_real(&self) -> bool {
        matches!(self.draw, Draw::Real(_) | Draw::Uniform(..))
    }
}

/// A buffer, on every PE.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name and where it is defined.
    pub name: At<String>,
    /// The type of its elements.
    pub element: ElementType,
    /// Elements.
    pub length: At<Expression>,
    /// Whether it lies in the symmetric heap.
    pub symmetric: bool,
    /// Contents before the first launch.
    pub init: At<Init>,
    /// How exact its final contents must be, where they are compared.
    pub output: Option<Tolerance>,
}

/// Contents of a buffer before the first launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Bit patterns that stand for "nobody wrote here".
    Poison,
    /// Zeros.
    Zero,
    /// Element i holds i.
    Iota,
    /// Any bit pattern (integers).
    Random,
    /// The same number in each element.
    Constant(Scalar),
    /// Random integers, both ends included.
    UniformIntegers(At<Expression>, At<Expression>),
    /// Random floating-point numbers, the second end excluded.
    UniformReals(f64, f64),
    /// An expression of the index.
    Each(At<Expression>),
}

/// A number.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// An integer.
    Integer(At<Expression>),
    /// A floating-point number.
    Real(f64),
}

/// How exact a result must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Equal values.
    Exact,
    /// `|got - expected| <= absolute + relative * |expected|`.
    Within {
        /// The absolute part.
        absolute: f64,
        /// The relative part.
        relative: f64,
    },
}

/// A launch, on all PEs.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The kernel's name in the source, or its symbol.
    pub kernel: At<String>,
    /// Blocks in each dimension; one to three.
    pub grid: At<Vec<At<Expression>>>,
    /// Threads of a block in each dimension; one to three.
    pub block: At<Vec<At<Expression>>>,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: At<Expression>,
    /// How often it is launched.
    pub repeat: At<Expression>,
    /// Whether a PE has to report an error on the device; the run goes on after it.
    pub fails: bool,
    /// The kernel's arguments, in order.
    pub arguments: At<Vec<At<Argument>>>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The address of a buffer.
    Buffer {
        /// Index of the buffer.
        buffer: usize,
        /// What is added to the address.
        offset: Option<At<Expression>>,
        /// Whether the offset counts bytes instead of elements.
        in_bytes: bool,
        /// Whether the address is the multicast one, which stands for the buffer on every PE.
        multicast: bool,
    },
    /// An integer.
    Integer(Expression),
    /// The value of the floating-point parameter of this index.
    RealParameter(usize),
    /// A floating-point number.
    Real(f64),
    /// A structure, by value.
    Structure(Vec<Field>),
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its type.
    pub ty: FieldType,
    /// Its value; never a structure.
    pub value: At<Argument>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// An address.
    Pointer,
    /// A number.
    Number(ElementType),
}

impl FieldType {
    /// Bytes; its alignment, too.
    pub const fn bytes(self) -> usize {
        match self {
            FieldType::Pointer => 8,
            FieldType::Number(ty) => ty.bytes(),
        }
    }
}

/// What a benchmark sweeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// Indices of the launches that are timed, in turns, on the same buffers.
    pub launches: Vec<usize>,
    /// Parameters (by index) with the values that they take; every combination is measured.
    pub sweep: Vec<(usize, Vec<i64>)>,
    /// The parameter that says how often the kernel repeats its work, and its value.
    pub iterations: Option<(usize, i64)>,
    /// Launches that are not counted.
    pub warmup: u32,
    /// Launches that are counted.
    pub repeats: u32,
    /// Launches that are recorded as a graph and replayed at once; none where the host launches each.
    pub graph: Option<u32>,
}

impl Bench {
    /// What a launch's or a replay's time is divided by.
    pub fn parts(&self) -> f64 {
        self.iterations.map_or(1.0, |(_, count)| count as f64) * self.graph.map_or(1.0, f64::from)
    }
}

impl PeCounts {
    /// Whether the kernels are made for this many.
    pub fn allows(&self, n: u32) -> bool {
        match self {
            PeCounts::List(list) => list.contains(&n),
            PeCounts::Range(from, to) => (*from..=*to).contains(&n),
        }
    }

    /// The number that is taken where none is asked for.
    pub fn default_count(&self) -> u32 {
        match self {
            PeCounts::List(list) => list.first().copied().unwrap_or(1),
            PeCounts::Range(from, _) => *from,
        }
    }
}

impl std::fmt::Display for PeCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PeCounts::List(list) => f.write_str(&list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
            PeCounts::Range(from, to) => write!(f, "{from} to {to}"),
        }
    }
}

#[cfg(test)]
mod tests;
