//! The entry points of programs in weak memory: accesses, fences and copies go through the engine, which says what is
//! read; the host's memory always holds the newest values.

use gicc_abi::codes::{Order, Scope};
use gicc_abi::sim::{CopyGroupOp, Entry, FenceKind, MbarrierOp, Meta, Rmw};

use super::atomic::apply;
use super::memory::{Way, check, write};
use super::{atomic, fail, fault, mbarrier as functional, memory, pace, polled, scheduler};
use crate::error::{AccessProblem, FaultKind};
use crate::schedule::Fault;
use crate::thread::{Await, Thread, current};
use crate::weak::access::Access;
use crate::weak::choice::Footprint;
use crate::weak::copies::CopySpace;
use crate::weak::history::Span;
use crate::weak::run::WeakRun;

/// The entry point of weak memory, where it is another one.
pub(super) fn pointer(entry: Entry) -> Option<*const ()> {
    Some(match entry {
        Entry::Load => load as *const (),
        Entry::LoadTo => load_to as *const (),
        Entry::Store => store as *const (),
        Entry::StoreFrom => store_from as *const (),
        Entry::Copy => copy as *const (),
        Entry::Fill => fill as *const (),
        Entry::Atomic => rmw as *const (),
        Entry::AtomicWide => rmw_wide as *const (),
        Entry::Fence => fence as *const (),
        Entry::Mbarrier => mbarrier as *const (),
        Entry::CopyGroup => copy_group as *const (),
        Entry::Multicast => multicast as *const (),
        Entry::CopyReduce => copy_reduce as *const (),
        _ => return None,
    })
}

/// The engine of the thread's launch.
///
/// # Safety
///
/// `thread` is current; the result is not kept while others run.
unsafe fn engine<'a>(thread: *mut Thread) -> Option<&'a mut WeakRun> {
    // SAFETY: as the caller promises.
    unsafe { scheduler(thread).weak.as_deref_mut() }
}

/// Runs something on the engine, with the host's stack.
///
/// # Safety
///
/// `thread` is current.
#[inline(always)]
unsafe fn with<R: Default>(thread: *mut Thread, f: impl FnOnce(&mut WeakRun) -> R) -> R {
    // SAFETY: as the caller promises; the closure runs to its end before others run.
    unsafe {
        match engine(thread) {
            Some(weak) => Thread::on_host_stack(thread, || f(weak)),
            None => R::default(),
        }
    }
}

/// Whether only this thread can reach an address.
///
/// # Safety
///
/// `thread` is current.
#[inline(always)]
unsafe fn is_private(thread: *mut Thread, address: u64) -> bool {
    // SAFETY: as the caller promises.
    let (low, high) = unsafe { (*thread).stack };
    address >= low && address < high
}

const fn level(scope: Option<Scope>) -> u8 {
    match scope {
        Some(Scope::Block) => 0,
        Some(Scope::Cluster) => 1,
        Some(Scope::Device) => 2,
        _ => 3,
    }
}

/// The access of one element.
fn access(address: u64, bytes: u8, meta: Meta) -> Access {
    let order = meta.order();
    let sc = matches!(order, Some(Order::SequentiallyConsistent | Order::AcquireRelease));
    Access {
        span: Span { address, bytes },
        strong: meta.is_strong() && !meta.is_non_coherent(),
        scope: if order.is_some() { level(meta.scope()) } else { 3 },
        acquires: sc || order == Some(Order::Acquire),
        releases: sc || order == Some(Order::Release),
        foreign: meta.is_non_coherent(),
        site: meta.site(),
        epoch: None,
    }
}

/// Where every choice is gone through: stops before an access, so that the scheduler decides who is next.
///
/// # Safety
///
/// `thread` is current, and no borrow of the simulator's state is held.
unsafe fn announce(thread: *mut Thread, next: Footprint, waits: Option<Await>) {
    // SAFETY: as the caller promises.
    unsafe {
        if engine(thread).is_some_and(|w| w.is_explored()) {
            (*thread).next = next;
            (*thread).awaits = waits;
            Thread::suspend(thread);
            (*thread).next = Footprint::LOCAL;
            (*thread).awaits = None;
        }
    }
}

fn touches(address: u64, bytes: u64, writes: bool) -> Footprint {
    Footprint { bytes: (address, address + bytes), writes, ..Footprint::LOCAL }
}

