//! The host runtime's errors, as the command says them.

use std::path::Path;

use gicc::diagnostic::{Diagnostic, Span, codes};
use gicc_host::HostError;
use gicc_host::folder::Folder;

/// Checks a launch description by itself, before anything is compiled for it.
pub(crate) fn check_launch(path: &Path) -> Result<(), Vec<Diagnostic>> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        vec![
            Diagnostic::error(codes::BAD_LAUNCH, format!("cannot read the launch description `{}`", path.display()))
                .cause(e.to_string()),
        ]
    })?;
    match gicc_host::launch::read::read(&path.display().to_string(), &text) {
        Ok(_) => Ok(()),
        Err(errors) => Err(diagnostics(&HostError::from(errors))),
    }
}

/// Checks a compiled folder: whether its launch description, which lay at `launch`, fits its kernels.
pub(crate) fn check_folder(folder: &Path, launch: &Path) -> Result<(), Vec<Diagnostic>> {
    match Folder::open(folder, Some(launch)) {
        Ok(_) => Ok(()),
        Err(error) => Err(diagnostics(&error)),
    }
}

/// An error of the host runtime; a wrong launch description has one for each mistake.
pub(crate) fn diagnostics(error: &HostError) -> Vec<Diagnostic> {
    match error {
        HostError::Description(errors) => errors
            .0
            .iter()
            .map(|d| {
                let number = |n: usize| u32::try_from(n).unwrap_or(0);
                let span = Span { file: d.file.clone(), line: number(d.line), column: number(d.column) };
                helped(Diagnostic::error(codes::BAD_LAUNCH, d.message.clone()).at(Some(span)), &d.help)
            })
            .collect(),
        other => vec![from_text(&other.to_string())],
    }
}

fn helped(diagnostic: Diagnostic, help: &str) -> Diagnostic {
    if help.is_empty() { diagnostic } else { diagnostic.cure(help) }
}

/// Errors in words are `error: message`, with `= help: cure` on the last line.
fn from_text(text: &str) -> Diagnostic {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let (message, help) = match text.rsplit_once("= help: ") {
        Some((message, help)) => (message.trim_end(), help),
        None => (text, ""),
    };
    helped(Diagnostic::error(codes::CANNOT_RUN, message), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        let d = from_text("error: no GPU here\n  = help: use --target sim");
        assert_eq!((d.message.as_str(), d.cure.as_deref()), ("no GPU here", Some("use --target sim")));
        assert_eq!(from_text("error: bad").cure, None);
    }
}
