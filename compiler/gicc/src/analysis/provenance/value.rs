//! What a value may point to: a small set of places, and marks that flow with it.

use super::path::{Bytes, PathId};

/// As many different objects are kept; more become "not known" beside them.
pub(crate) const MOST: usize = 8;

/// What a value may point to. Numbers point to nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Value {
    /// In order of the paths, each once.
    pub(crate) places: Vec<(PathId, Bytes)>,
    /// The distance between two PEs' segments of the symmetric heap is in it: it lies on another PE, or may.
    pub(crate) shifted: bool,
    /// More than one object came together (phi, select): it is one or the other by the way taken.
    pub(crate) by_way: bool,
    /// There are more objects than are kept.
    pub(crate) more: bool,
}

impl Value {
    /// One place.
    pub(crate) fn at(path: PathId, bytes: Bytes) -> Value {
        Value { places: vec![(path, bytes)], ..Value::default() }
    }

    /// Whether it says anything.
    pub(crate) fn is_nothing(&self) -> bool {
        self.places.is_empty() && !self.shifted
    }

    /// Adds what another value may be; whether that changed anything.
    pub(crate) fn join(&mut self, other: &Value) -> bool {
        let mut changed = false;
        for (path, bytes) in &other.places {
            changed |= self.add(*path, *bytes);
        }
        for (mine, its) in
            [(&mut self.shifted, other.shifted), (&mut self.by_way, other.by_way), (&mut self.more, other.more)]
        {
            changed |= its && !*mine;
            *mine |= its;
        }
        changed
    }

    fn add(&mut self, path: PathId, bytes: Bytes) -> bool {
        match self.places.binary_search_by_key(&path, |p| p.0) {
            Ok(at) => {
                let joined = self.places[at].1.or(bytes);
                std::mem::replace(&mut self.places[at].1, joined) != joined
            }
            Err(_) if self.places.len() >= MOST => !std::mem::replace(&mut self.more, true),
            Err(at) => {
                self.places.insert(at, (path, bytes));
                true
            }
        }
    }

    /// The same, with every distance changed.
    pub(crate) fn moved(&self, change: impl Fn(Bytes) -> Bytes) -> Value {
        let mut moved = self.clone();
        for (_, bytes) in &mut moved.places {
            *bytes = change(*bytes);
        }
        moved
    }
}
