//! Step 1: sources become one LLVM module.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `language` | which language an input is |
//! | `cuda` | CUDA C++, through clang |
//! | `dialect` | what NVIDIA's compiler accepts and clang does not |
//! | `mlir` | MLIR |
//! | `ir` | LLVM IR and bitcode |
//! | `ir_lines` | textual IR gets the lines of its own text |
//! | `annotations` | annotations and packets of a module, and files of annotations; read after the inputs are linked |
//! | `headers` | the headers that gicc supplies |
//! | `normalize` | CUDA's atomics get the meaning that CUDA gives them; fences of a single thread bind only the compiler |
//!
//! Not here: anything that understands gicc's intrinsics.

pub(crate) mod annotations;
mod cuda;
mod dialect;
mod headers;
mod ir;
mod ir_lines;
mod language;
mod mlir;
mod normalize;

use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;

use crate::diagnostic::{Diagnostic, codes};
use crate::driver::{Options, Stage};
use crate::llvm::Messages;
use language::Language;

/// Whether an input is a source that clang compiles, rather than IR.
pub(crate) fn is_source(input: &Path) -> bool {
    matches!(language::of(input), Ok(Language::Cuda))
}

/// What the inputs became.
#[derive(Debug)]
pub enum Read<'c> {
    /// One module of LLVM IR.
    Module(Module<'c>),
    /// MLIR: a stage was reached that the compilation ends with.
    Mlir,
}

/// Called after each stage of MLIR, with the way to its text; whether the compilation ends here.
pub type MlirStage<'a> = dyn FnMut(Stage, &dyn Fn() -> String) -> bool + 'a;

/// Reads every input and links them into one module.
///
/// # Errors
/// All that is wrong with the first input that has something wrong.
pub fn read<'c>(
    context: &'c Context,
    messages: &Messages,
    options: &Options,
    stage: &mut MlirStage<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Read<'c>, Vec<Diagnostic>> {
    let mut whole: Option<Module<'c>> = None;
    let mut stopped = false;
    for input in &options.inputs {
        let Some(module) = read_one(context, messages, options, input, stage, warnings)? else {
            stopped = true;
            continue;
        };
        normalize::compiler_fences(&module);
        match &whole {
            None => whole = Some(module),
            Some(first) => link(first, module, messages, input)?,
        }
    }
    if stopped {
        return Ok(Read::Mlir);
    }
    whole.map(Read::Module).ok_or_else(|| {
        vec![
            Diagnostic::error(codes::BAD_OPTIONS, "no input")
                .cure("name a kernel file, for example `gicc kernel.cu -o kernel.ptx`"),
        ]
    })
}

fn read_one<'c>(
    context: &'c Context,
    messages: &Messages,
    options: &Options,
    input: &Path,
    stage: &mut MlirStage<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<Module<'c>>, Vec<Diagnostic>> {
    let module = match language::of(input).map_err(|d| vec![d])? {
        Language::Cuda => {
            let bitcode = cuda::compile(options, input, warnings)?;
            let module = ir::parse_bitcode(context, messages, &bitcode, input).map_err(|d| vec![d])?;
            normalize::cuda_atomics(&module, options.tools.cuda.as_deref());
            Ok(module)
        }
        Language::Mlir => return mlir::read(context, options, input, stage, warnings),
        Language::Ir => ir::read_text(context, messages, input).map_err(|d| vec![d]),
        Language::Bitcode => ir::read_bitcode(context, messages, input).map_err(|d| vec![d]),
    };
    module.map(Some)
}

fn link<'c>(whole: &Module<'c>, part: Module<'c>, messages: &Messages, input: &Path) -> Result<(), Vec<Diagnostic>> {
    whole.link_in_module(part).map_err(|e| {
        let mut why = messages.take_errors();
        why.push(e.to_string());
        why.retain(|w| !w.is_empty());
        vec![
            Diagnostic::error(codes::LINK, format!("`{}` does not link with the inputs before it", input.display()))
                .cause(why.join("; "))
                .cure("a function or variable may be defined in one input only"),
        ]
    })
}
