//! Properties over random programs: agreement with a second checker, and monotonicity.

mod support;

use memory_model::{
    Access, BarrierAction, BarrierLevel, Comparison, Condition, LocationId, Model, ModelError, Op, Operand, Outcomes,
    Place, Program, RmwFunction, Scope, Semantics, Step, Term, Thread,
};
use proptest::prelude::*;

const SCOPES: [Scope; 3] = [Scope::Cta, Scope::Gpu, Scope::Sys];
const FENCES: [Semantics; 4] =
    [Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease, Semantics::SequentiallyConsistent];

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_enumerator_agrees_with_the_naive_checker(program in program(6)) {
        let fast = outcomes(&program)?.outcomes;
        prop_assume!(support::assignments(&program) < 3_000);
        let naive = support::outcomes(&program);
        prop_assert_eq!(fast, naive, "{}", memory_model::litmus::program_text(&program));
    }

    /// `check` leaves loads out that cannot matter; what it allows must still be what `outcomes` finds.
    #[test]
    fn a_question_has_the_answer_that_the_outcomes_give(program in program(7)) {
        let all = outcomes(&program)?.outcomes;
        let terms: std::collections::BTreeSet<(Term, u128)> =
            all.iter().flat_map(|outcome| outcome.registers.iter().chain(&outcome.memory)).map(|(t, v)| (t.clone(), *v)).collect();
        for (term, value) in &terms {
            for value in [*value, 77] {
                let condition = Condition::Compare(term.clone(), Comparison::Eq, value);
                let possible = all.iter().any(|outcome| {
                    outcome.registers.get(term).or(outcome.memory.get(term)) == Some(&value)
                });
                let verdict = Model::default().check(&program, &condition).expect("the condition names what exists");
                prop_assert_eq!(verdict.is_possible(), possible, "{} in\n{}", condition, text(&program));
            }
        }
    }

    #[test]
    fn stronger_semantics_add_no_outcome(program in program(8), pick: prop::sample::Index) {
        for stronger in strengthened(&program, &pick) {
            let (less, more) = (outcomes(&stronger)?.outcomes, outcomes(&program)?.outcomes);
            prop_assert!(less.is_subset(&more), "{}\n{}", text(&program), text(&stronger));
        }
    }

    #[test]
    fn a_wider_scope_adds_no_outcome(program in program(8), pick: prop::sample::Index) {
        for wider in widened(&program, &pick) {
            let (less, more) = (outcomes(&wider)?.outcomes, outcomes(&program)?.outcomes);
            prop_assert!(less.is_subset(&more), "{}\n{}", text(&program), text(&wider));
        }
    }

    #[test]
    fn a_fence_more_adds_no_outcome(
        program in program(8),
        thread: prop::sample::Index,
        step: prop::sample::Index,
        semantics in prop::sample::select(FENCES.to_vec()),
        scope in prop::sample::select(SCOPES.to_vec()),
    ) {
        let mut fenced = program.clone();
        let steps = &mut fenced.threads[thread.index(program.threads.len())].steps;
        steps.insert(step.index(steps.len() + 1), Step { op: Op::Fence { semantics, scope }, text: None });
        let (less, more) = (outcomes(&fenced)?.outcomes, outcomes(&program)?.outcomes);
        prop_assert!(less.is_subset(&more), "{}\n{}", text(&program), text(&fenced));
    }
}

fn text(program: &Program) -> String {
    memory_model::litmus::program_text(program)
}

/// All outcomes; a program that would make the test slow is passed over.
fn outcomes(program: &Program) -> Result<Outcomes, TestCaseError> {
    let model = Model { step_limit: 5_000, ..Model::default() };
    model.outcomes(program).map_err(|error| match error {
        ModelError::TooLarge { .. } => TestCaseError::reject("too large for a quick test"),
        other => TestCaseError::fail(other.to_string()),
    })
}

