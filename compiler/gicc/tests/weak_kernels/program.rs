//! What traced threads did becomes a program of the memory model, and the marks in it become conditions.
//!
//! Nothing is left out silently: memory of one PE alone, constants, and warp instructions that order nothing are left out;
//! rounds of a poll before the last are; any other event is translated or refused.

use std::collections::BTreeMap;

use memory_model as mm;
use ptx::meaning::AccessKind;
use ptx::op::{AtomicOp, CopyGroup, MbarrierAction, ProxyKind};
use ptx::trace::{Event, EventKind, Place};

use crate::manifest::Kernel;
use crate::tracing::{BASE, STRIDE, SYMMETRIC, SYMMETRIC_BYTES, Traced, private};

/// Locations are pieces of this size.
const LINE: u64 = 64;
/// The number of the barrier that a warp stands for.
const WARP: u32 = 1000;
/// The kinds of marks, as `weak.h` numbers them.
const CHECK: u128 = 1;
const PACKET: u128 = 2;
const WORD: u128 = 3;
const SEEN_GE: u128 = 4;
const SEEN_EQ: u128 = 5;
const PATH: u128 = 6;

/// A program with what its kernel says of it.
pub(crate) struct Extracted {
    pub(crate) program: mm::Program,
    pub(crate) checks: Vec<Check>,
}

/// A value that must be read.
pub(crate) struct Check {
    /// The line of the kernel's file on which it is read.
    pub(crate) line: Option<u32>,
    /// Another value is read.
    pub(crate) bad: mm::Condition,
    /// A smaller one is; the kernels store ascending values, so that it is an older one.
    pub(crate) older: mm::Condition,
    /// A larger one is.
    pub(crate) newer: mm::Condition,
}

/// Makes a program.
pub(crate) fn extract(text: &str, kernel: &Kernel, traces: &[Traced]) -> Result<Extracted, String> {
    let mut out = Extracted { program: mm::Program::new(), checks: Vec::new() };
    let mut phases: Vec<Vec<mm::ThreadId>> = vec![Vec::new(); kernel.phases as usize];
    for traced in traces {
        let name = format!("pe{}b{}t{}_{}", traced.pe, traced.block, traced.thread, traced.phase);
        let place = mm::Place::block(traced.pe, traced.block);
        let mut thread = ThreadOps {
            out: &mut out,
            name: name.clone(),
            text,
            traced,
            registers: 0,
            latest: None,
            arrived: BTreeMap::new(),
        };
        let mut ops = Vec::new();
        for event in without_vain_rounds(&traced.events) {
            for op in thread.operation(event).map_err(|error| format!("{name}: `{}`: {error}", event.opcode))? {
                ops.push((op, event.opcode.clone()));
            }
        }
        // A thread that does nothing says nothing.
        if ops.is_empty() {
            continue;
        }
        let id = out.program.thread(&name, place).id();
        for (op, text) in ops {
            out.program.resume(id).op_with_text(op, text);
        }
        phases[traced.phase as usize].push(id);
    }
    for pair in phases.windows(2) {
        for (&first, &second) in pair[0].iter().flat_map(|first| pair[1].iter().map(move |second| (first, second))) {
            out.program.order(first, second);
        }
    }
    Ok(out)
}

/// The events without the rounds of polls that did not end them: repetitions of one load, or of a compare-and-swap that
/// failed.
fn without_vain_rounds(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().enumerate().filter_map(|(index, event)| {
        let next = events.get(index + 1);
        let EventKind::Access { access, place, written, .. } = &event.kind else { return Some(event) };
        let repeated = next.is_some_and(|next| {
            next.span == event.span && matches!(&next.kind, EventKind::Access { place: other, .. } if other == place)
        });
        let vain = match access.kind {
            AccessKind::Load => true,
            AccessKind::ReadModifyWrite { op: AtomicOp::Cas, .. } => written.is_empty(),
            _ => false,
        };
        (!(repeated && vain)).then_some(event)
    })
}

