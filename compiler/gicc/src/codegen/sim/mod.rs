//! Level L with placed fences becomes a shared object for the simulator (`gicc-sim`), for the host's processor.
//!
//! The steps, in their order:
//!
//! 1. copy the module; refuse what cannot be run (`check`);
//! 2. promote local variables to registers, so that they are no memory accesses (`sroa`);
//! 3. inline PTX becomes functions (`assembly`), intrinsics become calls of the library or the simulator (`intrinsic`),
//!    accesses to memory become calls of the simulator (`memory`), shared variables become offsets (`globals`), and what
//!    the host would do otherwise than a GPU is guarded (`guard`);
//! 4. kernels get wrappers (`kernel`); the library (`library`) is linked and inlined; each call of the simulator gets its
//!    site (`entry`, `site`); the description is added (`describe`);
//! 5. O2 for the host, an object file, a shared object (`object`).
//!
//! The interface between the two sides is `gicc_abi::sim`. What is not supported is refused here with a located error.
//!
//! Limits: the host is x86-64 Linux with AVX2, FMA and F16C; a cluster is one block; no textures, surfaces, tensor-core
//! or tensor-map instructions; accesses of one thread happen in program order.

mod assembly;
mod check;
mod describe;
mod entry;
mod globals;
mod guard;
mod intrinsic;
mod ir;
mod kernel;
mod library;
mod memory;
mod module;
mod object;
mod site;
mod to_integer;

use std::path::Path;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;

use crate::diagnostic::Diagnostic;
use crate::llvm::Messages;

/// Codes of this step's diagnostics.
pub mod codes {
    /// LLVM itself refused.
    pub const LLVM: &str = "E0601";
    /// An access that the simulator does not have.
    pub const ACCESS: &str = "E0602";
    /// An atomic operation that the simulator does not have.
    pub const ATOMIC: &str = "E0603";
    /// A synchronisation scope that the target does not have.
    pub const SCOPE: &str = "E0604";
    /// A function or variable that is nowhere defined.
    pub const UNDEFINED: &str = "E0605";
    /// An instruction or intrinsic that the simulator does not have.
    pub const UNSUPPORTED: &str = "E0606";
    /// Inline PTX that the simulator does not have, or that is wrong.
    pub const ASSEMBLY: &str = "E0607";
    /// A use of a shared variable that is not supported.
    pub const SHARED: &str = "E0608";
    /// A gicc intrinsic that should have been lowered before, or has a bad argument.
    pub const INTRINSIC: &str = "E0609";
    /// No linker was found, or it failed.
    pub const LINKER: &str = "E0610";
    /// The output cannot be written.
    pub const OUTPUT: &str = "E0611";
}

/// The library function that checks an offset into a local array.
const fn local_check_name() -> &'static str {
    "sim.lib.local"
}

/// What has been made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What the program says of itself, as it also stands in the file.
    pub description: gicc_abi::sim::Description,
}

/// Makes a program for the simulator of a module at level L whose fences are placed, and writes it to `output`, whole or
/// not at all. `source` names the source in messages. The module is not changed.
///
/// # Errors
///
/// All that the simulator cannot run, each with its place in the source; or why the file could not be made.
pub fn emit(module: &Module, source: &str, output: &Path) -> Result<Program, Vec<Diagnostic>> {
    let context = Context::create();
    let messages = Messages::catch(&context);
    let bitcode = module.write_bitcode_to_memory();
    // A buffer made by LLVM ends with the zero byte that reading wants; a copy of it is made to be sure.
    let copy = MemoryBuffer::create_from_memory_range_copy(bitcode.as_slice(), source);
    let copy = Module::parse_bitcode_from_buffer(&copy, &context)
        .map_err(|e| vec![Diagnostic::error(codes::LLVM, format!("the module cannot be copied: {e}"))])?;
    let ir = ir::Ir::new(copy.as_mut_ptr());
    let description = rewrite(&ir, source).map_err(|errors| explain(&messages, errors))?;
    object::write(&ir, output).map_err(|e| explain(&messages, vec![e]))?;
    let errors = explain(&messages, Vec::new());
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Program { description })
}

/// Errors, and what LLVM said meanwhile.
fn explain(messages: &Messages, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors
        .extend(messages.take_errors().into_iter().map(|text| Diagnostic::error(codes::LLVM, format!("LLVM: {text}"))));
    errors
}

/// The same, as the bytes of the file.
///
/// # Errors
///
/// As [`emit`].
pub fn emit_bytes(module: &Module, source: &str) -> Result<(Program, Vec<u8>), Vec<Diagnostic>> {
    let unwritable = |e: std::io::Error| {
        vec![Diagnostic::error(codes::OUTPUT, format!("no temporary file can be made for the linker: {e}"))]
    };
    let folder = tempfile::tempdir().map_err(unwritable)?;
    let path = folder.path().join("program.so");
    let program = emit(module, source, &path)?;
    Ok((program, std::fs::read(&path).map_err(unwritable)?))
}

/// All steps but the last.
fn rewrite(ir: &ir::Ir, source: &str) -> Result<gicc_abi::sim::Description, Vec<Diagnostic>> {
    let single = |e| vec![e];
    module::verify(ir, "as it came").map_err(single)?;
    let machine = object::Machine::new().map_err(single)?;
    check::module(ir)?;
    let architecture = intrinsic::architecture(ir);
    module::drop_processor(ir);
    machine.apply(ir);
    module::run_passes(ir, machine.handle(), "function(sroa)").map_err(single)?;
    let library = library::Library::new(ir).map_err(single)?;

    module::inline_runtime(ir);
    module::run_passes(ir, machine.handle(), "always-inline").map_err(single)?;

    let mut errors = Vec::new();
    let functions: Vec<_> = ir.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    for &function in &functions {
        assembly::rewrite(ir, function, &mut errors);
        intrinsic::rewrite(ir, function, architecture, &mut errors);
        kernel::localize_byval_arguments(ir, function);
        memory::rewrite(ir, function, &mut errors);
        guard::insert(ir, function, &mut errors);
    }
    intrinsic::bind(ir, &library, &mut errors);
    globals::check_defined(ir, &mut errors);
    let shared = globals::lay_out_shared(ir);
    shared.rewrite(ir, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    module::drop_attributes(ir);
    let kernels = kernel::wrap(ir);
    library.link(ir).map_err(single)?;
    module::internalize(ir);
    let mut sites = site::Sites::new();
    let mut description = describe::add(ir, source, &kernels, shared, &mut sites, &machine)?;
    entry::define(ir);
    module::verify(ir, "after being rewritten for the simulator").map_err(single)?;
    machine.optimize(ir).map_err(single)?;
    describe::write(ir, &mut description).map_err(single)?;
    Ok(description)
}
