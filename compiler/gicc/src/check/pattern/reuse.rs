//! Slots that a loop writes again while the peer may still read them, where peers come from a host program's tables.
//!
//! ```text
//! this PE:   … wait until the peer has read; write the slot again
//! the peer:  read the slot; tell that it has read …                      with the fences and barriers between
//! ```
//!
//! Whoever tells and is told is found by the signals that the waits of the writer's loop wait for. Each such pair is a small
//! launch, and so a program of the memory model; where the read may return what is written later, the pair keeps nothing apart.
//! The finding is made only if no pair keeps the two apart, or if there is none.
//!
//! What the writer writes has to be seen to be what the reader reads: the same memory, or the same place of symmetric memory.
//! Slots that alternate with the round, slots of the next launch, and loops in which a library is called are left alone.

use std::collections::BTreeMap;

use super::super::budget::Budget;
use super::super::code;
use super::super::execute::Scenario;
use super::super::execute::event::Event;
use super::super::execute::thread::{Path, Role};
use super::super::judge::returned_too_early;
use super::super::report::{Confirmed, Finding, Label};
use super::launch::{
    LATER, followed, launched, overwriting, put_between, reading, scenario, telling, threads, waiting,
};
use super::{Received, Sent, line};
use crate::analysis::communication::{Class, Kernel, LoopId, Offset, Operation, Relation, Site};

/// Ways of telling that are tried for one slot.
const MOST: usize = 16;
/// Signals in the loops, with a wait for them there, among which those ways are looked for.
const MOST_SIGNALS: usize = 64;

/// Who tells that it has read, and who waits for that.
#[derive(Clone, Copy)]
struct Guard<'k> {
    tell: &'k Site,
    wait: &'k Site,
}

/// What was found of one pair of halves.
pub(super) enum Reuse {
    /// Something keeps the rounds apart, or the slot is another one each time, as far as can be told.
    None,
    /// Whether the slot is written too early was not looked for.
    Unknown,
    /// The slot may be written too early.
    Found(Box<Finding>),
}

/// Whether the slot of a pair is written again too early; `signals` are the kernel's signals with the waits for them.
pub(super) fn find(
    kernel: &Kernel,
    signals: &[Relation],
    sent: Sent<'_>,
    received: Received<'_>,
    budget: &mut Budget,
) -> Reuse {
    let plain = |site: &Site| matches!(site.access.operation, Operation::Store | Operation::Load);
    if !plain(sent.data) || !plain(received.read) {
        return Reuse::None;
    }
    let around = |one: &Site, other: &Site| -> Option<LoopId> {
        let others = kernel.control.loops_around(other.position.block);
        let polling = [one, other].map(|site| site.poll.as_ref().and_then(|poll| poll.in_loop));
        let own = kernel.control.loops_around(one.position.block);
        own.into_iter().find(|id| others.contains(id) && !polling.contains(&Some(*id)))
    };
    let (Some(writes), Some(reads)) = (around(sent.data, sent.signal), around(received.read, received.poll)) else {
        // Each round is a launch.
        return Reuse::Unknown;
    };
    let moved = |site: &Site, by: LoopId| site.address.as_ref().is_none_or(|address| address.moved_by.contains(&by));
    if moved(sent.data, writes) || moved(received.read, reads) || !same_slot(kernel, sent.data, received.read) {
        return Reuse::Unknown;
    }
    let in_loop = |site: &Site, id: LoopId| kernel.control.loops_around(site.position.block).contains(&id);
    let is_call = |s: &Site| matches!(s.class, Class::LibraryCall | Class::Collective);
    if kernel.sites.iter().any(|s| is_call(s) && (in_loop(s, writes) || in_loop(s, reads))) {
        return Reuse::Unknown;
    }
    let there = |edge: &&Relation| {
        let (tell, wait) = (kernel.site(edge.from), kernel.site(edge.to));
        tell.class == Class::Signal && wait.class.is_poll() && in_loop(tell, reads) && in_loop(wait, writes)
    };
    let near: Vec<Relation> = signals.iter().filter(there).take(MOST_SIGNALS + 1).copied().collect();
    let one_loop = in_loop(sent.data, reads) && in_loop(received.read, writes);
    let guards = guards(kernel, &near, sent, received, one_loop);
    if near.len() > MOST_SIGNALS || guards.len() > MOST {
        return Reuse::Unknown;
    }
    // Other threads may wait for the peer, or it may tell by packets: who then meets whom is not followed. A poll may stand
    // several times, since compilers copy the front of loops.
    let of_same_flag = |one: &Site, other: &Site| {
        let value = |site: &Site| site.address.as_ref().map(|address| address.value);
        one.id == other.id || value(one).is_some() && value(one) == value(other)
    };
    let waits = guards.iter().map(|guard| guard.wait).chain([received.poll, received.read]);
    let known: Vec<&Site> = waits.collect();
    let unknown = |site: &&Site| site.class.is_poll() && !known.iter().any(|wait| of_same_flag(wait, site));
    if kernel.sites.iter().any(|site| unknown(&site)) {
        return Reuse::Unknown;
    }
    let mut witness = None;
    let mut launches: Vec<Scenario> = guards.iter().map(|guard| guarded(kernel, sent, received, *guard)).collect();
    if guards.is_empty() {
        launches.push(unguarded(kernel, sent, received));
    }
    for launch in launches {
        match returned_too_early(&launch, (sent.data.id.0, LATER), &mut budget.search) {
            Some(Some(text)) => witness = witness.or(Some(text)),
            Some(None) => return Reuse::None,
            None => return Reuse::Unknown,
        }
    }
    Reuse::Found(Box::new(finding(kernel, sent, received, guards.first().copied(), witness)))
}