/// A strong read where every choice is gone through: a loop that reads at one place again waits for another value.
///
/// # Safety
///
/// `thread` is current.
unsafe fn announce_read(thread: *mut Thread, access: &Access, next: Footprint) {
    // SAFETY: as the caller promises.
    unsafe {
        let waits = (*thread).repeats(access).map(|value| Await::Other { access: *access, value });
        announce(thread, next, waits);
    }
}

/// # Safety
///
/// `thread` is current; `access` has been checked.
#[inline]
unsafe fn read(thread: *mut Thread, access: &Access) -> u128 {
    // SAFETY: as the caller promises.
    unsafe {
        let explored = engine(thread).is_some_and(|w| w.is_explored());
        let waits = if explored {
            announce_read(thread, access, touches(access.span.address, access.span.bytes.into(), false));
            (*thread).repeats(access)
        } else {
            None
        };
        let tid = (*thread).weak;
        let value = with(thread, |w| match waits {
            Some(old) => w.read(tid, access, Some(&|v| v != old)),
            None => w.read(tid, access, None),
        });
        if explored {
            (*thread).last_read =
                if access.is_strong() { (access.site, access.span.address, value) } else { (0, 0, 0) };
        }
        value
    }
}

/// # Safety
///
/// `thread` is current; `access` has been checked.
#[inline]
unsafe fn put(thread: *mut Thread, access: &Access, value: u128) {
    // SAFETY: as the caller promises.
    unsafe {
        announce(thread, touches(access.span.address, access.span.bytes.into(), true), None);
        let tid = (*thread).weak;
        (*thread).last_read = (0, 0, 0);
        with(thread, |w| w.engine.write(tid, access, value));
        let bytes = value.to_le_bytes();
        let place = access.span.address as *mut u8;
        let here = std::slice::from_raw_parts_mut(place, access.span.bytes.into());
        let new = &bytes[..access.span.bytes.into()];
        if here != new {
            here.copy_from_slice(new);
            scheduler(thread).progress = true;
        }
    }
}

/// Bytes of an element that one access of the engine covers.
fn pieces(address: u64, bytes: u64, element: u64) -> impl Iterator<Item = (u64, u8)> {
    let size = if matches!(element, 1 | 2 | 4 | 8 | 16)
        && bytes.is_multiple_of(element)
        && address.is_multiple_of(element.min(8))
    {
        element
    } else {
        1
    };
    (0..bytes / size).map(move |n| (n * size, size as u8))
}

extern "C" fn load(address: u64, meta: u64) -> u64 {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    let bytes = meta.bytes();
    // SAFETY: programs run only while a thread is current; the access has been checked before it is done.
    unsafe {
        check(thread, address, bytes, meta, Way::Load);
        if is_private(thread, address) {
            return memory::load(address, word);
        }
        let mut value = 0u64;
        if bytes.is_power_of_two() && address & (bytes - 1) == 0 {
            value = read(thread, &access(address, bytes as u8, meta)) as u64;
        } else {
            for (offset, size) in pieces(address, bytes, 1) {
                value |= (read(thread, &access(address + offset, size, meta)) as u64) << (8 * offset);
            }
        }
        if meta.is_strong() {
            polled(thread, address, value, meta);
        } else {
            pace(thread, meta);
        }
        value
    }
}

extern "C" fn load_to(to: *mut u8, address: u64, meta: u64) {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    let bytes = meta.bytes();
    // SAFETY: as in `load`; where it goes to is the program's own and has the size.
    unsafe {
        check(thread, address, bytes, meta, Way::Load);
        if is_private(thread, address) {
            return memory::load_to(to, address, word);
        }
        let mut mix = 0u64;
        for (offset, size) in pieces(address, bytes, meta.element_bytes()) {
            let value = read(thread, &access(address + offset, size, meta));
            std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), to.add(offset as usize), size.into());
            mix = mix.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value as u64 ^ (value >> 64) as u64;
        }
        if meta.is_strong() {
            polled(thread, address, mix, meta);
        } else {
            pace(thread, meta);
        }
    }
}

