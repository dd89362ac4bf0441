//! From operations to sites: which memory is a peer's, what each operation is for, what orders it.
//!
//! | file | what it decides |
//! | --- | --- |
//! | `objects` | which memory a peer has, and why |
//! | `classes` | what each operation is for |
//! | `stops` | words from outside that a loop looks at without waiting |
//! | `moved` | own memory that peers write, by the address that is moved to them |
//! | `order` | what orders each site; the communication graph |

mod classes;
mod moved;
mod objects;
mod order;
mod stops;

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use inkwell::targets::TargetData;

use super::annotation::{Annotation, Assume, Notes};
use super::body::{self, Body, Extractor, Kind};
use super::communication::{
    Address, Assumption, AssumptionKind, Barrier, BlockId, Class, Communication, Control, Kernel, Number, ObjectId,
    Offset, Operation, Packet, Position, Remote, Shape, Site, SiteId,
};
use super::guards;
use super::numbering::{self, Numbers};
use super::operations::{self, Gap, Raw};
use super::polls::{self, Waits};
use super::provenance::{self, Bytes};
use super::rewritten::Rewritten;
use super::strides::Strides;
use crate::llvm::{defined_functions, demangled, is_kernel};
use objects::Given;

/// What an analysis needs besides the module.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// What was read of the module before it was simplified.
    pub(crate) notes: Notes,
    /// How much is believed.
    pub(crate) assume: Assume,
    /// `atomicrmw` is compiled as the IR says; else it is relaxed at gpu scope.
    pub(crate) trust_atomics: bool,
    /// Folders whose files no user wrote.
    pub(crate) foreign: Vec<String>,
}

/// Analyses every kernel of a module.
pub(crate) fn module(module: &Module<'_>, target: &TargetData, settings: &Settings) -> Communication {
    let mut extractor = Extractor::new(module, target, settings.foreign.clone());
    let kernels = defined_functions(module)
        .into_iter()
        .filter(|f| is_kernel(*f))
        .map(|function| kernel(&body::of(function, &mut extractor), settings))
        .collect();
    Communication { kernels, unchecked: Vec::new() }
}

