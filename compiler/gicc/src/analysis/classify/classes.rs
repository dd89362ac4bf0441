//! What each operation is for.
//!
//! | class | rule, the first that applies |
//! | --- | --- |
//! | barrier, fence, library call, collective, bulk copy | by the operation |
//! | poll | a read that waits; of a peer's memory only where that is said outright; a grid counter where it is narrower than the system and own threads write there |
//! | packet load | a poll of a vector or a 16-byte word |
//! | packet store | a wide store to a peer, in a kernel that polls packets |
//! | signal | a strong scalar store or integer update of a peer's memory, or a plain one where the table's other elements are polled |
//! | local flag | a write of own memory that is polled |
//! | grid counter | an update narrower than the system that is polled, or whose result is compared |
//! | remote store, remote load | data in a peer's memory |
//! | exported store | data in own memory that peers have a pointer to, or that is read after a later poll |
//! | local load | reads own memory that peers write, after a poll |
//! | local output | any other store to global memory, in a kernel that communicates |

use std::collections::HashSet;

use memory_model::{Scope, Semantics};

use super::super::annotation::Annotation;
use super::super::body::{Kind, NodeId};
use super::super::communication::{Class, Control, Evidence, ObjectId, Operation, Position, Reason, Remote, Shape};
use super::super::known::Library;
use super::super::operations::Says;
use super::super::provenance::Bytes;
use super::super::through::Through;
use super::moved;
use super::objects::{Given, Objects, Places, Talks, beyond_block, twin_is_remote};

/// The class of each operation that has one.
pub(super) struct Classes {
    pub(super) of: Vec<Option<(Class, Vec<Reason>)>>,
    /// Whether the address is a peer's, from the operation's point of view.
    pub(super) remote: Vec<Remote>,
}

/// Classifies.
pub(super) fn classify(
    given: &Given<'_>,
    control: &Control,
    positions: &[Position],
    objects: &Objects,
    places: &Places,
    talks: Talks,
) -> Classes {
    let mut work = Work {
        given,
        control,
        positions,
        objects,
        places,
        out: Classes { of: vec![None; given.raws.len()], remote: vec![Remote::No; given.raws.len()] },
        compared: compared(given),
        packets: false,
        wide_polls: HashSet::new(),
        read: Accesses::new(objects.all.len(), places, |n| {
            let raw = &given.raws[n];
            matches!(raw.access.operation, Operation::Load | Operation::MultimemLoad)
                && !given.waits.contains_key(&n)
                && !raw.result.is_some_and(|r| given.provenance.used_as_pointer[r.index()])
        }),
        written: Accesses::new(objects.all.len(), places, |n| {
            !matches!(given.raws[n].access.operation, Operation::Load | Operation::MultimemLoad)
        }),
    };
    for n in 0..given.raws.len() {
        work.out.remote[n] = work.remote(n);
    }
    work.halo(talks);
    let remote_somewhere = work.out.remote.iter().any(|r| *r != Remote::No);
    if talks.at_all() || remote_somewhere {
        work.flags();
        work.data(talks);
    }
    work.out
}

struct Work<'a, 'g> {
    given: &'a Given<'g>,
    control: &'a Control,
    positions: &'a [Position],
    objects: &'a Objects,
    places: &'a Places,
    out: Classes,
    /// Values that a comparison is computed from.
    compared: Vec<bool>,
    /// The kernel polls packets.
    packets: bool,
    /// How wide.
    wide_polls: HashSet<u32>,
    /// The reads and the writes of each object.
    read: Accesses,
    written: Accesses,
}

/// Accesses of objects: where in them, and by which operation.
struct Accesses {
    of: Vec<Vec<(Bytes, usize)>>,
}

/// As many accesses of one object are compared with another one.
const COMPARED: usize = 64;

