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
    pub channels: Vec<Channel>,
}

/// A channel of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    /// Its shape and sides.
    pub record: ChannelRecord,
    /// Its name; empty where it has none.
    pub name: String,
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
        "the ends of channel `{name}` disagree: in this module it is {here}, and in {other}, which was loaded before, it is {there}\n  = help: use one type for both ends and compile both"
    )]
    ChannelMismatch {
        /// The channel's name.
        name: String,
        /// What this module says.
        here: String,
        /// The other module's source.
        other: String,
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
        let channel = |i: u64| {
            let record = bytes.get((fixed + i * each) as usize..).and_then(ChannelRecord::from_bytes)?;
            let start = record.name_at as usize;
            let name = bytes.get(start..start.checked_add(record.name_bytes as usize)?)?;
            let name = if start == 0 { String::new() } else { String::from_utf8_lossy(name).into_owned() };
            Some(Channel { record, name })
        };
        let channels = (0..u64::from(module.channels)).map(channel).collect::<Option<Vec<_>>>().ok_or(truncated)?;
        Ok(Record { module, channels })
    }

    /// Whether the channels of two modules of one team agree. `source` names the other one.
    pub fn agrees_with(&self, other: &Record, source: &str) -> Result<(), RecordError> {
        for here in self.channels.iter().filter(|c| !c.name.is_empty()) {
            let there = other.channels.iter().find(|c| c.name == here.name && !c.record.fits(&here.record));
            if let Some(there) = there {
                return Err(RecordError::ChannelMismatch {
                    name: here.name.clone(),
                    here: here.record.shape(),
                    other: source.to_owned(),
                    there: there.record.shape(),
                });
            }
        }
        Ok(())
    }

    /// The first channel whose messages may go by packets.
    pub fn with_packets(&self) -> Option<&Channel> {
        let has = |c: &&Channel| [Protocol::Ll, Protocol::Automatic].iter().any(|p| p.code() == c.record.protocol);
        self.channels.iter().find(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(channels: &[(ChannelRecord, &str)]) -> Vec<u8> {
        let names: usize = channels.iter().map(|c| c.1.len()).sum();
        let fixed = size_of::<ModuleRecord>() + channels.len() * size_of::<ChannelRecord>();
        let module = ModuleRecord {
            magic: ModuleRecord::MAGIC,
            abi_version: ABI_VERSION,
            record_bytes: (fixed + names) as u32,
            channels: channels.len() as u32,
            ..ModuleRecord::default()
        };
        let mut bytes = module.to_bytes();
        let mut at = fixed;
        for (channel, name) in channels {
            let name_at = if name.is_empty() { 0 } else { at as u32 };
            bytes.extend(ChannelRecord { name_at, name_bytes: name.len() as u32, ..*channel }.to_bytes());
            at += name.len();
        }
        channels.iter().for_each(|c| bytes.extend(c.1.bytes()));
        bytes
    }

    #[test]
    fn a_record_leads_back_with_its_channels() {
        let channel = ChannelRecord { slots: 2, capacity: 64, ..ChannelRecord::default() };
        let parsed = Record::parse(&record(&[(channel, "halo"), (channel, "")])).expect("a record");
        let names: Vec<_> = parsed.channels.iter().map(|c| (c.record.slots, c.name.as_str())).collect();
        assert_eq!(names, [(2, "halo"), (2, "")]);
        let whole = record(&[(channel, "halo")]);
        assert!(Record::parse(&whole[..whole.len() - 1]).is_err());
        assert!(Record::parse(&record(&[(channel, "")])[..60]).is_err());
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
        let one = ChannelRecord { slots: 2, element_bytes: 4, capacity: 4096, ..ChannelRecord::default() };
        let two = ChannelRecord { protocol: 1, packet_data: 12, ..one };
        let parse = |channel, name| Record::parse(&record(&[(channel, name)])).expect("a record");
        let (here, there) = (parse(one, "halo"), parse(two, "halo"));
        assert_eq!(here.agrees_with(&here, "k.cu"), Ok(()));
        // Another name is another channel, and channels without one are nobody's.
        assert_eq!(here.agrees_with(&parse(two, "other"), "k.cu"), Ok(()));
        assert_eq!(parse(one, "").agrees_with(&parse(two, ""), "k.cu"), Ok(()));
        assert_eq!(
            here.agrees_with(&there, "k.cu").expect_err("they differ").to_string(),
            "the ends of channel `halo` disagree: in this module it is `simple` with 2 slots of 4096 bytes, elements aligned \
             to 4 bytes, and in k.cu, which was loaded before, it is `ll` with 2 slots of 4096 bytes, elements aligned to 4 \
             bytes, 12 bytes of data in a packet\n  = help: use one type for both ends and compile both"
        );
        assert!(here.with_packets().is_none() && there.with_packets().is_some());
    }
}
