//! What each instruction does to memory, in PTX's meaning and not in the IR's appearance: IR accesses, inline assembly read
//! through the crate `ptx`, intrinsics of LLVM's and gicc's, copies of memory, calls of communication libraries.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `ir` | loads, stores, atomics and fences of the IR |
//! | `assembly` | inline assembly: each instruction of it is an operation of its own |
//! | `intrinsic` | calls of functions that are known by their names |

mod assembly;
mod intrinsic;
mod ir;

use memory_model::{Proxy, Scope, Semantics};

use super::body::{Body, Kind, NodeId};
use super::communication::{Access, AssumptionKind, Operation, Shape, Space};

pub(crate) use assembly::addresses as assembly_addresses;

/// An operation, before it is known what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) node: NodeId,
    /// Which part of the instruction.
    pub(crate) part: u32,
    pub(crate) access: Access,
    /// Base value of the address and constant bytes.
    pub(crate) address: Option<(NodeId, i64)>,
    /// What is written.
    pub(crate) value: Option<NodeId>,
    /// For compare-and-swap: what is expected.
    pub(crate) expected: Option<NodeId>,
    /// The value that holds what was read.
    pub(crate) result: Option<NodeId>,
    /// A backward branch in the assembly repeats it.
    pub(crate) repeated: bool,
    /// What the operation says outright about where it is.
    pub(crate) says: Says,
    /// The numbers of a named barrier: its own, and how many threads meet.
    pub(crate) numbers: (Option<NodeId>, Option<NodeId>),
}

/// What an operation says about remoteness by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Nothing,
    /// A multicast address.
    Multimem,
    /// A library's call.
    Library(super::known::Library),
}

/// Something that the analysis does not know.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub(crate) kind: AssumptionKind,
    pub(crate) words: String,
    pub(crate) node: NodeId,
}

/// All operations of a kernel, in the order of its blocks.
pub(crate) fn all(body: &Body, trust_atomics: bool) -> (Vec<Raw>, Vec<Gap>) {
    let (mut raws, mut gaps) = (Vec::new(), Vec::new());
    for block in &body.blocks {
        for &node in &block.nodes {
            match body.kind(node) {
                Kind::Load { .. }
                | Kind::Store { .. }
                | Kind::Rmw { .. }
                | Kind::CompareExchange { .. }
                | Kind::Fence(_) => raws.extend(ir::operation(body, node, trust_atomics)),
                Kind::Assembly { code, inputs } => assembly::operations(node, code, inputs, &mut raws, &mut gaps),
                Kind::Call { name, arguments, defined } => {
                    intrinsic::operations(body, node, name, arguments, *defined, &mut raws, &mut gaps);
                }
                Kind::Indirect { .. } => gaps.push(Gap {
                    kind: AssumptionKind::Call,
                    words: "a call through a pointer is taken to do nothing that communicates".to_owned(),
                    node,
                }),
                _ => {}
            }
        }
    }
    (raws, gaps)
}

impl Raw {
    fn new(node: NodeId, part: u32, access: Access) -> Raw {
        Raw {
            node,
            part,
            access,
            address: None,
            value: None,
            expected: None,
            result: None,
            repeated: false,
            says: Says::Nothing,
            numbers: (None, None),
        }
    }

    /// Whether it is strong (not weak) as far as the whole system.
    pub(crate) fn is_system(&self) -> bool {
        self.access.scope == Some(Scope::Sys)
    }
}

/// A weak access of the generic proxy.
fn weak(operation: Operation, bytes: u32, shape: Shape) -> Access {
    Access {
        operation,
        width: bytes,
        count: u32::from(bytes > 0),
        bytes: None,
        semantics: Semantics::Weak,
        scope: None,
        proxy: Proxy::Generic,
        volatile: false,
        space: Space::Generic,
        shape,
        reorderable: false,
        predicated: false,
    }
}

/// A fence.
fn fence(semantics: Semantics, scope: Scope, shape: Shape) -> Access {
    Access { semantics, scope: Some(scope), ..weak(Operation::Fence, 0, shape) }
}
