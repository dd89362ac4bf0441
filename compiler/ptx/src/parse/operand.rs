//! Operands.

use super::cursor::{Parser, parse_unsigned};
use crate::error::{ParseError, ParseErrorKind};
use crate::lexer::TokenKind;
use crate::operand::{Address, Component, Immediate, ImmediateValue, Offset, Operand, Placeholder};
use crate::span::Span;
use crate::special::{ScalarSpecial, SpecialRegister, VectorSpecial};
use crate::types::ScalarType;

impl Parser<'_> {
    /// Operands up to (not including) a token of the kind.
    pub(super) fn operands_until(&mut self, end: TokenKind) -> Result<Vec<Operand>, ParseError> {
        let mut out = Vec::new();
        if self.peek() == Some(end) {
            return Ok(out);
        }
        loop {
            out.push(self.operand()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        match self.peek() == Some(end) {
            true => Ok(out),
            false => Err(self.unexpected("`,` or the end of the operands")),
        }
    }

    pub(super) fn operand(&mut self) -> Result<Operand, ParseError> {
        self.nested(|p| {
            let first = p.primary()?;
            if !p.eat(TokenKind::Bar) {
                return Ok(first);
            }
            Ok(Operand::Pair(Box::new(first), Box::new(p.primary()?)))
        })
    }

    fn primary(&mut self) -> Result<Operand, ParseError> {
        match self.peek() {
            Some(TokenKind::Bang) => {
                self.at += 1;
                let inner = self.nested(|p| p.primary())?;
                Ok(Operand::Negated(Box::new(inner)))
            }
            Some(TokenKind::OpenBrace) => {
                self.at += 1;
                let elements = self.operands_until(TokenKind::CloseBrace)?;
                self.expect(TokenKind::CloseBrace, "`}`")?;
                Ok(Operand::Vector(elements))
            }
            Some(TokenKind::OpenBracket) => self.address().map(Operand::Address),
            _ => {
                let base = self.atom()?;
                match base {
                    Operand::Symbol { name, .. } if matches!(self.peek(), Some(TokenKind::Plus | TokenKind::Minus)) => {
                        Ok(Operand::Symbol { name, offset: self.signed_offset()? })
                    }
                    other => Ok(other),
                }
            }
        }
    }

    /// A name, number or placeholder.
    pub(super) fn atom(&mut self) -> Result<Operand, ParseError> {
        let span = self.here();
        match self.peek() {
            Some(TokenKind::Name) => {
                self.at += 1;
                self.named(span)
            }
            Some(TokenKind::Placeholder) => {
                self.at += 1;
                placeholder(self.text(span))
                    .map(Operand::Placeholder)
                    .ok_or_else(|| ParseError::new(ParseErrorKind::Placeholder(self.text(span).to_owned()), span))
            }
            Some(TokenKind::Integer | TokenKind::Float | TokenKind::Minus) => self.number().map(Operand::Immediate),
            _ => Err(self.unexpected("an operand")),
        }
    }

    fn named(&mut self, span: Span) -> Result<Operand, ParseError> {
        let name = self.text(span);
        let component = match self.peek() {
            Some(TokenKind::Dotted) => Component::from_ptx(&self.peek_text()[1..]),
            _ => None,
        };
        if name == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(special) = ScalarSpecial::from_ptx(name) {
            return Ok(Operand::Special(SpecialRegister::Scalar(special)));
        }
        if let (Some(special), Some(component)) = (VectorSpecial::from_ptx(name), component) {
            self.at += 1;
            return Ok(Operand::Special(SpecialRegister::Vector(special, component)));
        }
        let register = name.starts_with('%') || self.is_register(name);
        match component {
            Some(component) if register => {
                self.at += 1;
                Ok(Operand::Element(name.to_owned(), component))
            }
            _ if register => Ok(Operand::Register(name.to_owned())),
            _ => Ok(Operand::symbol(name)),
        }
    }

    fn is_register(&self, name: &str) -> bool {
        self.declared_type(name).is_some()
    }

    /// The type that the innermost declaration gives a register.
    pub(super) fn declared_type(&self, name: &str) -> Option<ScalarType> {
        let mut declarations = self.scopes.iter().rev().flatten();
        declarations.find(|registers| registers.declares(name)).map(|registers| registers.ty)
    }

    /// A number with an optional minus sign.
    pub(super) fn number(&mut self) -> Result<Immediate, ParseError> {
        let start = self.here();
        let negative = self.eat(TokenKind::Minus);
        let Some(token) = self.next() else {
            return Err(self.unexpected("a number"));
        };
        let digits = self.text(token.span);
        let value = match token.kind {
            TokenKind::Integer => parse_unsigned(digits)
                .map(i128::from)
                .map(|value| if negative { -value } else { value })
                .filter(|value| *value >= i128::from(i64::MIN))
                .map(ImmediateValue::Integer),
            TokenKind::Float => float(digits, negative),
            _ => {
                self.at -= 1;
                return Err(self.unexpected("a number"));
            }
        };
        let text = format!("{}{digits}", if negative { "-" } else { "" });
        match value {
            Some(value) => Ok(Immediate { value, text }),
            None => Err(ParseError::new(ParseErrorKind::Number(text), self.since(start))),
        }
    }

    /// `+4`, `-4`, `+-4`
    pub(super) fn signed_offset(&mut self) -> Result<i64, ParseError> {
        let start = self.here();
        let mut negative = false;
        while matches!(self.peek(), Some(TokenKind::Plus | TokenKind::Minus)) {
            negative ^= self.peek() == Some(TokenKind::Minus);
            self.at += 1;
        }
        let magnitude = i128::from(self.unsigned("an offset")?);
        let value = if negative { -magnitude } else { magnitude };
        i64::try_from(value).map_err(|_| ParseError::new(ParseErrorKind::Number(value.to_string()), self.since(start)))
    }

    fn address(&mut self) -> Result<Address, ParseError> {
        self.expect(TokenKind::OpenBracket, "`[`")?;
        let base = self.atom()?;
        let offset = match (self.peek(), self.peek_at(1)) {
            (Some(TokenKind::Plus), Some(TokenKind::Placeholder)) => {
                self.at += 1;
                match self.atom()? {
                    Operand::Placeholder(placeholder) => Offset::Placeholder(placeholder),
                    _ => return Err(self.unexpected("an offset")),
                }
            }
            (Some(TokenKind::Plus | TokenKind::Minus), _) => Offset::Bytes(self.signed_offset()?),
            _ => Offset::None,
        };
        let coordinates = match self.eat(TokenKind::Comma) {
            true => self.operands_until(TokenKind::CloseBracket)?,
            false => Vec::new(),
        };
        self.expect(TokenKind::CloseBracket, "`]`")?;
        Ok(Address { base: Box::new(base), offset, coordinates })
    }
}

fn float(text: &str, negative: bool) -> Option<ImmediateValue> {
    match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => {
            let bits = u32::from_str_radix(&text[2..], 16).ok()?;
            Some(ImmediateValue::F32(bits ^ (u32::from(negative) << 31)))
        }
        [b'0', b'd' | b'D', ..] => {
            let bits = u64::from_str_radix(&text[2..], 16).ok()?;
            Some(ImmediateValue::F64(bits ^ (u64::from(negative) << 63)))
        }
        _ => {
            let value: f64 = text.parse().ok()?;
            Some(ImmediateValue::F64(if negative { -value } else { value }.to_bits()))
        }
    }
}

/// Reads `\u{1}N\u{2}` or `\u{1}N:m\u{2}`.
fn placeholder(text: &str) -> Option<Placeholder> {
    let inner = text.strip_prefix('\u{1}')?.strip_suffix('\u{2}')?;
    match inner.split_once(':') {
        None => Some(Placeholder { index: inner.parse().ok()?, modifier: None }),
        Some((index, modifier)) => Some(Placeholder { index: index.parse().ok()?, modifier: modifier.chars().next() }),
    }
}
