//! All-reduce, one shot, in its shortest form: two PEs, and so few packets a thread that there is no loop; for more than
//! [`MOST`] one with a loop, which gets the block's packets too and needs no division.
//!
//! ```text
//! load all, send all, wait for all, combine, store; the block meets
//! ```
//!
//! It is the same round as [`one_shot`](super::one_shot) makes, packet for packet, so the two PEs need not agree on who takes
//! which.
//!
//! What decides is the same from call to call: one branch, for which LLVM takes all the arithmetic out of the loop that the
//! call stands in. So little happens in it that each instruction counts: with sixteen warps on four schedulers one costs four
//! cycles.
//!
//! Limits: an odd number of elements of 16 bits is not for it, also at addresses of whole atoms. The last element would be one
//! thread's, but ptxas makes predicates of the two branches that all others leave out: some twenty more instructions for all.

use gicc_abi::heap;

use super::body::{Body, I1, I32, Type, Value};
use super::frame::{Frame, Group, InOrder, PARAMETERS as OF_ALL};
use super::gather::combine_pair;
use super::one_shot;
use super::packets::{Access, Atoms, Bounds, Layout, Part, Round, are_whole_atoms};
use super::reduce::{Reduction, is_half};

/// The most packets a thread has without a loop: as many threads as a block can have and so many are what a slot holds. Ways
/// 2 to 4 are so many packets a thread.
pub(crate) const MOST: u32 = 4;

/// The way with a loop, for any number of packets that fit into a slot.
pub(crate) const IN_A_LOOP: i64 = MOST as i64 + 1;

/// What is not quick, or not allowed.
pub(crate) const OTHERS: i64 = IN_A_LOOP + 1;

/// The parameters of a function that has one of the ways 2 to [`IN_A_LOOP`]: those of all, and the block's packets (the first,
/// and one behind the last; 32 bits).
pub(crate) const PARAMETERS: [Type; 6] = [OF_ALL[0], OF_ALL[1], OF_ALL[2], OF_ALL[3], I32, I32];

/// The parameters of the function that has all ways but the shortest: the same, and the way.
pub(crate) const PARAMETERS_OF_ALL: [Type; 7] = [OF_ALL[0], OF_ALL[1], OF_ALL[2], OF_ALL[3], I32, I32, I32];

/// The expansion that is still to be written.
pub(crate) struct Quick {
    frame: Frame,
    layout: Layout,
    order: InOrder,
    packets: (Value, Value),
}

impl Quick {
    /// For blocks that take a packet a thread, as [`Frame::slice`] gives them where all packets are no more than that; and
    /// whether a call may take it, but for the number of PEs and what every call has to check. Everything in it but the thread's
    /// number is the same for all threads, and needs no division.
    pub(crate) fn one_each(b: &mut Body, frame: Frame, reduction: Reduction) -> (Quick, Value) {
        let all = frame.packets(b, layout_of(reduction));
        let threads = b.wide(frame.threads);
        let (first, most) = match frame.group {
            Group::Block => (b.i64(0), threads),
            Group::Grid => {
                let block = b.call("__gicc_block_index", &[]);
                let block = b.wide(block);
                let blocks = b.call("__gicc_block_count", &[]);
                let blocks = b.wide(blocks);
                let mask = b.i64(!(Frame::GRAIN - 1));
                let each = b.op("llvm.and", threads, mask);
                (b.mul(block, threads), b.mul(blocks, each))
            }
        };
        let few = b.cmp("ule", all, most);
        let quick = Quick::with_packets(frame, reduction, (first, all));
        let suited = quick.suited(b);
        (quick, b.op("llvm.and", few, suited))
    }

    /// For any number of packets; and whether a call may take it, but for that, the number of PEs and what every call has to
    /// check.
    pub(crate) fn new(b: &mut Body, frame: Frame, reduction: Reduction) -> (Quick, Value) {
        let packets = frame.packets_of_block(b, layout_of(reduction));
        let quick = Quick::with_packets(frame, reduction, packets);
        let suited = quick.suited(b);
        (quick, suited)
    }

    /// Whether the block has packets, and elements are whole atoms.
    fn suited(&self, b: &mut Body) -> Value {
        let some = b.cmp("ult", self.packets.0, self.packets.1);
        if !is_half(self.order.reduction.element) {
            return some;
        }
        let whole = are_whole_atoms(b, &self.frame);
        b.op("llvm.and", some, whole)
    }

    /// For the packets `first` to `end` (64 bits), of which there is one at least.
    pub(crate) fn with_packets(frame: Frame, reduction: Reduction, packets: (Value, Value)) -> Quick {
        let layout = layout_of(reduction);
        Quick { frame, layout, order: InOrder { reduction }, packets }
    }

    /// The same with another name for the thread's number.
    pub(crate) fn of_thread(self, rank: Value) -> Quick {
        Quick { frame: Frame { rank, ..self.frame }, ..self }
    }

    /// What a function with [`PARAMETERS_OF_ALL`] is called with.
    pub(crate) fn arguments(&self, b: &mut Body, way: Value) -> [Value; 7] {
        let f = &self.frame;
        let (first, end) = (b.narrow(self.packets.0), b.narrow(self.packets.1));
        [f.out, f.input, f.count, f.epoch, first, end, way]
    }

