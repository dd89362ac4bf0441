//! CUDA C++ becomes bitcode, through clang. Where CUDA's own headers are found they are used; else gicc supplies the CUDA
//! surface. Nothing is optimised yet: annotations, inline PTX and packets are read before LLVM takes them apart.

use std::path::Path;
use std::process::Command;

use super::dialect::{Mended, ROUNDS};
use super::headers::Headers;
use crate::diagnostic::{Diagnostic, Severity, Span, codes};
use crate::driver::Options;

/// The header in front of a kernel file that stands for CUDA's own where there is no toolkit.
const SURFACE: &str = "gicc_cuda_surface.h";

/// The header in front of a kernel file for what NVIDIA's compiler has built in, and its headers do not tell clang.
const ADDITIONS: &str = "with_toolkit/gicc_host_functions.h";

/// Compiles one source; clang's warnings are added to `warnings`.
pub(super) fn compile(
    options: &Options,
    input: &Path,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let Some(clang) = &options.tools.clang else {
        return Err(vec![missing_clang(input)]);
    };
    let headers = Headers::lay_out().map_err(|d| vec![d])?;
    let mut mended = Mended::default();
    for _ in 0..ROUNDS {
        let mut said = Vec::new();
        match run(options, clang, input, &headers, &mended, &mut said) {
            Err(errors) if mended.mend(&errors, warnings) => {}
            result => {
                warnings.append(&mut said);
                return result;
            }
        }
    }
    run(options, clang, input, &headers, &mended, warnings)
}

/// Runs clang once.
fn run(
    options: &Options,
    clang: &Path,
    input: &Path,
    headers: &Headers,
    mended: &Mended,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let output = headers.file("module.bc");
    let mut command = Command::new(clang);
    command.args(arguments(options, headers));
    let overlay = mended.overlay(headers.path()).map_err(|e| {
        vec![
            Diagnostic::error(codes::UNWRITABLE_OUTPUT, "cannot write to the temporary folder")
                .cause(e.to_string())
                .cure("set TMPDIR to a folder that you may write to"),
        ]
    })?;
    if let Some(overlay) = overlay {
        command.arg("-ivfsoverlay").arg(overlay);
    }
    command.arg(input).arg("-o").arg(&output);
    tracing::debug!(?command, "clang");
    let result = command.output().map_err(|e| {
        vec![
            Diagnostic::error(codes::MISSING_TOOL, format!("cannot run `{}`", clang.display()))
                .cause(e.to_string())
                .cure("install the Debian package clang-22, or set GICC_CLANG to a clang 22; `gicc doctor` checks it"),
        ]
    })?;
    let text = String::from_utf8_lossy(&result.stderr);
    let (errors, others): (Vec<_>, Vec<_>) =
        parse_messages(&text).into_iter().partition(|d| d.severity == Severity::Error);
    if result.status.success() {
        warnings.extend(others);
        return std::fs::read(&output).map_err(|e| {
            vec![
                Diagnostic::error(codes::SOURCE, format!("clang wrote nothing for `{}`", input.display()))
                    .cause(e.to_string()),
            ]
        });
    }
    if errors.is_empty() {
        let mut d = Diagnostic::error(codes::SOURCE, format!("clang failed on `{}`", input.display()));
        d.cause = Some(text.trim().chars().take(4000).collect());
        return Err(vec![d]);
    }
    warnings.extend(others);
    Err(errors)
}

fn missing_clang(input: &Path) -> Diagnostic {
    Diagnostic::error(codes::MISSING_TOOL, "clang 22 was not found")
        .cause(format!("`{}` is CUDA C++, which gicc reads through clang", input.display()))
        .cure("install the Debian package clang-22, or set GICC_CLANG; LLVM IR (.ll, .bc) needs no clang")
}

