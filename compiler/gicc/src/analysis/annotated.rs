//! What annotations say of the memory that a kernel's pointers point to: of a path (see [`crate::analysis::provenance`]), by
//! the marks on values, by the places of parameters and fields, and by variables. What is said of a table holds for what its
//! pointers point to, as deep as tables go; that it is symmetric holds for the table alone.

use std::collections::{BTreeSet, HashMap};

use super::annotation::{Annotation, Notes};
use super::body::{Body, Kind, NodeId};
use super::known;
use super::provenance::{Bytes, Path, PathId, Provenance};
use crate::diagnostic::Span;

/// All that is said of a body's memory.
pub(crate) struct Annotated<'a> {
    provenance: &'a Provenance,
    of_path: HashMap<PathId, Vec<(&'a Annotation, Option<&'a Span>)>>,
}

impl<'a> Annotated<'a> {
    /// Reads marks and notes.
    pub(crate) fn new(body: &'a Body, provenance: &'a Provenance, notes: &'a Notes) -> Self {
        let paths = &provenance.paths;
        let mut of_path: HashMap<PathId, Vec<(&Annotation, Option<&Span>)>> = HashMap::new();
        let mut add = |path: PathId, set: &'a BTreeSet<Annotation>, place: &'a Option<Span>| {
            of_path.entry(path).or_default().extend(set.iter().map(|a| (a, place.as_ref())));
        };
        for node in 0..body.nodes.len() as u32 {
            let Kind::Call { name, arguments, .. } = body.kind(NodeId(node)) else { continue };
            if !name.starts_with(known::ANNOTATED) {
                continue;
            }
            let set = arguments.get(1).and_then(|n| body.integer(*n)).and_then(|n| usize::try_from(n).ok());
            if let (Some(value), Some(said)) = (arguments.first(), set.and_then(|n| notes.sets.get(n))) {
                for (path, _) in &provenance.of(*value).places {
                    add(*path, &said.set, &said.place);
                }
            }
        }
        for n in 0..paths.len() {
            let path = PathId(n as u32);
            for note in notes.parameters.iter().filter(|p| p.function == body.name) {
                let is_parameter =
                    |p: PathId| matches!(paths.get(p), Path::Parameter(i) | Path::ByValue(i) if *i == note.index);
                let applies = match (note.offset, paths.get(path)) {
                    (None, _) => is_parameter(path),
                    (Some(field), Path::Loaded { from, at: Bytes::Known(at) | Bytes::From(at), .. }) => {
                        is_parameter(*from) && u64::try_from(*at) == Ok(field)
                    }
                    _ => false,
                };
                if applies {
                    add(path, &note.said.set, &note.said.place);
                }
            }
            if let Path::Global(g) = paths.get(path)
                && let Some(set) = body.globals.get(*g as usize).and_then(|g| notes.variables.get(&g.name))
            {
                add(path, set, &None);
            }
        }
        Annotated { provenance, of_path }
    }

    /// What is said of a path, and where.
    pub(crate) fn of(&self, path: PathId) -> Vec<(&'a Annotation, Option<&'a Span>)> {
        let mut said = Vec::new();
        let mut at = path;
        let mut deep = 0;
        loop {
            if let Some(found) = self.of_path.get(&at) {
                said.extend(found.iter().filter(|(a, _)| deep == 0 || **a != Annotation::Symmetric).copied());
            }
            let Path::Loaded { from, .. } = self.provenance.paths.get(at) else { break };
            at = *from;
            deep += 1;
        }
        said
    }
}