impl Accesses {
    /// The accesses that `wanted` accepts. Of accesses of one object at one place only the first and the last are kept.
    fn new(objects: usize, places: &Places, wanted: impl Fn(usize) -> bool) -> Accesses {
        let mut of: Vec<Vec<(Bytes, usize)>> = vec![Vec::new(); objects];
        for (n, all) in places.iter().enumerate().filter(|(n, _)| wanted(*n)) {
            for (object, at) in all {
                let list = &mut of[object.0 as usize];
                let same: Vec<usize> = (0..list.len()).filter(|i| list[*i].0 == *at).collect();
                match same[..] {
                    [_, last] => list[last].1 = n,
                    _ if list.len() < COMPARED => list.push((*at, n)),
                    _ => {}
                }
            }
        }
        Accesses { of }
    }

    fn of(&self, object: ObjectId) -> impl Iterator<Item = (Bytes, usize)> + '_ {
        self.of[object.0 as usize].iter().copied()
    }

    fn iter_of(&self, object: ObjectId) -> impl Iterator<Item = Bytes> + '_ {
        self.of(object).map(|(at, _)| at)
    }
}

fn why(evidence: Evidence, words: impl Into<String>) -> Reason {
    Reason { evidence, words: words.into() }
}

impl Work<'_, '_> {
    fn remote(&self, n: usize) -> Remote {
        let of = self.places[n].iter().map(|(o, _)| self.objects.get(*o).remote).max();
        match self.given.raws[n].says {
            Says::Multimem => Remote::Yes,
            Says::Library(Library::Wait(_)) => Remote::No,
            Says::Library(_) if self.given.raws[n].address.is_some() => Remote::Yes,
            _ => of.unwrap_or(Remote::No),
        }
    }

    /// Whether all memory that the operation may access is the block's own.
    fn private(&self, n: usize) -> bool {
        // Without a place it is of another space, which the operation itself says.
        self.places[n].iter().all(|(o, _)| self.objects.get(*o).private)
    }

    /// A place in front of a poll that every thread comes to, if one thread polls for others.
    fn anchor(&self, n: usize) -> Position {
        let mut at = self.positions[n].block;
        for _ in 0..8 {
            match self.control.immediate_dominator(at) {
                Some(above) if self.control.immediate_post_dominator(above) != Some(at) => at = above,
                _ => break,
            }
        }
        Position { block: at, index: 0, part: 0 }
    }

    fn notes(&self, n: usize, annotation: &Annotation) -> bool {
        self.places[n].iter().any(|(o, _)| self.objects.get(*o).notes.contains(annotation))
    }

    fn bytes(&self, n: usize) -> u32 {
        let access = &self.given.raws[n].access;
        access.width.saturating_mul(access.count.max(1))
    }

    fn says(&mut self, n: usize, class: Class, reason: Reason) {
        let mut reasons = vec![reason];
        if let Some((object, _)) =
            self.places[n].iter().max_by_key(|(o, _)| self.objects.get(*o).remote).filter(|_| class != Class::Fence)
        {
            reasons.extend(self.objects.get(*object).why.iter().cloned());
        }
        reasons.dedup();
        self.out.of[n] = Some((class, reasons));
    }

    fn is_taken(&self, n: usize) -> bool {
        self.out.of[n].is_some()
    }

    /// Barriers, fences, calls, copies; polls; signals, flags and counters.
    fn flags(&mut self) {
        for n in 0..self.given.raws.len() {
            self.by_operation(n);
        }
        for n in 0..self.given.raws.len() {
            if !self.is_taken(n) && self.given.waits.contains_key(&n) {
                self.poll(n);
            }
        }
        for n in 0..self.given.raws.len() {
            if !self.is_taken(n) {
                self.flag(n);
            }
        }
    }

