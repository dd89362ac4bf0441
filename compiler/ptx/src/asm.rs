//! Inline assembly: the string with its operand placeholders, and the constraint string.
//!
//! Two notations come in. LLVM's: `$0`, `${0:x}`, `$$` for a dollar, `${:uid}` for a unique number, `%` for itself. The
//! source's: `%0`, `%c0`, `%%` for a per cent sign, `%=` for a unique number, `$` for itself. Names (`%[name]`) are
//! refused: whoever has the source has to number them first. Assembly for several dialects at once (`$(a$|b$)`) is
//! refused as well; NVPTX has one dialect.
//!
//! A unique number inside a name is kept as the character [`UNIQUE`], so that `L_${:uid}` stays one label.

use crate::ast::{Statement, StatementKind};
use crate::constraint::Constraints;
use crate::error::{ParseError, ParseErrorKind};
use crate::operand::Operand;
use crate::parse::parse_statements;
use crate::span::Span;

/// Stands inside a name where a number that is unique to the expansion will stand.
pub const UNIQUE: char = '\u{3}';

/// How an inline-assembly string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// As in LLVM IR: `$0`.
    Llvm,
    /// As in C and C++: `%0`.
    Source,
}

/// An inline-assembly expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineAsm {
    /// How the string was written; spans are offsets into that string.
    pub notation: Notation,
    /// Its statements. Placeholders are [`Operand::Placeholder`].
    pub statements: Vec<Statement>,
    /// Its operands and clobbers.
    pub constraints: Constraints,
}

impl InlineAsm {
    /// Parses the string and the constraints of an LLVM `asm` expression.
    ///
    /// ```
    /// let asm = ptx::InlineAsm::parse("ld.acquire.sys.global.u32 $0, [$1];", "=r,l,~{memory}")?;
    /// assert!(asm.constraints.clobbers_memory);
    /// # Ok::<(), ptx::ParseError>(())
    /// ```
    pub fn parse(text: &str, constraints: &str) -> Result<Self, ParseError> {
        Self::parse_in(Notation::Llvm, text, constraints)
    }

    /// Parses a string in either notation; constraints are LLVM's, comma-separated.
    pub fn parse_in(notation: Notation, text: &str, constraints: &str) -> Result<Self, ParseError> {
        let constraints = Constraints::parse(constraints)?;
        let expansion = Expansion::of(notation, text)?;
        let mut statements = parse_statements(&expansion.text)
            .map_err(|error| ParseError { span: expansion.original(error.span, text), ..error })?;
        expansion.relocate(&mut statements, text);
        let asm = InlineAsm { notation, statements, constraints };
        asm.check_placeholders()?;
        Ok(asm)
    }

    /// The string again, in its notation, one statement a line.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write_all(&self.statements, &mut out);
        out
    }

    /// The instructions, in blocks too, in order.
    pub fn instructions(&self) -> Vec<&crate::Instruction> {
        let mut out = Vec::new();
        crate::ast::walk(&self.statements, &mut |statement| {
            if let StatementKind::Instruction(instruction) = &statement.kind {
                out.push(instruction.as_ref());
            }
        });
        out
    }

    /// What the table does not know.
    pub fn unknown(&self) -> Vec<(Span, &crate::Unknown)> {
        let mut out = Vec::new();
        crate::ast::walk(&self.statements, &mut |statement| {
            if let StatementKind::Unknown(unknown) = &statement.kind {
                out.push((statement.span, unknown));
            }
        });
        out
    }

    fn write_all(&self, statements: &[Statement], out: &mut String) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Block(inner) => {
                    out.push_str("{\n");
                    self.write_all(inner, out);
                    out.push('}');
                }
                StatementKind::Unknown(unknown) => out.push_str(&unknown.text),
                StatementKind::Directive(verbatim) => out.push_str(&verbatim.text),
                _ => out.push_str(&collapse(self.notation, &statement.to_string())),
            }
            out.push('\n');
        }
    }

    fn check_placeholders(&self) -> Result<(), ParseError> {
        let count = self.constraints.operands.len();
        let mut bad = None;
        for instruction in self.instructions() {
            let mut check = |operand: &Operand| {
                let mut see = |placeholder: &crate::Placeholder| {
                    if placeholder.index as usize >= count && bad.is_none() {
                        let kind = ParseErrorKind::PlaceholderOutOfRange { index: placeholder.index, count };
                        bad = Some(ParseError::new(kind, instruction.span));
                    }
                };
                match operand {
                    Operand::Placeholder(placeholder) => see(placeholder),
                    Operand::Address(address) => {
                        if let crate::Offset::Placeholder(placeholder) = &address.offset {
                            see(placeholder);
                        }
                    }
                    _ => {}
                }
            };
            if let Some(guard) = &instruction.guard {
                guard.predicate.walk(&mut check);
            }
            instruction.operands.iter().for_each(|operand| operand.walk(&mut check));
            if let crate::Op::Call(call) = &instruction.op {
                call.returns.iter().chain(&call.arguments).for_each(|operand| operand.walk(&mut check));
                check(&call.target);
            }
        }
        bad.map_or(Ok(()), Err)
    }
}

/// The string in the lexer's internal form, and where each piece came from.
struct Expansion {
    text: String,
    /// Internal offset, original offset: at each point where the two begin to run apart.
    anchors: Vec<(usize, usize)>,
    notation: Notation,
}

