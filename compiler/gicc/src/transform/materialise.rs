//! `materialise`: each call of a collective becomes a call of the function that level H makes for its signature. Calls with
//! the same signature share a function, whatever their counts.
//!
//! ```text
//! call void @__gicc_all_reduce_block(ptr %out, ptr %in, i64 1024, i32 2, i32 0, i32 0)
//!   becomes
//! call void @gicc_all_reduce_block_f32_sum_one_shot(ptr %out, ptr %in, i64 1024)
//! ```
//!
//! A call for a part of the PEs keeps its last three arguments too: start, stride and members.
//!
//! Where the program's units are compiled on their own (`driver/units`), functions of level H are there as far as they are
//! inlined, their entries, with declarations of what those call; as IR, entries are kept in the cache (`driver/entries`).
//!
//! Requires: `check_calls`; user code simplified so far that constants have reached the calls. Ensures: no collective of the
//! interface is left (but for an examination, where each stays and something stands in for it); what was made for them is part of the
//! module. What a collective cannot do is refused at its line, and so is its address. Preserves: everything else. Cost: an MLIR
//! context, only where a collective is called; one for each signature where entries are made apart, and none for those that were kept.

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};
use gicc_abi::intrinsics::{self, Intrinsic};
use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::llvm_sys::core::LLVMGetNamedGlobalAlias;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{BasicValue as _, FunctionValue};

use super::link_runtime::link_module;
use crate::collective::{Collective, FAR_WAIT, Group, MADE_BY_GICC, Refused, Signature, lower, lower_root};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::units::is_declared_root;
use crate::driver::{Cache, entries};
use crate::llvm::{Call, Messages, attribute, call, calls, name_of, replace, span, stand_at};

/// The prefix of the collectives of the interface.
const COLLECTIVE: &str = "__gicc_all_";

/// How much of a collective becomes part of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent<'a> {
    /// All of it.
    Whole,
    /// What is inlined into the program; roots are declared. The cache is where that is kept.
    Entries(Option<&'a Cache>),
    /// Nothing: it stays a call, behind which something stands in for it that does to memory of this PE what it does
    /// (`runtime/device/src/stand_in.cu`). For an examination, which is about the program's own protocol; that of the collectives is
    /// proven elsewhere.
    Nothing,
}

