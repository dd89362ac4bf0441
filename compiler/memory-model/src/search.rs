//! The enumerator: every execution of a program that satisfies the axioms.
//!
//! An execution is a source for each read (rf), an order of the `fence.sc` pairs, and a coherence order. The search
//! decides sources one by one; base causality (§8.9.5) grows with each, so that a contradiction with the axioms that
//! is there already stays, and cuts the branch. Then come the fence pairs. Causality does not depend on coherence,
//! so that the coherence orders of different locations are independent of each other ([`coherence`]).
//!
//! Cost: exponential in reads and in pairs of racing strong writes of one location. The number of steps is limited,
//! and reaching the limit is an error.

mod coherence;
mod value;

use std::ops::ControlFlow;

pub(crate) use coherence::LocationOrder;
pub(crate) use value::initial_value;

use crate::error::ModelError;
use crate::graph::{Constraint, EventId, Graph, Kind, Slot};
use crate::relation::{EventSet, Relation};

/// What an execution has decided so far.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// For each slot, the write that it reads.
    pub(crate) sources: Vec<Option<EventId>>,
    /// Base causality, closed (§8.9.5).
    pub(crate) base: Relation,
    /// Observation order (§8.9.2).
    pub(crate) observed: Relation,
    /// Sources and dependencies, closed (§8.10.4).
    influence: Relation,
    /// Compare-and-swaps that do not write.
    pub(crate) failed: EventSet,
}

/// A consistent execution, up to the choice of a coherence order for each location.
#[derive(Debug)]
pub(crate) struct Leaf<'s> {
    pub(crate) state: &'s State,
    /// Causality order between memory operations that touch a common byte.
    pub(crate) causes: &'s Relation,
    /// For each location with accesses, its coherence orders: all distinct final contents where they are wanted, else
    /// just one.
    pub(crate) orders: &'s [(usize, Vec<LocationOrder>)],
}

/// A search over the executions of one graph.
pub(crate) struct Search<'g, 'p> {
    pub(crate) graph: &'g Graph<'p>,
    constraints: Vec<Constraint>,
    /// Slots in the order of decision.
    order: Vec<usize>,
    /// Locations of which all final contents are wanted.
    wanted: Vec<bool>,
    /// What the meter showed before.
    started: u64,
    limit: u64,
}