impl Expansion {
    fn of(notation: Notation, text: &str) -> Result<Self, ParseError> {
        let mut out = Expansion { text: String::new(), anchors: vec![(0, 0)], notation };
        let marker = match notation {
            Notation::Llvm => '$',
            Notation::Source => '%',
        };
        let mut rest = text;
        while let Some(at) = rest.find(marker) {
            let (before, escape) = rest.split_at(at);
            out.push_plain(before, text, offset_in(text, rest))?;
            let (internal, length) = match notation {
                Notation::Llvm => llvm_escape(escape),
                Notation::Source => source_escape(escape),
            }
            .ok_or_else(|| {
                let start = offset_in(text, escape);
                let shown: String = escape.chars().take(8).collect();
                ParseError::new(ParseErrorKind::Placeholder(shown), place(text, start, start + 1))
            })?;
            out.text.push_str(&internal);
            rest = &escape[length..];
            out.anchors.push((out.text.len(), offset_in(text, rest)));
        }
        out.push_plain(rest, text, offset_in(text, rest))?;
        Ok(out)
    }

    /// Text without escapes; the internal characters may not be in it.
    fn push_plain(&mut self, plain: &str, text: &str, offset: usize) -> Result<(), ParseError> {
        match plain.find(['\u{1}', '\u{2}', '\u{3}']) {
            Some(at) => {
                let span = place(text, offset + at, offset + at + 1);
                Err(ParseError::new(ParseErrorKind::Token(format!("{:?}", &plain[at..=at])), span))
            }
            None => {
                self.text.push_str(plain);
                Ok(())
            }
        }
    }

    fn original_offset(&self, internal: usize) -> usize {
        let i = self.anchors.partition_point(|(at, _)| *at <= internal);
        let (at, original) = self.anchors[i.saturating_sub(1)];
        let next = self.anchors.get(i).map_or(usize::MAX, |(_, original)| *original);
        (original + (internal - at)).min(next)
    }

    fn original(&self, span: Span, text: &str) -> Span {
        place(text, self.original_offset(span.start), self.original_offset(span.end).min(text.len()))
    }

    fn relocate(&self, statements: &mut [Statement], text: &str) {
        for statement in statements {
            statement.span = self.original(statement.span, text);
            match &mut statement.kind {
                StatementKind::Instruction(instruction) => {
                    instruction.span = self.original(instruction.span, text);
                    instruction.opcode_span = self.original(instruction.opcode_span, text);
                }
                StatementKind::Block(inner) => self.relocate(inner, text),
                StatementKind::Unknown(unknown) => {
                    unknown.text = collapse(self.notation, &unknown.text);
                    unknown.reason = collapse(self.notation, &unknown.reason);
                }
                StatementKind::Directive(verbatim) => verbatim.text = collapse(self.notation, &verbatim.text),
                _ => {}
            }
        }
    }
}

/// An escape of LLVM's notation at the beginning of the text: its internal form and its length.
fn llvm_escape(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix('$')?;
    if rest.starts_with('$') {
        return Some(("$".to_owned(), 2));
    }
    let digits = leading_digits(rest);
    if !digits.is_empty() {
        return Some((format!("\u{1}{digits}\u{2}"), 1 + digits.len()));
    }
    let inner = rest.strip_prefix('{')?;
    let end = inner.find('}')?;
    let (content, length) = (&inner[..end], end + 3);
    match content.split_once(':') {
        Some(("", "uid")) => Some((UNIQUE.to_string(), length)),
        Some((index, modifier)) if is_number(index) && is_letter(modifier) => {
            Some((format!("\u{1}{index}:{modifier}\u{2}"), length))
        }
        None if is_number(content) => Some((format!("\u{1}{content}\u{2}"), length)),
        _ => None,
    }
}

/// An escape of the source's notation.
fn source_escape(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix('%')?;
    match rest.chars().next()? {
        '%' => return Some(("%".to_owned(), 2)),
        '=' => return Some((UNIQUE.to_string(), 2)),
        _ => {}
    }
    let digits = leading_digits(rest);
    if !digits.is_empty() {
        return Some((format!("\u{1}{digits}\u{2}"), 1 + digits.len()));
    }
    let modifier = rest.get(..1).filter(|letter| is_letter(letter))?;
    let digits = leading_digits(&rest[1..]);
    (!digits.is_empty()).then(|| (format!("\u{1}{digits}:{modifier}\u{2}"), 2 + digits.len()))
}

/// From the internal form to the notation.
fn collapse(notation: Notation, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match (notation, c) {
            (_, '\u{1}') => {
                let end = rest.find('\u{2}').unwrap_or(rest.len());
                let content = &rest[1..end];
                length = (end + 1).min(rest.len());
                match (notation, content.split_once(':')) {
                    (Notation::Llvm, Some(_)) => out.push_str(&format!("${{{content}}}")),
                    (Notation::Llvm, None) => out.push_str(&format!("${content}")),
                    (Notation::Source, Some((index, modifier))) => out.push_str(&format!("%{modifier}{index}")),
                    (Notation::Source, None) => out.push_str(&format!("%{content}")),
                }
            }
            (Notation::Llvm, UNIQUE) => out.push_str("${:uid}"),
            (Notation::Source, UNIQUE) => out.push_str("%="),
            (Notation::Llvm, '$') => out.push_str("$$"),
            (Notation::Source, '%') => out.push_str("%%"),
            _ => out.push(c),
        }
        rest = &rest[length..];
    }
    out
}

fn leading_digits(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_letter(text: &str) -> bool {
    text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Offset of a part in the whole that it is a tail slice of.
fn offset_in(whole: &str, tail: &str) -> usize {
    whole.len() - tail.len()
}

/// The span of a range, with line and column counted from the start of the text.
fn place(text: &str, start: usize, end: usize) -> Span {
    let before = text.get(..start).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
    let column = (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u32 + 1;
    Span { start, end: end.max(start), line, column }
}
