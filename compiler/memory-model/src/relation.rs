//! Sets of events and binary relations over them, as bit matrices.
//!
//! Relations are small (at most [`MAX_EVENTS`] events) and are copied at each node of the search, so a row is a
//! fixed array. A relation that is kept transitively closed is extended with [`Relation::add_closed`].

/// The most events that a program may have, its initial writes included.
pub(crate) const MAX_EVENTS: usize = 256;

const WORDS: usize = MAX_EVENTS / 64;

/// A set of events.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct EventSet([u64; WORDS]);

impl EventSet {
    pub(crate) fn insert(&mut self, event: usize) {
        self.0[event / 64] |= 1 << (event % 64);
    }

    pub(crate) fn contains(&self, event: usize) -> bool {
        self.0[event / 64] & (1 << (event % 64)) != 0
    }

    pub(crate) fn union_with(&mut self, other: &EventSet) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// The members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        (0..WORDS).flat_map(move |index| {
            let mut word = words[index];
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    index * 64 + bit
                })
            })
        })
    }
}

/// A binary relation over the events of one program.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    rows: Vec<EventSet>,
}

impl Relation {
    /// The empty relation over `events` events.
    pub(crate) fn new(events: usize) -> Self {
        Relation { rows: vec![EventSet::default(); events] }
    }

    pub(crate) fn add(&mut self, from: usize, to: usize) {
        self.rows[from].insert(to);
    }

    pub(crate) fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from].contains(to)
    }

    /// What `from` is related to.
    pub(crate) fn row(&self, from: usize) -> &EventSet {
        &self.rows[from]
    }

    /// Closes the relation under transitivity.
    pub(crate) fn close(&mut self) {
        for middle in 0..self.rows.len() {
            let reached = self.rows[middle];
            for row in &mut self.rows {
                if row.contains(middle) {
                    row.union_with(&reached);
                }
            }
        }
    }

    /// Adds one pair to a relation that is transitively closed, and keeps it closed. Says whether it is new.
    pub(crate) fn add_closed(&mut self, from: usize, to: usize) -> bool {
        if self.has(from, to) {
            return false;
        }
        let mut reached = self.rows[to];
        reached.insert(to);
        for (event, row) in self.rows.iter_mut().enumerate() {
            if event == from || row.contains(from) {
                row.union_with(&reached);
            }
        }
        true
    }

    /// Whether some event is related to itself; of a closed relation this says that there is a cycle.
    pub(crate) fn is_reflexive_somewhere(&self) -> bool {
        self.rows.iter().enumerate().any(|(event, row)| row.contains(event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incremental_closure_agrees_with_full_closure() {
        let edges = [(0, 1), (3, 70), (1, 3), (70, 2), (2, 5), (5, 1), (200, 0)];
        let mut full = Relation::new(201);
        let mut incremental = Relation::new(201);
        for (from, to) in edges {
            full.add(from, to);
            incremental.add_closed(from, to);
        }
        full.close();
        for from in 0..201 {
            assert_eq!(full.row(from), incremental.row(from), "row {from}");
        }
        assert!(full.is_reflexive_somewhere());
        assert_eq!(full.row(200).iter().collect::<Vec<_>>(), [0, 1, 2, 3, 5, 70]);
    }
}
