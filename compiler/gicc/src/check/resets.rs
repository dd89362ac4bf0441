//! Flags that are reset while the next signal may have come already: in a loop, or ahead of the wait of the same launch.
//!
//! ```text
//! this PE:   wait for the flag; (tell the peer); reset the flag          in some order, with the fences between
//! the peer:  signal; wait until it is told; signal again
//!
//! this PE:   reset the flag; tell the peer; (wait for the flag)
//! the peer:  wait until it is told; signal
//! ```
//!
//! The two are a program of the memory model. Where it may end with the flag reset, a signal is lost: that is the
//! finding. Whoever tells and is told is found by the signals that the polls of the peer wait for; the finding is made
//! only if none of them keeps the reset and the next signal apart. Flags whose next use is in another launch are left alone.

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;
use memory_model::{ModelError, Scope, Semantics};

use super::code;
use super::execute::gap::Gap;
use super::judge::model;
use super::report::{Confirmed, Finding, Label};
use crate::analysis::communication::{Class, Kernel, LoopId, Number, Offset, Operation, RelationKind, Site, SiteId};

/// Pairs of a poll and a signal that are tried for one reset.
const MOST: usize = 16;
/// Pairs of a poll and a signal that are looked through for all resets ahead of their waits.
const MOST_COMPARED: usize = 16_384;

/// The findings of a kernel; resets about which there was too much to look at are left open.
pub(super) fn find(kernel: &Kernel, open: &mut BTreeSet<Gap>) -> Vec<Finding> {
    let mut signals_to: BTreeMap<SiteId, Vec<&Site>> = BTreeMap::new();
    for edge in kernel.edges().into_iter().filter(|e| e.kind == RelationKind::Signals) {
        let signal = kernel.site(edge.from);
        if signal.class == Class::Signal {
            signals_to.entry(edge.to).or_default().push(signal);
        }
    }
    let signals = |poll: &Site| signals_to.get(&poll.id).cloned().unwrap_or_default();
    let polls: Vec<Waiting<'_>> = kernel.sites.iter().filter_map(Waiting::of).collect();
    let (mut found, mut compared) = (Vec::new(), 0);
    for reset in kernel.sites.iter().filter(|site| site.class == Class::LocalFlag && is_store(site)) {
        let Some(value) = reset.stored_constant.filter(|v| *v >= 0) else { continue };
        let waits = |own: &&Waiting<'_>| !own.counts && own.is_of(reset) && !own.ends_with(value);
        if let Some(own) = polls.iter().filter(waits).find(|own| is_ahead(kernel, reset, own.site)) {
            // A wait by an atomic operation may be what the peer is met by: it is no part of the programs here.
            let by_atomic = |site: &Site| site.class.is_poll() && site.access.operation != Operation::Load;
            if kernel.sites.iter().any(|site| by_atomic(site) && kernel.leads_to(reset.id, site.id)) {
                open.insert(beside_atomics(reset));
                continue;
            }
            let candidates = of_same_field(signals(own.site), own.site);
            compared += candidates.len() * polls.len();
            if compared <= MOST_COMPARED {
                found.extend(lost(kernel, ahead(kernel, &polls, &signals, candidates, own, reset, value), open));
            } else {
                open.insert(too_many(reset));
            }
            continue;
        }
        let Some(own) = polls.iter().find(waits) else { continue };
        if common_loop(kernel, own.site, reset).is_none() || !kernel.leads_to(own.site.id, reset.id) {
            continue;
        }
        let mut guards = Vec::new();
        for signal in signals(own.site).into_iter().filter(|s| s.in_loop.is_some()) {
            for told in polls.iter().filter(|told| common_loop(kernel, told.site, signal).is_some()) {
                if guards.len() > MOST {
                    break;
                }
                let tells = signals(told.site).into_iter().filter(|t| common_loop(kernel, t, reset).is_some());
                let round = |tell| Round { own: *own, reset, value, signal, told: *told, tell, ahead: false };
                guards.extend(tells.map(round));
            }
        }
        found.extend(lost(kernel, guards, open));
    }
    found
}

/// The finding, where every way of telling loses a signal: one that keeps the two apart may be the one that is meant.
fn lost(kernel: &Kernel, guards: Vec<Round<'_>>, open: &mut BTreeSet<Gap>) -> Option<Finding> {
    let first = guards.first()?;
    if guards.len() > MOST {
        open.insert(too_many(first.reset));
        return None;
    }
    match losses(guards.iter().map(|round| round.loses(kernel))) {
        Ok(loss) => loss.map(|witness| finding(kernel, first, Some(witness))),
        Err(error) => {
            open.insert(unanswered(first.reset, &error));
            None
        }
    }
}

