//! Tokens of PTX (PTX ISA §4), each with its span. Comments and white space are dropped.
//!
//! Two bytes that PTX never uses carry the placeholders of inline assembly (see [`crate::asm`]):
//! `\u{1}N\u{2}` stands for operand N, and `\u{3}` inside a name for LLVM's unique number.

use crate::error::{ParseError, ParseErrorKind};
use crate::span::Span;
use logos::Logos;

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum TokenKind {
    #[regex(r"([a-zA-Z]|\x03)[a-zA-Z0-9_$\x03]*|[_$%][a-zA-Z0-9_$\x03]*")]
    Name,
    #[regex(r"\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*")]
    Dotted,
    #[regex(r"0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|[0-9]+U?")]
    Integer,
    #[regex(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Float,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    #[regex(r"\x01[0-9]+(:[a-zA-Z])?\x02")]
    Placeholder,
    /// A comment that does not end.
    #[token("/*")]
    OpenComment,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("|")]
    Bar,
    #[token("!")]
    Bang,
    #[token("@")]
    At,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("=")]
    Equals,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[regex(r"[*/&^~?#]")]
    Operator,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// All tokens of a text.
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, ParseError> {
    let mut out = Vec::new();
    let mut place = LineCounter { source, offset: 0, line: 1, line_start: 0 };
    for (kind, range) in TokenKind::lexer(source).spanned() {
        let span = place.span(range.start, range.end);
        match kind {
            Ok(TokenKind::OpenComment) => {
                return Err(ParseError::new(ParseErrorKind::UnexpectedEnd("a comment"), span));
            }
            Ok(kind) => out.push(Token { kind, span }),
            Err(()) => {
                let text: String = span.text(source).chars().take(20).collect();
                return Err(ParseError::new(ParseErrorKind::Token(text), span));
            }
        }
    }
    Ok(out)
}

/// Counts lines while offsets grow.
struct LineCounter<'a> {
    source: &'a str,
    offset: usize,
    line: u32,
    line_start: usize,
}

impl LineCounter<'_> {
    fn span(&mut self, start: usize, end: usize) -> Span {
        for (i, byte) in self.source.as_bytes().iter().enumerate().take(start).skip(self.offset) {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = i + 1;
            }
        }
        self.offset = self.offset.max(start);
        Span { start, end, line: self.line, column: (start - self.line_start + 1) as u32 }
    }
}
