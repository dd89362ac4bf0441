//! Cures that change the shape of a protocol: an atomic operation for a plain store, a barrier, a signal behind its data, a
//! stronger fence, both sides of a signal.

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::super::code;
use super::super::judge::{At, words};
use super::{Cure, Cures, acquiring, releasing};

impl<'s> Cures<'_, 's> {
    /// A plain store to a flag becomes an exchange, which keeps the chain of a release.
    pub(super) fn chains(&mut self) {
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
    pub(super) fn barriers(&mut self) {
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
    pub(super) fn order(&mut self) {
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
    pub(super) fn fences(&mut self) {
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
    pub(super) fn pairs(&mut self) {
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
