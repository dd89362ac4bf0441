//! Random changes of kernels that are there: words, lines and pieces of inline PTX.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::random_kernels::assembly;

/// Words of one kind, which are put in each other's place: mostly the input still parses.
const KINDS: &[&[&str]] = &[
    &["release", "acquire", "acq_rel", "seq_cst", "monotonic", "relaxed", "volatile", "weak", "sc"],
    &["sys", "gpu", "cta", "cluster"],
    &["syncscope(\"device\") ", "syncscope(\"block\") ", ""],
    &["icmp eq", "icmp ne", "icmp ult", "icmp ugt", "icmp slt", "icmp sge"],
    &[" add ", " sub ", " mul ", " udiv ", " srem ", " shl ", " lshr ", " and ", " xor "],
    &["st.", "ld.", "red.", "atom.", "fence.", "multimem.st."],
    &[".u32", ".u64", ".b128", ".v4.f32", ".v2.u64", ".u16"],
    &["i32 ", "i64 ", "i8 ", "i128 ", "<4 x i32> ", "ptr "],
    &["@llvm.nvvm.membar.sys", "@llvm.nvvm.membar.gl", "@llvm.nvvm.membar.cta"],
    &["load ", "load volatile "],
    &["store ", "store volatile "],
    &["br i1 true", "br i1 false"],
    &["i32 0", "i32 1", "i32 2", "i32 32", "i32 -1", "i32 undef", "i32 2147483647"],
    &["i64 0", "i64 1", "i64 8", "i64 -1", "i64 poison", "i64 9223372036854775807"],
];

/// The text with a few of its tokens or lines changed.
pub(crate) fn changed(text: &str, seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.random_range(1..8) {
        let at = random.random_range(0..lines.len());
        let near = |wanted: &dyn Fn(&str) -> bool| {
            (0..lines.len()).map(|i| (at + i) % lines.len()).find(|&i| wanted(&lines[i]))
        };
        match random.random_range(0..16) {
            0 => drop(lines.remove(at)),
            1 | 2 => {
                // A call or a store stands twice, or elsewhere.
                let Some(found) = near(&|l| l.starts_with("  call void ") || l.starts_with("  store ")) else {
                    continue;
                };
                let line = if random.random() { lines[found].clone() } else { lines.remove(found) };
                let to = (found + random.random_range(0..9)).saturating_sub(4).min(lines.len() - 1);
                lines.insert(to, line);
            }
            3..=6 => {
                // A word of assembly is replaced, dropped, or put in.
                let Some(found) = near(&|l| l.contains(" asm ")) else { continue };
                let Some((before, rest)) = lines[found].split_once('"') else { continue };
                let Some((code, after)) = rest.split_once('"') else { continue };
                let mut words: Vec<String> = code.split_inclusive(['.', ' ', ',', ';']).map(str::to_owned).collect();
                let position = random.random_range(0..=words.len());
                let new = assembly::word(&mut random).to_owned();
                match (random.random_range(0..3), position < words.len()) {
                    (0, true) => words[position] = new,
                    (1, true) => drop(words.remove(position)),
                    _ => words.insert(position, new),
                }
                lines[found] = format!("{before}\"{}\"{after}", words.concat());
            }
            _ => {
                let kind = KINDS[random.random_range(0..KINDS.len())];
                let (old, new) = (kind[random.random_range(0..kind.len())], kind[random.random_range(0..kind.len())]);
                let found = near(&|l| l.starts_with("  ") && !old.is_empty() && l.contains(old));
                if let Some(found) = found {
                    lines[found] = lines[found].replacen(old, new, 1);
                }
            }
        }
    }
    lines.join("\n")
}
