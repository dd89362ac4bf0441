//! All-reduce, two shots with packets: each PE combines one part of the elements, and sends the result to all others.
//!
//! ```text
//! 1. the part of each other PE     2. my part                        3. the part of each other PE
//!    load, send it to that PE         wait for every PE's elements,     wait for it, store it
//!                                     combine, store, send to all
//! ```
//!
//! Two rounds of packets, two trips over the wire; each PE sends its elements about twice, however many PEs there are. All
//! parts have the same number of packets, so that everybody hears from everybody in each round, as the slots need it; where
//! the elements end early, the last packets carry zeroes and are not stored. A thread sends on only what it
//! combined itself, so no barrier stands between the two rounds. It loads a packet's elements of all parts before it stores
//! to any of them: the result may lie where the elements lay.

use gicc_abi::heap;

use super::body::{Body, Value};
use super::frame::{Chunk, Frame, InOrder};
use super::gather::combine_all;
use super::packets::{Atoms, Awaited, Bounds, Layout, Part, Round};
use super::reduce::Reduction;

/// Packets a thread has under way.
const UNROLL: u32 = 2;

/// The parts of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// Packets of each part (32 bits).
    pub(super) packets: Value,
    /// How many of them have all of their elements whatever part they are in, and how many there are.
    pub(super) bounds: (Value, Value),
}

impl Parts {
    /// Divides a chunk among the PEs.
    pub(super) fn of(b: &mut Body, f: &Frame, layout: Layout, part: &Part) -> Parts {
        let (whole, all) = layout.packets_of(b, part);
        let packets = b.div_up_or_one(all, f.pes);
        let one = b.i32(1);
        let others = b.sub(f.pes, one);
        let before_last = b.mul(others, packets);
        let whole_in_last = b.sub(whole, before_last);
        Parts { packets, bounds: (whole_in_last, packets) }
    }

    /// The atoms of packet `k` of a PE's part; zeroes where the elements ended before. (The last element instead of them
    /// would be read by one thread while another one stores its result.)
    pub(super) fn read(
        &self,
        b: &mut Body,
        layout: Layout,
        part: &Part,
        (pe, k): (Value, Value),
        bounds: Bounds,
    ) -> Atoms {
        let at = self.at(b, pe, k);
        if bounds == Bounds::Whole {
            return layout.read(b, part, at, bounds);
        }
        let first = b.times(at, layout.units().into());
        let exists = b.cmp("ult", first, part.units);
        let ty = layout.form().bits();
        let types = vec![ty; layout.form().atoms() as usize];
        b.branch(exists, &types, |b| layout.read(b, part, at, bounds), |b| types.iter().map(|t| b.zero(*t)).collect())
    }

    /// Packet `k` of the part of a PE, as a packet of the chunk.
    pub(super) fn at(&self, b: &mut Body, pe: Value, k: Value) -> Value {
        let first = b.mul(pe, self.packets);
        b.add(first, k)
    }
}

/// Packets that a chunk may have: as many for each PE as a slot holds (64 bits).
pub(super) fn capacity(b: &mut Body, f: &Frame) -> Value {
    let pes = b.wide(f.pes);
    b.times(pes, heap::PACKETS_OF_SLOT as i64)
}

/// The two rounds of a chunk.
pub(super) fn two_rounds(b: &mut Body, f: &Frame, layout: Layout, chunk: &Chunk) -> (Round, Round) {
    let first = b.plus(chunk.epoch, 1);
    let second = b.plus(chunk.epoch, 2);
    (Round::of(b, f, layout.form(), first), Round::of(b, f, layout.form(), second))
}

/// Expands it; the rounds that have ended.
pub(crate) fn expand(b: &mut Body, f: &Frame, layout: Layout, reduction: Reduction) -> Value {
    let order = InOrder { reduction };
    let capacity = capacity(b, f);
    f.rounds(b, layout, capacity, 2, |b, chunk| {
        let (first, second) = two_rounds(b, f, layout, &chunk);
        let input = f.part(b, layout, f.input, &chunk);
        let out = f.part(b, layout, f.out, &chunk);
        let parts = Parts::of(b, f, layout, &input);
        let unroll = (layout.access, UNROLL);

        let outgoing = first.outgoing(b, f);
        f.share(b, parts.bounds, unroll, &[], |b, ks, bounds, _| {
            f.others(b, &[], |b, pe, _| {
                let atoms: Vec<_> = ks.iter().map(|k| parts.read(b, layout, &input, (pe, *k), bounds)).collect();
                let slot = first.to(b, f, &outgoing, pe);
                for (k, atoms) in ks.iter().zip(&atoms) {
                    first.send(b, &slot, *k, atoms);
                }
                Vec::new()
            });
            Vec::new()
        });

        let outgoing = second.outgoing(b, f);
        let truth = b.bool(true);
        // One packet at a time, from four PEs.
        let came = f.share(b, parts.bounds, (layout.access, 1), &[truth], |b, ks, bounds, carried| {
            let at: Vec<Value> = ks.iter().map(|k| parts.at(b, f.me, *k)).collect();
            let own: Vec<_> = ks
                .iter()
                .map(|k| {
                    let atoms = parts.read(b, layout, &input, (f.me, *k), bounds);
                    layout.open(b, &atoms)
                })
                .collect();
            let (results, came) = combine_all(b, f, layout, order, &first, ks, &own);
            let atoms: Vec<_> = results.iter().map(|r| layout.close(b, r)).collect();
            let outgoing = outgoing.if_well(b, came);
            f.others(b, &[], |b, pe, _| {
                let slot = second.to(b, f, &outgoing, pe);
                for (k, atoms) in ks.iter().zip(&atoms) {
                    second.send(b, &slot, *k, atoms);
                }
                Vec::new()
            });
            for (at, atoms) in at.iter().zip(&atoms) {
                layout.write(b, &out, *at, atoms, bounds);
            }
            vec![b.op("llvm.and", carried[0], came)]
        })[0];

        f.share(b, parts.bounds, unroll, &[came], |b, ks, bounds, carried| {
            f.others(b, carried, |b, pe, carried| {
                let slot = second.from(b, f, pe);
                let awaited: Vec<_> = ks.iter().map(|k| Awaited { slot, k: *k, wanted: None }).collect();
                let (atoms, here) = second.wait(b, f, &awaited);
                for (k, atoms) in ks.iter().zip(&atoms) {
                    let at = parts.at(b, pe, *k);
                    layout.write(b, &out, at, atoms, bounds);
                }
                vec![b.op("llvm.and", carried[0], here)]
            })
        })[0]
    })
}
