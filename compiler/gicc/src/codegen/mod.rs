//! Step 6: level L with placed fences becomes code. The fork: `nvptx` for GPUs, `sim` for the simulator.

pub mod nvptx;
pub mod sim;

mod kernels;

pub(crate) use kernels::describe;
