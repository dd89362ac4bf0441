//! The state of a block of threads, and how operands and memory are read and written.

use super::alu::{extend, mask};
use super::error::{TraceError, TraceErrorKind};
use super::event::{End, Event, EventKind};
use super::flat::Flat;
use super::launch::Launch;
use super::layout::{Layout, align, immediate};
use super::memory::{Memory, Place, Request, from_bytes, to_bytes};
use crate::instruction::{Instruction, Op};
use crate::meaning::Access;
use crate::operand::{Address, Component, Offset, Operand};
use crate::span::Span;
use crate::special::{ScalarSpecial, SpecialRegister, VectorSpecial};
use crate::types::{ScalarType, StateSpace};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

pub(super) type Step<T> = Result<T, TraceErrorKind>;

/// Calls that the executor follows.
const MAX_FRAMES: usize = 64;
/// Bytes of parameters and of local memory that a thread may have.
const MAX_ARENA: u64 = 1 << 20;

/// A function being executed.
pub(super) struct Frame<'m> {
    pub(super) flat: Rc<Flat<'m>>,
    pub(super) pc: usize,
    /// Values, by the block that declares the register, and its name.
    registers: HashMap<usize, HashMap<String, u128>>,
    /// The events that values were computed from, as the values.
    origins: HashMap<usize, HashMap<String, Rc<BTreeSet<usize>>>>,
    /// Parameters, and variables in local and parameter space.
    symbols: HashMap<&'m str, Place>,
    pub(super) carry: bool,
    /// Where the caller wants each returned value.
    pub(super) returns: Vec<Operand>,
    marks: (usize, usize),
}

impl Frame<'_> {
    /// The block that declares a register, seen from the instruction being executed, and its type.
    fn declared(&self, name: &str) -> Option<(usize, ScalarType)> {
        self.flat.register(name, self.pc.saturating_sub(1))
    }
}

/// Why a thread does not run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Running,
    /// At a block barrier.
    Barrier(u32),
    /// At `barrier.cluster.wait`, for this phase.
    Cluster(u64),
    /// At an instruction of a warp.
    Warp(Box<WarpWait>),
    Done(End),
}

/// At an instruction that lanes execute together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WarpWait {
    pub(super) op: Op,
    /// Lanes that have to come; nothing for `activemask`.
    pub(super) mask: Option<u32>,
    /// Source values other than the mask.
    pub(super) sources: Vec<u128>,
    /// Depth of calls and line.
    pub(super) at: (usize, usize),
    /// Rounds of the scheduler since the lane came here.
    pub(super) waited: u32,
}

pub(super) struct Thread<'m> {
    pub(super) index: u32,
    pub(super) frames: Vec<Frame<'m>>,
    params: Vec<u8>,
    /// The events that each byte of the parameters was computed from; none where a byte is not named.
    param_origins: BTreeMap<u64, BTreeSet<usize>>,
    local: Vec<u8>,
    pub(super) events: Vec<Event>,
    pub(super) steps: u64,
    /// Steps' worth of time spent in `nanosleep`.
    pub(super) slept: u64,
    pub(super) state: State,
    pub(super) barrier_predicate: bool,
    /// The events that the operands of the instruction under way were computed from.
    pub(super) uses: BTreeSet<usize>,
    /// The events that its results come from: the same, or the event that the instruction is.
    pub(super) gives: BTreeSet<usize>,
    pub(super) cluster_phase: Option<u64>,
    /// The instruction that the thread is at.
    pub(super) span: Span,
}

/// What is passed to a function, or back: bytes, and the events that they were computed from.
pub(super) struct Passed {
    pub(super) bytes: Vec<u8>,
    pub(super) origins: BTreeSet<usize>,
}

impl Passed {
    /// What comes from outside.
    pub(super) fn constant(bytes: Vec<u8>) -> Passed {
        Passed { bytes, origins: BTreeSet::new() }
    }
}

