//! `check_domains`: an initiation on a domain writes to a member of that domain.
//!
//! ```text
//! call i64 @__gicc_initiate_block(ptr %edge, …, i32 2, …)     %edge is annotated a member of `halo`, whose number is 1
//!   E0219: the destination `edge` does not belong to the domain `rows`
//! ```
//!
//! What is known: names and numbers of the domains that are declared; members that annotations, side files and attributes of
//! MLIR's arguments name. A parameter of a kernel, or a field of a structure that is passed by value, of which nothing is said
//! is a member of no domain but 0, and is refused where the domain has declared members. Nothing is refused of a domain without
//! declared members, of pointers that are read from memory, of parameters of functions that are not inlined, and where the
//! destination is one of several buffers of which one belongs there; what cannot be told is a remark.
//!
//! Requires: annotations are marks (`frontend::annotations`); a copy of the module in which everything is inlined and simplified,
//! since marks stand in the way of simplification. Changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use gicc_abi::intrinsics;
use inkwell::module::Module;
use inkwell::targets::TargetData;

use crate::analysis::annotated::Annotated;
use crate::analysis::annotation::Notes;
use crate::analysis::body::{self, Body, Extractor, Kind, NodeId};
use crate::analysis::provenance::{self, Path, PathId, Provenance, words};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{Call, defined_functions, instructions, is_kernel, name_of};

/// What initiations are called.
const INITIATE: &str = "__gicc_initiate_";

/// Whether a module initiates anything.
pub(crate) fn concerns(module: &Module<'_>) -> bool {
    module.get_functions().any(|f| name_of(f).starts_with(INITIATE))
}

/// Checks every initiation; remarks on those of which nothing can be told.
pub(crate) fn run(module: &Module<'_>, target: &TargetData, notes: &Notes) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let domains = Domains::new(notes);
    let mut extractor = Extractor::new(module, target, Vec::new());
    let (mut errors, mut remarks) = (Vec::new(), Vec::new());
    for function in defined_functions(module) {
        let initiates = |call: Call<'_>| name_of(call.callee).starts_with(INITIATE);
        if !instructions(function).into_iter().filter_map(Call::new).any(initiates) {
            continue;
        }
        let body = body::of(function, &mut extractor);
        let provenance = provenance::solve(&body);
        let function = Function {
            annotated: Annotated::new(&body, &provenance, notes),
            body: &body,
            provenance: &provenance,
            domains: &domains,
            is_kernel: is_kernel(function),
        };
        for node in (0..body.nodes.len() as u32).map(NodeId) {
            match function.judge(node) {
                Verdict::Right => {}
                Verdict::Wrong(error) => add(&mut errors, error),
                Verdict::Unknown(remark) => add(&mut remarks, remark),
            }
        }
    }
    if errors.is_empty() { Ok(remarks) } else { Err(errors) }
}

/// A function that was inlined says everything a second time.
fn add(all: &mut Vec<Diagnostic>, one: Diagnostic) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// The domains that the program speaks of.
struct Domains<'n> {
    names: BTreeMap<u32, &'n str>,
    numbers: BTreeMap<&'n str, u32>,
    with_members: BTreeSet<&'n str>,
}

impl<'n> Domains<'n> {
    fn new(notes: &'n Notes) -> Self {
        Domains {
            names: notes.domains.iter().map(|d| (d.number, d.name.as_str())).collect(),
            numbers: notes.domains.iter().map(|d| (d.name.as_str(), d.number)).collect(),
            with_members: notes.domains_with_members(),
        }
    }

    /// Whether a name is that of a number; nothing where neither is declared.
    fn is(&self, name: &str, number: u32) -> Option<bool> {
        let by_name = self.numbers.get(name).map(|n| *n == number);
        by_name.or_else(|| self.names.get(&number).map(|n| *n == name))
    }

    fn shown(&self, number: u32) -> String {
        self.names.get(&number).map_or_else(|| number.to_string(), |name| format!("`{name}`"))
    }
}

/// What is known of an initiation.
enum Verdict {
    Right,
    Wrong(Diagnostic),
    Unknown(Diagnostic),
}

/// Whether memory belongs to a domain.
enum Membership<'a> {
    Member,
    /// It belongs to these alone, as is said there.
    Other(Vec<&'a str>, Option<&'a Span>),
    Unknown,
}

/// A function that initiates.
struct Function<'a> {
    body: &'a Body,
    provenance: &'a Provenance,
    annotated: Annotated<'a>,
    domains: &'a Domains<'a>,
    is_kernel: bool,
}

