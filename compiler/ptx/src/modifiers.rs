//! The dotted words behind an opcode, taken one by one while an instruction is decoded.
//!
//! `ptxas` takes them in any order (`ld.global.acquire.sys` as well as `ld.acquire.sys.global`), so decoding asks for
//! words, not positions; only where several words are of one kind (two types, two state spaces) does order count.
//! A word that nobody asked for makes the instruction unknown: nothing is ignored.

use crate::types::{ScalarType, StateSpace, VectorSize};
use memory_model::{Scope, Semantics};

/// Why an instruction is not in the table.
pub(crate) type Reason = String;

/// The words that were not taken yet.
pub(crate) struct Modifiers<'a> {
    words: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    /// The words of `ld.acquire.sys.b32` behind the first.
    pub(crate) fn of(words: impl Iterator<Item = &'a str>) -> Self {
        Self { words: words.collect() }
    }

    /// Takes the word if it is there.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        match self.words.iter().position(|w| *w == word) {
            Some(i) => {
                self.words.remove(i);
                true
            }
            None => false,
        }
    }

    /// Takes the first word that `parse` knows.
    pub(crate) fn find<T>(&mut self, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (i, value) = self.words.iter().enumerate().find_map(|(i, w)| parse(w).map(|value| (i, value)))?;
        self.words.remove(i);
        Some(value)
    }

    /// Takes the first word that `parse` knows; none is an error that names what is missing.
    pub(crate) fn need<T>(&mut self, what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Reason> {
        self.find(parse).ok_or_else(|| format!("the {what} is missing"))
    }

    /// Takes one of several words and says which.
    pub(crate) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        self.find(|word| table.iter().find(|(text, _)| *text == word).map(|(_, value)| *value))
    }

    /// Takes the next type.
    pub(crate) fn ty(&mut self) -> Result<ScalarType, Reason> {
        self.need("type", ScalarType::from_ptx)
    }

    /// Takes the next type, which must be the one given.
    pub(crate) fn exact_ty(&mut self, ty: ScalarType) -> Result<ScalarType, Reason> {
        match self.ty()? {
            found if found == ty => Ok(found),
            found => Err(format!("the type must be .{ty}, not .{found}")),
        }
    }

    /// Takes the next state space; none written is generic.
    pub(crate) fn space(&mut self, allowed: &[StateSpace]) -> Result<StateSpace, Reason> {
        match self.find(written_space) {
            Some(space) if allowed.contains(&space) => Ok(space),
            Some(space) => Err(format!("the state space .{space} is not allowed here")),
            None => Ok(StateSpace::Generic),
        }
    }

    /// Takes the vector size.
    pub(crate) fn vector(&mut self) -> Option<VectorSize> {
        self.find(VectorSize::from_ptx)
    }

    /// Takes the scope.
    pub(crate) fn scope(&mut self) -> Option<Scope> {
        self.one_of(&[("cta", Scope::Cta), ("cluster", Scope::Cluster), ("gpu", Scope::Gpu), ("sys", Scope::Sys)])
    }

    /// Takes the ordering, if it is one of those allowed.
    pub(crate) fn semantics(&mut self, allowed: &[Semantics]) -> Option<Semantics> {
        self.find(|word| allowed.iter().copied().find(|semantics| semantics.ptx() == word))
    }

    /// All words must have been taken.
    pub(crate) fn finish(self) -> Result<(), Reason> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(format!("the modifier .{word} is not known here")),
        }
    }
}

fn written_space(word: &str) -> Option<StateSpace> {
    StateSpace::from_ptx(word).filter(|space| !matches!(space, StateSpace::Generic | StateSpace::Reg | StateSpace::Tex))
}

/// Builds an opcode with its modifiers in the manual's order.
#[derive(Default)]
pub(crate) struct Spelling {
    text: String,
}

impl Spelling {
    /// Starts with the opcode.
    pub(crate) fn new(opcode: &str) -> Self {
        Self { text: opcode.to_owned() }
    }

    /// Adds a word.
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        self.text.push('.');
        self.text.push_str(word);
        self
    }

    /// Adds a word if the condition holds.
    pub(crate) fn flag(&mut self, condition: bool, word: &str) -> &mut Self {
        if condition { self.word(word) } else { self }
    }

    /// Adds a word if there is one.
    pub(crate) fn maybe(&mut self, word: Option<&str>) -> &mut Self {
        match word {
            Some(word) => self.word(word),
            None => self,
        }
    }

    /// Adds a state space unless it is generic.
    pub(crate) fn space(&mut self, space: StateSpace) -> &mut Self {
        self.flag(space != StateSpace::Generic, space.ptx())
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