/// Materialises every collective; remarks say which algorithm each has, and why.
pub(crate) fn run<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    extent: Extent<'_>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let sites = sites(module);
    let mut errors = Vec::new();
    let mut remarks = Vec::new();
    let mut signatures = Vec::new();
    for site in &sites {
        let place = span(site.instruction);
        let decided = signature(site).and_then(|(asked, count)| asked.decided(count).map_err(refused));
        let free = |(signature, choice)| name_is_free(module, &signature).map(|()| (signature, choice));
        match decided.and_then(free) {
            Ok((signature, choice)) => {
                remarks.push(Diagnostic::remark(codes::COLLECTIVE, signature.remark(&choice)).at(place));
                signatures.push(signature);
            }
            Err(error) => errors.push(error.at(place)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    address_is_free(module, &sites)?;
    match extent {
        Extent::Nothing => {
            sites.iter().zip(&signatures).for_each(|(site, signature)| stand_in(module, site, signature))
        }
        Extent::Whole | Extent::Entries(_) => {
            sites.iter().zip(&signatures).for_each(|(site, signature)| call_entry(module, site, signature));
        }
    }
    define(context, messages, module, signatures, extent)?;
    Ok(remarks)
}

/// Calls the entry in the place of a collective.
fn call_entry<'c>(module: &Module<'c>, site: &Call<'c>, signature: &Signature) {
    let all = site.arguments();
    let mut arguments = all[..3].to_vec();
    if signature.part {
        arguments.extend(&all[all.len() - 3..]);
    }
    let parameters: Vec<BasicMetadataTypeEnum<'c>> = arguments.iter().map(|a| a.get_type().into()).collect();
    let ty = module.get_context().void_type().fn_type(&parameters, false);
    call(module, site.instruction, &signature.symbol(), ty, &arguments);
    replace(site.instruction, None);
}

/// Refuses to call what the program has under the name of a function that gicc makes.
fn name_is_free(module: &Module<'_>, signature: &Signature) -> Result<(), Diagnostic> {
    let symbol = signature.symbol();
    let taken = |name: &str| {
        Err(Diagnostic::error(codes::UNKNOWN_INTRINSIC, format!("`{name}` is the program's"))
            .cause("gicc makes a function of that name for this collective")
            .cure("name the program's function or variable otherwise: `gicc_all_` and `gicc_collective_` are gicc's"))
    };
    if has_alias(module, &symbol) || has_alias(module, FAR_WAIT) {
        return taken(if has_alias(module, &symbol) { &symbol } else { FAR_WAIT });
    }
    for variable in module.get_globals() {
        let name = variable.get_name().to_string_lossy().into_owned();
        if name == symbol || signature.owns(&name) {
            return taken(&name);
        }
    }
    for function in module.get_functions() {
        let name = name_of(function);
        let is_same = name == symbol && !is_of_gicc(function);
        let is_below = signature.owns(&name) && function.count_basic_blocks() > 0 && !is_of_gicc(function);
        if is_same || is_below && function.get_linkage() != Linkage::Internal {
            return taken(&name);
        }
    }
    Ok(())
}

/// Whether a function is one that level H made, as in IR of gicc's own, where the same ones are merged.
fn is_of_gicc(function: FunctionValue<'_>) -> bool {
    function.get_linkage() == Linkage::LinkOnceODR && attribute(function, MADE_BY_GICC).is_some()
}

fn has_alias(module: &Module<'_>, name: &str) -> bool {
    // SAFETY: the module is alive; the name is given with its length.
    unsafe { !LLVMGetNamedGlobalAlias(module.as_mut_ptr(), name.as_ptr().cast(), name.len()).is_null() }
}

/// Refuses to use a collective otherwise than by calling it.
fn address_is_free(module: &Module<'_>, sites: &[Call<'_>]) -> Result<(), Vec<Diagnostic>> {
    let used = |function: FunctionValue<'_>| {
        let first = function.as_global_value().as_pointer_value().get_first_use();
        std::iter::successors(first, |used| used.get_next_use()).count()
    };
    let called = |function: FunctionValue<'_>| sites.iter().filter(|site| site.callee == function).count();
    let mut collectives = module.get_functions().filter(|f| name_of(*f).starts_with(COLLECTIVE));
    let Some(taken) = collectives.find(|f| used(*f) != called(*f)) else { return Ok(()) };
    Err(vec![
        Diagnostic::error(codes::BAD_ARGUMENT, format!("the address of `{}` is taken", name_of(taken)))
            .cause(
                "a collective's code is made for its call, so it is no function that could be called through a pointer",
            )
            .cure("call it directly"),
    ])
}

/// Calls behind a collective what stands in for it.
fn stand_in<'c>(module: &Module<'c>, site: &Call<'c>, signature: &Signature) {
    let context = module.get_context();
    let Some(next) = site.instruction.get_next_instruction() else { return };
    let (pointer, number) = (context.ptr_type(AddressSpace::default()), context.i32_type());
    let all = site.arguments();
    let copies = match (signature.collective, signature.part) {
        (Collective::AllReduce(_), _) => number.const_int(1, false).into(),
        (Collective::AllGather, true) => all[all.len() - 1],
        (Collective::AllGather, false) => {
            call(module, next, "__gicc_n_pes", number.fn_type(&[], false), &[]).expect("it has a result")
        }
    };
    let parameters = [pointer.into(), pointer.into(), context.i64_type().into(), number.into()];
    let arguments = [all[0], all[1], all[2], copies];
    let name = format!("gicc_rt_stand_in_{}_{}", signature.group.name(), signature.element_bytes());
    call(module, next, &name, context.void_type().fn_type(&parameters, false), &arguments);
    if let Some(called) = next.get_previous_instruction() {
        stand_at(called, site.instruction);
    }
}

