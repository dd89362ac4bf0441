//! What the compiler says to its user: a stable code, a severity, a place in the source, a cause and a cure. Passes make
//! [`Diagnostic`]s; only the command turns them into text or JSON.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something worth knowing; the program is fine.
    Remark,
    /// Probably not what was meant; the program is compiled.
    Warning,
    /// The program is not compiled.
    Error,
}

/// A place in a source file; lines and columns count from 1, and 0 stands for unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// The file, as the user named it or as the debug information has it.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable, for example `E0203`; see [`crate::diagnostic::codes`].
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence: what is wrong.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Why it is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

impl Diagnostic {
    /// An error of this code.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning of this code.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A remark of this code.
    pub fn remark(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Remark, message)
    }

    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), span: None, cause: None, cure: None }
    }

    /// The same, at a place; nothing where the place is unknown.
    #[must_use]
    pub fn at(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// The same, with why.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same, with what to do.
    #[must_use]
    pub fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(span) = &self.span {
            write!(f, "{span}: ")?;
        }
        let severity = match self.severity {
            Severity::Remark => "remark",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}[{}]: {}", self.code, self.message)?;
        for (name, text) in [("cause", &self.cause), ("cure", &self.cure)] {
            if let Some(text) = text {
                write!(f, "\n  {name}: {text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
