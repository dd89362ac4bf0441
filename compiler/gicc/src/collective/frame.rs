//! What the algorithms share: who takes part, which part of the elements is this block's, rounds over as many packets as
//! the slots hold, and a thread's share of the packets.

use gicc_abi::heap;

use super::body::{Body, I1, I32, I64, Type, Value};
use super::packets::{Access, Bounds, Layout, Part};
use super::reduce::Reduction;

/// The function that waits for a packet that is late for long; every expansion has it, and linking keeps one.
pub(crate) const FAR_WAIT: &str = "gicc_collective_wait";

/// The blocks that execute a collective on each PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    /// One block: the blocks of one index on all PEs.
    Block,
    /// All blocks of the grid, each with a slice.
    Grid,
}

impl Group {
    /// Its name in symbols.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Group::Block => "block",
            Group::Grid => "grid",
        }
    }
}

/// A part of the PEs, which takes part alone: `start`, `start + stride` and so on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    /// Its first PE (32 bits).
    pub(crate) start: Value,
    /// The distance of two of its PEs (32 bits).
    pub(crate) stride: Value,
}

/// The facts that every algorithm needs. PEs are numbered as the members of the collective are: where a part of them takes
/// part, PE 0 is the first of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The results.
    pub(crate) out: Value,
    /// The elements of this PE.
    pub(crate) input: Value,
    /// How many (64 bits).
    pub(crate) count: Value,
    /// Rounds that this block has ended (64 bits); of a part, since the call began.
    pub(crate) epoch: Value,
    /// This PE (32 bits).
    pub(crate) me: Value,
    /// PEs (32 bits).
    pub(crate) pes: Value,
    /// The part of the PEs that takes part; nothing where all do.
    pub(crate) team: Option<Team>,
    /// This thread in its block (32 bits).
    pub(crate) rank: Value,
    /// Threads of the block (32 bits).
    pub(crate) threads: Value,
    /// The block's regions for packets.
    pub(crate) packets: Value,
    /// Who executes it.
    pub(crate) group: Group,
    /// The function that waits for a packet that is late for long.
    pub(crate) far_wait: &'static str,
    /// Whether all of this block's packets are known to fit into the slots at once. What is computed of them then depends on
    /// nothing that changes from call to call, and moves out of the loops of the user.
    pub(crate) at_once: bool,
    /// Whether this is a function of its own: nothing moves out of it.
    pub(crate) apart: bool,
}

/// A stretch of packets that one round (or a few) moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    /// Its first packet among all (64 bits).
    pub(crate) first: Value,
    /// Its units (32 bits).
    pub(crate) units: Value,
    /// Rounds before it (64 bits).
    pub(crate) epoch: Value,
}

impl Chunk {
    /// The packets `first` to `next` (64 bits), of which each has so many units, and all together so many.
    fn new(b: &mut Body, (first, next): (Value, Value), (units, total): (Value, Value), epoch: Value) -> Chunk {
        let next_unit = b.mul(next, units);
        let next_unit = b.min(next_unit, total);
        let first_unit = b.mul(first, units);
        let here = b.sub(next_unit, first_unit);
        Chunk { first, units: b.narrow(here), epoch }
    }
}

/// The block's regions for packets of collectives of all PEs.
fn packets_of_block(b: &mut Body, pes: Value) -> Value {
    let workspace = b.call("__gicc_workspace", &[]);
    let block = b.call("__gicc_block_index", &[]);
    let region = b.mul(block, pes);
    let region = b.wide(region);
    let bytes = b.times(region, heap::REGION_BYTES as i64);
    let bytes = b.plus(bytes, heap::PACKETS as i64);
    b.offset(workspace, bytes)
}

/// The rounds that have ended where `rounds` more did, if `all` says so.
fn ended(b: &mut Body, epoch: Value, all: Value, rounds: i64) -> Value {
    let more = b.cast("llvm.zext", all, I64);
    let more = b.times(more, rounds);
    b.add(epoch, more)
}

impl Frame {
    /// What a block of a grid takes is a multiple of this, or as many as it has threads.
    pub(crate) const GRAIN: i64 = 32;

    /// Reads the facts. The parameters are those of every function of an expansion: out, in, count, epoch.
    pub(crate) fn new(b: &mut Body, group: Group, parameters: &[Value]) -> Frame {
        let [out, input, count, epoch] = [parameters[0], parameters[1], parameters[2], parameters[3]];
        let (team, me, pes) = match parameters[4..] {
            [start, stride, pes, me] => (Some(Team { start, stride }), me, pes),
            _ => (None, b.call("__gicc_my_pe", &[]), b.call("__gicc_n_pes", &[])),
        };
        let rank = b.call("__gicc_thread_index", &[]);
        let threads = b.call("__gicc_thread_count", &[]);
        let packets = if team.is_some() { b.call("__gicc_part_packets", &[]) } else { packets_of_block(b, pes) };
        Frame {
            out,
            input,
            count,
            epoch,
            me,
            pes,
            team,
            rank,
            threads,
            packets,
            group,
            far_wait: FAR_WAIT,
            at_once: false,
            apart: false,
        }
    }

