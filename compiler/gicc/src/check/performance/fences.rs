//! Fences that the memory model finds too many, too wide or too strong.
//!
//! A fence is looked at where every use of it is in the small launches: what it publishes is polled there by another block or
//! PE, what it acquires was signalled there. Then weaker forms of the kernel are judged, the cheapest first:
//!
//! | form | finding |
//! | --- | --- |
//! | without the fence | C0204 |
//! | one fence in the thread that signals, behind the barrier | C0201 |
//! | gpu scope instead of the system's | C0203 |
//! | acquire and release instead of sequential consistency | C0202 |
//!
//! A form counts that has no race in any program of any launch, and whose flags have the same outcomes.

use std::collections::{BTreeMap, BTreeSet};

use memory_model as mm;
use memory_model::{Scope, Semantics};

use super::super::code::{self, Code, Level};
use super::super::execute::decode::{SHARED_WINDOW, VARIABLES};
use super::super::execute::event::{Access, Event, EventKind};
use super::super::execute::thread::Role;
use super::super::execute::{Explored, Scenario};
use super::super::report::{Confirmed, Finding, Label};
use super::programs::{Key, Program, Programs};
use crate::analysis::communication::Kernel;
use crate::diagnostic::Span;

/// A fence of the source.
#[derive(Clone, Debug)]
struct Fence {
    span: Option<Span>,
    semantics: Semantics,
    scope: Scope,
}

/// The findings about a kernel's fences.
pub(super) fn find(kernel: &Kernel, explored: &Explored, others: &[Finding]) -> Vec<Finding> {
    // What is wrong has to become right first, and what is not known may be what a fence is for.
    if !explored.gaps.is_empty()
        || !explored.meets_peers()
        || others.iter().any(|f| f.code.level == Level::Correctness || f.code == &code::UNDECIDED)
    {
        return Vec::new();
    }
    let fences = fences(kernel, explored);
    if fences.is_empty() {
        return Vec::new();
    }
    let Some(mut programs) = Programs::of(explored) else { return Vec::new() };
    let mut found = Vec::new();
    for (key, fence) in &fences {
        if explored.scenarios.iter().all(|scenario| is_understood(scenario, *key)) {
            found.extend(judged(kernel, explored, &mut programs, *key, fence));
        }
    }
    found
}

/// The fences that somebody wrote: gicc's own are placed as narrow as they can be.
fn fences(kernel: &Kernel, explored: &Explored) -> BTreeMap<Key, Fence> {
    let written: BTreeSet<&Span> = kernel
        .sites
        .iter()
        .filter(|site| site.is_fence() && !super::is_own(site))
        .filter_map(|site| site.place.innermost.as_ref())
        .collect();
    let mut all = BTreeMap::new();
    for (_, event) in events(explored) {
        if let EventKind::Fence(semantics, scope) = event.kind
            && event.span.as_ref().is_some_and(|span| written.contains(span))
        {
            all.insert(event.site, Fence { span: event.span.clone(), semantics, scope });
        }
    }
    all
}

fn events(explored: &Explored) -> impl Iterator<Item = (Role, &Event)> {
    explored.scenarios.iter().flat_map(|scenario| {
        scenario
            .threads
            .iter()
            .flat_map(|(role, paths)| paths.iter().flat_map(|path| &path.events).map(move |event| (*role, event)))
    })
}

/// Whether everything that a fence may be for is in the launch.
fn is_understood(scenario: &Scenario, key: Key) -> bool {
    let others = Others::of(scenario);
    scenario.threads.iter().all(|(role, paths)| {
        paths.iter().all(|path| {
            let at = |event: &Event| event.site == key;
            let (Some(first), Some(last)) = (path.events.iter().position(at), path.events.iter().rposition(at)) else {
                return true;
            };
            path.events.iter().enumerate().all(|(index, event)| match &event.kind {
                EventKind::Access(access) => others.explain(*role, event.site, access, index < last, index > first),
                EventKind::Fence(..)
                | EventKind::Barrier { .. }
                | EventKind::Assume { .. }
                | EventKind::Because(..) => true,
                // The copy unit has fences and waits of its own.
                EventKind::ProxyFence(_)
                | EventKind::Copy { .. }
                | EventKind::Commit
                | EventKind::Wait { .. }
                | EventKind::Mbarrier { .. } => false,
            })
        })
    })
}

