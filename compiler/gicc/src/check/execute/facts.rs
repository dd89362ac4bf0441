//! What is known of reads on a path: each branch on what was read adds a fact, and later conditions are decided by them.
//!
//! Facts are found by what they say and by the reads that they speak of, so that a long path does not look through all of them
//! at each branch.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::value::{Expression, Read, cut};

/// A condition on reads that holds, or does not.
#[derive(Debug)]
struct Fact {
    expression: Rc<Expression>,
    holds: bool,
    /// The only read of it, if there is just one.
    only: Option<Read>,
    numbers: BTreeSet<u128>,
}

/// The facts of one path.
#[derive(Debug, Default)]
pub(super) struct Facts {
    all: Vec<Fact>,
    /// What the first fact of an expression says.
    said: HashMap<Rc<Expression>, bool>,
    /// By the reads in them.
    by_read: HashMap<Read, Vec<usize>>,
}

impl Facts {
    /// Notes that an expression is true, or that it is not.
    pub(super) fn add(&mut self, expression: Rc<Expression>, holds: bool) {
        let mut reads = BTreeSet::new();
        expression.reads(&mut reads);
        let mut numbers = BTreeSet::new();
        expression.numbers(&mut numbers);
        let index = self.all.len();
        for read in &reads {
            self.by_read.entry(*read).or_default().push(index);
        }
        let only = reads.first().copied().filter(|_| reads.len() == 1);
        self.said.entry(Rc::clone(&expression)).or_insert(holds);
        self.all.push(Fact { expression, holds, only, numbers });
    }

    fn of(&self, read: Read) -> impl Iterator<Item = &Fact> {
        self.by_read.get(&read).into_iter().flatten().filter_map(|index| self.all.get(*index))
    }

    /// Whether an expression is true, where the facts say so. Where it and the facts speak of one read, numbers near those
    /// that the read was and is compared with are tried.
    pub(super) fn decide(&self, expression: &Rc<Expression>) -> Option<bool> {
        if let Some(holds) = self.said.get(expression) {
            return Some(*holds);
        }
        let mut reads = BTreeSet::new();
        expression.reads(&mut reads);
        let read = reads.first().copied().filter(|_| reads.len() == 1)?;
        let relevant: Vec<&Fact> = self.of(read).filter(|fact| fact.only == Some(read)).collect();
        if relevant.is_empty() {
            return None;
        }
        let mut numbers: BTreeSet<u128> = (0..4).collect();
        expression.numbers(&mut numbers);
        for fact in &relevant {
            numbers.extend(&fact.numbers);
        }
        let near = numbers.iter().flat_map(|n| [n.wrapping_sub(1), *n, n.wrapping_add(1)]);
        // The upper word of a packet's half is compared as well.
        let near: BTreeSet<u128> = near.flat_map(|n| [n, n << 32]).map(|n| cut(n, 64)).collect();
        let mut answers = BTreeSet::new();
        for number in near {
            let of = |asked: Read| (asked == read).then_some(number);
            if relevant.iter().all(|fact| fact.expression.evaluate(&of).is_some_and(|v| (v & 1 == 1) == fact.holds)) {
                answers.insert(expression.evaluate(&of)? & 1 == 1);
            }
        }
        match (answers.pop_first(), answers.pop_first()) {
            (Some(answer), None) => Some(answer),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{Binary, Compare};
    use super::*;

    fn read(event: usize) -> Rc<Expression> {
        Rc::new(Expression::Read(Read { event, lane: 0 }))
    }

    fn compare(kind: Compare, of: usize, with: u128) -> Rc<Expression> {
        Rc::new(Expression::Compare(kind, read(of), Rc::new(Expression::Known(with)), 64))
    }

    #[test]
    fn the_same_condition_and_what_follows_from_it_are_decided() {
        let mut facts = Facts::default();
        facts.add(compare(Compare::UGe, 1, 5), true);
        assert_eq!(facts.decide(&compare(Compare::UGe, 1, 5)), Some(true));
        assert_eq!(facts.decide(&compare(Compare::ULt, 1, 5)), Some(false));
        assert_eq!(facts.decide(&compare(Compare::UGe, 1, 3)), Some(true));
        assert_eq!(facts.decide(&compare(Compare::Eq, 1, 6)), None);
    }

    #[test]
    fn other_reads_say_nothing() {
        let mut facts = Facts::default();
        facts.add(compare(Compare::Eq, 1, 5), true);
        assert_eq!(facts.decide(&compare(Compare::Eq, 2, 5)), None);
        let both = Rc::new(Expression::Binary(Binary::And, compare(Compare::Eq, 1, 5), compare(Compare::Eq, 2, 5), 1));
        assert_eq!(facts.decide(&both), None);
        facts.add(Rc::clone(&both), false);
        assert_eq!(facts.decide(&both), Some(false));
    }

    #[test]
    fn conditions_without_reads_are_kept_too() {
        let mut facts = Facts::default();
        let unknown = Rc::new(Expression::Opaque(7, Vec::new()));
        facts.add(Rc::clone(&unknown), true);
        assert_eq!(facts.decide(&unknown), Some(true));
        assert_eq!(facts.decide(&Rc::new(Expression::Opaque(8, Vec::new()))), None);
    }
}
