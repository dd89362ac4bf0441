//! Changed inputs: whatever is done to an input, the command accepts or refuses it. It never crashes, and nothing aborts
//! inside LLVM. A smoke run; GICC_MUTATIONS sets another number of changed inputs.

use crate::bench::Bench;

/// IR with the intrinsics, atomics, scopes and inline PTX in which mistakes are expensive.
const SEED: &str = include_str!("mutations.ll");

/// Words of one kind, which are put in each other's place: mostly the IR still parses.
const KINDS: &[&[&str]] = &[
    &["0", "1", "2", "3", "4", "7", "-1", "64", "4294967295", "null", "undef"],
    &["release", "acquire", "acq_rel", "seq_cst", "monotonic", "unordered"],
    &["device", "block", "cluster", "agent", "singlethread", "sys"],
    &["%p", "%q", "null", "poison"],
    &["%n", "%v", "64", "-4"],
    &["%pe", "%me", "%tid", "0", "-1", "100"],
    &["add", "xchg", "umin", "nand", "sub", "uinc_wrap", "max"],
    &[
        "st.release.sys.u64",
        "st.relaxed.gpu.u64",
        "st.u64",
        "red.add.u64",
        "st.weak.u32",
        "nonsense.u64",
        "fence.sc.sys",
    ],
    &["i32", "i64", "i128", "half"],
    &["addrspace(3)", "addrspace(1)", "addrspace(5)", ""],
    &["call void", "tail call void", "musttail call void"],
];

/// Words that are put anywhere: mostly the IR no longer parses.
const WORDS: &[&str] = &[
    "ptr",
    "float",
    "void",
    "zeroinitializer",
    "volatile",
    "convergent",
    "ptx_kernel",
    "internal",
    "weak",
    "@helper",
    "@__gicc_put_block",
    "@__gicc_publish",
    "label %l",
    "align 16",
    "\"x86_64\"",
    "<4 x i32>",
    "{ i32, ptr }",
    "",
];

/// A small generator, so that a failure can be repeated from its number.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// The input of this number: a few tokens of the seed replaced, dropped or repeated.
fn mutated(number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut lines: Vec<String> = SEED.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        match random.below(16) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[random.below(lines.len())].clone()),
            2 => {
                let mut words: Vec<&str> = lines[at].split(' ').collect();
                let position = random.below(words.len());
                words[position] = WORDS[random.below(WORDS.len())];
                lines[at] = words.join(" ");
            }
            _ => {
                let kind = KINDS[random.below(KINDS.len())];
                let (old, new) = (kind[random.below(kind.len())], kind[random.below(kind.len())]);
                let found = (0..lines.len()).map(|i| (at + i) % lines.len()).find(|&i| lines[i].contains(old));
                if let Some(found) = found.filter(|_| !old.is_empty()) {
                    lines[found] = lines[found].replacen(old, new, 1);
                }
            }
        }
    }
    lines.join("\n")
}

#[test]
fn changed_inputs_are_accepted_or_refused() {
    let count = std::env::var("GICC_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let bench = Bench::new();
    let (mut accepted, mut crashes) = (0, Vec::new());
    for number in 1..=count {
        let text = mutated(number);
        let path = bench.file("m.ll", &text);
        let outcome = bench.gicc(&[&path.display().to_string(), "-o", "-"]);
        accepted += u64::from(outcome.code == 0);
        if !(0..=2).contains(&outcome.code) {
            let changes = text.lines().filter(|l| !SEED.contains(l)).collect::<Vec<_>>().join("\n");
            crashes.push(format!("input {number}: exit code {}\n{}\n{changes}", outcome.code, outcome.stderr));
        }
    }
    assert!(crashes.is_empty(), "{} crashes\n{}", crashes.len(), crashes.join("\n"));
    assert!(accepted * 10 >= count && accepted < count, "{accepted} of {count}: the changes test nothing");
}
