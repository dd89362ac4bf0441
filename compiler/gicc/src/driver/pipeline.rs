//! The order of passes. Nothing else decides what runs when.
//!
//! ```text
//! mlir, mlir-expand, mlir-lower: of MLIR inputs, see frontend::mlir
//! frontend      read, link inputs
//! verify        verify_intrinsics, verify_assembly → team_facts → simplify → fallbacks, check_calls, check_domains
//!               → module_record::collect → check_errors
//! materialise   materialise, hold_epochs, drop_last_meeting: collectives become functions
//!               units: roots of collectives go the way from here to PTX on their own, or come from the cache
//! link          link_runtime → team_facts → inline, simplify
//! place-fences  place_fences → module_record::write
//!               ── the fork ──► sim: a program for the simulator
//! lower         nvptx: math, lower_atomics, lower_orderings, lower_team
//! optimize      O3
//! ptx, cubin    LLVM's back end, ptxas
//! ```
//!
//! An examination (`gicc check`, `gicc explain`) makes no code:
//!
//! ```text
//! frontend      read, link inputs
//! verify        verify_intrinsics, verify_assembly, annotations → team_facts → simplify → check_calls, check_domains
//!               → materialise
//! link          link_runtime → team_facts → not_local → inline_all → inline, simplify
//! place-fences  place_fences → unroll
//!               analysis of each kernel: `Communication`
//! ```
//!
//! Why in this order:
//! - `verify_intrinsics` and `verify_assembly` first: LLVM aborts on syncscopes, targets and operands that it does not know.
//! - Simplification before `check_calls`: constants reach the calls through the inlined templates of `gicc.cuh`.
//! - `check_calls`, `check_domains` and `collect` before `link_runtime`: afterwards the calls are gone.
//! - `check_domains` on a copy of the module, with everything inlined: annotations must not change what is compiled.
//! - `check_errors` where waits are still calls, and last of its stage, so that the others see the user's program alone.
//! - `materialise` behind `check_calls`, where constants have reached the calls, and before `link_runtime`, since what it
//!   makes calls the device runtime.
//! - `drop_last_meeting` behind `hold_epochs`, which brings collectives into their kernels.
//! - Simplification before `place_fences`: stores to variables that live in registers must not look like memory.
//! - Annotations before the first simplification, which takes packets apart and cannot see through annotated variables.
//! - `inline_all` before the second one: pointers flow through the caller's memory only where both are one body.
//! - `math` after the fork: the simulator takes the host's functions.

use std::time::{Duration, Instant};

use gicc_abi::manifest::Kernel;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::targets::TargetMachine;

use super::units::{Units, Workshop};
use super::{Emit, Examination, Options, Stage};
use crate::analysis::annotation::Notes;
use crate::analysis::classify;
use crate::analysis::communication::Communication;
use crate::codegen::{self, nvptx};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::frontend::{self, annotations};
use crate::llvm::{Messages, machine, run_passes, verify};
use crate::transform::materialise::Extent;
use crate::transform::{
    check_calls, check_domains, check_errors, drop_last_meeting, fallbacks, hold_epochs, inline_all, link_runtime,
    materialise, module_record, not_local, place_fences, team_facts, verify_assembly, verify_intrinsics,
};

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

/// What simplification runs: enough that constants reach calls, and that variables live in registers. Nothing that moves
/// memory operations across calls. Loops are rotated, so that what stands in front of one is executed only by threads that
/// enter it.
pub(super) const SIMPLIFY: &str = "always-inline,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
                        loop-simplify,loop(loop-rotate)),globaldce";

/// What nobody calls goes first. Small functions of the user's are inlined before fences are placed: a call ends what is known.
pub(super) const INLINE: &str = "globaldce,always-inline,cgscc(inline)";

/// The same for an examination, which has every function inlined: callees first, and simplified before they are, so that the
/// variables of thousands of calls do not meet in one body.
const INLINE_ALL: &str = "globaldce,cgscc(inline<only-mandatory>,function<eager-inv>(sroa,early-cse)),always-inline,\
                          cgscc(inline)";

/// What an examination runs behind the placement of fences: loops of a known and small number of iterations become straight
/// code, so that arrays that they index become values.
const UNROLL: &str = "function(loop-simplify,lcssa,loop(indvars,loop-unroll-full),sroa,early-cse<memssa>,\
                      instcombine<no-verify-fixpoint>,simplifycfg)";

