//! Reports of who waits for what: threads that wait for the same thing at the same place are one line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::block::Block;
use crate::schedule::Scheduler;
use crate::thread::{Poll, State, Thread};

/// Lines of a report at most.
const MAX_LINES: usize = 24;
/// Threads or blocks that a line names at most.
const MAX_NAMES: usize = 4;

#[derive(Default)]
struct Group {
    threads: u64,
    /// Threads by block, in the order of blocks.
    blocks: BTreeMap<[u32; 3], Vec<[u32; 3]>>,
}

/// Every thread that has not ended, grouped, one group a line.
pub(crate) fn report(scheduler: &Scheduler) -> String {
    let mut groups: BTreeMap<(u32, String), Group> = BTreeMap::new();
    for block in scheduler.blocks.iter().flatten() {
        for thread in block.threads.iter().filter(|t| t.state != State::Done) {
            let what = describe(scheduler, block, thread);
            let group = groups.entry((thread.pe, what)).or_default();
            group.threads += 1;
            // z first, so that the order is that of the numbers.
            let [x, y, z] = block.coordinates;
            group.blocks.entry([z, y, x]).or_default().push(thread.info.thread);
        }
    }
    let mut text = String::new();
    let count = groups.len();
    for ((pe, what), group) in groups.into_iter().take(MAX_LINES) {
        let _ = writeln!(text, "  PE {pe}: {}; {}", what, names(&group));
    }
    if count > MAX_LINES {
        let _ = writeln!(text, "  and {} more kinds of waiting threads", count - MAX_LINES);
    }
    let pending: u64 = scheduler.launches.iter().map(|l| l.blocks - l.next_block).sum();
    if pending > 0 {
        let _ = writeln!(text, "  {pending} blocks have not started, since no multiprocessor has room for them");
    }
    text.truncate(text.trim_end().len());
    text
}

fn describe(scheduler: &Scheduler, block: &Block, thread: &Thread) -> String {
    let site = match thread.state {
        State::Polling(poll) => poll.site,
        _ => thread.site,
    };
    let source = scheduler.source(block.launch, site);
    let kernel = &scheduler.launches[block.launch].kernel;
    // SAFETY: the memory outlives the scheduler.
    let memory = unsafe { &*scheduler.memory };
    match thread.state {
        State::Polling(Poll { address, bytes, value, .. }) => {
            let buffer = shared_name(scheduler, block, thread, address).unwrap_or_else(|| memory.describe(address));
            format!("{kernel} polls {buffer} ({bytes} bytes), last value {value}, at {source}")
        }
        State::Sleeping { .. } => format!("{kernel} sleeps at {source}"),
        State::Barrier { id } => {
            let barrier = &block.barriers[id as usize];
            let expected = if barrier.count == 0 { block.live } else { barrier.count };
            let missing: Vec<_> = block
                .threads
                .iter()
                .filter(|t| t.state != State::Done && !barrier.has(t))
                .map(|t| t.info.thread)
                .collect();
            let exited = block.threads.len() as u32 - block.live;
            let mut text =
                format!("{kernel} waits at barrier {id} at {source}: {} of {expected} arrived", barrier.threads);
            if !missing.is_empty() {
                let _ = write!(text, ", missing {}", list(&missing));
            }
            if exited > 0 {
                let _ = write!(text, ", {exited} of the block have exited");
            }
            text
        }
        State::Warp { mask } => {
            let missing = block.warps[thread.warp()].missing(thread.lane());
            let lanes: Vec<_> = (0..32).filter(|l| missing >> l & 1 != 0).map(|l: u32| l.to_string()).collect();
            format!("{kernel} waits for lanes {} of mask {mask:#010x} at {source}", lanes.join(", "))
        }
        State::Cluster => format!("{kernel} waits at the cluster's barrier at {source}"),
        State::Ready | State::Exiting | State::Done => format!("{kernel} runs at {source}"),
    }
}

/// The name of a shared variable at an address of the block's shared memory.
fn shared_name(scheduler: &Scheduler, block: &Block, thread: &Thread, address: u64) -> Option<String> {
    let offset = address.checked_sub(block.shared_base).filter(|&o| o < thread.info.shared_bytes)?;
    let variables = &scheduler.launches[block.launch].description.shared;
    let variable = variables.iter().filter(|v| v.offset <= offset).max_by_key(|v| v.offset)?;
    let inside = offset - variable.offset;
    Some(if inside == 0 { format!("shared {}", variable.name) } else { format!("shared {}+{inside}", variable.name) })
}

fn names(group: &Group) -> String {
    let threads = if group.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", group.threads) };
    let mut text = threads;
    for (i, ([z, y, x], members)) in group.blocks.iter().enumerate() {
        if i == MAX_NAMES {
            let _ = write!(text, " and of {} more blocks", group.blocks.len() - MAX_NAMES);
            break;
        }
        let _ = write!(text, "{} block ({x}, {y}, {z}): {}", if i == 0 { " of" } else { "," }, list(members));
    }
    text
}

fn list(threads: &[[u32; 3]]) -> String {
    let mut text = if threads.len() == 1 { "thread".to_owned() } else { "threads".to_owned() };
    // Threads that follow each other in x are a range.
    let mut ranges: Vec<([u32; 3], u32)> = Vec::new();
    for &[x, y, z] in threads {
        match ranges.last_mut() {
            Some(([_, ly, lz], last)) if *last + 1 == x && (*ly, *lz) == (y, z) => *last = x,
            _ => ranges.push(([x, y, z], x)),
        }
    }
    for (i, ([x, y, z], last)) in ranges.iter().enumerate() {
        if i == MAX_NAMES {
            let _ = write!(text, " and {} more", ranges.len() - MAX_NAMES);
            break;
        }
        let separator = if i == 0 { "" } else { "," };
        if x == last {
            let _ = write!(text, "{separator} ({x}, {y}, {z})");
        } else {
            let _ = write!(text, "{separator} ({x}–{last}, {y}, {z})");
        }
    }
    text
}
