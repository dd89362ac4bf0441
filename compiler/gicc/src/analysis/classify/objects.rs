//! The memory that a kernel accesses, and whether a peer has it.
//!
//! An object is a path (see [`crate::analysis::provenance`]), and whether the distance between PEs is in the address. What
//! speaks for a peer, strongest first: an annotation; gicc's distance between segments; a library's peer pointer; a multicast
//! access; a flag at system scope, or a volatile one, through a table of pointers; another table of pointers in a kernel that
//! has such flags. The element of a table that is picked by an argument alone is the own PE's, by convention; what is polled
//! is local unless something stronger is said.

use std::collections::{BTreeMap, HashMap, HashSet};

use memory_model::Scope;

use super::super::annotated::Annotated;
use super::super::annotation::{Annotation, Assume, Notes};
use super::super::body::{Body, Kind, NodeId};
use super::super::communication::{Evidence, Object, ObjectId, Operation, Origin, Reason, Remote, Shape, Space};
use super::super::known;
use super::super::operations::{Raw, Says};
use super::super::polls::Waits;
use super::super::provenance::{Bytes, Path, PathId, Pick, Provenance, words};

/// What is done with an object, as far as it matters.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// Written or updated at system scope, or by a library.
    pub(super) system_write: bool,
    /// Written by a volatile access.
    pub(super) volatile_write: bool,
    /// Updated at the scope of the GPU: where. What is counted there is counted by own threads.
    pub(super) counted: Vec<Bytes>,
    /// Read again and again until it changes: where, how wide, by which operation.
    pub(super) polled: Vec<(Bytes, u32, usize)>,
    /// Accessed through a multicast address.
    pub(super) multimem: bool,
}

/// One object.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: PathId,
    pub(super) shifted: bool,
    pub(super) uses: Uses,
    pub(super) remote: Remote,
    pub(super) why: Vec<Reason>,
    pub(super) notes: Vec<Annotation>,
    /// The thread's own, the block's, or an argument itself: nothing that a peer has.
    pub(super) private: bool,
    /// The own PE's element of a table.
    pub(super) own: bool,
    /// What the element belongs to: the memory that holds the table, and where the table begins in it.
    pub(super) table: Option<(PathId, i64)>,
}

/// All objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) all: Vec<Entry>,
    numbers: HashMap<(PathId, bool), ObjectId>,
    /// Objects of one symmetric memory: the elements of a table, or a path with and without the distance between PEs.
    families: BTreeMap<(PathId, i64), Vec<ObjectId>>,
}

/// The objects and the place of each operation.
pub(super) type Places = Vec<Vec<(ObjectId, Bytes)>>;

impl Objects {
    pub(super) fn get(&self, id: ObjectId) -> &Entry {
        &self.all[id.0 as usize]
    }

    fn intern(&mut self, body: &Body, provenance: &Provenance, path: PathId, shifted: bool) -> ObjectId {
        if let Some(found) = self.numbers.get(&(path, shifted)) {
            return *found;
        }
        let id = ObjectId(self.all.len() as u32);
        let (own, table) = match provenance.paths.get(path) {
            Path::Loaded { from, at: Bytes::From(begin), pick } => (*pick == Pick::Own, Some((*from, *begin))),
            Path::Loaded { from, at: Bytes::Unknown, pick } => (*pick == Pick::Own, Some((*from, i64::MIN))),
            _ => (false, None),
        };
        self.all.push(Entry {
            path,
            shifted,
            uses: Uses::default(),
            remote: Remote::No,
            why: Vec::new(),
            notes: Vec::new(),
            private: !shifted && private(body, provenance, path),
            own: own && !shifted,
            table,
        });
        self.numbers.insert((path, shifted), id);
        let family = table.unwrap_or((path, i64::MAX));
        self.families.entry(family).or_default().push(id);
        id
    }

    /// What a path leads to on the own PE, where something accesses it.
    pub(super) fn find(&self, path: PathId) -> Option<ObjectId> {
        self.numbers.get(&(path, false)).copied()
    }

    /// Objects that are the same symmetric memory on other PEs, as far as can be told.
    pub(super) fn twins(&self, id: ObjectId) -> &[ObjectId] {
        let entry = self.get(id);
        let family = entry.table.unwrap_or((entry.path, i64::MAX));
        self.families.get(&family).map_or(&[], Vec::as_slice)
    }
}

