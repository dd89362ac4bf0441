//! The compiler library, in the order in which a kernel passes through it.

pub mod analysis;
pub mod check;
pub mod codegen;
pub(crate) mod collective;
pub mod diagnostic;
pub mod dialect;
pub mod driver;
pub mod explain;
pub mod frontend;
pub mod llvm;
pub(crate) mod transform;
