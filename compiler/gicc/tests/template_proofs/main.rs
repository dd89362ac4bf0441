//! Each lowering template is right, and minimal, under the PTX memory model. The events are read off the emitted PTX text,
//! closed with the waiting side (emitted as well), and every execution is enumerated: a stale read is forbidden. With any
//! one ordering of the text deleted, weakened or narrowed it is possible.

mod collectives;
mod extract;
mod packets;
mod parts;

use std::path::PathBuf;
use std::sync::OnceLock;

use extract::{BASE, Block, Extracted, PRIVATE, Range, STRIDE, WORKSPACE, extract, extract_settled};
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Arch, CheckErrors, Observer, Options, Stage, Tools, compile};
use ptx::mutate::{Mutation, mutations};

const DATA: u64 = BASE + 0xA_0000;
const FLAG: u64 = BASE + 0xB_0000;
const SECOND_FLAG: u64 = BASE + 0xB_0100;
const COUNTER: u64 = BASE + 0xC_0000;
const CHANNEL: u64 = BASE + 0xD_0000;
const SOURCE: u64 = PRIVATE;
const SOURCE_WORDS: [u32; 12] = [11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132];

/// The same address on PE 1.
const fn on_1(address: u64) -> u64 {
    address + STRIDE
}

fn ranges() -> Vec<Range> {
    let named = |start, bytes, name| Range { start, bytes, name: Some(name) };
    vec![
        named(DATA, 0x100, "data"),
        named(FLAG, 8, "flag"),
        named(SECOND_FLAG, 8, "second_flag"),
        named(COUNTER, 4, "counter"),
        // Of a channel's words, the first two are signals; the others are the own side's.
        named(CHANNEL, 8, "arrived"),
        named(CHANNEL + 8, 8, "credited"),
        Range { start: CHANNEL + 16, bytes: 48, name: None },
        named(CHANNEL + gicc_abi::channel::PACKETS_OFFSET, 64, "packets"),
        named(WORKSPACE + gicc_abi::heap::BARRIER_ARRIVALS, 16, "arrivals"),
        Range { start: WORKSPACE + gicc_abi::heap::BARRIER_EPOCHS, bytes: 8, name: None },
        // Nobody writes the source, nor, where nothing fails, the error words.
        Range { start: SOURCE, bytes: 48, name: None },
        Range { start: PRIVATE + 0x1000, bytes: 0x2000, name: None },
    ]
}

struct Errors(String);

impl Observer for Errors {
    fn diagnostic(&mut self, d: Diagnostic) {
        if d.severity == Severity::Error {
            self.0 += &d.to_string();
        }
    }
    fn dump(&mut self, _: Stage, _: &str) {}
}

