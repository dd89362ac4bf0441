//! All that is known of a kernel's communication, and of a module's.

use petgraph::graph::DiGraph;

use super::address::{Object, ObjectId};
use super::control::Control;
use super::site::{Site, SiteId};
use crate::diagnostic::Span;

/// The kernels of a module.
#[derive(Debug, Default)]
pub struct Communication {
    /// In the order of the module.
    pub kernels: Vec<Kernel>,
    /// Kernels that wait by gicc's primitives, go on, and never look whether that failed.
    pub unchecked: Vec<UncheckedWait>,
}

/// A wait behind which nothing looks whether it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncheckedWait {
    /// The kernel's symbol.
    pub kernel: String,
    /// Where the wait stands.
    pub place: Option<Span>,
}

/// One kernel, after inlining.
#[derive(Debug)]
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// Its name as the source has it.
    pub readable: String,
    /// Where it begins, where that is known.
    pub span: Option<Span>,
    /// What matters, in the order of the program: [`SiteId`] is the index.
    pub sites: Vec<Site>,
    /// What pointers point to: [`ObjectId`] is the index.
    pub objects: Vec<Object>,
    /// Order in the program.
    pub control: Control,
    /// The communication graph: nodes are sites, edges say what orders, publishes and observes what.
    pub relations: DiGraph<SiteId, RelationKind>,
    /// What had to be taken for granted.
    pub assumptions: Vec<Assumption>,
    /// An annotation says that the kernel relies on kernel boundaries.
    pub rendezvous: bool,
    /// Whether anything in it communicates with a peer, or may.
    pub communicates: bool,
}

/// One edge of the communication graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// From here.
    pub from: SiteId,
    /// To here.
    pub to: SiteId,
    /// What it says.
    pub kind: RelationKind,
}

/// What an edge of the communication graph says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// The data that `from` writes is published by the signal `to`: it comes after it, and no other signal stands between.
    Publishes,
    /// The poll `from` brings the data that `to` reads.
    Brings,
    /// The signal `from` is of the kind that the poll `to` waits for, on another PE.
    Signals,
    /// The fence or barrier `from` stands on a way before `to`.
    Orders,
    /// The count `from` is waited for by `to`.
    Counts,
}

impl RelationKind {
    /// The word in drawings.
    pub const fn word(self) -> &'static str {
        match self {
            RelationKind::Publishes => "published by",
            RelationKind::Brings => "brings",
            RelationKind::Signals => "waited for by",
            RelationKind::Orders => "orders",
            RelationKind::Counts => "counted by",
        }
    }
}

/// Something that could not be decided, and what was taken for granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    /// Of which kind.
    pub kind: AssumptionKind,
    /// In words.
    pub words: String,
    /// Where.
    pub span: Option<Span>,
}

/// Which kind of assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssumptionKind {
    /// A call whose callee is not known or was too large to inline: it is taken to do nothing that communicates.
    Call,
    /// Inline assembly, or part of one, that the instruction table does not know: it is taken to touch no memory.
    Assembly,
    /// The addresses of a bulk copy are in a descriptor.
    Descriptor,
    /// A 16-byte packet is taken to be written and read in one piece, which PTX does not promise for vectors.
    Packet,
    /// An annotation that could not be applied.
    Annotation,
}

impl AssumptionKind {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            AssumptionKind::Call => "call",
            AssumptionKind::Assembly => "assembly",
            AssumptionKind::Descriptor => "descriptor",
            AssumptionKind::Packet => "packet",
            AssumptionKind::Annotation => "annotation",
        }
    }
}

impl Kernel {
    /// A site by its number.
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }

    /// An object by its number.
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.0 as usize)
    }

    /// The edges of the communication graph.
    pub fn edges(&self) -> Vec<Relation> {
        let mut edges: Vec<Relation> = self
            .relations
            .edge_indices()
            .filter_map(|e| {
                let (from, to) = self.relations.edge_endpoints(e)?;
                Some(Relation { from: self.relations[from], to: self.relations[to], kind: self.relations[e] })
            })
            .collect();
        edges.sort_by_key(|r| (r.from, r.to, r.kind));
        edges
    }

    /// Whether some execution comes to `b` after `a`.
    pub fn reaches(&self, a: SiteId, b: SiteId) -> bool {
        self.control.reaches(self.site(a).position, self.site(b).position)
    }

    /// Whether `b` comes after `a` in the same iteration.
    pub fn leads_to(&self, a: SiteId, b: SiteId) -> bool {
        self.control.leads_to(self.site(a).position, self.site(b).position)
    }

    /// Whether every way to `b` passes `a`.
    pub fn dominates(&self, a: SiteId, b: SiteId) -> bool {
        self.control.dominates(self.site(a).position, self.site(b).position)
    }

    /// Whether every way from `a` to `b` passes a barrier of at least the block.
    pub fn barrier_between(&self, a: SiteId, b: SiteId) -> bool {
        let (a, b) = (self.site(a).position, self.site(b).position);
        self.control.always_between(a, b, &|s| {
            self.site(s).barrier().is_some_and(|barrier| !matches!(barrier, super::Barrier::Warp))
        })
    }

    /// The sites whose execution every way from `a` to `b` passes, of those that `wanted` accepts.
    pub fn always_between(&self, a: SiteId, b: SiteId, wanted: &dyn Fn(&Site) -> bool) -> bool {
        let (a, b) = (self.site(a).position, self.site(b).position);
        self.control.always_between(a, b, &|s| wanted(self.site(s)))
    }

    /// Whether two sites may access the same memory of one PE: their objects overlap.
    pub fn same_object(&self, a: SiteId, b: SiteId) -> bool {
        match (&self.site(a).address, &self.site(b).address) {
            (Some(a), Some(b)) => a.objects.iter().any(|o| b.objects.contains(o)),
            _ => false,
        }
    }
}
