//! The litmus format: a program, what is expected of it, and changes to it that must change the answer.
//!
//! ```text
//! litmus MP+rel+acq
//! global data sig                  // locations; zero at the start
//! shared tile on 0.0               // in the shared memory of GPU 0, block 0
//! alias data2 of data              // another virtual address
//! init data = 7                    // also `init data+8.b64 = 7`
//!
//! thread A on 0.0                  // GPU.block, GPU.cluster.block, or host
//!   st.weak.b32 [data], 1
//!   st.release.sys.b32 [sig], 1    //~ st.relaxed.sys.b32 [sig], 1
//! thread B on 1.0
//!   ld.acquire.sys.b32 r0, [sig] until == 1
//!   ld.weak.b32 r1, [data]
//!
//! order A before B                 // the host starts B when A has ended
//! without async-as-proxy           // an assumption that is not made
//! forbid B.r1 == 0                 // or `exists …`, or `undefined`
//! ```
//!
//! Instructions are spelt as in PTX, with `.b32` and weak as defaults. `ld … until == v` is a poll. `assume r == v`
//! and `branch r` make control dependencies; `[a @r]` is an address that depends on a register; `r+1` is a value.
//! `bar.red r, 0, {p, q}` is a barrier reduction: its result depends on the registers that each thread names. After
//! `//~` stands another text for the line, or `delete`: with it, each expectation must turn to its opposite.
//! Registers in conditions are `thread.register`, memory is `[location+offset].b32`.

mod cursor;
mod instruction;
pub mod published;
mod report;

pub use report::{
    ClauseReport, ErrorReport, Format, LitmusReport, MutationReport, OutcomeKind, TestReport, run, split,
};

use crate::assumption::Assumptions;
use crate::condition::{Condition, Term};
use crate::program::{Comparison, LocationId, Place, Program, Space, Step, ThreadId};
use cursor::Cursor;

/// A parsed litmus test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Litmus {
    /// The name on the `litmus` line.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Which assumptions are made.
    pub assumptions: Assumptions,
    /// What must come out.
    pub expectations: Vec<Expectation>,
    /// Changes with which the opposite must come out.
    pub mutations: Vec<Mutation>,
}

/// What a litmus test says about its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Some execution ends so.
    Exists(Condition),
    /// No execution ends so.
    Forbid(Condition),
    /// The program has a race of different sizes.
    Undefined,
}

/// Another text for one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// The line, from 1.
    pub line: usize,
    /// Its new text; empty where the line is deleted.
    pub replacement: String,
}

/// A litmus text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct LitmusError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: LitmusProblem,
}