/// What the latest access of a thread returned.
struct Latest {
    registers: Vec<mm::Register>,
    values: Vec<u128>,
    width: u32,
    line: Option<u32>,
}

struct ThreadOps<'o> {
    out: &'o mut Extracted,
    name: String,
    /// The PTX.
    text: &'o str,
    traced: &'o Traced,
    registers: u32,
    latest: Option<Latest>,
    /// The phase that this thread last arrived at, of each mbarrier.
    arrived: BTreeMap<u32, u32>,
}

impl ThreadOps<'_> {
    fn operation(&mut self, event: &Event) -> Result<Vec<mm::Op>, String> {
        Ok(match &event.kind {
            EventKind::Fence { semantics, scope, restrict: None } => {
                vec![mm::Op::Fence { semantics: *semantics, scope: *scope }]
            }
            EventKind::ProxyFence { kind, semantics: None, .. } => vec![mm::Op::ProxyFence(match kind {
                ProxyKind::Alias => mm::ProxyFence::Alias,
                ProxyKind::Async => mm::ProxyFence::Async,
                ProxyKind::AsyncGlobal => mm::ProxyFence::AsyncGlobal,
                ProxyKind::AsyncSharedCta => mm::ProxyFence::AsyncSharedCta,
                ProxyKind::AsyncSharedCluster => mm::ProxyFence::AsyncSharedCluster,
                other => return Err(format!("the model has no proxy fence {other}")),
            })],
            EventKind::Barrier { action, id, .. } => {
                let action = match action {
                    ptx::op::BarrierAction::Arrive => mm::BarrierAction::Arrive,
                    _ => mm::BarrierAction::Sync,
                };
                vec![barrier(*id, action)]
            }
            // Threads of one warp meet; the model knows barriers of blocks, so the warp is one of its own number.
            EventKind::Warp { orders: true, .. } => vec![barrier(WARP, mm::BarrierAction::Sync)],
            EventKind::Warp { orders: false, .. } => Vec::new(),
            EventKind::Access { place, .. } if place.space == ptx::StateSpace::Const => Vec::new(),
            EventKind::Access { access, place, written, .. } if private(place.address).is_some() => {
                if access.kind != AccessKind::Store {
                    return Err("memory of one PE alone is only stored to".to_owned());
                }
                self.mark(written)?
            }
            EventKind::Access { access, place, read, written } => {
                self.access(access, *place, read, written, line_at(self.text, event.span.start))?
            }
            EventKind::AsyncCopy { destination: Some(to), source: Some(from), bytes, mbarrier, copy } => {
                if copy.reduces.is_some() {
                    return Err("the model has no reducing copies".to_owned());
                }
                let address = |ops: &mut Self, place: &Place| -> Result<mm::Address, String> {
                    let (location, offset) = ops.location(*place)?;
                    Ok(mm::Address { location, offset })
                };
                let bytes = u32::try_from(*bytes).map_err(|error| error.to_string())?;
                let copy = mm::Op::BulkCopy { destination: address(self, to)?, source: address(self, from)?, bytes };
                match mbarrier {
                    None => vec![copy],
                    Some(place) => {
                        let id = self.mbarrier(place.address)?;
                        let phase =
                            self.arrived.get(&id).ok_or("a copy before its thread's arrival at the mbarrier")?;
                        vec![copy, mm::Op::BulkOnMbarrier { id, phase: *phase }]
                    }
                }
            }
            // The initialisation orders nothing; who else uses the mbarrier needs a barrier, which is seen.
            EventKind::Mbarrier { action: MbarrierAction::Init, .. } => Vec::new(),
            // A vain round.
            EventKind::Mbarrier { complete: Some(false), .. } => Vec::new(),
            EventKind::Mbarrier { action, semantics, scope, place, phase, complete } => {
                let id = self.mbarrier(place.address)?;
                let phase = u32::try_from(*phase).map_err(|error| error.to_string())?;
                let action = match action {
                    MbarrierAction::Arrive | MbarrierAction::ArriveExpectTx => mm::BarrierAction::Arrive,
                    MbarrierAction::TestWait | MbarrierAction::TryWait if complete.is_some() => mm::BarrierAction::Wait,
                    other => return Err(format!("the translation does not know the mbarrier operation {other:?}")),
                };
                // A wait names a parity, which is the phase as long as there are only two.
                if phase > 1 {
                    return Err("an mbarrier of more than two phases".to_owned());
                }
                if action == mm::BarrierAction::Arrive {
                    self.arrived.insert(id, phase);
                }
                vec![mm::Op::Mbarrier { id, phase, action, semantics: *semantics, scope: *scope }]
            }
            EventKind::CopyGroup { group: CopyGroup::BulkCommit, .. } => vec![mm::Op::BulkCommit],
            EventKind::CopyGroup { group: CopyGroup::BulkWait { read }, pending } => {
                vec![mm::Op::BulkWait { pending: *pending as u32, read_only: *read }]
            }
            other => return Err(format!("the model does not know {other:?}")),
        })
    }

    fn access(
        &mut self,
        access: &ptx::Access,
        place: Place,
        read: &[u128],
        written: &[u128],
        line: Option<u32>,
    ) -> Result<Vec<mm::Op>, String> {
        let (location, offset) = self.location(place)?;
        let modelled = mm::Access {
            address: mm::Address { location, offset },
            width: access.width as u8,
            count: access.count as u8,
            semantics: access.semantics,
            scope: access.scope.unwrap_or(mm::Scope::Sys),
            proxy: access.proxy,
            depends_on: Vec::new(),
        };
        let names: Vec<mm::Register> =
            (0..access.count).map(|lane| mm::Register(format!("r{}_{lane}", self.registers))).collect();
        self.registers += 1;
        let latest = Latest { registers: names.clone(), values: read.to_vec(), width: access.width, line };
        Ok(match access.kind {
            AccessKind::Load => {
                self.latest = Some(latest);
                vec![mm::Op::Load { registers: names, access: modelled, until: None }]
            }
            AccessKind::Store => {
                let values = written.iter().map(|value| mm::Operand::Constant(*value)).collect();
                vec![mm::Op::Store { access: modelled, values }]
            }
            AccessKind::ReadModifyWrite { op, returns } => {
                let old = *read.first().ok_or("the trace does not say what an atomic operation read")?;
                let new = written.first().copied();
                let constant = mm::Operand::Constant;
                let bits = if access.width == 16 { u128::MAX } else { (1 << (8 * access.width)) - 1 };
                let function = match (op, new) {
                    (AtomicOp::Add, Some(new)) => mm::RmwFunction::Add(constant(new.wrapping_sub(old) & bits)),
                    (AtomicOp::Exch, Some(new)) => mm::RmwFunction::Exchange(constant(new)),
                    (AtomicOp::Cas, Some(new)) => {
                        mm::RmwFunction::CompareAndSwap { expected: constant(old), desired: constant(new) }
                    }
                    _ => return Err(format!("the translation does not know the atomic operation {op:?}")),
                };
                let register = returns.then(|| names[0].clone());
                if returns {
                    self.latest = Some(latest);
                }
                vec![mm::Op::Rmw { returns, register, access: modelled, function }]
            }
            other => return Err(format!("the model has no {other:?}")),
        })
    }

    /// A mark speaks of the thread's latest access.
    fn mark(&mut self, words: &[u128]) -> Result<Vec<mm::Op>, String> {
        let &[got, want, third, kind] = words else {
            return Err("a mark is a store of four words".to_owned());
        };
        let latest = self.latest.as_ref().ok_or("a mark before any access")?;
        let element = (third & 0xff) as usize;
        let (Some(register), Some(&value)) = (latest.registers.get(element), latest.values.get(element)) else {
            return Err(format!("a mark for element {element}, which the access does not have"));
        };
        if value & 0xffff_ffff != got {
            return Err(format!("a mark says that {got} was read, and the access before it read {value}"));
        }
        let term = mm::Term::Register { thread: self.name.clone(), register: register.clone() };
        let compare = |comparison, value| mm::Condition::Compare(term.clone(), comparison, value);
        let flag = (third >> 8) << (4 * latest.width);
        let (expected, arrived) = match kind {
            CHECK => (want, mm::Condition::True),
            WORD => (flag | want, mm::Condition::True),
            PACKET => (flag | want, compare(mm::Comparison::Ge, flag)),
            SEEN_GE | SEEN_EQ | PATH => {
                let comparison = if kind == SEEN_GE { mm::Comparison::Ge } else { mm::Comparison::Eq };
                // A path is taken because of the whole value that was read.
                let value = if kind == PATH { value } else { want };
                return Ok(vec![mm::Op::Assume { register: register.clone(), until: mm::Until { comparison, value } }]);
            }
            _ => return Err(format!("no mark has the kind {kind}")),
        };
        let because = |comparison| arrived.clone().and(compare(comparison, expected));
        self.out.checks.push(Check {
            line: latest.line,
            bad: because(mm::Comparison::Ne),
            older: because(mm::Comparison::Lt),
            newer: because(mm::Comparison::Gt),
        });
        Ok(Vec::new())
    }

    /// The number of an mbarrier in the shared memory of this block.
    fn mbarrier(&self, address: u64) -> Result<u32, String> {
        let address = u32::try_from(address).ok().filter(|address| *address < 1 << 20);
        let address = address.ok_or("an mbarrier beyond 1 MiB")?;
        Ok((self.traced.pe * 64 + self.traced.block) << 20 | address)
    }

    /// The location of an address, and the offset in it.
    fn location(&mut self, place: Place) -> Result<(mm::LocationId, u64), String> {
        let program = &mut self.out.program;
        if place.space == ptx::StateSpace::Shared {
            let name = format!("shared_{}_{}_{}", self.traced.pe, self.traced.block, self.traced.phase);
            let at = mm::Place::block(self.traced.pe, self.traced.block);
            let known = program.find_location(&name);
            return Ok((known.unwrap_or_else(|| program.shared(name, at)), place.address));
        }
        let within = place.address.wrapping_sub(BASE);
        let (pe, offset) = (within / STRIDE, (within % STRIDE).wrapping_sub(SYMMETRIC));
        if pe >= 16 || offset >= SYMMETRIC_BYTES {
            return Err(format!("an access to {:#x}, outside the kernel's memory", place.address));
        }
        let name = if offset < 1024 { "data" } else { "flag" };
        let location = program.symbol(&format!("{name}{}_of_{pe}", offset % 1024 / LINE));
        Ok((location, offset % LINE))
    }
}

/// The line of the kernel's file that the text from which an instruction came says last: `.loc FILE LINE COLUMN`.
fn line_at(text: &str, start: usize) -> Option<u32> {
    let (_, directive) = text.get(..start)?.rsplit_once(".loc")?;
    directive.split_whitespace().nth(1)?.parse().ok()
}

fn barrier(id: u32, action: mm::BarrierAction) -> mm::Op {
    mm::Op::Barrier { id, action, level: mm::BarrierLevel::Cta, participants: None }
}

/// Some check fails.
pub(crate) fn any(checks: &[Check]) -> mm::Condition {
    let mut conditions: BTreeMap<usize, mm::Condition> =
        checks.iter().map(|check| check.bad.clone()).enumerate().collect();
    let first = conditions.remove(&0).expect("every kernel checks something");
    conditions.into_values().fold(first, mm::Condition::or)
}
