//! Step 3, level H: collectives. One distinct signature becomes one function, whose body is MLIR of the dialects `scf` and
//! `llvm`, with calls of intrinsics. Nothing else in the project knows an algorithm. A constant count decides what algorithm the
//! signature has, and no more: it reaches the code where the function is inlined.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `expand` | the pass `gicc-expand-collectives`: operations become calls |
//! | `operation` | what an operation of the dialect asks for |
//! | `lower` | what was expanded becomes LLVM IR |
//! | `root` | what of a collective is not inlined, and is the same in every program |
//! | `select` | which algorithm, where the caller leaves it to the compiler |
//! | `one_shot`, `two_shot`, `ring` | all-reduce with packets |
//! | `all_gather_direct`, `all_gather_ring` | all-gather with packets |
//! | `simple` | both without packets, for large messages between symmetric buffers |
//! | `gather` | waiting for the packets of several PEs |
//! | `packets` | what a packet holds, where it lies, slots and flags |
//! | `frame` | who takes part, slices of the grid, rounds, a thread's share |
//! | `reduce` | elements and operations |
//! | `body` | text of MLIR |
//!
//! A function takes `out`, `in` and `count`. It asks for the rounds that its block has ended, its epoch, and says what they
//! are then; the epoch lives in a register (`transform/hold_epochs`).
//!
//! **Parts of the PEs.** A function for a part takes `start`, `stride` and the number of members besides, and numbers PEs as the
//! part does; who it is among all shows only where something is addressed ([`Frame::world`]). Parts advance at different
//! rates, so their rounds are counted for each two PEs, in memory (`runtime/device/src/part.cu` has the argument), with
//! packets and words of their own: a collective of all PEs does not change for them.
//!
//! **To add an algorithm**: a file with `expand`; a number in `gicc_abi::codes::Algorithm`; its place in [`Signature`] below,
//! and where it is best in `select`. Then `lit-tests/collective` and the matrix of `tests/collectives`, and a proof.

mod all_gather_direct;
mod all_gather_ring;
mod body;
mod expand;
mod frame;
mod gather;
mod lower;
mod one_shot;
mod operation;
mod packets;
mod quick;
mod reduce;
mod ring;
mod root;
mod select;
mod simple;
mod two_shot;

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};

use body::{Body, Function, I64, Kind, Type, Value};
use frame::{Frame, OF_TEAM, PARAMETERS};
use packets::{Access, Layout};
use quick::Quick;
use reduce::{Reduction, bytes_of, is_half};

pub(crate) use body::MADE_BY_GICC;
pub(crate) use expand::run as expand;
pub(crate) use frame::{FAR_WAIT, Group};
pub(crate) use lower::{lower, lower_root};
pub(crate) use operation::Asked;
pub(crate) use root::{all as roots, is_root, signature as signature_of_root, type_of as type_of_root};
pub(crate) use select::Choice;

/// A collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Collective {
    /// Every PE gets the combination of all PEs' elements.
    AllReduce(ReduceOp),
    /// Every PE gets all PEs' elements, one after the other.
    AllGather,
}

impl Collective {
    /// Its name in messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Collective::AllReduce(_) => "all_reduce",
            Collective::AllGather => "all_gather",
        }
    }
}

/// What distinguishes one expansion from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    /// Which collective.
    pub(crate) collective: Collective,
    /// Who executes it.
    pub(crate) group: Group,
    /// Whether a part of the PEs takes part, which each call tells; else all do.
    pub(crate) part: bool,
    /// The elements.
    pub(crate) element: ElementType,
    /// The algorithm; [`Algorithm::Auto`]: each call decides.
    pub(crate) algorithm: Algorithm,
}

/// Why a signature has no expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// An operation on bits for elements that are no integers.
    #[error("`{}` does not exist for elements of type {}", .op.name(), .element.name())]
    Operation {
        /// The operation.
        op: ReduceOp,
        /// The elements.
        element: ElementType,
    },
    /// An algorithm of another collective.
    #[error("`{}` is no algorithm of {collective}", .algorithm.name())]
    Algorithm {
        /// The algorithm.
        algorithm: Algorithm,
        /// The collective.
        collective: &'static str,
    },
}

