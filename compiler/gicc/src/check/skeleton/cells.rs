//! Memory of a play, divided into cells, and which of them are flags.

use std::collections::{BTreeMap, BTreeSet};

use memory_model::{Proxy, Semantics};

use super::super::execute::event::{AccessKind, Event, EventKind, Part};
use super::super::execute::thread::{Path, Role};

impl Cells {
    pub(super) fn of(threads: &[(Role, &Path)]) -> Cells {
        let mut ranges: Vec<(Key, u64)> = Vec::new();
        for (role, path) in threads {
            for event in &path.events {
                ranges.extend(ranges_of(*role, event).into_iter().map(|(key, end, _)| (key, end)));
            }
        }
        ranges.sort_unstable();
        let mut merged: Vec<(Key, u64)> = Vec::new();
        for (key, end) in ranges {
            match merged.last_mut() {
                Some((last, until)) if last.0 == key.0 && key.1 < *until => *until = (*until).max(end),
                _ => merged.push((key, end)),
            }
        }
        let count = merged.len();
        let mut cells = Cells {
            ranges: merged,
            flags: BTreeSet::new(),
            part: BTreeMap::new(),
            mixed: BTreeSet::new(),
            group: (0..count).collect(),
            accessed: vec![Vec::new(); count],
        };
        let mut in_packets: BTreeMap<usize, bool> = BTreeMap::new();
        for (role, event) in threads.iter().flat_map(|(role, path)| path.events.iter().map(|event| (*role, event))) {
            let EventKind::Access(access) = &event.kind else { continue };
            if let Some(cell) = cells.find(key(role, access.address))
                && *in_packets.entry(cell).or_insert(access.packet) != access.packet
            {
                cells.mixed.insert(cell);
            }
        }
        for (thread, (role, path)) in threads.iter().enumerate() {
            let decisive: BTreeSet<usize> = path
                .events
                .iter()
                .flat_map(|event| match &event.kind {
                    EventKind::Assume { read, .. } => vec![read.event],
                    EventKind::Because(reads, _) => reads.iter().map(|read| read.event).collect(),
                    _ => Vec::new(),
                })
                .collect();
            for event in &path.events {
                let EventKind::Assume { read, .. } = &event.kind else { continue };
                let Some(Event { kind: EventKind::Access(access), .. }) = path.events.get(read.event) else { continue };
                if access.packet
                    && let Some(cell) = cells.find(key(*role, access.address))
                {
                    cells.part.entry(cell).or_insert(Part::of_lane(read.lane));
                }
            }
            for (index, event) in path.events.iter().enumerate() {
                let touched: Vec<usize> =
                    ranges_of(*role, event).into_iter().filter_map(|(key, _, _)| cells.find(key)).collect();
                for ((_, _, writes), &cell) in ranges_of(*role, event).iter().zip(&touched) {
                    let asynchronous = matches!(event.kind, EventKind::Copy { .. });
                    cells.accessed[cell].push(Touch { thread, writes: *writes, asynchronous });
                }
                match &event.kind {
                    EventKind::Access(access) => {
                        let strong = access.semantics != Semantics::Weak && access.proxy == Proxy::Generic;
                        let decides = access.reads() && decisive.contains(&index);
                        if let Some(&cell) = touched.first()
                            && strong
                            && (decides || matches!(access.kind, AccessKind::Atomic(..)))
                        {
                            cells.flags.insert(cell);
                        }
                    }
                    EventKind::Copy { .. } => {
                        if let [to, from] = touched[..] {
                            cells.join(to, from);
                        }
                    }
                    _ => {}
                }
            }
        }
        cells
    }

    /// The part of a packet that stands for it: the one that is waited for; where none is, the upper half.
    pub(super) fn part(&self, cell: usize) -> Part {
        self.part.get(&cell).copied().unwrap_or(Part::Half(1))
    }

    pub(super) fn find(&self, key: Key) -> Option<usize> {
        let at = self.ranges.partition_point(|(start, _)| *start <= key).checked_sub(1)?;
        let (start, end) = self.ranges[at];
        (start.0 == key.0 && key.1 < end).then_some(at)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.group[a], self.group[b]);
        for group in &mut self.group {
            if *group == b {
                *group = a;
            }
        }
    }
}

/// The cells of a play.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Start and end, sorted; addresses of shared memory carry their block.
    pub(super) ranges: Vec<(Key, u64)>,
    pub(super) flags: BTreeSet<usize>,
    /// Of cells that packets go through: the part that is waited for.
    pub(super) part: BTreeMap<usize, Part>,
    /// Cells that packets and other accesses go through: no part of it stands for the whole there.
    pub(super) mixed: BTreeSet<usize>,
    /// Cells that copies connect: the representative of each.
    pub(super) group: Vec<usize>,
    pub(super) accessed: Vec<Vec<Touch>>,
}

/// An address: which block's shared memory, or 0 for memory that everybody has.
pub(super) type Key = (u32, u64);

/// Who touches a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) thread: usize,
    pub(super) writes: bool,
    pub(super) asynchronous: bool,
}

/// Ranges that are written.
pub(super) fn stored_ranges(threads: &[(Role, &Path)]) -> Vec<(Key, u64)> {
    let mut all = Vec::new();
    for (role, path) in threads {
        for event in &path.events {
            all.extend(
                ranges_of(*role, event).into_iter().filter(|(_, _, writes)| *writes).map(|(key, end, _)| (key, end)),
            );
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn key(role: Role, address: u64) -> Key {
    use crate::check::execute::decode::{SHARED_WINDOW, VARIABLES};
    if (SHARED_WINDOW..VARIABLES).contains(&address) {
        (1 + role.pe * 64 + role.block, address)
    } else if address < crate::check::execute::thread::HEAP {
        // Variables of the module: each GPU has its own.
        (100_000 + role.pe, address)
    } else {
        (0, address)
    }
}

/// What an event touches: where, up to where, and whether it writes.
pub(super) fn ranges_of(role: Role, event: &Event) -> Vec<(Key, u64, bool)> {
    match &event.kind {
        EventKind::Access(access) => {
            let range = access.range();
            vec![(key(role, range.start), range.end, access.writes())]
        }
        EventKind::Copy { to, from, bytes, .. } => vec![
            (key(role, *to), to.saturating_add((*bytes).into()), true),
            (key(role, *from), from.saturating_add((*bytes).into()), false),
        ],
        _ => Vec::new(),
    }
}
