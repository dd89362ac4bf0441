//! The values of an execution: what a read returns and what a write writes, so far as sources are decided.

use std::collections::BTreeMap;

use super::State;
use crate::graph::{Cell, EventId, Graph, Input, Kind, Written};

impl State {
    /// What a read returns, once all its sources and theirs are known.
    pub(crate) fn read_value(&self, graph: &Graph<'_>, read: EventId) -> Option<u128> {
        Values::new(self, graph).read(read)
    }

    /// What a write leaves in a cell.
    pub(crate) fn cell_value(&self, graph: &Graph<'_>, write: EventId, cell: Cell) -> Option<u128> {
        Values::new(self, graph).in_cell(write, cell)
    }

    /// Whether a compare-and-swap finds the value that it expects.
    pub(super) fn swap_succeeds(&self, graph: &Graph<'_>, event: EventId) -> Option<bool> {
        let Written::CompareAndSwap { expected, .. } = graph.events[event].written else { return None };
        let mut values = Values::new(self, graph);
        let expected = values.input(expected)?;
        Some(values.read(event)? == expected & mask(graph.events[event].width()))
    }
}

/// Values that follow from each other. What a write writes is worked out once: an atomic operation reads each of its cells from
/// another one, which does the same.
struct Values<'a, 'p> {
    state: &'a State,
    graph: &'a Graph<'p>,
    written: BTreeMap<EventId, Option<u128>>,
}

impl<'a, 'p> Values<'a, 'p> {
    fn new(state: &'a State, graph: &'a Graph<'p>) -> Values<'a, 'p> {
        Values { state, graph, written: BTreeMap::new() }
    }

    fn read(&mut self, read: EventId) -> Option<u128> {
        let start = self.graph.events[read].range?.start;
        let mut value = 0;
        for slot in self.graph.slots_of(read) {
            let cell = self.graph.cells[self.graph.slots[slot].cell];
            value |= self.in_cell(self.state.sources[slot]?, cell)? << (8 * (cell.start - start));
        }
        Some(value)
    }

    fn in_cell(&mut self, write: EventId, cell: Cell) -> Option<u128> {
        let event = &self.graph.events[write];
        if event.kind == Kind::Init {
            return Some(initial_value(self.graph, cell.location, cell.start, cell.width));
        }
        let start = event.range?.start;
        let value = self.write(write)?;
        Some((value >> (8 * (cell.start - start))) & mask(u32::from(cell.width)))
    }

    fn write(&mut self, write: EventId) -> Option<u128> {
        if let Some(known) = self.written.get(&write) {
            return *known;
        }
        let value = self.work_out(write);
        self.written.insert(write, value);
        value
    }

    fn input(&mut self, input: Input) -> Option<u128> {
        Some(match input {
            Input::Constant(value) => value,
            Input::Read(read) => self.read(read)?,
            Input::Sum(read, value) => self.read(read)?.wrapping_add(value),
        })
    }

    fn work_out(&mut self, write: EventId) -> Option<u128> {
        let event = &self.graph.events[write];
        let cut = |value: u128| value & mask(event.width());
        let value = match event.written {
            Written::Nothing => return None,
            Written::Value(value) => self.input(value)?,
            Written::Add(value) => self.read(write)?.wrapping_add(self.input(value)?),
            Written::CompareAndSwap { desired, .. } => self.input(desired)?,
            Written::And(value) => self.read(write)? & self.input(value)?,
            Written::Or(value) => self.read(write)? | self.input(value)?,
            Written::Xor(value) => self.read(write)? ^ self.input(value)?,
            Written::Min(value) => self.read(write)?.min(cut(self.input(value)?)),
            Written::Max(value) => self.read(write)?.max(cut(self.input(value)?)),
            Written::Increment(limit) => {
                let (old, limit) = (self.read(write)?, cut(self.input(limit)?));
                if old >= limit { 0 } else { old + 1 }
            }
            Written::Decrement(limit) => {
                let (old, limit) = (self.read(write)?, cut(self.input(limit)?));
                if old == 0 || old > limit { limit } else { old - 1 }
            }
        };
        Some(cut(value))
    }
}

/// What memory holds at the start, little-endian.
pub(crate) fn initial_value(graph: &Graph<'_>, location: usize, start: u64, width: u8) -> u128 {
    let mut value = 0;
    for initial in &graph.program.locations[location].initial {
        for byte in 0..u64::from(initial.width) {
            let at = initial.offset + byte;
            if (start..start + u64::from(width)).contains(&at) {
                let shift = 8 * (at - start);
                value &= !(0xff << shift);
                value |= (initial.value >> (8 * byte) & 0xff) << shift;
            }
        }
    }
    value
}

/// The bits of a value of `width` bytes.
fn mask(width: u32) -> u128 {
    if width >= 16 { u128::MAX } else { (1 << (8 * width)) - 1 }
}
