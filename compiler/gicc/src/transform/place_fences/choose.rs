//! Phase 3: how each requirement is met.

use std::collections::{BTreeSet, HashMap};

use gicc_abi::codes::{Order, Scope};
use petgraph::graph::NodeIndex;

use super::coverage::{Half, before_sites};
use super::sites::{Item, Sites};
use crate::analysis::effects::Requirement;
use crate::analysis::flow::{Flow, Loop};

/// How one requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// By the instruction's own ordering (or, for `observe`, by a fence in its place).
    Own,
    /// By a release fence in front of it; the instruction itself is relaxed.
    Fence,
    /// By a fence that came before, on every path.
    Covered,
}

/// How all requirements of a function are met.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// For each site.
    pub(super) choices: Vec<Choice>,
    /// Release fences at the end of blocks, in front of loops.
    pub(super) at_end: HashMap<NodeIndex, Scope>,
}

/// Chooses. Every step keeps the plan correct: a site counts as covered only if the analysis says so for the whole plan.
pub(super) fn plan(flow: &Flow<'_>, sites: &Sites<'_>) -> Plan {
    // To begin with, each publish is a fence and each signal releases itself.
    let choices = sites
        .all
        .iter()
        .map(|s| if s.requirement == Requirement::Publish { Choice::Fence } else { Choice::Own })
        .collect();
    let mut plan = Plan { choices, at_end: HashMap::new() };
    observe(flow, sites, &mut plan);
    cover(flow, sites, &mut plan);
    for candidate in flow.loops() {
        in_front_of_loop(flow, sites, &mut plan, &candidate);
    }
    for n in 0..sites.all.len() {
        as_fence(flow, sites, &mut plan, n);
    }
    debug_assert!(is_met(flow, sites, &plan), "every release requirement is met");
    plan
}

/// Acquire requirements that an earlier acquire fence meets.
fn observe(flow: &Flow<'_>, sites: &Sites<'_>, plan: &mut Plan) {
    let covered = before_sites(flow, sites, plan, Half::Acquire);
    for (n, site) in sites.all.iter().enumerate() {
        if site.requirement == Requirement::Observe && covered[n] >= Some(site.scope) {
            plan.choices[n] = Choice::Covered;
        }
    }
}

/// Marks what the plan's fences already cover, first sites first: a covered publish is no fence any more, so what it
/// covered is asked again.
fn cover(flow: &Flow<'_>, sites: &Sites<'_>, plan: &mut Plan) {
    for n in 0..sites.all.len() {
        let site = &sites.all[n];
        if !site.releases() || plan.choices[n] == Choice::Covered {
            continue;
        }
        let before = plan.choices[n];
        plan.choices[n] = Choice::Covered;
        if !is_met(flow, sites, plan) {
            plan.choices[n] = before;
        }
    }
}

/// A loop that signals and writes nothing needs one fence, in front of it.
fn in_front_of_loop(flow: &Flow<'_>, sites: &Sites<'_>, plan: &mut Plan, candidate: &Loop) {
    let Some(preheader) = candidate.preheader else { return };
    let inside: Vec<usize> = candidate
        .body
        .iter()
        .flat_map(|b| &sites.items[b.index()])
        .filter_map(|i| if let Item::Site(n) = i { Some(*n) } else { None })
        .filter(|&n| sites.all[n].releases() && plan.choices[n] != Choice::Covered)
        .collect();
    let Some(scope) = inside.iter().map(|&n| sites.all[n].scope).max() else { return };
    // Only a thread that signals may execute the fence: one elected in the loop must not become a fence in every thread.
    if !candidate.body.iter().any(|&b| signals_always(flow, sites, candidate, b)) {
        return;
    }
    let mut trial = plan.clone();
    trial.at_end.entry(preheader).and_modify(|s| *s = scope.max(*s)).or_insert(scope);
    for &n in &inside {
        trial.choices[n] = Choice::Covered;
    }
    if is_met(flow, sites, &trial) {
        *plan = trial;
    }
}

/// Whether a block of the loop signals, and whoever enters the loop passes it unless something fails. (Loops are rotated: a
/// thread that makes no iteration does not come to the block in front of the loop.)
fn signals_always(flow: &Flow<'_>, sites: &Sites<'_>, candidate: &Loop, block: NodeIndex) -> bool {
    let signals = sites.items[block.index()].iter().any(|i| matches!(i, Item::Site(n) if sites.all[*n].releases()));
    signals && (block == candidate.header || flow.leads_to(candidate.header, block, &sites.failures))
}

