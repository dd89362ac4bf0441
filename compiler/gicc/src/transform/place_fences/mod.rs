//! `place_fences`: requirements of order become orderings and fences, the fewest and narrowest that are correct. This is the
//! only pass that creates fences.
//!
//! ```text
//! before                                             after
//! call @__gicc_signal_set(%f, 1, release, %pe)       call @__gicc_store_u64(%f, 1, release, sys)
//!
//! call @__gicc_signal_set(%f, 1, release, %a)        call @__gicc_fence(release, sys)
//! call @__gicc_signal_set(%g, 1, release, %b)        call @__gicc_store_u64(%f, 1, relaxed, sys)
//!                                                    call @__gicc_store_u64(%g, 1, relaxed, sys)
//!
//! call @__gicc_poll(%f, acquire, %pe)                call @__gicc_load_u64(%f, acquire, sys)
//! ```
//!
//! Meaning of the requirements. A release publishes data: whatever causality brought to the thread before it. Signals are
//! not data for each other: two signals of one thread may be seen in either order, unless data was written between them.
//! (`st.release f; st.relaxed g` publishes nothing with g, so several signals need a fence before the first.)
//!
//! Phases:
//! 1. `sites`: the requirements, the fences that are there, and what lies between (analysis `effects`).
//! 2. `coverage`: forward, on every path: how wide a release fence still covers all that came before. A write, a barrier, an
//!    acquiring load and whatever cannot be told end it.
//! 3. `choose`: a requirement that is covered costs nothing. A release signal that would cover another one becomes a fence
//!    and relaxed signals; in a loop without writes the fence stands before the loop. Else the signal releases itself.
//! 4. `rewrite`.
//!
//! Scope: that of the destination. The default is `sys`; it is `gpu` only where the destination is provably this PE (the
//! argument is `__gicc_my_pe`; signals are waited for on the PE that they are on), or as wide as the user wrote. Waits are
//! never narrowed.
//!
//! Requires: the device runtime is inlined. Ensures: no requirement is left; every release requirement is met by its own
//! ordering or is covered on every path (checked again after the choice). Preserves: everything else.
//! Cost: the dataflow runs once a candidate, and candidates are only signals from which another one is reached without
//! anything unordered in between.

mod choose;
mod coverage;
mod rewrite;
mod sites;

use inkwell::module::Module;

use crate::analysis::flow::Flow;
use crate::diagnostic::Diagnostic;
use crate::llvm::defined_functions;

/// Places fences in every function; remarks say what was done for each requirement.
pub(crate) fn run(module: &Module<'_>) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut remarks = Vec::new();
    for function in defined_functions(module) {
        let Some(flow) = Flow::of(function) else { continue };
        let sites = sites::collect(&flow);
        if sites.is_empty() {
            continue;
        }
        let plan = choose::plan(&flow, &sites);
        remarks.extend(rewrite::apply(module, &flow, &sites, &plan)?);
    }
    rewrite::unreachable_requirements(module)?;
    Ok(remarks)
}
