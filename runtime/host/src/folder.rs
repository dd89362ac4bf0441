//! A compiled folder: the manifest, the launch description and the reference, read and checked against each other.

use std::path::{Path, PathBuf};

use gicc_abi::manifest::{self, ImageKind, Kernel, Manifest};
use serde::Deserialize;

use crate::error::HostError;
use crate::launch::{self, Description, check::check, read::read};
use crate::record::RecordError;
use crate::reference::Reference;

/// A compiled folder whose parts fit together.
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// What was compiled.
    pub manifest: Manifest,
    /// How it is launched.
    pub description: Description,
    /// For each launch, the index of its kernel in the manifest.
    pub kernels: Vec<usize>,
    /// What computes the expected results, where there is one.
    pub reference: Option<Reference>,
}

fn text(path: &Path, help: &str) -> Result<String, HostError> {
    let unreadable = |reason: String| HostError::Unreadable { path: path.to_owned(), reason, help: help.to_owned() };
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| unreadable(format!("it is no text (byte {})", e.utf8_error().valid_up_to())))
}

/// The version alone, so that a manifest of another version is recognised whatever else it says.
#[derive(Deserialize)]
struct Version {
    abi_version: u32,
    #[serde(default)]
    source: String,
}

fn parse(file: &Path, text: &str) -> Result<Manifest, HostError> {
    if let Ok(version) = serde_json::from_str::<Version>(text)
        && version.abi_version != gicc_abi::ABI_VERSION
    {
        let error = RecordError::Version { found: version.abi_version };
        return Err(HostError::Record { source_name: version.source, error });
    }
    serde_json::from_str(text).map_err(|e| HostError::Unreadable {
        path: file.to_owned(),
        reason: e.to_string(),
        help: "compile the folder again with the gicc of this runtime".into(),
    })
}

/// Reads what a compiled folder says of its module.
///
/// # Errors
/// Where there is no such file, or it is of another version.
pub fn manifest_of(path: &Path) -> Result<Manifest, HostError> {
    let file = path.join(manifest::FILE_NAME);
    let help = "the folder must be compiled: gicc FOLDER -o OUT writes module.json and the images";
    parse(&file, &text(&file, help)?)
}

impl Folder {
    /// Reads a compiled folder; `description` is a launch description elsewhere.
    pub fn open(path: &Path, description: Option<&Path>) -> Result<Folder, HostError> {
        let manifest = manifest_of(path)?;
        let file = description.map_or_else(|| path.join(launch::FILE_NAME), Path::to_owned);
        let source = text(&file, "write a launch description; an example is beside each kernel in examples/")?;
        let description = read(&file.display().to_string(), &source)?;
        let kernels = check(&description, &manifest)?;
        let reference = match &manifest.reference {
            Some(file) if description.buffers.iter().any(|b| b.output.is_some()) => {
                Some(Reference::load(&path.join(file))?)
            }
            _ => None,
        };
        Ok(Folder { path: path.to_owned(), manifest, description, kernels, reference })
    }

    /// The number of PEs: what is asked for, if the kernels are made for it, else the description's first.
    pub fn pe_count(&self, asked: Option<u32>) -> Result<u32, HostError> {
        let allowed = &self.description.pes;
        match asked {
            None => Ok(allowed.default_count()),
            Some(n) if allowed.allows(n) => Ok(n),
            Some(asked) => {
                let file = self.description.source.file.clone();
                Err(HostError::PeCount { asked, file, allowed: format!("{allowed} PEs") })
            }
        }
    }

    /// The kernel of a launch.
    pub fn kernel(&self, launch: usize) -> &Kernel {
        &self.manifest.kernels[self.kernels[launch]]
    }

    /// The simulator's image.
    pub fn sim_image(&self) -> Result<PathBuf, HostError> {
        sim_image(&self.path, &self.manifest)
    }
}

/// The simulator's image of a compiled folder.
pub(crate) fn sim_image(folder: &Path, manifest: &Manifest) -> Result<PathBuf, HostError> {
    match manifest.images.iter().find(|i| i.kind == ImageKind::Sim) {
        Some(image) => Ok(folder.join(&image.file)),
        None => {
            let found: Vec<String> =
                manifest.images.iter().map(|i| format!("{:?} {}", i.kind, i.arch).to_lowercase()).collect();
            Err(HostError::NoImage {
                folder: folder.to_owned(),
                target: "the simulator".into(),
                found: if found.is_empty() { "none".into() } else { found.join(", ") },
                help: "compile it for the simulator, too".into(),
            })
        }
    }
}
