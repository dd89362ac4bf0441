//! One GPU thread: its coroutine, what its program reads of it, and what it waits for.

use std::cell::Cell;

use corosensei::{Coroutine, Yielder};
use gicc_abi::sim::{Meta, ThreadInfo};

use crate::block::Block;
use crate::schedule::Scheduler;
use crate::stack::PooledStack;
use crate::weak::access::Access;
use crate::weak::choice::Footprint;
use crate::weak::clock::Tid;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can run.
    Ready,
    /// It can run; it read a value that it had read before.
    Polling(Poll),
    /// It sleeps until a time.
    Sleeping { until: u64 },
    /// It waits at a block barrier.
    Barrier { id: u32 },
    /// It waits for lanes of its warp.
    Warp { mask: u32 },
    /// It waits for the block at the cluster's barrier.
    Cluster,
    /// It asked to end.
    Exiting,
    /// It has ended.
    Done,
}

/// A read that brought nothing new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Poll {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) value: u64,
    pub(crate) site: u32,
}

/// What a thread waits for where every choice is gone through.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Await {
    /// A value other than this one.
    Other { access: Access, value: u128 },
    /// Its copies up to a number: their reads, and with `full` their writes.
    Copies { number: u32, full: bool },
}

/// A range that accesses of one site hit last.
#[derive(Clone, Copy, Default)]
pub(crate) struct CacheLine {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// Values read last, by address, to tell a poll from a read that brings news.
const POLL_SLOTS: usize = 64;
type Polls = [(u64, u64); POLL_SLOTS];

/// One thread. It does not move while its block lives: its program and coroutine hold pointers to it.
pub(crate) struct Thread {
    pub(crate) info: ThreadInfo,
    /// Two lines a site, for reads and for writes.
    pub(crate) cache: *mut CacheLine,
    pub(crate) cache_lines: usize,
    pub(crate) stack: (u64, u64),
    pub(crate) scheduler: *mut Scheduler,
    pub(crate) block: *mut Block,
    pub(crate) index: u32,
    pub(crate) pe: u32,
    pub(crate) state: State,
    /// Where it last called the simulator and might have stopped.
    pub(crate) site: u32,
    /// What the operation that it waited for gave.
    pub(crate) result: u64,
    /// Steps of the present slice.
    pub(crate) slice: i64,
    pub(crate) steps: u64,
    /// Reads in a row that brought nothing new.
    pub(crate) idle_reads: u32,
    /// The last such read of this slice.
    pub(crate) poll: Option<Poll>,
    pub(crate) cluster_phase: u64,
    /// Its number in the engine of weak memory.
    pub(crate) weak: Tid,
    /// What it does next, where every choice is gone through.
    pub(crate) next: Footprint,
    pub(crate) awaits: Option<Await>,
    /// Site, address and value of its last access, where that was a strong read that changed nothing.
    pub(crate) last_read: (u32, u64, u128),
    polls: Option<Box<Polls>>,
    yielder: *const Yielder<(), ()>,
    pub(crate) coroutine: Option<Coroutine<(), (), (), PooledStack>>,
}

thread_local! {
    /// The thread whose program runs on this host thread.
    static CURRENT: Cell<*mut Thread> = const { Cell::new(std::ptr::null_mut()) };
}

/// The thread whose program runs; null while none does.
#[inline(always)]
pub(crate) fn current() -> *mut Thread {
    CURRENT.with(Cell::get)
}

/// Says whose program runs.
pub(crate) fn set_current(thread: *mut Thread) {
    CURRENT.with(|c| c.set(thread));
}

impl Thread {
    pub(crate) fn new(info: ThreadInfo, scheduler: *mut Scheduler, pe: u32, index: u32) -> Self {
        Self {
            info,
            cache: std::ptr::null_mut(),
            cache_lines: 0,
            stack: (0, 0),
            scheduler,
            block: std::ptr::null_mut(),
            index,
            pe,
            state: State::Ready,
            site: 0,
            result: 0,
            slice: 0,
            steps: 0,
            idle_reads: 0,
            poll: None,
            cluster_phase: 0,
            weak: 0,
            next: Footprint::LOCAL,
            awaits: None,
            last_read: (0, 0, 0),
            polls: None,
            yielder: std::ptr::null(),
            coroutine: None,
        }
    }

    /// The value that a strong read at the same place returned last, with nothing in between.
    pub(crate) fn repeats(&self, access: &Access) -> Option<u128> {
        let (site, address, value) = self.last_read;
        (access.is_strong() && site != 0 && site == access.site && address == access.span.address).then_some(value)
    }

    /// Lane in the warp.
    pub(crate) fn lane(&self) -> u32 {
        self.index % 32
    }

    /// Warp in the block.
    pub(crate) fn warp(&self) -> usize {
        (self.index / 32) as usize
    }

    /// Remembers the coroutine's own handle; called by the coroutine when it starts.
    pub(crate) fn started(&mut self, yielder: &Yielder<(), ()>) {
        self.yielder = yielder;
    }

    /// Lets others run, until the scheduler comes back to this thread.
    ///
    /// # Safety
    ///
    /// Called on the thread's own coroutine, with no borrow of simulator state that outlives the call: others change it.
    pub(crate) unsafe fn suspend(this: *mut Thread) {
        // SAFETY: set when the coroutine started, and valid while it runs.
        unsafe { (*(*this).yielder).suspend(()) }
    }

    /// Runs something that needs more stack than a thread has.
    ///
    /// # Safety
    ///
    /// Called on the thread's own coroutine.
    pub(crate) unsafe fn on_host_stack<R>(this: *mut Thread, f: impl FnOnce() -> R) -> R {
        /// The host's stack is one of the same host thread, so nothing goes to another one.
        struct Here<F>(F);
        // SAFETY: see there.
        unsafe impl<F> Send for Here<F> {}
        impl<R, F: FnOnce() -> R> Here<F> {
            fn run(self) -> Here<R> {
                Here((self.0)())
            }
        }
        let here = Here(f);
        // SAFETY: as above; the closure runs to its end before this returns.
        unsafe { (*(*this).yielder).on_parent_stack(move || here.run()).0 }
    }

    /// Whether a value read at an address is one that was read there before. Notes it.
    pub(crate) fn seen(&mut self, address: u64, value: u64) -> bool {
        let polls = self.polls.get_or_insert_with(|| Box::new([(0, 0); POLL_SLOTS]));
        let slot = &mut polls[(address ^ address >> 6 ^ address >> 12) as usize / 4 % POLL_SLOTS];
        let seen = *slot == (address, value);
        *slot = (address, value);
        seen
    }

    /// Whether a slice has come to its end.
    #[inline(always)]
    pub(crate) fn used_up(&self) -> bool {
        self.info.steps < 0
    }

    /// Notes where the thread is.
    #[inline(always)]
    pub(crate) fn at(&mut self, meta: Meta) {
        self.site = meta.site();
    }
}
