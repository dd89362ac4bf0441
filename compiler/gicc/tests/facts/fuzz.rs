//! Random kernels: whatever they do, the analysis ends with an answer, the same answer under other names, and without a panic.
//! `GICC_FACTS_SECONDS=3600 cargo test --release -p gicc --test facts fuzz` runs longer than the usual seconds.

use std::time::{Duration, Instant};

use gicc::analysis::annotation::Assume;
use gicc::analysis::communication::Communication;
use gicc::analysis::communication::json::communication;
use gicc::diagnostic::Diagnostic;
use gicc::explain::{Sources, annotated, dot, svg};

use super::random_kernels::kernel;
use super::support::try_examine;

/// All that is said of a module's sites, without names and columns.
fn said(found: &Communication) -> Vec<String> {
    let json = communication(found);
    let sites = json.kernels.iter().flat_map(|k| &k.sites);
    sites
        .map(|s| {
            let order: Vec<_> = s.ordered_by.iter().map(|o| (o.how, o.site)).collect();
            format!("{} {:?} {} {:?} {} {:?} {order:?}", s.class, s.line, s.op, s.remote, s.executed_by, s.why)
        })
        .collect()
}

#[test]
fn random_kernels_have_an_answer_that_names_do_not_change() {
    let seconds = std::env::var("GICC_FACTS_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut answers) = (0, 0);
    while Instant::now() < end || seed < 20 {
        let text = kernel(seed);
        let renamed =
            text.replace("@k(", "@other(").replace("@g", "@x").replace("%a", "%first").replace("%s", "%third");
        let codes = |errors: Vec<Diagnostic>| errors.into_iter().map(|error| error.code).collect::<Vec<_>>();
        match (try_examine(&text, Assume::Aggressive, None), try_examine(&renamed, Assume::Aggressive, None)) {
            (Ok(found), Ok(again)) => {
                answers += 1;
                let _ = annotated(&found, &mut Sources::default());
                let _ = (dot(&found), svg(&found));
                assert_eq!(said(&found), said(&again), "seed {seed}\n{text}");
            }
            // Assembly that names operands wrongly is refused, and what no peer can have, as in a compilation.
            (one, other) => assert_eq!(one.map_err(codes).err(), other.map_err(codes).err(), "seed {seed}\n{text}"),
        }
        seed += 1;
    }
    assert!(answers * 4 >= seed, "{answers} of {seed}: the kernels test nothing");
}
