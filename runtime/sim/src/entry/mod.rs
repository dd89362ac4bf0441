//! The entry points that programs call. They run on the calling thread's small stack, own nothing while they let others
//! run, and never unwind into the program: what goes wrong is noted and told by the scheduler.

mod atomic;
mod mbarrier;
mod memory;
mod multicast;
mod other;
mod weak;

use gicc_abi::sim::{Entry, Meta};

use crate::error::FaultKind;
use crate::schedule::{Fault, Scheduler};
use crate::thread::{Poll, State, Thread, current};

/// The address of an entry point, of weak memory or not.
pub(crate) fn pointer(entry: Entry, weak: bool) -> *const () {
    if let Some(pointer) = weak.then(|| weak::pointer(entry)).flatten() {
        return pointer;
    }
    match entry {
        Entry::Thread => thread as *const (),
        Entry::Load => memory::load as *const (),
        Entry::LoadTo => memory::load_to as *const (),
        Entry::Store => memory::store as *const (),
        Entry::StoreFrom => memory::store_from as *const (),
        Entry::Copy => memory::copy as *const (),
        Entry::Fill => memory::fill as *const (),
        Entry::Atomic => atomic::atomic as *const (),
        Entry::AtomicWide => atomic::atomic_wide as *const (),
        Entry::Fence => other::fence as *const (),
        Entry::Barrier => other::barrier as *const (),
        Entry::Warp => other::warp as *const (),
        Entry::Time => other::time as *const (),
        Entry::Sleep => other::sleep as *const (),
        Entry::Step => other::step as *const (),
        Entry::Fault => other::fault as *const (),
        Entry::Print => other::print as *const (),
        Entry::Malloc => other::malloc as *const (),
        Entry::Free => other::free as *const (),
        Entry::AssertFail => other::assert_fail as *const (),
        Entry::Exit => other::exit as *const (),
        Entry::Mbarrier => mbarrier::mbarrier as *const (),
        Entry::IsSpace => other::is_space as *const (),
        Entry::CopyGroup => other::copy_group as *const (),
        Entry::Multicast => multicast::multicast as *const (),
        Entry::CopyReduce => multicast::copy_reduce as *const (),
    }
}

extern "C" fn thread() -> *const gicc_abi::sim::ThreadInfo {
    let thread = current();
    // SAFETY: programs run only while a thread is current; only the field's address is taken.
    unsafe { &raw const (*thread).info }
}

/// The scheduler of a thread.
///
/// # Safety
///
/// `thread` is current. The result is not kept while others run.
unsafe fn scheduler<'a>(thread: *mut Thread) -> &'a mut Scheduler {
    // SAFETY: the scheduler outlives its threads and is on no other borrow while a program runs.
    unsafe { &mut *(*thread).scheduler }
}

/// Notes a fault and never comes back: the scheduler gives up the launch.
///
/// # Safety
///
/// `thread` is current.
#[cold]
#[inline(never)]
unsafe fn fail(thread: *mut Thread, meta: Meta, fault: Fault) -> ! {
    // SAFETY: as the caller promises.
    unsafe {
        (*thread).at(meta);
        scheduler(thread).fault = Some(fault);
        loop {
            Thread::suspend(thread);
        }
    }
}

/// The same for what is no bad access.
///
/// # Safety
///
/// `thread` is current.
unsafe fn fault(thread: *mut Thread, meta: Meta, kind: FaultKind) -> ! {
    // SAFETY: as the caller promises.
    unsafe { fail(thread, meta, Fault::Other(kind)) }
}

/// A value was read that could be a poll's: if it brings nothing new for the second time, let others run.
///
/// # Safety
///
/// `thread` is current.
unsafe fn polled(thread: *mut Thread, address: u64, value: u64, meta: Meta) {
    // SAFETY: as the caller promises.
    unsafe {
        let t = &mut *thread;
        if !t.seen(address, value) {
            t.idle_reads = 0;
            scheduler(thread).progress = true;
        } else {
            let poll = Poll { address, bytes: meta.bytes(), value, site: meta.site() };
            t.poll = Some(poll);
            t.idle_reads += 1;
            if t.idle_reads >= 2 {
                t.idle_reads = 0;
                t.at(meta);
                t.state = State::Polling(poll);
                Thread::suspend(thread);
                return;
            }
        }
        if t.used_up() {
            t.at(meta);
            Thread::suspend(thread);
        }
    }
}

/// Lets others run where the slice has come to its end.
///
/// # Safety
///
/// `thread` is current.
#[inline(always)]
unsafe fn pace(thread: *mut Thread, meta: Meta) {
    // SAFETY: as the caller promises.
    unsafe {
        if (*thread).used_up() {
            (*thread).at(meta);
            Thread::suspend(thread);
        }
    }
}