impl Thread<'_> {
    /// The events that a stretch of the parameters was computed from.
    pub(super) fn param_origins(&self, address: u64, bytes: u64) -> BTreeSet<usize> {
        self.param_origins.range(address..address.saturating_add(bytes)).flat_map(|(_, from)| from).copied().collect()
    }

    /// Says what a stretch of the parameters was computed from.
    pub(super) fn set_param_origins(&mut self, address: u64, bytes: u64, from: &BTreeSet<usize>) {
        for byte in address..address.saturating_add(bytes) {
            if from.is_empty() {
                self.param_origins.remove(&byte);
            } else {
                self.param_origins.insert(byte, from.clone());
            }
        }
    }
}

/// A block barrier.
#[derive(Clone, Default)]
pub(super) struct BarrierState {
    pub(super) generation: u64,
    pub(super) arrived: u32,
    pub(super) count: Option<u32>,
}

/// An mbarrier.
#[derive(Clone, Copy)]
pub(super) struct MbarrierState {
    pub(super) expected: u32,
    pub(super) pending: u32,
    pub(super) transactions: i64,
    pub(super) phase: u64,
}

pub(super) struct Block<'m, 'x> {
    pub(super) launch: &'x Launch<'m>,
    pub(super) layout: Layout<'m>,
    flats: HashMap<&'m str, Rc<Flat<'m>>>,
    pub(super) memory: &'x mut dyn Memory,
    shared: Vec<u8>,
    pub(super) threads: Vec<Thread<'m>>,
    pub(super) barriers: Vec<BarrierState>,
    pub(super) mbarriers: HashMap<u64, MbarrierState>,
    pub(super) cluster_arrived: u32,
    pub(super) cluster_phase: u64,
    pub(super) sequence: u64,
}

impl<'m, 'x> Block<'m, 'x> {
    pub(super) fn new(launch: &'x Launch<'m>, memory: &'x mut dyn Memory) -> Result<Self, TraceError> {
        let nowhere = |kind: TraceErrorKind| kind.at(Span::default());
        let bad = |what: String| TraceErrorKind::Launch(what).at(Span::default());
        let entry = launch
            .module
            .function(&launch.entry)
            .filter(|function| function.is_entry && function.body.is_some())
            .ok_or_else(|| bad(format!("there is no kernel `{}`", launch.entry)))?;
        if launch.parameters.len() != entry.parameters.len() {
            let (given, taken) = (launch.parameters.len(), entry.parameters.len());
            return Err(bad(format!("`{}` takes {taken} parameters, not {given}", launch.entry)));
        }
        for (parameter, bytes) in entry.parameters.iter().zip(&launch.parameters) {
            if parameter.size() != bytes.len() as u64 {
                let (size, given) = (parameter.size(), bytes.len());
                return Err(bad(format!("`{}` has {size} bytes, not {given}", parameter.name)));
            }
        }
        let count = launch.thread_count();
        if count == 0 || count > 1024 {
            return Err(bad(format!("a block has between 1 and 1024 threads, not {count}")));
        }
        let indices = launch.threads.clone().unwrap_or_else(|| (0..count).collect());
        if let Some(index) = indices.iter().find(|index| **index >= count) {
            return Err(bad(format!("there is no thread {index}")));
        }
        let layout = Layout::of(launch).map_err(nowhere)?;
        let mut block = Block {
            launch,
            shared: vec![0; layout.shared_size as usize],
            layout,
            flats: HashMap::new(),
            memory,
            threads: Vec::new(),
            barriers: vec![BarrierState::default(); 16],
            mbarriers: HashMap::new(),
            cluster_arrived: 0,
            cluster_phase: 0,
            sequence: 0,
        };
        for index in indices {
            block.threads.push(Thread {
                index,
                frames: Vec::new(),
                params: Vec::new(),
                param_origins: BTreeMap::new(),
                local: Vec::new(),
                events: Vec::new(),
                steps: 0,
                slept: 0,
                state: State::Running,
                barrier_predicate: false,
                uses: BTreeSet::new(),
                gives: BTreeSet::new(),
                cluster_phase: None,
                span: Span::default(),
            });
            let t = block.threads.len() - 1;
            block
                .enter(t, &launch.entry, launch.parameters.iter().cloned().map(Passed::constant).collect(), Vec::new())
                .map_err(|kind| TraceError { kind, span: Span::default(), thread: index })?;
        }
        Ok(block)
    }

