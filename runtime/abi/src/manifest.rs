//! What stands beside a compiled module in `module.json`: which files hold it and what its kernels take, so that a
//! launcher needs neither LLVM nor the source.

use serde::{Deserialize, Serialize};

/// The file name in a compiled folder.
pub const FILE_NAME: &str = "module.json";

/// A compiled module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`crate::ABI_VERSION`] of the compiler.
    pub abi_version: u32,
    /// The source, as it was named on the command line; for messages.
    pub source: String,
    /// Compiled forms, each with its file name relative to the folder.
    pub images: Vec<Image>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The reference's shared object, relative to the folder, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// One compiled form of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// What it is.
    pub kind: ImageKind,
    /// The architecture, as in `sm_90`; empty for the simulator.
    #[serde(default)]
    pub arch: String,
    /// File name relative to the folder.
    pub file: String,
}

/// The kinds of compiled forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// PTX text; the driver compiles it at load.
    Ptx,
    /// Machine code of one architecture.
    Cubin,
    /// A shared object for the simulator.
    Sim,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The symbol in the module.
    pub symbol: String,
    /// The name in the source, without namespaces, parameters and mangling.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<KernelParameter>,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelParameter {
    /// The name in the source, or empty where it has none.
    pub name: String,
    /// Bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// What it holds.
    pub kind: ParameterKind,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// A device address.
    Pointer,
    /// An integer.
    Integer,
    /// A floating-point number.
    Float,
    /// A structure, by value.
    Bytes,
}

impl Kernel {
    /// The offset in bytes of each parameter when all are packed in order, each at its alignment, and the bytes in all.
    pub fn packing(&self) -> (Vec<u32>, u32) {
        let mut at = 0;
        let offsets = self
            .parameters
            .iter()
            .map(|p| {
                at = u32::next_multiple_of(at, p.align.max(1));
                let here = at;
                at += p.bytes;
                here
            })
            .collect();
        (offsets, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_packed_at_their_alignment() {
        let p = |bytes, align| KernelParameter { name: String::new(), bytes, align, kind: ParameterKind::Integer };
        let k = Kernel { symbol: "k".into(), name: "k".into(), parameters: vec![p(1, 1), p(8, 8), p(2, 2), p(4, 4)] };
        assert_eq!(k.packing(), (vec![0, 8, 16, 20], 24));
    }
}
