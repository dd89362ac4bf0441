//! Narrow stores: a loop in which each thread of a warp stores one small element next to its neighbour's into a peer's memory.
//! A store for each peer, a scatter, a flag, and elements that one thread stores side by side (which the back end puts
//! together) are none.

use std::collections::BTreeSet;

use super::super::code;
use super::super::report::Finding;
use super::seen;
use crate::analysis::communication::{Class, Kernel, Operation, Remote, Site, Space};
use crate::diagnostic::Span;

/// Bytes that one instruction can store.
const WIDEST: u32 = 16;

/// The loops of a kernel that store narrowly.
pub(super) fn find(kernel: &Kernel) -> Vec<Finding> {
    // A line that stores widely too, as gicc's own copy does, stores narrowly only what is left at the end.
    let wide: BTreeSet<&Span> = kernel
        .sites
        .iter()
        .filter(|site| site.writes() && bytes(site) >= WIDEST)
        .filter_map(|site| site.place.innermost.as_ref())
        .collect();
    let narrow = kernel.sites.iter().filter(|site| is_narrow(site));
    narrow
        .filter(|site| site.place.innermost.as_ref().is_none_or(|span| !wide.contains(span)))
        .map(|site| finding(kernel, site))
        .collect()
}

fn bytes(site: &Site) -> u32 {
    site.access.width * site.access.count
}

fn is_narrow(site: &Site) -> bool {
    let bytes = bytes(site);
    let to_peer = site.class == Class::RemoteStore && site.access.operation == Operation::Store;
    to_peer
        && site.access.space != Space::Shared
        && (1..WIDEST).contains(&bytes)
        && site.address.as_ref().is_some_and(|address| {
            address.remote == Remote::Yes
                && address.stride.is_some_and(|s| s.walks && s.between_threads == i64::from(bytes))
        })
}

fn finding(kernel: &Kernel, site: &Site) -> Finding {
    let bytes = bytes(site);
    seen(
        kernel,
        &code::NARROW_STORES,
        site,
        format!("an array goes to a peer in stores of {bytes} bytes"),
        format!(
            "each round of the loop stores {bytes} bytes a thread, next to the neighbour's; one store can carry {WIDEST}"
        ),
        "store 16 bytes at a time where alignment allows (`float4`, `st.v4`), with what is left at the end apart, or use gicc::put",
    )
}
