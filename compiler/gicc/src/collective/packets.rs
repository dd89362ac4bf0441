//! Packets of collectives: what one holds, where it lies, and how the elements come in and out.
//!
//! A packet is one 16-byte word that is written and read as a whole: data, and the flag of the round that says that the data
//! is there. Elements travel in *atoms*:
//!
//! | elements | packet | atoms |
//! | --- | --- | --- |
//! | of 16 or 32 bits | 12 bytes of data, 4 of flag | three of 32 bits |
//! | of 64 bits | 8 bytes of data, 8 of flag | one of 64 bits |
//!
//! Each block has, in every PE's workspace, a region for each source PE: two slots of [`heap::PACKETS_OF_SLOT`] packets. A
//! round uses the slot of its epoch's parity. A slot is free again when its round is over everywhere, and a block that
//! ended round `e` knows that all PEs ended round `e - 1`: in each round every PE hears from every other, directly or round
//! the ring. So round `e + 1` may write what round `e - 1` used. What makes it right without a fence: `ok` of a round is
//! what all threads of the block polled (a barrier reduction), and the next epoch is computed from it.
//!
//! Limits: 12 + 4 compares 31 bits of the epoch, so a word that was not overwritten for 2^31 rounds would be mistaken.

use gicc_abi::codes::ElementType;
use gicc_abi::heap;

use super::body::{Body, Function, I1, I32, I64, Kind, PACKET, Scalar, Type, Value};
use super::frame::Frame;
use super::reduce::{Reduction, bytes_of, is_half, round, stored, widen};

/// What a packet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Three atoms of 32 bits, and 32 bits of flag.
    Dense,
    /// One atom of 64 bits, and 64 bits of flag.
    Even,
}

impl Form {
    /// The form for an element type.
    pub(crate) const fn of(element: ElementType) -> Form {
        if bytes_of(element) == 8 { Form::Even } else { Form::Dense }
    }

    /// Atoms of a packet.
    pub(crate) const fn atoms(self) -> u32 {
        match self {
            Form::Dense => 3,
            Form::Even => 1,
        }
    }

    /// Bytes of an atom.
    pub(crate) const fn atom_bytes(self) -> u32 {
        match self {
            Form::Dense => 4,
            Form::Even => 8,
        }
    }

    /// The type of an atom's bits.
    pub(crate) const fn bits(self) -> Type {
        match self {
            Form::Dense => I32,
            Form::Even => I64,
        }
    }

    /// The bits of the high half that are flag.
    const fn mask(self) -> i64 {
        match self {
            Form::Dense => !0xffff_ffff,
            Form::Even => -1,
        }
    }
}

/// How elements lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Whole atoms at addresses that are multiples of their size.
    Atoms,
    /// Elements of 16 bits, one by one: an odd number of them, or an odd address.
    Halves,
    /// Elements of 16 bits, each of which travels as an atom of single precision: where a partial result goes on, so that
    /// it is rounded only once.
    Widened,
}

impl Access {
    /// Its name in symbols.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Access::Atoms => "atoms",
            Access::Halves => "halves",
            Access::Widened => "widened",
        }
    }
}

/// Whether elements of 16 bits are whole atoms: both addresses and their number are multiples.
pub(crate) fn are_whole_atoms(b: &mut Body, f: &Frame) -> Value {
    let (input, out) = (b.address(f.input), b.address(f.out));
    let addresses = b.op("llvm.or", input, out);
    let bytes = b.times(f.count, 2);
    let all = b.op("llvm.or", addresses, bytes);
    let three = b.i64(3);
    let low = b.op("llvm.and", all, three);
    b.is(low, 0)
}

/// Elements on their way: the bits of each atom of one packet.
pub(crate) type Atoms = Vec<Value>;

/// The elements of one collective, as packets of one block see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The elements.
    pub(crate) element: ElementType,
    /// How they lie in memory.
    pub(crate) access: Access,
}

impl Layout {
    /// The packets' form.
    pub(crate) fn form(self) -> Form {
        Form::of(self.element)
    }

