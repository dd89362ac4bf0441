//! Orderings that a text holds, and the text with exactly one of them gone, weaker or narrower.
//!
//! A proof of a lowering template must fail for each of these. What is listed: release and acquire of loads, stores,
//! atomics, multimem and mbarrier operations and cluster barriers; scopes of strong operations and fences; fences,
//! proxy fences, barriers; commits of and waits for asynchronous copies; `volatile`. An ordering that is not written is
//! listed too where the manual's default is one (`mbarrier.arrive`, `barrier.cluster`).
//!
//! Limits: statements that the table does not know hold no listed ordering. Strong operations without ordering
//! (`relaxed`) are narrowed, not made weak.

use crate::ast::{Module, Statement, StatementKind};
use crate::instruction::{Instruction, Op};
use crate::op::{CopyGroup, MbarrierAction, MembarLevel, Order};
use crate::span::Span;
use memory_model::{Scope, Semantics};

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The statement is gone: a fence, a barrier, a wait.
    Removed,
    /// The ordering is weaker: `.release` became `.relaxed`, a wait became a `.read` wait.
    Weakened,
    /// The scope is narrower by one step.
    Narrowed,
}

/// Which ordering is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The ordering of a memory operation.
    Semantics(Semantics),
    /// The scope of a memory operation or fence.
    Scope(Scope),
    /// `volatile`
    Volatile,
    /// `fence`, `membar`
    Fence,
    /// `fence.proxy`, `fence.mbarrier_init`
    ProxyFence,
    /// A block barrier.
    Barrier,
    /// `bar.warp.sync`
    WarpBarrier,
    /// A cluster barrier.
    ClusterBarrier,
    /// A commit of, or wait for, asynchronous copies.
    CopyGroup,
}

/// One change to a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// What it does.
    pub change: Change,
    /// To which ordering.
    pub subject: Subject,
    /// The function it is in.
    pub function: String,
    /// The word or statement that carries the ordering.
    pub site: Span,
    /// The statement as it was, and what stands there afterwards (nothing, if it is removed).
    pub before: String,
    /// See `before`.
    pub after: String,
    /// The piece of text that is replaced.
    edit: Span,
    replacement: String,
}

impl Mutation {
    /// The text with this one change. The text must be the one that the module was parsed from.
    pub fn apply(&self, source: &str) -> String {
        let mut out = String::with_capacity(source.len());
        out.push_str(source.get(..self.edit.start).unwrap_or(source));
        out.push_str(&self.replacement);
        out.push_str(source.get(self.edit.end..).unwrap_or(""));
        out
    }
}

impl std::fmt::Display for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let after = if self.after.is_empty() { "nothing" } else { &self.after };
        write!(f, "{}: `{}` in `{}` becomes {after}", self.site, self.before, self.function)
    }
}

/// Every change of one ordering, in the order of the text.
///
/// ```
/// let source = ".version 8.8 .target sm_90 .address_size 64
///     .visible .entry k() { bar.sync 0; fence.acq_rel.sys; ret; }";
/// let module = ptx::parse_module(source)?;
/// let all = ptx::mutate::mutations(source, &module);
/// let after: Vec<_> = all.iter().map(|m| m.after.as_str()).collect();
/// assert_eq!(after, ["", "", "fence.acq_rel.gpu"]);
/// assert!(!all[0].apply(source).contains("bar.sync"));
/// # Ok::<(), ptx::ParseError>(())
/// ```
pub fn mutations(source: &str, module: &Module) -> Vec<Mutation> {
    let mut out = Vec::new();
    for function in module.functions() {
        let mut visit = |statement: &Statement| {
            if let StatementKind::Instruction(instruction) = &statement.kind {
                let site = Site { source, function: &function.name, statement: statement.span, instruction };
                site.mutations(&mut out);
            }
        };
        crate::ast::walk(function.body.as_deref().unwrap_or(&[]), &mut visit);
    }
    out
}

struct Site<'a> {
    source: &'a str,
    function: &'a str,
    statement: Span,
    instruction: &'a Instruction,
}

