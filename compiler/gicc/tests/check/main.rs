//! `gicc check` as a whole: it takes any input, and what it does grows with the program, not with its square.

mod change;
mod fuzz;
mod generate;
mod grow;
#[path = "../random_kernels/mod.rs"]
mod random_kernels;
mod support;