    /// Bytes of what is loaded and stored at once.
    fn unit_bytes(self) -> u32 {
        match self.access {
            Access::Atoms => self.form().atom_bytes(),
            Access::Halves | Access::Widened => 2,
        }
    }

    /// Units in a packet. The numbers of [`Part`] count them.
    pub(crate) fn units(self) -> u32 {
        match self.access {
            Access::Atoms | Access::Widened => self.form().atoms(),
            Access::Halves => 2 * self.form().atoms(),
        }
    }

    /// Bytes in memory of `packets` (64 bits) packets.
    pub(crate) fn bytes(self, b: &mut Body, packets: Value) -> Value {
        b.times(packets, (self.units() * self.unit_bytes()).into())
    }

    /// How many units `count` (64 bits) elements are.
    pub(crate) fn units_of(self, b: &mut Body, count: Value) -> Value {
        if is_half(self.element) && self.access == Access::Atoms {
            let one = b.i64(1);
            b.op("llvm.lshr", count, one)
        } else {
            count
        }
    }
}

/// A stretch of memory that packets are made of, or taken apart into: an address and how many units lie there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Where packet 0 begins.
    pub(crate) pointer: Value,
    /// Units that exist (32 bits); loads beyond take the last one, stores beyond are left out.
    pub(crate) units: Value,
}

/// Which bounds a packet has to heed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// All of its units exist.
    Whole,
    /// Some may not: the last one is loaded instead of them.
    Guarded,
    /// Some may not, and they are not loaded: they are zero.
    Exact,
}

impl Layout {
    /// The address of unit `j` of packet `k` (32 bits); of the last unit where that one does not exist and `clamp` is set.
    fn unit(self, b: &mut Body, part: &Part, k: Value, j: u32, clamp: bool) -> Value {
        if !clamp {
            // The packet's address and a constant, which the access itself adds.
            let wide = b.wide(k);
            let bytes = self.bytes(b, wide);
            let packet = b.offset(part.pointer, bytes);
            let inside = b.i64((j * self.unit_bytes()).into());
            return b.offset(packet, inside);
        }
        let first = b.times(k, self.units().into());
        let index = b.plus(first, j.into());
        let one = b.i32(1);
        let last = b.sub(part.units, one);
        let index = b.min(index, last);
        let index = b.wide(index);
        let bytes = b.times(index, self.unit_bytes().into());
        b.offset(part.pointer, bytes)
    }

    /// Whether unit `j` of packet `k` (32 bits) exists.
    fn exists(self, b: &mut Body, part: &Part, k: Value, j: u32) -> Value {
        let first = b.times(k, self.units().into());
        let index = b.plus(first, j.into());
        b.cmp("ult", index, part.units)
    }

    /// The atoms of packet `k`.
    pub(crate) fn read(self, b: &mut Body, part: &Part, k: Value, bounds: Bounds) -> Atoms {
        let clamp = bounds == Bounds::Guarded;
        let load = |b: &mut Body, j: u32, ty: Type| {
            let load = |b: &mut Body| {
                let pointer = self.unit(b, part, k, j, clamp);
                b.load(ty, pointer, self.unit_bytes())
            };
            if bounds != Bounds::Exact {
                return load(b);
            }
            let exists = self.exists(b, part, k, j);
            b.branch(exists, &[ty], |b| vec![load(b)], |b| vec![b.zero(ty)])[0]
        };
        match self.access {
            Access::Atoms => (0..self.form().atoms()).map(|j| load(b, j, self.form().bits())).collect(),
            Access::Halves => (0..self.form().atoms())
                .map(|j| {
                    let pair = Type::Lanes(2, stored(self.element));
                    let mut atom = b.zero(pair);
                    for half in 0..2 {
                        let value = load(b, 2 * j + half, Type::Lanes(1, stored(self.element)));
                        atom = b.with_lane(atom, half, value);
                    }
                    b.bits(atom, I32)
                })
                .collect(),
            Access::Widened => (0..self.form().atoms())
                .map(|j| {
                    let half = load(b, j, Type::Lanes(1, stored(self.element)));
                    let wide = widen(b, self.element, half);
                    b.bits(wide, I32)
                })
                .collect(),
        }
    }