    fn by_operation(&mut self, n: usize) {
        let raw = &self.given.raws[n];
        let shape = |words: &str| why(Evidence::Shape, words);
        let class = match &raw.access.operation {
            Operation::Barrier(_) => Some((Class::Barrier, shape("threads meet"))),
            Operation::Fence => Some((Class::Fence, shape("a fence"))),
            Operation::ProxyFence(_) => Some((Class::Fence, shape("a fence between proxies"))),
            Operation::AsyncCopy { .. } => Some((Class::BulkCopy, shape("a copy by the asynchronous unit"))),
            Operation::CopyGroup(_) => Some((Class::BulkCopy, shape("completion of asynchronous copies"))),
            Operation::Mbarrier(_) => Some((Class::BulkCopy, shape("an mbarrier"))),
            Operation::Call { does, .. } if raw.says == Says::Nothing => {
                Some((Class::Collective, why(Evidence::Primitive, format!("{does}: a collective of gicc's"))))
            }
            Operation::Call { does, .. } => {
                let reason = why(Evidence::Library, format!("a library's function that {does}"));
                let class = match raw.says {
                    Says::Library(Library::Put(_)) => Class::RemoteStore,
                    Says::Library(Library::Get(_)) => Class::RemoteLoad,
                    Says::Library(Library::Signal(_) | Library::PutSignal(_)) => Class::Signal,
                    Says::Library(Library::Wait(_)) => Class::PollLocal,
                    Says::Library(Library::Fence | Library::Quiet) => Class::Fence,
                    _ => Class::LibraryCall,
                };
                Some((class, reason))
            }
            Operation::MultimemLoad => Some((Class::RemoteLoad, why(Evidence::Multimem, "a multicast reduction"))),
            Operation::MultimemStore => {
                Some((Class::RemoteStore, why(Evidence::Multimem, "a store to all PEs by multicast")))
            }
            Operation::MultimemReduce if self.is_float(n) => {
                Some((Class::RemoteStore, why(Evidence::Multimem, "an update on all PEs by multicast")))
            }
            Operation::MultimemReduce => {
                Some((Class::Signal, why(Evidence::Multimem, "a count on all PEs by multicast")))
            }
            _ => None,
        };
        if let Some((class, reason)) = class {
            self.says(n, class, reason);
        }
    }

    /// Whether an update is of floating-point numbers, which count nothing.
    fn is_float(&self, n: usize) -> bool {
        match &self.given.raws[n].access.shape {
            Shape::Assembly(text) => {
                text.split('.').any(|w| w.starts_with('f') || w.starts_with("bf")) && !text.starts_with("fence")
            }
            Shape::Intrinsic(name) => name.contains(".gen.f."),
            _ => self.given.raws[n].value.is_some_and(|v| self.given.body.node(v).float),
        }
    }

    fn poll(&mut self, n: usize) {
        let raw = &self.given.raws[n];
        // Shared memory of the block is no matter between GPUs; a plain read of memory that the loop itself changes is none.
        if self.private(n) {
            return;
        }
        let strong = raw.access.semantics != Semantics::Weak;
        let plain = !strong && matches!(raw.access.shape, Shape::Plain | Shape::Memory);
        if plain {
            return;
        }
        let wide = raw.access.count > 1 || raw.access.width >= 16;
        if wide || self.notes(n, &Annotation::Packet) {
            self.packets = true;
            self.wide_polls.insert(self.bytes(n));
            self.says(
                n,
                Class::PacketLoad,
                why(Evidence::Shape, "read again and again until data and flag have arrived"),
            );
            return;
        }
        let outright = self.places[n].iter().any(|(o, _)| {
            let entry = self.objects.get(*o);
            entry.remote == Remote::Yes
                && entry
                    .why
                    .iter()
                    .any(|r| matches!(r.evidence, Evidence::Annotation | Evidence::Primitive | Evidence::Library))
        });
        if outright {
            self.says(n, Class::PollRemote, why(Evidence::Shape, "read again and again until a value has arrived"));
            return;
        }
        self.out.remote[n] = Remote::No;
        if self.counts_blocks(n) {
            self.says(n, Class::GridCounter, why(Evidence::Shape, "waits for what threads of this GPU write"));
        } else {
            self.says(n, Class::PollLocal, why(Evidence::Shape, "read again and again until a value has arrived"));
        }
    }

