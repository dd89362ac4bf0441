//! Cures of what reaches memory by another way: loads through the non-coherent path, and the copy unit.

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::super::code;
use super::super::execute::event::EventKind;
use super::{Cures, Place};

impl<'s> Cures<'_, 's> {
    /// A load through the non-coherent path becomes an ordinary one.
    pub(super) fn coherent(&mut self) {
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
    pub(super) fn proxies(&mut self) {
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
}
