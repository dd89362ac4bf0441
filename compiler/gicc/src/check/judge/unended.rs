//! Waits that end in no launch that was looked at: what is written to their flags depends on numbers for which no value was tried
//! that ends them. Such launches have no execution, so that nothing is known of what is behind the wait.

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;

use super::super::execute::event::EventKind;
use super::super::execute::gap::Gap;
use super::super::execute::value::Compare;
use super::super::skeleton::{Play, Skeleton};
use crate::diagnostic::Span;

/// What is told of one.
const WORDS: &str = "in no launch that was looked at does the wait end: what is written to its flag there is not what it waits \
                     for, so that what is behind it was not judged";

/// The site of a condition on what was read, and how it compares; nothing where it is no comparison with a number, which holds or
/// does not.
type Wait = ((u32, u32), Result<Compare, bool>);

/// The waits of a kernel.
#[derive(Debug, Default)]
pub(super) struct Unended {
    /// In launches that have an execution.
    ended: BTreeSet<Wait>,
    /// In launches that have none, those for which nobody writes what they wait for.
    open: BTreeMap<Wait, Gap>,
}

/// One read, and what is asked of it.
struct Asked<'p> {
    access: &'p mm::Access,
    conditions: Vec<mm::Until>,
    waits: Vec<(Wait, Option<Span>)>,
}

impl Unended {
    /// Notes the waits of a launch, which has an execution or none.
    pub(super) fn note(&mut self, play: &Play<'_>, skeleton: &Skeleton, has_execution: bool) {
        for (thread, record) in skeleton.program.threads.iter().enumerate() {
            let mut reads: BTreeMap<&mm::Register, Asked<'_>> = BTreeMap::new();
            let asked = |access| Asked { access, conditions: Vec::new(), waits: Vec::new() };
            for (step, one) in record.steps.iter().enumerate() {
                match &one.op {
                    mm::Op::Load { registers, access, .. } => {
                        reads.extend(registers.iter().map(|register| (register, asked(access))));
                    }
                    mm::Op::Rmw { register: Some(register), access, .. } => {
                        reads.insert(register, asked(access));
                    }
                    mm::Op::Assume { register, until } => {
                        let Some((_, event)) = play.event(skeleton, thread, step) else { continue };
                        let compares = match &event.kind {
                            EventKind::Assume { compare, .. } => Ok(*compare),
                            EventKind::Because(_, Some(condition)) => Err(condition.holds),
                            _ => continue,
                        };
                        let Some(asked) = reads.get_mut(register) else { continue };
                        asked.conditions.push(*until);
                        asked.waits.push(((event.site, compares), event.span.clone()));
                    }
                    _ => {}
                }
            }
            for asked in reads.into_values() {
                if has_execution {
                    self.ended.extend(asked.waits.into_iter().map(|(wait, _)| wait));
                } else if !asked.conditions.is_empty() && !may_hold(skeleton, asked.access, &asked.conditions) {
                    let gaps =
                        asked.waits.into_iter().map(|(wait, span)| (wait, Gap { words: WORDS.to_owned(), span }));
                    self.open.extend(gaps);
                }
            }
        }
    }

    /// What was not judged for that.
    pub(super) fn gaps(self) -> impl Iterator<Item = Gap> {
        let Unended { ended, open } = self;
        open.into_iter().filter(move |(wait, _)| !ended.contains(wait)).map(|(_, gap)| gap)
    }
}

/// Whether a read may return what a wait asks for: what memory holds at the start, or what somebody writes. Values that are not
/// known are none: those that might be right were tried. What is put together of several writes may be anything.
fn may_hold(skeleton: &Skeleton, read: &mm::Access, conditions: &[mm::Until]) -> bool {
    let holds = |value: u128| conditions.iter().all(|until| until.comparison.holds(value, until.value));
    if read.count != 1 {
        return true;
    }
    let initial = &skeleton.program.locations[read.address.location.0].initial;
    let before = initial.iter().find(|value| value.offset == read.address.offset).map_or(0, |value| value.value);
    let steps =
        skeleton.program.threads.iter().enumerate().flat_map(|(thread, record)| {
            record.steps.iter().enumerate().map(move |(step, one)| ((thread, step), &one.op))
        });
    let mut writes = steps.filter(|(at, op)| match op {
        mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. } => {
            access.address.location == read.address.location && !skeleton.guessed.contains(at)
        }
        _ => false,
    });
    holds(before)
        || writes.any(|(_, op)| match op {
            mm::Op::Store { access, values } => match values[..] {
                [mm::Operand::Constant(value)] if (access.address, access.width) == (read.address, read.width) => {
                    holds(value)
                }
                _ => true,
            },
            _ => true,
        })
}
