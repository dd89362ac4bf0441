//! Multicast addresses and reducing bulk copies.
//!
//! The code generator makes of a multimem instruction one ordinary access of each PE's location, in the order of the PEs;
//! this gives it the locations. It is no single access: others may run in between.

use gicc_abi::sim::{Meta, Rmw};

use super::atomic::apply;
use super::memory::{Way, check, read, write};
use super::{fail, fault, pace, scheduler};
use crate::error::{AccessProblem, FaultKind};
use crate::schedule::Fault;
use crate::thread::{Thread, current};

pub(super) extern "C" fn multicast(address: u64, number: u64, meta: u64) -> u64 {
    let (thread, meta) = (current(), Meta(meta));
    // SAFETY: programs run only while a thread is current.
    unsafe {
        match (*scheduler(thread).memory).replica(address, number) {
            Some(place) => place,
            None => {
                let problem = AccessProblem::NotMulticast;
                fail(thread, meta, Fault::Access { access: "multimem", address, bytes: meta.bytes(), problem })
            }
        }
    }
}

/// Checks both ends of a reducing bulk copy.
///
/// # Safety
///
/// `thread` is current.
pub(super) unsafe fn check_bulk(thread: *mut Thread, to: u64, from: u64, bytes: u64, meta: Meta) {
    // SAFETY: as the caller promises.
    unsafe {
        for (address, way) in [(from, Way::Load), (to, Way::Atomic)] {
            if !bytes.is_multiple_of(16) {
                let problem = AccessProblem::Operation { what: "a bulk copy moves a multiple of 16 bytes" };
                fail(thread, meta, Fault::Access { access: "bulk copy", address, bytes, problem })
            }
            if bytes > 0 {
                check(thread, address, bytes, meta.align(16), way);
            }
        }
    }
}

pub(super) extern "C" fn copy_reduce(to: u64, from: u64, bytes: u64, operation: u64, meta: u64) {
    let (thread, meta) = (current(), Meta(meta));
    let size = meta.bytes();
    // SAFETY: programs run only while a thread is current; both ends have been checked.
    unsafe {
        let Some(operation) = Rmw::from_code(operation) else { fault(thread, meta, FaultKind::BadRequest) };
        check_bulk(thread, to, from, bytes, meta);
        for offset in (0..bytes).step_by(size as usize) {
            let (old, operand) = (read(to + offset, size), read(from + offset, size));
            match apply(operation, old, operand, 0, size) {
                Some(new) => write(to + offset, size, new),
                None => fault(thread, meta, FaultKind::BadRequest),
            }
        }
        scheduler(thread).progress = true;
        (*thread).info.steps -= (bytes / size).min(1 << 20) as i64;
        pace(thread, meta);
    }
}
