//! The words in which every part of the project speaks of ordering: scopes, semantics, proxies.
//!
//! Source: PTX ISA, "Memory Consistency Model" (§8.4 operation types, §8.5 scope, §8.6 proxies).

use std::fmt;

/// The set of threads that an operation may synchronise with (PTX ISA §8.5). Ordered from narrow to wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Threads of the same cooperative thread array (block).
    Cta,
    /// Threads of the same cluster of blocks.
    Cluster,
    /// Threads of the same GPU.
    Gpu,
    /// All threads of the program: every GPU, and the host.
    Sys,
}

/// How strongly a memory operation or fence orders (PTX ISA §8.4, §9.7.13 for fences).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantics {
    /// A plain operation: no synchronisation, and racing with one is a data race.
    Weak,
    /// A strong operation without ordering. `volatile` is this, at system scope.
    Relaxed,
    /// Operations after it stay after it.
    Acquire,
    /// Operations before it stay before it.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, and in the one total order of such fences. Only fences have it.
    SequentiallyConsistent,
}

/// The path by which an operation reaches memory (PTX ISA §8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proxy {
    /// Ordinary loads, stores and atomics.
    Generic,
    /// The asynchronous copy unit (`cp.async.bulk` and its kin).
    Async,
    /// `ld.const` and constant banks.
    Constant,
    /// Textures and non-coherent loads (`ld.global.nc`).
    Texture,
    /// Surface loads and stores.
    Surface,
}

impl Scope {
    /// The scope as PTX spells it, without the dot.
    pub const fn ptx(self) -> &'static str {
        match self {
            Scope::Cta => "cta",
            Scope::Cluster => "cluster",
            Scope::Gpu => "gpu",
            Scope::Sys => "sys",
        }
    }
}

impl Semantics {
    /// The semantics as PTX spells them, without the dot.
    pub const fn ptx(self) -> &'static str {
        match self {
            Semantics::Weak => "weak",
            Semantics::Relaxed => "relaxed",
            Semantics::Acquire => "acquire",
            Semantics::Release => "release",
            Semantics::AcquireRelease => "acq_rel",
            Semantics::SequentiallyConsistent => "sc",
        }
    }

    /// Whether the operation takes part in synchronisation at all.
    pub const fn is_strong(self) -> bool {
        !matches!(self, Semantics::Weak)
    }

    /// Whether earlier operations are ordered before it.
    pub const fn releases(self) -> bool {
        matches!(self, Semantics::Release | Semantics::AcquireRelease | Semantics::SequentiallyConsistent)
    }

    /// Whether later operations are ordered after it.
    pub const fn acquires(self) -> bool {
        matches!(self, Semantics::Acquire | Semantics::AcquireRelease | Semantics::SequentiallyConsistent)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ptx())
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ptx())
    }
}
