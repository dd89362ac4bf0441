//! Branches: one on what was read is taken both ways, and notes what the reads must have returned; one that goes round a
//! long loop leaves it.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::decode::Instruction;
use super::super::event::{Condition, Event, EventKind, Part};
use super::super::value::{Binary, Compare, Expression, Read, Scalar};
use super::{End, MANY_EVENTS, MOST_ROUNDS, Run};

impl<'a> Run<'a> {
    /// Whether a condition is known on this path.
    pub(super) fn decided(&self, condition: &Scalar) -> Option<bool> {
        match &condition.number {
            Ok(number) => Some(number & 1 == 1),
            Err(expression) => self.facts.decide(expression),
        }
    }

    /// Takes a branch; `back` says in which direction it goes round a loop.
    pub(super) fn branch(
        &mut self,
        condition: &Scalar,
        instruction: &Instruction,
        back: Option<bool>,
    ) -> Result<bool, End> {
        let decided = self.decided(condition);
        let mut taken = match decided {
            Some(taken) => taken,
            None => self.decide(),
        };
        let key = (instruction.id, taken);
        let rounds = self.rounds.entry(key).or_default();
        *rounds += 1;
        let all = self.all_rounds.entry(key).or_default();
        *all += 1;
        if decided.is_none() && *rounds > MOST_ROUNDS {
            return Err(End::Vain);
        }
        // A long loop, or one that does much: it is left, as if it had ended.
        let most = if back == Some(taken) { MOST_ROUNDS } else { MOST_ROUNDS * 4 };
        if decided.is_some() && (*rounds > most || (self.events.len() > MANY_EVENTS && *all > most)) {
            self.rounds.remove(&key);
            self.all_rounds.remove(&key);
            taken = !taken;
            self.gap(instruction, "a long loop was left early");
        }
        if decided.is_none()
            && let Err(expression) = &condition.number
        {
            let expression = Rc::clone(expression);
            self.forked_at = self.events.len();
            self.assume(instruction, &expression, taken);
            self.facts.add(expression, taken);
        }
        Ok(taken)
    }

    /// The next decision of this run: one that was given, else no; another run decides otherwise.
    pub(super) fn decide(&mut self) -> bool {
        let decision = match self.taken.get(self.next) {
            Some(given) => *given,
            None => {
                self.taken.push(false);
                false
            }
        };
        self.next += 1;
        decision
    }

    /// Notes what reads must have returned for a condition to be so.
    fn assume(&mut self, instruction: &Instruction, expression: &Rc<Expression>, holds: bool) {
        match expression.as_ref() {
            Expression::Binary(Binary::Xor, a, b, 1) if matches!(b.as_ref(), Expression::Known(1)) => {
                return self.assume(instruction, a, !holds);
            }
            Expression::Binary(Binary::And, a, b, 1) if holds => {
                self.assume(instruction, a, true);
                return self.assume(instruction, b, true);
            }
            Expression::Binary(Binary::Or, a, b, 1) if !holds => {
                self.assume(instruction, a, false);
                return self.assume(instruction, b, false);
            }
            Expression::Compare(kind, a, b, _) => {
                let (side, with, kind) = match (a.as_ref(), b.as_ref()) {
                    (_, Expression::Known(with)) => (a, *with, *kind),
                    (Expression::Known(with), _) => (b, *with, kind.turned()),
                    _ => return self.because(instruction, expression, holds),
                };
                let kind = if holds { kind } else { kind.negated() };
                if let Some(read) = plain_read(side) {
                    let event = EventKind::Assume { read, compare: unsigned(kind), with };
                    return self.event(instruction, 0, "branch", event);
                }
                if let Some((read, with)) = self.word_of_packet(side, with) {
                    let event = EventKind::Assume { read, compare: unsigned(kind), with };
                    return self.event(instruction, 0, "branch", event);
                }
                // A truth value that is compared with zero.
                if with <= 1 && matches!(kind, Compare::Eq | Compare::Ne) {
                    let inner = through_conversions(side);
                    if matches!(inner.as_ref(), Expression::Compare(..)) {
                        return self.assume(instruction, &inner, (kind == Compare::Eq) == (with == 1));
                    }
                }
            }
            Expression::Convert { value, .. } => {
                let inner = through_conversions(value);
                if matches!(inner.as_ref(), Expression::Compare(..)) {
                    return self.assume(instruction, &inner, holds);
                }
            }
            _ => {}
        }
        self.because(instruction, expression, holds);
    }

