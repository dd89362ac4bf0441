//! One thread of one GPU executes a kernel with concrete numbers: its place, the parameters, and the addresses that gicc's
//! team has. What it reads from memory that others may write is not known: a branch on it is taken both ways, one path each,
//! and what the read must have returned is noted on the path.
//!
//! A path ends without a result where a poll goes round in vain (the next round reads the same), where gicc's runtime reports
//! a failure, or where it takes too many steps. Paths are found by executing again from the start with other decisions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use inkwell::llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use memory_model::{Proxy, Scope, Semantics};

use super::assembly;
use super::decode::{Arg, Function, Instruction, Op, SHARED_WINDOW, Shape};
use super::event::{Access, AccessKind, Event, EventKind, Function as Change, WARPS};
use super::value::{Binary, Compare, Expression, Input, Read, Scalar, Value, bounded, cut, join, opaque, signed};

/// Where the heap of PE 0 begins.
pub(crate) const HEAP: u64 = 1 << 40;
/// From one heap to the next.
pub(crate) const STRIDE: u64 = 1 << 36;
/// Bytes of a heap.
pub(crate) const HEAP_BYTES: u64 = 1 << 35;
/// From one pointer parameter to the next; what they point to lies in the heap.
pub(crate) const REGION: u64 = 1 << 28;
/// Where the thread's own variables lie.
const FRAMES: u64 = 0x8_0000_0000;
/// Where parameters that are passed by value lie.
const PARAMETERS: u64 = 0x4_0000_0000;
/// The error words and the workspace of a PE, in its heap.
const ERROR_WORDS: u64 = HEAP_BYTES - (1 << 20);
const WORKSPACE: u64 = HEAP_BYTES - (1 << 30);

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
    /// Something could not be followed.
    pub(crate) inexact: Option<String>,
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
    /// The kernel looks at the number of the block.
    pub(crate) looks_at_block: bool,
    /// Steps that were taken.
    pub(crate) steps: u64,
}

/// Bounds.
const MOST_PATHS: usize = 12;
const MOST_RUNS: usize = 160;
const MOST_STEPS: u64 = 60_000;
const MOST_EVENTS: usize = 400;
const MOST_ROUNDS: u32 = 12;
const DEEPEST_CALL: usize = 24;

/// Why a path ended.
pub(super) enum End {
    /// The thread returned.
    Done,
    /// Going round in vain.
    Vain,
    /// A report of the runtime's.
    Failure,
    /// Too long, or something that cannot be followed.
    Lost(String),
}

