//! Calls of intrinsics: gicc's orderings and team facts, LLVM's own, those of NVPTX, and functions that are nowhere defined.
//!
//! An intrinsic `llvm.nvvm.x` becomes the library's function `nvvm.x`; those whose name depends on a type are translated
//! here.

use gicc_abi::codes::{Order, Scope};
use gicc_abi::intrinsics::{self, Family};
use gicc_abi::layout::State;
use gicc_abi::sim::{Entry, Fault, Meta, Rmw, Space};
use gicc_abi::{PREFIX, STATE_SYMBOL};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::*;

use super::ir::{Ir, Value};
use super::library::Library;
use super::{codes, entry, memory, module};
use crate::diagnostic::Diagnostic;

/// The value of `__CUDA_ARCH__` that the module was compiled for.
pub(super) fn architecture(ir: &Ir) -> u64 {
    ir.functions()
        .into_iter()
        .filter_map(|f| module::string_attribute(f, "target-cpu"))
        .find_map(|cpu| {
            let digits: String = cpu.strip_prefix("sm_")?.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u64>().ok()
        })
        .unwrap_or(90)
        * 10
}

/// Translates the calls of a function that are not left to the library.
pub(super) fn rewrite(ir: &Ir, function: Value, architecture: u64, errors: &mut Vec<Diagnostic>) {
    for call in function.instructions() {
        if call.opcode() != Some(LLVMOpcode::LLVMCall) || !call.callee().is_function() {
            continue;
        }
        let name = call.callee().name();
        let result = if name.starts_with(PREFIX) {
            gicc(ir, function, call, &name)
        } else if name == "__nvvm_reflect" || name == "llvm.nvvm.reflect" {
            reflect(ir, call, architecture);
            Ok(())
        } else if let Some(nvvm) = name.strip_prefix("llvm.nvvm.") {
            nvptx(ir, function, call, nvvm)
        } else {
            generic(ir, call, &name)
        };
        if let Err(error) = result {
            errors.push(error);
        }
    }
}

fn finish(call: Value, value: Option<Value>) {
    if let Some(value) = value {
        call.replace_uses(value);
    }
    call.erase();
}

/// Orderings become accesses and fences; facts about the team stay until [`bind`]; everything else should be gone.
fn gicc(ir: &Ir, function: Value, call: Value, name: &str) -> Result<(), Diagnostic> {
    let bad = |what: &str| Diagnostic::error(codes::INTRINSIC, format!("{name}: {what}")).at(call.span());
    let Some(known) = intrinsics::find(name) else {
        return if call.callee().is_declaration() { Err(bad("no such intrinsic exists")) } else { Ok(()) };
    };
    match known.family {
        Family::Team => return Ok(()),
        Family::Interface | Family::Requirement if !call.callee().is_declaration() => return Ok(()),
        Family::Interface | Family::Requirement => {
            return Err(
                bad("is still there after fences were placed").cause("The simulator runs only what is lowered.")
            );
        }
        Family::Ordering => {}
    }
    let arguments = call.arguments();
    let constant = |what| known.parameter(what).and_then(|i| arguments.get(i)).and_then(|v| v.const_i64());
    let order =
        constant("order").and_then(|c| Order::from_code(c as u64)).ok_or_else(|| bad("order is no constant"))?;
    let scope = constant("scope")
        .and_then(|c| Scope::from_code(c as u64))
        .filter(|&s| s != Scope::Auto)
        .ok_or_else(|| bad("scope is no constant that names a scope"))?;
    let argument =
        |what| known.parameter(what).and_then(|i| arguments.get(i).copied()).ok_or_else(|| bad("lacks an argument"));
    ir.before(call);
    let word = ir.int(64);
    let extend = |value| ir.cast(LLVMOpcode::LLVMZExt, value, word);
    let bytes = match name {
        _ if name.ends_with("u32") => 4,
        _ if name.ends_with("b128") => 16,
        _ => 8,
    };
    let meta = Meta::access(bytes).strong(order, scope);
    let narrow = |value| if bytes == 4 { ir.cast(LLVMOpcode::LLVMTrunc, value, ir.int(32)) } else { value };
    let atomic = |value, expected, operation: Rmw, meta| -> Result<Value, Diagnostic> {
        let operands = [argument("p")?, value, expected, ir.i64(operation.code())];
        Ok(entry::call(ir, Entry::Atomic, &operands, meta))
    };
    let value = match name {
        "__gicc_fence" => {
            memory::emit_fence(ir, order, scope);
            None
        }
        "__gicc_store_u32" | "__gicc_store_u64" => {
            entry::call(ir, Entry::Store, &[argument("p")?, extend(argument("value")?)], meta);
            None
        }
        "__gicc_load_u32" | "__gicc_load_u64" => Some(narrow(entry::call(ir, Entry::Load, &[argument("p")?], meta))),
        "__gicc_store_b128" | "__gicc_load_b128" if order != Order::Relaxed => {
            return Err(bad("a 128-bit word can only be accessed relaxed"));
        }
        "__gicc_store_b128" => {
            let pair = ir.poison(ir.vector(word, 2));
            let pair = ir.insert_element(pair, argument("low")?, 0);
            let pair = ir.insert_element(pair, argument("high")?, 1);
            memory::emit_store(ir, function, pair, argument("p")?, meta);
            None
        }
        "__gicc_load_b128" => Some(memory::emit_load(ir, function, ir.vector(word, 2), argument("p")?, meta)),
        "__gicc_red_add_u64" => {
            atomic(argument("value")?, ir.i64(0), Rmw::Add, meta.reduction())?;
            None
        }
        "__gicc_atom_add_u64" => Some(atomic(argument("value")?, ir.i64(0), Rmw::Add, meta)?),
        "__gicc_atom_inc_u32" => Some(narrow(atomic(extend(argument("wrap")?), ir.i64(0), Rmw::IncrementWrap, meta)?)),
        "__gicc_atom_cas_u32" => Some(narrow(atomic(
            extend(argument("desired")?),
            extend(argument("expected")?),
            Rmw::CompareAndSwap,
            meta,
        )?)),
        _ => return Err(bad("the simulator does not know this ordering")),
    };
    finish(call, value);
    Ok(())
}

