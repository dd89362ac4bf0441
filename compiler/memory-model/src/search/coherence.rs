//! The coherence orders of one location (PTX ISA §8.9.6), and the axioms that speak of them.
//!
//! Coherence contains causality between writes, and one direction for each morally strong pair; nothing else has to be
//! in it, and since every axiom forbids more when coherence is larger, the smallest orders give all outcomes.

use std::collections::BTreeSet;

use super::State;
use crate::graph::{EventId, Graph, Kind};
use crate::relation::Relation;

/// A coherence order of one location, with a final content that it allows.
#[derive(Clone, Debug)]
pub(crate) struct LocationOrder {
    /// Coherence, closed.
    pub(crate) coherence: Relation,
    /// The write that each cell ends with.
    pub(crate) finals: Vec<(usize, EventId)>,
}

/// The search for the coherence orders of one location.
pub(super) struct Problem<'a, 'p> {
    graph: &'a Graph<'p>,
    state: &'a State,
    causes: &'a Relation,
    accesses: &'a [EventId],
    writes: Vec<EventId>,
    /// Morally strong pairs of writes.
    pairs: Vec<(EventId, EventId)>,
    /// Program order between overlapping operations, and morally strong reads-from.
    fixed: Relation,
    all: bool,
    found: Vec<LocationOrder>,
    seen: BTreeSet<Vec<(usize, EventId)>>,
}

impl<'a, 'p> Problem<'a, 'p> {
    pub(super) fn new(
        graph: &'a Graph<'p>,
        state: &'a State,
        causes: &'a Relation,
        location: usize,
        all: bool,
    ) -> Self {
        let accesses = &graph.accesses[location];
        let writes: Vec<EventId> = accesses
            .iter()
            .copied()
            .filter(|&event| graph.events[event].writes() && !state.failed.contains(event))
            .collect();
        let mut pairs = Vec::new();
        for (index, &one) in writes.iter().enumerate() {
            pairs.extend(
                writes[index + 1..]
                    .iter()
                    .filter(|&&other| graph.morally_strong.has(one, other))
                    .map(|&other| (one, other)),
            );
        }
        let mut fixed = Relation::new(graph.events.len());
        for &one in accesses {
            for &other in accesses {
                let overlap = match (graph.events[one].range, graph.events[other].range) {
                    (Some(range), Some(range2)) => range.overlaps(&range2),
                    _ => false,
                };
                if overlap && graph.program_order.has(one, other) {
                    fixed.add(one, other);
                }
            }
            for (slot, write) in slots(graph, state, one) {
                if graph.morally_strong.has(write, graph.slots[slot].read) {
                    fixed.add(write, graph.slots[slot].read);
                }
            }
        }
        Problem { graph, state, causes, accesses, writes, pairs, fixed, all, found: Vec::new(), seen: BTreeSet::new() }
    }

    /// The coherence orders that satisfy the axioms; none where the meter passes `limit`.
    pub(super) fn solve(&mut self, limit: u64) -> Option<Vec<LocationOrder>> {
        // Coherence axiom (§8.10.1): causality between overlapping writes is in coherence.
        let mut coherence = Relation::new(self.graph.events.len());
        for &one in &self.writes {
            for &other in &self.writes {
                let initial = self.graph.events[one].kind == Kind::Init && one != other;
                if initial || self.causes.has(one, other) {
                    coherence.add_closed(one, other);
                }
            }
        }
        if self.is_consistent(&coherence) {
            self.decide(&coherence, 0, limit)?;
        }
        Some(std::mem::take(&mut self.found))
    }

    fn decide(&mut self, coherence: &Relation, depth: usize, limit: u64) -> Option<()> {
        self.graph.meter.decide(self.graph.events.len());
        if self.graph.meter.steps() > limit {
            return None;
        }
        if !self.all && !self.found.is_empty() {
            return Some(());
        }
        let Some(&(one, other)) = self.pairs.get(depth) else {
            return self.record(coherence, limit);
        };
        if coherence.has(one, other) || coherence.has(other, one) {
            return self.decide(coherence, depth + 1, limit);
        }
        for (first, second) in [(one, other), (other, one)] {
            let mut next = coherence.clone();
            next.add_closed(first, second);
            if self.is_consistent(&next) {
                self.decide(&next, depth + 1, limit)?;
            }
        }
        Some(())
    }

