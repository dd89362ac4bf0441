//! Units: what of a program is the same in every program, and is compiled on its own. They are the roots of collectives
//! (`collective/root`), most of a collective's code. The program calls them as functions of another file, and their PTX is
//! put beside its own; between compilations it is kept in the cache. It makes no difference for the PTX where a unit comes from.
//!
//! ```text
//! program   … materialise: entries, and declarations of roots → link → place-fences → lower → optimize → ptx ─┐
//! unit      root as level H makes it                          → link → place-fences → lower → optimize → ptx ─┴► PTX
//! ```
//!
//! A unit goes through the same passes as the program ([`super::pipeline`] has their lists), and shares nothing with it but the
//! state variable: functions of the device runtime that both call are there twice, under a name of the unit's.
//!
//! What is shown as IR, and what the simulator gets, is whole: units are linked to the program as they were after the same
//! stage, which is done anew each time; the cache has their PTX only.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::values::FunctionValue;

use super::pipeline::{INLINE, OPTIMIZE, SIMPLIFY};
use super::{Cache, Options, Stage, entries};
use crate::codegen::nvptx;
use crate::collective::{lower_root, signature_of_root, type_of_root};
use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{Messages, defined_functions, machine, name_of, run_passes, verify};
use crate::transform::link_runtime::{link_module, run as link_runtime};
use crate::transform::{place_fences, team_facts};

type Step<T> = Result<T, Vec<Diagnostic>>;

/// The symbols of all units, sorted.
pub fn all() -> Vec<String> {
    crate::collective::roots()
}

/// Puts a unit, and the entry that calls it, into the cache of `options`, unless they are there, for the architecture of
/// `options`; whether they were there.
///
/// # Errors
/// Where LLVM refuses it, there is no cache to put it into, or its folder can't be written to.
pub fn prepare(options: &Options, root: &str) -> Result<bool, Vec<Diagnostic>> {
    let Some(cache) = &options.cache else {
        return Err(vec![
            Diagnostic::error(codes::BAD_OPTIONS, "there is no cache to put a compiled collective into")
                .cause(format!("{} is empty, or there is no home folder", Cache::VARIABLE))
                .cure(format!("name a folder with {}", Cache::VARIABLE)),
        ]);
    };
    if is_kept(cache, root, options) {
        return Ok(true);
    }
    let context = Context::create();
    let messages = Messages::catch(&context);
    let machine = machine(options.arch).map_err(|d| vec![d])?;
    let workshop = Workshop { context: &context, messages: &messages, machine: &machine, options };
    let Some(ptx) = workshop.compile(root, Stage::Ptx, &mut |_, _| ())? else { return Err(vec![missing(root)]) };
    let keep = |key: &str, content: &[u8]| {
        cache.try_store(key, content).map_err(|why| {
            vec![
                Diagnostic::error(codes::UNWRITABLE_OUTPUT, format!("cannot write to `{}`", cache.folder().display()))
                    .cause(why.to_string())
                    .cure(format!("name another folder with {}", Cache::VARIABLE)),
            ]
        })
    };
    keep(&key(root, options), ptx.as_bytes())?;
    if let Some(signature) = signature_of_root(root) {
        let entry = entries::entry(&context, None, signature)?;
        keep(&entries::key(signature), entry.write_bitcode_to_memory().as_slice())?;
    }
    Ok(false)
}

/// How many units, with the entries that call them, are in the cache of `options`, for their architecture; and how many there are.
pub fn prepared(options: &Options) -> (usize, usize) {
    let all = all();
    let is_prepared = |root: &&String| options.cache.as_ref().is_some_and(|cache| is_kept(cache, root, options));
    (all.iter().filter(is_prepared).count(), all.len())
}

fn is_kept(cache: &Cache, root: &str, options: &Options) -> bool {
    let entry = signature_of_root(root).map(entries::key);
    cache.load(&key(root, options)).is_some() && entry.is_none_or(|key| cache.load(&key).is_some())
}

