//! What a race lacks: the cures are tried one after the other, and the first that ends it is told.

use memory_model as mm;

use super::super::budget::Work;
use super::super::code::{self, Code};
use super::super::cure::{Cure, cures};
use super::super::execute::event::{AccessKind, Event, EventKind};
use super::super::execute::thread::Role;
use super::super::report::{Confirmed, Finding, Label};
use super::super::skeleton::{Play, Skeleton};
use super::{At, Oracle, label, who, words};

/// Steps of the search for what one race lacks.
const CURES_LIMIT: u64 = 300_000;

/// Finds the cure of a race, and says what is missing.
pub(super) fn diagnose(
    kernel: &str,
    play: &Play<'_>,
    skeleton: &Skeleton,
    one: At<'_>,
    other: At<'_>,
    work: &mut Work,
) -> Finding {
    let mut share = work.share(CURES_LIMIT);
    let finding = cured(kernel, play, skeleton, one, other, &mut share);
    work.back(share);
    finding
}

fn cured(kernel: &str, play: &Play<'_>, skeleton: &Skeleton, one: At<'_>, other: At<'_>, work: &mut Work) -> Finding {
    let write_first =
        |a: &At<'_>| matches!(&a.event.kind, EventKind::Access(access) if access.kind == AccessKind::Load);
    let (writer, reader) = if write_first(&one) { (other, one) } else { (one, other) };
    let mut oracle = Oracle::new(work);
    let mut witness = witness(skeleton, &mut oracle, &writer, &reader);
    let race = format!(
        "{} ({}) and {} ({}) are not ordered",
        words(&writer),
        who(writer.role),
        words(&reader),
        who(reader.role)
    );
    let mut labels: Vec<Label> = [&writer, &reader].into_iter().filter_map(label).collect();
    for cure in cures(play, skeleton, &writer, &reader) {
        if oracle.is_spent() {
            break;
        }
        if !is_cured(&cure, &mut oracle, &writer, &reader) {
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
        cause: if oracle.is_spent() {
            format!("{race}; what would order them was not looked for: the steps for that were spent")
        } else {
            race
        },
        cure: cure.to_owned(),
        witness,
        confirmed: Confirmed::Confirmed,
        labels,
        inlined_at: Vec::new(),
    }
}

/// Whether the race is gone and the program still runs.
fn is_cured(cure: &Cure, oracle: &mut Oracle<'_>, writer: &At<'_>, reader: &At<'_>) -> bool {
    let Ok(races) = oracle.races(&cure.program) else { return false };
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
fn witness(skeleton: &Skeleton, oracle: &mut Oracle<'_>, writer: &At<'_>, reader: &At<'_>) -> Option<String> {
    let (term, value) = question(skeleton, writer, reader)?;
    for comparison in [mm::Comparison::Ne, mm::Comparison::Eq] {
        let condition = mm::Condition::Compare(term.clone(), comparison, value);
        if let Ok(verdict) = oracle.check(&skeleton.program, &condition)
            && let Some(witness) = verdict.witness()
            && let Some(first) = witness.explanations.first()
        {
            return Some(first.text.clone());
        }
    }
    None
}

/// An execution in which the reader returns what the writer writes, in words.
pub(super) fn returns(
    skeleton: &Skeleton,
    oracle: &mut Oracle<'_>,
    writer: &At<'_>,
    reader: &At<'_>,
) -> Option<String> {
    let (term, value) = question(skeleton, writer, reader)?;
    let verdict = oracle.check(&skeleton.program, &mm::Condition::Compare(term, mm::Comparison::Eq, value)).ok()?;
    let reads = &verdict.witness()?.reads;
    let read = reads.iter().find(|read| (read.thread.0, read.step) == (reader.thread, reader.step))?;
    Some(format!("{} It is the store of the next round.", read.text))
}

/// The register of the reader, and what the writer writes.
fn question(skeleton: &Skeleton, writer: &At<'_>, reader: &At<'_>) -> Option<(mm::Term, u128)> {
    let program = &skeleton.program;
    let op = |at: &At<'_>| program.threads.get(at.thread).and_then(|t| t.steps.get(at.step)).map(|s| &s.op);
    let (Some(mm::Op::Load { registers, .. }), Some(mm::Op::Store { values, .. })) = (op(reader), op(writer)) else {
        return None;
    };
    let mm::Operand::Constant(value) = values.first()? else { return None };
    let thread = program.threads.get(reader.thread)?.name.clone();
    Some((mm::Term::Register { thread, register: registers.first()?.clone() }, *value))
}
