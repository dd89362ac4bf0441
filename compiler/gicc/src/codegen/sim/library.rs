//! The library: what intrinsics of NVPTX and well-known functions mean for the host, as LLVM IR.
//!
//! The hand-written part is `library.ll`; families of functions that differ in a name only are written here as tables.
//! Rounding in a direction is in `rounding`, 8-bit floating point in `narrow.ll`; what is missing is refused by name.

mod rounding;

use std::fmt::Write as _;
use std::mem::offset_of;

use gicc_abi::codes::{Order, Scope};
use gicc_abi::sim::{
    BarrierKind, Clock, CopyGroupOp, Entry, Fault, FenceKind, MbarrierOp, Meta, Space, ThreadInfo, Type, WarpOp,
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::LLVMModuleRef;

use super::codes;
use super::ir::{Ir, Value, c_string};
use super::module;
use crate::diagnostic::Diagnostic;

/// Symbols that the host's code generator may call and that therefore keep their names.
pub(super) const KEPT_SYMBOLS: &[&str] = &["__truncsfbf2", "__truncdfbf2", "__truncdfhf2"];

/// The library as a module, until it is linked.
pub(super) struct Library {
    module: std::cell::Cell<LLVMModuleRef>,
}

impl Drop for Library {
    fn drop(&mut self) {
        let module = self.module.get();
        if !module.is_null() {
            // SAFETY: not linked, so still ours.
            unsafe { LLVMDisposeModule(module) }
        }
    }
}

impl Library {
    /// Reads the library into the module's context.
    pub(super) fn new(ir: &Ir) -> Result<Self, Diagnostic> {
        let text = text();
        // SAFETY: the text outlives the call, which copies it; the error text is disposed of once.
        unsafe {
            let name = c_string("library.ll");
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.as_ptr().cast(), text.len(), name.as_ptr());
            let mut module = std::ptr::null_mut();
            let mut message = std::ptr::null_mut();
            let bad = LLVMParseIRInContext2(ir.context, buffer, &mut module, &mut message);
            LLVMDisposeMemoryBuffer(buffer);
            if bad != 0 {
                let reason = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
                LLVMDisposeMessage(message);
                return Err(Diagnostic::error(
                    codes::LLVM,
                    format!("the simulator's library cannot be read: {reason}"),
                ));
            }
            Ok(Self { module: std::cell::Cell::new(module) })
        }
    }

    /// Whether the library defines a function of this name that has the type of `wanted`.
    pub(super) fn has(&self, name: &str, wanted: Value) -> bool {
        // SAFETY: the module lives; the name ends with a zero byte.
        let found = unsafe { LLVMGetNamedFunction(self.module.get(), c_string(name).as_ptr()) };
        Value::some(found).is_some_and(|f| !f.is_declaration() && f.value_type() == wanted.value_type())
    }

    /// Links the library into the module, every function to be inlined.
    pub(super) fn link(&self, ir: &Ir) -> Result<(), Diagnostic> {
        let library = Ir::new(self.module.get());
        for function in library.functions() {
            if !function.is_declaration() {
                if !KEPT_SYMBOLS.contains(&function.name().as_str()) {
                    module::add_attribute(&library, function, "alwaysinline");
                }
                module::add_attribute(&library, function, "nounwind");
                // What the program defines itself counts.
                if ir.function(&function.name()).is_some_and(|f| !f.is_declaration()) {
                    // SAFETY: a function of the library.
                    unsafe { LLVMSetLinkage(function.0, inkwell::llvm_sys::LLVMLinkage::LLVMWeakAnyLinkage) };
                }
            }
        }
        drop(library);
        // SAFETY: both modules live in one context; linking takes the library.
        unsafe {
            LLVMSetTarget(self.module.get(), LLVMGetTarget(ir.module));
            LLVMSetDataLayout(self.module.get(), LLVMGetDataLayoutStr(ir.module));
            if LLVMLinkModules2(ir.module, self.module.replace(std::ptr::null_mut())) != 0 {
                return Err(Diagnostic::error(codes::LLVM, "the simulator's library cannot be linked").cause(
                    "A function of the program has the name of a function that CUDA defines, with another type.",
                ));
            }
        }
        self.keep_symbols(ir);
        Ok(())
    }

    /// Keeps what only the code generator will call.
    fn keep_symbols(&self, ir: &Ir) {
        let kept: Vec<_> = KEPT_SYMBOLS.iter().filter_map(|name| ir.function(name)).collect();
        let values = ir.array_constant(ir.pointer(0), &kept);
        let used = ir.add_global("llvm.compiler.used.sim", values.ty(), values);
        // SAFETY: a variable of the module.
        unsafe {
            let old = LLVMGetNamedGlobal(ir.module, c"llvm.compiler.used".as_ptr());
            if !old.is_null() {
                // What the user marked as used was kept from being removed; it is all defined here.
                LLVMDeleteGlobal(old);
            }
            used.set_name("llvm.compiler.used");
            LLVMSetLinkage(used.0, inkwell::llvm_sys::LLVMLinkage::LLVMAppendingLinkage);
            LLVMSetSection(used.0, c"llvm.metadata".as_ptr());
        }
    }
}

