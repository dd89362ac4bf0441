//! Modules of several compiled folders in one team, as a program that has several modules loads them: what they say of
//! themselves is checked against each other, channels above all. Nothing is launched.

use std::path::PathBuf;

use gicc_abi::heap::WORKSPACE_BYTES;

use crate::error::HostError;
use crate::folder::manifest_of;
use crate::run::{Memory, Needs, Target, open};
use crate::team::{Bounds, Team};

/// Loads the modules in this order into a team of `pes`; what it runs on, and a line for each module.
///
/// # Errors
/// Where a folder is not readable, a module cannot be loaded, or one does not fit those before it.
pub fn load_together(folders: &[PathBuf], target: Target, pes: u32) -> Result<Vec<String>, HostError> {
    // Each module has a workspace.
    let mut workspaces = vec![WORKSPACE_BYTES; folders.len()];
    loop {
        let needs = Needs {
            n_pes: pes,
            heap_bytes: Team::segment_bytes(0, workspaces.iter().copied()),
            blocks: 1,
            seed: 0,
            memory: Memory::Functional,
        };
        let mut team = Team::new(open(target, needs)?, Bounds::default());
        team.set_collective_blocks(1);
        let mut lines = team.backend().describe();
        let mut larger = None;
        for (n, folder) in folders.iter().enumerate() {
            let manifest = manifest_of(folder)?;
            match team.load(folder, &manifest) {
                Ok(_) => lines.push(format!("loaded {}", manifest.source)),
                Err(HostError::HeapFull { bytes, .. }) if bytes > workspaces[n] => {
                    larger = Some((n, bytes));
                    break;
                }
                Err(other) => return Err(other),
            }
        }
        match larger {
            Some((n, bytes)) => workspaces[n] = bytes,
            None => return Ok(lines),
        }
    }
}
