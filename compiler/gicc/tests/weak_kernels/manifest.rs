//! `lit-tests/weak/kernels.toml`: which kernels there are, how they are launched, and how each is made wrong.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The kernels.
    pub(crate) kernel: Vec<Kernel>,
}

/// A kernel: its entry points are its name, `_` and the number of the mutant; 0 is the right form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kernel {
    /// The name.
    pub(crate) name: String,
    /// The pattern, 1 to 14; 0 for a skeleton that uses several.
    pub(crate) pattern: u32,
    /// The file, in the manifest's folder.
    pub(crate) file: String,
    /// GPUs.
    #[serde(default = "two")]
    pub(crate) pes: u32,
    /// Blocks on each.
    #[serde(default = "one")]
    pub(crate) blocks: u32,
    /// Threads of a block.
    #[serde(default = "two")]
    pub(crate) threads: u32,
    /// Those threads whose accesses matter; all of them where nothing is said.
    #[serde(default)]
    pub(crate) acting: Vec<u32>,
    /// Launches, one after the other.
    #[serde(default = "one")]
    pub(crate) phases: u32,
    /// Why the right form has data races by the letter of the model, where it has some.
    pub(crate) formal_race: Option<String>,
    /// The wrong forms.
    pub(crate) mutant: Vec<Mutant>,
}

/// A wrong form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    /// Its number.
    pub(crate) number: u32,
    /// What is done to the ordering.
    pub(crate) change: Change,
    /// To which.
    pub(crate) what: String,
    /// What must be found.
    pub(crate) finding: Finding,
    /// The line of the read that fails.
    pub(crate) line: u32,
    /// The line that a run has to tell instead, where that read only passes on what an earlier race spoilt.
    pub(crate) cause: Option<u32>,
}

/// What is done to an ordering.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    Removed,
    Weakened,
    Narrowed,
    Moved,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Finding {
    /// An old value is read.
    Stale,
    /// A newer value is read: what was to be read has been overwritten.
    Overwritten,
    /// A mixture of two values is read.
    Torn,
}

fn one() -> u32 {
    1
}

fn two() -> u32 {
    2
}

/// The folder of the kernels.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lit-tests/weak")
}

impl Manifest {
    pub(crate) fn read() -> Manifest {
        let path = folder().join("kernels.toml");
        let text = std::fs::read_to_string(&path).expect("the manifest can be read");
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

impl Kernel {
    /// An entry point.
    pub(crate) fn entry(&self, number: u32) -> String {
        format!("{}_{number}", self.name)
    }
}