/// The whole text.
fn text() -> String {
    let mut text = fill(include_str!("library.ll"));
    text.push_str(include_str!("library/narrow.ll"));
    declarations(&mut text);
    registers(&mut text);
    warp(&mut text);
    barriers(&mut text);
    floating(&mut text);
    conversions(&mut text);
    rounding::functions(&mut text);
    libdevice(&mut text);
    let declared = intrinsic_declarations(&text);
    text.push_str(&declared);
    text
}

/// Fills in the names in double braces.
fn fill(template: &str) -> String {
    let mut text = template.to_owned();
    let mut put = |name: &str, value: u64| text = text.replace(&format!("{{{{{name}}}}}"), &value.to_string());
    put("steps", offset_of!(ThreadInfo, steps) as u64);
    put("stack_limit", offset_of!(ThreadInfo, stack_limit) as u64);
    put("shared_base", offset_of!(ThreadInfo, shared_base) as u64);
    for (order, name) in [(Order::SequentiallyConsistent, "seq_cst"), (Order::Release, "release")] {
        for &scope in &[Scope::Block, Scope::Cluster, Scope::Device, Scope::System] {
            put(&format!("meta.{name}.{}", scope.name()), Meta(0).strong(order, scope).0);
        }
    }
    put("meta.byte", Meta::access(1).0);
    put("meta.async", Meta::access(1).asynchronous().0);
    macro_rules! numbers {
        ($($kind:ident: $($variant:ident)*;)*) => {
            $($(put(concat!(stringify!($kind), ".", stringify!($variant)), $kind::$variant.code());)*)*
        };
    }
    numbers! {
        Fault: StackOverflow DivisionByZero Local Trap;
        BarrierKind: Sync Arrive ClusterArrive ClusterWait;
        WarpOp: Sync ActiveMask Elect MatchAny MatchAll;
        FenceKind: MbarrierInit ProxyAlias ProxyAsync ProxyAsyncGlobal ProxyAsyncShared;
        Clock: Cycles Nanoseconds;
        Space: Global Shared Local Constant;
        MbarrierOp: Init Invalidate Arrive TestState PendingCount;
        CopyGroupOp: Commit Wait WaitRead;
    }
    text
}

fn declarations(out: &mut String) {
    let name = |ty| match ty {
        Type::Void => "void",
        Type::I64 => "i64",
        Type::Ptr => "ptr",
    };
    for entry in Entry::ALL {
        let parameters: Vec<_> = entry.parameters().iter().map(|&p| name(p)).collect();
        let _ = writeln!(out, "declare {} @{}({})", name(entry.result()), entry.name(), parameters.join(", "));
    }
}

/// A register that is a word of the thread's information.
fn register(out: &mut String, name: &str, offset: usize) {
    let _ = writeln!(
        out,
        "define i32 @nvvm.read.ptx.sreg.{name}() {{\n  %t = call ptr @sim.thread()\n  \
         %p = getelementptr i8, ptr %t, i64 {offset}\n  \
         %v = load i32, ptr %p, align 4, !invariant.load !1\n  ret i32 %v\n}}"
    );
}

