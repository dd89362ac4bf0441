//! The values of an execution: what a read returns and what a write writes, so far as sources are decided.

use super::State;
use crate::graph::{Cell, EventId, Graph, Input, Kind, Written};

impl State {
    /// What a read returns, once all its sources and theirs are known.
    pub(crate) fn read_value(&self, graph: &Graph<'_>, read: EventId) -> Option<u128> {
        let start = graph.events[read].range?.start;
        let mut value = 0;
        for slot in graph.slots_of(read) {
            let cell = graph.cells[graph.slots[slot].cell];
            value |= self.cell_value(graph, self.sources[slot]?, cell)? << (8 * (cell.start - start));
        }
        Some(value)
    }

    /// What a write leaves in a cell.
    pub(crate) fn cell_value(&self, graph: &Graph<'_>, write: EventId, cell: Cell) -> Option<u128> {
        if graph.events[write].kind == Kind::Init {
            return Some(initial_value(graph, cell.location, cell.start, cell.width));
        }
        let start = graph.events[write].range?.start;
        let value = self.written_value(graph, write)?;
        Some((value >> (8 * (cell.start - start))) & mask(u32::from(cell.width)))
    }

    fn written_value(&self, graph: &Graph<'_>, write: EventId) -> Option<u128> {
        let event = &graph.events[write];
        let input = |input: Input| -> Option<u128> {
            Some(match input {
                Input::Constant(value) => value,
                Input::Read(read) => self.read_value(graph, read)?,
                Input::Sum(read, value) => self.read_value(graph, read)?.wrapping_add(value),
            })
        };
        let old = || self.read_value(graph, write);
        let cut = |value: u128| value & mask(event.width());
        let value = match event.written {
            Written::Nothing => return None,
            Written::Value(value) => input(value)?,
            Written::Add(value) => old()?.wrapping_add(input(value)?),
            Written::CompareAndSwap { desired, .. } => input(desired)?,
            Written::And(value) => old()? & input(value)?,
            Written::Or(value) => old()? | input(value)?,
            Written::Xor(value) => old()? ^ input(value)?,
            Written::Min(value) => old()?.min(cut(input(value)?)),
            Written::Max(value) => old()?.max(cut(input(value)?)),
            Written::Increment(limit) => {
                let (old, limit) = (old()?, cut(input(limit)?));
                if old >= limit { 0 } else { old + 1 }
            }
            Written::Decrement(limit) => {
                let (old, limit) = (old()?, cut(input(limit)?));
                if old == 0 || old > limit { limit } else { old - 1 }
            }
        };
        Some(cut(value))
    }

    /// Whether a compare-and-swap finds the value that it expects.
    pub(super) fn swap_succeeds(&self, graph: &Graph<'_>, event: EventId) -> Option<bool> {
        let Written::CompareAndSwap { expected, .. } = graph.events[event].written else { return None };
        let expected = match expected {
            Input::Constant(value) => value,
            Input::Read(read) => self.read_value(graph, read)?,
            Input::Sum(read, value) => self.read_value(graph, read)?.wrapping_add(value),
        };
        Some(self.read_value(graph, event)? == expected & mask(graph.events[event].width()))
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