/// What a unit's PTX depends on besides this build of gicc.
fn key(root: &str, options: &Options) -> String {
    format!("unit {root} for {}", options.arch.name)
}

/// What compiling a unit needs besides its name.
pub(super) struct Workshop<'a, 'c> {
    /// LLVM's context, which is the program's too.
    pub(super) context: &'c Context,
    /// What LLVM says.
    pub(super) messages: &'a Messages,
    /// The target.
    pub(super) machine: &'a TargetMachine,
    /// What is compiled, and the cache.
    pub(super) options: &'a Options,
}

/// The units of a program.
#[derive(Default)]
pub(super) struct Units<'c> {
    units: Vec<Unit<'c>>,
}

struct Unit<'c> {
    root: String,
    ptx: String,
    /// Its IR after stages, where somebody wants to see it.
    stages: Vec<(Stage, Module<'c>)>,
}

/// Puts a declaration at the end of the module in the place of a function, with the attributes that roots have.
pub(crate) fn declare<'c>(module: &Module<'c>, function: FunctionValue<'c>) -> FunctionValue<'c> {
    let name = name_of(function);
    let declared = module.add_function("", function.get_type(), Some(Linkage::External));
    function.replace_all_uses_with(declared);
    // SAFETY: nobody uses it any more.
    unsafe { function.delete() };
    declared.as_global_value().set_name(&name);
    for name in ["convergent", "nounwind"] {
        let kind = Attribute::get_named_enum_kind_id(name);
        declared.add_attribute(AttributeLoc::Function, module.get_context().create_enum_attribute(kind, 0));
    }
    declared
}

/// Whether a function is a declaration of a root, of its type. What a program defines itself is the program's, whatever its name.
pub(crate) fn is_declared_root(function: FunctionValue<'_>) -> bool {
    let ty = || function.get_type().print_to_string().to_string();
    function.count_basic_blocks() == 0 && type_of_root(&name_of(function)).is_some_and(|expected| ty() == expected)
}

/// The roots that a module calls, sorted. Wherever they came from, their declarations have the same order and attributes.
fn called_roots(module: &Module<'_>) -> Vec<String> {
    let mut roots: Vec<_> = module.get_functions().filter(|f| is_declared_root(*f)).collect();
    roots.sort_by_key(|f| name_of(*f));
    roots.into_iter().map(|root| name_of(declare(module, root))).collect()
}

