//! The parser of the published format.

use super::super::{LitmusError, LitmusProblem, Parsed};
use super::lexer::{Token, TokenKind, split};
use super::{
    Atom, AtomicFunction, Column, Declared, DeclaredKind, Formula, Instruction, Quantifier, Test, Value, clause,
};
use crate::program::{Comparison, ProxyFence};
use crate::{Proxy, Scope, Semantics};

/// The unread words of a test, and what is known so far.
pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    pub(super) test: Test,
}

/// Reads a whole test.
pub(super) fn test(text: &str) -> Parsed<Test> {
    let (name, tokens) = split(text)?;
    let clause = Formula::Compare(Atom::Number(0), Comparison::Eq, Atom::Number(0));
    let test = Test {
        name,
        locations: Vec::new(),
        registers: Vec::new(),
        threads: Vec::new(),
        filter: None,
        quantifier: Quantifier::Exists,
        clause,
    };
    let mut parser = Parser { tokens, at: 0, test };
    parser.initial_values()?;
    parser.threads()?;
    while !parser.is_clause() {
        parser.row()?;
    }
    parser.check_labels()?;
    clause::closing(&mut parser)?;
    if parser.peek().kind != TokenKind::End {
        return Err(parser.error(LitmusProblem::Trailing));
    }
    Ok(parser.test)
}

impl Parser {
    pub(super) fn peek(&self) -> &Token {
        // The last word is the end, and nothing moves beyond it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn peek_text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn error(&self, problem: LitmusProblem) -> LitmusError {
        let token = self.peek();
        LitmusError { line: token.line, column: token.column, problem }
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().kind != TokenKind::End && self.peek().text == text;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &'static str) -> Parsed<()> {
        if self.accept(text) { Ok(()) } else { Err(self.error(LitmusProblem::Expected(text))) }
    }

    pub(super) fn word(&mut self, what: &'static str) -> Parsed<String> {
        if self.peek().kind == TokenKind::Word {
            Ok(self.next().text)
        } else {
            Err(self.error(LitmusProblem::Expected(what)))
        }
    }

    /// A number, decimal or hexadecimal, also negative (as its 64 bits).
    pub(super) fn number(&mut self) -> Parsed<u64> {
        let start = self.at;
        let negative = self.accept("-");
        let text = self.peek().text.clone();
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        match parsed {
            Some(value) if self.peek().kind == TokenKind::Number => {
                self.at += 1;
                Ok(if negative { value.wrapping_neg() } else { value })
            }
            _ => {
                self.at = start;
                Err(self.error(LitmusProblem::Expected("a number of at most 64 bits")))
            }
        }
    }

    fn small_number(&mut self) -> Parsed<u32> {
        let start = self.at;
        let value = self.number()?;
        u32::try_from(value).map_err(|_| {
            self.at = start;
            self.error(LitmusProblem::Expected("a number of at most 32 bits"))
        })
    }

    fn initial_values(&mut self) -> Parsed<()> {
        self.expect("{")?;
        while !self.accept("}") {
            if self.accept(";") {
                continue;
            }
            self.initial_value()?;
            if self.peek().text != ";" && self.peek().text != "}" {
                return Err(self.error(LitmusProblem::Expected("`;` or `}`")));
            }
        }
        self.accept(";");
        Ok(())
    }

    fn initial_value(&mut self) -> Parsed<()> {
        let start = self.at;
        let thread = self.peek().text.strip_prefix('P').and_then(|digits| digits.parse().ok());
        if let Some(thread) = thread
            && self.peek_text(1) == ":"
        {
            self.at += 2;
            let register = self.word("a register")?;
            self.expect("=")?;
            let value = self.initial_number()?;
            self.test.registers.push((thread, register, value));
            return Ok(());
        }
        let name = self.word("a location")?;
        if self.test.locations.iter().any(|location| location.name == name) {
            self.at = start;
            return Err(self.error(LitmusProblem::DeclaredTwice(name)));
        }
        let kind = if self.accept("@") {
            let proxy = self.word("a proxy")?;
            self.expect("aliases")?;
            let start = self.at;
            let of = self.word("a location")?;
            let Some(index) = self.test.locations.iter().position(|location| location.name == of) else {
                self.at = start;
                return Err(self.error(LitmusProblem::UnknownName { what: "location", name: of }));
            };
            match proxy.as_str() {
                "generic" => DeclaredKind::Alias(index),
                "texture" | "surface" | "constant" => DeclaredKind::SameAddress(index),
                _ => {
                    self.at = start - 2;
                    return Err(self.error(LitmusProblem::Expected("generic, texture, surface or constant")));
                }
            }
        } else {
            self.expect("=")?;
            DeclaredKind::Memory(self.initial_number()?)
        };
        self.test.locations.push(Declared { name, kind });
        Ok(())
    }

