//! One thread of one GPU executes a kernel with concrete numbers: its place, the parameters, and the addresses that gicc's
//! team has. What it reads from memory that others may write is not known: a branch on it is taken both ways, one path each,
//! and what the read must have returned is noted on the path.
//!
//! A path ends without a result where a poll goes round in vain (the next round reads the same), where gicc's runtime reports
//! a failure, or where it takes too many steps. Paths are found by executing again from the start with other decisions.
//!
//! | file | what it does |
//! | --- | --- |
//! | `instruction` | one instruction: effects, and where control goes |
//! | `values` | operands, and what has no effect |
//! | `branch` | branches on what was read, long loops |
//! | `memory` | loads, stores, atomic operations, copies |
//! | `call` | functions, gicc's orderings, intrinsics |

mod branch;
mod call;
mod instruction;
mod memory;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use memory_model::Semantics;

use super::decode::{Function, Instruction, Op};
use super::event::{Event, EventKind};
use super::facts::Facts;
use super::gap::Gap;
use super::value::{Input, Scalar, Value, cut};
use crate::check::budget::Work;
use crate::diagnostic::Span;
pub(super) use memory::generic;

/// Where the heap of PE 0 begins.
pub(crate) const HEAP: u64 = 1 << 40;

/// From one heap to the next.
pub(crate) const STRIDE: u64 = 1 << 36;

/// Bytes of a heap.
pub(crate) const HEAP_BYTES: u64 = 1 << 35;

/// From one pointer parameter to the next; what they point to lies in the heap.
pub(crate) const REGION: u64 = 1 << 28;

/// Added to the address of each copy that a multicast access goes to, until it is known whose memory that is.
pub(crate) const MULTICAST: u64 = 1 << 50;

/// Where the thread's own variables lie.
const FRAMES: u64 = 0x8_0000_0000;

/// Where parameters that are passed by value lie.
const PARAMETERS: u64 = 0x4_0000_0000;

/// The error words and the workspace of a PE, in its heap.
const ERROR_WORDS: u64 = HEAP_BYTES - (1 << 20);

const WORKSPACE: u64 = HEAP_BYTES - (1 << 30);

/// Bytes of the workspace without the memory for parts of the PEs, which lies behind: room for packets of many blocks, and as
/// much again.
const WORKSPACE_BYTES: u64 = 1 << 29;

/// Where a PE counts the rounds with parts of the PEs: behind the rest of its workspace.
pub(crate) fn part_memory(pe: u32) -> std::ops::Range<u64> {
    let heap = HEAP + u64::from(pe) * STRIDE;
    heap + WORKSPACE + WORKSPACE_BYTES..heap + ERROR_WORDS
}

/// Which thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Role {
    pub(crate) pe: u32,
    pub(crate) block: u32,
    pub(crate) thread: u32,
}

/// How the kernel is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) pes: u32,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Numbers of the inputs; others are [`Launch::DEFAULT`].
    pub(crate) inputs: BTreeMap<Input, u128>,
}

impl Launch {
    /// The number of an input that nothing was found out about.
    pub(crate) const DEFAULT: u128 = 2;
}

/// What was done on one path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) events: Vec<Event>,
    /// What could not be followed.
    pub(crate) gaps: BTreeSet<Gap>,
}

/// What executing a thread found.
#[derive(Debug, Default)]
pub(crate) struct Executed {
    pub(crate) paths: Vec<Path>,
    /// Numbers that inputs were compared with.
    pub(crate) compared: BTreeMap<Input, BTreeSet<u128>>,
    /// Paths were left out for their number.
    pub(crate) truncated: bool,
    /// Some path ended in a report of the runtime's that the kernel is used wrongly.
    pub(crate) failed: bool,
    /// Where the kernel begins to do something that matters to others after an error that it asked for.
    pub(crate) after_errors: BTreeSet<Gap>,
    /// The kernel looks at the number of the block.
    pub(crate) looks_at_block: bool,
    /// It looks at the number of the thread, or speaks to other threads of its warp.
    pub(crate) looks_at_thread: bool,
}

/// Bounds.
const MOST_PATHS: usize = 12;

const MOST_RUNS: usize = 160;

const MOST_STEPS: u64 = 60_000;

const MOST_EVENTS: usize = 400;

const MOST_ROUNDS: u32 = 12;

/// From so many on, loops that go on are left.
const MANY_EVENTS: usize = 120;

const DEEPEST_CALL: usize = 24;

const MOST_GAPS: usize = 64;

