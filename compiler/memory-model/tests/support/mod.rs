//! A second checker, written for clarity alone: it tries every assignment and tests the axioms of the manual one by
//! one on explicit sets of pairs. Atomic operations are a read and a write here, as in the published formal models.
//! It knows scalar 4-byte accesses of the generic proxy, fences and block barriers.

use std::collections::{BTreeMap, BTreeSet};

use memory_model::{
    BarrierAction, Op, Operand, Outcome, Place, Program, RmwFunction, Scope, Semantics, Term, ThreadId,
};

type Pairs = BTreeSet<(usize, usize)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    Fence,
    Barrier,
}

#[derive(Clone, Debug)]
struct Event {
    thread: Option<usize>,
    position: usize,
    kind: Kind,
    semantics: Semantics,
    scope: Scope,
    location: Option<usize>,
    /// For `red`, whose read starts no acquire pattern.
    silent: bool,
    /// What a write adds to the value of this read, or the constant that it writes.
    base: Option<usize>,
    constant: u128,
    register: Option<(usize, String)>,
    barrier: Option<(u32, u32, bool)>,
}

/// All outcomes of a program.
pub(crate) fn outcomes(program: &Program) -> BTreeSet<Outcome> {
    let checker = Checker::new(program);
    let mut found = BTreeSet::new();
    let reads: Vec<usize> = checker.of_kind(Kind::Read);
    let mut sources = BTreeMap::new();
    checker.choose_sources(&reads, &mut sources, &mut found);
    found
}

/// How many assignments of sources, fence orders and coherence orders there are to try.
pub(crate) fn assignments(program: &Program) -> u64 {
    let checker = Checker::new(program);
    let writes = checker.of_kind(Kind::Write);
    let sources = checker
        .of_kind(Kind::Read)
        .iter()
        .map(|&read| writes.iter().filter(|&&write| checker.same_location(read, write)).count() as u64)
        .product::<u64>();
    let free = checker.free_pairs().len() as u32;
    sources.saturating_mul(1 << free.min(40))
}

