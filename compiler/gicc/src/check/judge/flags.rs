//! Races for flags alone, words that are accessed in several sizes, packets, and messages that a later one replaces.

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;
use memory_model::ModelError;

use super::super::code;
use super::super::execute::event::{AccessKind, Event, EventKind};
use super::super::report::{Confirmed, Finding};
use super::super::skeleton::{Play, Skeleton};
use super::{At, Judged, Oracle, Pair, label, words};

pub(super) fn mixed(kernel: &str, one: At<'_>, other: At<'_>) -> Finding {
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
pub(super) fn weak_flag(kernel: &str, one: At<'_>, other: At<'_>) -> Finding {
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

pub(super) fn set_before(kernel: &str, event: &Event) -> Finding {
    Finding::unasked(
        &code::KERNEL_BOUNDARY,
        kernel,
        event.span.clone(),
        "the wait is for something that was said before the kernel began",
        "no thread of the same launch sets this flag",
        "nothing, where the launches are ordered by their stream or by the host",
    )
}

/// Vector loads of which some elements decide that the others have arrived.
pub(super) fn packets(kernel: &str, play: &Play<'_>, known: &mut BTreeSet<Pair>, judged: &mut Judged) {
    for (_, path) in &play.threads {
        let mut looked_at: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for event in &path.events {
            match &event.kind {
                EventKind::Assume { read, .. } => {
                    looked_at.entry(read.event).or_default().insert(read.lane);
                }
                EventKind::Because(reads, _) => {
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
            judged.findings.push(Finding::unasked(&code::HARDWARE_PACKETS, kernel, event.span.clone(), "one element of a vector load tells that the others have arrived", "the memory model takes a vector access for separate accesses without mutual order; that they arrive together is a property of the hardware", "use one 128-bit word (`ld.relaxed.sys.b128`), or a flag in each element; else say so with the annotation gicc.packet"));
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
pub(super) fn overwritten(
    kernel: &str,
    play: &Play<'_>,
    skeleton: &Skeleton,
    oracle: &mut Oracle<'_>,
    known: &mut BTreeSet<Pair>,
    judged: &mut Judged,
) {
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
                let verdict = match oracle.check(program, &condition) {
                    Ok(verdict) => verdict,
                    Err(ModelError::NoExecution) => continue,
                    Err(error) => {
                        judged.open(&format!("the memory model did not answer: {error}"), event.span.clone());
                        continue;
                    }
                };
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
