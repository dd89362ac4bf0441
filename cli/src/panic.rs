//! A panic is a mistake of gicc's. It is reported as one, in words, and never as a raw backtrace.

use std::io::Write as _;

use gicc::diagnostic::{Diagnostic, codes};

use crate::args::Form;
use crate::messages::Messages;

/// What to do about an internal error.
pub(crate) const CURE: &str =
    "please report it with the command line, the input and this text; no output was written or changed";

/// From here on a panic prints an internal error on the stream of `messages`.
pub(crate) fn install_hook(messages: &Messages, form: Form) {
    let Ok(stream) = messages.stream() else { return };
    std::panic::set_hook(Box::new(move |info| {
        let what = info.payload_as_str().unwrap_or("a panic without words");
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let diagnostic = diagnostic(what, &place);
        let text = match form {
            Form::Json => serde_json::to_string(&diagnostic).unwrap_or_else(|e| e.to_string()),
            Form::Human => diagnostic.to_string(),
        };
        drop((&stream).write_all(format!("{text}\n").as_bytes()));
    }));
}

fn diagnostic(what: &str, place: &str) -> Diagnostic {
    Diagnostic::error(codes::INTERNAL, format!("internal error: {what}"))
        .cause(format!("gicc {} stopped at {place}", env!("CARGO_PKG_VERSION")))
        .cure(CURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_what_where_and_what_to_do() {
        let text = diagnostic("index out of bounds", "pass.rs:1:2").to_string();
        let text = text.replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
        insta::assert_snapshot!("panic", text);
    }
}
