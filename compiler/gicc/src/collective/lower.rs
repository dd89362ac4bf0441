//! What level H makes for a collective, entries and roots, becomes LLVM IR. MLIR's context is made for one use, and only where
//! that was not kept from before.

use inkwell::context::Context;
use inkwell::module::Module;
use melior::dialect::{DialectHandle, DialectRegistry};
use melior::pass::{PassManager, conversion};
use melior::utility::register_all_llvm_translations;

use super::{Signature, expansion, is_root, root};
use crate::diagnostic::{Diagnostic, codes};
use crate::dialect::{Caught, parse_text, to_llvm};

/// A context with what expansions consist of, and no more: registering all of MLIR takes longer than the rest.
fn context() -> melior::Context {
    let registry = DialectRegistry::new();
    // SAFETY: the handle is a constant of MLIR's.
    let arith = unsafe { DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__arith__()) };
    for dialect in [DialectHandle::llvm(), DialectHandle::scf(), DialectHandle::cf(), arith] {
        dialect.insert_dialect(&registry);
    }
    let context = melior::Context::new_with_registry(&registry, false);
    register_all_llvm_translations(&context);
    context
}

/// A module of LLVM IR with the entries of these signatures, which are distinct and exist. `lean`: roots, and what they call, are
/// declared only.
pub(crate) fn lower<'l>(
    llvm: &'l Context,
    signatures: &[Signature],
    lean: bool,
) -> Result<Module<'l>, Vec<Diagnostic>> {
    lowered(llvm, &expansion(signatures, &|symbol| lean && is_root(symbol)))
}

/// A module of LLVM IR with a root and what it calls; nothing where no root has the symbol.
pub(crate) fn lower_root<'l>(llvm: &'l Context, symbol: &str) -> Result<Option<Module<'l>>, Vec<Diagnostic>> {
    root::text(symbol).map(|text| lowered(llvm, &text)).transpose()
}

fn lowered<'l>(llvm: &'l Context, text: &str) -> Result<Module<'l>, Vec<Diagnostic>> {
    let context = context();
    let caught = Caught::new(&context);
    let mut module = parse_text(&context, &caught, text)?;
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