/// The first of the losses, where each way of telling has one.
fn losses(answers: impl Iterator<Item = Result<Option<String>, ModelError>>) -> Result<Option<String>, ModelError> {
    let (mut first, mut unanswered) = (None, None);
    for answer in answers {
        match answer {
            // This one keeps the two apart, whatever the others do.
            Ok(None) => return Ok(None),
            Ok(Some(loss)) => {
                first.get_or_insert(loss);
            }
            Err(error) => {
                unanswered.get_or_insert(error);
            }
        }
    }
    unanswered.map_or(Ok(first), Err)
}

/// A reset about which the memory model did not answer.
fn unanswered(reset: &Site, error: &ModelError) -> Gap {
    let words = format!("whether the reset of a flag wipes out a signal: the memory model did not answer: {error}");
    Gap { words, span: reset.place.innermost.clone() }
}

/// A reset that was not looked at.
fn too_many(reset: &Site) -> Gap {
    let words = "the reset of a flag with more waits and signals than are looked through".to_owned();
    Gap { words, span: reset.place.innermost.clone() }
}

/// A reset that an atomic operation may keep apart from the peer's next signal.
fn beside_atomics(reset: &Site) -> Gap {
    let words = "the reset of a flag ahead of a wait by an atomic operation".to_owned();
    Gap { words, span: reset.place.innermost.clone() }
}

/// Whether a reset comes ahead of the wait for the same word in the same launch, and nothing that is not looked into between.
fn is_ahead(kernel: &Kernel, reset: &Site, own: &Site) -> bool {
    let same = reset.address.as_ref().zip(own.address.as_ref()).is_some_and(|(a, b)| a.value == b.value);
    let between = |site: &Site| kernel.leads_to(reset.id, site.id) && kernel.leads_to(site.id, own.id);
    same && kernel.leads_to(reset.id, own.id)
        && !kernel.reaches(own.id, reset.id)
        && !kernel.sites.iter().filter(|site| matches!(site.class, Class::LibraryCall | Class::Collective)).any(between)
}

/// The ways in which a peer may be told that the flag is reset, before it signals.
fn ahead<'k>(
    kernel: &'k Kernel,
    polls: &[Waiting<'k>],
    signals: &dyn Fn(&Site) -> Vec<&'k Site>,
    candidates: Vec<&'k Site>,
    own: &Waiting<'k>,
    reset: &'k Site,
    value: i64,
) -> Vec<Round<'k>> {
    let behind = |a: &Site, b: &Site| kernel.leads_to(a.id, b.id) && !kernel.leads_to(b.id, a.id);
    let mut guards = Vec::new();
    for signal in candidates {
        for told in polls.iter().filter(|told| behind(told.site, signal)) {
            let tells = of_same_field(signals(told.site), told.site).into_iter().filter(|tell| behind(reset, tell));
            guards.extend(tells.map(|tell| Round { own: *own, reset, value, signal, told: *told, tell, ahead: true }));
        }
    }
    guards
}

/// Of the signals that a poll may wait for, those that are as far from the beginning of their flags as it, where there are such:
/// flags of one structure are told apart by that.
fn of_same_field<'k>(signals: Vec<&'k Site>, poll: &Site) -> Vec<&'k Site> {
    let field = |site: &Site| match site.address.as_ref()?.offset {
        Offset::Known(at) | Offset::From(at) => Some(at),
        Offset::Unknown => None,
    };
    let same: Vec<&Site> = signals.iter().copied().filter(|s| field(s).is_some() && field(s) == field(poll)).collect();
    if same.is_empty() { signals } else { same }
}

fn is_store(site: &Site) -> bool {
    site.access.operation == Operation::Store && site.access.count == 1 && matches!(site.access.width, 1 | 2 | 4 | 8)
}

/// The innermost loop around two sites; the loop in which a poll repeats its own read is none.
fn common_loop(kernel: &Kernel, one: &Site, other: &Site) -> Option<LoopId> {
    let around = |site: &Site| kernel.control.loops_around(site.position.block);
    let others = around(other);
    let poll = |site: &Site| site.poll.as_ref().and_then(|poll| poll.in_loop);
    around(one).into_iter().find(|id| others.contains(id) && Some(*id) != poll(one) && Some(*id) != poll(other))
}

/// A poll, and at which numbers it ends. Where it waits for a count, its next value is as good as 1.
#[derive(Clone, Copy)]
struct Waiting<'k> {
    site: &'k Site,
    comparison: mm::Comparison,
    with: i64,
    counts: bool,
}

