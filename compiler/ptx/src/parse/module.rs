//! Top-level items, variables, functions and parameters.

use super::cursor::{Parser, parse_unsigned};
use crate::ast::*;
use crate::error::{ParseError, ParseErrorKind};
use crate::lexer::TokenKind;
use crate::operand::Operand;
use crate::types::{ScalarType, StateSpace, VectorSize};

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Result<Module, ParseError> {
        let mut items = Vec::new();
        while !self.at_end() {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let start = self.here();
            let kind = self.item()?;
            items.push(Item { kind, span: self.since(start) });
        }
        Ok(Module { items })
    }

    fn item(&mut self) -> Result<ItemKind, ParseError> {
        if self.peek() != Some(TokenKind::Dotted) {
            return Err(self.unexpected("a directive"));
        }
        if let Some(directive) = self.verbatim()? {
            return Ok(ItemKind::Directive(directive));
        }
        match self.peek_text() {
            ".version" => self.version().map(ItemKind::Version),
            ".target" => {
                self.at += 1;
                let mut words = vec![self.name("an architecture")?];
                while self.eat(TokenKind::Comma) {
                    words.push(self.name("a target option")?);
                }
                Ok(ItemKind::Target(words))
            }
            ".address_size" => {
                self.at += 1;
                let span = self.here();
                match self.unsigned("32 or 64")? {
                    bits @ (32 | 64) => Ok(ItemKind::AddressSize(bits as u32)),
                    other => Err(ParseError::new(ParseErrorKind::Number(other.to_string()), span)),
                }
            }
            _ => self.declaration_item(),
        }
    }

    fn version(&mut self) -> Result<Version, ParseError> {
        self.at += 1;
        let span = self.expect(TokenKind::Float, "a version such as 8.8")?;
        let text = self.text(span);
        let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((major, minor)) => Ok(Version { major, minor }),
            None => Err(ParseError::new(ParseErrorKind::Number(text.to_owned()), span)),
        }
    }

    fn declaration_item(&mut self) -> Result<ItemKind, ParseError> {
        let (start, at) = (self.here(), self.at);
        let linkage = self.linkage();
        let word = self.peek_text();
        if matches!(word, ".entry" | ".func") {
            return self.function(linkage).map(ItemKind::Function);
        }
        let variable = self.variable(linkage).and_then(|variable| {
            self.expect(TokenKind::Semicolon, "`;`")?;
            Ok(variable)
        });
        variable.map(ItemKind::Variable).or_else(|error| {
            // Not understood: kept as written up to its semicolon.
            self.at = at;
            let opcode = self.peek_text().to_owned();
            self.skip_statement("a directive")?;
            let text = self.text(self.since(start)).to_owned();
            Ok(ItemKind::Unknown(Unknown { opcode, text, reason: error.to_string() }))
        })
    }

    fn linkage(&mut self) -> Option<Linkage> {
        let linkage = match self.peek_text() {
            ".visible" => Linkage::Visible,
            ".extern" => Linkage::Extern,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => return None,
        };
        self.at += 1;
        Some(linkage)
    }

    /// The next dotted word, if `parse` knows it.
    pub(super) fn dotted_if<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        if self.peek() != Some(TokenKind::Dotted) {
            return None;
        }
        let value = parse(&self.peek_text()[1..])?;
        self.at += 1;
        Some(value)
    }

    pub(super) fn dotted<T>(
        &mut self,
        parse: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<T, ParseError> {
        self.dotted_if(parse).ok_or_else(|| self.unexpected(expected))
    }

    /// `.attribute(…)`: the part in parentheses, as written.
    fn attribute(&mut self) -> Result<Option<String>, ParseError> {
        if !self.eat_dotted(".attribute") {
            return Ok(None);
        }
        let start = self.expect(TokenKind::OpenParen, "`(`")?;
        while !matches!(self.peek(), None | Some(TokenKind::CloseParen | TokenKind::Semicolon)) {
            self.at += 1;
        }
        self.expect(TokenKind::CloseParen, "`)`")?;
        Ok(Some(self.text(self.since(start)).to_owned()))
    }

    fn align(&mut self) -> Result<Option<u64>, ParseError> {
        match self.eat_dotted(".align") {
            true => self.unsigned("an alignment").map(Some),
            false => Ok(None),
        }
    }

    fn dimensions(&mut self) -> Result<Vec<Option<u64>>, ParseError> {
        let mut out = Vec::new();
        while self.eat(TokenKind::OpenBracket) {
            out.push(match self.peek() {
                Some(TokenKind::CloseBracket) => None,
                _ => Some(self.unsigned("a number of elements")?),
            });
            self.expect(TokenKind::CloseBracket, "`]`")?;
        }
        Ok(out)
    }

    /// A variable, without its semicolon.
    pub(super) fn variable(&mut self, linkage: Option<Linkage>) -> Result<Variable, ParseError> {
        let known = |word: &str| {
            StateSpace::from_ptx(word).filter(|space| {
                matches!(
                    space,
                    StateSpace::Global
                        | StateSpace::Shared
                        | StateSpace::SharedCta
                        | StateSpace::Const
                        | StateSpace::Local
                        | StateSpace::Param
                )
            })
        };
        let space = self.dotted(known, "a state space")?;
        let attribute = self.attribute()?;
        let align = self.align()?;
        let vector = self.dotted_if(VectorSize::from_ptx);
        let ty = self.dotted(ScalarType::from_ptx, "a type")?;
        let name = self.name("the name of a variable")?;
        let dimensions = self.dimensions()?;
        let initializer = match self.eat(TokenKind::Equals) {
            true => Some(self.initializer()?),
            false => None,
        };
        Ok(Variable { linkage, space, attribute, align, vector, ty, name, dimensions, initializer })
    }

    fn initializer(&mut self) -> Result<Initializer, ParseError> {
        if self.eat(TokenKind::OpenBrace) {
            return self.nested(|p| {
                let mut list = Vec::new();
                while p.peek() != Some(TokenKind::CloseBrace) {
                    list.push(p.initializer()?);
                    if !p.eat(TokenKind::Comma) {
                        break;
                    }
                }
                p.expect(TokenKind::CloseBrace, "`}`")?;
                Ok(Initializer::List(list))
            });
        }
        if self.peek_at(1) == Some(TokenKind::OpenParen) {
            match self.peek() {
                Some(TokenKind::Integer) => {
                    let span = self.here();
                    let mask = parse_unsigned(self.text(span))
                        .ok_or_else(|| ParseError::new(ParseErrorKind::Number(self.text(span).to_owned()), span))?;
                    self.at += 2;
                    let value = Box::new(self.nested(|p| p.initializer())?);
                    self.expect(TokenKind::CloseParen, "`)`")?;
                    return Ok(Initializer::Masked { mask, value });
                }
                Some(TokenKind::Name) if self.peek_text() == "generic" => {
                    self.at += 2;
                    let symbol = self.name("the name of a variable")?;
                    self.expect(TokenKind::CloseParen, "`)`")?;
                    let offset = match self.peek() {
                        Some(TokenKind::Plus | TokenKind::Minus) => self.signed_offset()?,
                        _ => 0,
                    };
                    return Ok(Initializer::Generic { symbol, offset });
                }
                _ => {}
            }
        }
        match self.operand()? {
            value @ (Operand::Immediate(_) | Operand::Symbol { .. }) => Ok(Initializer::Value(value)),
            _ => Err(self.unexpected("a constant")),
        }
    }

    fn function(&mut self, linkage: Option<Linkage>) -> Result<Function, ParseError> {
        let is_entry = self.eat_dotted(".entry");
        if !is_entry {
            self.at += 1;
        }
        let attribute = self.attribute()?;
        let returns = match !is_entry && self.peek() == Some(TokenKind::OpenParen) {
            true => self.parameters()?,
            false => Vec::new(),
        };
        let name = self.name("the name of a function")?;
        let parameters = match self.peek() {
            Some(TokenKind::OpenParen) => self.parameters()?,
            _ => Vec::new(),
        };
        let directives = self.function_directives()?;
        let body = match self.peek() {
            Some(TokenKind::OpenBrace) => {
                self.scopes = vec![register_parameters(returns.iter().chain(&parameters))];
                let body = self.block();
                self.scopes.clear();
                Some(body?)
            }
            _ => {
                self.expect(TokenKind::Semicolon, "`{` or `;`")?;
                None
            }
        };
        Ok(Function { linkage, is_entry, attribute, returns, name, parameters, directives, body })
    }

    fn function_directives(&mut self) -> Result<Vec<Verbatim>, ParseError> {
        let mut out = Vec::new();
        while self.peek() == Some(TokenKind::Dotted) {
            let start = self.here();
            if let Some(directive) = self.verbatim()? {
                out.push(directive);
                continue;
            }
            let name = self.peek_text().to_owned();
            self.at += 1;
            while matches!(self.peek(), Some(TokenKind::Integer | TokenKind::Comma | TokenKind::String)) {
                self.at += 1;
            }
            out.push(Verbatim { name, text: self.text(self.since(start)).to_owned() });
        }
        Ok(out)
    }

    fn parameters(&mut self) -> Result<Vec<Parameter>, ParseError> {
        self.expect(TokenKind::OpenParen, "`(`")?;
        let mut out = Vec::new();
        while self.peek() != Some(TokenKind::CloseParen) {
            out.push(self.parameter()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::CloseParen, "`)`")?;
        Ok(out)
    }

    fn parameter(&mut self) -> Result<Parameter, ParseError> {
        let known = |word: &str| {
            StateSpace::from_ptx(word).filter(|space| matches!(space, StateSpace::Param | StateSpace::Reg))
        };
        let space = self.dotted(known, "`.param` or `.reg`")?;
        let align = self.align()?;
        let vector = self.dotted_if(VectorSize::from_ptx);
        let ty = self.dotted(ScalarType::from_ptx, "a type")?;
        let pointer = match self.eat_dotted(".ptr") {
            true => Some(PointerAttribute {
                space: self.dotted_if(|word| {
                    StateSpace::from_ptx(word).filter(|space| !matches!(space, StateSpace::Reg | StateSpace::Tex))
                }),
                align: self.align()?,
            }),
            false => None,
        };
        let name = self.name("the name of a parameter")?;
        Ok(Parameter { space, align, vector, ty, pointer, name, dimensions: self.dimensions()? })
    }
}

/// The registers among parameters.
fn register_parameters<'p>(parameters: impl Iterator<Item = &'p Parameter>) -> Vec<Registers> {
    parameters
        .filter(|parameter| parameter.space == StateSpace::Reg)
        .map(|p| Registers { vector: p.vector, ty: p.ty, names: vec![(p.name.clone(), None)] })
        .collect()
}
