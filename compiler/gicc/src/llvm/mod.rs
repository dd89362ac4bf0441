//! A thin layer over LLVM's C interface, for what inkwell does not offer: where an instruction stands in the user's source,
//! walking calls, and LLVM's own messages caught instead of printed.

mod builder;
mod demangle;
mod location;
mod messages;
mod reading;
mod split;
mod target;
mod walk;

pub use builder::{call, call_asm, erase, replace};
pub use demangle::demangled;
pub(crate) use location::in_folder;
pub use location::span;
pub(crate) use location::stand_at;
pub use messages::Messages;
pub use reading::{leave_verification_to_the_reader, strip_old_debug_information};
pub use split::split_after;
pub use target::{machine, run_passes, verify};
pub use walk::{
    Call, as_function, attribute, calls, calls_to, constant_int, defined_functions, instructions, is_kernel, name_of,
    stored, strip_casts,
};
