//! Cures that make an access of a flag stronger or wider, and what to say of each.

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::super::code;
use super::super::execute::event::Event;
use super::super::judge::{At, words};
use super::super::report::Label;
use super::{Cures, Place, acquiring, releasing};

impl<'s> Cures<'_, 's> {
    /// Every scope that is narrower than the system's.
    pub(super) fn scopes(&mut self) {
        for place in self.places() {
            let scope = match self.op(place) {
                mm::Op::Fence { scope, .. } => *scope,
                op => match self.flag(op) {
                    Some(access) if access.semantics != Semantics::Weak => access.scope,
                    _ => continue,
                },
            };
            if scope == Scope::Sys {
                continue;
            }
            let program = self.widened(&self.skeleton.program, place);
            self.add(
                program,
                &code::NARROW_SCOPE,
                Some(place.event),
                format!("an order at {scope} scope does not reach another GPU"),
                format!(
                    "`{}` orders threads of its own {} only",
                    place.event.text,
                    if scope == Scope::Gpu { "GPU" } else { "block or cluster" }
                ),
                "use system scope (`.sys`, `__threadfence_system`, the `_system` atomics)".to_owned(),
            );
        }
    }

    pub(super) fn widened(&self, program: &mm::Program, place: Place<'_>) -> mm::Program {
        self.changed(program, place.event.site, &|op| match op {
            mm::Op::Fence { scope, .. } => *scope = Scope::Sys,
            mm::Op::Load { access, .. } | mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. } => {
                access.scope = Scope::Sys
            }
            _ => {}
        })
    }

    /// Whether a flag's access is that of a counter of the own GPU.
    pub(super) fn is_counter(&self, place: Place<'_>) -> bool {
        matches!(self.op(place), mm::Op::Rmw { access, .. } if access.scope != Scope::Sys)
    }

    pub(super) fn strengthened(
        &self,
        program: &mm::Program,
        place: Place<'_>,
        how: fn(Semantics) -> Semantics,
    ) -> mm::Program {
        self.changed(program, place.event.site, &|op| match op {
            mm::Op::Load { access, .. } | mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. } => {
                if access.semantics == Semantics::Weak {
                    access.scope = Scope::Sys;
                }
                access.semantics = how(access.semantics);
            }
            _ => {}
        })
    }

    /// Flags that could release or acquire, and do not.
    pub(super) fn writes(&self) -> Vec<Place<'s>> {
        let writes = |place: &Place<'s>| {
            let op = self.op(*place);
            let kind = matches!(op, mm::Op::Store { .. } | mm::Op::Rmw { .. });
            kind && self.flag(op).is_some_and(|access| releasing(access.semantics) != access.semantics)
        };
        self.places().into_iter().filter(writes).collect()
    }

    pub(super) fn reads(&self) -> Vec<Place<'s>> {
        let reads = |place: &Place<'s>| {
            let op = self.op(*place);
            let kind = matches!(op, mm::Op::Load { .. } | mm::Op::Rmw { returns: true, .. });
            kind && self.flag(op).is_some_and(|access| acquiring(access.semantics) != access.semantics)
        };
        self.places().into_iter().filter(reads).collect()
    }

    pub(super) fn strengths(&mut self) {
        for place in self.writes() {
            let program = self.strengthened(&self.skeleton.program, place, releasing);
            self.release(program, place);
        }
        for place in self.reads() {
            let program = self.strengthened(&self.skeleton.program, place, acquiring);
            self.acquire(program, place);
        }
        for place in self.reads() {
            if matches!(self.op(place), mm::Op::Rmw { .. }) {
                let program = self.strengthened(&self.skeleton.program, place, |_| Semantics::AcquireRelease);
                self.counter(program, place);
            }
        }
    }

    /// A flag releases.
    pub(super) fn release(&mut self, program: mm::Program, place: Place<'s>) {
        if self.is_counter(place) {
            return self.counter(program, place);
        }
        let at = self.at(place);
        let signal = words(&at);
        match self.idle_fence(place, false) {
            Some(fence) => {
                self.add(
                    program,
                    &code::MISPLACED_FENCE,
                    Some(fence),
                    "the fence does not cover what the signal has to publish".to_owned(),
                    format!("a fence orders its own thread's accesses, and what a barrier brought to it before; {signal} is not covered by it"),
                    "put the fence into the thread that signals, behind the barrier and before the signal; or let the signal release (`st.release.sys`)".to_owned(),
                );
                self.also(place.event, "the signal that publishes nothing");
            }
            None if is_volatile(place.event) => self.add(
                program,
                &code::UNORDERED_FLAG,
                Some(place.event),
                "a volatile flag signals data that it does not publish".to_owned(),
                format!("volatile is relaxed: {signal} may be seen before the data that was written ahead of it"),
                "store the flag with release (`st.release.sys`), or put `__threadfence_system()` before it".to_owned(),
            ),
            None => self.add(
                program,
                &code::MISSING_RELEASE,
                Some(place.event),
                "the signal does not publish the data that was written before it".to_owned(),
                format!("{signal} does not release"),
                "use release (`st.release.sys`, `red.release.sys`), or a release fence before it in the same thread"
                    .to_owned(),
            ),
        }
    }

    fn acquire(&mut self, program: mm::Program, place: Place<'s>) {
        if self.is_counter(place) {
            return self.counter(program, place);
        }
        let wait = words(&self.at(place));
        match self.idle_fence(place, true) {
            Some(fence) => {
                self.add(
                    program,
                    &code::MISPLACED_FENCE,
                    Some(fence),
                    "the fence is not where it would order the wait with the reads".to_owned(),
                    format!("a fence has to be executed by the thread that waited, behind {wait} and before the barrier that tells the others"),
                    "put the fence directly behind the wait, or wait with acquire (`ld.acquire.sys`)".to_owned(),
                );
                self.also(place.event, "the wait that orders nothing");
            }
            None if is_volatile(place.event) => self.add(
                program,
                &code::UNORDERED_FLAG,
                Some(place.event),
                "a volatile poll does not order the reads behind it".to_owned(),
                format!("volatile is relaxed: what follows {wait} may read what was there before the flag came"),
                "poll with acquire (`ld.acquire.sys`), or put a fence behind the poll".to_owned(),
            ),
            None => self.add(
                program,
                &code::MISSING_ACQUIRE,
                Some(place.event),
                "the wait does not order the accesses behind it".to_owned(),
                format!("{wait} does not acquire"),
                "use acquire (`ld.acquire.sys`), or an acquire fence behind the wait in the same thread".to_owned(),
            ),
        }
    }

    pub(super) fn counter(&mut self, program: mm::Program, place: Place<'s>) {
        let counter = words(&self.at(place));
        self.add(
            program,
            &code::RELAXED_COUNTER,
            Some(place.event),
            "a counter does not pass on what was written before it".to_owned(),
            format!(
                "who speaks for others has to know of their writes; {counter} does not release, or does not acquire"
            ),
            "use acquire and release for the counter (`atom.acq_rel.gpu`), or `__threadfence()` on both sides of it"
                .to_owned(),
        );
    }

    pub(super) fn also(&mut self, event: &Event, text: &str) {
        if let (Some(cure), Some(span)) = (self.found.last_mut(), &event.span) {
            cure.also.push(Label { span: span.clone(), text: text.to_owned() });
        }
    }

    pub(super) fn at(&self, place: Place<'s>) -> At<'s> {
        let role = self.play.event(self.skeleton, place.thread, place.step).map(|(role, _)| role);
        At { thread: place.thread, step: place.step, role: role.unwrap_or(self.reader.role), event: place.event }
    }

    /// A fence in the same block that would be strong and wide enough, and stands where it does not help.
    fn idle_fence(&self, place: Place<'s>, for_wait: bool) -> Option<&'s Event> {
        let program = &self.skeleton.program;
        let home = program.threads[place.thread].place;
        for (thread, record) in program.threads.iter().enumerate() {
            if record.place != home {
                continue;
            }
            for (step, one) in record.steps.iter().enumerate() {
                let mm::Op::Fence { semantics, scope } = &one.op else { continue };
                let wrong = if for_wait { Semantics::Release } else { Semantics::Acquire };
                if *scope == Scope::Sys
                    && *semantics != wrong
                    && let Some((_, event)) = self.play.event(self.skeleton, thread, step)
                {
                    return Some(event);
                }
            }
        }
        None
    }
}

/// Whether an access is volatile, or a plain one that stands for a flag.
fn is_volatile(event: &Event) -> bool {
    event.text.contains("volatile")
}
