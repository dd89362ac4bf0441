//! Random small programs in the engine of weak memory: what it reaches is a subset of what the axioms allow. This is the
//! most important test of the engine: it knows nothing of the axioms, and the axioms nothing of it.

use gicc_sim::weak::Options;
use gicc_sim::weak::choice::Seeded;
use gicc_sim::weak::program::{compare, run, run_recorded};
use gicc_sim::weak::record::RecordError;
use memory_model::{
    Access, Address, BarrierAction, BarrierLevel, Comparison, LocationId, Model, ModelError, Op, Operand, Place,
    Program, ProxyFence, RaceKind, RmwFunction, Scope, Semantics, Step, Thread, Until,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
const FENCES: [Semantics; 4] =
    [Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease, Semantics::SequentiallyConsistent];

/// Random programs; more with `WEAK_CASES`.
fn cases() -> u32 {
    std::env::var("WEAK_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
}

#[derive(Default)]
struct Reached {
    programs: usize,
    allowed: usize,
    reached: usize,
    unreached_programs: usize,
}

#[test]
fn generic_accesses() {
    subset(&program(generic(vec![4]), 8), "generic");
}

#[test]
fn several_sizes() {
    subset(&program(generic(vec![2, 4, 8, 16]), 6), "sizes");
}

#[test]
fn atomic_chains() {
    let op = prop_oneof![3 => atom(), 2 => red(), 2 => load(vec![4]), 1 => store(vec![4]), 1 => fence()];
    subset(&program(op.boxed(), 7), "chains");
}

#[test]
fn barriers() {
    let op = prop_oneof![2 => barrier(), 2 => load(vec![4]), 2 => store(vec![4]), 1 => fence()];
    subset(&program(op.boxed(), 9), "barriers");
}

#[test]
fn asynchronous_copies() {
    let op = prop_oneof![
        3 => copy(), 2 => wait(), 2 => proxy_fence(), 2 => store(vec![4]), 2 => load(vec![4]), 1 => barrier(),
        1 => Just(Op::BulkCommit),
    ];
    subset(&program(op.boxed(), 8), "copies");
}

#[test]
fn sequentially_consistent_fences() {
    let fence = prop::sample::select(SCOPES.to_vec())
        .prop_map(|scope| Op::Fence { semantics: Semantics::SequentiallyConsistent, scope });
    let op = prop_oneof![2 => fence, 3 => load(vec![4]), 3 => store(vec![4])];
    subset(&program(op.boxed(), 8), "fence.sc");
}

#[test]
fn seeds_reach_what_the_axioms_allow_and_replay() {
    let mut runner = TestRunner::new(Config { cases: cases() / 4, failure_persistence: None, ..Config::default() });
    runner
        .run(&(program(generic(vec![4]), 8), any::<u64>()), |(program, seed)| {
            let Some(allowed) = allowed(&program) else { return Ok(()) };
            for seed in seed..seed.saturating_add(40) {
                // Short histories are left out early, so that this is seen too.
                let options = Options { history: 2 + (seed % 3) as usize, races: true };
                let first = run(&program, options, &mut Seeded::new(seed)).unwrap();
                prop_assert_eq!(
                    &first,
                    &run(&program, options, &mut Seeded::new(seed)).unwrap(),
                    "a seed gives one run"
                );
                if let Some(outcome) = first {
                    prop_assert!(allowed.contains(&outcome), "{:?} in\n{}", outcome, text(&program));
                }
            }
            Ok(())
        })
        .unwrap();
}

/// What was executed is a program, and the axioms allow it to return what it did.
#[test]
fn what_was_recorded_is_allowed() {
    let op = prop_oneof![
        8 => generic(vec![4]), 2 => copy(), 1 => wait(), 1 => proxy_fence(), 1 => Just(Op::BulkCommit), 1 => barrier(),
    ];
    let mut runner = TestRunner::new(Config { cases: cases() / 2, failure_persistence: None, ..Config::default() });
    let told = std::cell::Cell::new((0, 0));
    runner
        .run(&(program(op.boxed(), 8), any::<u64>()), |(program, seed)| {
            for seed in seed..seed.saturating_add(6) {
                let (outcome, recording) = run_recorded(&program, Options::default(), &mut Seeded::new(seed)).unwrap();
                if outcome.is_none() {
                    continue;
                }
                let (recorded, condition) = match recording.program() {
                    Ok(recorded) => recorded,
                    Err(RecordError::Unsupported(_)) => continue,
                    Err(error) => panic!("{error}"),
                };
                let (all, verdicts) = told.get();
                match Model::default().check(&recorded, &condition) {
                    Ok(verdict) => {
                        told.set((all + 1, verdicts + 1));
                        prop_assert!(
                            verdict.is_possible(),
                            "{}\nin\n{}\nof\n{}",
                            condition,
                            text(&recorded),
                            text(&program)
                        );
                    }
                    Err(ModelError::TooLarge { .. }) => told.set((all + 1, verdicts)),
                    Err(error) => panic!("{error} in\n{}", text(&recorded)),
                }
            }
            Ok(())
        })
        .unwrap();
    let (all, verdicts) = told.get();
    println!("{all} records, {verdicts} judged");
    assert!(all > 0 && verdicts * 10 > all * 9);
}

/// What the axioms allow; nothing where they say nothing.
fn allowed(program: &Program) -> Option<std::collections::BTreeSet<memory_model::Outcome>> {
    match Model::default().outcomes(program) {
        Ok(all) if all.races.iter().any(|r| r.kind == RaceKind::MixedSize) => None,
        Ok(all) => Some(all.outcomes),
        Err(ModelError::NoExecution) => Some(Default::default()),
        Err(ModelError::TooLarge { .. }) => None,
        Err(error) => panic!("{error}\n{}", text(program)),
    }
}

fn subset(programs: &BoxedStrategy<Program>, name: &str) {
    let mut runner = TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() });
    let totals = std::cell::RefCell::new(Reached::default());
    let result = runner.run(programs, |program| {
        let Some(allowed) = allowed(&program) else { return Ok(()) };
        let agreement = match compare(&program, &Model::default(), 20_000) {
            Ok(agreement) => agreement,
            Err(error) => panic!("{error}\n{}", text(&program)),
        };
        let mut totals = totals.borrow_mut();
        totals.programs += 1;
        totals.allowed += allowed.len();
        totals.reached += agreement.seen.outcomes.len();
        totals.unreached_programs += usize::from(!agreement.unreached.is_empty());
        prop_assert!(agreement.forbidden.is_empty(), "{:?} in\n{}", agreement.forbidden[0], text(&program));
        Ok(())
    });
    let totals = totals.into_inner();
    println!(
        "{name}: {} programs; {} of {} allowed outcomes reached; in {} programs something was not",
        totals.programs, totals.reached, totals.allowed, totals.unreached_programs
    );
    if let Err(error) = result {
        panic!("{error}");
    }
    // Programs count, and not outcomes: one with thousands of them would decide alone.
    let whole = totals.programs - totals.unreached_programs;
    assert!(whole * 3 > totals.programs, "the engine reaches hardly anything: all outcomes of {whole} programs only");
}

