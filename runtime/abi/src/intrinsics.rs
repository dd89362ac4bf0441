//! The functions named `__gicc_*`. They come in three families:
//!
//! - **Interface**: what C++ (`gicc/gicc.cuh`) and level H call. The device runtime implements them; after linking and
//!   inlining none is left.
//! - **Requirement**: what the device runtime says must be ordered. No fence exists yet: `publish` asks that what was
//!   written before be visible to whoever observes a later signal; a `signal_*` may require it for itself.
//! - **Ordering**: what `place_fences` makes of the requirements: accesses and fences with an order and a scope. Each
//!   target lowers them one to one. Before fences are placed only relaxed ones may occur.
//!
//! A suffix `_thread`, `_warp` or `_block` names the group that calls together.

use crate::codes::Group;

/// The string attribute of a kernel that names its fall-back, a function of the same module with the same parameters.
pub const FALLBACK_ATTRIBUTE: &str = "gicc.fallback";

/// A type of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Nothing (results only).
    Void,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// A generic pointer.
    Ptr,
    /// A 128-bit word as its low and high half: LLVM's `<2 x i64>`.
    V2I64,
}

/// Which family a function belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Called by users through C++ and by level H.
    Interface,
    /// Called by the device runtime; replaced when fences are placed.
    Requirement,
    /// Made when fences are placed; relaxed ones may also be called by the device runtime.
    Ordering,
    /// Facts about the team, read from the state; lowered after fences are placed, so that passes can see them.
    Team,
}

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub ty: Type,
    /// Its name in the C header.
    pub name: &'static str,
}

/// One function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrinsic {
    /// The symbol.
    pub name: &'static str,
    /// Its parameters, in order.
    pub parameters: &'static [Parameter],
    /// Its result.
    pub result: Type,
    /// Its family.
    pub family: Family,
    /// What it does.
    pub doc: &'static str,
}

impl Intrinsic {
    /// The index of the parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }

    /// The group that calls together, by the name's ending; `None` where the name has none.
    pub fn group(&self) -> Option<Group> {
        Group::ALL.iter().copied().find(|g| self.name.strip_suffix(g.name()).is_some_and(|base| base.ends_with('_')))
    }

    /// Whether a call may end without having done what it is for, because a peer did not do its part or because an argument
    /// was wrong, where the caller goes on to use what it waited for.
    pub fn may_fail_waiting(&self) -> bool {
        // What a collective's function says last of all, carried out or refused, stands for the collective where that function is
        // made already: the count of rounds, or of a part of the PEs that it is over.
        const WAITS: [&str; 13] = [
            "wait",
            "channel_put",
            "channel_wait",
            "barrier",
            "barrier_part",
            "grid_sync",
            "event_wait",
            "all_reduce",
            "all_gather",
            "all_reduce_part",
            "all_gather_part",
            "epoch_set",
            "part_over",
        ];
        let name = self.name.strip_prefix(crate::PREFIX).unwrap_or_default();
        let base = ["_thread", "_warp", "_block", "_grid"].iter().find_map(|group| name.strip_suffix(group));
        self.family == Family::Interface && WAITS.contains(&base.unwrap_or(name))
    }
}

macro_rules! intrinsics {
    ($($family:ident $result:ident $name:literal ($($ty:ident $p:literal),*) $doc:literal;)*) => {
        /// Every function, by family.
        pub const ALL: &[Intrinsic] = &[$(Intrinsic {
            name: $name,
            parameters: &[$(Parameter { ty: Type::$ty, name: $p }),*],
            result: Type::$result,
            family: Family::$family,
            doc: $doc,
        },)*];
    };
}

