//! The GPU architectures that gicc compiles for, each with the PTX version that it asks LLVM for.
//!
//! LLVM aborts the process when the PTX version is too low for the architecture, so the two are only ever chosen here.

/// An architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arch {
    /// As in `--arch`, for example `sm_90`.
    pub name: &'static str,
    /// PTX ISA version times ten, for example 88 for 8.8.
    pub ptx: u32,
    /// The number in the name, for example 90.
    pub sm: u32,
}

impl Arch {
    /// Every architecture, oldest first. PTX 8.4 is what `.sys.b128` needs on sm_80; 8.8 is the newest that every CUDA 13
    /// driver takes and that knows all of these.
    pub const ALL: &[Arch] = &[
        Arch { name: "sm_80", ptx: 84, sm: 80 },
        Arch { name: "sm_90", ptx: 88, sm: 90 },
        Arch { name: "sm_90a", ptx: 88, sm: 90 },
        Arch { name: "sm_100a", ptx: 88, sm: 100 },
        Arch { name: "sm_120a", ptx: 88, sm: 120 },
    ];

    /// What is compiled for where nothing is said.
    pub const DEFAULT: Arch = Arch::ALL[1];

    /// The architecture of this name.
    pub fn from_name(name: &str) -> Option<Arch> {
        Arch::ALL.iter().copied().find(|a| a.name == name)
    }

    /// The feature string for LLVM, for example `+ptx88`.
    pub fn feature(self) -> String {
        format!("+ptx{}", self.ptx)
    }

    /// Whether `fence.acquire` and `fence.release` exist (PTX 8.6, sm_90).
    pub fn has_one_way_fences(self) -> bool {
        self.sm >= 90 && self.ptx >= 86
    }
}