/// What a library asks of the compilation: the architecture, and whether denormals are flushed (they are not).
fn reflect(ir: &Ir, call: Value, architecture: u64) {
    let mut text = call.operand(0);
    while matches!(text.any_opcode(), Some(LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMGetElementPtr)) {
        text = text.operand(0);
    }
    let mut name = String::new();
    if text.is_global_variable() && !text.is_declaration() {
        let initial = text.operand(0);
        // SAFETY: a constant; its text has the length that comes with it.
        unsafe {
            if LLVMIsConstantString(initial.0) != 0 {
                let mut length = 0;
                let bytes = LLVMGetAsString(initial.0, &mut length);
                let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
                name = String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
            }
        }
    }
    let value = match name.as_str() {
        "__CUDA_ARCH" => architecture,
        "__CUDA_PREC_DIV" | "__CUDA_PREC_SQRT" => 1,
        _ => 0,
    };
    let value = ir.constant(call.ty(), value);
    finish(call, Some(value));
}

/// Intrinsics of NVPTX whose names depend on types, or which access memory.
fn nvptx(ir: &Ir, function: Value, call: Value, name: &str) -> Result<(), Diagnostic> {
    let arguments = call.arguments();
    if name.starts_with("ldg.global.") || name.starts_with("ldu.global.") {
        let bytes = ir.store_bytes(call.ty());
        let align = arguments.get(1).and_then(|a| a.const_i64()).map_or(1, |a| a.max(1) as u64);
        ir.before(call);
        let meta = Meta::access(bytes).align(align.min(bytes)).space(Space::Global).non_coherent();
        let value = memory::emit_load(ir, function, call.ty(), arguments[0], meta);
        finish(call, Some(value));
        return Ok(());
    }
    if let Some(rest) = name.strip_prefix("atomic.") {
        return scoped_atomic(ir, call, rest);
    }
    let dropped = ["prefetch", "applypriority", "discard", "setmaxnreg", "griddepcontrol", "pm.event"];
    if dropped.iter().any(|d| name.starts_with(d)) {
        call.erase();
    } else if name == "exit" {
        ir.before(call);
        entry::call(ir, Entry::Exit, &[], Meta(0));
        call.erase();
    }
    Ok(())
}

