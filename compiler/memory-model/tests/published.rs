//! The published litmus format: what it means, and where its errors are. The texts are our own.

use memory_model::Model;
use memory_model::litmus::published::{Limits, PublishedError, Test};
use memory_model::litmus::{Format, OutcomeKind, run};

/// Whether the closing clause holds.
fn holds(text: &str) -> bool {
    let test = Test::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    test.answer(&Model::default(), Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}")).holds
}

/// Two threads that pass a message, with the given words for the flag's store and load and the second thread's place.
fn message(store: &str, load: &str, place: &str, clause: &str) -> String {
    format!(
        "PTX message
         \"described {{ in words }}; over lines\"
         {{ data = 0; flag = 0; }}
          P0@cta 0,gpu 0  | P1@{place} ;
          st.weak data, 1 | {load} r0, flag ;
          {store} flag, 1 | ld.weak r1, data ;
         {clause}"
    )
}

#[test]
fn the_three_clauses() {
    let stale = r"(P1:r0 == 1 /\ P1:r1 == 0)";
    let good = |clause: &str| holds(&message("st.release.gpu", "ld.acquire.gpu", "cta 1,gpu 0", clause));
    assert!(!good(&format!("exists {stale}")));
    assert!(good(&format!("~exists {stale}")));
    assert!(good(&format!("not exists {stale}")));
    assert!(good(r"forall (P1:r0 = 0 \/ 1:r1 >= 1)"));
    assert!(!good(r"forall (P1:r1 == 1)"));
    assert!(good(r"filter (P1:r0 == 1) forall (P1:r1 == 1)"));
    let far = |clause: &str| holds(&message("st.release.gpu", "ld.acquire.gpu", "cta 1,gpu 1", clause));
    assert!(far(&format!("exists {stale}")), "gpu scope does not reach the other GPU");
}

#[test]
fn a_spin_is_unfolded_and_said_to_be_bounded() {
    let text = r"PTX spin
        { }
        P0@cta 0,gpu 0        | P1@cta 0,gpu 1         ;
        st.weak data, 1       | LC00:                  ;
        st.release.sys flag,1 | ld.acquire.sys r0,flag ;
                              | beq r0, 0, LC00        ;
                              | ld.weak r1, data       ;
        exists (P1:r1 != 1)";
    let answer = Test::parse(text).unwrap().answer(&Model::default(), Limits::default()).unwrap();
    assert!(!answer.holds && answer.bounded);
    assert!(holds(&text.replace("ld.acquire", "ld.relaxed")));
}

#[test]
fn registers_are_compared_with_each_other_and_computed() {
    let text = r"PTX compare
        { x = 3; P0:r7 = 4; }
        P0@cta 0,gpu 0               ;
        atom.relaxed.gpu.add r0, x, 1;
        add r1, r0, 1                ;
        sub r2, r7, 4                ;
        bne r1, r7, LC00             ;
        ld r2, 9                     ;
        LC00:                        ;
        st.weak y, r1                ;
        forall (P0:r1 == P0:r7 /\ P0:r2 == 9 /\ y == 4 /\ x == P0:r1 /\ 3 < P0:r1)";
    assert!(holds(text));
    assert!(!holds(&text.replace("x = 3", "x = 2")));
}

#[test]
fn a_quorum_lets_some_threads_wait_for_ever() {
    let text = |quorum: u32| {
        format!(
            r"PTX quorum
            {{ x = 0; }}
            P0@cta 0,gpu 0            | P1@cta 0,gpu 0            | P2@cta 0,gpu 0            ;
            st.weak x, 1              | bar.cta.sync 1, 1, {quorum} | bar.cta.sync 1, 1, {quorum} ;
            bar.cta.sync 1, 1, {quorum} | ld.weak r0, x             |                           ;
            exists (P1:r0 == 0)"
        )
    };
    assert!(holds(&text(2)), "the two others may meet first");
    assert!(!holds(&text(3)));
    assert!(!holds(&text(4)), "nobody gets past the barrier");
}

#[test]
fn other_proxies_need_their_fences() {
    let text = |first: &str, second: &str| {
        format!(
            "PTX proxies
             {{ x = 0; s @ surface aliases x; t @ texture aliases s; }}
             P0@cta 0,gpu 0 ;
             sust.weak s, 1 ;
             {first} ;
             {second} ;
             tld.weak r0, t ;
             forall (P0:r0 == 1)"
        )
    };
    assert!(holds(&text("fence.proxy.surface", "fence.proxy.texture")));
    assert!(!holds(&text("fence.proxy.texture", "fence.proxy.surface")));
    assert!(!holds(&text("", "fence.proxy.texture")));
    assert!(!holds(&text("fence.proxy.surface", "")));
    let alias = |fence: &str| {
        format!(
            "PTX alias {{ x = 0; y @ generic aliases x; }} P0@cta 0,gpu 0; st.weak x, 1; {fence}; ld.weak r0, y; forall (P0:r0 == 1)"
        )
    };
    assert!(holds(&alias("fence.proxy.alias")));
    assert!(!holds(&alias("")));
}

