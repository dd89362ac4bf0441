//! From a published test to the programs of the model that it stands for.

use std::collections::BTreeMap;

use super::paths::{Held, Path, PathStep, WIDTH, Walker, mirrored, spill_location, spilled};
use super::quorum::{Arrival, Group, groupings};
use super::{Atom, DeclaredKind, Formula, Limits, PublishedError, Test, Variant, Variants};
use crate::condition::{Condition, Term};
use crate::program::{BarrierAction, BarrierLevel, Comparison, LocationId, Op, Operand, Place, Program, Register};

/// Barriers that groups complete are numbered from here.
const FIRST_GROUP: u32 = 1 << 16;

/// All programs of a test.
pub(super) fn variants(test: &Test, limits: Limits) -> Result<Variants, PublishedError> {
    let mut base = Program::new();
    let locations = declare(test, &mut base);
    let spills: Vec<LocationId> = test.threads.iter().map(|column| spill_location(&mut base, &column.name)).collect();
    let mut bounded = false;
    let mut paths = Vec::new();
    for (thread, spill) in spills.iter().enumerate() {
        let mut walker = Walker::new(test, thread, limits, &locations, *spill);
        walker.run()?;
        bounded |= walker.bounded;
        paths.push(walker.paths);
    }
    let combinations = paths.iter().map(Vec::len).try_fold(1_usize, usize::checked_mul);
    if combinations.is_none_or(|count| count > limits.combinations) {
        return Err(PublishedError::TooManyPaths(limits.combinations));
    }
    let mut variants = Vec::new();
    let mut chosen = vec![0; paths.len()];
    while paths.iter().all(|all| !all.is_empty()) {
        let combination: Vec<&Path> = chosen.iter().zip(&paths).map(|(&index, all)| &all[index]).collect();
        let arrivals: Vec<Vec<Arrival>> = combination
            .iter()
            .zip(&test.threads)
            .map(|(path, column)| path.arrivals((column.gpu, column.cta)))
            .collect();
        let groupings =
            groupings(&arrivals, limits.combinations).ok_or(PublishedError::TooManyPaths(limits.combinations))?;
        for grouping in groupings {
            let builder = Builder { test, locations: &locations, spills: &spills, program: base.clone() };
            variants.extend(builder.build(&combination, &grouping));
            if variants.len() > limits.combinations {
                return Err(PublishedError::TooManyPaths(limits.combinations));
            }
        }
        let Some(next) = (0..chosen.len()).find(|&index| chosen[index] + 1 < paths[index].len()) else { break };
        chosen[..next].fill(0);
        chosen[next] += 1;
    }
    Ok(Variants { variants, bounded })
}

/// Declares the locations: the number of each in the program.
fn declare(test: &Test, program: &mut Program) -> Vec<LocationId> {
    let mut ids: Vec<LocationId> = Vec::new();
    for location in &test.locations {
        let id = match location.kind {
            DeclaredKind::Memory(value) => {
                let id = program.global(location.name.clone());
                if value != 0 {
                    program.initial(id, 0, WIDTH, value.into());
                }
                id
            }
            DeclaredKind::SameAddress(of) => ids[of],
            DeclaredKind::Alias(of) => {
                let root = program.locations[ids[of].0].alias_of.unwrap_or(ids[of]);
                program.alias(location.name.clone(), root)
            }
        };
        ids.push(id);
    }
    ids
}

impl Path {
    fn arrivals(&self, block: (u32, u32)) -> Vec<Arrival> {
        let arrival = |step: &PathStep| match step {
            PathStep::Quorum { id, quorum, .. } => Some(Arrival { block, id: *id, quorum: *quorum }),
            PathStep::Op(_) => None,
        };
        self.steps.iter().filter_map(arrival).collect()
    }
}

/// Makes one program.
struct Builder<'t> {
    test: &'t Test,
    locations: &'t [LocationId],
    spills: &'t [LocationId],
    program: Program,
}

/// How a thread ends.
struct Ending {
    held: BTreeMap<String, Held>,
    /// Registers that it would still assign, but waits before.
    unreached: Vec<String>,
}

