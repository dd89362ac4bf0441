//! All-gather round the ring: each PE passes on what it got from the one before.
//!
//! ```text
//! store my elements at my place
//! step s = 0 … n - 2   send the elements of PE me - s to the next PE; wait for those of PE me - s - 1, store them
//! ```
//!
//! One round of packets whose steps have a region each (of a part of the PEs, a stretch of a slot), n - 1 trips over the wire;
//! each PE sends to one other only. `in` may be this PE's place in `out`.

use gicc_abi::heap;

use super::all_gather_direct::place_of;
use super::body::{Body, Value};
use super::frame::Frame;
use super::packets::{Layout, Round, packets_of_step};
use super::ring::Ring;

/// Packets a thread has under way.
const UNROLL: u32 = 2;

/// Packets that a round has room for (64 bits).
pub(super) fn gather_capacity(b: &mut Body, f: &Frame) -> Value {
    if f.team.is_none() { b.i64(heap::PACKETS_OF_SLOT as i64) } else { packets_of_step(b, f) }
}

/// Expands it; the rounds that have ended.
pub(crate) fn expand(b: &mut Body, f: &Frame, layout: Layout) -> Value {
    let capacity = gather_capacity(b, f);
    f.rounds(b, layout, capacity, 1, |b, chunk| {
        let epoch = b.plus(chunk.epoch, 1);
        let round = Round::of(b, f, layout.form(), epoch);
        let input = f.part(b, layout, f.input, &chunk);
        let out = f.part(b, layout, f.out, &chunk);
        let bounds = layout.packets_of(b, &input);
        let mine = place_of(b, f, layout, &out, f.me);
        let truth = b.bool(true);
        f.share(b, bounds, (layout.access, UNROLL), &[truth], |b, ks, bounds, carried| {
            let held: Vec<_> = ks.iter().map(|k| layout.read(b, &input, *k, bounds)).collect();
            for (k, atoms) in ks.iter().zip(&held) {
                layout.write(b, &mine, *k, atoms, bounds);
            }
            let ring = Ring { f, ks };
            let (_, came) = ring.steps(b, &round, held, carried[0], |b, step, n, atoms| {
                let below = b.plus(step, 1);
                let pe = f.below(b, below);
                let theirs = place_of(b, f, layout, &out, pe);
                layout.write(b, &theirs, ks[n], atoms, bounds);
                atoms.clone()
            });
            vec![came]
        })[0]
    })
}
