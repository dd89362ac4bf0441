//! The symmetric heap. Every PE maps the segments of all PEs at equal distances, so the address on a peer needs no table:
//!
//! ```text
//! heap_base                heap_base + stride         heap_base + 2 stride
//! | PE 0: workspace, buffers | PE 1: workspace, buffers | PE 2: …
//! ```
//!
//! `peer(p, pe) = p + (pe - my_pe) * stride`. A location of the memory model is (PE, offset), and a program uses one
//! virtual address per PE for it.

/// Where the workspace starts in each segment, in bytes.
pub const WORKSPACE_OFFSET: u64 = 0;

/// The most blocks of a launch that may call `gicc::barrier`: each has an epoch in the workspace.
pub const MAX_BARRIER_BLOCKS: u32 = 8192;

/// Arrival words of `gicc::barrier`: one for each block and PE, so `n_pes` times the blocks may not be more. A word a PE,
/// and not one count, so that a barrier that reaches its bound names the PE that did not come.
pub const BARRIER_WORDS: u32 = 65536;

/// Offset in the workspace of the arrival words of `gicc::barrier`, 64 bits each: word `block * n_pes + pe` is set by PE
/// `pe` to its block's epoch.
pub const BARRIER_ARRIVALS: u64 = 0;

/// Offset in the workspace of the epochs of `gicc::barrier`, one 64-bit word a block; only this PE uses them.
pub const BARRIER_EPOCHS: u64 = BARRIER_ARRIVALS + 8 * BARRIER_WORDS as u64;

/// Offset in the workspace of the counter of `gicc::grid_sync`, 64 bits in a line of its own; only this PE uses it.
pub const GRID_COUNTER: u64 = BARRIER_EPOCHS + 8 * MAX_BARRIER_BLOCKS as u64;

/// Offset in the workspace of the epochs of collectives, one 64-bit word a block: rounds of packets that the block has
/// ended. Only this PE uses them.
pub const COLLECTIVE_EPOCHS: u64 = GRID_COUNTER + 256;

/// Offset in the workspace of the packets of collectives. Each block has a region for each source PE: region
/// `block * n_pes + pe`.
pub const PACKETS: u64 = COLLECTIVE_EPOCHS + 8 * MAX_BARRIER_BLOCKS as u64;

/// Bytes of a packet.
pub const PACKET_BYTES: u64 = 16;

/// Packets of a slot; a region has two slots.
pub const PACKETS_OF_SLOT: u64 = 4096;

/// Bytes of a slot.
pub const SLOT_BYTES: u64 = PACKETS_OF_SLOT * PACKET_BYTES;

/// Bytes of a region.
pub const REGION_BYTES: u64 = 2 * SLOT_BYTES;

/// Bytes of epochs that each PE has for collectives of a part of the PEs, and of arrivals: a line each.
pub const PART_LINE: u64 = 128;

/// Bytes that a block has for each PE, for collectives of a part of the PEs. They lie behind the workspace that the state
/// tells of, as many blocks as that has packets for, and for each block one behind the other:
///
/// ```text
/// n_pes * PART_LINE     epochs: word `pe` counts the rounds that this block and the one of `pe` have ended together
/// n_pes * PART_LINE     arrivals: word `pe` is set by PE `pe` to the epoch that it has come to (a barrier of a part)
/// n_pes * REGION_BYTES  packets: region `pe` is written by PE `pe`
/// ```
///
/// Words and regions are those of PEs among all, whatever the team.
pub const PART_BYTES: u64 = 2 * PART_LINE + REGION_BYTES;

/// Bytes of the workspace that every module needs; packets of collectives lie behind.
pub const WORKSPACE_BYTES: u64 = PACKETS;

/// Bytes of packets where blocks `0..blocks` of each PE call collectives.
pub const fn packet_bytes(n_pes: u32, blocks: u32) -> u64 {
    REGION_BYTES * n_pes as u64 * blocks as u64
}

/// Blocks for whose packets there is room where nobody says how many a launch has.
pub const DEFAULT_COLLECTIVE_BLOCKS: u32 = 128;

/// Alignment in bytes of each symmetric buffer in its segment.
pub const BUFFER_ALIGN: u64 = 256;

/// The address on PE `pe` of what PE `my_pe` sees at `address`.
pub const fn peer_address(address: u64, my_pe: i32, pe: i32, stride: u64) -> u64 {
    address.wrapping_add((pe as i64 - my_pe as i64).wrapping_mul(stride as i64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_address_leads_back() {
        let there = peer_address(0x7000_0010, 1, 3, 0x1000);
        assert_eq!(there, 0x7000_2010);
        assert_eq!(peer_address(there, 3, 1, 0x1000), 0x7000_0010);
    }
}
