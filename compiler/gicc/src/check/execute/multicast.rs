//! Multicast accesses in a launch: stores, reductions and loads of every PE's copy.
//!
//! Whose memory is behind a multicast pointer is the host's doing: it is an argument of its own. Here it is found by what is
//! missing: memory that the kernel reads, or waits for, and that nobody writes, is what multicast stores and reductions write;
//! memory that the kernel writes, and that nobody reads, is what multicast loads read. Where that is one argument, of accesses
//! as wide and for the same purpose, flag or data, the two are taken for one memory, and it is said; else nothing is known of the order that the accesses make.
//!
//! Limits: an address of multicast memory and one of the PE's own are two of one location, which PTX orders by
//! `fence.proxy.alias` alone (PTX ISA §8.6); that fence is not asked for.

use std::collections::{BTreeMap, BTreeSet};

use memory_model::Semantics;

use super::event::{Access, AccessKind, Event, EventKind};
use super::gap::Gap;
use super::thread::{HEAP, MULTICAST, Path, REGION, Role, STRIDE};
use crate::diagnostic::Span;

/// How an argument's memory is used.
#[derive(Debug, Default)]
struct Use {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    /// It is a flag: read strongly, or counted in or released through a multicast address.
    is_flag: bool,
    span: Option<Span>,
}

/// Uses by argument: through multicast addresses, and through others.
#[derive(Debug, Default)]
struct Uses {
    multicast: BTreeMap<u64, Use>,
    own: BTreeMap<u64, Use>,
}

/// What was found behind the multicast addresses of a launch.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What was taken for granted, or is not known.
    pub(super) gaps: BTreeSet<Gap>,
    /// Something that may order is not known.
    pub(super) open: bool,
}

/// Puts multicast accesses where they go.
pub(super) fn resolve(threads: &mut [(Role, Vec<Path>)]) -> Found {
    let mut uses = Uses::default();
    for event in threads.iter().flat_map(|(_, paths)| paths).flat_map(|path| &path.events) {
        let EventKind::Access(access) = &event.kind else { continue };
        let Some((region, is_multicast)) = region(access) else { continue };
        let of = if is_multicast { &mut uses.multicast } else { &mut uses.own };
        let found = of.entry(region).or_default();
        if access.reads() && (!is_multicast || !access.writes()) {
            found.reads.insert(access.width);
        }
        if access.writes() {
            found.writes.insert(access.width);
        }
        found.is_flag |= match access.kind {
            AccessKind::Load => !is_multicast && access.semantics != Semantics::Weak,
            AccessKind::Store => is_multicast && access.semantics.releases(),
            AccessKind::Atomic(..) => true,
        };
        if found.span.is_none() {
            found.span.clone_from(&event.span);
        }
    }
    let mut found = Found::default();
    let mut behind: BTreeMap<u64, u64> = BTreeMap::new();
    for (&region, by_all) in &uses.multicast {
        // The same argument both ways.
        if uses.own.contains_key(&region) {
            behind.insert(region, region);
            continue;
        }
        let fits = |own: &Use| match (by_all.writes.is_empty(), by_all.reads.is_empty()) {
            (false, true) => own.writes.is_empty() && own.reads.intersection(&by_all.writes).next().is_some(),
            (true, false) => own.reads.is_empty() && own.writes.intersection(&by_all.reads).next().is_some(),
            _ => false,
        };
        let all: Vec<(u64, bool)> =
            uses.own.iter().filter(|(_, own)| fits(own)).map(|(argument, own)| (*argument, own.is_flag)).collect();
        // Flags are for flags, and data for data.
        let alike: Vec<(u64, bool)> = all.iter().copied().filter(|(_, is_flag)| *is_flag == by_all.is_flag).collect();
        let words = match (alike.as_slice(), all.as_slice()) {
            ([(argument, _)], _) | (_, [(argument, _)]) => {
                let argument = *argument;
                behind.insert(region, argument);
                // Ordinary data of the same width may lie anywhere; what two PEs meet by may not.
                found.open |= !by_all.is_flag;
                format!(
                    "the multicast memory of argument {region} is taken for that of argument {argument}, without a fence between \
                     the addresses: the kernel leaves no other way in which that is {}",
                    if by_all.reads.is_empty() { "written" } else { "read" }
                )
            }
            _ => {
                found.open = true;
                "whose memory is behind a multicast address is not seen".to_owned()
            }
        };
        found.gaps.insert(Gap { words, span: by_all.span.clone() });
    }
    for event in threads.iter_mut().flat_map(|(_, paths)| paths).flat_map(|path| &mut path.events) {
        let Event { kind: EventKind::Access(access), .. } = event else { continue };
        if let Some((region, true)) = region(access)
            && let Some(&argument) = behind.get(&region)
        {
            access.address = access.address - MULTICAST - region * REGION + argument * REGION;
        }
    }
    found
}

/// The argument whose memory is accessed, and whether through a multicast address.
fn region(access: &Access) -> Option<(u64, bool)> {
    let is_multicast = access.address >= MULTICAST;
    let address = access.address.checked_sub(if is_multicast { MULTICAST + HEAP } else { HEAP })?;
    Some((address % STRIDE / REGION, is_multicast))
}
