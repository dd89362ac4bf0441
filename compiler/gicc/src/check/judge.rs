//! What the memory model says about the skeletons of a kernel's launches: data that is raced for is a missing order.
//!
//! For each race the cures are tried one after the other (a release, an acquire, a wider scope, a barrier, a proxy fence …).
//! The first with which the race is gone says what was missing, and where. So every finding is confirmed twice: the program as
//! it is allows the bad execution, the program with the cure does not.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use memory_model as mm;
use memory_model::{Model, ModelError, RaceKind};

use super::code::{self, Code, Level};
use super::cure::{Cure, cures};
use super::execute::Explored;
use super::execute::event::{AccessKind, Event, EventKind};
use super::execute::thread::Role;
use super::report::{Confirmed, Finding, Label};
use super::skeleton::{Play, Skeleton};

/// Choices of paths that are looked at in one launch.
const MOST_PLAYS: usize = 48;
/// Steps of the search for one program.
const STEP_LIMIT: u64 = 60_000;

/// The sites of two accesses that race.
type Pair = ((u32, u32), (u32, u32));

/// What was found in one kernel.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Findings.
    pub(crate) findings: Vec<Finding>,
    /// Programs that were judged and had no race, for whoever looks for what is too strong.
    pub(crate) safe: Vec<mm::Program>,
    /// Of each of those, each step's site.
    pub(crate) sites: Vec<Vec<Vec<(u32, u32)>>>,
    /// Some program was too large.
    pub(crate) undecided: bool,
}

/// The model with a limit that suits the many small questions.
pub(crate) fn model() -> Model {
    Model { step_limit: STEP_LIMIT, ..Model::default() }
}

/// One step with its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'s> {
    pub(crate) thread: usize,
    pub(crate) step: usize,
    pub(crate) role: Role,
    pub(crate) event: &'s Event,
}

/// Judges all launches.
pub(crate) fn judge(kernel: &str, explored: &Explored, deadline: Instant) -> Judged {
    let mut judged = Judged::default();
    let mut known: BTreeSet<Pair> = BTreeSet::new();
    let mut before: BTreeMap<(u32, u32), Finding> = BTreeMap::new();
    for scenario in &explored.scenarios {
        let (plays, cut_off) = Play::all(scenario, MOST_PLAYS);
        judged.undecided |= cut_off;
        for play in &plays {
            let mut signatures = BTreeSet::new();
            let groups = play.shared_data();
            for &group in &groups {
                if Instant::now() > deadline {
                    judged.undecided = true;
                    break;
                }
                // Many words that the same instructions access in the same way are judged once.
                if !signatures.insert(play.signature(group)) {
                    continue;
                }
                let skeleton = play.skeleton(Some(group));
                one(kernel, play, &skeleton, &mut known, &mut judged, &mut before);
            }
            let flags = play.skeleton(None);
            if groups.is_empty() {
                one(kernel, play, &flags, &mut known, &mut judged, &mut before);
                overwritten(kernel, play, &flags, &mut known, &mut judged);
            }
            packets(kernel, play, &mut known, &mut judged);
        }
    }
    judged.findings.extend(before.into_values());
    // A weak flag that is the cause of something wrong was told already.
    let wrong: BTreeSet<_> =
        judged.findings.iter().filter(|f| f.code.level == Level::Correctness).map(|f| f.span.clone()).collect();
    judged.findings.retain(|finding| finding.code != &code::WEAK_FLAG || !wrong.contains(&finding.span));
    judged
}

fn at<'s>(play: &Play<'s>, skeleton: &Skeleton, operation: &mm::Operation) -> Option<At<'s>> {
    let (thread, step) = (operation.thread.0, operation.step);
    let (role, event) = play.event(skeleton, thread, step)?;
    Some(At { thread, step, role, event })
}

fn one(
    kernel: &str,
    play: &Play<'_>,
    skeleton: &Skeleton,
    known: &mut BTreeSet<Pair>,
    judged: &mut Judged,
    before: &mut BTreeMap<(u32, u32), Finding>,
) {
    let races = match model().races(&skeleton.program) {
        Ok(races) => races,
        // This choice of paths never happens.
        Err(ModelError::NoExecution) => return,
        Err(_) => {
            judged.undecided = true;
            return;
        }
    };
    for &(thread, step) in &skeleton.set_before {
        if let Some((_, event)) = play.event(skeleton, thread, step) {
            before.entry(event.site).or_insert_with(|| set_before(kernel, event));
        }
    }
    let mut any = false;
    for race in &races {
        let (Some(one), Some(other)) = (at(play, skeleton, &race.one), at(play, skeleton, &race.other)) else {
            continue;
        };
        // Threads of one block are not a matter of communication, but with the copy unit.
        let copies = [&one, &other].iter().any(|at| matches!(at.event.kind, EventKind::Copy { .. }));
        if (one.role.pe, one.role.block) == (other.role.pe, other.role.block) && !copies {
            continue;
        }
        any = true;
        let is_data =
            |at: &At<'_>| touches(&skeleton.program, at).iter().any(|location| skeleton.data.contains(location));
        let pair = (one.event.site.min(other.event.site), one.event.site.max(other.event.site));
        if !known.insert(pair) {
            continue;
        }
        let finding = match race.kind {
            RaceKind::MixedSize => mixed(kernel, one, other),
            RaceKind::UniformSize if is_data(&one) => diagnose(kernel, play, skeleton, one, other),
            RaceKind::UniformSize => weak_flag(kernel, one, other),
        };
        judged.findings.push(finding);
    }
    if !any && !skeleton.data.is_empty() {
        judged.safe.push(skeleton.program.clone());
        judged.sites.push(sites(play, skeleton));
    }
}