fn text(program: &Program) -> String {
    memory_model::litmus::program_text(program)
}

/// A program of at most `most` operations in two or three threads.
fn program(op: BoxedStrategy<Op>, most: usize) -> BoxedStrategy<Program> {
    let thread = (0..5_usize, prop::collection::vec(op, 1..5));
    prop::collection::vec(thread, 2..4)
        .prop_map(move |threads| {
            let mut program = Program::new();
            program.global("x");
            program.global("y");
            program.initial(LocationId(0), 0, 8, 0x7000_0000_0600);
            let mut left = most;
            for (index, (place, ops)) in threads.into_iter().enumerate() {
                let place = [
                    Place::block(0, 0),
                    Place::block(0, 0),
                    Place::block(0, 1),
                    Place::cluster_block(0, 0, 1),
                    Place::block(1, 0),
                ][place];
                let count = ops.len().min(left);
                left -= count;
                let mut steps: Vec<Step> = Vec::new();
                let mut loaded: Option<String> = None;
                for (step, mut op) in ops.into_iter().take(count).enumerate() {
                    name(&mut op, index, step, &mut loaded);
                    steps.push(Step { op, text: None });
                }
                program.threads.push(Thread { name: format!("T{index}"), place, steps });
            }
            program
        })
        .boxed()
}

/// Gives registers and values their names: each value is written once, and registers are assigned before use.
fn name(op: &mut Op, thread: usize, step: usize, loaded: &mut Option<String>) {
    let fresh = (thread * 10 + step + 1) as u128;
    match op {
        Op::Load { registers, .. } => {
            for (number, register) in registers.iter_mut().enumerate() {
                *register = format!("r{step}_{number}").into();
            }
            *loaded = Some(format!("r{step}_0"));
        }
        Op::Store { values, access } => {
            for (number, value) in values.iter_mut().enumerate() {
                *value = match (&value, &loaded) {
                    (Operand::Sum(..), Some(register)) => Operand::Sum(register.as_str().into(), 100),
                    _ => {
                        let high = if access.width > 8 { fresh << 64 } else { 0 };
                        Operand::Constant(high | fresh | (number as u128 + 1) << 8)
                    }
                };
            }
        }
        Op::Rmw { returns, register, function, .. } => {
            if *returns {
                *register = Some(format!("r{step}").into());
                *loaded = Some(format!("r{step}"));
            }
            if let RmwFunction::Exchange(value) | RmwFunction::CompareAndSwap { desired: value, .. } = function {
                *value = Operand::Constant(fresh);
            }
        }
        _ => {}
    }
}

