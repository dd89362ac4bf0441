//! Whole modules: what clang-22 made of small kernels is read without anything unknown, and printing gives it back.
#![allow(clippy::unwrap_used, clippy::type_complexity, reason = "a failed unwrap is a failed test")]

mod common;

use common::{instructions, squeezed};

fn check(name: &str, source: &str) {
    let module = ptx::parse_module(source).unwrap_or_else(|e| panic!("{name}:{e}"));
    let unknown = module.unknown();
    assert!(unknown.is_empty(), "{name}: {unknown:#?}");
    let printed = module.to_string();
    let again = ptx::parse_module(&printed).unwrap_or_else(|e| panic!("{name} printed:{e}\n{printed}"));
    assert_eq!(again.to_string(), printed, "{name}: printing is not stable");
    assert_eq!(instructions(&module), instructions(&again), "{name}");
    assert_eq!(squeezed(&printed), squeezed(source), "{name}: printing changes the text");
    for instruction in instructions(&module) {
        let spelled = instruction.op.spelling();
        if !spelled.starts_with("call") {
            assert_eq!(ptx::Op::from_opcode(&spelled), Ok(instruction.op), "{name}: {spelled}");
        }
    }
}

#[test]
fn every_input_survives() {
    let mut seen = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inputs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ptx") {
            check(&path.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(&path).unwrap());
            seen += 1;
        }
    }
    assert!(seen > 0, "no inputs");
}
