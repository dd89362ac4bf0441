//! Witnesses in words, for the ways in which communication goes wrong.

use memory_model::litmus::{Expectation, Litmus};
use memory_model::{Model, Verdict};

/// The verdict on the first expectation of a litmus text, with its witness.
fn verdict(text: &str) -> String {
    let test = Litmus::parse(text).expect("the test parses");
    let condition = match &test.expectations[0] {
        Expectation::Exists(condition) | Expectation::Forbid(condition) => condition.clone(),
        Expectation::Undefined => memory_model::Condition::True,
    };
    match Model::default().check(&test.program, &condition).expect("the test is a program") {
        Verdict::Forbidden => "Forbidden.".to_owned(),
        Verdict::Allowed(witness) => witness.to_string(),
        Verdict::Undefined(witness, race) => format!("{race}\n{witness}"),
    }
}

macro_rules! witness {
    ($name:ident, $text:expr) => {
        #[test]
        fn $name() {
            insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(verdict($text)) });
        }
    };
}

witness!(
    relaxed_flag,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       st.relaxed.sys [sig], 1
     thread B on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists B.r1 == 0"
);

witness!(
    relaxed_poll,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       st.release.sys [sig], 1
     thread B on 1.0
       ld.relaxed.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists B.r1 == 0"
);

witness!(
    scope_too_narrow,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       st.release.gpu [sig], 1
     thread B on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists B.r1 == 0"
);

witness!(
    fence_scope_too_narrow,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       fence.release.gpu
       st.relaxed.sys [sig], 1
     thread B on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists B.r1 == 0"
);

witness!(
    missing_barrier,
    "global data sig
     thread D on 0.0
       st.weak [data], 1
     thread S on 0.0
       st.release.sys [sig], 1
     thread R on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists R.r1 == 0"
);

witness!(
    missing_barrier_on_the_reading_side,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       st.release.sys [sig], 1
     thread P on 1.0
       ld.acquire.sys r0, [sig] until == 1
     thread R on 1.0
       ld.weak r1, [data]
     exists R.r1 == 0"
);

witness!(
    data_after_the_release,
    "global data sig
     thread A on 0.0
       st.release.sys [sig], 1
       st.weak [data], 1
     thread B on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [data]
     exists B.r1 == 0"
);

witness!(
    broken_chain,
    "global data count
     thread A on 0.0
       st.weak [data], 1
       red.release.sys.add [count], 1
     thread B on 1.0
       ld.relaxed.sys r0, [count] until == 1
       st.relaxed.sys [count], 2
     thread C on 2.0
       ld.acquire.sys r0, [count] until == 2
       ld.weak r1, [data]
     exists C.r1 == 0"
);

witness!(
    reduction_does_not_acquire,
    "global data count
     thread A on 0.0
       st.weak [data], 1
       st.release.sys [count], 1
     thread B on 1.0
       red.relaxed.sys.add [count], 1
       fence.acquire.sys
       ld.weak r1, [data]
     exists [count] == 2 && B.r1 == 0"
);

witness!(
    copy_without_wait,
    "shared tile on 0.0
     global dst sig
     thread E on 0.0
       st.weak [tile], 1
       fence.proxy.async
       cp.async.bulk [dst], [tile], 4
       cp.async.bulk.commit_group
       cp.async.bulk.wait_group.read 0
       st.release.sys [sig], 1
     thread R on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [dst]
     exists R.r1 == 0"
);

witness!(
    copy_without_proxy_fence,
    "shared tile on 0.0
     global dst sig
     thread E on 0.0
       st.weak [tile], 1
       cp.async.bulk [dst], [tile], 4
       cp.async.bulk.commit_group
       cp.async.bulk.wait_group 0
       st.release.sys [sig], 1
     thread R on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.weak r1, [dst]
     exists R.r1 == 0"
);

witness!(
    store_buffering_with_a_narrow_fence,
    "global x y
     thread A on 0.0
       st.relaxed.sys [x], 1
       fence.sc.gpu
       ld.relaxed.sys r0, [y]
     thread B on 1.0
       st.relaxed.sys [y], 1
       fence.sc.sys
       ld.relaxed.sys r0, [x]
     exists A.r0 == 0 && B.r0 == 0"
);

witness!(
    overwritten_before_it_is_read,
    "global buffer done
     init buffer = 1
     thread C0 on 1.0
       ld.weak r1, [buffer]
     thread C1 on 1.0
       st.release.sys [done], 1
     thread O on 0.0
       ld.acquire.sys r0, [done] until == 1
       st.weak [buffer], 2
     exists C0.r1 == 2"
);

witness!(
    load_buffering,
    "global x y
     thread A on 0.0
       ld.relaxed.sys r0, [x]
       st.relaxed.sys [y], 1
     thread B on 1.0
       ld.relaxed.sys r0, [y]
       st.relaxed.sys [x], 1
     exists A.r0 == 1 && B.r0 == 1"
);

witness!(
    alias_without_fence,
    "global x
     alias y of x
     thread A on 0.0
       st.weak [x], 1
       ld.weak r0, [y]
     exists A.r0 == 0"
);

witness!(
    non_coherent_load,
    "global data sig
     thread A on 0.0
       st.weak [data], 1
       st.release.sys [sig], 1
     thread B on 1.0
       ld.acquire.sys r0, [sig] until == 1
       ld.nc r1, [data]
     exists B.r1 == 0"
);

witness!(
    race_of_different_sizes,
    "global x
     thread A on 0.0
       st.relaxed.sys.b64 [x], 1
     thread B on 1.0
       ld.relaxed.sys.b32 r0, [x]
     undefined"
);

witness!(
    torn_word,
    "global word
     thread A on 0.0
       st.relaxed.sys.v2.b64 [word], {7, 1}
     thread B on 1.0
       ld.relaxed.sys.v2.b64 {r0, r1}, [word]
     exists B.r1 == 1 && B.r0 == 0"
);