/// The templates' PTX for an architecture.
fn ptx_for(arch: &'static str) -> &'static str {
    ptx_with(arch, CheckErrors::Off)
}

fn ptx_with(arch: &'static str, check_errors: CheckErrors) -> &'static str {
    static TEXTS: [OnceLock<String>; 4] = [const { OnceLock::new() }; 4];
    let strict = check_errors == CheckErrors::Strict;
    TEXTS[usize::from(arch == "sm_80") + 2 * usize::from(strict)].get_or_init(|| {
        let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/template_proofs/templates.cu");
        let mut options = Options::new(vec![source], Tools::discover());
        options.arch = Arch::from_name(arch).expect("a known architecture");
        options.check_errors = check_errors;
        let mut errors = Errors(String::new());
        let compiled = compile(&options, &mut errors).unwrap_or_else(|_| panic!("{}", errors.0));
        String::from_utf8(compiled.products[0].1.clone()).expect("PTX is text")
    })
}

/// Which orderings of the text a template may do without, and why.
type Spared = fn(&Mutation) -> bool;

fn none(_: &Mutation) -> bool {
    false
}

/// Proves a template for both kinds of fences.
fn prove(blocks: &[Block], spared: Spared) {
    prove_expecting(blocks, |_| {}, spared);
}

fn prove_expecting(blocks: &[Block], expectation: fn(&mut Extracted), spared: Spared) {
    for arch in ["sm_90", "sm_80"] {
        prove_text(ptx_for(arch), blocks, expectation, spared);
    }
}

fn prove_text(text: &str, blocks: &[Block], expectation: fn(&mut Extracted), spared: Spared) {
    let model = memory_model::Model::default();
    let get = |text: &str| -> Result<Extracted, String> {
        let source: Vec<u8> = SOURCE_WORDS.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut extracted = extract(text, blocks, &ranges(), &source)?;
        expectation(&mut extracted);
        Ok(extracted)
    };
    let right = get(text).unwrap_or_else(|e| panic!("{e}"));
    let verdict = model.check(&right.program, &right.stale()).unwrap_or_else(|e| panic!("{e}"));
    assert!(verdict.is_forbidden(), "{}: {verdict:?}", blocks[0].entry);

    let module = ptx::parse_module(text).expect("emitted PTX parses");
    let mut tried = 0;
    for mutation in mutations(text, &module) {
        let executed = right.executed.iter().any(|s| s.start <= mutation.site.start && mutation.site.end <= s.end);
        if !executed || spared(&mutation) {
            continue;
        }
        tried += 1;
        let wrong = get(&mutation.apply(text)).unwrap_or_else(|e| panic!("{mutation}: {e}"));
        let verdict = model.check(&wrong.program, &wrong.stale()).unwrap_or_else(|e| panic!("{mutation}: {e}"));
        assert!(verdict.is_possible(), "{}: {mutation}: still right, so the ordering is not needed", blocks[0].entry);
    }
    assert!(tried >= 4, "{}: only {tried} orderings were found to delete", blocks[0].entry);
}

fn sender(entry: &'static str) -> Block {
    Block::new(entry, 0, &[DATA, SOURCE, FLAG])
}

fn receiver(entry: &'static str) -> Block {
    Block::new(entry, 1, &[on_1(DATA), on_1(FLAG)]).polls(on_1(FLAG), [1])
}

#[test]
fn put_signal_by_a_thread() {
    prove(&[sender("put_signal_thread").alone(), receiver("wait_thread").alone()], none);
}

#[test]
fn put_signal_by_a_warp() {
    prove(&[sender("put_signal_warp").warp(), receiver("wait_warp").warp()], none);
}

#[test]
fn put_signal_by_a_block() {
    prove(&[sender("put_signal_block"), receiver("wait_block")], none);
}

#[test]
fn put_signal_that_adds() {
    prove(&[sender("put_signal_add_block"), receiver("wait_block")], none);
}

#[test]
fn put_then_signal() {
    prove(&[sender("put_then_signal_block"), receiver("wait_block")], none);
}

#[test]
fn several_signals_behind_one_fence() {
    let send = || Block::new("two_signals", 0, &[DATA, SOURCE, FLAG, SECOND_FLAG]).alone();
    for flag in [FLAG, SECOND_FLAG] {
        let wait = Block::new("wait_thread", 1, &[on_1(DATA), on_1(flag)]).polls(on_1(flag), [1]).alone();
        // Narrowing the other signal's scope harms only who waits for that one.
        let other = if flag == FLAG { second_store } else { first_store };
        prove(&[send(), wait], other);
    }
}

fn first_store(m: &Mutation) -> bool {
    is_nth_relaxed_store(m, 0)
}

fn second_store(m: &Mutation) -> bool {
    is_nth_relaxed_store(m, 1)
}

/// Whether a mutation is about the n-th relaxed store of `two_signals`.
fn is_nth_relaxed_store(m: &Mutation, n: usize) -> bool {
    let texts = ["sm_90", "sm_80"].map(ptx_for);
    texts.iter().any(|text| {
        let start = text.find(".entry two_signals").unwrap_or(0);
        let mut at = start;
        for _ in 0..=n {
            let Some(next) = text[at..].find("st.relaxed.sys") else { return false };
            at += next + 1;
        }
        m.function == "two_signals" && m.before.contains("st.relaxed.sys") && (at..at + 20).contains(&m.site.start)
    })
}

#[test]
fn release_then_a_relaxed_signal() {
    prove(&[sender("release_then_relaxed_block"), receiver("wait_block")], none);
}

/// What the interface says of its limits is true: these are wrong, and seen to be.
#[test]
fn a_relaxed_signal_publishes_only_behind_a_release_of_its_own_thread() {
    let model = memory_model::Model::default();
    for entry in ["release_then_wrong_thread", "put_then_relaxed"] {
        let source: Vec<u8> = SOURCE_WORDS.iter().flat_map(|w| w.to_le_bytes()).collect();
        let blocks = [sender(entry), receiver("wait_block")];
        let wrong = extract(ptx_for("sm_90"), &blocks, &ranges(), &source).unwrap_or_else(|e| panic!("{e}"));
        let verdict = model.check(&wrong.program, &wrong.stale()).unwrap_or_else(|e| panic!("{e}"));
        assert!(verdict.is_possible(), "{entry}");
    }
}

#[test]
fn quiet_then_a_relaxed_signal() {
    prove(&[sender("quiet_then_relaxed").alone(), receiver("wait_thread").alone()], none);
}

#[test]
fn an_initiation_with_its_signal() {
    prove(&[sender("initiate_signal"), receiver("wait_block")], none);
}

#[test]
fn an_event_waited_for_then_a_relaxed_signal() {
    prove(&[sender("initiate_then_wait"), receiver("wait_block")], none);
}

#[test]
fn an_event_tested_by_another_thread_of_its_group() {
    prove(&[sender("initiate_then_test"), receiver("wait_block")], none);
}

/// Strict checks add no order and take none away, though one takes the place of a barrier.
#[test]
fn waits_that_are_checked() {
    for arch in ["sm_90", "sm_80"] {
        let text = ptx_with(arch, CheckErrors::Strict);
        prove_text(text, &[sender("put_signal_thread").alone(), receiver("wait_thread").alone()], |_| {}, reads_error);
        prove_text(text, &[sender("put_signal_block"), receiver("wait_elected")], |_| {}, reads_error);
        prove_text(text, &[sender("put_signal_block"), receiver("wait_block")], |_| {}, meets_again);
    }
}

/// The load of the error word orders nothing.
fn reads_error(m: &Mutation) -> bool {
    m.before.contains("ld.relaxed.gpu")
}

/// The check of a block's wait meets, too, as the wait has just done.
fn meets_again(m: &Mutation) -> bool {
    reads_error(m) || (m.function == "wait_block" && m.before.contains("bar"))
}

#[test]
fn test_acquires() {
    prove(&[sender("put_signal_thread").alone(), receiver("test_until").alone()], none);
}

#[test]
fn the_last_block_speaks() {
    let block = |n| {
        let mut b = Block::new("last_block", 0, &[DATA, FLAG, COUNTER]);
        b.index = [n, 2];
        b
    };
    prove(&[block(0), block(1), receiver("wait_block")], none);
}

#[test]
fn barrier_over_pes() {
    let arrivals = WORKSPACE + gicc_abi::heap::BARRIER_ARRIVALS;
    let block = |pe: i32| {
        let own = BASE + STRIDE * pe as u64;
        let word = arrivals + STRIDE * pe as u64 + 8 * (1 - pe as u64);
        Block::new("barrier_pes", pe, &[own + (DATA - BASE)]).polls(word, [1])
    };
    prove_expecting(&[block(0), block(1)], expect_five, none);
}

/// PE 0 is traced before PE 1 has stored, so the value that it must read is not the traced one.
fn expect_five(extracted: &mut Extracted) {
    extracted.loads.iter_mut().for_each(|(_, _, value)| *value = 5);
}

#[test]
fn a_channel_of_one_slot() {
    let put = Block::new("channel_put_block", 0, &[CHANNEL, DATA, SOURCE]).polls(CHANNEL + 8, [1]);
    let wait = Block::new("channel_wait_block", 1, &[on_1(CHANNEL), on_1(DATA)]).polls(on_1(CHANNEL), [1, 2]);
    prove_expecting(&[put, wait], expect_both_messages, none);
}

/// Each thread reads its word of the first message, then that of the second. In the trace both messages had been sent
/// before, so it saw the second twice.
fn expect_both_messages(extracted: &mut Extracted) {
    let mut seen = std::collections::BTreeSet::new();
    for (thread, _, value) in &mut extracted.loads {
        let first = matches!(*value, 33 | 44) && seen.insert(thread.clone());
        if first {
            *value -= 22;
        }
    }
}