extern "C" fn store(address: u64, value: u64, meta: u64) {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    let bytes = meta.bytes();
    // SAFETY: as in `load`.
    unsafe {
        check(thread, address, bytes, meta, Way::Store);
        if is_private(thread, address) {
            return memory::store(address, value, word);
        }
        if bytes.is_power_of_two() && address & (bytes - 1) == 0 {
            put(thread, &access(address, bytes as u8, meta), value.into());
        } else {
            for (offset, size) in pieces(address, bytes, 1) {
                put(thread, &access(address + offset, size, meta), u128::from(value >> (8 * offset)));
            }
        }
        pace(thread, meta);
    }
}

extern "C" fn store_from(address: u64, from: *const u8, meta: u64) {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    let bytes = meta.bytes();
    // SAFETY: as in `load`; what is stored is the program's own and has the size.
    unsafe {
        check(thread, address, bytes, meta, Way::Store);
        if is_private(thread, address) {
            return memory::store_from(address, from, word);
        }
        if meta.is_asynchronous() {
            with(thread, |w| w.approximated.store_async += 1);
        }
        for (offset, size) in pieces(address, bytes, meta.element_bytes()) {
            let mut value = [0u8; 16];
            std::ptr::copy_nonoverlapping(from.add(offset as usize), value.as_mut_ptr(), size.into());
            put(thread, &access(address + offset, size, meta), u128::from_le_bytes(value));
        }
        pace(thread, meta);
    }
}

/// The largest pieces in which both ends can be moved.
fn common(one: u64, other: u64, bytes: u64) -> u64 {
    let all = one | other | bytes | 8;
    1 << all.trailing_zeros()
}

extern "C" fn copy(to: u64, from: u64, bytes: u64, meta: u64) {
    let thread = current();
    let meta = Meta(meta);
    if bytes == 0 {
        return;
    }
    // SAFETY: as in `load`; both ends have been checked.
    unsafe {
        let unaligned = Meta(meta.0).align(1);
        check(thread, from, bytes, unaligned, Way::Load);
        check(thread, to, bytes, unaligned, Way::Store);
        let space = |address: u64| {
            let shared = (*scheduler(thread).memory).in_arena(address);
            if shared { CopySpace::Shared } else { CopySpace::Global }
        };
        // A bulk copy is the only asynchronous one that wants 16 bytes of alignment.
        if meta.is_asynchronous() && meta.required_align() == 16 {
            let (to, from, tid, site) = ((to, space(to)), (from, space(from)), (*thread).weak, meta.site());
            with(thread, |w| w.copy(tid, to, from, bytes, site));
            scheduler(thread).progress = true;
            return pace(thread, meta);
        }
        if meta.is_asynchronous() {
            with(thread, |w| w.approximated.thread_copies += 1);
        }
        let size = common(to, from, bytes);
        let weak = Meta(meta.0 & 0xff_ffff);
        let backwards = to > from;
        for number in 0..bytes / size {
            let offset = size * if backwards { bytes / size - 1 - number } else { number };
            let value = if is_private(thread, from) {
                memory::read(from + offset, size).into()
            } else {
                read(thread, &access(from + offset, size as u8, weak))
            };
            if is_private(thread, to) {
                write(to + offset, size, value as u64);
            } else {
                put(thread, &access(to + offset, size as u8, weak), value);
            }
        }
        scheduler(thread).progress = true;
        (*thread).info.steps -= (bytes / 16).min(1 << 20) as i64;
        pace(thread, meta);
    }
}

extern "C" fn fill(to: u64, byte: u64, bytes: u64, meta: u64) {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    if bytes == 0 {
        return;
    }
    // SAFETY: as in `load`.
    unsafe {
        check(thread, to, bytes, meta.align(1), Way::Store);
        if is_private(thread, to) {
            return memory::fill(to, byte, bytes, word);
        }
        let size = common(to, to, bytes);
        let weak = Meta(meta.0 & 0xff_ffff);
        let value = u128::from((byte & 0xff) * 0x0101_0101_0101_0101);
        for offset in (0..bytes).step_by(size as usize) {
            put(thread, &access(to + offset, size as u8, weak), value);
        }
        pace(thread, meta);
    }
}

/// An atomic operation is relaxed and of GPU scope where the program does not say.
fn strong(meta: Meta) -> Meta {
    if meta.order().is_some() { meta } else { meta.strong(Order::Relaxed, Scope::Device) }
}

