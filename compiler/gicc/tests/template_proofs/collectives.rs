//! Collectives: every algorithm with packets, of both forms, and those without. Several calls follow each other; the last uses
//! the places of the first, and PEs do not meet in between: what the first polls must not be what the last sends, and a
//! thread reads what another one stored. What makes that right is no order that is written, but that a packet is one word of
//! the system, that the polls wait for the flag of their round, that rounds take turns with two slots, and that the next
//! round's flag is computed from a reduction of all polls: these are taken away from the text one by one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::packets::{edited, plain_barrier, two_words};
use super::*;
use gicc_abi::heap;

/// Bytes between the sources of two PEs.
const SOURCES: u64 = 0x200;
/// Elements of a source.
const ELEMENTS: u64 = 64;

/// The PTX of the kernels of `collectives.cu` that these definitions choose.
fn compiled(arch: &'static str, defines: &[String]) -> String {
    compiled_from("collectives.cu", arch, defines)
}

/// The PTX of the kernels of a file that these definitions choose.
pub(super) fn compiled_from(file: &str, arch: &'static str, defines: &[String]) -> String {
    static TEXTS: Mutex<BTreeMap<(String, &'static str), String>> = Mutex::new(BTreeMap::new());
    let key = (format!("{file} {}", defines.join(" ")), arch);
    if let Some(text) = TEXTS.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return text.clone();
    }
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/template_proofs").join(file);
    let mut options = Options::new(vec![source], Tools::discover());
    options.arch = Arch::from_name(arch).expect("a known architecture");
    options.check_errors = CheckErrors::Off;
    options.defines = defines.to_vec();
    let mut errors = Errors(String::new());
    let compiled = compile(&options, &mut errors).unwrap_or_else(|_| panic!("{}", errors.0));
    let text = String::from_utf8(compiled.products[0].1.clone()).expect("PTX is text");
    TEXTS.lock().unwrap_or_else(PoisonError::into_inner).insert(key, text.clone());
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    OneShot,
    TwoShot,
    Ring,
    Direct,
    GatherRing,
}

use Algorithm::{Direct, GatherRing, OneShot, Ring, TwoShot};

impl Algorithm {
    /// Whether a call has two rounds of packets.
    pub(super) const fn has_two_rounds(self) -> bool {
        matches!(self, TwoShot | Ring)
    }

    const fn spelling(self) -> &'static str {
        match self {
            OneShot => "reduces<algorithm::one_shot>",
            TwoShot => "reduces<algorithm::two_shot>",
            Ring => "reduces<algorithm::ring>",
            Direct => "gathers<algorithm::direct>",
            GatherRing => "gathers<algorithm::ring>",
        }
    }
}

/// What a packet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One element of 64 bits, and 64 bits of flag.
    Even,
    /// Three of 32 bits, and 32 bits of flag.
    Dense,
}

impl Form {
    pub(super) const fn elements(self) -> u64 {
        match self {
            Form::Even => 1,
            Form::Dense => 3,
        }
    }

    /// The packet of these elements in the round that ends with this epoch.
    pub(super) fn word(self, elements: &[u64], epoch: u64) -> u128 {
        let wide = |n: usize| u128::from(elements[n]);
        match self {
            Form::Even => u128::from(epoch) << 64 | wide(0),
            Form::Dense => u128::from(epoch << 32 | 1 << 63) << 64 | wide(2) << 64 | wide(1) << 32 | wide(0),
        }
    }
}

/// An element of a PE's source.
pub(super) const fn element(pe: u64, n: u64) -> u64 {
    1000 * (pe + 1) + n
}

/// Where the region begins that belongs to a source PE (or to a step of the ring), in the memory of a PE.
const fn region(pe: u64, of: u64) -> u64 {
    WORKSPACE + STRIDE * pe + heap::PACKETS + heap::REGION_BYTES * of
}

/// One call: its packets, and its first one's number among all calls' packets in the source.
#[derive(Clone, Copy, Debug)]
struct Call {
    algorithm: Algorithm,
    packets: u64,
    before: u64,
}

