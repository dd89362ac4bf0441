//! What the host runtime does before a launch, for tests that drive a simulated machine themselves: each PE gets an error word
//! and its state.

use gicc_abi::layout::{Error, State};
use gicc_sim::{Machine, ModuleId, SimError};

/// Makes a module usable on every PE of a machine; the addresses of the error words.
pub(crate) fn make_usable(
    machine: &mut Machine,
    module: ModuleId,
    pes: u32,
    workspace_bytes: u64,
    timeout_ns: u64,
) -> Result<Vec<u64>, SimError> {
    let mut errors = Vec::new();
    for pe in 0..pes {
        let error = machine.alloc(pe, size_of::<Error>() as u64, "error word")?;
        errors.push(error);
        let state = State {
            abi_version: gicc_abi::ABI_VERSION,
            my_pe: pe as i32,
            n_pes: pes as i32,
            heap_base: machine.segment(0),
            heap_stride: machine.stride(),
            heap_bytes: machine.heap_bytes(),
            workspace_bytes,
            error,
            timeout_ns,
            ..State::default()
        };
        // A program without communication does not read it.
        if let Some((address, _)) = machine.symbol(module, pe, gicc_abi::STATE_SYMBOL) {
            machine.write(address, &state.to_bytes())?;
        }
    }
    Ok(errors)
}
