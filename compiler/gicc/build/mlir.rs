//! The MLIR part of the build: the dialect's tables become C++, the C++ becomes a library, and what links it is told
//! where MLIR lies.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use gicc_abi::channel;
use gicc_abi::codes::{Algorithm, Compare, ElementType, Engine, Group, Order, Protocol, ReduceOp, Scope, SignalOp};
use gicc_abi::layout::ChannelState;

/// What mlir-tblgen makes of the dialect's tables: its options, and the file.
const GENERATED: &[(&[&str], &str)] = &[
    (&["-gen-dialect-decls", "-dialect=gicc"], "GiccDialect.h.inc"),
    (&["-gen-dialect-defs", "-dialect=gicc"], "GiccDialect.cpp.inc"),
    (&["-gen-enum-decls"], "GiccEnums.h.inc"),
    (&["-gen-enum-defs"], "GiccEnums.cpp.inc"),
    (&["-gen-attrdef-decls", "-attrdefs-dialect=gicc"], "GiccAttrs.h.inc"),
    (&["-gen-attrdef-defs", "-attrdefs-dialect=gicc"], "GiccAttrs.cpp.inc"),
    (&["-gen-typedef-decls", "-typedefs-dialect=gicc"], "GiccTypes.h.inc"),
    (&["-gen-typedef-defs", "-typedefs-dialect=gicc"], "GiccTypes.cpp.inc"),
    (&["-gen-op-decls"], "GiccOps.h.inc"),
    (&["-gen-op-defs"], "GiccOps.cpp.inc"),
];