impl Refused {
    /// Why it is refused.
    pub(crate) const fn cause(self) -> &'static str {
        match self {
            Refused::Operation { .. } => "and, or and xor combine the bits of integers",
            Refused::Algorithm { collective, .. } => match collective.as_bytes() {
                b"all_reduce" => "an all-reduce has one_shot, two_shot and ring",
                _ => "an all-gather has direct and ring",
            },
        }
    }

    /// What helps.
    pub(crate) const fn cure(self) -> &'static str {
        match self {
            Refused::Operation { .. } => "combine i32, u32, i64 or u64, or use sum, prod, min or max",
            Refused::Algorithm { .. } => "name one of those, or leave it to the compiler with `automatic`",
        }
    }
}

impl Signature {
    /// The symbol of its entry, the function that is called with out, in and count, and with start, stride and members of a
    /// part.
    pub(crate) fn symbol(&self) -> String {
        format!("{}_{}", self.stem(), self.algorithm.name())
    }

    /// The symbol of what it has below the entry.
    fn root(&self) -> String {
        format!("{}_by_{}", self.stem(), root::name(self.algorithm))
    }

    /// Bytes of an element.
    pub(crate) fn element_bytes(&self) -> u32 {
        bytes_of(self.element)
    }

    /// Whether a function that its entry calls, directly or not, may have this symbol.
    pub(crate) fn owns(&self, symbol: &str) -> bool {
        symbol == frame::FAR_WAIT || symbol.strip_prefix(&self.stem()).is_some_and(|rest| rest.starts_with("_by_"))
    }

    /// What the symbols of all its functions begin with; the same whatever the algorithm.
    fn stem(&self) -> String {
        let op = match self.collective {
            Collective::AllReduce(op) => format!("_{}", op.name()),
            Collective::AllGather => String::new(),
        };
        let group = self.group.name();
        let part = if self.part { "_part" } else { "" };
        format!("gicc_{}{part}_{group}_{}{op}", self.collective.name(), self.element.name())
    }

    /// Whether the signature has an expansion.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let algorithms: &[Algorithm] = match self.collective {
            Collective::AllReduce(op) => {
                if !(Reduction { element: self.element, op }).exists() {
                    return Err(Refused::Operation { op, element: self.element });
                }
                &[Algorithm::Auto, Algorithm::OneShot, Algorithm::TwoShot, Algorithm::Ring]
            }
            Collective::AllGather => &[Algorithm::Auto, Algorithm::Direct, Algorithm::Ring],
        };
        if algorithms.contains(&self.algorithm) {
            return Ok(());
        }
        Err(Refused::Algorithm { algorithm: self.algorithm, collective: self.collective.name() })
    }

    /// The signature of a call that asks for this one and has this count, where it is constant; and why.
    ///
    /// # Errors
    /// Where what it asks for has no expansion.
    pub(crate) fn decided(self, count: Option<i64>) -> Result<(Signature, Choice), Refused> {
        self.check()?;
        let bytes = count.map(|count| count.saturating_mul(bytes_of(self.element).into()));
        let choice = match self.collective {
            Collective::AllReduce(_) => select::all_reduce(self.algorithm, bytes),
            Collective::AllGather => select::all_gather(self.algorithm),
        };
        Ok((Signature { algorithm: choice.algorithm, ..self }, choice))
    }

    /// What is chosen, and why.
    pub(crate) fn remark(&self, choice: &Choice) -> String {
        let chosen = match choice.algorithm {
            Algorithm::Auto => "chosen at each call",
            algorithm => algorithm.name(),
        };
        let why = &choice.why;
        let part = if self.part { " by a part of the PEs" } else { "" };
        format!("{} of {}{part}: {chosen}: {why}", self.collective.name(), self.element.name())
    }
}