fn sites(play: &Play<'_>, skeleton: &Skeleton) -> Vec<Vec<(u32, u32)>> {
    (0..skeleton.threads.len())
        .map(|thread| {
            (0..skeleton.steps[thread].len())
                .map(|step| play.event(skeleton, thread, step).map_or((0, 0), |(_, event)| event.site))
                .collect()
        })
        .collect()
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

/// Finds the cure of a race, and says what is missing.
fn diagnose(kernel: &str, play: &Play<'_>, skeleton: &Skeleton, one: At<'_>, other: At<'_>) -> Finding {
    let write_first =
        |a: &At<'_>| matches!(&a.event.kind, EventKind::Access(access) if access.kind == AccessKind::Load);
    let (writer, reader) = if write_first(&one) { (other, one) } else { (one, other) };
    let mut witness = witness(skeleton, &writer, &reader);
    let race = format!(
        "{} ({}) and {} ({}) are not ordered",
        words(&writer),
        who(writer.role),
        words(&reader),
        who(reader.role)
    );
    let mut labels: Vec<Label> = [&writer, &reader].into_iter().filter_map(label).collect();
    for cure in cures(play, skeleton, &writer, &reader) {
        if !is_cured(&cure, &writer, &reader) {
            continue;
        }
        let Cure { code, blamed, message, cause, cure, also, .. } = cure;
        labels.extend(also);
        labels.retain(|label| Some(&label.span) != blamed.as_ref());
        return Finding {
            code,
            kernel: kernel.to_owned(),
            span: blamed.or_else(|| reader.event.span.clone()),
            message,
            cause: format!("{cause}: {race}"),
            cure,
            witness: witness.take(),
            confirmed: Confirmed::Confirmed,
            labels,
            inlined_at: Vec::new(),
        };
    }
    let (code, message, cure) = without_cure(play, &writer, &reader);
    let span = reader.event.span.clone();
    labels.retain(|label| Some(&label.span) != span.as_ref());
    Finding {
        code,
        kernel: kernel.to_owned(),
        span,
        message: message.to_owned(),
        cause: race,
        cure: cure.to_owned(),
        witness,
        confirmed: Confirmed::Confirmed,
        labels,
        inlined_at: Vec::new(),
    }
}

/// Whether the race is gone and the program still runs.
fn is_cured(cure: &Cure, writer: &At<'_>, reader: &At<'_>) -> bool {
    let Ok(races) = model().races(&cure.program) else { return false };
    let moved = |at: &At<'_>| (at.thread, cure.step_of(at.thread, at.step));
    let pair = [moved(writer), moved(reader)];
    !races.iter().any(|race| {
        let ends = [(race.one.thread.0, race.one.step), (race.other.thread.0, race.other.step)];
        ends.contains(&pair[0]) && ends.contains(&pair[1])
    })
}

/// What to say where no single cure helps: the two are not connected at all.
fn without_cure(play: &Play<'_>, writer: &At<'_>, reader: &At<'_>) -> (&'static Code, &'static str, &'static str) {
    let reads = matches!(&reader.event.kind, EventKind::Access(access) if access.kind == AccessKind::Load);
    // The reader was told of an earlier value of this word, or tells that it has read it.
    let thread_of = |role: Role| play.threads.iter().find(|(r, _)| *r == role).map(|(_, path)| path);
    let stores_before = |at: &At<'_>| {
        let EventKind::Access(access) = &at.event.kind else { return 0 };
        thread_of(at.role).map_or(0, |path| {
            let same = |event: &&Event| matches!(&event.kind, EventKind::Access(a) if a.writes() && a.address == access.address);
            path.events.iter().filter(same).count()
        })
    };
    if reads && (stores_before(writer) > 1) {
        return (
            &code::SLOT_REUSED,
            "memory is written again while a peer may still read what it held",
            "let the reader say that it has read (a signal with release), and wait for that with acquire before writing again; or alternate between slots",
        );
    }
    (
        &code::NO_ORDER,
        "PEs access the same memory, and nothing orders them",
        "publish the data with a signal that releases, and wait for it with acquire before the access; or put a barrier of all PEs, or the end of the kernel, between",
    )
}