    /// Stores the atoms of packet `k`.
    pub(crate) fn write(self, b: &mut Body, part: &Part, k: Value, atoms: &Atoms, bounds: Bounds) {
        let mut units = Vec::new();
        for atom in atoms {
            match self.access {
                Access::Atoms => units.push(*atom),
                Access::Halves => {
                    let pair = b.bits(*atom, Type::Lanes(2, stored(self.element)));
                    units.extend((0..2).map(|half| b.lane(pair, half)));
                }
                Access::Widened => {
                    let wide = b.bits(*atom, Type::Lanes(1, Scalar::F32));
                    units.push(round(b, self.element, wide));
                }
            }
        }
        for (j, unit) in units.into_iter().enumerate() {
            let j = j as u32;
            let store = |b: &mut Body| {
                let pointer = self.unit(b, part, k, j, false);
                b.store(unit, pointer, self.unit_bytes());
            };
            match bounds {
                Bounds::Whole => store(b),
                Bounds::Guarded | Bounds::Exact => {
                    let exists = self.exists(b, part, k, j);
                    b.when(exists, store);
                }
            }
        }
    }

    /// How many packets have all of their units, and how many there are (both 32 bits).
    pub(crate) fn packets_of(self, b: &mut Body, part: &Part) -> (Value, Value) {
        let each = b.i32(self.units().into());
        let whole = b.op("llvm.udiv", part.units, each);
        let all = b.div_up(part.units, each);
        (whole, all)
    }

    /// Atoms as values that can be combined.
    pub(crate) fn open(self, b: &mut Body, atoms: &Atoms) -> Vec<Value> {
        let mut values = Vec::new();
        for atom in atoms {
            values.push(match self.access {
                Access::Widened => b.bits(*atom, Type::Lanes(1, Scalar::F32)),
                Access::Atoms | Access::Halves => {
                    let lanes = self.form().atom_bytes() / bytes_of(self.element);
                    let elements = b.bits(*atom, Type::Lanes(lanes, stored(self.element)));
                    widen(b, self.element, elements)
                }
            });
        }
        values
    }

    /// The way back from [`Layout::open`].
    pub(crate) fn close(self, b: &mut Body, values: &[Value]) -> Atoms {
        let mut atoms = Vec::new();
        for value in values {
            let elements = match self.access {
                Access::Widened => *value,
                Access::Atoms | Access::Halves => round(b, self.element, *value),
            };
            atoms.push(b.bits(elements, self.form().bits()));
        }
        atoms
    }
}

/// Two lists of values combined, one by one.
pub(crate) fn combine(b: &mut Body, reduction: Reduction, x: &[Value], y: &[Value]) -> Vec<Value> {
    x.iter().zip(y).map(|(x, y)| reduction.combine(b, *x, *y)).collect()
}

/// How often a thread looks at its packets before it waits for each of them.
const LOOKS: i64 = 256;

/// The slot of a region that a round uses between this PE and another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Where it begins.
    pub(crate) address: Value,
    /// The flag of its packets, as it stands in their high half; of what is sent, that of no packet where something failed.
    pub(crate) flag: Value,
    /// The other PE: who sends, or who gets what is sent, as a number among all PEs.
    pub(crate) pe: Value,
}

/// A packet that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    /// The slot that it comes to.
    pub(crate) slot: Slot,
    /// Its number there (32 bits).
    pub(crate) k: Value,
    /// Whether it is waited for at all; always where this says nothing.
    pub(crate) wanted: Option<Value>,
}

/// The function that waits for one packet that is late for long: out of line, since that is nobody's hot path.
pub(crate) fn far_wait(name: &str) -> Function {
    Function::write(name, Kind::Apart, &[Type::Ptr, I64, I64, I32], Some(PACKET), |b, p| {
        Some(b.call("__gicc_packet_wait", p))
    })
}