    /// Pushes a frame for a function of the module.
    pub(super) fn enter(&mut self, t: usize, name: &str, arguments: Vec<Passed>, returns: Vec<Operand>) -> Step<()> {
        let function = self
            .launch
            .module
            .function(name)
            .filter(|function| function.body.is_some())
            .ok_or_else(|| TraceErrorKind::External(name.to_owned()))?;
        if self.threads[t].frames.len() >= MAX_FRAMES {
            return Err(TraceErrorKind::CallDepth(MAX_FRAMES));
        }
        let flat = match self.flats.get(function.name.as_str()) {
            Some(flat) => flat.clone(),
            None => {
                let flat = Rc::new(Flat::of(function).map_err(|error| error.kind)?);
                self.flats.insert(&function.name, flat.clone());
                flat
            }
        };
        let thread = &mut self.threads[t];
        let marks = (thread.params.len(), thread.local.len());
        let mut symbols = HashMap::new();
        let mut registers: HashMap<usize, HashMap<String, u128>> = HashMap::new();
        if arguments.len() != function.parameters.len() {
            let what = format!("`{name}` takes {} arguments, not {}", function.parameters.len(), arguments.len());
            return Err(TraceErrorKind::Launch(what));
        }
        let mut origins: HashMap<usize, HashMap<String, Rc<BTreeSet<usize>>>> = HashMap::new();
        for (parameter, Passed { bytes, origins: from }) in function.parameters.iter().zip(arguments) {
            if parameter.space == StateSpace::Reg {
                registers.entry(0).or_default().insert(parameter.name.clone(), from_bytes(&bytes));
                origins.entry(0).or_default().insert(parameter.name.clone(), Rc::new(from));
                continue;
            }
            let natural = u64::from(parameter.ty.bytes());
            let address = reserve(&mut thread.params, parameter.size(), parameter.align.unwrap_or(natural))?;
            let start = address as usize;
            let size = parameter.size() as usize;
            if bytes.len() != size {
                let what = format!("`{}` has {size} bytes, not {}", parameter.name, bytes.len());
                return Err(TraceErrorKind::Launch(what));
            }
            thread.params[start..start + size].copy_from_slice(&bytes);
            thread.set_param_origins(address, parameter.size(), &from);
            symbols.insert(parameter.name.as_str(), Place { space: StateSpace::Param, address });
        }
        for parameter in &function.returns {
            if parameter.space != StateSpace::Reg {
                let natural = u64::from(parameter.ty.bytes());
                let address = reserve(&mut thread.params, parameter.size(), parameter.align.unwrap_or(natural))?;
                symbols.insert(parameter.name.as_str(), Place { space: StateSpace::Param, address });
            }
        }
        for room in &flat.rooms {
            let arena = match room.space {
                StateSpace::Local => &mut thread.local,
                StateSpace::Param => &mut thread.params,
                _ => continue,
            };
            let address = reserve(arena, room.size, room.align)?;
            symbols.insert(room.name, Place { space: room.space, address });
        }
        thread.frames.push(Frame { flat, pc: 0, registers, origins, symbols, carry: false, returns, marks });
        Ok(())
    }

