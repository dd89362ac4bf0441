//! Random numbers of a run. SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): a seed
//! gives the same run on every machine and in every version.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed for one purpose: `tag` names it, `index` is the PE or the parameter.
    pub fn new(seed: u64, tag: &str, index: u64) -> Self {
        let mut stream = Random(seed);
        for byte in tag.bytes() {
            stream.0 = stream.next() ^ u64::from(byte);
        }
        stream.0 = stream.next() ^ index;
        stream.next();
        stream
    }

    /// 64 random bits.
    #[expect(
        clippy::should_implement_trait,
        reason = "the stream has no end, so an iterator's Option would only be in the way"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An integer from `low` to `high`, both included; `low <= high`.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let count = (i128::from(high) - i128::from(low) + 1) as u128;
        let scaled = (u128::from(self.next()) * count) >> 64;
        (i128::from(low) + scaled as i128) as i64
    }

    /// An integer from `low` to `high`, both included, each order of magnitude of the distance from `low` as likely as
    /// another; `low <= high`.
    pub fn logarithmic(&mut self, low: i64, high: i64) -> i64 {
        let distance = (i128::from(high) - i128::from(low)) as f64;
        let step = ((distance + 2.0).ln() * self.unit()).exp() - 1.0;
        (i128::from(low) + step as i128).clamp(low.into(), high.into()) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let stream = |seed, tag, index| (0..3).map(|_| Random::new(seed, tag, index).next()).next();
        assert_eq!(stream(1, "a", 0), stream(1, "a", 0));
        assert_ne!(stream(1, "a", 0), stream(2, "a", 0));
        assert_ne!(stream(1, "a", 0), stream(1, "b", 0));
        assert_ne!(stream(1, "a", 0), stream(1, "a", 1));
    }

    #[test]
    fn bounds_are_reached_and_kept() {
        for logarithmic in [false, true] {
            let mut random = Random::new(7, "x", 0);
            let mut draw = || if logarithmic { random.logarithmic(-2, 3) } else { random.integer(-2, 3) };
            let seen: Vec<i64> = (0..500).map(|_| draw()).collect();
            assert_eq!(seen.iter().min(), Some(&-2));
            assert_eq!(seen.iter().max(), Some(&3));
        }
        let mut random = Random::new(7, "x", 0);
        random.integer(i64::MIN, i64::MAX);
        assert_eq!(random.logarithmic(5, 5), 5);
        assert!((0..1000).map(|_| random.logarithmic(1, 1_000_000)).filter(|n| *n < 1000).count() > 300);
    }
}