fn registers(out: &mut String) {
    for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
        let at = 4 * axis;
        register(out, &format!("tid.{letter}"), offset_of!(ThreadInfo, thread) + at);
        register(out, &format!("ntid.{letter}"), offset_of!(ThreadInfo, block_dim) + at);
        for block in ["ctaid", "clusterid"] {
            register(out, &format!("{block}.{letter}"), offset_of!(ThreadInfo, block) + at);
        }
        for grid in ["nctaid", "nclusterid"] {
            register(out, &format!("{grid}.{letter}"), offset_of!(ThreadInfo, grid_dim) + at);
        }
        constant(out, &format!("cluster.ctaid.{letter}"), 0);
        constant(out, &format!("cluster.nctaid.{letter}"), 1);
    }
    register(out, "laneid", offset_of!(ThreadInfo, lane));
    register(out, "warpid", offset_of!(ThreadInfo, warp));
    register(out, "smid", offset_of!(ThreadInfo, sm));
    register(out, "nsmid", offset_of!(ThreadInfo, sms));
    register(out, "total_smem_size", offset_of!(ThreadInfo, shared_bytes));
    register(out, "dynamic_smem_size", offset_of!(ThreadInfo, dynamic_shared_bytes));
    constant(out, "warpsize", 32);
    constant(out, "nwarpid", 64);
    constant(out, "cluster.ctarank", 0);
    constant(out, "cluster.nctarank", 1);
    for number in 0..32 {
        constant(out, &format!("envreg{number}"), 0);
    }
    let _ = writeln!(
        out,
        "define i64 @nvvm.read.ptx.sreg.gridid() {{\n  %t = call ptr @sim.thread()\n  \
         %p = getelementptr i8, ptr %t, i64 {}\n  %v = load i64, ptr %p, align 8\n  ret i64 %v\n}}",
        offset_of!(ThreadInfo, grid)
    );
    let masks = [
        ("eq", "  %v = shl i32 1, %l\n"),
        ("lt", "  %b = shl i32 1, %l\n  %v = sub i32 %b, 1\n"),
        ("le", "  %b = shl i32 2, %k\n  %s = sub i32 %b, 1\n  %v = select i1 %top, i32 -1, i32 %s\n"),
        ("ge", "  %v = shl i32 -1, %l\n"),
        ("gt", "  %b = shl i32 -2, %k\n  %v = select i1 %top, i32 0, i32 %b\n"),
    ];
    for (name, body) in masks {
        let _ = writeln!(
            out,
            "define i32 @nvvm.read.ptx.sreg.lanemask.{name}() {{\n  %l = call i32 @nvvm.read.ptx.sreg.laneid()\n  \
             %top = icmp eq i32 %l, 31\n  %k = select i1 %top, i32 0, i32 %l\n{body}  ret i32 %v\n}}"
        );
    }
}

fn constant(out: &mut String, name: &str, value: u32) {
    let _ = writeln!(out, "define i32 @nvvm.read.ptx.sreg.{name}() {{\n  ret i32 {value}\n}}");
}

