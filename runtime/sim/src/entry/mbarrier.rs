//! mbarriers, in the 64 bits that PTX gives them. The layout is ours, as PTX leaves it open:
//!
//! | bits | what |
//! | --- | --- |
//! | 0–19 | arrivals of a phase |
//! | 20–39 | arrivals that this phase still lacks |
//! | 40–61 | bytes that this phase still lacks, plus 2^21 |
//! | 62 | set, so that an initialised one is not zero |
//! | 63 | parity of the phase |

use gicc_abi::codes::{Order, Scope};
use gicc_abi::sim::{MbarrierOp, Meta};

use super::memory::{Way, check, read, write};
use super::{fault, pace, polled, scheduler};
use crate::error::FaultKind;
use crate::thread::current;

const COUNT_MASK: u64 = (1 << 20) - 1;
const BYTES_ZERO: i64 = 1 << 21;

#[derive(Clone, Copy)]
struct Word {
    expected: u64,
    pending: u64,
    bytes: i64,
    parity: u64,
}

impl Word {
    fn decode(word: u64) -> Option<Self> {
        (word >> 62 & 1 != 0).then_some(Self {
            expected: word & COUNT_MASK,
            pending: word >> 20 & COUNT_MASK,
            bytes: (word >> 40 & 0x3f_ffff) as i64 - BYTES_ZERO,
            parity: word >> 63,
        })
    }

    fn encode(self) -> u64 {
        self.expected | self.pending << 20 | ((self.bytes + BYTES_ZERO) as u64) << 40 | 1 << 62 | self.parity << 63
    }

    /// A phase that lacks nothing is over.
    fn settle(mut self) -> Self {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.expected;
        }
        self
    }
}

/// Whether an operation on an mbarrier would end its phase; false where it is an error.
///
/// # Safety
///
/// A thread is current.
pub(super) unsafe fn ends_phase(operation: u64, address: u64, a: u64) -> bool {
    // SAFETY: as the caller promises; only the arena of shared memory is read, which is mapped as a whole.
    let word = unsafe {
        let memory = &*scheduler(current()).memory;
        if !memory.in_arena(address) || address & 7 != 0 {
            return false;
        }
        Word::decode(read(address, 8))
    };
    let Some(mut word) = word else { return false };
    match MbarrierOp::from_code(operation) {
        Some(MbarrierOp::Arrive | MbarrierOp::ArriveDrop) => word.pending = word.pending.saturating_sub(a),
        Some(MbarrierOp::ArriveExpectTransaction) => {
            word.pending = word.pending.saturating_sub(1);
            word.bytes += a as i64;
        }
        Some(MbarrierOp::CompleteTransaction) => word.bytes -= a as i64,
        _ => return false,
    }
    word.pending == 0 && word.bytes == 0
}

pub(super) extern "C" fn mbarrier(operation: u64, address: u64, a: u64, _b: u64, meta: u64) -> u64 {
    let thread = current();
    let meta = Meta(Meta::access(8).0 | u64::from(Meta(meta).site())).strong(Order::AcquireRelease, Scope::Block);
    // SAFETY: programs run only while a thread is current; the access has been checked before it is done.
    unsafe {
        let Some(operation) = MbarrierOp::from_code(operation) else { fault(thread, meta, FaultKind::BadRequest) };
        if operation == MbarrierOp::PendingCount {
            return a >> 20 & COUNT_MASK;
        }
        check(thread, address, 8, meta, Way::Atomic);
        let bad = |what| fault(thread, meta, FaultKind::BadMbarrier { what });
        if operation == MbarrierOp::Init {
            if a == 0 || a > COUNT_MASK {
                bad("an mbarrier is initialised for no or too many arrivals");
            }
            write(address, 8, Word { expected: a, pending: a, bytes: 0, parity: 0 }.encode());
            scheduler(thread).progress = true;
            return 0;
        }
        if operation == MbarrierOp::Invalidate {
            write(address, 8, 0);
            return 0;
        }
        let old = read(address, 8);
        let Some(mut word) = Word::decode(old) else { bad("this mbarrier has not been initialised") };
        match operation {
            MbarrierOp::TestState | MbarrierOp::TestParity => {
                let phase = if operation == MbarrierOp::TestState { a >> 63 } else { a & 1 };
                let over = word.parity != phase;
                if over {
                    pace(thread, meta);
                } else {
                    polled(thread, address, old, meta);
                }
                return u64::from(over);
            }
            MbarrierOp::Arrive | MbarrierOp::ArriveDrop | MbarrierOp::ArriveExpectTransaction => {
                let count = if operation == MbarrierOp::ArriveExpectTransaction { 1 } else { a };
                if count > word.pending {
                    bad("more arrive at an mbarrier than it was initialised for");
                }
                word.pending -= count;
                if operation == MbarrierOp::ArriveDrop {
                    word.expected = word.expected.saturating_sub(count);
                }
                if operation == MbarrierOp::ArriveExpectTransaction {
                    word.bytes += a as i64;
                }
            }
            MbarrierOp::ExpectTransaction => word.bytes += a as i64,
            _ => word.bytes -= a as i64,
        }
        if word.bytes.abs() >= BYTES_ZERO {
            bad("an mbarrier counts at most 2^20 - 1 bytes");
        }
        // An expectation alone ends no phase.
        let settled = if operation == MbarrierOp::ExpectTransaction { word } else { word.settle() };
        write(address, 8, settled.encode());
        scheduler(thread).progress = true;
        pace(thread, meta);
        old
    }
}
