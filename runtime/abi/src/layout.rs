//! Structures shared by host, device and simulator. All are `#[repr(C)]`, little-endian, without padding that a reader
//! would have to know about; the test of the C header compares every size and offset with what a C compiler sees.

/// A 64-bit word in symmetric memory that a put sets or adds to. Aligned to 8 bytes.
pub type Signal = u64;

/// Defines a structure together with the table from which the C header is generated.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident, $c:literal { $(#[doc = $fdoc:literal] $field:ident : $ty:ty = $cty:literal;)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $(#[doc = $fdoc] pub $field: $ty,)* }

        impl $name {
            /// Name, C type, offset in bytes and size in bytes of each field, in order.
            pub const FIELDS: &'static [Field] = &[$(Field {
                name: stringify!($field),
                c_type: $cty,
                offset: std::mem::offset_of!($name, $field),
                size: std::mem::size_of::<$ty>(),
                doc: $fdoc,
            },)*];
            /// The structure's name in the C header.
            pub const C_NAME: &'static str = $c;

            /// The structure as its bytes in memory.
            pub fn to_bytes(&self) -> Vec<u8> {
                let mut bytes = vec![0; std::mem::size_of::<Self>()];
                $(
                    let at = std::mem::offset_of!($name, $field);
                    let field = self.$field.le_bytes();
                    bytes[at..at + field.len()].copy_from_slice(&field);
                )*
                bytes
            }

            /// The structure at the start of `bytes`, or `None` where they are too short.
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                let mut value = Self::default();
                $(
                    let at = std::mem::offset_of!($name, $field);
                    value.$field = <$ty as Word>::from_le(bytes.get(at..at + std::mem::size_of::<$ty>())?);
                )*
                Some(value)
            }
        }
    };
}

/// One field of a structure, as the C header shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name, the same in Rust and C.
    pub name: &'static str,
    /// The C type; for an array with its length behind a space, as in `uint32_t [2]`.
    pub c_type: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
    /// The documentation, as it stands in the Rust source.
    pub doc: &'static str,
}