/// What runs before LLVM's back end.
pub(super) const OPTIMIZE: &str = "default<O3>,globaldce";

/// Compiles the inputs.
///
/// # Errors
/// [`Failed`] after at least one diagnostic of severity error.
pub fn compile(options: &Options, observer: &mut dyn Observer) -> Result<Compiled, Failed> {
    let context = Context::create();
    let messages = Messages::catch(&context);
    let mut run = Run { options, observer, started: Instant::now() };
    match run.all(&context, &messages) {
        Ok(compiled) => Ok(compiled),
        Err(errors) => {
            debug_assert!(errors.iter().any(|d| d.severity == Severity::Error), "a failure says why");
            errors.into_iter().for_each(|d| observer.diagnostic(d));
            Err(Failed)
        }
    }
}

/// Finds what communicates in the inputs' kernels, as [`crate::analysis::communication`] describes it. Of `options` the
/// inputs, the architecture, what clang is told and `dump_ir_after` count.
///
/// # Errors
/// [`Failed`] after at least one diagnostic of severity error.
pub fn examine(
    options: &Options,
    examination: &Examination,
    observer: &mut dyn Observer,
) -> Result<Communication, Failed> {
    with_examined(options, examination, observer, &mut |_, found| found)
}

/// Checks the order of the inputs' kernels: what [`examine`] finds is judged by the memory model.
///
/// # Errors
/// [`Failed`] after at least one diagnostic of severity error.
pub fn check(
    options: &Options,
    examination: &Examination,
    observer: &mut dyn Observer,
) -> Result<crate::check::report::Report, Failed> {
    with_examined(options, examination, observer, &mut |module, found| crate::check::check(module, &found))
}

fn with_examined<T>(
    options: &Options,
    examination: &Examination,
    observer: &mut dyn Observer,
    then: &mut dyn FnMut(&Module<'_>, Communication) -> T,
) -> Result<T, Failed> {
    let context = Context::create();
    let messages = Messages::catch(&context);
    let mut run = Run { options, observer, started: Instant::now() };
    run.examined(&context, &messages, examination, then).map_err(|errors| {
        errors.into_iter().for_each(|d| observer.diagnostic(d));
        Failed
    })
}

/// One compilation under way.
struct Run<'a> {
    options: &'a Options,
    observer: &'a mut dyn Observer,
    started: Instant,
}

/// What is compiled.
struct Program<'c, 'm> {
    module: &'m Module<'c>,
    /// What of it is compiled on its own; from `materialise` on.
    units: Units<'c>,
    messages: &'m Messages,
}

impl<'c> Program<'c, '_> {
    /// All of it, as it is after a stage.
    fn whole(&self, stage: Stage) -> Step<Module<'c>> {
        self.units.whole(self.messages, self.module, stage)
    }
}

/// What the front end leaves.
enum Front<'c> {
    Module(Module<'c>),
    /// The compilation ends with MLIR.
    Mlir(String),
}

type Step<T> = Result<T, Vec<Diagnostic>>;

/// Makes one diagnostic a list.
fn one(diagnostic: Diagnostic) -> Vec<Diagnostic> {
    vec![diagnostic]
}

