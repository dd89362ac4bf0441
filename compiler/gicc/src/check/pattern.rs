//! Kernels whose launch is not known: who is whose peer comes from a host program's tables. There the halves of the protocol
//! that the analysis found are put together: data, what orders it, its signal; and on another PE the poll that waits for such
//! a signal, what orders it, the read. Each such pair is a small launch with the threads that matter, and is judged like any
//! other.
//!
//! ```text
//! PE 0: data ─ (barrier, fence) ─ signal         PE 1: poll ─ (barrier, fence) ─ read
//! ```
//!
//! Where a side is missing the strongest one stands for it: a signal that releases, a wait that acquires. So a finding here
//! holds whatever the other side does. What relies on the boundary of the kernel is left alone: a rendezvous before which
//! nothing is written, or behind which nothing is read, in the kernel.
//!
//! What the memory model asks for and hardware has not been seen to need is a note here: a volatile poll without acquire, data
//! that is itself volatile, a non-coherent load.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

use memory_model::{Proxy, Scope, Semantics};

use super::code::{self, Code, Level};
use super::execute::event::{Access, AccessKind, Event, EventKind, Function, WARPS};
use super::execute::thread::{HEAP, Launch, Path, Role, STRIDE};
use super::execute::value::{Compare, Read};
use super::execute::{Explored, Scenario};
use super::judge::judge;
use super::report::{Confirmed, Finding};
use crate::analysis::communication::{
    AssumptionKind, Barrier, Class, Evidence, Kernel, Operation, RelationKind, Site, SiteId, Who,
};
use crate::analysis::words;
use crate::diagnostic::Span;

/// Pairs of halves that are judged in one kernel.
const MOST: usize = 160;

/// Where the data and the flag of a pair lie, and the counter of a grid.
const DATA: u64 = HEAP + STRIDE + 0x1000;
const FLAG: u64 = HEAP + STRIDE + 0x2000;
const COUNTER: u64 = HEAP + 0x3000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Matched {
    /// Findings.
    pub(crate) findings: Vec<Finding>,
    /// Not everything was judged.
    pub(crate) undecided: bool,
}

/// The sending half: data, and the signal that publishes it.
#[derive(Clone, Copy)]
struct Sent<'k> {
    data: &'k Site,
    signal: &'k Site,
}

/// The receiving half.
#[derive(Clone, Copy)]
struct Received<'k> {
    poll: &'k Site,
    read: &'k Site,
}