/// Whether nobody but the block or the thread has the memory.
fn private(body: &Body, provenance: &Provenance, path: PathId) -> bool {
    match provenance.paths.get(path) {
        Path::Alloca(_) | Path::ByValue(_) => true,
        Path::Global(g) => {
            body.globals.get(*g as usize).is_some_and(|g| matches!(g.space, Space::Shared | Space::Constant))
        }
        Path::Call(name) => &**name == "__gicc_error_words",
        _ => false,
    }
}

/// The objects that operations access, and where in them.
pub(super) fn collect(body: &Body, provenance: &mut Provenance, raws: &[Raw]) -> (Objects, Places) {
    let mut objects = Objects::default();
    let places = raws
        .iter()
        .map(|raw| {
            let Some((node, bytes)) = raw.address else { return Vec::new() };
            if matches!(raw.access.space, Space::Shared | Space::Local | Space::Parameter | Space::Constant) {
                return Vec::new();
            }
            let value = provenance.of(node).clone();
            if value.places.is_empty() {
                let (base, more) = base_of(body, node);
                let path = provenance.paths.intern(Path::Computed(base));
                let id = objects.intern(body, provenance, path, value.shifted);
                return vec![(id, Bytes::From(more.wrapping_add(bytes)))];
            }
            let mut found: Vec<(ObjectId, Bytes)> = value
                .places
                .iter()
                .map(|(path, at)| (objects.intern(body, provenance, *path, value.shifted), at.plus(bytes)))
                .collect();
            found.sort_unstable();
            found
        })
        .collect();
    (objects, places)
}

/// The value that an address is at a constant distance from.
fn base_of(body: &Body, mut node: NodeId) -> (NodeId, i64) {
    let mut bytes = 0_i64;
    loop {
        match body.kind(node) {
            Kind::Element { base, constant, variable } if variable.is_empty() => {
                bytes = bytes.wrapping_add(*constant);
                node = *base;
            }
            Kind::Cast(from) => node = *from,
            _ => return (node, bytes),
        }
    }
}

/// Whether the kernel talks to peers at all, and how that shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Talks {
    /// Something is at system scope, or a library or gicc is called.
    pub(super) strongly: bool,
    /// A volatile flag is accessed through a table.
    pub(super) by_volatile: bool,
}

impl Talks {
    pub(super) fn at_all(self) -> bool {
        self.strongly || self.by_volatile
    }
}

/// What a function's body needs to be judged by.
pub(super) struct Given<'a> {
    pub(super) body: &'a Body,
    pub(super) provenance: &'a Provenance,
    pub(super) raws: &'a [Raw],
    pub(super) waits: &'a HashMap<usize, Waits>,
    pub(super) notes: &'a Notes,
    pub(super) assume: Assume,
}

