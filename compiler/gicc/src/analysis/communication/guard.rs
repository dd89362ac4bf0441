//! Which threads execute a site.

use super::site::ValueId;

/// Which threads of a block come to a place, as far as conditions on the thread's number tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// All threads of the block, or none: no condition on the way looks at the thread.
    Everyone,
    /// One thread of the block.
    OneOfBlock,
    /// One thread of each warp.
    OneOfWarp,
    /// The lanes of one warp, or of some warps.
    Warps,
    /// Some threads: those with numbers below or above a bound, or picked otherwise by their number.
    Some,
    /// A condition depends on data.
    Unknown,
}

/// One condition on the way to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The value that is tested.
    pub value: ValueId,
    /// Whether it has to be true.
    pub holds: bool,
    /// Which threads it lets through.
    pub who: Who,
    /// Whether it ends a loop around the site, rather than choosing a way to it.
    pub of_loop: bool,
}

/// The conditions under which a site is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// All of them together.
    pub who: Who,
    /// Each of them: outer ones first.
    pub conditions: Vec<Condition>,
}

impl Guard {
    /// Whether one thread of the block executes it.
    pub fn is_elected(&self) -> bool {
        self.who == Who::OneOfBlock
    }

    /// Whether two sites are executed by the same threads: their conditions on threads are the same ones.
    pub fn same_threads(&self, other: &Guard) -> bool {
        let of = |g: &Guard| {
            let mut conditions: Vec<(u32, bool)> =
                g.conditions.iter().filter(|c| c.who != Who::Everyone).map(|c| (c.value.0, c.holds)).collect();
            conditions.sort_unstable();
            conditions.dedup();
            conditions
        };
        self.who == other.who && of(self) == of(other)
    }
}
