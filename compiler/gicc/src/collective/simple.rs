//! Large messages between symmetric buffers, without packets: wide loads and stores between two barriers of PEs.
//!
//! ```text
//! all-reduce                                    all-gather
//!   barrier of PEs                                barrier of PEs
//!   for each word of my part                      put my elements to every PE
//!     load it from every PE, combine              barrier of PEs
//!     store the result to every PE
//!   barrier of PEs
//! ```
//!
//! A word is 16 bytes, where both buffers are aligned to that, else one element. The first barrier says that the elements
//! of all PEs are there, and that nobody reads their results' place any more; the second one, that all results are. A
//! part's word is read and then written by one thread of one PE alone, so the result may lie where the elements lay. Each
//! link carries the bytes once in each direction, half of them as loads and half as stores.

use super::body::{Body, I64, Type, Value};
use super::frame::{Frame, InOrder, Team};
use super::reduce::{Reduction, bytes_of, round, stored, widen};

/// Words a thread has under way, from each PE.
const UNROLL: i64 = 4;

/// Bytes of a wide word.
pub(crate) const WIDE: u32 = 16;

/// How one stretch of words is combined.
#[derive(Clone, Copy, Debug)]
struct Words {
    order: InOrder,
    /// Elements of a word.
    lanes: u32,
}

/// All-reduce by words of `lanes` elements.
pub(crate) fn all_reduce(b: &mut Body, f: &Frame, reduction: Reduction, lanes: u32) -> Value {
    let words = Words { order: InOrder { reduction }, lanes };
    f.barrier(b, 0);
    let each = b.i64(lanes.into());
    let total = b.op("llvm.udiv", f.count, each);
    let (first, end) = f.slice(b, total);
    let (me, pes) = (b.wide(f.me), b.wide(f.pes));
    let here = b.sub(end, first);
    let part = b.div_up_or_one(here, pes);
    let before = b.mul(me, part);
    let from = b.add(first, before);
    let from = b.min(from, end);
    let to = b.add(from, part);
    let to = b.min(to, end);
    words.stretch(b, f, from, to);
    if lanes > 1 {
        words.rest(b, f, total);
    }
    f.barrier(b, 1);
    f.met(b, 2)
}

impl Words {
    fn bytes(self) -> u32 {
        self.lanes * bytes_of(self.order.reduction.element)
    }

    /// Words `from` to `to` (64 bits), by the block's threads.
    fn stretch(self, b: &mut Body, f: &Frame, from: Value, to: Value) {
        let threads = b.wide(f.threads);
        let rank = b.wide(f.rank);
        let begin = b.add(from, rank);
        let span = b.times(threads, UNROLL - 1);
        let limit = b.sub(to, span);
        let step = b.times(threads, UNROLL);
        let next = b.for_each([begin, limit, step], &[begin], |b, k, _| {
            let mut ks = vec![k];
            for _ in 1..UNROLL {
                let last = ks[ks.len() - 1];
                ks.push(b.add(last, threads));
            }
            self.combine(b, f, &ks);
            vec![b.add(k, step)]
        })[0];
        b.for_each([next, to, threads], &[], |b, k, _| {
            self.combine(b, f, &[k]);
            Vec::new()
        });
    }

    /// The elements behind the last whole word: by the first block of the group on PE 0.
    fn rest(self, b: &mut Body, f: &Frame, words: Value) {
        let one = Words { lanes: 1, ..self };
        let done = b.times(words, self.lanes.into());
        let rank = b.wide(f.rank);
        let k = b.add(done, rank);
        let exists = b.cmp("ult", k, f.count);
        let is_first = b.is(f.me, 0);
        let mine = b.op("llvm.and", exists, is_first);
        let block = b.call("__gicc_block_index", &[]);
        let mine = match f.group {
            super::frame::Group::Block => mine,
            super::frame::Group::Grid => {
                let is_first = b.is(block, 0);
                b.op("llvm.and", mine, is_first)
            }
        };
        b.when(mine, |b| {
            let threads = b.wide(f.threads);
            b.for_each([k, f.count, threads], &[], |b, k, _| {
                one.combine(b, f, &[k]);
                Vec::new()
            });
        });
    }