/// `llvm.nvvm.atomic.OP.gen.{i,f}.SCOPE.…`: relaxed, at the scope of the name.
fn scoped_atomic(ir: &Ir, call: Value, rest: &str) -> Result<(), Diagnostic> {
    let unsupported = || {
        let message = format!("the simulator has no atomic operation llvm.nvvm.atomic.{rest}");
        Diagnostic::error(codes::ATOMIC, message).at(call.span())
    };
    let parts: Vec<_> = rest.split('.').collect();
    let [operation, "gen", class, scope, ..] = parts[..] else { return Err(unsupported()) };
    let scope = match scope {
        "cta" => Scope::Block,
        "sys" => Scope::System,
        _ => return Err(unsupported()),
    };
    let operation = match (operation, class) {
        ("add", "i") => Rmw::Add,
        ("add", "f") => Rmw::AddFloat,
        ("exch", _) => Rmw::Exchange,
        ("max", "i") => Rmw::MaxSigned,
        ("min", "i") => Rmw::MinSigned,
        ("inc", _) => Rmw::IncrementWrap,
        ("dec", _) => Rmw::DecrementWrap,
        ("and", _) => Rmw::And,
        ("or", _) => Rmw::Or,
        ("xor", _) => Rmw::Xor,
        ("cas", _) => Rmw::CompareAndSwap,
        _ => return Err(unsupported()),
    };
    let arguments = call.arguments();
    let bytes = ir.store_bytes(call.ty());
    ir.before(call);
    let (value, expected) = if operation == Rmw::CompareAndSwap {
        (*arguments.get(2).ok_or_else(unsupported)?, ir.to_bits(arguments[1]).ok_or_else(unsupported)?)
    } else {
        (*arguments.get(1).ok_or_else(unsupported)?, ir.i64(0))
    };
    let value = ir.to_bits(value).ok_or_else(unsupported)?;
    let meta = Meta::access(bytes).strong(Order::Relaxed, scope);
    let meta = if call.has_uses() { meta } else { meta.reduction() };
    let operands = [memory::generic(ir, arguments[0]), value, expected, ir.i64(operation.code())];
    let old = entry::call(ir, Entry::Atomic, &operands, meta);
    let old = ir.of_bits(old, call.ty());
    finish(call, Some(old));
    Ok(())
}

/// Intrinsics of LLVM itself that would do the wrong thing on the host.
fn generic(ir: &Ir, call: Value, name: &str) -> Result<(), Diagnostic> {
    let fault = match name {
        "llvm.trap" | "llvm.ubsantrap" => Fault::Trap,
        "llvm.debugtrap" => Fault::Breakpoint,
        "llvm.prefetch.p0" | "llvm.prefetch.p1" => {
            call.erase();
            return Ok(());
        }
        _ => {
            let refused =
                ["llvm.masked.", "llvm.vp.", "llvm.va_", "llvm.stack", "llvm.coro.", "llvm.eh.", "llvm.amdgcn."];
            if refused.iter().any(|r| name.starts_with(r)) {
                let message = format!("{name} cannot be run in the simulator");
                return Err(Diagnostic::error(codes::UNSUPPORTED, message).at(call.span()));
            }
            return Ok(());
        }
    };
    ir.before(call);
    entry::call(ir, Entry::Fault, &[ir.i64(fault.code()), ir.i64(0)], Meta(0));
    call.erase();
    Ok(())
}

/// Binds what is declared and used: intrinsics of NVPTX and known functions to the library, facts about the team to the
/// state. What remains is refused at each call.
pub(super) fn bind(ir: &Ir, library: &Library, errors: &mut Vec<Diagnostic>) {
    for function in ir.functions() {
        if !function.is_declaration() || !function.has_uses() {
            continue;
        }
        let name = function.name();
        let refused_before = name.starts_with(PREFIX) && !errors.is_empty();
        if refused_before {
            continue;
        }
        if intrinsics::find(&name).is_some_and(|i| i.family == Family::Team) {
            define_team(ir, function, &name);
        } else if let Some(nvvm) = name.strip_prefix("llvm.nvvm.") {
            let ours = format!("nvvm.{nvvm}");
            if library.has(&ours, function) {
                // An intrinsic cannot be renamed away from being one, so its uses move to a function of the new name.
                let other = ir.function(&ours).unwrap_or_else(|| ir.add_function(&ours, function.value_type()));
                function.replace_uses(other);
            } else {
                refuse(
                    ir,
                    function,
                    &format!("the intrinsic {name} cannot be run in the simulator"),
                    codes::UNSUPPORTED,
                    errors,
                );
            }
        } else if !name.starts_with("llvm.") && !name.starts_with("sim.") && !library.has(&name, function) {
            refuse(
                ir,
                function,
                &format!("the function {name} is declared and nowhere defined"),
                codes::UNDEFINED,
                errors,
            );
        }
    }
}

