//! The small launch for a pair of halves, event by event. A half that is missing is the strongest there is.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use memory_model::{Proxy, Scope, Semantics};

use super::super::execute::Scenario;
use super::super::execute::event::{Access, AccessKind, Event, EventKind, Function, WARPS};
use super::super::execute::thread::{HEAP, Launch, Path, Role, STRIDE};
use super::super::execute::value::{Compare, Expression, Read};
use super::{Received, Sent, line};
use crate::analysis::communication::{Barrier, Class, Kernel, Number, Operation, Site, Who};
use crate::analysis::words;

/// Where the data and the flag of a pair lie, and the counter of a grid.
const DATA: u64 = HEAP + STRIDE + 0x1000;

const FLAG: u64 = HEAP + STRIDE + 0x2000;

const COUNTER: u64 = HEAP + 0x3000;

/// The part of a store's site that stands for its next round.
pub(super) const LATER: u32 = 9;

/// Which threads of the block execute the first and the second of two sites: the same one, or two.
pub(super) fn threads(first: &Site, second: &Site, elected: &Site) -> (u32, u32) {
    let other = if elected.guard.who == Who::OneOfWarp { 1 } else { 32 };
    let few = |who: Who| matches!(who, Who::OneOfBlock | Who::OneOfWarp | Who::Some | Who::Warps);
    if first.guard.same_threads(&second.guard) || !few(elected.guard.who) {
        return (0, 0);
    }
    let peer = if std::ptr::eq(elected, first) { second } else { first };
    if few(peer.guard.who) && elected.guard.who == peer.guard.who && peer.guard.who != Who::Some {
        // Both are elected, and it may well be the same thread.
        return (0, 0);
    }
    if std::ptr::eq(elected, second) { (other, 0) } else { (0, other) }
}

/// The small launch for a pair; a half that is missing is the strongest there is.
pub(super) fn scenario(kernel: &Kernel, sent: Option<Sent<'_>>, received: Option<Received<'_>>) -> Scenario {
    let mut all: BTreeMap<Role, Vec<Event>> = BTreeMap::new();
    match sent {
        Some(sent) => send(kernel, sent, &mut all),
        None => {
            let role = Role { pe: 0, block: 0, thread: 0 };
            let site = (u32::MAX, 1);
            let span = received.and_then(|r| line(r.read));
            let data = access(AccessKind::Store, DATA, Semantics::Weak, Scope::Sys, Proxy::Generic, 4, vec![Ok(7)]);
            let flag = access(
                AccessKind::Store,
                FLAG,
                Semantics::Release,
                Scope::Sys,
                Proxy::Generic,
                received.map_or(4, |r| width(r.poll)),
                vec![Ok(1)],
            );
            let make = |part: u32, text: &str, access| Event {
                site: (site.0, site.1 + part),
                span: span.clone(),
                text: text.into(),
                kind: EventKind::Access(access),
            };
            all.insert(role, vec![make(0, "what the peer writes", data), make(1, "the peer's signal", flag)]);
        }
    }
    match received {
        Some(received) => receive(kernel, received, &mut all),
        None => {
            let role = Role { pe: 1, block: 0, thread: 0 };
            let span = sent.and_then(|s| line(s.signal));
            let size = sent.map_or(4, |s| width(s.signal));
            let poll = access(AccessKind::Load, FLAG, Semantics::Acquire, Scope::Sys, Proxy::Generic, size, Vec::new());
            let read = access(AccessKind::Load, DATA, Semantics::Weak, Scope::Sys, Proxy::Generic, 4, Vec::new());
            let make = |part: u32, text: &str, kind| Event {
                site: (u32::MAX, 10 + part),
                span: span.clone(),
                text: text.into(),
                kind,
            };
            all.insert(
                role,
                vec![
                    make(0, "the peer's wait", EventKind::Access(poll)),
                    make(1, "", EventKind::Assume { read: Read { event: 0, lane: 0 }, compare: Compare::UGe, with: 1 }),
                    make(2, "the peer's read", EventKind::Access(read)),
                ],
            );
        }
    }
    launched(all)
}

/// A launch of threads that have one path each.
pub(super) fn launched(all: BTreeMap<Role, Vec<Event>>) -> Scenario {
    let threads = all.into_iter().map(|(role, events)| (role, vec![Path { events, gaps: BTreeSet::new() }])).collect();
    Scenario { launch: Launch { pes: 2, blocks: 1, threads: 64, inputs: BTreeMap::new() }, threads }
}

fn width(site: &Site) -> u32 {
    if matches!(site.access.width, 1 | 2 | 4 | 8 | 16) { site.access.width } else { 4 }
}

