//! Machine code, by NVIDIA's assembler.

use std::process::Command;

use crate::diagnostic::{Diagnostic, codes};
use crate::driver::{Arch, Tools};

/// The cubin of PTX text.
pub(crate) fn assemble(ptx: &str, arch: Arch, tools: &Tools) -> Result<Vec<u8>, Diagnostic> {
    let Some(ptxas) = &tools.ptxas else {
        return Err(Diagnostic::error(codes::MISSING_TOOL, "ptxas was not found")
            .cause("machine code (--emit cubin) is made by NVIDIA's assembler")
            .cure("pip install nvidia-cuda-nvcc, or set GICC_PTXAS; --emit ptx needs no ptxas"));
    };
    let io = |e: std::io::Error| Diagnostic::error(codes::PTXAS, "cannot hand PTX to ptxas").cause(e.to_string());
    let folder = tempfile::Builder::new().prefix("gicc-ptxas-").tempdir().map_err(io)?;
    let (input, output) = (folder.path().join("kernel.ptx"), folder.path().join("kernel.cubin"));
    std::fs::write(&input, ptx).map_err(io)?;
    let result = Command::new(ptxas)
        .arg(format!("-arch={}", arch.name))
        .arg("--generate-line-info")
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .output()
        .map_err(|e| {
            Diagnostic::error(codes::MISSING_TOOL, format!("cannot run `{}`", ptxas.display()))
                .cause(e.to_string())
                .cure("set GICC_PTXAS to NVIDIA's assembler; `gicc doctor` checks it")
        })?;
    if !result.status.success() {
        let text = format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
        return Err(Diagnostic::error(codes::PTXAS, format!("ptxas refused the PTX for {}", arch.name))
            .cause(text.replace(&input.display().to_string(), "kernel.ptx").trim().to_owned())
            .cure("look at the line with --emit ptx; inline PTX of the source is passed on as it is"));
    }
    std::fs::read(&output).map_err(io)
}