    /// Remembers the final contents that a complete order allows: in each cell, any write that none follows.
    fn record(&mut self, coherence: &Relation, limit: u64) -> Option<()> {
        let graph = self.graph;
        let mut finals: Vec<Vec<(usize, EventId)>> = vec![Vec::new()];
        let cells: BTreeSet<usize> =
            self.writes.iter().flat_map(|&write| graph.events[write].cells.iter().copied()).collect();
        for cell in cells {
            let writers: Vec<EventId> =
                graph.writers[cell].iter().copied().filter(|&write| !self.state.failed.contains(write)).collect();
            let last: Vec<EventId> = writers
                .iter()
                .copied()
                .filter(|&write| !writers.iter().any(|&later| coherence.has(write, later)))
                .collect();
            finals = finals
                .iter()
                .flat_map(|content| {
                    last.iter().map(|&write| {
                        let mut content = content.clone();
                        content.push((cell, write));
                        content
                    })
                })
                .collect();
            if !self.all {
                finals.truncate(1);
            }
            for _ in &finals {
                self.graph.meter.decide(0);
            }
            if self.graph.meter.steps() > limit {
                return None;
            }
        }
        for content in finals {
            if self.seen.insert(content.clone()) {
                self.found.push(LocationOrder { coherence: coherence.clone(), finals: content });
            }
        }
        Some(())
    }

    /// The axioms on this location, for a coherence order that may still grow.
    fn is_consistent(&self, coherence: &Relation) -> bool {
        let events = self.graph.events.len();
        // What closing an order costs, and what the axioms look at.
        self.graph.meter.look(events * events / 4 + self.accesses.len() * self.writes.len());
        !self.writes.iter().any(|&write| coherence.has(write, write))
            && self.causality_holds(coherence)
            && self.atomicity_holds(coherence)
            && self.location_is_sequential(coherence)
    }

    /// Causality (§8.10.6): a read does not return a write that it causes, nor one that a causing write hides.
    fn causality_holds(&self, coherence: &Relation) -> bool {
        self.accesses.iter().all(|&read| {
            slots(self.graph, self.state, read).all(|(slot, source)| {
                let hidden = self.newer(slot, source, coherence).any(|newer| self.causes.has(newer, read));
                !hidden && !self.graph.preserved(&self.state.base, read, source)
            })
        })
    }

    /// Atomicity (§8.10.3), of read-modify-writes and of single copies. Since an atomic operation is one event here, SC
    /// per location implies it; it stands here as the manual states it.
    fn atomicity_holds(&self, coherence: &Relation) -> bool {
        let graph = self.graph;
        self.accesses.iter().all(|&read| {
            let event = &graph.events[read];
            let writes = event.is_rmw() && !self.state.failed.contains(read);
            slots(graph, self.state, read).all(|(slot, source)| {
                let torn = slots(graph, self.state, read)
                    .any(|(_, other)| graph.morally_strong.has(read, other) && coherence.has(source, other));
                let interrupted = writes
                    && self
                        .newer(slot, source, coherence)
                        .any(|between| graph.morally_strong.has(read, between) && coherence.has(between, read));
                !torn && !interrupted
            })
        })
    }

    /// SC per location (§8.10.5): program order between overlapping operations and morally strong communication have
    /// no cycle.
    fn location_is_sequential(&self, coherence: &Relation) -> bool {
        let mut order = self.fixed.clone();
        for &(one, other) in &self.pairs {
            for (first, second) in [(one, other), (other, one)] {
                if coherence.has(first, second) {
                    order.add(first, second);
                }
            }
        }
        for &read in self.accesses {
            for (slot, source) in slots(self.graph, self.state, read) {
                for newer in self.newer(slot, source, coherence) {
                    if self.graph.morally_strong.has(read, newer) {
                        order.add(read, newer);
                    }
                }
            }
        }
        order.close();
        !order.is_reflexive_somewhere()
    }

    /// The writes of a slot's cell that come after its source, other than the reader itself.
    fn newer(
        &self,
        slot: usize,
        source: EventId,
        coherence: &Relation,
    ) -> impl Iterator<Item = EventId> + use<'a, '_, 'p> {
        let graph = self.graph;
        let state = self.state;
        let after = *coherence.row(source);
        let read = graph.slots[slot].read;
        graph.writers[graph.slots[slot].cell]
            .iter()
            .copied()
            .filter(move |&write| write != read && !state.failed.contains(write) && after.contains(write))
    }
}

/// The decided slots of a read, with their sources.
fn slots<'a>(
    graph: &'a Graph<'_>,
    state: &'a State,
    read: EventId,
) -> impl Iterator<Item = (usize, EventId)> + use<'a> {
    let range = if graph.events[read].reads() { graph.slots_of(read) } else { 0..0 };
    range.filter_map(|slot| state.sources[slot].map(|source| (slot, source)))
}