/// Why a path ended.
pub(super) enum End {
    /// The thread returned.
    Done,
    /// The kernel asked for errors, and has one.
    Failed,
    /// Going round in vain.
    Vain,
    /// A report of the runtime's.
    Failure,
    /// Too long, or something that cannot be followed; a gap says what.
    Lost,
}

/// Executes a kernel as one thread, on all paths.
pub(crate) fn execute(
    functions: &HashMap<String, Rc<Function>>,
    kernel: &Function,
    launch: &Launch,
    role: Role,
    work: &mut Work,
) -> Executed {
    let mut found = Executed::default();
    let mut open: Vec<Vec<bool>> = vec![Vec::new()];
    let mut runs = 0;
    while let Some(decisions) = open.pop() {
        if runs == MOST_RUNS || found.paths.len() == MOST_PATHS || work.is_spent() {
            found.truncated = true;
            break;
        }
        runs += 1;
        let mut run = Run::new(functions, launch, role, decisions);
        run.allowed = MOST_STEPS.min(work.left());
        let end = run.kernel(kernel);
        // The other direction of each decision that this run took by itself.
        for at in run.given..run.taken.len() {
            let mut other: Vec<bool> = run.taken[..at].to_vec();
            other.push(!run.taken[at]);
            open.push(other);
        }
        for (input, numbers) in run.compared {
            found.compared.entry(input).or_default().extend(numbers);
        }
        found.looks_at_block |= run.looks_at_block;
        found.looks_at_thread |= run.looks_at_thread;
        work.spend(run.steps);
        match end {
            End::Done | End::Lost => found.paths.push(Path { events: run.events, gaps: run.gaps }),
            End::Failure => found.failed = true,
            End::Failed => found.after_errors.extend(run.after_error),
            End::Vain => {}
        }
    }
    found
}

/// One run along given decisions.
pub(super) struct Run<'a> {
    functions: &'a HashMap<String, Rc<Function>>,
    launch: &'a Launch,
    pub(super) role: Role,
    taken: Vec<bool>,
    given: usize,
    next: usize,
    pub(super) events: Vec<Event>,
    facts: Facts,
    /// Private memory: what was stored, by address, with its bytes.
    memory: BTreeMap<u64, (u32, Value)>,
    next_frame: u64,
    pub(super) fresh: u32,
    compared: BTreeMap<Input, BTreeSet<u128>>,
    looks_at_block: bool,
    pub(super) looks_at_thread: bool,
    /// What could not be followed.
    gaps: BTreeSet<Gap>,
    steps: u64,
    /// As many steps may be taken.
    allowed: u64,
    /// How often each branch went each way, since the last event.
    rounds: HashMap<(u32, bool), u32>,
    /// And since the beginning.
    all_rounds: HashMap<(u32, bool), u32>,
    /// Where in the events a branch on a read was last taken.
    forked_at: usize,
    /// Phases of mbarriers that this thread arrived at.
    pub(super) phases: BTreeMap<u64, u32>,
    /// What one expression on a path is: the same expression gives the same decision.
    depth: usize,
    /// How many barriers of all PEs this thread has passed, by where its block counts them.
    barriers: BTreeMap<u64, u64>,
    /// The kernel asked for errors, and was told that there is one.
    failing: bool,
    /// What it does then, where that matters to others.
    after_error: Option<Gap>,
}

enum Step {
    Next,
    Jump(usize),
    Return(Option<Value>),
}

impl<'a> Run<'a> {
    fn new(functions: &'a HashMap<String, Rc<Function>>, launch: &'a Launch, role: Role, taken: Vec<bool>) -> Self {
        Run {
            functions,
            launch,
            role,
            given: taken.len(),
            taken,
            next: 0,
            events: Vec::new(),
            facts: Facts::default(),
            memory: BTreeMap::new(),
            next_frame: FRAMES,
            fresh: 0,
            compared: BTreeMap::new(),
            looks_at_block: false,
            looks_at_thread: false,
            gaps: BTreeSet::new(),
            steps: 0,
            allowed: MOST_STEPS,
            rounds: HashMap::new(),
            all_rounds: HashMap::new(),
            forked_at: 0,
            phases: BTreeMap::new(),
            depth: 0,
            barriers: BTreeMap::new(),
            failing: false,
            after_error: None,
        }
    }

