//! Notes on single sites: polls without a bound, packets, assumptions of the analysis, and waits that rely on the kernel's
//! boundary.

use std::collections::BTreeSet;

use super::super::code::{self, Code};
use super::super::report::Finding;
use super::{Received, is_flag_poll};
use crate::analysis::communication::{AssumptionKind, Class, Evidence, Kernel, RelationKind, Site, SiteId};

/// Waits that rely on the kernel's boundary.
pub(super) fn boundaries(
    kernel: &Kernel,
    received: &[Received<'_>],
    paired: &BTreeSet<SiteId>,
    signalled: &BTreeSet<SiteId>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for poll in kernel.sites.iter().filter(|site| is_flag_poll(site)) {
        let reads = received.iter().any(|r| r.poll.id == poll.id);
        let (words, cause) = match (reads, paired.contains(&poll.id), signalled.contains(&poll.id)) {
            (true, false, true) => (
                "the rendezvous orders nothing that this kernel writes",
                "what is read behind it was written by an earlier kernel, which the order of launches has to put before",
            ),
            (false, _, true) => (
                "nothing in this kernel is read behind the wait",
                "what peers may do afterwards, and what they wrote, is for the next kernel",
            ),
            _ => continue,
        };
        found.push(note(kernel, &code::KERNEL_BOUNDARY, poll, words.to_owned(), cause.to_owned()));
    }
    found
}

/// Who answers a wait for which no signal is seen.
pub(super) const OUTSIDE: &str = "somebody outside of the kernel, a peer or the host,";

/// The waits for which the kernel has signals to peers, or which are gicc's own.
pub(super) fn answered(kernel: &Kernel) -> BTreeSet<SiteId> {
    let to_peers = |class: Class| matches!(class, Class::Signal | Class::PacketStore);
    let signals = kernel.edges().into_iter().filter(|edge| edge.kind == RelationKind::Signals);
    let by_signals = signals.filter(|edge| to_peers(kernel.site(edge.from).class)).map(|edge| edge.to);
    let own = |site: &&Site| site.why.iter().any(|why| matches!(why.evidence, Evidence::Primitive | Evidence::Library));
    by_signals.chain(kernel.sites.iter().filter(own).map(|site| site.id)).collect()
}

/// Notes on single sites, whatever else is known of the kernel.
pub(crate) fn notes(kernel: &Kernel) -> Vec<Finding> {
    let mut found = Vec::new();
    let answered = answered(kernel);
    for site in &kernel.sites {
        if let Some(poll) = &site.poll
            && site.class.is_poll()
            && !poll.bounded
        {
            let who = if answered.contains(&site.id) { "the peer" } else { OUTSIDE };
            let words = format!("the poll ends only when {who} has answered");
            found.push(note(kernel, &code::UNBOUNDED_POLL, site, words, "its loop has no other way out".to_owned()));
        }
        if let Some(packet) = &site.packet
            && matches!(site.class, Class::PacketLoad | Class::PacketStore)
            && !packet.single_copy
            && !packet.annotated
        {
            let words = format!("data and flag travel in one access of {} bytes", packet.bytes);
            let cause = "the memory model takes a vector access for separate accesses without mutual order".to_owned();
            found.push(note(kernel, &code::HARDWARE_PACKETS, site, words, cause));
        }
    }
    for assumption in &kernel.assumptions {
        let code = match assumption.kind {
            AssumptionKind::Packet => &code::HARDWARE_PACKETS,
            _ => &code::INCOMPLETE,
        };
        found.push(Finding::unasked(
            code,
            &kernel.name,
            assumption.span.clone(),
            "something had to be taken for granted",
            assumption.words.clone(),
            "give all sources to `gicc check`, or annotate the memory",
        ));
    }
    found
}

fn note(kernel: &Kernel, code: &'static Code, site: &Site, message: String, cause: String) -> Finding {
    let cure = match code.code {
        "C0301" => "nothing, where launches are ordered so; the annotation gicc.rendezvous says that it is meant",
        "C0304" => "bound the loop and report who waited for whom, or use gicc::wait",
        _ => "nothing, where the hardware is known to do so; the annotation gicc.packet says that it is meant",
    };
    Finding::unasked(code, &kernel.name, site.place.innermost.clone(), message, cause, cure)
}