/// Executes a kernel as one thread, on all paths.
pub(crate) fn execute(
    functions: &HashMap<String, Rc<Function>>,
    kernel: &Function,
    launch: &Launch,
    role: Role,
) -> Executed {
    let mut found = Executed::default();
    let mut work: Vec<Vec<bool>> = vec![Vec::new()];
    let mut runs = 0;
    while let Some(decisions) = work.pop() {
        if runs == MOST_RUNS || found.paths.len() == MOST_PATHS {
            found.truncated = true;
            break;
        }
        runs += 1;
        let mut run = Run::new(functions, launch, role, decisions);
        let end = run.kernel(kernel);
        // The other direction of each decision that this run took by itself.
        for at in run.given..run.taken.len() {
            let mut other: Vec<bool> = run.taken[..at].to_vec();
            other.push(!run.taken[at]);
            work.push(other);
        }
        for (input, numbers) in run.compared {
            found.compared.entry(input).or_default().extend(numbers);
        }
        found.looks_at_block |= run.looks_at_block;
        found.steps += run.steps;
        match end {
            End::Done => found.paths.push(Path { events: run.events, inexact: run.inexact }),
            End::Lost(why) => found.paths.push(Path { events: run.events, inexact: Some(why) }),
            End::Failure => found.failed = true,
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
    /// Conditions on reads that hold on this path.
    facts: Vec<(Rc<Expression>, bool)>,
    /// Private memory: what was stored, by address, with its bytes.
    memory: BTreeMap<u64, (u32, Value)>,
    next_frame: u64,
    pub(super) fresh: u32,
    compared: BTreeMap<Input, BTreeSet<u128>>,
    looks_at_block: bool,
    pub(super) inexact: Option<String>,
    steps: u64,
    /// How often each branch went each way, since the last event.
    rounds: HashMap<(u32, bool), u32>,
    /// Where in the events a branch on a read was last taken.
    forked_at: usize,
    /// Phases of mbarriers that this thread arrived at.
    pub(super) phases: BTreeMap<u64, u32>,
    /// What one expression on a path is: the same expression gives the same decision.
    depth: usize,
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
            facts: Vec::new(),
            memory: BTreeMap::new(),
            next_frame: FRAMES,
            fresh: 0,
            compared: BTreeMap::new(),
            looks_at_block: false,
            inexact: None,
            steps: 0,
            rounds: HashMap::new(),
            forked_at: 0,
            phases: BTreeMap::new(),
            depth: 0,
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
            Ok(_) => End::Done,
            Err(end) => end,
        }
    }

    fn heap(&self, pe: u32) -> u64 {
        HEAP + u64::from(pe) * STRIDE
    }

    fn input(&self, input: Input, bits: u32) -> Scalar {
        let number = self.launch.inputs.get(&input).copied().unwrap_or(Launch::DEFAULT);
        Scalar { number: Ok(cut(number, bits)), inputs: Some(Rc::new(BTreeSet::from([input]))) }
    }

    /// A value that nothing is known of, but for what it depends on.
    pub(super) fn unknown(&mut self, on: &[Scalar]) -> Scalar {
        let mut reads = BTreeSet::new();
        let mut inputs = None;
        for scalar in on {
            reads.extend(scalar.reads());
            inputs = join(inputs.as_ref(), scalar.inputs.as_ref());
        }
        Scalar { number: Err(opaque(reads, &mut self.fresh)), inputs }
    }

    fn function(&mut self, function: &Function, arguments: Vec<Value>) -> Result<Option<Value>, End> {
        if self.depth == DEEPEST_CALL {
            return Err(End::Lost("calls are nested too deeply".to_owned()));
        }
        self.depth += 1;
        let mut values: Vec<Option<Value>> = vec![None; function.values];
        for (slot, argument) in values.iter_mut().zip(arguments) {
            *slot = Some(argument);
        }
        let (mut block, mut from) = (0, usize::MAX);
        let result = 'run: loop {
            let Some(instructions) = function.blocks.get(block) else {
                break Err(End::Lost("a function without a body".to_owned()));
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
                if self.steps > MOST_STEPS {
                    break 'run Err(End::Lost("it takes too many steps".to_owned()));
                }
                if self.events.len() > MOST_EVENTS {
                    break 'run Err(End::Lost("it has too many operations on memory".to_owned()));
                }
                match self.instruction(instruction, &mut values) {
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
            break Err(End::Lost("a block without an end".to_owned()));
        };
        self.depth -= 1;
        result
    }

    fn arg(&mut self, arg: &Arg, values: &[Option<Value>]) -> Value {
        match arg {
            Arg::Value(index) => match values.get(*index) {
                Some(Some(value)) => value.clone(),
                _ => Value::One(self.unknown(&[])),
            },
            Arg::Int(number) => Value::known(*number),
            Arg::Many(all) => {
                let all = all.iter().map(|arg| self.arg(arg, values)).collect();
                Value::Many(Rc::new(all))
            }
            Arg::Expression(op) => self.pure(op, values).unwrap_or_else(|| Value::One(self.unknown(&[]))),
            Arg::Unknown => Value::One(self.unknown(&[])),
        }
    }

    fn scalar(&mut self, arg: &Arg, values: &[Option<Value>]) -> Scalar {
        self.arg(arg, values).scalar()
    }

    /// Applies to each part of vectors.
    fn lanes(&mut self, a: &Value, b: &Value, f: &mut dyn FnMut(&mut Self, &Scalar, &Scalar) -> Scalar) -> Value {
        match (a, b) {
            (Value::Many(a), Value::Many(b)) => {
                let all = a.iter().zip(b.iter()).map(|(a, b)| self.lanes(a, b, f)).collect();
                Value::Many(Rc::new(all))
            }
            (a, b) => Value::One(f(self, &a.scalar(), &b.scalar())),
        }
    }

    pub(super) fn binary(&mut self, kind: Binary, a: &Scalar, b: &Scalar, bits: u32) -> Scalar {
        // What is the same whatever the other side is.
        match (kind, a.get(), b.get()) {
            (Binary::And, Some(0), _)
            | (Binary::And, _, Some(0))
            | (Binary::Mul, Some(0), _)
            | (Binary::Mul, _, Some(0)) => {
                return Scalar::known(0);
            }
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => return b.clone(),
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor | Binary::Shl | Binary::LShr, _, Some(0)) => {
                return a.clone();
            }
            (Binary::Or, Some(1), _) | (Binary::Or, _, Some(1)) if bits == 1 => return Scalar::known(1),
            (Binary::And, Some(1), _) if bits == 1 => return b.clone(),
            (Binary::And, _, Some(1)) if bits == 1 => return a.clone(),
            _ => {}
        }
        a.with(b, |a, b| kind.apply(a, b, bits), |a, b| Expression::Binary(kind, a, b, bits), &mut self.fresh)
    }

    pub(super) fn compare(&mut self, kind: Compare, a: &Scalar, b: &Scalar, bits: u32) -> Scalar {
        for (side, other) in [(a, b), (b, a)] {
            if let (Some(inputs), Some(number), None) = (&side.inputs, other.get(), &other.inputs)
                && inputs.len() == 1
            {
                for &input in inputs.iter() {
                    self.compared.entry(input).or_default().insert(number);
                }
            }
        }
        a.with(
            b,
            |a, b| Some(kind.holds(a, b, bits).into()),
            |a, b| Expression::Compare(kind, a, b, bits),
            &mut self.fresh,
        )
    }

    pub(super) fn convert(&mut self, value: &Scalar, from: u32, to: u32, extend: bool) -> Scalar {
        let number = match &value.number {
            Ok(number) if extend => Ok(cut(signed(*number, from) as u128, to)),
            Ok(number) => Ok(cut(cut(*number, from), to)),
            Err(expression) => Err(bounded(
                Expression::Convert { value: Rc::clone(expression), from, to, signed: extend },
                &mut self.fresh,
            )),
        };
        Scalar { number, inputs: value.inputs.clone() }
    }

    /// What has no effect.
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn pure(&mut self, op: &Op, values: &[Option<Value>]) -> Option<Value> {
        Some(match op {
            Op::Binary(kind, a, b, bits) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                self.lanes(&a, &b, &mut |this, a, b| this.binary(*kind, a, b, *bits))
            }
            Op::Compare(kind, a, b, bits) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                self.lanes(&a, &b, &mut |this, a, b| this.compare(*kind, a, b, *bits))
            }
            Op::Convert { value, from, to, signed } => {
                let value = self.arg(value, values);
                self.lanes(&value, &value, &mut |this, a, _| this.convert(a, *from, *to, *signed))
            }
            Op::Space(value, from, to) => {
                let value = self.scalar(value, values);
                let Some(address) = value.get() else { return Some(Value::One(value)) };
                let address = match (from, to) {
                    (3, 0) => address + u128::from(SHARED_WINDOW),
                    (0, 3) => address.wrapping_sub(SHARED_WINDOW.into()),
                    _ => address,
                };
                Value::One(Scalar { number: Ok(address), inputs: value.inputs })
            }
            Op::Copy(value) => self.arg(value, values),
            Op::Select(condition, a, b) => {
                let condition = self.scalar(condition, values);
                match self.decided(&condition) {
                    Some(true) => self.arg(a, values),
                    Some(false) => self.arg(b, values),
                    None => {
                        let (a, b) = (self.arg(a, values), self.arg(b, values));
                        // A condition that is combined with another one.
                        if let (Value::One(a), Value::One(b)) = (&a, &b) {
                            match (a.get(), b.get()) {
                                (_, Some(0)) if is_bit(a) => {
                                    return Some(Value::One(self.binary(Binary::And, &condition, a, 1)));
                                }
                                (Some(1), _) if is_bit(b) => {
                                    return Some(Value::One(self.binary(Binary::Or, &condition, b, 1)));
                                }
                                (Some(x), Some(y)) if x == y => return Some(Value::One(a.clone())),
                                (Some(1), Some(0)) => return Some(Value::One(condition)),
                                _ => {}
                            }
                        }
                        let mut all = vec![condition];
                        all.extend(a.scalars());
                        all.extend(b.scalars());
                        Value::One(self.unknown(&all))
                    }
                }
            }
            Op::Element { base, offset, terms, .. } => {
                let mut address = self.scalar(base, values);
                let start = Scalar::known(*offset as u64 as u128);
                address = self.binary(Binary::Add, &address, &start, 64);
                for (index, bits, size) in terms {
                    let index = self.scalar(index, values);
                    let index = self.convert(&index, *bits, 64, true);
                    let term = self.binary(Binary::Mul, &index, &Scalar::known(*size as u64 as u128), 64);
                    address = self.binary(Binary::Add, &address, &term, 64);
                }
                Value::One(address)
            }
            Op::Extract(value, path) => {
                let mut value = self.arg(value, values);
                for index in path {
                    let index = self.scalar(index, values).get().and_then(|i| usize::try_from(i).ok());
                    let part = match (&value, index) {
                        (Value::Many(all), Some(index)) => all.get(index).cloned(),
                        _ => None,
                    };
                    value = match part {
                        Some(part) => part,
                        None => Value::One(self.unknown(&value.scalars())),
                    };
                }
                value
            }
            Op::Insert(into, value, path) => {
                let into = self.arg(into, values);
                let value = self.arg(value, values);
                let mut at = Vec::new();
                for index in path {
                    at.push(self.scalar(index, values).get().and_then(|i| usize::try_from(i).ok())?);
                }
                self.insert(&into, value, &at)
            }
            Op::Shuffle(a, b, mask) => {
                let (a, b) = (self.arg(a, values), self.arg(b, values));
                let mut all = match (a, b) {
                    (Value::Many(a), Value::Many(b)) => a.iter().chain(b.iter()).cloned().collect(),
                    (a, b) => vec![a, b],
                };
                let picked = mask.iter().map(|index| match index.and_then(|i| all.get_mut(i).map(|v| v.clone())) {
                    Some(value) => value,
                    None => Value::One(self.unknown(&[])),
                });
                Value::Many(Rc::new(picked.collect()))
            }
            Op::Opaque(args) => {
                let mut all = Vec::new();
                for arg in args {
                    all.extend(self.arg(arg, values).scalars());
                }
                Value::One(self.unknown(&all))
            }
            _ => return None,
        })
    }

    fn insert(&mut self, into: &Value, value: Value, path: &[usize]) -> Value {
        let [first, rest @ ..] = path else { return value };
        if *first > 64 {
            return Value::One(self.unknown(&value.scalars()));
        }
        let mut all = match into {
            Value::Many(all) => all.as_ref().clone(),
            Value::One(_) => Vec::new(),
        };
        while all.len() <= *first {
            all.push(Value::One(self.unknown(&[])));
        }
        let inner = all[*first].clone();
        all[*first] = self.insert(&inner, value, rest);
        Value::Many(Rc::new(all))
    }

    fn instruction(&mut self, instruction: &Instruction, values: &mut [Option<Value>]) -> Result<Step, End> {
        let value = match &instruction.op {
            Op::Jump(to) => return Ok(Step::Jump(*to)),
            Op::Branch(condition, yes, no) => {
                let condition = self.scalar(condition, values);
                let taken = self.branch(&condition, instruction)?;
                return Ok(Step::Jump(if taken { *yes } else { *no }));
            }
            Op::Switch(on, default, cases) => {
                let on = self.scalar(on, values);
                for (case, to) in cases {
                    let equal = self.compare(Compare::Eq, &on, &Scalar::known(*case), 64);
                    if self.branch(&equal, instruction)? {
                        return Ok(Step::Jump(*to));
                    }
                }
                return Ok(Step::Jump(*default));
            }
            Op::Return(value) => return Ok(Step::Return(value.as_ref().map(|value| self.arg(value, values)))),
            Op::Unreachable => return Err(End::Failure),
            Op::Frame { bytes } => {
                let at = self.next_frame;
                self.next_frame += bytes.max(&1).next_multiple_of(256);
                Some(Value::known(at.into()))
            }
            Op::Load { address, shape, semantics, scope, volatile, space } => {
                let address = self.scalar(address, values);
                let constant = *space == 4 || *space == 101;
                Some(self.load(instruction, &address, *shape, *semantics, *scope, *space, constant, *volatile)?)
            }
            Op::Store { address, value, shape, semantics, scope, volatile, space } => {
                let address = self.scalar(address, values);
                let value = self.arg(value, values);
                self.store(instruction, &address, value, *shape, *semantics, *scope, *space, *volatile)?;
                None
            }
            Op::Atomic { address, value, kind, shape, semantics, scope } => {
                let address = self.scalar(address, values);
                let mut value = self.scalar(value, values);
                let change = match kind {
                    Some(Rmw::LLVMAtomicRMWBinOpAdd) => Some(Change::Add),
                    Some(Rmw::LLVMAtomicRMWBinOpSub) => {
                        value = self.binary(Binary::Sub, &Scalar::known(0), &value, shape.width * 8);
                        Some(Change::Add)
                    }
                    Some(Rmw::LLVMAtomicRMWBinOpXchg) => Some(Change::Exchange),
                    Some(Rmw::LLVMAtomicRMWBinOpAnd) => Some(Change::And),
                    Some(Rmw::LLVMAtomicRMWBinOpOr) => Some(Change::Or),
                    Some(Rmw::LLVMAtomicRMWBinOpXor) => Some(Change::Xor),
                    Some(Rmw::LLVMAtomicRMWBinOpUMin) => Some(Change::Min),
                    Some(Rmw::LLVMAtomicRMWBinOpUMax) => Some(Change::Max),
                    Some(Rmw::LLVMAtomicRMWBinOpUIncWrap) => Some(Change::Increment),
                    Some(Rmw::LLVMAtomicRMWBinOpUDecWrap) => Some(Change::Decrement),
                    _ => None,
                };
                Some(self.atomic(
                    instruction,
                    "atomicrmw",
                    &address,
                    vec![value],
                    change,
                    *shape,
                    *semantics,
                    *scope,
                )?)
            }
            Op::Swap { address, expected, desired, shape, semantics, scope } => {
                let address = self.scalar(address, values);
                let pair = vec![self.scalar(expected, values), self.scalar(desired, values)];
                let expected = pair[0].clone();
                let old = self.atomic(
                    instruction,
                    "cmpxchg",
                    &address,
                    pair,
                    Some(Change::Swap),
                    *shape,
                    *semantics,
                    *scope,
                )?;
                let success = self.compare(Compare::Eq, &old.scalar(), &expected, shape.width * 8);
                Some(Value::Many(Rc::new(vec![old, Value::One(success)])))
            }
            Op::Fence(semantics, scope) => {
                self.event(instruction, 0, &format!("fence.{semantics}.{scope}"), EventKind::Fence(*semantics, *scope));
                None
            }
            Op::Call { name, arguments } => {
                let arguments: Vec<Value> = arguments.iter().map(|arg| self.arg(arg, values)).collect();
                self.call(instruction, name, arguments)?
            }
            Op::Assembly { text, arguments } => {
                let arguments: Vec<Value> = arguments.iter().map(|arg| self.arg(arg, values)).collect();
                match text {
                    Ok(asm) => Some(assembly::run(self, instruction, asm, &arguments)?),
                    Err(_) => {
                        self.inexact.get_or_insert_with(|| "inline assembly that cannot be read".to_owned());
                        let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                        Some(Value::One(self.unknown(&scalars)))
                    }
                }
            }
            op => Some(match self.pure(op, values) {
                Some(value) => value,
                None => Value::One(self.unknown(&[])),
            }),
        };
        if let Some(slot) = instruction.result.and_then(|r| values.get_mut(r)) {
            *slot = value;
        }
        Ok(Step::Next)
    }

    /// Whether a condition is known on this path.
    fn decided(&self, condition: &Scalar) -> Option<bool> {
        let expression = match &condition.number {
            Ok(number) => return Some(number & 1 == 1),
            Err(expression) => expression,
        };
        for (fact, holds) in &self.facts {
            if fact == expression {
                return Some(*holds);
            }
        }
        let mut reads = BTreeSet::new();
        expression.reads(&mut reads);
        let mut only = reads.into_iter();
        let (Some(read), None) = (only.next(), only.next()) else { return None };
        // Numbers near those that it was and is compared with.
        let mut numbers: BTreeSet<u128> = (0..4).collect();
        expression.numbers(&mut numbers);
        let mut relevant = Vec::new();
        for (fact, holds) in &self.facts {
            let mut of = BTreeSet::new();
            fact.reads(&mut of);
            if of.len() == 1 && of.contains(&read) {
                fact.numbers(&mut numbers);
                relevant.push((fact, *holds));
            }
        }
        if relevant.is_empty() {
            return None;
        }
        let near: BTreeSet<u128> =
            numbers.iter().flat_map(|n| [n.wrapping_sub(1), *n, n.wrapping_add(1)]).map(|n| cut(n, 64)).collect();
        let mut answers = BTreeSet::new();
        for number in near {
            let of = |asked: Read| (asked == read).then_some(number);
            if relevant.iter().all(|(fact, holds)| fact.evaluate(&of).is_some_and(|v| (v & 1 == 1) == *holds)) {
                answers.insert(expression.evaluate(&of)? & 1 == 1);
            }
        }
        match (answers.pop_first(), answers.pop_first()) {
            (Some(answer), None) => Some(answer),
            _ => None,
        }
    }

    /// Takes a branch.
    fn branch(&mut self, condition: &Scalar, instruction: &Instruction) -> Result<bool, End> {
        let decided = self.decided(condition);
        let mut taken = match decided {
            Some(taken) => taken,
            None => {
                let taken = match self.taken.get(self.next) {
                    Some(taken) => *taken,
                    None => {
                        self.taken.push(false);
                        false
                    }
                };
                self.next += 1;
                taken
            }
        };
        let rounds = self.rounds.entry((instruction.id, taken)).or_default();
        *rounds += 1;
        if *rounds > MOST_ROUNDS {
            if decided.is_none() {
                return Err(End::Vain);
            }
            // A long loop: it is left, as if it had ended.
            self.rounds.remove(&(instruction.id, taken));
            taken = !taken;
            self.inexact.get_or_insert_with(|| "a long loop was left early".to_owned());
        }
        if decided.is_none()
            && let Err(expression) = &condition.number
        {
            let expression = Rc::clone(expression);
            self.forked_at = self.events.len();
            self.assume(instruction, &expression, taken);
            self.facts.push((expression, taken));
        }
        Ok(taken)
    }

    /// Notes what reads must have returned for a condition to be so.
    fn assume(&mut self, instruction: &Instruction, expression: &Rc<Expression>, holds: bool) {
        match expression.as_ref() {
            Expression::Binary(Binary::Xor, a, b, 1) if matches!(b.as_ref(), Expression::Known(1)) => {
                return self.assume(instruction, a, !holds);
            }
            Expression::Binary(Binary::And, a, b, 1) if holds => {
                self.assume(instruction, a, true);
                return self.assume(instruction, b, true);
            }
            Expression::Binary(Binary::Or, a, b, 1) if !holds => {
                self.assume(instruction, a, false);
                return self.assume(instruction, b, false);
            }
            Expression::Compare(kind, a, b, _) => {
                let (side, with, kind) = match (a.as_ref(), b.as_ref()) {
                    (_, Expression::Known(with)) => (a, *with, *kind),
                    (Expression::Known(with), _) => (b, *with, kind.turned()),
                    _ => return self.because(instruction, expression),
                };
                let kind = if holds { kind } else { kind.negated() };
                if let Some(read) = plain_read(side) {
                    let unsigned = match kind {
                        Compare::SGt => Compare::UGt,
                        Compare::SGe => Compare::UGe,
                        Compare::SLt => Compare::ULt,
                        Compare::SLe => Compare::ULe,
                        other => other,
                    };
                    let event = EventKind::Assume { read, compare: unsigned, with };
                    return self.event(instruction, 0, "branch", event);
                }
                // A truth value that is compared with zero.
                if with <= 1 && matches!(kind, Compare::Eq | Compare::Ne) {
                    let inner = through_conversions(side);
                    if matches!(inner.as_ref(), Expression::Compare(..)) {
                        return self.assume(instruction, &inner, (kind == Compare::Eq) == (with == 1));
                    }
                }
            }
            Expression::Convert { value, .. } => {
                let inner = through_conversions(value);
                if matches!(inner.as_ref(), Expression::Compare(..)) {
                    return self.assume(instruction, &inner, holds);
                }
            }
            _ => {}
        }
        self.because(instruction, expression);
    }

    fn because(&mut self, instruction: &Instruction, expression: &Expression) {
        let mut reads = BTreeSet::new();
        expression.reads(&mut reads);
        if !reads.is_empty() {
            self.event(instruction, 0, "branch", EventKind::Because(reads.into_iter().collect()));
        }
    }

    /// Adds an event.
    pub(super) fn event(&mut self, instruction: &Instruction, part: u32, text: &str, kind: EventKind) {
        if !matches!(kind, EventKind::Assume { .. } | EventKind::Because(_)) {
            self.rounds.clear();
        }
        self.events.push(Event {
            site: (instruction.id, part),
            span: instruction.span.clone(),
            text: text.into(),
            kind,
        });
    }

    /// Whether the same instruction read the same address before, a branch on a read was taken since, and nothing else
    /// happened: one more round of a poll, which says nothing new.
    pub(super) fn is_vain(&self, site: (u32, u32), address: u64) -> bool {
        for (index, event) in self.events.iter().enumerate().rev() {
            match &event.kind {
                EventKind::Access(access) if event.site == site && access.address == address => {
                    return self.forked_at > index;
                }
                EventKind::Access(access) if access.kind == AccessKind::Store => return false,
                EventKind::Barrier { .. } | EventKind::Copy { .. } | EventKind::Commit => return false,
                _ => {}
            }
        }
        false
    }

    fn is_private(address: u64) -> bool {
        (PARAMETERS..PARAMETERS + (1 << 24)).contains(&address) || (FRAMES..HEAP).contains(&address)
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    fn load(
        &mut self,
        instruction: &Instruction,
        address: &Scalar,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        space: u32,
        constant: bool,
        volatile: bool,
    ) -> Result<Value, End> {
        let Some(at) = address.get() else {
            return Ok(self.lost_access(instruction, address, shape));
        };
        let at = generic(at, space);
        if constant || Self::is_private(at) {
            return Ok(self.private_load(at, shape));
        }
        let text = format!("ld{}{}", strength_text(semantics, scope, volatile), width_text(shape));
        let reads = self.access(
            instruction,
            0,
            &text,
            Access {
                kind: AccessKind::Load,
                address: at,
                width: shape.width,
                count: shape.count,
                semantics,
                scope,
                proxy: Proxy::Generic,
                values: Vec::new(),
            },
        )?;
        Ok(if shape.vector {
            Value::Many(Rc::new(reads.into_iter().map(Value::One).collect()))
        } else {
            Value::One(reads.into_iter().next().unwrap_or_else(|| Scalar::known(0)))
        })
    }

    /// An access whose address depends on what is not known.
    fn lost_access(&mut self, instruction: &Instruction, address: &Scalar, shape: Shape) -> Value {
        let _ = instruction;
        self.inexact.get_or_insert_with(|| "an address that depends on memory".to_owned());
        let one = self.unknown(std::slice::from_ref(address));
        if shape.vector { Value::Many(Rc::new(vec![Value::One(one); shape.count as usize])) } else { Value::One(one) }
    }

    /// Adds an access; what it reads, for each scalar.
    pub(super) fn access(
        &mut self,
        instruction: &Instruction,
        part: u32,
        text: &str,
        access: Access,
    ) -> Result<Vec<Scalar>, End> {
        let site = (instruction.id, part);
        let (reads, count) = (access.reads(), access.count);
        if reads && self.is_vain(site, access.address) {
            return Err(End::Vain);
        }
        if !self.reachable(access.address) {
            return Err(End::Failure);
        }
        let event = self.events.len();
        self.event(instruction, part, text, EventKind::Access(access));
        Ok(if reads {
            (0..count)
                .map(|lane| Scalar { number: Err(Rc::new(Expression::Read(Read { event, lane }))), inputs: None })
                .collect()
        } else {
            Vec::new()
        })
    }

    /// Whether some PE of the team, or a variable, has the address.
    fn reachable(&self, address: u64) -> bool {
        address < HEAP && address > 0xffff
            || (0..self.launch.pes).any(|pe| (self.heap(pe)..self.heap(pe) + HEAP_BYTES).contains(&address))
    }

    fn private_load(&mut self, at: u64, shape: Shape) -> Value {
        let mut parts = Vec::new();
        for lane in 0..shape.count {
            let address = at + u64::from(lane * shape.width);
            let part = match self.memory.get(&address) {
                Some((width, value)) if *width == shape.width => value.clone(),
                _ => self.part_of(address, shape.width),
            };
            parts.push(part);
        }
        if shape.vector { Value::Many(Rc::new(parts)) } else { parts.swap_remove(0) }
    }

    /// Bytes of a known number that was stored beside or around.
    fn part_of(&mut self, address: u64, width: u32) -> Value {
        if let Some((start, (bytes, value))) = self.memory.range(..=address).next_back()
            && let Value::One(scalar) = value
            && let Some(number) = scalar.get()
            && address + u64::from(width) <= start + u64::from(*bytes)
        {
            return Value::known(cut(number >> (8 * (address - start)), width * 8));
        }
        if (PARAMETERS..PARAMETERS + (1 << 24)).contains(&address) {
            let within = address - PARAMETERS;
            let input = 1000 + (within as Input);
            return Value::One(self.input(input, width * 8));
        }
        Value::One(self.unknown(&[]))
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    fn store(
        &mut self,
        instruction: &Instruction,
        address: &Scalar,
        value: Value,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        space: u32,
        volatile: bool,
    ) -> Result<(), End> {
        let Some(at) = address.get() else {
            self.lost_access(instruction, address, shape);
            return Ok(());
        };
        let at = generic(at, space);
        if Self::is_private(at) {
            match &value {
                Value::Many(parts) if shape.vector => {
                    for (lane, part) in parts.iter().enumerate() {
                        self.memory.insert(at + lane as u64 * u64::from(shape.width), (shape.width, part.clone()));
                    }
                }
                _ => {
                    self.memory.insert(at, (shape.width, value));
                }
            }
            return Ok(());
        }
        let mut values: Vec<_> = value.scalars().into_iter().map(|scalar| scalar.number).collect();
        values.truncate(shape.count as usize);
        while values.len() < shape.count as usize {
            values.push(Err(opaque(BTreeSet::new(), &mut self.fresh)));
        }
        let text = format!("st{}{}", strength_text(semantics, scope, volatile), width_text(shape));
        self.access(
            instruction,
            0,
            &text,
            Access {
                kind: AccessKind::Store,
                address: at,
                width: shape.width,
                count: shape.count,
                semantics,
                scope,
                proxy: Proxy::Generic,
                values,
            },
        )?;
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    fn atomic(
        &mut self,
        instruction: &Instruction,
        name: &str,
        address: &Scalar,
        values: Vec<Scalar>,
        change: Option<Change>,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
    ) -> Result<Value, End> {
        let Some(at) = address.get() else {
            return Ok(self.lost_access(instruction, address, shape));
        };
        let change = match change {
            Some(change) => change,
            None => {
                self.inexact.get_or_insert_with(|| "an atomic operation on floating-point numbers".to_owned());
                Change::Exchange
            }
        };
        let mut values: Vec<_> = values.into_iter().map(|scalar| scalar.number).collect();
        for number in values.iter_mut().flatten() {
            *number = cut(*number, shape.width * 8);
        }
        let text = format!("{name} {semantics}.{scope}");
        let access = Access {
            kind: AccessKind::Atomic(change, true),
            address: generic(at, 0),
            width: shape.width,
            count: 1,
            semantics,
            scope,
            proxy: Proxy::Generic,
            values,
        };
        let reads = self.access(instruction, 0, &text, access)?;
        Ok(Value::One(reads.into_iter().next().unwrap_or_else(|| Scalar::known(0))))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each intrinsic")]
    fn call(&mut self, instruction: &Instruction, name: &str, arguments: Vec<Value>) -> Result<Option<Value>, End> {
        let number = |index: usize| arguments.get(index).and_then(|v| v.scalar().get());
        if name.starts_with("gicc_rt_fail") {
            return Err(End::Failure);
        }
        if let Some(function) = self.functions.get(name) {
            let function = Rc::clone(function);
            return self.function(&function, arguments);
        }
        let known = |number: u64| Ok(Some(Value::known(number.into())));
        match name {
            "__gicc_my_pe" => return known(self.role.pe.into()),
            "__gicc_n_pes" => return known(self.launch.pes.into()),
            "__gicc_heap_base" => return known(HEAP),
            "__gicc_heap_stride" => return known(STRIDE),
            "__gicc_heap_bytes" => return known(HEAP_BYTES),
            "__gicc_workspace" => return known(self.heap(self.role.pe) + WORKSPACE),
            "__gicc_error_words" => return known(self.heap(self.role.pe) + ERROR_WORDS),
            "__gicc_timeout_ns" => return known(1 << 40),
            _ => {}
        }
        if let Some(intrinsic) = name.strip_prefix("__gicc_") {
            return self.ordering(instruction, intrinsic, &arguments);
        }
        let Some(intrinsic) = name.strip_prefix("llvm.") else {
            if !name.is_empty() {
                self.inexact.get_or_insert_with(|| format!("a call of `{name}`"));
            }
            let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
            return Ok(Some(Value::One(self.unknown(&scalars))));
        };
        if let Some(register) = intrinsic.strip_prefix("nvvm.read.ptx.sreg.") {
            let value = self.special(register);
            return Ok(Some(match value {
                Some(number) => Value::known(number.into()),
                None => Value::One(self.unknown(&[])),
            }));
        }
        let barrier = |this: &mut Self, id: u32, arrives: bool| {
            let text = if arrives { format!("bar.arrive {id}") } else { format!("bar.sync {id}") };
            this.event(instruction, 0, &text, EventKind::Barrier { id, arrives });
        };
        match intrinsic {
            "nvvm.membar.cta" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Cta),
            "nvvm.membar.gl" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Gpu),
            "nvvm.membar.sys" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Sys),
            "nvvm.bar.warp.sync" => {
                let id = WARPS + self.role.thread / 32;
                self.event(instruction, 0, "bar.warp.sync", EventKind::Barrier { id, arrives: false });
            }
            _ if intrinsic.starts_with("nvvm.barrier.cta.arrive") => {
                barrier(self, number(0).unwrap_or(0) as u32, true);
            }
            _ if intrinsic.starts_with("nvvm.barrier.cta.sync") => barrier(self, number(0).unwrap_or(0) as u32, false),
            _ if intrinsic.starts_with("nvvm.barrier.cta.red") => {
                barrier(self, number(0).unwrap_or(0) as u32, false);
                let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                return Ok(Some(Value::One(self.unknown(&scalars))));
            }
            _ if intrinsic.starts_with("nvvm.barrier0")
                || intrinsic == "nvvm.barrier.sync"
                || intrinsic.starts_with("nvvm.barrier.n") =>
            {
                barrier(
                    self,
                    if intrinsic.starts_with("nvvm.barrier0") { 0 } else { number(0).unwrap_or(0) as u32 },
                    false,
                );
            }
            _ if intrinsic.starts_with("nvvm.atomic.") => return self.nvvm_atomic(instruction, intrinsic, &arguments),
            _ if intrinsic.starts_with("memcpy") || intrinsic.starts_with("memmove") => {
                self.copy(instruction, &arguments)?;
            }
            _ if intrinsic.starts_with("memset") => {}
            _ if intrinsic.starts_with("expect")
                || intrinsic.starts_with("ssa.copy")
                || intrinsic.starts_with("annotation")
                || intrinsic.starts_with("ptr.annotation")
                || intrinsic.starts_with("launder")
                || intrinsic.starts_with("strip") =>
            {
                return Ok(arguments.into_iter().next());
            }
            _ if is_min_max(intrinsic).is_some() => {
                let (signed_kind, largest) = is_min_max(intrinsic).unwrap_or((false, false));
                let bits = intrinsic.rsplit('i').next().and_then(|b| b.parse().ok()).unwrap_or(64);
                let (a, b) =
                    (arguments[0].scalar(), arguments.get(1).map(Value::scalar).unwrap_or_else(|| Scalar::known(0)));
                let kind = if signed_kind { Compare::SLt } else { Compare::ULt };
                let less = self.compare(kind, &a, &b, bits);
                let inputs = join(a.inputs.as_ref(), b.inputs.as_ref());
                let mut picked = match less.get() {
                    Some(less) if (less == 1) != largest => a,
                    Some(_) => b,
                    None => self.unknown(&[a, b]),
                };
                picked.inputs = inputs;
                return Ok(Some(Value::One(picked)));
            }
            "nvvm.elect.sync" => {
                let lane = self.role.thread % 32;
                return Ok(Some(Value::Many(Rc::new(vec![Value::known(0), Value::known(u128::from(lane == 0))]))));
            }
            "nvvm.exit" | "trap" => return Err(End::Failure),
            _ if intrinsic.starts_with("lifetime")
                || intrinsic.starts_with("dbg")
                || intrinsic.starts_with("assume")
                || intrinsic.starts_with("experimental.noalias")
                || intrinsic.starts_with("nvvm.nanosleep") => {}
            _ => {
                let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                return Ok(Some(Value::One(self.unknown(&scalars))));
            }
        }
        Ok(None)
    }

    fn fence(&mut self, instruction: &Instruction, semantics: Semantics, scope: Scope) {
        self.event(instruction, 0, &format!("fence.{semantics}.{scope}"), EventKind::Fence(semantics, scope));
    }

    /// Predefined registers.
    pub(super) fn special(&mut self, register: &str) -> Option<u32> {
        Some(match register {
            "tid.x" => self.role.thread,
            "ntid.x" => self.launch.threads,
            "ctaid.x" => {
                self.looks_at_block = true;
                self.role.block
            }
            "nctaid.x" => self.launch.blocks,
            "tid.y" | "tid.z" | "ctaid.y" | "ctaid.z" => 0,
            "ntid.y" | "ntid.z" | "nctaid.y" | "nctaid.z" => 1,
            "laneid" => self.role.thread % 32,
            "warpid" => self.role.thread / 32,
            "warpsize" => 32,
            _ => return None,
        })
    }

    /// An ordering of gicc's, behind the placing of fences.
    fn ordering(&mut self, instruction: &Instruction, name: &str, arguments: &[Value]) -> Result<Option<Value>, End> {
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let order = |index: usize| match scalar(index).get() {
            Some(1) => Semantics::Release,
            Some(2) => Semantics::Acquire,
            Some(3) => Semantics::AcquireRelease,
            Some(4) => Semantics::SequentiallyConsistent,
            _ => Semantics::Relaxed,
        };
        let scope = |index: usize| match scalar(index).get() {
            Some(0) => Scope::Cta,
            Some(1) => Scope::Cluster,
            Some(2) => Scope::Gpu,
            _ => Scope::Sys,
        };
        let shape = |width: u32| Shape { width, count: 1, vector: false, pointer: false };
        Ok(match name {
            "fence" => {
                self.fence(instruction, order(0), scope(1));
                None
            }
            "store_u32" | "store_u64" => {
                let width = if name.ends_with("64") { 8 } else { 4 };
                self.store(instruction, &scalar(0), Value::One(scalar(1)), shape(width), order(2), scope(3), 0, false)?;
                None
            }
            "load_u32" | "load_u64" => {
                let width = if name.ends_with("64") { 8 } else { 4 };
                Some(self.load(instruction, &scalar(0), shape(width), order(1), scope(2), 0, false, false)?)
            }
            "red_add_u64" => {
                self.atomic(
                    instruction,
                    "red.add",
                    &scalar(0),
                    vec![scalar(1)],
                    Some(Change::Add),
                    shape(8),
                    order(2),
                    scope(3),
                )?;
                None
            }
            "atom_inc_u32" => Some(self.atomic(
                instruction,
                "atom.inc",
                &scalar(0),
                vec![scalar(1)],
                Some(Change::Increment),
                shape(4),
                order(2),
                scope(3),
            )?),
            "atom_cas_u32" => Some(self.atomic(
                instruction,
                "atom.cas",
                &scalar(0),
                vec![scalar(1), scalar(2)],
                Some(Change::Swap),
                shape(4),
                order(3),
                scope(4),
            )?),
            "store_b128" | "load_b128" => {
                self.inexact.get_or_insert_with(|| "packets of gicc's runtime".to_owned());
                Some(Value::One(self.unknown(&[])))
            }
            _ => {
                self.inexact.get_or_insert_with(|| format!("a call of `__gicc_{name}`"));
                Some(Value::One(self.unknown(&[])))
            }
        })
    }

    /// `llvm.nvvm.atomic.add.gen.i.sys.i32.p0` and its kin: relaxed, at the scope that the name says.
    fn nvvm_atomic(
        &mut self,
        instruction: &Instruction,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, End> {
        let words: Vec<&str> = name.split('.').collect();
        let scope = if words.contains(&"sys") {
            Scope::Sys
        } else if words.contains(&"cta") {
            Scope::Cta
        } else {
            Scope::Gpu
        };
        let width = if words.iter().any(|w| matches!(*w, "i64" | "f64")) { 8 } else { 4 };
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let change = match words.get(2) {
            Some(&"add") if words.get(4) == Some(&"i") => Some(Change::Add),
            Some(&"exch") => Some(Change::Exchange),
            Some(&"and") => Some(Change::And),
            Some(&"or") => Some(Change::Or),
            Some(&"xor") => Some(Change::Xor),
            Some(&"inc") => Some(Change::Increment),
            Some(&"dec") => Some(Change::Decrement),
            Some(&"cas") => Some(Change::Swap),
            _ => None,
        };
        let values = if change == Some(Change::Swap) { vec![scalar(1), scalar(2)] } else { vec![scalar(1)] };
        let shape = Shape { width, count: 1, vector: false, pointer: false };
        Ok(Some(self.atomic(instruction, "atom", &scalar(0), values, change, shape, Semantics::Relaxed, scope)?))
    }

    /// memcpy and memmove: loads and stores of words.
    fn copy(&mut self, instruction: &Instruction, arguments: &[Value]) -> Result<(), End> {
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let (to, from, bytes) = (scalar(0), scalar(1), scalar(2));
        let Some(bytes) = bytes.get() else { return Ok(()) };
        let bytes = bytes.min(64) as u32;
        let width = [16, 8, 4, 2].into_iter().find(|w| bytes.is_multiple_of(*w)).unwrap_or(1).min(8);
        let shape = Shape { width, count: (bytes / width).clamp(1, 8), vector: true, pointer: false };
        let value = self.load(instruction, &from, shape, Semantics::Weak, Scope::Sys, 0, false, false)?;
        self.store(instruction, &to, value, shape, Semantics::Weak, Scope::Sys, 0, false)
    }
}

/// The generic address of an address in a space.
pub(super) fn generic(address: u128, space: u32) -> u64 {
    let address = address as u64;
    if space == 3 { (address & 0xffff_ffff) + SHARED_WINDOW } else { address }
}

fn is_bit(scalar: &Scalar) -> bool {
    match &scalar.number {
        Ok(number) => *number <= 1,
        Err(expression) => matches!(
            expression.as_ref(),
            Expression::Compare(..) | Expression::Binary(_, _, _, 1) | Expression::Opaque(..)
        ),
    }
}

/// Whether signed, and whether the larger, of the intrinsics of minimum and maximum.
fn is_min_max(intrinsic: &str) -> Option<(bool, bool)> {
    Some(match intrinsic.split('.').next()? {
        "smin" => (true, false),
        "smax" => (true, true),
        "umin" => (false, false),
        "umax" => (false, true),
        _ => return None,
    })
}

/// The read that an expression is, conversions that keep small numbers aside.
fn plain_read(expression: &Rc<Expression>) -> Option<Read> {
    match through_conversions(expression).as_ref() {
        Expression::Read(read) => Some(*read),
        _ => None,
    }
}

fn through_conversions(expression: &Rc<Expression>) -> Rc<Expression> {
    let mut at = Rc::clone(expression);
    while let Expression::Convert { value, from, to, .. } = at.as_ref() {
        if to < from && !matches!(value.as_ref(), Expression::Compare(..)) {
            break;
        }
        at = Rc::clone(value);
    }
    at
}

fn strength_text(semantics: Semantics, scope: Scope, volatile: bool) -> String {
    match semantics {
        _ if volatile => ".volatile".to_owned(),
        Semantics::Weak => String::new(),
        _ => format!(".{semantics}.{scope}"),
    }
}

fn width_text(shape: Shape) -> String {
    let vector = if shape.count > 1 { format!(".v{}", shape.count) } else { String::new() };
    format!("{vector}.b{}", shape.width * 8)
}
