//! The record that each compiled module carries: whether this runtime can launch the module, and what it needs.

use gicc_abi::codes::{Protocol, Scope};
use gicc_abi::layout::{ChannelRecord, DomainRecord, ModuleRecord};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL};

/// A module's record with its channels and domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The fixed part.
    pub module: ModuleRecord,
    /// The channels.
    pub channels: Vec<Channel>,
    /// The domains that the module declares.
    pub domains: Vec<Domain>,
}

/// A domain of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Its number and scope.
    pub record: DomainRecord,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scope = Scope::from_code(self.record.scope.into()).map_or("unknown", Scope::name);
        write!(f, "`{}` with the number {} and the scope {scope}", self.name, self.record.number)
    }
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
        "the module's record says {stated} bytes, {channels} channels and {domains} domains, but the module holds {found} bytes\n  = help: compile the source again"
    )]
    Truncated {
        /// Bytes in the module.
        found: u64,
        /// Bytes that the record states.
        stated: u32,
        /// Channels that the record states.
        channels: u32,
        /// Domains that the record states.
        domains: u32,
    },
    /// Two modules disagree about a domain.
    #[error(
        "this module declares the domain {here}, and {other}, which was loaded before, {there}\n  = help: declare each domain once, in a header that all kernels' sources include, or with the same `id` in MLIR, and compile both"
    )]
    DomainMismatch {
        /// What this module says.
        here: Domain,
        /// The other module's source.
        other: String,
        /// What the other one says.
        there: Domain,
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
            None => return Err(RecordError::Truncated { found, stated: 0, channels: 0, domains: 0 }),
        }
        match version {
            Some(ABI_VERSION) => {}
            Some(found) => return Err(RecordError::Version { found }),
            None => return Err(RecordError::Truncated { found, stated: 0, channels: 0, domains: 0 }),
        }
        let Some(module) = ModuleRecord::from_bytes(bytes) else {
            return Err(RecordError::Truncated { found, stated: 0, channels: 0, domains: 0 });
        };
        let (channels, domains) = (module.channels, module.domains);
        let truncated = RecordError::Truncated { found, stated: module.record_bytes, channels, domains };
        let (fixed, each) = (size_of::<ModuleRecord>() as u64, size_of::<ChannelRecord>() as u64);
        let (behind_channels, each_domain) = (fixed + each * u64::from(channels), size_of::<DomainRecord>() as u64);
        let needed = behind_channels + each_domain * u64::from(domains);
        if needed > found || u64::from(module.record_bytes) > found || u64::from(module.record_bytes) < needed {
            return Err(truncated);
        }
        let name = |start: u32, length: u32| {
            let name = bytes.get(start as usize..(start as usize).checked_add(length as usize)?)?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        let channel = |i: u64| {
            let record = bytes.get((fixed + i * each) as usize..).and_then(ChannelRecord::from_bytes)?;
            let name = if record.name_at == 0 { String::new() } else { name(record.name_at, record.name_bytes)? };
            Some(Channel { record, name })
        };
        let domain = |i: u64| {
            let record =
                bytes.get((behind_channels + i * each_domain) as usize..).and_then(DomainRecord::from_bytes)?;
            Some(Domain { record, name: name(record.name_at, record.name_bytes)? })
        };
        let channels = (0..u64::from(channels)).map(channel).collect::<Option<Vec<_>>>();
        let domains = (0..u64::from(domains)).map(domain).collect::<Option<Vec<_>>>();
        let (Some(channels), Some(domains)) = (channels, domains) else { return Err(truncated) };
        Ok(Record { module, channels, domains })
    }

    /// Whether the channels and the domains of two modules of one team agree. `source` names the other one.
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
        for here in &self.domains {
            let disagrees = |there: &&Domain| {
                let same = (there.name == here.name, there.record.number == here.record.number);
                (same.0 || same.1) && (same != (true, true) || there.record.scope != here.record.scope)
            };
            if let Some(there) = other.domains.iter().find(disagrees) {
                let (here, there) = (here.clone(), there.clone());
                return Err(RecordError::DomainMismatch { here, other: source.to_owned(), there });
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
        record_of(channels, &[])
    }

    fn record_of(channels: &[(ChannelRecord, &str)], domains: &[(u32, Scope, &str)]) -> Vec<u8> {
        let names: usize = channels.iter().map(|c| c.1.len()).chain(domains.iter().map(|d| d.2.len())).sum();
        let fixed = size_of::<ModuleRecord>()
            + channels.len() * size_of::<ChannelRecord>()
            + domains.len() * size_of::<DomainRecord>();
        let module = ModuleRecord {
            magic: ModuleRecord::MAGIC,
            abi_version: ABI_VERSION,
            record_bytes: (fixed + names) as u32,
            channels: channels.len() as u32,
            domains: domains.len() as u32,
            ..ModuleRecord::default()
        };
        let mut bytes = module.to_bytes();
        let mut at = fixed;
        for (channel, name) in channels {
            let name_at = if name.is_empty() { 0 } else { at as u32 };
            bytes.extend(ChannelRecord { name_at, name_bytes: name.len() as u32, ..*channel }.to_bytes());
            at += name.len();
        }
        for (number, scope, name) in domains {
            let (name_at, name_bytes) = (at as u32, name.len() as u32);
            bytes.extend(DomainRecord { number: *number, scope: scope.code(), name_at, name_bytes }.to_bytes());
            at += name.len();
        }
        channels.iter().for_each(|c| bytes.extend(c.1.bytes()));
        domains.iter().for_each(|d| bytes.extend(d.2.bytes()));
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

    #[test]
    fn domains_of_two_modules_must_agree() {
        let channel = ChannelRecord { slots: 2, ..ChannelRecord::default() };
        let parse = |domains: &[(u32, Scope, &str)]| {
            let bytes = record_of(&[(channel, "ring")], domains);
            assert!(Record::parse(&bytes[..bytes.len() - 1]).is_err());
            Record::parse(&bytes).expect("a record")
        };
        let here = parse(&[(1, Scope::Device, "halo"), (2, Scope::Auto, "rows")]);
        assert_eq!(here.channels[0].name, "ring");
        assert_eq!(here.domains[1].to_string(), "`rows` with the number 2 and the scope auto");
        assert_eq!(here.agrees_with(&here, "k.cu"), Ok(()));
        assert_eq!(here.agrees_with(&parse(&[(3, Scope::Auto, "other")]), "k.cu"), Ok(()));
        let told = |number, scope, name| {
            here.agrees_with(&parse(&[(number, scope, name)]), "k.cu").expect_err("they differ").to_string()
        };
        let help = "\n  = help: declare each domain once, in a header that all kernels' sources include, or with the same `id` in MLIR, and compile both";
        assert_eq!(
            told(4, Scope::Device, "halo"),
            format!(
                "this module declares the domain `halo` with the number 1 and the scope gpu, and k.cu, which was loaded \
                 before, `halo` with the number 4 and the scope gpu{help}"
            )
        );
        assert!(told(1, Scope::Device, "edge").contains("before, `edge` with the number 1 and the scope gpu"));
        assert!(told(1, Scope::System, "halo").contains("before, `halo` with the number 1 and the scope sys"));
    }
}
