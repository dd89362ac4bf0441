//! Collectives of parts of the PEs that overlap: of PEs 0 and 1, of 0 to 2, and of 0 and 1 again. Each two PEs count the
//! rounds that they have ended together, in memory. Besides what every collective with packets rests on, a word of *every* PE
//! is written anew from the reduction that ends a round: what a block sends round a ring then depends on what it polled of
//! another part. That is taken away from the text too. Of the barrier of a part, the program's own and the one between stages
//! without packets, each ordering is deleted.

use super::collectives::{Algorithm, Form, Needed, check_each, compiled_from, element};
use super::*;
use gicc_abi::heap;

/// Elements of a PE's source, and bytes between two sources, as in `collectives`.
const SOURCES: u64 = 0x200;
const ELEMENTS: u64 = 64;
/// PEs of the machine.
const PES: u64 = 3;

/// Where the memory of block 0 for parts begins on a PE.
const fn part_memory(pe: u64) -> u64 {
    WORKSPACE + STRIDE * pe + heap::WORKSPACE_BYTES + heap::packet_bytes(PES as u32, 1)
}

/// Where the region of a source PE begins in the memory of a PE.
const fn region(pe: u64, source: u64) -> u64 {
    part_memory(pe) + 2 * heap::PART_LINE * PES + heap::REGION_BYTES * source
}

/// Bytes from a slot's beginning to the packets of a step round the ring of all three PEs.
const fn of_step(step: u64) -> u64 {
    step * (heap::PACKETS_OF_SLOT / (PES - 1)) * heap::PACKET_BYTES
}

/// A packet that a PE gets.
struct Arrival {
    source: u64,
    /// Its place in the slot, in bytes.
    at: u64,
    elements: Vec<u64>,
    epoch: u64,
}

/// What the PEs run.
struct Shape {
    algorithm: Algorithm,
    form: Form,
    /// Packets of the calls of two PEs, and of the one of three.
    packets: [u64; 2],
    threads: u32,
    slots: u64,
}

impl Shape {
    /// The elements of a packet of a call that begins behind so many packets and has so many; zeroes behind the last.
    fn input(&self, (before, packets): (u64, u64), pe: u64, packet: u64) -> Vec<u64> {
        let each = self.form.elements();
        let first = each * (before + packet);
        (0..each).map(|n| if packet < packets { element(pe, first + n) } else { 0 }).collect()
    }

    fn sum(&self, call: (u64, u64), pes: impl Iterator<Item = u64>, packet: u64) -> Vec<u64> {
        pes.map(|pe| self.input(call, pe, packet))
            .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())
            .expect("there is a PE")
    }

    /// The packets that a PE gets, in the order of rounds.
    fn arrivals(&self, me: u64) -> Vec<Arrival> {
        let [few, many] = self.packets;
        // Rounds that this PE has ended with each other one.
        let mut epochs = [0; PES as usize];
        let mut all = Vec::new();
        let pair = |all: &mut Vec<Arrival>, epochs: &mut [u64; PES as usize], before: u64| {
            if me > 1 {
                return;
            }
            let source = 1 - me;
            epochs[source as usize] += 1;
            for k in 0..few {
                let (elements, epoch) = (self.input((before, few), source, k), epochs[source as usize]);
                all.push(Arrival { source, at: k * heap::PACKET_BYTES, elements, epoch });
            }
        };
        pair(&mut all, &mut epochs, 0);
        let call = (few, many);
        let others = || (0..PES).filter(move |pe| *pe != me);
        let (before, parts) = ((me + PES - 1) % PES, many.div_ceil(PES));
        let round = |epochs: &mut [u64; PES as usize]| epochs.iter_mut().for_each(|epoch| *epoch += 1);
        let mut arrives = |epochs: &[u64; PES as usize], source: u64, at: u64, k: u64, elements: Vec<u64>| {
            let (at, epoch) = (at + k * heap::PACKET_BYTES, epochs[source as usize]);
            all.push(Arrival { source, at, elements, epoch });
        };
        round(&mut epochs);
        match self.algorithm {
            Algorithm::OneShot | Algorithm::Direct => {
                for pe in others() {
                    (0..many).for_each(|k| arrives(&epochs, pe, 0, k, self.input(call, pe, k)));
                }
            }
            Algorithm::GatherRing => {
                for step in 0..PES - 1 {
                    let pe = (before + PES - step) % PES;
                    (0..many).for_each(|k| arrives(&epochs, before, of_step(step), k, self.input(call, pe, k)));
                }
            }
            Algorithm::TwoShot => {
                for pe in others() {
                    (0..parts).for_each(|k| arrives(&epochs, pe, 0, k, self.input(call, pe, me * parts + k)));
                }
                round(&mut epochs);
                for pe in others() {
                    (0..parts).for_each(|k| arrives(&epochs, pe, 0, k, self.sum(call, 0..PES, pe * parts + k)));
                }
            }
            Algorithm::Ring => {
                for step in 0..PES - 1 {
                    let part = (before + PES - step) % PES;
                    for k in 0..parts {
                        let pes = (0..=step).map(|further| (part + further) % PES);
                        arrives(&epochs, before, of_step(step), k, self.sum(call, pes, part * parts + k));
                    }
                }
                round(&mut epochs);
                for step in 0..PES - 1 {
                    let part = (before + 1 + PES - step) % PES;
                    for k in 0..parts {
                        arrives(&epochs, before, of_step(step), k, self.sum(call, 0..PES, part * parts + k));
                    }
                }
            }
        }
        if !self.algorithm.has_two_rounds() {
            pair(&mut all, &mut epochs, few + many);
        }
        all
    }

    fn block(&self, pe: u64) -> Block {
        let mut block = Block::new("parts", pe as i32, &[DATA + STRIDE * pe, SOURCE + SOURCES * pe]);
        (block.threads, block.size) = (self.threads, self.threads);
        block = block.team(PES as u32);
        for arrival in self.arrivals(pe) {
            let place = region(pe, arrival.source) + arrival.epoch % self.slots * heap::SLOT_BYTES + arrival.at;
            block = block.late_packet(place, self.form.word(&arrival.elements, arrival.epoch));
        }
        block
    }

    fn source(&self) -> Vec<u8> {
        let mut bytes = vec![0; (SOURCES * PES) as usize];
        let size = if self.form == Form::Even { 8 } else { 4 };
        for pe in 0..PES {
            for n in 0..ELEMENTS {
                let at = (SOURCES * pe + size * n) as usize;
                bytes[at..at + size as usize].copy_from_slice(&element(pe, n).to_le_bytes()[..size as usize]);
            }
        }
        bytes
    }

    fn is_right(&self, text: &str) -> Result<Extracted, String> {
        let blocks: Vec<Block> = (0..PES).map(|pe| self.block(pe)).collect();
        let extracted = extract(text, &blocks, &memory(), &self.source())?;
        check_each(&extracted)?;
        Ok(extracted)
    }
}

