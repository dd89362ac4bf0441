//! What the memory model says about the skeletons of a kernel's launches: data that is raced for is a missing order.
//!
//! For each race the cures are tried one after the other (a release, an acquire, a wider scope, a barrier, a proxy fence …).
//! The first with which the race is gone says what was missing, and where. So every finding is confirmed twice: the program as
//! it is allows the bad execution, the program with the cure does not.

mod diagnose;
mod flags;
mod oracle;
mod unended;

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;
use memory_model::{ModelError, RaceKind};

use super::budget::{Budget, Work};
use super::code::{self, Level};
use super::execute::event::{AccessKind, Event, EventKind};
use super::execute::gap::Gap;
use super::execute::thread::Role;
use super::execute::{Explored, Scenario};
use super::report::{Finding, Label};
use super::skeleton::{Play, Skeleton};
use crate::diagnostic::Span;
use diagnose::{diagnose, returns};
use flags::{mixed, overwritten, packets, set_before, weak_flag};
use oracle::Oracle;
pub(super) use oracle::model;
use unended::Unended;

/// Choices of paths that are looked at in one launch.
const MOST_PLAYS: usize = 48;

/// The sites of two accesses that race.
type Pair = ((u32, u32), (u32, u32));

/// What was found in one kernel.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Findings.
    pub(crate) findings: Vec<Finding>,
    /// What was not decided.
    pub(crate) undecided: BTreeSet<Gap>,
}

/// One step with its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'s> {
    pub(crate) thread: usize,
    pub(crate) step: usize,
    pub(crate) role: Role,
    pub(crate) event: &'s Event,
}

/// What is known while the launches of a kernel are judged.
struct Judge<'a> {
    kernel: &'a str,
    oracle: Oracle<'a>,
    /// What the search for cures may cost.
    cures: &'a mut Work,
    known: BTreeSet<Pair>,
    /// Flags that were set before the launch.
    before: BTreeMap<(u32, u32), Finding>,
    unended: Unended,
    judged: Judged,
}

/// Judges all launches.
pub(crate) fn judge(kernel: &str, explored: &Explored, budget: &mut Budget) -> Judged {
    let mut judge = Judge {
        kernel,
        oracle: Oracle::new(&mut budget.search),
        cures: &mut budget.cures,
        known: BTreeSet::new(),
        before: BTreeMap::new(),
        unended: Unended::default(),
        judged: Judged::default(),
    };
    for scenario in &explored.scenarios {
        let (plays, cut_off) = Play::all(scenario, MOST_PLAYS);
        if cut_off {
            judge.judged.open("threads have more combinations of paths than were looked at", None);
        }
        for play in &plays {
            let mut signatures = BTreeSet::new();
            let groups = play.shared_data();
            for &group in &groups {
                if judge.oracle.is_spent() {
                    judge
                        .judged
                        .open("the steps that a kernel may cost were spent before all data was looked at", None);
                    break;
                }
                // Many words that the same instructions access in the same way are judged once.
                if !signatures.insert(play.signature(group)) {
                    continue;
                }
                judge.one(play, &play.skeleton(Some(group)));
            }
            let flags = play.skeleton(None);
            if groups.is_empty() {
                judge.one(play, &flags);
                overwritten(kernel, play, &flags, &mut judge.oracle, &mut judge.known, &mut judge.judged);
            }
            packets(kernel, play, &mut judge.known, &mut judge.judged);
        }
    }
    let Judge { mut judged, before, unended, .. } = judge;
    judged.findings.extend(before.into_values());
    judged.undecided.extend(unended.gaps());
    // A weak flag that is the cause of something wrong was told already.
    let wrong: BTreeSet<_> =
        judged.findings.iter().filter(|f| f.code.level == Level::Correctness).map(|f| f.span.clone()).collect();
    judged.findings.retain(|finding| finding.code != &code::WEAK_FLAG || !wrong.contains(&finding.span));
    judged
}

impl Judged {
    fn open(&mut self, words: &str, span: Option<Span>) {
        self.undecided.insert(Gap { words: words.to_owned(), span });
    }
}

/// Where the data of a skeleton is written, or accessed.
fn data_span(play: &Play<'_>, skeleton: &Skeleton) -> Option<Span> {
    let steps = skeleton.program.threads.iter().enumerate();
    let mut found = steps
        .flat_map(|(thread, record)| (0..record.steps.len()).map(move |step| (thread, step)))
        .filter_map(|(thread, step)| {
            let (role, event) = play.event(skeleton, thread, step)?;
            let at = At { thread, step, role, event };
            let data = touches(&skeleton.program, &at).iter().any(|location| skeleton.data.contains(location));
            data.then(|| event.span.clone()).flatten()
        });
    found.next()
}

