//! `hold_epochs`: the epoch of a block (rounds of packets that it has ended) lives in a register of its kernel. Functions of
//! collectives ask for it and set it; a load from memory each time would cost a tenth of a small collective.
//!
//! ```text
//! define ptx_kernel void @k(…) {                     define ptx_kernel void @k(…) {
//!                                                      %epoch = alloca i64
//!                                                      %0 = call i64 @__gicc_epoch_load()
//!                                                      store i64 %0, ptr %epoch
//!   %1 = call i64 @__gicc_epoch_get()                  %1 = load i64, ptr %epoch
//!   …                                                  …
//!   call void @__gicc_epoch_set(i64 %2)                store i64 %2, ptr %epoch
//!   ret void                                           %3 = load i64, ptr %epoch
//!                                                      call void @__gicc_epoch_store(i64 %3)
//!                                                      ret void
//! ```
//!
//! Functions that use it are inlined into their kernels first. Where one may not be (it is `noinline`, or calls itself), every
//! use in the module goes to memory: the block meets before the epoch is stored, when all have read it, and after.
//!
//! Requires: `materialise`. Ensures: nobody asks for the epoch or sets it. Preserves: everything else.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetMachine;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, PointerValue};

use crate::diagnostic::Diagnostic;
use crate::llvm::{Call, call, calls_to, defined_functions, instructions, is_kernel, replace, run_passes};

const GET: &str = "__gicc_epoch_get";
const SET: &str = "__gicc_epoch_set";

/// Gives every use of the epoch its place.
pub(crate) fn run<'c>(context: &'c Context, module: &Module<'c>, machine: &TargetMachine) -> Result<(), Diagnostic> {
    if uses(module).is_empty() {
        return Ok(());
    }
    bring_into_kernels(context, module, machine)?;
    let in_kernels = uses(module).iter().all(|use_| is_kernel(function_of(use_)));
    let mut held: Vec<(FunctionValue<'c>, PointerValue<'c>)> = Vec::new();
    for site in calls_to(module, GET) {
        let value = if in_kernels {
            let epoch = holder(module, &mut held, function_of(&site));
            load(module, site.instruction, epoch)
        } else {
            call(module, site.instruction, "__gicc_epoch_load", context.i64_type().fn_type(&[], false), &[])
                .expect("it has a result")
        };
        replace(site.instruction, Some(value));
    }
    for site in calls_to(module, SET) {
        let value = site.argument(0).expect("it has one argument");
        if in_kernels {
            let epoch = holder(module, &mut held, function_of(&site));
            let builder = context.create_builder();
            builder.position_before(&site.instruction);
            builder.build_store(epoch, value).expect("the builder has a position");
        } else {
            meet(module, site.instruction);
            store(module, site.instruction, value);
            meet(module, site.instruction);
        }
        replace(site.instruction, None);
    }
    Ok(())
}

fn uses<'c>(module: &Module<'c>) -> Vec<Call<'c>> {
    let mut uses = calls_to(module, GET);
    uses.extend(calls_to(module, SET));
    uses
}

fn function_of<'c>(site: &Call<'c>) -> FunctionValue<'c> {
    let block = site.instruction.get_parent().expect("a call stands in a block");
    block.get_parent().expect("a block stands in a function")
}

/// Inlines the functions that use the epoch, as far as they may be, until only kernels do.
fn bring_into_kernels<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &TargetMachine,
) -> Result<(), Diagnostic> {
    let kind = Attribute::get_named_enum_kind_id;
    let has = |f: FunctionValue<'_>, name| f.get_enum_attribute(AttributeLoc::Function, kind(name)).is_some();
    let mut before = Vec::new();
    loop {
        let mut outside: Vec<FunctionValue<'c>> = uses(module).iter().map(function_of).collect();
        outside.retain(|f| !is_kernel(*f) && !has(*f, "noinline"));
        outside.dedup();
        let names: Vec<_> = outside.iter().map(|f| f.get_name().to_owned()).collect();
        // A function that calls itself stays; each round brings the others one call nearer to their kernels.
        if outside.is_empty() || names == before {
            return Ok(());
        }
        before = names;
        for function in &outside {
            function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(kind("alwaysinline"), 0));
        }
        for function in defined_functions(module).into_iter().filter(|f| !is_kernel(*f)) {
            function.set_linkage(Linkage::Internal);
        }
        run_passes(module, machine, "always-inline,globaldce")?;
    }
}

/// The variable of a kernel; where it is asked for the first time, it is loaded at the entry and written back at the ends.
fn holder<'c>(
    module: &Module<'c>,
    held: &mut Vec<(FunctionValue<'c>, PointerValue<'c>)>,
    kernel: FunctionValue<'c>,
) -> PointerValue<'c> {
    if let Some((_, epoch)) = held.iter().find(|(f, _)| *f == kernel) {
        return *epoch;
    }
    let context = module.get_context();
    let wide = context.i64_type();
    let first =
        kernel.get_first_basic_block().and_then(|b| b.get_first_instruction()).expect("a kernel has an instruction");
    let builder = context.create_builder();
    builder.position_before(&first);
    let epoch = builder.build_alloca(wide, "epoch").expect("the builder has a position");
    let loaded = call(module, first, "__gicc_epoch_load", wide.fn_type(&[], false), &[]).expect("it has a result");
    builder.build_store(epoch, loaded).expect("the builder has a position");
    for end in instructions(kernel).into_iter().filter(|i| i.get_opcode() == InstructionOpcode::Return) {
        let now = load(module, end, epoch);
        store(module, end, now);
    }
    held.push((kernel, epoch));
    epoch
}

fn load<'c>(module: &Module<'c>, before: InstructionValue<'c>, epoch: PointerValue<'c>) -> BasicValueEnum<'c> {
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&before);
    builder.build_load(context.i64_type(), epoch, "").expect("the builder has a position")
}

fn store<'c>(module: &Module<'c>, before: InstructionValue<'c>, epoch: BasicValueEnum<'c>) {
    let context = module.get_context();
    let ty = context.void_type().fn_type(&[context.i64_type().into()], false);
    call(module, before, "__gicc_epoch_store", ty, &[epoch]);
}

fn meet<'c>(module: &Module<'c>, before: InstructionValue<'c>) {
    let context = module.get_context();
    let ty = context.void_type().fn_type(&[context.i32_type().into()], false);
    call(module, before, "llvm.nvvm.barrier.cta.sync.aligned.all", ty, &[context.i32_type().const_zero().into()]);
}
