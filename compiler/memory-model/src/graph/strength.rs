//! Moral strength (PTX ISA §8.7) and the release and acquire patterns (§8.8) of a program.

use super::{Event, EventId, Graph, Kind};
use crate::Semantics;

impl Graph<'_> {
    /// Moral strength (PTX ISA §8.7), pairs of `fence.sc`, and whether sizes are mixed.
    pub(super) fn derive_strength(&mut self) {
        for one in 0..self.events.len() {
            for other in 0..self.events.len() {
                if one != other && self.is_morally_strong(one, other) {
                    self.morally_strong.add(one, other);
                    if one < other && self.events[one].is_sc_fence() && self.events[other].is_sc_fence() {
                        self.sc_pairs.push((one, other));
                    }
                }
                let (first, second) = (&self.events[one], &self.events[other]);
                if let (Some(range), Some(range2)) = (first.range, second.range)
                    && first.kind != Kind::Init
                    && second.kind != Kind::Init
                    && (first.writes() || second.writes())
                    && range.touches(&range2)
                    && !range.same_bytes(&range2)
                {
                    self.mixed_sizes = true;
                }
            }
        }
    }

    fn is_morally_strong(&self, one: EventId, other: EventId) -> bool {
        let (first, second) = (&self.events[one], &self.events[other]);
        if first.proxy != second.proxy {
            return false;
        }
        if let (Some(range), Some(range2)) = (first.range, second.range)
            && !(range.same_bytes(&range2) && range.address == range2.address)
        {
            return false;
        }
        if self.program_order.has(one, other) || self.program_order.has(other, one) {
            return true;
        }
        // Without the assumption the manual guarantees nothing for such an access: between threads it counts as weak.
        let wide = |event: &Event| event.is_memory() && event.kind != Kind::Init && event.width() > 8;
        if !self.assumptions.b128_single_copy && (wide(first) || wide(second)) {
            return false;
        }
        let includes = |event: &Event, from: EventId, to: EventId| {
            event.strength.is_strong()
                && matches!((self.place(from), self.place(to)), (Some(here), Some(there)) if here.scope_includes(event.scope, there))
        };
        includes(first, one, other) && includes(second, other, one)
    }

    /// Release and acquire patterns (PTX ISA §8.8).
    pub(super) fn derive_patterns(&mut self) {
        for event in 0..self.events.len() {
            if !self.events[event].strength.is_strong() || !self.events[event].is_memory() {
                continue;
            }
            if self.events[event].writes() {
                self.release_starts[event] = self.pattern_partners(event, Semantics::releases, true);
            }
            if self.events[event].kind == Kind::Read || self.events[event].kind == (Kind::Rmw { atom: true }) {
                self.acquire_ends[event] = self.pattern_partners(event, Semantics::acquires, false);
            }
        }
    }

    /// The operation itself, operations on the same location, and fences, that are before (or after) it in program
    /// order and have the wanted semantics.
    fn pattern_partners(&self, event: EventId, wanted: fn(Semantics) -> bool, before: bool) -> Vec<EventId> {
        let at = self.events[event].range;
        (0..self.events.len())
            .filter(|&partner| {
                let candidate = &self.events[partner];
                if !wanted(candidate.strength) {
                    return false;
                }
                let ordered = if before {
                    self.program_order.has(partner, event)
                } else {
                    self.program_order.has(event, partner)
                };
                let same_location = || match (candidate.range, at) {
                    (Some(range), Some(at)) => range.same_bytes(&at) && range.address == at.address,
                    _ => false,
                };
                partner == event || ordered && (candidate.kind == Kind::Fence || same_location())
            })
            .collect()
    }
}
