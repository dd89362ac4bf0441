//! Random kernels of writes, signals, releases, barriers, branches and loops: whatever `place_fences` shares, hoists or leaves
//! out, every signal must publish what its requirement says. The oracle is the memory model, on the events of the emitted
//! PTX; the generator knows only which writes come before which signals.
//!
//! A short run is part of the tests; `GICC_FENCE_FUZZ_SECONDS=3600 cargo test --release --test fence_fuzz -- --ignored` is a
//! long one.

#[path = "template_proofs/extract.rs"]
#[allow(dead_code, reason = "the template proofs use more of it")]
mod extract;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use extract::{BASE, Block, PRIVATE, Range, extract};
use gicc::diagnostic::{Diagnostic, Severity};
use gicc::driver::{Arch, Observer, Options, Stage, Tools, compile};
use memory_model as mm;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

const DATA: u64 = BASE + 0xA_0000;
const FLAGS: u64 = BASE + 0xB_0000;
/// Bytes from one flag to the next.
const FLAG_STRIDE: u64 = 128;
/// Kernels in one source: clang's start costs more than a kernel.
const KERNELS: usize = 16;

/// One step of a kernel; both threads pass it, those it names act.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// The thread stores to its own word of PE 1. `bit`: only if this bit of the argument is set.
    Write { thread: u32, word: u64, bit: Option<u32> },
    /// The thread signals flag `flag` of PE 1.
    Signal { thread: u32, flag: u64, releases: bool },
    /// The thread signals `count` flags from `flag` on, in a loop.
    Loop { thread: u32, flag: u64, count: u64 },
    /// The thread releases.
    Release { thread: u32 },
    /// All threads meet.
    Barrier,
}

/// A random kernel: at most five words and five flags, so that all executions can be looked at.
fn random_steps(rng: &mut StdRng) -> Vec<Step> {
    let (mut words, mut flags, mut bits) = (0, 0, 0);
    let mut steps = Vec::new();
    for _ in 0..rng.random_range(4..11) {
        let thread = rng.random_range(0..2);
        match rng.random_range(0..10) {
            0..=2 if words < 5 => {
                let bit = rng.random_bool(0.3).then_some(bits);
                bits += u32::from(bit.is_some());
                steps.push(Step::Write { thread, word: words, bit });
                words += 1;
            }
            3..=5 if flags < 5 => {
                steps.push(Step::Signal { thread, flag: flags, releases: rng.random_bool(0.8) });
                flags += 1;
            }
            6 if flags < 4 => {
                let count = rng.random_range(1..3);
                steps.push(Step::Loop { thread, flag: flags, count });
                flags += count;
            }
            7 => steps.push(Step::Release { thread }),
            8 => steps.push(Step::Barrier),
            _ => {}
        }
    }
    steps
}

/// The kernel's source. `bits` decides the branches and `counts` the loops at run time, so nothing is unrolled or folded.
fn source(name: &str, steps: &[Step]) -> String {
    let mut text = format!(
        "extern \"C\" __global__ void {name}(unsigned *data, signal_t *flags, unsigned long bits, unsigned long one) {{\n"
    );
    for step in steps {
        let line = match *step {
            Step::Write { thread, word, bit } => {
                let condition = bit.map_or(String::new(), |b| format!(" && (bits >> {b} & 1)"));
                format!("if (threadIdx.x == {thread}{condition}) write(peer_ptr(data, 1) + {word}, 7);")
            }
            Step::Signal { thread, flag, releases } => {
                let order = if releases { "release" } else { "relaxed" };
                format!("if (threadIdx.x == {thread}) signal(flags + {} * 16, 1, 1, op::set, order::{order});", flag)
            }
            Step::Loop { thread, flag, count } => format!(
                "if (threadIdx.x == {thread}) for (unsigned long j = 0; j < {count} * one; j++) signal(flags + ({flag} + j) * 16, 1, 1);"
            ),
            Step::Release { thread } => format!("if (threadIdx.x == {thread}) release();"),
            Step::Barrier => "__syncthreads();".to_owned(),
        };
        let _ = writeln!(text, "  {line}");
    }
    text + "}\n"
}

