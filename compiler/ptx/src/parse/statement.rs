//! Statements of a body.

use super::cursor::Parser;
use crate::ast::{Registers, Statement, StatementKind, Unknown};
use crate::error::ParseError;
use crate::instruction::{Call, Guard, Instruction, Op, check};
use crate::lexer::TokenKind;
use crate::operand::Operand;
use crate::types::{ScalarType, VectorSize};

impl Parser<'_> {
    /// Statements between braces.
    pub(super) fn block(&mut self) -> Result<Vec<Statement>, ParseError> {
        self.expect(TokenKind::OpenBrace, "`{`")?;
        self.scopes.push(Vec::new());
        let body = self.nested(|p| {
            let mut out = Vec::new();
            while p.peek() != Some(TokenKind::CloseBrace) {
                if p.at_end() {
                    return Err(p.unexpected("`}`"));
                }
                p.statement(&mut out)?;
            }
            Ok(out)
        });
        self.scopes.pop();
        let body = body?;
        self.expect(TokenKind::CloseBrace, "`}`")?;
        Ok(body)
    }

    /// One statement; a stray semicolon is none.
    pub(super) fn statement(&mut self, out: &mut Vec<Statement>) -> Result<(), ParseError> {
        let start = self.here();
        let kind = match (self.peek(), self.peek_at(1)) {
            (Some(TokenKind::Semicolon), _) => {
                self.at += 1;
                return Ok(());
            }
            (Some(TokenKind::OpenBrace), _) => StatementKind::Block(self.block()?),
            (Some(TokenKind::Name), Some(TokenKind::Colon)) => {
                let label = self.name("a label")?;
                self.at += 1;
                StatementKind::Label(label)
            }
            (Some(TokenKind::Name | TokenKind::At), _) => self.known_or_unknown("an instruction", Self::instruction)?,
            (Some(TokenKind::Dotted), _) => match self.verbatim()? {
                Some(directive) => StatementKind::Directive(directive),
                None => self.known_or_unknown("a directive", Self::declaration)?,
            },
            _ => return Err(self.unexpected("a statement")),
        };
        if let StatementKind::Registers(registers) = &kind
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.push(registers.clone());
        }
        out.push(Statement { kind, span: self.since(start) });
        Ok(())
    }

    /// What `parse` reads up to a semicolon; if it cannot, the statement as written, with the reason.
    fn known_or_unknown(
        &mut self,
        what: &'static str,
        parse: fn(&mut Self) -> Result<StatementKind, ParseError>,
    ) -> Result<StatementKind, ParseError> {
        let (start, at) = (self.here(), self.at);
        let parsed = parse(self).and_then(|kind| {
            self.expect(TokenKind::Semicolon, "`;`")?;
            Ok(kind)
        });
        match parsed {
            Ok(StatementKind::Unknown(unknown)) => {
                let text = self.text(self.since(start)).to_owned();
                Ok(StatementKind::Unknown(Unknown { text, ..unknown }))
            }
            Ok(kind) => Ok(kind),
            Err(error) => {
                self.at = at;
                let opcode = self.opcode_ahead();
                self.skip_statement(what)?;
                let text = self.text(self.since(start)).to_owned();
                Ok(StatementKind::Unknown(Unknown { opcode, text, reason: error.kind.to_string() }))
            }
        }
    }

    /// The dotted words that begin the statement, a guard left out.
    fn opcode_ahead(&self) -> String {
        let mut at = self.at;
        let kind = |at: usize| self.tokens.get(at).map(|token| token.kind);
        if kind(at) == Some(TokenKind::At) {
            at += 1;
            at += usize::from(kind(at) == Some(TokenKind::Bang));
            at += 1;
        }
        let mut opcode = String::new();
        if kind(at) == Some(TokenKind::Name) {
            opcode.push_str(self.text(self.tokens[at].span));
            at += 1;
        }
        while kind(at) == Some(TokenKind::Dotted) {
            opcode.push_str(self.text(self.tokens[at].span));
            at += 1;
        }
        opcode
    }

    fn instruction(&mut self) -> Result<StatementKind, ParseError> {
        let start = self.here();
        let guard = match self.eat(TokenKind::At) {
            true => Some(Guard { negated: self.eat(TokenKind::Bang), predicate: self.atom()? }),
            false => None,
        };
        let opcode_start = self.expect(TokenKind::Name, "an opcode")?;
        let name = self.text(opcode_start);
        let mut words = Vec::new();
        while self.peek() == Some(TokenKind::Dotted) {
            words.push(&self.peek_text()[1..]);
            self.at += 1;
        }
        let opcode_span = self.since(opcode_start);
        let opcode = std::iter::once(name).chain(words.iter().copied()).collect::<Vec<_>>().join(".");
        let (decoded, operands) = match name {
            "call" => (self.call(&words)?, Vec::new()),
            _ => (Op::decode(name, &words), self.operands_until(TokenKind::Semicolon)?),
        };
        Ok(match decoded.and_then(|op| self.check_operands(&op, &operands).map(|()| op)) {
            Ok(op) => StatementKind::Instruction(Box::new(Instruction {
                guard,
                opcode,
                op,
                operands,
                span: self.since(start),
                opcode_span,
            })),
            Err(reason) => StatementKind::Unknown(Unknown { opcode, text: String::new(), reason }),
        })
    }

    /// Number and shapes of the operands; and that predicates stand where, and only where, predicates may.
    fn check_operands(&self, op: &Op, operands: &[Operand]) -> Result<(), String> {
        check(op, operands)?;
        let slots = op.signature(operands.len()).unwrap_or_default();
        for (slot, operand) in slots.iter().zip(operands) {
            let typed = |operand: &Operand, ty: ScalarType| match operand {
                Operand::Register(name) => match self.declared_type(name) {
                    Some(declared) => (declared == ScalarType::Pred) == (ty == ScalarType::Pred),
                    None => true,
                },
                _ => true,
            };
            let fits = match operand {
                Operand::Vector(parts) => parts.iter().all(|part| typed(part, slot.ty)),
                Operand::Pair(first, second) => typed(first, slot.ty) && typed(second, slot.pair.unwrap_or(slot.ty)),
                Operand::Negated(inner) => typed(inner, slot.ty),
                operand => typed(operand, slot.ty),
            };
            if !fits {
                let kind = if slot.ty == ScalarType::Pred { "a predicate" } else { "no predicate" };
                return Err(format!("`{operand}` has to be {kind}"));
            }
        }
        Ok(())
    }

    /// `(results), function, (arguments), prototype`
    fn call(&mut self, words: &[&str]) -> Result<Result<Op, String>, ParseError> {
        let returns = match self.eat(TokenKind::OpenParen) {
            true => {
                let returns = self.operands_until(TokenKind::CloseParen)?;
                self.at += 1;
                self.expect(TokenKind::Comma, "`,`")?;
                returns
            }
            false => Vec::new(),
        };
        let target = self.atom()?;
        let mut arguments = Vec::new();
        let mut prototype = None;
        if self.eat(TokenKind::Comma) {
            if self.eat(TokenKind::OpenParen) {
                arguments = self.operands_until(TokenKind::CloseParen)?;
                self.at += 1;
                if self.eat(TokenKind::Comma) {
                    prototype = Some(self.atom()?);
                }
            } else {
                prototype = Some(self.atom()?);
            }
        }
        let uniform = match words {
            [] => false,
            ["uni"] => true,
            _ => return Ok(Err("call has the modifier .uni only".to_owned())),
        };
        Ok(match target {
            Operand::Symbol { offset: 0, .. } | Operand::Register(_) | Operand::Placeholder(_) => {
                Ok(Op::Call(Call { uniform, returns, target, arguments, prototype }))
            }
            _ => Err("the target of a call is a function or a register".to_owned()),
        })
    }

    /// `.reg`, `.branchtargets`, or a variable, without the semicolon.
    fn declaration(&mut self) -> Result<StatementKind, ParseError> {
        if self.eat_dotted(".reg") {
            return self.registers().map(StatementKind::Registers);
        }
        if self.eat_dotted(".branchtargets") {
            let mut labels = vec![self.name("a label")?];
            while self.eat(TokenKind::Comma) {
                labels.push(self.name("a label")?);
            }
            return Ok(StatementKind::BranchTargets(labels));
        }
        self.variable(None).map(StatementKind::Variable)
    }

    fn registers(&mut self) -> Result<Registers, ParseError> {
        let vector = self.dotted_if(VectorSize::from_ptx);
        let ty = self.dotted(ScalarType::from_ptx, "a type")?;
        let mut names = Vec::new();
        loop {
            let name = self.name("the name of a register")?;
            let count =
                match self.eat(TokenKind::Less) {
                    true => {
                        let span = self.here();
                        let count = self.unsigned("a number of registers")?;
                        self.expect(TokenKind::Greater, "`>`")?;
                        Some(u32::try_from(count).map_err(|_| {
                            ParseError::new(crate::error::ParseErrorKind::Number(count.to_string()), span)
                        })?)
                    }
                    false => None,
                };
            names.push((name, count));
            if !self.eat(TokenKind::Comma) {
                return Ok(Registers { vector, ty, names });
            }
        }
    }
}
