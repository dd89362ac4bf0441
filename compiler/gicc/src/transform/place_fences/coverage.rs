//! Phase 2: where a release fence that was executed before still covers everything that causality brought to the thread.
//!
//! A forward must-analysis. The value at a point is the widest scope `s` such that on every path to the point a fence of
//! scope `s` was executed and nothing unordered came after it; `None` where there is no such scope. The same walk answers
//! for acquire fences, whose coverage ends just so.

use gicc_abi::codes::{Order, Scope};
use petgraph::Direction;
use petgraph::graph::NodeIndex;

use super::choose::{Choice, Plan};
use super::sites::{Item, Sites};
use crate::analysis::effects::Requirement;
use crate::analysis::flow::Flow;

/// Which half of a fence is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// What was written before is published.
    Release,
    /// What was published is seen.
    Acquire,
}

/// For each site, the coverage in front of it, given a plan.
pub(super) fn before_sites(flow: &Flow<'_>, sites: &Sites<'_>, plan: &Plan, half: Half) -> Vec<Option<Scope>> {
    let mut at_exit: Vec<Option<Option<Scope>>> = vec![None; flow.graph.node_count()];
    let mut found = vec![None; sites.all.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &flow.order {
            let mut now = at_entry(flow, node, &at_exit);
            for item in &sites.items[node.index()] {
                if let Item::Site(n) = item {
                    found[*n] = now;
                }
                now = after(*item, now, sites, plan, half);
            }
            if half == Half::Release
                && let Some(scope) = plan.at_end.get(&node)
            {
                now = now.max(Some(*scope));
            }
            if at_exit[node.index()] != Some(now) {
                at_exit[node.index()] = Some(now);
                changed = true;
            }
        }
    }
    found
}

/// The narrowest of the predecessors' coverages; a predecessor that was not visited yet (a back edge) allows everything.
fn at_entry(flow: &Flow<'_>, node: NodeIndex, at_exit: &[Option<Option<Scope>>]) -> Option<Scope> {
    if flow.order.first() == Some(&node) {
        return None;
    }
    flow.graph.neighbors_directed(node, Direction::Incoming).filter_map(|p| at_exit[p.index()]).min().flatten()
}

/// The coverage behind an item.
fn after(item: Item, now: Option<Scope>, sites: &Sites<'_>, plan: &Plan, half: Half) -> Option<Scope> {
    match item {
        Item::Unordered => None,
        // A fence that also acquires brings others' writes, which an earlier, wider release fence does not cover.
        Item::Fence(order, scope) if half == Half::Release && acquires(order) && covers(order, half) => Some(scope),
        Item::Fence(order, scope) if covers(order, half) => now.max(Some(scope)),
        Item::Fence(..) => match half {
            // An acquire fence brings others' writes, which an earlier release fence does not cover.
            Half::Release => None,
            Half::Acquire => now,
        },
        Item::Site(n) => after_site(&sites.all[n], plan.choices[n], now, half),
    }
}

fn after_site(site: &super::sites::Site<'_>, choice: Choice, now: Option<Scope>, half: Half) -> Option<Scope> {
    match (site.requirement, half) {
        (Requirement::Publish | Requirement::SignalSet | Requirement::SignalAdd, Half::Release) => match choice {
            Choice::Fence => now.max(Some(site.scope)),
            Choice::Own | Choice::Covered => now,
        },
        (Requirement::Publish | Requirement::SignalSet | Requirement::SignalAdd, Half::Acquire) => now,
        // What is learned here has to be published by whoever signals later.
        (Requirement::Observe, Half::Release) => match choice {
            Choice::Covered => now,
            Choice::Own | Choice::Fence => None,
        },
        (Requirement::Observe, Half::Acquire) => now.max(Some(site.scope)),
        // A value is read here: an acquire fence that came before says nothing of it.
        (Requirement::Poll | Requirement::Count | Requirement::CountAdd | Requirement::CountPoll, _) => None,
    }
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent)
}

fn covers(order: Order, half: Half) -> bool {
    match order {
        Order::Relaxed => false,
        Order::Release => half == Half::Release,
        Order::Acquire => half == Half::Acquire,
        Order::AcquireRelease | Order::SequentiallyConsistent => true,
    }
}
