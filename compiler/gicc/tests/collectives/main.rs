//! Collectives in the simulator against a CPU reference of higher precision: operations, element types, algorithms, groups,
//! 1 to 9 PEs, counts with and without ends, in place, at odd addresses, in symmetric and other memory. Every PE must have the
//! same bits. A pairwise choice runs always; all combinations of operation, type, algorithm, group and number of PEs by hand:
//!
//!     cargo test --release -p gicc --test collectives -- --ignored --nocapture

mod case;
mod machine;
#[path = "../sim_support/pes.rs"]
mod pes;
mod reference;
mod teams;

use std::collections::BTreeMap;

use case::{Case, Kernel, pairwise};
use gicc_abi::codes::ElementType;
use machine::{Loaded, compile_kernels};
use rand::SeedableRng as _;
use rand::rngs::StdRng;

/// Runs cases, compiled together by element type; what failed.
fn run_all(cases: &[Case], seed: u64) -> Vec<String> {
    let mut failures = Vec::new();
    for &element in ElementType::ALL {
        let of_type: Vec<&Case> = cases.iter().filter(|c| c.kernel.element == element).collect();
        if of_type.is_empty() {
            continue;
        }
        let mut kernels: Vec<Kernel> = of_type.iter().map(|c| c.kernel).collect();
        kernels.sort();
        kernels.dedup();
        // A module of moderate size: compilers are not linear.
        for part in kernels.chunks(40) {
            let program = compile_kernels(part);
            let mut machines: BTreeMap<u32, Loaded> = BTreeMap::new();
            for case in of_type.iter().filter(|c| part.contains(&c.kernel)) {
                let machine = machines.entry(case.pes).or_insert_with(|| Loaded::new(case.pes, program.path()));
                if let Err(why) = machine.run(case, seed) {
                    failures.push(format!("{case:?}: {why}"));
                    machines.remove(&case.pes);
                }
            }
        }
    }
    failures
}

fn expect_none(failures: &[String], cases: usize) {
    assert!(
        failures.is_empty(),
        "{} of {cases} cases failed:\n{}",
        failures.len(),
        failures[..failures.len().min(8)].join("\n")
    );
}

#[test]
fn a_pairwise_choice_is_right() {
    let mut random = StdRng::seed_from_u64(3);
    let cases = pairwise(&mut random, 150);
    expect_none(&run_all(&cases, 1), cases.len());
}

#[test]
#[ignore = "thousands of cases; by hand"]
fn every_operation_type_algorithm_group_and_team_is_right() {
    let seed = std::env::var("GICC_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut random = StdRng::seed_from_u64(seed);
    let cases: Vec<Case> = Kernel::all()
        .iter()
        .flat_map(|k| (1..=9).map(|pes| Case::draw(*k, pes, &mut random)).collect::<Vec<_>>())
        .collect();
    let failures = run_all(&cases, seed);
    println!("{} cases, seed {seed}: {} failed", cases.len(), failures.len());
    expect_none(&failures, cases.len());
}
