//! All-gather, direct: each PE sends its elements to all others.
//!
//! ```text
//! for each packet of mine          for each PE, for each packet
//!   load, store to every PE          wait, store at that PE's place
//! ```
//!
//! One round of packets. `in` may be this PE's place in `out`.

use gicc_abi::heap;

use super::body::{Body, Value};
use super::frame::Frame;
use super::packets::{Awaited, Layout, Part, Round};
use super::reduce::bytes_of;

/// Packets a thread has under way.
const UNROLL: u32 = 4;

/// Where a PE's elements lie in the result.
pub(super) fn place_of(b: &mut Body, f: &Frame, layout: Layout, out: &Part, pe: Value) -> Part {
    let pe = b.wide(pe);
    let before = b.mul(pe, f.count);
    let bytes = b.times(before, bytes_of(layout.element).into());
    Part { pointer: b.offset(out.pointer, bytes), units: out.units }
}

/// Expands it; the rounds that have ended.
pub(crate) fn expand(b: &mut Body, f: &Frame, layout: Layout) -> Value {
    let capacity = b.i64(heap::PACKETS_OF_SLOT as i64);
    f.rounds(b, layout, capacity, 1, |b, chunk| {
        let epoch = b.plus(chunk.epoch, 1);
        let round = Round::of(b, f, layout.form(), epoch);
        let input = f.part(b, layout, f.input, &chunk);
        let out = f.part(b, layout, f.out, &chunk);
        let bounds = layout.packets_of(b, &input);
        let outgoing = round.outgoing(b, f);
        let mine = place_of(b, f, layout, &out, f.me);
        f.share(b, bounds, (layout.access, UNROLL), &[], |b, ks, bounds, _| {
            let atoms: Vec<_> = ks.iter().map(|k| layout.read(b, &input, *k, bounds)).collect();
            f.others(b, &[], |b, pe, _| {
                let slot = round.to(b, f, &outgoing, pe);
                for (k, atoms) in ks.iter().zip(&atoms) {
                    round.send(b, &slot, *k, atoms);
                }
                Vec::new()
            });
            for (k, atoms) in ks.iter().zip(&atoms) {
                layout.write(b, &mine, *k, atoms, bounds);
            }
            Vec::new()
        });
        let truth = b.bool(true);
        f.share(b, bounds, (layout.access, UNROLL), &[truth], |b, ks, bounds, carried| {
            f.others(b, carried, |b, pe, carried| {
                let slot = round.from(b, f, pe);
                let theirs = place_of(b, f, layout, &out, pe);
                let awaited: Vec<_> = ks.iter().map(|k| Awaited { slot, k: *k, wanted: None }).collect();
                let (atoms, here) = round.wait(b, f, &awaited);
                for (k, atoms) in ks.iter().zip(&atoms) {
                    layout.write(b, &theirs, *k, atoms, bounds);
                }
                vec![b.op("llvm.and", carried[0], here)]
            })
        })[0]
    })
}