/// Defines the entries of signatures, and what is called below them, as far as that is wanted.
fn define<'c>(
    context: &'c Context,
    messages: &Messages,
    module: &Module<'c>,
    mut signatures: Vec<Signature>,
    extent: Extent<'_>,
) -> Result<(), Vec<Diagnostic>> {
    signatures.sort_by_key(Signature::symbol);
    signatures.dedup();
    let link = |part| link_module(messages, module, part, "a collective").map_err(|d| vec![d]);
    match extent {
        Extent::Entries(cache) => {
            return signatures.into_iter().try_for_each(|s| link(entries::entry(context, cache, s)?));
        }
        Extent::Whole if !signatures.is_empty() => link(lower(context, &signatures, false)?)?,
        Extent::Whole | Extent::Nothing => {}
    }
    define_roots(context, messages, module)
}

/// Defines the roots that are called and not defined yet, as in IR of gicc's own.
fn define_roots<'c>(context: &'c Context, messages: &Messages, module: &Module<'c>) -> Result<(), Vec<Diagnostic>> {
    let roots: Vec<String> = module.get_functions().filter(|f| is_declared_root(*f)).map(name_of).collect();
    for root in roots {
        // One that the definition of another brought is there already.
        let defined = module.get_function(&root).is_some_and(|f| f.count_basic_blocks() > 0);
        if !defined && let Some(part) = lower_root(context, &root)? {
            link_module(messages, module, part, "a collective").map_err(|d| vec![d])?;
        }
    }
    Ok(())
}

/// The collectives of a module.
fn sites<'c>(module: &Module<'c>) -> Vec<Call<'c>> {
    calls(module).into_iter().filter(|c| name_of(c.callee).starts_with(COLLECTIVE)).collect()
}

/// The signature that a call asks for, whose element type, operation and algorithm are constants; and its count, where it is one.
fn signature(site: &Call<'_>) -> Result<(Signature, Option<i64>), Diagnostic> {
    let name = name_of(site.callee);
    let known = intrinsics::find(&name).expect("the intrinsics were verified");
    let element = code(site, known, "type", "element type", ElementType::from_code)?;
    let algorithm = code(site, known, "algorithm", "algorithm", Algorithm::from_code)?;
    let collective = if name.contains("reduce") {
        Collective::AllReduce(code(site, known, "reduce", "operation", ReduceOp::from_code)?)
    } else {
        Collective::AllGather
    };
    let group = if name.ends_with("_grid") { Group::Grid } else { Group::Block };
    let count = known.parameter("count").and_then(|n| site.constant(n));
    if let Some(count) = count
        && count < 0
    {
        return Err(Diagnostic::error(codes::BAD_SIZE, format!("the count is negative: {count} elements"))
            .cause("counts are signed, so that a difference that went wrong is seen")
            .cure("pass a count of at least 0"));
    }
    Ok((Signature { collective, group, part: name.contains("_part_"), element, algorithm }, count))
}

fn code<T>(
    site: &Call<'_>,
    known: &Intrinsic,
    parameter: &str,
    what: &str,
    of: impl Fn(u64) -> Option<T>,
) -> Result<T, Diagnostic> {
    let Some(number) = known.parameter(parameter).and_then(|n| site.constant(n)) else {
        return Err(Diagnostic::error(codes::BAD_ARGUMENT, format!("the {what} of a collective is no constant"))
            .cause("the compiler makes the collective's code, and for that it has to know it")
            .cure("pass a constant, or branch between calls with one each"));
    };
    of(number.cast_unsigned()).ok_or_else(|| {
        Diagnostic::error(codes::BAD_ARGUMENT, format!("{number} is no {what} of `{}`", known.name))
            .cure("use the enumerations of `gicc/gicc.cuh`")
    })
}

fn refused(why: Refused) -> Diagnostic {
    Diagnostic::error(codes::COLLECTIVE_REFUSED, why.to_string()).cause(why.cause()).cure(why.cure())
}
