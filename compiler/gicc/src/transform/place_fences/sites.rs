//! Phase 1: the requirements of a function and what lies between them.

use std::collections::BTreeSet;

use gicc_abi::codes::{Order, Scope};
use inkwell::values::{BasicValue as _, BasicValueEnum};
use petgraph::graph::NodeIndex;

use crate::analysis::effects::{self, Effect, Requirement};
use crate::analysis::flow::Flow;
use crate::llvm::{Call, name_of};

/// One thing that matters, in a block's order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Ends every coverage.
    Unordered,
    /// A fence that is there.
    Fence(Order, Scope),
    /// A requirement: the index of its site.
    Site(usize),
}

/// One requirement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'c> {
    /// The call that states it.
    pub(super) call: Call<'c>,
    /// Which it is.
    pub(super) requirement: Requirement,
    /// Its order; `None` where it is no constant, which then counts as the strongest.
    pub(super) order: Option<Order>,
    /// How far it reaches.
    pub(super) scope: Scope,
    /// Whether the scope was narrowed because the destination is this PE.
    pub(super) narrowed: bool,
    /// The block that it stands in.
    pub(super) node: NodeIndex,
}

impl Site<'_> {
    /// Whether what came before must be published.
    pub(super) fn releases(&self) -> bool {
        match self.requirement {
            Requirement::Publish => true,
            Requirement::SignalSet | Requirement::SignalAdd => self.order != Some(Order::Relaxed),
            Requirement::Observe
            | Requirement::Poll
            | Requirement::Count
            | Requirement::CountAdd
            | Requirement::CountPoll => false,
        }
    }

    /// Whether it is a signal, which can itself release.
    pub(super) fn is_signal(&self) -> bool {
        matches!(self.requirement, Requirement::SignalSet | Requirement::SignalAdd)
    }
}

/// Sites and the order of items in each block.
#[derive(Debug, Default)]
pub(super) struct Sites<'c> {
    /// The sites.
    pub(super) all: Vec<Site<'c>>,
    /// For each node of the flow, its items in order.
    pub(super) items: Vec<Vec<Item>>,
    /// The blocks in which the device runtime reports a failure: what happens there may cost what it wants.
    pub(super) failures: BTreeSet<NodeIndex>,
}

impl Sites<'_> {
    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Collects the sites of the reachable blocks.
pub(super) fn collect<'c>(flow: &Flow<'c>) -> Sites<'c> {
    let mut sites = Sites { items: vec![Vec::new(); flow.graph.node_count()], ..Sites::default() };
    for &node in &flow.order {
        block(flow, node, &mut sites);
    }
    sites
}

fn block<'c>(flow: &Flow<'c>, node: NodeIndex, sites: &mut Sites<'c>) {
    for instruction in flow.graph[node].get_instructions() {
        if effects::is_failure(instruction) {
            sites.failures.insert(node);
        }
        let item = match effects::of(instruction) {
            Effect::None => continue,
            Effect::Unordered => Item::Unordered,
            Effect::Fence(order, scope) => Item::Fence(order, scope),
            Effect::Requirement(call, requirement) => {
                sites.all.push(site(call, requirement, node));
                Item::Site(sites.all.len() - 1)
            }
        };
        sites.items[node.index()].push(item);
    }
}

fn site(call: Call<'_>, requirement: Requirement, node: NodeIndex) -> Site<'_> {
    let argument = |name: &str| {
        let known = gicc_abi::intrinsics::find(&name_of(call.callee))?;
        call.argument(known.parameter(name)?)
    };
    let code = |name: &str| argument(name).and_then(crate::llvm::constant_int).map(i64::cast_unsigned);
    // The source of a wait is named for its error; only a destination says how far an order has to reach.
    let sends = matches!(requirement, Requirement::Publish | Requirement::SignalSet | Requirement::SignalAdd);
    let narrowed = sends && argument("pe").is_some_and(is_my_pe);
    let automatic = if narrowed { Scope::Device } else { Scope::System };
    let scope = match code("scope").and_then(Scope::from_code) {
        Some(Scope::Auto) | None if counts_blocks(requirement) => Scope::Device,
        Some(Scope::Auto) | None => automatic,
        Some(written) => written,
    };
    Site { call, requirement, order: code("order").and_then(Order::from_code), scope, narrowed, node }
}

/// Whether a requirement is about the blocks of one GPU.
fn counts_blocks(requirement: Requirement) -> bool {
    matches!(requirement, Requirement::Count | Requirement::CountAdd | Requirement::CountPoll)
}

/// Whether a value is the number of the PE that runs this.
fn is_my_pe(value: BasicValueEnum<'_>) -> bool {
    value.as_instruction_value().and_then(Call::new).is_some_and(|c| name_of(c.callee) == "__gicc_my_pe")
}
