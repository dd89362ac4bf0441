//! What a program says about its memory, in annotations or in a file beside it.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Span;

/// One annotation: the text `gicc.remote` and its kin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Annotation {
    /// Points to a peer's memory, or to a table of such pointers.
    Remote,
    /// Lies at the same offset on every PE.
    Symmetric,
    /// Holds signals.
    Signal,
    /// Belongs to this domain.
    Domain(String),
    /// The variable declares this domain: its first word is the domain's number, its second how far its orderings reach.
    DeclaresDomain(String),
    /// Each wide access is a packet: data is its own flag.
    Packet,
    /// Relies on the boundary of the kernel.
    Rendezvous,
}

impl Annotation {
    /// The annotation that a text is; nothing for a text of somebody else's, an error for one that begins with `gicc.`.
    pub fn parse(text: &str) -> Option<Result<Annotation, String>> {
        let rest = text.strip_prefix("gicc.")?;
        Some(match rest {
            "remote" => Ok(Annotation::Remote),
            "symmetric" => Ok(Annotation::Symmetric),
            "signal" => Ok(Annotation::Signal),
            "packet" => Ok(Annotation::Packet),
            "rendezvous" => Ok(Annotation::Rendezvous),
            _ => {
                let named = |prefix: &str| rest.strip_prefix(prefix).filter(|n| !n.is_empty()).map(str::to_owned);
                let domain = named("domain:").map(Annotation::Domain);
                let either = domain.or_else(|| named("declares_domain:").map(Annotation::DeclaresDomain));
                either.ok_or_else(|| format!("`{text}` is no annotation of gicc's"))
            }
        })
    }

    /// The domain that this puts memory in.
    pub fn domain(&self) -> Option<&str> {
        match self {
            Annotation::Domain(name) => Some(name),
            _ => None,
        }
    }

    /// The texts that there are, for messages.
    pub const KNOWN: &'static str =
        "gicc.remote, gicc.symmetric, gicc.signal, gicc.domain:NAME, gicc.packet and gicc.rendezvous";
}

/// What was read of a module before it was simplified.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Sets of annotations; values in the module are marked with a set's number.
    pub sets: Vec<Said>,
    /// Annotations of variables, by symbol.
    pub variables: BTreeMap<String, BTreeSet<Annotation>>,
    /// Annotations of kernels' parameters, by the parameter's place.
    pub parameters: Vec<ParameterNote>,
    /// Annotations of functions, by symbol.
    pub functions: BTreeMap<String, BTreeSet<Annotation>>,
    /// Places in the source where so many bytes are accessed in one piece, before the optimiser split them.
    pub packets: BTreeMap<(String, u32, u32), u32>,
    /// The domains that are declared, in the order of their declarations; one that several inputs declare, several times.
    pub domains: Vec<DomainNote>,
}

/// Annotations, and where they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What is said.
    pub set: BTreeSet<Annotation>,
    /// Where, as far as the program tells.
    pub place: Option<Span>,
}

/// The declaration of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainNote {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: u32,
    /// How far its orderings reach: [`gicc_abi::codes::Scope`].
    pub scope: u32,
    /// Where it is declared.
    pub place: Option<Span>,
}

/// What is said of a parameter, or of a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterNote {
    /// The kernel's symbol.
    pub function: String,
    /// Which parameter.
    pub index: u32,
    /// The field's distance from the beginning of the structure, where a field is meant.
    pub offset: Option<u64>,
    /// What is said.
    pub said: Said,
}

impl Notes {
    /// The number of a set of annotations, as marks in the module have it.
    pub fn set(&mut self, said: Said) -> u32 {
        let at = self.sets.iter().position(|s| *s == said).unwrap_or_else(|| {
            self.sets.push(said);
            self.sets.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The names of all domains that something is said to belong to.
    pub fn domains_with_members(&self) -> BTreeSet<&str> {
        let marked = self.sets.iter().map(|s| &s.set);
        let parameters = self.parameters.iter().map(|p| &p.said.set);
        let all = marked.chain(parameters).chain(self.variables.values());
        all.flatten().filter_map(Annotation::domain).collect()
    }
}

/// How much is believed without being said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assume {
    /// Only annotations, gicc's own primitives, multicast instructions and calls of known libraries.
    Annotated,
    /// What speaks for itself too: system scope, volatile flags through tables of pointers, and what uses the same tables.
    #[default]
    Evidence,
    /// Every pointer that comes with the arguments may be a peer's.
    Aggressive,
}

impl Assume {
    /// All, with the names on the command line.
    pub const ALL: &[(&'static str, Assume)] =
        &[("annotated", Assume::Annotated), ("evidence", Assume::Evidence), ("aggressive", Assume::Aggressive)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_gicc_are_known_or_refused() {
        assert_eq!(Annotation::parse("gicc.remote"), Some(Ok(Annotation::Remote)));
        assert_eq!(Annotation::parse("gicc.domain:halo"), Some(Ok(Annotation::Domain("halo".into()))));
        assert!(matches!(Annotation::parse("gicc.domain:"), Some(Err(_))));
        let declares = Annotation::parse("gicc.declares_domain:halo");
        assert_eq!(declares, Some(Ok(Annotation::DeclaresDomain("halo".into()))));
        assert!(matches!(Annotation::parse("gicc.declares_domain:"), Some(Err(_))));
        assert!(matches!(Annotation::parse("gicc.remot"), Some(Err(_))));
        assert_eq!(Annotation::parse("deprecated"), None);
    }
}
