//! Which language an input is: by its ending, checked against its first bytes.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::diagnostic::{Diagnostic, codes};

/// A language that gicc reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// CUDA C++.
    Cuda,
    /// MLIR as text.
    Mlir,
    /// LLVM IR as text.
    Ir,
    /// LLVM bitcode.
    Bitcode,
}

/// The endings and what they stand for.
const ENDINGS: &[(&str, Language)] = &[
    ("cu", Language::Cuda),
    ("cuh", Language::Cuda),
    ("cpp", Language::Cuda),
    ("cc", Language::Cuda),
    ("cxx", Language::Cuda),
    ("mlir", Language::Mlir),
    ("ll", Language::Ir),
    ("bc", Language::Bitcode),
];

/// The language of a file that can be read and looks like what its ending says.
pub(super) fn of(input: &Path) -> Result<Language, Diagnostic> {
    let head = read_head(input)?;
    let ending = input.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let language = match ENDINGS.iter().find(|(name, _)| *name == ending) {
        Some((_, language)) => *language,
        None => return Err(unknown(input, &ending)),
    };
    let is_bitcode = head.starts_with(b"BC\xC0\xDE") || head.starts_with(&0x0B17_C0DE_u32.to_le_bytes());
    if language == Language::Bitcode && !is_bitcode {
        return Err(Diagnostic::error(codes::UNREADABLE_INPUT, format!("`{}` is not LLVM bitcode", input.display()))
            .cause("the file does not start with bitcode's magic number")
            .cure("write it with `clang-22 -emit-llvm -c` or `llvm-as-22`"));
    }
    if language != Language::Bitcode && head.contains(&0) {
        return Err(Diagnostic::error(codes::UNREADABLE_INPUT, format!("`{}` is not text", input.display()))
            .cause("the file contains zero bytes")
            .cure("bitcode needs the ending .bc; sources are text"));
    }
    Ok(language)
}

fn read_head(input: &Path) -> Result<Vec<u8>, Diagnostic> {
    let refuse = |why: String| {
        Diagnostic::error(codes::UNREADABLE_INPUT, format!("cannot read `{}`", input.display())).cause(why)
    };
    if input.is_dir() {
        return Err(refuse("it is a folder".into()).cure("name a kernel file in it, or a folder with a `launch.toml`"));
    }
    let mut head = Vec::new();
    let file = File::open(input).map_err(|e| refuse(e.to_string()).cure("check the name and the permissions"))?;
    file.take(4096).read_to_end(&mut head).map_err(|e| refuse(e.to_string()))?;
    Ok(head)
}

fn unknown(input: &Path, ending: &str) -> Diagnostic {
    let name = input.display();
    match ending {
        "ptx" => Diagnostic::error(codes::NOT_BUILT, format!("`{name}`: PTX files are not taken as input yet"))
            .cause("gicc reads PTX only as inline assembly in a kernel")
            .cure("compile from the CUDA C++ or LLVM IR that the PTX was made of"),
        _ => Diagnostic::error(codes::UNKNOWN_LANGUAGE, format!("`{name}` is in no language that gicc knows"))
            .cause(if ending.is_empty() { "it has no ending".into() } else { format!("its ending is .{ending}") })
            .cure("gicc takes CUDA C++ (.cu, .cuh, .cpp, .cc, .cxx), MLIR (.mlir), LLVM IR (.ll) and bitcode (.bc)"),
    }
}
