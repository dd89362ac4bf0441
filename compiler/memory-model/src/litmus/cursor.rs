//! A cursor over one line of litmus text.

use super::{LitmusError, LitmusProblem, Parsed};

/// The unread part of a line.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    line: usize,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, line: usize) -> Self {
        Cursor { text, line, at: 0 }
    }

    pub(super) fn error(&self, problem: LitmusProblem) -> LitmusError {
        let skipped = self.unread().len() - self.unread().trim_start().len();
        let column = self.text[..self.at + skipped].chars().count() + 1;
        LitmusError { line: self.line, column, problem }
    }

    pub(super) fn at_end(&self) -> bool {
        self.unread().trim().is_empty()
    }

    pub(super) fn end(&self) -> Parsed<()> {
        if self.at_end() { Ok(()) } else { Err(self.error(LitmusProblem::Trailing)) }
    }

    /// All that is left, trimmed.
    pub(super) fn rest(&mut self) -> &'t str {
        let rest = self.unread().trim();
        self.at = self.text.len();
        rest
    }

    /// A word with its dots, colons and hyphens.
    pub(super) fn opcode(&mut self) -> Parsed<&'t str> {
        self.take(|c| c.is_ascii_alphanumeric() || "._:-".contains(c))
            .ok_or_else(|| self.error(LitmusProblem::Expected("a word")))
    }

    /// An identifier; registers may begin with `%`.
    pub(super) fn name(&mut self, what: &'static str) -> Parsed<String> {
        let start = self.clone();
        let percent = if self.accept("%") { "%" } else { "" };
        match self.take(|c| c.is_ascii_alphanumeric() || c == '_') {
            Some(word) if !word.starts_with(|c: char| c.is_ascii_digit()) => Ok(format!("{percent}{word}")),
            _ => Err(start.error(LitmusProblem::Expected(what))),
        }
    }

    pub(super) fn keyword(&mut self, word: &'static str) -> Parsed<()> {
        if self.accept_keyword(word) { Ok(()) } else { Err(self.error(LitmusProblem::Expected(word))) }
    }

    pub(super) fn accept_keyword(&mut self, word: &str) -> bool {
        let start = self.clone();
        if self.take(|c| c.is_ascii_alphanumeric() || c == '_') == Some(word) {
            return true;
        }
        *self = start;
        false
    }

    pub(super) fn symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.accept(symbol) { Ok(()) } else { Err(self.error(LitmusProblem::Expected(symbol))) }
    }

    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let unread = self.unread();
        let trimmed = unread.trim_start();
        if !trimmed.starts_with(symbol) {
            return false;
        }
        self.at += unread.len() - trimmed.len() + symbol.len();
        true
    }

    /// A decimal or `0x` number.
    pub(super) fn number(&mut self) -> Parsed<u128> {
        let start = self.clone();
        let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_').unwrap_or_default().replace('_', "");
        let number = match word.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => word.parse(),
        };
        number.map_err(|_| start.error(LitmusProblem::Expected("a number")))
    }

    /// A number of at most 32 bits.
    pub(super) fn small_number(&mut self) -> Parsed<u32> {
        let start = self.clone();
        u32::try_from(self.number()?).map_err(|_| start.error(LitmusProblem::Expected("a number below 4294967296")))
    }

    /// `.b32` and its kin, in bytes; four where nothing stands.
    pub(super) fn width(&mut self) -> Parsed<u8> {
        if !self.accept(".") {
            return Ok(4);
        }
        let start = self.clone();
        let word = self.take(|c| c.is_ascii_alphanumeric()).unwrap_or_default();
        width_of(word).ok_or_else(|| start.error(LitmusProblem::Expected("a type such as b32")))
    }

    /// Whether the next character begins a number.
    pub(super) fn at_digit(&self) -> bool {
        self.unread().trim_start().starts_with(|c: char| c.is_ascii_digit())
    }

    fn unread(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> Option<&'t str> {
        let unread = self.unread();
        let trimmed = unread.trim_start();
        let length = trimmed.find(|c| !belongs(c)).unwrap_or(trimmed.len());
        if length == 0 {
            return None;
        }
        self.at += unread.len() - trimmed.len() + length;
        Some(&trimmed[..length])
    }
}

/// The bytes of a type.
pub(super) fn width_of(word: &str) -> Option<u8> {
    let bits = word.strip_prefix(['b', 'u', 's', 'f'])?;
    match bits {
        "8" => Some(1),
        "16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}
