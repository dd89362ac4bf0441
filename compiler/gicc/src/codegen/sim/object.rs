//! The host's side: target machine, optimisation, object file, shared object.

use std::ffi::CStr;
use std::path::Path;
use std::process::Command;

use inkwell::llvm_sys::core::{LLVMDisposeMessage, LLVMSetTarget};
use inkwell::llvm_sys::target::{LLVMDisposeTargetData, LLVMSetModuleDataLayout};
use inkwell::llvm_sys::target_machine::*;
use inkwell::targets::{InitializationConfig, Target};

use super::ir::{Ir, c_string};
use super::{codes, module};
use crate::diagnostic::Diagnostic;

const TRIPLE: &str = "x86_64-pc-linux-gnu";
/// AVX2, FMA and F16C; the loader checks that the processor has them.
const PROCESSOR: &str = "x86-64-v3";
/// Linkers' drivers, in the order in which they are tried.
const LINKERS: &[&str] = &["clang-22", "cc", "gcc", "clang"];

/// A target machine for the host.
pub(super) struct Machine(LLVMTargetMachineRef);

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: made in `new`, dropped once.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

impl Machine {
    pub(super) fn new() -> Result<Self, Diagnostic> {
        Target::initialize_x86(&InitializationConfig::default());
        let refused =
            |text: String| Diagnostic::error(codes::LLVM, format!("no code can be made for the host: {text}"));
        // SAFETY: the strings end with zero bytes; the error text is disposed of once.
        unsafe {
            let mut target = std::ptr::null_mut();
            let mut text = std::ptr::null_mut();
            let triple = c_string(TRIPLE);
            if LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut text) != 0 {
                let message = CStr::from_ptr(text).to_string_lossy().into_owned();
                LLVMDisposeMessage(text);
                return Err(refused(message));
            }
            let machine = LLVMCreateTargetMachine(
                target,
                triple.as_ptr(),
                c_string(PROCESSOR).as_ptr(),
                c"".as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if machine.is_null() { Err(refused("no target machine".into())) } else { Ok(Self(machine)) }
        }
    }

    pub(super) fn handle(&self) -> LLVMTargetMachineRef {
        self.0
    }

    /// Makes the module one for the host.
    pub(super) fn apply(&self, ir: &Ir) {
        // SAFETY: the module and the machine live; the layout is disposed of once.
        unsafe {
            LLVMSetTarget(ir.module, c_string(TRIPLE).as_ptr());
            let data = LLVMCreateTargetDataLayout(self.0);
            LLVMSetModuleDataLayout(ir.module, data);
            LLVMDisposeTargetData(data);
        }
    }

    /// O2; debug information has done its work and goes.
    pub(super) fn optimize(&self, ir: &Ir) -> Result<(), Diagnostic> {
        // SAFETY: the module lives.
        unsafe { inkwell::llvm_sys::debuginfo::LLVMStripModuleDebugInfo(ir.module) };
        module::run_passes(ir, self.0, "globaldce,always-inline,default<O2>")
    }
}

/// Writes the shared object, whole or not at all: everything is made in a folder of its own beside it, and moved.
pub(super) fn write(ir: &Ir, output: &Path) -> Result<(), Diagnostic> {
    let machine = Machine::new()?;
    let folder = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let unwritable = |error: &dyn std::fmt::Display| {
        Diagnostic::error(codes::OUTPUT, format!("{} cannot be written: {error}", output.display()))
            .cure("Name another output, or make its folder writable.")
    };
    let work = tempfile::Builder::new().prefix(".gicc-sim").tempdir_in(folder).map_err(|e| unwritable(&e))?;
    let object = work.path().join("program.o");
    let shared = work.path().join("program.so");
    emit_object(ir, &machine, &object)?;
    link(LINKERS, &object, &shared)?;
    std::fs::rename(&shared, output).map_err(|e| unwritable(&e))
}

fn emit_object(ir: &Ir, machine: &Machine, object: &Path) -> Result<(), Diagnostic> {
    // SAFETY: the module and the machine live; the error text is disposed of once.
    unsafe {
        let mut text = std::ptr::null_mut();
        let path = c_string(&object.to_string_lossy());
        let bad = LLVMTargetMachineEmitToFile(
            machine.handle(),
            ir.module,
            path.as_ptr(),
            LLVMCodeGenFileType::LLVMObjectFile,
            &mut text,
        );
        if bad == 0 {
            return Ok(());
        }
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        Err(Diagnostic::error(codes::LLVM, format!("no object file could be made: {message}")))
    }
}

fn link(linkers: &[&str], object: &Path, shared: &Path) -> Result<(), Diagnostic> {
    for linker in linkers {
        let mut command = Command::new(linker);
        command.args(["-shared", "-fPIC", "-Wl,-z,defs", "-Wl,-Bsymbolic", "-o"]).arg(shared).arg(object).arg("-lm");
        match command.output() {
            Ok(result) if result.status.success() => return Ok(()),
            Ok(result) => {
                let text = String::from_utf8_lossy(&result.stderr).trim().to_owned();
                return Err(Diagnostic::error(codes::LINKER, format!("{linker} could not link the program: {text}")));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(Diagnostic::error(codes::LINKER, format!("{linker} cannot be run: {error}")));
            }
        }
    }
    Err(Diagnostic::error(codes::LINKER, "no linker was found, which a program for the simulator needs")
        .cause(format!("None of these is on the path: {}.", linkers.join(", ")))
        .cure("Install clang-22 or gcc (Debian: apt-get install clang-22)."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_linker_is_an_error_that_says_what_to_install() {
        let error = link(&["gicc-no-such-linker"], Path::new("a.o"), Path::new("a.so")).unwrap_err();
        assert_eq!(error.code, codes::LINKER);
        assert!(error.cause.unwrap().contains("gicc-no-such-linker"));
        assert!(error.cure.unwrap().contains("clang-22"));
    }

    #[test]
    fn a_linker_that_fails_is_heard() {
        let error = link(LINKERS, Path::new("/nonexistent.o"), Path::new("/nonexistent/a.so")).unwrap_err();
        assert!(error.message.contains("could not link"), "{error}");
    }
}