fn access(
    kind: AccessKind,
    address: u64,
    semantics: Semantics,
    scope: Scope,
    proxy: Proxy,
    width: u32,
    values: Vec<Result<u128, Rc<Expression>>>,
) -> Access {
    Access { kind, address, width, count: 1, semantics, scope, proxy, values, packet: false }
}

fn event(site: &Site, part: u32, kind: EventKind) -> Event {
    let span = site.place.innermost.clone();
    Event { site: (site.id.0, part), span, text: words::operation(site).into(), kind }
}

/// What stands on every way between two sites and orders, in order.
fn between<'k>(kernel: &'k Kernel, from: &Site, to: &Site) -> Vec<&'k Site> {
    let mut all: Vec<&Site> = kernel
        .sites
        .iter()
        .filter(|site| site.is_fence() || site.barrier().is_some())
        .filter(|site| kernel.always_between(from.id, to.id, &|other| other.id == site.id))
        .collect();
    all.sort_by(|a, b| {
        if a.id == b.id {
            std::cmp::Ordering::Equal
        } else if kernel.leads_to(a.id, b.id) {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        }
    });
    all
}

/// What stands on every way between two sites and orders, in order, where the second may be of the next round of a loop.
pub(super) fn followed<'k>(kernel: &'k Kernel, from: &Site, to: &Site) -> Vec<&'k Site> {
    let (mut here, next): (Vec<&Site>, Vec<&Site>) =
        between(kernel, from, to).into_iter().partition(|site| kernel.leads_to(from.id, site.id));
    here.extend(next);
    here
}

/// The event of a fence or barrier, for the thread.
fn ordering(site: &Site, thread: u32) -> Option<Event> {
    let kind = match site.barrier() {
        Some(Barrier::Block | Barrier::Grid | Barrier::Cluster { .. }) => EventKind::Barrier { id: 0, arrives: false },
        Some(Barrier::Named { id, .. }) => {
            let id = match id {
                Number::Known(id) => id.clamp(0, 15) as u32,
                _ => 1,
            };
            // Who arrives and who waits is not told apart here.
            EventKind::Barrier { id, arrives: false }
        }
        Some(Barrier::Warp) => EventKind::Barrier { id: WARPS + thread / 32, arrives: false },
        None if site.is_fence() => EventKind::Fence(site.access.semantics, site.access.scope.unwrap_or(Scope::Cta)),
        None => return None,
    };
    Some(event(site, 0, kind))
}

/// Adds what stands between to both threads: a barrier to both, a fence to those that execute it.
pub(super) fn put_between(
    events: &mut BTreeMap<Role, Vec<Event>>,
    sites: &[&Site],
    first: (Role, &Site),
    second: (Role, &Site),
) {
    for site in sites {
        for (index, (role, end)) in [first, second].into_iter().enumerate() {
            if index == 1 && first.0 == second.0 {
                continue;
            }
            let everyone = matches!(site.guard.who, Who::Everyone | Who::Unknown);
            let takes_part =
                site.barrier().is_some() || everyone || site.guard.same_threads(&end.guard) || first.0 == second.0;
            if takes_part && let Some(event) = ordering(site, role.thread) {
                events.entry(role).or_default().push(event);
            }
        }
    }
}

fn send(kernel: &Kernel, sent: Sent<'_>, all: &mut BTreeMap<Role, Vec<Event>>) {
    let Sent { data, signal } = sent;
    let counter = counter(kernel, data, signal);
    let (data_thread, signal_thread) = threads(data, signal, signal);
    let role = |thread: u32| Role { pe: 0, block: 0, thread };
    all.entry(role(data_thread)).or_default().push(writing(data, 0));
    match counter {
        None => {
            let sites = between(kernel, data, signal);
            put_between(all, &sites, (role(data_thread), data), (role(signal_thread), signal));
            all.entry(role(signal_thread)).or_default().push(flag_event(signal));
        }
        Some(counter) => {
            // The last block speaks for all: one block counts behind its data, another one counts last and signals.
            let (data_thread, count_thread) = threads(data, counter, counter);
            let moved = all.remove(&role(signal_thread.max(data_thread))).unwrap_or_default();
            all.clear();
            all.insert(role(data_thread), moved);
            let before = between(kernel, data, counter);
            put_between(all, &before, (role(data_thread), data), (role(count_thread), counter));
            all.entry(role(count_thread)).or_default().push(counted(counter));
            let last = Role { pe: 0, block: 1, thread: 0 };
            let mut events = Vec::new();
            for site in before.iter().filter(|site| site.is_fence()) {
                events.extend(ordering(site, 0));
            }
            let read = events.len();
            events.push(counted(counter));
            let with = Read { event: read, lane: 0 };
            events.push(event(counter, 1, EventKind::Assume { read: with, compare: Compare::Eq, with: 1 }));
            for site in between(kernel, counter, signal) {
                events.extend(ordering(site, 0));
            }
            events.push(flag_event(signal));
            all.insert(last, events);
        }
    }
}