impl<'c> Units<'c> {
    /// The units of the roots that a program calls; with their IR after stages that are `shown`.
    pub(super) fn of(workshop: &Workshop<'_, 'c>, program: &Module<'c>, shown: &[Stage]) -> Step<Units<'c>> {
        let roots = called_roots(program);
        let units = roots.into_iter().map(|root| workshop.unit(root, shown)).collect::<Step<_>>()?;
        Ok(Units { units })
    }

    /// The program with its units as one module, after a stage.
    pub(super) fn whole(&self, messages: &Messages, program: &Module<'c>, stage: Stage) -> Step<Module<'c>> {
        let whole = program.clone();
        for unit in &self.units {
            let Some((_, part)) = unit.stages.iter().find(|(s, _)| *s == stage) else {
                let what = format!("`{}` was not kept as it is after the stage `{}`", unit.root, stage.name());
                return Err(vec![Diagnostic::error(codes::INTERNAL, what)]);
            };
            link_module(messages, &whole, part.clone(), &unit.root).map_err(|d| vec![d])?;
            if let Some(root) = whole.get_function(&unit.root) {
                root.set_linkage(Linkage::Internal);
            }
        }
        Ok(whole)
    }

    /// The program's PTX with that of its units.
    pub(super) fn join(&self, program: &str) -> Step<String> {
        let units: Vec<(&str, &str)> = self.units.iter().map(|unit| (&*unit.root, &*unit.ptx)).collect();
        nvptx::join(program, &units).map_err(|d| vec![d])
    }
}

impl<'c> Workshop<'_, 'c> {
    fn unit(&self, root: String, shown: &[Stage]) -> Step<Unit<'c>> {
        let key = key(&root, self.options);
        let cache = self.options.cache.as_ref();
        let kept = cache.and_then(|c| c.load(&key)).and_then(|bytes| String::from_utf8(bytes).ok());
        let mut stages = Vec::new();
        let mut ended = |stage, module: &Module<'c>| {
            if shown.contains(&stage) {
                stages.push((stage, module.clone()));
            }
        };
        // Where the PTX is there, what follows the last stage that is shown need not be done.
        let last = if kept.is_some() { shown.iter().max().copied() } else { Some(Stage::Ptx) };
        let made = last.map(|last| self.compile(&root, last, &mut ended)).transpose()?.flatten();
        if let (Some(ptx), Some(cache)) = (&made, cache) {
            cache.store(&key, ptx.as_bytes());
        }
        let Some(ptx) = kept.or(made) else { return Err(vec![missing(&root)]) };
        Ok(Unit { root, ptx, stages })
    }

    /// Compiles a root to the text of its functions, or up to a stage before; `ended` is told the IR after each.
    fn compile(&self, root: &str, last: Stage, ended: &mut dyn FnMut(Stage, &Module<'c>)) -> Step<Option<String>> {
        let one = |d: Diagnostic| vec![d];
        let Workshop { context, messages, machine, options } = self;
        let Some(module) = lower_root(context, root)? else {
            return Err(one(missing(root)));
        };
        let mut ends = |stage: Stage, module: &Module<'c>| -> Step<bool> {
            if options.verify_each {
                verify(module, &format!("stage `{}` of `{root}`", stage.name())).map_err(one)?;
            }
            ended(stage, module);
            Ok(stage == last)
        };
        module.set_name(root);
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        let top = module.get_function(root).ok_or_else(|| one(missing(root)))?;
        top.set_linkage(Linkage::External);
        if ends(Stage::Materialise, &module)? {
            return Ok(None);
        }
        link_runtime(context, messages, &module)?;
        top.set_linkage(Linkage::External);
        team_facts::run(&module);
        run_passes(&module, machine, INLINE).map_err(one)?;
        run_passes(&module, machine, SIMPLIFY).map_err(one)?;
        if ends(Stage::Link, &module)? {
            return Ok(None);
        }
        // Remarks are about the user's lines, and there are none here.
        place_fences::run(&module).map_err(one)?;
        if ends(Stage::PlaceFences, &module)? {
            return Ok(None);
        }
        // Not earlier: where fences are placed, functions of the device runtime are known by their names.
        rename(&module, top);
        nvptx::lower(&module, options.arch)?;
        nvptx::declare_state(&module);
        if ends(Stage::Lower, &module)? {
            return Ok(None);
        }
        run_passes(&module, machine, OPTIMIZE).map_err(one)?;
        if ends(Stage::Optimize, &module)? {
            return Ok(None);
        }
        let text = nvptx::ptx(&module, machine, messages).map_err(one)?;
        nvptx::functions(&text).map(Some).map_err(one)
    }
}

/// Gives everything below a root a name that no other unit and no program has.
fn rename(module: &Module<'_>, root: FunctionValue<'_>) {
    let prefix = name_of(root);
    // What the names of a collective's functions begin with.
    let stem = prefix.find("_by_").map(|at| &prefix[..at + 4]);
    for function in defined_functions(module).into_iter().filter(|f| *f != root) {
        let name = name_of(function);
        let short = stem.and_then(|stem| name.strip_prefix(stem)).unwrap_or(&name);
        function.as_global_value().set_name(&format!("{prefix}__{short}"));
    }
}

fn missing(root: &str) -> Diagnostic {
    Diagnostic::error(codes::INTERNAL, format!("there is no collective with the root `{root}`"))
}
