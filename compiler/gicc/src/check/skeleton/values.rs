//! Numbers that a flag may hold in a play, and which of them a condition on it refuses: a mask of its bits, for example. The memory
//! model compares with numbers only, so that such a condition is put as "none of those that are refused".

use std::collections::BTreeSet;

use super::super::execute::event::{Access, AccessKind, Condition, Event, EventKind, Function};
use super::super::execute::thread::{Path, Role};
use super::super::execute::value::{Read, cut};
use super::Play;
use super::cells::key;

/// Numbers that are looked at.
const MOST: usize = 64;

impl Play<'_> {
    /// The numbers that a flag may hold and that a condition on a load of it refuses; nothing where they are not known. What is
    /// no flag, and what an atomic operation returned, is not asked.
    pub(super) fn refused(&self, path: &Path, role: Role, read: Read, condition: &Condition) -> Option<Vec<u128>> {
        let Some(Event { kind: EventKind::Access(access), .. }) = path.events.get(read.event) else {
            return Some(Vec::new());
        };
        let cell = self.cells.find(key(role, access.address))?;
        if !self.cells.flags.contains(&cell) || access.kind != AccessKind::Load {
            return Some(Vec::new());
        }
        let mut refused = Vec::new();
        for number in self.numbers(cell, access)? {
            if !condition.allows(read, number)? {
                refused.push(number);
            }
        }
        Some(refused)
    }

    /// The numbers that a flag may hold, as one read of it sees them.
    fn numbers(&self, cell: usize, read: &Access) -> Option<BTreeSet<u128>> {
        let bits = read.width * 8;
        let mut numbers = BTreeSet::from([0]);
        let mut updates: Vec<(Function, u128)> = Vec::new();
        for (role, path) in &self.threads {
            for event in &path.events {
                let EventKind::Access(access) = &event.kind else { continue };
                if !access.writes() || self.cells.find(key(*role, access.address)) != Some(cell) {
                    continue;
                }
                if (access.address, access.width, access.count, read.count) != (read.address, read.width, 1, 1) {
                    return None;
                }
                let number = |operand: u32| match access.value(operand) {
                    Some(Ok(number)) => Some(cut(number, bits)),
                    _ => None,
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
