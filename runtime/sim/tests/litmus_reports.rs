//! Litmus tests in the simulator, in either format: what is told of them.

use gicc_sim::weak::litmus::run;

#[test]
fn our_format() {
    let report = run(
        "litmus store buffering
global x y
thread A on 0.0
  st.relaxed.sys [x], 1
  ld.relaxed.sys r0, [y]
thread B on 1.0
  st.relaxed.sys [y], 1
  ld.relaxed.sys r0, [x]
exists A.r0 == 0 && B.r0 == 0

litmus load buffering
global x y
thread A on 0.0
  ld.relaxed.sys r0, [x]
  st.relaxed.sys [y], 1
thread B on 1.0
  ld.relaxed.sys r0, [y]
  st.relaxed.sys [x], 1
exists A.r0 == 1 && B.r0 == 1

litmus without
without async-as-proxy
global x
thread A on 0.0
  st.weak [x], 1
exists [x] == 1
",
        1000,
    );
    assert!(report.is_sound());
    let [buffered, load, without] = &report.tests[..] else { panic!("three tests") };
    assert_eq!((buffered.reached, buffered.complete, buffered.unreached.len()), (4, true, 0));
    // The simulator executes loads in order.
    assert_eq!(load.unreached, ["A.r0 == 1 && B.r0 == 1 && [x].b32 == 1 && [y].b32 == 1"]);
    assert!(without.skipped.as_ref().is_some_and(|reason| reason.contains("assumption")));
    assert!(report.to_json().contains("\"complete\": true"));
}

#[test]
fn the_published_format() {
    let text = r"PTX message
        { }
        P0@cta 0,gpu 0        | P1@cta 0,gpu 1         ;
        st.weak data, 1       | ld.acquire.sys r0,flag ;
        st.release.sys flag,1 | beq r0, 0, LC00        ;
                              | ld.weak r1, data       ;
                              | LC00:                  ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)";
    let report = run(text, 1000);
    assert!(report.is_sound(), "{report}");
    assert_eq!((report.tests[0].programs, report.tests[0].reached), (2, 2));
    assert!(run(&text.replace("beq", "jump"), 10).tests[0].skipped.is_some());
    let surface = run("PTX s { x = 0; s @ surface aliases x; } P0@cta 0,gpu 0; sust.weak s, 1; exists (x == 1)", 10);
    assert!(surface.tests[0].skipped.is_some());
}