fn memory() -> Vec<Range> {
    let start = part_memory(0);
    let mut ranges = vec![
        Range { start: DATA, bytes: 0x1000, name: Some("data") },
        Range { start: SOURCE, bytes: SOURCES * PES, name: None },
        Range { start: PRIVATE + 0x1000, bytes: 0x1000 * PES, name: None },
        // One thread writes what others of the block read.
        Range { start, bytes: heap::PART_LINE * PES, name: Some("epochs") },
        Range { start: start + heap::PART_LINE * PES, bytes: heap::PART_LINE * PES, name: Some("arrivals") },
    ];
    for (source, name) in ["region_0", "region_1", "region_2"].into_iter().enumerate() {
        ranges.push(Range { start: region(0, source as u64), bytes: heap::REGION_BYTES, name: Some(name) });
    }
    ranges
}

fn compiled(algorithm: Algorithm, form: Form, packets: [u64; 2]) -> String {
    let way = match algorithm {
        Algorithm::OneShot => "one_shot",
        Algorithm::TwoShot => "two_shot",
        Algorithm::Ring | Algorithm::GatherRing => "ring",
        Algorithm::Direct => "direct",
    };
    let ty = if form == Form::Even { "u64" } else { "unsigned" };
    let mut defines = vec![
        format!("TYPE={ty}"),
        format!("EACH={}", form.elements()),
        format!("FIRST={}", packets[0]),
        format!("MIDDLE={}", packets[1]),
        format!("WAY={way}"),
    ];
    if algorithm.has_two_rounds() {
        defines.push("LAST".into());
    }
    if matches!(algorithm, Algorithm::Direct | Algorithm::GatherRing) {
        defines.push("GATHERS".into());
    }
    compiled_from("parts.cu", "sm_90", &defines)
}

/// Proves it with two threads, of which each has a packet; and that each of `needed` is.
fn prove(algorithm: Algorithm, form: Form, needed: &[Needed]) {
    let packets = [2, if algorithm.has_two_rounds() { PES } else { 1 }];
    let text = compiled(algorithm, form, packets);
    let mut shape = Shape { algorithm, form, packets, threads: 2, slots: 2 };
    let what = format!("{algorithm:?}, {form:?}");
    shape.is_right(&text).unwrap_or_else(|e| panic!("{what}: {}", e.chars().take(300).collect::<String>()));
    for needed in needed {
        shape.slots = if *needed == Needed::TwoSlots { 1 } else { 2 };
        assert!(shape.is_right(&needed.taken_from(&text)).is_err(), "{what}, without {needed:?}: still right");
    }
}