impl Site<'_> {
    fn mutations(&self, out: &mut Vec<Mutation>) {
        match &self.instruction.op {
            Op::Fence(_) | Op::Membar(_) => self.remove(Subject::Fence, out),
            Op::FenceProxy(_) | Op::FenceMbarrierInit => self.remove(Subject::ProxyFence, out),
            Op::Barrier(_) => self.remove(Subject::Barrier, out),
            Op::BarWarpSync => self.remove(Subject::WarpBarrier, out),
            Op::BarrierCluster(_) => self.remove(Subject::ClusterBarrier, out),
            Op::CopyGroup(group) => {
                self.remove(Subject::CopyGroup, out);
                if let CopyGroup::BulkWait { read: false } = group {
                    let weaker = Op::CopyGroup(CopyGroup::BulkWait { read: true });
                    self.change(Change::Weakened, Subject::CopyGroup, None, weaker, out);
                }
            }
            _ => {}
        }
        self.weaken(out);
        self.narrow(out);
    }

    /// Orderings of memory operations, each replaced by the next weaker ones.
    fn weaken(&self, out: &mut Vec<Mutation>) {
        let weaker = |semantics: Semantics| -> &'static [Semantics] {
            match semantics {
                Semantics::AcquireRelease => &[Semantics::Relaxed, Semantics::Acquire, Semantics::Release],
                Semantics::Acquire | Semantics::Release => &[Semantics::Relaxed],
                _ => &[],
            }
        };
        match &self.instruction.op {
            Op::Ld(_) | Op::St(_) => match self.order() {
                Some(Order::Strong(semantics, scope)) => {
                    for weak in weaker(semantics) {
                        let op = self.with_order(Order::Strong(*weak, scope));
                        self.change(Change::Weakened, Subject::Semantics(semantics), Some(semantics.ptx()), op, out);
                    }
                }
                Some(Order::Volatile) => {
                    let op = self.with_order(Order::Unmarked);
                    self.change(Change::Weakened, Subject::Volatile, Some("volatile"), op, out);
                }
                _ => {}
            },
            Op::Atomic(atomic) => {
                for weak in atomic.semantics.map(weaker).unwrap_or(&[]) {
                    let mut op = atomic.clone();
                    op.semantics = Some(*weak);
                    self.weakened(atomic.semantics, Op::Atomic(op), out);
                }
            }
            Op::Fence(fence) if fence.semantics == Some(Semantics::SequentiallyConsistent) => {
                let mut op = fence.clone();
                op.semantics = Some(Semantics::AcquireRelease);
                self.weakened(fence.semantics, Op::Fence(op), out);
            }
            Op::Multimem(multimem) => {
                for weak in multimem.semantics.map(weaker).unwrap_or(&[]) {
                    let mut op = multimem.clone();
                    op.semantics = Some(*weak);
                    self.weakened(multimem.semantics, Op::Multimem(op), out);
                }
            }
            Op::Mbarrier(mbarrier) if mbarrier.action.arrives() || mbarrier.action.waits() => {
                // Without a word, an arrival releases and a wait acquires.
                let default = if mbarrier.action.arrives() { Semantics::Release } else { Semantics::Acquire };
                let semantics = mbarrier.semantics.unwrap_or(default);
                if semantics != Semantics::Relaxed && mbarrier.action != MbarrierAction::PendingCount {
                    let mut op = mbarrier.clone();
                    op.semantics = Some(Semantics::Relaxed);
                    op.scope = Some(mbarrier.scope.unwrap_or(Scope::Cta));
                    self.weakened(Some(semantics), Op::Mbarrier(op), out);
                }
            }
            Op::BarrierCluster(barrier) if barrier.arrive && barrier.semantics != Some(Semantics::Relaxed) => {
                let mut op = barrier.clone();
                op.semantics = Some(Semantics::Relaxed);
                self.weakened(Some(Semantics::Release), Op::BarrierCluster(op), out);
            }
            _ => {}
        }
    }

    fn narrow(&self, out: &mut Vec<Mutation>) {
        let narrower = |scope: Scope| match scope {
            Scope::Sys => Some(Scope::Gpu),
            Scope::Gpu | Scope::Cluster => Some(Scope::Cta),
            Scope::Cta => None,
        };
        let (scope, op) = match &self.instruction.op {
            Op::Ld(_) | Op::St(_) => match self.order() {
                Some(Order::Strong(semantics, scope)) => match narrower(scope) {
                    Some(narrow) => (scope, self.with_order(Order::Strong(semantics, narrow))),
                    None => return,
                },
                _ => return,
            },
            Op::Membar(level) => {
                let (scope, narrow) = match level {
                    MembarLevel::Sys => (Scope::Sys, MembarLevel::Gl),
                    MembarLevel::Gl => (Scope::Gpu, MembarLevel::Cta),
                    MembarLevel::Cta => return,
                };
                let word = level.ptx();
                self.change(Change::Narrowed, Subject::Scope(scope), Some(word), Op::Membar(narrow), out);
                return;
            }
            op => {
                let mut op = op.clone();
                let place = match &mut op {
                    Op::Atomic(op) => op.scope.as_mut(),
                    Op::Multimem(op) => op.scope.as_mut(),
                    Op::Mbarrier(op) => op.scope.as_mut(),
                    Op::Fence(op) => Some(&mut op.scope),
                    Op::FenceProxy(op) => op.scope.as_mut(),
                    _ => None,
                };
                let Some(place) = place else { return };
                let scope = *place;
                let Some(narrow) = narrower(scope) else { return };
                *place = narrow;
                (scope, op)
            }
        };
        self.change(Change::Narrowed, Subject::Scope(scope), Some(scope.ptx()), op, out);
    }

    fn order(&self) -> Option<Order> {
        match &self.instruction.op {
            Op::Ld(ld) => Some(ld.order),
            Op::St(st) => Some(st.order),
            _ => None,
        }
    }

    fn with_order(&self, order: Order) -> Op {
        match self.instruction.op.clone() {
            Op::Ld(ld) => Op::Ld(crate::op::Ld { order, ..ld }),
            Op::St(st) => Op::St(crate::op::St { order, ..st }),
            other => other,
        }
    }

    fn weakened(&self, semantics: Option<Semantics>, op: Op, out: &mut Vec<Mutation>) {
        let Some(semantics) = semantics else { return };
        self.change(Change::Weakened, Subject::Semantics(semantics), Some(semantics.ptx()), op, out);
    }

    fn remove(&self, subject: Subject, out: &mut Vec<Mutation>) {
        out.push(Mutation {
            change: Change::Removed,
            subject,
            function: self.function.to_owned(),
            site: self.statement,
            before: self.statement.text(self.source).to_owned(),
            after: String::new(),
            edit: self.statement,
            replacement: String::new(),
        });
    }

    /// Replaces the opcode by that of the changed instruction.
    fn change(&self, change: Change, subject: Subject, word: Option<&str>, op: Op, out: &mut Vec<Mutation>) {
        let opcode = self.instruction.opcode_span;
        let replacement = op.spelling();
        out.push(Mutation {
            change,
            subject,
            function: self.function.to_owned(),
            site: word.and_then(|word| self.word(word)).unwrap_or(opcode),
            before: self.instruction.opcode.clone(),
            after: replacement.clone(),
            edit: opcode,
            replacement,
        });
    }

    /// Where a modifier stands in the opcode, without its dot.
    fn word(&self, word: &str) -> Option<Span> {
        let opcode = self.instruction.opcode_span;
        let text = opcode.text(self.source);
        let found = text.match_indices('.').map(|(at, _)| at + 1).find(|at| {
            let rest = &text[*at..];
            rest.starts_with(word)
                && !rest[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':')
        })?;
        let line_breaks = text[..found].matches('\n').count() as u32;
        let column = match text[..found].rfind('\n') {
            Some(newline) => (found - newline) as u32,
            None => opcode.column + found as u32,
        };
        let start = opcode.start + found;
        Some(Span { start, end: start + word.len(), line: opcode.line + line_breaks, column })
    }
}
