//! From the events of a program to its graph: program order, base causality, dependencies, cells.

use std::collections::{BTreeMap, BTreeSet};

use super::barrier::{communicate, synchronise};
use super::lower::{Lowering, Phase};
use super::{Cell, Event, EventId, Graph, Kind, Slot, Written};
use crate::Proxy;
use crate::assumption::Assumptions;
use crate::error::ModelError;
use crate::meter::Meter;
use crate::relation::Relation;

impl<'a> Lowering<'a> {
    pub(super) fn finish(mut self, assumptions: Assumptions) -> Result<Graph<'a>, ModelError> {
        let count = self.events.len();
        let mut program_order = Relation::new(count);
        for one in 0..count {
            for other in 0..count {
                let (first, second) = (&self.events[one], &self.events[other]);
                let same_thread = match (first.origin, second.origin) {
                    (Some((thread, _)), Some((thread2, _))) => thread == thread2,
                    _ => false,
                };
                let synchronous = first.issue.is_none() && second.issue.is_none();
                if same_thread && synchronous && self.positions[one] < self.positions[other] {
                    program_order.add(one, other);
                }
            }
        }
        let cells = self.make_cells();
        let mut base = program_order.clone();
        for (from, to) in &self.edges {
            base.add(*from, *to);
        }
        for init in (0..count).filter(|&event| self.events[event].kind == Kind::Init) {
            for event in (0..count).filter(|&event| self.events[event].kind != Kind::Init) {
                base.add(init, event);
            }
        }
        synchronise(self.program, &self.arrivals, &mut base)?;
        self.complete_phases(&mut base);
        for (first, second) in &self.program.orders {
            if let (Some(&end), Some(&start)) = (self.ends.get(&first.0), self.starts.get(&second.0)) {
                base.add(end, start);
                self.host_orders.push((end, start));
            }
        }
        base.close();
        for (&thread, &start) in &self.starts {
            if base.has(start, start) {
                return Err(ModelError::CyclicOrder { thread: self.program.threads[thread].name.clone() });
            }
        }
        if assumptions.reduction_carries_dependency {
            self.dependencies.extend(communicate(self.program, &self.arrivals, &self.reductions));
        }
        let mut dependencies = Relation::new(count);
        for (from, to) in &self.dependencies {
            dependencies.add(*from, *to);
        }
        dependencies.close();
        Ok(self.assemble(assumptions, cells, program_order, base, dependencies))
    }

    /// Mbarriers (PTX ISA §8.8, §9.7.13.15): an arrival that releases synchronises with a wait that acquires the same
    /// phase, where each one's scope includes the other; and a wait that acquires finds the phase's copies complete.
    fn complete_phases(&self, base: &mut Relation) {
        let place = |event: EventId| self.events[event].origin.map(|(thread, _)| self.program.threads[thread].place);
        let includes = |one: EventId, other: EventId| match (place(one), place(other)) {
            (Some(here), Some(there)) => here.scope_includes(self.events[one].scope, there),
            _ => false,
        };
        for wait in self.mbarriers.iter().filter(|operation| operation.wait) {
            if !self.events[wait.event].strength.acquires() {
                continue;
            }
            let same = |other: &&Phase| (other.id, other.phase) == (wait.id, wait.phase);
            for arrival in self.mbarriers.iter().filter(|operation| !operation.wait).filter(same) {
                let strong = includes(arrival.event, wait.event) && includes(wait.event, arrival.event);
                let apart =
                    self.events[arrival.event].origin.map(|at| at.0) != self.events[wait.event].origin.map(|at| at.0);
                if strong && apart && self.events[arrival.event].strength.releases() {
                    base.add(arrival.event, wait.event);
                }
            }
            for part in self.completions.iter().filter(same) {
                base.add(part.event, wait.event);
            }
        }
    }

    /// Cuts the locations into cells and gives each memory event its own.
    fn make_cells(&mut self) -> Vec<Cell> {
        let mut cuts: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        let mut ranges: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
        for range in self.events.iter().filter(|event| event.kind != Kind::Init).filter_map(|event| event.range) {
            let cuts = cuts.entry(range.location).or_default();
            cuts.extend([range.start, range.end]);
            cuts.extend((range.start..range.end).filter(|offset| offset % 8 == 0));
            ranges.entry(range.location).or_default().push((range.start, range.end));
        }
        let mut cells = Vec::new();
        for (location, cuts) in cuts {
            let cuts: Vec<u64> = cuts.into_iter().collect();
            for pair in cuts.windows(2) {
                let &[start, end] = pair else { continue };
                if ranges[&location].iter().any(|&(from, to)| from <= start && end <= to) {
                    cells.push(Cell { location, start, width: (end - start) as u8 });
                }
            }
        }
        for event in &mut self.events {
            let Some(range) = event.range else { continue };
            let inside =
                |cell: &Cell| cell.location == range.location && range.start <= cell.start && cell.start < range.end;
            event.cells = cells.iter().enumerate().filter(|(_, cell)| inside(cell)).map(|(id, _)| id).collect();
        }
        cells
    }

    fn assemble(
        self,
        assumptions: Assumptions,
        cells: Vec<Cell>,
        program_order: Relation,
        base: Relation,
        dependencies: Relation,
    ) -> Graph<'a> {
        let events = self.events;
        let count = events.len();
        let mut slots = Vec::new();
        let mut first_slot = vec![0; count];
        for (read, event) in events.iter().enumerate().filter(|(_, event)| event.reads()) {
            first_slot[read] = slots.len();
            slots.extend(event.cells.iter().map(|&cell| Slot { read, cell }));
        }
        let mut writers = vec![Vec::new(); cells.len()];
        let mut accesses = vec![Vec::new(); self.program.locations.len()];
        for (id, event) in events.iter().enumerate() {
            if let Some(range) = event.range {
                accesses[range.location].push(id);
                if event.writes() {
                    event.cells.iter().for_each(|&cell| writers[cell].push(id));
                }
            }
        }
        let addresses: BTreeSet<(usize, usize)> =
            events.iter().filter_map(|event| event.range.map(|range| (range.location, range.address))).collect();
        let single_proxy = events.iter().all(|event| event.proxy == Proxy::Generic)
            && addresses.iter().all(|(location, address)| location == address);
        let of_kind = |wanted: fn(&Event) -> bool| -> Vec<EventId> {
            events.iter().enumerate().filter(|(_, event)| wanted(event)).map(|(id, _)| id).collect()
        };
        let conditional = of_kind(|event| matches!(event.written, Written::CompareAndSwap { .. }));
        let proxy_fences = of_kind(|event| matches!(event.kind, Kind::ProxyFence(_)));
        let meter = Meter::default();
        // Each pair is looked at for program order, for base causality and for moral strength.
        meter.look(3 * events.len() * events.len());
        let mut graph = Graph {
            program: self.program,
            assumptions,
            cells,
            slots,
            first_slot,
            writers,
            accesses,
            morally_strong: Relation::new(count),
            release_starts: vec![Vec::new(); count],
            acquire_ends: vec![Vec::new(); count],
            sc_pairs: Vec::new(),
            constraints: self.constraints,
            conditional,
            registers: self.registers,
            host_orders: self.host_orders,
            single_proxy,
            mixed_sizes: false,
            proxy_fences,
            meter,
            program_order,
            base,
            dependencies,
            events,
        };
        graph.derive_strength();
        graph.derive_patterns();
        graph
    }
}
