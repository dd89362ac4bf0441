//! Operations of the lanes of a warp: each is a meeting of the lanes that a mask names.

use gicc_abi::sim::WarpOp;

use crate::block::Block;
use crate::thread::{State, Thread};

/// A warp of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warp {
    /// Lanes that have not exited.
    pub(crate) live: u32,
    meetings: Vec<Meeting>,
    /// Room for the next meeting's operands.
    spare: Option<Box<[[u64; 3]; 32]>>,
}

/// Lanes that have come to one operation.
#[derive(Clone, Debug)]
struct Meeting {
    op: WarpOp,
    mask: u32,
    arrived: u32,
    /// The operands a, b and c of each lane.
    operands: Box<[[u64; 3]; 32]>,
}

impl Warp {
    pub(crate) fn new(live: u32) -> Self {
        Self { live, meetings: Vec::new(), spare: None }
    }

    /// The lanes that a waiting lane's operation lacks.
    pub(crate) fn missing(&self, lane: u32) -> u32 {
        let meeting = self.meetings.iter().find(|m| m.arrived >> lane & 1 != 0);
        meeting.map_or(0, |m| m.mask & self.live & !m.arrived)
    }
}

/// A lane comes; gives its result where everybody is there.
///
/// # Safety
///
/// `thread` and its block are alive, nothing else borrows them, and the mask names the lane.
pub(crate) unsafe fn meet(thread: *mut Thread, op: WarpOp, mask: u32, operands: [u64; 3]) -> Option<u64> {
    // SAFETY: as the caller promises.
    let (thread, block) = unsafe { (&mut *thread, &mut *(*thread).block) };
    let lane = thread.lane();
    let number = thread.warp();
    // Of the operations of a warp only this one orders memory.
    if op == WarpOp::Sync {
        block.weak(|weak, block| weak.arrive_warp(block, number, mask, lane));
    }
    let warp = &mut block.warps[number];
    let known = warp.meetings.iter().position(|m| m.op == op && m.mask == mask && m.arrived >> lane & 1 == 0);
    let at = known.unwrap_or_else(|| {
        let operands = warp.spare.take().unwrap_or_else(|| Box::new([[0; 3]; 32]));
        warp.meetings.push(Meeting { op, mask, arrived: 0, operands });
        warp.meetings.len() - 1
    });
    let meeting = &mut warp.meetings[at];
    meeting.arrived |= 1 << lane;
    meeting.operands[lane as usize] = operands;
    if mask & warp.live & !meeting.arrived != 0 {
        thread.state = State::Warp { mask };
        return None;
    }
    Some(complete(block, number, at, Some(lane)).unwrap_or(0))
}

/// Gives everybody their results; that of lane `own`, who does not wait.
fn complete(block: &mut Block, number: usize, at: usize, own: Option<u32>) -> Option<u64> {
    let meeting = block.warps[number].meetings.swap_remove(at);
    if meeting.op == WarpOp::Sync {
        block.weak(|weak, block| weak.meet_warp(block, number, meeting.mask, meeting.arrived));
    }
    let mut result = None;
    for lane in 0..32 {
        if meeting.arrived >> lane & 1 == 0 {
            continue;
        }
        let value = meeting.result(lane);
        if Some(lane) == own {
            result = Some(value);
        } else {
            block.wake(number as u32 * 32 + lane, value);
        }
    }
    block.warps[number].spare = Some(meeting.operands);
    block.progress();
    result
}

/// A lane has exited: meetings that only it was missing at are complete.
pub(crate) fn exited(block: &mut Block, number: usize) {
    let mut at = 0;
    while at < block.warps[number].meetings.len() {
        let warp = &block.warps[number];
        let meeting = &warp.meetings[at];
        if meeting.mask & warp.live & !meeting.arrived == 0 {
            complete(block, number, at, None);
        } else {
            at += 1;
        }
    }
}

impl Meeting {
    fn values(&self) -> impl Iterator<Item = (u32, u64)> {
        (0..32).filter(|lane| self.arrived >> lane & 1 != 0).map(|lane| (lane, self.operands[lane as usize][0]))
    }

