//! Many schedules of one run's data in the simulator. Each schedule has a machine of its own and depends on nothing but
//! its number and the seed, so that they run side by side on any number of host cores with the same result: what counts
//! is the first schedule that fails, by number. Or every choice is gone through, one run after the other.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use gicc_sim::weak::explore::{Exploration, Explorer};
use gicc_sim::weak::report::WeakReport;

use super::{Memory, Needs, RunOptions, open, run_once, team_for};
use crate::error::HostError;
use crate::folder::Folder;
use crate::launch::draw::Drawn;
use crate::report::RunFailure;

/// What the schedules of one run came to.
#[derive(Debug, Default)]
pub(crate) struct Schedules {
    /// The first schedule that fails, and how.
    pub(crate) failure: Option<(u32, RunFailure)>,
    /// What weak memory told, of all schedules up to that one.
    pub(crate) findings: Option<WeakReport>,
    /// How far going through all choices came.
    pub(crate) exploration: Option<Exploration>,
    /// What the machines are.
    pub(crate) devices: Vec<String>,
}

/// How one schedule ended.
struct Ended {
    failure: Option<RunFailure>,
    findings: Option<WeakReport>,
    devices: Vec<String>,
}

fn one(
    folder: &Folder,
    options: &RunOptions,
    needs: Needs,
    drawn: &Drawn,
    explorer: Option<&Rc<RefCell<Explorer>>>,
) -> Result<Ended, HostError> {
    let mut team = team_for(folder, needs, options.bounds, &mut |needs| open(options.target, needs))?;
    if let Some(explorer) = explorer {
        team.backend_mut().explore(explorer.clone());
    }
    let failure = run_once(folder, &mut team, drawn);
    let findings = team.backend_mut().findings();
    let mut failure = failure?;
    if let Some(failure) = &mut failure {
        failure.findings.clone_from(&findings);
    }
    Ok(Ended { failure, findings, devices: team.backend().describe() })
}

/// Results that wait until those of smaller numbers are there.
#[derive(Default)]
struct Collected {
    next: u32,
    waiting: BTreeMap<u32, Result<Ended, HostError>>,
    result: Schedules,
    error: Option<HostError>,
    /// No later schedule counts.
    over: bool,
}

impl Collected {
    fn add(&mut self, number: u32, ended: Result<Ended, HostError>) {
        self.waiting.insert(number, ended);
        while !self.over
            && let Some(ended) = self.waiting.remove(&self.next)
        {
            match ended {
                Err(error) => {
                    self.error = Some(error);
                    self.over = true;
                }
                Ok(ended) => {
                    merge(&mut self.result.findings, ended.findings);
                    self.result.devices = ended.devices;
                    self.over = ended.failure.is_some();
                    self.result.failure = ended.failure.map(|failure| (self.next, failure));
                }
            }
            self.next += 1;
        }
    }
}

fn merge(all: &mut Option<WeakReport>, more: Option<WeakReport>) {
    if let Some(more) = more {
        all.get_or_insert_with(WeakReport::default).merge(more);
    }
}

/// Runs schedules until one fails.
pub(crate) fn seeded(
    folder: &Folder,
    options: &RunOptions,
    needs: Needs,
    drawn: &Drawn,
) -> Result<Schedules, HostError> {
    let (first, count) = (options.first_schedule, options.schedules.max(1));
    let last = first.saturating_add(count);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = options.jobs.unwrap_or(cores).clamp(1, count as usize);
    let next = AtomicU32::new(first);
    let stop = AtomicU32::new(u32::MAX);
    let collected = Mutex::new(Collected { next: first, ..Collected::default() });
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= last || number > stop.load(Ordering::Relaxed) {
                return;
            }
            let needs = Needs { seed: drawn.seed ^ (u64::from(number) << 32), ..needs };
            let ended = one(folder, options, needs, drawn, None);
            if ended.as_ref().map_or(true, |e| e.failure.is_some()) {
                stop.fetch_min(number, Ordering::Relaxed);
            }
            collected.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(number, ended);
        }
    };
    if jobs == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(work);
            }
        });
    }
    let collected = collected.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match collected.error {
        Some(error) => Err(error),
        None => Ok(collected.result),
    }
}

/// Goes through all choices, until a run fails or `most` runs have been made.
pub(crate) fn explored(
    folder: &Folder,
    options: &RunOptions,
    needs: Needs,
    drawn: &Drawn,
    most: u64,
) -> Result<Schedules, HostError> {
    let explorer = Rc::new(RefCell::new(Explorer::new()));
    let mut result = Schedules::default();
    let mut exploration = Exploration::default();
    loop {
        match one(folder, options, needs, drawn, Some(&explorer)) {
            Ok(ended) => {
                exploration.runs += 1;
                merge(&mut result.findings, ended.findings);
                result.devices = ended.devices;
                if let Some(failure) = ended.failure {
                    result.failure = Some((u32::try_from(exploration.runs - 1).unwrap_or(u32::MAX), failure));
                    break;
                }
            }
            Err(HostError::GivenUp) => exploration.given_up += 1,
            Err(error) => return Err(error),
        }
        if !explorer.borrow_mut().advance() {
            exploration.complete = true;
            break;
        }
        if exploration.runs + exploration.given_up >= most {
            break;
        }
    }
    result.exploration = Some(exploration);
    Ok(result)
}

/// Whether a run's schedules are made here.
pub(crate) fn applies(options: &RunOptions) -> bool {
    options.target == super::Target::Sim
        && (options.schedules > 1
            || options.first_schedule > 0
            || options.explore.is_some()
            || options.memory == Memory::Weak)
}
