//! Numbers that flags may hold in a play, and which of them a condition refuses: a mask of bits, for example, or a sum of two
//! flags. The memory model compares with numbers only, so that such a condition is put as "none of those that are refused".
//!
//! What is read from memory that holds no flag is one number everywhere, whatever it is: a count that each PE keeps for itself is
//! the same one on all of them, and is not what flags hold at the start.

use std::collections::BTreeSet;

use super::super::execute::event::{Access, AccessKind, Condition, Event, EventKind, Function};
use super::super::execute::thread::{Path, Role};
use super::super::execute::value::{Read, cut};
use super::Play;
use super::cells::key;

/// Numbers of one flag that are looked at, and of several together.
const MOST: usize = 64;
const MOST_TOGETHER: usize = 256;
/// What stands for data.
const DATA: u128 = 0x1001;

impl Play<'_> {
    /// The numbers that reads of flags may return and that a condition on them refuses; nothing where they are not known, or where
    /// one may return a number or not by what another one returns.
    pub(super) fn refused(
        &self,
        path: &Path,
        role: Role,
        reads: &[Read],
        condition: &Condition,
    ) -> Option<Vec<(Read, u128)>> {
        let mut flags: Vec<(Read, Vec<u128>)> = Vec::new();
        for read in reads {
            let Some(Event { kind: EventKind::Access(access), .. }) = path.events.get(read.event) else { continue };
            let cell = self.cells.find(key(role, access.address))?;
            if !self.cells.flags.contains(&cell) {
                continue;
            }
            // What an atomic operation returns was there before it.
            let own = (access.kind != AccessKind::Load).then_some((role, read.event));
            flags.push((*read, self.numbers(cell, access, own)?.into_iter().collect()));
        }
        let together = flags.iter().try_fold(1_usize, |all, (_, numbers)| all.checked_mul(numbers.len()))?;
        if together > MOST_TOGETHER {
            return None;
        }
        // Each choice of a number for each flag is a number itself.
        let choice = |all: usize| {
            flags.iter().scan(all, |rest, (read, numbers)| {
                let number = *numbers.get(*rest % numbers.len())?;
                *rest /= numbers.len();
                Some((*read, number))
            })
        };
        // Data is what a flag may hold where it is nothing else that is waited for.
        let mut data: Vec<u128> = flags.iter().flat_map(|(_, numbers)| numbers.iter().rev().copied()).collect();
        data.insert(0, DATA);
        let mut allowed: Vec<BTreeSet<u128>> = vec![BTreeSet::new(); flags.len()];
        let mut count = 0;
        for data in data {
            for all in 0..together {
                let number =
                    |asked: Read| choice(all).find(|(read, _)| *read == asked).map_or(data, |(_, number)| number);
                if condition.allows(&|asked| Some(number(asked)))? {
                    count += 1;
                    allowed.iter_mut().zip(choice(all)).for_each(|(numbers, (_, number))| _ = numbers.insert(number));
                }
            }
            if count > 0 {
                break;
            }
        }
        if count > 0 && count != allowed.iter().map(BTreeSet::len).product::<usize>() {
            return None;
        }
        let refused = flags.into_iter().zip(allowed).flat_map(|((read, numbers), allowed)| {
            numbers.into_iter().filter(move |number| !allowed.contains(number)).map(move |number| (read, number))
        });
        Some(refused.collect())
    }

    /// The numbers that a flag may hold, as one read of it sees them, but for one write of it.
    fn numbers(&self, cell: usize, read: &Access, without: Option<(Role, usize)>) -> Option<BTreeSet<u128>> {
        let bits = read.width * 8;
        let mut numbers = BTreeSet::from([0]);
        let mut updates: Vec<(Function, u128)> = Vec::new();
        for (role, path) in &self.threads {
            for (index, event) in path.events.iter().enumerate() {
                let EventKind::Access(access) = &event.kind else { continue };
                if without == Some((*role, index))
                    || !access.writes()
                    || self.cells.find(key(*role, access.address)) != Some(cell)
                {
                    continue;
                }
                if (access.address, access.width, access.count, read.count) != (read.address, read.width, 1, 1) {
                    return None;
                }
                let of = |asked: Read| match path.events.get(asked.event).map(|event| &event.kind) {
                    Some(EventKind::Access(read)) => {
                        let cell = self.cells.find(key(*role, read.address));
                        cell.is_none_or(|cell| !self.cells.flags.contains(&cell)).then_some(DATA)
                    }
                    _ => None,
                };
                let number = |operand: u32| match access.value(operand)? {
                    Ok(number) => Some(cut(number, bits)),
                    Err(expression) => expression.evaluate(&of).map(|number| cut(number, bits)),
                };
                match access.kind {
                    AccessKind::Store | AccessKind::Atomic(Function::Exchange, _) => numbers.insert(number(0)?),
                    AccessKind::Atomic(Function::Swap, _) => numbers.insert(number(1)?),
                    AccessKind::Atomic(function, _) => {
                        updates.push((function, number(0)?));
                        true
                    }
                    AccessKind::Load => continue,
                };
            }
        }
        // Updates of one kind give the same in any order; of several kinds it is not looked at what they make together.
        let kind = updates.first().map(|(function, _)| *function);
        for (function, operand) in updates {
            if Some(function) != kind {
                return None;
            }
            let mut with = Vec::new();
            for number in &numbers {
                with.push(cut(updated(function, *number, operand)?, bits));
            }
            numbers.extend(with);
            if numbers.len() > MOST {
                return None;
            }
        }
        Some(numbers)
    }
}

/// What an update makes of a number; nothing for those that are not looked at.
fn updated(function: Function, number: u128, operand: u128) -> Option<u128> {
    Some(match function {
        Function::Add => number.wrapping_add(operand),
        Function::And => number & operand,
        Function::Or => number | operand,
        Function::Xor => number ^ operand,
        Function::Min => number.min(operand),
        Function::Max => number.max(operand),
        Function::Exchange | Function::Swap | Function::Increment | Function::Decrement => return None,
    })
}