type Visit<'v> = &'v mut dyn FnMut(&Leaf<'_>) -> ControlFlow<()>;
type Progress = Result<ControlFlow<()>, ModelError>;

impl<'g, 'p> Search<'g, 'p> {
    /// A search in which reads are constrained by the program's polls and by `extra`.
    pub(crate) fn new(graph: &'g Graph<'p>, extra: &[Constraint], wanted: Vec<bool>, limit: u64) -> Self {
        let mut constraints = graph.constraints.clone();
        constraints.extend_from_slice(extra);
        let rank = |slot: &usize| {
            let Slot { read, cell } = graph.slots[*slot];
            let constrained = constraints.iter().any(|constraint| constraint.read == read);
            let known = graph.writers[cell].iter().all(|&write| graph.value_is_known(write));
            match (constrained, graph.events[read].is_rmw()) {
                (true, _) if known => 0,
                // The order of atomic operations decides their values, and so what a poll of them can return.
                (_, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
            }
        };
        let mut order: Vec<usize> = (0..graph.slots.len()).collect();
        order.sort_by_key(|slot| (rank(slot), graph.writers[graph.slots[*slot].cell].len()));
        Search { graph, constraints, order, wanted, started: graph.meter.steps(), limit }
    }

    /// Leaves the sources of those reads open that can change nothing: weak loads without constraint, of which nothing
    /// depends, other than those named here. Such a load synchronises nothing, and whatever the rest of the execution
    /// is, the newest write that causes it (or the initial one) is a source that the axioms accept.
    pub(crate) fn only_relevant(mut self, reads: &[EventId]) -> Self {
        let graph = self.graph;
        let constraints = &self.constraints;
        self.order.retain(|&slot| {
            let read = graph.slots[slot].read;
            let event = &graph.events[read];
            event.kind != Kind::Read
                || event.strength.is_strong()
                || reads.contains(&read)
                || constraints.iter().any(|constraint| constraint.read == read)
                || (0..graph.events.len()).any(|other| graph.dependencies.has(read, other))
        });
        self
    }

    /// Visits every consistent execution, until the visitor breaks.
    pub(crate) fn run(&mut self, visit: Visit<'_>) -> Result<(), ModelError> {
        let count = self.graph.conditional.len();
        if count > 20 {
            return Err(ModelError::TooLarge { what: "compare-and-swap operations", limit: 20 });
        }
        for choice in 0..1_u32 << count {
            let mut failed = EventSet::default();
            for (bit, &event) in self.graph.conditional.iter().enumerate() {
                if choice & (1 << bit) != 0 {
                    failed.insert(event);
                }
            }
            let state = State {
                sources: vec![None; self.graph.slots.len()],
                base: self.graph.base.clone(),
                observed: Relation::new(self.graph.events.len()),
                influence: self.graph.dependencies.clone(),
                failed,
            };
            if self.decide_sources(&state, 0, visit)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// How many steps were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.graph.meter.steps() - self.started
    }

    /// A decision, unless the steps are spent.
    fn decide(&self) -> Result<(), ModelError> {
        self.graph.meter.decide(self.graph.events.len());
        if self.steps() > self.limit {
            return Err(ModelError::TooLarge { what: "search steps", limit: self.limit });
        }
        Ok(())
    }

    fn decide_sources(&mut self, state: &State, depth: usize, visit: Visit<'_>) -> Progress {
        let Some(&slot) = self.order.get(depth) else {
            return self.decide_fences(state, 0, visit);
        };
        let graph = self.graph;
        let read = graph.slots[slot].read;
        for &write in &graph.writers[graph.slots[slot].cell] {
            if write == read
                || state.failed.contains(write)
                || state.influence.has(read, write)
                || state.is_taken(graph, slot, write)
                || state.tears(graph, slot, write)
            {
                continue;
            }
            self.decide()?;
            let mut next = state.clone();
            next.read_from(graph, slot, write);
            if self.constraints_hold(&next) && next.is_plausible(graph) {
                let progress = self.decide_sources(&next, depth + 1, visit)?;
                if progress.is_break() {
                    return Ok(progress);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Orders the pairs of morally strong `fence.sc` (§8.9.3), each of which synchronises (§8.9.4).
    fn decide_fences(&mut self, state: &State, depth: usize, visit: Visit<'_>) -> Progress {
        let Some(&(one, other)) = self.graph.sc_pairs.get(depth) else {
            return self.decide_coherence(state, visit);
        };
        if state.base.has(one, other) || state.base.has(other, one) {
            return self.decide_fences(state, depth + 1, visit);
        }
        for (first, second) in [(one, other), (other, one)] {
            self.decide()?;
            let mut next = state.clone();
            next.base.add_closed(first, second);
            if next.is_plausible(self.graph) {
                let progress = self.decide_fences(&next, depth + 1, visit)?;
                if progress.is_break() {
                    return Ok(progress);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn decide_coherence(&mut self, state: &State, visit: Visit<'_>) -> Progress {
        let graph = self.graph;
        self.decide()?;
        if !self.swaps_agree(state) {
            return Ok(ControlFlow::Continue(()));
        }
        let causes = state.causality(graph);
        let mut orders = Vec::new();
        for (location, accesses) in graph.accesses.iter().enumerate() {
            if accesses.len() < 2 {
                continue;
            }
            let wanted = self.wanted.get(location).copied().unwrap_or(false);
            let mut problem = coherence::Problem::new(graph, state, &causes, location, wanted);
            let found = problem.solve(self.started.saturating_add(self.limit));
            let found = found.ok_or(ModelError::TooLarge { what: "search steps", limit: self.limit })?;
            if found.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
            orders.push((location, found));
        }
        Ok(visit(&Leaf { state, causes: &causes, orders: &orders }))
    }

    fn constraints_hold(&self, state: &State) -> bool {
        self.constraints.iter().all(|constraint| {
            state
                .read_value(self.graph, constraint.read)
                .is_none_or(|value| constraint.until.comparison.holds(value, constraint.until.value))
        })
    }

    /// Whether each compare-and-swap found what the choice of its success says.
    fn swaps_agree(&self, state: &State) -> bool {
        self.graph
            .conditional
            .iter()
            .all(|&event| state.swap_succeeds(self.graph, event) == Some(!state.failed.contains(event)))
    }
}

impl State {
    /// Whether another atomic operation has read this write, and atomicity (§8.10.3) leaves no room for a second one:
    /// of two that are morally strong, the later one in coherence would have to read the earlier one.
    fn is_taken(&self, graph: &Graph<'_>, slot: usize, write: EventId) -> bool {
        let Slot { read, cell } = graph.slots[slot];
        let writes = |event: EventId| graph.events[event].is_rmw() && !self.failed.contains(event);
        let follows = |event: EventId| graph.events[write].kind == Kind::Init || graph.morally_strong.has(write, event);
        writes(read)
            && follows(read)
            && self.sources.iter().enumerate().any(|(other, source)| {
                let rival = graph.slots[other];
                *source == Some(write)
                    && rival.cell == cell
                    && rival.read != read
                    && writes(rival.read)
                    && follows(rival.read)
                    && graph.morally_strong.has(read, rival.read)
            })
    }

    /// Whether another part of the same read has another source already, and atomicity (§8.10.3) forbids that: of two
    /// writes that are morally strong with the read and with each other, one follows the other in coherence, as both
    /// follow the initial one.
    fn tears(&self, graph: &Graph<'_>, slot: usize, write: EventId) -> bool {
        let read = graph.slots[slot].read;
        let strong = |one: EventId, other: EventId| graph.morally_strong.has(one, other);
        let initial = |event: EventId| graph.events[event].kind == Kind::Init;
        graph.slots_of(read).filter_map(|part| self.sources[part]).any(|other| {
            other != write
                && (initial(write) || strong(read, write))
                && (initial(other) || strong(read, other))
                && if initial(write) || initial(other) {
                    !(initial(write) && initial(other))
                } else {
                    strong(write, other)
                }
        })
    }

    /// Lets a slot read a write: observation grows (§8.9.2), and patterns synchronise (§8.9.4).
    fn read_from(&mut self, graph: &Graph<'_>, slot: usize, write: EventId) {
        let read = graph.slots[slot].read;
        self.sources[slot] = Some(write);
        self.influence.add_closed(write, read);
        if !graph.morally_strong.has(write, read) || self.observed.has(write, read) {
            return;
        }
        let mut before = vec![write];
        if graph.events[write].is_rmw() {
            before.extend((0..graph.events.len()).filter(|&earlier| self.observed.has(earlier, write)));
        }
        let mut after = vec![read];
        if graph.events[read].is_rmw() {
            after.extend(self.observed.row(read).iter());
        }
        for &origin in &before {
            for &observer in &after {
                self.observed.add(origin, observer);
                self.synchronise(graph, origin, observer);
            }
        }
    }

    fn synchronise(&mut self, graph: &Graph<'_>, write: EventId, read: EventId) {
        for &first in &graph.release_starts[write] {
            for &last in &graph.acquire_ends[read] {
                if !graph.same_thread(first, last) && graph.morally_strong.has(first, last) {
                    self.base.add_closed(first, last);
                }
            }
        }
    }

    /// Causality order (§8.9.5) between memory operations that touch a common byte.
    pub(crate) fn causes(&self, graph: &Graph<'_>, from: EventId, to: EventId) -> bool {
        graph.preserved(&self.base, from, to)
            || self.observed.row(from).iter().any(|observer| graph.preserved(&self.base, observer, to))
    }

    fn causality(&self, graph: &Graph<'_>) -> Relation {
        let mut causes = Relation::new(graph.events.len());
        for accesses in &graph.accesses {
            for &from in accesses {
                graph.meter.look(accesses.len());
                for &to in accesses {
                    if graph.touch(from, to) && self.causes(graph, from, to) {
                        causes.add(from, to);
                    }
                }
            }
        }
        causes
    }

    /// The axioms so far as they are decided: fence-SC, which the choice of pairs keeps by construction (§8.10.2), and causality (§8.10.6) with the part of coherence
    /// that causality gives. What fails here fails in every completion.
    fn is_plausible(&self, graph: &Graph<'_>) -> bool {
        if graph.sc_pairs.iter().any(|&(one, other)| self.base.has(one, one) || self.base.has(other, other)) {
            return false;
        }
        self.sources.iter().enumerate().all(|(slot, source)| {
            let Some(write) = *source else { return true };
            let read = graph.slots[slot].read;
            // Observation starts at writes: of an atomic operation, only its write observes further.
            if graph.events[write].kind != Kind::Init && graph.preserved(&self.base, read, write) {
                return false;
            }
            graph.writers[graph.slots[slot].cell].iter().all(|&newer| {
                newer == write
                    || newer == read
                    || self.failed.contains(newer)
                    || !self.causes(graph, newer, read)
                    || !self.causes(graph, write, newer)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumption::Assumptions;
    use crate::litmus::Litmus;

    /// As many threads add to one counter.
    fn counters(threads: usize) -> String {
        let adds = (0..threads).map(|pe| format!("thread T{pe} on {pe}.0\n atom.relaxed.sys.add r, [count], 1\n"));
        format!("global count\n{}forbid T0.r == 99\n", adds.collect::<String>())
    }

    /// Executions that are visited until the steps are spent, and the pairs that the axioms speak of in each: every write of a
    /// location with every read of it.
    fn visited(threads: usize, limit: u64) -> (u64, u64) {
        let test = Litmus::parse(&counters(threads)).expect("the test parses");
        let graph = Graph::new(&test.program, Assumptions::default()).expect("the program is small");
        let mut executions = 0;
        let end = Search::new(&graph, &[], Vec::new(), limit).run(&mut |_| {
            executions += 1;
            ControlFlow::Continue(())
        });
        assert!(matches!(end, Err(ModelError::TooLarge { what: "search steps", .. })), "{end:?}");
        (executions, (threads * threads) as u64)
    }

    #[test]
    fn a_step_weighs_what_it_looks_at() {
        let limit = 5_000;
        let (small, pairs_of_small) = visited(8, limit);
        let (large, pairs_of_large) = visited(32, limit);
        assert!(small > 0, "the limit is too small for the test");
        // Whatever the size of the program, the same number of steps looks at about as much.
        let (one, other) = (small * pairs_of_small, large * pairs_of_large);
        assert!(other <= 4 * one, "{other} pairs of a large program for the steps of {one} of a small one");
    }
}
