//! Steps 2 and 5: passes over level L, one a file. `driver/pipeline.rs` says in which order they run.
//!
//! | pass | what it does |
//! | --- | --- |
//! | `verify_intrinsics` | every `__gicc_*` is known, every scope and target is legal |
//! | `verify_assembly` | inline assembly names operands that exist |
//! | `team_facts` | LLVM learns that facts about the team are mere values |
//! | `check_calls` | constant arguments and destinations of calls make sense |
//! | `check_domains` | initiations on a domain write to its members |
//! | `fallbacks` | which function takes a kernel's place where its communication failed |
//! | `check_errors` | errors are checked behind each wait, or a kernel that never does is warned of |
//! | `materialise` | each collective becomes a call of the function that level H makes for it |
//! | `hold_epochs` | the rounds of collectives are counted in a register of the kernel |
//! | `drop_last_meeting` | blocks do not meet where their kernel ends |
//! | `link_runtime` | links and inlines the device runtime |
//! | `not_local` | no access is taken for one of a thread's own variables, for analyses |
//! | `inline_all` | every call becomes part of its kernel, for analyses |
//! | `place_fences` | requirements of order become orderings and fences; the only creator of fences |
//! | `module_record` | writes what the module says of itself |

pub(crate) mod check_calls;
pub(crate) mod check_domains;
pub(crate) mod check_errors;
pub(crate) mod drop_last_meeting;
pub(crate) mod fallbacks;
pub(crate) mod hold_epochs;
pub(crate) mod inline_all;
pub(crate) mod link_runtime;
pub(crate) mod materialise;
pub(crate) mod module_record;
pub(crate) mod not_local;
pub(crate) mod place_fences;
pub(crate) mod team_facts;
pub(crate) mod verify_assembly;
pub(crate) mod verify_intrinsics;
