//! Arithmetic and conversions that round in a direction, exactly, by the host's rounding mode.
//!
//! Each operation is one piece of assembly that sets the mode, computes and puts the old mode back, so that neither LLVM
//! nor another thread's code ever sees another mode. Denormals are not flushed.
//!
//! Conversions over a wider type round twice in the same direction, which is the same as once.

use std::fmt::Write as _;

/// Names of the modes in PTX, the host's control word with every exception masked, and the mode in `vcvtps2ph`.
const MODES: [(&str, u32, u32); 3] = [("rz", 0x7f80, 3), ("rm", 0x3f80, 1), ("rp", 0x5f80, 2)];

/// Adds the functions `sim.lib.OPERATION.MODE.TYPE` and the intrinsics that they are.
pub(super) fn functions(out: &mut String) {
    for (mode, word, half) in MODES {
        for (ty, suffix, s, letter) in [("float", "f32", "ss", "f"), ("double", "f64", "sd", "d")] {
            for (name, arity, code) in [
                ("add", 2, format!("vadd{s} $4, $3, $0")),
                ("sub", 2, format!("vsub{s} $4, $3, $0")),
                ("mul", 2, format!("vmul{s} $4, $3, $0")),
                ("div", 2, format!("vdiv{s} $4, $3, $0")),
                ("sqrt", 1, format!("vsqrt{s} $3, $3, $0")),
                ("fma", 3, format!("vmovaps $3, $0\\0Avfmadd213{s} $5, $4, $0")),
            ] {
                under(out, &format!("{name}.{mode}.{suffix}"), ty, (ty, "x", arity), word, &code);
                if name != "sub" {
                    intrinsic(out, &format!("{name}.{mode}"), (ty, suffix, letter), (name, mode), arity);
                }
            }
            let code = "vxorps $0, $0, $0\\0Avcvtsi2sdq $3, $0, $0";
            if ty == "double" {
                under(out, &format!("from_s64.{mode}.f64"), ty, ("i64", "r", 1), word, code);
            }
        }
        under(out, &format!("narrow.{mode}.f32"), "float", ("double", "x", 1), word, "vcvtsd2ss $3, $3, $0");
        for flush in ["", ".ftz"] {
            let _ = writeln!(
                out,
                "define float @nvvm.d2f.{mode}{flush}(double %a) {{\n  \
                 %r = call float @sim.lib.narrow.{mode}.f32(double %a)\n  ret float %r\n}}"
            );
        }
        let _ = writeln!(
            out,
            "define half @sim.lib.narrow.{mode}.f16(float %a) {{\n  \
             %x = call float asm \"vcvtps2ph $${half}, $1, $0\", \"=x,x\"(float %a)\n  \
             %w = bitcast float %x to i32\n  %h = trunc i32 %w to i16\n  %r = bitcast i16 %h to half\n  \
             ret half %r\n}}"
        );
        integers(out, mode);
    }
}

/// One operation under a mode.
fn under(out: &mut String, name: &str, result: &str, operands: (&str, &str, usize), word: u32, code: &str) {
    let (ty, class, arity) = operands;
    let names = &["%a", "%b", "%c"][..arity];
    let parameters: Vec<_> = names.iter().map(|n| format!("{ty} {n}")).collect();
    let parameters = parameters.join(", ");
    let classes = format!(",{class}").repeat(arity);
    let _ = writeln!(
        out,
        "define {result} @sim.lib.{name}({parameters}) {{\n  %s = alloca i32, align 4\n  %m = alloca i32, align 4\n  \
         store i32 {word}, ptr %m, align 4\n  \
         %r = call {result} asm sideeffect \"stmxcsr $1\\0Aldmxcsr $2\\0A{code}\\0Aldmxcsr $1\", \
         \"=&x,=*m,*m{classes}\"(ptr elementtype(i32) %s, ptr elementtype(i32) %m, {parameters})\n  \
         ret {result} %r\n}}"
    );
}

/// The intrinsic of an operation, under each of its names.
fn intrinsic(out: &mut String, name: &str, types: (&str, &str, &str), of: (&str, &str), arity: usize) {
    let (ty, suffix, letter) = types;
    let (operation, mode) = of;
    let parameters: Vec<_> = ["%a", "%b", "%c"][..arity].iter().map(|n| format!("{ty} {n}")).collect();
    let parameters = parameters.join(", ");
    let flushed: &[&str] = if ty == "float" { &["", "ftz."] } else { &[""] };
    for ftz in flushed {
        for ending in [letter, suffix] {
            let _ = writeln!(
                out,
                "define {ty} @nvvm.{name}.{ftz}{ending}({parameters}) {{\n  \
                 %r = call {ty} @sim.lib.{operation}.{mode}.{suffix}({parameters})\n  ret {ty} %r\n}}"
            );
            if operation == "div" {
                let _ = writeln!(
                    out,
                    "define {ty} @nvvm.rcp.{mode}.{ftz}{ending}({ty} %a) {{\n  \
                     %r = call {ty} @sim.lib.div.{mode}.{suffix}({ty} 1.0, {ty} %a)\n  ret {ty} %r\n}}"
                );
            }
        }
    }
}

/// Conversions of integers.
fn integers(out: &mut String, mode: &str) {
    // The halves of a word are exact, and so is the product; one sum rounds.
    let _ = writeln!(
        out,
        "define double @sim.lib.from_u64.{mode}.f64(i64 %a) {{\n  %h = lshr i64 %a, 32\n  %l = and i64 %a, 4294967295\n  \
         %x = uitofp i64 %h to double\n  %y = uitofp i64 %l to double\n  %z = fmul double %x, 4294967296.0\n  \
         %r = call double @sim.lib.add.{mode}.f64(double %z, double %y)\n  ret double %r\n}}"
    );
    for (sign, extend) in [("s", "sext"), ("u", "zext")] {
        let _ = writeln!(
            out,
            "define float @sim.lib.from_{sign}64.{mode}.f32(i64 %a) {{\n  \
             %x = call double @sim.lib.from_{sign}64.{mode}.f64(i64 %a)\n  \
             %r = call float @sim.lib.narrow.{mode}.f32(double %x)\n  ret float %r\n}}"
        );
        for (ty, suffix, letter) in [("float", "f32", "f"), ("double", "f64", "d")] {
            let (narrow, wide) = if sign == "s" { ("i", "ll") } else { ("ui", "ull") };
            let _ = writeln!(
                out,
                "define {ty} @nvvm.{narrow}2{letter}.{mode}(i32 %a) {{\n  %w = {extend} i32 %a to i64\n  \
                 %r = call {ty} @sim.lib.from_{sign}64.{mode}.{suffix}(i64 %w)\n  ret {ty} %r\n}}\n\
                 define {ty} @nvvm.{wide}2{letter}.{mode}(i64 %a) {{\n  \
                 %r = call {ty} @sim.lib.from_{sign}64.{mode}.{suffix}(i64 %a)\n  ret {ty} %r\n}}"
            );
        }
    }
}
