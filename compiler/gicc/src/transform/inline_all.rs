//! `inline_all`: every function that a kernel calls becomes part of it, those marked `noinline` too: the analysis of
//! communication looks at one body.
//!
//! ```text
//! define internal void @wait(ptr %f) noinline { … }     call void @wait(ptr %flag)
//!   becomes, after LLVM's always-inline pass
//! the loop of @wait at the call
//! ```
//!
//! Requires: the device runtime is linked. Ensures: every function is `alwaysinline` but kernels, functions that call
//! themselves, those that report failures, ask for them or look at the clock (they communicate with nobody but the host), and those
//! that would make their callers larger than a bound. Preserves: the meaning; the code becomes larger, so this is for analyses only.

use std::collections::HashMap;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::llvm::{Call, defined_functions, instructions, is_kernel, name_of};

/// No function becomes larger than so many instructions.
const LARGEST: u64 = 1_000_000;

/// Functions of the device runtime that stay out of line.
const STAYS: [&str; 4] = ["gicc_rt_fail", "gicc_rt_keep_waiting", "__gicc_check_error", "__gicc_error_code"];

/// Marks the functions.
pub(crate) fn run(module: &Module<'_>) {
    let functions = defined_functions(module);
    let numbers: HashMap<FunctionValue<'_>, usize> = functions.iter().enumerate().map(|(n, f)| (*f, n)).collect();
    let mut graph: DiGraph<usize, ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..functions.len()).map(|n| graph.add_node(n)).collect();
    let mut sizes = Vec::with_capacity(functions.len());
    for (n, function) in functions.iter().enumerate() {
        let all = instructions(*function);
        sizes.push(all.len() as u64);
        for call in all.into_iter().filter_map(Call::new) {
            if let Some(callee) = numbers.get(&call.callee) {
                graph.add_edge(nodes[n], nodes[*callee], ());
            }
        }
    }
    // Callees come first.
    let mut whole = sizes.clone();
    let mut inlined = vec![false; functions.len()];
    for component in tarjan_scc(&graph) {
        let &[node] = component.as_slice() else { continue };
        let n = graph[node];
        let calls_itself = graph.contains_edge(node, node);
        for callee in graph.neighbors(node) {
            let callee = graph[callee];
            if inlined[callee] {
                whole[n] = whole[n].saturating_add(whole[callee]);
            }
        }
        let name = name_of(functions[n]);
        let stays = is_kernel(functions[n]) || STAYS.iter().any(|s| name.starts_with(s));
        inlined[n] = !calls_itself && !stays && whole[n] <= LARGEST / 8;
    }
    let kind = Attribute::get_named_enum_kind_id;
    let always = module.get_context().create_enum_attribute(kind("alwaysinline"), 0);
    let never = module.get_context().create_enum_attribute(kind("noinline"), 0);
    for (n, function) in functions.iter().enumerate() {
        if STAYS.iter().any(|stays| name_of(*function).starts_with(stays)) {
            function.remove_enum_attribute(AttributeLoc::Function, kind("alwaysinline"));
            function.add_attribute(AttributeLoc::Function, never);
        } else if inlined[n] {
            function.remove_enum_attribute(AttributeLoc::Function, kind("noinline"));
            function.remove_enum_attribute(AttributeLoc::Function, kind("optnone"));
            function.add_attribute(AttributeLoc::Function, always);
        }
    }
    // A kernel that would become too large keeps the calls of its larger functions.
    for n in 0..functions.len() {
        if is_kernel(functions[n]) && whole[n] > LARGEST {
            for callee in graph.neighbors(nodes[n]) {
                let callee = graph[callee];
                if whole[callee] > LARGEST / 64 {
                    functions[callee].remove_enum_attribute(AttributeLoc::Function, kind("alwaysinline"));
                }
            }
        }
    }
}
