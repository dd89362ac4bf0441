//! The C header and the Rust layouts agree: a C compiler sees the same sizes, offsets and numbers.

use std::fmt::Write as _;
use std::process::Command;

use gicc_abi::codes::{Compare, ErrorCode, Order, Scope};
use gicc_abi::layout::{
    ChannelRecord, ChannelState, Descriptor, DomainRecord, Error, Event, Field, ModuleRecord, State,
};

/// Compiles the header with `assertions` behind it; the compiler's words where it refuses.
fn compile(assertions: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(dir.path().join("gicc")).expect("a folder for the header");
    std::fs::write(dir.path().join(gicc_abi::header::FILE_NAME), gicc_abi::header::text()).expect("the header");
    let source = dir.path().join("test.c");
    std::fs::write(&source, format!("#include <stddef.h>\n#include <gicc/abi.h>\n{assertions}")).expect("the source");
    let out = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I"])
        .arg(dir.path())
        .arg(&source)
        .output()
        .expect("a C compiler named cc");
    if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
}

fn structure(out: &mut String, name: &str, size: usize, fields: &[Field]) {
    let _ = writeln!(out, "_Static_assert(sizeof(struct {name}) == {size}, \"{name}\");");
    for f in fields {
        let at = format!("struct {name}, {}", f.name);
        let _ = writeln!(out, "_Static_assert(offsetof({at}) == {}, \"{at}\");", f.offset);
        let _ = writeln!(out, "_Static_assert(sizeof(((struct {name} *)0)->{}) == {}, \"{at}\");", f.name, f.size);
    }
}

#[test]
fn rust_and_c_layouts_agree() {
    let mut text = String::new();
    structure(&mut text, State::C_NAME, size_of::<State>(), State::FIELDS);
    structure(&mut text, Error::C_NAME, size_of::<Error>(), Error::FIELDS);
    structure(&mut text, Descriptor::C_NAME, size_of::<Descriptor>(), Descriptor::FIELDS);
    structure(&mut text, Event::C_NAME, size_of::<Event>(), Event::FIELDS);
    structure(&mut text, ChannelState::C_NAME, size_of::<ChannelState>(), ChannelState::FIELDS);
    structure(&mut text, ModuleRecord::C_NAME, size_of::<ModuleRecord>(), ModuleRecord::FIELDS);
    structure(&mut text, ChannelRecord::C_NAME, size_of::<ChannelRecord>(), ChannelRecord::FIELDS);
    structure(&mut text, DomainRecord::C_NAME, size_of::<DomainRecord>(), DomainRecord::FIELDS);
    for (name, code) in [
        ("GICC_COMPARE_LE", Compare::Le.code()),
        ("GICC_ORDER_SEQ_CST", Order::SequentiallyConsistent.code()),
        ("GICC_SCOPE_AUTO", Scope::Auto.code()),
        ("GICC_ERROR_CODE_OVER_CAPACITY", ErrorCode::OverCapacity.code()),
    ] {
        let _ = writeln!(text, "_Static_assert({name} == {code}, \"{name}\");");
    }
    compile(&text).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_wrong_offset_is_noticed() {
    let wrong = "_Static_assert(offsetof(struct gicc_state, my_pe) == 8, \"my_pe\");";
    assert!(compile(wrong).expect_err("the assertion is false").contains("my_pe"));
}
