//! Values that pass through memory which no other block has: variables of the thread's that stayed in memory, and the block's
//! shared memory. A read of such an object may give any value that is stored in it; where in it is not looked at.

use std::collections::HashMap;

use super::body::{Body, Kind, NodeId};
use super::communication::Space;
use super::provenance::{Path, PathId, Provenance};

/// What is stored in each object.
pub(crate) struct Through<'a> {
    provenance: &'a Provenance,
    stored: HashMap<PathId, Vec<NodeId>>,
}

impl<'a> Through<'a> {
    /// Of a body.
    pub(crate) fn of(body: &Body, provenance: &'a Provenance) -> Through<'a> {
        let mut through = Through { provenance, stored: HashMap::new() };
        for node in &body.nodes {
            let Kind::Store { value, pointer, .. } = &node.kind else { continue };
            for (path, _) in &provenance.of(*pointer).places {
                let followed = match provenance.paths.get(*path) {
                    Path::Alloca(_) => true,
                    Path::Global(g) => body.globals.get(*g as usize).is_some_and(|g| g.space == Space::Shared),
                    _ => false,
                };
                if followed {
                    through.stored.entry(*path).or_default().push(*value);
                }
            }
        }
        through
    }

    /// What a read through this address may give.
    pub(crate) fn read(&self, pointer: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.provenance.of(pointer).places.iter().filter_map(|(path, _)| self.stored.get(path)).flatten().copied()
    }
}