    /// What a function of the same expansion gets, but for what is its own: the values that [`Frame::new`] takes.
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let mut arguments = vec![self.out, self.input, self.count, self.epoch];
        if let Some(Team { start, stride }) = self.team {
            arguments.extend([start, stride, self.pes, self.me]);
        }
        arguments
    }

    /// The number of a PE among all.
    pub(crate) fn world(&self, b: &mut Body, pe: Value) -> Value {
        match self.team {
            None => pe,
            Some(Team { start, stride }) => {
                let further = b.mul(pe, stride);
                b.add(start, further)
            }
        }
    }

    /// The blocks of this index on all PEs meet, as one round more than `rounds` of this call.
    pub(crate) fn barrier(&self, b: &mut Body, rounds: i64) {
        match self.team {
            None => b.call("__gicc_barrier_block", &[]),
            Some(Team { start, stride }) => {
                let rounds = b.plus(self.epoch, rounds);
                b.call("__gicc_part_barrier_block", &[start, stride, self.pes, rounds])
            }
        };
    }

    /// The rounds that have ended behind so many barriers, which count as rounds of a part.
    pub(crate) fn met(&self, b: &mut Body, barriers: i64) -> Value {
        if self.team.is_some() { b.plus(self.epoch, barriers) } else { self.epoch }
    }

    /// The PE `distance` (32 bits, 0 to the number of PEs) above this one, round the ring.
    pub(crate) fn above(&self, b: &mut Body, distance: Value) -> Value {
        let sum = b.add(self.me, distance);
        let wrapped = b.sub(sum, self.pes);
        let over = b.cmp("uge", sum, self.pes);
        b.select(over, wrapped, sum)
    }

    /// The PE `distance` below this one.
    pub(crate) fn below(&self, b: &mut Body, distance: Value) -> Value {
        let up = b.sub(self.pes, distance);
        self.above(b, up)
    }

    /// Runs `body` for the distance of each other PE, beginning with the next one.
    pub(crate) fn others(
        &self,
        b: &mut Body,
        carried: &[Value],
        body: impl FnOnce(&mut Body, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let (one, step) = (b.i32(1), b.i32(1));
        b.for_each([one, self.pes, step], carried, |b, distance, carried| {
            let pe = self.above(b, distance);
            body(b, pe, carried)
        })
    }

    /// This block's stretch of `total` things (64 bits): first, and one behind the last. A block takes no fewer than its threads
    /// can take one each, and a multiple of [`Frame::GRAIN`] if they are more.
    pub(crate) fn slice(&self, b: &mut Body, total: Value) -> (Value, Value) {
        let zero = b.i64(0);
        if self.group == Group::Block {
            return (zero, total);
        }
        let threads = b.wide(self.threads);
        let blocks = b.call("__gicc_block_count", &[]);
        let blocks = b.wide(blocks);
        let each = b.div_up_or_one(total, blocks);
        let each = b.plus(each, Frame::GRAIN - 1);
        let mask = b.i64(!(Frame::GRAIN - 1));
        let each = b.op("llvm.and", each, mask);
        let each = b.op("llvm.intr.umax", each, threads);
        let block = b.call("__gicc_block_index", &[]);
        let block = b.wide(block);
        let first = b.mul(block, each);
        let first = b.min(first, total);
        let end = b.add(first, each);
        (first, b.min(end, total))
    }

    /// Goes through this block's packets, as many at once as `capacity` (64 bits) says, each time `rounds` rounds. `body`
    /// says whether all that the thread waited for came; the block meets, and goes on only where everything came. Returns
    /// the rounds that have ended.
    pub(crate) fn rounds(
        &self,
        b: &mut Body,
        layout: Layout,
        capacity: Value,
        rounds: i64,
        body: impl FnOnce(&mut Body, Chunk) -> Value,
    ) -> Value {
        let (first, end) = self.packets_of_block(b, layout);
        let total_units = layout.units_of(b, self.count);
        let units = b.i64(layout.units().into());
        let truth = b.bool(true);
        if self.at_once {
            let some = b.cmp("ult", first, end);
            return b.branch(
                some,
                &[I64],
                |b| vec![self.one_time(b, layout, (first, end), rounds, body)],
                |_| vec![self.epoch],
            )[0];
        }
        b.for_each([first, end, capacity], &[self.epoch, truth], |b, first, carried| {
            let (epoch, good) = (carried[0], carried[1]);
            b.branch(
                good,
                &[I64, I1],
                |b| {
                    let next = b.add(first, capacity);
                    let next = b.min(next, end);
                    let chunk = Chunk::new(b, (first, next), (units, total_units), epoch);
                    let came = body(b, chunk);
                    let all = b.all_of_block(came);
                    vec![ended(b, epoch, all, rounds), all]
                },
                |_| vec![epoch, good],
            )
        })[0]
    }

    /// `rounds` rounds for the packets `first` to `end`, of which there is one at least.
    pub(crate) fn one_time(
        &self,
        b: &mut Body,
        layout: Layout,
        packets: (Value, Value),
        rounds: i64,
        body: impl FnOnce(&mut Body, Chunk) -> Value,
    ) -> Value {
        let total_units = layout.units_of(b, self.count);
        let units = b.i64(layout.units().into());
        let chunk = Chunk::new(b, packets, (units, total_units), self.epoch);
        let came = body(b, chunk);
        let all = b.all_of_block(came);
        ended(b, self.epoch, all, rounds)
    }

    /// The packets of the whole group (64 bits).
    pub(crate) fn packets(&self, b: &mut Body, layout: Layout) -> Value {
        let total_units = layout.units_of(b, self.count);
        let units = b.i64(layout.units().into());
        b.div_up(total_units, units)
    }

    /// This block's packets: first, and one behind the last (64 bits).
    pub(crate) fn packets_of_block(&self, b: &mut Body, layout: Layout) -> (Value, Value) {
        let total = self.packets(b, layout);
        self.slice(b, total)
    }

    /// Whether this block's packets are at most `capacity` (64 bits).
    pub(crate) fn fits_at_once(&self, b: &mut Body, layout: Layout, capacity: Value) -> Value {
        let (first, end) = self.packets_of_block(b, layout);
        let packets = b.sub(end, first);
        b.cmp("ule", packets, capacity)
    }

    /// A chunk's elements in memory that begins at `pointer`.
    pub(crate) fn part(&self, b: &mut Body, layout: Layout, pointer: Value, chunk: &Chunk) -> Part {
        let bytes = layout.bytes(b, chunk.first);
        Part { pointer: b.offset(pointer, bytes), units: chunk.units }
    }

    /// This thread's share of packets 0 to `all` (32 bits), `unroll` (a power of two) at a time as long as they are below
    /// `whole`, so that what they load is under way together; then half as many, and so on. `body` gets the packets' numbers.
    pub(crate) fn share(
        &self,
        b: &mut Body,
        (whole, all): (Value, Value),
        (access, unroll): (Access, u32),
        carried: &[Value],
        body: impl Fn(&mut Body, &[Value], Bounds, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let mut state = vec![self.rank];
        state.extend_from_slice(carried);
        if access == Access::Atoms && unroll > 1 {
            // One branch leads a thread with a single packet past all of it.
            let second = b.add(self.rank, self.threads);
            let several = b.cmp("slt", second, whole);
            let types: Vec<Type> = state.iter().map(|v| v.ty).collect();
            let alone = state.clone();
            let together = |b: &mut Body| {
                let mut at_once = unroll;
                while at_once > 1 {
                    let span = b.times(self.threads, i64::from(at_once) - 1);
                    let limit = b.sub(whole, span);
                    let step = b.times(self.threads, at_once.into());
                    state = b.for_each([state[0], limit, step], &state, |b, k, state| {
                        let mut ks = vec![k];
                        for _ in 1..at_once {
                            let last = ks[ks.len() - 1];
                            ks.push(b.add(last, self.threads));
                        }
                        let mut next = vec![b.add(k, step)];
                        next.extend(body(b, &ks, Bounds::Whole, &state[1..]));
                        next
                    });
                    at_once /= 2;
                }
                state
            };
            state = b.branch(several, &types, together, |_| alone);
        }
        let (from, carried) = (state[0], state[1..].to_vec());
        b.for_each([from, all, self.threads], &carried, |b, k, carried| body(b, &[k], Bounds::Guarded, carried))
    }
}

/// The values that an all-reduce combines, one after the other in the order of PEs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InOrder {
    /// How two are combined.
    pub(crate) reduction: Reduction,
}

impl InOrder {
    /// `so_far` with the value of PE `pe` (32 bits) after it; the value alone for PE 0. Nothing where the PE does not exist.
    pub(crate) fn next(
        self,
        b: &mut Body,
        so_far: &[Value],
        value: &[Value],
        pe: Value,
        exists: Option<Value>,
    ) -> Vec<Value> {
        let is_first = b.is(pe, 0);
        so_far
            .iter()
            .zip(value)
            .map(|(so_far, value)| {
                let both = self.reduction.combine(b, *so_far, *value);
                let both = b.select(is_first, *value, both);
                match exists {
                    Some(exists) => b.select(exists, both, *so_far),
                    None => both,
                }
            })
            .collect()
    }
}

/// The parameters of the functions of an expansion: out, in, count, and but for the one that is called from outside, epoch.
pub(crate) const PARAMETERS: [Type; 4] = [Type::Ptr, Type::Ptr, I64, I64];

/// What the functions of a part of the PEs have besides: start, stride and members, and but for the one that is called from
/// outside, this PE's number.
pub(crate) const OF_TEAM: [Type; 4] = [I32, I32, I32, I32];
