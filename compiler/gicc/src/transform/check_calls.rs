//! `check_calls`: arguments that are constants, and destinations whose origin is plain to see, are checked where the user
//! wrote them. What only run time knows is checked by the device runtime, which sets the error word.
//!
//! ```text
//! %local = alloca [4 x i32]
//! call void @__gicc_put_block(ptr %local, ptr %src, i64 -4, i32 4, i32 1)
//!   E0204: the destination is a local variable        E0203: the size is negative
//! ```
//!
//! Requires: `verify_intrinsics`; user code simplified so far that constants have reached the calls. Ensures: no call of
//! the interface with an argument that is wrong in every execution. Changes nothing. All violations are reported.

use gicc_abi::codes::{Compare, Engine, Order, Protocol, Scope, SignalOp};
use gicc_abi::intrinsics::{self, Family, Intrinsic};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, BasicValue as _, BasicValueEnum, InstructionOpcode};

use crate::diagnostic::{Diagnostic, codes};
use crate::llvm::{Call, calls, name_of, span, stored, strip_casts};

/// Checks every call of the interface.
pub(crate) fn run(module: &Module<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for call in calls(module) {
        let Some(known) = intrinsics::find(&name_of(call.callee)) else { continue };
        if known.family == Family::Interface {
            let place = span(call.instruction);
            let found = check(&call, known);
            errors.extend(found.into_iter().map(|d| d.at(place.clone())));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check(call: &Call<'_>, known: &Intrinsic) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    sizes(call, known, &mut found);
    numbers(call, known, &mut found);
    part(call, known, &mut found);
    engine(call, known, &mut found);
    let name = known.name;
    for (parameter, what) in symmetric_parameters(name) {
        if let Some(value) = known.parameter(parameter).and_then(|n| call.argument(n)) {
            // An initiation need not signal.
            if parameter == "sig" && name.starts_with("__gicc_initiate") && is_null(value) {
                continue;
            }
            found.extend(symmetric(value, what));
        }
    }
    found
}

/// The pointers that must lie in the symmetric heap.
fn symmetric_parameters(name: &str) -> Vec<(&'static str, &'static str)> {
    let mut wanted = Vec::new();
    if ["__gicc_put", "__gicc_channel", "__gicc_initiate"].iter().any(|n| name.starts_with(n)) {
        wanted.push(("dst", "destination"));
    }
    if name.starts_with("__gicc_get") {
        wanted.push(("src", "source"));
    }
    wanted.push(("sig", "signal"));
    wanted.push(("state", "channel's state"));
    if name == "__gicc_peer_ptr" || name.starts_with("__gicc_packet") {
        wanted.push(("p", "address"));
    }
    wanted
}

fn constant(call: &Call<'_>, known: &Intrinsic, parameter: &str) -> Option<i64> {
    call.constant(known.parameter(parameter)?)
}

fn sizes(call: &Call<'_>, known: &Intrinsic, found: &mut Vec<Diagnostic>) {
    let element = constant(call, known, "element");
    if let Some(element) = element
        && element <= 0
    {
        found.push(
            Diagnostic::error(codes::BAD_SIZE, format!("an element of {element} bytes"))
                .cure("an element has at least one byte"),
        );
    }
    for parameter in ["bytes", "capacity"] {
        let Some(bytes) = constant(call, known, parameter) else { continue };
        if bytes < 0 {
            found.push(
                Diagnostic::error(codes::BAD_SIZE, format!("the size is negative: {bytes} bytes"))
                    .cause("sizes are signed, so that a difference that went wrong is seen")
                    .cure("pass a count of at least 0"),
            );
        } else if let Some(element) = element
            && element > 0
            && bytes % element != 0
        {
            found.push(
                Diagnostic::error(
                    codes::BAD_SIZE,
                    format!("the size of {bytes} bytes is no multiple of the element's {element}"),
                )
                .cause("a transfer moves whole elements")
                .cure("pass a multiple of the element's size, or a smaller element type"),
            );
        }
    }
}

/// The part of the PEs that a collective is of.
fn part(call: &Call<'_>, known: &Intrinsic, found: &mut Vec<Diagnostic>) {
    let [start, stride, members] = ["start", "stride", "members"].map(|name| constant(call, known, name));
    let mut refuse = |message: String, cause: &str, cure: &str| {
        found.push(Diagnostic::error(codes::BAD_PE, message).cause(cause).cure(cure));
    };
    let counted = "a team is the PEs start, start + stride and so on, as many as it has";
    if let Some(start) = start.filter(|n| *n < 0) {
        refuse(format!("a team cannot start with PE {start}"), "PEs count from 0", "name the first PE of the team");
    }
    if let Some(stride) = stride.filter(|n| *n < 1) {
        refuse(format!("a team cannot have a stride of {stride}"), counted, "use 1 for PEs that follow each other");
    }
    if let Some(members) = members.filter(|n| *n < 1) {
        refuse(format!("a team cannot have {members} PEs"), counted, "only members call: a team has one at least");
    }
    if let (Some(start @ 0..), Some(stride @ 1..), Some(members @ 1..)) = (start, stride, members) {
        let last = start + stride * (members - 1);
        if last > MOST_PES {
            refuse(
                format!("the last PE of the team would be {last}: PEs count up to {MOST_PES}"),
                counted,
                "pass start, stride and number of PEs, in this order",
            );
        }
    }
}

/// The largest number that a PE may have, as in the dialect's `gicc.team`.
const MOST_PES: i64 = 32766;

fn numbers(call: &Call<'_>, known: &Intrinsic, found: &mut Vec<Diagnostic>) {
    for parameter in ["pe", "source_pe"] {
        if let Some(pe) = constant(call, known, parameter)
            && (pe < -1 || (pe == -1 && parameter == "pe"))
        {
            found.push(
                Diagnostic::error(codes::BAD_PE, format!("PE {pe} does not exist"))
                    .cause("PEs count from 0 to gicc::n_pes() - 1")
                    .cure("wrap a neighbour's number: (me + n - 1) % n"),
            );
        }
    }
    let in_range = |parameter: &str, code: i64| -> bool {
        let Ok(code) = u64::try_from(code) else { return false };
        match parameter {
            "compare" => Compare::from_code(code).is_some(),
            "op" => SignalOp::from_code(code).is_some(),
            "order" => matches!(Order::from_code(code), Some(Order::Relaxed | Order::Release)),
            "scope" => Scope::from_code(code).is_some(),
            "protocol" => Protocol::from_code(code).is_some(),
            "priority" => code <= u64::from(u8::MAX),
            "domain" => code <= u64::from(gicc_abi::domain::LARGEST),
            _ => code >= 1,
        }
    };
    for parameter in ["compare", "op", "order", "scope", "protocol", "slots", "blocks", "priority", "domain"] {
        if let Some(code) = constant(call, known, parameter)
            && !in_range(parameter, code)
        {
            found.push(
                Diagnostic::error(codes::BAD_ARGUMENT, format!("{code} is no {parameter} of `{}`", known.name))
                    .cure("use the enumerations of `gicc/gicc.cuh`"),
            );
        }
    }
    if let Some(protocol) = constant(call, known, "protocol").and_then(|c| Protocol::from_code(c.cast_unsigned()))
        && matches!(protocol, Protocol::Bulk | Protocol::Queue)
    {
        found.push(
            Diagnostic::error(codes::NOT_BUILT, format!("the protocol `{}` is not built yet", protocol.name()))
                .cure("declare the channel with gicc::protocol::simple, ll or automatic"),
        );
    }
}

/// Who carries an initiation out is known when it is compiled.
fn engine(call: &Call<'_>, known: &Intrinsic, found: &mut Vec<Diagnostic>) {
    if known.parameter("engine").is_none() {
        return;
    }
    let code = constant(call, known, "engine").and_then(|c| u64::try_from(c).ok());
    match code.and_then(Engine::from_code) {
        Some(Engine::Direct | Engine::Auto) => {}
        Some(other) => found.push(
            Diagnostic::error(codes::NOT_BUILT, format!("the engine `{}` is not built yet", other.name()))
                .cure("leave the engine out, or name `direct`: the initiating threads store"),
        ),
        None => found.push(
            Diagnostic::error(
                codes::BAD_ARGUMENT,
                format!("the engine of `{}` is none of those that exist", known.name),
            )
            .cause("an initiation is compiled for one engine, so it is a constant")
            .cure("use the enumeration gicc::engine of `gicc/gicc.cuh`"),
        ),
    }
}

fn is_null(value: BasicValueEnum<'_>) -> bool {
    value.is_pointer_value() && value.into_pointer_value().is_null()
}

/// What cannot be symmetric: the thread's own variables, shared memory, variables of the module, null.
fn symmetric(value: BasicValueEnum<'_>, what: &str) -> Option<Diagnostic> {
    let origin = strip_casts(stored(value));
    let origin_is = if origin.as_instruction_value().is_some_and(|i| i.get_opcode() == InstructionOpcode::Alloca) {
        "a local variable"
    } else if origin.is_pointer_value() && origin.into_pointer_value().is_null() {
        "a null pointer"
    } else {
        global_kind(origin)?
    };
    Some(
        Diagnostic::error(codes::NOT_SYMMETRIC, format!("the {what} is {origin_is}, which is not symmetric"))
            .cause("a peer's copy is found at the same offset of the symmetric heap; other memory has no copy on the peer")
            .cure("pass a pointer into a symmetric buffer: a kernel argument that the host allocated in the symmetric heap"),
    )
}

fn global_kind(origin: BasicValueEnum<'_>) -> Option<&'static str> {
    // SAFETY: the value is alive; LLVM answers null where it is no global variable.
    let is_global = unsafe { !inkwell::llvm_sys::core::LLVMIsAGlobalVariable(origin.as_value_ref()).is_null() };
    let space = origin.is_pointer_value().then(|| origin.into_pointer_value().get_type().get_address_space())?;
    if !is_global {
        None
    } else if space == inkwell::AddressSpace::from(3u16) {
        Some("in shared memory")
    } else if space == inkwell::AddressSpace::from(4u16) {
        Some("a __constant__ variable")
    } else {
        Some("a __device__ variable")
    }
}
