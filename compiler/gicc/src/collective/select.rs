//! Which algorithm carries out a collective whose caller leaves that to the compiler.
//!
//! The bounds are estimates, not the result of a sweep over algorithms. Where one message goes between two H200, packets and
//! wide stores with a release cost the same at about 64 KB a block of 512 threads, or 1 MB in all
//! (docs/results/2026-11-29-packet-forms.md); that is taken for a collective's rounds, whose two barriers cost about as much
//! more as reading packets of several PEs. With more PEs one shot sends the elements to each of them, two shots about twice in
//! all: so what counts for one shot is the bytes that a PE sends. Nothing was measured with more than two PEs.
//!
//! | | condition |
//! | --- | --- |
//! | one_shot | a PE sends at most 1 MiB, a block at most 64 KiB |
//! | two_shot with packets | more than two PEs, at most 512 KiB, a block at most 64 KiB; or the buffers are not symmetric |
//! | two_shot without packets | else |
//!
//! Where the count is constant and the answer is the same for every team, it is given at compile time; else each call
//! decides by a branch that all PEs take alike, since all have the same count, team and grid.

use gicc_abi::codes::Algorithm;

use super::body::{Body, I64, Value};
use super::frame::{Frame, Group};

/// The most bytes that a PE sends to the others with one shot.
pub(crate) const SENT: i64 = 1 << 20;

/// The most bytes of them that one block sends.
pub(crate) const SENT_BY_BLOCK: i64 = 64 << 10;

/// The most bytes of elements that two shots move with packets where they need not.
pub(crate) const TWO_SHOT_PACKETS: i64 = 512 << 10;

/// Elements of so few bytes are sent to all PEs at once whatever the team.
pub(crate) const SMALL: i64 = 8 << 10;

/// What is known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The algorithm; [`Algorithm::Auto`]: each call decides.
    pub(crate) algorithm: Algorithm,
    /// Why.
    pub(crate) why: String,
}

impl Choice {
    fn new(algorithm: Algorithm, why: impl Into<String>) -> Choice {
        Choice { algorithm, why: why.into() }
    }
}

/// The choice for an all-reduce; `bytes` where the count is constant.
pub(crate) fn all_reduce(asked: Algorithm, bytes: Option<i64>) -> Choice {
    match (asked, bytes) {
        (Algorithm::Auto, Some(bytes)) if bytes <= SMALL => Choice::new(
            Algorithm::OneShot,
            format!("{bytes} bytes are at most {SMALL}: one trip over the wire is the fastest for any team"),
        ),
        (Algorithm::Auto, Some(bytes)) if bytes > SENT => Choice::new(
            Algorithm::TwoShot,
            format!(
                "{bytes} bytes are more than {SENT}: each PE combines one part, so that each link carries the bytes once"
            ),
        ),
        (Algorithm::Auto, Some(bytes)) => {
            Choice::new(Algorithm::Auto, format!("{bytes} bytes: the best depends on the number of PEs and blocks"))
        }
        (Algorithm::Auto, None) => Choice::new(Algorithm::Auto, "the count is known only at run time"),
        (forced, _) => Choice::new(forced, "as the call asks"),
    }
}

/// The choice for an all-gather.
pub(crate) fn all_gather(asked: Algorithm) -> Choice {
    match asked {
        Algorithm::Auto => Choice::new(
            Algorithm::Direct,
            "each PE sends its elements once to each other, which no way round the ring beats where all PEs are neighbours",
        ),
        forced => Choice::new(forced, "as the call asks"),
    }
}

/// Whether one shot is chosen, at run time.
pub(crate) fn is_one_shot(b: &mut Body, f: &Frame, bytes: Value) -> Value {
    let one = b.i32(1);
    let others = b.sub(f.pes, one);
    let others = b.wide(others);
    let sent = b.mul(bytes, others);
    let most = at_most(b, f, SENT, SENT_BY_BLOCK);
    b.cmp("ule", sent, most)
}

/// Whether two shots use packets though the buffers are symmetric, at run time.
pub(crate) fn is_two_shot_with_packets(b: &mut Body, f: &Frame, bytes: Value) -> Value {
    let most = at_most(b, f, TWO_SHOT_PACKETS, SENT_BY_BLOCK);
    let few = b.cmp("ule", bytes, most);
    let two = b.i32(2);
    let many = b.cmp("ugt", f.pes, two);
    b.op("llvm.and", few, many)
}

/// Whether an all-gather uses packets though the result is symmetric, at run time.
pub(crate) fn is_gather_with_packets(b: &mut Body, f: &Frame, bytes: Value) -> Value {
    is_one_shot(b, f, bytes)
}

/// The lesser of a bound for all blocks and one for each.
fn at_most(b: &mut Body, f: &Frame, all: i64, each: i64) -> Value {
    if f.group == Group::Block {
        return b.i64(each.min(all));
    }
    let blocks = b.call("__gicc_block_count", &[]);
    let blocks = b.cast("llvm.zext", blocks, I64);
    let together = b.times(blocks, each);
    let all = b.i64(all);
    b.min(together, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_decides_where_it_is_constant() {
        let chosen = |bytes| all_reduce(Algorithm::Auto, bytes).algorithm;
        assert_eq!(chosen(Some(0)), Algorithm::OneShot);
        assert_eq!(chosen(Some(SMALL)), Algorithm::OneShot);
        assert_eq!(chosen(Some(SMALL + 4)), Algorithm::Auto);
        assert_eq!(chosen(Some(SENT + 4)), Algorithm::TwoShot);
        assert_eq!(chosen(None), Algorithm::Auto);
        assert_eq!(all_reduce(Algorithm::Ring, Some(4)).algorithm, Algorithm::Ring);
    }
}