    fn initial_number(&mut self) -> Parsed<u64> {
        if self.peek().text == "&" || self.peek().kind == TokenKind::Word {
            return Err(self.error(LitmusProblem::NotSupported("a pointer as an initial value")));
        }
        self.number()
    }

    /// `P0@cta 0,gpu 0 | …;`
    fn threads(&mut self) -> Parsed<()> {
        loop {
            let start = self.at;
            let name = self.word("a thread such as `P0@cta 0,gpu 0`")?;
            if name != format!("P{}", self.test.threads.len()) {
                self.at = start;
                return Err(self.error(LitmusProblem::Expected("the threads P0, P1, … in order")));
            }
            for word in ["@", "cta"] {
                self.expect(word)?;
            }
            let cta = self.small_number()?;
            for word in [",", "gpu"] {
                self.expect(word)?;
            }
            let gpu = self.small_number()?;
            self.test.threads.push(Column { name, gpu, cta, instructions: Vec::new() });
            if !self.accept("|") {
                break;
            }
        }
        self.expect(";")?;
        if let Some((thread, ..)) = self.test.registers.iter().find(|(thread, ..)| *thread >= self.test.threads.len()) {
            let problem = LitmusProblem::UnknownName { what: "thread", name: format!("P{thread}") };
            return Err(self.error(problem));
        }
        Ok(())
    }

    fn is_clause(&self) -> bool {
        let token = self.peek();
        token.kind == TokenKind::End
            || ["exists", "forall", "filter", "final", "not", "~", "locations"].contains(&token.text.as_str())
    }

    /// One row: an instruction or nothing for each thread.
    fn row(&mut self) -> Parsed<()> {
        for thread in 0..self.test.threads.len() {
            if thread > 0 && !self.accept("|") {
                return Err(self.error(LitmusProblem::Expected("`|` and the next thread's instruction")));
            }
            if self.peek().text == "|" || self.peek().text == ";" {
                continue;
            }
            let line = self.peek().line;
            let instruction = self.instruction()?;
            self.test.threads[thread].instructions.push((line, instruction));
        }
        if self.accept(";") { Ok(()) } else { Err(self.error(LitmusProblem::Expected("`;` at the end of the row"))) }
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.at;
        let name = self.word("an instruction")?;
        if self.accept(":") {
            return Ok(Instruction::Label(name));
        }
        let instruction = match name.as_str() {
            "st" => self.store(Proxy::Generic),
            "sust" => self.store(Proxy::Surface),
            "ld" if self.peek().text != "." => {
                let register = self.register()?;
                self.expect(",")?;
                let left = self.value()?;
                Ok(Instruction::Set { register, left, right: Value::Number(0), subtract: false })
            }
            "ld" => self.load(Proxy::Generic),
            "tld" => self.load(Proxy::Texture),
            "suld" => self.load(Proxy::Surface),
            "cold" => self.load(Proxy::Constant),
            "add" | "sub" => {
                let register = self.register()?;
                self.expect(",")?;
                let left = self.value()?;
                self.expect(",")?;
                let right = self.value()?;
                let both = matches!((&left, &right), (Value::Register(_), Value::Register(_)));
                let subtracted = name == "sub" && matches!(right, Value::Register(_));
                if both || subtracted {
                    self.at = start;
                    return Err(self.error(LitmusProblem::NotSupported("arithmetic on two registers")));
                }
                Ok(Instruction::Set { register, left, right, subtract: name == "sub" })
            }
            "mul" | "div" => Err(LitmusProblem::NotSupported("`mul` and `div`")).map_err(|problem| {
                self.at = start;
                self.error(problem)
            }),
            "atom" | "red" => self.atomic(name == "atom"),
            "suatom" | "sured" => {
                self.at = start;
                Err(self.error(LitmusProblem::NotSupported("an atomic operation on a surface")))
            }
            "fence" => self.fence(),
            "bar" => self.barrier(),
            "goto" => Ok(Instruction::Goto(self.word("a label")?)),
            "beq" => self.branch(Comparison::Eq),
            "bne" => self.branch(Comparison::Ne),
            "blt" => self.branch(Comparison::Lt),
            "ble" => self.branch(Comparison::Le),
            "bgt" => self.branch(Comparison::Gt),
            "bge" => self.branch(Comparison::Ge),
            _ => {
                self.at = start;
                Err(self.error(LitmusProblem::UnknownWord(name)))
            }
        }?;
        Ok(instruction)
    }

