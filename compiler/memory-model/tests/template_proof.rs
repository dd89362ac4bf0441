//! How a proof of a lowering template uses the model: a list of extracted memory events for each thread, a waiting
//! side that closes them, an assertion, and every weakening.

use memory_model::{
    Access, Change, Condition, Judgement, Model, ModelError, Op, Operand, Place, Program, ProxyFence, Scope, Semantics,
    StepProblem, Verdict, weakenings,
};

/// What an executor of PTX text reports about one instruction of one thread.
struct Extracted {
    text: &'static str,
    event: Event,
}

enum Event {
    Store { semantics: Semantics, scope: Scope, symbol: &'static str, offset: u64, width: u8, value: u64 },
    Fence { semantics: Semantics, scope: Scope },
    Barrier { id: u32 },
}

/// The sending side of `simple`, as two threads of a block: both write, a barrier, one releases.
fn sender(thread: usize) -> Vec<Extracted> {
    let data = |text, offset, value| Extracted {
        text,
        event: Event::Store { semantics: Semantics::Weak, scope: Scope::Cta, symbol: "dst", offset, width: 4, value },
    };
    let barrier = Extracted { text: "bar.sync 0;", event: Event::Barrier { id: 0 } };
    if thread == 1 {
        return vec![data("st.global.u32 [%rd1+4], %r2;", 4, 22), barrier];
    }
    vec![
        data("st.global.u32 [%rd1], %r1;", 0, 11),
        barrier,
        Extracted {
            text: "fence.release.sys;",
            event: Event::Fence { semantics: Semantics::Release, scope: Scope::Sys },
        },
        Extracted {
            text: "st.relaxed.sys.global.u64 [%rd2], 1;",
            event: Event::Store {
                semantics: Semantics::Relaxed,
                scope: Scope::Sys,
                symbol: "sig",
                offset: 0,
                width: 8,
                value: 1,
            },
        },
    ]
}

/// Makes threads of extracted events.
fn add_sender(program: &mut Program) {
    for thread in 0..2 {
        let ops: Vec<(Op, &str)> = sender(thread)
            .into_iter()
            .map(|Extracted { text, event }| {
                let op = match event {
                    Event::Store { semantics, scope, symbol, offset, width, value } => Op::Store {
                        access: Access::strong(semantics, scope, program.symbol(symbol), width).at(offset),
                        values: vec![value.into()],
                    },
                    Event::Fence { semantics, scope } => Op::Fence { semantics, scope },
                    Event::Barrier { id } => barrier(id, 2),
                };
                (op, text)
            })
            .collect();
        let mut builder = program.thread(format!("sender{thread}"), Place::block(0, 0));
        for (op, text) in ops {
            builder.op_with_text(op, text);
        }
    }
}

fn barrier(id: u32, participants: u32) -> Op {
    Op::Barrier {
        id,
        action: memory_model::BarrierAction::Sync,
        level: memory_model::BarrierLevel::Cta,
        participants: Some(participants),
    }
}

/// The waiting side: one thread polls, a barrier, both read.
fn closed() -> (Program, Condition) {
    let mut program = Program::new();
    add_sender(&mut program);
    let (dst, sig) = (program.symbol("dst"), program.symbol("sig"));
    program
        .thread("waiter0", Place::block(1, 0))
        .poll("flag", Access::strong(Semantics::Acquire, Scope::Sys, sig, 8), 1)
        .barrier(0)
        .load("r", Access::weak(dst, 4));
    program.thread("waiter1", Place::block(1, 0)).barrier(0).load("r", Access::weak(dst, 4).at(4));
    let stale = Condition::register("waiter0", "r", 11).not().or(Condition::register("waiter1", "r", 22).not());
    (program, stale)
}

#[test]
fn the_template_is_proven_and_each_ordering_is_needed() {
    let (program, stale) = closed();
    let model = Model::default();
    assert!(model.check(&program, &stale).unwrap().is_forbidden());
    let weaker = weakenings(&program);
    assert!(weaker.len() >= 8);
    for weakening in weaker {
        match model.check(&weakening.program, &stale) {
            Ok(verdict) => assert!(
                verdict.is_possible(),
                "thread {} step {} {} is not needed",
                weakening.thread.0,
                weakening.step,
                weakening.change
            ),
            // Deleting one thread's barrier leaves a barrier that never completes.
            Err(ModelError::BarrierCount { .. }) => assert_eq!(weakening.change, Change::Delete),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_witness_shows_the_extracted_text() {
    let (mut program, stale) = closed();
    program.threads[0].steps.remove(2);
    let verdict = Model::default().check(&program, &stale).unwrap();
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(verdict.witness().unwrap().to_string());
    });
}

#[test]
fn a_proof_whose_polls_cannot_end_is_refused() {
    let (mut program, stale) = closed();
    program.threads[0].steps.pop();
    assert_eq!(Model::default().check(&program, &stale).unwrap_err(), ModelError::NoExecution);
}

/// "Every thread fences, barrier, relaxed flag" is right with one consumer and wrong with others.
#[test]
fn a_sending_side_may_depend_on_its_consumer() {
    let sending_side = |fence: Semantics, release: Semantics, consumer: &dyn Fn(&mut Program)| {
        let mut program = Program::new();
        let (data, sig) = (program.global("data"), program.global("sig"));
        program.thread("D", Place::block(0, 0)).store(Access::weak(data, 4), 1).fence(fence, Scope::Sys).barrier(0);
        program
            .thread("S", Place::block(0, 0))
            .fence(fence, Scope::Sys)
            .barrier(0)
            .store(Access::strong(release, Scope::Sys, sig, 4), 1);
        consumer(&mut program);
        Model::default().check(&program, &Condition::register("R", "r", 0)).unwrap()
    };
    let flag = |program: &mut Program, semantics| Access::strong(semantics, Scope::Sys, program.symbol("sig"), 4);
    let fencing = |program: &mut Program, fence: Semantics| {
        let (flag, data) = (flag(program, Semantics::Relaxed), program.symbol("data"));
        program
            .thread("R", Place::block(1, 0))
            .poll("flag", flag, 1)
            .fence(fence, Scope::Sys)
            .load("r", Access::weak(data, 4));
    };
    let sc = |program: &mut Program| fencing(program, Semantics::SequentiallyConsistent);
    let acq_rel = |program: &mut Program| fencing(program, Semantics::AcquireRelease);
    let acquire = |program: &mut Program| {
        let (flag, data) = (flag(program, Semantics::Acquire), program.symbol("data"));
        program.thread("R", Place::block(1, 0)).poll("flag", flag, 1).load("r", Access::weak(data, 4));
    };
    let consumers: [&dyn Fn(&mut Program); 3] = [&sc, &acq_rel, &acquire];
    let judge = |fence, release| {
        let verdicts: Vec<Verdict> = consumers.iter().map(|consumer| sending_side(fence, release, consumer)).collect();
        Judgement::over(&verdicts)
    };
    assert_eq!(judge(Semantics::SequentiallyConsistent, Semantics::Relaxed), Judgement::DependsOnConsumer);
    assert_eq!(judge(Semantics::SequentiallyConsistent, Semantics::Release), Judgement::Right);
    assert_eq!(judge(Semantics::Release, Semantics::Relaxed), Judgement::Wrong);
}

#[test]
fn malformed_programs_are_refused_where_they_are_wrong() {
    let refusal = |make: &dyn Fn(&mut Program)| {
        let mut program = Program::new();
        make(&mut program);
        Model::default().outcomes(&program).unwrap_err()
    };
    let step = |make: &dyn Fn(&mut Program)| match refusal(make) {
        ModelError::BadStep { problem, .. } => problem,
        other => panic!("{other}"),
    };
    let here = Place::block(0, 0);
    let weak = |program: &mut Program, width| Access::weak(program.symbol("x"), width);
    assert_eq!(
        step(&|p| {
            let access = weak(p, 3);
            p.thread("A", here).store(access, 1);
        }),
        StepProblem::Width(3)
    );
    assert_eq!(
        step(&|p| {
            let access = weak(p, 4).at(2);
            p.thread("A", here).store(access, 1);
        }),
        StepProblem::Misaligned { offset: 2, width: 4 }
    );
    assert_eq!(
        step(&|p| {
            let access = weak(p, 4);
            p.thread("A", here).store(access, "r");
        }),
        StepProblem::UndefinedRegister("r".into())
    );
    assert_eq!(
        step(&|p| {
            let access = Access::strong(Semantics::Acquire, Scope::Sys, p.symbol("x"), 4);
            p.thread("A", here).store(access, 1);
        }),
        StepProblem::Semantics { operation: "a store", semantics: "acquire" }
    );
    assert_eq!(
        step(&|p| {
            let tile = p.shared("tile", here);
            p.thread("A", Place::block(1, 0)).store(Access::weak(tile, 4), 1);
        }),
        StepProblem::ForeignShared("tile".to_owned())
    );
    assert_eq!(
        step(&|p| {
            let access = weak(p, 4).vector(2);
            p.thread("A", here).store_vector(access, vec![Operand::Constant(1)]);
        }),
        StepProblem::ElementCount { given: 1, count: 2 }
    );
    assert_eq!(
        step(&|p| {
            p.thread("H", Place::Host).barrier(0);
        }),
        StepProblem::HostOperation
    );
    assert_eq!(
        step(&|p| {
            let x = p.symbol("x");
            p.thread("A", here).bulk_copy(x, x, 65);
        }),
        StepProblem::BulkSize(65)
    );
    assert_eq!(
        step(&|p| {
            p.thread("A", here).store(Access::weak(memory_model::LocationId(7), 4), 1);
        }),
        StepProblem::NoSuchLocation(7)
    );
    assert!(matches!(
        refusal(&|p| {
            p.thread("A", here).op(barrier(0, 2));
        }),
        ModelError::BarrierCount { arrived: 1, expected: 2, .. }
    ));
    assert!(matches!(
        refusal(&|p| {
            p.thread("A", here);
            p.thread("A", here);
        }),
        ModelError::DuplicateName { what: "thread", .. }
    ));
    assert!(matches!(
        refusal(&|p| {
            let first = p.thread("A", here).barrier(0).proxy_fence(ProxyFence::Alias).id();
            let second = p.thread("B", Place::block(0, 1)).barrier(0).id();
            p.order(first, second);
            p.order(second, first);
        }),
        ModelError::CyclicOrder { .. }
    ));
}

#[test]
fn a_condition_on_an_unknown_name_is_refused() {
    let mut program = Program::new();
    let x = program.global("x");
    program.thread("A", Place::block(0, 0)).store(Access::weak(x, 4), 1);
    let ask = |condition| Model::default().check(&program, &condition).unwrap_err();
    assert!(matches!(ask(Condition::register("A", "r", 0)), ModelError::UnknownRegister { .. }));
    assert!(matches!(ask(Condition::register("B", "r", 0)), ModelError::UnknownName { what: "thread", .. }));
    assert!(matches!(ask(Condition::memory("y", 4, 0)), ModelError::UnknownName { what: "location", .. }));
}

#[test]
fn a_program_that_is_too_large_is_refused() {
    let mut program = Program::new();
    let x = program.global("x");
    for thread in 0..8 {
        let mut builder = program.thread(format!("T{thread}"), Place::block(thread, 0));
        for step in 0..8 {
            let access = Access::strong(Semantics::Relaxed, Scope::Sys, x, 4);
            builder.store(access.clone(), (thread * 8 + step) as i32).load(&format!("r{step}"), access);
        }
    }
    let model = Model { step_limit: 2_000, ..Model::default() };
    assert!(matches!(model.outcomes(&program), Err(ModelError::TooLarge { what: "search steps", limit: 2_000 })));
    let mut builder = program.thread("long", Place::block(9, 0));
    for _ in 0..300 {
        builder.fence(Semantics::Release, Scope::Sys);
    }
    assert!(matches!(model.outcomes(&program), Err(ModelError::TooLarge { what: "events", .. })));
}
