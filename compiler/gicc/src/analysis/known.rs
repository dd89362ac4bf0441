//! Functions whose names tell what they do: intrinsics of LLVM's for NVPTX, gicc's own, and those of NVSHMEM's and NCCL's
//! device interfaces. Names of a user's functions never matter.

/// What a function returns, where that matters for addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// The distance between two PEs' parts of the symmetric heap.
    Stride,
    /// Its argument at this place.
    Argument(usize),
    /// A pointer of its own.
    Pointer,
}

/// What a function of this name returns.
pub(crate) fn returns(name: &str) -> Option<Returns> {
    Some(match name {
        "__gicc_heap_stride" => Returns::Stride,
        "__gicc_workspace" | "__gicc_error_words" | "__gicc_heap_base" => Returns::Pointer,
        _ if name.starts_with(ANNOTATED) => Returns::Argument(0),
        _ if name.starts_with("llvm.nvvm.mapa") => Returns::Argument(0),
        _ if name.starts_with("llvm.ptr.annotation")
            || name.starts_with("llvm.launder")
            || name.starts_with("llvm.strip")
            || name.starts_with("llvm.ptrmask") =>
        {
            Returns::Argument(0)
        }
        _ if peer_pointer(name) => Returns::Pointer,
        _ => return None,
    })
}

/// The function that carries an annotation on a value to the analysis: `ptr @gicc.annotated.p0(ptr, i32)` and its kin for
/// other types.
pub(crate) const ANNOTATED: &str = "gicc.annotated";

/// Whether a function returns a pointer into a peer's memory.
pub(crate) fn peer_pointer(name: &str) -> bool {
    let name = base_name(name);
    matches!(
        name,
        "nvshmem_ptr"
            | "nvshmemx_mc_ptr"
            | "ncclGetLsaPointer"
            | "ncclGetPeerPointer"
            | "ncclGetLsaMultimemPointer"
            | "ncclGetMultimemPointer"
            | "__gicc_peer_ptr"
    )
}

/// Whether a function returns a pointer into the own PE's symmetric memory.
pub(crate) fn local_symmetric_pointer(name: &str) -> bool {
    matches!(base_name(name), "ncclGetLocalPointer")
}

/// Whether a function returns the own PE's number.
pub(crate) fn is_own_rank(name: &str) -> bool {
    matches!(base_name(name), "__gicc_my_pe" | "nvshmem_my_pe" | "nvshmem_team_my_pe")
}

/// The function's own name: a mangled one has its length in front.
fn base_name(name: &str) -> &str {
    let Some(rest) = name.strip_prefix("_Z") else { return name };
    let rest = rest.strip_prefix('N').unwrap_or(rest);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).unwrap_or(name)
}

/// The arguments of a copy of memory: destination and source.
pub(crate) fn copy(name: &str) -> Option<(usize, usize)> {
    (name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") || name == "memcpy" || name == "memmove")
        .then_some((0, 1))
}

/// Whether a function fills memory.
pub(crate) fn fill(name: &str) -> bool {
    name.starts_with("llvm.memset.") || name == "memset"
}

/// What a call of a communication library does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// Stores data at a peer; which argument is the destination.
    Put(usize),
    /// Stores data at a peer, then a signal.
    PutSignal(usize),
    /// Reads a peer's memory; which argument is the source.
    Get(usize),
    /// Tells a peer.
    Signal(usize),
    /// Waits until a flag in own memory says something.
    Wait(usize),
    /// Orders earlier puts: a fence at system scope.
    Fence,
    /// Completes earlier puts.
    Quiet,
    /// All PEs meet; earlier puts are complete.
    Barrier,
    /// PEs meet; nothing is completed.
    Sync,
}

impl Library {
    /// In words.
    pub(crate) const fn does(self) -> &'static str {
        match self {
            Library::Put(_) => "stores data in a peer's memory",
            Library::PutSignal(_) => "stores data in a peer's memory, then signals",
            Library::Get(_) => "reads a peer's memory",
            Library::Signal(_) => "signals a peer",
            Library::Wait(_) => "waits for a signal",
            Library::Fence => "orders earlier puts",
            Library::Quiet => "completes earlier puts",
            Library::Barrier => "lets all PEs meet, with earlier puts complete",
            Library::Sync => "lets PEs meet",
        }
    }
}

