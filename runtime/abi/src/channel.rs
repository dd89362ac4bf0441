//! What the two ends of a channel, and whoever allocates its memory, agree on beside its shape.
//!
//! ```text
//! storage   | words (`ChannelState`), two of them for `automatic` | packets: 2 * slots times `packets` words of 16 bytes |
//! buffer    | slots of `capacity` bytes | `automatic`: as many slots of `ll_capacity` bytes |
//! ```
//!
//! Packets are for twice the slots, so that credits for them need to be sent once in `slots` messages only.

use crate::codes::Protocol;
use crate::layout::{ChannelRecord, ChannelState};

/// A channel of both protocols sends messages of fewer bytes than this by `ll`, and the others by `simple`. Where the two
/// meet between two H200 by a block of 512 threads, whatever the number of blocks.
pub const LL_BELOW: u64 = 32768;

/// Bytes of a packet.
pub const PACKET_BYTES: u64 = 16;

/// Offset of the packets in a channel's storage.
pub const PACKETS_OFFSET: u64 = 2 * size_of::<ChannelState>() as u64;

/// Up to slots of this size a packet carries 8 bytes of data and 8 of flag; in larger ones 12 and 4, which moves a quarter
/// less. Measured between two H200: below it the fewer instructions count, above it the link.
pub const LARGEST_SLOT_OF_8: u64 = 32768;

/// Packets for a message of so many bytes, with so many bytes of data in each.
pub const fn packets(bytes: u64, data: u64) -> u64 {
    bytes.div_ceil(data)
}

/// Bytes of a slot for the messages that a channel of both protocols sends by `ll`.
pub const fn ll_capacity(capacity: u64) -> u64 {
    if capacity < LL_BELOW { capacity } else { LL_BELOW }
}

/// Bytes of a channel's storage. `capacity`: bytes of a slot; `data`: bytes of data of a packet.
pub const fn storage_bytes(protocol: Protocol, slots: u64, capacity: u64, data: u64) -> u64 {
    let capacity = match protocol {
        Protocol::Ll => capacity,
        Protocol::Automatic => ll_capacity(capacity),
        _ => return size_of::<ChannelState>() as u64,
    };
    PACKETS_OFFSET + 2 * slots * packets(capacity, data) * PACKET_BYTES
}

impl ChannelRecord {
    /// Whether a channel's two ends can have these shapes. What is 0 was no constant, and fits everything.
    pub fn fits(&self, other: &ChannelRecord) -> bool {
        let same = |a: u64, b: u64| a == b || a == 0 || b == 0;
        self.protocol == other.protocol
            && same(self.slots.into(), other.slots.into())
            && same(self.element_bytes.into(), other.element_bytes.into())
            && same(self.capacity, other.capacity)
            && same(self.packet_data.into(), other.packet_data.into())
    }

    /// The shape in words.
    pub fn shape(&self) -> String {
        let protocol = Protocol::from_code(self.protocol.into()).map_or("of an unknown protocol", Protocol::name);
        let packets = match self.packet_data {
            0 => String::new(),
            data => format!(", {data} bytes of data in a packet"),
        };
        let slots = if self.slots == 1 { "slot" } else { "slots" };
        format!(
            "`{protocol}` with {} {slots} of {} bytes, elements aligned to {} bytes{packets}",
            self.slots, self.capacity, self.element_bytes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_holds_the_packets_of_twice_the_slots() {
        assert_eq!(storage_bytes(Protocol::Simple, 2, 4096, 12), 64);
        assert_eq!(storage_bytes(Protocol::Ll, 4, 100, 12), 128 + 8 * 9 * 16);
        assert_eq!(storage_bytes(Protocol::Automatic, 1, 1 << 20, 8), 128 + 2 * 4096 * 16);
        assert_eq!(ll_capacity(1 << 20), LL_BELOW);
        assert_eq!(ll_capacity(64), 64);
    }
}
