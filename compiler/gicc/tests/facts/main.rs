//! Facts about communication: where pointers come from, what each operation is for, who executes it, and that the analysis is
//! fast, gives the same answer under other names, and takes any input.

mod fuzz;
mod large;
mod provenance;
mod support;
