//! The one owner of every name, number and layout that crosses a component: the intrinsics that C++ and level H call and
//! level L gives meaning to, the state that the host writes and kernels read, the error words, descriptors, events, and
//! the record that each compiled module carries. The C header is generated from here ([`header::text`]), and a test
//! compiles it and compares every offset.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`channel`] | what the ends of a channel agree on beside its shape: packets, storage, the choice of a protocol |
//! | [`codes`] | numbers passed as arguments: groups, comparisons, signal operations, orderings, scopes, protocols; types, reductions and algorithms of collectives |
//! | [`intrinsics`] | the `__gicc_*` functions: names, signatures, who may call them |
//! | [`layout`] | `#[repr(C)]` structures shared by host, device and simulator |
//! | [`heap`] | the symmetric heap: where PEs' segments and the workspace lie |
//! | [`manifest`] | `module.json`, what stands beside a compiled module |
//! | [`sim`] | the entry points between a program for the simulator and the simulator |
//! | [`domain`] | the numbers of domains, and how IR declares them |
//! | [`header`] | the C header |
//!
//! Nothing here depends on LLVM, CUDA or the operating system.

pub mod channel;
pub mod codes;
pub mod domain;
pub mod header;
pub mod heap;
pub mod intrinsics;
pub mod layout;
pub mod manifest;
pub mod sim;

/// The version of everything in this crate. A module compiled for another version is refused at load.
pub const ABI_VERSION: u32 = 4;

/// Every function and variable of gicc starts with this.
pub const PREFIX: &str = "__gicc_";

/// The variable in constant memory from which a kernel learns who it is ([`layout::State`]).
pub const STATE_SYMBOL: &str = "__gicc_state";

/// The variable that holds the module's record ([`layout::ModuleRecord`] followed by its channels and domains).
pub const MODULE_RECORD_SYMBOL: &str = "__gicc_module_record";