    fn result(&self, lane: u32) -> u64 {
        let [a, b, c] = self.operands[lane as usize];
        let fold = |f: fn(u32, u32) -> u32| self.values().map(|(_, v)| v as u32).reduce(f).map_or(0, u64::from);
        let signed =
            |f: fn(i32, i32) -> i32| self.values().map(|(_, v)| v as i32).reduce(f).map_or(0, |v| u64::from(v as u32));
        match self.op {
            WarpOp::Sync | WarpOp::ActiveMask => 0,
            WarpOp::ShuffleIndex | WarpOp::ShuffleUp | WarpOp::ShuffleDown | WarpOp::ShuffleXor => {
                self.shuffle(lane, a, b as u32, c as u32)
            }
            WarpOp::VoteAll => u64::from(self.values().all(|(_, v)| v & 1 != 0)),
            WarpOp::VoteAny => u64::from(self.values().any(|(_, v)| v & 1 != 0)),
            WarpOp::VoteUniform => u64::from(self.values().all(|(_, v)| v & 1 == a & 1)),
            WarpOp::Ballot => self.values().fold(0, |mask, (lane, v)| mask | (v & 1) << lane),
            WarpOp::MatchAny => self.values().filter(|&(_, v)| v == a).fold(0, |mask, (lane, _)| mask | 1 << lane),
            WarpOp::MatchAll => {
                if self.values().all(|(_, v)| v == a) {
                    u64::from(self.arrived) | 1 << 32
                } else {
                    0
                }
            }
            WarpOp::ReduceAdd => fold(u32::wrapping_add),
            WarpOp::ReduceMinUnsigned => fold(u32::min),
            WarpOp::ReduceMaxUnsigned => fold(u32::max),
            WarpOp::ReduceMinSigned => signed(i32::min),
            WarpOp::ReduceMaxSigned => signed(i32::max),
            WarpOp::ReduceAnd => fold(|x, y| x & y),
            WarpOp::ReduceOr => fold(|x, y| x | y),
            WarpOp::ReduceXor => fold(|x, y| x ^ y),
            WarpOp::ReduceMinFloat | WarpOp::ReduceMaxFloat => {
                let least = self.op == WarpOp::ReduceMinFloat;
                let all = self.values().map(|(_, v)| f32::from_bits(v as u32));
                let result = all.reduce(|x, y| match (x.is_nan() || y.is_nan(), b & 1 != 0) {
                    (true, true) => f32::NAN,
                    _ if least => x.min(y),
                    _ => x.max(y),
                });
                u64::from(result.unwrap_or(0.0).to_bits())
            }
            WarpOp::Elect => {
                let leader = self.mask.trailing_zeros();
                u64::from(leader) | u64::from(leader == lane) << 32
            }
        }
    }

    /// PTX ISA, `shfl.sync`. What comes from a lane that is not there is undefined in PTX; it is zero here.
    fn shuffle(&self, lane: u32, own: u64, b: u32, c: u32) -> u64 {
        let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
        let least = lane & segment;
        let most = least | clamp & !segment;
        let (from, inside) = match self.op {
            WarpOp::ShuffleUp => (lane.wrapping_sub(b), lane as i32 - b as i32 >= most as i32),
            WarpOp::ShuffleDown => (lane + b, lane + b <= most),
            WarpOp::ShuffleXor => (lane ^ b, lane ^ b <= most),
            _ => {
                let from = least | b & !segment;
                (from, from <= most)
            }
        };
        let value = if !inside || from == lane {
            own
        } else if self.arrived >> (from & 31) & 1 != 0 {
            self.operands[(from & 31) as usize][0]
        } else {
            0
        };
        value & 0xffff_ffff | u64::from(inside) << 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(op: WarpOp, b: u64, c: u64) -> Meeting {
        let mut m = Meeting { op, mask: u32::MAX, arrived: u32::MAX, operands: Box::new([[0; 3]; 32]) };
        for (lane, operands) in m.operands.iter_mut().enumerate() {
            *operands = [100 + lane as u64, b, c];
        }
        m
    }

    #[test]
    fn shuffles_follow_the_manual() {
        let down = meeting(WarpOp::ShuffleDown, 4, 0x1f);
        assert_eq!(down.result(3), 107 | 1 << 32);
        assert_eq!(down.result(30), 130, "past the end the lane's own value, and false");
        let up = meeting(WarpOp::ShuffleUp, 1, 0);
        assert_eq!(up.result(0), 100);
        assert_eq!(up.result(1), 100 | 1 << 32);
        // Width 8: the segment mask is ~7 of 5 bits.
        let narrow = meeting(WarpOp::ShuffleIndex, 2, 24 << 8 | 0x1f);
        assert_eq!(narrow.result(13), 110 | 1 << 32);
        let xor = meeting(WarpOp::ShuffleXor, 16, 0x1f);
        assert_eq!(xor.result(5), 121 | 1 << 32);
    }

    #[test]
    fn reductions_and_votes() {
        let sum: u64 = (100..132).sum();
        assert_eq!(meeting(WarpOp::ReduceAdd, 0, 0).result(7), sum);
        assert_eq!(meeting(WarpOp::Ballot, 0, 0).result(0), 0xaaaa_aaaa);
        assert_eq!(meeting(WarpOp::MatchAny, 0, 0).result(4), 1 << 4);
        assert_eq!(meeting(WarpOp::MatchAll, 0, 0).result(4), 0);
        assert_eq!(meeting(WarpOp::Elect, 0, 0).result(0), 1 << 32);
    }
}