impl<'k> Waiting<'k> {
    fn of(site: &'k Site) -> Option<Waiting<'k>> {
        let poll = site.poll.as_ref()?;
        if !matches!(site.class, Class::PollLocal | Class::PollRemote) || site.access.operation != Operation::Load {
            return None;
        }
        let counting = Waiting { site, comparison: mm::Comparison::Eq, with: 1, counts: true };
        let Some(compares) = poll.compares.as_ref() else { return Some(counting) };
        let Number::Known(with) = compares.with else { return Some(counting) };
        let comparison = match compares.predicate.as_str() {
            "eq" => mm::Comparison::Eq,
            "ne" => mm::Comparison::Ne,
            "ugt" | "sgt" => mm::Comparison::Gt,
            "uge" | "sge" => mm::Comparison::Ge,
            "ult" | "slt" => mm::Comparison::Lt,
            "ule" | "sle" => mm::Comparison::Le,
            _ => return None,
        };
        (with >= 0).then_some(Waiting { site, comparison, with, counts: false })
    }

    /// Whether it reads the very flag that is reset.
    fn is_of(&self, reset: &Site) -> bool {
        match (&self.site.address, &reset.address) {
            (Some(a), Some(b)) => {
                (a.value == b.value || a.base == b.base) && self.site.access.width == reset.access.width
            }
            _ => false,
        }
    }

    fn ends_with(&self, value: i64) -> bool {
        u128::try_from(value).is_ok_and(|value| self.comparison.holds(value, self.with as u128))
    }

    /// A value that ends it, and one that does not.
    fn values(&self) -> Option<(u128, u128)> {
        let near = [self.with, self.with + 1, self.with - 1, 0, 1];
        let of = |ends: bool| near.into_iter().find(|v| *v >= 0 && self.ends_with(*v) == ends).map(|v| v as u128);
        Some((of(true)?, of(false)?))
    }
}

/// One way in which a flag's rounds may be kept apart.
#[derive(Clone, Copy)]
struct Round<'k> {
    own: Waiting<'k>,
    reset: &'k Site,
    value: i64,
    signal: &'k Site,
    told: Waiting<'k>,
    tell: &'k Site,
    /// The reset is ahead of the wait, in one round.
    ahead: bool,
}

impl Round<'_> {
    /// How the second signal is lost, if it can be.
    fn loses(&self, kernel: &Kernel) -> Result<Option<String>, ModelError> {
        let mut program = mm::Program::new();
        let flag = program.global("flag");
        let told = if self.told.site.id == self.own.site.id { "the peer's flag" } else { "what the peer waits for" };
        let answer = program.global(told);
        let reset = self.value as u128;
        let (Some((set, _)), Some((said, unsaid))) = (self.own.values(), self.told.values()) else { return Ok(None) };
        let width = |site: &Site| if matches!(site.access.width, 1 | 2 | 4 | 8) { site.access.width as u8 } else { 4 };
        program.initial(flag, 0, width(self.own.site), reset);
        program.initial(answer, 0, width(self.told.site), unsaid);

        let tells_first = kernel.leads_to(self.tell.id, self.own.site.id);
        let told_first =
            kernel.leads_to(self.told.site.id, self.signal.id) && !kernel.leads_to(self.signal.id, self.told.site.id);
        let own = (self.own.site, self.poll(&self.own, flag, "seen"));
        let resets = (self.reset, store(self.reset, flag, width(self.own.site), reset));
        let tells = (self.tell, store(self.tell, answer, width(self.told.site), said));
        let order = match (tells_first, told_first) {
            _ if self.ahead => vec![resets, tells],
            // Each tells the other and then waits: a meeting.
            (true, false) => vec![tells, own, resets],
            // What let the peer signal is past; it signals again when it is told by the next round.
            (true, true) => vec![own, resets, tells],
            (false, false) if kernel.leads_to(self.tell.id, self.reset.id) => vec![own, tells, resets],
            (false, false) => vec![own, resets, tells],
            // Each waits for the other first: these do not belong together.
            (false, true) => return Ok(None),
        };
        thread(kernel, &mut program, "this PE", 0, order);
        let signals = || (self.signal, store(self.signal, flag, width(self.own.site), set));
        let waits = (self.told.site, self.poll(&self.told, answer, "told"));
        let peer = if self.ahead { vec![waits, signals()] } else { vec![signals(), waits, signals()] };
        thread(kernel, &mut program, "the peer", 1, peer);

        let lost = mm::Condition::Compare(
            mm::Term::Memory { location: "flag".to_owned(), offset: 0, width: width(self.own.site) },
            mm::Comparison::Eq,
            reset,
        );
        let verdict = model().check(&program, &lost)?;
        let Some(witness) = verdict.witness() else { return Ok(None) };
        let read = witness.reads.first().map_or_else(String::new, |read| format!("; {}", read.text));
        let which = if self.ahead { "signal" } else { "second signal" };
        Ok(Some(format!("the flag ends as {reset}: the reset comes behind the peer's {which}{read}")))
    }

    fn poll(&self, waiting: &Waiting<'_>, flag: mm::LocationId, register: &str) -> mm::Op {
        mm::Op::Load {
            registers: vec![mm::Register(register.to_owned())],
            access: access(waiting.site, flag, waiting.site.access.width as u8),
            until: Some(mm::Until { comparison: waiting.comparison, value: waiting.with as u128 }),
        }
    }
}