/// A counter of the grid on every way between.
fn counter<'k>(kernel: &'k Kernel, data: &Site, signal: &Site) -> Option<&'k Site> {
    kernel.sites.iter().find(|site| {
        site.class == Class::GridCounter
            && matches!(site.access.operation, Operation::ReadModifyWrite { returns: true, .. })
            && kernel.always_between(data.id, signal.id, &|other| other.id == site.id)
    })
}

fn counted(counter: &Site) -> Event {
    let kind = AccessKind::Atomic(Function::Add, true);
    let scope = counter.access.scope.unwrap_or(Scope::Gpu);
    let count = access(kind, COUNTER, counter.access.semantics, scope, Proxy::Generic, width(counter), vec![Ok(1)]);
    event(counter, 0, EventKind::Access(count))
}

fn writing(data: &Site, part: u32) -> Event {
    let store = access(AccessKind::Store, DATA, Semantics::Weak, Scope::Sys, Proxy::Generic, 4, vec![Ok(7)]);
    event(data, part, EventKind::Access(store))
}

/// The data of the next round.
pub(super) fn overwriting(data: &Site) -> Event {
    writing(data, LATER)
}

/// The read of the data.
pub(super) fn reading(read: &Site) -> Event {
    let load = access(AccessKind::Load, DATA, Semantics::Weak, Scope::Sys, read.access.proxy, 4, Vec::new());
    event(read, 0, EventKind::Access(load))
}

/// A signal, as strong as it is.
pub(super) fn telling(signal: &Site) -> Event {
    flag_event(signal)
}

/// A wait for a signal, as the first of a thread's events.
pub(super) fn waiting(poll: &Site, signal: &Site) -> [Event; 2] {
    polling(poll, width(signal), 0)
}

/// A poll as the event of this number of its thread, with what it waits for.
fn polling(poll: &Site, size: u32, number: usize) -> [Event; 2] {
    let kind = match poll.access.operation {
        Operation::ReadModifyWrite { .. } => AccessKind::Atomic(Function::Exchange, true),
        _ => AccessKind::Load,
    };
    let (semantics, scope) = match poll.access.semantics {
        Semantics::Weak => (Semantics::Relaxed, Scope::Sys),
        semantics => (semantics, poll.access.scope.unwrap_or(Scope::Sys)),
    };
    let values = if kind == AccessKind::Load { Vec::new() } else { vec![Ok(2)] };
    let flag = access(kind, FLAG, semantics, scope, Proxy::Generic, size, values);
    let with = Read { event: number, lane: 0 };
    [
        event(poll, 0, EventKind::Access(flag)),
        event(poll, 1, EventKind::Assume { read: with, compare: Compare::UGe, with: 1 }),
    ]
}

fn flag_event(signal: &Site) -> Event {
    let kind = match signal.access.operation {
        Operation::ReadModifyWrite { returns, .. } => AccessKind::Atomic(Function::Add, returns),
        Operation::MultimemReduce => AccessKind::Atomic(Function::Add, false),
        _ => AccessKind::Store,
    };
    // A plain store stands for a flag: as strong as volatile is the least that it must have been meant to be.
    let (semantics, scope) = match signal.access.semantics {
        Semantics::Weak => (Semantics::Relaxed, Scope::Sys),
        semantics => (semantics, signal.access.scope.unwrap_or(Scope::Sys)),
    };
    let flag = access(kind, FLAG, semantics, scope, Proxy::Generic, width(signal), vec![Ok(1)]);
    event(signal, 0, EventKind::Access(flag))
}

fn receive(kernel: &Kernel, received: Received<'_>, all: &mut BTreeMap<Role, Vec<Event>>) {
    let Received { poll, read } = received;
    let (poll_thread, read_thread) = threads(poll, read, poll);
    let role = |thread: u32| Role { pe: 1, block: 0, thread };
    // The signal's width: a poll of several flags at once is another matter.
    let size = all.values().flatten().find_map(|e| match &e.kind {
        EventKind::Access(a) if a.address == FLAG => Some(a.width),
        _ => None,
    });
    let events = all.entry(role(poll_thread)).or_default();
    events.extend(polling(poll, size.unwrap_or(width(poll)), events.len()));
    let sites = between(kernel, poll, read);
    put_between(all, &sites, (role(poll_thread), poll), (role(read_thread), read));
    all.entry(role(read_thread)).or_default().push(reading(read));
}