extern "C" fn rmw(address: u64, operand: u64, expected: u64, operation: u64, meta: u64) -> u64 {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    let bytes = meta.bytes();
    // SAFETY: as in `load`.
    unsafe {
        let Some(function) = Rmw::from_code(operation) else { fault(thread, meta, FaultKind::BadRequest) };
        check(thread, address, bytes, meta, Way::Atomic);
        if is_private(thread, address) {
            return atomic::atomic(address, operand, expected, operation, word);
        }
        if apply(function, 0, 0, 0, bytes).is_none() {
            let problem = AccessProblem::Operation { what: "there is no such operation on this many bytes" };
            fail(thread, meta, Fault::Access { access: "atomic operation", address, bytes, problem })
        }
        let one = access(address, bytes as u8, strong(meta));
        let swaps = function == Rmw::CompareAndSwap;
        let mask = if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
        let mut stored = None;
        announce_read(thread, &one, touches(address, bytes, true));
        let tid = (*thread).weak;
        let old = with(thread, |w| {
            let mut step = |old: u128| {
                let old = old as u64;
                let new = apply(function, old, operand, expected, bytes)? & mask;
                if swaps && old != expected & mask {
                    return None;
                }
                stored = Some(new);
                Some(u128::from(new))
            };
            w.engine.rmw(tid, &one, !meta.is_reduction(), &mut step, &mut w.source) as u64
        });
        match stored {
            Some(new) if new != old => {
                (*thread).last_read = (0, 0, 0);
                write(address, bytes, new);
                scheduler(thread).progress = true;
                pace(thread, meta);
            }
            _ => {
                (*thread).last_read = (one.site, address, old.into());
                if let Some(new) = stored {
                    write(address, bytes, new);
                }
                polled(thread, address, old, meta);
            }
        }
        old
    }
}

extern "C" fn rmw_wide(
    address: u64,
    old: *mut [u64; 2],
    new: *const [u64; 2],
    expected: *const [u64; 2],
    operation: u64,
    meta: u64,
) {
    let (thread, word) = (current(), meta);
    let meta = Meta(meta);
    // SAFETY: as above; the three places are the program's own and have 16 bytes.
    unsafe {
        check(thread, address, 16, meta, Way::Atomic);
        if is_private(thread, address) {
            return atomic::atomic_wide(address, old, new, expected, operation, word);
        }
        let wide = |at: *const [u64; 2]| {
            let [low, high] = at.read_unaligned();
            u128::from(low) | u128::from(high) << 64
        };
        let value = wide(new);
        let compare = match Rmw::from_code(operation) {
            Some(Rmw::Exchange) => None,
            Some(Rmw::CompareAndSwap) => Some(wide(expected)),
            _ => fault(thread, meta, FaultKind::BadRequest),
        };
        let one = access(address, 16, strong(meta));
        announce_read(thread, &one, touches(address, 16, true));
        let tid = (*thread).weak;
        let was = with(thread, |w| {
            let mut step = |old: u128| compare.is_none_or(|c| c == old).then_some(value);
            w.engine.rmw(tid, &one, !meta.is_reduction(), &mut step, &mut w.source)
        });
        old.write_unaligned([was as u64, (was >> 64) as u64]);
        if compare.is_none_or(|c| c == was) {
            (address as *mut [u64; 2]).write_unaligned([value as u64, (value >> 64) as u64]);
            (*thread).last_read = (0, 0, 0);
            scheduler(thread).progress |= value != was;
            pace(thread, meta);
        } else {
            (*thread).last_read = (one.site, address, was);
            polled(thread, address, was as u64 ^ (was >> 64) as u64, meta);
        }
    }
}

