//! PTX, understood in one place.

mod words;

pub mod asm;
pub mod ast;
pub mod constraint;
pub mod error;
pub mod instruction;
mod lexer;
pub mod meaning;
mod modifiers;
pub mod mutate;
pub mod op;
pub mod operand;
mod parse;
mod print;
pub mod signature;
pub mod span;
pub mod special;
pub mod trace;
pub mod types;

pub use asm::{InlineAsm, Notation};
pub use ast::{Function, Item, ItemKind, Module, Statement, StatementKind, Unknown, Variable, Version};
pub use constraint::{Constraint, Constraints, Direction, OperandClass};
pub use error::{ParseError, ParseErrorKind};
pub use instruction::{Call, Guard, Instruction, Op};
pub use meaning::{Access, AccessKind, AsyncCopy, Meaning};
pub use memory_model::{Proxy, Scope, Semantics};
pub use operand::{Address, Immediate, ImmediateValue, Offset, Operand, Placeholder};
pub use parse::{parse_module, parse_statements};
pub use signature::{Role, Slot};
pub use span::Span;
pub use types::{ScalarType, StateSpace, VectorSize};
