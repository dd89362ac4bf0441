//! Where messages go and how they look. There is one stream for them, a duplicate of standard error made at the start, so
//! that LLVM's own words (which are caught, see `isolate`) and gicc's do not mix.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::os::fd::AsFd as _;

use gicc::diagnostic::{Diagnostic, Note, Severity};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles};

use crate::args::{Color, Form, MessageArgs, Remarks};
use crate::excerpt::Excerpt;
use crate::exit;

/// Lines are no wider than this, and on a narrower terminal no wider than it.
const WIDTH: usize = 100;

/// The stream for messages.
#[derive(Debug)]
pub(crate) struct Messages {
    stream: File,
    form: Form,
    remarks: Remarks,
    color: bool,
    /// Columns of the terminal; where there is none, lines are not wrapped, so that they can be searched.
    width: Option<usize>,
    pub(crate) verbose: u8,
    worst: Cell<Option<u8>>,
    /// What was written; inlined code says the same for each copy.
    said: RefCell<HashSet<String>>,
}

/// What renders messages and findings alike: with colours or without, wrapped where a width is known.
pub(crate) fn report_handler(color: bool, width: Option<usize>) -> GraphicalReportHandler {
    let theme = GraphicalTheme {
        characters: ThemeCharacters::unicode(),
        styles: if color { ThemeStyles::ansi() } else { ThemeStyles::none() },
    };
    GraphicalReportHandler::new_themed(theme)
        .with_width(width.unwrap_or(usize::MAX))
        .with_wrap_lines(width.is_some())
        .with_context_lines(1)
        .with_break_words(false)
        .without_syntax_highlighting()
}

impl Messages {
    /// Messages as the command line asks for them.
    pub(crate) fn new(args: &MessageArgs, remarks: Remarks) -> io::Result<Messages> {
        let stderr = io::stderr();
        let color = match args.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                stderr.is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        };
        Ok(Messages {
            stream: File::from(stderr.as_fd().try_clone_to_owned()?),
            form: args.diagnostics,
            remarks,
            color,
            width: terminal_width().map(|w| w.clamp(40, WIDTH)),
            verbose: args.verbose,
            worst: Cell::new(None),
            said: RefCell::default(),
        })
    }

    /// A second handle on the stream, for what writes in its own form.
    pub(crate) fn stream(&self) -> io::Result<File> {
        self.stream.try_clone()
    }

    /// Columns of the terminal, where there is one.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Whether there are colours.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// Writes a line as it is. A closed stream is nothing that one could still complain about.
    pub(crate) fn line(&self, text: impl fmt::Display) {
        let text = format!("{text}\n");
        drop((&self.stream).write_all(text.as_bytes()));
    }

    /// Writes a diagnostic, unless it is a remark that nobody asked for, or was written before.
    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) {
        let form = match (diagnostic.severity, self.remarks) {
            (Severity::Remark, Remarks::Off) => return,
            (Severity::Remark, Remarks::Human) => Form::Human,
            (Severity::Remark, Remarks::Json) => Form::Json,
            (Severity::Warning | Severity::Error, _) => self.form,
        };
        if diagnostic.severity == Severity::Error {
            let code = exit::of_error(diagnostic.code);
            self.worst.set(Some(self.worst.get().map_or(code, |w| w.max(code))));
        }
        if !self.said.borrow_mut().insert(diagnostic.to_string()) {
            return;
        }
        match form {
            Form::Json => match serde_json::to_string(diagnostic) {
                Ok(line) => self.line(line),
                Err(e) => self.line(e),
            },
            // Remarks come in numbers: a compact form, one line and two for cause and cure.
            Form::Human if diagnostic.severity == Severity::Remark => self.line(diagnostic),
            Form::Human => self.line(self.graphical(diagnostic).trim_end_matches('\n')),
        }
    }

    /// The exit code that the errors written so far call for.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.worst.get()
    }

    fn graphical(&self, diagnostic: &Diagnostic) -> String {
        let shown = Shown {
            diagnostic,
            cause: diagnostic.cause.clone().map(Cause),
            excerpt: diagnostic.span.as_ref().and_then(Excerpt::read),
            notes: diagnostic.notes.iter().map(ShownNote::new).collect(),
        };
        let handler = report_handler(self.color, self.width);
        let mut text = String::new();
        match handler.render_report(&mut text, &shown) {
            Ok(()) => text,
            Err(fmt::Error) => diagnostic.to_string(),
        }
    }
}

fn terminal_width() -> Option<usize> {
    // SAFETY: an all-zero winsize is a valid value.
    let mut size: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: TIOCGWINSZ writes one winsize to the address given.
    let ok = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) } == 0;
    (ok && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// A [`Diagnostic`] as miette wants it.
#[derive(Debug)]
struct Shown<'a> {
    diagnostic: &'a Diagnostic,
    cause: Option<Cause>,
    excerpt: Option<Excerpt>,
    notes: Vec<ShownNote<'a>>,
}

/// A [`Note`] as miette wants it.
#[derive(Debug)]
struct ShownNote<'a> {
    note: &'a Note,
    excerpt: Option<Excerpt>,
}

