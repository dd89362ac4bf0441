//! `team_facts`: clang marks every function of CUDA C++ as convergent, so that calls of it must not be duplicated or made to
//! depend on another branch. The facts about the team are mere values: with the mark, loops over PEs cannot be rotated.
//!
//! ```text
//! declare i32 @__gicc_n_pes() convergent memory(none)
//!   becomes
//! declare i32 @__gicc_n_pes() memory(none) nounwind speculatable willreturn
//! ```
//!
//! Requires: `verify_intrinsics`. Ensures: the above, for declarations and calls. Preserves: everything else.

use gicc_abi::intrinsics::{self, Family};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue};

use crate::llvm::{calls_to, name_of};

/// Marks every fact.
pub(crate) fn run(module: &Module<'_>) {
    for fact in intrinsics::ALL.iter().filter(|i| i.family == Family::Team) {
        if let Some(function) = module.get_function(fact.name) {
            mark_as_value(module, function);
        }
    }
}

/// Marks a function that reads and does nothing, so that its result is a mere value.
pub(crate) fn mark_as_value<'c>(module: &Module<'c>, function: FunctionValue<'c>) {
    let convergent = Attribute::get_named_enum_kind_id("convergent");
    function.remove_enum_attribute(AttributeLoc::Function, convergent);
    for name in ["nounwind", "speculatable", "willreturn"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.add_attribute(AttributeLoc::Function, module.get_context().create_enum_attribute(kind, 0));
    }
    for call in calls_to(module, &name_of(function)) {
        if let Ok(site) = CallSiteValue::try_from(call.instruction) {
            site.remove_enum_attribute(AttributeLoc::Function, convergent);
        }
    }
}
