//! Why an execution is allowed: for each surprising read, the ordering that would forbid it and is missing.
//!
//! A read is surprising when it returns an old value although a newer one was written. The explanation follows the
//! communication that there is, from the writing thread to the reading one, and names the first place where it does
//! not synchronise.

use crate::graph::{EventId, Graph, Kind};
use crate::search::{Leaf, LocationOrder};
use crate::witness::{Explanation, describe, memory_name, operation};
use crate::{Proxy, Semantics};

/// The explanations, each once.
pub(super) fn explanations(
    graph: &Graph<'_>,
    leaf: &Leaf<'_>,
    orders: &[&LocationOrder],
    reads: &[EventId],
) -> Vec<Explanation> {
    let explainer = Explainer { graph, leaf };
    let mut found: Vec<Explanation> = Vec::new();
    let mut add = |read: EventId, write: EventId, text: String| {
        if let (Some(read), Some(write)) = (operation(graph, read), operation(graph, write))
            && !found.iter().any(|other| other.text == text)
        {
            found.push(Explanation { read, write, text });
        }
    };
    for read in explainer.with_origins(reads) {
        for slot in graph.slots_of(read) {
            let Some(source) = leaf.state.sources[slot] else { continue };
            let older = |write: EventId| orders.iter().any(|order| order.coherence.has(write, source));
            for &newer in &graph.writers[graph.slots[slot].cell] {
                let candidate = newer != source
                    && newer != read
                    && graph.events[newer].kind != Kind::Init
                    && !leaf.state.failed.contains(newer)
                    && !older(newer)
                    && !leaf.causes.has(read, newer);
                if candidate {
                    add(read, newer, explainer.stale(read, source, newer));
                }
            }
            if graph.events[source].kind != Kind::Init
                && !leaf.causes.has(source, read)
                && let Some(text) = explainer.early(read, source)
            {
                add(read, source, text);
            }
        }
    }
    found
}

struct Explainer<'a> {
    graph: &'a Graph<'a>,
    leaf: &'a Leaf<'a>,
}

