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

/// A second place that a message speaks of, and what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What is there.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
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
    /// Other places that it speaks of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
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
        Self { code, severity, message: message.into(), span: None, cause: None, cure: None, notes: Vec::new() }
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

    /// The same, with a second place.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>, span: Option<Span>) -> Self {
        self.notes.push(Note { message: message.into(), span });
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
        for note in &self.notes {
            f.write_str("\n  note: ")?;
            if let Some(span) = &note.span {
                write!(f, "{span}: ")?;
            }
            f.write_str(&note.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The codes. A code keeps its meaning for ever; the first digit after the letter is the step that says it: 1 front end,
/// 2 verification, 3 linking, 4 fences, 5 code for GPUs, 6 code for the simulator, 7 files and programs outside, 8 launching.
pub mod codes {
    /// clang refused the source.
    pub const SOURCE: &str = "E0101";
    /// An input cannot be read.
    pub const UNREADABLE_INPUT: &str = "E0102";
    /// An input is none of the languages that gicc takes.
    pub const UNKNOWN_LANGUAGE: &str = "E0103";
    /// MLIR that does not parse, breaks an operation's rules, or cannot be lowered.
    pub const BAD_MLIR: &str = "E0106";
    /// What MLIR says without refusing the input.
    pub const MLIR_WARNING: &str = "W0107";
    /// LLVM IR or bitcode that does not parse.
    pub const BAD_IR: &str = "E0104";
    /// A language that gicc does not take yet.
    pub const NOT_BUILT: &str = "E0105";
    /// An annotation that begins with `gicc.` and is none.
    pub const BAD_ANNOTATION: &str = "E0106";
    /// A file of annotations that does not parse, or that names what the program does not have.
    pub const BAD_SIDE_FILE: &str = "E0107";
    /// A function named `__gicc_*` that does not exist, or exists with another signature.
    pub const UNKNOWN_INTRINSIC: &str = "E0201";
    /// A syncscope that NVPTX does not have.
    pub const BAD_SYNCSCOPE: &str = "E0202";
    /// A negative size, or one that is no multiple of the element.
    pub const BAD_SIZE: &str = "E0203";
    /// A destination or signal that cannot be symmetric.
    pub const NOT_SYMMETRIC: &str = "E0204";
    /// An argument out of its range: a group, comparison, order or scope that does not exist.
    pub const BAD_ARGUMENT: &str = "E0205";
    /// A PE that no team can have.
    pub const BAD_PE: &str = "E0206";
    /// A function of a family that the caller may not use.
    pub const RESERVED_INTRINSIC: &str = "E0207";
    /// IR for another target.
    pub const BAD_TARGET: &str = "E0208";
    /// An atomic operation that cannot be lowered as it is.
    pub const BAD_ATOMIC: &str = "E0209";
    /// Inline assembly that names operands it does not have.
    pub const BAD_ASSEMBLY: &str = "E0210";
    /// A fall-back that cannot take its kernel's place.
    pub const BAD_FALLBACK: &str = "E0211";
    /// A kernel waits, and nobody looks whether that failed.
    pub const UNCHECKED_ERROR: &str = "W0212";
    /// A check of errors was put behind a wait.
    pub const CHECK: &str = "R0213";
    /// A wait that cannot be checked.
    pub const UNCHECKABLE: &str = "E0214";
    /// A collective that does not exist for its elements, or an algorithm of another one.
    pub const COLLECTIVE_REFUSED: &str = "E0215";
    /// Which algorithm a collective has, and why.
    pub const COLLECTIVE: &str = "R0216";
    /// Two ends of one channel have different shapes.
    pub const CHANNEL_MISMATCH: &str = "E0217";
    /// Two declarations of a domain, or of one number, disagree.
    pub const DOMAIN_MISMATCH: &str = "E0218";
    /// An initiation's destination does not belong to the domain that it names.
    pub const NOT_IN_DOMAIN: &str = "E0219";
    /// An initiation's destination may or may not belong to the domain that it names.
    pub const DOMAIN_UNKNOWN: &str = "R0220";
    /// A function is called and defined nowhere.
    pub const UNDEFINED_FUNCTION: &str = "E0301";
    /// Two inputs do not link.
    pub const LINK: &str = "E0302";
    /// A place that NVIDIA's compiler accepts and clang does not, read as it is meant.
    pub const DIALECT: &str = "W0102";
    /// No kernel in any input.
    pub const NO_KERNEL: &str = "W0303";
    /// A kernel without communication.
    pub const NO_COMMUNICATION: &str = "R0304";
    /// A fence was placed, merged, narrowed or left out.
    pub const FENCE: &str = "R0401";
    /// LLVM's back end refused the module.
    pub const BACKEND: &str = "E0501";
    /// ptxas refused the PTX.
    pub const PTXAS: &str = "E0502";
    /// The IR broke LLVM's rules after a pass: gicc's own mistake.
    pub const INTERNAL: &str = "E0503";
    /// A program outside is missing.
    pub const MISSING_TOOL: &str = "E0701";
    /// An output cannot be written.
    pub const UNWRITABLE_OUTPUT: &str = "E0702";
    /// The options contradict each other.
    pub const BAD_OPTIONS: &str = "E0703";
    /// A launch description is wrong, or does not fit its kernels.
    pub const BAD_LAUNCH: &str = "E0801";
    /// A compiled folder cannot be run here.
    pub const CANNOT_RUN: &str = "E0802";
}