/// Decides which objects a peer has.
pub(super) fn decide(given: &Given<'_>, objects: &mut Objects, places: &Places) -> Talks {
    note_uses(given, objects, places);
    let mut talks = Talks::default();
    for n in 0..objects.all.len() {
        outright(given, &mut objects.all[n]);
        let entry = &objects.all[n];
        talks.strongly |= entry.remote == Remote::Yes || entry.notes.contains(&Annotation::Signal);
    }
    talks.strongly |= given.raws.iter().any(|r| r.says != Says::Nothing);
    if given.assume == Assume::Annotated {
        return talks;
    }
    let stored = given.raws.iter().enumerate().filter(|(_, raw)| !matches!(raw.access.operation, Operation::Load));
    let written: HashSet<ObjectId> = stored.flat_map(|(n, _)| &places[n]).map(|(object, _)| *object).collect();
    for (n, raw) in given.raws.iter().enumerate() {
        let shared = places[n].is_empty() && raw.address.is_some();
        let flag = raw.is_system() && !raw.access.volatile && !shared;
        talks.strongly |= flag && !matches!(raw.access.operation, Operation::Load) | given.waits.contains_key(&n);
        let through_table = places[n].iter().any(|(o, _)| objects.get(*o).table.is_some());
        let writes = !matches!(raw.access.operation, Operation::Load);
        talks.by_volatile |= raw.access.volatile && through_table && (writes || given.waits.contains_key(&n));
        // A wait for a word that nobody in this kernel writes: whoever does is outside, a peer or the host.
        let from_outside = !places[n].is_empty()
            && places[n]
                .iter()
                .all(|(o, _)| !written.contains(o) && !objects.get(*o).private && is_argument(given, objects, *o));
        talks.strongly |= raw.access.volatile && given.waits.contains_key(&n) && from_outside;
        let assembly = matches!(raw.access.shape, Shape::Assembly(_));
        // A volatile store by assembly says so on purpose.
        talks.strongly |= raw.access.volatile && assembly && writes && !shared;
    }
    if given.assume == Assume::Aggressive {
        for entry in objects.all.iter_mut().filter(|e| !e.private && !e.own && e.remote == Remote::No) {
            if matches!(given.provenance.paths.get(entry.path), Path::Parameter(_) | Path::Loaded { .. })
                && entry.uses.polled.is_empty()
            {
                entry.remote = Remote::Maybe;
                entry.why.push(Reason {
                    evidence: Evidence::Assumed,
                    words: "every pointer of the arguments is assumed to be a peer's".to_owned(),
                });
                talks.strongly = true;
            }
        }
    }
    if talks.at_all() {
        unrolled_tables(given, objects);
        by_evidence(objects);
    }
    talks
}

/// Whether an object is what the kernel's arguments point to.
fn is_argument(given: &Given<'_>, objects: &Objects, object: ObjectId) -> bool {
    matches!(given.provenance.paths.get(objects.get(object).path), Path::Parameter(_) | Path::Loaded { .. })
}

/// Puts what the program says of its memory at the objects.
pub(super) fn annotate(body: &Body, provenance: &Provenance, notes: &Notes, objects: &mut Objects) {
    let annotated = Annotated::new(body, provenance, notes);
    for entry in &mut objects.all {
        entry.notes = annotated.of(entry.path).into_iter().map(|(annotation, _)| annotation.clone()).collect();
        entry.notes.sort();
        entry.notes.dedup();
    }
}

fn note_uses(given: &Given<'_>, objects: &mut Objects, places: &Places) {
    for (n, raw) in given.raws.iter().enumerate() {
        let writes = !matches!(raw.access.operation, Operation::Load | Operation::MultimemLoad);
        for &(object, at) in &places[n] {
            let uses = &mut objects.all[object.0 as usize].uses;
            uses.system_write |= writes && raw.is_system() && !raw.access.volatile;
            uses.volatile_write |= writes && raw.access.volatile;
            uses.multimem |= raw.says == Says::Multimem;
            let counts = matches!(raw.access.operation, Operation::ReadModifyWrite { .. })
                && raw.access.scope == Some(Scope::Gpu);
            if counts && uses.counted.len() < 64 && !uses.counted.contains(&at) {
                uses.counted.push(at);
            }
            if given.waits.contains_key(&n) {
                uses.polled.push((at, raw.access.width.saturating_mul(raw.access.count.max(1)), n));
            }
        }
    }
}

fn outright(given: &Given<'_>, entry: &mut Entry) {
    let mut yes = |evidence: Evidence, words: &str| {
        entry.remote = Remote::Yes;
        entry.why.push(Reason { evidence, words: words.to_owned() });
    };
    if entry.notes.contains(&Annotation::Remote) && !entry.private {
        yes(Evidence::Annotation, "annotated `gicc.remote`");
    }
    if entry.shifted {
        yes(Evidence::Primitive, "moved to another PE's part of the symmetric heap");
    }
    if let Path::Call(name) = given.provenance.paths.get(entry.path)
        && known::peer_pointer(name)
    {
        yes(Evidence::Library, "a pointer into a peer's memory, as a communication library returned it");
    }
    if entry.uses.multimem {
        entry.remote = Remote::Yes;
        entry.why.push(Reason {
            evidence: Evidence::Multimem,
            words: "accessed by a multicast instruction: it is the memory of all PEs".to_owned(),
        });
    }
}

