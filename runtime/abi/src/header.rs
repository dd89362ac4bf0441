//! The C header that the device runtime, `gicc.cuh` and launchers in C include. Generated, never edited: what stands in it
//! stands in this crate.

use std::fmt::Write as _;

use crate::codes::{
    Algorithm, Compare, ElementType, Engine, ErrorCode, Group, Order, Protocol, ReduceOp, Scope, SignalOp,
};
use crate::intrinsics::{self, Family, Intrinsic, Type};
use crate::layout::{
    self, ChannelCounters, ChannelRecord, ChannelState, Descriptor, DomainRecord, Error, Event, Field, ModuleRecord,
    State,
};
use crate::{ABI_VERSION, channel, domain, heap};

/// The header's file name, under the folder that is put on the include path.
pub const FILE_NAME: &str = "gicc/abi.h";

/// The whole text of the header.
pub fn text() -> String {
    let mut out = String::from(
        "// Generated from gicc's runtime/abi. Names, numbers and layouts that host, device and simulator share.\n\
         #pragma once\n\
         #ifndef GICC_RTC\n#include <stdint.h>\n#endif\n\n",
    );
    constants(&mut out);
    enumerations(&mut out);
    structures(&mut out);
    functions(&mut out);
    out
}

fn constants(out: &mut String) {
    let constants: [(&str, u64); 21] = [
        ("GICC_ABI_VERSION", ABI_VERSION.into()),
        ("GICC_MODULE_RECORD_MAGIC", ModuleRecord::MAGIC),
        ("GICC_WORKSPACE_BYTES", heap::WORKSPACE_BYTES),
        ("GICC_MAX_BARRIER_BLOCKS", heap::MAX_BARRIER_BLOCKS.into()),
        ("GICC_BARRIER_WORDS", heap::BARRIER_WORDS.into()),
        ("GICC_BARRIER_ARRIVALS", heap::BARRIER_ARRIVALS),
        ("GICC_BARRIER_EPOCHS", heap::BARRIER_EPOCHS),
        ("GICC_GRID_COUNTER", heap::GRID_COUNTER),
        ("GICC_COLLECTIVE_EPOCHS", heap::COLLECTIVE_EPOCHS),
        ("GICC_PACKETS", heap::PACKETS),
        ("GICC_PACKETS_OF_SLOT", heap::PACKETS_OF_SLOT),
        ("GICC_PART_LINE", heap::PART_LINE),
        ("GICC_PART_BYTES", heap::PART_BYTES),
        ("GICC_REGION_BYTES", heap::REGION_BYTES),
        ("GICC_OF_COLLECTIVE", layout::OF_COLLECTIVE.into()),
        ("GICC_BUFFER_ALIGN", heap::BUFFER_ALIGN),
        ("GICC_LL_BELOW", channel::LL_BELOW),
        ("GICC_PACKET_BYTES", channel::PACKET_BYTES),
        ("GICC_PACKETS_OFFSET", channel::PACKETS_OFFSET),
        ("GICC_LARGEST_SLOT_OF_8", channel::LARGEST_SLOT_OF_8),
        ("GICC_LARGEST_DOMAIN", domain::LARGEST.into()),
    ];
    for (name, value) in constants {
        let _ = writeln!(out, "#define {name} {value}ULL");
    }
    out.push('\n');
}

fn enumerations(out: &mut String) {
    macro_rules! enumeration {
        ($($name:ident),*) => {$(
            let upper = $name::C_NAME.to_uppercase();
            let _ = writeln!(out, "enum {} {{", $name::C_NAME);
            for value in $name::ALL {
                let _ = writeln!(out, "  {upper}_{} = {},", value.name().to_uppercase(), value.code());
            }
            out.push_str("};\n\n");
        )*};
    }
    enumeration!(Group, Compare, SignalOp, Order, Scope, Protocol, ElementType, ReduceOp, Algorithm, Engine, ErrorCode);
}

fn structures(out: &mut String) {
    macro_rules! structure {
        ($($name:ident),*) => {$( structure(out, $name::C_NAME, $name::FIELDS); )*};
    }
    structure!(
        State,
        Error,
        Descriptor,
        Event,
        ChannelState,
        ChannelCounters,
        ModuleRecord,
        ChannelRecord,
        DomainRecord
    );
}

fn structure(out: &mut String, name: &str, fields: &[Field]) {
    let _ = writeln!(out, "struct {name} {{");
    for f in fields {
        let _ = writeln!(out, "  {} {}; // {}", f.c_type, f.name, f.doc.trim());
    }
    out.push_str("};\n\n");
}

fn functions(out: &mut String) {
    out.push_str(
        "#if defined(__CUDA__) || defined(__CUDACC__)\n#define GICC_INTRINSIC extern \"C\" __attribute__((device))\n\n\
         // A 128-bit word as its low and high half.\n\
         typedef int64_t gicc_v2i64 __attribute__((ext_vector_type(2)));\n",
    );
    for (family, title) in [
        (Family::Team, "Facts about the team."),
        (Family::Interface, "The interface."),
        (Family::Requirement, "Requirements of order; for the device runtime."),
        (Family::Ordering, "Orderings; for the device runtime, relaxed only."),
    ] {
        let _ = writeln!(out, "\n// {title}");
        for i in intrinsics::ALL.iter().filter(|i| i.family == family) {
            let _ = writeln!(out, "{} // {}", declaration(i), i.doc);
        }
    }
    out.push_str("#endif\n");
}

fn declaration(i: &Intrinsic) -> String {
    let parameters: Vec<String> = i
        .parameters
        .iter()
        .map(|p| match (p.ty, p.name) {
            (Type::Ptr, "src" | "name") => format!("const void *{}", p.name),
            (ty, name) => format!("{}{name}", c_type(ty)),
        })
        .collect();
    // The facts about the team never change while a kernel runs.
    let attribute = if i.family == Family::Team { " __attribute__((const))" } else { "" };
    format!("GICC_INTRINSIC {}{}({}){attribute};", c_type(i.result), i.name, parameters.join(", "))
}

const fn c_type(ty: Type) -> &'static str {
    match ty {
        Type::Void => "void ",
        Type::I32 => "int32_t ",
        Type::I64 => "int64_t ",
        Type::Ptr => "void *",
        Type::V2I64 => "gicc_v2i64 ",
    }
}