fn warp(out: &mut String) {
    let shuffles = [
        ("idx", WarpOp::ShuffleIndex),
        ("up", WarpOp::ShuffleUp),
        ("down", WarpOp::ShuffleDown),
        ("bfly", WarpOp::ShuffleXor),
    ];
    for (name, op) in shuffles {
        for (ty, to, from) in [("i32", "", ""), ("float", "  %w = bitcast float %a to i32\n", "f")] {
            let word = if from.is_empty() { "%a" } else { "%w" };
            let suffix = if from.is_empty() { "i32" } else { "f32" };
            let call = format!(
                "{to}  %m = zext i32 %mask to i64\n  %x = zext i32 {word} to i64\n  %y = zext i32 %b to i64\n  \
                 %z = zext i32 %c to i64\n  \
                 %r = call i64 @sim.warp(i64 {}, i64 %m, i64 %x, i64 %y, i64 %z, i64 0)\n",
                op.code()
            );
            let back = if from.is_empty() {
                "  %v = trunc i64 %r to i32\n".to_owned()
            } else {
                "  %t = trunc i64 %r to i32\n  %v = bitcast i32 %t to float\n".to_owned()
            };
            let _ = writeln!(
                out,
                "define {ty} @nvvm.shfl.sync.{name}.{suffix}(i32 %mask, {ty} %a, i32 %b, i32 %c) {{\n{call}{back}  \
                 ret {ty} %v\n}}\n\
                 define {{ {ty}, i1 }} @nvvm.shfl.sync.{name}.{suffix}p(i32 %mask, {ty} %a, i32 %b, i32 %c) {{\n\
                 {call}{back}  %h = lshr i64 %r, 32\n  %q = trunc i64 %h to i1\n  \
                 %s0 = insertvalue {{ {ty}, i1 }} poison, {ty} %v, 0\n  \
                 %s1 = insertvalue {{ {ty}, i1 }} %s0, i1 %q, 1\n  ret {{ {ty}, i1 }} %s1\n}}"
            );
        }
    }
    for (name, op, result) in [
        ("all", WarpOp::VoteAll, "i1"),
        ("any", WarpOp::VoteAny, "i1"),
        ("uni", WarpOp::VoteUniform, "i1"),
        ("ballot", WarpOp::Ballot, "i32"),
    ] {
        let _ = writeln!(
            out,
            "define {result} @nvvm.vote.{name}.sync(i32 %mask, i1 %p) {{\n  %m = zext i32 %mask to i64\n  \
             %a = zext i1 %p to i64\n  %r = call i64 @sim.warp(i64 {}, i64 %m, i64 %a, i64 0, i64 0, i64 0)\n  \
             %v = trunc i64 %r to {result}\n  ret {result} %v\n}}",
            op.code()
        );
    }
    for (name, op) in [
        ("add", WarpOp::ReduceAdd),
        ("umin", WarpOp::ReduceMinUnsigned),
        ("umax", WarpOp::ReduceMaxUnsigned),
        ("min", WarpOp::ReduceMinSigned),
        ("max", WarpOp::ReduceMaxSigned),
        ("and", WarpOp::ReduceAnd),
        ("or", WarpOp::ReduceOr),
        ("xor", WarpOp::ReduceXor),
    ] {
        let _ = writeln!(
            out,
            "define i32 @nvvm.redux.sync.{name}(i32 %a, i32 %mask) {{\n  %m = zext i32 %mask to i64\n  \
             %x = zext i32 %a to i64\n  %r = call i64 @sim.warp(i64 {}, i64 %m, i64 %x, i64 0, i64 0, i64 0)\n  \
             %v = trunc i64 %r to i32\n  ret i32 %v\n}}",
            op.code()
        );
    }
}

fn barriers(out: &mut String) {
    for (name, kind, ty) in
        [("popc", BarrierKind::Count, "i32"), ("and", BarrierKind::And, "i1"), ("or", BarrierKind::Or, "i1")]
    {
        for aligned in ["aligned.", ""] {
            for (count, parameter, value) in [("all", "", "i64 0"), ("count", ", i32 %n", "i64 %c")] {
                let extend = if count == "all" { "" } else { "  %c = zext i32 %n to i64\n" };
                let _ = writeln!(
                    out,
                    "define {ty} @nvvm.barrier.cta.red.{name}.{aligned}{count}(i32 %id{parameter}, i1 %p) {{\n{extend}  \
                     %i = zext i32 %id to i64\n  %a = zext i1 %p to i64\n  \
                     %r = call i64 @sim.barrier(i64 {}, i64 %i, {value}, i64 %a, i64 0)\n  \
                     %v = trunc i64 %r to {ty}\n  ret {ty} %v\n}}",
                    kind.code()
                );
            }
        }
    }
}