    /// `.acquire`, one of those allowed.
    fn semantics(&mut self, allowed: &[Semantics]) -> Parsed<Semantics> {
        self.expect(".")?;
        let found = allowed.iter().copied().find(|semantics| semantics.ptx() == self.peek().text);
        match found {
            Some(semantics) => {
                self.at += 1;
                Ok(semantics)
            }
            None => Err(self.error(LitmusProblem::UnknownQualifier(self.peek().text.clone()))),
        }
    }

    fn scope(&mut self) -> Parsed<Scope> {
        self.expect(".")?;
        let found = [Scope::Cta, Scope::Gpu, Scope::Sys].into_iter().find(|scope| scope.ptx() == self.peek().text);
        match found {
            Some(scope) => {
                self.at += 1;
                Ok(scope)
            }
            None => Err(self.error(LitmusProblem::UnknownQualifier(self.peek().text.clone()))),
        }
    }

    /// Strength and, where it is strong, scope.
    fn strength(&mut self, strong: Semantics) -> Parsed<(Semantics, Scope)> {
        let semantics = self.semantics(&[Semantics::Weak, Semantics::Relaxed, strong])?;
        let scope = if semantics.is_strong() { self.scope()? } else { Scope::Sys };
        Ok((semantics, scope))
    }

    /// A location; one that is not declared begins as zero.
    pub(super) fn location(&mut self) -> Parsed<usize> {
        let name = self.word("a location")?;
        if self.peek().text == "[" {
            return Err(self.error(LitmusProblem::NotSupported("an array")));
        }
        let known = self.test.locations.iter().position(|location| location.name == name);
        Ok(known.unwrap_or_else(|| {
            self.test.locations.push(Declared { name, kind: DeclaredKind::Memory(0) });
            self.test.locations.len() - 1
        }))
    }

    fn register(&mut self) -> Parsed<String> {
        let start = self.at;
        let name = self.word("a register")?;
        if is_register(&name) {
            return Ok(name);
        }
        self.at = start;
        Err(self.error(LitmusProblem::Expected("a register such as `r0`")))
    }

    fn value(&mut self) -> Parsed<Value> {
        if self.peek().kind == TokenKind::Word {
            return Ok(Value::Register(self.register()?));
        }
        Ok(Value::Number(self.number()?))
    }

    fn store(&mut self, proxy: Proxy) -> Parsed<Instruction> {
        let (semantics, scope) = self.strength(Semantics::Release)?;
        let location = self.location()?;
        self.expect(",")?;
        Ok(Instruction::Store { semantics, scope, proxy, location, value: self.value()? })
    }

    fn load(&mut self, proxy: Proxy) -> Parsed<Instruction> {
        let (semantics, scope) = self.strength(Semantics::Acquire)?;
        let register = self.register()?;
        self.expect(",")?;
        Ok(Instruction::Load { semantics, scope, proxy, register, location: self.location()? })
    }

