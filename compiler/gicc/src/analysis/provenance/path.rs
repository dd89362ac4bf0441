//! Access paths: names for the memory that pointers point to. A pointer that was loaded from memory points to "what the
//! pointer at that place of that memory points to".

use std::collections::HashMap;
use std::rc::Rc;

use crate::analysis::body::NodeId;

/// The number of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathId(pub(crate) u32);

/// Bytes from the beginning of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Bytes {
    Known(i64),
    /// A constant, and what the program computes.
    From(i64),
    Unknown,
}

/// What picks the element of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Pick {
    /// A constant.
    Fixed,
    /// A number that is the same for all threads and comes with the arguments: the own rank, by convention.
    Own,
    /// Anything else: a loop, a thread's number, a computation.
    Other,
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Path {
    /// What a parameter points to.
    Parameter(u32),
    /// A by-value parameter itself.
    ByValue(u32),
    /// A variable of the module.
    Global(u32),
    /// A variable of the thread's.
    Alloca(NodeId),
    /// What a function returned.
    Call(Rc<str>),
    /// Where a computed address leads that comes from nothing known.
    Computed(NodeId),
    /// What a pointer in other memory points to.
    Loaded { from: PathId, at: Bytes, pick: Pick },
}

/// Chains of loads are followed so deep; a longer one is its own beginning again, as in a list.
const DEEPEST: u32 = 6;

/// All paths of a kernel.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    all: Vec<(Path, u32)>,
    numbers: HashMap<Path, PathId>,
}

impl Paths {
    /// The number of a path.
    pub(crate) fn intern(&mut self, path: Path) -> PathId {
        if let Some(found) = self.numbers.get(&path) {
            return *found;
        }
        let depth = match &path {
            Path::Loaded { from, .. } => self.all[from.0 as usize].1 + 1,
            _ => 0,
        };
        if depth > DEEPEST
            && let Path::Loaded { from, .. } = path
        {
            return from;
        }
        let id = PathId(self.all.len() as u32);
        self.all.push((path.clone(), depth));
        self.numbers.insert(path, id);
        id
    }

    /// A path by its number.
    pub(crate) fn get(&self, id: PathId) -> &Path {
        &self.all[id.0 as usize].0
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

impl Bytes {
    /// The same, some bytes further.
    pub(crate) fn plus(self, bytes: i64) -> Bytes {
        match self {
            Bytes::Known(n) => Bytes::Known(n.wrapping_add(bytes)),
            Bytes::From(n) => Bytes::From(n.wrapping_add(bytes)),
            Bytes::Unknown => Bytes::Unknown,
        }
    }

    /// The same, further by what the program computes.
    pub(crate) fn computed(self) -> Bytes {
        match self {
            Bytes::Known(n) | Bytes::From(n) => Bytes::From(n),
            Bytes::Unknown => Bytes::Unknown,
        }
    }

    /// Either of two, where control flow meets: a distance that only grows ends as [`Bytes::From`].
    pub(crate) fn or(self, other: Bytes) -> Bytes {
        match (self, other) {
            (a, b) if a == b => a,
            (Bytes::Known(a), Bytes::Known(b)) => Bytes::From(a.min(b)),
            (Bytes::From(a), Bytes::Known(b) | Bytes::From(b)) if a <= b => Bytes::From(a),
            (Bytes::Known(b), Bytes::From(a)) if a <= b => Bytes::From(a),
            _ => Bytes::Unknown,
        }
    }
}
