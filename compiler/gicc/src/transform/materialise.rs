//! `materialise`: each call of a collective becomes a call of the function that level H makes for its signature. Calls with
//! the same signature (constants included) share a function.
//!
//! ```text
//! call void @__gicc_all_reduce_block(ptr %out, ptr %in, i64 %n, i32 2, i32 0, i32 0)
//!   becomes
//! call void @gicc_all_reduce_block_f32_sum_auto_call(ptr %out, ptr %in, i64 %n)
//! ```
//!
//! A call for a part of the PEs keeps its last three arguments too: start, stride and members.
//!
//! The function holds one operation, `gicc.all_reduce`, and goes through the passes that MLIR input goes through.
//!
//! Where the program's units are compiled on their own (`driver/units`), functions of level H are there as far as they are
//! inlined, with declarations of what they call; as IR they are kept in the cache.
//!
//! Requires: `check_calls`; user code simplified so far that constants have reached the calls. Ensures: no collective of the
//! interface is left; what was made for them is part of the module, also for MLIR input, which calls functions of level H. What
//! a collective cannot do is refused at its line. Preserves: everything else. Cost: an MLIR context, only where a collective is
//! called; one for each signature where entries are kept, and none for those that are.

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};
use gicc_abi::intrinsics::{self, Intrinsic};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::types::BasicMetadataTypeEnum;

use super::link_runtime::link_module;
use crate::collective::{Collective, Group, Refused, Signature, lower, lower_root};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::Cache;
use crate::driver::units::is_declared_root;
use crate::llvm::{Call, Messages, call, calls, name_of, replace, span};

/// The prefix of the collectives of the interface.
const COLLECTIVE: &str = "__gicc_all_";

/// How much of a collective becomes part of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent<'a> {
    /// All of it.
    Whole,
    /// What is inlined into the program; roots are declared. The cache is where that is kept.
    Entries(Option<&'a Cache>),
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
        match signature(site).and_then(|s| s.check().map_err(refused).map(|()| s)) {
            Ok(signature) => {
                remarks.push(Diagnostic::remark(codes::COLLECTIVE, signature.remark()).at(place));
                signatures.push(signature);
            }
            Err(error) => errors.push(error.at(place)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut distinct = signatures.clone();
    distinct.sort_by_key(Signature::symbol);
    distinct.dedup();
    match extent {
        Extent::Whole => {
            if !distinct.is_empty() {
                let part = lower(context, &distinct, false)?;
                link_module(messages, module, part, "a collective").map_err(|d| vec![d])?;
            }
            define_roots(context, messages, module)?;
        }
        Extent::Entries(cache) => {
            for signature in distinct {
                let part = entry(context, cache, signature)?;
                link_module(messages, module, part, "a collective").map_err(|d| vec![d])?;
            }
        }
    }
    for (site, signature) in sites.iter().zip(&signatures) {
        let all = site.arguments();
        let mut arguments = all[..3].to_vec();
        if signature.part {
            arguments.extend(&all[all.len() - 3..]);
        }
        let parameters: Vec<BasicMetadataTypeEnum<'c>> = arguments.iter().map(|a| a.get_type().into()).collect();
        let ty = context.void_type().fn_type(&parameters, false);
        call(module, site.instruction, &signature.call_symbol(), ty, &arguments);
        replace(site.instruction, None);
    }
    Ok(remarks)
}

/// Defines the roots that MLIR input calls.
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

/// What of a collective is inlined into the program.
fn entry<'c>(context: &'c Context, cache: Option<&Cache>, signature: Signature) -> Result<Module<'c>, Vec<Diagnostic>> {
    let key = format!("entry {}", signature.symbol());
    if let Some(bitcode) = cache.and_then(|c| c.load(&key)) {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, &key);
        if let Ok(module) = Module::parse_bitcode_from_buffer(&buffer, context) {
            return Ok(module);
        }
    }
    let module = lower(context, &[signature], true)?;
    if let Some(cache) = cache {
        cache.store(&key, module.write_bitcode_to_memory().as_slice());
    }
    Ok(module)
}

/// The collectives of a module.
fn sites<'c>(module: &Module<'c>) -> Vec<Call<'c>> {
    calls(module).into_iter().filter(|c| name_of(c.callee).starts_with(COLLECTIVE)).collect()
}

/// The signature of a call whose element type, operation and algorithm are constants.
fn signature(site: &Call<'_>) -> Result<Signature, Diagnostic> {
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
    Ok(Signature { collective, group, part: name.contains("_part_"), element, algorithm, count })
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
