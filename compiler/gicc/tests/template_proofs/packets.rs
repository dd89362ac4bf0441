//! Channels of protocol `ll`. What makes them right is no order that is written, but that a packet is one word, that the wait
//! side's reduction carries values, and that each putting thread reads the credit itself: these are taken away from the text
//! one by one.

use super::*;

/// The first message's packets at the wait side.
const PACKETS: u64 = on_1(CHANNEL + gicc_abi::channel::PACKETS_OFFSET);

struct Shape {
    put: &'static str,
    wait: &'static str,
    /// The words that end the polls of the first message.
    words: [u128; 2],
    /// Takes away that the wait side's answer is that of all its threads.
    alone: fn(&str) -> Option<String>,
}

const EIGHT: Shape = Shape {
    put: "ll_put_block",
    wait: "ll_wait_block",
    words: [(1 << 64) | (22 << 32) | 11, (1 << 64) | (44 << 32) | 33],
    alone: plain_barrier,
};

const BY_WARPS: Shape = Shape { put: "ll_put_warp", wait: "ll_wait_warp", alone: own_vote, ..EIGHT };

const TWELVE: Shape = Shape {
    put: "ll_12_put_block",
    wait: "ll_12_wait_block",
    // For the word that the second packet does not have, its first one was loaded.
    words: [(1 << 96) | (33 << 64) | (22 << 32) | 11, (1 << 96) | (44 << 64) | (55 << 32) | 44],
    alone: plain_barrier,
};

impl Shape {
    fn blocks(&self) -> [Block; 2] {
        // What the threads see of the credit: nothing when they open the channel and behind the first message; one thread
        // polls for it in front of the third, the other has it by then.
        let put = Block::new(self.put, 0, &[CHANNEL, DATA, SOURCE]).polls(CHANNEL + 8, [0, 0, 0, 0, 0, 1]);
        let wait = Block::new(self.wait, 1, &[on_1(CHANNEL), on_1(DATA)]);
        let [first, second] = self.words;
        [put, wait.packet(PACKETS, first).packet(PACKETS + 16, second)]
    }

    fn verdict(&self, text: &str) -> (memory_model::Verdict, Extracted) {
        let source: Vec<u8> = SOURCE_WORDS.iter().flat_map(|w| w.to_le_bytes()).collect();
        let extracted =
            extract(text, &self.blocks(), &ranges(), &source).unwrap_or_else(|e| panic!("{}: {e}", self.put));
        let verdict = memory_model::Model::default().check(&extracted.program, &extracted.stale());
        (verdict.unwrap_or_else(|e| panic!("{}: {e}", self.put)), extracted)
    }

    fn prove(&self) {
        for arch in ["sm_90", "sm_80"] {
            let text = ptx_for(arch);
            let (verdict, right) = self.verdict(text);
            assert!(verdict.is_forbidden(), "{} for {arch}: {verdict:?}", self.put);
            let is_wrong = |what: &str, text: &str| {
                let (verdict, _) = self.verdict(text);
                assert!(!verdict.is_forbidden(), "{} for {arch}, {what}: still right", self.put);
            };
            let of = |name: &str| function(text, name);
            is_wrong("stores in two words", &edited(text, &of(self.put), two_words));
            is_wrong("loads in two words", &edited(text, &of(self.wait), two_words));
            let both = edited(text, &of(self.put), two_words);
            is_wrong("all in two words", &edited(&both, &function(&both, self.wait), two_words));
            is_wrong("each thread for itself", &edited(text, &of(self.wait), self.alone));
            is_wrong("no credit", &edited(text, &of(self.put), no_credit));
            self.narrower(text, &right);
        }
    }

    /// A packet must reach as far as the system, or it is no word for the other PE.
    fn narrower(&self, text: &str, right: &Extracted) {
        let module = ptx::parse_module(text).expect("emitted PTX parses");
        let mut tried = 0;
        for mutation in mutations(text, &module) {
            let executed = right.executed.iter().any(|s| s.start <= mutation.site.start && mutation.site.end <= s.end);
            if !executed || !mutation.before.contains("b128") {
                continue;
            }
            // The second message is nobody's here.
            tried += usize::from(!self.verdict(&mutation.apply(text)).0.is_forbidden());
        }
        assert!(tried >= 2, "{}: only {tried} packets are needed as far as the system", self.put);
    }
}

/// The text of a kernel.
pub(super) fn function(text: &str, name: &str) -> String {
    let start = text.find(&format!(".visible .entry {name}(")).unwrap_or_else(|| panic!("no kernel {name}"));
    let length = text[start..].find("\n}").unwrap_or_else(|| panic!("{name} has no end"));
    text[start..start + length].to_owned()
}

/// The text with a kernel's lines changed. At least one has to.
pub(super) fn edited(text: &str, kernel: &str, edit: fn(&str) -> Option<String>) -> String {
    let mut changed = 0;
    let lines: Vec<String> = kernel
        .lines()
        .map(|line| match edit(line) {
            Some(other) => {
                changed += 1;
                other
            }
            None => line.to_owned(),
        })
        .collect();
    assert!(changed > 0, "nothing was found to change");
    text.replace(kernel, &lines.join("\n"))
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

/// `{.reg .b128 t; mov.b128 t, {a, b}; st.relaxed.sys.global.b128 [p], t;}` and its counterpart as vectors of two words.
pub(super) fn two_words(line: &str) -> Option<String> {
    if let Some(address) = between(line, "st.relaxed.sys.global.b128 [", "]") {
        let halves = between(line, "mov.b128 t, {", "}")?;
        return Some(format!("st.relaxed.sys.global.v2.b64 [{address}], {{{halves}}};"));
    }
    let address = between(line, "ld.relaxed.sys.global.b128 t, [", "]")?;
    let halves = between(line, "mov.b128 {", "}")?;
    Some(format!("ld.relaxed.sys.global.v2.b64 {{{halves}}}, [{address}];"))
}

/// Each thread takes its own predicate for the answer.
pub(super) fn plain_barrier(line: &str) -> Option<String> {
    let (_, operands) = line.split_once("bar.red.and.pred")?;
    let mut operands = operands.trim().trim_end_matches(';').split(", ");
    let (result, barrier, own) = (operands.next()?, operands.next()?, operands.next()?);
    Some(format!("bar.sync {barrier}; mov.pred {result}, {own};"))
}

/// Each lane takes its own predicate for the answer.
fn own_vote(line: &str) -> Option<String> {
    let (_, operands) = line.split_once("vote.sync.all.pred")?;
    let mut operands = operands.trim().trim_end_matches(';').split(", ");
    let (result, own) = (operands.next()?, operands.next()?);
    Some(format!("mov.pred {result}, {own};"))
}

/// The credit is there, as far as the put side is concerned.
fn no_credit(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("ld.relaxed.sys.global.u64 ")?;
    let (result, _) = rest.split_once(',')?;
    Some(format!("mov.b64 {result}, 1;"))
}

#[test]
fn packets_of_8_bytes() {
    EIGHT.prove();
}

#[test]
fn packets_of_12_bytes() {
    TWELVE.prove();
}

/// A warp votes where a block reduces.
#[test]
fn packets_by_warps() {
    BY_WARPS.prove();
}
