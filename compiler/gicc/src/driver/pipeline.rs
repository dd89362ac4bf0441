//! The order of passes. Nothing else decides what runs when.

use std::time::Duration;

use gicc_abi::manifest::Kernel;

use super::{Emit, Options, Stage};
use crate::diagnostic::Diagnostic;

/// Who listens to a compilation.
pub trait Observer {
    /// A message. An error does not end the compilation by itself: several may come before it fails.
    fn diagnostic(&mut self, diagnostic: Diagnostic);
    /// The IR after a stage of `dump_ir_after`.
    fn dump(&mut self, stage: Stage, text: &str);
    /// A stage ended; `elapsed` is its own time, with clang's or ptxas's where it called them.
    fn finished(&mut self, stage: Stage, elapsed: Duration) {
        let _ = (stage, elapsed);
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The products in the order in which they were asked for.
    pub products: Vec<(Emit, Vec<u8>)>,
    /// The kernels of the module.
    pub kernels: Vec<Kernel>,
}

/// The compilation failed; the observer has been told why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// Compiles the inputs.
///
/// # Errors
/// [`Failed`] after at least one diagnostic of severity error.
pub fn compile(options: &Options, observer: &mut dyn Observer) -> Result<Compiled, Failed> {
    let _ = (options, observer);
    Err(Failed)
}
