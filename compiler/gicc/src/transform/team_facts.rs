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
use inkwell::values::CallSiteValue;

use crate::llvm::calls_to;

/// Marks every fact.
pub(crate) fn run(module: &Module<'_>) {
    let convergent = Attribute::get_named_enum_kind_id("convergent");
    let context = module.get_context();
    for fact in intrinsics::ALL.iter().filter(|i| i.family == Family::Team) {
        let Some(function) = module.get_function(fact.name) else { continue };
        function.remove_enum_attribute(AttributeLoc::Function, convergent);
        for name in ["nounwind", "speculatable", "willreturn"] {
            let attribute = context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        for call in calls_to(module, fact.name) {
            if let Ok(site) = CallSiteValue::try_from(call.instruction) {
                site.remove_enum_attribute(AttributeLoc::Function, convergent);
            }
        }
    }
}
