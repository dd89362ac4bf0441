//! The questions that can be asked: is an outcome possible, and which outcomes are there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::Proxy;
use crate::assumption::{Assumption, Assumptions};
use crate::condition::{Condition, Term};
use crate::error::ModelError;
use crate::graph::{Constraint, EventId, Graph, Kind, check_range};
use crate::program::{Op, Program, Until};
use crate::race::{Race, RaceKind, races};
use crate::search::{Leaf, LocationOrder, Search, initial_value};
use crate::witness::Witness;

/// The model: assumptions, and limits on the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What is assumed beyond the manual.
    pub assumptions: Assumptions,
    /// How many steps the search may take before it is refused: what it looks at, in units of the cost of a decision in a
    /// small program. A million takes a second or two.
    pub step_limit: u64,
    /// How many distinct outcomes [`Model::outcomes`] may collect before it is refused.
    pub outcome_limit: usize,
}

/// The answer to "can this condition hold at the end".
#[derive(Clone, Debug)]
pub enum Verdict {
    /// In no execution.
    Forbidden,
    /// In this one, for instance.
    Allowed(Box<Witness>),
    /// The program has a data race between accesses of different size, and then the axioms say nothing about any
    /// outcome (PTX ISA §8.7.2).
    Undefined(Box<Witness>, Race),
}

/// All outcomes of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// The final states.
    pub outcomes: BTreeSet<Outcome>,
    /// The data races that occur in some execution.
    pub races: BTreeSet<Race>,
    /// The assumptions that the answer rests on.
    pub assumptions: BTreeSet<Assumption>,
}

/// A final state.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The last value of each register. A witness leaves out those that cannot matter.
    pub registers: BTreeMap<Term, u128>,
    /// The content of each piece of memory that the program accesses.
    pub memory: BTreeMap<Term, u128>,
}

/// What the verdicts for several consumers say together about the producing side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The bad outcome is impossible with each consumer.
    Right,
    /// The bad outcome is possible with each consumer.
    Wrong,
    /// It is impossible with some consumers and possible with others.
    DependsOnConsumer,
}

impl Default for Model {
    fn default() -> Self {
        Model { assumptions: Assumptions::default(), step_limit: 1_000_000, outcome_limit: 100_000 }
    }
}

impl Model {
    /// Whether some execution ends in a state for which the condition holds.
    ///
    /// # Errors
    /// If the program is malformed, the condition names what does not exist, the polls can never end
    /// ([`ModelError::NoExecution`]), or the search is too large.
    pub fn check(&self, program: &Program, condition: &Condition) -> Result<Verdict, ModelError> {
        self.check_counted(program, condition, &mut 0)
    }

