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
//! | `report`, `form` | findings as data; the same as JSON and SARIF |
//!
//! There is no rule about order here: whether something is missing is asked of crate `memory-model`.

pub mod code;
mod cure;
mod execute;
pub mod form;
mod judge;
mod pattern;
mod performance;
pub mod report;
mod resets;
mod skeleton;
mod unchecked;

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use inkwell::module::Module;

use crate::analysis::communication::{Communication, Kernel, json};
use crate::diagnostic::Span;
use report::{Finding, KernelReport, Report, tidy};

/// Time for one module, and for one kernel; what is not judged by then is said.
const TIME: Duration = Duration::from_secs(8);
const KERNEL_TIME: Duration = Duration::from_secs(2);

/// Checks the kernels of a module in which fences are placed, and of which it was found what communicates.
pub fn check(module: &Module<'_>, communication: &Communication) -> Report {
    let code = execute::decode::decode(module);
    let deadline = Instant::now() + TIME;
    let sites = json::communication(communication).kernels;
    let facts: HashMap<&str, &Kernel> =
        communication.kernels.iter().map(|found| (found.name.as_str(), found)).collect();
    let mut report = Report { sites, ..Report::default() };
    for kernel in code.functions.iter().filter(|function| function.is_kernel) {
        let deadline = deadline.min(Instant::now() + KERNEL_TIME);
        let explored = execute::explore(&code, kernel, deadline);
        let found = facts.get(kernel.name.as_str()).copied();
        let mut findings = if explored.meets_peers() {
            judge::judge(&kernel.name, &explored, deadline).findings
        } else {
            found.map_or_else(Vec::new, |found| pattern::pairs(found, deadline).findings)
        };
        if let Some(found) = found.filter(|found| found.communicates) {
            findings.extend(pattern::notes(found));
            findings.extend(resets::find(found));
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
