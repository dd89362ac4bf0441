//! Fences, barriers, warps, time, printing, the device's heap, and ends.

use gicc_abi::sim::{BarrierKind, Clock, Fault as Code, Meta, Space, WarpOp};

use super::{fault as stop, pace, scheduler};
use crate::error::FaultKind;
use crate::memory::RegionKind;
use crate::thread::{State, Thread, current};
use crate::{barrier as barriers, print as printing, warp as warps};

/// Memory is sequentially consistent, so a fence orders nothing that is not ordered.
pub(super) extern "C" fn fence(_kind: u64, meta: u64) {
    // SAFETY: programs run only while a thread is current.
    unsafe { pace(current(), Meta(meta)) }
}

/// A copy is complete when its instruction has run.
pub(super) extern "C" fn copy_group(_operation: u64, _pending: u64, meta: u64) {
    // SAFETY: programs run only while a thread is current.
    unsafe { pace(current(), Meta(meta)) }
}

pub(super) extern "C" fn barrier(kind: u64, id: u64, count: u64, predicate: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: programs run only while a thread is current; no borrow lasts over `suspend`.
    unsafe {
        (*thread).at(meta);
        let Some(kind) = BarrierKind::from_code(kind) else { stop(thread, meta, FaultKind::BadRequest) };
        let index = (*thread).index;
        match kind {
            BarrierKind::ClusterArrive => {
                (*(*thread).block).cluster_arrive(index);
                return 0;
            }
            BarrierKind::ClusterWait => {
                if !(*(*thread).block).cluster_wait(index) {
                    Thread::suspend(thread);
                }
                return 0;
            }
            _ => {}
        }
        if id >= barriers::BARRIERS as u64 || (kind == BarrierKind::Arrive && count == 0) || count > 4096 {
            stop(thread, meta, FaultKind::BadBarrier { id, count });
        }
        match barriers::arrive(thread, kind, id as usize, count as u32, predicate & 1 != 0) {
            Some(result) => result,
            None => {
                Thread::suspend(thread);
                (*thread).result
            }
        }
    }
}

pub(super) extern "C" fn warp(operation: u64, mask: u64, a: u64, b: u64, c: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above.
    unsafe {
        (*thread).at(meta);
        let Some(operation) = WarpOp::from_code(operation) else { stop(thread, meta, FaultKind::BadRequest) };
        let (lane, mask) = ((*thread).lane(), mask as u32);
        if operation == WarpOp::ActiveMask {
            return 1 << lane;
        }
        if mask >> lane & 1 == 0 {
            stop(thread, meta, FaultKind::BadMask { mask, lane });
        }
        match warps::meet(thread, operation, mask, [a, b, c]) {
            Some(result) => result,
            None => {
                Thread::suspend(thread);
                (*thread).result
            }
        }
    }
}

pub(super) extern "C" fn time(clock: u64, meta: u64) -> u64 {
    let thread = current();
    // SAFETY: as above.
    unsafe {
        let t = &mut *thread;
        t.info.steps -= 1;
        let scheduler = scheduler(thread);
        scheduler.clock_read = true;
        let nanoseconds = scheduler.now + (t.slice - t.info.steps).max(0) as u64;
        pace(thread, Meta(meta));
        match Clock::from_code(clock) {
            Some(Clock::Nanoseconds) => nanoseconds,
            // Two ticks a nanosecond, which is near what GPUs do.
            _ => 2 * nanoseconds,
        }
    }
}

pub(super) extern "C" fn sleep(nanoseconds: u64, meta: u64) {
    let thread = current();
    // SAFETY: as above.
    unsafe {
        (*thread).at(Meta(meta));
        // PTX: at most a millisecond.
        let until = scheduler(thread).now + nanoseconds.clamp(1, 1_000_000);
        (*thread).state = State::Sleeping { until };
        Thread::suspend(thread);
    }
}

pub(super) extern "C" fn step(meta: u64) {
    // SAFETY: as above.
    unsafe { pace(current(), Meta(meta)) }
}