impl Explainer<'_> {
    /// The reads, and those from which their values were computed or copied.
    fn with_origins(&self, reads: &[EventId]) -> Vec<EventId> {
        let mut all = reads.to_vec();
        let mut next = 0;
        while let Some(&read) = all.get(next) {
            next += 1;
            for slot in self.graph.slots_of(read) {
                let Some(source) = self.leaf.state.sources[slot] else { continue };
                for origin in self.graph.value_origins(source) {
                    if !all.contains(&origin) {
                        all.push(origin);
                    }
                }
            }
        }
        all
    }

    /// Why `read` may return `source` although `newer` is there.
    fn stale(&self, read: EventId, source: EventId, newer: EventId) -> String {
        let old = match self.graph.events[source].kind {
            Kind::Init => "the initial value".to_owned(),
            _ => "an older value".to_owned(),
        };
        let name = memory_name(self.graph, read);
        let reader = describe(self.graph, read);
        let writer = describe(self.graph, newer);
        let reason = self.reason(newer, read);
        format!("{reader} may return {old} of `{name}`: {writer} is not ordered before it, {reason}.")
    }

    /// Why `read` may already return what `source` wrote later, if another operation should have kept them apart.
    fn early(&self, read: EventId, source: EventId) -> Option<String> {
        let graph = self.graph;
        if graph.same_thread(read, source) {
            return None;
        }
        let (reader, writer) = (describe(graph, read), describe(graph, source));
        if self.comes_before(read, source) {
            return Some(format!(
                "{reader} may return what {writer} wrote although that store waits, by what the threads read, for a store after the load (load buffering): a store may take effect before the loads that precede it, and here no dependency, release and acquire, or fence forbids it."
            ));
        }
        // A strong read of a strong write, or one whose value is waited for, is communication and no surprise.
        let waits = graph.constraints.iter().any(|constraint| constraint.read == read);
        if waits || graph.morally_strong.has(source, read) {
            return None;
        }
        let reason = self.reason(read, source);
        Some(format!("{reader} may return what {writer} wrote: it is not ordered before that write, {reason}."))
    }

    /// Whether program order and reads lead from one event to another.
    fn comes_before(&self, from: EventId, to: EventId) -> bool {
        let mut order = self.graph.program_order.clone();
        for (slot, source) in self.leaf.state.sources.iter().enumerate() {
            if let Some(write) = *source
                && self.graph.events[write].kind != Kind::Init
            {
                order.add(write, self.graph.slots[slot].read);
            }
        }
        order.close();
        order.has(from, to)
    }

    /// Why base causality, or the part of it that proxies preserve, does not lead from one event to another.
    fn reason(&self, from: EventId, to: EventId) -> String {
        let graph = self.graph;
        if self.graph.reaches(&self.leaf.state.base, from, to) {
            return self.proxy_reason(from, to);
        }
        if graph.events[from].issue.is_some() {
            let completes = (0..graph.events.len())
                .any(|event| graph.events[event].kind != Kind::Write && self.leaf.state.base.has(from, event));
            if !completes {
                return "because nothing waits for the completion of the copy (a `wait_group` without `.read`)"
                    .to_owned();
            }
        }
        let mut flags = self.communication(to);
        // The nearest to the reader first, and what the writer's side reaches before what it does not.
        flags.sort_by_key(|&(write, _)| !self.reaches(from, write));
        match flags.first() {
            Some(&(write, read)) => self.pair_reason(from, write, read),
            None if graph.same_thread(from, to) => {
                "because asynchronous operations are outside program order".to_owned()
            }
            None => match self.fence_reason(from, to).or_else(|| self.stranded_reason(from, to)) {
                Some(reason) => reason,
                None => {
                    "because the later side reads nothing that the earlier side wrote, and no barrier lies between them"
                        .to_owned()
                }
            },
        }
    }

    /// Another thread has acquired what is published, and nothing leads from it to the read.
    fn stranded_reason(&self, from: EventId, to: EventId) -> Option<String> {
        let graph = self.graph;
        let place = graph.place(to)?;
        let acquirer = (0..graph.events.len()).find(|&event| {
            graph.events[event].reads()
                && graph.events[event].strength.acquires()
                && graph.place(event) == Some(place)
                && !graph.same_thread(from, event)
                && !graph.same_thread(to, event)
                && self.leaf.state.base.has(from, event)
        })?;
        Some(format!("because it is ordered before {}, but no barrier leads from there on", describe(graph, acquirer)))
    }

    /// Pairs of a write and a read of it, in different threads, of which the read comes before `to`.
    fn communication(&self, to: EventId) -> Vec<(EventId, EventId)> {
        let mut pairs = Vec::new();
        for (slot, source) in self.leaf.state.sources.iter().enumerate() {
            let (Some(write), read) = (*source, self.graph.slots[slot].read) else { continue };
            let across = self.graph.events[write].kind != Kind::Init && !self.graph.same_thread(write, read);
            if across && read != to && self.reaches(read, to) && !pairs.contains(&(write, read)) {
                pairs.push((write, read));
            }
        }
        pairs.reverse();
        pairs
    }

    fn reaches(&self, from: EventId, to: EventId) -> bool {
        from == to || self.graph.reaches(&self.leaf.state.base, from, to)
    }

    /// What is missing where `write` is read by `read`, so that `from` is not published by it.
    fn pair_reason(&self, from: EventId, write: EventId, read: EventId) -> String {
        let graph = self.graph;
        let (writer, reader) = (describe(graph, write), describe(graph, read));
        if !graph.morally_strong.has(write, read) {
            return self.not_strong_reason(write, read);
        }
        if graph.acquire_ends[read].is_empty() {
            return match graph.events[read].kind {
                Kind::Rmw { atom: false } => {
                    format!("because {reader} is a reduction, which starts no acquire pattern")
                }
                _ => format!("because {reader} is relaxed, and no acquire fence follows it in its thread"),
            };
        }
        let origins: Vec<EventId> = (0..graph.events.len())
            .filter(|&origin| origin == write || self.leaf.state.observed.has(origin, read))
            .collect();
        if origins.iter().all(|&origin| graph.release_starts[origin].is_empty()) {
            if let Some(earlier) = self.broken_chain(write) {
                return format!(
                    "because {writer} is a plain store, which breaks the chain of atomic operations that {} begins",
                    describe(graph, earlier)
                );
            }
            return format!("because {writer} is relaxed, and no release comes before it in its thread");
        }
        let starts = || origins.iter().flat_map(|&origin| graph.release_starts[origin].iter().copied());
        let narrow = |start: EventId| graph.acquire_ends[read].iter().all(|&end| !graph.morally_strong.has(start, end));
        if let Some(start) = starts().find(|&start| narrow(start)) {
            let end = graph.acquire_ends[read][0];
            return self.not_strong_reason(start, end);
        }
        if let Some(start) = starts().find(|&start| graph.same_thread(start, from)) {
            return format!(
                "because it comes after {} in program order, which publishes only what precedes it",
                describe(graph, start)
            );
        }
        match starts().next() {
            Some(start) => format!(
                "because {} publishes what its own thread did and what reached that thread before, and no barrier or acquire leads from the earlier operation to it",
                describe(graph, start)
            ),
            None => format!("because {writer} does not publish it"),
        }
    }

    /// The releasing write that the thread of a plain store has read at the same location before it.
    fn broken_chain(&self, write: EventId) -> Option<EventId> {
        let graph = self.graph;
        if graph.events[write].is_rmw() {
            return None;
        }
        self.leaf.state.sources.iter().enumerate().find_map(|(slot, source)| {
            let read = graph.slots[slot].read;
            let source = (*source)?;
            let earlier = graph.program_order.has(read, write) && graph.touch(read, write);
            (earlier && !graph.release_starts[source].is_empty()).then_some(source)
        })
    }

    fn not_strong_reason(&self, one: EventId, other: EventId) -> String {
        let graph = self.graph;
        for (event, partner) in [(one, other), (other, one)] {
            let record = &graph.events[event];
            if record.strength == Semantics::Weak {
                return format!("because {} is weak", describe(graph, event));
            }
            if let (Some(here), Some(there)) = (graph.place(event), graph.place(partner))
                && !here.scope_includes(record.scope, there)
            {
                return format!(
                    "because the scope {} of {} does not include {there}",
                    record.scope.ptx(),
                    describe(graph, event)
                );
            }
        }
        format!("because {} and {} do not overlap completely", describe(graph, one), describe(graph, other))
    }

    fn proxy_reason(&self, from: EventId, to: EventId) -> String {
        let (one, other) = (&self.graph.events[from], &self.graph.events[to]);
        let aliased =
            matches!((one.range, other.range), (Some(range), Some(range2)) if range.address != range2.address);
        if aliased {
            return "because they use different virtual addresses, and no `fence.proxy.alias` lies between them"
                .to_owned();
        }
        match (one.proxy, other.proxy) {
            (_, Proxy::Async) => {
                "because the copy goes through the asynchronous proxy, and no `fence.proxy.async` of its block lies between them".to_owned()
            }
            (Proxy::Async, _) => "because nothing is assumed about the asynchronous proxy".to_owned(),
            (Proxy::Surface, _) | (_, Proxy::Surface) => {
                "because one of them goes to a surface, and no fence of the surface proxy lies between them".to_owned()
            }
            _ => "because one of them is a non-coherent access, which only the start of a kernel orders".to_owned(),
        }
    }

    /// Store buffering: each side's `fence.sc` is missing, or of too narrow a scope.
    fn fence_reason(&self, from: EventId, to: EventId) -> Option<String> {
        let graph = self.graph;
        let after = |event: EventId| graph.program_order.has(from, event);
        let before = |event: EventId| graph.program_order.has(event, to);
        let fences = |wanted: &dyn Fn(EventId) -> bool| {
            (0..graph.events.len()).find(|&event| graph.events[event].is_sc_fence() && wanted(event))
        };
        match (fences(&after), fences(&before)) {
            (Some(one), Some(other)) if !graph.morally_strong.has(one, other) => {
                Some(self.not_strong_reason(one, other))
            }
            (Some(_), None) => Some("because the reading side has no `fence.sc` before it".to_owned()),
            (None, Some(_)) => Some("because the writing side has no `fence.sc` after it".to_owned()),
            _ => None,
        }
    }
}
