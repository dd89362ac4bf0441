//! Skeletons: of a small launch, what matters for the order of one piece of data, as a program of the memory model.
//!
//! ```text
//! PE 0 thread 1: store data; barrier        PE 1 thread 0: poll flag; barrier
//! PE 0 thread 0: barrier; store flag        PE 1 thread 1: barrier; load data
//! ```
//!
//! Memory is divided into **cells**, the unions of overlapping accesses. A cell is a **flag** where a strong read of it
//! decides what is done next, or where it is read and written in one; it keeps its widths and strengths. Any other cell is
//! **data**: its accesses are weak, however they are written, for order between data is what flags are there for. Each cell
//! of data that several PEs or blocks access, or the copy unit, gives one program, with all flags.
//!
//! A packet, a word of 16 bytes that is accessed in one piece (assumption `b128-single-copy`), is one scalar, for which the part
//! that is waited for stands, a half or a word of four bytes: the rest comes with it.

mod build;
mod cells;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;

use super::execute::Scenario;
use super::execute::event::Event;
use super::execute::thread::{Path, Role};
use build::Builder;
use cells::{Cells, Touch, ranges_of, stored_ranges};

/// One choice of a path for each thread of a launch.
#[derive(Debug)]
pub(crate) struct Play<'s> {
    /// The threads.
    pub(crate) threads: Vec<(Role, &'s Path)>,
    cells: Cells,
    /// Cells that some path of some thread writes.
    written_somewhere: BTreeSet<usize>,
}

/// A program, and where each step came from.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// The program.
    pub(crate) program: mm::Program,
    /// Of each thread of the program: the thread of the play.
    pub(crate) threads: Vec<usize>,
    /// Of each step: the event of that thread.
    pub(crate) steps: Vec<Vec<usize>>,
    /// The locations that are data.
    pub(crate) data: BTreeSet<usize>,
    /// Flags that were taken to be set before the launch.
    pub(crate) set_before: Vec<(usize, usize)>,
    /// Writes of flags whose value is not known: their thread and step.
    pub(crate) guessed: Vec<(usize, usize)>,
    /// Something waits for a flag in a way that is not followed: it may order what seems to have no order.
    pub(crate) unfollowed: bool,
}

impl<'s> Play<'s> {
    /// The plays of a scenario, at most so many.
    pub(crate) fn all(scenario: &'s Scenario, most: usize) -> (Vec<Play<'s>>, bool) {
        let mut choices: Vec<Vec<(Role, &'s Path)>> = vec![Vec::new()];
        let mut cut_off = false;
        for (role, paths) in &scenario.threads {
            let mut more = Vec::new();
            for choice in &choices {
                for path in paths {
                    let mut choice = choice.clone();
                    choice.push((*role, path));
                    more.push(choice);
                }
            }
            cut_off |= more.len() > most;
            more.truncate(most);
            choices = more;
        }
        // What anybody may write, on any path.
        let every: Vec<(Role, &Path)> =
            scenario.threads.iter().flat_map(|(role, paths)| paths.iter().map(move |path| (*role, path))).collect();
        let writes = stored_ranges(&every);
        let plays = choices.into_iter().map(|threads| {
            let cells = Cells::of(&threads);
            let written_somewhere = (0..cells.ranges.len())
                .filter(|&cell| {
                    let (start, end) = cells.ranges[cell];
                    writes.iter().any(|(key, to)| key.0 == start.0 && key.1 < end && *to > start.1)
                })
                .collect();
            Play { threads, cells, written_somewhere }
        });
        (plays.collect(), cut_off)
    }

    /// The groups of data cells that somebody writes and somebody else accesses, far enough away to need order.
    pub(crate) fn shared_data(&self) -> Vec<usize> {
        let mut groups: BTreeMap<usize, Vec<Touch>> = BTreeMap::new();
        for (cell, touches) in self.cells.accessed.iter().enumerate() {
            if !self.cells.flags.contains(&cell) {
                groups.entry(self.cells.group[cell]).or_default().extend(touches);
            }
        }
        let place = |touch: &Touch| (self.threads[touch.thread].0.pe, self.threads[touch.thread].0.block);
        groups
            .into_iter()
            .filter(|(_, touches)| {
                // What no PE reads, and one PE alone writes, is its output.
                let pes: BTreeSet<u32> = touches.iter().map(|touch| self.threads[touch.thread].0.pe).collect();
                pes.len() > 1 || touches.iter().any(|touch| !touch.writes)
            })
            .filter(|(_, touches)| {
                touches.iter().any(|touch| touch.asynchronous)
                    || touches.iter().any(|one| one.writes && touches.iter().any(|other| place(one) != place(other)))
            })
            .map(|(group, _)| group)
            .collect()
    }

    /// What tells one group of data from another, for those that the same instructions access in the same way.
    pub(crate) fn signature(&self, group: usize) -> BTreeMap<((u32, u32), u32, u32), usize> {
        let mut all = BTreeMap::new();
        for (role, path) in &self.threads {
            for event in &path.events {
                if self.event_groups(*role, event).contains(&group) {
                    *all.entry((event.site, role.pe, role.thread)).or_default() += 1;
                }
            }
        }
        all
    }

    fn event_groups(&self, role: Role, event: &Event) -> Vec<usize> {
        ranges_of(role, event)
            .into_iter()
            .filter_map(|(key, _, _)| self.cells.find(key))
            .map(|cell| self.cells.group[cell])
            .collect()
    }

    /// The event of a step.
    pub(crate) fn event(&self, skeleton: &Skeleton, thread: usize, step: usize) -> Option<(Role, &'s Event)> {
        let of = *skeleton.threads.get(thread)?;
        let event = *skeleton.steps.get(thread)?.get(step)?;
        let (role, path) = self.threads.get(of)?;
        Some((*role, path.events.get(event)?))
    }

    /// Whether a flag is used by several threads.
    fn is_used(&self, cell: usize) -> bool {
        let touches = &self.cells.accessed[cell];
        touches.iter().any(|one| touches.iter().any(|other| one.thread != other.thread))
            || touches.iter().any(|t| t.writes && touches.len() > 1)
    }

    /// The program for one group of data, or for the flags alone.
    pub(crate) fn skeleton(&self, group: Option<usize>) -> Skeleton {
        let mut builder = Builder {
            play: self,
            group,
            skeleton: Skeleton {
                program: mm::Program::new(),
                threads: Vec::new(),
                steps: Vec::new(),
                data: BTreeSet::new(),
                set_before: Vec::new(),
                guessed: Vec::new(),
                unfollowed: false,
            },
            locations: BTreeMap::new(),
            mbarriers: BTreeMap::new(),
            fresh: 0x1000,
        };
        for (index, (role, path)) in self.threads.iter().enumerate() {
            builder.thread(index, *role, path);
        }
        builder.values_that_end_waits();
        builder.flags_set_before();
        builder.skeleton
    }
}