/// A module of MLIR with the entries of these signatures, which exist, and what they call; `exists` says which functions need
/// not be written.
pub(crate) fn expansion(signatures: &[Signature], exists: &dyn Fn(&str) -> bool) -> String {
    let mut functions = Vec::new();
    if !exists(frame::FAR_WAIT) {
        functions.push(packets::far_wait(frame::FAR_WAIT));
    }
    for &signature in signatures {
        let symbol = signature.symbol();
        let mut writer = Writer { signature, exists, functions };
        match (exists(&symbol), signature.part) {
            (true, _) => (),
            (false, true) => writer.entry_of_part(&symbol),
            (false, false) => writer.entry(&symbol),
        }
        functions = writer.functions;
    }
    body::module(&functions)
}

/// A way to carry a collective out, of which a function may hold several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With packets, by this algorithm.
    Packets(Algorithm),
    /// Between symmetric buffers, without packets.
    Simple,
}

/// Writes the functions of a signature.
struct Writer<'a> {
    signature: Signature,
    exists: &'a dyn Fn(&str) -> bool,
    functions: Vec<Function>,
}

impl Writer<'_> {
    fn reduction(&self) -> Reduction {
        let op = match self.signature.collective {
            Collective::AllReduce(op) => op,
            Collective::AllGather => ReduceOp::Sum,
        };
        Reduction { element: self.signature.element, op }
    }

    /// The function that is called: checks, the choice, and for a grid the meeting of its blocks.
    fn entry(&mut self, symbol: &str) {
        let signature = self.signature;
        let function = Function::write(symbol, Kind::Inlined, &PARAMETERS[..3], None, |b, p| {
            let epoch = b.call("__gicc_epoch_get", &[]);
            let p = [p[0], p[1], p[2], epoch];
            let ended = match self.quick(b, p) {
                Some((may, f)) => self.quick_or_rest(b, may, f),
                None => {
                    let root = self.root();
                    b.call_function(&root, &p, Some(I64))
                }
            };
            b.call("__gicc_epoch_set", &[ended]);
            if signature.group == Group::Grid {
                grid_meets(b);
            }
            None
        });
        self.functions.push(function);
    }

    /// The same for a part of the PEs. Its epochs lie in memory, since each two PEs have one: here those are counted that this
    /// call adds. (The quick way of two PEs, with the epoch in a register, is not for parts.)
    fn entry_of_part(&mut self, symbol: &str) {
        let signature = self.signature;
        let parameters = [&PARAMETERS[..3], &OF_TEAM[..3]].concat();
        let function = Function::write(symbol, Kind::Inlined, &parameters, None, |b, p| {
            let root = self.root();
            b.call_function(&root, p, None);
            b.call("__gicc_part_over", &[]);
            if signature.group == Group::Grid {
                grid_meets(b);
            }
            None
        });
        self.functions.push(function);
    }

    /// The function with everything that is not in the entry of a collective of a part.
    fn root_of_part(&mut self) -> String {
        let parameters = [&PARAMETERS[..3], &OF_TEAM[..3]].concat();
        self.function(&root::name(self.signature.algorithm), &parameters, None, &|this, b, p| {
            let size = b.i32(bytes_of(this.signature.element).into());
            let fits = b.call("__gicc_part_check", &[p[0], p[1], p[2], size, p[3], p[4], p[5]]);
            let no = b.i32(0);
            let fits = b.cmp("ne", fits, no);
            let none = b.i64(0);
            b.when(fits, |b| {
                let me = b.call("__gicc_part_rank", &[p[3], p[4], p[5]]);
                let ended = this.choose(b, &[p[0], p[1], p[2], none, p[3], p[4], p[5], me]);
                b.call("__gicc_part_end_block", &[p[3], p[4], p[5], ended]);
            });
            None
        })
    }

    /// What `body` makes where the checks of every call hold; else the rounds that have ended are as they were.
    fn checked(&mut self, b: &mut Body, p: [Value; 4], body: impl FnOnce(&mut Self, &mut Body) -> Value) -> Value {
        let size = b.i32(bytes_of(self.signature.element).into());
        let fits = b.call("__gicc_collective_check", &[p[0], p[1], p[2], size]);
        let no = b.i32(0);
        let fits = b.cmp("ne", fits, no);
        b.branch(fits, &[I64], |b| vec![body(self, b)], |_| vec![p[3]])[0]
    }

    /// With one packet a thread at most in this function. All else in one other, which gets what was decided and the block's
    /// packets, so that it needs no division in a loop, out of which LLVM takes both: the more calls there are, the more the loop
    /// has to remember, and functions leave few registers for that.
    fn quick_or_rest(&mut self, b: &mut Body, may: Value, f: Frame) -> Value {
        let reduction = self.reduction();
        let (single, suited) = Quick::one_each(b, f, reduction);
        let here = b.op("llvm.and", may, suited);
        b.branch(
            here,
            &[I64],
            |b| {
                let rank = b.opaque(f.rank);
                vec![single.of_thread(rank).expand(b, 1)]
            },
            |b| {
                let (quick, suited) = Quick::new(b, f, reduction);
                let may = b.op("llvm.and", may, suited);
                let way = quick.way(b, may);
                let arguments = quick.arguments(b, way);
                let root = self.root();
                vec![b.call_function(&root, &arguments, Some(I64))]
            },
        )[0]
    }

    /// The function with everything that is not in the entry; its symbol.
    fn root(&mut self) -> String {
        if self.signature.part {
            return self.root_of_part();
        }
        let quick = self.is_quick();
        let body = |this: &mut Writer<'_>, b: &mut Body, p: &[Value], f: Frame, _: Reduction| {
            if quick {
                return this.way(b, &f, 2, p);
            }
            this.checked(b, [p[0], p[1], p[2], p[3]], |this, b| this.choose(b, p))
        };
        let parameters: &[Type] = if quick { &quick::PARAMETERS_OF_ALL } else { &PARAMETERS };
        self.shared(&root::name(self.signature.algorithm), parameters, &body)
    }

    /// Whether the entry holds the quick way of small messages between two PEs.
    fn is_quick(&self) -> bool {
        let may_be_one_shot = matches!(self.signature.algorithm, Algorithm::OneShot | Algorithm::Auto);
        may_be_one_shot && matches!(self.signature.collective, Collective::AllReduce(_))
    }

    /// The way of number `way`, or one of the next ones (see [`Quick::way`]), in a function with
    /// [`quick::PARAMETERS_OF_ALL`]. Each lies in a function of its own, so that this one takes few registers.
    fn way(&mut self, b: &mut Body, f: &Frame, way: u32, p: &[Value]) -> Value {
        if i64::from(way) == quick::OTHERS {
            let p = [f.out, f.input, f.count, f.epoch];
            return self.checked(b, p, |this, b| this.choose(b, &p));
        }
        let is_this = b.is(p[6], way.into());
        let this = std::cell::RefCell::new(self);
        b.branch(
            is_this,
            &[I64],
            |b| {
                let name = this.borrow_mut().quick_apart(way);
                vec![b.call_function(&name, &p[..6], Some(I64))]
            },
            |b| vec![this.borrow_mut().way(b, f, way + 1, p)],
        )[0]
    }

    /// The function with the quick way of so many packets a thread, or with a loop; its name.
    fn quick_apart(&mut self, way: u32) -> String {
        let looped = i64::from(way) == quick::IN_A_LOOP;
        let body = |_: &mut Writer<'_>, b: &mut Body, p: &[Value], f: Frame, reduction: Reduction| {
            let packets = (b.wide(p[4]), b.wide(p[5]));
            let quick = Quick::with_packets(f, reduction, packets);
            if looped { quick.in_a_loop(b) } else { quick.expand(b, way) }
        };
        let name = if looped { "loop".into() } else { way.to_string() };
        self.shared(&format!("quick_{name}"), &quick::PARAMETERS, &body)
    }

    /// Whether a call may take the quick way of small messages between two PEs, where there is one; and its frame.
    fn quick(&self, b: &mut Body, p: [Value; 4]) -> Option<(Value, Frame)> {
        if !self.is_quick() {
            return None;
        }
        let f = Frame::new(b, self.signature.group, &p);
        let size = b.i32(bytes_of(self.signature.element).into());
        let fits = b.call("__gicc_collective_fits", &[p[0], p[1], p[2], size]);
        let no = b.i32(0);
        let fits = b.cmp("ne", fits, no);
        let pair = b.is(f.pes, 2);
        let mut may = b.op("llvm.and", pair, fits);
        if self.signature.algorithm == Algorithm::Auto {
            let bytes = b.times(f.count, bytes_of(self.signature.element).into());
            let one = select::is_one_shot(b, &f, bytes);
            may = b.op("llvm.and", may, one);
        }
        Some((may, f))
    }

    fn choose(&mut self, b: &mut Body, p: &[Value]) -> Value {
        let f = Frame::new(b, self.signature.group, p);
        let bytes = b.times(f.count, bytes_of(self.signature.element).into());
        match self.signature.algorithm {
            Algorithm::TwoShot => self.two_shot(b, &f, bytes, true),
            Algorithm::Direct => self.direct(b, &f, bytes),
            algorithm @ (Algorithm::OneShot | Algorithm::Ring) => self.packets(b, &f, algorithm),
            Algorithm::Auto => {
                let one = select::is_one_shot(b, &f, bytes);
                let this = std::cell::RefCell::new(self);
                b.branch(
                    one,
                    &[I64],
                    |b| vec![this.borrow_mut().packets(b, &f, Algorithm::OneShot)],
                    |b| vec![this.borrow_mut().two_shot(b, &f, bytes, false)],
                )[0]
            }
        }
    }

    /// Two shots: with packets, which are part of this function where they are to be `inlined`, or without, which only symmetric
    /// buffers allow.
    fn two_shot(&mut self, b: &mut Body, f: &Frame, bytes: Value, inlined: bool) -> Value {
        let packets = select::is_two_shot_with_packets(b, f, bytes);
        let simple = self.may_be_simple(b, packets, &[(f.input, bytes), (f.out, bytes)]);
        let this = std::cell::RefCell::new(self);
        let with_packets = |b: &mut Body| {
            let mut this = this.borrow_mut();
            if inlined {
                this.packets(b, f, Algorithm::TwoShot)
            } else {
                this.apart(b, f, Way::Packets(Algorithm::TwoShot))
            }
        };
        b.branch(simple, &[I64], |b| vec![this.borrow_mut().apart(b, f, Way::Simple)], |b| vec![with_packets(b)])[0]
    }

    /// All-gather to all PEs at once: with packets, or by puts where the result is symmetric.
    fn direct(&mut self, b: &mut Body, f: &Frame, bytes: Value) -> Value {
        let packets = select::is_gather_with_packets(b, f, bytes);
        let pes = b.wide(f.pes);
        let all = b.mul(bytes, pes);
        let simple = self.may_be_simple(b, packets, &[(f.out, all)]);
        let this = std::cell::RefCell::new(self);
        b.branch(
            simple,
            &[I64],
            |b| vec![this.borrow_mut().apart(b, f, Way::Simple)],
            |b| vec![this.borrow_mut().packets(b, f, Algorithm::Direct)],
        )[0]
    }

    /// Whether packets are not better and all of `buffers` are symmetric.
    fn may_be_simple(&self, b: &mut Body, packets: Value, buffers: &[(Value, Value)]) -> Value {
        let truth = b.bool(true);
        let mut may = b.op("llvm.xor", packets, truth);
        let no = b.i32(0);
        for (pointer, bytes) in buffers {
            let symmetric = b.call("__gicc_is_symmetric", &[*pointer, *bytes]);
            let symmetric = b.cmp("ne", symmetric, no);
            may = b.op("llvm.and", may, symmetric);
        }
        may
    }

    /// With packets, in this function where elements are whole atoms; else in one of its own.
    fn packets(&mut self, b: &mut Body, f: &Frame, algorithm: Algorithm) -> Value {
        if algorithm == Algorithm::Ring && matches!(self.signature.collective, Collective::AllReduce(_)) {
            let element = self.signature.element;
            let access = if is_half(element) { Access::Widened } else { Access::Atoms };
            return self.with(b, f, algorithm, access);
        }
        if !is_half(self.signature.element) {
            return self.with(b, f, algorithm, Access::Atoms);
        }
        let whole = packets::are_whole_atoms(b, f);
        let this = std::cell::RefCell::new(self);
        b.branch(
            whole,
            &[I64],
            |b| vec![this.borrow_mut().with(b, f, algorithm, Access::Atoms)],
            |b| {
                let mut this = this.borrow_mut();
                let name = format!("{}_halves", algorithm.name());
                let body = |this: &mut Writer<'_>, b: &mut Body, f: &Frame| this.with(b, f, algorithm, Access::Halves);
                vec![this.function_apart(b, f, &name, &body)]
            },
        )[0]
    }

    /// With packets and this access: at once where all of the block's packets fit into the slots, which is nearly always; else,
    /// in a function of its own, as much as fits after each other. What is in a function of its own already does not tell the two
    /// apart.
    fn with(&mut self, b: &mut Body, f: &Frame, algorithm: Algorithm, access: Access) -> Value {
        let layout = Layout { element: self.signature.element, access };
        if f.apart {
            return self.part_by_part(b, f, algorithm, layout);
        }
        let slot = gicc_abi::heap::PACKETS_OF_SLOT as i64;
        let capacity = match algorithm {
            Algorithm::OneShot | Algorithm::Direct => b.i64(slot),
            Algorithm::Ring if self.signature.collective == Collective::AllGather => {
                all_gather_ring::gather_capacity(b, f)
            }
            Algorithm::Ring => ring::ring_capacity(b, f),
            _ => two_shot::capacity(b, f),
        };
        let fits = f.fits_at_once(b, layout, capacity);
        let name = format!("{}_{}_parts", algorithm.name(), access.name());
        let this = std::cell::RefCell::new(self);
        b.branch(
            fits,
            &[I64],
            |b| vec![this.borrow_mut().part_by_part(b, &Frame { at_once: true, ..*f }, algorithm, layout)],
            |b| {
                let mut this = this.borrow_mut();
                vec![this.function_apart(b, f, &name, &|this, b, f| this.part_by_part(b, f, algorithm, layout))]
            },
        )[0]
    }

    fn part_by_part(&mut self, b: &mut Body, f: &Frame, algorithm: Algorithm, layout: Layout) -> Value {
        let reduction = self.reduction();
        match (self.signature.collective, algorithm) {
            (Collective::AllReduce(_), Algorithm::TwoShot) => two_shot::expand(b, f, layout, reduction),
            (Collective::AllReduce(_), Algorithm::Ring) => ring::expand(b, f, layout, reduction),
            (Collective::AllReduce(_), _) => self.one_shot(b, f, layout, reduction),
            (Collective::AllGather, Algorithm::Ring) => all_gather_ring::expand(b, f, layout),
            (Collective::AllGather, _) => all_gather_direct::expand(b, f, layout),
        }
    }

    /// One shot: for two PEs in this function where that pays, else in one of its own.
    fn one_shot(&mut self, b: &mut Body, f: &Frame, layout: Layout, reduction: Reduction) -> Value {
        let kind = if layout.access == Access::Halves { "_halves" } else { "" };
        let name = format!("one_shot{kind}_many");
        let mut many = |b: &mut Body| {
            self.function_apart(b, f, &name, &|_, b, f| one_shot::expand(b, f, layout, reduction, false))
        };
        // Two PEs whose whole atoms fit into the slots at once took the quick way, which parts do not have. Elements that are no
        // whole atoms are rare and slow by themselves: more code for two of them would cost each compilation more than it gives.
        let quick = f.at_once && f.team.is_none();
        if quick || layout.access == Access::Halves {
            return many(b);
        }
        let pair = b.is(f.pes, 2);
        b.branch(pair, &[I64], |b| vec![one_shot::expand(b, f, layout, reduction, true)], |b| vec![many(b)])[0]
    }

    /// Without packets, by wide words where both buffers are aligned to them; else, in a function of its own, by elements.
    fn simple(&mut self, b: &mut Body, f: &Frame) -> Value {
        if self.signature.collective == Collective::AllGather {
            return simple::all_gather(b, f, self.signature.element);
        }
        let reduction = self.reduction();
        let (input, out) = (b.address(f.input), b.address(f.out));
        let both = b.op("llvm.or", input, out);
        let mask = b.i64(i64::from(simple::WIDE) - 1);
        let low = b.op("llvm.and", both, mask);
        let wide = b.is(low, 0);
        let lanes = simple::WIDE / bytes_of(self.signature.element);
        let this = std::cell::RefCell::new(self);
        b.branch(
            wide,
            &[I64],
            |b| vec![simple::all_reduce(b, f, reduction, lanes)],
            |b| {
                let mut this = this.borrow_mut();
                vec![this.function_apart(b, f, "simple_elements", &|_, b, f| simple::all_reduce(b, f, reduction, 1))]
            },
        )[0]
    }

    /// A way in a function of its own: what is large does not mind the call, and what is small not the code.
    fn apart(&mut self, b: &mut Body, f: &Frame, way: Way) -> Value {
        let name = match way {
            Way::Simple => "simple",
            Way::Packets(algorithm) => algorithm.name(),
        };
        self.function_apart(b, f, name, &|this, b, f| match way {
            Way::Simple => this.simple(b, f),
            Way::Packets(algorithm) => this.packets(b, f, algorithm),
        })
    }

    /// A function of its own, which takes the count as it is told: it serves all signatures that differ in the count or in
    /// what was asked for.
    fn function_apart(
        &mut self,
        b: &mut Body,
        f: &Frame,
        name: &str,
        body: &dyn Fn(&mut Writer<'_>, &mut Body, &Frame) -> Value,
    ) -> Value {
        let body =
            |writer: &mut Writer<'_>, b: &mut Body, _: &[Value], frame: Frame, _: Reduction| body(writer, b, &frame);
        let parameters = if f.team.is_some() { [PARAMETERS, OF_TEAM].concat() } else { PARAMETERS.to_vec() };
        let name = self.shared(name, &parameters, &body);
        b.call_function(&name, &f.arguments(), Some(I64))
    }

    /// Writes a function of the rounds that have ended, for any count, unless it exists; its name. The first parameters are
    /// [`PARAMETERS`].
    fn shared(&mut self, name: &str, parameters: &[Type], body: &SharedBody<'_>) -> String {
        self.function(name, parameters, Some(I64), &|writer, b, p| {
            let Signature { group, part, .. } = writer.signature;
            let f = Frame::new(b, group, if part { p } else { &p[..4] });
            let reduction = writer.reduction();
            Some(body(writer, b, p, Frame { apart: true, ..f }, reduction))
        })
    }

    /// Writes a function for any count, unless it exists; its name.
    fn function(&mut self, name: &str, parameters: &[Type], result: Option<Type>, body: &AnyBody<'_>) -> String {
        let name = format!("{}_by_{name}", self.signature.stem());
        if !(self.exists)(&name) && !self.functions.iter().any(|g| g.name == name) {
            let function = Function::write(&name, Kind::Apart, parameters, result, |b, p| body(self, b, p));
            self.functions.push(function);
        }
        name
    }
}

/// All blocks of the grid have ended; a single block has met at the end of its last round.
fn grid_meets(b: &mut Body) {
    let (blocks, one) = (b.call("__gicc_block_count", &[]), b.i32(1));
    let several = b.cmp("ne", blocks, one);
    b.when(several, |b| {
        b.call("__gicc_grid_sync", &[]);
    });
}

/// What a function has that several signatures share: writer, parameters, frame and reduction are its own.
type SharedBody<'a> = dyn Fn(&mut Writer<'_>, &mut Body, &[Value], Frame, Reduction) -> Value + 'a;

/// What a function has: its writer, parameters and result.
type AnyBody<'a> = dyn Fn(&mut Writer<'_>, &mut Body, &[Value]) -> Option<Value> + 'a;

#[cfg(test)]
mod tests;
