//! What the command tells about itself. A changed snapshot is read before it is accepted.

use crate::bench::Bench;

#[test]
fn help() {
    let bench = Bench::new();
    for (name, args) in [
        ("long", &["--help"][..]),
        ("short", &["-h"]),
        ("run", &["run", "--help"]),
        ("doctor", &["doctor", "--help"]),
        ("check", &["check", "--help"]),
    ] {
        let outcome = bench.gicc(args);
        outcome.quiet();
        insta::assert_snapshot!(name, outcome.stdout);
    }
}

#[test]
fn nothing_at_all_shows_the_help_and_is_wrong_usage() {
    Bench::new().gicc(&[]).refused(2, &["Usage: gicc"]);
}

#[test]
fn the_version_is_that_of_the_package() {
    let outcome = Bench::new().gicc(&["--version"]);
    outcome.quiet();
    assert_eq!(outcome.stdout, format!("gicc {}\n", env!("CARGO_PKG_VERSION")));
}