    /// The number of the first way that suffices where `may` allows the quick ones. The packets' numbers are then below 2^32.
    pub(crate) fn way(&self, b: &mut Body, may: Value) -> Value {
        let others = b.i32(OTHERS);
        let slot = b.i64(heap::PACKETS_OF_SLOT as i64);
        let (_, end) = self.packets;
        let numbers = b.i64(1 << 32);
        let fit = self.at_most(b, slot);
        let low = b.cmp("ult", end, numbers);
        let fit = b.op("llvm.and", fit, low);
        let fit = b.op("llvm.and", fit, may);
        let in_a_loop = b.i32(IN_A_LOOP);
        let mut way = b.select(fit, in_a_loop, others);
        let threads = b.wide(self.frame.threads);
        // One that has a packet for each of its threads at most is the last one of a grid: the others have more, so it need not
        // be quick.
        for each in (1..=MOST).rev() {
            let most = b.times(threads, each.into());
            let enough = self.at_most(b, most);
            let enough = b.op("llvm.and", enough, fit);
            let this = if each == 1 { in_a_loop } else { b.i32(each.into()) };
            way = b.select(enough, this, way);
        }
        way
    }

    /// Whether the block has at most so many packets (64 bits).
    fn at_most(&self, b: &mut Body, most: Value) -> Value {
        let (first, end) = self.packets;
        let packets = b.sub(end, first);
        b.cmp("ule", packets, most)
    }

    /// Writes it for `each` packets a thread, which suffice where one less does not: so all but the thread's last one exist,
    /// with all of their units. Returns the rounds that have ended.
    pub(crate) fn expand(&self, b: &mut Body, each: u32) -> Value {
        let (f, layout) = (&self.frame, self.layout);
        f.one_time(b, layout, self.packets, 1, |b, chunk| {
            let (round, input, out) = one_shot::prepare(b, f, layout, &chunk);
            let (_, all) = layout.packets_of(b, &input);
            let mut ks = vec![f.rank];
            for n in 1..each as usize {
                ks.push(b.add(ks[n - 1], f.threads));
            }
            let last = b.cmp("ult", ks[ks.len() - 1], all);
            if each > 1 {
                return self.exchange(b, &round, (&input, &out), &ks, Some(last));
            }
            b.branch(last, &[I1], |b| vec![self.exchange(b, &round, (&input, &out), &ks, None)], |b| vec![b.bool(true)])
                [0]
        })
    }

    /// One round for the packets `ks` of a thread, of which the last one exists if `last` says so; whether all came.
    fn exchange(
        &self,
        b: &mut Body,
        round: &Round,
        (input, out): (&Part, &Part),
        ks: &[Value],
        last: Option<Value>,
    ) -> Value {
        let (f, layout) = (&self.frame, self.layout);
        let is_last = |n: usize| n + 1 == ks.len();
        let exists = |n: usize| last.filter(|_| is_last(n));
        // What does not exist is not loaded: the thread that has the last element may be storing its result.
        let atoms: Vec<Atoms> = ks
            .iter()
            .enumerate()
            .map(|(n, k)| match exists(n) {
                None if is_last(n) => layout.read(b, input, *k, Bounds::Exact),
                None => layout.read(b, input, *k, Bounds::Whole),
                Some(exists) => {
                    let bits = layout.form().bits();
                    let types = vec![bits; layout.form().atoms() as usize];
                    let zeroes = |b: &mut Body| types.iter().map(|_| b.zero(bits)).collect();
                    b.branch(exists, &types, |b| layout.read(b, input, *k, Bounds::Guarded), zeroes)
                }
            })
            .collect();
        let one = b.i32(1);
        let other = b.sub(one, f.me);
        let outgoing = round.outgoing(b, f);
        let slot = round.to(b, f, &outgoing, other);
        for (n, (k, atoms)) in ks.iter().zip(&atoms).enumerate() {
            match exists(n) {
                None => round.send(b, &slot, *k, atoms),
                Some(exists) => b.when(exists, |b| round.send(b, &slot, *k, atoms)),
            }
        }
        let own = |b: &mut Body| atoms.iter().map(|atoms| layout.open(b, atoms)).collect();
        let wanted: Vec<Option<Value>> = (0..ks.len()).map(exists).collect();
        let (results, came) = combine_pair(b, f, layout, self.order, round, (ks, &wanted), own);
        for (n, (k, values)) in ks.iter().zip(&results).enumerate() {
            let atoms = layout.close(b, values);
            let bounds = if is_last(n) { Bounds::Guarded } else { Bounds::Whole };
            layout.write(b, out, *k, &atoms, bounds);
        }
        came
    }

    /// The same round with a loop, for as many packets as fit into a slot.
    pub(crate) fn in_a_loop(&self, b: &mut Body) -> Value {
        let (f, layout) = (&self.frame, self.layout);
        f.one_time(b, layout, self.packets, 1, |b, chunk| {
            one_shot::round_of_pair(b, f, (layout, one_shot::UNROLL), self.order, &chunk)
        })
    }
}

fn layout_of(reduction: Reduction) -> Layout {
    Layout { element: reduction.element, access: Access::Atoms }
}
