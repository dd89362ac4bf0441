//! Writes every mutant of a PTX file beside each other, to try them on ptxas:
//! `cargo run -p ptx --example mutants FILE.ptx FOLDER`.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(folder)) = (arguments.next(), arguments.next().map(PathBuf::from)) else {
        return Err("usage: mutants FILE.ptx FOLDER".into());
    };
    let source = std::fs::read_to_string(&file)?;
    let module = ptx::parse_module(&source)?;
    for (i, mutation) in ptx::mutate::mutations(&source, &module).iter().enumerate() {
        println!("{i:03} {mutation}");
        std::fs::write(folder.join(format!("{i:03}.ptx")), mutation.apply(&source))?;
    }
    Ok(())
}
