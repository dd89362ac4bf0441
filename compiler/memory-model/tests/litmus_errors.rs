//! Litmus texts that cannot be read: the place and the problem are named.

use memory_model::litmus::Litmus;
use memory_model::{Access, Comparison, Condition, Model, ModelError, Place, Program, Term};
use proptest::prelude::*;

fn error(text: &str) -> String {
    Litmus::parse(text).expect_err("the text is wrong").to_string()
}

#[test]
fn errors_have_line_and_column() {
    let start = "global x\nthread A on 0.0\n";
    let line = |text: &str| error(&format!("{start}{text}\nexists true\n"));
    assert_eq!(line("  st.weak [y], 1"), "line 3, column 12: unknown location `y`");
    assert_eq!(line("  st.weak [x] 1"), "line 3, column 15: expected ,");
    assert_eq!(line("  st.wobbly [x], 1"), "line 3, column 3: unknown qualifier `.wobbly`");
    assert_eq!(line("  st.relaxed [x], 1"), "line 3, column 3: expected a scope qualifier");
    assert_eq!(line("  stt [x], 1"), "line 3, column 3: unknown line or instruction `stt`");
    assert_eq!(line("  st.weak [x], 1 2"), "line 3, column 18: the line should end here");
    assert_eq!(line("  fence.sc"), "line 3, column 3: expected a scope qualifier");
    assert_eq!(line("  fence.proxy.moon"), "line 3, column 3: unknown qualifier `.moon`");
    assert_eq!(line("  bar.sync a"), "line 3, column 12: expected a number");
    assert_eq!(line("  ld.weak 1, [x]"), "line 3, column 11: expected a register");
    assert_eq!(line("  atom.relaxed.gpu r0, [x], 1"), "line 3, column 3: expected an operation such as `.add`");
    assert_eq!(line("  ld.weak r0, [x] until 1"), "line 3, column 25: expected a comparison");
    assert_eq!(line("  cp.async.bulk [x], [x]"), "line 3, column 25: expected ,");
    assert_eq!(error("global x\nst.weak [x], 1\n"), "line 2, column 1: an instruction outside a thread");
    assert_eq!(
        error("global x\n"),
        "line 1, column 1: the test expects nothing: add `exists`, `forbid` or `undefined`"
    );
    assert_eq!(error("global x\nexists B.r0 == 1\n"), "line 2, column 8: unknown thread `B`");
    assert_eq!(error("thread A on 0\n"), "line 1, column 14: expected .");
    assert_eq!(error("thread A on 99999999999.0\n"), "line 1, column 13: expected a number below 4294967296");
    assert_eq!(error("without doubt\n"), "line 1, column 1: expected the name of an assumption");
    assert_eq!(error("alias y of x\n"), "line 1, column 12: unknown location `x`");
}

#[test]
fn odd_input_is_an_error_and_no_panic() {
    for text in
        ["", "\u{0}\u{1}", "é è", "global é", "exists [", "exists ((", "init x = 1", "thread", "order A", "ld", "0x"]
    {
        assert!(Litmus::parse(text).is_err(), "{text:?}");
    }
}

const TOKENS: [&str; 44] = [
    "global",
    "x",
    "y",
    "shared",
    "on",
    "0",
    "1",
    ".",
    "alias",
    "of",
    "init",
    "=",
    "thread",
    "A",
    "B",
    "host",
    "\n",
    "\n",
    "ld.relaxed.sys",
    "st.weak",
    "st.release.gpu.b128",
    "[x]",
    "[y+8]",
    "[x",
    "]",
    ",",
    "r0",
    "{",
    "}",
    "until",
    "==",
    "atom.cas.b64",
    "red.add",
    "fence.sc.sys",
    "bar.sync",
    "cp.async.bulk",
    "4",
    "exists",
    "forbid",
    "&&",
    "A.r0",
    "0xffffffffffffffffffffffffffffffff",
    "order A before A",
    "4294967295",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_parser_or_the_model_panic(text in prop_oneof![
        any::<String>(),
        prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..40).prop_map(|tokens| tokens.join(" ")),
    ]) {
        if let Ok(test) = Litmus::parse(&text) {
            let _ = Model { step_limit: 1_000, ..Model::default() }.outcomes(&test.program);
        }
    }

    #[test]
    fn no_line_makes_the_parser_or_the_model_panic(lines in prop::collection::vec(line(), 1..6)) {
        let text = format!("global x\nshared y on 0.0\nthread A on 0.0\n{}\nexists true\n", lines.join("\n"));
        if let Ok(test) = Litmus::parse(&text) {
            let _ = Model { step_limit: 1_000, ..Model::default() }.check(&test.program, &Condition::True);
        }
    }
}

/// Lines that are nearly right.
fn line() -> impl Strategy<Value = String> {
    let address = prop::sample::select(vec!["[x]", "[x+4]", "[x+8]", "[y]", "[x+4294967280]", "[z]"]);
    let head = prop::sample::select(vec![
        "ld.weak r0,",
        "ld.acquire.sys.b64 r1,",
        "ld.relaxed.sys.v2.b32 {r0, r1},",
        "ld.nc.b128 r2,",
        "st.weak",
        "st.release.gpu.b64",
        "st.relaxed.sys.b128",
        "atom.relaxed.gpu.inc r0,",
        "red.release.sys.add.b64",
        "atom.acq_rel.sys.cas.b32 r3,",
        "cp.async.bulk",
        "assume r0 ==",
        "mbarrier.wait.acquire.cta",
    ]);
    let tail = prop::sample::select(vec![
        "",
        ", 1",
        ", r0",
        ", r1+1",
        ", {1, 2}",
        ", 0, 1",
        " until >= 1",
        ", [x], 16",
        " 0, 0",
    ]);
    (head, address, tail).prop_map(|(head, address, tail)| format!("{head} {address}{tail}"))
}

#[test]
fn memory_beyond_the_limits_is_refused() {
    let mut program = Program::new();
    let x = program.global("x");
    program.thread("A", Place::block(0, 0)).store(Access::weak(x, 4), 1);
    let ask = |program: &Program, offset, width| {
        let term = Term::Memory { location: "x".to_owned(), offset, width };
        Model::default().check(program, &Condition::Compare(term, Comparison::Eq, 0))
    };
    assert!(ask(&program, 0, 16).is_ok());
    assert!(matches!(ask(&program, 0, 17), Err(ModelError::BadRange { width: 17, .. })));
    assert!(matches!(ask(&program, u64::MAX, 1), Err(ModelError::BadRange { .. })));
    program.initial(x, u64::MAX, 8, 1);
    assert!(matches!(ask(&program, 0, 4), Err(ModelError::BadRange { what: "an initial value", .. })));
}