    /// Pops the frame; a thread whose last frame is gone is done.
    pub(super) fn leave(&mut self, t: usize) -> Step<()> {
        let Some(frame) = self.threads[t].frames.last() else { return Ok(()) };
        let function = frame.flat.function;
        let mut values = Vec::new();
        for parameter in &function.returns {
            values.push(match parameter.space {
                StateSpace::Reg => {
                    let origins = frame.origins.get(&0).and_then(|o| o.get(parameter.name.as_str())).cloned();
                    let value = frame.registers.get(&0).and_then(|r| r.get(parameter.name.as_str())).copied();
                    let value = value.ok_or_else(|| TraceErrorKind::Undefined(parameter.name.clone()))?;
                    let mut bytes = vec![0; parameter.ty.bytes() as usize];
                    to_bytes(value, &mut bytes);
                    Passed { bytes, origins: origins.as_deref().cloned().unwrap_or_default() }
                }
                _ => {
                    let start = frame.symbols.get(parameter.name.as_str()).map_or(0, |place| place.address as usize);
                    let thread = &self.threads[t];
                    let bytes = thread.params[start..start + parameter.size() as usize].to_vec();
                    Passed { bytes, origins: thread.param_origins(start as u64, parameter.size()) }
                }
            });
        }
        let thread = &mut self.threads[t];
        let Some(frame) = thread.frames.pop() else { return Ok(()) };
        thread.params.truncate(frame.marks.0);
        thread.param_origins.split_off(&(frame.marks.0 as u64));
        thread.local.truncate(frame.marks.1);
        if thread.frames.is_empty() {
            thread.state = State::Done(End::Exited);
            return Ok(());
        }
        for (operand, value) in frame.returns.iter().zip(values) {
            self.give(t, operand, &value)?;
        }
        Ok(())
    }

    /// Puts returned bytes where the caller wants them.
    pub(super) fn give(&mut self, t: usize, operand: &Operand, value: &Passed) -> Step<()> {
        let Passed { bytes, origins } = value;
        match operand {
            Operand::Register(_) => {
                self.threads[t].gives.clone_from(origins);
                self.assign(t, operand, from_bytes(bytes), bits_type(bytes.len()))
            }
            Operand::Symbol { name, offset: 0 } => {
                let place = self.symbol(t, name)?;
                let params = &mut self.threads[t].params;
                let start = place.address as usize;
                match params.get_mut(start..start + bytes.len()) {
                    Some(slot) if place.space == StateSpace::Param => slot.copy_from_slice(bytes),
                    _ => return Err(TraceErrorKind::Unsupported(format!("a result in `{name}`"))),
                }
                self.threads[t].set_param_origins(place.address, bytes.len() as u64, origins);
                Ok(())
            }
            Operand::Sink => Ok(()),
            other => Err(TraceErrorKind::Unsupported(format!("a result in `{other}`"))),
        }
    }

    /// The value of an argument.
    pub(super) fn argument(&self, t: usize, operand: &Operand, size: u64) -> Step<Passed> {
        if let Operand::Symbol { name, offset: 0 } = operand
            && let Some(place) = self.frame(t)?.symbols.get(name.as_str())
            && place.space == StateSpace::Param
        {
            let start = place.address as usize;
            let bytes = self.threads[t].params.get(start..start.saturating_add(size as usize));
            let bytes = bytes.map(<[u8]>::to_vec).ok_or_else(|| TraceErrorKind::Undeclared(name.clone()))?;
            return Ok(Passed { bytes, origins: self.threads[t].param_origins(place.address, size) });
        }
        let mut bytes = vec![0; size.min(16) as usize];
        to_bytes(self.value(t, operand, bits_type(bytes.len()))?, &mut bytes);
        let mut origins = BTreeSet::new();
        self.origins(t, operand, &mut origins);
        Ok(Passed { bytes, origins })
    }