/// One function whose body is an expression of its parameters a, b, c, all of one type.
fn simple(out: &mut String, name: &str, ty: &str, arity: usize, body: &str) {
    let parameters: Vec<_> = ["%a", "%b", "%c"][..arity].iter().map(|p| format!("{ty} {p}")).collect();
    let _ = writeln!(
        out,
        "define {ty} @{name}({}) {{\n  %r = {}\n  ret {ty} %r\n}}",
        parameters.join(", "),
        body.replace('T', ty)
    );
}

/// A call of an intrinsic on values of one type, as an expression.
fn on(intrinsic: &str, ty: &str, suffix: &str, arity: usize) -> String {
    let arguments: Vec<_> = ["%a", "%b", "%c"][..arity].iter().map(|p| format!("{ty} {p}")).collect();
    format!("call {ty} @llvm.{intrinsic}.{suffix}({})", arguments.join(", "))
}

fn floating(out: &mut String) {
    // Types by the letter that old names use; f32 alone has forms that flush denormals, which the host does not.
    for (ty, suffix, letter) in [("float", "f32", "f"), ("double", "f64", "d")] {
        let flushed: &[&str] = if ty == "float" { &["", "ftz."] } else { &[""] };
        for ftz in flushed {
            for (name, arity, body) in [
                ("fmin", 2, on("minimumnum", ty, suffix, 2)),
                ("fmax", 2, on("maximumnum", ty, suffix, 2)),
                ("fabs", 1, on("fabs", ty, suffix, 1)),
                ("floor", 1, on("floor", ty, suffix, 1)),
                ("ceil", 1, on("ceil", ty, suffix, 1)),
                ("trunc", 1, on("trunc", ty, suffix, 1)),
                ("round", 1, on("roundeven", ty, suffix, 1)),
                ("fma.rn", 3, on("fma", ty, suffix, 3)),
                ("add.rn", 2, "fadd T %a, %b".to_owned()),
                ("mul.rn", 2, "fmul T %a, %b".to_owned()),
                ("div.rn", 2, "fdiv T %a, %b".to_owned()),
                ("div.full", 2, "fdiv T %a, %b".to_owned()),
                ("div.approx", 2, "fdiv T %a, %b".to_owned()),
                ("sqrt.rn", 1, on("sqrt", ty, suffix, 1)),
                ("sqrt.approx", 1, on("sqrt", ty, suffix, 1)),
                ("rcp.rn", 1, "fdiv T 1.0, %a".to_owned()),
                ("rcp.approx", 1, "fdiv T 1.0, %a".to_owned()),
                ("ex2.approx", 1, on("exp2", ty, suffix, 1)),
                ("lg2.approx", 1, on("log2", ty, suffix, 1)),
                ("sin.approx", 1, on("sin", ty, suffix, 1)),
                ("cos.approx", 1, on("cos", ty, suffix, 1)),
                ("tanh.approx", 1, on("tanh", ty, suffix, 1)),
            ] {
                simple(out, &format!("nvvm.{name}.{ftz}{letter}"), ty, arity, &body);
                // Some are overloaded and carry the type.
                simple(out, &format!("nvvm.{name}.{ftz}{suffix}"), ty, arity, &body);
            }
            let root = on("sqrt", ty, suffix, 1);
            let body = format!("{root}\n  %q = fdiv {ty} 1.0, %r");
            let _ = writeln!(
                out,
                "define {ty} @nvvm.rsqrt.approx.{ftz}{letter}({ty} %a) {{\n  %r = {body}\n  ret {ty} %q\n}}"
            );
            for name in ["fmin", "fmax"] {
                let exact = if name == "fmin" { "minimum" } else { "maximum" };
                simple(out, &format!("nvvm.{name}.{ftz}nan.{letter}"), ty, 2, &on(exact, ty, suffix, 2));
            }
        }
    }
    simple(out, "nvvm.sqrt.f", "float", 1, &on("sqrt", "float", "f32", 1));
    simple(out, "nvvm.rcp.approx.ftz.d", "double", 1, "fdiv double 1.0, %a");
    simple(out, "nvvm.saturate.ftz.f", "float", 1, "call float @nvvm.saturate.f(float %a)");
    for (ty, suffix, old) in [
        ("half", "f16", "f16"),
        ("bfloat", "bf16", "bf16"),
        ("<2 x half>", "v2f16", "f16x2"),
        ("<2 x bfloat>", "v2bf16", "bf16x2"),
    ] {
        for ftz in ["", "ftz."] {
            for (name, arity, intrinsic) in [
                ("fmin", 2, "minimumnum"),
                ("fmax", 2, "maximumnum"),
                ("fma.rn", 3, "fma"),
                ("fabs", 1, "fabs"),
                ("ex2.approx", 1, "exp2"),
                ("tanh.approx", 1, "tanh"),
            ] {
                simple(out, &format!("nvvm.{name}.{ftz}{old}"), ty, arity, &on(intrinsic, ty, suffix, arity));
                if suffix != old {
                    simple(out, &format!("nvvm.{name}.{ftz}{suffix}"), ty, arity, &on(intrinsic, ty, suffix, arity));
                }
            }
            for (name, intrinsic) in [("fmin", "minimum"), ("fmax", "maximum")] {
                simple(out, &format!("nvvm.{name}.{ftz}nan.{old}"), ty, 2, &on(intrinsic, ty, suffix, 2));
            }
        }
        simple(out, &format!("nvvm.neg.{old}"), ty, 1, "fneg T %a");
        simple(out, &format!("nvvm.abs.{old}"), ty, 1, &on("fabs", ty, suffix, 1));
    }
}