/// What is wrong in a litmus text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LitmusProblem {
    /// Something else was expected.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A line that begins with no known word.
    #[error("unknown line or instruction `{0}`")]
    UnknownWord(String),
    /// A qualifier that the instruction does not have.
    #[error("unknown qualifier `.{0}`")]
    UnknownQualifier(String),
    /// A name that is not declared.
    #[error("unknown {what} `{name}`")]
    UnknownName {
        /// "location" or "thread".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An instruction before the first thread.
    #[error("an instruction outside a thread")]
    OutsideThread,
    /// More on the line than there should be.
    #[error("the line should end here")]
    Trailing,
    /// A name that is declared twice.
    #[error("`{0}` is declared twice")]
    DeclaredTwice(String),
    /// What can be read, and is not supported.
    #[error("{0} is not supported")]
    NotSupported(&'static str),
    /// A test in the published format without its last clause.
    #[error("expected a clause: `exists`, `~exists` or `forall`")]
    NoClause,
    /// No expectation at all.
    #[error("the test expects nothing: add `exists`, `forbid` or `undefined`")]
    NoExpectation,
}

type Parsed<T> = Result<T, LitmusError>;

impl Litmus {
    /// Reads a litmus test.
    ///
    /// # Errors
    /// With line and column, at the first place that cannot be read.
    pub fn parse(text: &str) -> Parsed<Self> {
        let mut test = Litmus {
            name: String::new(),
            program: Program::new(),
            assumptions: Assumptions::default(),
            expectations: Vec::new(),
            mutations: Vec::new(),
        };
        let mut thread = None;
        let mut last = 1;
        for (index, line) in text.lines().enumerate() {
            last = index + 1;
            let (code, comment) = line.split_once("//").unwrap_or((line, ""));
            if let Some(alternatives) = comment.strip_prefix('~') {
                for alternative in alternatives.split("//~") {
                    let alternative = alternative.trim();
                    let replacement = if alternative == "delete" { "" } else { alternative };
                    test.mutations.push(Mutation { line: last, replacement: replacement.to_owned() });
                }
            }
            let mut cursor = Cursor::new(code, last);
            if cursor.at_end() {
                continue;
            }
            test.line(&mut cursor, &mut thread)?;
            cursor.end()?;
        }
        if test.expectations.is_empty() {
            return Err(LitmusError { line: last, column: 1, problem: LitmusProblem::NoExpectation });
        }
        Ok(test)
    }

    fn line(&mut self, cursor: &mut Cursor<'_>, thread: &mut Option<ThreadId>) -> Parsed<()> {
        let start = cursor.clone();
        match cursor.opcode()? {
            "litmus" => self.name = cursor.rest().to_owned(),
            "global" => {
                while !cursor.at_end() {
                    let name = cursor.name("a location name")?;
                    self.program.global(name);
                }
            }
            "shared" => {
                let name = cursor.name("a location name")?;
                cursor.keyword("on")?;
                let place = place(cursor)?;
                self.program.shared(name, place);
            }
            "alias" => {
                let name = cursor.name("a location name")?;
                cursor.keyword("of")?;
                let of = location(&self.program, cursor)?;
                self.program.alias(name, of);
            }
            "init" => {
                let (location, offset) = address(&self.program, cursor)?;
                let width = cursor.width()?;
                cursor.symbol("=")?;
                let value = cursor.number()?;
                self.program.initial(location, offset, width, value);
            }
            "thread" => {
                let name = cursor.name("a thread name")?;
                cursor.keyword("on")?;
                let place = place(cursor)?;
                *thread = Some(self.program.thread(name, place).id());
            }
            "order" => {
                let first = thread_name(&self.program, cursor)?;
                cursor.keyword("before")?;
                let second = thread_name(&self.program, cursor)?;
                self.program.order(first, second);
            }
            "without" => match cursor.opcode()? {
                "b128-single-copy" => self.assumptions.b128_single_copy = false,
                "async-as-proxy" => self.assumptions.async_as_proxy = false,
                "reduction-carries-dependency" => self.assumptions.reduction_carries_dependency = false,
                _ => return Err(start.error(LitmusProblem::Expected("the name of an assumption"))),
            },
            "exists" => self.expectations.push(Expectation::Exists(condition(&self.program, cursor)?)),
            "forbid" => self.expectations.push(Expectation::Forbid(condition(&self.program, cursor)?)),
            "undefined" => self.expectations.push(Expectation::Undefined),
            _ => {
                *cursor = start.clone();
                let op = instruction::parse(&self.program, cursor)?;
                let thread = thread.ok_or_else(|| start.error(LitmusProblem::OutsideThread))?;
                self.program.threads[thread.0].steps.push(Step { op, text: None });
            }
        }
        Ok(())
    }
}

impl Mutation {
    /// The text with this change made, and no others offered.
    pub fn apply(&self, text: &str) -> String {
        let mut result = String::new();
        for (index, line) in text.lines().enumerate() {
            let line = if index + 1 == self.line { self.replacement.as_str() } else { line };
            result.push_str(line.split("//").next().unwrap_or_default());
            result.push('\n');
        }
        result
    }
}

/// `gpu.block`, `gpu.cluster.block` or `host`.
fn place(cursor: &mut Cursor<'_>) -> Parsed<Place> {
    if cursor.accept_keyword("host") {
        return Ok(Place::Host);
    }
    let gpu = cursor.small_number()?;
    cursor.symbol(".")?;
    let second = cursor.small_number()?;
    if cursor.accept(".") {
        return Ok(Place::cluster_block(gpu, second, cursor.small_number()?));
    }
    Ok(Place::block(gpu, second))
}

fn location(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<LocationId> {
    let start = cursor.clone();
    let name = cursor.name("a location")?;
    program.find_location(&name).ok_or_else(|| start.error(LitmusProblem::UnknownName { what: "location", name }))
}

/// `name` or `name+offset`.
fn address(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<(LocationId, u64)> {
    let location = location(program, cursor)?;
    let offset = if cursor.accept("+") { u64::from(cursor.small_number()?) } else { 0 };
    Ok((location, offset))
}

fn thread_name(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<ThreadId> {
    let start = cursor.clone();
    let name = cursor.name("a thread")?;
    program.find_thread(&name).ok_or_else(|| start.error(LitmusProblem::UnknownName { what: "thread", name }))
}

/// Comparisons joined by `&&` and `||` (which binds weaker), with `!` and parentheses.
fn condition(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<Condition> {
    let mut left = conjunction(program, cursor)?;
    while cursor.accept("||") {
        left = left.or(conjunction(program, cursor)?);
    }
    Ok(left)
}

fn conjunction(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<Condition> {
    let mut left = comparison(program, cursor)?;
    while cursor.accept("&&") {
        left = left.and(comparison(program, cursor)?);
    }
    Ok(left)
}

fn comparison(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<Condition> {
    if cursor.accept("!") {
        return Ok(comparison(program, cursor)?.not());
    }
    if cursor.accept("(") {
        let inner = condition(program, cursor)?;
        cursor.symbol(")")?;
        return Ok(inner);
    }
    if cursor.accept_keyword("true") {
        return Ok(Condition::True);
    }
    let term = if cursor.accept("[") {
        let (id, offset) = address(program, cursor)?;
        cursor.symbol("]")?;
        let location = program.locations[id.0].name.clone();
        Term::Memory { location, offset, width: cursor.width()? }
    } else {
        let thread = thread_name(program, cursor)?;
        cursor.symbol(".")?;
        let thread = program.threads[thread.0].name.clone();
        Term::Register { thread, register: cursor.name("a register")?.into() }
    };
    let comparison = compare(cursor)?;
    Ok(Condition::Compare(term, comparison, cursor.number()?))
}

fn compare(cursor: &mut Cursor<'_>) -> Parsed<Comparison> {
    const ALL: [(&str, Comparison); 6] = [
        ("==", Comparison::Eq),
        ("!=", Comparison::Ne),
        ("<=", Comparison::Le),
        (">=", Comparison::Ge),
        ("<", Comparison::Lt),
        (">", Comparison::Gt),
    ];
    for (symbol, comparison) in ALL {
        if cursor.accept(symbol) {
            return Ok(comparison);
        }
    }
    Err(cursor.error(LitmusProblem::Expected("a comparison")))
}

/// A program as litmus text, without expectations.
pub fn program_text(program: &Program) -> String {
    let mut text = String::new();
    for location in &program.locations {
        let name = &location.name;
        match (location.alias_of, location.space) {
            (Some(of), _) => text.push_str(&format!("alias {name} of {}\n", program.locations[of.0].name)),
            (None, Space::Global) => text.push_str(&format!("global {name}\n")),
            (None, Space::Shared(place)) => text.push_str(&format!("shared {name} on {}\n", place_text(place))),
        }
        for initial in &location.initial {
            let bits = u32::from(initial.width) * 8;
            text.push_str(&format!("init {name}+{}.b{bits} = {}\n", initial.offset, initial.value));
        }
    }
    for thread in &program.threads {
        text.push_str(&format!("thread {} on {}\n", thread.name, place_text(thread.place)));
        for step in &thread.steps {
            text.push_str(&format!("  {}\n", crate::print::op_text(program, &step.op)));
        }
    }
    for (first, second) in &program.orders {
        let name = |id: &ThreadId| program.threads.get(id.0).map_or("?", |thread| thread.name.as_str());
        text.push_str(&format!("order {} before {}\n", name(first), name(second)));
    }
    text
}

fn place_text(place: Place) -> String {
    match place {
        Place::Host => "host".to_owned(),
        Place::Device { gpu, cluster, cta } => format!("{gpu}.{cluster}.{cta}"),
    }
}