fn generic(widths: Vec<u8>) -> BoxedStrategy<Op> {
    let wide = *widths.last().expect("there is a size") > 8;
    prop_oneof![
        4 => load(widths.clone()),
        4 => store(widths),
        2 => if wide { fence() } else { atom() },
        1 => if wide { fence() } else { red() },
        2 => fence(),
        1 => barrier(),
    ]
    .boxed()
}

fn scope() -> impl Strategy<Value = Scope> {
    prop::sample::select(SCOPES.to_vec())
}

fn access(widths: Vec<u8>, semantics: &[Semantics], locations: usize) -> impl Strategy<Value = Access> + use<> {
    let of = prop::sample::select(semantics.to_vec());
    ((0..locations).prop_map(LocationId), of, scope(), prop::sample::select(widths), 0..2_u64).prop_map(
        |(location, semantics, scope, width, half)| {
            let access = Access::strong(semantics, scope, location, width);
            if width < 8 { access.at(half * u64::from(width) * u64::from(width != 4)) } else { access }
        },
    )
}

fn load(widths: Vec<u8>) -> BoxedStrategy<Op> {
    (access(widths, &[Semantics::Weak, Semantics::Relaxed, Semantics::Acquire], 2), 0..8_u32)
        .prop_map(|(access, poll)| Op::Load {
            registers: vec!["r".into()],
            access,
            until: (poll == 0).then_some(Until { comparison: Comparison::Ge, value: 1 }),
        })
        .boxed()
}

fn store(widths: Vec<u8>) -> BoxedStrategy<Op> {
    (access(widths, &[Semantics::Weak, Semantics::Relaxed, Semantics::Release], 2), 0..4_u32)
        .prop_map(|(access, form)| {
            // One store in four writes two elements.
            if form == 0 && access.width <= 4 {
                let access = Access { address: Address { offset: 0, ..access.address }, ..access }.vector(2);
                return Op::Store { access, values: vec![Operand::Constant(0), Operand::Constant(0)] };
            }
            let value = if form == 1 { Operand::Sum("r".into(), 100) } else { Operand::Constant(0) };
            Op::Store { access, values: vec![value] }
        })
        .boxed()
}

fn atom() -> BoxedStrategy<Op> {
    let all = [Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease];
    (access(vec![4], &all, 2), 0..3_u32)
        .prop_map(|(access, form)| Op::Rmw {
            returns: true,
            register: None,
            access,
            function: match form {
                0 => RmwFunction::Add(1.into()),
                1 => RmwFunction::Exchange(0.into()),
                _ => RmwFunction::CompareAndSwap { expected: 1.into(), desired: 0.into() },
            },
        })
        .boxed()
}

fn red() -> BoxedStrategy<Op> {
    access(vec![4], &[Semantics::Relaxed, Semantics::Release], 2)
        .prop_map(|access| Op::Rmw { returns: false, register: None, access, function: RmwFunction::Add(1.into()) })
        .boxed()
}

fn fence() -> BoxedStrategy<Op> {
    (prop::sample::select(FENCES.to_vec()), scope())
        .prop_map(|(semantics, scope)| Op::Fence { semantics, scope })
        .boxed()
}

fn barrier() -> BoxedStrategy<Op> {
    let actions = vec![BarrierAction::Sync, BarrierAction::Sync, BarrierAction::Sync, BarrierAction::Arrive];
    (prop::sample::select(actions), any::<bool>())
        .prop_map(|(action, wide)| Op::Barrier {
            id: 0,
            action,
            level: if wide && action == BarrierAction::Sync { BarrierLevel::Cluster } else { BarrierLevel::Cta },
            participants: None,
        })
        .boxed()
}

fn copy() -> BoxedStrategy<Op> {
    (any::<bool>(), prop::sample::select(vec![4_u32, 8]))
        .prop_map(|(turned, bytes)| {
            let (from, to) = if turned { (1, 0) } else { (0, 1) };
            let address = |location| Address { location: LocationId(location), offset: 0 };
            Op::BulkCopy { destination: address(to), source: address(from), bytes: bytes.min(4) }
        })
        .boxed()
}

fn wait() -> BoxedStrategy<Op> {
    (0..2_u32, any::<bool>()).prop_map(|(pending, read_only)| Op::BulkWait { pending, read_only }).boxed()
}

fn proxy_fence() -> BoxedStrategy<Op> {
    prop::sample::select(vec![ProxyFence::Async, ProxyFence::AsyncGlobal, ProxyFence::AsyncSharedCta])
        .prop_map(Op::ProxyFence)
        .boxed()
}