    /// Whether a poll waits for own threads: something narrower than the system writes there, and no peer signals there.
    fn counts_blocks(&self, n: usize) -> bool {
        let (mut own, mut peers) = (false, false);
        for (polled, where_polled) in &self.places[n] {
            for twin in self.objects.twins(*polled) {
                for (at, m) in self.written.of(*twin) {
                    if !may_overlap(at, *where_polled) {
                        continue;
                    }
                    if twin == polled {
                        own |= self.given.raws[m].access.scope.is_some_and(|s| s < Scope::Sys);
                    } else {
                        peers |= self.objects.get(*twin).remote != Remote::No;
                    }
                }
            }
        }
        let narrow = self.given.raws[n].access.scope.is_some_and(|s| s < Scope::Sys);
        let twin = self.places[n].iter().any(|(o, _)| twin_is_remote(self.objects, *o));
        !peers && (own || (narrow && !twin))
    }

    fn flag(&mut self, n: usize) {
        let raw = &self.given.raws[n];
        let writes = matches!(raw.access.operation, Operation::Store | Operation::ReadModifyWrite { .. });
        if !writes || self.private(n) || self.places[n].is_empty() {
            return;
        }
        let remote = self.out.remote[n];
        let strong = raw.access.semantics != Semantics::Weak;
        let update = matches!(raw.access.operation, Operation::ReadModifyWrite { .. });
        let scalar = raw.access.count == 1 && raw.access.width <= 8 && raw.access.shape != Shape::Memory;
        let own_slot = self.places[n].iter().all(|(o, _)| self.objects.get(*o).own);
        if self.notes(n, &Annotation::Signal) && scalar {
            let class = if remote == Remote::No { Class::LocalFlag } else { Class::Signal };
            self.says(n, class, why(Evidence::Annotation, "annotated `gicc.signal`"));
            return;
        }
        if self.notes(n, &Annotation::Packet) && remote != Remote::No {
            self.says(n, Class::PacketStore, why(Evidence::Annotation, "annotated `gicc.packet`"));
            return;
        }
        let narrow = strong && !raw.is_system();
        let polled_here = self.polled_here(n, strong);
        if narrow && remote == Remote::No {
            if polled_here || (update && raw.result.is_some_and(|r| self.compared[r.index()])) {
                self.says(n, Class::GridCounter, why(Evidence::Shape, "counts or flags between threads of this GPU"));
            } else if !update && beyond_block(raw) {
                self.says(n, Class::GridCounter, why(Evidence::Shape, "a flag for threads of this GPU"));
            }
            return;
        }
        if remote != Remote::No && (strong || update) {
            if update && self.is_float(n) {
                self.says(n, Class::RemoteStore, why(Evidence::Shape, "updates data in a peer's memory"));
            } else if scalar {
                let words = if update { "counts in a peer's memory" } else { "a strong store of one word to a peer" };
                self.says(n, Class::Signal, why(evidence(raw.access.volatile), words));
            }
            return;
        }
        if !scalar {
            // A packet's slot that is made ready for the next one.
            if remote == Remote::No && self.packets && polled_here {
                self.says(n, Class::LocalFlag, why(Evidence::Shape, "resets a packet that is polled here"));
            }
            return;
        }
        if remote != Remote::No {
            if self.twin_polled(n) {
                self.says(n, Class::Signal, why(Evidence::Shape, "the same flag of the own PE is polled here"));
            }
            return;
        }
        if raw.access.volatile && !own_slot && self.counted_here(n) {
            self.says(n, Class::GridCounter, why(Evidence::Shape, "a word that threads of this GPU count"));
            return;
        }
        if polled_here {
            let releases = matches!(raw.access.semantics, Semantics::Release | Semantics::AcquireRelease);
            if releases && !own_slot && raw.is_system() && !self.twin_written(n) {
                self.says(
                    n,
                    Class::Signal,
                    why(Evidence::SystemScope, "releases a flag at system scope that others poll"),
                );
            } else {
                self.says(n, Class::LocalFlag, why(Evidence::Shape, "writes a flag that is polled here"));
            }
        } else if own_slot && strong {
            self.says(n, Class::LocalFlag, why(Evidence::Shape, "the own PE's word of a table of flags"));
        } else if raw.access.volatile
            && self.places[n].iter().all(|(o, _)| !self.objects.get(*o).uses.polled.is_empty())
        {
            self.says(
                n,
                Class::LocalFlag,
                why(Evidence::Shape, "a volatile store to memory in which flags are polled here"),
            );
        } else if strong && raw.is_system() {
            let words = "a strong store at system scope";
            self.says(n, Class::Signal, why(evidence(raw.access.volatile), words));
        }
    }

