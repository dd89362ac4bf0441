//! Reads PTX files and lists what the instruction table does not know: `cargo run -p ptx --example unknown FILE…`.

use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let module = match ptx::parse_module(&text) {
            Ok(module) => module,
            Err(error) => {
                eprintln!("{path}:{error}");
                failed = true;
                continue;
            }
        };
        let mut statements = 0;
        module.walk(&mut |_| statements += 1);
        let unknown = module.unknown();
        println!("{path}: {statements} statements, {} unknown", unknown.len());
        let mut kinds: BTreeMap<(&str, &str), (usize, u32)> = BTreeMap::new();
        for (span, unknown) in &unknown {
            let entry = kinds.entry((&unknown.opcode, &unknown.reason)).or_insert((0, span.line));
            entry.0 += 1;
        }
        for ((opcode, reason), (count, line)) in kinds {
            println!("  {count} x {opcode}: {reason} (first in line {line})");
        }
        let printed = module.to_string();
        if ptx::parse_module(&printed).map(|module| module.to_string()).as_ref() != Ok(&printed) {
            eprintln!("{path}: printing is not stable");
            failed = true;
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
