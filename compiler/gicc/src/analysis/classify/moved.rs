//! Own memory that peers write, seen by the sending half: the same kernel stores to a peer's memory at an address that is
//! made of the own buffer's.
//!
//! ```text
//! st [peer_base + (buffer + offset - own_base)]       peers do the same, so they write what `buffer` points to here
//! ```
//!
//! The own PE's part may be stored to as it is, where the peer is the PE itself.

use std::collections::{BTreeSet, HashSet};

use inkwell::llvm_sys::LLVMOpcode;

use super::super::body::{Kind, NodeId};
use super::super::communication::{ObjectId, Remote};
use super::objects::{Given, Objects};

/// Values that are looked at for one address.
const MOST: usize = 256;

/// The objects whose addresses are moved to a peer by these operations.
pub(super) fn to_peers(
    given: &Given<'_>,
    objects: &Objects,
    stores: impl Iterator<Item = usize>,
) -> BTreeSet<ObjectId> {
    let mut moved = BTreeSet::new();
    for n in stores {
        if let Some((address, _)) = given.raws[n].address {
            let own = |id: &ObjectId| objects.get(*id).remote == Remote::No && !objects.get(*id).private;
            moved.extend(summands(given, objects, address).into_iter().filter(own));
        }
    }
    moved
}

/// The parameters that an address is a sum of.
fn summands(given: &Given<'_>, objects: &Objects, address: NodeId) -> Vec<ObjectId> {
    let body = given.body;
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut work = vec![address];
    while let Some(node) = work.pop() {
        if seen.len() > MOST || !seen.insert(node) {
            continue;
        }
        match body.kind(node) {
            Kind::Parameter(_) => {
                let paths = given.provenance.of(node).places.iter();
                found.extend(paths.filter_map(|(path, _)| objects.find(*path)));
            }
            Kind::Cast(from) => work.push(*from),
            Kind::Binary { op: LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr, left, right } => work.extend([*left, *right]),
            Kind::Binary { op: LLVMOpcode::LLVMSub, left, .. } => work.push(*left),
            Kind::Element { base, variable, .. } => {
                work.push(*base);
                work.extend(variable.iter().filter(|(_, bytes)| *bytes == 1).map(|(value, _)| *value));
            }
            Kind::Phi(incoming) => work.extend(incoming.iter().map(|(value, _)| *value)),
            Kind::Select { yes, no, .. } => work.extend([*yes, *no]),
            _ => {}
        }
    }
    found
}
