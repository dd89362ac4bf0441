//! The choices of a run: which thread runs next, and which write a read returns. They come from a seed or from a list,
//! so that a run can be had again.

/// What a read is offered.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// How many values there are, from the oldest write to the newest; at least one.
    pub count: usize,
    /// Whether the read is strong, and so could be a poll.
    pub strong: bool,
    /// How often in a row this thread has been given an old write here.
    pub stale: u32,
}

/// What a thread is about to do, for partial-order reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The bytes that it reads or writes: start and end; empty where it touches none.
    pub bytes: (u64, u64),
    /// More bytes, of a copy.
    pub more: (u64, u64),
    /// Whether it writes.
    pub writes: bool,
    /// Whether it takes part in the order of `fence.sc`.
    pub fence: bool,
}

impl Footprint {
    /// Nothing that others see.
    pub const LOCAL: Self = Self { bytes: (0, 0), more: (0, 0), writes: false, fence: false };

    /// Whether it makes a difference which of the two comes first.
    pub fn depends(&self, other: &Footprint) -> bool {
        if self.fence && other.fence {
            return true;
        }
        if !self.writes && !other.writes {
            return false;
        }
        // Whole granules: the first access of a new size splits cells.
        let meet = |a: (u64, u64), b: (u64, u64)| {
            a.0 < a.1 && b.0 < b.1 && a.0 & !7 < (b.1 + 7) & !7 && b.0 & !7 < (a.1 + 7) & !7
        };
        meet(self.bytes, other.bytes)
            || meet(self.bytes, other.more)
            || meet(self.more, other.bytes)
            || meet(self.more, other.more)
    }
}

/// Somebody who can run.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// A number that names the runner in the whole run.
    pub id: u64,
    /// What it does next.
    pub next: Footprint,
}

/// A source of choices.
pub trait Chooser {
    /// Which of the offered values a read returns.
    fn value(&mut self, offer: Offer) -> usize;

    /// Who runs next; `None` where every choice has been looked at already, and the run is given up.
    fn thread(&mut self, ready: &[Ready]) -> Option<usize>;

    /// Whether an asynchronous operation is put off.
    fn put_off(&mut self) -> bool;
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every host and in every version.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below a bound.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }
}

/// How many old values in a row a thread is given at most at one place; then the newest, so that polls end.
const PATIENCE: u32 = 6;

/// Choices from a seed. How often a read returns an old write is drawn once for the run, so that among many seeds some
/// runs are nearly sequential and some see hardly anything new.
#[derive(Clone, Debug)]
pub struct Seeded {
    random: Random,
    /// Of 256: how often a weak read is offered anything but the newest, and a strong one.
    weak: u64,
    strong: u64,
}

impl Seeded {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x57ea_6b17_e5ee_d000);
        let weak = [0, 64, 128, 230, 256][random.below(5) as usize];
        let strong = [0, 16, 64, 160][random.below(4) as usize];
        Self { random, weak, strong }
    }
}

impl Chooser for Seeded {
    #[inline]
    fn value(&mut self, offer: Offer) -> usize {
        let newest = offer.count - 1;
        if newest == 0 || offer.stale >= PATIENCE {
            return newest;
        }
        let share = if offer.strong { self.strong } else { self.weak };
        if self.random.below(256) >= share {
            return newest;
        }
        // The oldest one half of the time, else any old one.
        if self.random.draw() & 1 == 0 { 0 } else { self.random.below(newest as u64) as usize }
    }

    fn thread(&mut self, ready: &[Ready]) -> Option<usize> {
        Some(self.random.below(ready.len() as u64) as usize)
    }

    fn put_off(&mut self) -> bool {
        self.random.draw() & 1 == 0
    }
}