fn at<'s>(play: &Play<'s>, skeleton: &Skeleton, operation: &mm::Operation) -> Option<At<'s>> {
    let (thread, step) = (operation.thread.0, operation.step);
    let (role, event) = play.event(skeleton, thread, step)?;
    Some(At { thread, step, role, event })
}

impl Judge<'_> {
    /// Judges one skeleton.
    fn one(&mut self, play: &Play<'_>, skeleton: &Skeleton) {
        let races = match self.oracle.races(&skeleton.program) {
            Ok(races) => races,
            // This choice of paths never happens, as far as values are known.
            Err(ModelError::NoExecution) => {
                self.unended.note(play, skeleton, false);
                return;
            }
            Err(error) => {
                self.judged.open(&format!("the memory model did not answer: {error}"), data_span(play, skeleton));
                return;
            }
        };
        self.unended.note(play, skeleton, true);
        for &(thread, step) in &skeleton.set_before {
            if let Some((_, event)) = play.event(skeleton, thread, step) {
                self.before.entry(event.site).or_insert_with(|| set_before(self.kernel, event));
            }
        }
        for race in &races {
            let (Some(one), Some(other)) = (at(play, skeleton, &race.one), at(play, skeleton, &race.other)) else {
                continue;
            };
            // Threads of one block are not a matter of communication, but with the copy unit.
            let copies = [&one, &other].iter().any(|at| matches!(at.event.kind, EventKind::Copy { .. }));
            if (one.role.pe, one.role.block) == (other.role.pe, other.role.block) && !copies {
                continue;
            }
            let is_data =
                |at: &At<'_>| touches(&skeleton.program, at).iter().any(|location| skeleton.data.contains(location));
            let pair = (one.event.site.min(other.event.site), one.event.site.max(other.event.site));
            if !self.known.insert(pair) {
                continue;
            }
            let mut finding = match race.kind {
                RaceKind::MixedSize => mixed(self.kernel, one, other),
                RaceKind::UniformSize if is_data(&one) => diagnose(self.kernel, play, skeleton, one, other, self.cures),
                RaceKind::UniformSize => weak_flag(self.kernel, one, other),
            };
            if skeleton.unfollowed {
                finding.is_doubtful("; what is waited for in a flag is not followed, and may order them");
            }
            self.judged.findings.push(finding);
        }
    }
}

/// Whether a load of data may return what the store at a site writes later, and how; nothing where the memory model did not
/// answer, or the launch cannot happen.
pub(crate) fn returned_too_early(launch: &Scenario, later: (u32, u32), work: &mut Work) -> Option<Option<String>> {
    let mut oracle = Oracle::new(work);
    let (plays, _) = Play::all(launch, 1);
    let play = plays.first()?;
    for group in play.shared_data() {
        let skeleton = play.skeleton(Some(group));
        for race in oracle.races(&skeleton.program).ok()? {
            let (Some(one), Some(other)) = (at(play, &skeleton, &race.one), at(play, &skeleton, &race.other)) else {
                continue;
            };
            let (writer, reader) = if one.event.site == later { (one, other) } else { (other, one) };
            if writer.event.site != later || writer.role.pe == reader.role.pe {
                continue;
            }
            let found = returns(&skeleton, &mut oracle, &writer, &reader);
            return Some(Some(
                found.unwrap_or_else(|| format!("{} and {} are not ordered", words(&writer), words(&reader))),
            ));
        }
    }
    Some(None)
}

/// The locations that a step accesses.
fn touches(program: &mm::Program, at: &At<'_>) -> Vec<usize> {
    match program.threads.get(at.thread).and_then(|thread| thread.steps.get(at.step)).map(|step| &step.op) {
        Some(mm::Op::Load { access, .. } | mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. }) => {
            vec![access.address.location.0]
        }
        Some(mm::Op::BulkCopy { destination, source, .. }) => vec![destination.location.0, source.location.0],
        _ => Vec::new(),
    }
}

/// In words: what an access does, and who.
pub(crate) fn words(at: &At<'_>) -> String {
    let what = match &at.event.kind {
        EventKind::Copy { .. } => "the copy unit's access",
        EventKind::Access(access) => match access.kind {
            AccessKind::Load => "the load",
            AccessKind::Store => "the store",
            AccessKind::Atomic(..) => "the atomic operation",
        },
        _ => "the operation",
    };
    format!("{what}{}", by_line(at.event))
}