    pub(super) fn frame(&self, t: usize) -> Step<&Frame<'m>> {
        self.threads[t].frames.last().ok_or_else(|| TraceErrorKind::Launch("the thread has ended".to_owned()))
    }

    pub(super) fn frame_mut(&mut self, t: usize) -> Step<&mut Frame<'m>> {
        self.threads[t].frames.last_mut().ok_or_else(|| TraceErrorKind::Launch("the thread has ended".to_owned()))
    }

    pub(super) fn record(&mut self, t: usize, kind: EventKind, instruction: &Instruction) {
        let depends_on = self.threads[t].uses.iter().copied().collect();
        let event = Event::new(kind, instruction, self.sequence, depends_on);
        self.sequence += 1;
        self.threads[t].events.push(event);
    }

    /// The value of a source operand, cut to the type.
    pub(super) fn value(&self, t: usize, operand: &Operand, ty: ScalarType) -> Step<u128> {
        let bits = ty.bits();
        let value = match operand {
            Operand::Register(name) => {
                let frame = self.frame(t)?;
                let Some((scope, _)) = frame.declared(name) else {
                    return Err(TraceErrorKind::Undeclared(name.clone()));
                };
                let value = frame.registers.get(&scope).and_then(|registers| registers.get(name.as_str()));
                *value.ok_or_else(|| TraceErrorKind::Undefined(name.clone()))?
            }
            Operand::Special(special) => u128::from(self.special(t, *special)?),
            Operand::Immediate(number) => immediate(number.value, ty),
            Operand::Symbol { name, offset } => match self.symbol(t, name) {
                Ok(place) => u128::from(place.address.wrapping_add_signed(*offset)),
                Err(error) => match self.layout.function(name) {
                    Some(address) => u128::from(address),
                    None => return Err(error),
                },
            },
            Operand::Vector(parts) if !parts.is_empty() => {
                let part_bits = bits / parts.len() as u32;
                let mut whole = 0;
                for (i, part) in parts.iter().enumerate() {
                    whole |= mask(self.value(t, part, bits_type(part_bits.div_ceil(8) as usize))?, part_bits)
                        << (part_bits * i as u32);
                }
                whole
            }
            Operand::Negated(inner) => u128::from(self.value(t, inner, ScalarType::Pred)? == 0),
            other => return Err(TraceErrorKind::Unsupported(format!("the operand `{other}`"))),
        };
        Ok(mask(value, bits))
    }

    /// The events that the registers of an operand were computed from.
    pub(super) fn origins(&self, t: usize, operand: &Operand, found: &mut BTreeSet<usize>) {
        match operand {
            Operand::Register(name) => {
                let Ok(frame) = self.frame(t) else { return };
                let Some((scope, _)) = frame.declared(name) else { return };
                if let Some(origin) = frame.origins.get(&scope).and_then(|o| o.get(name.as_str())) {
                    found.extend(origin.iter());
                }
            }
            Operand::Vector(parts) => parts.iter().for_each(|part| self.origins(t, part, found)),
            Operand::Negated(inner) => self.origins(t, inner, found),
            Operand::Address(address) => self.origins(t, &address.base, found),
            _ => {}
        }
    }

    /// Leaves a register without a value.
    pub(super) fn undefine(&mut self, t: usize, operand: &Operand) -> Step<()> {
        // Also where the register is not declared, which is told here.
        self.assign(t, operand, 0, ScalarType::Pred)?;
        if let Operand::Register(name) = operand {
            let frame = self.frame_mut(t)?;
            if let Some((scope, _)) = frame.declared(name)
                && let Some(registers) = frame.registers.get_mut(&scope)
            {
                registers.remove(name.as_str());
            }
        }
        Ok(())
    }

    /// Writes a destination operand.
    pub(super) fn assign(&mut self, t: usize, operand: &Operand, value: u128, ty: ScalarType) -> Step<()> {
        match operand {
            Operand::Register(name) => {
                let frame = self.frame(t)?;
                let (scope, declared) = frame.declared(name).ok_or_else(|| TraceErrorKind::Undeclared(name.clone()))?;
                let value = extend(value, ty, declared.bits());
                let gives = &self.threads[t].gives;
                let origin = (!gives.is_empty()).then(|| Rc::new(gives.clone()));
                let origins = self.frame_mut(t)?.origins.entry(scope).or_default();
                match origin {
                    Some(origin) => drop(origins.insert(name.clone(), origin)),
                    None => drop(origins.remove(name.as_str())),
                }
                let registers = self.frame_mut(t)?.registers.entry(scope).or_default();
                match registers.get_mut(name.as_str()) {
                    Some(slot) => *slot = value,
                    None => drop(registers.insert(name.clone(), value)),
                }
                Ok(())
            }
            Operand::Sink => Ok(()),
            Operand::Vector(parts) if !parts.is_empty() => {
                let part_bits = ty.bits() / parts.len() as u32;
                for (i, part) in parts.iter().enumerate() {
                    let piece = mask(value >> (part_bits * i as u32), part_bits);
                    self.assign(t, part, piece, bits_type(part_bits.div_ceil(8) as usize))?;
                }
                Ok(())
            }
            other => Err(TraceErrorKind::Unsupported(format!("the operand `{other}`"))),
        }
    }

    /// A variable's place, seen from the thread's function.
    pub(super) fn symbol(&self, t: usize, name: &str) -> Step<Place> {
        let frame = self.frame(t)?;
        let place = frame.symbols.get(name).copied();
        place
            .or_else(|| self.layout.variable(&frame.flat.function.name, name))
            .ok_or_else(|| TraceErrorKind::Undeclared(name.to_owned()))
    }

    /// Where a memory operand points.
    pub(super) fn place(&self, t: usize, address: &Address, space: StateSpace) -> Step<Place> {
        if !address.coordinates.is_empty() {
            return Err(TraceErrorKind::Unsupported(format!("the operand `{address}`")));
        }
        let offset = match &address.offset {
            Offset::None => 0,
            Offset::Bytes(bytes) => *bytes,
            Offset::Placeholder(_) => return Err(TraceErrorKind::Unsupported(format!("the operand `{address}`"))),
        };
        if let Operand::Symbol { name, offset: 0 } = address.base.as_ref()
            && space == StateSpace::Generic
        {
            let place = self.symbol(t, name)?;
            return Ok(Place { address: place.address.wrapping_add_signed(offset), ..place });
        }
        let base = self.value(t, &address.base, ScalarType::B64)? as u64;
        Ok(Place::new(space, base.wrapping_add_signed(offset)))
    }

    /// Reads a scalar.
    pub(super) fn read(&mut self, t: usize, place: Place, width: u32, access: Option<Access>, lane: u32) -> Step<u128> {
        if place.space == StateSpace::Global {
            let request = self.request(t, place.address, width, access, lane);
            return Ok(mask(self.memory.load(&request)?, 8 * width));
        }
        Ok(from_bytes(self.slot(t, place, width)?))
    }

    /// Writes a scalar.
    pub(super) fn write(
        &mut self,
        t: usize,
        place: Place,
        width: u32,
        value: u128,
        access: Option<Access>,
        lane: u32,
    ) -> Step<()> {
        match place.space {
            StateSpace::Global => {
                let request = self.request(t, place.address, width, access, lane);
                Ok(self.memory.store(&request, mask(value, 8 * width))?)
            }
            StateSpace::Const => Err(TraceErrorKind::Unsupported("a store to constant memory".to_owned())),
            _ => {
                to_bytes(value, self.slot(t, place, width)?);
                Ok(())
            }
        }
    }

    pub(super) fn request(&self, t: usize, address: u64, width: u32, access: Option<Access>, lane: u32) -> Request {
        let thread = &self.threads[t];
        Request { thread: thread.index, address, width, lane, access, span: thread.span }
    }

    fn slot(&mut self, t: usize, place: Place, width: u32) -> Step<&mut [u8]> {
        let (what, bytes) = match place.space {
            StateSpace::Shared => ("shared", &mut self.shared),
            StateSpace::Local => ("local", &mut self.threads[t].local),
            StateSpace::Param => ("parameter", &mut self.threads[t].params),
            _ => ("constant", &mut self.layout.constants),
        };
        let error = TraceErrorKind::OutOfRange { what, address: place.address, bytes: width.into() };
        let start = usize::try_from(place.address).map_err(|_| error.clone())?;
        start.checked_add(width as usize).and_then(|end| bytes.get_mut(start..end)).ok_or(error)
    }

    fn special(&self, t: usize, register: SpecialRegister) -> Step<u64> {
        if let Some(value) = self.launch.special.get(&register) {
            return Ok(*value);
        }
        let (launch, thread) = (self.launch, &self.threads[t]);
        let index = thread.index;
        let lane = index % 32;
        let [x, y, _] = launch.block;
        let pick = |vector: [u32; 3], component: Component| match component {
            Component::X => vector[0],
            Component::Y => vector[1],
            Component::Z => vector[2],
            Component::W => 0,
        };
        let tid = [index % x, index / x % y, index / x / y];
        let clock = thread.steps.saturating_add(thread.slept);
        let now = clock.wrapping_mul(launch.time_per_step);
        Ok(match register {
            SpecialRegister::Vector(vector, component) => {
                let value = match vector {
                    VectorSpecial::Tid => tid,
                    VectorSpecial::NTid => launch.block,
                    VectorSpecial::CtaId | VectorSpecial::ClusterId => launch.block_index,
                    VectorSpecial::NCtaId | VectorSpecial::NClusterId => launch.grid,
                    VectorSpecial::ClusterCtaId => [0; 3],
                    VectorSpecial::ClusterNCtaId => [1; 3],
                };
                pick(value, component).into()
            }
            SpecialRegister::Scalar(scalar) => match scalar {
                ScalarSpecial::LaneId => lane.into(),
                ScalarSpecial::WarpId => (index / 32).into(),
                ScalarSpecial::NWarpId => launch.thread_count().div_ceil(32).into(),
                ScalarSpecial::WarpSize => 32,
                ScalarSpecial::SmId | ScalarSpecial::GridId => 0,
                ScalarSpecial::NSmId => 1,
                ScalarSpecial::IsExplicitCluster | ScalarSpecial::ClusterCtaRank => 0,
                ScalarSpecial::ClusterNCtaRank => 1,
                ScalarSpecial::LaneMaskEq => 1 << lane,
                ScalarSpecial::LaneMaskLt => (1 << lane) - 1,
                ScalarSpecial::LaneMaskLe => (2 << lane) - 1,
                ScalarSpecial::LaneMaskGt => u64::from(u32::MAX) & !((2 << lane) - 1),
                ScalarSpecial::LaneMaskGe => u64::from(u32::MAX) & !((1 << lane) - 1),
                ScalarSpecial::Clock | ScalarSpecial::Clock64 => clock,
                ScalarSpecial::ClockHi => clock >> 32,
                ScalarSpecial::GlobalTimer | ScalarSpecial::GlobalTimerLo => now,
                ScalarSpecial::GlobalTimerHi => now >> 32,
                ScalarSpecial::TotalSmemSize | ScalarSpecial::AggrSmemSize => self.layout.shared_size,
                ScalarSpecial::DynamicSmemSize => launch.dynamic_shared,
                ScalarSpecial::CurrentGraphExec => {
                    return Err(TraceErrorKind::Unsupported(format!("the register {scalar}")));
                }
            },
        })
    }
}

/// Makes room in an arena.
fn reserve(arena: &mut Vec<u8>, size: u64, alignment: u64) -> Step<u64> {
    let start = align(arena.len() as u64, alignment);
    let end = start.saturating_add(size);
    if end > MAX_ARENA {
        return Err(TraceErrorKind::Launch("a thread has more than 1 MiB of parameters or local memory".to_owned()));
    }
    arena.resize(end as usize, 0);
    Ok(start)
}

/// A type of bits that holds so many bytes.
pub(super) fn bits_type(bytes: usize) -> ScalarType {
    match bytes {
        0 | 1 => ScalarType::B8,
        2 => ScalarType::B16,
        3..=4 => ScalarType::B32,
        5..=8 => ScalarType::B64,
        _ => ScalarType::B128,
    }
}