    fn kernel(&mut self, kernel: &Function) -> End {
        let mut arguments = Vec::new();
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            let input = index as Input;
            arguments.push(if parameter.by_value.is_some() {
                Value::known((PARAMETERS + (index as u64) * (1 << 16)).into())
            } else if parameter.is_pointer {
                Value::known((self.heap(self.role.pe) + index as u64 * REGION).into())
            } else {
                Value::One(self.input(input, parameter.bits))
            });
        }
        match self.function(kernel, arguments) {
            _ if self.failing => End::Failed,
            Ok(_) => End::Done,
            Err(end) => end,
        }
    }

    /// Notes what could not be followed.
    pub(super) fn gap(&mut self, instruction: &Instruction, words: impl Into<String>) {
        self.note(instruction.span.as_ref(), words);
    }

    fn note(&mut self, span: Option<&Span>, words: impl Into<String>) {
        if self.gaps.len() < MOST_GAPS {
            self.gaps.insert(Gap { words: words.into(), span: span.cloned() });
        }
    }

    fn lost(&mut self, span: Option<&Span>, words: &str) -> End {
        self.note(span, words);
        End::Lost
    }

    fn heap(&self, pe: u32) -> u64 {
        HEAP + u64::from(pe) * STRIDE
    }

    fn input(&self, input: Input, bits: u32) -> Scalar {
        let number = self.launch.inputs.get(&input).copied().unwrap_or(Launch::DEFAULT);
        Scalar { number: Ok(cut(number, bits)), inputs: Some(Rc::new(BTreeSet::from([input]))) }
    }

    fn function(&mut self, function: &Function, arguments: Vec<Value>) -> Result<Option<Value>, End> {
        if self.depth == DEEPEST_CALL {
            return Err(self.lost(function.span.as_ref(), "calls are nested too deeply"));
        }
        self.depth += 1;
        let mut values: Vec<Option<Value>> = vec![None; function.values];
        for (slot, argument) in values.iter_mut().zip(arguments) {
            *slot = Some(argument);
        }
        let (mut block, mut from) = (0, usize::MAX);
        let result = 'run: loop {
            let Some(instructions) = function.blocks.get(block) else {
                break Err(self.lost(function.span.as_ref(), "a function without a body"));
            };
            // Phis read what was there before the block was entered.
            let mut chosen = Vec::new();
            let mut first = 0;
            for instruction in instructions {
                let Op::Phi(incoming) = &instruction.op else { break };
                first += 1;
                let arg = incoming.iter().find(|(block, _)| *block == from).map(|(_, arg)| arg);
                chosen.push((instruction.result, arg.map(|arg| self.arg(arg, &values))));
            }
            for (result, value) in chosen {
                if let Some(slot) = result.and_then(|r| values.get_mut(r)) {
                    *slot = value;
                }
            }
            for instruction in &instructions[first..] {
                self.steps += 1;
                if self.steps > self.allowed {
                    break 'run Err(self.lost(instruction.span.as_ref(), "a path of many steps was left here"));
                }
                if self.events.len() > MOST_EVENTS {
                    break 'run Err(
                        self.lost(instruction.span.as_ref(), "a path of many operations on memory was left here")
                    );
                }
                if self.after_error.is_some() {
                    break 'run Err(End::Failed);
                }
                match self.instruction(instruction, block, &mut values) {
                    Ok(Step::Next) => {}
                    Ok(Step::Jump(to)) => {
                        from = block;
                        block = to;
                        continue 'run;
                    }
                    Ok(Step::Return(value)) => break 'run Ok(value),
                    Err(end) => break 'run Err(end),
                }
            }
            break Err(self.lost(function.span.as_ref(), "a block without an end"));
        };
        self.depth -= 1;
        result
    }

    /// Whether an event is an access of another PE's memory, or a strong one.
    fn matters_to_others(&self, kind: &EventKind) -> bool {
        let own = self.heap(self.role.pe)..self.heap(self.role.pe) + STRIDE;
        let is_of_another = |address: &u64| *address >= HEAP && !own.contains(address);
        match kind {
            EventKind::Access(access) => access.semantics != Semantics::Weak || is_of_another(&access.address),
            EventKind::Copy { to, from, .. } => is_of_another(to) || is_of_another(from),
            _ => false,
        }
    }

    /// Adds an event.
    pub(super) fn event(&mut self, instruction: &Instruction, part: u32, text: &str, kind: EventKind) {
        if !matches!(kind, EventKind::Assume { .. } | EventKind::Because(..)) {
            self.rounds.clear();
        }
        if self.failing && self.matters_to_others(&kind) {
            let words = "what the kernel does after an error was not followed".to_owned();
            self.after_error.get_or_insert(Gap { words, span: instruction.span.clone() });
        }
        self.events.push(Event {
            site: (instruction.id, part),
            span: instruction.span.clone(),
            text: text.into(),
            kind,
        });
    }
}