/// Conversions between floating point and integers, with each rounding mode.
fn conversions(out: &mut String) {
    out.push_str(
        "define float @sim.lib.flush(float %a) {\n  %m = call float @llvm.fabs.f32(float %a)\n  \
         %t = fcmp olt float %m, 0x3810000000000000\n  %z = call float @llvm.copysign.f32(float 0.0, float %a)\n  \
         %r = select i1 %t, float %z, float %a\n  ret float %r\n}\n",
    );
    let modes = [("rn", "roundeven"), ("rz", "trunc"), ("rm", "floor"), ("rp", "ceil")];
    for (from, from_suffix, letter) in [("float", "f32", "f"), ("double", "f64", "d")] {
        let flushed: &[&str] = if from == "float" { &["", ".ftz"] } else { &[""] };
        for (to, name, sign) in [("i32", "i", "s"), ("i32", "ui", "u"), ("i64", "ll", "s"), ("i64", "ull", "u")] {
            for (mode, round) in modes {
                for ftz in flushed {
                    let of_nan = super::to_integer::of_nan(from == "double", if to == "i64" { 64 } else { 32 });
                    let flushed = if ftz.is_empty() {
                        format!("fadd {from} %a, -0.0")
                    } else {
                        "call float @sim.lib.flush(float %a)".to_owned()
                    };
                    let _ = writeln!(
                        out,
                        "define {to} @nvvm.{letter}2{name}.{mode}{ftz}({from} %a) {{\n  %f = {flushed}\n  \
                         %x = call {from} @llvm.{round}.{from_suffix}({from} %f)\n  \
                         %i = call {to} @llvm.fpto{sign}i.sat.{to}.{from_suffix}({from} %x)\n  \
                         %n = fcmp uno {from} %a, %a\n  \
                         %r = select i1 %n, {to} {of_nan}, {to} %i\n  ret {to} %r\n}}"
                    );
                }
                if mode == "rn" {
                    let _ = writeln!(
                        out,
                        "define {from} @nvvm.{name}2{letter}.rn({to} %a) {{\n  \
                         %r = {sign}itofp {to} %a to {from}\n  ret {from} %r\n}}"
                    );
                }
            }
        }
    }
    for ftz in ["", ".ftz"] {
        let _ = writeln!(
            out,
            "define float @nvvm.d2f.rn{ftz}(double %a) {{\n  %r = fptrunc double %a to float\n  ret float %r\n}}"
        );
    }
}