/// A scalar of a layout and its little-endian bytes.
trait Word: Copy {
    /// The bytes in memory.
    fn le_bytes(self) -> Vec<u8>;
    /// The value of bytes in memory; `bytes` has exactly the value's size.
    fn from_le(bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($($ty:ty),*) => {$(
        impl Word for $ty {
            fn le_bytes(self) -> Vec<u8> { self.to_le_bytes().to_vec() }
            fn from_le(bytes: &[u8]) -> Self {
                let mut word = [0; std::mem::size_of::<$ty>()];
                word.copy_from_slice(bytes);
                <$ty>::from_le_bytes(word)
            }
        }
    )*};
}
word!(u8, u16, u32, i32, u64);

layout! {
    /// What a kernel knows of its team: one a PE and module, in constant memory under [`crate::STATE_SYMBOL`], written by
    /// the host when the module is made usable. Addresses are those that the PE's kernels use.
    State, "gicc_state" {
        #[doc = "Version of the layouts: ABI_VERSION."]
        abi_version: u32 = "uint32_t";
        #[doc = "This PE, 0 to n_pes - 1."]
        my_pe: i32 = "int32_t";
        #[doc = "Number of PEs of the team."]
        n_pes: i32 = "int32_t";
        #[doc = "Reserved; zero."]
        flags: u32 = "uint32_t";
        #[doc = "Address of PE 0's segment of the symmetric heap. PE p's segment is at heap_base + p * heap_stride."]
        heap_base: u64 = "uint64_t";
        #[doc = "Distance in bytes between the segments of two neighbouring PEs."]
        heap_stride: u64 = "uint64_t";
        #[doc = "Bytes of a segment that may be used."]
        heap_bytes: u64 = "uint64_t";
        #[doc = "Offset in bytes of the module's workspace in every segment."]
        workspace_offset: u64 = "uint64_t";
        #[doc = "Bytes of the workspace."]
        workspace_bytes: u64 = "uint64_t";
        #[doc = "Address of this PE's error words (gicc_error), in this PE's memory."]
        error: u64 = "uint64_t";
        #[doc = "Bound of a wait in nanoseconds."]
        timeout_ns: u64 = "uint64_t";
    }
}

layout! {
    /// The first error of a PE. A device-side failure takes it with a compare-and-swap on `claimed`; later ones are lost.
    /// While `claimed` is not zero, every wait of this PE returns at once.
    Error, "gicc_error" {
        #[doc = "What went wrong (gicc_error_code); 0 where nothing did. Written last."]
        code: u32 = "uint32_t";
        #[doc = "The code too, from the thread that then writes the other fields; 0 free. Written first: kernels look at it."]
        claimed: u32 = "uint32_t";
        #[doc = "The PE on which it happened."]
        pe: i32 = "int32_t";
        #[doc = "The other PE: whom a wait waited for, or the destination of a transfer."]
        other_pe: i32 = "int32_t";
        #[doc = "The comparison of a wait (gicc_compare)."]
        compare: u32 = "uint32_t";
        #[doc = "The block that found it, x + y * gridDim.x + z * gridDim.x * gridDim.y."]
        block: u32 = "uint32_t";
        #[doc = "The thread in its block, x + y * blockDim.x + z * blockDim.x * blockDim.y."]
        thread: u32 = "uint32_t";
        #[doc = "Reserved; zero."]
        reserved: u32 = "uint32_t";
        #[doc = "The signal's or buffer's address, as the PE sees it."]
        address: u64 = "uint64_t";
        #[doc = "The value that a wait compared with, or the bytes of a transfer."]
        expected: u64 = "uint64_t";
        #[doc = "The last value that a wait saw."]
        observed: u64 = "uint64_t";
    }
}

/// What stands for the comparison in an error word that is no wait's: the error is of a collective's arguments, and `expected`
/// is its count, or the blocks that there are packets for.
pub const OF_COLLECTIVE: u32 = 0x100;

layout! {
    /// What an initiation submits to an engine. 64 bytes, so that one store of the copy unit or four 16-byte stores move it.
    Descriptor, "gicc_descriptor" {
        #[doc = "Address of the first byte to send, as the initiating PE sees it."]
        source: u64 = "uint64_t";
        #[doc = "Address of the first byte at the destination, as the initiating PE sees it."]
        destination: u64 = "uint64_t";
        #[doc = "Length in bytes."]
        bytes: u64 = "uint64_t";
        #[doc = "Signal to complete with, or 0."]
        signal: u64 = "uint64_t";
        #[doc = "Value for the signal."]
        signal_value: u64 = "uint64_t";
        #[doc = "Address of the event to complete, or 0."]
        event: u64 = "uint64_t";
        #[doc = "Point-to-point or collective, and which."]
        kind: u16 = "uint16_t";
        #[doc = "gicc_signal_op of the signal."]
        signal_op: u8 = "uint8_t";
        #[doc = "Higher goes first."]
        priority: u8 = "uint8_t";
        #[doc = "The other PE."]
        pe: i32 = "int32_t";
        #[doc = "Domain that the buffers belong to; 0 is the default domain."]
        domain: u32 = "uint32_t";
        #[doc = "Sequence number in its queue; the consumer knows by it that the descriptor is whole."]
        sequence: u32 = "uint32_t";
    }
}

layout! {
    /// The handle of an initiation.
    Event, "gicc_event" {
        #[doc = "Counts completions; an event is done when it reached the awaited count."]
        completed: u64 = "uint64_t";
        #[doc = "gicc_error_code of the first failed initiation, or 0."]
        error: u32 = "uint32_t";
        #[doc = "Reserved; zero."]
        reserved: u32 = "uint32_t";
    }
}

layout! {
    /// The words of a channel, in symmetric memory, one on each PE; zeroed once, never reset: they count messages. A channel
    /// of both protocols has two, for `simple` and for `ll`.
    ChannelState, "gicc_channel_state" {
        #[doc = "Messages that have arrived here; the peer's put side sets it (simple)."]
        arrived: u64 = "uint64_t";
        #[doc = "Messages whose room the peer's wait side has given back to this put side; it sets the count."]
        credited: u64 = "uint64_t";
        #[doc = "Messages that this put side has sent. Written when the channel is closed, as the following."]
        sent: u64 = "uint64_t";
        #[doc = "Messages that this wait side has taken."]
        received: u64 = "uint64_t";
        #[doc = "Messages that this wait side is done with."]
        returned: u64 = "uint64_t";
        #[doc = "Protocols of the messages that were taken and are not done, the newest in bit 0: 1 is simple. Of a channel of both protocols only."]
        kinds: u64 = "uint64_t";
        #[doc = "Reserved; zero."]
        reserved: u64 = "uint64_t";
        #[doc = "Reserved; zero."]
        reserved2: u64 = "uint64_t";
    }
}

layout! {
    /// The counters of a channel while a kernel uses it: each thread has its own, in registers.
    ChannelCounters, "gicc_channel_counters" {
        #[doc = "Messages sent."]
        sent: u64 = "uint64_t";
        #[doc = "The newest credit that was seen."]
        credit: u64 = "uint64_t";
        #[doc = "Messages taken."]
        received: u64 = "uint64_t";
        #[doc = "Messages done."]
        returned: u64 = "uint64_t";
        #[doc = "Messages that were done when the wait side's group met last."]
        settled: u64 = "uint64_t";
        #[doc = "As in gicc_channel_state."]
        kinds: u64 = "uint64_t";
        #[doc = "1 + gicc_group of the group that puts; 0 as long as none has."]
        put_group: u32 = "uint32_t";
        #[doc = "1 + gicc_group of the group that waits; 0 as long as none has."]
        wait_group: u32 = "uint32_t";
        #[doc = "Messages taken and not done, of both protocols. Of a channel of both protocols only."]
        open: u32 = "uint32_t";
        #[doc = "Reserved; zero."]
        reserved: u32 = "uint32_t";
    }
}

layout! {
    /// What a compiled module says of itself, under [`crate::MODULE_RECORD_SYMBOL`]. `channels` entries of
    /// [`ChannelRecord`] follow it, then `domains` of [`DomainRecord`], and behind them the names of both.
    ModuleRecord, "gicc_module_record" {
        #[doc = "MAGIC, so that something else is not taken for a record."]
        magic: u64 = "uint64_t";
        #[doc = "ABI_VERSION of the compiler."]
        abi_version: u32 = "uint32_t";
        #[doc = "Bytes of this record with the channels, the domains and their names."]
        record_bytes: u32 = "uint32_t";
        #[doc = "Hash of the device runtime that was linked."]
        runtime_hash: u64 = "uint64_t";
        #[doc = "Bytes that the module needs in the workspace of each PE, without packets of collectives."]
        workspace_bytes: u64 = "uint64_t";
        #[doc = "Bytes of packets that each block of a launch needs for each PE; 0 where no collective is called."]
        region_bytes: u64 = "uint64_t";
        #[doc = "Bytes behind the workspace that each block of a launch needs for each PE; 0 where no collective of a part of the PEs is called."]
        part_bytes: u64 = "uint64_t";
        #[doc = "Error words that the module needs (gicc_error structures)."]
        error_words: u32 = "uint32_t";
        #[doc = "Channels that follow."]
        channels: u32 = "uint32_t";
        #[doc = "Largest number of blocks that may call gicc::barrier in one launch; 0 where none does."]
        max_barrier_blocks: u32 = "uint32_t";
        #[doc = "1 where all blocks of a launch must be resident at once (a block waits for another one's work)."]
        co_resident: u32 = "uint32_t";
        #[doc = "Domains that follow the channels."]
        domains: u32 = "uint32_t";
        #[doc = "Reserved; zero."]
        reserved: u32 = "uint32_t";
    }
}

impl ModuleRecord {
    /// "gicc" and a zero byte, then "mod": the first eight bytes of every record.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"gicc\0mod");
}

layout! {
    /// One channel side of a module.
    ChannelRecord, "gicc_channel_record" {
        #[doc = "gicc_protocol."]
        protocol: u32 = "uint32_t";
        #[doc = "Slots."]
        slots: u32 = "uint32_t";
        #[doc = "Alignment of an element in bytes."]
        element_bytes: u32 = "uint32_t";
        #[doc = "Bit 0: this module puts; bit 1: it waits."]
        sides: u32 = "uint32_t";
        #[doc = "Bytes of a slot."]
        capacity: u64 = "uint64_t";
        #[doc = "Bytes of data in a packet; 0 where the protocol has none."]
        packet_data: u32 = "uint32_t";
        #[doc = "Where the channel's name begins, from the start of the module's record; 0 where it has none."]
        name_at: u32 = "uint32_t";
        #[doc = "Bytes of the name."]
        name_bytes: u32 = "uint32_t";
        #[doc = "Reserved; zero."]
        reserved: u32 = "uint32_t";
    }
}

layout! {
    /// A domain that a module declares.
    DomainRecord, "gicc_domain_record" {
        #[doc = "Its number, from 1 to GICC_LARGEST_DOMAIN."]
        number: u32 = "uint32_t";
        #[doc = "gicc_scope."]
        scope: u32 = "uint32_t";
        #[doc = "Where its name begins, from the start of the module's record."]
        name_at: u32 = "uint32_t";
        #[doc = "Bytes of the name."]
        name_bytes: u32 = "uint32_t";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_lead_back_to_the_structure() {
        let state = State { my_pe: -3, heap_stride: 0x1234_5678_9abc, timeout_ns: 7, ..State::default() };
        assert_eq!(State::from_bytes(&state.to_bytes()), Some(state));
        assert_eq!(State::from_bytes(&state.to_bytes()[1..]), None);
        let d = Descriptor { kind: 3, signal_op: 1, priority: 200, sequence: 9, ..Descriptor::default() };
        assert_eq!(Descriptor::from_bytes(&d.to_bytes()), Some(d));
    }

    #[test]
    fn a_descriptor_is_one_64_byte_line() {
        assert_eq!(std::mem::size_of::<Descriptor>(), 64);
    }

    #[test]
    fn no_field_is_preceded_by_padding() {
        for fields in [State::FIELDS, Error::FIELDS, Descriptor::FIELDS, Event::FIELDS, ModuleRecord::FIELDS] {
            let mut at = 0;
            for f in fields {
                assert_eq!(f.offset, at, "{}", f.name);
                at += f.size;
            }
        }
    }
}
