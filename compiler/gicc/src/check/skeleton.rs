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

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use memory_model as mm;
use memory_model::{Proxy, Scope, Semantics};

use super::execute::Scenario;
use super::execute::event::{Access, AccessKind, Event, EventKind, Function};
use super::execute::thread::{Path, Role};
use super::execute::value::{Binary, Compare, Expression, Read, cut};

/// One choice of a path for each thread of a launch.
#[derive(Debug)]
pub(crate) struct Play<'s> {
    /// The threads.
    pub(crate) threads: Vec<(Role, &'s Path)>,
    cells: Cells,
    /// Cells that some path of some thread writes.
    written_somewhere: BTreeSet<usize>,
}

/// The cells of a play.
#[derive(Debug, Default)]
struct Cells {
    /// Start and end, sorted; addresses of shared memory carry their block.
    ranges: Vec<(Key, u64)>,
    flags: BTreeSet<usize>,
    /// Cells that copies connect: the representative of each.
    group: Vec<usize>,
    accessed: Vec<Vec<Touch>>,
}

/// An address: which block's shared memory, or 0 for memory that everybody has.
type Key = (u32, u64);

/// Who touches a cell.
#[derive(Clone, Copy, Debug)]
struct Touch {
    thread: usize,
    writes: bool,
    asynchronous: bool,
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
            },
            locations: BTreeMap::new(),
            mbarriers: BTreeMap::new(),
            fresh: 0x1000,
        };
        for (index, (role, path)) in self.threads.iter().enumerate() {
            builder.thread(index, *role, path);
        }
        builder.flags_set_before();
        builder.skeleton
    }
}