/// What PEs run.
struct Shape {
    entry: &'static str,
    form: Form,
    pes: u64,
    threads: u32,
    calls: Vec<Call>,
    /// A parameter behind the buffers.
    count: Option<u64>,
    /// Slots that rounds take turns with.
    slots: u64,
}

impl Shape {
    /// Calls of `many` packets, one, and `many` again; without the one in between where a call has two rounds.
    fn new(entry: &'static str, algorithm: Algorithm, form: Form, pes: u64, many: u64) -> Shape {
        let call = |packets, before| Call { algorithm, packets, before };
        let mut calls = vec![call(many, 0), call(1, many), call(many, many + 1)];
        if matches!(algorithm, TwoShot | Ring) {
            calls.remove(1);
        }
        Shape { entry, form, pes, threads: 2, calls, count: None, slots: 2 }
    }

    /// The elements of a packet of a PE; zeroes behind the last.
    fn input(&self, call: Call, pe: u64, packet: u64) -> Vec<u64> {
        let each = self.form.elements();
        let first = each * (call.before + packet);
        (0..each).map(|n| if packet < call.packets { element(pe, first + n) } else { 0 }).collect()
    }

    /// The sums of a packet's elements over some PEs.
    fn sum(&self, call: Call, pes: impl Iterator<Item = u64>, packet: u64) -> Vec<u64> {
        pes.map(|pe| self.input(call, pe, packet))
            .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())
            .expect("there is a PE")
    }

    /// The packets that a PE gets, in the order of rounds: region, packet, elements, and the round's epoch.
    fn arrivals(&self, me: u64) -> Vec<(u64, u64, Vec<u64>, u64)> {
        let n = self.pes;
        let others = || (0..n).filter(move |pe| *pe != me);
        let before = (me + n - 1) % n;
        let mut epoch = 0;
        let mut all = Vec::new();
        for &call in &self.calls {
            let parts = call.packets.div_ceil(n);
            epoch += 1;
            match call.algorithm {
                OneShot | Direct => {
                    for pe in others() {
                        all.extend((0..call.packets).map(|k| (pe, k, self.input(call, pe, k), epoch)));
                    }
                }
                GatherRing => {
                    for step in 0..n - 1 {
                        let pe = (before + n - step) % n;
                        all.extend((0..call.packets).map(|k| (step, k, self.input(call, pe, k), epoch)));
                    }
                }
                TwoShot => {
                    for pe in others() {
                        all.extend((0..parts).map(|k| (pe, k, self.input(call, pe, me * parts + k), epoch)));
                    }
                    epoch += 1;
                    for pe in others() {
                        all.extend((0..parts).map(|k| (pe, k, self.sum(call, 0..n, pe * parts + k), epoch)));
                    }
                }
                Ring => {
                    for step in 0..n - 1 {
                        let part = (before + n - step) % n;
                        let pes = || (0..=step).map(|further| (part + further) % n);
                        all.extend((0..parts).map(|k| (step, k, self.sum(call, pes(), part * parts + k), epoch)));
                    }
                    epoch += 1;
                    for step in 0..n - 1 {
                        let part = (before + 1 + n - step) % n;
                        all.extend((0..parts).map(|k| (step, k, self.sum(call, 0..n, part * parts + k), epoch)));
                    }
                }
            }
        }
        all
    }

    fn block(&self, pe: u64) -> Block {
        let mut block = Block::new(self.entry, pe as i32, &[DATA + STRIDE * pe, SOURCE + SOURCES * pe]);
        block.parameters.extend(self.count);
        (block.threads, block.size) = (self.threads, self.threads);
        block = block.team(self.pes as u32);
        for (of, packet, elements, epoch) in self.arrivals(pe) {
            let place = region(pe, of) + epoch % self.slots * heap::SLOT_BYTES + heap::PACKET_BYTES * packet;
            block = block.late_packet(place, self.form.word(&elements, epoch));
        }
        block
    }

    fn source(&self) -> Vec<u8> {
        let mut bytes = vec![0; (SOURCES * self.pes) as usize];
        for pe in 0..self.pes {
            for n in 0..ELEMENTS {
                let (value, size) = match self.form {
                    Form::Even => (element(pe, n).to_le_bytes().to_vec(), 8),
                    Form::Dense => ((element(pe, n) as u32).to_le_bytes().to_vec(), 4),
                };
                let at = (SOURCES * pe + size * n) as usize;
                bytes[at..at + value.len()].copy_from_slice(&value);
            }
        }
        bytes
    }

    /// Whether all loads return what they must, one question a load: other threads' readings of results do not matter to it.
    fn is_right(&self, text: &str) -> Result<Extracted, String> {
        let blocks: Vec<Block> = (0..self.pes).map(|pe| self.block(pe)).collect();
        let extracted = extract(text, &blocks, &memory(self.pes), &self.source())?;
        check_each(&extracted)?;
        Ok(extracted)
    }

    /// Proves it; and that each of `needed`, and the packets' reach, is.
    fn prove(&mut self, text: &str, needed: &[Needed]) {
        let right = self.is_right(text).unwrap_or_else(|e| panic!("{}: {e}", self.entry));
        for needed in needed {
            self.slots = if *needed == Needed::TwoSlots { 1 } else { 2 };
            let wrong = needed.taken_from(text);
            assert!(self.is_right(&wrong).is_err(), "{}, without {needed:?}: still right", self.entry);
        }
        self.slots = 2;
        let module = ptx::parse_module(text).expect("emitted PTX parses");
        let mut narrowed = [0, 0];
        for mutation in mutations(text, &module) {
            let executed = right.executed.iter().any(|s| s.start <= mutation.site.start && mutation.site.end <= s.end);
            if executed && mutation.before.contains("b128") && self.is_right(&mutation.apply(text)).is_err() {
                narrowed[usize::from(mutation.before.contains("st."))] += 1;
            }
        }
        assert!(
            narrowed.iter().all(|n| *n > 0),
            "{}: loads and stores that reach no further: {narrowed:?}",
            self.entry
        );
    }
}

