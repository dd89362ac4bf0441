//! The engine: executes memory operations one by one, in whatever order it is told, and decides what each may see. It
//! sees PTX events only.

use std::rc::Rc;

use super::access::{Access, CopyProgress, Memory};
use super::choice::{Chooser, Offer};
use super::clock::{ASYNC_READ, ASYNC_WRITE, Clock, MAX_BLOCKS, THREAD_BITS, Tid, block_of};
use super::copies::Copies;
use super::history::{Backing, Cell, MAX_HISTORY, Read, Shadow, Span, Strong, Write};
use super::message::{BlockPlace, Level, Message, Part, Stamp};
use super::order::{HostOrder, Order, Strength, before_any, bits};
use super::race::{AccessKind, Missing, Party, Race, Races, StaleRead, index_of};
use super::record::{Done, Recording};

/// How an engine is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Writes of each piece of memory that are remembered, 2 to 31; a read returns none that is older.
    pub history: usize,
    /// Whether races are looked for.
    pub races: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { history: 12, races: true }
    }
}

/// Patterns on single locations that a thread's state keeps apart.
const MAX_TAGGED: usize = 24;

/// What the engine knows of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadState {
    pub(super) epoch: u32,
    pub(super) clock: Clock,
    /// The last releasing fence of each scope.
    fences: [Option<Stamp>; 4],
    /// Release operations on locations: a later strong write to the same one publishes what precedes them.
    releases: Vec<(Span, Level, Stamp)>,
    /// What strong reads have observed: a later acquire takes it.
    pending: Vec<(Span, Rc<Message>)>,
    /// The same where too much was observed to keep the locations apart.
    loose: Message,
    /// Old values in a row that strong reads returned.
    stale: u32,
    pub(super) copies: Option<Box<Copies>>,
}

/// What the engine knows of a block.
#[derive(Clone, Debug)]
pub(super) struct BlockState {
    pub(super) threads: Vec<ThreadState>,
    /// Proxy fences: who, in which epoch, what was before, whether of global and of shared memory.
    pub(super) proxy_fences: Vec<(Stamp, bool, bool)>,
}

/// What arrived at a barrier or mbarrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gathering {
    clock: Clock,
    arrived: Vec<Tid>,
    /// The barrier's number in a recording.
    serial: u32,
}

impl Gathering {
    /// Takes all that another has gathered; who arrived does not matter any more.
    pub(crate) fn absorb(&mut self, other: Gathering) {
        self.clock.join(&other.clock);
    }
}

/// Memory as several threads see it.
#[derive(Clone, Debug)]
pub struct Engine {
    pub(super) options: Options,
    pub(super) places: Vec<BlockPlace>,
    pub(super) blocks: Vec<Option<Box<BlockState>>>,
    pub(super) shadow: Shadow,
    fence_sc: Message,
    pub(super) host_orders: Vec<HostOrder>,
    pub(super) races: Races,
    /// Places of the cells of the present access: granule, its address, cell.
    touched: Vec<(usize, u64, usize)>,
    /// Operations executed.
    pub(super) operations: u64,
    /// What was executed, where that is wanted.
    pub(super) recording: Option<Box<Recording>>,
}

/// Everything of a candidate that a read of several cells needs.
pub(super) struct Looked {
    granule: usize,
    address: u64,
    cell: usize,
    caused: u32,
    candidates: u32,
}

impl Engine {
    pub(crate) fn new(options: Options, backing: Backing) -> Self {
        let options = Options { history: options.history.clamp(2, MAX_HISTORY), ..options };
        Self {
            options,
            places: Vec::new(),
            blocks: Vec::new(),
            shadow: Shadow::new(backing),
            fence_sc: Message::default(),
            host_orders: Vec::new(),
            races: Races::default(),
            touched: Vec::new(),
            operations: 0,
            recording: None,
        }
    }

    /// Records what is executed from now on.
    pub(crate) fn record(&mut self) {
        self.shadow.fresh = Some(Vec::new());
        self.recording = Some(Box::default());
    }

    /// What has been recorded.
    pub(crate) fn take_recording(&mut self) -> Option<Recording> {
        let mut recording = *self.recording.take()?;
        recording.places.clone_from(&self.places);
        recording.initial = self.shadow.fresh.take().unwrap_or_default().into_iter().collect();
        Some(recording)
    }

    #[inline]
    pub(super) fn note(&mut self, tid: Tid, done: impl FnOnce() -> Done) {
        if let Some(recording) = &mut self.recording {
            recording.note(tid, done());
        }
    }

    /// A new block; its number, or nothing where there are too many.
    pub(crate) fn add_block(&mut self, place: BlockPlace, threads: usize) -> Option<usize> {
        if self.blocks.len() >= MAX_BLOCKS || threads > 1 << THREAD_BITS {
            return None;
        }
        let threads = vec![ThreadState { epoch: 1, ..ThreadState::default() }; threads];
        self.places.push(place);
        self.blocks.push(Some(Box::new(BlockState { threads, proxy_fences: Vec::new() })));
        Some(self.blocks.len() - 1)
    }

    /// A block has ended; its shared memory is given back.
    pub(crate) fn end_block(&mut self, block: usize, shared: (u64, u64)) {
        self.blocks[block] = None;
        self.shadow.forget(shared.0, shared.1);
    }

