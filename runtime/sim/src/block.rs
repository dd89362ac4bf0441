//! A block that is resident: its threads, warps and barriers.

use crate::barrier::{self, BARRIERS, Barrier};
use crate::schedule::Scheduler;
use crate::thread::{State, Thread};
use crate::warp::{self, Warp};
use crate::weak::run::WeakRun;

/// The cluster's barrier among the block's, for the engine of weak memory.
const CLUSTER_BARRIER: usize = BARRIERS;

/// A resident block.
pub(crate) struct Block {
    pub(crate) scheduler: *mut Scheduler,
    /// Its launch, a place in the scheduler's list.
    pub(crate) launch: usize,
    /// Its multiprocessor.
    pub(crate) sm: usize,
    pub(crate) coordinates: [u32; 3],
    pub(crate) threads: Box<[Thread]>,
    pub(crate) warps: Vec<Warp>,
    pub(crate) barriers: [Barrier; BARRIERS],
    pub(crate) live: u32,
    pub(crate) shared_base: u64,
    /// Threads that can run.
    pub(crate) ready: Vec<*mut Thread>,
    /// The block has a turn in the next round.
    pub(crate) queued: bool,
    /// The block has its turn now.
    pub(crate) running: bool,
    /// Its number in the engine of weak memory.
    pub(crate) number: usize,
    cluster_arrived: u32,
    cluster_phase: u64,
}

impl Block {
    pub(crate) fn new(
        scheduler: *mut Scheduler,
        launch: usize,
        sm: usize,
        coordinates: [u32; 3],
        threads: Box<[Thread]>,
        shared_base: u64,
    ) -> Box<Self> {
        let live = threads.len() as u32;
        let warps = (0..live.div_ceil(32)).map(|w| Warp::new(lanes(live - 32 * w))).collect();
        let mut block = Box::new(Self {
            scheduler,
            launch,
            sm,
            coordinates,
            threads,
            warps,
            barriers: std::array::from_fn(|_| Barrier::default()),
            live,
            shared_base,
            ready: Vec::new(),
            queued: false,
            running: false,
            number: 0,
            cluster_arrived: 0,
            cluster_phase: 0,
        });
        let pointer: *mut Block = &mut *block;
        for thread in &mut block.threads {
            thread.block = pointer;
        }
        block
    }

    /// Tells the engine of weak memory something, where there is one; it gets the block's number there.
    pub(crate) fn weak(&mut self, f: impl FnOnce(&mut WeakRun, usize)) {
        // SAFETY: the scheduler outlives its blocks.
        if let Some(weak) = unsafe { (*self.scheduler).weak.as_deref_mut() } {
            f(weak, self.number);
        }
    }

    /// A waiting thread can go on with this result.
    pub(crate) fn wake(&mut self, index: u32, result: u64) {
        let thread = &mut self.threads[index as usize];
        thread.result = result;
        thread.state = State::Ready;
        let thread: *mut Thread = thread;
        // SAFETY: the scheduler outlives its blocks.
        unsafe { (*self.scheduler).ready(thread) };
    }

    /// Somebody got somewhere.
    pub(crate) fn progress(&mut self) {
        // SAFETY: the scheduler outlives its blocks.
        unsafe { (*self.scheduler).progress = true };
    }

    /// A thread has ended.
    pub(crate) fn exited(&mut self, index: u32) {
        let number = (index / 32) as usize;
        self.live -= 1;
        self.warps[number].live &= !(1 << (index % 32));
        warp::exited(self, number);
        barrier::exited(self);
        self.cluster_check();
    }

    /// A thread arrives at the cluster's barrier, and goes on.
    pub(crate) fn cluster_arrive(&mut self, index: u32) {
        self.cluster_arrived += 1;
        self.weak(|weak, number| weak.arrive(number, CLUSTER_BARRIER, index));
        self.threads[index as usize].cluster_phase = self.cluster_phase + 1;
        self.cluster_check();
    }

    /// Whether the phase in which the thread arrived is over; if not, it waits.
    pub(crate) fn cluster_wait(&mut self, index: u32) -> bool {
        let thread = &mut self.threads[index as usize];
        let over = self.cluster_phase >= thread.cluster_phase;
        if !over {
            thread.state = State::Cluster;
        }
        over
    }

    fn cluster_check(&mut self) {
        if self.cluster_arrived == 0 || self.cluster_arrived < self.live {
            return;
        }
        self.cluster_arrived = 0;
        self.cluster_phase += 1;
        let live: Vec<u32> = self.threads.iter().filter(|t| t.state != State::Done).map(|t| t.index).collect();
        self.weak(|weak, number| weak.meet(number, CLUSTER_BARRIER, &live));
        self.progress();
        for index in 0..self.threads.len() {
            if self.threads[index].state == State::Cluster {
                self.wake(index as u32, 0);
            }
        }
    }
}

/// A mask of the first lanes.
fn lanes(count: u32) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}
