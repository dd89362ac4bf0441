//! Results as a table in Markdown.

use std::fmt::Write as _;

use crate::case::{Case, Outcome};

const HEAD: &str = "\
| kernel | memory | PEs | blocks | rounds | resident at once | threads | launches | seconds a launch (median) | least | most | \
million operations/s | peak MB | of it before | histories MB |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// One case.
pub(crate) fn row(case: &Case, outcome: &Outcome) -> String {
    let seconds = outcome.seconds();
    let least = outcome.cpu.iter().copied().fold(f64::INFINITY, f64::min);
    let most = outcome.cpu.iter().copied().fold(0.0, f64::max);
    let resident = case.blocks.min(8 * case.sms);
    let mut text = format!(
        "| {} | {} | {} | {} | {} | {resident} | {} | {} | {seconds:.4} | {least:.4} | {most:.4} | {:.2} | {:.0} | {:.0} | {:.0} |",
        case.kernel.symbol(),
        case.mode.name(),
        case.pes,
        case.blocks,
        case.rounds,
        case.threads(),
        outcome.cpu.len(),
        case.operations() as f64 / seconds / 1e6,
        outcome.peak as f64 / 1e6,
        outcome.before as f64 / 1e6,
        outcome.histories as f64 / 1e6,
    );
    if outcome.stopped.is_some() {
        text += " stopped, see below |";
    }
    text
}

/// Several cases, and what was told where one was stopped.
pub(crate) fn table(title: &str, results: &[(Case, Outcome)]) -> String {
    let mut text = format!("## {title}\n\n{HEAD}");
    for (case, outcome) in results {
        let _ = writeln!(text, "{}", row(case, outcome));
    }
    text.push('\n');
    for (case, outcome) in results {
        if let Some(told) = &outcome.stopped {
            let _ = writeln!(text, "{}, {}:\n```text\n{told}\n```\n", case.kernel.symbol(), case.mode.name());
        }
    }
    text
}