impl<'a> Function<'a> {
    fn judge(&self, node: NodeId) -> Verdict {
        let Kind::Call { name, arguments, .. } = self.body.kind(node) else { return Verdict::Right };
        let Some(known) = intrinsics::find(name).filter(|i| i.name.starts_with(INITIATE)) else {
            return Verdict::Right;
        };
        let argument = |name: &str| known.parameter(name).and_then(|n| arguments.get(n)).copied();
        let (Some(destination), Some(domain)) = (argument("dst"), argument("domain")) else { return Verdict::Right };
        let place = self.body.place(node).innermost.clone();
        let unknown = |why: &str| {
            let message = format!("initiate: {why}, so whether its destination belongs there is not checked");
            Verdict::Unknown(Diagnostic::remark(codes::DOMAIN_UNKNOWN, message).at(place.clone()))
        };
        let Some(number) = self.body.integer(domain).and_then(|n| u32::try_from(n).ok()) else {
            let any = !self.domains.with_members.is_empty();
            return if any { unknown("its domain is no constant") } else { Verdict::Right };
        };
        if number == 0 {
            return Verdict::Right;
        }
        let has_members = self.domains.names.get(&number).is_some_and(|n| self.domains.with_members.contains(n));
        let value = self.provenance.of(self.behind_peer_pointers(destination));
        let places: Vec<_> = value.places.iter().map(|(path, _)| (*path, self.membership(*path, number))).collect();
        let others: Vec<_> = places
            .iter()
            .filter_map(|(path, m)| match m {
                Membership::Other(names, place) => Some((*path, names, *place)),
                _ => None,
            })
            .collect();
        if !places.is_empty() && !value.more && others.len() == places.len() {
            return Verdict::Wrong(self.refused(number, &others).at(place.clone()));
        }
        let right = !value.more && !places.is_empty() && places.iter().all(|(_, m)| matches!(m, Membership::Member));
        if right || !has_members && others.is_empty() {
            return Verdict::Right;
        }
        let shown = self.domains.shown(number);
        unknown(&if others.is_empty() {
            format!("which buffer it writes to on the domain {shown} is not known")
        } else {
            format!("it writes to one of several buffers, of which not all belong to the domain {shown}")
        })
    }

    /// A buffer's place on another PE belongs to what the buffer belongs to.
    fn behind_peer_pointers(&self, destination: NodeId) -> NodeId {
        let mut node = destination;
        loop {
            node = match self.body.kind(node) {
                Kind::Element { base, .. } => *base,
                Kind::Cast(from) => *from,
                Kind::Call { name, arguments, .. } if &**name == "__gicc_peer_ptr" => match arguments.first() {
                    Some(buffer) => *buffer,
                    None => return node,
                },
                _ => return node,
            };
        }
    }

    fn membership(&self, path: PathId, number: u32) -> Membership<'a> {
        let said: Vec<(&str, Option<&Span>)> = self
            .annotated
            .of(path)
            .into_iter()
            .filter_map(|(annotation, place)| Some((annotation.domain()?, place)))
            .collect();
        if said.is_empty() {
            let may_be_declared =
                self.domains.names.get(&number).is_some_and(|name| self.domains.with_members.contains(name));
            return if may_be_declared && self.comes_with_the_launch(path) {
                Membership::Other(Vec::new(), None)
            } else {
                Membership::Unknown
            };
        }
        let answers: Vec<Option<bool>> = said.iter().map(|(name, _)| self.domains.is(name, number)).collect();
        if answers.contains(&Some(true)) {
            Membership::Member
        } else if answers.contains(&None) {
            Membership::Unknown
        } else {
            let mut names: Vec<&str> = said.iter().map(|(name, _)| *name).collect();
            names.sort_unstable();
            names.dedup();
            Membership::Other(names, said.iter().find_map(|(_, place)| *place))
        }
    }

    /// A parameter of a kernel, or a field of one that is passed by value: where membership is declared.
    fn comes_with_the_launch(&self, path: PathId) -> bool {
        let paths = &self.provenance.paths;
        self.is_kernel
            && match paths.get(path) {
                Path::Parameter(_) => true,
                Path::Loaded { from, .. } => matches!(paths.get(*from), Path::ByValue(_)),
                _ => false,
            }
    }

    fn refused(&self, number: u32, others: &[(PathId, &Vec<&str>, Option<&Span>)]) -> Diagnostic {
        let shown = self.domains.shown(number);
        let buffer = |path: PathId| words::of(self.body, self.provenance, path);
        let mut others = others.to_vec();
        others.sort_by_key(|(path, ..)| buffer(*path));
        let buffers: Vec<String> = others.iter().map(|(path, ..)| buffer(*path)).collect();
        let name = self.domains.names.get(&number).copied().unwrap_or("NAME");
        let mut error = Diagnostic::error(
            codes::NOT_IN_DOMAIN,
            format!("the destination, {}, does not belong to the domain {shown}", buffers.join(" or ")),
        )
        .cause("an initiation on a domain writes to that domain's members alone")
        .cure(format!(
            "name the domain of the buffer, or declare the buffer a member of this one: GICC_DOMAIN(\"{name}\") in C++, \
             `gicc.domain = @{name}` in MLIR"
        ));
        for (path, names, place) in others {
            let of: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            let (note, place) = if of.is_empty() {
                (format!("{} is declared a member of no domain", buffer(path)), self.body.span.clone())
            } else {
                (format!("{} is declared a member of {}", buffer(path), of.join(" and ")), place.cloned())
            };
            error = error.note(note, place.or_else(|| self.body.span.clone()));
        }
        error
    }
}
