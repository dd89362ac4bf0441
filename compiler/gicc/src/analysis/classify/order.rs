//! What orders each site: the signal that publishes data and the barrier and fence on the way to it; the poll that brings
//! data and what acquires; and the communication graph of it all.

use std::collections::{BTreeMap, HashMap};

use memory_model::{Scope, Semantics};
use petgraph::graph::{DiGraph, NodeIndex};

use super::super::communication::{
    Barrier, Class, Control, How, Object, Operation, Ordered, RelationKind, Remote, Site, SiteId,
};

/// As many relations of one kind leave a site.
const MOST: usize = 64;

/// Fills in `ordered_by`, and makes the graph.
pub(super) fn order(sites: &mut [Site], control: &Control, objects: &[Object]) -> DiGraph<SiteId, RelationKind> {
    let mut graph = DiGraph::with_capacity(sites.len(), sites.len());
    for site in sites.iter() {
        graph.add_node(site.id);
    }
    let mut found: Vec<Vec<Ordered>> = Vec::with_capacity(sites.len());
    for site in sites.iter() {
        let mut ordered = Vec::new();
        let mut edges: Vec<(SiteId, SiteId, RelationKind)> = Vec::new();
        let look = Look { sites, control };
        match site.class {
            Class::RemoteStore | Class::ExportedStore => look.published(site, &mut ordered, &mut edges),
            Class::Signal => look.signal(site, &mut ordered, &mut edges),
            Class::PollLocal | Class::PollRemote | Class::GridCounter => look.poll(site, &mut ordered, &mut edges),
            Class::RemoteLoad | Class::LocalLoad => look.received(site, &mut ordered, &mut edges),
            Class::PacketStore | Class::PacketLoad => ordered.push(Ordered { how: How::Packet, by: None }),
            _ => {}
        }
        ordered.dedup();
        found.push(ordered);
        for (from, to, kind) in edges {
            graph.update_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), kind);
        }
    }
    for (site, ordered) in sites.iter_mut().zip(found) {
        site.ordered_by = ordered;
    }
    signals(sites, objects, &mut graph);
    graph
}

struct Look<'a> {
    sites: &'a [Site],
    control: &'a Control,
}

type Edges = Vec<(SiteId, SiteId, RelationKind)>;

impl Look<'_> {
    fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }

    fn is_signal(&self, id: SiteId) -> bool {
        matches!(self.site(id).class, Class::Signal | Class::LibraryCall)
            || (self.site(id).class == Class::GridCounter && self.site(id).writes())
    }

    fn is_block_barrier(&self, id: SiteId) -> bool {
        self.site(id).barrier().is_some_and(|b| !matches!(b, Barrier::Warp))
    }

    fn is_fence(&self, id: SiteId) -> bool {
        self.site(id).class == Class::Fence && !matches!(self.site(id).access.operation, Operation::ProxyFence(_))
    }

    fn published(&self, site: &Site, ordered: &mut Vec<Ordered>, edges: &mut Edges) {
        let signals = self.control.first_after(site.position, &|s| self.is_signal(s));
        if signals.is_empty() {
            ordered.push(Ordered { how: How::Boundary, by: None });
            return;
        }
        let barriers = self.control.first_after(site.position, &|s| self.is_block_barrier(s) || self.is_signal(s));
        for barrier in barriers.into_iter().filter(|s| self.is_block_barrier(*s)).take(MOST) {
            ordered.push(Ordered { how: How::Barrier, by: Some(barrier) });
            edges.push((site.id, barrier, RelationKind::Orders));
        }
        for signal in signals.into_iter().take(MOST) {
            ordered.push(Ordered { how: How::Signal, by: Some(signal) });
            edges.push((site.id, signal, RelationKind::Publishes));
        }
    }

    fn signal(&self, site: &Site, ordered: &mut Vec<Ordered>, edges: &mut Edges) {
        let own = matches!(
            site.access.semantics,
            Semantics::Release | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        );
        if own {
            ordered.push(Ordered { how: How::Itself, by: None });
        }
        let fences = self.control.last_before(site.position, &|s| self.is_fence(s) || self.is_block_barrier(s));
        for fence in fences.into_iter().take(MOST) {
            let how = if self.is_fence(fence) { How::Fence } else { How::Barrier };
            if how == How::Fence || own {
                ordered.push(Ordered { how, by: Some(fence) });
                edges.push((fence, site.id, RelationKind::Orders));
            }
        }
    }

    fn poll(&self, site: &Site, ordered: &mut Vec<Ordered>, edges: &mut Edges) {
        if site.acquires(Scope::Cta) {
            ordered.push(Ordered { how: How::Itself, by: None });
        } else if site.reads() {
            let next = self.control.first_after(site.position, &|s| {
                self.is_fence(s) || (self.site(s).class.is_received_data() && s != site.id)
            });
            for fence in next.into_iter().filter(|s| self.is_fence(*s)).take(MOST) {
                ordered.push(Ordered { how: How::Fence, by: Some(fence) });
                edges.push((site.id, fence, RelationKind::Orders));
            }
        }
    }

    fn received(&self, site: &Site, ordered: &mut Vec<Ordered>, edges: &mut Edges) {
        let polls = self.control.last_before(site.position, &|s| self.site(s).class.is_poll() && s != site.id);
        if polls.is_empty() {
            ordered.push(Ordered { how: How::Boundary, by: None });
            return;
        }
        for poll in polls.into_iter().take(MOST) {
            ordered.push(Ordered { how: How::Poll, by: Some(poll) });
            edges.push((poll, site.id, RelationKind::Brings));
        }
        let before = self.control.last_before(site.position, &|s| {
            self.is_block_barrier(s) || (self.site(s).class.is_poll() && s != site.id)
        });
        for barrier in before.into_iter().filter(|s| self.is_block_barrier(*s)).take(MOST) {
            ordered.push(Ordered { how: How::Barrier, by: Some(barrier) });
            edges.push((barrier, site.id, RelationKind::Orders));
        }
    }
}