/// clang's arguments but the input and the output.
fn arguments(options: &Options, headers: &Headers) -> Vec<String> {
    let text = |path: &Path| path.display().to_string();
    let mut arguments: Vec<String> = [
        "-x",
        "cuda",
        "--cuda-device-only",
        "-emit-llvm",
        "-c",
        // The passes that come first are gicc's, but the IR has to be made for being optimised.
        "-O2",
        "-Xclang",
        "-disable-llvm-passes",
        "-fno-discard-value-names",
        // Lines without the rest of DWARF: profilers and messages need them, and ptxas still optimises.
        "-gline-directives-only",
        "-fno-color-diagnostics",
        "-fno-caret-diagnostics",
        "-Wno-unknown-cuda-version",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.push(format!("-std={}", options.standard));
    if options.relocatable {
        // The macro is what NVIDIA's compiler defines then.
        arguments.extend(["-fgpu-rdc".into(), "-D__CUDACC_RDC__".into()]);
    }
    arguments.push(format!("--cuda-gpu-arch={}", options.arch.name));
    arguments.extend(["-Xclang".into(), "-target-feature".into(), "-Xclang".into(), options.arch.feature()]);
    match &options.tools.cuda {
        Some(cuda) => {
            arguments.push(format!("--cuda-path={}", text(cuda)));
            // Without it, a toolkit that has no version file, as the wheels, counts as a very old one for launch syntax.
            arguments.extend(["-Xclang".into(), "-target-sdk-version=12.8".into()]);
            // libcu++ and CUB lie in a folder of their own since CUDA 13.
            let cccl = cuda.join("include/cccl");
            if cccl.is_dir() {
                arguments.extend(["-isystem".into(), text(&cccl)]);
            }
            // The wheels lack a header that clang asks for.
            arguments.extend(["-nocudalib".into(), "-isystem".into(), text(&headers.file("with_toolkit"))]);
            arguments.extend(["-include".into(), text(&headers.file(ADDITIONS))]);
            // clang has the intrinsics of clusters; cooperative groups ask for this name before they use them.
            arguments.push("-D_CG_CLUSTER_INTRINSICS_AVAILABLE".into());
        }
        None => {
            arguments.extend(["-nocudainc".into(), "-nocudalib".into()]);
            arguments.extend(["-isystem".into(), text(&headers.file("cuda"))]);
            // For machines without a C++ library.
            arguments.extend(["-idirafter".into(), text(&headers.file("std"))]);
            arguments.extend(["-include".into(), text(&headers.file(SURFACE))]);
        }
    }
    arguments.extend(["-I".into(), text(headers.path())]);
    // Where the headers lie is nobody's business, and would make every output a different one.
    arguments.push(format!("-ffile-prefix-map={}=<gicc>", text(headers.path())));
    for dir in &options.include_dirs {
        arguments.extend(["-I".into(), text(dir)]);
    }
    arguments.extend(options.defines.iter().map(|d| format!("-D{d}")));
    arguments
}

/// clang's messages: `file:line:column: severity: text`. A note belongs to the message before it and becomes its cause.
fn parse_messages(text: &str) -> Vec<Diagnostic> {
    let mut messages: Vec<Diagnostic> = Vec::new();
    for line in text.lines() {
        let Some((span, severity, message)) = parse_line(line) else { continue };
        match severity {
            "error" | "fatal error" => messages.push(Diagnostic::error(codes::SOURCE, message).at(span)),
            "warning" => messages.push(Diagnostic::warning("W0101", message).at(span)),
            "note" => {
                if let Some(last) = messages.last_mut() {
                    let place = span.map(|s| format!("{s}: ")).unwrap_or_default();
                    let note = format!("{place}{message}");
                    last.cause = Some(match last.cause.take() {
                        Some(cause) => format!("{cause}\n{note}"),
                        None => note,
                    });
                }
            }
            _ => {}
        }
    }
    messages
}

fn parse_line(line: &str) -> Option<(Option<Span>, &str, &str)> {
    const SEVERITIES: [&str; 4] = ["fatal error", "error", "warning", "note"];
    let (place, severity, message) = SEVERITIES.iter().find_map(|s| {
        let (place, message) = line.split_once(&format!("{s}: "))?;
        (place.is_empty() || place.ends_with(": ")).then_some((place, *s, message))
    })?;
    let mut parts = place.trim_end_matches(": ").rsplitn(3, ':');
    let (column, row, file) = (parts.next(), parts.next(), parts.next());
    let span = match (file, row.and_then(|l| l.parse().ok()), column.and_then(|c| c.parse().ok())) {
        (Some(file), Some(line), Some(column)) => Some(Span { file: file.to_owned(), line, column }),
        _ => None,
    };
    Some((span, severity, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clangs_messages_are_taken_apart() {
        let text = "k.cu:3:5: error: use of undeclared identifier 'foo'\n\
                    k.cu:1:8: note: did you mean 'fob'?\n\
                    k.cu:9:1: warning: unused variable 'x' [-Wunused-variable]\n\
                    1 warning and 1 error generated when compiling for sm_90.\n";
        let messages = parse_messages(text);
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0].span, Some(Span { file: "k.cu".into(), line: 3, column: 5 }));
        assert_eq!(messages[0].message, "use of undeclared identifier 'foo'");
        assert_eq!(messages[0].cause.as_deref(), Some("k.cu:1:8: did you mean 'fob'?"));
        assert_eq!(messages[1].severity, Severity::Warning);
    }

    #[test]
    fn a_message_without_a_place_is_kept() {
        let messages = parse_messages("error: unknown argument: '-foo'\n");
        assert_eq!((messages[0].message.as_str(), &messages[0].span), ("unknown argument: '-foo'", &None));
    }
}
