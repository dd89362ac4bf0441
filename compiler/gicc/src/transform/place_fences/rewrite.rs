//! Phase 4: the plan becomes calls of the ordering family, with a remark for each.

use gicc_abi::codes::{Order, Scope};
use gicc_abi::intrinsics::{self, Type};
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, FunctionType};
use inkwell::values::{BasicValue as _, BasicValueEnum, InstructionValue};

use super::choose::{Choice, Plan, own_order};
use super::sites::{Site, Sites};
use petgraph::graph::NodeIndex;

use crate::analysis::effects::{self, Effect, Requirement};
use crate::analysis::flow::Flow;
use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{call, calls, replace, span};

/// Rewrites a function; remarks in the order of the sites.
pub(super) fn apply<'c>(
    module: &Module<'c>,
    flow: &Flow<'c>,
    sites: &Sites<'c>,
    plan: &Plan,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut remarks = Vec::new();
    for (&node, &scope) in &plan.at_end {
        if let Some(terminator) = flow.graph[node].get_terminator() {
            fence(module, terminator, Order::Release, scope);
        }
    }
    for (n, site) in sites.all.iter().enumerate() {
        let place = span(site.call.instruction);
        let hoisted = plan.choices[n] == Choice::Covered && !plan.at_end.is_empty();
        remarks.push(Diagnostic::remark(codes::FENCE, remark(site, plan.choices[n], hoisted)).at(place));
        one(module, site, plan.choices[n])?;
    }
    Ok(remarks)
}

fn one<'c>(module: &Module<'c>, site: &Site<'c>, choice: Choice) -> Result<(), Diagnostic> {
    let at = site.call.instruction;
    let arguments = site.call.arguments();
    let scope = number(module, site.scope.code());
    let order = |o: Order| number(module, o.code());
    match site.requirement {
        Requirement::Publish => {
            if choice != Choice::Covered {
                fence(module, at, Order::Release, site.scope);
            }
            replace(at, None);
        }
        Requirement::Observe => {
            if choice != Choice::Covered {
                fence(module, at, Order::Acquire, site.scope);
            }
            replace(at, None);
        }
        Requirement::SignalSet | Requirement::SignalAdd => {
            if choice == Choice::Fence {
                fence(module, at, Order::Release, site.scope);
            }
            let name = match site.requirement {
                Requirement::SignalSet => "__gicc_store_u64",
                _ => "__gicc_red_add_u64",
            };
            ordering(module, at, name, &[arguments[0], arguments[1], order(own_order(choice, site.order)), scope]);
            replace(at, None);
        }
        Requirement::Poll => {
            let order = order(if site.order == Some(Order::Relaxed) { Order::Relaxed } else { Order::Acquire });
            let value = ordering(module, at, "__gicc_load_u64", &[arguments[0], order, scope]);
            replace(at, value);
        }
        Requirement::CountAdd => {
            let order = order(Order::AcquireRelease);
            let value = ordering(module, at, "__gicc_atom_add_u64", &[arguments[0], arguments[1], order, scope]);
            replace(at, value);
        }
        Requirement::CountPoll => {
            let value = ordering(module, at, "__gicc_load_u64", &[arguments[0], order(Order::Acquire), scope]);
            replace(at, value);
        }
        Requirement::Count => {
            let value = ordering(
                module,
                at,
                "__gicc_atom_inc_u32",
                &[arguments[0], arguments[1], order(Order::AcquireRelease), scope],
            );
            replace(at, value);
        }
    }
    Ok(())
}

/// A requirement in code that no path reaches is replaced all the same: later stages must not meet one.
pub(super) fn unreachable_requirements(module: &Module<'_>) -> Result<(), Diagnostic> {
    for left in calls(module) {
        if let Effect::Requirement(call, requirement) = effects::of(left.instruction) {
            let node = NodeIndex::end();
            let site = Site { call, requirement, order: None, scope: Scope::System, narrowed: false, node };
            one(module, &site, if requirement == Requirement::Publish { Choice::Fence } else { Choice::Own })?;
        }
    }
    for i in intrinsics::ALL.iter().filter(|i| i.family == intrinsics::Family::Requirement) {
        if let Some(function) = module.get_function(i.name)
            && function.as_global_value().as_pointer_value().get_first_use().is_none()
        {
            // SAFETY: the declaration has no use.
            unsafe { function.delete() };
        }
    }
    Ok(())
}

