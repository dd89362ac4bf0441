//! What devices report in their error words, in words.

use std::fmt;
use std::time::Duration;

use gicc_abi::codes::{Compare, ErrorCode};
use gicc_abi::layout::Error;
use serde::Serialize;

/// The error word of one PE, with its address resolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceError {
    /// The PE on which it happened.
    pub pe: i32,
    /// The code's name, or its number where it is unknown.
    pub code: String,
    /// The other PE.
    pub other_pe: i32,
    /// The block that found it.
    pub block: u32,
    /// The thread in its block.
    pub thread: u32,
    /// The address, as it was used.
    pub address: u64,
    /// What lies there: `` `flags`+8 ``.
    pub place: String,
    /// The value waited for, or the bytes of a transfer.
    pub expected: u64,
    /// The last value seen.
    pub observed: u64,
    /// All of it in a sentence.
    pub sentence: String,
}

impl DeviceError {
    /// Resolves an error word. `place` is what lies at its address; `timeout` is the bound of a wait.
    pub fn new(word: &Error, place: String, timeout: Duration) -> Self {
        let code = ErrorCode::from_code(word.code.into());
        DeviceError {
            pe: word.pe,
            code: code.map_or_else(|| word.code.to_string(), |c| c.name().to_owned()),
            other_pe: word.other_pe,
            block: word.block,
            thread: word.thread,
            address: word.address,
            expected: word.expected,
            observed: word.observed,
            sentence: sentence(word, code, &place, timeout),
            place,
        }
    }
}

/// How the place of a barrier's word begins; the words count the rounds of the barrier.
pub(crate) const BARRIER: &str = "the barrier of";

/// The symbol of a comparison.
fn symbol(compare: u32) -> &'static str {
    match Compare::from_code(compare.into()) {
        Some(Compare::Eq) => "==",
        Some(Compare::Ne) => "!=",
        Some(Compare::Gt) => ">",
        Some(Compare::Ge) => ">=",
        Some(Compare::Lt) => "<",
        Some(Compare::Le) => "<=",
        None => "(unknown comparison)",
    }
}

fn sentence(word: &Error, code: Option<ErrorCode>, place: &str, timeout: Duration) -> String {
    let who = format!("PE {}, block {}, thread {}", word.pe, word.block, word.thread);
    let other = if word.other_pe < 0 { "another PE".to_owned() } else { format!("PE {}", word.other_pe) };
    let (expected, observed) = (word.expected, word.observed);
    let of_collective = word.compare == gicc_abi::layout::OF_COLLECTIVE;
    match code {
        Some(ErrorCode::Timeout) if place.starts_with(BARRIER) => format!(
            "{who} waited for {other} at {place} in round {expected}; it had come to round {observed}; gave up after {} s",
            timeout.as_secs_f64()
        ),
        Some(ErrorCode::Timeout) => format!(
            "{who} waited for {} on signal {place} to be {} {expected}; the last value seen was {observed}; gave up after {} s",
            if word.other_pe < 0 { "any PE" } else { &other },
            symbol(word.compare),
            timeout.as_secs_f64()
        ),
        Some(ErrorCode::PeOutOfRange) => {
            format!("{who} named PE {}, which does not exist, for {place}", word.other_pe)
        }
        Some(ErrorCode::NotSymmetric) => format!(
            "{who} used {place} as a symmetric address of {other} with {expected} bytes, but it does not lie, or not wholly, in the symmetric heap"
        ),
        Some(ErrorCode::BadSize) if of_collective => {
            format!("{who} called a collective of {} elements; a count is not negative", expected as i64)
        }
        Some(ErrorCode::Misaligned) if of_collective => {
            format!(
                "{who} called a collective on {place} ({:#x}), which is not aligned to its element's size",
                word.address
            )
        }
        Some(ErrorCode::TooManyBlocks) if of_collective => format!(
            "{who} called a collective, but there are packets for {expected} blocks only: the host says how many blocks a launch has, before it loads the module"
        ),
        Some(ErrorCode::BadSize) => format!(
            "{who} asked for a transfer of {} bytes to {place} of {other}; a size is not negative and a multiple of the element's size",
            expected as i64
        ),
        Some(ErrorCode::Misaligned) => {
            format!("{who} used {place} ({:#x}) of {other}, which is not aligned to its element's size", word.address)
        }
        Some(ErrorCode::TooManyBlocks) => format!(
            "{who} called a barrier over all PEs, but only blocks 0 to {} of a launch may",
            gicc_abi::heap::MAX_BARRIER_BLOCKS - 1
        ),
        Some(ErrorCode::OverCapacity) => format!(
            "{who} put a message of {expected} bytes into the channel at {place} of {other}, more than its capacity"
        ),
        Some(ErrorCode::SlotsInUse) => format!(
            "{who} waited for another message of {other} in the channel at {place}, whose {expected} slots hold messages that are not done"
        ),
        Some(ErrorCode::BadTeam) => format!("{who} {}", wrong_team(word)),
        Some(ErrorCode::None) | None => {
            format!("{who} reported the unknown error code {} for {place} and {other}", word.code)
        }
    }
}

