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

mod launch;
mod notes;
mod reuse;

use std::collections::{BTreeMap, BTreeSet};

use memory_model::Semantics;

use super::budget::Budget;
use super::code::{self, Level};
use super::execute::gap::Gap;
use super::execute::{Explored, Scenario};
use super::judge::judge;
use super::report::{Confirmed, Finding};
use crate::analysis::communication::{Class, Evidence, Kernel, Operation, PlaceStack, RelationKind, Site, SiteId, Who};
use crate::diagnostic::Span;
use launch::scenario;
pub(super) use notes::notes;
use notes::{OUTSIDE, answered, boundaries};
use reuse::Reuse;

/// Pairs of halves that are judged in one kernel.
const MOST: usize = 160;
/// Pairs of halves that are looked at to find those.
const MOST_COMPARED: usize = 100_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Matched {
    /// Findings.
    pub(crate) findings: Vec<Finding>,
    /// What was not judged.
    pub(crate) undecided: BTreeSet<Gap>,
    /// What was not looked for.
    pub(crate) unfollowed: BTreeSet<Gap>,
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
pub(crate) fn pairs(kernel: &Kernel, budget: &mut Budget) -> Matched {
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
        // A table of addresses was filled before the kernel.
        .filter(|received| !received.read.reads_address)
        .collect();
    let is_call = |site: &Site| matches!(site.access.operation, Operation::Call { .. });
    let calls = sent.iter().flat_map(|s| [s.data, s.signal]).chain(received.iter().flat_map(|r| [r.poll, r.read]));
    for call in calls.filter(|site| is_call(site)) {
        let words = "a library's function orders as its own documentation says".to_owned();
        matched.undecided.insert(Gap { words, span: line(call) });
    }
    let halves = sent.iter().flat_map(|s| [s.data, s.signal]).chain(received.iter().map(|r| r.read));
    for site in halves.filter(|site| is_multimem(site)) {
        let words =
            "multicast accesses are taken for ordinary ones of each PE's memory, without a fence between the addresses";
        matched.undecided.insert(Gap { words: words.to_owned(), span: line(site) });
    }
    sent.retain(|s| !is_call(s.data) && !is_call(s.signal));
    received.retain(|r| !is_call(r.poll) && !is_call(r.read));
    // Parts of one line differ where its loop was unrolled: one reads the own memory, another a peer's. A function that is
    // called twice is two places.
    let kind = |s: &Site| (s.place.clone(), s.class, s.access.semantics, s.access.scope, s.guard.who);
    distinct(&mut sent, |s| (kind(s.data), kind(s.signal)));
    distinct(&mut received, |r| (kind(r.poll), kind(r.read), r.read.access.proxy));
    let mut waits_for: BTreeMap<SiteId, Vec<SiteId>> = BTreeMap::new();
    for edge in of(RelationKind::Signals) {
        waits_for.entry(edge.from).or_default().push(edge.to);
    }
    let (mut scenarios, mut unanswered) = (Vec::new(), Vec::new());
    let mut paired: BTreeSet<SiteId> = BTreeSet::new();
    let mut rounds: Vec<(Sent<'_>, Received<'_>)> = Vec::new();
    let mut compared = 0;
    for send in &sent {
        if compared > MOST_COMPARED {
            let words = "there are more pairs of data, signal, wait and read than were looked through".to_owned();
            matched.undecided.insert(Gap { words, span: line(send.data) });
            break;
        }
        compared += received.len();
        let polls = waits_for.get(&send.signal.id).map_or(&[][..], Vec::as_slice);
        let mut any = false;
        for receive in
            received.iter().filter(|r| polls.contains(&r.poll.id) && fits(send, r) && same_round(kernel, send, r))
        {
            any = true;
            paired.insert(receive.poll.id);
            scenarios.push(scenario(kernel, Some(*send), Some(*receive)));
            rounds.push((*send, *receive));
        }
        // What is stored into own memory, and what no peer is seen to pull, is for later kernels.
        if !any && send.data.class == Class::RemoteStore {
            let one_sided = scenario(kernel, Some(*send), None);
            // Who waits is seen, and reads nothing of it: the data may be for somebody else.
            if polls.is_empty() { scenarios.push(one_sided) } else { unanswered.push(one_sided) }
        }
    }
    let by_peers = waits_for.iter().filter(|(from, _)| kernel.site(**from).class == Class::Signal);
    let signals_here: BTreeSet<SiteId> = by_peers.flat_map(|(_, polls)| polls).copied().collect();
    // What a wait for a known signal brings is ordered by that, whatever else is polled on the way.
    let brought: BTreeSet<&PlaceStack> =
        received.iter().filter(|r| signals_here.contains(&r.poll.id)).map(|r| &r.read.place).collect();
    for receive in &received {
        // A rendezvous of this very kernel before which nothing is written: the boundary of the kernel has ordered the data.
        let known = paired.contains(&receive.poll.id) || signals_here.contains(&receive.poll.id);
        if !known && !brought.contains(&receive.read.place) {
            scenarios.push(scenario(kernel, None, Some(*receive)));
        }
    }
    let mut judged = |mut scenarios: Vec<Scenario>| {
        if scenarios.len() > MOST {
            let words = format!("of {} pairs of data, signal, wait and read, {MOST} were looked at", scenarios.len());
            matched.undecided.insert(Gap { words, span: None });
        }
        scenarios.truncate(MOST);
        let judged = judge(&kernel.name, &Explored { scenarios, ..Explored::default() }, budget);
        matched.undecided.extend(judged.undecided);
        judged.findings
    };
    let (sure, unsure) = (judged(scenarios), judged(unanswered));
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
    let answered = &answered(kernel);
    let polls = |told: bool| kernel.sites.iter().filter(move |s| s.class.is_poll() && answered.contains(&s.id) == told);
    let by_peers: BTreeSet<Option<Span>> = polls(true).map(line).collect();
    let from_outside: BTreeSet<Option<Span>> = polls(false).map(line).filter(|at| !by_peers.contains(at)).collect();
    for finding in sure {
        let mut finding = weighed(finding, &volatile, &strong);
        if finding.code == &code::FORMAL_ORDER && finding.span.is_some() && from_outside.contains(&finding.span) {
            finding.cause += &format!("; {OUTSIDE} sets the flag, and may have written what is read");
        }
        if finding.code == &code::NO_BARRIER_AFTER_WAIT && barrier_on_some_way(kernel, &received, &finding) {
            finding.code = &code::UNDECIDED;
            finding.confirmed = Confirmed::Undecided;
        }
        if finding.code == &code::NO_ORDER && read_without_waiting(&received, &finding) {
            finding.code = &code::UNDECIDED;
            finding.confirmed = Confirmed::Undecided;
            finding.cause += "; blocks that do not wait read it too, so that something else may order it";
        }
        matched.findings.push(finding);
    }
    let told: BTreeSet<Option<Span>> = matched.findings.iter().map(|finding| finding.span.clone()).collect();
    for mut finding in unsure {
        if finding.code.level == Level::Correctness && !told.contains(&finding.span) {
            finding.code = &code::UNDECIDED;
            finding.confirmed = Confirmed::Undecided;
            finding.message = format!("perhaps {}", finding.message);
            finding.cause += "; nobody was seen to read it behind the wait for this signal";
            matched.findings.push(finding);
        }
    }
    matched.findings.extend(boundaries(kernel, &received, &paired, &signals_here));
    matched.reused(kernel, &rounds, budget);
    matched
}

impl Matched {
    /// Slots that are written again too early, of the pairs whose rounds repeat.
    fn reused(&mut self, kernel: &Kernel, rounds: &[(Sent<'_>, Received<'_>)], budget: &mut Budget) {
        let mut signals = kernel.edges();
        signals.retain(|edge| edge.kind == RelationKind::Signals);
        let mut open: BTreeMap<Option<Span>, bool> = BTreeMap::new();
        for (sent, received) in rounds.iter().take(MOST) {
            let open = open.entry(line(sent.data)).or_insert(true);
            match reuse::find(kernel, &signals, *sent, *received, budget) {
                Reuse::None => *open = false,
                Reuse::Found(finding) => {
                    *open = false;
                    self.findings.push(*finding);
                }
                Reuse::Unknown => {}
            }
        }
        // A store of which no pair was decided.
        for span in open.into_iter().filter_map(|(span, open)| open.then_some(span)) {
            let words = "whether data is written again, in a later round or launch, while the peer still reads it was not \
                         looked for: where it lies may change with the round, or other threads may wait for the peer";
            self.unfollowed.insert(Gap { words: words.to_owned(), span });
        }
    }
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

/// Whether whole blocks come to the read that is blamed without any of the waits ahead of it: their waits have a condition that is
/// the same for all threads of a block, and the read has not. What orders the read is something else then.
fn read_without_waiting(received: &[Received<'_>], finding: &Finding) -> bool {
    let mut pairs = received.iter().filter(|r| line(r.read) == finding.span).peekable();
    pairs.peek().is_some()
        && pairs.all(|r| {
            let of_read = &r.read.guard.conditions;
            r.poll.guard.conditions.iter().filter(|c| c.who == Who::Everyone && !c.of_loop).any(|condition| {
                !of_read.iter().any(|other| (other.value, other.holds) == (condition.value, condition.holds))
            })
        })
}

fn is_multimem(site: &Site) -> bool {
    let operation = &site.access.operation;
    matches!(operation, Operation::MultimemLoad | Operation::MultimemStore | Operation::MultimemReduce)
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
