//! One kernel as plain data: values and blocks by number, places in the source, inline assembly parsed. What the analyses of
//! communication work on; nothing behind it asks LLVM.
//!
//! Constant expressions are nodes like instructions, but stand in no block. Loads, stores and calls keep what memory models
//! need (volatile, ordering, scope); arithmetic keeps its operator. Element addresses are a base, a constant number of bytes
//! and scaled values. What is not known becomes [`Kind::Other`] with its operands.

mod extract;
mod layout;
mod places;

use std::rc::Rc;

use inkwell::llvm_sys::LLVMOpcode;

use crate::analysis::communication::{PlaceStack, Space};
use crate::diagnostic::Span;

pub(crate) use extract::{Extractor, of};
pub(crate) use layout::Layout;

/// The number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How an IR access is ordered, as the IR says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IrOrder {
    pub(crate) volatile: bool,
    /// LLVM's ordering; not atomic is `None`.
    pub(crate) atomic: Option<memory_model::Semantics>,
    pub(crate) scope: memory_model::Scope,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A parameter of the kernel.
    Parameter(u32),
    /// The address of a variable: an index into [`Body::globals`].
    Global(u32),
    /// A whole number of at most 64 bits, sign-extended.
    Integer(i64),
    /// Null.
    Null,
    /// A constant without meaning for addresses: undef, poison, floating-point numbers, aggregates, functions.
    Constant,
    /// A variable of the thread's.
    Alloca,
    /// A load: address, bytes.
    Load { pointer: NodeId, bytes: u32, order: IrOrder },
    /// A store: value, address, bytes.
    Store { value: NodeId, pointer: NodeId, bytes: u32, order: IrOrder },
    /// `atomicrmw`: address, value, LLVM's operation.
    Rmw { pointer: NodeId, value: NodeId, bytes: u32, op: Option<ptx::op::AtomicOp>, order: IrOrder },
    /// `cmpxchg`.
    CompareExchange { pointer: NodeId, expected: NodeId, desired: NodeId, bytes: u32, order: IrOrder },
    /// `fence`.
    Fence(IrOrder),
    /// `getelementptr`: base, constant bytes, values times bytes.
    Element { base: NodeId, constant: i64, variable: Vec<(NodeId, i64)> },
    /// A value in another type: the same bits, or fewer or more of them.
    Cast(NodeId),
    /// Two operands.
    Binary { op: LLVMOpcode, left: NodeId, right: NodeId },
    /// `icmp`: the predicate's name; `fcmp` has the same with `f` in front.
    Compare { predicate: &'static str, left: NodeId, right: NodeId },
    /// `select`.
    Select { condition: NodeId, yes: NodeId, no: NodeId },
    /// `phi`: values and the blocks that they come from.
    Phi(Vec<(NodeId, u32)>),
    /// One part of a structure or vector.
    Extract { from: NodeId, index: Vec<u32> },
    /// A structure or vector with one part replaced.
    Insert { into: NodeId, value: NodeId },
    /// A call of a function with a name.
    Call { name: Rc<str>, arguments: Vec<NodeId>, defined: bool },
    /// A call of an unknown function.
    Indirect { arguments: Vec<NodeId> },
    /// Inline assembly: what it says, and its inputs.
    Assembly { code: Rc<Assembly>, inputs: Vec<NodeId> },
    /// A branch or switch on a value.
    Branch(Option<NodeId>),
    /// Anything else.
    Other(Vec<NodeId>),
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Bits of its type; 0 where it has no size.
    pub(crate) bits: u32,
    /// A floating-point number, or several.
    pub(crate) float: bool,
    /// Where it stands in the source: an index into [`Body::places`].
    pub(crate) place: u32,
    /// Block and position in it; nothing for parameters and constants.
    pub(crate) at: Option<(u32, u32)>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) successors: Vec<u32>,
    /// What decides which successor comes next. With two, the first is taken where it is true.
    pub(crate) condition: Option<NodeId>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// What lies behind a by-value parameter.
    pub(crate) by_value: Option<Layout>,
    pub(crate) pointer: bool,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub(crate) struct GlobalVariable {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) layout: Layout,
}

/// A kernel.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) span: Option<Span>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) globals: Vec<GlobalVariable>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) places: Vec<PlaceStack>,
}

impl Body {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn kind(&self, id: NodeId) -> &Kind {
        &self.nodes[id.index()].kind
    }

    pub(crate) fn place(&self, id: NodeId) -> &PlaceStack {
        &self.places[self.node(id).place as usize]
    }

    /// A constant, casts looked through.
    pub(crate) fn integer(&self, id: NodeId) -> Option<i64> {
        match self.kind(id) {
            Kind::Integer(n) => Some(*n),
            Kind::Null => Some(0),
            Kind::Cast(inner) if matches!(self.kind(*inner), Kind::Integer(_) | Kind::Null) => self.integer(*inner),
            _ => None,
        }
    }

    /// What a node computes from, addresses and values alike.
    pub(crate) fn operands(&self, id: NodeId, visit: &mut dyn FnMut(NodeId)) {
        match self.kind(id) {
            Kind::Parameter(_)
            | Kind::Global(_)
            | Kind::Integer(_)
            | Kind::Null
            | Kind::Constant
            | Kind::Alloca
            | Kind::Fence(_) => {}
            Kind::Load { pointer, .. } => visit(*pointer),
            Kind::Store { value, pointer, .. } | Kind::Rmw { value, pointer, .. } => {
                visit(*value);
                visit(*pointer);
            }
            Kind::CompareExchange { pointer, expected, desired, .. } => {
                visit(*pointer);
                visit(*expected);
                visit(*desired);
            }
            Kind::Element { base, variable, .. } => {
                visit(*base);
                variable.iter().for_each(|(v, _)| visit(*v));
            }
            Kind::Cast(from) | Kind::Extract { from, .. } => visit(*from),
            Kind::Binary { left, right, .. } | Kind::Compare { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            Kind::Select { condition, yes, no } => {
                visit(*condition);
                visit(*yes);
                visit(*no);
            }
            Kind::Phi(incoming) => incoming.iter().for_each(|(v, _)| visit(*v)),
            Kind::Insert { into, value, .. } => {
                visit(*into);
                visit(*value);
            }
            Kind::Call { arguments, .. } | Kind::Indirect { arguments } | Kind::Other(arguments) => {
                arguments.iter().for_each(|v| visit(*v));
            }
            Kind::Assembly { inputs, .. } => inputs.iter().for_each(|v| visit(*v)),
            Kind::Branch(condition) => {
                if let Some(condition) = condition {
                    visit(*condition);
                }
            }
        }
    }
}

/// Inline assembly, parsed; or why it could not be.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub(crate) code: Result<ptx::InlineAsm, String>,
    /// For each placeholder: the output it is, or the input.
    pub(crate) operands: Vec<AsmOperand>,
}

/// What a placeholder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsmOperand {
    Output(u32),
    Input(u32),
}