    /// Loads words `ks` from every PE, combines them in the order of PEs, and stores them to every PE.
    fn combine(self, b: &mut Body, f: &Frame, ks: &[Value]) {
        let element = self.order.reduction.element;
        let ty = Type::Lanes(self.lanes, stored(element));
        let offsets: Vec<Value> = ks.iter().map(|k| b.times(*k, self.bytes().into())).collect();
        let load = |b: &mut Body, pe: Value| -> Vec<Value> {
            let base = peer(b, f, f.input, pe);
            let places: Vec<Value> = offsets.iter().map(|o| b.offset(base, *o)).collect();
            let loaded: Vec<Value> = places.iter().map(|p| b.load(ty, *p, self.bytes())).collect();
            loaded.into_iter().map(|v| widen(b, element, v)).collect()
        };
        let zero = b.i32(0);
        let first = load(b, zero);
        let (one, step) = (b.i32(1), b.i32(1));
        let sums = b.for_each([one, f.pes, step], &first, |b, pe, so_far| {
            let theirs = load(b, pe);
            so_far.iter().zip(&theirs).map(|(x, y)| self.order.reduction.combine(b, *x, *y)).collect()
        });
        let results: Vec<Value> = sums.iter().map(|s| round(b, element, *s)).collect();
        b.for_each([zero, f.pes, step], &[], |b, distance, _| {
            let pe = f.above(b, distance);
            let base = peer(b, f, f.out, pe);
            for (offset, result) in offsets.iter().zip(&results) {
                let place = b.offset(base, *offset);
                b.store(*result, place, self.bytes());
            }
            Vec::new()
        });
    }
}

/// All-gather: puts between two barriers.
pub(crate) fn all_gather(b: &mut Body, f: &Frame, element: gicc_abi::codes::ElementType) -> Value {
    f.barrier(b, 0);
    let (first, end) = f.slice(b, f.count);
    let size = bytes_of(element);
    let here = b.sub(end, first);
    let bytes = b.times(here, size.into());
    let before = b.times(first, size.into());
    let source = b.offset(f.input, before);
    let me = b.wide(f.me);
    let mine = b.mul(me, f.count);
    let mine = b.add(mine, first);
    let mine = b.times(mine, size.into());
    let place = b.offset(f.out, mine);
    let element = b.i32(size.into());
    let in_place = {
        let (source, place) = (b.address(source), b.address(place));
        b.cmp("eq", source, place)
    };
    let (zero, step) = (b.i32(0), b.i32(1));
    b.for_each([zero, f.pes, step], &[], |b, distance, _| {
        let pe = f.above(b, distance);
        let is_me = b.is(distance, 0);
        let needless = b.op("llvm.and", is_me, in_place);
        let truth = b.bool(true);
        let needed = b.op("llvm.xor", needless, truth);
        b.when(needed, |b| {
            let pe = f.world(b, pe);
            b.call("__gicc_put_block", &[place, source, bytes, element, pe]);
        });
        Vec::new()
    });
    f.barrier(b, 1);
    f.met(b, 2)
}

/// The address on a PE of what lies at a symmetric address here.
fn peer(b: &mut Body, f: &Frame, pointer: Value, pe: Value) -> Value {
    let mut distance = b.sub(pe, f.me);
    if let Some(Team { stride, .. }) = f.team {
        distance = b.mul(distance, stride);
    }
    let distance = b.cast("llvm.sext", distance, I64);
    let stride = b.call("__gicc_heap_stride", &[]);
    let bytes = b.mul(distance, stride);
    b.offset(pointer, bytes)
}
