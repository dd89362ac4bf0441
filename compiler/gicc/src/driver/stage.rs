//! The stages of a compilation, in order. `--emit`, `--stop-after` and `--dump-ir-after` all speak of these.

/// A stage; each ends with a module (or text) that can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// MLIR input as it was read.
    Mlir,
    /// MLIR input: all functions are in one module of device code, and collectives are algorithms.
    MlirExpand,
    /// MLIR input: everything is in LLVM's dialects, and calls gicc's intrinsics.
    MlirLower,
    /// The source as LLVM IR: what clang made of it, or what was read.
    Frontend,
    /// Intrinsics, scopes and targets are legal; user code is simplified so far that arguments are constants where they
    /// can be, and calls are checked.
    Verify,
    /// Each collective is a call of the function that was made for it.
    Materialise,
    /// The device runtime is linked and inlined: no interface intrinsic is left, only requirements of order.
    Link,
    /// Requirements have become orderings and fences. The fork: GPU and simulator run this.
    PlaceFences,
    /// Orderings and team facts have become the target's instructions.
    Lower,
    /// Optimised for the GPU.
    Optimize,
    /// PTX text.
    Ptx,
    /// Machine code.
    Cubin,
}

impl Stage {
    /// All stages in order.
    pub const ALL: &[Stage] = &[
        Stage::Mlir,
        Stage::MlirExpand,
        Stage::MlirLower,
        Stage::Frontend,
        Stage::Verify,
        Stage::Materialise,
        Stage::Link,
        Stage::PlaceFences,
        Stage::Lower,
        Stage::Optimize,
        Stage::Ptx,
        Stage::Cubin,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Mlir => "mlir",
            Stage::MlirExpand => "mlir-expand",
            Stage::MlirLower => "mlir-lower",
            Stage::Frontend => "frontend",
            Stage::Verify => "verify",
            Stage::Materialise => "materialise",
            Stage::Link => "link",
            Stage::PlaceFences => "place-fences",
            Stage::Lower => "lower",
            Stage::Optimize => "optimize",
            Stage::Ptx => "ptx",
            Stage::Cubin => "cubin",
        }
    }

    /// One line for `--help`.
    pub const fn about(self) -> &'static str {
        match self {
            Stage::Mlir => "MLIR input as it was read",
            Stage::MlirExpand => "MLIR input: collectives are expanded",
            Stage::MlirLower => "MLIR input: all is in LLVM's dialects",
            Stage::Frontend => "LLVM IR as the front end made or read it",
            Stage::Verify => "intrinsics, scopes and constant arguments are checked",
            Stage::Materialise => "collectives are functions that were made for their calls",
            Stage::Link => "the device runtime is linked and inlined; order is required, not yet made",
            Stage::PlaceFences => "fences and orderings are placed; GPU and simulator fork here",
            Stage::Lower => "orderings are PTX instructions",
            Stage::Optimize => "LLVM's O3 has run",
            Stage::Ptx => "PTX text",
            Stage::Cubin => "machine code, by ptxas",
        }
    }

    /// The stage of this name.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.iter().copied().find(|s| s.name() == name)
    }

    /// Whether the stage ends with LLVM IR.
    pub fn has_ir(self) -> bool {
        self >= Stage::Frontend && self < Stage::Ptx
    }

    /// Whether the stage ends with MLIR.
    pub fn has_mlir(self) -> bool {
        self < Stage::Frontend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_the_order_is_that_of_the_list() {
        for pair in Stage::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
        }
        for &s in Stage::ALL {
            assert_eq!(Stage::from_name(s.name()), Some(s));
        }
    }
}
