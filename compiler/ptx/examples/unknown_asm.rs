//! Reads lines `"text", "constraints"`, as LLVM IR writes inline assembly, and lists what is not understood:
//! `llvm-dis x.bc -o - | grep -o 'asm [^"]*"[^"]*", "[^"]*"' | cargo run -p ptx --example unknown_asm`.

use std::io::BufRead;

fn main() -> std::io::Result<()> {
    let (mut seen, mut bad) = (0, 0);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut quoted = line.split('"').skip(1).step_by(2);
        let (Some(text), Some(constraints)) = (quoted.next(), quoted.next()) else { continue };
        seen += 1;
        let text = unescape(text);
        match ptx::InlineAsm::parse(&text, constraints) {
            Err(error) => {
                bad += 1;
                println!("{error}: {text:?} {constraints:?}");
            }
            Ok(asm) => {
                for (span, unknown) in asm.unknown() {
                    bad += 1;
                    println!("{span}: {}: {}: {text:?} {constraints:?}", unknown.opcode, unknown.reason);
                }
                let printed = asm.to_text();
                if ptx::InlineAsm::parse(&printed, constraints).map(|asm| asm.to_text()).as_ref() != Ok(&printed) {
                    bad += 1;
                    println!("printing is not stable: {text:?}");
                }
            }
        }
    }
    println!("{seen} strings, {bad} findings");
    Ok(())
}

/// LLVM writes bytes that do not print as `\0A`.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        match rest.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte.into());
                rest = &rest[at + 3..];
            }
            None => {
                out.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    out + rest
}