/// An execution that goes wrong, in words.
fn witness(skeleton: &Skeleton, writer: &At<'_>, reader: &At<'_>) -> Option<String> {
    let program = &skeleton.program;
    let op = |at: &At<'_>| program.threads.get(at.thread).and_then(|t| t.steps.get(at.step)).map(|s| &s.op);
    let (Some(mm::Op::Load { registers, .. }), Some(mm::Op::Store { values, .. })) = (op(reader), op(writer)) else {
        return None;
    };
    let mm::Operand::Constant(value) = values.first()? else { return None };
    let thread = program.threads.get(reader.thread)?.name.clone();
    let term = mm::Term::Register { thread, register: registers.first()?.clone() };
    for comparison in [mm::Comparison::Ne, mm::Comparison::Eq] {
        let condition = mm::Condition::Compare(term.clone(), comparison, *value);
        if let Ok(verdict) = model().check(program, &condition)
            && let Some(witness) = verdict.witness()
            && let Some(first) = witness.explanations.first()
        {
            return Some(first.text.clone());
        }
    }
    None
}

fn mixed(kernel: &str, one: At<'_>, other: At<'_>) -> Finding {
    let width = |at: &At<'_>| match &at.event.kind {
        EventKind::Access(access) => access.width,
        _ => 0,
    };
    let (narrow, wide) = if width(&one) <= width(&other) { (one, other) } else { (other, one) };
    Finding {
        code: &code::MIXED_SIZES,
        kernel: kernel.to_owned(),
        span: narrow.event.span.clone().or_else(|| wide.event.span.clone()),
        message: format!("a word is accessed with {} bytes and with {} bytes at the same time", width(&narrow), width(&wide)),
        cause: format!(
            "accesses of different size are never strong towards each other, so {} and {} race, and the memory model says nothing about what follows",
            words(&narrow),
            words(&wide)
        ),
        cure: "access the word with one size everywhere; a flag for each writer, polled one by one, or one atomic addition".to_owned(),
        witness: None,
        confirmed: Confirmed::Confirmed,
        labels: [&narrow, &wide].into_iter().filter_map(label).collect(),
        inlined_at: Vec::new(),
    }
}

/// A race for a flag that nothing else was found to depend on.
fn weak_flag(kernel: &str, one: At<'_>, other: At<'_>) -> Finding {
    let weaker = |at: &At<'_>| match &at.event.kind {
        EventKind::Access(access) => (access.semantics, access.scope),
        _ => (mm::Semantics::Weak, mm::Scope::Cta),
    };
    let (weak, strong) = if weaker(&one).1 < weaker(&other).1 || weaker(&one).0 == mm::Semantics::Weak {
        (one, other)
    } else {
        (other, one)
    };
    Finding {
        code: &code::WEAK_FLAG,
        kernel: kernel.to_owned(),
        span: weak.event.span.clone(),
        message: "a flag is accessed without the strength or the scope that reaches the other side".to_owned(),
        cause: format!(
            "{} and {} race: the memory model does not promise that one ever sees the other",
            words(&weak),
            words(&strong)
        ),
        cure: "use a relaxed access at system scope, at least".to_owned(),
        witness: None,
        confirmed: Confirmed::Confirmed,
        labels: [&weak, &strong].into_iter().filter_map(label).collect(),
        inlined_at: Vec::new(),
    }
}

fn set_before(kernel: &str, event: &Event) -> Finding {
    Finding {
        code: &code::KERNEL_BOUNDARY,
        kernel: kernel.to_owned(),
        span: event.span.clone(),
        message: "the wait is for something that was said before the kernel began".to_owned(),
        cause: "no thread of the same launch sets this flag".to_owned(),
        cure: "nothing, where the launches are ordered by their stream or by the host".to_owned(),
        witness: None,
        confirmed: Confirmed::Undecided,
        labels: Vec::new(),
        inlined_at: Vec::new(),
    }
}

