//! The record that each compiled module carries: whether this runtime can launch the module, and what it needs.

use gicc_abi::codes::Protocol;
use gicc_abi::layout::{ChannelRecord, ModuleRecord};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL};

/// A module's record with its channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The fixed part.
    pub module: ModuleRecord,
    /// The channels.
    pub channels: Vec<ChannelRecord>,
}

/// Why a module is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// There is no record.
    #[error(
        "the module has no record `{MODULE_RECORD_SYMBOL}`, so it was not compiled by gicc, or something removed it\n  = help: compile the source with gicc"
    )]
    Missing,
    /// It is something else.
    #[error(
        "`{MODULE_RECORD_SYMBOL}` is no module record: it starts with {0:#018x}\n  = help: compile the source with gicc"
    )]
    Magic(u64),
    /// It is of another version.
    #[error(
        "the module was compiled for version {found} of gicc's interface, but this runtime has version {ABI_VERSION}\n  = help: compile it with the gicc of this runtime"
    )]
    Version {
        /// Version of the module.
        found: u32,
    },
    /// It ends early.
    #[error(
        "the module's record says {stated} bytes and {channels} channels, but the module holds {found} bytes\n  = help: compile the source again"
    )]
    Truncated {
        /// Bytes in the module.
        found: u64,
        /// Bytes that the record states.
        stated: u32,
        /// Channels that the record states.
        channels: u32,
    },
    /// Two modules disagree about a channel.
    #[error(
        "the channel with hash {hash:#018x} is {here} here and {there} in a module loaded before\n  = help: declare it alike on both sides and compile both"
    )]
    ChannelMismatch {
        /// Hash of the channel's name.
        hash: u64,
        /// What this module says.
        here: String,
        /// What the other one says.
        there: String,
    },
}

impl Record {
    /// Reads the record in `bytes`, the whole contents of the module's variable.
    pub fn parse(bytes: &[u8]) -> Result<Record, RecordError> {
        let found = bytes.len() as u64;
        // Magic and version come first, so that they are read whatever the rest looks like in another version.
        let word = |at: usize, n: usize| bytes.get(at..at + n);
        let magic = word(0, 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let version = word(8, 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        match magic {
            Some(ModuleRecord::MAGIC) => {}
            Some(other) => return Err(RecordError::Magic(other)),
            None => return Err(RecordError::Truncated { found, stated: 0, channels: 0 }),
        }
        match version {
            Some(ABI_VERSION) => {}
            Some(found) => return Err(RecordError::Version { found }),
            None => return Err(RecordError::Truncated { found, stated: 0, channels: 0 }),
        }
        let Some(module) = ModuleRecord::from_bytes(bytes) else {
            return Err(RecordError::Truncated { found, stated: 0, channels: 0 });
        };
        let truncated = RecordError::Truncated { found, stated: module.record_bytes, channels: module.channels };
        let (fixed, each) = (size_of::<ModuleRecord>() as u64, size_of::<ChannelRecord>() as u64);
        let needed = fixed + each * u64::from(module.channels);
        if needed > found || u64::from(module.record_bytes) > found || u64::from(module.record_bytes) < needed {
            return Err(truncated);
        }
        let channels = (0..u64::from(module.channels))
            .map(|i| bytes.get((fixed + i * each) as usize..).and_then(ChannelRecord::from_bytes))
            .collect::<Option<Vec<_>>>()
            .ok_or(truncated)?;
        Ok(Record { module, channels })
    }

    /// Whether the channels of two modules of one team agree.
    pub fn agrees_with(&self, other: &Record) -> Result<(), RecordError> {
        for here in &self.channels {
            let there = other.channels.iter().find(|c| c.name_hash == here.name_hash);
            if let Some(there) = there
                && (here.protocol, here.slots, here.element_bytes) != (there.protocol, there.slots, there.element_bytes)
            {
                return Err(RecordError::ChannelMismatch {
                    hash: here.name_hash,
                    here: spelled(here),
                    there: spelled(there),
                });
            }
        }
        Ok(())
    }
}

fn spelled(c: &ChannelRecord) -> String {
    let protocol = Protocol::from_code(c.protocol.into()).map_or("of an unknown protocol", Protocol::name);
    format!("{protocol} with {} slots and elements of {} bytes", c.slots, c.element_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(channels: &[ChannelRecord]) -> Vec<u8> {
        let module = ModuleRecord {
            magic: ModuleRecord::MAGIC,
            abi_version: ABI_VERSION,
            record_bytes: (size_of::<ModuleRecord>() + size_of_val(channels)) as u32,
            channels: channels.len() as u32,
            ..ModuleRecord::default()
        };
        let mut bytes = module.to_bytes();
        channels.iter().for_each(|c| bytes.extend(c.to_bytes()));
        bytes
    }

    #[test]
    fn a_record_leads_back_with_its_channels() {
        let channel = ChannelRecord { slots: 2, name_hash: 9, ..ChannelRecord::default() };
        let parsed = Record::parse(&record(&[channel])).expect("a record");
        assert_eq!(parsed.channels, [channel]);
        assert!(Record::parse(&record(&[channel])[..60]).is_err());
        assert!(Record::parse(&[]).is_err());
    }

    #[test]
    fn another_version_is_refused_whatever_follows() {
        let mut bytes = record(&[]);
        bytes[8] = 99;
        assert_eq!(Record::parse(&bytes), Err(RecordError::Version { found: 99 }));
        assert_eq!(Record::parse(&bytes[..12]), Err(RecordError::Version { found: 99 }));
        bytes[0] = 0;
        assert!(matches!(Record::parse(&bytes), Err(RecordError::Magic(_))));
    }

    #[test]
    fn channels_of_two_modules_must_agree() {
        let one = ChannelRecord { slots: 2, name_hash: 9, element_bytes: 4, ..ChannelRecord::default() };
        let two = ChannelRecord { protocol: 1, ..one };
        let (one, two) = (Record::parse(&record(&[one])).expect("one"), Record::parse(&record(&[two])).expect("two"));
        assert_eq!(one.agrees_with(&one), Ok(()));
        let message = one.agrees_with(&two).expect_err("they differ").to_string();
        assert!(message.contains("simple with 2 slots and elements of 4 bytes here and ll with"), "{message}");
    }
}
