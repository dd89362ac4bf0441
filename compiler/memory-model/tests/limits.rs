//! The search stays small on programs of the size of a template, and says so where it does not.

use memory_model::litmus::{Expectation, Litmus};
use memory_model::{Model, ModelError};

/// Whether the first expectation holds, within a number of steps.
fn forbidden(text: &str, step_limit: u64) -> Result<bool, ModelError> {
    let test = Litmus::parse(text).expect("the test parses");
    let (Expectation::Exists(condition) | Expectation::Forbid(condition)) = &test.expectations[0] else {
        panic!("a condition is wanted");
    };
    let model = Model { step_limit, ..Model::default() };
    Ok(model.check(&test.program, condition)?.is_forbidden())
}

/// Every PE writes, counts itself in, waits for all, and reads its neighbour's data.
fn barrier_over(pes: usize) -> String {
    let mut text = "global count data\n".to_owned();
    for pe in 0..pes {
        let (own, neighbour) = (8 * pe, 8 * ((pe + 1) % pes));
        text += &format!(
            "thread T{pe} on {pe}.0
               st.weak [data+{own}], 1
               red.release.sys.add [count], 1
               ld.acquire.sys r0, [count] until == {pes}
               ld.weak r1, [data+{neighbour}]\n"
        );
    }
    text + "forbid T0.r1 == 0\n"
}

/// A block of `threads` writes, one thread releases, another block waits and reads.
fn simple_with(threads: usize) -> String {
    let mut text = "global data sig\n".to_owned();
    for thread in 0..threads {
        text += &format!("thread A{thread} on 0.0\n st.weak [data+{}], 1\n bar.sync 0\n", 4 * thread);
    }
    text += " st.release.sys [sig], 1\nthread P on 1.0\n ld.acquire.sys r, [sig] until == 1\n bar.sync 0\n";
    for thread in 0..threads {
        text += &format!("thread B{thread} on 1.0\n bar.sync 0\n ld.weak r, [data+{}]\n", 4 * thread);
    }
    let stale: Vec<String> = (0..threads).map(|thread| format!("B{thread}.r == 0")).collect();
    text + "forbid " + &stale.join(" || ") + "\n"
}

#[test]
fn a_barrier_over_five_pes_takes_few_steps() {
    assert_eq!(forbidden(&barrier_over(5), 2_000), Ok(true));
}

#[test]
fn a_block_of_sixteen_threads_takes_few_steps() {
    assert_eq!(forbidden(&simple_with(16), 2_000), Ok(true));
}

#[test]
fn the_limit_is_an_error_and_never_a_verdict() {
    assert_eq!(forbidden(&barrier_over(5), 50), Err(ModelError::TooLarge { what: "search steps", limit: 50 }));
    let broken = barrier_over(5).replace("red.release", "red.relaxed");
    assert_eq!(forbidden(&broken, 2_000), Ok(false));
}

#[test]
fn races_are_found_without_listing_all_outcomes() {
    let text = simple_with(16).replace(" st.release.sys", " st.relaxed.sys");
    let test = Litmus::parse(&text).expect("the test parses");
    let model = Model { step_limit: 2_000, ..Model::default() };
    let races = model.races(&test.program).expect("the program is small");
    assert_eq!(races.len(), 16);
    let race = races.first().expect("there is one");
    assert_eq!((race.one.step, race.other.step), (0, 1));
}

/// Additions by one thread, of a word of which another access reads one byte, so that each has several sources.
#[test]
fn a_chain_of_atomic_operations_on_a_divided_word_is_worked_out_once() {
    let additions = 40;
    let mut text = "global x\nthread T on 0.0\n".to_owned();
    for n in 0..additions {
        text += &format!("  atom.relaxed.sys.add r{n}, [x], 1\n");
    }
    text += &format!("  ld.weak.b8 last, [x+1]\nforbid !(T.r{} == {})\n", additions - 1, additions - 1);
    assert_eq!(forbidden(&text, 60_000_000), Ok(true));
}