impl ShownNote<'_> {
    fn new(note: &Note) -> ShownNote<'_> {
        ShownNote { note, excerpt: note.span.as_ref().and_then(Excerpt::read) }
    }
}

impl fmt::Display for ShownNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(span), None) = (&self.note.span, &self.excerpt) {
            write!(f, "{span}: ")?;
        }
        f.write_str(&self.note.message)
    }
}

impl std::error::Error for ShownNote<'_> {}

impl miette::Diagnostic for ShownNote<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        Some(Box::new("note"))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(miette::Severity::Advice)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|e| e as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        mark(self.excerpt.as_ref())
    }
}

/// The label of an excerpt.
fn mark(excerpt: Option<&Excerpt>) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
    let (at, length) = excerpt?.mark();
    Some(Box::new(std::iter::once(LabeledSpan::new_primary_with_span(None, (at, length)))))
}

#[derive(Debug)]
struct Cause(String);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Cause {}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where there is no excerpt to carry the place, the message does.
        if let (Some(span), None) = (&self.diagnostic.span, &self.excerpt) {
            if span.line == 0 {
                write!(f, "{}: ", span.file)?;
            } else {
                write!(f, "{span}: ")?;
            }
        }
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Shown<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_ref().map(|c| c as _)
    }
}

impl miette::Diagnostic for Shown<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        let severity = match self.diagnostic.severity {
            Severity::Remark => "remark",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        Some(Box::new(format!("{severity}[{}]", self.diagnostic.code)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Remark => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.diagnostic.cure.as_ref().map(|c| Box::new(c) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|e| e as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        mark(self.excerpt.as_ref())
    }

    fn related<'b>(&'b self) -> Option<Box<dyn Iterator<Item = &'b dyn miette::Diagnostic> + 'b>> {
        if self.notes.is_empty() { None } else { Some(Box::new(self.notes.iter().map(|n| n as _))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gicc::diagnostic::{Span, codes};

    fn rendered(diagnostic: &Diagnostic, color: bool) -> String {
        let messages = Messages {
            stream: File::options().write(true).open("/dev/null").unwrap(),
            form: Form::Human,
            remarks: Remarks::Human,
            color,
            width: Some(WIDTH),
            verbose: 0,
            worst: Cell::new(None),
            said: RefCell::default(),
        };
        messages.graphical(diagnostic)
    }

    fn at(line: u32, column: u32, source: &str) -> (tempfile::TempDir, Option<Span>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.cu");
        std::fs::write(&path, source).unwrap();
        (folder, Some(Span { file: path.display().to_string(), line, column }))
    }

    fn snapshot(name: &str, folder: &tempfile::TempDir, text: &str) {
        insta::assert_snapshot!(name, text.replace(&format!("{}/", folder.path().display()), ""));
    }

    #[test]
    fn an_error_with_everything() {
        let (folder, span) =
            at(3, 14, "__global__ void k(float *to) {\n  float x = 1;\n  gicc::put(&x, to, 1, 0);\n}\n");
        let diagnostic = Diagnostic::error(codes::NOT_SYMMETRIC, "the destination cannot be symmetric")
            .at(span)
            .cause("`x` lies on the thread's stack, which no other PE can reach")
            .cure("put into a buffer that launch.toml declares with symmetric = true");
        snapshot("error", &folder, &rendered(&diagnostic, false));
        snapshot("error_in_colour", &folder, &rendered(&diagnostic, true));
    }

    #[test]
    fn a_warning_without_a_place() {
        let diagnostic =
            Diagnostic::warning(codes::NO_KERNEL, "no input has a kernel").cure("mark one with __global__");
        insta::assert_snapshot!("warning", rendered(&diagnostic, false));
    }

    #[test]
    fn a_place_that_cannot_be_shown() {
        let span = Some(Span { file: "/nonexistent/k.cu".into(), line: 7, column: 3 });
        let diagnostic = Diagnostic::error(codes::SOURCE, "expected ';'").at(span);
        insta::assert_snapshot!("no_excerpt", rendered(&diagnostic, false));
        let file = Some(Span { file: "k.bc".into(), line: 0, column: 0 });
        let diagnostic = Diagnostic::error(codes::BAD_IR, "invalid bitcode").at(file);
        insta::assert_snapshot!("file_only", rendered(&diagnostic, false));
    }

    #[test]
    fn a_second_place() {
        let (folder, span) = at(1, 5, "one channel\ntwo\nthe other channel\n");
        let other = Some(Span { line: 3, column: 11, ..span.clone().unwrap() });
        let diagnostic = Diagnostic::error(codes::BAD_ARGUMENT, "the ends disagree")
            .at(span)
            .note("the other end is opened here", other)
            .note("a place unknown", None);
        snapshot("note", &folder, &rendered(&diagnostic, false));
    }

    #[test]
    fn a_long_line_and_a_long_cause() {
        let source = format!("int a;\n{} int broken = ;\nint b;\n", "int x = 1; ".repeat(1000));
        let (folder, span) = at(2, 11_014, &source);
        let diagnostic = Diagnostic::error(codes::SOURCE, "expected expression")
            .at(span)
            .cause("a cause with many words ".repeat(9));
        snapshot("long", &folder, &rendered(&diagnostic, false));
    }
}
