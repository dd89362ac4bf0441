//! What a program says about its memory, in annotations or in a file beside it.

use std::collections::{BTreeMap, BTreeSet};

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
            _ => match rest.strip_prefix("domain:") {
                Some(name) if !name.is_empty() => Ok(Annotation::Domain(name.to_owned())),
                _ => Err(format!("`{text}` is no annotation of gicc's")),
            },
        })
    }

    /// The texts that there are, for messages.
    pub const KNOWN: &'static str =
        "gicc.remote, gicc.symmetric, gicc.signal, gicc.domain:NAME, gicc.packet and gicc.rendezvous";
}

/// What was read of a module before it was simplified.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Sets of annotations; values in the module are marked with a set's number.
    pub sets: Vec<BTreeSet<Annotation>>,
    /// Annotations of variables, by symbol.
    pub variables: BTreeMap<String, BTreeSet<Annotation>>,
    /// Annotations of kernels' parameters, by the parameter's place.
    pub parameters: Vec<ParameterNote>,
    /// Annotations of functions, by symbol.
    pub functions: BTreeMap<String, BTreeSet<Annotation>>,
    /// Places in the source where so many bytes are accessed in one piece, before the optimiser split them.
    pub packets: BTreeMap<(String, u32, u32), u32>,
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
    pub set: BTreeSet<Annotation>,
}

impl Notes {
    /// The number of a set of annotations, as marks in the module have it.
    pub fn set(&mut self, set: BTreeSet<Annotation>) -> u32 {
        let at = self.sets.iter().position(|s| *s == set).unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
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
        assert!(matches!(Annotation::parse("gicc.remot"), Some(Err(_))));
        assert_eq!(Annotation::parse("deprecated"), None);
    }
}