    /// Whether the same word of the same memory is polled. What is plain has to be at the very place.
    fn polled_here(&self, n: usize, loosely: bool) -> bool {
        self.places[n].iter().any(|(o, at)| {
            self.objects
                .get(*o)
                .uses
                .polled
                .iter()
                .any(|(polled, ..)| if loosely { may_overlap(*at, *polled) } else { same_place(*at, *polled) })
        })
    }

    /// Whether threads of this GPU count in the same word.
    fn counted_here(&self, n: usize) -> bool {
        self.places[n].iter().any(|(o, at)| self.objects.get(*o).uses.counted.iter().any(|c| same_place(*at, *c)))
    }

    /// Whether the same word of the own PE's memory is polled, for a write of a peer's.
    fn twin_polled(&self, n: usize) -> bool {
        let bytes = self.bytes(n);
        self.places[n].iter().any(|(o, at)| {
            self.objects.twins(*o).iter().any(|t| {
                self.objects.get(*t).uses.polled.iter().any(|(polled, width, m)| {
                    same_place(*at, *polled) && (*width == bytes || self.given.raws[*m].access.volatile) && *width <= 8
                })
            })
        })
    }

    /// Whether a peer's copy of the word is written here.
    fn twin_written(&self, n: usize) -> bool {
        self.places[n].iter().any(|(o, _)| {
            self.objects.twins(*o).iter().any(|t| {
                t != o && self.objects.get(*t).remote != Remote::No && {
                    let uses = &self.objects.get(*t).uses;
                    uses.system_write || uses.volatile_write
                }
            })
        })
    }

    /// A kernel without flags that stores the same value twice, the second time under a condition of its own and elsewhere: a
    /// halo.
    fn halo(&mut self, talks: Talks) {
        if talks.at_all() || self.given.assume == super::super::annotation::Assume::Annotated {
            return;
        }
        let mut stored: std::collections::HashMap<NodeId, Vec<usize>> = std::collections::HashMap::new();
        for (n, raw) in self.given.raws.iter().enumerate() {
            if raw.access.operation == Operation::Store
                && raw.access.shape == Shape::Plain
                && !self.private(n)
                && let Some(value) = raw.value
                && self.given.body.node(value).at.is_some()
            {
                stored.entry(value).or_default().push(n);
            }
        }
        for sites in stored.values().filter(|s| s.len() > 1) {
            let first = sites[0];
            for &n in &sites[1..] {
                let elsewhere = self.places[n].iter().all(|p| !self.places[first].iter().any(|f| f.0 == p.0));
                let (a, b) = (self.positions[first], self.positions[n]);
                if elsewhere && a.block != b.block && self.control.dominates(a, b) && !self.control.post_dominates(b, a)
                {
                    self.out.remote[n] = Remote::Maybe;
                    let words =
                        "the value is stored in own memory too, and here under a condition: a halo for a neighbour";
                    self.out.of[n] = Some((Class::RemoteStore, vec![why(Evidence::Shape, words)]));
                }
            }
        }
    }