/// Analyses one kernel.
pub(crate) fn kernel(body: &Body, settings: &Settings) -> Kernel {
    let successors: Vec<Vec<u32>> = body.blocks.iter().map(|b| b.successors.clone()).collect();
    let mut control = Control::new(&successors);
    let mut provenance = provenance::solve(body);
    let numbers = numbering::number(body);
    let (raws, gaps) = operations::all(body, settings.trust_atomics);
    let reached: Vec<bool> = {
        let mut reached = vec![false; body.blocks.len()];
        control.blocks().for_each(|b| reached.get_mut(b.0 as usize).into_iter().for_each(|r| *r = true));
        reached
    };
    let in_reach = |node: body::NodeId| body.node(node).at.is_some_and(|(b, _)| reached[b as usize]);
    let raws: Vec<Raw> = raws.into_iter().filter(|r| in_reach(r.node)).collect();
    let gaps: Vec<Gap> = gaps.into_iter().filter(|g| in_reach(g.node)).collect();
    let mut waits = polls::find(body, &control, &provenance, &numbers, &raws);
    let positions: Vec<Position> = raws
        .iter()
        .map(|r| {
            let (block, index) = body.node(r.node).at.unwrap_or((0, 0));
            Position { block: BlockId(block), index, part: r.part }
        })
        .collect();
    let (mut objects, places) = objects::collect(body, &mut provenance, &raws);
    objects::annotate(body, &provenance, &settings.notes, &mut objects);
    stops::take_from(&mut waits, &raws, &provenance, &objects, &places);
    let given = Given {
        body,
        provenance: &provenance,
        raws: &raws,
        waits: &waits,
        notes: &settings.notes,
        assume: settings.assume,
    };
    let talks = objects::decide(&given, &mut objects, &places);
    let classes = classes::classify(&given, &control, &positions, &objects, &places, talks);
    let guards = guards::of(body, &control, &provenance, &numbers);
    let rewritten = Rewritten::of(body, &control, &provenance, &raws, &positions);
    let mut strides = Strides::new(body, &control, rewritten);
    let addresses = loaded_addresses(body, &raws);

    let mut order: Vec<usize> = (0..raws.len()).filter(|n| classes.of[*n].is_some()).collect();
    let ranks: HashMap<BlockId, usize> = control.blocks().enumerate().map(|(n, b)| (b, n)).collect();
    order.sort_by_key(|n| (ranks.get(&positions[*n].block).copied(), positions[*n]));
    let exported = objects::export(&given, &objects);
    let mut sites: Vec<Site> = Vec::with_capacity(order.len());
    let mut merged = Merged::default();
    for n in order {
        let Some((class, why)) = classes.of[n].clone() else { continue };
        let stride = raws[n].address.and_then(|(node, _)| strides.of(node, positions[n].block));
        let moved_by = raws[n].address.map_or(Vec::new(), |(node, _)| strides.moved_by(node, positions[n].block));
        let site = Site {
            id: SiteId(sites.len() as u32),
            class,
            place: body.place(raws[n].node).clone(),
            position: positions[n],
            access: raws[n].access.clone(),
            address: address(&raws[n], &places[n], &objects, &numbers, &provenance, body, classes.remote[n])
                .map(|address| Address { stride, moved_by, ..address }),
            stored: raws[n].value.map(|v| numbers.of(v)),
            stored_constant: raws[n].value.and_then(|v| body.integer(v)),
            reads_address: raws[n].result.is_some_and(|node| addresses.contains(&node)),
            guard: guards[positions[n].block.0 as usize].clone(),
            in_loop: control.loop_of(positions[n].block),
            poll: waits.get(&n).filter(|_| class.is_poll() || class == Class::GridCounter).map(|w| w.poll.clone()),
            packet: packet(class, &raws[n], waits.get(&n), &exported, &places[n]),
            why,
            ordered_by: Vec::new(),
        };
        if !merged.take(&mut sites, &site) {
            sites.push(with_numbers(site, &raws[n], &numbers));
        }
    }
    control.place(sites.iter().map(|s| (s.position, s.id)));
    let relations = order::order(&mut sites, &control, &exported);
    let communicates = sites.iter().any(|s| {
        !matches!(s.class, Class::Barrier | Class::Fence | Class::LocalOutput | Class::GridCounter)
            && (s.class != Class::BulkCopy || s.address.as_ref().is_some_and(|a| a.remote != Remote::No))
    });
    let assumptions = assumptions(body, &gaps, &sites);
    let rendezvous = settings.notes.functions.get(&body.name).is_some_and(|a| a.contains(&Annotation::Rendezvous))
        || objects.all.iter().any(|o| o.notes.contains(&Annotation::Rendezvous));
    Kernel {
        name: body.name.clone(),
        readable: demangled(&body.name),
        span: body.span.clone(),
        sites,
        objects: exported,
        control,
        relations,
        assumptions,
        rendezvous,
        communicates,
    }
}

fn offset(bytes: Bytes) -> Offset {
    match bytes {
        Bytes::Known(n) => Offset::Known(n),
        Bytes::From(n) => Offset::From(n),
        Bytes::Unknown => Offset::Unknown,
    }
}

fn address(
    raw: &Raw,
    places: &[(ObjectId, Bytes)],
    objects: &objects::Objects,
    numbers: &Numbers,
    provenance: &provenance::Provenance,
    body: &Body,
    remote: Remote,
) -> Option<Address> {
    let (node, bytes) = raw.address?;
    let mut sorted: Vec<(ObjectId, Bytes)> = places.to_vec();
    sorted.sort_by_key(|(o, _)| (std::cmp::Reverse(objects.get(*o).remote), *o));
    let of = |id: &ObjectId| objects.get(*id).remote;
    let mixed = sorted.iter().any(|(o, _)| of(o) == Remote::No) && sorted.iter().any(|(o, _)| of(o) != Remote::No);
    let (mut base, mut constant) = (node, bytes);
    while let Kind::Element { base: inner, constant: more, variable } = body.kind(base) {
        if !variable.is_empty() {
            break;
        }
        base = *inner;
        constant = constant.wrapping_add(*more);
    }
    Some(Address {
        offset: sorted.first().map_or(Offset::Unknown, |(_, at)| offset(*at)),
        own_slot: !sorted.is_empty() && sorted.iter().all(|(o, _)| objects.get(*o).own),
        objects: sorted.into_iter().map(|(o, _)| o).collect(),
        value: numbers.of(node),
        base: (numbers.of(base), constant),
        remote,
        by_path: mixed && provenance.of(node).by_way,
        moved_by: Vec::new(),
        stride: None,
    })
}

