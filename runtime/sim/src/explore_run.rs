//! Running launches where every choice is gone through: one step of one thread at a time, each step from one access that
//! others can see to the next; and what is told of weak memory afterwards.

use std::cmp::Reverse;
use std::time::Instant;

use crate::error::{SimError, Source};
use crate::report::Report;
use crate::schedule::Scheduler;
use crate::thread::{Await, State, Thread};
use crate::wait;
use crate::weak::Party;
use crate::weak::choice::{Chooser, Ready};
use crate::weak::report::{self, AccessReport, Exactness, WeakReport};
use crate::weak::run::WeakRun;

/// Who can run.
enum Runner {
    Thread(*mut Thread),
    Copies(u32),
}

impl Scheduler {
    /// Runs with the choices of an explorer.
    pub(crate) fn run_explored(&mut self, start: u64, begun: Instant) -> Result<Report, SimError> {
        let mut rounds = 0u64;
        loop {
            self.active.clear();
            self.wake_sleepers();
            let (ready, runners) = self.runners();
            if ready.is_empty() {
                if let Some(&Reverse((until, _, _))) = self.sleepers.peek() {
                    self.now = self.now.max(until);
                    continue;
                }
                if self.blocks.iter().all(Option::is_none) {
                    break;
                }
                return Err(SimError::Deadlock { waits: wait::report(self) });
            }
            rounds += 1;
            self.now += 1;
            if rounds.is_multiple_of(1024) {
                self.check_time(begun)?;
            }
            let Some(weak) = &mut self.weak else { break };
            let at = weak.source.thread(&ready).ok_or(SimError::GivenUp)?;
            match runners[at] {
                Runner::Copies(tid) => {
                    weak.copy_step(tid);
                }
                Runner::Thread(thread) => self.step_explored(thread)?,
            }
        }
        Ok(Report {
            output: std::mem::take(&mut self.output),
            steps: self.steps,
            rounds,
            nanoseconds: self.now - start,
        })
    }

    fn step_explored(&mut self, thread: *mut Thread) -> Result<(), SimError> {
        // SAFETY: a thread that can run has a living block, which no thread runs in now.
        unsafe {
            // Whom a step releases is seen by its state; the lists are not used.
            let block = (*thread).block;
            (*block).queued = true;
            (*block).ready.clear();
        }
        self.step(thread).map(|_| ())
    }

    /// Everybody who can run, in an order that depends on nothing but the state.
    fn runners(&mut self) -> (Vec<Ready>, Vec<Runner>) {
        let (mut ready, mut runners) = (Vec::new(), Vec::new());
        let Some(weak) = &mut self.weak else { return (ready, runners) };
        for block in self.blocks.iter_mut().flatten() {
            for thread in &mut block.threads {
                if thread.state == State::Done {
                    continue;
                }
                if let Some(next) = weak.next_copy(thread.weak) {
                    ready.push(Ready { id: WeakRun::copies_id(thread.weak), next });
                    runners.push(Runner::Copies(thread.weak));
                }
                if !matches!(thread.state, State::Ready | State::Polling(_)) {
                    continue;
                }
                let goes = match thread.awaits {
                    None => true,
                    Some(Await::Other { access, value }) => {
                        weak.engine.could_read(thread.weak, &access, &|other| other != value)
                    }
                    Some(Await::Copies { number, full }) => {
                        let done = weak.engine.copies_done(thread.weak);
                        done.reads >= number && (!full || done.writes >= number)
                    }
                };
                if goes {
                    ready.push(Ready { id: thread.weak.into(), next: thread.next });
                    runners.push(Runner::Thread(thread));
                }
            }
        }
        (ready, runners)
    }

    /// What weak memory tells.
    pub(crate) fn tell(&self, weak: &WeakRun) -> WeakReport {
        let describe = |party: &Party| self.describe(weak, party);
        let (races, stale, dropped) = weak.engine.findings();
        let memory = weak.engine.footprint();
        let mut exactness = Exactness { unreachable: report::unreachable(), ..Exactness::default() };
        exactness.exact = [
            "accesses to global, symmetric and shared memory, atomics, fences, barriers of blocks and warps, bulk copies in groups",
        ]
        .map(str::to_owned)
        .to_vec();
        let approximated = weak.approximated;
        let all = [
            (approximated.thread_copies, "cp.async without .bulk: executed at once, as ordinary accesses"),
            (approximated.store_async, "st.async: executed at once, as ordinary stores"),
            (approximated.tensor_map, "fences of the tensor-map proxy: no effect"),
            (approximated.multimem, "multimem: accesses of each PE's location, without the alias proxy"),
            (approximated.bulk_reductions, "cp.reduce.async.bulk: executed at once, as relaxed reductions"),
            (weak.engine.pruned(), "histories that were full: the oldest writes cannot be read any more"),
            (weak.mbarriers(), "mbarriers: every arrival releases and every successful wait acquires, in the block"),
        ];
        exactness.approximated = all.iter().filter(|a| a.0 > 0).map(|a| a.1.to_owned()).collect();
        WeakReport {
            races: races.iter().map(|r| report::race(r, &describe)).collect(),
            stale: stale.iter().map(|s| report::stale(s, &describe)).collect(),
            dropped,
            operations: weak.engine.operations(),
            granules: memory.granules,
            history_bytes: memory.bytes,
            exactness,
        }
    }

    fn describe(&self, weak: &WeakRun, party: &Party) -> AccessReport {
        let of = weak.blocks.get(party.block).copied();
        let launch = of.map_or(0, |b| b.launch);
        let running = &self.launches[launch];
        let [nx, ny, _] = running.block.map(|n| n.max(1) as usize);
        let index = party.thread;
        let source: Source = self.source(launch, party.site);
        let base = of.map_or(0, |b| b.shared_base);
        let inside = party.address.wrapping_sub(base);
        let location = if inside < running.shared_bytes {
            let variables = &running.description.shared;
            match variables.iter().filter(|v| v.offset <= inside).max_by_key(|v| v.offset) {
                Some(v) if v.offset == inside => format!("shared {}", v.name),
                Some(v) => format!("shared {}+{}", v.name, inside - v.offset),
                None => format!("shared memory+{inside}"),
            }
        } else {
            // SAFETY: the memory outlives the scheduler.
            unsafe { (*self.memory).describe_with_pe(party.address) }
        };
        AccessReport {
            pe: party.place.pe,
            kernel: running.kernel.clone(),
            block: of.map_or([0; 3], |b| b.coordinates),
            thread: [(index % nx) as u32, (index / nx % ny) as u32, (index / (nx * ny)) as u32],
            kind: party.kind.name(),
            source: source.to_string(),
            location,
            bytes: party.bytes,
            value: party.value.map(|v| v.to_string()),
        }
    }
}