/// Pointers that lie one behind the other in device memory, and are all used for data alike, are a table that was unrolled.
fn unrolled_tables(given: &Given<'_>, objects: &mut Objects) {
    let mut fields: BTreeMap<PathId, Vec<(i64, usize)>> = BTreeMap::new();
    for (n, entry) in objects.all.iter().enumerate() {
        if let Path::Loaded { from, at: Bytes::Known(at), .. } = given.provenance.paths.get(entry.path)
            && !matches!(given.provenance.paths.get(*from), Path::ByValue(_) | Path::Alloca(_))
            && entry.uses.polled.is_empty()
            && !entry.uses.system_write
            && !entry.shifted
        {
            fields.entry(*from).or_default().push((*at, n));
        }
    }
    for (from, mut list) in fields {
        list.sort_unstable();
        // A computed element of the same memory says so at once.
        let computed = objects.all.iter().find_map(|e| e.table.filter(|(holder, _)| *holder == from)).map(|(_, at)| at);
        let mut at = 0;
        while at < list.len() {
            let mut end = at + 1;
            while end < list.len() && list[end].0 == list[end - 1].0 + 8 {
                end += 1;
            }
            let begin = computed.filter(|b| *b <= list[at].0);
            if end - at > 1 || begin.is_some() {
                let table = (from, begin.unwrap_or(list[at].0));
                for (_, n) in &list[at..end] {
                    objects.all[*n].table = Some(table);
                    let id = ObjectId(*n as u32);
                    if let Some(alone) = objects.families.get_mut(&(objects.all[*n].path, i64::MAX)) {
                        alone.retain(|o| *o != id);
                    }
                    objects.families.entry(table).or_default().push(id);
                }
            }
            at = end;
        }
    }
}

/// Tables of pointers and flags at system scope.
fn by_evidence(objects: &mut Objects) {
    // Which tables have flags: written at system scope or volatile, or polled.
    let mut flagged: HashMap<(PathId, i64), &'static str> = HashMap::new();
    for entry in &objects.all {
        let Some(table) = entry.table else { continue };
        if entry.uses.system_write {
            flagged.insert(table, "at system scope");
        } else if entry.uses.volatile_write {
            flagged.entry(table).or_insert("by volatile accesses");
        }
    }
    let holders: HashMap<PathId, &'static str> = flagged.iter().map(|((from, _), how)| (*from, *how)).collect();
    for entry in objects.all.iter_mut().filter(|e| e.remote == Remote::No && !e.private) {
        if entry.own {
            continue;
        }
        let Some(table) = entry.table else {
            // A pointer of its own: flags that are written and never polled here are somebody else's to see.
            if entry.uses.system_write && entry.uses.polled.is_empty() {
                entry.remote = Remote::Maybe;
                entry.why.push(Reason { evidence: Evidence::SystemScope, words: "written at system scope".to_owned() });
            } else if entry.uses.volatile_write && entry.uses.polled.is_empty() && entry.uses.counted.is_empty() {
                entry.remote = Remote::Maybe;
                entry.why.push(Reason {
                    evidence: Evidence::Volatile,
                    words: "written by volatile accesses, which are at system scope".to_owned(),
                });
            }
            continue;
        };
        let (evidence, words) = if let Some(how) = flagged.get(&table) {
            let evidence = if how.starts_with("at") { Evidence::SystemScope } else { Evidence::Volatile };
            (evidence, format!("flags are written through pointers of the same table {how}"))
        } else if let Some(how) = holders.get(&table.0) {
            (Evidence::Table, format!("flags are written through another table of the same structure {how}"))
        } else {
            (Evidence::Table, "a table of pointers, in a kernel that signals at system scope".to_owned())
        };
        entry.remote = Remote::Yes;
        entry.why.push(Reason { evidence, words });
    }
}

