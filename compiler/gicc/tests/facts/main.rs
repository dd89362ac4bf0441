//! Facts about communication: where pointers come from, what each operation is for, who executes it, and that the analysis is
//! fast, gives the same answer under other names, and takes any input.

mod fuzz;
mod large;
mod provenance;
#[path = "../random_kernels/mod.rs"]
#[expect(dead_code, reason = "words of assembly are for changes of kernels, which are not made here")]
mod random_kernels;
mod support;
