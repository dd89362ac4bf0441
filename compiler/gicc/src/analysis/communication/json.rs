//! What is known of kernels as JSON, as `gicc explain --format json` and `gicc check --format json` write it:
//!
//! ```text
//! {"version":1,"kernels":[{"name":…,"sites":[{"class":…,"file":…,"line":…,"column":…,"inlined_at":[…],"op":…,"why":[…],
//!                          "ordered_by":[…]}],"assumptions":[…]}]}
//! ```

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Address, Communication, Kernel, Remote, Site, SiteId, Who};
use crate::diagnostic::Span;

/// The version of the form.
pub const VERSION: u32 = 1;

/// A module.
#[derive(Clone, Debug, Serialize)]
pub struct CommunicationJson {
    /// [`VERSION`].
    pub version: u32,
    /// The kernels.
    pub kernels: Vec<KernelJson>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelJson {
    /// Its symbol.
    pub name: String,
    /// Its name in the source.
    pub readable: String,
    /// Whether it communicates.
    pub communicates: bool,
    /// Its sites.
    pub sites: Vec<SiteJson>,
    /// What was taken for granted.
    pub assumptions: Vec<AssumptionJson>,
}

/// A site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteJson {
    /// Its number in the kernel.
    pub id: u32,
    /// [`super::Class::name`].
    pub class: &'static str,
    /// Innermost place.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// The calls through which it was inlined, inner ones first.
    pub inlined_at: Vec<Span>,
    /// The operation in PTX's words.
    pub op: String,
    /// How it is written.
    pub shape: String,
    /// Where it accesses memory, in words.
    pub address: Option<String>,
    /// The domains that annotations put that memory in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    /// Whether that is a peer's memory.
    pub remote: Option<&'static str>,
    /// Who executes it.
    pub executed_by: &'static str,
    /// Reasons, the strongest first.
    pub why: Vec<String>,
    /// What orders it.
    pub ordered_by: Vec<OrderedJson>,
    /// The packet that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_bytes: Option<u32>,
}

/// What orders a site.
#[derive(Clone, Debug, Serialize)]
pub struct OrderedJson {
    /// [`super::How::name`].
    pub how: &'static str,
    /// The site that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<u32>,
    /// Where that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Span>,
}

/// What was taken for granted.
#[derive(Clone, Debug, Serialize)]
pub struct AssumptionJson {
    /// [`super::AssumptionKind::name`].
    pub kind: &'static str,
    /// In words.
    pub words: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Span>,
}

/// The whole module.
pub fn communication(all: &Communication) -> CommunicationJson {
    CommunicationJson { version: VERSION, kernels: all.kernels.iter().map(kernel).collect() }
}

/// One kernel.
pub fn kernel(kernel: &Kernel) -> KernelJson {
    KernelJson {
        name: kernel.name.clone(),
        readable: kernel.readable.clone(),
        communicates: kernel.communicates,
        sites: kernel.sites.iter().map(|s| site(kernel, s)).collect(),
        assumptions: kernel
            .assumptions
            .iter()
            .map(|a| AssumptionJson { kind: a.kind.name(), words: a.words.clone(), at: a.span.clone() })
            .collect(),
    }
}

fn site(kernel: &Kernel, site: &Site) -> SiteJson {
    let place = site.place.innermost.as_ref();
    SiteJson {
        id: site.id.0,
        class: site.class.name(),
        file: place.map(|p| p.file.clone()),
        line: place.map(|p| p.line),
        column: place.map(|p| p.column),
        inlined_at: site.place.inlined_at.clone(),
        op: super::super::words::operation(site),
        shape: super::super::words::shape(site),
        address: site.address.as_ref().map(|a| address(kernel, a)),
        domains: site.address.as_ref().map(|a| domains(kernel, a)).unwrap_or_default(),
        remote: site.address.as_ref().map(|a| match a.remote {
            Remote::No => "no",
            Remote::Maybe => "maybe",
            Remote::Yes => "yes",
        }),
        executed_by: who(site.guard.who),
        why: site.why.iter().map(|r| r.words.clone()).collect(),
        ordered_by: site
            .ordered_by
            .iter()
            .map(|o| OrderedJson {
                how: o.how.name(),
                site: o.by.map(|s: SiteId| s.0),
                at: o.by.and_then(|s| kernel.site(s).place.innermost.clone()),
            })
            .collect(),
        packet_bytes: site.packet.as_ref().map(|p| p.bytes),
    }
}

/// The domains that the memory at an address belongs to, as annotations say.
pub fn domains(kernel: &Kernel, address: &Address) -> Vec<String> {
    let objects = address.objects.iter().filter_map(|o| kernel.object(*o));
    let all: BTreeSet<String> = objects.flat_map(|o| o.domains.iter().cloned()).collect();
    all.into_iter().collect()
}

/// Where an address lies, in words.
pub fn address(kernel: &Kernel, address: &Address) -> String {
    let mut words: Vec<String> =
        address.objects.iter().filter_map(|o| kernel.object(*o)).map(|o| o.words.clone()).collect();
    words.dedup();
    match words.len() {
        0 => "memory that is not known".to_owned(),
        1..=3 => words.join(" or "),
        n => format!("{} or one of {} others", words[0], n - 1),
    }
}

/// Who executes a site, in words.
pub fn who(who: Who) -> &'static str {
    match who {
        Who::Everyone => "all threads",
        Who::OneOfBlock => "one thread of the block",
        Who::OneOfWarp => "one thread of each warp",
        Who::Warps => "some warps",
        Who::Some => "some threads",
        Who::Unknown => "threads that a condition on data picks",
    }
}
