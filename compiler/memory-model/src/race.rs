//! Data races (PTX ISA §8.7.1): conflicting accesses that are neither morally strong nor ordered by causality.

use std::fmt;

use crate::graph::{EventId, Graph, Kind};
use crate::search::Leaf;
use crate::witness::{Operation, operation};

/// Whether the racing accesses overlap completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// They do: the axioms still describe the program.
    UniformSize,
    /// They do not: the axioms describe nothing (§8.7.2).
    MixedSize,
}

/// Two accesses that race in some execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Race {
    /// The kind.
    pub kind: RaceKind,
    /// One access.
    pub one: Operation,
    /// The other.
    pub other: Operation,
}

/// The races of an execution.
pub(crate) fn races(graph: &Graph<'_>, leaf: &Leaf<'_>) -> Vec<Race> {
    let mut found = Vec::new();
    for accesses in &graph.accesses {
        graph.meter.look(accesses.len() * accesses.len() / 2);
        for (index, &one) in accesses.iter().enumerate() {
            for &other in &accesses[index + 1..] {
                if let Some(kind) = race_between(graph, leaf, one, other) {
                    found.extend(operation(graph, one).zip(operation(graph, other)).map(|(one, other)| Race {
                        kind,
                        one,
                        other,
                    }));
                }
            }
        }
    }
    found
}

fn race_between(graph: &Graph<'_>, leaf: &Leaf<'_>, one: EventId, other: EventId) -> Option<RaceKind> {
    let writes = |event: EventId| graph.events[event].writes() && !leaf.state.failed.contains(event);
    let initial = graph.events[one].kind == Kind::Init || graph.events[other].kind == Kind::Init;
    let conflict = !initial && graph.touch(one, other) && (writes(one) || writes(other));
    let ordered = leaf.causes.has(one, other) || leaf.causes.has(other, one);
    // Both halves of one bulk copy onto itself are one operation.
    let same_step = graph.events[one].origin == graph.events[other].origin;
    if !conflict || ordered || same_step || graph.morally_strong.has(one, other) {
        return None;
    }
    let (range, range2) = (graph.events[one].range?, graph.events[other].range?);
    Some(if range.same_bytes(&range2) { RaceKind::UniformSize } else { RaceKind::MixedSize })
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            RaceKind::UniformSize => "data race",
            RaceKind::MixedSize => "data race of different sizes",
        };
        write!(f, "{kind} between {} and {}", self.one, self.other)
    }
}