/// The flag of a round, and where its slot begins in a region.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The flag as it stands in the high half of a packet.
    flag: Value,
    /// Bytes from a region's start to the slot (64 bits).
    slot: Value,
}

impl Turn {
    /// That of an epoch, which is at least 1.
    fn of(b: &mut Body, form: Form, epoch: Value) -> Turn {
        let one = b.i64(1);
        let parity = b.op("llvm.and", epoch, one);
        let slot = b.times(parity, heap::SLOT_BYTES as i64);
        let flag = match form {
            Form::Even => epoch,
            Form::Dense => {
                // Never zero, which is what memory holds at first.
                let (thirty_two, top) = (b.i64(32), b.i64(i64::MIN));
                let high = b.op("llvm.shl", epoch, thirty_two);
                b.op("llvm.or", high, top)
            }
        };
        Turn { flag, slot }
    }

    /// The slot in the region of a source, or of a step (32 bits).
    fn place(self, b: &mut Body, packets: Value, source: Value) -> Value {
        let source = b.wide(source);
        let region = b.times(source, heap::REGION_BYTES as i64);
        let bytes = b.add(region, self.slot);
        b.offset(packets, bytes)
    }
}

/// A round of packets. Where all PEs take part they have one epoch. Where a part of them does, each two have their own, since
/// the rounds that they have ended together differ; `__gicc_part_epoch` tells it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    form: Form,
    /// The epoch (64 bits); of a part what each pair's grew by since the call began.
    epoch: Value,
    /// What is the same for all PEs, where all take part.
    turn: Option<Turn>,
}

/// Where a round's packets go: known for all PEs at once, or for each one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    /// Address and flag, where all PEs take part.
    shared: Option<(Value, Value)>,
    /// Whether what is sent counts; always where this says nothing.
    well: Option<Value>,
}

impl Round {
    /// The round that ends with an epoch, which is at least 1.
    pub(crate) fn of(b: &mut Body, f: &Frame, form: Form, epoch: Value) -> Round {
        let turn = f.team.is_none().then(|| Turn::of(b, form, epoch));
        Round { form, epoch, turn }
    }

    /// Flag and slot with a PE, whose number among all is told.
    fn turn(&self, b: &mut Body, pe: Value) -> Turn {
        self.turn.unwrap_or_else(|| {
            let before = b.call("__gicc_part_epoch", &[pe]);
            let epoch = b.add(before, self.epoch);
            Turn::of(b, self.form, epoch)
        })
    }

    /// The slot of what a PE (32 bits) sends here.
    pub(crate) fn from(&self, b: &mut Body, f: &Frame, source: Value) -> Slot {
        let pe = f.world(b, source);
        let turn = self.turn(b, pe);
        Slot { address: turn.place(b, f.packets, pe), flag: turn.flag, pe }
    }

    /// What this PE sends.
    pub(crate) fn outgoing(&self, b: &mut Body, f: &Frame) -> Outgoing {
        let shared = self.turn.map(|turn| (turn.place(b, f.packets, f.me), turn.flag));
        Outgoing { shared, well: None }
    }

    /// The slot of what this PE sends to another one (32 bits).
    pub(crate) fn to(&self, b: &mut Body, f: &Frame, outgoing: &Outgoing, pe: Value) -> Slot {
        if let Some((address, flag)) = outgoing.shared {
            return Slot { address, flag, pe };
        }
        let (here, pe) = (f.world(b, f.me), f.world(b, pe));
        let turn = self.turn(b, pe);
        let flag = outgoing.well.map_or(turn.flag, |well| flag_if(b, turn.flag, well));
        Slot { address: turn.place(b, f.packets, here), flag, pe }
    }

