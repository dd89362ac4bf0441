//! Every way to take one ordering away from a program: a fence, a barrier, a step of strength, of scope or of waiting.
//!
//! A proof that an outcome is forbidden is worth something if it fails for each of these; a weakening with which the
//! outcome is still forbidden shows an ordering that is redundant, or too wide.

use std::fmt;

use crate::program::{Access, BarrierAction, BarrierLevel, Op, Program, Register, Step, ThreadId};
use crate::{Scope, Semantics};

/// A program with one ordering less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// The thread that is changed.
    pub thread: ThreadId,
    /// The step, in the numbering before the change.
    pub step: usize,
    /// What was done to it.
    pub change: Change,
    /// The result.
    pub program: Program,
}

/// How one step is weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The fence, barrier or wait is deleted.
    Delete,
    /// It has these weaker semantics.
    Semantics(Semantics),
    /// It has the next narrower scope.
    Scope(Scope),
    /// The wait for bulk copies waits only for the reads.
    ReadOnly,
    /// The barrier reduces nothing, so that nothing depends on its result.
    Plain,
}

/// All weakenings of a program by one ordering, in the order of threads and steps.
pub fn weakenings(program: &Program) -> Vec<Weakening> {
    let mut all = Vec::new();
    for (thread, record) in program.threads.iter().enumerate() {
        for (step, instruction) in record.steps.iter().enumerate() {
            for (change, op) in changes(&instruction.op) {
                let mut weaker = program.clone();
                let steps = &mut weaker.threads[thread].steps;
                if let Op::BarrierReduction { result: Some(result), .. } = &instruction.op {
                    forget(steps, step + 1, result);
                }
                match op {
                    Some(op) => {
                        steps[step].op = op;
                        steps[step].text = None;
                    }
                    None => {
                        steps.remove(step);
                    }
                }
                all.push(Weakening { thread: ThreadId(thread), step, change, program: weaker });
            }
        }
    }
    all
}

/// Takes the dependencies on a result away that is no more, up to where the register is assigned again.
fn forget(steps: &mut Vec<Step>, from: usize, result: &Register) {
    let mut at = from;
    while let Some(step) = steps.get_mut(at) {
        at += 1;
        match &mut step.op {
            Op::Load { registers, access, .. } => {
                access.depends_on.retain(|r| r != result);
                if registers.contains(result) {
                    return;
                }
            }
            Op::Store { access, .. } => access.depends_on.retain(|r| r != result),
            Op::Rmw { register, access, .. } => {
                access.depends_on.retain(|r| r != result);
                if register.as_ref() == Some(result) {
                    return;
                }
            }
            Op::BarrierReduction { predicate, result: next, .. } => {
                predicate.retain(|r| r != result);
                if next.as_ref() == Some(result) {
                    return;
                }
            }
            Op::Branch(register) if register == result => {
                at -= 1;
                steps.remove(at);
            }
            _ => {}
        }
    }
}

fn changes(op: &Op) -> Vec<(Change, Option<Op>)> {
    let mut all = Vec::new();
    match op {
        Op::Load { access, .. } | Op::Store { access, .. } | Op::Rmw { access, .. } => {
            let with = |access: Access| {
                let mut op = op.clone();
                if let Op::Load { access: old, .. } | Op::Store { access: old, .. } | Op::Rmw { access: old, .. } =
                    &mut op
                {
                    *old = access;
                }
                Some(op)
            };
            for &semantics in weaker(access.semantics) {
                all.push((Change::Semantics(semantics), with(Access { semantics, ..access.clone() })));
            }
            if access.semantics.is_strong()
                && let Some(scope) = narrower(access.scope)
            {
                all.push((Change::Scope(scope), with(Access { scope, ..access.clone() })));
            }
        }
        Op::Fence { semantics, scope } => {
            all.push((Change::Delete, None));
            for &semantics in weaker(*semantics) {
                if semantics != Semantics::Relaxed {
                    all.push((Change::Semantics(semantics), Some(Op::Fence { semantics, scope: *scope })));
                }
            }
            if let Some(narrow) = narrower(*scope) {
                all.push((Change::Scope(narrow), Some(Op::Fence { semantics: *semantics, scope: narrow })));
            }
        }
        Op::BulkWait { pending, read_only } => {
            all.push((Change::Delete, None));
            if !read_only {
                all.push((Change::ReadOnly, Some(Op::BulkWait { pending: *pending, read_only: true })));
            }
        }
        Op::Mbarrier { id, phase, action, semantics, scope } => {
            if *action == BarrierAction::Wait {
                all.push((Change::Delete, None));
            }
            let with =
                |semantics, scope| Some(Op::Mbarrier { id: *id, phase: *phase, action: *action, semantics, scope });
            for &semantics in weaker(*semantics) {
                all.push((Change::Semantics(semantics), with(semantics, *scope)));
            }
            if let Some(narrow) = narrower(*scope) {
                all.push((Change::Scope(narrow), with(*semantics, narrow)));
            }
        }
        Op::BarrierReduction { id, .. } => {
            let plain =
                Op::Barrier { id: *id, action: BarrierAction::Sync, level: BarrierLevel::Cta, participants: None };
            all.push((Change::Delete, None));
            all.push((Change::Plain, Some(plain)));
        }
        Op::ProxyFence(_) | Op::Barrier { .. } => all.push((Change::Delete, None)),
        Op::BulkCopy { .. } | Op::BulkCommit | Op::BulkOnMbarrier { .. } | Op::Assume { .. } | Op::Branch(_) => {}
    }
    all
}

/// The next weaker semantics; a relaxed access stays what it is, since its strength is not only order.
fn weaker(semantics: Semantics) -> &'static [Semantics] {
    match semantics {
        Semantics::Weak | Semantics::Relaxed => &[],
        Semantics::Acquire | Semantics::Release => &[Semantics::Relaxed],
        Semantics::AcquireRelease => &[Semantics::Acquire, Semantics::Release],
        Semantics::SequentiallyConsistent => &[Semantics::AcquireRelease],
    }
}

fn narrower(scope: Scope) -> Option<Scope> {
    match scope {
        Scope::Cta => None,
        Scope::Cluster => Some(Scope::Cta),
        Scope::Gpu => Some(Scope::Cluster),
        Scope::Sys => Some(Scope::Gpu),
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Delete => f.write_str("deleted"),
            Change::Semantics(semantics) => write!(f, "only {semantics}"),
            Change::Scope(scope) => write!(f, "only at {scope} scope"),
            Change::ReadOnly => f.write_str("waiting only for the reads"),
            Change::Plain => f.write_str("a barrier without a reduction"),
        }
    }
}
