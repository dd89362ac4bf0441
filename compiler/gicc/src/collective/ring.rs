//! All-reduce round the ring of PEs, a part at a time.
//!
//! ```text
//! step s = 0 … n - 2   send part me - s to the next PE; wait for part me - s - 1 of the one before, combine it with mine
//! then                 part me + 1 is complete here: store it
//! step s = 0 … n - 2   send part me + 1 - s on; wait for part me - s, store it
//! ```
//!
//! Every PE sends to one other only, each element about twice; 2 (n - 1) trips over the wire. The order in which a part is
//! combined begins with its PE, and is the same everywhere, since each part is combined once. What goes round is as wide as
//! what is combined: elements of 16 bits travel in single precision and are rounded once.
//!
//! Slots: a step has the region that elsewhere belongs to a source (of a part of the PEs, a stretch of the two PEs' slot), so
//! that the steps of a round need no barrier. Each packet depends on the one before it by its value, round the whole ring, so
//! that everybody hears from everybody in each round.

use super::body::{Body, Value};
use super::frame::Frame;
use super::packets::Layout;
use super::packets::{Atoms, Awaited, Round, combine, packets_of_step};
use super::reduce::Reduction;
use super::two_shot::{Parts, capacity, two_rounds};

/// Packets a thread has under way.
const UNROLL: u32 = 2;

/// Packets that a chunk may have (64 bits): for each PE as many as a step has room for.
pub(super) fn ring_capacity(b: &mut Body, f: &Frame) -> Value {
    if f.team.is_none() {
        return capacity(b, f);
    }
    let (pes, each) = (b.wide(f.pes), packets_of_step(b, f));
    b.mul(pes, each)
}

/// Expands it; the rounds that have ended.
pub(crate) fn expand(b: &mut Body, f: &Frame, layout: Layout, reduction: Reduction) -> Value {
    let capacity = ring_capacity(b, f);
    f.rounds(b, layout, capacity, 2, |b, chunk| {
        let rounds = two_rounds(b, f, layout, &chunk);
        let input = f.part(b, layout, f.input, &chunk);
        let out = f.part(b, layout, f.out, &chunk);
        let parts = Parts::of(b, f, layout, &input);
        let truth = b.bool(true);
        f.share(b, parts.bounds, (layout.access, UNROLL), &[truth], |b, ks, bounds, carried| {
            let mut started = Vec::new();
            for k in ks {
                started.push(parts.read(b, layout, &input, (f.me, *k), bounds));
            }
            // Reduce: what arrives is combined with this PE's own and goes on.
            let ring = Ring { f, ks };
            let (complete, came) = ring.steps(b, &rounds.0, started, carried[0], |b, step, n, atoms| {
                let below = b.plus(step, 1);
                let pe = f.below(b, below);
                let own = parts.read(b, layout, &input, (pe, ks[n]), bounds);
                let (theirs, own) = (layout.open(b, atoms), layout.open(b, &own));
                let both = combine(b, reduction, &theirs, &own);
                layout.close(b, &both)
            });
            let one = b.i32(1);
            let above = f.above(b, one);
            for (k, atoms) in ks.iter().zip(&complete) {
                let at = parts.at(b, above, *k);
                layout.write(b, &out, at, atoms, bounds);
            }
            // Gather: what arrives is stored and goes on.
            let (_, came) = ring.steps(b, &rounds.1, complete, came, |b, step, n, atoms| {
                let pe = f.below(b, step);
                let at = parts.at(b, pe, ks[n]);
                layout.write(b, &out, at, atoms, bounds);
                atoms.clone()
            });
            vec![came]
        })[0]
    })
}

/// Packets on their way round the ring.
pub(super) struct Ring<'a> {
    /// The facts.
    pub(super) f: &'a Frame,
    /// The packets.
    pub(super) ks: &'a [Value],
}

impl Ring<'_> {
    /// n - 1 steps: send what is held to the next PE, wait for the one before, and hold what `arrived` makes of it (with the
    /// step's number and the packet's place among `ks`). What is held at the end, and whether all came.
    pub(super) fn steps(
        &self,
        b: &mut Body,
        round: &Round,
        held: Vec<Atoms>,
        came: Value,
        arrived: impl Fn(&mut Body, Value, usize, &Atoms) -> Atoms,
    ) -> (Vec<Atoms>, Value) {
        let f = self.f;
        let one = b.i32(1);
        let (next, before) = (f.above(b, one), f.below(b, one));
        let (from, step) = (b.i32(0), b.i32(1));
        let last = b.sub(f.pes, one);
        let lanes = held[0].len();
        let mut carried = vec![came];
        carried.extend(held.into_iter().flatten());
        let results = b.for_each([from, last, step], &carried, |b, step, carried| {
            let came = carried[0];
            let held: Vec<Atoms> = carried[1..].chunks(lanes).map(<[Value]>::to_vec).collect();
            let (to, from) = round.step(b, f, step, (next, before), came);
            for (k, atoms) in self.ks.iter().zip(&held) {
                round.send(b, &to, *k, atoms);
            }
            let awaited: Vec<_> = self.ks.iter().map(|k| Awaited { slot: from, k: *k, wanted: None }).collect();
            let (atoms, here) = round.wait(b, f, &awaited);
            let mut now = Vec::new();
            for (n, atoms) in atoms.iter().enumerate() {
                now.extend(arrived(b, step, n, atoms));
            }
            let mut next = vec![b.op("llvm.and", came, here)];
            next.extend(now);
            next
        });
        (results[1..].chunks(lanes).map(<[Value]>::to_vec).collect(), results[0])
    }
}