    /// The slots of a step (32 bits) round the ring: of what goes to the next PE, and of what comes from the one before; what is
    /// sent counts where all is `well`. Where all PEs take part, a step has the region that elsewhere belongs to a source. A
    /// region of a part belongs to the two PEs, since others count for themselves: there a step has a stretch of it.
    pub(crate) fn step(
        &self,
        b: &mut Body,
        f: &Frame,
        step: Value,
        (next, before): (Value, Value),
        well: Value,
    ) -> (Slot, Slot) {
        if let Some(turn) = self.turn {
            let address = turn.place(b, f.packets, step);
            let flag = flag_if(b, turn.flag, well);
            return (Slot { address, flag, pe: next }, Slot { address, flag: turn.flag, pe: before });
        }
        let outgoing = Outgoing { shared: None, well: Some(well) };
        let (mut to, mut from) = (self.to(b, f, &outgoing, next), self.from(b, f, before));
        let (step, each) = (b.wide(step), packets_of_step(b, f));
        let first = b.mul(step, each);
        let bytes = b.times(first, heap::PACKET_BYTES as i64);
        for slot in [&mut to, &mut from] {
            slot.address = b.offset(slot.address, bytes);
        }
        (to, from)
    }

    /// The low and high half of a packet. `flag` may be another than the round's, so that a failure is no success elsewhere.
    fn halves(&self, b: &mut Body, atoms: &Atoms, flag: Value) -> (Value, Value) {
        match self.form {
            Form::Even => (atoms[0], flag),
            Form::Dense => {
                let thirty_two = b.i64(32);
                let high = b.op("llvm.lshr", flag, thirty_two);
                let high = b.narrow(high);
                (joined(b, atoms[0], atoms[1]), joined(b, atoms[2], high))
            }
        }
    }

    /// Sends packet `k` of a slot.
    pub(crate) fn send(&self, b: &mut Body, slot: &Slot, k: Value, atoms: &Atoms) {
        let (low, high) = self.halves(b, atoms, slot.flag);
        let place = place(b, slot.address, k);
        b.call("__gicc_packet_store", &[place, low, high, slot.pe]);
    }

    /// Waits until every packet is this round's; their atoms, and whether all came. All loads are under way together, again
    /// and again; what is late for long is waited for in [`far_wait`], which knows the bound of a wait.
    pub(crate) fn wait(&self, b: &mut Body, f: &Frame, awaited: &[Awaited]) -> (Vec<Atoms>, Value) {
        self.wait_or(b, f, awaited, |b| awaited.iter().map(|a| Awaited { k: b.opaque(a.k), ..*a }).collect())
    }

    /// The same; `anew` makes the packets once more, for those that are late, of values that LLVM does not know ([`Body::opaque`]):
    /// what it makes of others would be held in registers all the while.
    pub(crate) fn wait_or(
        &self,
        b: &mut Body,
        f: &Frame,
        awaited: &[Awaited],
        anew: impl FnOnce(&mut Body) -> Vec<Awaited>,
    ) -> (Vec<Atoms>, Value) {
        let places: Vec<Value> = awaited.iter().map(|a| place(b, a.slot.address, a.k)).collect();
        let mut results = vec![I1];
        results.extend(awaited.iter().map(|_| PACKET));
        let looked = b.repeat(&results, |b, times| {
            let words: Vec<Value> = places.iter().map(|p| b.call("__gicc_packet_load", &[*p])).collect();
            // Decided while the loads are under way, so that what they bring has one way on.
            let most = b.i32(LOOKS);
            let late = b.cmp("uge", times, most);
            let types = &results[1..];
            let wait_long = |b: &mut Body| {
                let anew = anew(b);
                self.wait_long(b, f, &words, &anew)
            };
            let words = b.branch(late, types, wait_long, |_| words.clone());
            let mut all = b.bool(true);
            for (word, awaited) in words.iter().zip(awaited) {
                let here = self.is_enough(b, *word, awaited);
                all = b.op("llvm.and", all, here);
            }
            let nobody = b.bool(true);
            let over = b.select(late, nobody, all);
            let again = b.op("llvm.xor", over, nobody);
            let mut out = vec![all];
            out.extend(words);
            (again, out)
        });
        let atoms = looked[1..].iter().map(|word| self.atoms(b, *word)).collect();
        (atoms, looked[0])
    }