pub(super) fn check_each(extracted: &Extracted) -> Result<(), String> {
    let model = memory_model::Model::default();
    for (thread, register, value) in &extracted.loads {
        let other = memory_model::Condition::register(thread, register, *value).not();
        let verdict = model.check(&extracted.program, &other).map_err(|e| e.to_string())?;
        if !verdict.is_forbidden() {
            return Err(format!("{thread}, {register}: {verdict:?}"));
        }
    }
    Ok(())
}

/// What a collective with packets rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// A packet is stored as one word.
    OneStore,
    /// A packet is loaded as one word.
    OneLoad,
    /// A poll waits for its round's flag.
    Flag,
    /// A round uses another slot than the one before.
    TwoSlots,
    /// The next round's flag comes of all threads' polls.
    Reduction,
}

const ALWAYS: [Needed; 4] = [Needed::OneStore, Needed::OneLoad, Needed::Flag, Needed::TwoSlots];

impl Needed {
    /// The text without it, in the kernels and the functions that the expansions made.
    pub(super) fn taken_from(self, text: &str) -> String {
        let edit: fn(&str) -> Option<String> = match self {
            Needed::OneStore => |line| line.contains("st.relaxed").then(|| two_words(line)).flatten(),
            Needed::OneLoad => |line| line.contains("ld.relaxed").then(|| two_words(line)).flatten(),
            Needed::TwoSlots => one_slot,
            Needed::Reduction => plain_barrier,
            Needed::Flag => return any_flag(text),
        };
        edited(text, text, edit)
    }
}

/// The epoch's parity does not count.
fn one_slot(line: &str) -> Option<String> {
    (line.contains("and.b64") && line.contains(", 65536;")).then(|| line.replace(", 65536;", ", 0;"))
}