/// A flag's access as it is written; one that is plain is taken for a relaxed one, and a sequentially consistent one has its
/// fence ahead of it.
fn access(site: &Site, flag: mm::LocationId, width: u8) -> mm::Access {
    let (semantics, scope) = match site.access.semantics {
        Semantics::Weak => (Semantics::Relaxed, Scope::Sys),
        Semantics::SequentiallyConsistent => {
            let own = match site.access.operation {
                Operation::Load => Semantics::Acquire,
                Operation::ReadModifyWrite { returns: true, .. } => Semantics::AcquireRelease,
                _ => Semantics::Release,
            };
            (own, site.access.scope.unwrap_or(Scope::Sys))
        }
        semantics => (semantics, site.access.scope.unwrap_or(Scope::Sys)),
    };
    mm::Access {
        address: mm::Address { location: flag, offset: 0 },
        width,
        count: 1,
        semantics,
        scope,
        proxy: site.access.proxy,
        depends_on: Vec::new(),
    }
}

/// A write of a flag. What an atomic operation makes of a flag that was reset is the value that it has then.
fn store(site: &Site, flag: mm::LocationId, width: u8, value: u128) -> mm::Op {
    let (access, value) = (access(site, flag, width), mm::Operand::Constant(value));
    match site.access.operation {
        Operation::ReadModifyWrite { returns, .. } => {
            mm::Op::Rmw { returns, register: None, access, function: mm::RmwFunction::Exchange(value) }
        }
        _ => mm::Op::Store { access, values: vec![value] },
    }
}

/// One thread of a PE: the operations, with the fences that stand on every way from one to the next.
fn thread(kernel: &Kernel, program: &mut mm::Program, name: &str, pe: u32, operations: Vec<(&Site, mm::Op)>) {
    let id = program.thread(name, mm::Place::block(pe, 0)).id();
    let mut steps = Vec::new();
    let mut before: Option<&Site> = None;
    for (site, op) in operations {
        let fences = kernel.sites.iter().filter(|fence| fence.is_fence());
        for fence in fences.filter(|f| before.is_some_and(|b| kernel.always_between(b.id, site.id, &|s| s.id == f.id)))
        {
            let scope = fence.access.scope.unwrap_or(Scope::Cta);
            steps.push(mm::Step { op: mm::Op::Fence { semantics: fence.access.semantics, scope }, text: None });
        }
        if site.access.semantics == Semantics::SequentiallyConsistent {
            let scope = site.access.scope.unwrap_or(Scope::Sys);
            let fence = mm::Op::Fence { semantics: Semantics::SequentiallyConsistent, scope };
            steps.push(mm::Step { op: fence, text: None });
        }
        let place = site.place.innermost.as_ref().map(|span| format!("line {}", span.line));
        steps.push(mm::Step { op, text: place });
        before = Some(site);
    }
    program.threads[id.0].steps = steps;
}

fn finding(kernel: &Kernel, round: &Round<'_>, witness: Option<String>) -> Finding {
    let label =
        |site: &Site, text: &str| site.place.innermost.clone().map(|span| Label { span, text: text.to_owned() });
    Finding {
        code: &code::RESET_OVERTAKES,
        kernel: kernel.name.clone(),
        span: round.reset.place.innermost.clone(),
        message: "the reset of the flag may wipe out the next signal".to_owned(),
        cause: if round.ahead {
            "the peer may see what tells it to go on, and set the flag, before the reset: nothing orders the two".to_owned()
        } else {
            "the peer may set the flag again before the reset: nothing orders the reset with the peer's next signal".to_owned()
        },
        cure: "count epochs instead of resetting, or reset before the signal that allows the peer to set the flag again, with release"
            .to_owned(),
        witness,
        confirmed: Confirmed::Confirmed,
        labels: [label(round.own.site, "the wait that the flag is reset for"), label(round.tell, "this lets the peer go on")]
            .into_iter()
            .flatten()
            .collect(),
        inlined_at: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> ModelError {
        ModelError::TooLarge { what: "steps", limit: 3 }
    }

    #[test]
    fn a_signal_is_lost_where_every_way_of_telling_loses_it() {
        let loss = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(losses([loss("first"), loss("second")].into_iter()), loss("first"));
        assert_eq!(losses([loss("first"), Ok(None)].into_iter()), Ok(None));
        // What the memory model does not answer is not taken for one that keeps the two apart, nor for a loss.
        assert_eq!(losses([loss("first"), Err(error())].into_iter()), Err(error()));
        assert_eq!(losses([Err(error()), Ok(None)].into_iter()), Ok(None));
    }
}