impl Run<'_> {
    fn all(&mut self, context: &Context, messages: &Messages) -> Step<Compiled> {
        let machine = machine(self.options.arch).map_err(one)?;
        let module = match self.frontend(context, messages, &machine)? {
            Front::Module(module) => module,
            Front::Mlir(text) => {
                return Ok(Compiled { products: vec![(Emit::Mlir, text.into_bytes())], kernels: Vec::new() });
            }
        };
        let mut program = Program { module: &module, units: Units::default(), messages };
        let module = program.module;
        if self.ends(Stage::Frontend, &program)? {
            return self.ir_products(module, &machine);
        }
        let apart = self.has_units();
        let facts = self.verify(module, &machine)?;
        if self.ends(Stage::Verify, &program)? {
            return self.ir_products(module, &machine);
        }
        let extent = if apart { Extent::Entries(self.options.cache.as_ref()) } else { Extent::Whole };
        let remarks = materialise::run(context, messages, module, extent)?;
        remarks.into_iter().for_each(|d| self.observer.diagnostic(d));
        hold_epochs::run(context, module, &machine).map_err(one)?;
        drop_last_meeting::run(module);
        if apart {
            let workshop = Workshop { context, messages, machine: &machine, options: self.options };
            program.units = Units::of(&workshop, module, &self.shown())?;
        }
        if self.ends(Stage::Materialise, &program)? {
            return self.ir_products(module, &machine);
        }
        link_runtime::run(context, messages, module)?;
        team_facts::run(module);
        run_passes(module, &machine, INLINE).map_err(one)?;
        run_passes(module, &machine, SIMPLIFY).map_err(one)?;
        if self.ends(Stage::Link, &program)? {
            return self.ir_products(module, &machine);
        }
        let remarks = place_fences::run(module).map_err(one)?;
        remarks.into_iter().for_each(|d| self.observer.diagnostic(d));
        module_record::write(module, &facts);
        if self.ends(Stage::PlaceFences, &program)? {
            return self.ir_products(module, &machine);
        }
        self.fork(context, &program, &machine)
    }

    fn examined<T>(
        &mut self,
        context: &Context,
        messages: &Messages,
        examination: &Examination,
        then: &mut dyn FnMut(&Module<'_>, Communication) -> T,
    ) -> Step<T> {
        let machine = machine(self.options.arch).map_err(one)?;
        let module = match self.frontend(context, messages, &machine)? {
            Front::Module(module) => module,
            Front::Mlir(_) => {
                return Err(one(Diagnostic::error(codes::BAD_OPTIONS, "an examination does not end with MLIR")));
            }
        };
        let program = Program { module: &module, units: Units::default(), messages };
        let module = program.module;
        self.ends(Stage::Frontend, &program)?;
        verify_intrinsics::run(module)?;
        verify_assembly::run(module)?;
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        let notes = annotations::read(module, &examination.side_files)?;
        let for_domains = check_domains::concerns(module).then(|| module.clone());
        team_facts::run(module);
        fallbacks::keep(module);
        run_passes(module, &machine, SIMPLIFY).map_err(one)?;
        fallbacks::run(module)?;
        check_calls::run(module)?;
        if let Some(copy) = for_domains {
            self.domains(&copy, &machine, &notes)?;
        }
        let unchecked = check_errors::unchecked(module, self.options.check_errors);
        self.ends(Stage::Verify, &program)?;
        materialise::run(context, messages, module, Extent::Nothing)?;
        hold_epochs::run(context, module, &machine).map_err(one)?;
        drop_last_meeting::run(module);
        link_runtime::link(context, messages, module)?;
        team_facts::run(module);
        not_local::run(module);
        inline_all::run(module);
        run_passes(module, &machine, INLINE_ALL).map_err(one)?;
        run_passes(module, &machine, SIMPLIFY).map_err(one)?;
        self.ends(Stage::Link, &program)?;
        let remarks = place_fences::run(module).map_err(one)?;
        remarks.into_iter().for_each(|d| self.observer.diagnostic(d));
        run_passes(module, &machine, UNROLL).map_err(one)?;
        self.ends(Stage::PlaceFences, &program)?;
        let settings = classify::Settings {
            notes,
            assume: examination.assume,
            // What clang made of CUDA C++ was given CUDA's meaning already, and gicc compiles it as it says.
            trust_atomics: self.options.inputs.iter().all(|i| frontend::is_source(i)),
            foreign: self.options.tools.cuda.iter().map(|c| c.display().to_string()).collect(),
        };
        let found = classify::module(module, &machine.get_target_data(), &settings);
        let found = Communication { unchecked, ..found };
        if found.kernels.is_empty() {
            self.observer.diagnostic(
                Diagnostic::warning(codes::NO_KERNEL, "there is no kernel in the input")
                    .cure("mark an entry with __global__"),
            );
        }
        Ok(then(module, found))
    }

    fn frontend<'c>(&mut self, context: &'c Context, messages: &Messages, machine: &TargetMachine) -> Step<Front<'c>> {
        let mut warnings = Vec::new();
        let options = self.options;
        let last = match (options.stop_after, &options.emit[..]) {
            (None, [Emit::Mlir]) => Some(Stage::MlirLower),
            (stage, _) => stage,
        };
        let mut text = String::new();
        let mut stage = |stage: Stage, print: &dyn Fn() -> String| {
            self.observer.finished(stage, self.started.elapsed());
            if options.dump_ir_after.contains(&stage) {
                self.observer.dump(stage, &print());
            }
            let ends = last == Some(stage);
            if ends {
                text += &print();
            }
            self.started = Instant::now();
            ends
        };
        let read = frontend::read(context, messages, options, &mut stage, &mut warnings);
        warnings.into_iter().for_each(|d| self.observer.diagnostic(d));
        let module = match read? {
            frontend::Read::Module(module) => module,
            frontend::Read::Mlir => return Ok(Front::Mlir(text)),
        };
        if last.is_some_and(Stage::has_mlir) {
            return Err(one(Diagnostic::error(codes::BAD_OPTIONS, "no input is MLIR, so there is no MLIR to show")
                .cause("CUDA C++ and LLVM IR do not go through MLIR")
                .cure("use --emit llvm, or a stage from `frontend` on")));
        }
        // Bitcode of clang already says this; IR from elsewhere may say nothing. Another target is refused in a moment.
        if module.get_triple().as_str().is_empty() {
            module.set_triple(&machine.get_triple());
        }
        Ok(Front::Module(module))
    }

    /// Whether units are compiled on their own: where the program becomes PTX.
    fn has_units(&self) -> bool {
        match self.options.stop_after {
            None => self.options.emit.iter().any(|e| matches!(e, Emit::Ptx | Emit::Cubin)),
            Some(stage) => matches!(stage, Stage::Ptx | Stage::Cubin),
        }
    }

    /// The stages after which somebody gets the program as IR.
    fn shown(&self) -> Vec<Stage> {
        let products = self.options.emit.iter().filter_map(|emit| match emit {
            Emit::Llvm | Emit::Bitcode => Some(Stage::Optimize),
            Emit::Sim => Some(Stage::PlaceFences),
            _ => None,
        });
        let has_units = Stage::Materialise..Stage::Ptx;
        self.options.dump_ir_after.iter().copied().chain(products).filter(|stage| has_units.contains(stage)).collect()
    }

    fn verify(&mut self, module: &Module<'_>, machine: &TargetMachine) -> Step<module_record::Facts> {
        verify_intrinsics::run(module)?;
        verify_assembly::run(module)?;
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        let for_domains = check_domains::concerns(module).then(|| module.clone());
        let domains = annotations::remove(module)?;
        team_facts::run(module);
        fallbacks::keep(module);
        run_passes(module, machine, SIMPLIFY).map_err(one)?;
        fallbacks::run(module)?;
        check_calls::run(module)?;
        if let Some(copy) = for_domains {
            let notes = annotations::read(&copy, &[])?;
            self.domains(&copy, machine, &notes)?;
        }
        let facts = module_record::collect(module, domains)?;
        let kernels = codegen::describe(module, &machine.get_target_data());
        if kernels.is_empty() {
            self.observer.diagnostic(
                Diagnostic::warning(codes::NO_KERNEL, "there is no kernel in the input")
                    .cure("mark an entry with __global__"),
            );
        } else if !facts.communicates {
            self.observer.diagnostic(
                Diagnostic::remark(codes::NO_COMMUNICATION, "no kernel here calls gicc: nothing communicates")
                    .cause("stores that nobody marked are left as they are without --implicit"),
            );
        }
        if check_errors::prepare(module, self.options.check_errors) {
            run_passes(module, machine, SIMPLIFY).map_err(one)?;
        }
        let told = check_errors::run(module, self.options.check_errors)?;
        told.into_iter().for_each(|d| self.observer.diagnostic(d));
        Ok(facts)
    }

    /// Checks what initiations say of domains, on a copy of the module that nobody needs afterwards.
    fn domains(&mut self, copy: &Module<'_>, machine: &TargetMachine, notes: &Notes) -> Step<()> {
        if notes.domains.is_empty() || notes.domains_with_members().is_empty() {
            return Ok(());
        }
        inline_all::run(copy);
        run_passes(copy, machine, INLINE_ALL).map_err(one)?;
        run_passes(copy, machine, SIMPLIFY).map_err(one)?;
        let remarks = check_domains::run(copy, &machine.get_target_data(), notes)?;
        remarks.into_iter().for_each(|d| self.observer.diagnostic(d));
        Ok(())
    }

    /// Reports the stage, dumps its IR where asked; whether the compilation ends here.
    fn ends(&mut self, stage: Stage, program: &Program<'_, '_>) -> Step<bool> {
        if self.options.verify_each {
            verify(program.module, &format!("stage `{}`", stage.name())).map_err(one)?;
        }
        self.observer.finished(stage, self.started.elapsed());
        if self.options.dump_ir_after.contains(&stage) {
            self.observer.dump(stage, &program.whole(stage)?.print_to_string().to_string());
        }
        self.started = Instant::now();
        Ok(self.options.stop_after == Some(stage))
    }

    /// The IR as it is now, for each product that is IR. With `stop_after` there is no other product.
    fn ir_products(&mut self, module: &Module<'_>, machine: &TargetMachine) -> Step<Compiled> {
        let kernels = codegen::describe(module, &machine.get_target_data());
        let products = self
            .options
            .emit
            .iter()
            .map(|&emit| match emit {
                Emit::Bitcode => (emit, module.write_bitcode_to_memory().as_slice().to_vec()),
                _ => (Emit::Llvm, module.print_to_string().to_string().into_bytes()),
            })
            .collect();
        Ok(Compiled { products, kernels })
    }

    /// GPU and simulator part here.
    fn fork<'c>(&mut self, context: &'c Context, program: &Program<'c, '_>, machine: &TargetMachine) -> Step<Compiled> {
        let kernels = codegen::describe(program.module, &machine.get_target_data());
        let wants = |e: Emit| self.options.emit.contains(&e);
        let simulated = if wants(Emit::Sim) { Some(self.simulated(context, program, machine)?) } else { None };
        let mut products = Vec::new();
        if Emit::ALL.iter().any(|&e| e != Emit::Sim && wants(e)) {
            self.gpu(context, program, machine, &mut products)?;
        }
        if let Some(program) = simulated {
            products.push((Emit::Sim, program));
        }
        products.sort_by_key(|(e, _)| self.options.emit.iter().position(|w| w == e));
        Ok(Compiled { products, kernels })
    }

    fn simulated<'c>(
        &mut self,
        context: &'c Context,
        program: &Program<'c, '_>,
        machine: &TargetMachine,
    ) -> Step<Vec<u8>> {
        let source = self.options.inputs.first().map(|p| p.display().to_string()).unwrap_or_default();
        // The GPU's part may link libdevice instead.
        let module = program.whole(Stage::PlaceFences)?;
        nvptx::link_own_math(context, program.messages, &module, &self.options.tools)?;
        run_passes(&module, machine, "globaldce").map_err(one)?;
        let (_, bytes) = codegen::sim::emit_bytes(&module, &source)?;
        Ok(bytes)
    }

    fn gpu<'c>(
        &mut self,
        context: &'c Context,
        program: &Program<'c, '_>,
        machine: &TargetMachine,
        products: &mut Vec<(Emit, Vec<u8>)>,
    ) -> Step<()> {
        let arch = self.options.arch;
        let &Program { module, messages, .. } = program;
        nvptx::link_math(context, messages, module, &self.options.tools)?;
        nvptx::lower(module, arch)?;
        if self.ends(Stage::Lower, program)? {
            products.extend(self.ir_products(module, machine)?.products);
            return Ok(());
        }
        run_passes(module, machine, OPTIMIZE).map_err(one)?;
        let stop = self.ends(Stage::Optimize, program)?;
        for &emit in self.options.emit.iter().filter(|e| matches!(e, Emit::Llvm | Emit::Bitcode)) {
            let module = program.whole(Stage::Optimize)?;
            let bytes = match emit {
                Emit::Bitcode => module.write_bitcode_to_memory().as_slice().to_vec(),
                _ => module.print_to_string().to_string().into_bytes(),
            };
            products.push((emit, bytes));
        }
        if stop {
            if products.is_empty() {
                products.extend(self.ir_products(module, machine)?.products);
            }
            return Ok(());
        }
        if !self.options.emit.iter().any(|e| matches!(e, Emit::Ptx | Emit::Cubin)) {
            return Ok(());
        }
        let text = program.units.join(&nvptx::ptx(module, machine, messages).map_err(one)?)?;
        self.observer.finished(Stage::Ptx, self.started.elapsed());
        self.started = Instant::now();
        if self.options.emit.contains(&Emit::Cubin) && self.options.stop_after != Some(Stage::Ptx) {
            let code = nvptx::assemble(&text, arch, &self.options.tools).map_err(one)?;
            self.observer.finished(Stage::Cubin, self.started.elapsed());
            products.push((Emit::Cubin, code));
        }
        if self.options.emit.contains(&Emit::Ptx) || self.options.stop_after == Some(Stage::Ptx) {
            products.push((Emit::Ptx, text.into_bytes()));
        }
        Ok(())
    }
}
