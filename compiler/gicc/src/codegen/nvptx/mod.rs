//! Level L becomes PTX, and PTX machine code.
//!
//! | file | what it does |
//! | --- | --- |
//! | `lower_team` | facts about the team are loads from the state in constant memory |
//! | `lower_orderings` | each ordering is one PTX instruction |
//! | `lower_atomics` | atomic operations keep the order and scope that LLVM's back end drops |
//! | `math` | `__nv_*` from libdevice, or gicc's own |
//! | `emit` | O3 and PTX text |
//! | `join` | PTX of several modules becomes one text |
//! | `ptxas` | PTX becomes machine code |

mod emit;
mod join;
mod lower_atomics;
mod lower_orderings;
mod lower_team;
mod math;
mod ptxas;

pub(crate) use emit::ptx;
pub(crate) use join::{functions, join};
pub(crate) use lower_team::declare_state;
pub(crate) use math::{link as link_math, link_own as link_own_math};
pub(crate) use ptxas::assemble;

use inkwell::module::Module;

use crate::diagnostic::Diagnostic;
use crate::driver::Arch;

/// Replaces everything of gicc's by what LLVM's back end understands.
pub(crate) fn lower(module: &Module<'_>, arch: Arch) -> Result<(), Vec<Diagnostic>> {
    lower_atomics::run(module)?;
    lower_orderings::run(module, arch).map_err(|d| vec![d])?;
    lower_team::run(module);
    Ok(())
}