/// Whether what is written is what the peer reads: the same object or its twin, as far from its beginning.
fn same_slot(kernel: &Kernel, data: &Site, read: &Site) -> bool {
    let (Some(to), Some(from)) = (&data.address, &read.address) else { return false };
    let twin = |one, other| one == other || kernel.object(one).is_some_and(|object| object.twins.contains(&other));
    let at = |offset: Offset| match offset {
        Offset::Known(at) | Offset::From(at) => Some(at),
        Offset::Unknown => None,
    };
    to.objects.iter().any(|one| from.objects.iter().any(|other| twin(*one, *other)))
        && at(to.offset).is_some()
        && at(to.offset) == at(from.offset)
}

/// Of signals with the waits for them: those behind the read, whose wait is ahead of the next store.
fn guards<'k>(
    kernel: &'k Kernel,
    near: &[Relation],
    sent: Sent<'k>,
    received: Received<'k>,
    one_loop: bool,
) -> Vec<Guard<'k>> {
    let pairs = near.iter().map(|edge| Guard { tell: kernel.site(edge.from), wait: kernel.site(edge.to) });
    pairs
        // Told in this round, or by the next one's signal, which the next store then has to wait for.
        .filter(|guard| {
            !one_loop
                || kernel.leads_to(received.read.id, guard.tell.id)
                || kernel.leads_to(guard.wait.id, sent.data.id)
        })
        .collect()
}

/// The peer reads and tells; this PE waits for that and writes again.
fn guarded(kernel: &Kernel, sent: Sent<'_>, received: Received<'_>, guard: Guard<'_>) -> Scenario {
    let mut all: BTreeMap<Role, Vec<Event>> = BTreeMap::new();
    let (read_thread, tell_thread) = threads(received.read, guard.tell, guard.tell);
    let peer = |thread| Role { pe: 1, block: 0, thread };
    all.entry(peer(read_thread)).or_default().push(reading(received.read));
    let between = followed(kernel, received.read, guard.tell);
    put_between(&mut all, &between, (peer(read_thread), received.read), (peer(tell_thread), guard.tell));
    all.entry(peer(tell_thread)).or_default().push(telling(guard.tell));
    let (wait_thread, data_thread) = threads(guard.wait, sent.data, guard.wait);
    let own = |thread| Role { pe: 0, block: 0, thread };
    all.entry(own(wait_thread)).or_default().extend(waiting(guard.wait, guard.tell));
    let between = followed(kernel, guard.wait, sent.data);
    put_between(&mut all, &between, (own(wait_thread), guard.wait), (own(data_thread), sent.data));
    all.entry(own(data_thread)).or_default().push(overwriting(sent.data));
    launched(all)
}

/// The pair, and the same store once more.
fn unguarded(kernel: &Kernel, sent: Sent<'_>, received: Received<'_>) -> Scenario {
    let mut pair = scenario(kernel, Some(sent), Some(received));
    for (role, paths) in &mut pair.threads {
        for Path { events, .. } in paths {
            if role.pe == 0 && events.iter().any(|event| event.site.0 == sent.data.id.0) {
                events.push(overwriting(sent.data));
            }
        }
    }
    pair
}

fn finding(
    kernel: &Kernel,
    sent: Sent<'_>,
    received: Received<'_>,
    guard: Option<Guard<'_>>,
    witness: Option<String>,
) -> Finding {
    let label = |site: &Site, text: &str| line(site).map(|span| Label { span, text: text.to_owned() });
    let mut labels: Vec<Label> = label(received.read, "the peer reads it here").into_iter().collect();
    let cause = match guard {
        Some(guard) => {
            labels.extend(label(guard.tell, "this tells that it was read"));
            labels.extend(label(guard.wait, "and this waits for that"));
            "the loop writes the slot again, and what the peer tells and this PE waits for does not put the peer's read ahead of it"
        }
        None => "the loop writes the slot again, and nothing between waits for the peer to have read it",
    };
    labels.dedup_by(|a, b| a.span == b.span);
    Finding {
        code: &code::SLOT_REUSED,
        kernel: kernel.name.clone(),
        span: line(sent.data),
        message: "memory is written again while a peer may still read what it held".to_owned(),
        cause: cause.to_owned(),
        cure: "let the reader say that it has read, behind a barrier of its readers (a signal with release), and wait for that \
               with acquire before writing again; or alternate between slots"
            .to_owned(),
        witness,
        confirmed: Confirmed::Confirmed,
        labels,
        inlined_at: Vec::new(),
    }
}
