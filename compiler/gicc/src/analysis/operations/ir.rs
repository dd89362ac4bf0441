//! Accesses of the IR.
//!
//! LLVM 22 makes every `atomicrmw` a relaxed instruction of gpu scope, whatever the IR says; what gicc compiles itself it makes
//! right, so only IR that another compiler made is disbelieved. A volatile access is relaxed at system scope.

use memory_model::{Scope, Semantics};
use ptx::op::AtomicOp;

use super::{Raw, fence, weak};
use crate::analysis::body::{Body, IrOrder, Kind, NodeId};
use crate::analysis::communication::{Access, Operation, Shape};

/// The operation of an access or fence.
pub(super) fn operation(body: &Body, node: NodeId, trust_atomics: bool) -> Option<Raw> {
    Some(match body.kind(node) {
        Kind::Load { pointer, bytes, order } => Raw {
            address: Some((*pointer, 0)),
            result: Some(node),
            ..Raw::new(node, 0, ordered(weak(Operation::Load, *bytes, shape(order)), order))
        },
        Kind::Store { value, pointer, bytes, order } => Raw {
            address: Some((*pointer, 0)),
            value: Some(*value),
            ..Raw::new(node, 0, ordered(weak(Operation::Store, *bytes, shape(order)), order))
        },
        Kind::Rmw { pointer, value, bytes, op, order } => {
            let operation = Operation::ReadModifyWrite { op: *op, returns: true };
            let mut access = ordered(weak(operation, *bytes, Shape::Atomic), order);
            if !trust_atomics {
                (access.semantics, access.scope) = (Semantics::Relaxed, Some(Scope::Gpu));
            }
            Raw { address: Some((*pointer, 0)), value: Some(*value), result: Some(node), ..Raw::new(node, 0, access) }
        }
        Kind::CompareExchange { pointer, expected, desired, bytes, order } => {
            let operation = Operation::ReadModifyWrite { op: Some(AtomicOp::Cas), returns: true };
            Raw {
                address: Some((*pointer, 0)),
                value: Some(*desired),
                expected: Some(*expected),
                result: Some(node),
                ..Raw::new(node, 0, ordered(weak(operation, *bytes, Shape::Atomic), order))
            }
        }
        Kind::Fence(order) => {
            Raw::new(node, 0, fence(order.atomic.unwrap_or(Semantics::Relaxed), order.scope, Shape::Atomic))
        }
        _ => return None,
    })
}

fn shape(order: &IrOrder) -> Shape {
    match order {
        IrOrder { volatile: true, .. } => Shape::Volatile,
        IrOrder { atomic: Some(_), .. } => Shape::Atomic,
        _ => Shape::Plain,
    }
}

fn ordered(mut access: Access, order: &IrOrder) -> Access {
    access.volatile = order.volatile;
    match order.atomic {
        Some(semantics) => {
            access.semantics = semantics;
            access.scope = Some(if order.volatile { Scope::Sys } else { order.scope });
        }
        None if order.volatile => {
            access.semantics = Semantics::Relaxed;
            access.scope = Some(Scope::Sys);
        }
        None => {}
    }
    access
}