/// What all threads of a launch access.
struct Others<'s> {
    all: Vec<(Role, Key, &'s Access)>,
}

impl<'s> Others<'s> {
    fn of(scenario: &'s Scenario) -> Others<'s> {
        let mut all = Vec::new();
        for (role, paths) in &scenario.threads {
            for event in paths.iter().flat_map(|path| &path.events) {
                if let EventKind::Access(access) = &event.kind {
                    all.push((*role, event.site, access));
                }
            }
        }
        Others { all }
    }

    /// Whether an access before or behind a fence has its other side in the launch, or needs none.
    fn explain(&self, role: Role, site: Key, access: &Access, before: bool, behind: bool) -> bool {
        let strong = access.semantics != Semantics::Weak;
        let shared = (SHARED_WINDOW..VARIABLES).contains(&access.address);
        if shared {
            // Threads of one block that pass each other flags are not judged.
            return !strong;
        }
        let elsewhere = |wanted: &dyn Fn(&Access) -> bool| {
            self.all.iter().any(|(other, _, a)| {
                (other.pe, other.block) != (role.pe, role.block) && overlap(a, access) && wanted(a)
            })
        };
        if strong && before && access.reads() && !elsewhere(&|a| a.writes()) {
            return false;
        }
        if behind && access.writes() && !elsewhere(&|a| a.reads()) {
            // The host may wait for it: a strong word, or a constant that one thread alone stores.
            let constant = access.values.iter().all(Result::is_ok);
            let alone = !self.all.iter().any(|(other, key, _)| {
                *key == site && (other.pe, other.block) == (role.pe, role.block) && other.thread != role.thread
            });
            return !(strong || constant && alone);
        }
        true
    }
}

fn overlap(one: &Access, other: &Access) -> bool {
    let (a, b) = (one.range(), other.range());
    a.start < b.end && b.start < a.end
}

/// The finding about one fence, if a weaker form is as right.
fn judged(kernel: &Kernel, explored: &Explored, programs: &mut Programs, key: Key, fence: &Fence) -> Vec<Finding> {
    let text = format!("fence.{}.{}", fence.semantics, fence.scope);
    let say = |code, message: String, cause: String, cure: &str| finding(kernel, fence, code, message, cause, cure);
    if programs.stay_right(&|program| program.with_fence(key, &|_| false)) {
        let mut finding = say(
            &code::REDUNDANT_FENCE,
            format!("the fence (`{text}`) orders nothing that is not ordered without it"),
            "without it no launch of the kernel has a race, and its flags have the same outcomes".to_owned(),
            "leave the fence out",
        );
        finding.labels.extend(stands_for(explored, key, fence));
        return vec![finding];
    }
    let together = explored.scenarios.iter().any(|scenario| by_several(scenario, key));
    if together && programs.stay_right(&|program| moved(program, key)) {
        return vec![say(
            &code::FENCE_PER_THREAD,
            format!("every thread executes the fence (`{text}`), and one thread signals for them all"),
            "one fence in the thread that signals, behind the barrier, orders the same: no launch of the kernel has a race \
             then, and its flags have the same outcomes"
                .to_owned(),
            "leave the fence out, and let the thread that signals release behind the barrier (`st.release.sys`, or a fence \
             in front of its store)",
        )];
    }
    let narrow = fence.scope == Scope::Sys
        && programs.stay_right(&|program| program.with_fence(key, &|op| change(op, None, Some(Scope::Gpu))));
    let weaker = Some(Semantics::AcquireRelease);
    let scope = narrow.then_some(Scope::Gpu);
    let mild = fence.semantics == Semantics::SequentiallyConsistent
        && programs.stay_right(&|program| program.with_fence(key, &|op| change(op, weaker, scope)));
    let mut found = Vec::new();
    if narrow {
        found.push(say(
            &code::WIDE_SCOPE,
            format!("the fence (`{text}`) reaches the whole system, and what depends on it is on this GPU"),
            "with gpu scope no launch of the kernel has a race, and its flags have the same outcomes".to_owned(),
            "use gpu scope: `__threadfence()`, `.gpu`",
        ));
    }
    if mild {
        let scope = scope.unwrap_or(fence.scope);
        found.push(say(
            &code::SC_FENCE,
            format!("the fence (`{text}`) is sequentially consistent, and acquire and release are enough"),
            format!(
                "with `fence.acq_rel.{scope}` no launch of the kernel has a race, and its flags have the same outcomes"
            ),
            &format!("use `fence.acq_rel.{scope}`, or let the signal release and the wait acquire"),
        ));
    }
    found
}

fn change(op: &mut mm::Op, weaker: Option<Semantics>, narrower: Option<Scope>) -> bool {
    if let mm::Op::Fence { semantics, scope } = op {
        *semantics = weaker.unwrap_or(*semantics);
        *scope = narrower.unwrap_or(*scope);
    }
    true
}

fn finding(kernel: &Kernel, fence: &Fence, code: &'static Code, message: String, cause: String, cure: &str) -> Finding {
    Finding {
        code,
        kernel: kernel.name.clone(),
        span: fence.span.clone(),
        message,
        cause,
        cure: cure.to_owned(),
        witness: None,
        confirmed: Confirmed::Confirmed,
        labels: Vec::new(),
        inlined_at: Vec::new(),
    }
}

/// What orders instead of a needless fence: the next operation of its threads that releases, or the one before that acquires.
fn stands_for(explored: &Explored, key: Key, fence: &Fence) -> Option<Label> {
    let label = |event: &Event, text: &str| {
        let span = event.span.clone().filter(|span| Some(span) != fence.span.as_ref())?;
        Some(Label { span, text: text.to_owned() })
    };
    let orders = |event: &Event, releases: bool| match &event.kind {
        EventKind::Access(access) => match access.semantics {
            Semantics::AcquireRelease | Semantics::SequentiallyConsistent => true,
            Semantics::Release => releases,
            Semantics::Acquire => !releases,
            _ => false,
        },
        EventKind::Fence(..) => event.site != key,
        _ => false,
    };
    let paths = explored.scenarios.iter().flat_map(|s| &s.threads).flat_map(|(_, paths)| paths);
    paths
        .filter_map(|path| {
            let at = path.events.iter().position(|event| event.site == key)?;
            let behind = path.events[at..].iter().find(|event| orders(event, true));
            let before = || path.events[..at].iter().rev().find(|event| orders(event, false));
            behind
                .and_then(|event| label(event, "this orders what comes before it"))
                .or_else(|| label(before()?, "this orders what comes behind it"))
        })
        .next()
}

/// Whether several threads of one block execute a fence.
fn by_several(scenario: &Scenario, key: Key) -> bool {
    let mut seen: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for (role, paths) in &scenario.threads {
        if paths.iter().flat_map(|path| &path.events).any(|event| event.site == key) {
            seen.entry((role.pe, role.block)).or_default().insert(role.thread);
        }
    }
    seen.values().any(|threads| threads.len() > 1)
}

/// The program in which only threads that signal behind a barrier fence, in front of their signal; nothing where there is none.
fn moved(program: &Program, key: Key) -> Option<mm::Program> {
    let mut changed = program.program.clone();
    let mut any = false;
    for (thread, record) in changed.threads.iter_mut().enumerate() {
        let here = |step: usize| program.keys[thread].get(step).copied().flatten() == Some(key);
        let mut steps = Vec::with_capacity(record.steps.len());
        // A fence that was left out, and whether its barrier has been passed.
        let mut pending: Option<(mm::Step, bool)> = None;
        for (number, step) in record.steps.iter().enumerate() {
            match &step.op {
                mm::Op::Fence { .. } if here(number) => {
                    pending = Some((step.clone(), false));
                    any = true;
                    continue;
                }
                mm::Op::Barrier { .. } => {
                    if let Some((_, passed)) = &mut pending {
                        *passed = true;
                    }
                }
                mm::Op::Store { access, .. } | mm::Op::Rmw { access, .. }
                    if access.semantics != Semantics::Weak && pending.as_ref().is_some_and(|(_, passed)| *passed) =>
                {
                    steps.extend(pending.take().map(|(fence, _)| fence));
                }
                _ => {}
            }
            steps.push(step.clone());
        }
        record.steps = steps;
    }
    any.then_some(changed)
}
