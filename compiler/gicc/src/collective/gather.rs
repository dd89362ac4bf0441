//! Waiting for packets of several PEs at once, in the order of PEs.

use super::body::{Body, Value};
use super::frame::{Frame, InOrder};
use super::packets::{Awaited, Layout, Round};

/// Sources whose packets are looked at together.
const TOGETHER: i64 = 4;

/// Waits for packet `k` of every PE's region but this one's, and combines them with `own` in the order of PEs. For each of
/// the packets `ks`; the loads of all of them, and of four sources, are under way together. Returns the values of each
/// packet, and whether all came.
pub(crate) fn combine_all(
    b: &mut Body,
    f: &Frame,
    layout: Layout,
    order: InOrder,
    round: &Round,
    ks: &[Value],
    own: &[Vec<Value>],
) -> (Vec<Vec<Value>>, Value) {
    let (zero, step) = (b.i32(0), b.i32(TOGETHER));
    let truth = b.bool(true);
    let mut carried: Vec<Value> = vec![truth];
    let lanes = own[0].len();
    for values in own {
        for value in values {
            carried.push(*value);
        }
    }
    let results = b.for_each([zero, f.pes, step], &carried, |b, first, carried| {
        let mut so_far: Vec<Vec<Value>> = carried[1..].chunks(lanes).map(<[Value]>::to_vec).collect();
        let make = |b: &mut Body, first: Value, ks: &[Value]| {
            let (mut sources, mut awaited) = (Vec::new(), Vec::new());
            for n in 0..TOGETHER {
                let pe = b.plus(first, n);
                let exists = b.cmp("ult", pe, f.pes);
                // A source that does not exist: this PE's own region, to which nobody writes.
                let source = b.select(exists, pe, f.me);
                let slot = round.from(b, f, source);
                let is_other = b.cmp("ne", source, f.me);
                awaited.extend(ks.iter().map(|k| Awaited { slot, k: *k, wanted: Some(is_other) }));
                sources.push((pe, exists, is_other));
            }
            (sources, awaited)
        };
        let (sources, awaited) = make(b, first, ks);
        let (atoms, here) = round.wait_or(b, f, &awaited, |b| {
            let first = b.opaque(first);
            let ks: Vec<Value> = ks.iter().map(|k| b.opaque(*k)).collect();
            make(b, first, &ks).1
        });
        let came = b.op("llvm.and", carried[0], here);
        for ((pe, exists, is_other), atoms) in sources.into_iter().zip(atoms.chunks(ks.len())) {
            for (n, atoms) in atoms.iter().enumerate() {
                let values = layout.open(b, atoms);
                let values: Vec<Value> =
                    values.iter().zip(&own[n]).map(|(v, own)| b.select(is_other, *v, *own)).collect();
                so_far[n] = order.next(b, &so_far[n], &values, pe, Some(exists));
            }
        }
        let mut next = vec![came];
        next.extend(so_far.into_iter().flatten());
        next
    });
    (results[1..].chunks(lanes).map(<[Value]>::to_vec).collect(), results[0])
}

/// The same for two PEs: one other. Of the packets `ks` those are waited for of which `wanted` does not say no.
pub(crate) fn combine_pair(
    b: &mut Body,
    f: &Frame,
    layout: Layout,
    order: InOrder,
    round: &Round,
    (ks, wanted): (&[Value], &[Option<Value>]),
    own: impl FnOnce(&mut Body) -> Vec<Vec<Value>>,
) -> (Vec<Vec<Value>>, Value) {
    let one = b.i32(1);
    let other = b.sub(one, f.me);
    let slot = round.from(b, f, other);
    let own = own(b);
    let awaited: Vec<Awaited> =
        ks.iter().zip(wanted).map(|(k, wanted)| Awaited { slot, k: *k, wanted: *wanted }).collect();
    let (atoms, came) = round.wait(b, f, &awaited);
    let is_second = b.is(f.me, 1);
    let mut results = Vec::new();
    for (atoms, own) in atoms.iter().zip(own) {
        let theirs = layout.open(b, atoms);
        let combined = own
            .iter()
            .zip(&theirs)
            .map(|(own, theirs)| {
                let first = b.select(is_second, *theirs, *own);
                let second = b.select(is_second, *own, *theirs);
                order.reduction.combine(b, first, second)
            })
            .collect();
        results.push(combined);
    }
    (results, came)
}