/// What a signal has to publish: the words that were written before it, or before the release that covers it.
fn published(steps: &[Step], at: usize, bits: u64) -> Vec<u64> {
    let (thread, releases) = match steps[at] {
        Step::Signal { thread, releases, .. } => (thread, releases),
        Step::Loop { thread, .. } => (thread, true),
        _ => return Vec::new(),
    };
    // A relaxed signal publishes what its thread's last release before it did.
    let last_release = steps[..at].iter().rposition(|s| *s == Step::Release { thread });
    let Some(until) = (if releases { Some(at) } else { last_release }) else { return Vec::new() };
    let mut found = Vec::new();
    for (q, step) in steps[..until].iter().enumerate() {
        if let Step::Write { thread: writer, word, bit } = *step {
            let executed = bit.is_none_or(|b| bits >> b & 1 == 1);
            let met = steps[q..until].contains(&Step::Barrier);
            if executed && (writer == thread || met) {
                found.push(word);
            }
        }
    }
    found
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

fn ptx_of(text: &str, arch: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("kernels.cu");
    std::fs::write(&path, text).expect("the temporary folder is writable");
    let mut options = Options::new(vec![path], Tools::discover());
    options.arch = Arch::from_name(arch).expect("a known architecture");
    let mut errors = Errors(String::new());
    let compiled = compile(&options, &mut errors).unwrap_or_else(|_| panic!("{}\n{text}", errors.0));
    String::from_utf8(compiled.products[0].1.clone()).expect("PTX is text")
}

/// Checks every signal of a kernel; how many had something to publish.
fn check(ptx: &str, name: &'static str, steps: &[Step], bits: u64) -> usize {
    let ranges = [
        Range { start: DATA, bytes: 64, name: Some("data") },
        Range { start: FLAGS, bytes: 8 * FLAG_STRIDE, name: Some("flags") },
        Range { start: PRIVATE, bytes: 16, name: None },
    ];
    let block = Block::new(name, 0, &[DATA, FLAGS, bits, 1]);
    let sent = extract(ptx, &[block], &ranges, &[0; 16]).unwrap_or_else(|e| panic!("{e}"));
    let mut checked = 0;
    for (at, step) in steps.iter().enumerate() {
        let flags = match *step {
            Step::Signal { flag, .. } => flag..flag + 1,
            Step::Loop { flag, count, .. } => flag..flag + count,
            _ => continue,
        };
        let words = published(steps, at, bits);
        for flag in flags {
            if words.is_empty() {
                continue;
            }
            checked += 1;
            let mut program = sent.program.clone();
            let (data, word) = (program.symbol("data@1"), program.symbol("flags@1"));
            let mut waiter = program.thread("waiter", mm::Place::block(1, 0));
            let sys = mm::Scope::Sys;
            let flag_word = mm::Access::strong(mm::Semantics::Acquire, sys, word, 8).at(flag * FLAG_STRIDE);
            waiter.poll("seen", flag_word, 1);
            for w in &words {
                waiter.load(&format!("r{w}"), mm::Access::weak(data, 4).at(w * 4));
            }
            let stale = words
                .iter()
                .map(|w| mm::Condition::register("waiter", &format!("r{w}"), 7).not())
                .reduce(mm::Condition::or)
                .expect("there are words");
            let verdict = mm::Model::default().check(&program, &stale).unwrap_or_else(|e| panic!("{e}"));
            assert!(
                verdict.is_forbidden(),
                "flag {flag} of step {at} does not publish {words:?}, bits {bits:b}\n{}\n{verdict:?}",
                source(name, steps)
            );
        }
    }
    checked
}

/// Compiles and checks one file of random kernels; how many signals were checked.
fn one_file(seed: u64) -> usize {
    let mut rng = StdRng::seed_from_u64(seed);
    let kernels: Vec<(&'static str, Vec<Step>)> = (0..KERNELS)
        .map(|n| {
            let name: &'static str = Box::leak(format!("k{n}").into_boxed_str());
            (name, random_steps(&mut rng))
        })
        .collect();
    let mut text = String::from(
        "#include <gicc/gicc.cuh>\nusing namespace gicc;\n__device__ void write(unsigned *p, unsigned v) {\n  \
         asm volatile(\"st.global.u32 [%0], %1;\" ::\"l\"(p), \"r\"(v) : \"memory\");\n}\n",
    );
    for (name, steps) in &kernels {
        text += &source(name, steps);
    }
    let ptx = ptx_of(&text, if seed.is_multiple_of(2) { "sm_90" } else { "sm_80" });
    kernels.iter().map(|(name, steps)| check(&ptx, name, steps, 0b10101) + check(&ptx, name, steps, 0b11111)).sum()
}

#[test]
fn signals_of_random_kernels_publish_what_they_must() {
    let checked: usize = (0..2).map(one_file).sum();
    assert!(checked > 30, "only {checked} signals had anything to publish");
}

/// The oracle can fail: a signal that was made relaxed by hand is found.
#[test]
fn a_lost_release_is_found() {
    let steps = [Step::Write { thread: 0, word: 0, bit: None }, Step::Signal { thread: 0, flag: 0, releases: true }];
    let text = format!(
        "#include <gicc/gicc.cuh>\nusing namespace gicc;\n__device__ void write(unsigned *p, unsigned v) {{ *p = v; }}\n{}",
        source("k", &steps)
    );
    let ptx = ptx_of(&text, "sm_90");
    assert_eq!(check(&ptx, "k", &steps, 0), 1);
    let broken = ptx.replace("st.release.sys", "st.relaxed.sys");
    assert_ne!(ptx, broken);
    let caught = std::panic::catch_unwind(|| check(&broken, "k", &steps, 0));
    assert!(caught.is_err(), "a relaxed signal passed");
}

#[test]
#[ignore = "runs as long as GICC_FENCE_FUZZ_SECONDS says"]
fn long_run() {
    let seconds = std::env::var("GICC_FENCE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut checked) = (1000, 0);
    while Instant::now() < end {
        checked += one_file(seed);
        seed += 1;
    }
    println!("{} files, {checked} signals checked", seed - 1000);
}
