//! A call of a collective in LLVM code: a function with the one operation of the dialect goes through the same passes as
//! MLIR's own, and leaves for LLVM. The context is made only where a program calls a collective, once.

use inkwell::context::Context;
use inkwell::module::Module;

use super::{Collective, Group, Signature, reduce};
use crate::diagnostic::Diagnostic;
use crate::dialect::{Caught, passes, run_passes, to_llvm};
use crate::dialect::context as mlir_context;
use crate::dialect::parse_text;

/// What of MLIR's passes lowers an expansion.
const TO_LLVM: &str = "convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

impl Signature {
    /// The symbol of the function with the one operation.
    pub(crate) fn call_symbol(&self) -> String {
        format!("{}_call", self.symbol())
    }

    /// A function with the one operation; out, in and count are its parameters.
    fn operation(&self) -> String {
        let group = match self.group {
            Group::Block => "block",
            Group::Grid => "grid",
        };
        let (name, algorithm) = (self.collective.name(), self.algorithm.name());
        let (element, unsigned) = reduce::spelling(self.element);
        let kind = match self.collective {
            Collective::AllReduce(op) => format!(" {}", op.name()),
            Collective::AllGather => String::new(),
        };
        let unsigned = if unsigned && kind.is_empty() { "" } else if unsigned { " unsigned" } else { "" };
        let count = self.count.map_or_else(|| (String::new(), "%count".into()), |n| {
            (format!("    %constant = llvm.mlir.constant({n} : i64) : i64\n"), "%constant".to_owned())
        });
        format!(
            "  llvm.func @{}(%out: !llvm.ptr, %in: !llvm.ptr, %count: i64) attributes {{convergent, always_inline}} {{\n\
             {}    gicc.{name} {group}{kind} %out, %in count {} of {element}{unsigned} algorithm({algorithm}) : !llvm.ptr, !llvm.ptr, i64\n    \
             llvm.return\n  }}\n",
            self.call_symbol(),
            count.0,
            count.1
        )
    }
}

/// A module of LLVM IR with the functions of these signatures, which are distinct and exist.
pub(crate) fn lower<'l>(llvm: &'l Context, signatures: &[Signature]) -> Result<Module<'l>, Vec<Diagnostic>> {
    let text: String = signatures.iter().map(Signature::operation).collect();
    let context = mlir_context();
    let caught = Caught::new(&context);
    let mut module = parse_text(&context, &caught, &format!("module {{\n{text}}}\n"))?;
    run_passes(&context, &caught, &mut module, &format!("{},{TO_LLVM}", passes::EXPAND_COLLECTIVES))?;
    to_llvm(module.as_operation(), &caught, llvm)
}