fn fence<'c>(module: &Module<'c>, at: InstructionValue<'c>, order: Order, scope: Scope) {
    ordering(module, at, "__gicc_fence", &[number(module, order.code()), number(module, scope.code())]);
}

/// Calls a function of the ordering family.
fn ordering<'c>(
    module: &Module<'c>,
    at: InstructionValue<'c>,
    name: &str,
    arguments: &[BasicValueEnum<'c>],
) -> Option<BasicValueEnum<'c>> {
    call(module, at, name, signature(module, name)?, arguments)
}

fn signature<'c>(module: &Module<'c>, name: &str) -> Option<FunctionType<'c>> {
    let known = intrinsics::find(name)?;
    let context = module.get_context();
    let ty = |t: Type| -> BasicMetadataTypeEnum<'c> {
        match t {
            Type::I64 => context.i64_type().into(),
            Type::Ptr => context.ptr_type(inkwell::AddressSpace::default()).into(),
            Type::V2I64 => context.i64_type().vec_type(2).into(),
            Type::I32 | Type::Void => context.i32_type().into(),
        }
    };
    let parameters: Vec<_> = known.parameters.iter().map(|p| ty(p.ty)).collect();
    Some(match known.result {
        Type::Void => context.void_type().fn_type(&parameters, false),
        Type::I32 => context.i32_type().fn_type(&parameters, false),
        Type::I64 => context.i64_type().fn_type(&parameters, false),
        Type::V2I64 => context.i64_type().vec_type(2).fn_type(&parameters, false),
        Type::Ptr => context.ptr_type(inkwell::AddressSpace::default()).fn_type(&parameters, false),
    })
}

fn number<'c>(module: &Module<'c>, code: u32) -> BasicValueEnum<'c> {
    module.get_context().i32_type().const_int(code.into(), false).into()
}

fn remark(site: &Site<'_>, choice: Choice, hoisted: bool) -> String {
    let what = match site.requirement {
        Requirement::Publish => "release",
        Requirement::Observe => "acquire",
        Requirement::SignalSet => "signal",
        Requirement::SignalAdd => "adding signal",
        Requirement::Poll => "wait",
        Requirement::Count | Requirement::CountAdd => "block counter",
        Requirement::CountPoll => "wait for blocks",
    };
    let scope = site.scope.name();
    let narrowed = if site.narrowed { " (narrowed: the destination is this PE)" } else { "" };
    let how = match (site.requirement, choice) {
        (Requirement::Publish, Choice::Covered) => "needs no fence: an earlier one covers it".into(),
        (Requirement::Publish, _) => format!("fence.release.{scope}"),
        (Requirement::Observe, Choice::Covered) => "needs no fence: an earlier one covers it".into(),
        (Requirement::Observe, _) => format!("fence.acquire.{scope}"),
        (Requirement::SignalSet | Requirement::SignalAdd, Choice::Covered) if hoisted => {
            format!("relaxed.{scope}: a fence in front of it, or of its loop, covers it")
        }
        (Requirement::SignalSet | Requirement::SignalAdd, Choice::Covered) => {
            format!("relaxed.{scope}: an earlier fence covers it")
        }
        (Requirement::SignalSet | Requirement::SignalAdd, Choice::Fence) => {
            format!("fence.release.{scope}, shared with later signals, and a relaxed store")
        }
        (Requirement::SignalSet | Requirement::SignalAdd, Choice::Own) => {
            format!("{}.{scope}", own_order(choice, site.order).name())
        }
        (Requirement::Poll, _) => {
            format!("{}.{scope}", if site.order == Some(Order::Relaxed) { "relaxed" } else { "acquire" })
        }
        (Requirement::Count | Requirement::CountAdd, _) => format!("acq_rel.{scope}"),
        (Requirement::CountPoll, _) => format!("acquire.{scope}"),
    };
    format!("{what}: {how}{narrowed}")
}