    /// Stores and loads of data.
    fn data(&mut self, talks: Talks) {
        let count = self.given.raws.len();
        let polls: Vec<usize> = (0..count).filter(|n| self.class(*n).is_some_and(Class::is_poll)).collect();
        let signals: Vec<usize> = (0..count).filter(|n| self.class(*n) == Some(Class::Signal)).collect();
        for n in 0..count {
            if self.is_taken(n) || self.private(n) || self.out.remote[n] == Remote::No {
                continue;
            }
            match self.given.raws[n].access.operation {
                Operation::Load if !self.holds_pointers(n) => {
                    self.says(n, Class::RemoteLoad, why(Evidence::Flow, "reads a peer's memory"));
                }
                Operation::Store | Operation::Copy => self.remote_store(n, &signals),
                _ => {}
            }
        }
        let after_poll = self.reached_from(&polls, false);
        let before_signal = self.reached_from(&signals, true);
        self.exported(&polls, &signals, &after_poll, &before_signal);
        self.received(&polls, &after_poll);
        if talks.at_all() {
            for n in 0..count {
                if !self.is_taken(n)
                    && !self.private(n)
                    && !self.places[n].is_empty()
                    && matches!(self.given.raws[n].access.operation, Operation::Store)
                {
                    self.says(
                        n,
                        Class::LocalOutput,
                        why(Evidence::Shape, "stored in own memory, and nothing here says that a peer reads it"),
                    );
                }
            }
        }
    }

    fn class(&self, n: usize) -> Option<Class> {
        self.out.of[n].as_ref().map(|(c, _)| *c)
    }

    fn remote_store(&mut self, n: usize, signals: &[usize]) {
        let bytes = self.bytes(n);
        let wide = self.given.raws[n].access.count > 1 || self.given.raws[n].access.width >= 8;
        let noted = self.split_packet(n);
        let packet =
            self.packets && ((wide && self.wide_polls.contains(&bytes)) || noted || (signals.is_empty() && wide));
        if packet {
            self.says(n, Class::PacketStore, why(Evidence::Shape, "as wide as the packets that are polled here"));
        } else {
            self.says(n, Class::RemoteStore, why(Evidence::Flow, "stores in a peer's memory"));
        }
    }

    /// Whether the store was part of one wide access in the source.
    fn split_packet(&self, n: usize) -> bool {
        let place = self.given.body.place(self.given.raws[n].node);
        place.innermost.as_ref().is_some_and(|s| {
            self.given
                .notes
                .packets
                .get(&(s.file.clone(), s.line, s.column))
                .is_some_and(|bytes| self.wide_polls.contains(bytes))
        })
    }

    /// Whether a load fetches pointers from a table rather than data.
    fn holds_pointers(&self, n: usize) -> bool {
        self.given.raws[n].result.is_some_and(|r| self.given.provenance.used_as_pointer[r.index()])
    }