/// Judges the pairs of a kernel.
pub(crate) fn pairs(kernel: &Kernel, deadline: Instant) -> Matched {
    let mut matched = Matched::default();
    let of = |kind: RelationKind| kernel.edges().into_iter().filter(move |edge| edge.kind == kind);
    let mut sent: Vec<Sent<'_>> = of(RelationKind::Publishes)
        .map(|edge| Sent { data: kernel.site(edge.from), signal: kernel.site(edge.to) })
        .filter(|sent| sent.data.class.is_published_data() && sent.signal.class == Class::Signal)
        .filter(|sent| !is_relaxed_on_purpose(sent.signal))
        .collect();
    let mut received: Vec<Received<'_>> = of(RelationKind::Brings)
        .map(|edge| Received { poll: kernel.site(edge.from), read: kernel.site(edge.to) })
        .filter(|received| received.read.class.is_received_data() && is_flag_poll(received.poll))
        .collect();
    let is_call = |site: &Site| matches!(site.access.operation, Operation::Call { .. });
    sent.retain(|s| !is_call(s.data) && !is_call(s.signal));
    received.retain(|r| !is_call(r.poll) && !is_call(r.read));
    distinct(&mut sent, |s| (line(s.data), line(s.signal), s.signal.access.semantics, s.data.guard.who));
    distinct(&mut received, |r| (line(r.poll), line(r.read), r.poll.access.semantics, r.read.guard.who));
    let mut waits_for: BTreeMap<SiteId, Vec<SiteId>> = BTreeMap::new();
    for edge in of(RelationKind::Signals) {
        waits_for.entry(edge.from).or_default().push(edge.to);
    }
    let mut scenarios = Vec::new();
    let mut paired: BTreeSet<SiteId> = BTreeSet::new();
    for send in &sent {
        let polls = waits_for.get(&send.signal.id).map_or(&[][..], Vec::as_slice);
        let mut any = false;
        for receive in
            received.iter().filter(|r| polls.contains(&r.poll.id) && fits(send, r) && same_round(kernel, send, r))
        {
            any = true;
            paired.insert(receive.poll.id);
            scenarios.push(scenario(kernel, Some(*send), Some(*receive)));
        }
        // What is stored into own memory, and what no peer is seen to pull, is for later kernels.
        if !any && send.data.class == Class::RemoteStore {
            scenarios.push(scenario(kernel, Some(*send), None));
        }
    }
    let signals_here: BTreeSet<SiteId> = waits_for.values().flatten().copied().collect();
    for receive in &received {
        // A rendezvous of this very kernel before which nothing is written: the boundary of the kernel has ordered the data.
        if !paired.contains(&receive.poll.id) && !signals_here.contains(&receive.poll.id) {
            scenarios.push(scenario(kernel, None, Some(*receive)));
        }
    }
    matched.undecided |= scenarios.len() > MOST;
    scenarios.truncate(MOST);
    let explored = Explored { scenarios, inexact: BTreeSet::new() };
    let judged = judge(&kernel.name, &explored, deadline);
    matched.undecided |= judged.undecided;
    let volatile: BTreeSet<Span> = kernel
        .sites
        .iter()
        .filter(|site| site.class.is_poll() && site.access.volatile)
        .filter_map(|site| site.place.innermost.clone())
        .collect();
    let strong: BTreeSet<Span> = kernel
        .sites
        .iter()
        .filter(|site| site.class.is_received_data() && site.access.semantics != Semantics::Weak)
        .filter_map(|site| site.place.innermost.clone())
        .collect();
    for finding in judged.findings {
        let mut finding = weighed(finding, &volatile, &strong);
        if finding.code == &code::NO_BARRIER_AFTER_WAIT && barrier_on_some_way(kernel, &received, &finding) {
            finding.code = &code::UNDECIDED;
            finding.confirmed = Confirmed::Undecided;
        }
        matched.findings.push(finding);
    }
    matched.findings.extend(boundaries(kernel, &received, &paired, &signals_here));
    matched
}