    /// Memory that has gone, or is new.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        self.shadow.forget(start, bytes);
    }

    pub(super) fn thread(&self, tid: Tid) -> &ThreadState {
        match &self.blocks[block_of(tid)] {
            Some(block) => &block.threads[index_of(tid)],
            None => unreachable!("a thread of a block that has ended runs"),
        }
    }

    pub(super) fn thread_mut(&mut self, tid: Tid) -> &mut ThreadState {
        match &mut self.blocks[block_of(tid)] {
            Some(block) => &mut block.threads[index_of(tid)],
            None => unreachable!("a thread of a block that has ended runs"),
        }
    }

    pub(super) fn stamp(&self, tid: Tid) -> Stamp {
        let thread = self.thread(tid);
        Stamp { clock: thread.clock.clone(), tid, epoch: thread.epoch }
    }

    /// Whether two choices of a read at this place can differ.
    fn touch(&mut self, span: Span) {
        self.touched.clear();
        let mut at = span.address & !7;
        while at < span.end() {
            let granule = self.shadow.granule(at);
            let from = span.address.max(at) - at;
            let to = span.end().min(at + 8) - at;
            for cell in self.shadow.granules[granule].cut(from as u8, to as u8) {
                self.touched.push((granule, at, cell));
            }
            at += 8;
        }
    }

    // Reads.

    /// A read of a thread; what it returns. `accept` says which values may be returned: it is given the whole value.
    /// Nothing where no value is acceptable.
    pub(crate) fn read(
        &mut self,
        tid: Tid,
        access: &Access,
        chooser: &mut dyn Chooser,
        accept: Option<&dyn Fn(u128) -> bool>,
    ) -> Option<u128> {
        self.operations += 1;
        if !access.is_strong()
            && !access.foreign
            && accept.is_none()
            && let Some(value) = self.read_quickly(tid, access, chooser)
        {
            self.note(tid, || Done::Read { access: *access, value });
            return Some(value);
        }
        if access.acquires {
            self.acquire_tagged(tid, access.span, access.scope);
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let host = std::mem::take(&mut self.host_orders);
        let order = if access.foreign {
            Order::Foreign { tid, clock: &clock, host: &host }
        } else {
            Order::Generic { tid, clock: &clock }
        };
        let picked = self.pick(tid, access, &order, chooser, accept, false);
        let result = picked.map(|(picked, value)| {
            self.after_read(tid, access, &order, &picked, value, AccessKind::Load);
            self.observe(tid, access, &picked, true);
            value
        });
        self.host_orders = host;
        if let Some(value) = result {
            self.note(tid, || Done::Read { access: *access, value });
        }
        result
    }

    /// The cell of an access that is a whole one, with its granule; nothing where there is no such cell yet.
    #[inline(always)]
    fn whole_cell(&mut self, span: Span) -> Option<(usize, usize)> {
        let start = (span.address & 7) as u8;
        if start + span.bytes > 8 {
            return None;
        }
        let granule = self.shadow.granule(span.address & !7);
        let cells = &self.shadow.granules[granule].cells;
        cells.iter().position(|c| c.start == start && c.bytes == span.bytes).map(|cell| (granule, cell))
    }

    /// A weak read of one whole cell that nothing races with and that returns the newest write: the usual case. Nothing
    /// where it is another one; then nothing has been done.
    #[inline]
    fn read_quickly(&mut self, tid: Tid, access: &Access, chooser: &mut dyn Chooser) -> Option<u128> {
        let (granule, at) = self.whole_cell(access.span)?;
        let Some(Some(block)) = self.blocks.get(block_of(tid)) else { return None };
        let thread = &block.threads[index_of(tid)];
        let order = Order::Generic { tid, clock: &thread.clock };
        let cell = &mut self.shadow.granules[granule].cells[at];
        let newest = cell.writes.len() - 1;
        let caused = order.caused(cell);
        let candidates = all(cell) & !before_any(cell, caused);
        if caused != all(cell) && self.options.races {
            return None;
        }
        if candidates != 1 << newest {
            let offer = Offer { count: candidates.count_ones() as usize, strong: false, stale: thread.stale };
            // The choice is made once: where it is not the newest, the rest is done here too.
            let picked = bits(candidates).nth(chooser.value(offer))?;
            if picked != newest {
                let value = cell.writes[picked].value >> (8 * cell.start);
                let address = access.span.address & !7;
                let looked = Looked { granule, address, cell: at, caused, candidates };
                let clock = thread.clock.clone();
                let order = Order::Generic { tid, clock: &clock };
                self.after_read(tid, access, &order, &[(looked, picked)], value.into(), AccessKind::Load);
                return Some(value.into());
            }
        }
        if self.options.races {
            let read =
                Read { tid, epoch: thread.epoch, site: access.site, scope: None, span: access.span, foreign: false };
            cell.note_read(read, |old| order.follows(old.tid, old.epoch));
        }
        Some((cell.writes[newest].value >> (8 * cell.start)).into())
    }

    /// A weak write of one whole cell after everything that is there: the usual case. False where it is another one;
    /// then nothing has been done.
    #[inline]
    fn write_quickly(&mut self, tid: Tid, access: &Access, value: u128) -> bool {
        let Some((granule, at)) = self.whole_cell(access.span) else { return false };
        let Some(Some(block)) = self.blocks.get(block_of(tid)) else { return false };
        let thread = &block.threads[index_of(tid)];
        let order = Order::Generic { tid, clock: &thread.clock };
        let cell = &mut self.shadow.granules[granule].cells[at];
        if order.caused(cell) != all(cell) {
            return false;
        }
        if self.options.races && !cell.reads.is_empty() {
            let ordered = |r: &Read| !r.foreign && (r.tid == tid || order.follows(r.tid, r.epoch));
            if !cell.reads.iter().all(ordered) {
                return false;
            }
            cell.reads.clear();
        }
        let word = (value as u64) << (8 * cell.start) & cell.mask();
        let address = access.span.address & !7;
        let mut write = Write::new(tid, thread.epoch, access.site, access.span, address, word);
        let newest = cell.writes.len() - 1;
        let last = &cell.writes[newest];
        // A thread's own writes without a release between them: those who race with it may see the last one, or older
        // ones; each single one takes too much room.
        if newest >= 3 && last.tid == tid && last.epoch == thread.epoch && last.strong.is_none() {
            write.before = (1 << newest) - 1;
            cell.writes[newest] = write;
        } else {
            write.before = all(cell);
            cell.push(write, self.options.history);
        }
        true
    }

    /// Whether a read could return an acceptable value now.
    pub(crate) fn could_read(&mut self, tid: Tid, access: &Access, accept: &dyn Fn(u128) -> bool) -> bool {
        struct Any(usize);
        impl Chooser for Any {
            fn value(&mut self, offer: Offer) -> usize {
                self.0 = offer.count;
                0
            }
            fn thread(&mut self, _: &[super::choice::Ready]) -> Option<usize> {
                None
            }
            fn put_off(&mut self) -> bool {
                false
            }
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let host = self.host_orders.clone();
        let order = if access.foreign {
            Order::Foreign { tid, clock: &clock, host: &host }
        } else {
            Order::Generic { tid, clock: &clock }
        };
        let stale = self.thread(tid).stale;
        let found = self.pick(tid, access, &order, &mut Any(0), Some(accept), false).is_some();
        self.thread_mut(tid).stale = stale;
        found
    }

    /// Decides which write of each touched cell is returned.
    fn pick(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        chooser: &mut dyn Chooser,
        accept: Option<&dyn Fn(u128) -> bool>,
        rmw: bool,
    ) -> Option<(Vec<(Looked, usize)>, u128)> {
        let strength = access.strength(tid);
        let looked: Vec<Looked> = self
            .touched
            .iter()
            .map(|&(granule, address, cell)| {
                let c = &self.shadow.granules[granule].cells[cell];
                let (caused, candidates) = look(c, address, order, &strength, &self.places, rmw);
                Looked { granule, address, cell, caused, candidates }
            })
            .collect();
        let value = |choice: &[usize]| {
            looked.iter().zip(choice).fold(0u128, |all, (l, &at)| {
                let word = self.shadow.granules[l.granule].cells[l.cell].writes[at].value;
                place(all, word, l.address, access.span)
            })
        };
        let mut choices = vec![Vec::with_capacity(looked.len())];
        for (number, l) in looked.iter().enumerate() {
            // Many pieces with many writes: the later ones return the newest.
            let narrow = choices.len() > 64 && number > 0;
            let newest = 1 << (31 - l.candidates.leading_zeros());
            let set = if narrow { newest } else { l.candidates };
            choices = bits(set)
                .flat_map(|at| {
                    choices.iter().map(move |c| {
                        let mut c = c.clone();
                        c.push(at);
                        c
                    })
                })
                .collect();
        }
        if looked.len() > 1 {
            choices.retain(|c| self.is_whole(&looked, c, &strength));
        }
        if let Some(accept) = accept {
            choices.retain(|c| accept(value(c)));
        }
        if choices.is_empty() {
            return None;
        }
        let stale = self.thread(tid).stale;
        let offer = Offer { count: choices.len(), strong: access.is_strong(), stale };
        let picked = if choices.len() == 1 { 0 } else { chooser.value(offer).min(choices.len() - 1) };
        if access.is_strong() {
            let newest = picked + 1 == choices.len();
            let thread = self.thread_mut(tid);
            thread.stale = if newest { 0 } else { thread.stale + 1 };
        }
        let choice = choices.swap_remove(picked);
        let value = {
            let shadow = &self.shadow;
            looked.iter().zip(&choice).fold(0u128, |all, (l, &at)| {
                place(all, shadow.granules[l.granule].cells[l.cell].writes[at].value, l.address, access.span)
            })
        };
        Some((looked.into_iter().zip(choice).collect(), value))
    }

    /// Single-copy atomicity (PTX ISA §8.10.3): where one piece comes from a morally strong write, no other piece comes
    /// from a write before it.
    fn is_whole(&self, looked: &[Looked], choice: &[usize], strength: &Strength) -> bool {
        looked.iter().zip(choice).all(|(l, &at)| {
            let write = &self.shadow.granules[l.granule].cells[l.cell].writes[at];
            if !strength.with_write(write, l.address, &self.places) {
                return true;
            }
            looked.iter().zip(choice).all(|(other, &source)| {
                let cell = &self.shadow.granules[other.granule].cells[other.cell];
                // The same write is in each of the pieces that it wrote.
                let here = cell.writes.iter().position(|w| w.strong.is_some() && w.operation == write.operation);
                match here {
                    Some(here) if here != source => cell.writes[here].before >> source & 1 == 0,
                    _ => true,
                }
            })
        })
    }

    /// What a strong read leaves behind: observation, and what its acquire takes.
    fn observe(&mut self, tid: Tid, access: &Access, picked: &[(Looked, usize)], atom: bool) {
        if !access.is_strong() || access.foreign {
            return;
        }
        let strength = access.strength(tid);
        let mut last: Option<Rc<Message>> = None;
        for (l, at) in picked {
            let cell = &mut self.shadow.granules[l.granule].cells[l.cell];
            let own = strength.with_write(&cell.writes[*at], l.address, &self.places);
            // The order that §8.10.5 wants acyclic.
            let mut reach = cell.seen_by(tid);
            if own {
                reach |= 1 << at | cell.writes[*at].strong.as_ref().map_or(0, |s| s.reach);
            }
            let skipped = newer_strong(cell, *at, l.address, &strength, &self.places);
            if skipped != 0 {
                cell.taint |= reach;
            }
            cell.see(tid, reach);
            if let Some(strong) = &mut cell.writes[*at].strong {
                strong.read_reach |= reach;
                if own
                    && atom
                    && let Some(message) = &strong.message
                {
                    let again = last.as_ref().is_some_and(|l| Rc::ptr_eq(l, message));
                    if !again {
                        last = Some(message.clone());
                    }
                }
            }
        }
        if let Some(message) = last {
            self.take(tid, access, &message);
        }
        for (l, at) in picked {
            let write = &self.shadow.granules[l.granule].cells[l.cell].writes[*at];
            if !strength.with_write(write, l.address, &self.places) || write.tid == tid {
                continue;
            }
            let (writer, epoch) = (write.tid, write.epoch);
            let thread = self.thread(tid);
            if thread.clock.covers(writer, epoch) {
                continue;
            }
            let now = thread.epoch;
            let write = &mut self.shadow.granules[l.granule].cells[l.cell].writes[*at];
            if let Some(strong) = &mut write.strong
                && !strong.observers.iter().any(|o| o.0 == tid)
            {
                strong.observers.push((tid, now));
            }
        }
    }

    fn take(&mut self, tid: Tid, access: &Access, message: &Rc<Message>) {
        if access.acquires {
            let mut clock = std::mem::take(&mut self.thread_mut(tid).clock);
            message.acquire(access.scope, tid, &self.places, &mut clock);
            self.thread_mut(tid).clock = clock;
            if access.scope == 3 {
                return;
            }
        }
        let places = &self.places;
        let Some(block) = &mut self.blocks[block_of(tid)] else { return };
        let thread = &mut block.threads[index_of(tid)];
        if thread.pending.iter().any(|p| p.0 == access.span && Rc::ptr_eq(&p.1, message)) {
            return;
        }
        thread.pending.push((access.span, message.clone()));
        if thread.pending.len() > MAX_TAGGED {
            for (_, message) in thread.pending.drain(..MAX_TAGGED / 2) {
                thread.loose.extend(&message, places);
            }
        }
    }

    /// An acquire of a location takes what was observed there before.
    fn acquire_tagged(&mut self, tid: Tid, span: Span, scope: Level) {
        let thread = self.thread(tid);
        if thread.pending.is_empty() && thread.loose.is_empty() {
            return;
        }
        let mut clock = thread.clock.clone();
        for (_, message) in thread.pending.iter().filter(|p| p.0 == span) {
            message.acquire(scope, tid, &self.places, &mut clock);
        }
        thread.loose.acquire(scope, tid, &self.places, &mut clock);
        self.thread_mut(tid).clock = clock;
    }

    /// Races of a read, and whether it returned an old write.
    pub(super) fn after_read(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        picked: &[(Looked, usize)],
        value: u128,
        kind: AccessKind,
    ) {
        let strength = access.strength(tid);
        let epoch = access.epoch.unwrap_or_else(|| self.thread(tid).epoch);
        for (l, at) in picked {
            let cell = &self.shadow.granules[l.granule].cells[l.cell];
            let newest = cell.writes.len() - 1;
            if *at != newest && !self.races.stale_again((access.site, cell.writes[newest].site)) {
                self.stale(tid, access, l, *at, value, kind);
            }
            if !self.options.races {
                continue;
            }
            let cell = &self.shadow.granules[l.granule].cells[l.cell];
            let racing: Vec<usize> = bits(all(cell) & !l.caused)
                .filter(|&i| {
                    let w = &cell.writes[i];
                    !w.is_initial() && !same_operation(w.tid, tid) && !strength.with_write(w, l.address, &self.places)
                })
                .collect();
            for i in racing {
                self.race_with_write(tid, access, l.granule, l.address, l.cell, i, Some(value), kind);
            }
            // What only one thread has written and read needs no note as long as that stays so.
            let cell = &mut self.shadow.granules[l.granule].cells[l.cell];
            let read = Read {
                tid,
                epoch,
                site: access.site,
                scope: access.is_strong().then_some(access.scope),
                span: access.span,
                foreign: access.foreign,
            };
            cell.note_read(read, |old| order.follows(old.tid, old.epoch));
        }
    }

    // Writes.

    /// A write of a thread.
    pub(crate) fn write(&mut self, tid: Tid, access: &Access, value: u128) {
        self.operations += 1;
        self.note(tid, || Done::Write { access: *access, value });
        if !access.is_strong() && self.write_quickly(tid, access, value) {
            return;
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let message = if access.is_strong() { self.own_message(tid, access) } else { None };
        let order = Order::Generic { tid, clock: &clock };
        self.put(tid, access, &order, value, message, &[], AccessKind::Store);
        if access.releases {
            self.released(tid, access);
        }
    }

    /// Puts a write into the touched cells. `sources` are the writes that an atomic operation read.
    #[expect(clippy::too_many_arguments, reason = "a write has that many parts, and three callers")]
    pub(super) fn put(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        value: u128,
        message: Option<Rc<Message>>,
        sources: &[usize],
        kind: AccessKind,
    ) {
        let strength = access.strength(tid);
        let epoch = access.epoch.unwrap_or_else(|| self.thread(tid).epoch);
        for number in 0..self.touched.len() {
            let (granule, address, at) = self.touched[number];
            let cell = &self.shadow.granules[granule].cells[at];
            let caused = order.caused(cell);
            let mut strong = 0;
            for (i, w) in cell.writes.iter().enumerate() {
                strong |= u32::from(strength.with_write(w, address, &self.places)) << i;
            }
            let direct = caused | strong | 1 & u32::from(cell.writes[0].is_initial());
            let before = direct | before_any(cell, direct);
            if self.options.races {
                self.races_of_write(tid, access, order, (granule, address, at), caused | strong, value, kind);
            }
            let limit = self.options.history;
            let cell = &mut self.shadow.granules[granule].cells[at];
            let word = extract(value, address, access.span) & cell.mask();
            let mut write = Write::new(tid, epoch, access.site, access.span, address, word);
            write.before = before;
            if access.is_strong() {
                let mut reach = cell.seen_by(tid);
                for i in bits(before) {
                    reach |= 1 << i;
                    if let Some(s) = &cell.writes[i].strong {
                        reach |= s.reach | s.read_reach;
                    }
                }
                let mut chain = 0;
                if let Some(&source) = sources.get(number)
                    && strong >> source & 1 != 0
                {
                    chain = 1 << source | cell.writes[source].chain();
                }
                cell.see(tid, reach | 1 << cell.writes.len());
                write.operation = self.operations as u32;
                write.strong = Some(Box::new(Strong {
                    scope: access.scope,
                    rmw: kind == AccessKind::Atomic,
                    chain,
                    reach,
                    read_reach: 0,
                    message: message.clone(),
                    observers: Vec::new(),
                }));
            }
            cell.push(write, limit);
        }
    }

    /// What a strong write publishes by itself.
    fn own_message(&self, tid: Tid, access: &Access) -> Option<Rc<Message>> {
        let thread = self.thread(tid);
        let mut message = Message::default();
        for (scope, stamp) in thread.fences.iter().enumerate() {
            if let Some(stamp) = stamp {
                message.add(Part { scope: scope as Level, stamp: stamp.clone() }, &self.places);
            }
        }
        for (span, scope, stamp) in &thread.releases {
            if *span == access.span {
                message.add(Part { scope: *scope, stamp: stamp.clone() }, &self.places);
            }
        }
        if access.releases {
            message.add(Part { scope: access.scope, stamp: self.stamp(tid) }, &self.places);
        }
        (!message.is_empty()).then(|| Rc::new(message))
    }

    /// A release operation has been executed.
    fn released(&mut self, tid: Tid, access: &Access) {
        let stamp = self.stamp(tid);
        let thread = self.thread_mut(tid);
        thread.releases.retain(|r| !(r.0 == access.span && r.1 <= access.scope));
        thread.releases.push((access.span, access.scope, stamp));
        if thread.releases.len() > MAX_TAGGED {
            // Towards more order: it counts as a fence from now on.
            let (_, scope, stamp) = thread.releases.remove(0);
            let fence = &mut thread.fences[scope as usize];
            if fence.as_ref().is_none_or(|f| f.epoch < stamp.epoch) {
                *fence = Some(stamp);
            }
        }
        thread.epoch += 1;
    }

    /// A read-modify-write; the old value. `function` gives the new value, or nothing where none is written; `returns` is
    /// false for `red`, which starts no acquire pattern.
    pub(crate) fn rmw(
        &mut self,
        tid: Tid,
        access: &Access,
        returns: bool,
        function: &mut dyn FnMut(u128) -> Option<u128>,
        chooser: &mut dyn Chooser,
    ) -> u128 {
        self.operations += 1;
        if access.acquires && returns {
            self.acquire_tagged(tid, access.span, access.scope);
        }
        self.touch(access.span);
        let clock = self.thread(tid).clock.clone();
        let order = Order::Generic { tid, clock: &clock };
        let Some((picked, old)) = self.pick(tid, access, &order, chooser, None, true) else {
            unreachable!("the newest write can always be read");
        };
        self.after_read(tid, access, &order, &picked, old, AccessKind::Atomic);
        self.observe(tid, access, &picked, returns);
        let new = function(old);
        self.note(tid, || Done::Rmw { access: *access, returns, old, new });
        if let Some(new) = new {
            let strength = access.strength(tid);
            let mut message = self.own_message(tid, access).map_or_else(Message::default, |m| (*m).clone());
            for (l, at) in &picked {
                let write = &self.shadow.granules[l.granule].cells[l.cell].writes[*at];
                if strength.with_write(write, l.address, &self.places)
                    && let Some(read) = write.strong.as_ref().and_then(|s| s.message.as_ref())
                {
                    message.extend(read, &self.places);
                    break;
                }
            }
            let message = (!message.is_empty()).then(|| Rc::new(message));
            let sources: Vec<usize> = picked.iter().map(|p| p.1).collect();
            let clock = self.thread(tid).clock.clone();
            let order = Order::Generic { tid, clock: &clock };
            self.put(tid, access, &order, new, message, &sources, AccessKind::Atomic);
        }
        if access.releases {
            self.released(tid, access);
        }
        old
    }

    // Fences and barriers.

    /// A fence.
    pub(crate) fn fence(&mut self, tid: Tid, acquires: bool, releases: bool, sc: bool, scope: Level) {
        self.operations += 1;
        self.note(tid, || Done::Fence { acquires, releases, sc, scope });
        let mut clock = self.thread(tid).clock.clone();
        if acquires {
            let thread = self.thread(tid);
            for (_, message) in &thread.pending {
                message.acquire(scope, tid, &self.places, &mut clock);
            }
            thread.loose.acquire(scope, tid, &self.places, &mut clock);
        }
        if sc {
            self.fence_sc.acquire(scope, tid, &self.places, &mut clock);
        }
        let thread = self.thread_mut(tid);
        thread.clock = clock;
        if acquires && scope == 3 {
            thread.pending.clear();
            thread.loose = Message::default();
        }
        if releases || sc {
            let stamp = self.stamp(tid);
            if sc {
                let part = Part { scope, stamp: stamp.clone() };
                self.fence_sc.add(part, &self.places);
            }
            let thread = self.thread_mut(tid);
            if releases {
                thread.fences[scope as usize] = Some(stamp);
            }
            thread.epoch += 1;
        }
    }

    /// A fence between the generic and the asynchronous proxy.
    pub(crate) fn proxy_fence(&mut self, tid: Tid, global: bool, shared: bool) {
        self.operations += 1;
        self.note(tid, || Done::ProxyFence { global, shared });
        let stamp = self.stamp(tid);
        let Some(block) = &mut self.blocks[block_of(tid)] else { return };
        let fences = &mut block.proxy_fences;
        if fences.len() >= 4096 {
            // Towards more order: of a thread's older fences one stays, which counts from the first one on.
            let at = fences.iter().position(|f| f.0.tid == tid && f.1 == global && f.2 == shared);
            if let Some(at) = at {
                fences[at].0.clock = stamp.clock.clone();
                block.threads[index_of(tid)].epoch += 1;
                return;
            }
        }
        fences.push((stamp, global, shared));
        block.threads[index_of(tid)].epoch += 1;
    }

    /// A thread arrives at a barrier.
    pub(crate) fn arrive(&mut self, tid: Tid, gathering: &mut Gathering) {
        if let Some(recording) = &mut self.recording {
            if gathering.serial == 0 {
                recording.barriers += 1;
                gathering.serial = recording.barriers;
            }
            recording.note(tid, Done::Arrive { barrier: gathering.serial });
        }
        self.stamp(tid).join_into(&mut gathering.clock);
        gathering.arrived.push(tid);
        self.thread_mut(tid).epoch += 1;
    }

    /// A barrier is complete: those who wait go on.
    pub(crate) fn meet(&mut self, gathering: Gathering, waiters: &[Tid]) {
        let Gathering { mut clock, arrived, serial } = gathering;
        if let Some(recording) = &mut self.recording {
            recording.waited.insert(serial, waiters.to_vec());
        }
        let Some(&first) = waiters.first() else { return };
        let number = block_of(first);
        let Some(block) = &mut self.blocks[number] else { return };
        let whole = arrived.len() == block.threads.len()
            && waiters.len() == arrived.len()
            && arrived.iter().all(|&t| block_of(t) == number);
        if whole {
            let epoch = block.threads.iter().map(|t| t.epoch).max().unwrap_or(0);
            clock.add_all(number, epoch - 1);
            for thread in &mut block.threads {
                thread.epoch = epoch;
                thread.clock = clock.clone();
            }
            return;
        }
        for &waiter in waiters {
            self.thread_mut(waiter).clock.join(&clock);
        }
    }

    /// Joins what was gathered so far into a thread, and leaves it for others (mbarriers).
    pub(crate) fn wait_for(&mut self, tid: Tid, gathering: &Gathering) {
        self.note(tid, || Done::Unsupported("a wait for what was gathered (an mbarrier, a cluster)"));
        self.thread_mut(tid).clock.join(&gathering.clock);
    }

    /// What completes a gathering without being a thread's arrival.
    pub(crate) fn gather_copies(&mut self, tid: Tid, gathering: &mut Gathering, progress: CopyProgress) {
        gathering.clock.add(tid | ASYNC_READ, progress.reads);
        gathering.clock.add(tid | ASYNC_WRITE, progress.writes);
    }

    /// A thread starts after everything that others did (stream order, kernel boundaries).
    pub(crate) fn order_by_host(&mut self, first: Tid, copies: CopyProgress, second: Tid) {
        let mut clock = Clock::default();
        self.stamp(first).join_into(&mut clock);
        clock.add(first | ASYNC_READ, copies.reads);
        clock.add(first | ASYNC_WRITE, copies.writes);
        // What the first one has from the host counts for every proxy here, too.
        let inherited: Vec<Clock> = self
            .host_orders
            .iter()
            .filter(|h| h.tid == first || clock.covers(h.tid, h.epoch))
            .map(|h| h.clock.clone())
            .collect();
        for other in inherited {
            clock.join(&other);
        }
        let thread = self.thread_mut(second);
        thread.clock.join(&clock);
        let epoch = thread.epoch;
        self.host_orders.push(HostOrder { tid: second, epoch, clock });
    }

    /// The newest value of bytes, as the host finds it when everything has ended.
    pub(crate) fn newest(&mut self, span: Span) -> u128 {
        self.touch(span);
        self.touched.iter().fold(0, |all, &(granule, address, cell)| {
            let word = self.shadow.granules[granule].cells[cell].writes.last().map_or(0, |w| w.value);
            place(all, word, address, span)
        })
    }

    /// What the run tells beside its numbers.
    pub(crate) fn findings(&self) -> (&[Race], &[StaleRead], u64) {
        (&self.races.races, &self.races.stale, self.races.dropped)
    }

    /// Operations executed.
    pub(crate) fn operations(&self) -> u64 {
        self.operations
    }

    /// Cells that have forgotten a write.
    pub(crate) fn pruned(&self) -> u64 {
        self.shadow.granules.iter().flat_map(|g| &g.cells).filter(|c| c.pruned).count() as u64
    }

    /// Memory that the engine takes, roughly, in bytes, and the number of granules.
    pub(crate) fn footprint(&self) -> Memory {
        let cells: usize = self
            .shadow
            .granules
            .iter()
            .flat_map(|g| &g.cells)
            .map(|c| {
                size_of::<Cell>() + c.writes.capacity() * size_of::<Write>() + c.reads.capacity() * size_of::<Read>()
            })
            .sum();
        Memory { bytes: cells as u64, granules: self.shadow.granules.len() as u64 }
    }

    // Reports.

    pub(super) fn party(&self, of: Tid, kind: AccessKind, site: u32, value: Option<u128>, span: Span) -> Party {
        let block = block_of(of);
        Party {
            place: self.places.get(block).copied().unwrap_or(BlockPlace { pe: 0, cluster: 0, block: 0 }),
            block,
            thread: index_of(of),
            kind,
            site,
            value,
            address: span.address,
            bytes: span.bytes,
        }
    }

    fn writer(&self, write: &Write, granule: u64, cell: &Cell) -> Party {
        let kind = match &write.strong {
            _ if write.tid & ASYNC_WRITE != 0 => AccessKind::CopyWrite,
            Some(s) if s.rmw => AccessKind::Atomic,
            _ => AccessKind::Store,
        };
        let value = u128::from(write.value >> (8 * cell.start));
        self.party(write.tid, kind, write.site, Some(value), write.span(granule))
    }

    #[cold]
    fn stale(&mut self, tid: Tid, access: &Access, l: &Looked, at: usize, value: u128, kind: AccessKind) {
        let cell = &self.shadow.granules[l.granule].cells[l.cell];
        let newest = &cell.writes[cell.writes.len() - 1];
        let key = (access.site, newest.site);
        let returned = &cell.writes[at];
        let stale = StaleRead {
            read: self.party(tid, kind, access.site, Some(value), access.span),
            newest: self.writer(newest, l.address, cell),
            returned: (!returned.is_initial()).then(|| self.writer(returned, l.address, cell)),
            strong: access.is_strong(),
            missing: self.missing(newest.tid, newest.epoch, tid, access.foreign),
            count: 1,
        };
        self.races.add_stale(key, stale);
    }

    /// Which relation is missing between an access and a later one.
    pub(super) fn missing(&self, first: Tid, epoch: u32, second: Tid, foreign: bool) -> Missing {
        if foreign {
            return Missing::NonCoherent;
        }
        if (first | second) & (ASYNC_READ | ASYNC_WRITE) != 0 {
            return Missing::Proxy;
        }
        let apart = self.places[block_of(first)].apart(self.places[block_of(second)]);
        if let Some(Some(block)) = self.blocks.get(block_of(second)) {
            let reader = &block.threads[index_of(second)];
            let seen = reader.pending.iter().filter_map(|p| p.1.publishes(first, epoch)).max();
            if let Some(scope) = seen.max(reader.loose.publishes(first, epoch)) {
                return if scope >= apart { Missing::Acquire } else { Missing::Scope };
            }
        }
        match self.blocks.get(block_of(first)) {
            Some(Some(block)) => {
                let writer = &block.threads[index_of(first)];
                if writer.epoch == epoch {
                    return Missing::Release;
                }
                let fences = (0..4u8).filter(|&s| writer.fences[s as usize].as_ref().is_some_and(|f| f.epoch >= epoch));
                let operations = writer.releases.iter().filter(|r| r.2.epoch >= epoch).map(|r| r.1);
                match fences.chain(operations).max() {
                    Some(widest) if widest < apart => Missing::Scope,
                    _ => Missing::Chain,
                }
            }
            _ => Missing::Chain,
        }
    }

    #[cold]
    #[expect(clippy::too_many_arguments, reason = "both sides of a race")]
    fn race_with_write(
        &mut self,
        tid: Tid,
        access: &Access,
        granule: usize,
        address: u64,
        cell: usize,
        at: usize,
        value: Option<u128>,
        kind: AccessKind,
    ) {
        let cell = &self.shadow.granules[granule].cells[cell];
        let write = &cell.writes[at];
        let first = self.writer(write, address, cell);
        let mixed = write.span(address) != access.span;
        let key = (first.site, access.site, first.kind, kind, mixed);
        if self.races.again(key) {
            return;
        }
        let missing = self.missing(write.tid, write.epoch, tid, access.foreign);
        let second = self.party(tid, kind, access.site, value, access.span);
        self.races.add(key, Race { first, second, mixed, missing, count: 1 });
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a race")]
    fn races_of_write(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        (granule, address, at): (usize, u64, usize),
        ordered: u32,
        value: u128,
        kind: AccessKind,
    ) {
        let cell = &self.shadow.granules[granule].cells[at];
        let strength = access.strength(tid);
        if ordered != all(cell) {
            let racing: Vec<usize> = bits(all(cell) & !ordered)
                .filter(|&i| !cell.writes[i].is_initial() && !same_operation(cell.writes[i].tid, tid))
                .collect();
            for i in racing {
                self.race_with_write(tid, access, granule, address, at, i, Some(value), kind);
            }
        }
        let cell = &mut self.shadow.granules[granule].cells[at];
        if cell.reads.is_empty() {
            return;
        }
        let mut reads = std::mem::take(&mut cell.reads);
        for read in &reads {
            if read.tid == tid
                || !read.foreign && order.follows(read.tid, read.epoch)
                || same_operation(read.tid, tid)
                || strength.with_read(read, &self.places)
            {
                continue;
            }
            let read_kind = if read.tid & ASYNC_READ != 0 { AccessKind::CopyRead } else { AccessKind::Load };
            let mixed = read.span != access.span;
            let key = (read.site, access.site, read_kind, kind, mixed);
            if self.races.again(key) {
                continue;
            }
            let missing = match self.missing(read.tid, read.epoch, tid, read.foreign) {
                Missing::Release | Missing::Chain => Missing::ReadDone,
                other => other,
            };
            let first = self.party(read.tid, read_kind, read.site, None, read.span);
            let second = self.party(tid, kind, access.site, Some(value), access.span);
            self.races.add(key, Race { first, second, mixed, missing, count: 1 });
        }
        // A later write that is after this one is after what was before this one.
        reads.retain(|read| read.foreign || !(read.tid == tid || order.follows(read.tid, read.epoch)));
        self.shadow.granules[granule].cells[at].reads = reads;
    }

    pub(super) fn touch_for_copy(&mut self, span: Span) {
        self.operations += 1;
        self.touch(span);
    }

    pub(super) fn pick_for_copy(
        &mut self,
        tid: Tid,
        access: &Access,
        order: &Order<'_>,
        chooser: &mut dyn Chooser,
    ) -> u128 {
        match self.pick(tid & !(ASYNC_READ | ASYNC_WRITE), access, order, chooser, None, false) {
            Some((picked, value)) => {
                self.after_read(tid, access, order, &picked, value, AccessKind::CopyRead);
                value
            }
            None => unreachable!("the newest write can always be read"),
        }
    }
}

/// Both are parts of asynchronous operations of one thread, or the same thread.
fn same_operation(one: Tid, other: Tid) -> bool {
    one == other
        || (one | ASYNC_READ | ASYNC_WRITE == other | ASYNC_READ | ASYNC_WRITE
            && one & (ASYNC_READ | ASYNC_WRITE) != 0
            && other & (ASYNC_READ | ASYNC_WRITE) != 0)
}

fn all(cell: &Cell) -> u32 {
    if cell.writes.len() >= 32 { u32::MAX } else { (1 << cell.writes.len()) - 1 }
}

/// Newer writes, in coherence, that are morally strong with an access which returns the write at a place.
fn newer_strong(cell: &Cell, at: usize, granule: u64, strength: &Strength, places: &[BlockPlace]) -> u32 {
    let mut set = 0;
    for (i, w) in cell.writes.iter().enumerate().skip(at + 1) {
        if w.before >> at & 1 != 0 && strength.with_write(w, granule, places) {
            set |= 1 << i;
        }
    }
    set
}

/// The writes of a cell that are causally before an access, and those that it may return.
fn look(
    cell: &Cell,
    granule: u64,
    order: &Order<'_>,
    strength: &Strength,
    places: &[BlockPlace],
    rmw: bool,
) -> (u32, u32) {
    let caused = order.caused(cell);
    let mut candidates = all(cell) & !before_any(cell, caused);
    let newest = 1u32 << (cell.writes.len() - 1);
    if strength.scope.is_some() && candidates != newest {
        let seen = cell.seen_by(strength.tid);
        for at in bits(candidates) {
            let skipped = newer_strong(cell, at, granule, strength, places);
            if skipped == 0 {
                continue;
            }
            let mut reach = seen;
            if strength.with_write(&cell.writes[at], granule, places) {
                reach |= 1 << at | cell.writes[at].strong.as_ref().map_or(0, |s| s.reach);
            }
            // An atomic operation reads the last write before its own (§8.10.3).
            if rmw || skipped & reach != 0 {
                candidates &= !(1 << at);
            }
        }
    }
    (caused, candidates | if candidates == 0 { newest } else { 0 })
}

/// Puts the bytes of a granule's word into the value of an access.
fn place(all: u128, word: u64, granule: u64, span: Span) -> u128 {
    let wide = u128::from(word);
    let moved = if granule >= span.address {
        wide << (8 * (granule - span.address))
    } else {
        wide >> (8 * (span.address - granule))
    };
    let ones = if span.bytes >= 16 { u128::MAX } else { (1u128 << (8 * span.bytes)) - 1 };
    all | moved & ones
}

/// The bytes of an access's value that lie in a granule, at their places there.
fn extract(value: u128, granule: u64, span: Span) -> u64 {
    if granule >= span.address {
        (value >> (8 * (granule - span.address))) as u64
    } else {
        (value << (8 * (span.address - granule))) as u64
    }
}
