//! Launches recorded as CUDA graphs: those of each PE become a chain of kernel nodes in a graph of its device. The kernels of
//! a replay start without the host, one when the one before has ended.

use std::time::Duration;

use cudarc::driver::sys;

use super::driver::{CudaError, check};
use super::{Cuda, Device, Started, enqueue};
use crate::backend::{Ended, Launch, ModuleHandle};
use crate::error::HostError;

/// The graphs of all PEs.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// With their PEs, PE 0's last.
    on_pes: Vec<(u32, sys::CUgraphExec)>,
    /// The first kernel's symbol, for messages.
    symbol: String,
}

impl Graph {
    /// Gives the graphs back; none of their kernels runs.
    pub(crate) fn destroy(&self, devices: &[Device]) {
        for (pe, executable) in &self.on_pes {
            if devices.get(*pe as usize).is_some_and(|d| d.enter().is_ok()) {
                // SAFETY: made by `instantiate`, and destroyed once, since a graph is destroyed when it is forgotten.
                unsafe { sys::cuGraphExecDestroy(*executable) };
            }
        }
    }
}

impl Cuda {
    /// Records launches in the streams of their devices; nothing runs.
    pub(super) fn capture(&self, module: ModuleHandle, launches: &[Launch<'_>]) -> Result<Graph, HostError> {
        let mut pes: Vec<u32> = launches.iter().map(|l| l.pe).collect();
        pes.sort_unstable_by(|a, b| b.cmp(a));
        pes.dedup();
        let symbol = launches.first().map(|l| l.symbol.to_owned()).unwrap_or_default();
        let mut graph = Graph { on_pes: Vec::new(), symbol };
        for pe in pes {
            match self.capture_on(module, pe, launches) {
                Ok(executable) => graph.on_pes.push((pe, executable)),
                Err(e) => {
                    graph.destroy(&self.devices);
                    return Err(e);
                }
            }
        }
        Ok(graph)
    }

    fn capture_on(
        &self,
        module: ModuleHandle,
        pe: u32,
        launches: &[Launch<'_>],
    ) -> Result<sys::CUgraphExec, HostError> {
        let device = self.enter(pe)?;
        let loaded = self.loaded(module, pe)?;
        let mut kernels = Vec::new();
        for launch in launches.iter().filter(|l| l.pe == pe) {
            let function = loaded.function(launch.symbol)?;
            self.permit_shared_memory(function, launch)?;
            kernels.push((function, launch));
        }
        let what = || format!("recording launches on PE {pe}");
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream belongs to the current context and is empty.
        check(unsafe { sys::cuStreamBeginCapture_v2(device.stream, mode) }, what())?;
        let recorded = kernels.iter().try_for_each(|(function, launch)| enqueue(device, *function, launch));
        let mut graph = std::ptr::null_mut();
        // SAFETY: ends what was begun above, whatever came in between; writes one handle.
        let ended = check(unsafe { sys::cuStreamEndCapture(device.stream, &mut graph) }, what());
        let executable = recorded.and(ended).and_then(|()| instantiate(device, graph, &what()));
        if !graph.is_null() {
            // SAFETY: made above; an executable graph does not need it.
            unsafe { sys::cuGraphDestroy(graph) };
        }
        Ok(executable?)
    }

    /// Starts a graph on each device and waits.
    pub(super) fn replay_once(&mut self, graph: &Graph, bound: Duration) -> Result<Ended, HostError> {
        let started: Vec<Started<'_>> =
            graph.on_pes.iter().map(|(pe, _)| Started { pe: *pe, symbol: &graph.symbol }).collect();
        for (pe, executable) in &graph.on_pes {
            let result = self.start_graph(*pe, *executable);
            if let Err(e) = result {
                // Kernels that were started before may wait for this PE's; their waits are bounded.
                self.unusable = !self.wait(&started, bound).is_ok_and(|running| running.is_empty());
                return Err(e);
            }
        }
        self.finish(&started, bound)
    }

    fn start_graph(&self, pe: u32, executable: sys::CUgraphExec) -> Result<(), HostError> {
        let device = self.enter(pe)?;
        let what = || format!("starting recorded launches on PE {pe}");
        // SAFETY: events, stream and graph belong to the current context.
        unsafe {
            check(sys::cuEventRecord(device.started, device.stream), what())?;
            check(sys::cuGraphLaunch(executable, device.stream), what())?;
            check(sys::cuEventRecord(device.ended, device.stream), what())?;
        }
        Ok(())
    }
}

/// Makes a graph that can be started and moves it to its device, whose context is current.
fn instantiate(device: &Device, graph: sys::CUgraph, what: &str) -> Result<sys::CUgraphExec, CudaError> {
    let mut executable = std::ptr::null_mut();
    // SAFETY: the graph was recorded in this context; writes one handle.
    check(unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) }, what)?;
    // SAFETY: both belong to the current context.
    check(unsafe { sys::cuGraphUpload(executable, device.stream) }, what)?;
    Ok(executable)
}