/// Which signals which polls wait for, on the other PE: those of the same symmetric memory where any is, else of the same
/// width, else wider ones: a poll may look at the flags of several PEs at once.
fn signals(sites: &[Site], objects: &[Object], graph: &mut DiGraph<SiteId, RelationKind>) {
    let mut polls: HashMap<u32, Vec<SiteId>> = HashMap::new();
    let mut by_width: BTreeMap<u32, Vec<SiteId>> = BTreeMap::new();
    for site in sites.iter().filter(|s| s.class.is_poll() || (s.class == Class::GridCounter && s.poll.is_some())) {
        by_width.entry(site.access.width).or_default().push(site.id);
        for object in site.address.iter().flat_map(|a| &a.objects) {
            polls.entry(object.0).or_default().push(site.id);
        }
    }
    for site in sites.iter() {
        let kind = match site.class {
            Class::Signal | Class::PacketStore | Class::LocalFlag => RelationKind::Signals,
            Class::GridCounter if site.writes() => RelationKind::Counts,
            _ => continue,
        };
        let Some(address) = &site.address else { continue };
        let mut waiting: Vec<SiteId> = Vec::new();
        for object in &address.objects {
            let itself = polls.get(&object.0).into_iter().flatten();
            let twins = objects.get(object.0 as usize).map_or(&[][..], |o| &o.twins);
            let twins = twins.iter().filter_map(|t| polls.get(&t.0)).flatten();
            let near = |s: &&SiteId| {
                let other = sites[s.index()].address.as_ref().map(|a| a.offset);
                other.is_none_or(|o| close(address.offset, o))
            };
            // The first ones are as many as are kept.
            waiting.extend(itself.chain(twins).filter(near).take(MOST + 1));
        }
        if waiting.is_empty() && site.class == Class::Signal && address.remote != Remote::No {
            waiting.extend(by_width.get(&site.access.width).into_iter().flatten().take(MOST + 1));
            if waiting.is_empty() {
                let wider = by_width.range(site.access.width + 1..).next();
                waiting.extend(wider.into_iter().flat_map(|(_, polls)| polls).take(MOST + 1));
            }
        }
        waiting.sort_unstable();
        waiting.dedup();
        for poll in waiting.into_iter().filter(|p| *p != site.id).take(MOST) {
            graph.update_edge(NodeIndex::new(site.id.index()), NodeIndex::new(poll.index()), kind);
        }
    }
}

fn close(a: super::super::communication::Offset, b: super::super::communication::Offset) -> bool {
    use super::super::communication::Offset;
    match (a, b) {
        (Offset::Known(a), Offset::Known(b)) => a.abs_diff(b) < 16,
        _ => true,
    }
}