/// Only the words of members are written: predicates in front of the store instead of some that choose what is added.
fn only_members(text: &str) -> String {
    let mut chosen: Vec<String> = Vec::new();
    let mut changed = 0;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().map(|w| w.trim_end_matches([',', ';'])).collect();
        match words.as_slice() {
            // The rounds that have ended, which depend on the reduction, or none.
            ["selp.b64", _, rounds, "0", predicate] if rounds.starts_with('%') => chosen.push((*predicate).to_owned()),
            ["st.global.b64", ..] if chosen.len() == 3 => {
                let [first, second, third] = [&chosen[0], &chosen[1], &chosen[2]];
                lines.push(format!("and.pred {first}, {first}, {second};"));
                lines.push(format!("and.pred {first}, {first}, {third};"));
                lines.push(format!("@{first} {}", line.trim()));
                changed += 1;
                chosen.clear();
                continue;
            }
            ["mul.wide.u32" | "add.s64" | "ld.global.b64", ..] => {}
            _ => chosen.clear(),
        }
        lines.push(line.to_owned());
    }
    assert_eq!(changed, 3, "each function of a part ends so");
    lines.join("\n") + "\n"
}

const ALWAYS: [Needed; 4] = [Needed::OneStore, Needed::OneLoad, Needed::Flag, Needed::TwoSlots];

#[test]
fn one_shot() {
    prove(Algorithm::OneShot, Form::Even, &ALWAYS);
    prove(Algorithm::OneShot, Form::Dense, &[Needed::Reduction]);
}

#[test]
fn two_shot() {
    prove(Algorithm::TwoShot, Form::Even, &ALWAYS);
}

#[test]
fn direct() {
    prove(Algorithm::Direct, Form::Even, &[Needed::Reduction]);
    prove(Algorithm::Direct, Form::Dense, &ALWAYS);
}

#[test]
fn rings() {
    prove(Algorithm::Ring, Form::Dense, &ALWAYS);
    prove(Algorithm::GatherRing, Form::Even, &[Needed::Reduction]);
}

#[test]
fn every_word_depends_on_the_reduction() {
    let (algorithm, form, packets) = (Algorithm::GatherRing, Form::Even, [2, 1]);
    let text = compiled(algorithm, form, packets);
    let shape = Shape { algorithm, form, packets, threads: 2, slots: 2 };
    assert!(shape.is_right(&text).is_ok());
    assert!(shape.is_right(&only_members(&text)).is_err(), "still right where words of members only are written");
}

/// Proves kernels of PEs 1 and 2 that meet at the barrier of their part `N` times; and that each ordering is needed.
fn prove_meeting<const N: usize>(
    entry: &'static str,
    parameters: fn(u64) -> Vec<u64>,
    expectation: fn(&mut Extracted),
) {
    let blocks = [1, 2].map(|pe: u64| {
        let place = part_memory(pe) + heap::PART_LINE * PES + 8 * (3 - pe);
        let rounds = std::array::from_fn::<_, N, _>(|n| n as u128 + 1);
        Block::new(entry, pe as i32, &parameters(pe)).team(PES as u32).polls(place, rounds)
    });
    for arch in ["sm_90", "sm_80"] {
        let text = compiled_from(
            "parts.cu",
            arch,
            &["TYPE=u64", "EACH=1", "FIRST=1", "MIDDLE=1", "WAY=direct", "GATHERS"].map(String::from),
        );
        let right = |text: &str| {
            let mut extracted = extract_settled(text, &blocks, &memory(), &[])?;
            expectation(&mut extracted);
            check_each(&extracted).map(|()| extracted)
        };
        let proven = right(&text).unwrap_or_else(|e| panic!("{entry}, {arch}: {e}"));
        let module = ptx::parse_module(&text).expect("emitted PTX parses");
        let mut tried = 0;
        for mutation in mutations(&text, &module) {
            let executed = proven.executed.iter().any(|s| s.start <= mutation.site.start && mutation.site.end <= s.end);
            if executed {
                tried += 1;
                assert!(right(&mutation.apply(&text)).is_err(), "{entry}, {arch}: {mutation}: still right");
            }
        }
        assert!(tried >= 4 * N, "{entry}, {arch}: only {tried} orderings were found to delete");
    }
}

#[test]
fn without_packets() {
    prove_meeting::<2>("part_simple", |pe| vec![DATA + STRIDE * pe, DATA + 0x800 + STRIDE * pe, 4], |_| {});
}

#[test]
fn barrier() {
    prove_meeting::<3>("part_barrier", |pe| vec![DATA + STRIDE * pe], expect_both_stores);
}

/// Each reading thread finds what was stored before its barrier; the traces, which are of one PE after the other, found what the
/// run before had left.
fn expect_both_stores(extracted: &mut Extracted) {
    let mut seen = std::collections::BTreeSet::new();
    for (thread, _, value) in extracted.loads.iter_mut().filter(|(_, _, value)| *value == 60) {
        if seen.insert(thread.clone()) {
            *value = 50;
        }
    }
    assert_eq!(seen.len(), 2, "a thread of each PE reads");
}