/// Builds the dialect. `here` is the package's folder, `out` cargo's output folder.
pub(crate) fn build(here: &Path, out: &Path) {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = PathBuf::from(std::env::var_os("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let include = prefix.join("include");
    let (tables, sources) = (here.join("src/dialect/ods"), here.join("src/dialect/cpp"));
    for folder in [&tables, &sources] {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    c_interface(&prefix, out);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=gicc_dialect");
    println!("cargo:rustc-link-lib=stdc++");

    // The C++ takes long to compile, and this script also runs when the device runtime has changed.
    let stamp = out.join("dialect.stamp");
    let made_of = inputs(&prefix, &[&tables, &sources, &here.join("build")]);
    if fs::read_to_string(&stamp).is_ok_and(|s| s == made_of) && out.join("libgicc_dialect.a").is_file() {
        return;
    }
    let generated = out.join("dialect");
    fs::create_dir_all(&generated).expect("the output folder is writable");
    fs::write(generated.join("Codes.td"), codes()).expect("the output folder is writable");
    fs::write(generated.join("Sizes.h"), sizes()).expect("the output folder is writable");
    for (options, file) in GENERATED {
        let mut tblgen = Command::new(prefix.join("bin/mlir-tblgen"));
        tblgen.args(*options).arg("-I").arg(&include).arg("-I").arg(&tables).arg("-I").arg(&generated);
        crate::run(tblgen.arg(tables.join("Gicc.td")).arg("-o").arg(generated.join(file)));
    }
    cc::Build::new()
        // Debian's MLIR is built by clang, and types are known by names that compilers spell differently.
        .compiler(prefix.join("bin/clang++"))
        .cpp(true)
        .std("c++17")
        .files(crate::files(&sources, |name| name.ends_with(".cpp")))
        .include(&sources)
        .include(&generated)
        .flag(format!("-isystem{}", include.display()))
        // As LLVM itself is built: no exceptions, no type information.
        .flags(["-fno-exceptions", "-fno-rtti", "-fvisibility-inlines-hidden", "-Wno-unused-parameter"])
        .opt_level(2)
        .debug(false)
        .warnings_into_errors(true)
        .cargo_metadata(false)
        .compile("gicc_dialect");
    fs::write(stamp, made_of).expect("the output folder is writable");
}

/// A hash of everything that the library is made of.
fn inputs(prefix: &Path, folders: &[&Path]) -> String {
    let mut hasher = DefaultHasher::new();
    (prefix, codes(), sizes()).hash(&mut hasher);
    for file in folders.iter().flat_map(|f| crate::files(f, |_| true)) {
        (&file, fs::read(&file).unwrap_or_default()).hash(&mut hasher);
    }
    hasher.finish().to_string()
}

/// What the verifiers need to know of a channel's memory.
fn sizes() -> String {
    let words = size_of::<ChannelState>() / 8;
    format!(
        "// Generated from gicc's runtime/abi.\n#pragma once\n#include <cstdint>\nnamespace gicc::sizes {{\n\
         constexpr int64_t channelWords = {words};\nconstexpr int64_t llBelow = {};\nconstexpr int64_t packetWords = {};\n\
         constexpr int64_t packetsOffset = {};\nconstexpr int64_t largestSlotOf8 = {};\n}} // namespace gicc::sizes\n",
        channel::LL_BELOW,
        channel::PACKET_BYTES / 8,
        channel::PACKETS_OFFSET / 8,
        channel::LARGEST_SLOT_OF_8,
    )
}

/// Debian has MLIR's C interface as archives over `libMLIR.so` only, and mlir-sys asks for `libMLIR-C.so`: a linker script
/// of that name bridges it.
fn c_interface(prefix: &Path, out: &Path) {
    let archives = crate::files(&prefix.join("lib"), |name| name.starts_with("libMLIRCAPI") && name.ends_with(".a"));
    let shared = prefix.join("lib/libMLIR-C.so");
    if !shared.exists() {
        assert!(
            !archives.is_empty(),
            "MLIR's C interface is not in {}; is libmlir-22-dev installed?",
            prefix.display()
        );
        let names: Vec<String> = archives.iter().map(|p| p.display().to_string()).collect();
        fs::write(out.join("libMLIR-C.so"), format!("INPUT({})\n", names.join(" ")))
            .expect("the output folder is writable");
        println!("cargo:rustc-link-search=native={}", out.display());
    }
}

/// The enumerations of `runtime/abi`, as TableGen's: their names and numbers have one owner.
fn codes() -> String {
    let mut out = String::from("// Generated from gicc's runtime/abi.\n");
    let _ = writeln!(out, "defvar Gicc_LargestDomain = {};", gicc_abi::domain::LARGEST);
    macro_rules! enumeration {
        ($($name:ident, $class:literal, $spelling:literal, $about:literal;)*) => {$(
            let cases: Vec<String> = $name::ALL
                .iter()
                .map(|v| format!("I32EnumAttrCase<\"{v:?}\", {}, \"{}\">", v.code(), v.name()))
                .collect();
            let _ = writeln!(
                out,
                "def Gicc_{0}Enum : I32EnumAttr<\"{0}\", \"{1}\", [{2}]> {{\n  let cppNamespace = \"::gicc\";\n  \
                 let genSpecializedAttr = 0;\n}}\ndef Gicc_{0}Attr : Gicc_EnumAttr<Gicc_{0}Enum, \"{3}\">;",
                $class, $about, cases.join(", "), $spelling
            );
        )*};
    }
    enumeration! {
        Group, "Group", "group", "who executes together";
        Compare, "Compare", "compare", "how a wait compares";
        SignalOp, "SignalAction", "signal_action", "what a signal does to its word";
        Order, "Order", "order", "what a signal orders";
        Scope, "Scope", "scope", "how far an ordering reaches";
        Protocol, "Protocol", "protocol", "how a channel's bytes travel";
        Engine, "Engine", "engine", "who carries out an initiation";
        ElementType, "ElementType", "element_type", "a collective's element type";
        ReduceOp, "ReduceKind", "reduce_kind", "what a reduction computes";
        Algorithm, "Algorithm", "algorithm", "how a collective is done";
    }
    out
}
