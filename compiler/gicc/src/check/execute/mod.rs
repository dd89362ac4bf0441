//! Small launches of a kernel, executed on every path: two or three PEs, one or two blocks, a few threads. What each thread
//! does to memory and to order is the material of the skeletons that the memory model judges.
//!
//! | file | what it does |
//! | --- | --- |
//! | `decode` | functions of level L as flat tables |
//! | `value` | numbers, and expressions over what was read |
//! | `event` | what a thread did |
//! | `thread` | one thread, on all paths |
//! | `facts` | what is known of reads on a path |
//! | `assembly` | inline PTX in it |
//! | `multicast` | whose memory is behind multicast addresses |
//! | `gap` | what could not be followed |
//!
//! Limits: a launch is small, loops are left after some rounds, and paths and steps are bounded; what was cut off is said.

mod assembly;
pub(crate) mod decode;
pub(crate) mod event;
mod facts;
pub(crate) mod gap;
mod multicast;
pub(crate) mod thread;
pub(crate) mod value;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use memory_model::Semantics;

use super::budget::Work;
use decode::{Code, Function, Op};
use event::{AccessKind, Event, EventKind};
use gap::Gap;
use thread::{Executed, Launch, Path, Role, execute};
use value::Input;

/// Threads of a block that are executed: two of the first warp, one of the second; and the block's last, where a wait is answered by
/// nobody else.
const THREADS: [u32; 3] = [0, 1, 32];
/// Threads of a block.
const BLOCK: u32 = 64;
/// Assignments of numbers to the kernel's parameters that are tried.
const MOST_ASSIGNMENTS: usize = 6;

/// A launch with what its threads did.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    /// The launch.
    pub(crate) launch: Launch,
    /// Each thread with its paths.
    pub(crate) threads: Vec<(Role, Vec<Path>)>,
}

/// All launches of a kernel that make sense, and why the picture may be incomplete.
#[derive(Debug, Default)]
pub(crate) struct Explored {
    /// The launches.
    pub(crate) scenarios: Vec<Scenario>,
    /// What could not be followed.
    pub(crate) gaps: BTreeSet<Gap>,
    /// Something that may order is among that.
    pub(crate) orders_unseen: bool,
    /// Barriers of a part of the PEs follow each other, whose rounds are counted in memory: their orders are not followed.
    pub(crate) rounds_of_part: bool,
}

impl Explored {
    /// Whether some memory was accessed by two PEs: else who is whose peer is not to be seen in the kernel.
    pub(crate) fn meets_peers(&self) -> bool {
        self.scenarios.iter().any(|scenario| {
            scenario.threads.iter().any(|(role, paths)| {
                let own = thread::HEAP + u64::from(role.pe) * thread::STRIDE
                    ..thread::HEAP + u64::from(role.pe + 1) * thread::STRIDE;
                paths.iter().flat_map(|path| &path.events).any(|event| match &event.kind {
                    EventKind::Access(access) => {
                        (thread::HEAP..thread::MULTICAST).contains(&access.address) && !own.contains(&access.address)
                    }
                    EventKind::Copy { to, from, .. } => {
                        [to, from].iter().any(|a| **a >= thread::HEAP && !own.contains(a))
                    }
                    _ => false,
                })
            })
        })
    }
}

/// Executes a kernel in small launches. One that asks nothing about gicc's team has no way to a peer's memory but through a
/// host program's tables, whose pointers are all alike here: it is not executed.
pub(crate) fn explore(code: &Code, kernel: &Function, work: &mut Work) -> Explored {
    let functions = &code.by_name;
    let mut explored = Explored::default();
    if !asks_about_team(functions, kernel) {
        return explored;
    }
    let most = kernel.most_threads.map_or(BLOCK, |most| most.clamp(1, BLOCK));
    let first = Launch { pes: 2, blocks: 1, threads: most, inputs: BTreeMap::new() };
    let mut compared: BTreeMap<Input, BTreeSet<u128>> = BTreeMap::new();
    let (mut looks_at_block, mut looks_at_thread) = (false, false);
    for pe in 0..2 {
        let found = execute(functions, kernel, &first, Role { pe, block: 0, thread: 0 }, work);
        looks_at_block |= found.looks_at_block;
        looks_at_thread |= found.looks_at_thread;
        for (input, numbers) in found.compared {
            compared.entry(input).or_default().extend(numbers);
        }
    }
    // Threads that do not ask which they are do all the same, each of them, at the same places: the kernel is for one.
    let threads = if looks_at_thread { most } else { 1 };
    let assignments = assignments(&compared);
    // The fewest PEs with which the kernel works, and the fewest blocks: more would be a launch that it is not meant for.
    for pes in [2, 3] {
        for blocks in [2, 1] {
            if blocks == 2 && !looks_at_block {
                continue;
            }
            for inputs in &assignments {
                if work.is_spent() {
                    let words = "the steps that a kernel may cost were spent before all launches were tried".to_owned();
                    explored.gaps.insert(Gap { words, span: None });
                    return explored;
                }
                let launch = Launch { pes, blocks, threads, inputs: inputs.clone() };
                match scenario(functions, kernel, launch, work) {
                    Tried::Meant(scenario, gaps, orders_unseen) => {
                        explored.scenarios.push(scenario);
                        explored.gaps.extend(gaps);
                        explored.orders_unseen |= orders_unseen;
                        explored.rounds_of_part |= explored.scenarios.last().is_some_and(Scenario::has_rounds_of_part);
                    }
                    Tried::Fails => {}
                    Tried::TooLarge => {
                        explored = Explored::default();
                        break;
                    }
                }
            }
            if !explored.scenarios.is_empty() {
                return explored;
            }
        }
    }
    explored
}

