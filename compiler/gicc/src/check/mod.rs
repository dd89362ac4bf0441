//! `gicc check`: which order is missing, too narrow, too wide or redundant.
//!
//! ```text
//! module ─► execute (small launches, every path) ─► skeleton (programs of the memory model) ─► judge (races, cures)
//!                                                                                           └► report
//! ```
//!
//! | file | what it does |
//! | --- | --- |
//! | `code` | the codes, with their pages |
//! | `execute` | what threads of small launches do |
//! | `skeleton` | what of it matters for one piece of data, as a program of the memory model |
//! | `pattern` | kernels whose peers come from a host program's tables: halves of the protocol, put together |
//! | `judge`, `cure` | races, and what would mend them |
//! | `resets` | flags that are reset while the next signal may have come |
//! | `performance` | fences, stores and polls that cost more than they need to |
//! | `unchecked` | waits whose failure nothing looks at |
//! | `budget` | how much work a kernel may cost |
//! | `open` | what stayed open, as notes |
//! | `report`, `form` | findings as data; the same as JSON and SARIF |
//!
//! What was not followed, not judged, or not decided is a note of its own: silence means that all was looked at.
//!
//! There is no rule about order here: whether something is missing is asked of crate `memory-model`.

mod budget;
pub mod code;
mod cure;
mod execute;
pub mod form;
mod judge;
mod open;
mod pattern;
mod performance;
pub mod report;
mod resets;
mod skeleton;
mod unchecked;

use std::collections::{BTreeSet, HashMap};

use inkwell::module::Module;

use crate::analysis::communication::{Class, Communication, Kernel, json};
use crate::diagnostic::Span;
use budget::Budget;
use execute::gap::Gap;
use open::Open;
use report::{Finding, KernelReport, Report, tidy};

/// Checks the kernels of a module in which fences are placed, and of which it was found what communicates.
pub fn check(module: &Module<'_>, communication: &Communication) -> Report {
    let code = execute::decode::decode(module);
    let mut budget = Budget::of_module();
    let sites = json::communication(communication).kernels;
    let facts: HashMap<&str, &Kernel> =
        communication.kernels.iter().map(|found| (found.name.as_str(), found)).collect();
    let mut report = Report { sites, ..Report::default() };
    for kernel in code.functions.iter().filter(|function| function.is_kernel) {
        let found = facts.get(kernel.name.as_str()).copied();
        let mut share = budget.for_kernel();
        let explored = execute::explore(&code, kernel, &mut share.execution);
        let (mut findings, undecided, mut unfollowed) = if explored.meets_peers() {
            let mut judged = judge::judge(&kernel.name, &explored, &mut share);
            if explored.orders_unseen {
                let why = "; a multicast access of memory that is not seen may order them";
                judged.findings.iter_mut().for_each(|finding| finding.is_doubtful(why));
            }
            if explored.rounds_of_part {
                let why = "; barriers of a part of the PEs that follow each other are not followed, and may order them";
                judged.findings.iter_mut().for_each(|finding| finding.is_doubtful(why));
            }
            (judged.findings, judged.undecided, explored.gaps.clone())
        } else if let Some(found) = found {
            let matched = pattern::pairs(found, &mut share);
            let words = "no small launch shows who is whose peer, so that signals and waits were put together by what they \
                         do, and orders that only a launch shows were not looked for";
            let meets = found.sites.iter().any(|site| site.class == Class::Signal || site.class.is_poll());
            let mut gaps = explored.gaps.clone();
            gaps.extend((meets && explored.scenarios.is_empty()).then(|| Gap { words: words.to_owned(), span: None }));
            gaps.extend(matched.unfollowed);
            (matched.findings, matched.undecided, gaps)
        } else {
            (Vec::new(), BTreeSet::new(), BTreeSet::new())
        };
        budget.take_back(share);
        if found.is_some_and(|found| found.communicates) || findings.iter().any(is_wrong) {
            let start = found.and_then(|found| found.span.clone()).or_else(|| kernel.span.clone());
            let start = start.map(|span| Span { column: span.column.max(1), ..span });
            if let Some(found) = found.filter(|found| found.communicates) {
                findings.extend(resets::find(found, &mut unfollowed));
            }
            findings.extend(stayed_open(&kernel.name, start.as_ref(), &undecided, &unfollowed));
        }
        if let Some(found) = found.filter(|found| found.communicates) {
            findings.extend(pattern::notes(found));
            let more = performance::findings(found, &explored, &findings);
            findings.extend(more);
        }
        findings.extend(found.and_then(|found| unchecked::find(communication, found)));
        tidy(&mut findings);
        if let Some(found) = found {
            say_where_inlined(found, &mut findings);
        }
        report.kernels.push(KernelReport { name: kernel.name.clone(), span: kernel.span.clone(), findings });
    }
    report.searched = communication.kernels.iter().map(|found| found.control.searched()).sum();
    report
}

/// The calls through which the causes of findings were inlined.
fn say_where_inlined(kernel: &Kernel, findings: &mut [Finding]) {
    let mut places: HashMap<&Span, BTreeSet<&Span>> = HashMap::new();
    for site in &kernel.sites {
        if let Some(place) = &site.place.innermost {
            places.entry(place).or_default().extend(&site.place.inlined_at);
        }
    }
    for finding in findings {
        let calls = finding.span.as_ref().and_then(|span| places.get(span));
        finding.inlined_at = calls.into_iter().flatten().map(|span| (*span).clone()).collect();
    }
}

fn is_wrong(finding: &Finding) -> bool {
    finding.code.level == code::Level::Correctness
}

/// The notes on what was not decided, and on what was not followed.
fn stayed_open(
    kernel: &str,
    start: Option<&Span>,
    undecided: &BTreeSet<Gap>,
    unfollowed: &BTreeSet<Gap>,
) -> Vec<Finding> {
    let of = |code, message, cure| Open { kernel, start, code, message, cure };
    let decided = of(
        &code::UNDECIDED,
        "orders could be neither confirmed nor refuted",
        "look at it by hand, or try it with `gicc run --memory weak --races`",
    );
    let followed = of(
        &code::INCOMPLETE,
        "not all of the kernel could be followed",
        "give all sources to `gicc check`, or annotate the memory; `gicc run --memory weak --races` tries what is left",
    );
    let mut notes = decided.notes(undecided);
    notes.extend(followed.notes(unfollowed));
    notes
}