    fn atomic(&mut self, returns: bool) -> Parsed<Instruction> {
        let semantics =
            self.semantics(&[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease])?;
        let scope = self.scope()?;
        self.expect(".")?;
        let start = self.at;
        let operation = self.word("an operation")?;
        let register = if returns {
            let register = self.register()?;
            self.expect(",")?;
            Some(register)
        } else {
            None
        };
        let location = self.location()?;
        self.expect(",")?;
        let value = self.value()?;
        let function = match operation.as_str() {
            "add" => AtomicFunction::Add(value),
            "sub" if matches!(value, Value::Number(_)) => AtomicFunction::Subtract(value),
            "and" => AtomicFunction::And(value),
            "or" => AtomicFunction::Or(value),
            "xor" => AtomicFunction::Xor(value),
            "exch" if returns => AtomicFunction::Exchange(value),
            "cas" if returns => {
                self.expect(",")?;
                AtomicFunction::CompareAndSwap(value, self.value()?)
            }
            _ => {
                self.at = start;
                return Err(self.error(LitmusProblem::UnknownQualifier(operation)));
            }
        };
        Ok(Instruction::Atomic { register, semantics, scope, location, function })
    }

    fn fence(&mut self) -> Parsed<Instruction> {
        if self.peek_text(1) != "proxy" {
            let allowed =
                [Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease, Semantics::SequentiallyConsistent];
            let semantics = self.semantics(&allowed)?;
            return Ok(Instruction::Fence { semantics, scope: self.scope()? });
        }
        self.at += 2;
        self.expect(".")?;
        let kind = match self.peek().text.as_str() {
            "alias" => ProxyFence::Alias,
            "texture" => ProxyFence::Texture,
            "surface" => ProxyFence::Surface,
            "constant" => ProxyFence::Constant,
            other => return Err(self.error(LitmusProblem::UnknownQualifier(other.to_owned()))),
        };
        self.at += 1;
        Ok(Instruction::ProxyFence(kind))
    }

    /// `bar.cta.sync INSTANCE[, ID[, QUORUM]]`. The instance is the barrier where there is no other number.
    fn barrier(&mut self) -> Parsed<Instruction> {
        self.expect(".")?;
        self.expect("cta")?;
        self.expect(".")?;
        let start = self.at;
        let arrive = match self.word("`sync` or `arrive`")?.as_str() {
            "sync" => false,
            "arrive" => true,
            _ => {
                self.at = start;
                return Err(self.error(LitmusProblem::Expected("`sync` or `arrive`")));
            }
        };
        let instance = Value::Number(self.small_number()?.into());
        let id = if self.accept(",") { self.value()? } else { instance };
        let quorum = if self.accept(",") { Some(self.small_number()?) } else { None };
        if quorum == Some(0) || (arrive && quorum.is_some()) {
            self.at = start;
            let what = "a quorum of zero, or of a barrier that is only arrived at";
            return Err(self.error(LitmusProblem::NotSupported(what)));
        }
        Ok(Instruction::Barrier { arrive, id, quorum })
    }

    fn branch(&mut self, comparison: Comparison) -> Parsed<Instruction> {
        let left = self.value()?;
        self.expect(",")?;
        let right = self.value()?;
        self.expect(",")?;
        Ok(Instruction::Branch { comparison, left, right, label: self.word("a label")? })
    }

    /// Every jump has a label to go to, and each label stands once.
    fn check_labels(&self) -> Parsed<()> {
        for column in &self.test.threads {
            let mut labels = Vec::new();
            for (line, instruction) in &column.instructions {
                if let Instruction::Label(label) = instruction {
                    if labels.contains(&label) {
                        let problem = LitmusProblem::DeclaredTwice(label.clone());
                        return Err(LitmusError { line: *line, column: 1, problem });
                    }
                    labels.push(label);
                }
            }
            for (line, instruction) in &column.instructions {
                if let Instruction::Goto(label) | Instruction::Branch { label, .. } = instruction
                    && !labels.contains(&label)
                {
                    let problem = LitmusProblem::UnknownName { what: "label", name: label.clone() };
                    return Err(LitmusError { line: *line, column: 1, problem });
                }
            }
        }
        Ok(())
    }
}

/// `r` and digits.
pub(super) fn is_register(name: &str) -> bool {
    name.strip_prefix('r').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}