/// The functions of libdevice, where it was not linked: the host's mathematical library computes them.
fn libdevice(out: &mut String) {
    // Name in libdevice and on the host, by arity.
    const UNARY: &[&str] = &[
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp10", "expm1",
        "j0", "j1", "lgamma", "log1p", "logb", "sin", "sinh", "tan", "tanh", "tgamma", "y0", "y1", "exp", "exp2",
        "log", "log2", "log10",
    ];
    const INTRINSIC: &[(&str, &str)] = &[
        ("ceil", "ceil"),
        ("fabs", "fabs"),
        ("floor", "floor"),
        ("nearbyint", "nearbyint"),
        ("rint", "rint"),
        ("round", "round"),
        ("sqrt", "sqrt"),
        ("trunc", "trunc"),
    ];
    const BINARY: &[&str] = &["atan2", "fdim", "fmod", "hypot", "nextafter", "pow", "remainder"];
    const BINARY_INTRINSIC: &[(&str, &str)] =
        &[("copysign", "copysign"), ("fmax", "maximumnum"), ("fmin", "minimumnum")];
    for (ty, suffix, f) in [("float", "f32", "f"), ("double", "f64", "")] {
        for name in UNARY {
            simple(out, &format!("__nv_{name}{f}"), ty, 1, &format!("call {ty} @{name}{f}({ty} %a)"));
            let _ = writeln!(out, "declare {ty} @{name}{f}({ty})");
        }
        for name in BINARY {
            simple(out, &format!("__nv_{name}{f}"), ty, 2, &format!("call {ty} @{name}{f}({ty} %a, {ty} %b)"));
            let _ = writeln!(out, "declare {ty} @{name}{f}({ty}, {ty})");
        }
        for (name, intrinsic) in INTRINSIC {
            simple(out, &format!("__nv_{name}{f}"), ty, 1, &on(intrinsic, ty, suffix, 1));
        }
        for (name, intrinsic) in BINARY_INTRINSIC {
            simple(out, &format!("__nv_{name}{f}"), ty, 2, &on(intrinsic, ty, suffix, 2));
        }
        simple(out, &format!("__nv_fma{f}"), ty, 3, &on("fma", ty, suffix, 3));
        let root = on("sqrt", ty, suffix, 1);
        let _ = writeln!(
            out,
            "define {ty} @__nv_rsqrt{f}({ty} %a) {{\n  %s = {root}\n  %r = fdiv {ty} 1.0, %s\n  ret {ty} %r\n}}\n\
             define {ty} @__nv_rcbrt{f}({ty} %a) {{\n  %s = call {ty} @cbrt{f}({ty} %a)\n  \
             %r = fdiv {ty} 1.0, %s\n  ret {ty} %r\n}}\n\
             define {ty} @__nv_ldexp{f}({ty} %a, i32 %n) {{\n  %r = call {ty} @ldexp{f}({ty} %a, i32 %n)\n  ret {ty} %r\n}}\n\
             define {ty} @__nv_scalbn{f}({ty} %a, i32 %n) {{\n  %r = call {ty} @ldexp{f}({ty} %a, i32 %n)\n  ret {ty} %r\n}}\n\
             define {ty} @__nv_powi{f}({ty} %a, i32 %n) {{\n  %e = sitofp i32 %n to {ty}\n  \
             %r = call {ty} @pow{f}({ty} %a, {ty} %e)\n  ret {ty} %r\n}}\n\
             define i32 @__nv_ilogb{f}({ty} %a) {{\n  %r = call i32 @ilogb{f}({ty} %a)\n  ret i32 %r\n}}\n\
             declare {ty} @ldexp{f}({ty}, i32)\ndeclare i32 @ilogb{f}({ty})"
        );
        let meta = Meta::access(if ty == "float" { 4 } else { 8 }).0;
        let word = if ty == "float" { "i32" } else { "i64" };
        let extend = |value: &str, to: &str| {
            if ty == "float" {
                format!("  %{to}w = bitcast float {value} to {word}\n  %{to} = zext i32 %{to}w to i64\n")
            } else {
                format!("  %{to} = bitcast double {value} to i64\n")
            }
        };
        let _ = writeln!(
            out,
            "define void @__nv_sincos{f}({ty} %a, ptr %p, ptr %q) {{\n  %s = call {ty} @sin{f}({ty} %a)\n  \
             %c = call {ty} @cos{f}({ty} %a)\n{}{}  call void @sim.store(ptr %p, i64 %x, i64 {meta})\n  \
             call void @sim.store(ptr %q, i64 %y, i64 {meta})\n  ret void\n}}",
            extend("%s", "x"),
            extend("%c", "y")
        );
        let _ = writeln!(
            out,
            "define {ty} @__nv_modf{f}({ty} %a, ptr %p) {{\n  %i = call {ty} @llvm.trunc.{suffix}({ty} %a)\n\
             {}  call void @sim.store(ptr %p, i64 %x, i64 {meta})\n  %d = fsub {ty} %a, %i\n  \
             %r = call {ty} @llvm.copysign.{suffix}({ty} %d, {ty} %a)\n  ret {ty} %r\n}}",
            extend("%i", "x")
        );
        let four = Meta::access(4).0;
        let _ = writeln!(
            out,
            "define {ty} @__nv_frexp{f}({ty} %a, ptr %p) {{\n  \
             %s = call {{ {ty}, i32 }} @llvm.frexp.{suffix}.i32({ty} %a)\n  %m = extractvalue {{ {ty}, i32 }} %s, 0\n  \
             %e = extractvalue {{ {ty}, i32 }} %s, 1\n  %w = zext i32 %e to i64\n  \
             call void @sim.store(ptr %p, i64 %w, i64 {four})\n  ret {ty} %m\n}}\n\
             declare {{ {ty}, i32 }} @llvm.frexp.{suffix}.i32({ty})"
        );
        for (name, function) in [("sinpi", "sin"), ("cospi", "cos")] {
            let pi = if ty == "float" { "0x400921FB60000000" } else { "0x400921FB54442D18" };
            let _ = writeln!(
                out,
                "define {ty} @__nv_{name}{f}({ty} %a) {{\n  %w = frem {ty} %a, 2.0\n  %x = fmul {ty} %w, {pi}\n  \
                 %r = call {ty} @{function}{f}({ty} %x)\n  ret {ty} %r\n}}"
            );
        }
    }
    for (name, function) in [("sin", "sin"), ("cos", "cos"), ("tan", "tan"), ("exp", "exp"), ("exp10", "exp10")] {
        simple(out, &format!("__nv_fast_{name}f"), "float", 1, &format!("call float @{function}f(float %a)"));
    }
    for name in ["log", "log2", "log10"] {
        simple(out, &format!("__nv_fast_{name}f"), "float", 1, &format!("call float @{name}f(float %a)"));
    }
    simple(out, "__nv_fast_powf", "float", 2, "call float @powf(float %a, float %b)");
    simple(out, "__nv_fast_fdividef", "float", 2, "fdiv float %a, %b");
}

/// Declarations of LLVM's intrinsics that the text calls and does not declare.
fn intrinsic_declarations(text: &str) -> String {
    let known: std::collections::HashSet<&str> = text
        .lines()
        .filter(|line| line.starts_with("declare "))
        .filter_map(|line| line.split_once("@llvm.")?.1.split_once('(').map(|(name, _)| name))
        .collect();
    let mut declared = std::collections::BTreeMap::new();
    for line in text.lines() {
        let Some((before, after)) = line.split_once("call ") else { continue };
        let Some((result, rest)) = after.split_once(" @llvm.") else { continue };
        let Some((name, arguments)) = rest.split_once('(') else { continue };
        if before.trim_start().starts_with(';') || known.contains(name) {
            continue;
        }
        let types: Vec<_> =
            arguments.trim_end_matches(')').split(", ").filter_map(|a| a.rsplit_once(' ').map(|(ty, _)| ty)).collect();
        declared.insert(name.to_owned(), format!("declare {result} @llvm.{name}({})\n", types.join(", ")));
    }
    declared.into_values().collect()
}
