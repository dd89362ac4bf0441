//! Damaged PTX: nothing panics, what is still read prints stably, and the executor ends with a result or an error.
//!
//! The short run is part of the suite, with a fixed seed. By hand, for an hour:
//! `GICC_PTX_FUZZ_SECONDS=3600 cargo test --release -p ptx --test fuzz -- --ignored`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ptx::trace::{ConcreteMemory, Launch, run};
use std::time::{Duration, Instant};

/// A small generator with a fixed sequence (xorshift64*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn inputs() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/inputs");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let texts = paths.iter().filter(|path| path.extension().is_some_and(|e| e == "ptx"));
    texts.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// A few random changes: of bytes, of lines, of numbers, of words between texts.
fn damage(random: &mut Random, texts: &[String]) -> String {
    let mut text = texts[random.below(texts.len())].clone().into_bytes();
    for _ in 0..1 + random.below(6) {
        let at = random.below(text.len());
        match random.below(8) {
            0 => text[at] = random.next() as u8,
            1 => text[at] ^= 1 << random.below(8),
            2 => drop(text.drain(at..(at + random.below(40)).min(text.len()))),
            3 => {
                let piece = text[at..(at + random.below(80)).min(text.len())].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            4 => {
                let other = texts[random.below(texts.len())].as_bytes();
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(120)).min(other.len())].to_vec();
                text.splice(at..at, piece);
            }
            5 => {
                let numbers =
                    ["0", "-1", "4294967295", "18446744073709551615", "0x8000000000000000", "0f7FC00000", "31"];
                let word = numbers[random.below(numbers.len())];
                let start = text[at..].iter().position(u8::is_ascii_digit).map_or(at, |i| at + i);
                let end = text[start..].iter().position(|b| !b.is_ascii_digit()).map_or(start, |i| start + i);
                text.splice(start..end, word.bytes());
            }
            6 => {
                let words = [".sys", ".gpu", ".cta", ".u8", ".b128", ".v4", ".s64", ".relaxed", ".cc", ".wide", ".hi"];
                text.splice(at..at, words[random.below(words.len())].bytes());
            }
            _ => text[at] = b"{}[]();,.:%$@!|+-"[random.below(17)],
        }
        if text.is_empty() {
            text.push(b' ');
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn one(random: &mut Random, texts: &[String]) -> bool {
    let text = damage(random, texts);
    let Ok(module) = ptx::parse_module(&text) else { return false };
    let printed = module.to_string();
    let again = ptx::parse_module(&printed).unwrap_or_else(|e| panic!("{e}\n{text}\n=====\n{printed}"));
    assert_eq!(again.to_string(), printed, "{text}");
    for mutation in ptx::mutate::mutations(&text, &module).iter().take(4) {
        let _ = ptx::parse_module(&mutation.apply(&text));
    }
    for function in module.functions().filter(|function| function.is_entry && function.body.is_some()) {
        let mut memory = ConcreteMemory::new();
        memory.region(0x1000, vec![1; 4096]).region(0, vec![0; 256]);
        let mut launch = Launch::new(&module, function.name.clone()).block(34, 1, 1);
        launch.step_limit = 300;
        for parameter in &function.parameters {
            if parameter.size() > 4096 {
                return true;
            }
            let bytes: Vec<u8> = 0x1000u64.to_le_bytes().into_iter().cycle().take(parameter.size() as usize).collect();
            launch = launch.parameter(bytes);
        }
        let _ = run(&launch, &mut memory);
    }
    true
}

fn fuzz(seed: u64, time: Duration) {
    let texts = inputs();
    let mut random = Random(seed);
    let start = Instant::now();
    let (mut tried, mut read) = (0u64, 0u64);
    while start.elapsed() < time {
        tried += 1;
        read += u64::from(one(&mut random, &texts));
    }
    println!("{tried} texts, of which {read} were read");
    assert!(read > 0, "no damaged text was read at all");
}

#[test]
fn damaged_texts_for_two_seconds() {
    fuzz(0x9e37_79b9_7f4a_7c15, Duration::from_secs(2));
}

#[test]
#[ignore = "runs for GICC_PTX_FUZZ_SECONDS, by hand"]
fn damaged_texts_for_long() {
    let seconds = std::env::var("GICC_PTX_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1;
    println!("seed {seed}");
    fuzz(seed, Duration::from_secs(seconds));
}
