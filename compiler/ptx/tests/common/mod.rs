//! What several tests need.

use ptx::{Instruction, Module, StatementKind};

/// The instructions of a module without their places: what has to survive printing.
pub(crate) fn instructions(module: &Module) -> Vec<Instruction> {
    let mut out = Vec::new();
    module.walk(&mut |statement| {
        if let StatementKind::Instruction(instruction) = &statement.kind {
            let mut instruction = instruction.as_ref().clone();
            instruction.span = Default::default();
            instruction.opcode_span = Default::default();
            out.push(instruction);
        }
    });
    out
}

/// Text without white space and comments.
#[allow(dead_code, reason = "each test program uses a part of this file")]
pub(crate) fn squeezed(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or("");
        out.extend(code.chars().filter(|c| !c.is_whitespace()));
    }
    out
}