    /// The word of a packet that an expression is, and the number that it is compared with.
    fn word_of_packet(&self, side: &Rc<Expression>, with: u128) -> Option<(Read, u128)> {
        let (read, upper, with) = word(&through_extensions(side), with)?;
        self.is_packet(&read).then(|| (Read { lane: Part::word_of_half(read.lane, upper), ..read }, with))
    }

    fn is_packet(&self, read: &Read) -> bool {
        let event = self.events.get(read.event);
        matches!(event, Some(Event { kind: EventKind::Access(access), .. }) if access.packet)
    }

    fn because(&mut self, instruction: &Instruction, expression: &Rc<Expression>, holds: bool) {
        let mut reads = BTreeSet::new();
        expression.reads(&mut reads);
        let in_packet = reads.iter().any(|read| self.is_packet(read));
        if in_packet {
            self.gap(
                instruction,
                "what is compared is neither a half nor a word of a packet, so that the packet may be any",
            );
        }
        if !reads.is_empty() {
            let condition = Condition { expression: Rc::clone(expression), holds };
            let condition = Some(condition).filter(|_| !in_packet);
            self.event(instruction, 0, "branch", EventKind::Because(reads.into_iter().collect(), condition));
        }
    }
}

/// A comparison of numbers that are small, so that their sign is not set.
fn unsigned(kind: Compare) -> Compare {
    match kind {
        Compare::SGt => Compare::UGt,
        Compare::SGe => Compare::UGe,
        Compare::SLt => Compare::ULt,
        Compare::SLe => Compare::ULe,
        other => other,
    }
}

/// The word of 32 bits that an expression takes out of a read of 64, whether it is the upper one, and what it is compared with.
fn word(expression: &Expression, with: u128) -> Option<(Read, bool, u128)> {
    let read = |of: &Rc<Expression>| match of.as_ref() {
        Expression::Read(read) => Some(*read),
        _ => None,
    };
    let small = with <= u128::from(u32::MAX);
    match expression {
        Expression::Convert { value, from: 64, to: 32, .. } => match value.as_ref() {
            Expression::Read(read) => Some((*read, false, with)),
            shifted => word(shifted, with).filter(|(_, upper, _)| *upper),
        },
        Expression::Binary(Binary::LShr, of, by, 64) if matches!(by.as_ref(), Expression::Known(32)) && small => {
            Some((read(of)?, true, with))
        }
        Expression::Binary(Binary::And, of, mask, 64) => match mask.as_ref() {
            Expression::Known(0xffff_ffff) if small => Some((read(of)?, false, with)),
            Expression::Known(0xffff_ffff_0000_0000) if with & 0xffff_ffff == 0 => Some((read(of)?, true, with >> 32)),
            _ => None,
        },
        _ => None,
    }
}

/// What an expression is, conversions to more bits aside.
fn through_extensions(expression: &Rc<Expression>) -> Rc<Expression> {
    let mut at = Rc::clone(expression);
    while let Expression::Convert { value, from, to, .. } = at.as_ref()
        && to >= from
    {
        at = Rc::clone(value);
    }
    at
}

/// The read that an expression is, conversions that keep small numbers aside.
fn plain_read(expression: &Rc<Expression>) -> Option<Read> {
    match through_conversions(expression).as_ref() {
        Expression::Read(read) => Some(*read),
        _ => None,
    }
}

fn through_conversions(expression: &Rc<Expression>) -> Rc<Expression> {
    let mut at = Rc::clone(expression);
    while let Expression::Convert { value, from, to, .. } = at.as_ref() {
        if to < from && !matches!(value.as_ref(), Expression::Compare(..)) {
            break;
        }
        at = Rc::clone(value);
    }
    at
}
