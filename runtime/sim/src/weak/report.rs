//! What weak memory tells of launches, in words: races, reads of old values, what was exact and what was not.

use std::fmt::Write as _;

use serde::Serialize;

use super::race::{Party, Race, StaleRead};

/// One access, in words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct AccessReport {
    /// The PE.
    pub pe: u32,
    /// The kernel's symbol.
    pub kernel: String,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// What it did.
    pub kind: &'static str,
    /// Where in the source: file, line, column.
    pub source: String,
    /// The buffer, with the offset in bytes.
    pub location: String,
    /// How many bytes.
    pub bytes: u8,
    /// What was read or written, as an unsigned number, where that is known.
    pub value: Option<String>,
}

/// Two conflicting accesses without order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RaceReport {
    /// The one that was executed first.
    pub first: AccessReport,
    /// The other.
    pub second: AccessReport,
    /// Whether threads of two PEs meet: an access to symmetric memory that is never ordered with a peer's.
    pub between_pes: bool,
    /// Whether they touch different bytes, so that the memory model guarantees nothing at all.
    pub mixed_sizes: bool,
    /// The relation that is missing.
    pub missing: &'static str,
    /// How many pairs at these two places there were.
    pub count: u64,
}

/// A read that returned an old value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StaleReport {
    /// The read, with what it returned.
    pub read: AccessReport,
    /// The newest write that had been executed.
    pub newest: AccessReport,
    /// Whose write it returned; none for what memory held when the kernel started.
    pub returned: Option<AccessReport>,
    /// Whether nothing but a strong read's choice was involved: flags may be old, and are not wrong for it.
    pub strong: bool,
    /// What would have hidden the old value.
    pub missing: &'static str,
    /// How many reads at these two places there were.
    pub count: u64,
}

/// What was not exact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exactness {
    /// What was executed exactly as the model says.
    pub exact: Vec<String>,
    /// What was executed with more order than the model has, and how often.
    pub approximated: Vec<String>,
    /// What the simulator cannot reach.
    pub unreachable: Vec<String>,
}

/// What weak memory tells of launches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WeakReport {
    /// Races, one for each pair of places in the source.
    pub races: Vec<RaceReport>,
    /// Reads of old values, one for each pair of places.
    pub stale: Vec<StaleReport>,
    /// Pairs of places that found no room in the lists.
    pub dropped: u64,
    /// Memory operations.
    pub operations: u64,
    /// Pieces of eight bytes with a history, at the end of the largest launch.
    pub granules: u64,
    /// Bytes that histories took then.
    pub history_bytes: u64,
    /// What was exact.
    pub exactness: Exactness,
}

impl AccessReport {
    fn text(&self) -> String {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        let value = self.value.as_ref().map_or(String::new(), |v| format!(" = {v}"));
        format!(
            "PE {} block ({bx}, {by}, {bz}) thread ({tx}, {ty}, {tz}): {} of {} bytes at {}{value}, {}",
            self.pe, self.kind, self.bytes, self.location, self.source
        )
    }
}

impl RaceReport {
    /// In words, several lines.
    pub fn text(&self) -> String {
        let kind = match (self.between_pes, self.mixed_sizes) {
            (true, true) => "race of different sizes between PEs",
            (true, false) => "race between PEs",
            (false, true) => "race of different sizes",
            (false, false) => "race",
        };
        format!(
            "{kind} ({} times)\n  {}\n  {}\n  missing: {}",
            self.count,
            self.first.text(),
            self.second.text(),
            self.missing
        )
    }
}

impl StaleReport {
    /// In words, several lines.
    pub fn text(&self) -> String {
        let returned = match &self.returned {
            Some(write) => format!("returned the write of {}", write.text()),
            None => "returned what memory held when the kernel started".to_owned(),
        };
        format!(
            "old value read ({} times)\n  {}\n  {returned}\n  newer: {}\n  missing: {}",
            self.count,
            self.read.text(),
            self.newest.text(),
            self.missing
        )
    }
}

impl WeakReport {
    /// Adds what another launch or schedule told.
    pub fn merge(&mut self, other: WeakReport) {
        let place = |a: &AccessReport, b: &AccessReport| (a.kind, &a.source) == (b.kind, &b.source);
        for race in other.races {
            let same = |r: &&mut RaceReport| {
                place(&r.first, &race.first) && place(&r.second, &race.second) && r.mixed_sizes == race.mixed_sizes
            };
            match self.races.iter_mut().find(same) {
                Some(known) => known.count += race.count,
                None => self.races.push(race),
            }
        }
        for stale in other.stale {
            let same = |s: &&mut StaleReport| place(&s.read, &stale.read) && place(&s.newest, &stale.newest);
            match self.stale.iter_mut().find(same) {
                Some(known) => known.count += stale.count,
                None => self.stale.push(stale),
            }
        }
        self.dropped += other.dropped;
        self.operations += other.operations;
        self.granules = self.granules.max(other.granules);
        self.history_bytes = self.history_bytes.max(other.history_bytes);
        let lists = [
            (&mut self.exactness.exact, other.exactness.exact),
            (&mut self.exactness.approximated, other.exactness.approximated),
            (&mut self.exactness.unreachable, other.exactness.unreachable),
        ];
        for (mine, theirs) in lists {
            for line in theirs {
                if !mine.contains(&line) {
                    mine.push(line);
                }
            }
        }
    }

    /// Reads of old values by weak reads: those that make numbers wrong.
    pub fn wrong_reads(&self) -> impl Iterator<Item = &StaleReport> {
        self.stale.iter().filter(|s| !s.strong)
    }

    /// The findings in words; empty where there are none.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for race in &self.races {
            let _ = writeln!(out, "{}", race.text());
        }
        for stale in self.wrong_reads() {
            let _ = writeln!(out, "{}", stale.text());
        }
        if self.dropped > 0 {
            let _ = writeln!(out, "and {} more pairs of places", self.dropped);
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// Makes words of an access.
pub(crate) type Describe<'a> = &'a dyn Fn(&Party) -> AccessReport;

pub(crate) fn race(race: &Race, describe: Describe<'_>) -> RaceReport {
    RaceReport {
        first: describe(&race.first),
        second: describe(&race.second),
        between_pes: race.first.place.pe != race.second.place.pe,
        mixed_sizes: race.mixed,
        missing: race.missing.text(),
        count: race.count,
    }
}

pub(crate) fn stale(stale: &StaleRead, describe: Describe<'_>) -> StaleReport {
    StaleReport {
        read: describe(&stale.read),
        newest: describe(&stale.newest),
        returned: stale.returned.as_ref().map(describe),
        strong: stale.strong,
        missing: stale.missing.text(),
        count: stale.count,
    }
}

/// What no run reaches, whatever the seed.
pub(crate) fn unreachable() -> Vec<String> {
    [
        "load buffering: a read returns no write that is executed later (the writes that overwrite too early are told as races)",
        "a strong write takes no place before one that was executed earlier (2+2W, S)",
    ]
    .map(str::to_owned)
    .to_vec()
}