/// Whether a barrier stands on some way between the wait that is blamed and what is read: whether the other ways are taken
/// cannot be told.
fn barrier_on_some_way(kernel: &Kernel, received: &[Received<'_>], finding: &Finding) -> bool {
    received.iter().filter(|r| line(r.poll) == finding.span).any(|r| {
        kernel.sites.iter().any(|site| {
            site.barrier().is_some() && kernel.leads_to(r.poll.id, site.id) && kernel.leads_to(site.id, r.read.id)
        })
    })
}

/// A signal of gicc's own that says itself that it publishes nothing.
fn is_relaxed_on_purpose(signal: &Site) -> bool {
    signal.access.semantics == Semantics::Relaxed && signal.why.iter().any(|why| why.evidence == Evidence::Primitive)
}

/// A finding whose missing order no hardware has been seen to need becomes a note.
fn weighed(mut finding: Finding, volatile: &BTreeSet<Span>, strong: &BTreeSet<Span>) -> Finding {
    let at_volatile_poll = finding.span.as_ref().is_some_and(|span| volatile.contains(span));
    let only_acquire =
        (finding.code == &code::UNORDERED_FLAG || finding.code == &code::MISPLACED_FENCE) && at_volatile_poll;
    let strong_data = finding.code.level == Level::Correctness
        && (finding.code == &code::MISSING_ACQUIRE || finding.code == &code::UNORDERED_FLAG)
        && finding.labels.iter().any(|label| strong.contains(&label.span));
    if only_acquire || strong_data || finding.code == &code::NON_COHERENT_LOAD {
        finding.code = &code::FORMAL_ORDER;
    } else if finding.code == &code::MISPLACED_FENCE {
        // A fence in each thread before the barrier is right for a reader that fences as strongly.
        finding.code = &code::DEPENDS_ON_PEER;
    }
    finding
}

/// Waits that rely on the kernel's boundary.
fn boundaries(
    kernel: &Kernel,
    received: &[Received<'_>],
    paired: &BTreeSet<SiteId>,
    signalled: &BTreeSet<SiteId>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for poll in kernel.sites.iter().filter(|site| is_flag_poll(site)) {
        let reads = received.iter().any(|r| r.poll.id == poll.id);
        let (words, cause) = match (reads, paired.contains(&poll.id), signalled.contains(&poll.id)) {
            (true, false, true) => (
                "the rendezvous orders nothing that this kernel writes",
                "what is read behind it was written by an earlier kernel, which the order of launches has to put before",
            ),
            (false, _, true) => (
                "nothing in this kernel is read behind the wait",
                "what peers may do afterwards, and what they wrote, is for the next kernel",
            ),
            _ => continue,
        };
        found.push(note(kernel, &code::KERNEL_BOUNDARY, poll, words.to_owned(), cause.to_owned()));
    }
    found
}

/// Notes on single sites, whatever else is known of the kernel.
pub(crate) fn notes(kernel: &Kernel) -> Vec<Finding> {
    let mut found = Vec::new();
    for site in &kernel.sites {
        if let Some(poll) = &site.poll
            && site.class.is_poll()
            && !poll.bounded
        {
            let words = "the poll ends only when the peer has answered".to_owned();
            found.push(note(kernel, &code::UNBOUNDED_POLL, site, words, "its loop has no other way out".to_owned()));
        }
        if let Some(packet) = &site.packet
            && matches!(site.class, Class::PacketLoad | Class::PacketStore)
            && !packet.single_copy
            && !packet.annotated
        {
            let words = format!("data and flag travel in one access of {} bytes", packet.bytes);
            let cause = "the memory model takes a vector access for separate accesses without mutual order".to_owned();
            found.push(note(kernel, &code::HARDWARE_PACKETS, site, words, cause));
        }
    }
    for assumption in &kernel.assumptions {
        let code = match assumption.kind {
            AssumptionKind::Packet => &code::HARDWARE_PACKETS,
            _ => &code::INCOMPLETE,
        };
        found.push(Finding {
            code,
            kernel: kernel.name.clone(),
            span: assumption.span.clone(),
            message: "something had to be taken for granted".to_owned(),
            cause: assumption.words.clone(),
            cure: "give all sources to `gicc check`, or annotate the memory".to_owned(),
            witness: None,
            confirmed: Confirmed::Undecided,
            labels: Vec::new(),
            inlined_at: Vec::new(),
        });
    }
    found
}

fn note(kernel: &Kernel, code: &'static Code, site: &Site, message: String, cause: String) -> Finding {
    let cure = match code.code {
        "C0301" => "nothing, where launches are ordered so; the annotation gicc.rendezvous says that it is meant",
        "C0304" => "bound the loop and report who waited for whom, or use gicc::wait",
        _ => "nothing, where the hardware is known to do so; the annotation gicc.packet says that it is meant",
    };
    Finding {
        code,
        kernel: kernel.name.clone(),
        span: site.place.innermost.clone(),
        message,
        cause,
        cure: cure.to_owned(),
        witness: None,
        confirmed: Confirmed::Undecided,
        labels: Vec::new(),
        inlined_at: Vec::new(),
    }
}

fn line(site: &Site) -> Option<Span> {
    site.place.innermost.clone()
}

fn distinct<T, K: Ord>(all: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen = BTreeSet::new();
    all.retain(|one| seen.insert(key(one)));
}

/// A poll of a flag, rather than of a packet, which is data as well.
fn is_flag_poll(site: &Site) -> bool {
    matches!(site.class, Class::PollLocal | Class::PollRemote)
}

/// Whether what is sent is what is received: stores into a peer's memory are read there, exported ones are pulled.
fn fits(sent: &Sent<'_>, received: &Received<'_>) -> bool {
    matches!(
        (sent.data.class, received.read.class),
        (Class::RemoteStore, Class::LocalLoad) | (Class::ExportedStore, Class::RemoteLoad)
    )
}

/// Whether the poll may be of the same round as the signal: every PE executes the same program, so it does not come before
/// the signal only.
fn same_round(kernel: &Kernel, sent: &Sent<'_>, received: &Received<'_>) -> bool {
    let (signal, poll) = (sent.signal.id, received.poll.id);
    kernel.leads_to(signal, poll) || !kernel.leads_to(poll, signal)
}

/// Which threads of the block execute the first and the second of two sites: the same one, or two.
fn threads(first: &Site, second: &Site, elected: &Site) -> (u32, u32) {
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
fn scenario(kernel: &Kernel, sent: Option<Sent<'_>>, received: Option<Received<'_>>) -> Scenario {
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
    let threads = all.into_iter().map(|(role, events)| (role, vec![Path { events, inexact: None }])).collect();
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
    values: Vec<Result<u128, Rc<super::execute::value::Expression>>>,
) -> Access {
    Access { kind, address, width, count: 1, semantics, scope, proxy, values }
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

/// The event of a fence or barrier, for the thread.
fn ordering(site: &Site, thread: u32) -> Option<Event> {
    let kind = match site.barrier() {
        Some(Barrier::Block | Barrier::Grid | Barrier::Cluster { .. }) => EventKind::Barrier { id: 0, arrives: false },
        Some(Barrier::Named { id, .. }) => {
            let id = match id {
                crate::analysis::communication::Number::Known(id) => id.clamp(0, 15) as u32,
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
fn put_between(events: &mut BTreeMap<Role, Vec<Event>>, sites: &[&Site], first: (Role, &Site), second: (Role, &Site)) {
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
    let store = access(AccessKind::Store, DATA, Semantics::Weak, Scope::Sys, Proxy::Generic, 4, vec![Ok(7)]);
    all.entry(role(data_thread)).or_default().push(event(data, 0, EventKind::Access(store)));
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
    let events = all.entry(role(poll_thread)).or_default();
    let number = events.len();
    let kind = match poll.access.operation {
        Operation::ReadModifyWrite { .. } => AccessKind::Atomic(Function::Exchange, true),
        _ => AccessKind::Load,
    };
    let (semantics, scope) = match poll.access.semantics {
        Semantics::Weak => (Semantics::Relaxed, Scope::Sys),
        semantics => (semantics, poll.access.scope.unwrap_or(Scope::Sys)),
    };
    let values = if kind == AccessKind::Load { Vec::new() } else { vec![Ok(2)] };
    // The signal's width: a poll of several flags at once is another matter.
    let size = all.values().flatten().find_map(|e| match &e.kind {
        EventKind::Access(a) if a.address == FLAG => Some(a.width),
        _ => None,
    });
    let flag = access(kind, FLAG, semantics, scope, Proxy::Generic, size.unwrap_or(width(poll)), values);
    let events = all.entry(role(poll_thread)).or_default();
    events.push(event(poll, 0, EventKind::Access(flag)));
    let with = Read { event: number, lane: 0 };
    events.push(event(poll, 1, EventKind::Assume { read: with, compare: Compare::UGe, with: 1 }));
    let sites = between(kernel, poll, read);
    put_between(all, &sites, (role(poll_thread), poll), (role(read_thread), read));
    let load = access(AccessKind::Load, DATA, Semantics::Weak, Scope::Sys, read.access.proxy, 4, Vec::new());
    all.entry(role(read_thread)).or_default().push(event(read, 0, EventKind::Access(load)));
}