/// The values that were read and are the base of an address. An index that was read is not one.
fn loaded_addresses(body: &Body, raws: &[Raw]) -> HashSet<body::NodeId> {
    let (mut seen, mut loaded) = (HashSet::new(), HashSet::new());
    let mut work: Vec<body::NodeId> = raws.iter().filter_map(|raw| raw.address).map(|(node, _)| node).collect();
    while let Some(node) = work.pop() {
        if !seen.insert(node) {
            continue;
        }
        match body.kind(node) {
            Kind::Element { base, .. } => work.push(*base),
            Kind::Cast(from) | Kind::Extract { from, .. } => work.push(*from),
            Kind::Select { yes, no, .. } => work.extend([*yes, *no]),
            Kind::Phi(incoming) => work.extend(incoming.iter().map(|(value, _)| *value)),
            Kind::Load { .. } | Kind::Assembly { .. } => {
                loaded.insert(node);
            }
            _ => {}
        }
    }
    loaded
}

/// The numbers of a named barrier as values.
fn with_numbers(mut site: Site, raw: &Raw, numbers: &Numbers) -> Site {
    if let Operation::Barrier(Barrier::Named { id, threads, .. }) = &mut site.access.operation {
        if let (Number::Unknown, Some(node)) = (*id, raw.numbers.0) {
            *id = Number::Value(numbers.of(node));
        }
        if let (Some(Number::Unknown), Some(node)) = (*threads, raw.numbers.1) {
            *threads = Some(Number::Value(numbers.of(node)));
        }
    }
    site
}

fn packet(
    class: Class,
    raw: &Raw,
    waits: Option<&Waits>,
    objects: &[super::communication::Object],
    places: &[(ObjectId, Bytes)],
) -> Option<Packet> {
    let annotated = places.iter().any(|(o, _)| objects.get(o.0 as usize).is_some_and(|o| o.packet));
    if !matches!(class, Class::PacketStore | Class::PacketLoad) && !annotated {
        return None;
    }
    let count = raw.access.count.max(1);
    Some(Packet {
        bytes: raw.access.bytes.and_then(|b| u32::try_from(b).ok()).unwrap_or(raw.access.width.saturating_mul(count)),
        pieces: 1,
        single_copy: count == 1 && raw.access.shape != Shape::Memory,
        sentinel: waits.is_some_and(|w| w.parts.len() as u32 >= count),
        annotated,
    })
}

/// Pieces of one access of the source that the optimiser split: consecutive, of one line and one address.
#[derive(Debug, Default)]
struct Merged {
    /// Behind the last piece.
    end: Option<i64>,
}

impl Merged {
    /// Whether the site was added to the one before.
    fn take(&mut self, sites: &mut [Site], site: &Site) -> bool {
        let begin = site.address.as_ref().map(|a| a.base.1);
        let bytes = i64::from(site.access.width) * i64::from(site.access.count.max(1));
        let next = begin.map(|b| b.wrapping_add(bytes));
        let end = std::mem::replace(&mut self.end, next);
        let Some(last) = sites.last_mut() else { return false };
        let plain = |s: &Site| {
            s.access.shape == Shape::Plain && matches!(s.access.operation, Operation::Load | Operation::Store)
        };
        let base = |s: &Site| s.address.as_ref().map(|a| a.base.0);
        let same = plain(last)
            && plain(site)
            && last.class == site.class
            && last.access.operation == site.access.operation
            && last.position.block == site.position.block
            && last.access.width == site.access.width
            && last.place == site.place
            && last.place.innermost.is_some()
            && base(last) == base(site)
            && end == begin;
        if same {
            last.access.count += site.access.count;
            last.reads_address &= site.reads_address;
            if let Some(packet) = &mut last.packet {
                packet.pieces += 1;
                packet.bytes += u32::try_from(bytes).unwrap_or(0);
                packet.single_copy = false;
            }
        }
        same
    }
}

fn assumptions(body: &Body, gaps: &[Gap], sites: &[Site]) -> Vec<Assumption> {
    let mut found: Vec<Assumption> = gaps
        .iter()
        .map(|g| Assumption { kind: g.kind, words: g.words.clone(), span: body.place(g.node).innermost.clone() })
        .collect();
    for site in sites {
        if let Some(packet) = &site.packet
            && !packet.single_copy
        {
            found.push(Assumption {
                kind: AssumptionKind::Packet,
                words: format!(
                    "a packet of {} bytes is taken to be {} in one piece; PTX takes it for {} accesses without order",
                    packet.bytes,
                    if site.writes() { "written" } else { "read" },
                    site.access.count.max(packet.pieces),
                ),
                span: site.place.innermost.clone(),
            });
        }
    }
    found.sort();
    found.dedup();
    found
}
