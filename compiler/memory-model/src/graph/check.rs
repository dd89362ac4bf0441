//! What a program must be, before it becomes events.

use std::collections::BTreeSet;

use crate::Scope;
use crate::Semantics;
use crate::error::{ModelError, StepProblem};
use crate::program::{Access, Address, Program, Space};

/// Whether a piece of memory is one that the model can speak of.
pub(crate) fn check_range(what: &'static str, name: &str, offset: u64, width: u8) -> Result<(), ModelError> {
    if (1..=16).contains(&width) && offset <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(ModelError::BadRange { what, name: name.to_owned(), offset, width })
}

/// Names are unique, aliases and orders name what exists.
pub(super) fn check_names(program: &Program) -> Result<(), ModelError> {
    let mut names = BTreeSet::new();
    for location in &program.locations {
        if !names.insert(&location.name) {
            return Err(ModelError::DuplicateName { what: "location", name: location.name.clone() });
        }
        if let Some(target) = location.alias_of {
            let target =
                program.locations.get(target.0).ok_or(ModelError::NoSuchIndex { what: "location", index: target.0 })?;
            if target.alias_of.is_some() {
                return Err(ModelError::BadAlias { name: location.name.clone() });
            }
        }
        for initial in &location.initial {
            check_range("an initial value", &location.name, initial.offset, initial.width)?;
        }
    }
    let mut names = BTreeSet::new();
    for thread in &program.threads {
        if !names.insert(&thread.name) {
            return Err(ModelError::DuplicateName { what: "thread", name: thread.name.clone() });
        }
    }
    for (first, second) in &program.orders {
        for id in [first, second] {
            if id.0 >= program.threads.len() {
                return Err(ModelError::NoSuchIndex { what: "thread", index: id.0 });
            }
        }
    }
    Ok(())
}

/// Place, width, alignment and semantics of an access.
pub(super) fn check_access(
    program: &Program,
    thread: usize,
    access: &Access,
    allowed: &[Semantics],
    operation: &'static str,
) -> Result<(), StepProblem> {
    check_location(program, thread, access.address)?;
    if !matches!(access.width, 1 | 2 | 4 | 8 | 16) {
        return Err(StepProblem::Width(access.width));
    }
    if !matches!(access.count, 1 | 2 | 4 | 8) {
        return Err(StepProblem::Count(access.count));
    }
    let width = u64::from(access.width) * u64::from(access.count);
    if !access.address.offset.is_multiple_of(width) {
        return Err(StepProblem::Misaligned { offset: access.address.offset, width });
    }
    if !allowed.contains(&access.semantics) {
        return Err(StepProblem::Semantics { operation, semantics: access.semantics.ptx() });
    }
    Ok(())
}

/// A location that exists and that the thread can reach.
pub(super) fn check_location(program: &Program, thread: usize, address: Address) -> Result<(), StepProblem> {
    let Some(location) = program.locations.get(address.location.0) else {
        return Err(StepProblem::NoSuchLocation(address.location.0));
    };
    if address.offset > u64::from(u32::MAX) {
        return Err(StepProblem::Offset(address.offset));
    }
    if let Space::Shared(place) = location.space
        && !place.scope_includes(Scope::Cluster, program.threads[thread].place)
    {
        return Err(StepProblem::ForeignShared(location.name.clone()));
    }
    Ok(())
}

/// A register or value for each element.
pub(super) fn check_elements(given: usize, access: &Access) -> Result<(), StepProblem> {
    if given != usize::from(access.count) {
        return Err(StepProblem::ElementCount { given, count: access.count });
    }
    Ok(())
}