/// A program of at most `most` operations in up to three threads.
fn program(most: usize) -> impl Strategy<Value = Program> {
    let thread = (0..3_usize, prop::collection::vec(op(), 1..4));
    prop::collection::vec(thread, 2..4).prop_map(move |threads| {
        let mut program = Program::new();
        program.global("x");
        program.global("y");
        let mut left = most;
        for (index, (place, ops)) in threads.into_iter().enumerate() {
            let place = [Place::block(0, 0), Place::block(0, 1), Place::block(1, 0)][place];
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
}

/// Gives registers and values their names: each value is written once, and registers are assigned before use.
fn name(op: &mut Op, thread: usize, step: usize, loaded: &mut Option<String>) {
    let fresh = (thread * 10 + step + 1) as u128;
    match op {
        Op::Load { registers, .. } => {
            registers[0] = format!("r{step}").into();
            *loaded = Some(format!("r{step}"));
        }
        Op::Store { values, .. } => {
            values[0] = match (&values[0], &loaded) {
                (Operand::Sum(..), Some(register)) => Operand::Sum(register.as_str().into(), 100),
                _ => Operand::Constant(fresh),
            };
        }
        Op::Rmw { returns, register, function, .. } => {
            if *returns {
                *register = Some(format!("r{step}").into());
                *loaded = Some(format!("r{step}"));
            }
            if let RmwFunction::Exchange(value) = function {
                *value = Operand::Constant(fresh);
            }
        }
        Op::Branch(register) => match loaded {
            Some(name) => *register = name.as_str().into(),
            None => *op = Op::Fence { semantics: Semantics::AcquireRelease, scope: Scope::Gpu },
        },
        _ => {}
    }
}

fn op() -> impl Strategy<Value = Op> {
    let location = || (0..2_usize).prop_map(LocationId);
    let scope = || prop::sample::select(SCOPES.to_vec());
    let of = |all: &[Semantics]| prop::sample::select(all.to_vec());
    let load = (location(), of(&[Semantics::Weak, Semantics::Relaxed, Semantics::Acquire]), scope()).prop_map(
        |(location, semantics, scope)| Op::Load {
            registers: vec!["r".into()],
            access: Access::strong(semantics, scope, location, 4),
            until: None,
        },
    );
    let store = (location(), of(&[Semantics::Weak, Semantics::Relaxed, Semantics::Release]), scope(), any::<bool>())
        .prop_map(|(location, semantics, scope, depends)| Op::Store {
            access: Access::strong(semantics, scope, location, 4),
            values: vec![if depends { Operand::Sum("r".into(), 100) } else { Operand::Constant(0) }],
        });
    let atom = (
        location(),
        of(&[Semantics::Relaxed, Semantics::Acquire, Semantics::Release, Semantics::AcquireRelease]),
        scope(),
        any::<bool>(),
    )
        .prop_map(|(location, semantics, scope, add)| Op::Rmw {
            returns: true,
            register: None,
            access: Access::strong(semantics, scope, location, 4),
            function: if add { RmwFunction::Add(1.into()) } else { RmwFunction::Exchange(0.into()) },
        });
    let red = (location(), of(&[Semantics::Relaxed, Semantics::Release]), scope()).prop_map(
        |(location, semantics, scope)| Op::Rmw {
            returns: false,
            register: None,
            access: Access::strong(semantics, scope, location, 4),
            function: RmwFunction::Add(1.into()),
        },
    );
    let fence = (of(&FENCES), scope()).prop_map(|(semantics, scope)| Op::Fence { semantics, scope });
    let barrier = any::<bool>().prop_map(|sync| Op::Barrier {
        id: 0,
        action: if sync { BarrierAction::Sync } else { BarrierAction::Arrive },
        level: BarrierLevel::Cta,
        participants: None,
    });
    prop_oneof![
        4 => load,
        4 => store,
        2 => atom,
        1 => red,
        2 => fence,
        1 => barrier,
        1 => Just(Op::Branch("r".into())),
    ]
}

/// Programs in which one operation has stronger semantics.
fn strengthened(program: &Program, pick: &prop::sample::Index) -> Vec<Program> {
    change(program, pick, |op| {
        let next: &[Semantics] = match op {
            Op::Load { access, .. } if access.semantics == Semantics::Weak => &[Semantics::Relaxed],
            Op::Load { access, .. } if access.semantics == Semantics::Relaxed => &[Semantics::Acquire],
            Op::Store { access, .. } if access.semantics == Semantics::Weak => &[Semantics::Relaxed],
            Op::Store { access, .. } if access.semantics == Semantics::Relaxed => &[Semantics::Release],
            Op::Rmw { returns: true, access, .. } if access.semantics == Semantics::Relaxed => {
                &[Semantics::Acquire, Semantics::Release]
            }
            Op::Rmw { returns: true, access, .. } if access.semantics != Semantics::AcquireRelease => {
                &[Semantics::AcquireRelease]
            }
            Op::Fence { semantics: Semantics::Acquire | Semantics::Release, .. } => &[Semantics::AcquireRelease],
            Op::Fence { semantics: Semantics::AcquireRelease, .. } => &[Semantics::SequentiallyConsistent],
            _ => &[],
        };
        next.iter()
            .map(|&stronger| {
                let mut changed = op.clone();
                match &mut changed {
                    Op::Load { access, .. } | Op::Store { access, .. } | Op::Rmw { access, .. } => {
                        access.semantics = stronger;
                    }
                    Op::Fence { semantics, .. } => *semantics = stronger,
                    _ => {}
                }
                changed
            })
            .collect()
    })
}

/// Programs in which one operation has the next wider scope.
fn widened(program: &Program, pick: &prop::sample::Index) -> Vec<Program> {
    change(program, pick, |op| {
        let mut changed = op.clone();
        match &mut changed {
            Op::Load { access, .. } | Op::Store { access, .. } | Op::Rmw { access, .. } => {
                access.scope = next(access.scope)
            }
            Op::Fence { scope, .. } => *scope = next(*scope),
            _ => return Vec::new(),
        }
        vec![changed]
    })
}

fn next(scope: Scope) -> Scope {
    match scope {
        Scope::Cta => Scope::Gpu,
        _ => Scope::Sys,
    }
}

fn change(program: &Program, pick: &prop::sample::Index, with: impl Fn(&Op) -> Vec<Op>) -> Vec<Program> {
    let all: Vec<(usize, usize)> = program
        .threads
        .iter()
        .enumerate()
        .flat_map(|(thread, record)| (0..record.steps.len()).map(move |step| (thread, step)))
        .collect();
    let (thread, step) = *pick.get(&all);
    with(&program.threads[thread].steps[step].op)
        .into_iter()
        .map(|op| {
            let mut changed = program.clone();
            changed.threads[thread].steps[step].op = op;
            changed
        })
        .collect()
}