    /// The blocks that are reached from one of the operations (or, backwards, that lead to one).
    fn reached_from(&self, from: &[usize], backwards: bool) -> Reach {
        let mut reach = Reach { whole: vec![false; self.control.block_count()], from: Vec::new(), backwards };
        let mut work = Vec::new();
        for &n in from {
            let position = self.positions[n];
            reach.from.push(position);
            work.push(position.block);
        }
        reach.from.sort_unstable();
        let mut started = vec![false; self.control.block_count()];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut started[block.0 as usize], true) {
                continue;
            }
            let next: Vec<_> = if backwards {
                self.control.predecessors(block).collect()
            } else {
                self.control.successors(block).collect()
            };
            for block in next {
                reach.whole[block.0 as usize] = true;
                work.push(block);
            }
        }
        reach
    }

    fn exported(&mut self, polls: &[usize], signals: &[usize], after_poll: &Reach, before_signal: &Reach) {
        let count = self.given.raws.len();
        let store = |w: &Self, n: usize| {
            !w.is_taken(n)
                && !w.private(n)
                && !w.places[n].is_empty()
                && matches!(w.given.raws[n].access.operation, Operation::Store)
        };
        let mut any = false;
        for n in 0..count {
            if !store(self, n) {
                continue;
            }
            let twin = self.places[n].iter().any(|(o, at)| self.twin_is_read(*o, *at));
            let own = self.places[n].iter().any(|(o, _)| self.objects.get(*o).own && twin_is_remote(self.objects, *o));
            if own && self.packets && signals.is_empty() {
                self.says(
                    n,
                    Class::LocalFlag,
                    why(Evidence::Shape, "resets the own PE's part of a table that carries packets"),
                );
            } else if twin || (own && before_signal.has(self.positions[n])) {
                any = true;
                self.says(n, Class::ExportedStore, why(Evidence::Table, "own memory that peers have a pointer to"));
            } else if self.notes(n, &Annotation::Symmetric) && before_signal.has(self.positions[n]) {
                any = true;
                self.says(n, Class::ExportedStore, why(Evidence::Annotation, "annotated `gicc.symmetric`"));
            } else if before_signal.has(self.positions[n]) && !self.holds_flags(n) && self.read_after(n, after_poll) {
                any = true;
                self.says(n, Class::ExportedStore, why(Evidence::Shape, "the same memory is read again after a poll"));
            }
        }
        let received = |w: &Self| (0..count).any(|n| w.class(n) == Some(Class::RemoteLoad));
        let sent = (0..count).any(|n| matches!(self.class(n), Some(Class::RemoteStore | Class::PacketStore)));
        if any || signals.is_empty() {
            return;
        }
        // A peer reads what is here, through a pointer that cannot be seen to be to this memory.
        let pulls = received(self);
        if sent && !pulls {
            return;
        }
        let pulled = pulls.then(|| self.before_pull(polls, signals));
        for n in 0..count {
            let publishes = match &pulled {
                Some(reach) => reach.has(self.positions[n]),
                None => before_signal.has(self.positions[n]),
            };
            if store(self, n) && publishes && !self.holds_flags(n) {
                let words = if pulls {
                    "stored before a signal, after which peers' memory is read"
                } else {
                    "stored before a signal, and nothing else is published"
                };
                self.says(n, Class::ExportedStore, why(Evidence::Shape, words));
            }
        }
    }

    /// Whether flags are polled in the memory that is stored to, so that the store counts or resets something of the protocol.
    fn holds_flags(&self, n: usize) -> bool {
        self.places[n].iter().all(|(o, _)| !self.objects.get(*o).uses.polled.is_empty())
    }

    /// What leads to a signal that leads to a poll that leads to a remote load.
    fn before_pull(&self, polls: &[usize], signals: &[usize]) -> Reach {
        let loads: Vec<usize> =
            (0..self.given.raws.len()).filter(|n| self.class(*n) == Some(Class::RemoteLoad)).collect();
        let to_load = self.reached_from(&loads, true);
        let polls: Vec<usize> = polls.iter().copied().filter(|n| to_load.has(self.positions[*n])).collect();
        let to_poll = self.reached_from(&polls, true);
        let signals: Vec<usize> = signals.iter().copied().filter(|n| to_poll.has(self.positions[*n])).collect();
        self.reached_from(&signals, true)
    }

    /// Whether the same place of a peer's copy is read here.
    fn twin_is_read(&self, object: ObjectId, at: Bytes) -> bool {
        self.objects.twins(object).iter().any(|t| {
            *t != object
                && self.objects.get(*t).remote != Remote::No
                && self.read.iter_of(*t).any(|other| may_overlap(at, other))
        })
    }

    /// Whether the same memory is read after a poll at system scope.
    fn read_after(&self, n: usize, after_poll: &Reach) -> bool {
        self.places[n].iter().any(|(o, at)| {
            self.read.of(*o).any(|(other, m)| may_overlap(*at, other) && after_poll.has(self.positions[m]))
        })
    }

    fn received(&mut self, polls: &[usize], after_poll: &Reach) {
        let count = self.given.raws.len();
        let load = |w: &Self, n: usize| {
            !w.is_taken(n)
                && !w.private(n)
                && !w.places[n].is_empty()
                && w.given.raws[n].access.operation == Operation::Load
                && !w.holds_pointers(n)
                && after_poll.has(w.positions[n])
        };
        let stores = (0..count).filter(|n| self.class(*n) == Some(Class::RemoteStore));
        let moved = moved::to_peers(self.given, self.objects, stores);
        let mut any = (0..count).any(|n| self.class(n) == Some(Class::RemoteLoad));
        for n in 0..count {
            if !load(self, n) {
                continue;
            }
            let written = self.places[n].iter().any(|(o, at)| {
                let entry = self.objects.get(*o);
                entry.notes.contains(&Annotation::Symmetric)
                    || moved.contains(o)
                    || self.objects.twins(*o).iter().any(|t| {
                        t != o
                            && self.objects.get(*t).remote != Remote::No
                            && self.written.iter_of(*t).any(|other| may_overlap(*at, other))
                    })
                    || (entry.own && twin_is_remote(self.objects, *o))
            });
            let exported = self.places[n]
                .iter()
                .any(|(o, _)| self.written.of(*o).any(|(_, m)| self.class(m) == Some(Class::ExportedStore)));
            if written || exported {
                any = true;
                self.says(n, Class::LocalLoad, why(Evidence::Flow, "own memory that peers write, read after a poll"));
            }
        }
        if any || polls.is_empty() {
            return;
        }
        // Nothing else is received: what only a poll leads to.
        let anchors: Vec<Position> = polls.iter().take(64).map(|p| self.anchor(*p)).collect();
        for n in 0..count {
            if load(self, n)
                && anchors.iter().any(|a| self.control.dominates(*a, self.positions[n]))
                && self.places[n].iter().all(|(o, _)| self.written.of(*o).next().is_none())
            {
                self.says(
                    n,
                    Class::LocalLoad,
                    why(Evidence::Shape, "read only after a poll, and nothing else is received"),
                );
            }
        }
    }
}