/// Vector loads of which some elements decide that the others have arrived.
fn packets(kernel: &str, play: &Play<'_>, known: &mut BTreeSet<Pair>, judged: &mut Judged) {
    for (_, path) in &play.threads {
        let mut looked_at: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for event in &path.events {
            match &event.kind {
                EventKind::Assume { read, .. } => {
                    looked_at.entry(read.event).or_default().insert(read.lane);
                }
                EventKind::Because(reads) => {
                    for read in reads {
                        looked_at.entry(read.event).or_default().insert(read.lane);
                    }
                }
                _ => {}
            }
        }
        let used = used_reads(&path.events);
        for (index, lanes) in looked_at {
            let Some(event) = path.events.get(index) else { continue };
            let EventKind::Access(access) = &event.kind else { continue };
            if access.count < 2 || access.kind != AccessKind::Load {
                continue;
            }
            let trusted = (0..access.count).any(|lane| !lanes.contains(&lane) && used.contains(&(index, lane)));
            if !trusted || !known.insert((event.site, event.site)) {
                continue;
            }
            judged.findings.push(Finding {
                code: &code::HARDWARE_PACKETS,
                kernel: kernel.to_owned(),
                span: event.span.clone(),
                message: "one element of a vector load tells that the others have arrived".to_owned(),
                cause: "the memory model takes a vector access for separate accesses without mutual order; that they arrive together is a property of the hardware".to_owned(),
                cure: "use one 128-bit word (`ld.relaxed.sys.b128`), or a flag in each element; else say so with the annotation gicc.packet".to_owned(),
                witness: None,
                confirmed: Confirmed::Undecided,
                labels: Vec::new(),
                inlined_at: Vec::new(),
            });
        }
    }
}

/// Reads whose values are stored somewhere.
fn used_reads(events: &[Event]) -> BTreeSet<(usize, u32)> {
    let mut used = BTreeSet::new();
    for event in events {
        let EventKind::Access(access) = &event.kind else { continue };
        for value in access.values.iter().filter_map(|value| value.as_ref().err()) {
            let mut reads = BTreeSet::new();
            value.reads(&mut reads);
            used.extend(reads.into_iter().map(|read| (read.event, read.lane)));
        }
    }
    used
}

/// Where the words that are polled are themselves the data: a message that a later one may have replaced.
fn overwritten(kernel: &str, play: &Play<'_>, skeleton: &Skeleton, known: &mut BTreeSet<Pair>, judged: &mut Judged) {
    let program = &skeleton.program;
    for (thread, record) in program.threads.iter().enumerate() {
        for (step, one) in record.steps.iter().enumerate() {
            let mm::Op::Load { registers, access, .. } = &one.op else { continue };
            // One that acquires is for other data.
            if access.semantics != mm::Semantics::Relaxed {
                continue;
            }
            let Some((role, event)) = play.event(skeleton, thread, step) else { continue };
            let Some((_, path)) = play.threads.get(skeleton.threads[thread]) else { continue };
            if !used_reads(&path.events).iter().any(|(index, _)| *index == skeleton.steps[thread][step]) {
                continue;
            }
            // The value that is waited for, and a later one of the same writer.
            let wanted = record.steps[step..].iter().find_map(|later| match &later.op {
                mm::Op::Assume { register, until } if Some(register) == registers.first() => Some(*until),
                _ => None,
            });
            let Some(wanted) = wanted else { continue };
            for (writer, other) in program.threads.iter().enumerate().filter(|(writer, _)| *writer != thread) {
                let mut stores = other.steps.iter().enumerate().filter_map(|(at, step)| match &step.op {
                    mm::Op::Store { access: to, values } if to.address == access.address => match values.first() {
                        Some(mm::Operand::Constant(value)) => Some((at, *value)),
                        _ => None,
                    },
                    _ => None,
                });
                if !stores.by_ref().any(|(_, value)| wanted.comparison.holds(value, wanted.value)) {
                    continue;
                }
                let Some((at, newer)) = stores.next() else { continue };
                let term = mm::Term::Register { thread: record.name.clone(), register: registers[0].clone() };
                let condition = mm::Condition::Compare(term, mm::Comparison::Eq, newer);
                let Ok(verdict) = model().check(program, &condition) else { continue };
                let Some(witness) = verdict.witness() else { continue };
                let Some((writer_role, store)) = play.event(skeleton, writer, at) else { continue };
                if !known.insert((event.site, store.site)) {
                    continue;
                }
                let reader = At { thread, step, role, event };
                let writer = At { thread: writer, step: at, role: writer_role, event: store };
                judged.findings.push(Finding {
                    code: &code::SLOT_REUSED,
                    kernel: kernel.to_owned(),
                    span: event.span.clone(),
                    message: "a message may be replaced by the next one before it is read".to_owned(),
                    cause: format!("{} may return what {} writes later", words(&reader), words(&writer)),
                    cure: "alternate between two slots, or let the reader say that it has read before the slot is written again".to_owned(),
                    witness: witness.reads.first().map(|read| read.text.clone()),
                    confirmed: Confirmed::Confirmed,
                    labels: label(&writer).into_iter().collect(),
                    inlined_at: Vec::new(),
                });
            }
        }
    }
}