extern "C" fn fence(kind: u64, meta: u64) {
    let thread = current();
    let meta = Meta(meta);
    // SAFETY: as in `load`.
    unsafe {
        let tid = (*thread).weak;
        match FenceKind::from_code(kind) {
            Some(FenceKind::Memory) => {
                let order = meta.order().unwrap_or(Order::AcquireRelease);
                let sc = order == Order::SequentiallyConsistent;
                if sc {
                    announce(thread, Footprint { fence: true, ..Footprint::LOCAL }, None);
                }
                let both = sc || order == Order::AcquireRelease;
                let (acquires, releases) = (both || order == Order::Acquire, both || order == Order::Release);
                let scope = level(meta.scope());
                with(thread, |w| w.engine.fence(tid, acquires, releases, sc, scope));
            }
            Some(FenceKind::ProxyAsync) => with(thread, |w| w.engine.proxy_fence(tid, true, true)),
            Some(FenceKind::ProxyAsyncGlobal) => with(thread, |w| w.engine.proxy_fence(tid, true, false)),
            Some(FenceKind::ProxyAsyncShared) => with(thread, |w| w.engine.proxy_fence(tid, false, true)),
            // A program has one address for each location, and the initialisation of an mbarrier is seen at once.
            Some(FenceKind::ProxyAlias | FenceKind::MbarrierInit) => {}
            Some(FenceKind::ProxyTensorMap) => with(thread, |w| w.approximated.tensor_map += 1),
            None => fault(thread, meta, FaultKind::BadRequest),
        }
        pace(thread, meta);
    }
}

/// A multimem instruction accesses each PE's location as an ordinary one would at that PE's address.
extern "C" fn multicast(address: u64, number: u64, meta: u64) -> u64 {
    // SAFETY: as in `load`.
    unsafe { with(current(), |w| w.approximated.multimem += 1) }
    super::multicast::multicast(address, number, meta)
}

/// The reductions are done at once, by the thread, each relaxed and of GPU scope.
extern "C" fn copy_reduce(to: u64, from: u64, bytes: u64, operation: u64, meta: u64) {
    let thread = current();
    let meta = Meta(meta);
    // SAFETY: as in `load`; the ends have been checked.
    unsafe {
        super::multicast::check_bulk(thread, to, from, bytes, meta);
        with(thread, |w| w.approximated.bulk_reductions += 1);
        let size = meta.bytes();
        let one = Meta::access(size).at(meta.site());
        for offset in (0..bytes).step_by(size as usize) {
            let value = read(thread, &access(from + offset, size as u8, one)) as u64;
            rmw(to + offset, value, 0, operation, one.strong(Order::Relaxed, Scope::Device).reduction().0);
        }
        pace(thread, meta);
    }
}

extern "C" fn copy_group(operation: u64, pending: u64, meta: u64) {
    let thread = current();
    let meta = Meta(meta);
    // SAFETY: as in `load`.
    unsafe {
        let tid = (*thread).weak;
        let full = match CopyGroupOp::from_code(operation) {
            Some(CopyGroupOp::Commit) => {
                with(thread, |w| w.engine.commit(tid));
                return;
            }
            Some(CopyGroupOp::Wait) => true,
            Some(CopyGroupOp::WaitRead) => false,
            None => fault(thread, meta, FaultKind::BadRequest),
        };
        let number = with(thread, |w| w.engine.covered(tid, pending as usize));
        announce(thread, Footprint::LOCAL, Some(Await::Copies { number, full }));
        with(thread, |w| {
            w.finish_up_to(tid, number, full);
            w.engine.waited_group(tid, pending as usize, full);
        });
        pace(thread, meta);
    }
}

extern "C" fn mbarrier(operation: u64, address: u64, a: u64, b: u64, meta: u64) -> u64 {
    let thread = current();
    // SAFETY: as in `load`.
    unsafe {
        let kind = MbarrierOp::from_code(operation);
        announce(thread, touches(address, 8, true), None);
        let tid = (*thread).weak;
        if kind == Some(MbarrierOp::CompleteTransaction) {
            with(thread, |w| w.mbarrier_copies(tid, address));
        }
        let arrives =
            matches!(kind, Some(MbarrierOp::Arrive | MbarrierOp::ArriveDrop | MbarrierOp::ArriveExpectTransaction));
        if arrives {
            with(thread, |w| w.mbarrier_arrive(tid, address));
        }
        let wait = matches!(kind, Some(MbarrierOp::TestState | MbarrierOp::TestParity));
        if wait {
            // The answer is taken before others run.
            let result = functional::mbarrier(operation, address, a, b, meta);
            if result != 0 {
                with(thread, |w| w.mbarrier_wait(tid, address));
            }
            return result;
        }
        let changes = arrives || kind == Some(MbarrierOp::CompleteTransaction);
        // The last arrival ends the phase, and what it publishes is there before a waiting thread runs.
        if changes && functional::ends_phase(operation, address, a) {
            with(thread, |w| w.mbarrier_phase(address));
        }
        functional::mbarrier(operation, address, a, b, meta)
    }
}