/// What is reached from some places, or leads to them.
struct Reach {
    whole: Vec<bool>,
    from: Vec<Position>,
    backwards: bool,
}

impl Reach {
    fn has(&self, at: Position) -> bool {
        if self.whole.get(at.block.0 as usize).copied().unwrap_or(false) {
            return true;
        }
        let first = Position { index: 0, part: 0, ..at };
        let begin = self.from.partition_point(|p| *p < first);
        self.from[begin..]
            .iter()
            .take_while(|p| p.block == at.block)
            .any(|p| if self.backwards { at < *p } else { at > *p })
    }
}

fn evidence(volatile: bool) -> Evidence {
    if volatile { Evidence::Volatile } else { Evidence::SystemScope }
}

/// Whether two places of one object may be the same.
fn may_overlap(a: Bytes, b: Bytes) -> bool {
    match (a, b) {
        (Bytes::Known(a), Bytes::Known(b)) => a.abs_diff(b) < 16,
        (Bytes::Known(k), Bytes::From(f)) | (Bytes::From(f), Bytes::Known(k)) => k >= f,
        _ => true,
    }
}

/// Whether two places of one object look like the same.
fn same_place(a: Bytes, b: Bytes) -> bool {
    match (a, b) {
        (Bytes::Known(a), Bytes::Known(b)) => a.abs_diff(b) < 8,
        (a, b) => a == b,
    }
}

/// The values that comparisons are computed from, and those that are kept in shared memory for the block to compare.
fn compared(given: &Given<'_>) -> Vec<bool> {
    let body = given.body;
    let through = Through::of(body, given.provenance);
    let mut marked = vec![false; body.nodes.len()];
    let mut work = Vec::new();
    for node in &body.nodes {
        match &node.kind {
            Kind::Compare { left, right, .. } => work.extend([*left, *right]),
            Kind::Branch(Some(condition)) => work.push(*condition),
            _ => {}
        }
    }
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut marked[at.index()], true) {
            continue;
        }
        match body.kind(at) {
            Kind::Load { pointer, .. } => work.extend(through.read(*pointer)),
            Kind::Rmw { .. } | Kind::CompareExchange { .. } | Kind::Assembly { .. } => {}
            Kind::Call { name, .. } if !name.starts_with("llvm.nvvm.shfl") => {}
            _ => body.operands(at, &mut |o| work.push(o)),
        }
    }
    marked
}