/// Whether it is one of NVIDIA's mathematical functions that touch no memory: some return a second result through a pointer.
pub(crate) fn is_pure_math(name: &str) -> bool {
    let second = ["frexp", "modf", "remquo", "sincos"];
    name.strip_prefix("__nv_").is_some_and(|name| !second.iter().any(|s| name.starts_with(s)))
}

/// What a collective of gicc's does, in words.
pub(crate) fn collective(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix(gicc_abi::PREFIX)?;
    if name.starts_with("all_reduce_") {
        Some("combines the elements of all PEs, or of a part of them, on each")
    } else if name.starts_with("all_gather_") {
        Some("gathers the elements of all PEs, or of a part of them, on each")
    } else {
        None
    }
}

/// What a function of NVSHMEM's or NCCL's does.
pub(crate) fn library(name: &str) -> Option<Library> {
    let name = base_name(name);
    let rest = name.strip_prefix("nvshmemx_").or_else(|| name.strip_prefix("nvshmem_"));
    if let Some(rest) = rest {
        return nvshmem(rest);
    }
    None
}

fn nvshmem(name: &str) -> Option<Library> {
    let has = |part: &str| name.contains(part);
    Some(match name {
        "fence" => Library::Fence,
        "quiet" => Library::Quiet,
        _ if has("put") && has("_signal") => Library::PutSignal(0),
        _ if name.starts_with("signal_wait") || has("wait_until") || name == "wait" => Library::Wait(0),
        _ if has("signal_op") => Library::Signal(0),
        _ if has("barrier") => Library::Barrier,
        _ if name == "sync_all" || name == "sync" || has("team_sync") || name.starts_with("sync_") => Library::Sync,
        _ if has("atomic_fetch") && !has("fetch_") => Library::Get(0),
        _ if has("atomic") => Library::Signal(0),
        _ if has("_get") || name.starts_with("get") || name.ends_with("_g") => {
            Library::Get(if name.ends_with("_g") { 0 } else { 1 })
        }
        _ if has("_put") || name.starts_with("put") || has("iput") || name.ends_with("_p") => Library::Put(0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_calls_are_known_by_their_names() {
        assert_eq!(library("nvshmem_float_put_nbi"), Some(Library::Put(0)));
        assert_eq!(library("nvshmem_float_p"), Some(Library::Put(0)));
        assert_eq!(library("nvshmemx_float_put_nbi_block"), Some(Library::Put(0)));
        assert_eq!(library("nvshmemx_signal_op"), Some(Library::Signal(0)));
        assert_eq!(library("nvshmem_signal_wait_until"), Some(Library::Wait(0)));
        assert_eq!(library("nvshmem_uint64_wait_until_all"), Some(Library::Wait(0)));
        assert_eq!(library("nvshmem_fence"), Some(Library::Fence));
        assert_eq!(library("nvshmemx_barrier_all_block"), Some(Library::Barrier));
        assert_eq!(library("nvshmem_putmem_signal"), Some(Library::PutSignal(0)));
        assert_eq!(library("nvshmem_getmem"), Some(Library::Get(1)));
        assert_eq!(library("nvshmem_my_pe"), None);
        assert_eq!(library("my_put"), None);
        assert!(collective("__gicc_all_reduce_part_grid").is_some_and(|does| does.starts_with("combines")));
        assert!(collective("__gicc_all_gather_block").is_some_and(|does| does.starts_with("gathers")));
        assert!(is_pure_math("__nv_fmaxf") && !is_pure_math("__nv_sincosf") && !is_pure_math("fmaxf"));
        assert_eq!((collective("all_reduce_block"), collective("__gicc_put_block")), (None, None));
        assert!(peer_pointer("nvshmem_ptr"));
        assert!(peer_pointer("_Z17ncclGetLsaPointerP15ncclWindow_vidmemmi"));
        assert!(!peer_pointer("_Zbroken"));
    }
}
