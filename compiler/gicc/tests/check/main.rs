//! `gicc check` as a whole: it takes any input, and what it does grows with the program, not with its square.

mod assembly;
mod fuzz;
mod generate;
mod grow;
mod random;
mod support;
