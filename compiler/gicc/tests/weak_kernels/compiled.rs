//! The compiled kernels of a file: PTX, and a program for the simulator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Emit, Observer, Options, Stage, Tools, compile};

use crate::manifest::folder;

struct Errors(String);

impl Observer for Errors {
    fn diagnostic(&mut self, d: Diagnostic) {
        if d.severity == Severity::Error {
            self.0 += &d.to_string();
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// Both products of a file, compiled once: the tests run at the same time.
#[derive(Clone)]
struct Products {
    ptx: Vec<u8>,
    program: Vec<u8>,
}

type Compiled = Arc<OnceLock<Result<Products, String>>>;

fn products(file: &str) -> Result<Products, String> {
    static ALL: Mutex<BTreeMap<String, Compiled>> = Mutex::new(BTreeMap::new());
    let cell = ALL.lock().expect("no compilation panicked").entry(file.to_owned()).or_default().clone();
    cell.get_or_init(|| {
        let mut options = Options::new(vec![folder().join(file)], Tools::discover());
        options.emit = vec![Emit::Ptx, Emit::Sim];
        let mut errors = Errors(String::new());
        let compiled = compile(&options, &mut errors).map_err(|_| errors.0)?;
        let of = |wanted: Emit| {
            let found = compiled.products.iter().find(|(emit, _)| *emit == wanted);
            found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| format!("{file}: no {wanted:?}"))
        };
        Ok(Products { ptx: of(Emit::Ptx)?, program: of(Emit::Sim)? })
    })
    .clone()
}

/// The PTX of a file, as text and parsed.
pub(crate) fn ptx_of(file: &str) -> Result<(String, ptx::Module), String> {
    let text = String::from_utf8(products(file)?.ptx).map_err(|error| error.to_string())?;
    let module = ptx::parse_module(&text).map_err(|error| format!("{file}: {error}"))?;
    Ok((text, module))
}

/// The program of a file for the simulator.
pub(crate) fn program_of(file: &str) -> Result<Vec<u8>, String> {
    Ok(products(file)?.program)
}
