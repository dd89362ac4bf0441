//! A record of what was executed, and the program of the memory model that it makes: with it, the axioms can be asked
//! whether they allow what the engine did. The engine shares nothing with them, so each is a check of the other.
//!
//! Limits: what a program of the memory model can hold (256 events, copies of 64 bytes), and no mbarriers. Rounds of a
//! poll that returned the same value again are left out, as a program has only the last one. No dependency between
//! operations is claimed.

use std::collections::{BTreeMap, HashMap};

use memory_model::{
    Access as ModelAccess, Address, BarrierAction, BarrierLevel, Condition, LocationId, Op, Place, Program, Proxy,
    ProxyFence, RmwFunction, Scope, Semantics, ThreadId,
};

use super::access::Access;
use super::clock::{Tid, block_of};
use super::history::Span;
use super::message::BlockPlace;
use super::race::index_of;

/// One thing that a thread did.
#[derive(Clone, Debug)]
pub(crate) enum Done {
    Read { access: Access, value: u128 },
    Write { access: Access, value: u128 },
    Rmw { access: Access, returns: bool, old: u128, new: Option<u128> },
    Fence { acquires: bool, releases: bool, sc: bool, scope: u8 },
    ProxyFence { global: bool, shared: bool },
    Arrive { barrier: u32 },
    Copy { to: (u64, bool), from: (u64, bool), bytes: u64 },
    Commit,
    Wait { pending: u32, read_only: bool },
    Unsupported(&'static str),
}

/// What was executed, in the order in which it was.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub(crate) events: Vec<(Tid, Done)>,
    pub(crate) places: Vec<BlockPlace>,
    /// What memory held at first, by granule.
    pub(crate) initial: HashMap<u64, u64>,
    /// Who waited at each barrier.
    pub(crate) waited: HashMap<u32, Vec<Tid>>,
    pub(crate) barriers: u32,
    pub(crate) full: bool,
}

/// Why a record makes no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// More was executed than a program holds.
    #[error("more was executed than the memory model takes")]
    TooMuch,
    /// Something that a program cannot say.
    #[error("a program of the memory model cannot say {0}")]
    Unsupported(&'static str),
}

/// Events that are kept.
const MOST: usize = 400;
/// Distance in bytes from which on two accesses belong to two locations.
const APART: u64 = 64;

impl Recording {
    pub(crate) fn note(&mut self, tid: Tid, done: Done) {
        if let Done::Read { access, value } = &done
            && let Some((last, Done::Read { access: before, value: same })) =
                self.events.iter().rev().find(|e| e.0 == tid).map(|e| (e.0, &e.1))
            && last == tid
            && before.span == access.span
            && before.site == access.site
            && access.is_strong()
            && same == value
        {
            return;
        }
        if self.events.len() >= MOST {
            self.full = true;
            return;
        }
        self.events.push((tid, done));
    }

    /// The program of what was executed, and the condition that its loads return what they did return.
    ///
    /// # Errors
    ///
    /// Too much, or something that cannot be said.
    pub fn program(&self) -> Result<(Program, Condition), RecordError> {
        if self.full {
            return Err(RecordError::TooMuch);
        }
        let mut builder = Builder { recording: self, program: Program::new(), bases: BTreeMap::new() };
        builder.locations();
        let mut condition = Condition::True;
        let mut threads: HashMap<Tid, (ThreadId, String, usize)> = HashMap::new();
        for (tid, done) in &self.events {
            let (id, name, count) = threads.entry(*tid).or_insert_with(|| {
                let name = format!("T{}_{}", block_of(*tid), index_of(*tid));
                let place = place(self.places[block_of(*tid)]);
                (builder.program.thread(name.clone(), place).id(), name, 0)
            });
            *count += 1;
            let register = format!("r{count}");
            let (op, value) = builder.op(*tid, done, &register)?;
            if let Some(value) = value {
                condition = condition.and(Condition::register(name, &register, value));
            }
            builder.program.resume(*id).op(op);
        }
        Ok((builder.program, condition))
    }
}

struct Builder<'a> {
    recording: &'a Recording,
    program: Program,
    /// First and last byte of each location.
    bases: BTreeMap<u64, (u64, LocationId)>,
}

