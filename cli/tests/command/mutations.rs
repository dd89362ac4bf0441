//! Changed inputs: whatever is done to an input, the command accepts or refuses it. It never crashes, and nothing aborts
//! inside LLVM or MLIR. A smoke run; GICC_MUTATIONS sets another number of changed inputs.

use crate::bench::Bench;

/// What is changed, and with which words.
struct Seed {
    /// The name of the input's file.
    file: &'static str,
    text: &'static str,
    /// Words of one kind, which are put in each other's place: mostly the input still parses.
    kinds: &'static [&'static [&'static str]],
    /// Words that are put anywhere: mostly the input no longer parses.
    words: &'static [&'static str],
}

/// IR with the intrinsics, atomics, scopes and inline PTX in which mistakes are expensive.
const IR: Seed = Seed {
    file: "m.ll",
    text: include_str!("mutations.ll"),
    kinds: &[
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
    ],
    words: &[
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
    ],
};

/// The operations of the dialect, in kernels.
const MLIR: Seed = Seed {
    file: "m.mlir",
    text: include_str!("mutations.mlir"),
    kinds: &[
        &["0", "1", "2", "4", "8", "64", "-1", "4294967296", "9223372036854775807", "?"],
        &["thread", "warp", "block", "grid"],
        &["f32", "f16", "i64", "i32", "index", "vector<4xf32>", "i7", "none"],
        &["%to", "%from", "%p", "%word", "%slot", "%there"],
        &["%n", "%v", "%pe", "%me", "%c", "%tid", "%seen"],
        &["memref<64xf32>", "memref<?xf32>", "memref<8x8xf32>", "memref<f32>", "memref<64xf32, 3>", "!llvm.ptr"],
        &["!llvm.ptr", "!llvm.ptr<3>", "!llvm.ptr<1>", "!llvm.ptr<99>", "tensor<4xf32>", "memref<*xf32>"],
        &["ge", "lt", "eq", "set", "add"],
        &["simple", "ll", "automatic", "bulk", "queue"],
        &["@world", "@halo", "@ring", "@more", "@none"],
        &["gicc.put", "gicc.get", "gicc.quiet", "gicc.all_reduce", "gicc.initiate", "arith.addi"],
        &["scope(gpu)", "scope(sys)", "scope(auto)", "order(relaxed)", "order(acquire)", ""],
        &[" kernel", " attributes {gicc.kernel}", " attributes {gicc.kernel = 1}", ""],
        &["scf.for", "scf.if", "scf.while", "affine.for"],
    ],
    words: &[
        "module",
        "{",
        "}",
        "(",
        ":",
        "->",
        "loc(\"a\":1:2)",
        "loc(unknown)",
        "#gicc<group block>",
        "!gicc.event<thread>",
        "!gicc.channel<f32, simple, slots = 0, capacity = 1>",
        "dense<1> : tensor<2xi32>",
        "\"gicc.put\"()",
        "^bb0:",
        "@ring",
        "0x7fffffffffffffffffffff",
        "\"",
        "",
    ],
};

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
fn mutated(seed: &Seed, number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut lines: Vec<String> = seed.text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        match random.below(16) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[random.below(lines.len())].clone()),
            2 => {
                let mut words: Vec<&str> = lines[at].split(' ').collect();
                let position = random.below(words.len());
                words[position] = seed.words[random.below(seed.words.len())];
                lines[at] = words.join(" ");
            }
            _ => {
                let kind = seed.kinds[random.below(seed.kinds.len())];
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

fn accepted_or_refused(seed: &Seed) {
    let count = std::env::var("GICC_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let bench = Bench::new();
    let (mut accepted, mut crashes) = (0, Vec::new());
    for number in 1..=count {
        let text = mutated(seed, number);
        let path = bench.file(seed.file, &text);
        let outcome = bench.gicc(&[&path.display().to_string(), "-o", "-"]);
        accepted += u64::from(outcome.code == 0);
        if !(0..=2).contains(&outcome.code) {
            let changes = text.lines().filter(|l| !seed.text.contains(l)).collect::<Vec<_>>().join("\n");
            crashes.push(format!("input {number}: exit code {}\n{}\n{changes}", outcome.code, outcome.stderr));
        }
    }
    assert!(crashes.is_empty(), "{} crashes\n{}", crashes.len(), crashes.join("\n"));
    assert!(accepted * 20 >= count && accepted < count, "{accepted} of {count}: the changes test nothing");
}

#[test]
fn changed_ir_is_accepted_or_refused() {
    accepted_or_refused(&IR);
}

#[test]
fn changed_mlir_is_accepted_or_refused() {
    accepted_or_refused(&MLIR);
}