/// What was loaded of a flag is compared with itself. A comparison may stand in front of its load: blocks lie in any order.
fn any_flag(text: &str) -> String {
    let operands = |line: &str| -> Vec<String> {
        line.split_whitespace().map(|o| o.trim_end_matches([',', ';']).to_owned()).collect()
    };
    let mut flags: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| line.contains("ld.relaxed.sys.global.b128")) {
        let halves = line.split("mov.b128 {").nth(1).and_then(|rest| rest.split('}').next()).expect("two halves");
        flags.push(halves.split(", ").nth(1).expect("a second half").to_owned());
    }
    // A flag of 32 bits is looked at through a mask.
    for line in text.lines() {
        if let [name, to, from, ..] = operands(line).as_slice()
            && name == "and.b64"
            && flags.contains(from)
        {
            flags.push(to.clone());
        }
    }
    let mut changed = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            if let [name, to, flag, ..] = operands(line).as_slice()
                && (name == "setp.ne.b64" || name == "setp.eq.b64")
                && flags.contains(flag)
            {
                changed += 1;
                return format!("{name} {to}, {flag}, {flag};");
            }
            line.to_owned()
        })
        .collect();
    assert!(changed > 0, "no comparison of a flag was found");
    lines.join("\n")
}

/// The ranges of memory, with packets of so many PEs.
fn memory(pes: u64) -> Vec<Range> {
    let mut ranges = vec![
        Range { start: DATA, bytes: 0x1000, name: Some("data") },
        Range { start: SOURCE, bytes: SOURCES * pes, name: None },
        Range { start: PRIVATE + 0x1000, bytes: 0x1000 * pes, name: None },
        // Only its block uses the epoch.
        Range { start: WORKSPACE + heap::COLLECTIVE_EPOCHS, bytes: 8, name: None },
        Range { start: WORKSPACE + heap::BARRIER_ARRIVALS, bytes: 8 * pes, name: Some("arrivals") },
        Range { start: WORKSPACE + heap::BARRIER_EPOCHS, bytes: 8, name: None },
    ];
    for (of, name) in ["region_0", "region_1", "region_2"].into_iter().enumerate() {
        ranges.push(Range { start: region(0, of as u64), bytes: heap::REGION_BYTES, name: Some(name) });
    }
    ranges
}

