//! A call of a collective in LLVM code: a function with the one operation of the dialect goes through the same passes as
//! MLIR's own, and leaves for LLVM. The context is made for one use, and only where a collective is called.

use inkwell::context::Context;
use inkwell::module::Module;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::pass::{PassManager, conversion};
use melior::utility::register_all_llvm_translations;

use super::{Collective, Group, Signature, expand, reduce, root};
use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::passes::{EXPAND_COLLECTIVES, Work, guarded};
use crate::dialect::{Caught, dialect_handle, parse_text, to_llvm};

impl Signature {
    /// The symbol of the function with the one operation.
    pub(crate) fn call_symbol(&self) -> String {
        format!("{}_call", self.symbol())
    }

    /// A function with the one operation; out, in and count are its parameters, and start, stride and members of a part.
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
        let unsigned = if unsigned && kind.is_empty() {
            ""
        } else if unsigned {
            " unsigned"
        } else {
            ""
        };
        let count = self.count.map_or_else(
            || (String::new(), "%count".into()),
            |n| (format!("    %constant = llvm.mlir.constant({n} : i64) : i64\n"), "%constant".to_owned()),
        );
        let (parameters, part) = if self.part {
            (", %start: i32, %stride: i32, %members: i32", " part(%start, %stride, %members)")
        } else {
            ("", "")
        };
        format!(
            "  llvm.func @{}(%out: !llvm.ptr, %in: !llvm.ptr, %count: i64{parameters}) attributes {{convergent, always_inline}} {{\n\
             {}    gicc.{name} {group}{kind} %out, %in count {} of {element}{unsigned} algorithm({algorithm}){part} : !llvm.ptr, !llvm.ptr, i64\n    \
             llvm.return\n  }}\n",
            self.call_symbol(),
            count.0,
            count.1
        )
    }
}

/// A context with what expansions consist of, and no more: registering all of MLIR takes longer than the rest.
fn context() -> melior::Context {
    let registry = DialectRegistry::new();
    // SAFETY: the handle is a constant of MLIR's.
    let arith = unsafe { DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__arith__()) };
    for dialect in [dialect_handle(), DialectHandle::llvm(), DialectHandle::scf(), DialectHandle::cf(), arith] {
        dialect.insert_dialect(&registry);
    }
    let context = melior::Context::new_with_registry(&registry, false);
    register_all_llvm_translations(&context);
    context
}

/// A module of LLVM IR with the functions of these signatures, which are distinct and exist. `lean`: roots, and what they call,
/// are declared only.
pub(crate) fn lower<'l>(
    llvm: &'l Context,
    signatures: &[Signature],
    lean: bool,
) -> Result<Module<'l>, Vec<Diagnostic>> {
    let text: String = signatures.iter().map(Signature::operation).collect();
    let expand = if lean { expand::run_lean } else { expand::run };
    lowered(llvm, &format!("module {{\n{text}}}\n"), Some(expand))
}

/// A module of LLVM IR with a root and what it calls; nothing where no root has the symbol.
pub(crate) fn lower_root<'l>(llvm: &'l Context, symbol: &str) -> Result<Option<Module<'l>>, Vec<Diagnostic>> {
    root::text(symbol).map(|text| lowered(llvm, &text, None)).transpose()
}

fn lowered<'l>(llvm: &'l Context, text: &str, expand: Option<Work>) -> Result<Module<'l>, Vec<Diagnostic>> {
    let context = context();
    let caught = Caught::new(&context);
    let mut module = parse_text(&context, &caught, text)?;
    if let Some(expand) = expand
        && guarded(module.as_operation(), EXPAND_COLLECTIVES, expand).is_err()
    {
        return Err(caught.take_errors("expanding collectives"));
    }
    let passes = PassManager::new(&context);
    // Parsing verified the text, and LLVM's verifier sees the result.
    passes.enable_verifier(false);
    passes.add_pass(conversion::create_scf_to_control_flow());
    // Loops count and compare with it.
    passes.add_pass(conversion::create_arith_to_llvm());
    passes.add_pass(conversion::create_control_flow_to_llvm());
    if passes.run(&mut module).is_err() {
        return Err(caught.take_errors("lowering collectives"));
    }
    let module = to_llvm(module.as_operation(), &caught, llvm)?;
    let broken = |why: inkwell::support::LLVMString| {
        vec![
            Diagnostic::error(codes::INTERNAL, "what was made for a collective breaks LLVM's rules")
                .cause(why.to_string()),
        ]
    };
    module.verify().map_err(broken)?;
    Ok(module)
}
