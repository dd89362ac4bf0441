//! All-reduce, one shot: each PE sends its elements to all others, and each combines everything in the order of PEs.
//!
//! ```text
//! for each packet of mine          for each packet
//!   load, store to every PE          wait for every PE's, combine in the order of PEs, store the result
//! ```
//!
//! One round of packets: no barrier between PEs, no fence, one trip over the wire. Every PE sends its elements n - 1 times.
//! Both loops give a thread the same packets, so the result may lie where the elements lay.

use gicc_abi::heap;

use super::body::{Body, Value};
use super::frame::{Chunk, Frame, InOrder};
use super::gather::{combine_all, combine_pair};
use super::packets::{Bounds, Layout, Part, Round};
use super::reduce::Reduction;

/// Packets a thread has under way: as many loads from this PE's memory, and then from its region.
pub(crate) const UNROLL: u32 = 4;

/// The same where it is not `quick` that made the round. That is rare, and a function that takes many registers leaves its
/// callers few.
const UNROLL_OF_OTHERS: u32 = 2;

/// Expands it for two PEs or for any number; the rounds that have ended. The two lie in functions of their own: what waits for
/// many PEs at once takes so many registers that a team of two would have to spill.
pub(crate) fn expand(b: &mut Body, f: &Frame, layout: Layout, reduction: Reduction, pair: bool) -> Value {
    let order = InOrder { reduction };
    let capacity = b.i64(heap::PACKETS_OF_SLOT as i64);
    f.rounds(b, layout, capacity, 1, |b, chunk| {
        if pair {
            return round_of_pair(b, f, (layout, UNROLL_OF_OTHERS), order, &chunk);
        }
        let (round, input, out) = prepare(b, f, layout, &chunk);
        for_many(b, f, layout, order, &round, &input, &out)
    })
}

/// One round with the only other PE; whether all that the thread waited for came.
pub(crate) fn round_of_pair(
    b: &mut Body,
    f: &Frame,
    (layout, unroll): (Layout, u32),
    order: InOrder,
    chunk: &Chunk,
) -> Value {
    let (round, input, out) = prepare(b, f, layout, chunk);
    for_pair(b, f, (layout, unroll), order, &round, (&input, &out))
}

/// The round of a chunk, and where its elements and results lie.
pub(crate) fn prepare(b: &mut Body, f: &Frame, layout: Layout, chunk: &Chunk) -> (Round, Part, Part) {
    let epoch = b.plus(chunk.epoch, 1);
    let round = Round::of(b, f, layout.form(), epoch);
    let input = f.part(b, layout, f.input, chunk);
    let out = f.part(b, layout, f.out, chunk);
    (round, input, out)
}

/// One other PE: nothing has to be looped over.
fn for_pair(
    b: &mut Body,
    f: &Frame,
    (layout, unroll): (Layout, u32),
    order: InOrder,
    round: &Round,
    (input, out): (&Part, &Part),
) -> Value {
    let bounds = layout.packets_of(b, input);
    let outgoing = round.outgoing(b, f);
    let one = b.i32(1);
    let other = b.sub(one, f.me);
    let slot = round.to(b, f, &outgoing, other);
    f.share(b, bounds, (layout.access, unroll), &[], |b, ks, bounds, _| {
        let atoms: Vec<_> = ks.iter().map(|k| layout.read(b, input, *k, bounds)).collect();
        for (k, atoms) in ks.iter().zip(&atoms) {
            round.send(b, &slot, *k, atoms);
        }
        Vec::new()
    });
    let truth = b.bool(true);
    f.share(b, bounds, (layout.access, unroll), &[truth], |b, ks, bounds, carried| {
        let own = |b: &mut Body| ks.iter().map(|k| own_values(b, layout, input, *k, bounds)).collect();
        let (results, came) = combine_pair(b, f, layout, order, round, (ks, &vec![None; ks.len()]), own);
        store(b, layout, out, ks, &results, bounds);
        vec![b.op("llvm.and", carried[0], came)]
    })[0]
}

/// Any number of PEs.
fn for_many(b: &mut Body, f: &Frame, layout: Layout, order: InOrder, round: &Round, input: &Part, out: &Part) -> Value {
    let bounds = layout.packets_of(b, input);
    let outgoing = round.outgoing(b, f);
    f.share(b, bounds, (layout.access, 2), &[], |b, ks, bounds, _| {
        let atoms: Vec<_> = ks.iter().map(|k| layout.read(b, input, *k, bounds)).collect();
        f.others(b, &[], |b, pe, _| {
            let slot = round.to(b, f, &outgoing, pe);
            for (k, atoms) in ks.iter().zip(&atoms) {
                round.send(b, &slot, *k, atoms);
            }
            Vec::new()
        });
        Vec::new()
    });
    let truth = b.bool(true);
    f.share(b, bounds, (layout.access, 1), &[truth], |b, ks, bounds, carried| {
        let own: Vec<_> = ks.iter().map(|k| own_values(b, layout, input, *k, bounds)).collect();
        let (results, came) = combine_all(b, f, layout, order, round, ks, &own);
        store(b, layout, out, ks, &results, bounds);
        vec![b.op("llvm.and", carried[0], came)]
    })[0]
}

fn own_values(b: &mut Body, layout: Layout, input: &Part, k: Value, bounds: Bounds) -> Vec<Value> {
    let atoms = layout.read(b, input, k, bounds);
    layout.open(b, &atoms)
}

fn store(b: &mut Body, layout: Layout, out: &Part, ks: &[Value], results: &[Vec<Value>], bounds: Bounds) {
    for (k, values) in ks.iter().zip(results) {
        let atoms = layout.close(b, values);
        layout.write(b, out, *k, &atoms, bounds);
    }
}