fn refuse(ir: &Ir, function: Value, message: &str, code: &'static str, errors: &mut Vec<Diagnostic>) {
    let before = errors.len();
    for user in ir.functions() {
        for call in user.instructions() {
            if call.operands().any(|o| o == function) {
                errors.push(Diagnostic::error(code, message).at(call.span()));
            }
        }
    }
    if errors.len() == before {
        errors.push(Diagnostic::error(code, message));
    }
}

/// A fact about the team: a load from the state, which no kernel changes.
fn define_team(ir: &Ir, function: Value, name: &str) {
    let block = ir.append_block(function, "entry");
    ir.at_end(block);
    let state = state(ir);
    let base = ir.cast(LLVMOpcode::LLVMAddrSpaceCast, state, ir.pointer(0));
    let field = |offset: usize, bits: u32| ir.load(ir.int(bits), ir.offset(base, ir.i64(offset as u64)), 4);
    let value = match name {
        "__gicc_my_pe" => field(std::mem::offset_of!(State, my_pe), 32),
        "__gicc_n_pes" => field(std::mem::offset_of!(State, n_pes), 32),
        "__gicc_heap_base" => field(std::mem::offset_of!(State, heap_base), 64),
        "__gicc_heap_stride" => field(std::mem::offset_of!(State, heap_stride), 64),
        "__gicc_heap_bytes" => field(std::mem::offset_of!(State, heap_bytes), 64),
        "__gicc_error_words" => field(std::mem::offset_of!(State, error), 64),
        "__gicc_workspace_bytes" => field(std::mem::offset_of!(State, workspace_bytes), 64),
        "__gicc_timeout_ns" => field(std::mem::offset_of!(State, timeout_ns), 64),
        // The workspace.
        _ => {
            let heap = field(std::mem::offset_of!(State, heap_base), 64);
            let stride = field(std::mem::offset_of!(State, heap_stride), 64);
            let my_pe = ir.cast(LLVMOpcode::LLVMSExt, field(std::mem::offset_of!(State, my_pe), 32), ir.int(64));
            let segment = ir.binary(LLVMOpcode::LLVMAdd, heap, ir.binary(LLVMOpcode::LLVMMul, stride, my_pe));
            ir.binary(LLVMOpcode::LLVMAdd, segment, field(std::mem::offset_of!(State, workspace_offset), 64))
        }
    };
    // SAFETY: a function with a body.
    let result = super::ir::Ty(unsafe { LLVMGetReturnType(function.value_type().0) });
    let value = if result.is_pointer() { ir.cast(LLVMOpcode::LLVMIntToPtr, value, result) } else { value };
    ir.ret(Some(value));
    module::add_attribute(ir, function, "alwaysinline");
}

/// The variable that holds the state; the host writes it.
fn state(ir: &Ir) -> Value {
    // SAFETY: the module lives and the name ends with a zero byte.
    unsafe {
        let name = super::ir::c_string(STATE_SYMBOL);
        let known = LLVMGetNamedGlobal(ir.module, name.as_ptr());
        let ty = ir.array(ir.int(8), std::mem::size_of::<State>() as u64);
        if known.is_null() {
            let global = LLVMAddGlobalInAddressSpace(ir.module, ty.0, name.as_ptr(), 4);
            LLVMSetInitializer(global, ir.zero(ty).0);
            LLVMSetAlignment(global, 8);
            LLVMSetExternallyInitialized(global, 1);
            return Value(global);
        }
        if LLVMIsDeclaration(known) != 0 {
            LLVMSetInitializer(known, ir.zero(Value(known).value_type()).0);
        }
        LLVMSetExternallyInitialized(known, 1);
        LLVMSetGlobalConstant(known, 0);
        Value(known)
    }
}