struct Checker<'p> {
    program: &'p Program,
    events: Vec<Event>,
    program_order: Pairs,
    dependencies: Pairs,
    rmw: Pairs,
    strong: Pairs,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Self {
        let mut checker = Checker {
            program,
            events: Vec::new(),
            program_order: Pairs::new(),
            dependencies: Pairs::new(),
            rmw: Pairs::new(),
            strong: Pairs::new(),
        };
        for location in 0..program.locations.len() {
            let mut initial = checker.blank(None, 0, Kind::Write);
            initial.location = Some(location);
            checker.events.push(initial);
        }
        for thread in 0..program.threads.len() {
            checker.add_thread(thread);
        }
        let count = checker.events.len();
        for one in 0..count {
            for other in 0..count {
                let (first, second) = (&checker.events[one], &checker.events[other]);
                if first.thread.is_some() && first.thread == second.thread && first.position < second.position {
                    checker.program_order.insert((one, other));
                }
            }
        }
        for one in 0..count {
            for other in 0..count {
                if one != other && checker.morally_strong(one, other) {
                    checker.strong.insert((one, other));
                }
            }
        }
        checker
    }

    fn blank(&self, thread: Option<usize>, position: usize, kind: Kind) -> Event {
        Event {
            thread,
            position,
            kind,
            semantics: Semantics::Weak,
            scope: Scope::Cta,
            location: None,
            silent: false,
            base: None,
            constant: 0,
            register: None,
            barrier: None,
        }
    }

    fn add_thread(&mut self, thread: usize) {
        let mut registers: BTreeMap<String, usize> = BTreeMap::new();
        let mut generations: BTreeMap<u32, u32> = BTreeMap::new();
        let mut control: Vec<usize> = Vec::new();
        for (step, instruction) in self.program.threads[thread].steps.iter().enumerate() {
            let mut event = self.blank(Some(thread), 2 * step, Kind::Fence);
            let id = self.events.len();
            match &instruction.op {
                Op::Load { registers: names, access, until: None } => {
                    event.kind = Kind::Read;
                    event.semantics = access.semantics;
                    event.scope = access.scope;
                    event.location = Some(access.address.location.0);
                    event.register = Some((thread, names[0].0.clone()));
                    registers.insert(names[0].0.clone(), id);
                    self.events.push(event);
                }
                Op::Store { access, values } => {
                    event.kind = Kind::Write;
                    event.semantics = access.semantics;
                    event.scope = access.scope;
                    event.location = Some(access.address.location.0);
                    match &values[0] {
                        Operand::Constant(value) => event.constant = *value,
                        Operand::Register(name) => event.base = Some(registers[&name.0]),
                        Operand::Sum(name, value) => {
                            event.base = Some(registers[&name.0]);
                            event.constant = *value;
                        }
                    }
                    self.dependencies.extend(event.base.map(|read| (read, id)));
                    self.dependencies.extend(control.iter().map(|&read| (read, id)));
                    self.events.push(event);
                }
                Op::Rmw { returns, register, access, function } => {
                    event.kind = Kind::Read;
                    event.semantics = access.semantics;
                    event.scope = access.scope;
                    event.location = Some(access.address.location.0);
                    event.silent = !returns;
                    let mut write = event.clone();
                    if let Some(register) = register {
                        event.register = Some((thread, register.0.clone()));
                        registers.insert(register.0.clone(), id);
                    }
                    write.kind = Kind::Write;
                    write.position += 1;
                    match function {
                        RmwFunction::Add(Operand::Constant(value)) => {
                            write.base = Some(id);
                            write.constant = *value;
                        }
                        RmwFunction::Exchange(Operand::Constant(value)) => write.constant = *value,
                        other => panic!("{other:?} is not known here"),
                    }
                    self.dependencies.extend(control.iter().map(|&read| (read, id + 1)));
                    self.dependencies.insert((id, id + 1));
                    self.rmw.insert((id, id + 1));
                    self.events.push(event);
                    self.events.push(write);
                }
                Op::Fence { semantics, scope } => {
                    event.semantics = *semantics;
                    event.scope = *scope;
                    self.events.push(event);
                }
                Op::Barrier { id, action, .. } => {
                    let generation = generations.entry(*id).or_default();
                    event.kind = Kind::Barrier;
                    event.barrier = Some((*id, *generation, *action == BarrierAction::Sync));
                    *generation += 1;
                    self.events.push(event);
                }
                Op::Branch(name) => control.push(registers[&name.0]),
                other => panic!("{other:?} is not known here"),
            }
        }
    }

    fn of_kind(&self, kind: Kind) -> Vec<usize> {
        (0..self.events.len()).filter(|&event| self.events[event].kind == kind).collect()
    }

    fn place(&self, event: usize) -> Option<Place> {
        self.events[event].thread.map(|thread| self.program.threads[ThreadId(thread).0].place)
    }

    fn same_location(&self, one: usize, other: usize) -> bool {
        self.events[one].location.is_some() && self.events[one].location == self.events[other].location
    }

    /// §8.7.
    fn morally_strong(&self, one: usize, other: usize) -> bool {
        let (first, second) = (&self.events[one], &self.events[other]);
        if first.location.is_some() && second.location.is_some() && first.location != second.location {
            return false;
        }
        if first.thread.is_some() && first.thread == second.thread {
            return true;
        }
        let includes = |from: usize, to: usize| match (self.place(from), self.place(to)) {
            (Some(here), Some(there)) => here.scope_includes(self.events[from].scope, there),
            _ => false,
        };
        first.semantics.is_strong() && second.semantics.is_strong() && includes(one, other) && includes(other, one)
    }

    fn choose_sources(&self, reads: &[usize], sources: &mut BTreeMap<usize, usize>, found: &mut BTreeSet<Outcome>) {
        let Some((&read, rest)) = reads.split_first() else {
            self.with_sources(sources, found);
            return;
        };
        for write in self.of_kind(Kind::Write) {
            if self.same_location(read, write) && !self.rmw.contains(&(read, write)) {
                sources.insert(read, write);
                self.choose_sources(rest, sources, found);
                sources.remove(&read);
            }
        }
    }

    fn with_sources(&self, sources: &BTreeMap<usize, usize>, found: &mut BTreeSet<Outcome>) {
        // §8.10.4
        let mut influence = self.dependencies.clone();
        influence.extend(sources.iter().map(|(&read, &write)| (write, read)));
        if !acyclic(&influence) {
            return;
        }
        let fences: Vec<usize> = (0..self.events.len())
            .filter(|&event| {
                self.events[event].kind == Kind::Fence
                    && self.events[event].semantics == Semantics::SequentiallyConsistent
            })
            .collect();
        for order in permutations(&fences) {
            let mut fence_order = Pairs::new();
            for (index, &one) in order.iter().enumerate() {
                for &other in &order[index + 1..] {
                    if self.strong.contains(&(one, other)) {
                        fence_order.insert((one, other));
                    }
                }
            }
            self.with_fences(sources, &fence_order, found);
        }
    }

    fn with_fences(&self, sources: &BTreeMap<usize, usize>, fences: &Pairs, found: &mut BTreeSet<Outcome>) {
        // §8.9.2
        let step: Pairs =
            sources.iter().map(|(&read, &write)| (write, read)).filter(|pair| self.strong.contains(pair)).collect();
        let mut observed = step.clone();
        loop {
            let longer = compose(&compose(&observed, &self.rmw), &step);
            let before = observed.len();
            observed.extend(longer);
            if observed.len() == before {
                break;
            }
        }
        // §8.9.5
        let mut base = self.program_order.clone();
        base.extend(fences);
        base.extend(self.synchronisation(&observed));
        base.extend(self.barriers());
        let base = closure(&base);
        // §8.10.2
        let contradicts = base.iter().any(|&(one, other)| {
            let sc = |event: usize| {
                self.events[event].kind == Kind::Fence
                    && self.events[event].semantics == Semantics::SequentiallyConsistent
            };
            sc(one) && sc(other) && self.strong.contains(&(one, other)) && !fences.contains(&(one, other))
                || one == other && sc(one)
        });
        if contradicts {
            return;
        }
        let preserved: Pairs = base.iter().copied().filter(|&(one, other)| self.same_location(one, other)).collect();
        let mut cause = preserved.clone();
        cause.extend(compose(&observed, &preserved));
        // The initial writes come before every thread (§8.2.6).
        for initial in 0..self.program.locations.len() {
            for event in self.program.locations.len()..self.events.len() {
                if self.same_location(initial, event) {
                    cause.insert((initial, event));
                }
            }
        }
        let free = self.free_pairs();
        for choice in 0..1_u32 << free.len() {
            let mut coherence: Pairs = cause
                .iter()
                .copied()
                .filter(|&(one, other)| self.events[one].kind == Kind::Write && self.events[other].kind == Kind::Write)
                .collect();
            for (bit, &(one, other)) in free.iter().enumerate() {
                coherence.insert(if choice & (1 << bit) == 0 { (one, other) } else { (other, one) });
            }
            let coherence = closure(&coherence);
            if self.consistent(sources, &cause, &coherence) {
                self.record(sources, &coherence, found);
            }
        }
    }

    /// Pairs of writes that coherence has to order although causality may not.
    fn free_pairs(&self) -> Vec<(usize, usize)> {
        let writes = self.of_kind(Kind::Write);
        writes
            .iter()
            .flat_map(|&one| writes.iter().map(move |&other| (one, other)))
            .filter(|&(one, other)| {
                one < other && self.same_location(one, other) && self.strong.contains(&(one, other))
            })
            .collect()
    }

    /// §8.8 and §8.9.4.
    fn synchronisation(&self, observed: &Pairs) -> Pairs {
        let mut result = Pairs::new();
        for &(write, read) in observed {
            if self.events[read].silent {
                continue;
            }
            for first in 0..self.events.len() {
                for last in 0..self.events.len() {
                    let start = &self.events[first];
                    let end = &self.events[last];
                    let releases = start.semantics.releases()
                        && (first == write
                            || self.program_order.contains(&(first, write))
                                && (start.kind == Kind::Fence
                                    || start.kind == Kind::Write && self.same_location(first, write)));
                    let acquires = end.semantics.acquires()
                        && (last == read
                            || self.program_order.contains(&(read, last))
                                && (end.kind == Kind::Fence
                                    || end.kind == Kind::Read && !end.silent && self.same_location(last, read)));
                    if releases && acquires && start.thread != end.thread && self.strong.contains(&(first, last)) {
                        result.insert((first, last));
                    }
                }
            }
        }
        result
    }

    fn barriers(&self) -> Pairs {
        let mut result = Pairs::new();
        for (one, first) in self.events.iter().enumerate() {
            for (other, second) in self.events.iter().enumerate() {
                if let (Some((id, generation, _)), Some((id2, generation2, waits))) = (first.barrier, second.barrier)
                    && (id, generation) == (id2, generation2)
                    && waits
                    && self.place(one) == self.place(other)
                    && first.thread != second.thread
                {
                    result.insert((one, other));
                }
            }
        }
        result
    }

    fn consistent(&self, sources: &BTreeMap<usize, usize>, cause: &Pairs, coherence: &Pairs) -> bool {
        if coherence.iter().any(|(one, other)| one == other) {
            return false;
        }
        let reads_from: Pairs = sources.iter().map(|(&read, &write)| (write, read)).collect();
        let mut from_read = Pairs::new();
        for (&read, &write) in sources {
            from_read.extend(coherence.iter().filter(|(one, _)| *one == write).map(|&(_, newer)| (read, newer)));
        }
        // §8.10.6
        let communication: Pairs = reads_from.union(&from_read).copied().collect();
        if communication.iter().any(|&(one, other)| cause.contains(&(other, one))) {
            return false;
        }
        // §8.10.3
        let strong = |pairs: &Pairs| -> Pairs { pairs.intersection(&self.strong).copied().collect() };
        let between = compose(&strong(&from_read), &strong(coherence));
        if self.rmw.iter().any(|pair| between.contains(pair)) {
            return false;
        }
        // §8.10.5
        let mut order: Pairs =
            self.program_order.iter().copied().filter(|&(one, other)| self.same_location(one, other)).collect();
        for part in [&reads_from, coherence, &from_read] {
            order.extend(strong(part));
        }
        acyclic(&order)
    }

    fn record(&self, sources: &BTreeMap<usize, usize>, coherence: &Pairs, found: &mut BTreeSet<Outcome>) {
        let mut registers = BTreeMap::new();
        for &read in sources.keys() {
            if let Some((thread, register)) = &self.events[read].register {
                let thread = self.program.threads[*thread].name.clone();
                let term = Term::Register { thread, register: register.as_str().into() };
                registers.insert(term, self.read(sources, read));
            }
        }
        let mut memories = vec![BTreeMap::new()];
        for (location, declared) in self.program.locations.iter().enumerate() {
            let writes: Vec<usize> = self
                .of_kind(Kind::Write)
                .into_iter()
                .filter(|&write| self.events[write].location == Some(location))
                .collect();
            if (0..self.events.len()).filter(|&event| self.events[event].location == Some(location)).count() == 1 {
                continue;
            }
            let last = writes.iter().filter(|&&write| !writes.iter().any(|&later| coherence.contains(&(write, later))));
            memories = last
                .flat_map(|&write| {
                    let value = self.written(sources, write);
                    memories.iter().map(move |memory| {
                        let mut memory = memory.clone();
                        let name = declared.name.clone();
                        memory.insert(Term::Memory { location: name, offset: 0, width: 4 }, value);
                        memory
                    })
                })
                .collect();
        }
        for memory in memories {
            found.insert(Outcome { registers: registers.clone(), memory });
        }
    }

    fn read(&self, sources: &BTreeMap<usize, usize>, read: usize) -> u128 {
        self.written(sources, sources[&read])
    }

    fn written(&self, sources: &BTreeMap<usize, usize>, write: usize) -> u128 {
        let event = &self.events[write];
        event.base.map_or(0, |read| self.read(sources, read)).wrapping_add(event.constant) & 0xffff_ffff
    }
}

fn compose(one: &Pairs, other: &Pairs) -> Pairs {
    let mut result = Pairs::new();
    for &(from, middle) in one {
        result.extend(other.range((middle, 0)..=(middle, usize::MAX)).map(|&(_, to)| (from, to)));
    }
    result
}

fn closure(pairs: &Pairs) -> Pairs {
    let mut result = pairs.clone();
    loop {
        let longer = compose(&result, pairs);
        let before = result.len();
        result.extend(longer);
        if result.len() == before {
            return result;
        }
    }
}

fn acyclic(pairs: &Pairs) -> bool {
    closure(pairs).iter().all(|(one, other)| one != other)
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &first) in items.iter().enumerate() {
        let mut rest = items.to_vec();
        rest.remove(index);
        for mut tail in permutations(&rest) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}
