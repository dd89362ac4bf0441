//! Witnesses: an execution in words, and why nothing forbids it.

mod explain;

use std::fmt;

use crate::condition::{Condition, Term};
use crate::graph::{EventId, Graph, Kind};
use crate::model::{Outcome, outcome};
use crate::print::{StepText, place};
use crate::program::{Address, LocationId, ThreadId};
use crate::search::{Leaf, LocationOrder};

/// An execution that the axioms allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Who reads what from whom.
    pub reads: Vec<ReadFrom>,
    /// The final state.
    pub outcome: Outcome,
    /// For each surprising read, which ordering is missing.
    pub explanations: Vec<Explanation>,
}

/// An operation of a program, with the words for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// The thread.
    pub thread: ThreadId,
    /// The step.
    pub step: usize,
    /// The instruction, the thread and its place.
    pub text: String,
}

/// Why a read may return what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The surprising read.
    pub read: Operation,
    /// The write that it misses, or sees too early.
    pub write: Operation,
    /// All of it in words.
    pub text: String,
}

/// One read of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFrom {
    /// The reading thread.
    pub thread: ThreadId,
    /// The reading step.
    pub step: usize,
    /// The writing thread and step; none where the initial value is read.
    pub source: Option<(ThreadId, usize)>,
    /// The value that the whole read returns.
    pub value: u128,
    /// All of it in words.
    pub text: String,
}

impl Witness {
    pub(crate) fn new(
        graph: &Graph<'_>,
        leaf: &Leaf<'_>,
        orders: &[&LocationOrder],
        condition: Option<&Condition>,
    ) -> Self {
        let mut reads = Vec::new();
        for (slot, source) in leaf.state.sources.iter().enumerate() {
            let (Some(source), read) = (*source, graph.slots[slot].read) else { continue };
            let Some((thread, step)) = graph.events[read].origin else { continue };
            let value = leaf.state.read_value(graph, read).unwrap_or_default();
            let part = if graph.events[read].cells.len() > 1 {
                let cell = graph.cells[graph.slots[slot].cell];
                format!(" bytes {} to {} of", cell.start, cell.start + u64::from(cell.width) - 1)
            } else {
                String::new()
            };
            let from = match graph.events[source].origin {
                None => "the initial value".to_owned(),
                Some(_) => format!("what {} wrote", describe(graph, source)),
            };
            let verb = if graph.events[read].kind == (Kind::Rmw { atom: false }) { "finds" } else { "returns" };
            let text = format!("{} {verb}{part} {value}: it reads {from}.", describe(graph, read));
            let source = graph.events[source].origin.map(|(thread, step)| (ThreadId(thread), step));
            reads.push(ReadFrom { thread: ThreadId(thread), step, source, value, text });
        }
        let explanations = explain::explanations(graph, leaf, orders, &surprising(graph, condition));
        Witness { reads, outcome: outcome(graph, leaf, orders), explanations }
    }
}

/// The reads that a condition speaks of; all reads where it speaks of none.
fn surprising(graph: &Graph<'_>, condition: Option<&Condition>) -> Vec<EventId> {
    let mut reads = Vec::new();
    for term in condition.map(Condition::terms).unwrap_or_default() {
        if let Term::Register { thread, register } = term
            && let Some(thread) = graph.program.find_thread(thread)
            && let Some(event) = graph.final_register(thread.0, register)
            && !reads.contains(&event)
        {
            reads.push(event);
        }
    }
    if reads.is_empty() {
        reads = (0..graph.events.len()).filter(|&event| graph.events[event].reads()).collect();
    }
    reads
}

/// An event in words: the thread, where it runs, and the instruction.
pub(crate) fn describe(graph: &Graph<'_>, event: EventId) -> String {
    let Some((thread, step)) = graph.events[event].origin else {
        return "the initial write".to_owned();
    };
    let thread = &graph.program.threads[thread];
    match graph.events[event].kind {
        Kind::Start => return format!("the start of thread `{}`", thread.name),
        Kind::End => return format!("the end of thread `{}`", thread.name),
        _ => {}
    }
    let instruction =
        thread.steps.get(step).map_or(String::new(), |step| StepText { program: graph.program, step }.to_string());
    format!("`{instruction}` of thread `{}` ({})", thread.name, thread.place)
}

/// An event as an operation of the program; none for initial writes.
pub(crate) fn operation(graph: &Graph<'_>, event: EventId) -> Option<Operation> {
    let (thread, step) = graph.events[event].origin?;
    Some(Operation { thread: ThreadId(thread), step, text: describe(graph, event) })
}

/// The name of the memory that an event touches.
pub(crate) fn memory_name(graph: &Graph<'_>, event: EventId) -> String {
    graph.events[event].range.map_or(String::new(), |range| {
        place(graph.program, Address { location: LocationId(range.address), offset: range.start })
    })
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "This execution is allowed:")?;
        for read in &self.reads {
            writeln!(f, "- {}", read.text)?;
        }
        if !self.outcome.memory.is_empty() {
            writeln!(f, "At the end:")?;
            for (term, value) in &self.outcome.memory {
                writeln!(f, "- {term} is {value}")?;
            }
        }
        if !self.explanations.is_empty() {
            writeln!(f, "Nothing forbids it:")?;
            for explanation in &self.explanations {
                writeln!(f, "- {}", explanation.text)?;
            }
        }
        Ok(())
    }
}
