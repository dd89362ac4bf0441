//! Random inline PTX: instructions of communication with modifiers that fit or do not, operands that are there or not, and
//! what stands around them (blocks, predicates, labels, declarations).

use rand::RngExt as _;
use rand::rngs::StdRng;

const OPERATIONS: &[&str] = &[
    "ld",
    "st",
    "red",
    "atom",
    "fence",
    "membar",
    "bar",
    "barrier",
    "multimem.red",
    "multimem.ld_reduce",
    "multimem.st",
    "cp.async.bulk",
    "cp.reduce.async.bulk",
    "mbarrier",
    "ldu",
    "prefetch",
    "discard",
    "mov",
    "add",
    "setp",
    "selp",
    "cvta",
    "bra",
    "nanosleep",
    "no.such",
];

const MODIFIERS: &[&str] = &[
    ".relaxed",
    ".release",
    ".acquire",
    ".acq_rel",
    ".sc",
    ".weak",
    ".volatile",
    ".mmio",
    ".sys",
    ".gpu",
    ".cta",
    ".cluster",
    ".global",
    ".shared",
    ".shared::cta",
    ".shared::cluster",
    ".local",
    ".param",
    ".const",
    ".nc",
    ".v2",
    ".v4",
    ".u8",
    ".u16",
    ".u32",
    ".u64",
    ".s32",
    ".b32",
    ".b64",
    ".b128",
    ".f32",
    ".f16x2",
    ".bf16x2",
    ".add",
    ".cas",
    ".exch",
    ".min",
    ".inc",
    ".or",
    ".proxy",
    ".async",
    ".alias",
    ".tensormap::generic",
    ".mbarrier",
    ".mbarrier::complete_tx::bytes",
    ".bulk_group",
    ".commit_group",
    ".wait_group",
    ".read",
    ".init",
    ".arrive",
    ".expect_tx",
    ".try_wait",
    ".test_wait",
    ".parity",
    ".inval",
    ".sync",
    ".red",
    ".popc",
    ".aligned",
    ".wait",
    ".L1::no_allocate",
    ".L2::128B",
    ".level::eviction_priority",
    ".noftz",
    ".eq",
    ".ne",
    ".lt",
    ".to",
];

const OPERANDS: &[&str] = &[
    "[$0]",
    "[$0+8]",
    "[$0+-16]",
    "$0",
    "$1",
    "%r1",
    "{$1,$1}",
    "{$1,$1,$1,$1}",
    "{%r1, %r2}",
    "0",
    "16",
    "-1",
    "0xffffffffffffffff",
    "0f3F800000",
    "p",
    "!p",
    "[%rd1]",
    "[smem]",
    "L",
    "$2",
    "$9",
    "[$0",
    "%tid.x",
    "",
];

const WORDS: &[&str] = &[
    "{ ",
    " }",
    "@p ",
    "@!p ",
    "L: ",
    ".reg .pred p; ",
    ".reg .u32 %r1; ",
    ".reg .b64 %rd<4>; ",
    ".shared .b64 smem; ",
    "setp.eq.u32 p, $1, 0; ",
    "mov.u64 %rd1, $0; ",
    "// ",
    "/* ",
    "*/ ",
    "\\09",
    "\\0A",
    "$$ ",
    "ret; ",
    "trap; ",
    ";;",
];

fn pick<'a>(random: &mut StdRng, from: &[&'a str]) -> &'a str {
    from[random.random_range(0..from.len())]
}

/// One of the words that stand in assembly, of whatever kind.
pub(crate) fn word(random: &mut StdRng) -> &'static str {
    match random.random_range(0..4) {
        0 => pick(random, OPERATIONS),
        1 => pick(random, MODIFIERS),
        2 => pick(random, OPERANDS),
        _ => pick(random, WORDS),
    }
}

/// The text of one `asm`: `$0` is a pointer, `$1` a number.
pub(crate) fn text(random: &mut StdRng) -> String {
    let mut text = String::new();
    for _ in 0..random.random_range(1..5) {
        if random.random_range(0..4) == 0 {
            text += pick(random, WORDS);
        }
        text += pick(random, OPERATIONS);
        for _ in 0..random.random_range(0..6) {
            text += pick(random, MODIFIERS);
        }
        for operand in 0..random.random_range(0..4) {
            text += if operand == 0 { " " } else { ", " };
            text += pick(random, OPERANDS);
        }
        if random.random_range(0..16) != 0 {
            text += "; ";
        }
    }
    text
}