fn by_line(event: &Event) -> String {
    event.span.as_ref().map_or_else(String::new, |span| format!(" of line {}", span.line))
}

fn who(role: Role) -> String {
    format!("PE {} block {} thread {}", role.pe, role.block, role.thread)
}

fn label(at: &At<'_>) -> Option<Label> {
    let verb = match &at.event.kind {
        EventKind::Access(access) if access.kind == AccessKind::Load => "reads",
        EventKind::Access(_) => "writes",
        _ => "accesses",
    };
    let span = at.event.span.clone()?;
    Some(Label { span, text: format!("{} {verb} here", who(at.role)) })
}

#[cfg(test)]
mod tests {
    use super::super::execute::event::Access;
    use super::super::execute::thread::{HEAP, Launch, Path, STRIDE};
    use super::super::execute::value::{Compare, Read};
    use super::super::report::Confirmed;
    use super::*;

    fn access(kind: AccessKind, address: u64, semantics: mm::Semantics, value: Option<u128>) -> EventKind {
        let values = value.into_iter().map(Ok).collect();
        let (scope, proxy) = (mm::Scope::Sys, mm::Proxy::Generic);
        EventKind::Access(Access { kind, address, width: 4, count: 1, semantics, scope, proxy, values, packet: false })
    }

    /// PE 0 stores and signals, without release; PE 1 waits and reads.
    fn late() -> Explored {
        use mm::Semantics::{Acquire, Relaxed, Weak};
        let (data, flag) = (HEAP + STRIDE + 0x1000, HEAP + STRIDE + 0x2000);
        let event = |line: u32, kind| Event {
            site: (line, 0),
            span: Some(Span { file: "k.cu".to_owned(), line, column: 1 }),
            text: "".into(),
            kind,
        };
        let read = Read { event: 0, lane: 0 };
        let sides = [
            vec![
                event(1, access(AccessKind::Store, data, Weak, Some(7))),
                event(2, access(AccessKind::Store, flag, Relaxed, Some(1))),
            ],
            vec![
                event(3, access(AccessKind::Load, flag, Acquire, None)),
                event(3, EventKind::Assume { read, compare: Compare::Eq, with: 1 }),
                event(4, access(AccessKind::Load, data, Weak, None)),
            ],
        ];
        let threads = sides
            .into_iter()
            .zip(0..)
            .map(|(events, pe)| (Role { pe, block: 0, thread: 0 }, vec![Path { events, gaps: BTreeSet::new() }]));
        let launch = Launch { pes: 2, blocks: 1, threads: 1, inputs: BTreeMap::new() };
        Explored { scenarios: vec![Scenario { launch, threads: threads.collect() }], ..Explored::default() }
    }

    fn budget(search: u64) -> Budget {
        Budget { search: Work::new(search), ..Budget::of_module() }
    }

    #[test]
    fn a_missing_release_is_found_with_its_line() {
        let judged = judge("k", &late(), &mut budget(100_000));
        let found: Vec<_> = judged.findings.iter().map(|f| (f.code.code, f.line(), f.confirmed)).collect();
        assert_eq!(found, [("C0101", 2, Confirmed::Confirmed)]);
        assert!(judged.undecided.is_empty(), "{:?}", judged.undecided);
    }

    #[test]
    fn what_was_not_looked_at_is_said() {
        let judged = judge("k", &late(), &mut budget(0));
        assert!(judged.findings.is_empty());
        let words: Vec<&str> = judged.undecided.iter().map(|gap| gap.words.as_str()).collect();
        assert_eq!(words, ["the steps that a kernel may cost were spent before all data was looked at"]);
        // A search that is cut off names the data.
        let judged = judge("k", &late(), &mut budget(1));
        let gap = judged.undecided.first().expect("it did not have the steps");
        assert!(gap.words.starts_with("the memory model did not answer"), "{gap:?}");
        assert_eq!(gap.span.as_ref().map(|span| span.line), Some(1));
    }

    #[test]
    fn a_race_whose_cure_was_not_looked_for_says_so() {
        let judged = judge("k", &late(), &mut Budget { cures: Work::new(0), ..Budget::of_module() });
        let [finding] = judged.findings.as_slice() else { panic!("{:?}", judged.findings) };
        assert_eq!((finding.code.code, finding.line()), ("C0114", 4));
        assert!(finding.cause.ends_with("what would order them was not looked for: the steps for that were spent"));
    }
}
