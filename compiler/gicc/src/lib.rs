//! The compiler library, in the order in which a kernel passes through it.

pub mod codegen;
pub mod diagnostic;
pub mod driver;