intrinsics! {
    Team I32 "__gicc_my_pe" () "This PE, 0 to n_pes - 1.";
    Team I32 "__gicc_n_pes" () "Number of PEs of the team.";
    Team I64 "__gicc_heap_base" () "Address of PE 0's segment of the symmetric heap.";
    Team I64 "__gicc_heap_stride" () "Distance in bytes between two PEs' segments.";
    Team I64 "__gicc_heap_bytes" () "Bytes of a segment.";
    Team Ptr "__gicc_workspace" () "This PE's workspace.";
    Team Ptr "__gicc_error_words" () "This PE's error words (gicc_error).";
    Team I64 "__gicc_workspace_bytes" () "Bytes of a PE's workspace.";
    Team I64 "__gicc_timeout_ns" () "Bound of a wait in nanoseconds.";

    Interface Ptr "__gicc_peer_ptr" (Ptr "p", I32 "pe")
        "The address on PE pe of a symmetric p; null, with an error word, where p is not symmetric or pe is out of range.";
    Interface Void "__gicc_put_thread" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe")
        "Store bytes from src to the symmetric dst on PE pe; dst and src are aligned to element. Orders nothing.";
    Interface Void "__gicc_put_warp" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe") "The same by a warp.";
    Interface Void "__gicc_put_block" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe") "The same by a block.";
    Interface Void "__gicc_get_thread" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe")
        "Load bytes from the symmetric src on PE pe to dst. After it the calling thread (for warp and block: the group) may read dst.";
    Interface Void "__gicc_get_warp" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe") "The same by a warp.";
    Interface Void "__gicc_get_block" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", I32 "pe") "The same by a block.";
    Interface Void "__gicc_put_signal_thread" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "pe")
        "Put, then signal (op: gicc_signal_op) on the same PE with release: who acquires the signal sees the bytes.";
    Interface Void "__gicc_put_signal_warp" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "pe") "The same by a warp; one thread signals.";
    Interface Void "__gicc_put_signal_block" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "pe") "The same by a block; one thread signals.";
    Interface Void "__gicc_notify_thread" (Ptr "sig", I64 "value", I32 "op", I32 "order", I32 "pe")
        "Signal on PE pe. order: release publishes what the group wrote before, to whomever; relaxed publishes nothing.";
    Interface Void "__gicc_notify_warp" (Ptr "sig", I64 "value", I32 "op", I32 "order", I32 "pe") "The same by a warp; one thread signals.";
    Interface Void "__gicc_notify_block" (Ptr "sig", I64 "value", I32 "op", I32 "order", I32 "pe") "The same by a block; one thread signals.";
    Interface I64 "__gicc_wait_thread" (Ptr "sig", I32 "compare", I64 "value", I32 "source_pe")
        "Wait until this PE's signal compares; acquire. source_pe: who sends it, -1 for any. Bounded; returns the value last seen, and the group is converged.";
    Interface I64 "__gicc_wait_warp" (Ptr "sig", I32 "compare", I64 "value", I32 "source_pe") "The same by a warp; one thread polls.";
    Interface I64 "__gicc_wait_block" (Ptr "sig", I32 "compare", I64 "value", I32 "source_pe") "The same by a block; one thread polls.";
    Interface I32 "__gicc_test" (Ptr "sig", I32 "compare", I64 "value") "Whether the signal compares now; acquire where it does.";
    Interface Void "__gicc_release_thread" (I32 "scope", I32 "domain") "Publish what the thread wrote before, as far as scope.";
    Interface Void "__gicc_release_warp" (I32 "scope", I32 "domain") "The same by a warp.";
    Interface Void "__gicc_release_block" (I32 "scope", I32 "domain") "The same by a block.";
    Interface Void "__gicc_acquire_thread" (I32 "scope", I32 "domain") "See what was published with the values read before.";
    Interface Void "__gicc_acquire_warp" (I32 "scope", I32 "domain") "The same by a warp.";
    Interface Void "__gicc_acquire_block" (I32 "scope", I32 "domain") "The same by a block.";
    Interface Void "__gicc_quiet_thread" () "All puts of the thread before are complete at their destinations.";
    Interface Void "__gicc_quiet_warp" () "The same by a warp.";
    Interface Void "__gicc_quiet_block" () "The same by a block.";
    Interface Void "__gicc_barrier_block" ()
        "All PEs' blocks of the same index meet; what any of them wrote before is visible to all of them afterwards.";
    Interface Void "__gicc_barrier_part_block" (I32 "start", I32 "stride", I32 "members")
        "The same of a part of the PEs: start, start + stride and so on, members in all, of which this PE is one.";
    Interface Void "__gicc_grid_sync" ()
        "All blocks of the grid on this PE meet; what any of them wrote before is visible to all of them afterwards. All threads of every block call, and all blocks are resident.";
    Interface Void "__gicc_all_reduce_block" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "reduce", I32 "algorithm")
        "out = the combination of count elements (type: gicc_element_type) of every PE's in, by the blocks of this index on all PEs; reduce: gicc_reduce_op, algorithm: gicc_algorithm, constants. Made by level H.";
    Interface Void "__gicc_all_reduce_grid" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "reduce", I32 "algorithm")
        "The same by all blocks of the grid, each a slice; all of them may read out afterwards.";
    Interface Void "__gicc_all_gather_block" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "algorithm")
        "out = count elements of every PE's in, one PE after the other, by the blocks of this index on all PEs. Made by level H.";
    Interface Void "__gicc_all_gather_grid" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "algorithm")
        "The same by all blocks of the grid, each a slice; all of them may read out afterwards.";
    Interface Void "__gicc_all_reduce_part_block" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "reduce", I32 "algorithm", I32 "start", I32 "stride", I32 "members")
        "The same over a part of the PEs: start, start + stride and so on, members in all, of which this PE is one.";
    Interface Void "__gicc_all_reduce_part_grid" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "reduce", I32 "algorithm", I32 "start", I32 "stride", I32 "members")
        "The same by all blocks of the grid.";
    Interface Void "__gicc_all_gather_part_block" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "algorithm", I32 "start", I32 "stride", I32 "members")
        "An all-gather over a part of the PEs, in their order.";
    Interface Void "__gicc_all_gather_part_grid" (Ptr "out", Ptr "in", I64 "count", I32 "type", I32 "algorithm", I32 "start", I32 "stride", I32 "members")
        "The same by all blocks of the grid.";
    Interface I32 "__gicc_part_rank" (I32 "start", I32 "stride", I32 "members")
        "This PE's number in a part of the PEs; -1 where it is none of it.";
    Interface I32 "__gicc_part_check" (Ptr "out", Ptr "in", I64 "count", I32 "size", I32 "start", I32 "stride", I32 "members")
        "As __gicc_collective_check, for a collective of a part of the PEs: there are those PEs, and this is one of them. For level H, as are the next five.";
    Interface Ptr "__gicc_part_packets" () "The block's regions for packets of parts of the PEs, one for each PE of all.";
    Interface I64 "__gicc_part_epoch" (I32 "other_pe")
        "Rounds that the calling block has ended together with that of a PE (of all), in collectives of parts.";
    Interface Void "__gicc_part_barrier_block" (I32 "start", I32 "stride", I32 "members", I64 "rounds")
        "A barrier of the part's blocks of this index, rounds rounds behind the last that was counted. It is a round itself.";
    Interface Void "__gicc_part_end_block" (I32 "start", I32 "stride", I32 "members", I64 "rounds")
        "Counts rounds more rounds with every member; the block meets.";
    Interface Void "__gicc_part_over" () "A collective of a part is over, carried out or refused. Does nothing: a check of errors stands behind it.";
    Interface I32 "__gicc_collective_check" (Ptr "out", Ptr "in", I64 "count", I32 "size")
        "Whether a collective of count elements of size bytes may go ahead; else the error word is set. The same for all threads of the block. For level H.";
    Interface I32 "__gicc_collective_fits" (Ptr "out", Ptr "in", I64 "count", I32 "size")
        "The same, and nothing is set: a mere value. For level H.";
    Interface I32 "__gicc_is_symmetric" (Ptr "p", I64 "bytes") "Whether bytes bytes at p lie in this PE's segment of the symmetric heap.";
    Interface I64 "__gicc_epoch_get" () "Rounds of packets that this block has ended, which the compiler keeps in a register. For level H, as are the next seven.";
    Interface Void "__gicc_epoch_set" (I64 "epoch") "Says how many they are now.";
    Interface I64 "__gicc_epoch_load" () "Loads them from the workspace.";
    Interface Void "__gicc_epoch_store" (I64 "epoch") "Stores them in the workspace, once for the block.";
    Interface I32 "__gicc_thread_index" () "The thread in its block, x fastest.";
    Interface I32 "__gicc_thread_count" () "Threads of the block.";
    Interface I32 "__gicc_block_index" () "The block in its grid, x fastest.";
    Interface I32 "__gicc_block_count" () "Blocks of the grid.";
    Interface I64 "__gicc_div_up" (I64 "a", I64 "b") "a / b rounded up, of numbers without sign; b counts as 1 if it is 0.";
    Interface I32 "__gicc_arrive_thread" (Ptr "counter", I32 "blocks")
        "Count one of blocks in, with what causality brought to the calling thread; 1 for the last. Otherwise as the block's.";
    Interface I32 "__gicc_arrive_block" (Ptr "counter", I32 "blocks")
        "Count this block in (counter: 32 bits, this GPU's memory); 1 for every thread of the last of blocks, which then speaks for all. The counter wraps to 0.";
    Interface I64 "__gicc_initiate_thread" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "priority", I32 "domain", I32 "engine", I32 "pe")
        "Submit a transfer of bytes from src to the symmetric dst on PE pe; its event, or 0 where it failed. sig: null, or a signal on the same PE that is sent with release after the bytes. priority: 0 to 255, higher goes first. The fields are gicc_descriptor's.";
    Interface I64 "__gicc_initiate_warp" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "priority", I32 "domain", I32 "engine", I32 "pe") "The same by a warp; all its threads get the event.";
    Interface I64 "__gicc_initiate_block" (Ptr "dst", Ptr "src", I64 "bytes", I32 "element", Ptr "sig", I64 "value", I32 "op", I32 "priority", I32 "domain", I32 "engine", I32 "pe") "The same by a block; all its threads get the event.";
    Interface I32 "__gicc_event_test" (I64 "event", I32 "scope", I32 "domain")
        "Whether the initiation has ended (a failed one has). Where it has, its bytes are complete at the destination for whoever observes a later signal of this thread.";
    Interface I32 "__gicc_event_wait_thread" (I64 "event", I32 "scope", I32 "domain")
        "Wait until the initiation has ended: 1 where its bytes are complete at the destination, 0 where it failed. src may be written again.";
    Interface I32 "__gicc_event_wait_warp" (I64 "event", I32 "scope", I32 "domain") "The same by a warp.";
    Interface I32 "__gicc_event_wait_block" (I64 "event", I32 "scope", I32 "domain") "The same by a block.";
    Interface Void "__gicc_fallback" (Ptr "function")
        "Names the function that the kernel calls, with its own arguments, where a check of errors leaves it. Done by the compiler: no code.";
    Interface I32 "__gicc_check_error_thread" () "Whether this PE has an error; if an operation of this thread failed, it has.";
    Interface I32 "__gicc_check_error_warp" () "The same for a warp: every thread gets the same answer, and the warp meets.";
    Interface I32 "__gicc_check_error_block" () "The same for a block: every thread gets the same answer, and the block meets.";
    Interface I32 "__gicc_error_code" () "The code of this PE's error word; 0 where all is well.";
    Interface Void "__gicc_channel_open" (Ptr "counters", Ptr "state", I32 "protocol")
        "Load a channel's counters into the thread's own gicc_channel_counters (two of them). All threads that will put or wait call.";
    Interface Void "__gicc_channel_close" (Ptr "counters", Ptr "state", I32 "protocol")
        "Store the counters, by the groups that put and waited; all of their threads call.";
    Interface Void "__gicc_channel_put_thread" (Ptr "counters", Ptr "state", Ptr "dst", Ptr "src", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name")
        "Wait until the channel at PE pe has room, and send it bytes as the next message. capacity: bytes of a slot. packet_data: bytes of data in a packet, 8 or 12. name: null, or the channel's name, ended by a zero byte.";
    Interface Void "__gicc_channel_put_warp" (Ptr "counters", Ptr "state", Ptr "dst", Ptr "src", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name") "The same by a warp.";
    Interface Void "__gicc_channel_put_block" (Ptr "counters", Ptr "state", Ptr "dst", Ptr "src", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name") "The same by a block.";
    Interface Ptr "__gicc_channel_wait_thread" (Ptr "counters", Ptr "state", Ptr "dst", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name")
        "Wait for the next message of the channel from PE pe; its slot holds the bytes for every later reader. bytes: its length, or -1 where the protocol is simple. Null where the wait failed.";
    Interface Ptr "__gicc_channel_wait_warp" (Ptr "counters", Ptr "state", Ptr "dst", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name") "The same by a warp.";
    Interface Ptr "__gicc_channel_wait_block" (Ptr "counters", Ptr "state", Ptr "dst", I64 "bytes", I64 "capacity", I32 "element", I32 "slots", I32 "protocol", I32 "packet_data", I32 "pe", Ptr "name") "The same by a block.";
    Interface Void "__gicc_channel_done_thread" (Ptr "counters", Ptr "state", I32 "slots", I32 "protocol", I32 "pe")
        "The slot of the oldest message that was waited for has been read; PE pe may fill it again.";
    Interface Void "__gicc_channel_done_warp" (Ptr "counters", Ptr "state", I32 "slots", I32 "protocol", I32 "pe") "The same by a warp.";
    Interface Void "__gicc_channel_done_block" (Ptr "counters", Ptr "state", I32 "slots", I32 "protocol", I32 "pe") "The same by a block.";

    Interface Void "__gicc_packet_store" (Ptr "p", I64 "low", I64 "high", I32 "pe")
        "Store a packet, one single-copy atomic word of 16 bytes, to the symmetric p (aligned to 16) on PE pe. Relaxed, and unchecked: for level H and the device runtime, which know that p and pe are good.";
    Interface V2I64 "__gicc_packet_load" (Ptr "p") "The packet that this PE's p holds now; relaxed, unchecked.";
    Interface V2I64 "__gicc_packet_wait" (Ptr "p", I64 "flag", I64 "mask", I32 "source_pe")
        "Poll this PE's p until (high & mask) is flag; relaxed, unchecked. Bounded; returns the word last seen, so the caller compares again to know whether it came.";

    Requirement Void "__gicc_publish" (I32 "scope", I32 "domain", I32 "pe")
        "What causality brought to this thread before must be visible to whoever observes a later signal of it. pe: destination, or -1 for any.";
    Requirement Void "__gicc_observe" (I32 "scope", I32 "domain")
        "What was published with values that this thread read before must be visible to it afterwards.";
    Requirement Void "__gicc_signal_set" (Ptr "p", I64 "value", I32 "order", I32 "pe")
        "Store value to the signal at p, which lies on PE pe; order: relaxed or release.";
    Requirement Void "__gicc_signal_add" (Ptr "p", I64 "value", I32 "order", I32 "pe") "Add value to the signal at p atomically; otherwise as signal_set.";
    Requirement I64 "__gicc_poll" (Ptr "p", I32 "order", I32 "pe") "Load a signal of this PE that PE pe sends; order: relaxed or acquire.";
    Requirement I32 "__gicc_count" (Ptr "p", I32 "last")
        "Count one on 32 bits shared by the blocks of a GPU: the old value; after last comes 0. Acquires and releases.";
    Requirement I64 "__gicc_count_add" (Ptr "p", I64 "value")
        "Add value to 64 bits shared by the blocks of a GPU: the old value. Acquires and releases.";
    Requirement I64 "__gicc_count_poll" (Ptr "p") "Load what count_add counts; acquires.";

    Ordering Void "__gicc_fence" (I32 "order", I32 "scope") "A fence.";
    Ordering Void "__gicc_store_u32" (Ptr "p", I32 "value", I32 "order", I32 "scope") "Store; relaxed or release.";
    Ordering Void "__gicc_store_u64" (Ptr "p", I64 "value", I32 "order", I32 "scope") "Store; relaxed or release.";
    Ordering I32 "__gicc_load_u32" (Ptr "p", I32 "order", I32 "scope") "Load; relaxed or acquire.";
    Ordering I64 "__gicc_load_u64" (Ptr "p", I32 "order", I32 "scope") "Load; relaxed or acquire.";
    Ordering Void "__gicc_store_b128" (Ptr "p", I64 "low", I64 "high", I32 "order", I32 "scope")
        "Store 16 aligned bytes as one word (assumption b128-single-copy); relaxed.";
    Ordering V2I64 "__gicc_load_b128" (Ptr "p", I32 "order", I32 "scope") "Load 16 aligned bytes as one word (assumption b128-single-copy); relaxed.";
    Ordering Void "__gicc_red_add_u64" (Ptr "p", I64 "value", I32 "order", I32 "scope") "Add without a result; relaxed or release.";
    Ordering I64 "__gicc_atom_add_u64" (Ptr "p", I64 "value", I32 "order", I32 "scope")
        "Add; the old value. Any order but sequentially consistent.";
    Ordering I32 "__gicc_atom_inc_u32" (Ptr "p", I32 "wrap", I32 "order", I32 "scope")
        "The old value; stores 0 where it was at least wrap, else adds 1. Any order but sequentially consistent.";
    Ordering I32 "__gicc_atom_cas_u32" (Ptr "p", I32 "expected", I32 "desired", I32 "order", I32 "scope") "Compare and swap; the old value.";
}

/// The function of this name.
pub fn find(name: &str) -> Option<&'static Intrinsic> {
    ALL.iter().find(|i| i.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_carry_the_prefix() {
        let mut names: Vec<_> = ALL.iter().map(|i| i.name).collect();
        assert!(names.iter().all(|n| n.starts_with(crate::PREFIX)));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn groups_and_waits_are_read_off_the_names() {
        let of = |name: &str| find(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(of("__gicc_wait_warp").group(), Some(Group::Warp));
        assert_eq!(of("__gicc_test").group(), None);
        let waits = ["__gicc_wait_thread", "__gicc_channel_put_block", "__gicc_barrier_block", "__gicc_grid_sync"];
        let more = ["__gicc_barrier_part_block", "__gicc_epoch_set", "__gicc_part_over"];
        for name in waits.into_iter().chain(more) {
            assert!(of(name).may_fail_waiting(), "{name}");
        }
        let others = ["__gicc_test", "__gicc_put_block", "__gicc_packet_wait", "__gicc_check_error_block"];
        for name in others.into_iter().chain(["__gicc_part_end_block"]) {
            assert!(!of(name).may_fail_waiting(), "{name}");
        }
    }

    #[test]
    fn every_group_primitive_exists_for_each_group() {
        for i in ALL {
            if let Some(base) = i.name.strip_suffix("_warp") {
                for group in ["_thread", "_block"] {
                    let other = find(&format!("{base}{group}")).unwrap_or_else(|| panic!("{base}{group} is missing"));
                    assert_eq!(other.parameters, i.parameters, "{base}");
                }
            }
        }
    }
}
