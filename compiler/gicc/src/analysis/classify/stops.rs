//! Volatile words from outside of the kernel that a loop looks at without waiting for a peer: the host's word that tells a
//! working loop to stop, and the bound of a loop that counts.
//!
//! Such a word is one argument's, which nobody in the kernel writes. A loop that writes data in each round, or that goes on
//! until its own count has come to what is read, does not stand still until an answer has come. This holds only for kernels
//! that tell peers nothing: where a kernel signals, its volatile words may be what peers answer by, whatever else the loop does.

use std::collections::{HashMap, HashSet};

use super::super::annotation::Annotation;
use super::super::communication::{ObjectId, Operation};
use super::super::operations::{Raw, Says};
use super::super::polls::Waits;
use super::super::provenance::{Path, Provenance};
use super::objects::{Objects, Places};

/// Takes such words from the reads that wait.
pub(super) fn take_from(
    waits: &mut HashMap<usize, Waits>,
    raws: &[Raw],
    provenance: &Provenance,
    objects: &Objects,
    places: &Places,
) {
    let reads = |raw: &Raw| matches!(raw.access.operation, Operation::Load | Operation::MultimemLoad);
    let private = |n: usize| places[n].iter().all(|(object, _)| objects.get(*object).private);
    let mut written: HashSet<ObjectId> = HashSet::new();
    for (n, raw) in raws.iter().enumerate().filter(|(_, raw)| !reads(raw)) {
        // Fences tell nothing; what has no place is of the block's or the thread's memory.
        if raw.says != Says::Nothing || raw.is_system() && !places[n].is_empty() && !private(n) {
            return;
        }
        written.extend(places[n].iter().map(|(object, _)| *object));
    }
    waits.retain(|n, wait| {
        let access = &raws[*n].access;
        let outside = |object: ObjectId| {
            let entry = objects.get(object);
            !written.contains(&object)
                && !entry.notes.contains(&Annotation::Signal)
                && matches!(provenance.paths.get(entry.path), Path::Parameter(_))
        };
        let stops = wait.goes_on
            && access.volatile
            && access.count == 1
            && access.width <= 8
            && !places[*n].is_empty()
            && places[*n].iter().all(|(object, _)| outside(*object));
        !stops
    });
}
