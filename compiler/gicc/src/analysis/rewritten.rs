//! Pointers in memory that the kernel itself writes anew while a loop reads them: what is read there may be another pointer in
//! each round, so that what it points to is another place.
//!
//! Two accesses meet where their names in [`super::provenance`] are the same but for who picks an element, and what is known of
//! their distances does not tell them apart. Two names may be the same memory: a write under another name meets a read only
//! where it writes an address, since data is no pointer. Numbers of fewer than eight bytes and floating-point numbers are no
//! addresses. Writes ahead of the loop fill a table; those in it rewrite it, and so do those that neither lead to the loop nor
//! come from it, which are other threads'. Writes by functions that are not in the program are not seen.

use std::collections::HashMap;

use super::body::{Body, Kind, NodeId};
use super::communication::{Control, Loop, Operation, Position, Shape, Space};
use super::known;
use super::operations::Raw;
use super::provenance::{Bytes, Path, PathId, Paths, Provenance};

/// Bytes of an address.
const ADDRESS: u64 = 8;
/// Values that are looked at to tell whether an address is written.
const MOST: usize = 64;
/// Writes that are compared with one read; where there are more, one of them is taken to meet it.
const MOST_WRITES: usize = 256;

/// The writes of a kernel that may change a pointer in memory.
pub(crate) struct Rewritten<'a> {
    body: &'a Body,
    control: &'a Control,
    provenance: &'a Provenance,
    writes: Vec<Write>,
    /// The writes of objects that are as many reads away from the same beginning.
    by_root: HashMap<(PathId, u32), Vec<usize>>,
    /// The writes of addresses, whatever the memory is called.
    addresses: Vec<usize>,
}

/// One write.
struct Write {
    to: NodeId,
    constant: i64,
    /// How much, where that is known.
    bytes: Option<u64>,
    /// What it makes of the place.
    change: Change,
    position: Position,
}

/// What may be written in a place that a loop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing is.
    None,
    /// This value is, and no other.
    To(NodeId),
    /// What lies at this address is, and nothing else.
    Copied(NodeId),
    /// What is not followed: several values, a part of one, or what other threads write.
    Unknown,
}

impl<'a> Rewritten<'a> {
    /// Of a kernel, whose operations stand at these places.
    pub(crate) fn of(
        body: &'a Body,
        control: &'a Control,
        provenance: &'a Provenance,
        raws: &[Raw],
        positions: &[Position],
    ) -> Rewritten<'a> {
        let mut found =
            Rewritten { body, control, provenance, writes: Vec::new(), by_root: HashMap::new(), addresses: Vec::new() };
        for (raw, position) in raws.iter().zip(positions) {
            let Some((to, constant)) = raw.address.filter(|_| may_write_address(body, raw)) else { continue };
            let number = found.writes.len();
            for (path, _) in &provenance.of(to).places {
                let list = found.by_root.entry(root(&provenance.paths, *path)).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
            if raw.value.is_some_and(|value| found.is_address(value)) && !found.is_private(to) {
                found.addresses.push(number);
            }
            found.writes.push(Write {
                to,
                constant,
                bytes: written(raw),
                change: made(body, raw),
                position: *position,
            });
        }
        found
    }

    /// What may be written, while a loop runs, in the place that it reads a pointer from.
    pub(crate) fn change(&self, pointer: NodeId, around: &Loop) -> Change {
        let read = self.provenance.of(pointer);
        let paths = &self.provenance.paths;
        let mut met: Vec<usize> = Vec::new();
        let mut compared = 0;
        for (path, at) in &read.places {
            for &number in self.by_root.get(&root(paths, *path)).into_iter().flatten() {
                compared += 1;
                if compared > MOST_WRITES {
                    return Change::Unknown;
                }
                let write = &self.writes[number];
                let meets = self.provenance.of(write.to).places.iter().any(|(other, to)| {
                    same_object(paths, *path, *other) && may_overlap(*at, to.plus(write.constant), write.bytes)
                });
                if meets && self.is_meanwhile(write, around) && !met.contains(&number) {
                    met.push(number);
                }
            }
        }
        let renamed = |number: &&usize| {
            let write = &self.writes[**number];
            !met.contains(number) && self.is_meanwhile(write, around) && self.may_be_renamed(pointer, write)
        };
        if self.addresses.len() > MOST_WRITES || !self.is_private(pointer) && self.addresses.iter().any(|n| renamed(&n))
        {
            return Change::Unknown;
        }
        let mut all = met.into_iter().map(|number| &self.writes[number]);
        let Some(first) = all.next() else { return Change::None };
        // The same on every way is one.
        let inside = |write: &Write| around.contains(write.position.block);
        if inside(first) && all.all(|other| inside(other) && other.change == first.change) {
            first.change
        } else {
            Change::Unknown
        }
    }

