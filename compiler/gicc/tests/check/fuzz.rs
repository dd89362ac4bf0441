//! Whatever the input, the check ends with a report or refuses it: no panic, no abort of LLVM's, and all forms of the report
//! can be written. `GICC_CHECK_FUZZ_SECONDS=3600 cargo test --release -p gicc --test check fuzz -- --nocapture` runs longer
//! than the seconds of the tests, and `GICC_CHECK_FUZZ_FIRST` says with which number it begins.

use std::time::{Duration, Instant};

use gicc::analysis::annotation::Assume;
use gicc::check::form;

use super::change::changed;
use super::random_kernels::kernel;
use super::support::{checked, protocols};

/// Seconds in the tests.
const SECONDS: u64 = 60;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Says which input it was when the check panics.
struct Input(u64);

impl Drop for Input {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("GICC_CHECK_FUZZ_FIRST={} repeats it", self.0);
        }
    }
}

#[test]
fn fuzz() {
    let seconds = number("GICC_CHECK_FUZZ_SECONDS");
    let first = number("GICC_CHECK_FUZZ_FIRST").unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(SECONDS));
    let protocols = protocols();
    // Not removed when LLVM aborts: the input lies there.
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("kernel.ll");
    let (mut seed, mut reports, mut findings) = (first, 0_u64, 0);
    let mut slowest = (Duration::ZERO, 0);
    while Instant::now() < end || seed < first + 30 {
        let input = Input(seed);
        let text = match seed % 3 {
            0 => changed(&protocols[(seed as usize / 3) % protocols.len()], seed),
            1 => kernel(seed),
            _ => changed(&kernel(seed), seed),
        };
        let assume = [Assume::Evidence, Assume::Aggressive, Assume::Annotated][seed as usize / 3 % 3];
        let start = Instant::now();
        // What is wrong with an input is said; that it parses no longer is the commonest.
        if let Ok(report) = checked(&path, &text, assume) {
            reports += 1;
            findings += report.findings().count();
            let _ = (serde_json::to_string(&form::json(&report)).unwrap(), form::sarif(&report, "0"));
        }
        slowest = slowest.max((start.elapsed(), seed));
        drop(input);
        seed += 1;
    }
    let all = seed - first;
    eprintln!("{all} inputs from {first}: {reports} reports with {findings} findings, slowest {slowest:?}");
    assert!(reports * 4 >= all, "{reports} of {all}: the changes test nothing");
    assert!(findings > 0 || all < 1000, "nothing was found in {all} inputs: the changes test nothing");
}
