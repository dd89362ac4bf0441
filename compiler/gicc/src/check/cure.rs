//! The cures that are tried on a skeleton, in the order in which they are told: each is the program with one order more.
//!
//! A change is made to every execution of an instruction, as a change of the source would be.

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::code::{self, Code};
use super::execute::event::{Event, EventKind};
use super::judge::{At, words};
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

    /// A load through the non-coherent path becomes an ordinary one.
    fn coherent(&mut self) {
        for at in [self.reader, self.writer] {
            let EventKind::Access(access) = &at.event.kind else { continue };
            if access.proxy != mm::Proxy::Texture {
                continue;
            }
            let program = self.changed(&self.skeleton.program, at.event.site, &|op| {
                if let mm::Op::Load { access, .. } = op {
                    access.proxy = mm::Proxy::Generic;
                }
            });
            self.add(
                program,
                &code::NON_COHERENT_LOAD,
                Some(at.event),
                "memory that a peer writes while the kernel runs is read through the non-coherent path".to_owned(),
                "no order in the kernel reaches `ld.global.nc`, which may return what a cache held before".to_owned(),
                "load it with an ordinary load (no `.nc`, no `__ldg`, no `const __restrict__`)".to_owned(),
            );
        }
    }

    /// Proxy fences and waits for copies.
    fn proxies(&mut self) {
        let program = &self.skeleton.program;
        let has_copies = program.threads.iter().flat_map(|t| &t.steps).any(|s| matches!(s.op, mm::Op::BulkCopy { .. }));
        if !has_copies {
            return;
        }
        for place in self.places() {
            if let mm::Op::BulkWait { read_only: true, .. } = self.op(place) {
                let program = self.changed(&self.skeleton.program, place.event.site, &|op| {
                    if let mm::Op::BulkWait { read_only, .. } = op {
                        *read_only = false;
                    }
                });
                self.add(
                    program,
                    &code::COPY_NOT_COMPLETE,
                    Some(place.event),
                    "the wait is only for the copy's reads, and the data is signalled as if it had arrived".to_owned(),
                    "`.read` says that the source may be reused, not that the destination is written".to_owned(),
                    "wait without `.read` before the signal".to_owned(),
                );
            }
        }
        // A wait behind each copy, for its reads or for all of it; a proxy fence before it.
        for place in self.places() {
            let mm::Op::BulkCopy { .. } = self.op(place) else { continue };
            for read_only in [true, false] {
                let (thread, after) = (place.thread, self.behind_commit(place));
                let op = mm::Op::BulkWait { pending: 0, read_only };
                self.inserted(
                    vec![(thread, after, op)],
                    &code::COPY_NOT_COMPLETE,
                    place.event,
                    "an asynchronous copy is not known to be complete where its data is used".to_owned(),
                    "the copy unit works outside of the thread's order".to_owned(),
                    "wait for the copy: `cp.async.bulk.wait_group 0`, or its mbarrier".to_owned(),
                );
            }
            for fence in [mm::ProxyFence::AsyncSharedCta, mm::ProxyFence::AsyncGlobal, mm::ProxyFence::Async] {
                let op = mm::Op::ProxyFence(fence);
                let message = "the copy unit may not see what ordinary accesses did before".to_owned();
                let cause = "ordinary accesses and the copy unit reach memory by different proxies, which only a proxy fence orders".to_owned();
                let cure = match fence {
                    mm::ProxyFence::AsyncSharedCta => {
                        "`fence.proxy.async.shared::cta` by each thread that wrote the tile, then the barrier, then the copy"
                    }
                    _ => "`fence.proxy.async.global` behind the wait, before the copy",
                };
                self.inserted(
                    vec![(place.thread, place.step, op.clone())],
                    &code::MISSING_PROXY_FENCE,
                    place.event,
                    message.clone(),
                    cause.clone(),
                    cure.to_owned(),
                );
                // By the thread that wrote.
                for at in [self.writer, self.reader] {
                    if at.thread != place.thread {
                        let both = vec![(at.thread, at.step + 1, op.clone())];
                        self.inserted(
                            both,
                            &code::MISSING_PROXY_FENCE,
                            at.event,
                            message.clone(),
                            cause.clone(),
                            cure.to_owned(),
                        );
                    }
                }
            }
        }
        // A wait on the mbarrier before the reads.
        let mbarrier = program.threads.iter().flat_map(|t| &t.steps).find_map(|step| match &step.op {
            mm::Op::BulkOnMbarrier { id, phase } => Some((*id, *phase)),
            _ => None,
        });
        if let Some((id, phase)) = mbarrier {
            let op = mm::Op::Mbarrier {
                id,
                phase,
                action: mm::BarrierAction::Wait,
                semantics: Semantics::Acquire,
                scope: Scope::Cta,
            };
            self.inserted(
                vec![(self.reader.thread, self.reader.step, op)],
                &code::COPY_NOT_COMPLETE,
                self.reader.event,
                "what the copy unit fetches is read before it is known to have arrived".to_owned(),
                "the copy completes on an mbarrier that nobody waited for".to_owned(),
                "wait on the mbarrier's phase before the read".to_owned(),
            );
        }
    }

    /// Behind the copy's commit, where there is one.
    fn behind_commit(&self, place: Place<'_>) -> usize {
        let steps = &self.skeleton.program.threads[place.thread].steps;
        let commit = (place.step..steps.len()).find(|&at| matches!(steps[at].op, mm::Op::BulkCommit));
        commit.map_or(place.step + 1, |at| at + 1)
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

    /// Every scope that is narrower than the system's.
    fn scopes(&mut self) {
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

    fn widened(&self, program: &mm::Program, place: Place<'_>) -> mm::Program {
        self.changed(program, place.event.site, &|op| match op {
            mm::Op::Fence { scope, .. } => *scope = Scope::Sys,
            mm::Op::Load { access, .. } | mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. } => {
                access.scope = Scope::Sys
            }
            _ => {}
        })
    }

    /// Whether a flag's access is that of a counter of the own GPU.
    fn is_counter(&self, place: Place<'_>) -> bool {
        matches!(self.op(place), mm::Op::Rmw { access, .. } if access.scope != Scope::Sys)
    }

    fn strengthened(&self, program: &mm::Program, place: Place<'_>, how: fn(Semantics) -> Semantics) -> mm::Program {
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
    fn writes(&self) -> Vec<Place<'s>> {
        let writes = |place: &Place<'s>| {
            let op = self.op(*place);
            let kind = matches!(op, mm::Op::Store { .. } | mm::Op::Rmw { .. });
            kind && self.flag(op).is_some_and(|access| releasing(access.semantics) != access.semantics)
        };
        self.places().into_iter().filter(writes).collect()
    }

    fn reads(&self) -> Vec<Place<'s>> {
        let reads = |place: &Place<'s>| {
            let op = self.op(*place);
            let kind = matches!(op, mm::Op::Load { .. } | mm::Op::Rmw { returns: true, .. });
            kind && self.flag(op).is_some_and(|access| acquiring(access.semantics) != access.semantics)
        };
        self.places().into_iter().filter(reads).collect()
    }

    fn strengths(&mut self) {
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
    fn release(&mut self, program: mm::Program, place: Place<'s>) {
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

    fn counter(&mut self, program: mm::Program, place: Place<'s>) {
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

    fn also(&mut self, event: &Event, text: &str) {
        if let (Some(cure), Some(span)) = (self.found.last_mut(), &event.span) {
            cure.also.push(Label { span: span.clone(), text: text.to_owned() });
        }
    }

    fn at(&self, place: Place<'s>) -> At<'s> {
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

    /// A plain store to a flag becomes an exchange, which keeps the chain of a release.
    fn chains(&mut self) {
        for place in self.places() {
            let mm::Op::Store { access, values } = self.op(place) else { continue };
            if self.flag(self.op(place)).is_none() || access.semantics == Semantics::Weak || access.count != 1 {
                continue;
            }
            let Some(value) = values.first().cloned() else { continue };
            let program = self.changed(&self.skeleton.program, place.event.site, &|op| {
                if let mm::Op::Store { access, .. } = op {
                    let function = mm::RmwFunction::Exchange(value.clone());
                    *op = mm::Op::Rmw { returns: false, register: None, access: access.clone(), function };
                }
            });
            self.add(
                program,
                &code::BROKEN_CHAIN,
                Some(place.event),
                "a plain store to the flag breaks the chain that passes an earlier release on".to_owned(),
                "only atomic operations on the flag pass on what was released with the value that they replace"
                    .to_owned(),
                "use an atomic operation (`red`, `atom.exch`), or acquire the earlier value and release the new one"
                    .to_owned(),
            );
        }
    }

    /// A barrier of the block between the data and the signal, or between the wait and the reads.
    fn barriers(&mut self) {
        const NEW: u32 = 999;
        let barrier = || mm::Op::Barrier {
            id: NEW,
            action: mm::BarrierAction::Sync,
            level: mm::BarrierLevel::Cta,
            participants: None,
        };
        let program = self.skeleton.program.clone();
        for at in [self.writer, self.reader] {
            let home = program.threads[at.thread].place;
            for (thread, record) in program.threads.iter().enumerate() {
                if record.place != home {
                    continue;
                }
                for (step, one) in record.steps.iter().enumerate() {
                    let (Some(_), Some((_, event))) =
                        (self.flag(&one.op), self.play.event(self.skeleton, thread, step))
                    else {
                        continue;
                    };
                    if matches!(one.op, mm::Op::Store { .. } | mm::Op::Rmw { .. }) && thread != at.thread {
                        self.inserted(
                            vec![(thread, step, barrier()), (at.thread, at.step + 1, barrier())],
                            &code::NO_BARRIER_BEFORE_SIGNAL,
                            event,
                            "one thread signals for others before it has met them".to_owned(),
                            "a release publishes what the thread itself did, and what a barrier brought to it; other threads' accesses are not covered without one".to_owned(),
                            "put a barrier of the block (`__syncthreads()`) between the accesses and the signal".to_owned(),
                        );
                    }
                    if matches!(one.op, mm::Op::Load { .. } | mm::Op::Rmw { returns: true, .. }) && thread != at.thread
                    {
                        let behind = behind_assumptions(record, step);
                        self.inserted(
                            vec![(thread, behind, barrier()), (at.thread, at.step, barrier())],
                            &code::NO_BARRIER_AFTER_WAIT,
                            event,
                            "threads that did not wait go on without meeting the one that waited".to_owned(),
                            "a wait orders the accesses of the thread that waited; others learn of it by a barrier behind it".to_owned(),
                            "put a barrier of the block (`__syncthreads()`) behind the wait".to_owned(),
                        );
                    }
                }
            }
        }
    }

    /// The signal moves behind the data of its own thread. Not where it speaks of an earlier access to the same memory: then
    /// the memory is used again.
    fn order(&mut self) {
        let program = self.skeleton.program.clone();
        for at in [self.writer, self.reader] {
            let record = &program.threads[at.thread];
            for step in 0..at.step {
                let signals = matches!(record.steps[step].op, mm::Op::Store { .. } | mm::Op::Rmw { .. });
                if !signals || self.flag(&record.steps[step].op).is_none() {
                    continue;
                }
                let Some((_, event)) = self.play.event(self.skeleton, at.thread, step) else { continue };
                let earlier = record.steps[..step].iter().any(|one| match &one.op {
                    mm::Op::Load { .. } | mm::Op::Store { .. } | mm::Op::Rmw { .. } => self.flag(&one.op).is_none(),
                    mm::Op::BulkCopy { .. } => true,
                    _ => false,
                });
                let mut program = program.clone();
                let moved = program.threads[at.thread].steps.remove(step);
                program.threads[at.thread].steps.insert(at.step, moved);
                let (code, message, cure) = if earlier {
                    (
                        &code::SLOT_REUSED,
                        "memory is written again while a peer may still use what it held".to_owned(),
                        "let the reader say that it has read (a signal with release), and wait for that with acquire before writing again; or alternate between slots".to_owned(),
                    )
                } else {
                    (
                        &code::MISSING_RELEASE,
                        "the signal comes before the data that it is to publish".to_owned(),
                        "signal behind the data".to_owned(),
                    )
                };
                let (blamed, cause) = if earlier {
                    (
                        at.event.span.clone(),
                        format!(
                            "{} speaks of what was there before",
                            words(&At { thread: at.thread, step, role: at.role, event })
                        ),
                    )
                } else {
                    let signal = words(&At { thread: at.thread, step, role: at.role, event });
                    (event.span.clone(), format!("{signal} publishes only what was written before it"))
                };
                self.found.push(Cure {
                    program,
                    inserted: Vec::new(),
                    code,
                    blamed,
                    message,
                    cause,
                    cure,
                    also: Vec::new(),
                });
            }
        }
    }

    /// A fence becomes sequentially consistent.
    fn fences(&mut self) {
        for place in self.places() {
            let mm::Op::Fence { semantics, .. } = self.op(place) else { continue };
            if *semantics == Semantics::SequentiallyConsistent {
                continue;
            }
            for stronger in [Semantics::AcquireRelease, Semantics::SequentiallyConsistent] {
                let program = self.changed(&self.skeleton.program, place.event.site, &|op| {
                    if let mm::Op::Fence { semantics, .. } = op {
                        *semantics = stronger;
                    }
                });
                self.add(
                    program,
                    &code::MISPLACED_FENCE,
                    Some(place.event),
                    "the fence is too weak for what it stands for".to_owned(),
                    "it would have to be ordered with the other side's fence".to_owned(),
                    format!("use fence.{stronger}.sys here; better, let the signal release and the wait acquire"),
                );
            }
        }
    }

    /// Two changes together: both sides of one signal.
    fn pairs(&mut self) {
        let (writes, reads) = (self.writes(), self.reads());
        for &write in writes.iter().take(6) {
            for &read in reads.iter().take(6) {
                let program = self.strengthened(&self.skeleton.program, write, releasing);
                let program = self.strengthened(&program, read, acquiring);
                if self.is_counter(write) && self.is_counter(read) {
                    self.counter(program, write);
                } else {
                    self.release(program, write);
                }
                self.also(read.event, "and this wait does not order what follows");
            }
        }
        for first in self.places().into_iter().take(12) {
            for &second in &writes {
                let narrow =
                    self.flag(self.op(first)).is_some_and(|a| a.scope != Scope::Sys && a.semantics != Semantics::Weak);
                if !narrow {
                    continue;
                }
                let program = self.widened(&self.skeleton.program, first);
                let program = self.strengthened(&program, second, releasing);
                self.release(program, second);
            }
        }
    }
}

/// Behind a read and what is known of it.
fn behind_assumptions(record: &mm::Thread, step: usize) -> usize {
    let mut behind = step + 1;
    while record.steps.get(behind).is_some_and(|s| matches!(s.op, mm::Op::Assume { .. } | mm::Op::Branch(_))) {
        behind += 1;
    }
    behind
}

/// Whether an access is volatile, or a plain one that stands for a flag.
fn is_volatile(event: &Event) -> bool {
    event.text.contains("volatile")
}
