//! PTX, understood in one place.
//!
//! Everything in the project that reads PTX reads it through this crate: whole modules, function bodies, and
//! inline-assembly strings. A statement becomes an [`Instruction`]: a typed [`Op`] with its modifiers, and operands whose
//! roles and types [`Instruction::uses`] tells. What each instruction means in the memory model is
//! [`Instruction::meaning`]. What is not in the table is an [`Unknown`] with its text and the reason; nothing is guessed,
//! and no modifier is ignored.
//!
//! The table follows the PTX ISA manual up to 9.0, checked against ptxas 13. Modifiers are read in any order, as ptxas
//! reads them; printing gives the order of the text back.
//!
//! # Whole modules
//!
//! ```
//! let text = ".version 8.8\n.target sm_90\n.address_size 64\n\
//!     .visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; st.global.acquire [%rd1]; ret; }";
//! let module = ptx::parse_module(text)?;
//! assert_eq!(module.target(), ["sm_90"]);
//! let (span, unknown) = module.unknown()[0];
//! assert_eq!((span.line, unknown.opcode.as_str()), (4, "st.global.acquire"));
//! let printed = module.to_string();
//! assert_eq!(ptx::parse_module(&printed)?.to_string(), printed);
//! # Ok::<(), ptx::ParseError>(())
//! ```
//!
//! # Inline assembly: operands, types, numbers
//!
//! ```
//! use ptx::{InlineAsm, Op, Operand, OperandClass, Role, ScalarType};
//! let asm = InlineAsm::parse("@$3 st.release.sys.global.v2.b32 [$0+8], {$1, 7};", "l,r,r,b,~{memory}")?;
//! let store = asm.instructions()[0];
//! let Op::St(st) = &store.op else { panic!() };
//! assert_eq!(st.ty, ScalarType::B32);
//! let (slot, operand) = store.uses()[1];
//! assert_eq!((slot.role, slot.ty, slot.lanes), (Role::Source, ScalarType::B32, 2));
//! let Operand::Vector(parts) = operand else { panic!() };
//! let Operand::Placeholder(first) = parts[0] else { panic!() };
//! assert_eq!(asm.constraints.class(first.index), Some(OperandClass::Word));
//! let Operand::Immediate(second) = &parts[1] else { panic!() };
//! assert_eq!(second.as_integer(), Some(7));
//! # Ok::<(), ptx::ParseError>(())
//! ```
//!
//! # Meaning in the memory model
//!
//! ```
//! use ptx::{Meaning, Op, Scope, Semantics};
//! // What CUDA's `atomicAdd` becomes: relaxed, at gpu scope.
//! let Some(Meaning::Access(access)) = Op::from_opcode("atom.global.add.u32")?.meaning() else { panic!() };
//! assert_eq!((access.semantics, access.scope), (Semantics::Relaxed, Some(Scope::Gpu)));
//! // A vector is separate scalars, a `.b128` is one.
//! let Some(Meaning::Access(access)) = Op::from_opcode("st.volatile.global.v4.u32")?.meaning() else { panic!() };
//! assert_eq!((access.width, access.count, access.scope), (4, 4, Some(Scope::Sys)));
//! # Ok::<(), String>(())
//! ```
//!
//! # Events of a kernel, and its mutants
//!
//! [`trace::run`] executes a block over a small memory and returns each thread's events in program order;
//! [`mutate::mutations`] lists every ordering of a text with the text that lacks it. Both have examples.
//!
//! # Limits
//!
//! Not in the table, and so unknown: matrix instructions (`mma`, `wgmma`, `tcgen05`, `ldmatrix`), textures and surfaces,
//! `red.async`, `clusterlaunchcontrol`, `alloca`, `applypriority`, `discard`, constant expressions in operands other than
//! `symbol+offset`, several variables in one declaration. Types are checked as far as predicates go; widths of registers
//! are not compared with the instruction's. Comments are not kept.

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