/// The objects as others see them.
pub(super) fn export(given: &Given<'_>, objects: &Objects) -> Vec<Object> {
    let words = Words { body: given.body, provenance: given.provenance };
    // Memory that only holds pointers is named by objects, too.
    let mut numbers: HashMap<PathId, ObjectId> = HashMap::new();
    for (n, entry) in objects.all.iter().enumerate() {
        if !entry.shifted {
            numbers.entry(entry.path).or_insert(ObjectId(n as u32));
        }
    }
    let mut out: Vec<Object> = Vec::new();
    let mut holders: Vec<PathId> = Vec::new();
    for (n, entry) in objects.all.iter().enumerate() {
        let mut origin = words.origin(entry.path);
        if let (Origin::Loaded { from, .. }, Path::Loaded { from: path, .. }) =
            (&mut origin, given.provenance.paths.get(entry.path))
        {
            *from = *numbers.entry(*path).or_insert_with(|| {
                holders.push(*path);
                ObjectId((objects.all.len() + holders.len() - 1) as u32)
            });
        }
        let has = |a: &Annotation| entry.notes.contains(a);
        let shown = if entry.shifted {
            format!("{} on another PE", words.of(entry.path))
        } else if entry.own {
            format!("{} of the own PE", words.of(entry.path))
        } else {
            words.of(entry.path)
        };
        out.push(Object {
            id: ObjectId(n as u32),
            origin,
            words: shown,
            remote: entry.remote,
            why: entry.why.clone(),
            symmetric: has(&Annotation::Symmetric) || entry.shifted || twin_is_remote(objects, ObjectId(n as u32)),
            signal: has(&Annotation::Signal),
            packet: has(&Annotation::Packet),
            domains: entry.notes.iter().filter_map(Annotation::domain).map(str::to_owned).collect(),
            table: entry.table.is_some(),
            twins: objects.twins(ObjectId(n as u32)).iter().copied().filter(|t| t.0 as usize != n).collect(),
        });
    }
    let mut n = 0;
    while n < holders.len() {
        let path = holders[n];
        let mut origin = words.origin(path);
        if let (Origin::Loaded { from, .. }, Path::Loaded { from: of, .. }) =
            (&mut origin, given.provenance.paths.get(path))
        {
            *from = *numbers.entry(*of).or_insert_with(|| {
                holders.push(*of);
                ObjectId((objects.all.len() + holders.len() - 1) as u32)
            });
        }
        out.push(Object {
            id: ObjectId((objects.all.len() + n) as u32),
            origin,
            words: words.of(path),
            remote: Remote::No,
            why: Vec::new(),
            symmetric: false,
            signal: false,
            packet: false,
            domains: Vec::new(),
            table: false,
            twins: Vec::new(),
        });
        n += 1;
    }
    out
}

/// Whether a peer's copy of the object is known.
pub(super) fn twin_is_remote(objects: &Objects, id: ObjectId) -> bool {
    objects.twins(id).iter().any(|t| *t != id && objects.get(*t).remote == Remote::Yes)
}

/// Paths in words.
struct Words<'a> {
    body: &'a Body,
    provenance: &'a Provenance,
}

impl Words<'_> {
    fn parameter(&self, n: u32) -> String {
        words::parameter(self.body, n)
    }

    fn origin(&self, path: PathId) -> Origin {
        let offset = |b: Bytes| match b {
            Bytes::Known(n) => super::super::communication::Offset::Known(n),
            Bytes::From(n) => super::super::communication::Offset::From(n),
            Bytes::Unknown => super::super::communication::Offset::Unknown,
        };
        match self.provenance.paths.get(path) {
            Path::Parameter(n) => Origin::Parameter { index: *n, name: self.parameter(*n) },
            Path::ByValue(n) => Origin::ByValue { index: *n, name: self.parameter(*n) },
            Path::Global(g) => match self.body.globals.get(*g as usize) {
                Some(g) if g.space == Space::Shared => Origin::Shared(g.name.clone()),
                Some(g) if g.space == Space::Constant => Origin::Constant(g.name.clone()),
                Some(g) => Origin::Global(g.name.clone()),
                None => Origin::Unknown,
            },
            Path::Alloca(_) => Origin::Local,
            Path::Call(name) => Origin::Call(name.to_string()),
            Path::Computed(_) => Origin::Unknown,
            Path::Loaded { at, .. } => Origin::Loaded { from: ObjectId(0), offset: offset(*at) },
        }
    }

    fn of(&self, path: PathId) -> String {
        words::of(self.body, self.provenance, path)
    }
}

/// Whether an operation reaches beyond the block: at least as far as the GPU.
pub(super) fn beyond_block(raw: &Raw) -> bool {
    raw.access.scope.is_some_and(|s| s >= Scope::Gpu)
}
