//! The words of the published format, with their places.

use super::super::{LitmusError, LitmusProblem, Parsed};

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) kind: TokenKind,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Symbol,
    End,
}

/// Symbols of two characters; all others have one.
const PAIRS: [&str; 6] = ["==", "!=", ">=", "<=", "/\\", "\\/"];

/// The words from the first `{` on, and the name in the header.
pub(super) fn split(text: &str) -> Parsed<(String, Vec<Token>)> {
    let mut tokens = Vec::new();
    let mut name = String::new();
    let mut scanner = Scanner { rest: text, line: 1, column: 1 };
    scanner.skip_space();
    let language = scanner.take(|c| c.is_ascii_alphabetic());
    if !language.eq_ignore_ascii_case("ptx") {
        return Err(LitmusError {
            line: scanner.line,
            column: 1,
            problem: LitmusProblem::Expected("`PTX` and a name"),
        });
    }
    name.push_str(scanner.take(|c| c != '\n' && c != '{').trim());
    // Descriptions: quoted, over several lines, with any text in them; or bare words.
    while !scanner.rest.starts_with('{') {
        match scanner.next_char() {
            Some('"') => {
                scanner.take(|c| c != '"');
                scanner.next_char();
            }
            Some(_) => {}
            None => return Err(scanner.error(LitmusProblem::Expected("`{` and the initial values"))),
        }
    }
    loop {
        scanner.skip_space();
        let (line, column) = (scanner.line, scanner.column);
        let Some(first) = scanner.rest.chars().next() else {
            tokens.push(Token { text: "the end".to_owned(), kind: TokenKind::End, line, column });
            return Ok((name, tokens));
        };
        let (text, kind) = if first.is_ascii_alphabetic() || first == '_' {
            (scanner.take(|c| c.is_ascii_alphanumeric() || c == '_'), TokenKind::Word)
        } else if first.is_ascii_digit() {
            (scanner.take(|c| c.is_ascii_alphanumeric()), TokenKind::Number)
        } else if let Some(pair) = PAIRS.iter().find(|pair| scanner.rest.starts_with(**pair)) {
            scanner.next_char();
            scanner.next_char();
            (*pair, TokenKind::Symbol)
        } else {
            (scanner.take_one(), TokenKind::Symbol)
        };
        tokens.push(Token { text: text.to_owned(), kind, line, column });
    }
}

struct Scanner<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
}

impl<'t> Scanner<'t> {
    fn error(&self, problem: LitmusProblem) -> LitmusError {
        LitmusError { line: self.line, column: self.column, problem }
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        if next == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(next)
    }

    fn take(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let all = self.rest;
        while self.rest.chars().next().is_some_and(&keep) {
            self.next_char();
        }
        &all[..all.len() - self.rest.len()]
    }

    fn take_one(&mut self) -> &'t str {
        let all = self.rest;
        self.next_char();
        &all[..all.len() - self.rest.len()]
    }

    /// White space and comments, `(* … *)` and `// …`.
    fn skip_space(&mut self) {
        loop {
            self.take(char::is_whitespace);
            if self.rest.starts_with("//") {
                self.take(|c| c != '\n');
            } else if self.rest.starts_with("(*") {
                while !self.rest.is_empty() && !self.rest.starts_with("*)") {
                    self.next_char();
                }
                self.next_char();
                self.next_char();
            } else {
                return;
            }
        }
    }
}