/// Whether something that a kernel may execute calls what gicc's team answers.
fn asks_about_team(functions: &HashMap<String, Rc<Function>>, kernel: &Function) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&Function> = vec![kernel];
    while let Some(function) = open.pop() {
        for instruction in function.blocks.iter().flatten() {
            let Op::Call { name, .. } = &instruction.op else { continue };
            if name.starts_with("__gicc_") {
                return true;
            }
            if let Some(callee) = functions.get(name)
                && seen.insert(name)
            {
                open.push(callee);
            }
        }
    }
    false
}

/// What came of a launch.
enum Tried {
    /// It makes sense. What could not be followed of it, and whether something that may order is among that.
    Meant(Scenario, BTreeSet<Gap>, bool),
    /// A thread is bound to fail, with these inputs.
    Fails,
    /// The kernel is meant for fewer blocks or PEs.
    TooLarge,
}

/// Executes a launch.
fn scenario(functions: &HashMap<String, Rc<Function>>, kernel: &Function, launch: Launch, work: &mut Work) -> Tried {
    let mut threads = Vec::new();
    let mut gaps = BTreeSet::new();
    let last = launch.threads - 1;
    let mut follow = |thread: u32, threads: &mut Vec<(Role, Vec<Path>)>| {
        for pe in 0..launch.pes {
            for block in 0..launch.blocks {
                let role = Role { pe, block, thread };
                let found = execute(functions, kernel, &launch, role, work);
                let Executed { paths, truncated, failed, after_errors, .. } = found;
                if truncated {
                    let words = "a thread has more paths than were followed".to_owned();
                    gaps.insert(Gap { words, span: None });
                }
                if paths.is_empty() && failed {
                    return false;
                }
                gaps.extend(paths.iter().flat_map(|path| path.gaps.iter().cloned()));
                gaps.extend(after_errors);
                if !paths.is_empty() && (thread < 32 || !does_the_same(&paths, threads, role)) {
                    threads.push((role, paths));
                }
            }
        }
        true
    };
    let mut all = THREADS.into_iter().filter(|thread| *thread < launch.threads);
    if !all.all(|thread| follow(thread, &mut threads)) {
        return Tried::Fails;
    }
    if !THREADS.contains(&last) && waits_for_nobody(&threads) && !follow(last, &mut threads) {
        return Tried::Fails;
    }
    threads.sort_by_key(|(role, _)| *role);
    let behind = multicast::resolve(&mut threads);
    gaps.extend(behind.gaps);
    let scenario = Scenario { launch, threads };
    let meant = (scenario.launch.blocks == 1 || !scenario.blocks_do_the_same()) && !scenario.serves_some_only();
    if meant { Tried::Meant(scenario, gaps, behind.open) } else { Tried::TooLarge }
}

/// Whether some wait of a launch is answered by no thread of it.
fn waits_for_nobody(threads: &[(Role, Vec<Path>)]) -> bool {
    let (written, waits) = written_and_waited_for(threads);
    waits.values().flatten().any(|address| !written.contains(address))
}