impl Builder<'_> {
    fn build(mut self, paths: &[&Path], grouping: &[Vec<Group>]) -> Option<Variant> {
        let mut numbers: BTreeMap<&Group, u32> = BTreeMap::new();
        for group in grouping.iter().flatten() {
            let next = FIRST_GROUP + numbers.len() as u32;
            numbers.entry(group).or_insert(next);
        }
        let mut condition = Condition::True;
        let mut endings = Vec::new();
        for (thread, path) in paths.iter().enumerate() {
            let column = &self.test.threads[thread];
            let id = self.program.thread(column.name.clone(), Place::block(column.gpu, column.cta)).id();
            let mut groups = grouping[thread].iter();
            let mut end = path.steps.len();
            let mut held = &path.held;
            for (index, step) in path.steps.iter().enumerate() {
                let op = match step {
                    PathStep::Op(op) => op.clone(),
                    PathStep::Quorum { quorum, held: before, .. } => {
                        let Some(group) = groups.next() else {
                            (end, held) = (index, before);
                            break;
                        };
                        Op::Barrier {
                            id: numbers[group],
                            action: BarrierAction::Sync,
                            level: BarrierLevel::Cta,
                            participants: Some(*quorum),
                        }
                    }
                };
                self.program.resume(id).op(op);
            }
            for (at, needed) in &path.conditions {
                if *at <= end {
                    condition = condition.and(needed.clone());
                }
            }
            let unreached = path.assigned.iter().filter(|(at, _)| *at >= end && end < path.steps.len());
            endings.push(Ending { held: held.clone(), unreached: unreached.map(|(_, name)| name.clone()).collect() });
        }
        if let Some(filter) = &self.test.filter {
            condition = condition.and(self.condition(filter, &endings)?);
        }
        let clause = self.condition(&self.test.clause, &endings);
        Some(Variant { program: self.program, path: condition, clause })
    }

    fn condition(&mut self, formula: &Formula, endings: &[Ending]) -> Option<Condition> {
        Some(match formula {
            Formula::And(left, right) => self.condition(left, endings)?.and(self.condition(right, endings)?),
            Formula::Or(left, right) => self.condition(left, endings)?.or(self.condition(right, endings)?),
            Formula::Not(inner) => self.condition(inner, endings)?.not(),
            Formula::Compare(left, comparison, right) => {
                let (left, right) = (self.side(left, endings)?, self.side(right, endings)?);
                match (left, right) {
                    (Side::Number(one), Side::Number(other)) => constant(*comparison, one, other),
                    (Side::Term(term), Side::Number(number)) => Condition::Compare(term, *comparison, number.into()),
                    (Side::Number(number), Side::Term(term)) => {
                        Condition::Compare(term, mirrored(*comparison), number.into())
                    }
                    (Side::Term(one), Side::Term(other)) => Condition::CompareTerms(one, *comparison, other),
                }
            }
        })
    }

    fn side(&mut self, atom: &Atom, endings: &[Ending]) -> Option<Side> {
        Some(match atom {
            Atom::Number(number) => Side::Number(*number),
            Atom::Location(location) => {
                let id = self.locations[*location];
                let root = self.program.locations[id.0].alias_of.unwrap_or(id);
                let location = self.program.locations[root.0].name.clone();
                Side::Term(Term::Memory { location, offset: 0, width: WIDTH })
            }
            Atom::Register(thread, register) => {
                let ending = &endings[*thread];
                if ending.unreached.contains(register) {
                    return None;
                }
                match ending.held.get(register) {
                    None => Side::Number(0),
                    Some(Held::Number(number)) => Side::Number(*number),
                    Some(Held::Register(register)) => Side::Term(self.term(*thread, register.clone())),
                    Some(Held::Sum(of, number)) => {
                        let name = Register(format!("final_{register}"));
                        let value = Operand::Sum(of.clone(), (*number).into());
                        // Beyond all that the thread's branches use.
                        let index = 1000 + self.program.threads[*thread].steps.len() as u64;
                        let (store, load) = spilled(self.spills[*thread], index, value, &name);
                        let id = self.program.find_thread(&self.test.threads[*thread].name)?;
                        self.program.resume(id).op(store).op(load);
                        Side::Term(self.term(*thread, name))
                    }
                }
            }
        })
    }

    fn term(&self, thread: usize, register: Register) -> Term {
        Term::Register { thread: self.test.threads[thread].name.clone(), register }
    }
}

enum Side {
    Number(u64),
    Term(Term),
}

fn constant(comparison: Comparison, one: u64, other: u64) -> Condition {
    if comparison.holds(one.into(), other.into()) { Condition::True } else { Condition::True.not() }
}