    /// [`Model::check`]; the steps that the graph and the search took are added to `steps`, whatever comes out.
    ///
    /// # Errors
    /// As of [`Model::check`].
    pub fn check_counted(
        &self,
        program: &Program,
        condition: &Condition,
        steps: &mut u64,
    ) -> Result<Verdict, ModelError> {
        let graph = Graph::new(program, self.assumptions)?;
        *steps += graph.meter.steps();
        let question = Question::new(&graph, condition)?;
        if graph.mixed_sizes
            && let Some((witness, race)) = self.find_mixed_race(&graph, steps)?
        {
            return Ok(Verdict::Undefined(Box::new(witness), race));
        }
        let mut witness = None;
        let mut search = Search::new(&graph, &question.implied, question.wanted.clone(), self.step_limit)
            .only_relevant(&question.registers);
        let run = search.run(&mut |leaf| {
            choose(leaf, &question.wanted, &mut |orders| {
                if condition.holds(&|term| question.value(leaf, orders, term)) {
                    witness = Some(Witness::new(&graph, leaf, orders, Some(condition)));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })
        });
        *steps += search.steps();
        run?;
        match witness {
            Some(witness) => Ok(Verdict::Allowed(Box::new(witness))),
            None if self.has_execution(&graph, steps)? => Ok(Verdict::Forbidden),
            None => Err(ModelError::NoExecution),
        }
    }

    /// All outcomes and races of a program.
    ///
    /// # Errors
    /// As of [`Model::check`]; [`ModelError::TooLarge`] also where there are too many outcomes.
    pub fn outcomes(&self, program: &Program) -> Result<Outcomes, ModelError> {
        let graph = Graph::new(program, self.assumptions)?;
        let wanted = vec![true; program.locations.len()];
        let mut result = Outcomes { assumptions: assumptions_of(&graph), ..Outcomes::default() };
        let mut full = false;
        Search::new(&graph, &[], wanted.clone(), self.step_limit).run(&mut |leaf| {
            result.races.extend(races(&graph, leaf));
            choose(leaf, &wanted, &mut |orders| {
                result.outcomes.insert(outcome(&graph, leaf, orders));
                full = result.outcomes.len() > self.outcome_limit;
                if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })?;
        if full {
            return Err(ModelError::TooLarge { what: "outcomes", limit: self.outcome_limit as u64 });
        }
        if result.outcomes.is_empty() {
            return Err(ModelError::NoExecution);
        }
        Ok(result)
    }

    /// The data races that occur in some execution; cheaper than [`Model::outcomes`].
    ///
    /// # Errors
    /// As of [`Model::check`].
    pub fn races(&self, program: &Program) -> Result<BTreeSet<Race>, ModelError> {
        self.races_counted(program, &mut 0)
    }

    /// [`Model::races`]; the steps that the graph and the search took are added to `steps`, whatever comes out.
    ///
    /// # Errors
    /// As of [`Model::check`].
    pub fn races_counted(&self, program: &Program, steps: &mut u64) -> Result<BTreeSet<Race>, ModelError> {
        let graph = Graph::new(program, self.assumptions)?;
        *steps += graph.meter.steps();
        let mut found = None;
        let mut search = Search::new(&graph, &[], Vec::new(), self.step_limit).only_relevant(&[]);
        let run = search.run(&mut |leaf| {
            found.get_or_insert_with(BTreeSet::new).extend(races(&graph, leaf));
            ControlFlow::Continue(())
        });
        *steps += search.steps();
        run?;
        found.ok_or(ModelError::NoExecution)
    }

    /// The assumptions that any answer about this program rests on.
    ///
    /// # Errors
    /// If the program is malformed.
    pub fn assumptions_of(&self, program: &Program) -> Result<BTreeSet<Assumption>, ModelError> {
        Ok(assumptions_of(&Graph::new(program, self.assumptions)?))
    }

    fn has_execution(&self, graph: &Graph<'_>, steps: &mut u64) -> Result<bool, ModelError> {
        let mut any = false;
        let mut search = Search::new(graph, &[], Vec::new(), self.step_limit).only_relevant(&[]);
        let run = search.run(&mut |_| {
            any = true;
            ControlFlow::Break(())
        });
        *steps += search.steps();
        run?;
        Ok(any)
    }

    fn find_mixed_race(&self, graph: &Graph<'_>, steps: &mut u64) -> Result<Option<(Witness, Race)>, ModelError> {
        let mut found = None;
        let mut search = Search::new(graph, &[], Vec::new(), self.step_limit);
        let run = search.run(&mut |leaf| match races(graph, leaf)
            .into_iter()
            .find(|race| race.kind == RaceKind::MixedSize)
        {
            Some(race) => {
                let orders: Vec<&LocationOrder> = leaf.orders.iter().filter_map(|(_, all)| all.first()).collect();
                found = Some((Witness::new(graph, leaf, &orders, None), race));
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        });
        *steps += search.steps();
        run?;
        Ok(found)
    }
}

impl Verdict {
    /// Whether the condition can hold in no execution.
    pub fn is_forbidden(&self) -> bool {
        matches!(self, Verdict::Forbidden)
    }

    /// Whether the model gives no guarantee against the condition: it is allowed, or the program is undefined.
    pub fn is_possible(&self) -> bool {
        !self.is_forbidden()
    }

    /// The execution that shows it, of a possible outcome.
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Verdict::Forbidden => None,
            Verdict::Allowed(witness) | Verdict::Undefined(witness, _) => Some(witness),
        }
    }
}

impl Judgement {
    /// Judges a producing side by the verdicts on a bad outcome with several consumers.
    pub fn over<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Self {
        let (mut good, mut bad) = (false, false);
        for verdict in verdicts {
            good |= verdict.is_forbidden();
            bad |= verdict.is_possible();
        }
        match (good, bad) {
            (true, true) => Judgement::DependsOnConsumer,
            (_, false) => Judgement::Right,
            (false, true) => Judgement::Wrong,
        }
    }
}

/// A condition, with its names resolved.
struct Question<'g, 'p> {
    graph: &'g Graph<'p>,
    /// The events whose registers the condition speaks of.
    registers: Vec<EventId>,
    implied: Vec<Constraint>,
    /// The locations whose final content the condition speaks of.
    wanted: Vec<bool>,
}

impl<'g, 'p> Question<'g, 'p> {
    fn new(graph: &'g Graph<'p>, condition: &Condition) -> Result<Self, ModelError> {
        let mut wanted = vec![false; graph.program.locations.len()];
        let mut registers = Vec::new();
        for term in condition.terms() {
            match term {
                Term::Register { .. } => registers.extend(register_event(graph, term)?),
                Term::Memory { location, offset, width } => {
                    check_range("a condition", location, *offset, *width)?;
                    wanted[location_index(graph, location)?] = true;
                }
            }
        }
        let mut implied = Vec::new();
        for (term, comparison, value) in condition.implied() {
            if let Some(read) = register_event(graph, term)? {
                implied.push(Constraint { read, until: Until { comparison, value } });
            }
        }
        Ok(Question { graph, registers, implied, wanted })
    }

    fn value(&self, leaf: &Leaf<'_>, orders: &[&LocationOrder], term: &Term) -> u128 {
        match term {
            Term::Register { .. } => {
                let event = register_event(self.graph, term).ok().flatten();
                event.and_then(|event| leaf.state.read_value(self.graph, event)).unwrap_or_default()
            }
            Term::Memory { location, offset, width } => {
                let location = location_index(self.graph, location).unwrap_or_default();
                final_value(self.graph, leaf, orders, location, *offset, *width)
            }
        }
    }
}

/// The event that assigns the register of a term; none for memory.
fn register_event(graph: &Graph<'_>, term: &Term) -> Result<Option<EventId>, ModelError> {
    let Term::Register { thread, register } = term else { return Ok(None) };
    let id = graph
        .program
        .find_thread(thread)
        .ok_or_else(|| ModelError::UnknownName { what: "thread", name: thread.clone() })?;
    graph
        .final_register(id.0, register)
        .map(Some)
        .ok_or_else(|| ModelError::UnknownRegister { thread: thread.clone(), register: register.clone() })
}

/// The index of a location, aliases resolved.
fn location_index(graph: &Graph<'_>, name: &str) -> Result<usize, ModelError> {
    let id = graph
        .program
        .find_location(name)
        .ok_or_else(|| ModelError::UnknownName { what: "location", name: name.to_owned() })?;
    Ok(graph.program.locations[id.0].alias_of.unwrap_or(id).0)
}

/// Visits every way to choose one order for each location; of locations that are not wanted just the first is taken.
fn choose<'l>(
    leaf: &'l Leaf<'_>,
    wanted: &[bool],
    visit: &mut dyn FnMut(&[&'l LocationOrder]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let take = |index: usize| {
        let (location, orders) = &leaf.orders[index];
        if wanted.get(*location).copied().unwrap_or(false) { orders.len() } else { 1 }
    };
    let mut counters = vec![0; leaf.orders.len()];
    loop {
        let chosen: Vec<&LocationOrder> =
            counters.iter().zip(leaf.orders).map(|(&counter, (_, orders))| &orders[counter]).collect();
        visit(&chosen)?;
        let Some(next) = (0..counters.len()).find(|&index| counters[index] + 1 < take(index)) else {
            return ControlFlow::Continue(());
        };
        counters[..next].fill(0);
        counters[next] += 1;
    }
}

/// The final content of memory.
pub(crate) fn final_value(
    graph: &Graph<'_>,
    leaf: &Leaf<'_>,
    orders: &[&LocationOrder],
    location: usize,
    offset: u64,
    width: u8,
) -> u128 {
    let mut value = initial_value(graph, location, offset, width);
    for (cell, write) in orders.iter().flat_map(|order| &order.finals) {
        let cell = graph.cells[*cell];
        if cell.location != location {
            continue;
        }
        let content = leaf.state.cell_value(graph, *write, cell).unwrap_or_default();
        for byte in 0..u64::from(cell.width) {
            let at = cell.start + byte;
            if (offset..offset + u64::from(width)).contains(&at) {
                let shift = 8 * (at - offset);
                value = value & !(0xff << shift) | (content >> (8 * byte) & 0xff) << shift;
            }
        }
    }
    value
}

/// The final state of an execution.
pub(crate) fn outcome(graph: &Graph<'_>, leaf: &Leaf<'_>, orders: &[&LocationOrder]) -> Outcome {
    let mut result = Outcome::default();
    for (thread, register, event) in &graph.registers {
        let thread = graph.program.threads[*thread].name.clone();
        let term = Term::Register { thread, register: register.clone() };
        // Later assignments replace earlier ones.
        match leaf.state.read_value(graph, *event) {
            Some(value) => result.registers.insert(term, value),
            None => result.registers.remove(&term),
        };
    }
    for cell in &graph.cells {
        let location = graph.program.locations[cell.location].name.clone();
        let term = Term::Memory { location, offset: cell.start, width: cell.width };
        result.memory.insert(term, final_value(graph, leaf, orders, cell.location, cell.start, cell.width));
    }
    result
}

fn assumptions_of(graph: &Graph<'_>) -> BTreeSet<Assumption> {
    let mut used = BTreeSet::new();
    let wide =
        |event: &crate::graph::Event| event.kind != Kind::Init && event.width() > 8 && event.strength.is_strong();
    if graph.assumptions.b128_single_copy && graph.events.iter().any(wide) {
        used.insert(Assumption::B128SingleCopy);
    }
    if graph.assumptions.async_as_proxy && graph.events.iter().any(|event| event.proxy == Proxy::Async) {
        used.insert(Assumption::AsyncAsProxy);
    }
    let reduces = |op: &Op| matches!(op, Op::BarrierReduction { .. });
    if graph.assumptions.reduction_carries_dependency
        && graph.program.threads.iter().flat_map(|thread| &thread.steps).any(|step| reduces(&step.op))
    {
        used.insert(Assumption::ReductionCarriesDependency);
    }
    let touches_memory =
        |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::BulkCopy { .. });
    let any_access = graph.program.threads.iter().flat_map(|thread| &thread.steps).any(|step| touches_memory(&step.op));
    if any_access && graph.program.locations.iter().all(|location| location.alias_of.is_none()) {
        used.insert(Assumption::OneAddressPerLocation);
    }
    used
}