/// A signal that releases itself covers nothing that follows; as a fence it may. It becomes one where that saves another
/// ordering: in its own place, or in front of the checks of its arguments, so that a failed check leaves the fence executed.
fn as_fence(flow: &Flow<'_>, sites: &Sites<'_>, plan: &mut Plan, n: usize) {
    let site = &sites.all[n];
    if !(site.is_signal() && site.releases()) || plan.choices[n] != Choice::Own {
        return;
    }
    if !reaches_another(flow, sites, plan, n) {
        return;
    }
    let mut earlier = Vec::new();
    for dominator in flow.strict_dominators(site.node) {
        if !flow.leads_to(dominator, site.node, &sites.failures) {
            break;
        }
        earlier.push(Some(dominator));
        // A fence further up than something unordered would not cover the signal.
        if ends_coverage(sites, dominator) {
            break;
        }
    }
    for position in std::iter::once(None).chain(earlier) {
        let mut trial = plan.clone();
        match position {
            None => trial.choices[n] = Choice::Fence,
            Some(block) => {
                trial.choices[n] = Choice::Covered;
                trial.at_end.entry(block).and_modify(|s| *s = site.scope.max(*s)).or_insert(site.scope);
            }
        }
        if let Some(better) = saves(flow, sites, trial, n) {
            *plan = better;
            return;
        }
    }
}

/// Whether a block holds something that ends every coverage.
fn ends_coverage(sites: &Sites<'_>, block: NodeIndex) -> bool {
    sites.items[block.index()].iter().any(|i| is_end(sites, i))
}

fn is_end(sites: &Sites<'_>, item: &Item) -> bool {
    match item {
        Item::Unordered => true,
        Item::Fence(..) => false,
        Item::Site(n) => matches!(
            sites.all[*n].requirement,
            Requirement::Poll | Requirement::Count | Requirement::CountAdd | Requirement::CountPoll
        ),
    }
}

/// Whether another signal that releases by itself is reached from this one with nothing in between that ends coverage.
fn reaches_another(flow: &Flow<'_>, sites: &Sites<'_>, plan: &Plan, n: usize) -> bool {
    let from = sites.all[n].node;
    let behind = sites.items[from.index()].iter().skip_while(|i| !matches!(i, Item::Site(m) if *m == n)).skip(1);
    let mut work = Vec::new();
    match scan(sites, plan, behind, n) {
        Some(found) => return found,
        None => work.extend(flow.graph.neighbors(from)),
    }
    let mut seen = BTreeSet::new();
    while let Some(node) = work.pop() {
        if seen.insert(node) {
            match scan(sites, plan, sites.items[node.index()].iter(), n) {
                Some(true) => return true,
                Some(false) => {}
                None => work.extend(flow.graph.neighbors(node)),
            }
        }
    }
    false
}

/// Whether another signal comes first, or something that ends coverage; `None` where neither comes.
fn scan<'i>(sites: &Sites<'_>, plan: &Plan, items: impl Iterator<Item = &'i Item>, n: usize) -> Option<bool> {
    for item in items {
        if is_end(sites, item) {
            return Some(false);
        }
        if let Item::Site(m) = item
            && *m != n
            && sites.all[*m].releases()
            && plan.choices[*m] == Choice::Own
        {
            return Some(true);
        }
    }
    None
}

/// The plan with everything covered that the new fence covers; `None` where it covers nothing but its own signal.
fn saves(flow: &Flow<'_>, sites: &Sites<'_>, mut trial: Plan, n: usize) -> Option<Plan> {
    let covered = before_sites(flow, sites, &trial, Half::Release);
    let mut saved = 0;
    for (m, other) in sites.all.iter().enumerate() {
        if m != n && other.releases() && trial.choices[m] == Choice::Own && covered[m] >= Some(other.scope) {
            trial.choices[m] = Choice::Covered;
            saved += 1;
        }
    }
    (saved > 0 && is_met(flow, sites, &trial)).then_some(trial)
}

/// Whether every requirement that counts on coverage has it.
pub(super) fn is_met(flow: &Flow<'_>, sites: &Sites<'_>, plan: &Plan) -> bool {
    let release = before_sites(flow, sites, plan, Half::Release);
    sites
        .all
        .iter()
        .enumerate()
        .filter(|(n, s)| s.releases() && plan.choices[*n] == Choice::Covered)
        .all(|(n, s)| release[n] >= Some(s.scope))
}

/// The order that a signal's own instruction has under a choice.
pub(super) fn own_order(choice: Choice, required: Option<Order>) -> Order {
    match (choice, required) {
        (_, Some(Order::Relaxed)) | (Choice::Fence | Choice::Covered, _) => Order::Relaxed,
        (Choice::Own, _) => Order::Release,
    }
}
