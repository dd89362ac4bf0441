//! The programs of a kernel's small launches, and the questions that are asked about a weaker form of them: is there a race, and
//! are the outcomes of its flags the same.

use std::collections::BTreeSet;

use memory_model as mm;
use memory_model::{Model, ModelError};

use super::super::execute::Explored;
use super::super::skeleton::{Play, Skeleton};

/// The number of an instruction, and of its part.
pub(super) type Key = (u32, u32);

/// Choices of paths that are looked at in one launch.
const MOST_PLAYS: usize = 48;
/// Programs of one kernel.
const MOST_PROGRAMS: usize = 64;
/// Operations of one program: the search costs more for each step where there are many.
const MOST_OPERATIONS: usize = 96;
/// Steps of the search for one program.
const STEP_LIMIT: u64 = 60_000;
/// Questions of one kernel.
const MOST_QUESTIONS: usize = 400;

/// One program, with the instruction that each step came from.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) program: mm::Program,
    pub(super) keys: Vec<Vec<Option<Key>>>,
    /// It has no data, only flags: then its outcomes count, not its races alone.
    flags_only: bool,
}

/// All programs of a kernel.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) all: Vec<Program>,
    questions: usize,
}

impl Programs {
    /// The programs of all launches, where all of them are known and right.
    pub(super) fn of(explored: &Explored) -> Option<Programs> {
        let mut programs = Programs { all: Vec::new(), questions: 0 };
        let mut known: BTreeSet<String> = BTreeSet::new();
        for scenario in &explored.scenarios {
            let (plays, cut_off) = Play::all(scenario, MOST_PLAYS);
            if cut_off {
                return None;
            }
            for play in &plays {
                let mut signatures = BTreeSet::new();
                let groups = play.shared_data();
                let groups = groups.into_iter().filter(|group| signatures.insert(play.signature(*group))).map(Some);
                for group in groups.chain([None]) {
                    let program = Program::of(play, &play.skeleton(group), group.is_none());
                    if !known.insert(format!("{:?}", program.program)) {
                        continue;
                    }
                    let size: usize = program.program.threads.iter().map(|thread| thread.steps.len()).sum();
                    if programs.all.len() == MOST_PROGRAMS || size > MOST_OPERATIONS {
                        return None;
                    }
                    if programs.is_right(&program.program)? {
                        programs.all.push(program);
                    }
                }
            }
        }
        Some(programs)
    }

    /// Whether a program can run; nothing where it has a race, or cannot be judged.
    fn is_right(&mut self, program: &mm::Program) -> Option<bool> {
        match self.races(program) {
            Ok(false) => Some(true),
            // This choice of paths never happens.
            Err(ModelError::NoExecution) => Some(false),
            Ok(true) | Err(_) => None,
        }
    }

    /// Whether threads of different blocks race.
    fn races(&mut self, program: &mm::Program) -> Result<bool, ModelError> {
        self.questions += 1;
        let races = model().races(program)?;
        let place = |thread: mm::ThreadId| program.threads.get(thread.0).map(|thread| thread.place);
        Ok(races.iter().any(|race| place(race.one.thread) != place(race.other.thread)))
    }

    /// Whether all programs are as right with a change as without: `change` makes the changed form of one, or nothing where
    /// it leaves it as it is.
    pub(super) fn stay_right(&mut self, change: &dyn Fn(&Program) -> Option<mm::Program>) -> bool {
        let mut any = false;
        for index in 0..self.all.len() {
            let Some(changed) = change(&self.all[index]) else { continue };
            any = true;
            if self.questions + 3 > MOST_QUESTIONS || self.races(&changed) != Ok(false) {
                return false;
            }
            if self.all[index].flags_only {
                self.questions += 2;
                let (before, after) = (model().outcomes(&self.all[index].program), model().outcomes(&changed));
                match (before, after) {
                    (Ok(before), Ok(after)) if before.outcomes == after.outcomes => {}
                    _ => return false,
                }
            }
        }
        any
    }
}

fn model() -> Model {
    Model { step_limit: STEP_LIMIT, outcome_limit: 2_000, ..Model::default() }
}

impl Program {
    fn of(play: &Play<'_>, skeleton: &Skeleton, flags_only: bool) -> Program {
        let key = |thread: usize, step: usize| play.event(skeleton, thread, step).map(|(_, event)| event.site);
        let keys = skeleton
            .program
            .threads
            .iter()
            .enumerate()
            .map(|(thread, record)| (0..record.steps.len()).map(|step| key(thread, step)).collect())
            .collect();
        Program { program: skeleton.program.clone(), keys, flags_only }
    }

    /// The program with each fence of an instruction changed, or dropped where `change` says so; nothing where it has none.
    pub(super) fn with_fence(&self, key: Key, change: &dyn Fn(&mut mm::Op) -> bool) -> Option<mm::Program> {
        let mut program = self.program.clone();
        let mut any = false;
        for (thread, record) in program.threads.iter_mut().enumerate() {
            let mut step = 0;
            record.steps.retain_mut(|one| {
                let here = self.keys[thread][step] == Some(key) && matches!(one.op, mm::Op::Fence { .. });
                step += 1;
                any |= here;
                !here || change(&mut one.op)
            });
        }
        any.then_some(program)
    }
}