impl Builder<'_> {
    /// Accesses that are close to each other are of one location.
    fn locations(&mut self) {
        let mut ranges: Vec<(u64, u64, Option<Place>)> = Vec::new();
        for (tid, done) in &self.recording.events {
            let here = place(self.recording.places[block_of(*tid)]);
            match done {
                Done::Read { access, .. } | Done::Write { access, .. } | Done::Rmw { access, .. } => {
                    ranges.push((access.span.address, access.span.end(), None));
                }
                Done::Copy { to, from, bytes } => {
                    for (start, shared) in [*to, *from] {
                        ranges.push((start, start + bytes, shared.then_some(here)));
                    }
                }
                _ => {}
            }
        }
        ranges.sort_unstable_by_key(|r| r.0);
        let mut merged: Vec<(u64, u64, Option<Place>)> = Vec::new();
        for (start, end, shared) in ranges {
            match merged.last_mut() {
                Some(last) if start < last.1 + APART => {
                    last.1 = last.1.max(end);
                    last.2 = last.2.or(shared);
                }
                _ => merged.push((start & !15, end, shared)),
            }
        }
        for (number, (start, end, shared)) in merged.into_iter().enumerate() {
            let name = format!("m{number}");
            let id = match shared {
                Some(place) => self.program.shared(name, place),
                None => self.program.global(name),
            };
            for (&granule, &value) in &self.recording.initial {
                if granule >= start && granule < end && value != 0 {
                    self.program.initial(id, granule - start, 8, value.into());
                }
            }
            self.bases.insert(start, (end, id));
        }
    }

    fn address(&self, address: u64) -> Address {
        match self.bases.range(..=address).next_back() {
            Some((start, (_, location))) => Address { location: *location, offset: address - start },
            None => Address { location: LocationId(0), offset: 0 },
        }
    }

    fn access(&self, access: &Access) -> ModelAccess {
        let Span { address, bytes } = access.span;
        let semantics = match (access.strong, access.acquires, access.releases) {
            (false, ..) => Semantics::Weak,
            (_, true, true) => Semantics::AcquireRelease,
            (_, true, false) => Semantics::Acquire,
            (_, false, true) => Semantics::Release,
            _ => Semantics::Relaxed,
        };
        ModelAccess {
            address: self.address(address),
            width: bytes,
            count: 1,
            semantics,
            scope: scope(access.scope),
            proxy: if access.foreign { Proxy::Texture } else { Proxy::Generic },
            depends_on: Vec::new(),
        }
    }

    fn op(&self, tid: Tid, done: &Done, register: &str) -> Result<(Op, Option<u128>), RecordError> {
        Ok(match done {
            Done::Read { access, value } => {
                let mut access = self.access(access);
                if access.semantics == Semantics::AcquireRelease {
                    access.semantics = Semantics::Acquire;
                }
                (Op::Load { registers: vec![register.into()], access, until: None }, Some(*value))
            }
            Done::Write { access, value } => {
                let mut access = self.access(access);
                if access.semantics == Semantics::AcquireRelease {
                    access.semantics = Semantics::Release;
                }
                (Op::Store { access, values: vec![(*value).into()] }, None)
            }
            Done::Rmw { access, returns, old, new } => {
                // With the old value as it was, any function that gives the new one will do.
                let function = match new {
                    Some(new) => RmwFunction::Exchange((*new).into()),
                    None => RmwFunction::CompareAndSwap { expected: (!*old & 0xff).into(), desired: 0u64.into() },
                };
                let register = returns.then(|| register.into());
                let value = returns.then_some(*old);
                (Op::Rmw { returns: *returns, register, access: self.access(access), function }, value)
            }
            Done::Fence { acquires, releases, sc, scope: level } => {
                let semantics = match (sc, acquires, releases) {
                    (true, ..) => Semantics::SequentiallyConsistent,
                    (_, true, true) => Semantics::AcquireRelease,
                    (_, true, false) => Semantics::Acquire,
                    _ => Semantics::Release,
                };
                (Op::Fence { semantics, scope: scope(*level) }, None)
            }
            Done::ProxyFence { global, shared } => {
                let fence = match (global, shared) {
                    (true, true) => ProxyFence::Async,
                    (true, false) => ProxyFence::AsyncGlobal,
                    _ => ProxyFence::AsyncSharedCta,
                };
                (Op::ProxyFence(fence), None)
            }
            Done::Arrive { barrier } => {
                let waits = self.recording.waited.get(barrier).is_some_and(|w| w.contains(&tid));
                let action = if waits { BarrierAction::Sync } else { BarrierAction::Arrive };
                (Op::Barrier { id: *barrier, action, level: BarrierLevel::Cta, participants: None }, None)
            }
            Done::Copy { to, from, bytes } => {
                let bytes =
                    u32::try_from(*bytes).ok().filter(|&b| b <= 64).ok_or(RecordError::Unsupported("large copies"))?;
                (Op::BulkCopy { destination: self.address(to.0), source: self.address(from.0), bytes }, None)
            }
            Done::Commit => (Op::BulkCommit, None),
            Done::Wait { pending, read_only } => (Op::BulkWait { pending: *pending, read_only: *read_only }, None),
            Done::Unsupported(what) => return Err(RecordError::Unsupported(what)),
        })
    }
}

fn place(place: BlockPlace) -> Place {
    if place.pe == BlockPlace::HOST {
        Place::Host
    } else {
        Place::Device { gpu: place.pe, cluster: place.cluster, cta: place.block }
    }
}

fn scope(level: u8) -> Scope {
    match level {
        0 => Scope::Cta,
        1 => Scope::Cluster,
        2 => Scope::Gpu,
        _ => Scope::Sys,
    }
}