pub(super) extern "C" fn fault(code: u64, value: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above.
    unsafe {
        let (low, high) = (*thread).stack;
        let kind = match Code::from_code(code) {
            Some(Code::DivisionByZero) => FaultKind::DivisionByZero,
            Some(Code::Trap) => FaultKind::Trap,
            Some(Code::Breakpoint) => FaultKind::Breakpoint,
            Some(Code::Local) => FaultKind::Local { offset: value as i64 },
            Some(Code::StackOverflow) => FaultKind::StackOverflow { bytes: (high - low) as usize },
            Some(Code::Unreachable) => FaultKind::Unreachable,
            None => FaultKind::BadRequest,
        };
        stop(thread, meta, kind)
    }
}

/// What a thread can read.
///
/// # Safety
///
/// `thread` is current. The result is not kept while others run.
unsafe fn readable<'a>(thread: *mut Thread) -> printing::Readable<'a> {
    // SAFETY: as the caller promises; memory outlives the threads.
    unsafe {
        let info = &(*thread).info;
        let shared = (info.shared_base, info.shared_base + info.shared_bytes);
        printing::Readable { memory: &*scheduler(thread).memory, own: [(*thread).stack, shared] }
    }
}

pub(super) extern "C" fn print(format: u64, arguments: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above.
    unsafe {
        (*thread).at(meta);
        let count = Thread::on_host_stack(thread, || {
            printing::format(&readable(thread), format, arguments, &mut scheduler(thread).output)
        });
        scheduler(thread).progress = true;
        match count {
            Ok(count) => count,
            Err(printing::Missing) => stop(thread, meta, FaultKind::PrintArgument),
        }
    }
}

pub(super) extern "C" fn malloc(bytes: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above.
    unsafe {
        let pe = (*thread).pe;
        Thread::on_host_stack(thread, || {
            let scheduler = scheduler(thread);
            scheduler.progress = true;
            let launch = (*(*thread).block).launch;
            let name = format!("malloc at {}", scheduler.source(launch, meta.site()));
            (*scheduler.memory).allocate(pe, bytes, &name, RegionKind::Heap).unwrap_or(0)
        })
    }
}

pub(super) extern "C" fn free(address: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    if address == 0 {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let pe = (*thread).pe;
        let freed = Thread::on_host_stack(thread, || {
            let scheduler = scheduler(thread);
            scheduler.progress = true;
            scheduler.clear_caches();
            (*scheduler.memory).free(pe, address, RegionKind::Heap)
        });
        if !freed {
            stop(thread, meta, FaultKind::BadFree { address });
        }
    }
}

pub(super) extern "C" fn assert_fail(message: u64, file: u64, line: u64, function: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: as above.
    unsafe {
        let kind = Thread::on_host_stack(thread, || {
            let from = readable(thread);
            let text = |at| String::from_utf8_lossy(&from.text(at).unwrap_or_default()).into_owned();
            let message = format!("{} ({}:{line}, {})", text(message), text(file), text(function));
            FaultKind::Assertion { message }
        });
        stop(thread, meta, kind)
    }
}

pub(super) extern "C" fn exit(meta: u64) {
    let thread = current();
    // SAFETY: as above; the scheduler does not come back to a thread that ends.
    unsafe {
        (*thread).at(Meta(meta));
        (*thread).state = State::Exiting;
        loop {
            Thread::suspend(thread);
        }
    }
}

pub(super) extern "C" fn is_space(address: u64, space: u64, _meta: u64) -> u64 {
    let thread = current();
    // SAFETY: as above.
    unsafe {
        let scheduler = scheduler(thread);
        let memory = &*scheduler.memory;
        u64::from(match Space::from_code(space) {
            Some(Space::Shared | Space::SharedCluster) => memory.in_arena(address),
            Some(Space::Local) => scheduler.on_a_stack(address),
            Some(Space::Constant) => memory.is_constant(address),
            Some(Space::Global) => memory.is_global(address),
            _ => false,
        })
    }
}
