//! The assumptions that go beyond the letter of the manual. Each has a name, and an answer says which it rests on.

use std::fmt;

/// Which assumptions are made. The default makes them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// `b128-single-copy`: strong 16-byte scalar accesses are single-copy atomic (PTX ISA §8.2.4 speaks of at most 64
    /// bits). Without it such an access is morally strong with no other thread's, so that it may tear into its halves
    /// and synchronises nothing.
    pub b128_single_copy: bool,
    /// `async-as-proxy`: bulk copies obey base causality as a proxy of their own: `fence.proxy.async` in the block of
    /// the copy orders generic accesses before it, and its completion orders it before generic accesses (§8.9.5 has no
    /// rule for it). Without it only kernel boundaries order the two proxies.
    pub async_as_proxy: bool,
    /// `reduction-carries-dependency`: the result of a barrier reduction is a value that was computed from the predicates of
    /// all threads that took part, so what depends on it depends on what they depend on (§8.10.4 speaks of values that are
    /// computed, and not of how they are communicated). Without it only a thread's own predicate counts. A plain barrier
    /// communicates no value, and carries no dependency either way.
    pub reduction_carries_dependency: bool,
}

/// One assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    /// See [`Assumptions::b128_single_copy`].
    B128SingleCopy,
    /// See [`Assumptions::async_as_proxy`].
    AsyncAsProxy,
    /// See [`Assumptions::reduction_carries_dependency`].
    ReductionCarriesDependency,
    /// A program reaches each location by one virtual address; no alias is declared.
    OneAddressPerLocation,
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions { b128_single_copy: true, async_as_proxy: true, reduction_carries_dependency: true }
    }
}

impl Assumption {
    /// The name that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Assumption::B128SingleCopy => "b128-single-copy",
            Assumption::AsyncAsProxy => "async-as-proxy",
            Assumption::ReductionCarriesDependency => "reduction-carries-dependency",
            Assumption::OneAddressPerLocation => "one-address-per-location",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
