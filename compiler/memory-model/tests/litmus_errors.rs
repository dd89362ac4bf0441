//! Litmus texts that cannot be read: the place and the problem are named.

use memory_model::litmus::Litmus;

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