/// Whether a thread of the second warp executes what one before it of the same block does: it adds nothing.
fn does_the_same(paths: &[Path], before: &[(Role, Vec<Path>)], role: Role) -> bool {
    let sites = |paths: &[Path]| -> Vec<Vec<(u32, u32)>> {
        paths.iter().map(|path| path.events.iter().map(|event| event.site).collect()).collect()
    };
    let before = before.iter().rev().find(|(other, _)| (other.pe, other.block) == (role.pe, role.block));
    before.is_some_and(|(_, others)| sites(paths) == sites(others))
}

/// The addresses of waits, by their places.
type Waits = BTreeMap<(u32, u32), BTreeSet<u64>>;

/// The addresses that threads write, and those that they wait for.
fn written_and_waited_for(threads: &[(Role, Vec<Path>)]) -> (BTreeSet<u64>, Waits) {
    let mut written: BTreeSet<u64> = BTreeSet::new();
    let mut waits = Waits::new();
    for path in threads.iter().flat_map(|(_, paths)| paths) {
        for event in &path.events {
            match &event.kind {
                EventKind::Access(access) if access.writes() => {
                    written.extend((0..access.count).map(|lane| access.address + u64::from(lane * access.width)));
                }
                EventKind::Assume { read, .. } => {
                    if let Some(Event { site, kind: EventKind::Access(access), .. }) = path.events.get(read.event) {
                        waits
                            .entry(*site)
                            .or_default()
                            .insert(access.address + u64::from(access.scalar_of(read.lane) * access.width));
                    }
                }
                _ => {}
            }
        }
    }
    (written, waits)
}

/// Numbers for the parameters: the default, and those that the kernel compares them with.
fn assignments(compared: &BTreeMap<Input, BTreeSet<u128>>) -> Vec<BTreeMap<Input, u128>> {
    let mut all = vec![BTreeMap::new()];
    for (&input, numbers) in compared {
        let mut choices: Vec<u128> = numbers.iter().copied().filter(|n| *n < 1 << 20).take(3).collect();
        if !choices.contains(&Launch::DEFAULT) {
            choices.push(Launch::DEFAULT);
        }
        // A parameter that is compared with 0 only is often a flag: 1 is its other value.
        if numbers.len() == 1 && numbers.contains(&0) {
            choices.push(1);
        }
        let mut more = Vec::new();
        for assignment in &all {
            for &choice in &choices {
                let mut assignment = assignment.clone();
                assignment.insert(input, choice);
                more.push(assignment);
            }
        }
        more.truncate(MOST_ASSIGNMENTS);
        all = more;
    }
    all
}

impl Scenario {
    /// Whether a thread reads twice how many rounds its block has ended with one of a part of the PEs.
    fn has_rounds_of_part(&self) -> bool {
        self.threads.iter().any(|(role, paths)| {
            let memory = thread::part_memory(role.pe);
            paths.iter().any(|path| {
                let mut read = BTreeSet::new();
                path.events.iter().any(|event| match &event.kind {
                    EventKind::Access(access)
                        if access.kind == AccessKind::Load && memory.contains(&access.address) =>
                    {
                        access.semantics == Semantics::Weak && !read.insert(access.address)
                    }
                    _ => false,
                })
            })
        })
    }

    /// Whether a wait is answered on one PE or block, and on another one nobody sets the flag: the kernel is meant for
    /// fewer of them.
    fn serves_some_only(&self) -> bool {
        let (written, waits) = written_and_waited_for(&self.threads);
        waits.values().any(|addresses| {
            let answered = addresses.iter().filter(|address| written.contains(address)).count();
            answered > 0 && answered < addresses.len()
        })
    }

    /// Whether the second block stores, whatever it reads, to the very places where the first one does, in memory that several
    /// PEs access: the kernel is not meant for several blocks.
    fn blocks_do_the_same(&self) -> bool {
        let mut touched: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        let mut stored: [BTreeSet<(u32, u64)>; 2] = Default::default();
        for (role, paths) in &self.threads {
            let mut always: Option<BTreeSet<(u32, u64)>> = None;
            for path in paths {
                let mut here = BTreeSet::new();
                for event in &path.events {
                    let EventKind::Access(access) = &event.kind else { continue };
                    touched.entry(access.address).or_default().insert(role.pe);
                    if access.kind == AccessKind::Store {
                        here.insert((role.pe, access.address));
                    }
                }
                always = Some(match always {
                    None => here,
                    Some(before) => before.intersection(&here).copied().collect(),
                });
            }
            stored[usize::from(role.block > 0)].extend(always.unwrap_or_default());
        }
        let [first, second] = stored;
        first.intersection(&second).any(|(_, address)| touched.get(address).is_some_and(|pes| pes.len() > 1))
    }
}