/// Two PEs of two threads that know the count, and three of one thread that do not.
fn prove(algorithm: Algorithm, form: Form, reduction: bool) {
    let parts = matches!(algorithm, TwoShot | Ring);
    let (many, each) = (if parts { 4 } else { 2 }, form.elements());
    let ty = if form == Form::Even { "u64" } else { "unsigned" };
    let defines = [
        format!("CALL={}", algorithm.spelling()),
        format!("TYPE={ty}"),
        format!("EACH={each}"),
        format!("MANY={many}"),
    ];
    let needed: Vec<Needed> = ALWAYS.into_iter().chain(reduction.then_some(Needed::Reduction)).collect();
    // Nothing of packets depends on the architecture: the second one is to see that.
    let architectures: &[&'static str] = if form == Form::Even { &["sm_90", "sm_80"] } else { &["sm_90"] };
    for arch in architectures {
        let text = compiled(arch, &defines);
        Shape::new("constant", algorithm, form, 2, many).prove(&text, &needed);
        let many = if parts { 3 } else { 1 };
        let mut three = Shape::new("given", algorithm, form, 3, many);
        (three.threads, three.count) = (1, Some(many));
        // One thread needs no other one's polls.
        three.prove(&text, &ALWAYS);
    }
}

#[test]
fn one_shot_even() {
    prove(OneShot, Form::Even, true);
}

#[test]
fn one_shot_dense() {
    prove(OneShot, Form::Dense, true);
}

#[test]
fn two_shot_even() {
    prove(TwoShot, Form::Even, false);
}

#[test]
fn two_shot_dense() {
    prove(TwoShot, Form::Dense, false);
}

#[test]
fn ring_even() {
    prove(Ring, Form::Even, false);
}

#[test]
fn ring_dense() {
    prove(Ring, Form::Dense, false);
}

#[test]
fn direct_even() {
    prove(Direct, Form::Even, true);
}

#[test]
fn direct_dense() {
    prove(Direct, Form::Dense, true);
}

#[test]
fn gather_ring_even() {
    prove(GatherRing, Form::Even, true);
}

#[test]
fn gather_ring_dense() {
    prove(GatherRing, Form::Dense, true);
}

/// Different collectives follow each other.
#[test]
fn mixed() {
    let call = |algorithm, packets, before| Call { algorithm, packets, before };
    let calls = vec![call(OneShot, 2, 0), call(Direct, 1, 2), call(TwoShot, 4, 3)];
    let mut shape = Shape { entry: "mixed", form: Form::Even, pes: 2, threads: 2, calls, count: None, slots: 2 };
    for arch in ["sm_90", "sm_80"] {
        shape.prove(&compiled(arch, &[]), &[Needed::Reduction]);
    }
}

/// Elements of a symmetric buffer.
const INPUT: u64 = DATA + 0x800;
/// A larger buffer, of all PEs' elements.
const LARGE: u64 = BASE + 0x28_0000;
/// A PE's elements for it.
const LARGE_SOURCE: u64 = PRIVATE + 0x8000;
/// Elements of a PE that an all-gather does not send with packets: 64 KiB by one block are the most that it does.
const MANY: u64 = (64 << 10) / 8 + 2;

/// Without packets: two blocks that meet twice at the barrier of PEs.
fn prove_simple(blocks: [Block; 2], ranges: &[Range], expectation: fn(&mut Extracted)) {
    let elements = (0..MANY).flat_map(|n| element(0, n).to_le_bytes());
    let source: Vec<u8> = vec![0; (LARGE_SOURCE - PRIVATE) as usize].into_iter().chain(elements).collect();
    let blocks = [0, 1].map(|pe: u64| {
        let word = WORKSPACE + heap::BARRIER_ARRIVALS + STRIDE * pe + 8 * (1 - pe);
        blocks[pe as usize].clone().polls(word, [1, 2])
    });
    for arch in ["sm_90", "sm_80"] {
        let text = compiled(arch, &[]);
        let right = |text: &str| {
            let mut extracted = extract_settled(text, &blocks, ranges, &source)?;
            expectation(&mut extracted);
            check_each(&extracted).map(|()| extracted)
        };
        let proven = right(&text).unwrap_or_else(|e| panic!("{arch}: {e}"));
        let module = ptx::parse_module(&text).expect("emitted PTX parses");
        let mut tried = 0;
        for mutation in mutations(&text, &module) {
            let executed = proven.executed.iter().any(|s| s.start <= mutation.site.start && mutation.site.end <= s.end);
            if !executed {
                continue;
            }
            tried += 1;
            assert!(right(&mutation.apply(&text)).is_err(), "{arch}: {mutation}: still right");
        }
        assert!(tried >= 4, "{arch}: only {tried} orderings were found to delete");
    }
}

#[test]
fn two_shot_without_packets() {
    let block = |pe: u64| Block::new("two_shot_simple", pe as i32, &[DATA + STRIDE * pe, INPUT + STRIDE * pe, 4]);
    prove_simple([block(0), block(1)], &memory(2), |_| {});
}

#[test]
fn direct_without_packets() {
    let block = |pe: u64| {
        let mut block = Block::new("direct_simple", pe as i32, &[LARGE + STRIDE * pe, LARGE_SOURCE, MANY]);
        block.size = 1024;
        block
    };
    let mut ranges = memory(2);
    ranges.push(Range { start: LARGE, bytes: 2 * 8 * MANY, name: Some("result") });
    ranges.push(Range { start: LARGE_SOURCE, bytes: 8 * MANY, name: None });
    prove_simple([block(0), block(1)], &ranges, expect_nothing_first);
}

/// Each thread's first reading finds nothing yet; that of the trace found what the run before it had left.
fn expect_nothing_first(extracted: &mut Extracted) {
    let mut seen = std::collections::BTreeSet::new();
    for (thread, _, value) in &mut extracted.loads {
        if seen.insert(thread.clone()) {
            *value = 0;
        }
    }
}
