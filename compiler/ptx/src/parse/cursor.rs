//! A cursor over tokens, with what the grammar's levels share.

use crate::ast::{Registers, Verbatim};
use crate::error::{ParseError, ParseErrorKind};
use crate::lexer::{Token, TokenKind, tokens};
use crate::span::Span;

/// Nesting that the parser follows; real programs stay far below, and the stack is safe.
const MAX_DEPTH: usize = 64;

/// The parser's state.
pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Declared registers, innermost scope last.
    pub(super) scopes: Vec<Vec<Registers>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str) -> Result<Self, ParseError> {
        Ok(Self { source, tokens: tokens(source)?, at: 0, depth: 0, scopes: Vec::new() })
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    pub(super) fn peek_text(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| self.text(token.span))
    }

    pub(super) fn text(&self, span: Span) -> &'a str {
        span.text(self.source)
    }

    /// Where the next token stands, or the end of the text.
    pub(super) fn here(&self) -> Span {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span { start: last.span.end, end: last.span.end, ..last.span },
            (None, None) => Span { start: 0, end: 0, line: 1, column: 1 },
        }
    }

    /// From a place to behind the token that was taken last.
    pub(super) fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(last) if last.span.end > start.start => Span { end: last.span.end, ..start },
            _ => Span { end: start.start, ..start },
        }
    }

    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).copied()?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == Some(kind);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_dotted(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(TokenKind::Dotted) && self.peek_text() == word;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, expected: &'static str) -> Result<Span, ParseError> {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(token.span)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> ParseError {
        let kind = match self.at_end() {
            true => ParseErrorKind::Expected { expected, found: "the end of the text".to_owned() },
            false => ParseErrorKind::Expected { expected, found: format!("`{}`", self.peek_text()) },
        };
        ParseError::new(kind, self.here())
    }

    pub(super) fn name(&mut self, expected: &'static str) -> Result<String, ParseError> {
        self.expect(TokenKind::Name, expected).map(|span| self.text(span).to_owned())
    }

    /// A whole number without sign.
    pub(super) fn unsigned(&mut self, expected: &'static str) -> Result<u64, ParseError> {
        let span = self.expect(TokenKind::Integer, expected)?;
        parse_unsigned(self.text(span))
            .ok_or_else(|| ParseError::new(ParseErrorKind::Number(self.text(span).to_owned()), span))
    }

    /// Goes one level deeper, if it is not too deep.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError::new(ParseErrorKind::TooDeep(MAX_DEPTH), self.here()));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Skips to behind the next semicolon that is in no bracket.
    pub(super) fn skip_statement(&mut self, what: &'static str) -> Result<(), ParseError> {
        let start = self.here();
        let mut depth = 0usize;
        while let Some(token) = self.next() {
            match token.kind {
                TokenKind::OpenBrace | TokenKind::OpenParen | TokenKind::OpenBracket => depth += 1,
                TokenKind::CloseBrace | TokenKind::CloseParen | TokenKind::CloseBracket => match depth.checked_sub(1) {
                    Some(outer) => depth = outer,
                    None => {
                        self.at -= 1;
                        return Err(self.unexpected("`;`"));
                    }
                },
                TokenKind::Semicolon if depth == 0 => return Ok(()),
                _ => {}
            }
        }
        Err(ParseError::new(ParseErrorKind::UnexpectedEnd(what), start))
    }

    /// Skips a balanced `{ … }`.
    pub(super) fn skip_braces(&mut self, what: &'static str) -> Result<(), ParseError> {
        let start = self.expect(TokenKind::OpenBrace, "`{`")?;
        let mut depth = 1usize;
        while depth > 0 {
            match self.next().map(|token| token.kind) {
                Some(TokenKind::OpenBrace) => depth += 1,
                Some(TokenKind::CloseBrace) => depth -= 1,
                Some(_) => {}
                None => return Err(ParseError::new(ParseErrorKind::UnexpectedEnd(what), start)),
            }
        }
        Ok(())
    }

    /// A directive that is kept as written, if one begins here that is known to have no meaning for execution.
    pub(super) fn verbatim(&mut self) -> Result<Option<Verbatim>, ParseError> {
        let start = self.here();
        if self.peek() != Some(TokenKind::Dotted) {
            return Ok(None);
        }
        let name = self.peek_text();
        match name {
            ".loc" => {
                self.at += 1;
                for _ in 0..3 {
                    self.unsigned("a number of .loc")?;
                }
                while self.peek() == Some(TokenKind::Comma) && self.peek_at(1) == Some(TokenKind::Name) {
                    self.at += 2;
                    while matches!(self.peek(), Some(TokenKind::Integer | TokenKind::Plus)) {
                        self.at += 1;
                    }
                    if self.peek() == Some(TokenKind::Name) && self.peek_text().contains("info_string") {
                        self.at += 1;
                        if self.eat(TokenKind::Plus) {
                            self.unsigned("an offset")?;
                        }
                    }
                }
            }
            ".file" => {
                self.at += 1;
                self.unsigned("the number of the file")?;
                self.expect(TokenKind::String, "the name of the file")?;
                while self.eat(TokenKind::Comma) {
                    self.unsigned("a number")?;
                }
            }
            ".section" => {
                self.at += 1;
                if !self.eat(TokenKind::Dotted) {
                    self.expect(TokenKind::Name, "the name of the section")?;
                }
                self.skip_braces("a section")?;
            }
            ".pragma" | ".callprototype" | ".calltargets" => self.skip_statement("a directive")?,
            _ => return Ok(None),
        }
        let text = self.text(self.since(start)).to_owned();
        Ok(Some(Verbatim { name: name.to_owned(), text }))
    }
}

/// A PTX whole number: decimal, octal, hexadecimal or binary, with or without `U`.
pub(super) fn parse_unsigned(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    match lower.as_bytes() {
        [b'0', b'x', ..] => u64::from_str_radix(&lower[2..], 16).ok(),
        [b'0', b'b', ..] => u64::from_str_radix(&lower[2..], 2).ok(),
        [b'0', _, ..] => u64::from_str_radix(&lower[1..], 8).ok(),
        _ => lower.parse().ok(),
    }
}
