//! The cures that are tried on a skeleton, in the order in which they are told: each is the program with one order more.
//!
//! A change is made to every execution of an instruction, as a change of the source would be.

mod proxies;
mod shapes;
mod strengths;

use memory_model as mm;
use memory_model::Semantics;

use super::code::Code;
use super::execute::event::Event;
use super::judge::At;
use super::report::Label;
use super::skeleton::{Play, Skeleton};
use crate::diagnostic::Span;

/// A program with one order more, and what to say if it helps.
#[derive(Debug)]
pub(crate) struct Cure {
    /// The program.
    pub(crate) program: mm::Program,
    /// Steps that were put in: thread, and before which step of the old program.
    inserted: Vec<(usize, usize)>,
    /// What was missing.
    pub(crate) code: &'static Code,
    /// Where.
    pub(crate) blamed: Option<Span>,
    /// One sentence.
    pub(crate) message: String,
    /// Why.
    pub(crate) cause: String,
    /// What to do.
    pub(crate) cure: String,
    /// Other lines.
    pub(crate) also: Vec<Label>,
}

impl Cure {
    /// The number of an old step in the changed program.
    pub(crate) fn step_of(&self, thread: usize, step: usize) -> usize {
        step + self.inserted.iter().filter(|(t, before)| *t == thread && *before <= step).count()
    }
}

/// One place that may be changed: an instruction, with one execution of it.
#[derive(Clone, Copy)]
struct Place<'s> {
    thread: usize,
    step: usize,
    event: &'s Event,
}

struct Cures<'p, 's> {
    play: &'p Play<'s>,
    skeleton: &'p Skeleton,
    writer: &'p At<'s>,
    reader: &'p At<'s>,
    found: Vec<Cure>,
}

/// All cures, those that change least first.
pub(crate) fn cures<'s>(play: &Play<'s>, skeleton: &Skeleton, writer: &At<'s>, reader: &At<'s>) -> Vec<Cure> {
    let mut cures = Cures { play, skeleton, writer, reader, found: Vec::new() };
    cures.coherent();
    cures.proxies();
    cures.scopes();
    cures.strengths();
    cures.chains();
    cures.barriers();
    cures.fences();
    cures.pairs();
    cures.order();
    cures.found
}

fn releasing(semantics: Semantics) -> Semantics {
    match semantics {
        Semantics::Weak | Semantics::Relaxed => Semantics::Release,
        Semantics::Acquire => Semantics::AcquireRelease,
        other => other,
    }
}

fn acquiring(semantics: Semantics) -> Semantics {
    match semantics {
        Semantics::Weak | Semantics::Relaxed => Semantics::Acquire,
        Semantics::Release => Semantics::AcquireRelease,
        other => other,
    }
}

impl<'s> Cures<'_, 's> {
    /// One execution of each instruction that orders or signals.
    fn places(&self) -> Vec<Place<'s>> {
        let mut seen = std::collections::BTreeSet::new();
        let mut all = Vec::new();
        for (thread, record) in self.skeleton.program.threads.iter().enumerate() {
            for step in 0..record.steps.len() {
                let Some((_, event)) = self.play.event(self.skeleton, thread, step) else { continue };
                if seen.insert(event.site) {
                    all.push(Place { thread, step, event });
                }
            }
        }
        all
    }

    /// The flag access that an operation is; data is none.
    fn flag<'o>(&self, op: &'o mm::Op) -> Option<&'o mm::Access> {
        match op {
            mm::Op::Load { access, .. } | mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. } => {
                (!self.skeleton.data.contains(&access.address.location.0)).then_some(access)
            }
            _ => None,
        }
    }

    fn op(&self, place: Place<'_>) -> &mm::Op {
        &self.skeleton.program.threads[place.thread].steps[place.step].op
    }

    /// The program with every execution of an instruction changed.
    fn changed(&self, program: &mm::Program, site: (u32, u32), change: &dyn Fn(&mut mm::Op)) -> mm::Program {
        let mut program = program.clone();
        for (thread, record) in program.threads.iter_mut().enumerate() {
            for (number, step) in record.steps.iter_mut().enumerate() {
                let same = self.play.event(self.skeleton, thread, number).is_some_and(|(_, event)| event.site == site);
                if same && !matches!(step.op, mm::Op::Assume { .. } | mm::Op::Branch(_)) {
                    change(&mut step.op);
                }
            }
        }
        program
    }

    fn add(
        &mut self,
        program: mm::Program,
        code: &'static Code,
        place: Option<&Event>,
        message: String,
        cause: String,
        cure: String,
    ) {
        self.found.push(Cure {
            program,
            inserted: Vec::new(),
            code,
            blamed: place.and_then(|event| event.span.clone()),
            message,
            cause,
            cure,
            also: Vec::new(),
        });
    }

    /// The program with steps put in.
    fn inserted(
        &mut self,
        mut what: Vec<(usize, usize, mm::Op)>,
        code: &'static Code,
        blamed: &Event,
        message: String,
        cause: String,
        cure: String,
    ) {
        let mut program = self.skeleton.program.clone();
        what.sort_by_key(|(thread, step, _)| (*thread, *step));
        let inserted = what.iter().map(|(thread, step, _)| (*thread, *step)).collect();
        for (thread, step, op) in what.into_iter().rev() {
            let steps = &mut program.threads[thread].steps;
            let at = step.min(steps.len());
            steps.insert(at, mm::Step { op, text: None });
        }
        self.found.push(Cure {
            program,
            inserted,
            code,
            blamed: blamed.span.clone(),
            message,
            cause,
            cure,
            also: Vec::new(),
        });
    }
}