    /// Whether a write of an address may be to the memory of a read although their names differ: what a table points to is no
    /// part of it, and neither are two parts of one object.
    fn may_be_renamed(&self, pointer: NodeId, write: &Write) -> bool {
        let paths = &self.provenance.paths;
        let (read, to) = (self.provenance.of(pointer), self.provenance.of(write.to));
        let begin = |path: PathId| root(paths, path).0;
        read.places.is_empty()
            || to.places.is_empty()
            || read.places.iter().any(|(a, _)| to.places.iter().any(|(b, _)| begin(*a) != begin(*b)))
    }

    /// Whether a write may be executed while the loop runs: in it, or by other threads.
    fn is_meanwhile(&self, write: &Write, around: &Loop) -> bool {
        let header = Position { block: around.header, index: 0, part: 0 };
        around.contains(write.position.block)
            || !self.control.reaches(write.position, header) && !self.control.reaches(header, write.position)
    }

    /// Whether an address lies in memory that only the thread, or its block, has.
    fn is_private(&self, pointer: NodeId) -> bool {
        let all = &self.provenance.of(pointer).places;
        let private = |path: PathId| match self.provenance.paths.get(path) {
            Path::Alloca(_) | Path::ByValue(_) => true,
            Path::Global(g) => {
                self.body.globals.get(*g as usize).is_some_and(|g| matches!(g.space, Space::Shared | Space::Constant))
            }
            _ => false,
        };
        !all.is_empty() && all.iter().all(|(path, _)| private(*path))
    }

    /// Whether a value is seen to be an address: it was made as one, or is used as one.
    fn is_address(&self, value: NodeId) -> bool {
        let (mut seen, mut work) = (std::collections::HashSet::new(), vec![value]);
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            if seen.len() > MOST {
                return true;
            }
            match self.body.kind(node) {
                Kind::Element { .. } | Kind::Global(_) | Kind::Alloca => return true,
                Kind::Parameter(n) if self.body.parameters.get(*n as usize).is_some_and(|p| p.pointer) => return true,
                Kind::Load { .. } | Kind::Assembly { .. } if self.provenance.used_as_pointer[node.index()] => {
                    return true;
                }
                Kind::Cast(from) => work.push(*from),
                Kind::Select { yes, no, .. } => work.extend([*yes, *no]),
                Kind::Phi(incoming) => work.extend(incoming.iter().map(|(value, _)| *value)),
                Kind::Binary { left, right, .. } => work.extend([*left, *right]),
                _ => {}
            }
        }
        false
    }
}

/// Whether an operation writes what may be an address, or several.
fn may_write_address(body: &Body, raw: &Raw) -> bool {
    let writes = match raw.access.operation {
        Operation::Store | Operation::ReadModifyWrite { .. } => true,
        Operation::AsyncCopy { to_global, .. } => to_global,
        _ => false,
    };
    writes
        && written(raw).is_none_or(|bytes| bytes >= ADDRESS)
        && !raw.value.is_some_and(|value| body.node(value).float)
}

/// How many bytes an operation writes, where that is known.
fn written(raw: &Raw) -> Option<u64> {
    let access = &raw.access;
    access.bytes.or_else(|| Some(u64::from(access.width) * u64::from(access.count.max(1))).filter(|bytes| *bytes > 0))
}

/// What a write makes of the place.
fn made(body: &Body, raw: &Raw) -> Change {
    let access = &raw.access;
    if access.operation != Operation::Store || access.count > 1 || access.predicated {
        return Change::Unknown;
    }
    match (body.kind(raw.node), raw.value) {
        (Kind::Call { name, arguments, .. }, _) if access.shape == Shape::Memory => {
            known::copy(name).and_then(|(_, from)| arguments.get(from).copied()).map_or(Change::Unknown, Change::Copied)
        }
        (_, Some(value)) if access.shape != Shape::Memory => Change::To(value),
        _ => Change::Unknown,
    }
}

/// What a chain of reads begins at, and how long it is.
fn root(paths: &Paths, mut path: PathId) -> (PathId, u32) {
    let mut reads = 0;
    while let Path::Loaded { from, .. } = paths.get(path) {
        (path, reads) = (*from, reads + 1);
    }
    (path, reads)
}

/// Whether two names may be the same object, whoever picks an element.
fn same_object(paths: &Paths, a: PathId, b: PathId) -> bool {
    let (mut a, mut b) = (a, b);
    while a != b {
        let (Path::Loaded { from, at, .. }, Path::Loaded { from: other, at: there, .. }) = (paths.get(a), paths.get(b))
        else {
            return false;
        };
        if !may_overlap(*at, *there, Some(ADDRESS)) {
            return false;
        }
        (a, b) = (*from, *other);
    }
    true
}

/// Whether an address that is read at one place of an object may lie in what is written from another place on.
fn may_overlap(read: Bytes, to: Bytes, bytes: Option<u64>) -> bool {
    match (read, to) {
        (Bytes::Known(read), Bytes::Known(to)) if read < to => read.abs_diff(to) < ADDRESS,
        (Bytes::Known(read), Bytes::Known(to)) => bytes.is_none_or(|bytes| read.abs_diff(to) < bytes),
        _ => true,
    }
}