    /// Packets of which not all were seen in [`LOOKS`] looks, once all came or the bound of a wait is over. It asks nothing about
    /// `words`: the branch that leads here would wait for them.
    fn wait_long(&self, b: &mut Body, f: &Frame, words: &[Value], awaited: &[Awaited]) -> Vec<Value> {
        let mut came = Vec::new();
        for (word, awaited) in words.iter().zip(awaited) {
            let mask = b.i64(self.form.mask());
            let far = |b: &mut Body| {
                let Slot { address, flag, pe } = awaited.slot;
                let place = place(b, address, awaited.k);
                b.call_function(f.far_wait, &[place, flag, mask, pe], Some(PACKET))
            };
            came.push(match awaited.wanted {
                None => far(b),
                Some(wanted) => b.branch(wanted, &[PACKET], |b| vec![far(b)], |_| vec![*word])[0],
            });
        }
        came
    }

    /// Whether a word is this round's, or nobody waits for it.
    fn is_enough(&self, b: &mut Body, word: Value, awaited: &Awaited) -> Value {
        let here = self.is_here(b, word, awaited.slot.flag);
        match awaited.wanted {
            None => here,
            Some(wanted) => {
                let truth = b.bool(true);
                b.select(wanted, here, truth)
            }
        }
    }

    fn is_here(&self, b: &mut Body, word: Value, awaited: Value) -> Value {
        let high = b.lane(word, 1);
        let flag = match self.form {
            Form::Even => high,
            Form::Dense => {
                let mask = b.i64(self.form.mask());
                b.op("llvm.and", high, mask)
            }
        };
        b.cmp("eq", flag, awaited)
    }

    fn atoms(&self, b: &mut Body, word: Value) -> Atoms {
        let low = b.lane(word, 0);
        match self.form {
            Form::Even => vec![low],
            Form::Dense => {
                let high = b.lane(word, 1);
                let thirty_two = b.i64(32);
                let second = b.op("llvm.lshr", low, thirty_two);
                vec![b.narrow(low), b.narrow(second), b.narrow(high)]
            }
        }
    }
}

impl Outgoing {
    /// The same, which counts only where all is well.
    pub(crate) fn if_well(self, b: &mut Body, well: Value) -> Outgoing {
        match self.shared {
            Some((address, flag)) => Outgoing { shared: Some((address, flag_if(b, flag, well))), ..self },
            None => Outgoing { well: Some(well), ..self },
        }
    }
}

/// A round's flag where all is well, else one that no packet has: a failure must not look like a result elsewhere.
fn flag_if(b: &mut Body, flag: Value, well: Value) -> Value {
    let none = b.i64(0);
    b.select(well, flag, none)
}

/// Packets of a stretch that a step round the ring of a part has in a slot (64 bits). A part has at most as many PEs as there
/// are packets (`__gicc_part_check`).
pub(crate) fn packets_of_step(b: &mut Body, f: &Frame) -> Value {
    let (pes, one, slot) = (b.wide(f.pes), b.i64(1), b.i64(heap::PACKETS_OF_SLOT as i64));
    let steps = b.sub(pes, one);
    let steps = b.op("llvm.intr.umax", steps, one);
    b.op("llvm.udiv", slot, steps)
}

/// Two atoms of 32 bits as one of 64, through a vector: LLVM would move shifts to where the atoms were loaded, and what is done
/// with the first there waits for it, and the loads behind with it.
fn joined(b: &mut Body, low: Value, high: Value) -> Value {
    let pair = b.zero(Type::Lanes(2, Scalar::I32));
    let pair = b.with_lane(pair, 0, low);
    let pair = b.with_lane(pair, 1, high);
    b.bits(pair, I64)
}

fn place(b: &mut Body, region: Value, k: Value) -> Value {
    let k = b.wide(k);
    let bytes = b.times(k, heap::PACKET_BYTES as i64);
    b.offset(region, bytes)
}