/// What is wrong with the team of a collective: its shape is in `other_pe` and `expected`, the PEs there are in `observed`.
fn wrong_team(word: &Error) -> String {
    let start = i64::from(word.other_pe);
    let (members, stride) = (i64::from(word.expected as u32 as i32), i64::from((word.expected >> 32) as u32 as i32));
    let team = format!("a team of {members} PEs with start {start} and stride {stride}");
    let exists = start >= 0 && stride >= 1 && members >= 1;
    let last = start.saturating_add(stride.saturating_mul(members.saturating_sub(1)));
    if !exists || last.cast_unsigned() >= word.observed {
        format!(
            "called a collective of {team}, which does not exist: a team has a PE at least, its stride is at least 1, and its PEs are some of the {} there are",
            word.observed
        )
    } else if members.cast_unsigned() > gicc_abi::heap::PACKETS_OF_SLOT {
        format!("called a collective of {team}; {} are the most", gicc_abi::heap::PACKETS_OF_SLOT)
    } else {
        format!("called a collective of {team}, of which it is none: only members call")
    }
}

/// The error words of all PEs after a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceFailure {
    /// Index of the launch in the description.
    pub launch: usize,
    /// The kernel.
    pub kernel: String,
    /// The errors, one a PE at most; never empty.
    pub errors: Vec<DeviceError>,
}

impl fmt::Display for DeviceFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: kernel `{}` (launch {}) reported an error on the device", self.kernel, self.launch)?;
        for e in &self.errors {
            write!(f, "\n  {}", e.sentence)?;
        }
        if self.errors.len() > 1 && self.errors.iter().all(|e| e.code == ErrorCode::Timeout.name()) {
            f.write_str("\n  = note: a wait that gives up keeps its PE from signalling others, so one cause may show on several PEs")?;
        }
        Ok(())
    }
}

impl std::error::Error for DeviceFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_is_no_signal() {
        let word = Error {
            code: ErrorCode::Timeout.code(),
            other_pe: 1,
            compare: Compare::Ge.code(),
            expected: 3,
            observed: 2,
            ..Error::default()
        };
        let text = DeviceError::new(&word, format!("{BARRIER} block 4"), Duration::from_secs(10)).sentence;
        assert_eq!(
            text,
            "PE 0, block 0, thread 0 waited for PE 1 at the barrier of block 4 in round 3; it had come to round 2; gave up after 10 s"
        );
    }

    #[test]
    fn every_code_has_its_own_sentence() {
        let all: Vec<String> = ErrorCode::ALL
            .iter()
            .map(|c| c.code())
            .chain([99])
            .map(|code| {
                let word = Error {
                    code,
                    claimed: 1,
                    pe: 1,
                    other_pe: if code == ErrorCode::PeOutOfRange.code() { 7 } else { 0 },
                    compare: Compare::Ge.code(),
                    block: 2,
                    thread: 32,
                    address: 0x7000_0008,
                    expected: if code == ErrorCode::BadSize.code() { -4i64 as u64 } else { 3 },
                    observed: 2,
                    ..Error::default()
                };
                DeviceError::new(&word, "`flags`+8".into(), Duration::from_secs(10)).sentence
            })
            .collect();
        insta::assert_snapshot!(all.join("\n"));
        // Without one PE that is waited for, or whose place it was.
        for code in ErrorCode::ALL {
            let word = Error { code: code.code(), claimed: 1, other_pe: -1, ..Error::default() };
            let text = DeviceError::new(&word, "`flags`".into(), Duration::from_secs(1)).sentence;
            let named = [ErrorCode::PeOutOfRange, ErrorCode::TooManyBlocks, ErrorCode::BadTeam].contains(code);
            assert_eq!(text.contains("PE -1"), *code == ErrorCode::PeOutOfRange, "{text}");
            assert_eq!(text.contains("waited for any PE on"), *code == ErrorCode::Timeout, "{text}");
            assert!(named || *code == ErrorCode::Timeout || text.contains("another PE"), "{text}");
        }
        // The checks of collectives speak of elements and packets.
        for (code, what) in [
            (ErrorCode::BadSize, "called a collective of -4 elements"),
            (ErrorCode::Misaligned, "called a collective on `data` (0x2), which is not aligned"),
            (ErrorCode::TooManyBlocks, "there are packets for"),
        ] {
            let word = Error {
                code: code.code(),
                other_pe: -1,
                compare: gicc_abi::layout::OF_COLLECTIVE,
                address: 2,
                expected: -4i64 as u64,
                ..Error::default()
            };
            let text = DeviceError::new(&word, "`data`".into(), Duration::from_secs(1)).sentence;
            assert!(text.contains(what), "{text}");
        }
        // A team that is none, one that is too large, and one that the PE is none of.
        for (start, stride, members, n_pes, what) in [
            (0, 0_u64, 2_u64, 4, "does not exist"),
            (-1, 1, 2, 4, "does not exist"),
            (1, 2, 3, 5, "does not exist"),
            (0, 1, 5000, 6000, "4096 are the most"),
            (1, 2, 2, 4, "a team of 2 PEs with start 1 and stride 2, of which it is none"),
        ] {
            let word = Error {
                code: ErrorCode::BadTeam.code(),
                other_pe: start,
                expected: stride << 32 | members,
                observed: n_pes,
                ..Error::default()
            };
            let text = DeviceError::new(&word, String::new(), Duration::from_secs(1)).sentence;
            assert!(text.contains(what), "{text}");
        }
        let mut unique = all.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
    }
}