#[test]
fn errors_name_the_place() {
    let cases = [
        ("MP x", "1:1: expected `PTX` and a name"),
        ("PTX a", "1:6: expected `{` and the initial values"),
        ("PTX a\n{ x = 0;\n y @ texture aliases z; }", "3:22: unknown location `z`"),
        ("PTX a\n{ x = y; }", "2:7: a pointer as an initial value is not supported"),
        ("PTX a\n{ x = 0; x = 1; }", "2:10: `x` is declared twice"),
        ("PTX a {}\nP1@cta 0,gpu 0;", "2:1: expected the threads P0, P1, … in order"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n st.acquire.gpu x, 1;\nexists (x == 1)", "3:5: unknown qualifier `.acquire`"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n jump x;\nexists (x == 1)", "3:2: unknown line or instruction `jump`"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n mul r0, 2, 3;\nexists (x == 1)", "3:2: `mul` and `div` is not supported"),
        (
            "PTX a {}\nP0@cta 0,gpu 0;\n add r0, r1, r2;\nexists (x == 1)",
            "3:2: arithmetic on two registers is not supported",
        ),
        (
            "PTX a {}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0;\n st.weak x, 1;\nexists (x == 1)",
            "3:14: expected `|` and the next thread's instruction",
        ),
        ("PTX a {}\nP0@cta 0,gpu 0;\n goto LC00;\nexists (0 == 0)", "3:1: unknown label `LC00`"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n st.weak x, 1;\nexists (z == 1)", "4:9: unknown location `z`"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n st.weak x, 1;\nexists (P3:r0 == 1)", "4:9: unknown thread `P3`"),
        (
            "PTX a {}\nP0@cta 0,gpu 0;\n st.weak x, 99999999999999999999;\n",
            "3:13: expected a number of at most 64 bits",
        ),
        ("PTX a {}\nP0@cta 0,gpu 0;\n st.weak x, 1;\n", "4:1: expected a clause"),
        ("PTX a {}\nP0@cta 0,gpu 0;\n st.weak x, 1;\nexists (x == 1) more", "4:17: the line should end here"),
    ];
    for (text, expected) in cases {
        let error = Test::parse(text).unwrap_err();
        let found = format!("{}:{}: {}", error.line, error.column, error.problem);
        assert!(found.starts_with(expected), "{text}\nfound    {found}\nexpected {expected}");
    }
}

#[test]
fn odd_texts_give_errors_and_no_panic() {
    let good = message("st.release.gpu", "ld.acquire.gpu", "cta 1,gpu 0", r"exists (P1:r0 == 1 /\ ~(P1:r1 == 0))");
    for cut in 0..good.len() {
        // Prefixes end in the middle of anything.
        let _ = Test::parse(&good[..cut]);
        let mut changed = good.clone();
        changed.replace_range(cut..=cut, "@");
        let _ = Test::parse(&changed);
    }
    let deep = format!("PTX a {{}}\nP0@cta 0,gpu 0;\n ;\nexists {}", "(".repeat(10_000));
    assert!(Test::parse(&deep).unwrap_err().problem.to_string().contains("nested"));
}

#[test]
fn too_many_paths_are_refused() {
    let rows = "ld.weak r0, x; bne r0, 0, LC00; st.weak y, 1; LC00:;";
    let body: String = (0..14).map(|n| rows.replace("LC00", &format!("LC{n}"))).collect();
    let test = Test::parse(&format!("PTX a {{}} P0@cta 0,gpu 0; {body} exists (x == 1)")).unwrap();
    let error = test.answer(&Model::default(), Limits::default()).unwrap_err();
    assert!(matches!(error, PublishedError::TooManyPaths(4096)), "{error}");

    // Loops of which every path is cut off.
    let body: String = (0..12).map(|n| format!("LC{n}:; ld.weak r0, x;")).collect();
    let back: String = (0..12).map(|n| format!("bne r0, {n}, LC{n};")).collect();
    let test =
        Test::parse(&format!("PTX a {{}} P0@cta 0,gpu 0; {body} {back} LC99:; goto LC99; exists (x == 1)")).unwrap();
    assert!(test.answer(&Model::default(), Limits::default()).is_err());
}

#[test]
fn reports_of_both_formats() {
    let report = run(&message("st.release.gpu", "ld.acquire.gpu", "cta 1,gpu 0", r"exists (P1:r0 == 1 /\ P1:r1 == 0)"));
    let test = &report.tests[0];
    assert_eq!((test.format, test.clauses[0].holds), (Format::Published, false));
    assert_eq!(test.clauses[0].outcome, OutcomeKind::Forbidden);

    let two = "// A comment before the first.\n\nlitmus one\nglobal x\nthread A on 0.0\n  st.weak [x], 1\nforbid [x] == 0\n\nlitmus two\nglobal x\nthread A on 0.0\n  st.weak [x], 1   //~ st.weak [x], 2\n  st.heavy [x], 1\nexists [x] == 1\n";
    let report = run(two);
    let names: Vec<_> = report.tests.iter().map(|test| (test.name.as_str(), test.line)).collect();
    assert_eq!(names, [("one", 3), ("", 9)]);
    assert!(report.tests[0].is_right() && !report.is_right());
    let error = report.tests[1].error.as_ref().unwrap();
    assert_eq!((error.line, error.column), (Some(13), Some(3)));
    assert!(error.message.contains("heavy"));
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["tests"][0]["clauses"][0]["outcome"], "forbidden");
    assert_eq!(json["tests"][1]["error"]["line"], 13);
}
