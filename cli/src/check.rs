//! `gicc check`: the report of the compiler's check as text, JSON or SARIF, and the pages of its codes.

use std::time::Instant;

use gicc::check::code::{self, Code, Level};
use gicc::check::form;
use gicc::check::report::Report;
use gicc::diagnostic::{Diagnostic, codes};
use gicc::driver::folder::Example;

use crate::args::{CheckArgs, CheckForm};
use crate::compile::{Reporter, isolate, options};
use crate::finding::Page;
use crate::messages::Messages;
use crate::{exit, not_built, print};

/// Checks the inputs, or explains a code; the exit code: 0 nothing is wrong, 1 something is, 2 it could not be checked.
pub(crate) fn check(args: &CheckArgs, messages: &Messages, start: Instant) -> u8 {
    if let Some(code) = &args.explain {
        return explain(code, messages);
    }
    if let Some(refusal) = not_built::in_code(&args.code) {
        messages.diagnostic(&refusal);
        return exit::USAGE;
    }
    let mut inputs = args.inputs.clone();
    if let Some(folder) = inputs.iter().find(|input| input.is_dir()) {
        match Example::in_folder(folder) {
            Ok(example) if inputs.len() == 1 => inputs = vec![example.kernel],
            Ok(_) => {
                messages.diagnostic(
                    &Diagnostic::error(codes::BAD_OPTIONS, "an example's folder is checked alone")
                        .cure("name one folder, or only files"),
                );
                return exit::USAGE;
            }
            Err(diagnostic) => {
                messages.diagnostic(&diagnostic);
                return exit::USAGE;
            }
        }
    }
    let options = options(inputs.clone(), &args.code);
    let examination = args.examined.examination();
    let denied: Vec<&'static Code> = args.deny.iter().flat_map(|deny| deny.0.iter().copied()).collect();
    let code = isolate(messages, &inputs, || {
        let mut reporter = Reporter::new(messages, None);
        let result = gicc::driver::check(&options, &examination, &mut reporter);
        if args.code.time_stages {
            reporter.times(start);
        }
        match (result, messages.exit_code()) {
            (Ok(report), None) => {
                write(&report, args.format, messages);
                if report.is_denied(&denied) { exit::REFUSED } else { exit::OK }
            }
            _ => exit::USAGE,
        }
    });
    // Whatever else went wrong: it could not be checked.
    if code == exit::OK || code == exit::REFUSED { code } else { exit::USAGE }
}

fn write(report: &Report, form: CheckForm, messages: &Messages) {
    match form {
        CheckForm::Human => print(&Page::new(messages).report(report), messages),
        CheckForm::Json => match serde_json::to_string_pretty(&form::json(report)) {
            Ok(text) => print(&format!("{text}\n"), messages),
            Err(error) => messages.diagnostic(
                &Diagnostic::error(codes::INTERNAL, "the report cannot be written as JSON").cause(error.to_string()),
            ),
        },
        CheckForm::Sarif => print(&format!("{:#}\n", form::sarif(report, env!("CARGO_PKG_VERSION"))), messages),
    }
}

/// Prints a code's page, or the list of all codes.
fn explain(text: &str, messages: &Messages) -> u8 {
    if text == "all" {
        let lines: String =
            code::ALL.iter().map(|code| format!("{}  {:<26}{}\n", code.code, code.name, code.title)).collect();
        print(&lines, messages);
        return exit::OK;
    }
    match code::find(text) {
        Some(code) => {
            let level = match code.level {
                Level::Correctness => "correctness: exit code 1",
                Level::Performance => "performance: exit code 0, unless denied",
                Level::Note => "note: exit code 0, unless denied",
            };
            print(&format!("{}\n{level}\n", code.page), messages);
            exit::OK
        }
        None => {
            messages.diagnostic(
                &Diagnostic::error(codes::BAD_OPTIONS, format!("`{text}` is no code of `gicc check`"))
                    .cure("`gicc check --explain all` lists the codes"),
            );
            exit::USAGE
        }
    }
}
