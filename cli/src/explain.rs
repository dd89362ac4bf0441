//! `gicc explain`: the source with each communication line annotated, or the same as JSON, and the communication graph.

use std::path::Path;
use std::time::Instant;

use gicc::analysis::communication::json;
use gicc::diagnostic::{Diagnostic, codes};
use gicc::driver::{Examination, examine};
use gicc::explain::{Sources, annotated, dot, svg};

use crate::args::{ExplainArgs, ReportForm};
use crate::compile::{Reporter, isolate, options};
use crate::messages::Messages;
use crate::{exit, not_built, print};

/// Explains the inputs.
pub(crate) fn explain(args: &ExplainArgs, messages: &Messages, start: Instant) -> u8 {
    if let Some(diagnostic) = not_built::in_code(&args.code) {
        messages.diagnostic(&diagnostic);
        return exit::USAGE;
    }
    let form = match args.graph.as_deref().map(drawing_form).transpose() {
        Ok(form) => form,
        Err(diagnostic) => {
            messages.diagnostic(&diagnostic);
            return exit::USAGE;
        }
    };
    let options = options(args.inputs.clone(), &args.code);
    let examination = args.examined.examination();
    isolate(messages, &args.inputs, || {
        let mut reporter = Reporter::new(messages, None);
        let Ok(found) = examine(&options, &examination, &mut reporter) else { return exit::REFUSED };
        if args.code.time_stages {
            reporter.times(start);
        }
        if let (Some(path), Some(form)) = (&args.graph, form) {
            let text = match form {
                Drawing::Dot => dot(&found),
                Drawing::Svg => svg(&found),
            };
            if let Err(diagnostic) = gicc::driver::write_output(path, text.as_bytes()) {
                messages.diagnostic(&diagnostic);
                return exit::of_error(diagnostic.code);
            }
        }
        match args.format {
            ReportForm::Human => print(&annotated(&found, &mut Sources::default()), messages),
            ReportForm::Json => match serde_json::to_string(&json::communication(&found)) {
                Ok(text) => print(&(text + "\n"), messages),
                Err(e) => {
                    messages.diagnostic(&Diagnostic::error(codes::INTERNAL, "no JSON").cause(e.to_string()));
                    return exit::INTERNAL;
                }
            },
        }
        exit::OK
    })
}

#[derive(Clone, Copy, Debug)]
enum Drawing {
    Dot,
    Svg,
}

fn drawing_form(path: &Path) -> Result<Drawing, Diagnostic> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("dot" | "gv") => Ok(Drawing::Dot),
        Some("svg") => Ok(Drawing::Svg),
        _ => {
            Err(Diagnostic::error(codes::BAD_OPTIONS, format!("no form of drawing is known for `{}`", path.display()))
                .cure("name a file that ends in .dot or .svg"))
        }
    }
}

impl crate::args::ExaminationArgs {
    /// What the library is asked.
    pub(crate) fn examination(&self) -> Examination {
        Examination { assume: self.assume.0, side_files: self.annotations.clone() }
    }
}