/// Ranges that are written.
fn stored_ranges(threads: &[(Role, &Path)]) -> Vec<(Key, u64)> {
    let mut all = Vec::new();
    for (role, path) in threads {
        for event in &path.events {
            all.extend(
                ranges_of(*role, event).into_iter().filter(|(_, _, writes)| *writes).map(|(key, end, _)| (key, end)),
            );
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn key(role: Role, address: u64) -> Key {
    use super::execute::decode::{SHARED_WINDOW, VARIABLES};
    if (SHARED_WINDOW..VARIABLES).contains(&address) {
        (1 + role.pe * 64 + role.block, address)
    } else if address < super::execute::thread::HEAP {
        // Variables of the module: each GPU has its own.
        (100_000 + role.pe, address)
    } else {
        (0, address)
    }
}

/// What an event touches: where, up to where, and whether it writes.
fn ranges_of(role: Role, event: &Event) -> Vec<(Key, u64, bool)> {
    match &event.kind {
        EventKind::Access(access) => {
            let range = access.range();
            vec![(key(role, range.start), range.end, access.writes())]
        }
        EventKind::Copy { to, from, bytes, .. } => vec![
            (key(role, *to), to.saturating_add((*bytes).into()), true),
            (key(role, *from), from.saturating_add((*bytes).into()), false),
        ],
        _ => Vec::new(),
    }
}

impl Cells {
    fn of(threads: &[(Role, &Path)]) -> Cells {
        let mut ranges: Vec<(Key, u64)> = Vec::new();
        for (role, path) in threads {
            for event in &path.events {
                ranges.extend(ranges_of(*role, event).into_iter().map(|(key, end, _)| (key, end)));
            }
        }
        ranges.sort_unstable();
        let mut merged: Vec<(Key, u64)> = Vec::new();
        for (key, end) in ranges {
            match merged.last_mut() {
                Some((last, until)) if last.0 == key.0 && key.1 < *until => *until = (*until).max(end),
                _ => merged.push((key, end)),
            }
        }
        let count = merged.len();
        let mut cells = Cells {
            ranges: merged,
            flags: BTreeSet::new(),
            group: (0..count).collect(),
            accessed: vec![Vec::new(); count],
        };
        for (thread, (role, path)) in threads.iter().enumerate() {
            let decisive: BTreeSet<usize> = path
                .events
                .iter()
                .flat_map(|event| match &event.kind {
                    EventKind::Assume { read, .. } => vec![read.event],
                    EventKind::Because(reads) => reads.iter().map(|read| read.event).collect(),
                    _ => Vec::new(),
                })
                .collect();
            for (index, event) in path.events.iter().enumerate() {
                let touched: Vec<usize> =
                    ranges_of(*role, event).into_iter().filter_map(|(key, _, _)| cells.find(key)).collect();
                for ((_, _, writes), &cell) in ranges_of(*role, event).iter().zip(&touched) {
                    let asynchronous = matches!(event.kind, EventKind::Copy { .. });
                    cells.accessed[cell].push(Touch { thread, writes: *writes, asynchronous });
                }
                match &event.kind {
                    EventKind::Access(access) => {
                        let strong = access.semantics != Semantics::Weak && access.proxy == Proxy::Generic;
                        let decides = access.reads() && decisive.contains(&index);
                        if let Some(&cell) = touched.first()
                            && strong
                            && (decides || matches!(access.kind, AccessKind::Atomic(..)))
                        {
                            cells.flags.insert(cell);
                        }
                    }
                    EventKind::Copy { .. } => {
                        if let [to, from] = touched[..] {
                            cells.join(to, from);
                        }
                    }
                    _ => {}
                }
            }
        }
        cells
    }

    fn find(&self, key: Key) -> Option<usize> {
        let at = self.ranges.partition_point(|(start, _)| *start <= key).checked_sub(1)?;
        let (start, end) = self.ranges[at];
        (start.0 == key.0 && key.1 < end).then_some(at)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.group[a], self.group[b]);
        for group in &mut self.group {
            if *group == b {
                *group = a;
            }
        }
    }
}

struct Builder<'p, 's> {
    play: &'p Play<'s>,
    group: Option<usize>,
    skeleton: Skeleton,
    locations: BTreeMap<usize, mm::LocationId>,
    mbarriers: BTreeMap<Key, u32>,
    fresh: u128,
}

/// Data is accessed in words of this size: copies are taken to be as wide, and races of different sizes would void the axioms.
const WORD: u8 = 8;
/// As many accesses of one instruction to one cell are kept between two operations that order.
const REPEATED: usize = 1;

impl Builder<'_, '_> {
    fn thread(&mut self, index: usize, role: Role, path: &Path) {
        let place = mm::Place::block(role.pe, role.block);
        let mut steps = Vec::new();
        let mut recent: BTreeMap<((u32, u32), usize), usize> = BTreeMap::new();
        let mut registers: BTreeSet<Read> = BTreeSet::new();
        let mut touches_memory = false;
        for (number, event) in path.events.iter().enumerate() {
            let ops = match &event.kind {
                EventKind::Access(access) => {
                    let Some(cell) = self.play.cells.find(key(role, access.address)) else { continue };
                    let is_flag = self.play.cells.flags.contains(&cell);
                    if is_flag && !self.play.is_used(cell)
                        || !is_flag && Some(self.play.cells.group[cell]) != self.group
                    {
                        continue;
                    }
                    if is_flag {
                        recent.clear();
                    } else {
                        let seen = recent.entry((event.site, cell)).or_default();
                        *seen += 1;
                        if *seen > REPEATED {
                            continue;
                        }
                    }
                    touches_memory = true;
                    registers.extend((0..access.count).map(|lane| Read { event: number, lane }));
                    vec![self.access(number, cell, is_flag, access, role)]
                }
                EventKind::Fence(semantics, scope) => {
                    recent.clear();
                    vec![mm::Op::Fence { semantics: *semantics, scope: *scope }]
                }
                EventKind::ProxyFence(fence) => vec![mm::Op::ProxyFence(*fence)],
                EventKind::Barrier { id, arrives } => {
                    recent.clear();
                    let action = if *arrives { mm::BarrierAction::Arrive } else { mm::BarrierAction::Sync };
                    vec![mm::Op::Barrier { id: *id, action, level: mm::BarrierLevel::Cta, participants: None }]
                }
                EventKind::Copy { to, from, mbarrier, .. } => {
                    let cells = (self.play.cells.find(key(role, *to)), self.play.cells.find(key(role, *from)));
                    let (Some(to), Some(from)) = cells else { continue };
                    if Some(self.play.cells.group[to]) != self.group {
                        continue;
                    }
                    touches_memory = true;
                    let destination = mm::Address { location: self.location(to, role), offset: 0 };
                    let source = mm::Address { location: self.location(from, role), offset: 0 };
                    let mut ops = vec![mm::Op::BulkCopy { destination, source, bytes: WORD.into() }];
                    if let Some((at, phase)) = mbarrier {
                        ops.push(mm::Op::BulkOnMbarrier { id: self.mbarrier(key(role, *at)), phase: *phase });
                    }
                    ops
                }
                EventKind::Commit => vec![mm::Op::BulkCommit],
                EventKind::Wait { pending, read_only } => {
                    vec![mm::Op::BulkWait { pending: *pending, read_only: *read_only }]
                }
                EventKind::Mbarrier { at, phase, waits, semantics, scope } => {
                    let action = if *waits { mm::BarrierAction::Wait } else { mm::BarrierAction::Arrive };
                    let id = self.mbarrier(key(role, *at));
                    vec![mm::Op::Mbarrier { id, phase: *phase, action, semantics: *semantics, scope: *scope }]
                }
                EventKind::Assume { read, compare, with } => {
                    if !registers.contains(read) {
                        continue;
                    }
                    let comparison = comparison(*compare);
                    vec![mm::Op::Assume { register: register(*read), until: mm::Until { comparison, value: *with } }]
                }
                EventKind::Because(reads) => reads
                    .iter()
                    .filter(|read| registers.contains(read))
                    .map(|read| mm::Op::Branch(register(*read)))
                    .collect(),
            };
            for op in ops {
                steps.push((number, mm::Step { op, text: text(event) }));
            }
        }
        if !touches_memory {
            return;
        }
        let name = format!("PE {} block {} thread {}", role.pe, role.block, role.thread);
        let id = self.skeleton.program.thread(name, place).id();
        let (numbers, steps): (Vec<usize>, Vec<mm::Step>) = steps.into_iter().unzip();
        self.skeleton.program.threads[id.0].steps = steps;
        self.skeleton.threads.push(index);
        self.skeleton.steps.push(numbers);
    }

    fn location(&mut self, cell: usize, role: Role) -> mm::LocationId {
        if let Some(&known) = self.locations.get(&cell) {
            return known;
        }
        let (start, _) = self.play.cells.ranges[cell];
        let is_flag = self.play.cells.flags.contains(&cell);
        let kind = if is_flag { "flag" } else { "data" };
        let name = format!("{kind}{cell}");
        let program = &mut self.skeleton.program;
        let id = if (1..100_000).contains(&start.0) {
            program.shared(name, mm::Place::block(role.pe, role.block))
        } else {
            program.global(name)
        };
        self.locations.insert(cell, id);
        if !is_flag {
            self.skeleton.data.insert(id.0);
        }
        id
    }

    fn mbarrier(&mut self, at: Key) -> u32 {
        let next = self.mbarriers.len() as u32;
        *self.mbarriers.entry(at).or_insert(next)
    }

    fn access(&mut self, number: usize, cell: usize, is_flag: bool, access: &Access, role: Role) -> mm::Op {
        let location = self.location(cell, role);
        let start = self.play.cells.ranges[cell].0.1;
        let modelled = if is_flag {
            mm::Access {
                address: mm::Address { location, offset: access.address - start },
                width: access.width.clamp(1, 16) as u8,
                count: access.count.clamp(1, 8) as u8,
                semantics: access.semantics,
                scope: access.scope,
                proxy: access.proxy,
                depends_on: Vec::new(),
            }
        } else {
            mm::Access {
                address: mm::Address { location, offset: 0 },
                width: WORD,
                count: 1,
                semantics: Semantics::Weak,
                scope: Scope::Sys,
                proxy: access.proxy,
                depends_on: Vec::new(),
            }
        };
        let count = modelled.count;
        let bits = u32::from(modelled.width) * 8;
        let registers: Vec<mm::Register> =
            (0..u32::from(count)).map(|lane| register(Read { event: number, lane })).collect();
        let mut operand = |value: Option<&Result<u128, Rc<Expression>>>| match value {
            Some(Ok(number)) if is_flag => mm::Operand::Constant(cut(*number, bits)),
            Some(Err(expression)) if is_flag => from_expression(expression).unwrap_or_else(|| {
                self.fresh += 1;
                mm::Operand::Constant(cut(self.fresh, bits))
            }),
            _ => {
                self.fresh += 1;
                mm::Operand::Constant(cut(self.fresh, bits))
            }
        };
        match access.kind {
            AccessKind::Load => mm::Op::Load { registers, access: modelled, until: None },
            AccessKind::Store => {
                let values = (0..usize::from(count)).map(|lane| operand(access.values.get(lane))).collect();
                mm::Op::Store { access: modelled, values }
            }
            AccessKind::Atomic(function, returns) if is_flag => {
                let first = operand(access.values.first());
                let function = match function {
                    Function::Add => mm::RmwFunction::Add(first),
                    Function::Exchange => mm::RmwFunction::Exchange(first),
                    Function::Swap => {
                        let desired = operand(access.values.get(1));
                        mm::RmwFunction::CompareAndSwap { expected: first, desired }
                    }
                    Function::And => mm::RmwFunction::And(first),
                    Function::Or => mm::RmwFunction::Or(first),
                    Function::Xor => mm::RmwFunction::Xor(first),
                    Function::Min => mm::RmwFunction::Min(first),
                    Function::Max => mm::RmwFunction::Max(first),
                    Function::Increment => mm::RmwFunction::Increment(first),
                    Function::Decrement => mm::RmwFunction::Decrement(first),
                };
                let register = returns.then(|| registers[0].clone());
                mm::Op::Rmw { returns, register, access: mm::Access { count: 1, ..modelled }, function }
            }
            AccessKind::Atomic(..) => {
                let values = vec![operand(None)];
                mm::Op::Store { access: modelled, values }
            }
        }
    }

    /// A flag that is waited for and that nobody in this launch ever sets was set before it began.
    fn flags_set_before(&mut self) {
        let mut given: BTreeMap<(mm::LocationId, u64), (u8, u128)> = BTreeMap::new();
        for (thread, record) in self.skeleton.program.threads.iter().enumerate() {
            for (step, one) in record.steps.iter().enumerate() {
                let mm::Op::Load { registers, access, .. } = &one.op else { continue };
                let location = access.address.location;
                let Some((&cell, _)) = self.locations.iter().find(|(_, id)| **id == location) else { continue };
                if self.play.written_somewhere.contains(&cell) {
                    continue;
                }
                for (lane, register) in registers.iter().enumerate() {
                    let offset = access.address.offset + lane as u64 * u64::from(access.width);
                    let Some(value) = ending(&record.steps[step..], register, u32::from(access.width) * 8) else {
                        continue;
                    };
                    if value != 0 && given.insert((location, offset), (access.width, value)).is_none() {
                        self.skeleton.set_before.push((thread, step));
                    }
                }
            }
        }
        for ((location, offset), (width, value)) in given {
            self.skeleton.program.initial(location, offset, width, value);
        }
    }
}

/// A value that ends a wait.
fn ending(steps: &[mm::Step], register: &mm::Register, bits: u32) -> Option<u128> {
    let conditions: Vec<mm::Until> = steps
        .iter()
        .filter_map(|later| match &later.op {
            mm::Op::Assume { register: of, until } if of == register => Some(*until),
            _ => None,
        })
        .collect();
    let near = conditions.iter().flat_map(|c| [c.value, c.value.wrapping_add(1), c.value.wrapping_sub(1)]);
    near.map(|value| cut(value, bits)).find(|value| conditions.iter().all(|c| c.comparison.holds(*value, c.value)))
}

fn register(read: Read) -> mm::Register {
    mm::Register(format!("r{}_{}", read.event, read.lane))
}

fn text(event: &Event) -> Option<String> {
    match event.kind {
        EventKind::Assume { .. } | EventKind::Because(_) => None,
        _ => Some(match &event.span {
            Some(span) => format!("{} (line {})", event.text, span.line),
            None => event.text.to_string(),
        }),
    }
}

fn from_expression(expression: &Expression) -> Option<mm::Operand> {
    match expression {
        Expression::Read(read) => Some(mm::Operand::Register(register(*read))),
        Expression::Binary(Binary::Add, a, b, _) => match (a.as_ref(), b.as_ref()) {
            (Expression::Read(read), Expression::Known(number))
            | (Expression::Known(number), Expression::Read(read)) => Some(mm::Operand::Sum(register(*read), *number)),
            _ => None,
        },
        Expression::Convert { value, .. } => from_expression(value),
        _ => None,
    }
}

fn comparison(compare: Compare) -> mm::Comparison {
    match compare {
        Compare::Eq => mm::Comparison::Eq,
        Compare::Ne => mm::Comparison::Ne,
        Compare::UGt | Compare::SGt => mm::Comparison::Gt,
        Compare::UGe | Compare::SGe => mm::Comparison::Ge,
        Compare::ULt | Compare::SLt => mm::Comparison::Lt,
        Compare::ULe | Compare::SLe => mm::Comparison::Le,
    }
}
