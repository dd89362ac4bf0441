//! Real GPUs: several in one process, one PE each, through the CUDA driver.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::path::Path;
use std::time::{Duration, Instant};

use cudarc::driver::sys;
use cudarc::driver::sys::{CUdevice_P2PAttribute, CUdevice_attribute, CUresult};
use gicc_abi::manifest::Manifest;

mod driver;
mod graph;
mod heap;
mod module;

pub use driver::CudaError;
use driver::{check, start, words};
use graph::Graph;
use heap::Segments;
use module::Loaded;

use super::{Backend, Ended, GraphHandle, Heap, Launch, ModuleHandle};
use crate::error::HostError;

/// Dynamic shared memory up to which a kernel needs no permission.
const SHARED_WITHOUT_PERMISSION: u32 = 48 * 1024;

/// One GPU.
#[derive(Debug)]
pub(crate) struct Device {
    ordinal: i32,
    name: String,
    capability: (i32, i32),
    multiprocessors: u64,
    context: sys::CUcontext,
    stream: sys::CUstream,
    started: sys::CUevent,
    ended: sys::CUevent,
}

impl Default for Device {
    fn default() -> Self {
        Device {
            ordinal: -1,
            name: String::new(),
            capability: (0, 0),
            multiprocessors: 0,
            context: std::ptr::null_mut(),
            stream: std::ptr::null_mut(),
            started: std::ptr::null_mut(),
            ended: std::ptr::null_mut(),
        }
    }
}

impl Device {
    fn arch(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }

    /// Makes its context current.
    fn enter(&self) -> Result<(), CudaError> {
        // SAFETY: the context was retained in `open` and is released when the backend is dropped.
        check(unsafe { sys::cuCtxSetCurrent(self.context) }, format!("switching to GPU {}", self.ordinal))
    }

    fn open(ordinal: i32) -> Result<Device, CudaError> {
        let mut device = Device { ordinal, ..Device::default() };
        let mut name = [0; 256];
        // SAFETY: writes at most 256 bytes with a zero at the end.
        check(
            unsafe { sys::cuDeviceGetName(name.as_mut_ptr(), 256, ordinal) },
            format!("asking for the name of GPU {ordinal}"),
        )?;
        name[255] = 0;
        // SAFETY: the array ends with a zero.
        device.name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let attribute = |a| {
            let mut value = 0;
            // SAFETY: writes one integer.
            check(
                unsafe { sys::cuDeviceGetAttribute(&mut value, a, ordinal) },
                format!("asking GPU {ordinal} what it can"),
            )?;
            Ok::<i32, CudaError>(value)
        };
        device.capability = (
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        device.multiprocessors = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(0) as u64;
        if attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)? == 0 {
            return Err(CudaError::NoVirtualMemory(ordinal as u32));
        }
        // SAFETY: retains the device's primary context, which `drop` of the backend releases.
        check(
            unsafe { sys::cuDevicePrimaryCtxRetain(&mut device.context, ordinal) },
            format!("making a context on GPU {ordinal}"),
        )?;
        if let Err(e) = device.make_stream() {
            device.close();
            return Err(e);
        }
        Ok(device)
    }

    fn make_stream(&mut self) -> Result<(), CudaError> {
        self.enter()?;
        let non_blocking = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let what = || format!("making a stream on GPU {}", self.ordinal);
        // SAFETY: each call writes one handle.
        check(unsafe { sys::cuStreamCreate(&mut self.stream, non_blocking) }, what())?;
        let what = || format!("making an event on GPU {}", self.ordinal);
        // SAFETY: as above.
        check(unsafe { sys::cuEventCreate(&mut self.started, 0) }, what())?;
        // SAFETY: as above.
        check(unsafe { sys::cuEventCreate(&mut self.ended, 0) }, what())
    }

    /// Gives everything back; no kernel runs.
    fn close(&self) {
        // SAFETY: each handle was made by `open` and is not used after this.
        unsafe {
            sys::cuCtxSetCurrent(self.context);
            for event in [self.started, self.ended] {
                if !event.is_null() {
                    sys::cuEventDestroy_v2(event);
                }
            }
            if !self.stream.is_null() {
                sys::cuStreamDestroy_v2(self.stream);
            }
            sys::cuDevicePrimaryCtxRelease_v2(self.ordinal);
        }
    }
}

/// What was started on a PE.
#[derive(Clone, Copy, Debug)]
struct Started<'a> {
    pe: u32,
    /// The kernel's symbol, for messages.
    symbol: &'a str,
}

/// GPUs 0 to n - 1 of the process as PEs.
pub struct Cuda {
    devices: Vec<Device>,
    segments: Option<Segments>,
    heap: Heap,
    modules: Vec<Vec<Loaded>>,
    /// Recorded launches; none where they were forgotten.
    graphs: Vec<Option<Graph>>,
    allocations: HashMap<u64, u32>,
    /// Two GPUs between which atomic operations are not native, where there are such.
    without_atomics: Option<(u32, u32)>,
    /// A kernel hangs or faulted: nothing may be waited for or freed any more.
    unusable: bool,
}

/// Number of GPUs that the driver shows; none where there is no driver.
pub fn gpu_count() -> u32 {
    let mut count = 0;
    // SAFETY: writes one integer, after the driver was started.
    match start() {
        Ok(()) if unsafe { sys::cuDeviceGetCount(&mut count) } == CUresult::CUDA_SUCCESS => count.max(0) as u32,
        _ => 0,
    }
}

impl Cuda {
    /// Opens `n_pes` GPUs and maps a segment of at least `heap_bytes` bytes on each.
    pub fn open(n_pes: u32, heap_bytes: u64) -> Result<Cuda, CudaError> {
        start()?;
        let mut found = 0;
        // SAFETY: writes one integer.
        check(unsafe { sys::cuDeviceGetCount(&mut found) }, "counting the GPUs")?;
        let found = found.max(0) as u32;
        if n_pes > found || n_pes == 0 {
            return Err(CudaError::TooFewGpus { asked: n_pes, found });
        }
        let mut cuda = Cuda {
            devices: Vec::new(),
            segments: None,
            heap: Heap { base: 0, stride: 0, bytes: 0 },
            modules: Vec::new(),
            graphs: Vec::new(),
            allocations: HashMap::new(),
            without_atomics: None,
            unusable: false,
        };
        for ordinal in 0..n_pes {
            cuda.devices.push(Device::open(ordinal as i32)?);
        }
        cuda.check_peers()?;
        let ordinals: Vec<i32> = cuda.devices.iter().map(|d| d.ordinal).collect();
        let segments = Segments::map(&ordinals, heap_bytes)?;
        cuda.heap = segments.heap();
        cuda.segments = Some(segments);
        Ok(cuda)
    }

    fn check_peers(&mut self) -> Result<(), CudaError> {
        for from in &self.devices {
            for to in self.devices.iter().filter(|to| to.ordinal != from.ordinal) {
                let (mut access, mut atomics) = (0, 0);
                let what = || format!("asking whether GPU {} reaches GPU {}", from.ordinal, to.ordinal);
                // SAFETY: writes one integer.
                check(unsafe { sys::cuDeviceCanAccessPeer(&mut access, from.ordinal, to.ordinal) }, what())?;
                if access == 0 {
                    return Err(CudaError::NoPeerAccess { from: from.ordinal as u32, to: to.ordinal as u32 });
                }
                let native = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
                // SAFETY: writes one integer.
                check(unsafe { sys::cuDeviceGetP2PAttribute(&mut atomics, native, from.ordinal, to.ordinal) }, what())?;
                if atomics == 0 {
                    self.without_atomics.get_or_insert((from.ordinal as u32, to.ordinal as u32));
                }
            }
        }
        Ok(())
    }

    /// Whether all GPUs execute atomics on each other's memory themselves.
    pub fn native_peer_atomics(&self) -> bool {
        self.without_atomics.is_none()
    }

    fn enter(&self, pe: u32) -> Result<&Device, HostError> {
        if self.unusable {
            return Err(CudaError::Unusable.into());
        }
        let device = self.devices.get(pe as usize).ok_or_else(|| HostError::Misuse(format!("there is no PE {pe}")))?;
        device.enter()?;
        Ok(device)
    }

    fn loaded(&self, module: ModuleHandle, pe: u32) -> Result<&Loaded, HostError> {
        let on_pes = self.modules.get(module.0).and_then(|m| m.get(pe as usize));
        on_pes.ok_or_else(|| HostError::Misuse(format!("module {} is not loaded on PE {pe}", module.0)))
    }

    fn start_kernel(&self, module: ModuleHandle, launch: &Launch<'_>, timed: bool) -> Result<(), HostError> {
        let device = self.enter(launch.pe)?;
        let function = self.loaded(module, launch.pe)?.function(launch.symbol)?;
        self.permit_shared_memory(function, launch)?;
        let what = || format!("launching kernel `{}` on PE {}", launch.symbol, launch.pe);
        if timed {
            // SAFETY: event and stream belong to the current context.
            check(unsafe { sys::cuEventRecord(device.started, device.stream) }, what())?;
        }
        enqueue(device, function, launch)?;
        if timed {
            // SAFETY: as above.
            check(unsafe { sys::cuEventRecord(device.ended, device.stream) }, what())?;
        }
        Ok(())
    }

    fn permit_shared_memory(&self, function: sys::CUfunction, launch: &Launch<'_>) -> Result<(), HostError> {
        if launch.shared_bytes <= SHARED_WITHOUT_PERMISSION {
            return Ok(());
        }
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let what = format!("giving kernel `{}` {} bytes of shared memory", launch.symbol, launch.shared_bytes);
        // SAFETY: the function belongs to the current context.
        Ok(check(unsafe { sys::cuFuncSetAttribute(function, attribute, launch.shared_bytes as i32) }, what)?)
    }

    /// Waits until copies to all GPUs are complete: a copy from ordinary memory may return before, and the streams of
    /// kernels do not wait for it.
    fn settle(&self) -> Result<(), HostError> {
        for pe in 0..self.n_pes() {
            self.enter(pe)?;
            // SAFETY: the default stream of the current context, on which copies run.
            let result = unsafe { sys::cuStreamSynchronize(std::ptr::null_mut()) };
            check(result, format!("waiting for copies to GPU {pe}"))?;
        }
        Ok(())
    }

    /// Waits until every stream is empty, at most `bound`; the PEs that are still running otherwise.
    fn wait(&mut self, started: &[Started<'_>], bound: Duration) -> Result<Vec<u32>, HostError> {
        let start = Instant::now();
        let mut running = started.to_vec();
        while !running.is_empty() {
            let mut still = Vec::new();
            for kernel in running {
                let device = self.enter(kernel.pe)?;
                // SAFETY: the stream belongs to the current context.
                match unsafe { sys::cuStreamQuery(device.stream) } {
                    CUresult::CUDA_SUCCESS => {}
                    CUresult::CUDA_ERROR_NOT_READY => still.push(kernel),
                    fault => {
                        self.unusable = true;
                        return Err(fault_of(fault, kernel).into());
                    }
                }
            }
            running = still;
            let waited = start.elapsed();
            if waited > bound {
                break;
            }
            if waited > Duration::from_millis(5) {
                std::thread::sleep(Duration::from_micros(100));
            } else {
                std::hint::spin_loop();
            }
        }
        Ok(running.iter().map(|k| k.pe).collect())
    }

    /// Waits for what was started; PE 0's time between its two events.
    fn finish(&mut self, started: &[Started<'_>], bound: Duration) -> Result<Ended, HostError> {
        let running = self.wait(started, bound)?;
        if !running.is_empty() {
            self.unusable = true;
            return Ok(Ended::Running(running));
        }
        let mut microseconds = None;
        if started.iter().any(|k| k.pe == 0) {
            let device = self.enter(0)?;
            let mut milliseconds = 0.0;
            // SAFETY: both events were recorded in a stream that is empty now.
            let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, device.started, device.ended) };
            check(result, "reading the time of the launch")?;
            microseconds = Some(f64::from(milliseconds) * 1e3);
        }
        Ok(Ended::All { microseconds })
    }
}

/// Puts a kernel into its device's stream, whose context is current.
fn enqueue(device: &Device, function: sys::CUfunction, launch: &Launch<'_>) -> Result<(), CudaError> {
    let mut bytes = launch.parameters.len();
    let mut parameters = launch.parameters.clone();
    let mut extra = [
        sys::CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT as usize as *mut c_void,
        parameters.as_mut_ptr().cast(),
        sys::CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT as usize as *mut c_void,
        std::ptr::from_mut(&mut bytes).cast(),
        sys::CU_LAUNCH_PARAM_END_AS_INT as usize as *mut c_void,
    ];
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    // SAFETY: the function belongs to the current context; the parameters are packed as its manifest says, and are
    // copied before the call returns.
    let result = unsafe {
        let none = std::ptr::null_mut();
        sys::cuLaunchKernel(
            function,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            launch.shared_bytes,
            device.stream,
            none,
            extra.as_mut_ptr(),
        )
    };
    check(result, format!("launching kernel `{}` on PE {}", launch.symbol, launch.pe))
}

fn fault_of(fault: CUresult, started: Started<'_>) -> CudaError {
    let (code, text) = words(fault);
    let help = match fault {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => {
            "a pointer or an index of the kernel is wrong; `--target sim` names the line, and so does compute-sanitizer"
        }
        CUresult::CUDA_ERROR_ASSERT | CUresult::CUDA_ERROR_LAUNCH_FAILED => {
            "run with `--target sim` or under compute-sanitizer"
        }
        _ => "the driver's code says more",
    };
    CudaError::Fault { kernel: started.symbol.to_owned(), pe: started.pe, code, text, help: help.into() }
}

impl Backend for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .devices
            .iter()
            .enumerate()
            .map(|(pe, d)| format!("PE {pe}: {} ({}, {} multiprocessors)", d.name, d.arch(), d.multiprocessors))
            .collect();
        if self.devices.len() > 1 {
            let which =
                if self.native_peer_atomics() { "native" } else { "not native: signals that add may not be atomic" };
            lines.push(format!("peer access between all; peer atomics {which}"));
        }
        lines
    }

    fn n_pes(&self) -> u32 {
        self.devices.len() as u32
    }

    fn heap(&self) -> Heap {
        self.heap
    }

    fn allocate(&mut self, pe: u32, bytes: u64, name: &str) -> Result<u64, HostError> {
        self.enter(pe)?;
        let mut address = 0;
        let what = format!("allocating {bytes} bytes for `{name}` on GPU {pe}");
        // SAFETY: writes one address.
        check(unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1) as usize) }, what)?;
        self.allocations.insert(address, pe);
        Ok(address)
    }

    fn free(&mut self, pe: u32, address: u64) -> Result<(), HostError> {
        self.enter(pe)?;
        if self.allocations.remove(&address).is_none() {
            return Err(HostError::Misuse(format!("{address:#x} was not allocated on PE {pe}")));
        }
        // SAFETY: allocated above and, being removed from the table, freed once.
        Ok(check(unsafe { sys::cuMemFree_v2(address) }, format!("freeing memory of GPU {pe}"))?)
    }

    fn write(&mut self, pe: u32, address: u64, bytes: &[u8]) -> Result<(), HostError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.enter(pe)?;
        // SAFETY: the driver checks the device's range; the source is valid for its length.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
        Ok(check(result, format!("copying {} bytes to {address:#x} on GPU {pe}", bytes.len()))?)
    }

    fn read(&self, pe: u32, address: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.enter(pe)?;
        // SAFETY: the driver checks the device's range; the destination is valid for its length.
        let result = unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        Ok(check(result, format!("copying {} bytes from {address:#x} on GPU {pe}", bytes.len()))?)
    }

    fn without_wide_words(&self) -> Option<(u32, u32)> {
        self.without_atomics
    }
    fn load(&mut self, folder: &Path, manifest: &Manifest) -> Result<ModuleHandle, HostError> {
        let mut on_pes = Vec::new();
        for pe in 0..self.n_pes() {
            let device = self.enter(pe)?;
            on_pes.push(Loaded::load(folder, manifest, device, pe)?);
        }
        self.modules.push(on_pes);
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    fn adopt(&mut self, modules: &[*mut c_void]) -> Result<ModuleHandle, HostError> {
        if modules.len() != self.devices.len() || modules.iter().any(|m| m.is_null()) {
            let (wanted, given) = (self.devices.len(), modules.iter().filter(|m| !m.is_null()).count());
            return Err(HostError::Misuse(format!("{wanted} PEs need {wanted} loaded modules, not {given}")));
        }
        self.modules.push(modules.iter().map(|m| Loaded::adopt(m.cast())).collect());
        Ok(ModuleHandle(self.modules.len() - 1))
    }

    fn symbol(&self, module: ModuleHandle, pe: u32, name: &str) -> Result<Option<(u64, u64)>, HostError> {
        self.enter(pe)?;
        self.loaded(module, pe)?.variable(name)
    }

    fn resident_blocks(&self, module: ModuleHandle, launch: &Launch<'_>) -> Result<Option<u64>, HostError> {
        let device = self.enter(launch.pe)?;
        let function = self.loaded(module, launch.pe)?.function(launch.symbol)?;
        self.permit_shared_memory(function, launch)?;
        let threads: u32 = launch.block.iter().product();
        let mut blocks = 0;
        // SAFETY: the function belongs to the current context; writes one integer.
        let result = unsafe {
            let shared = launch.shared_bytes as usize;
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, threads as i32, shared)
        };
        check(result, format!("asking how many blocks of kernel `{}` fit", launch.symbol))?;
        Ok(Some(blocks.max(0) as u64 * device.multiprocessors))
    }

    fn launch(&mut self, module: ModuleHandle, launches: &[Launch<'_>], bound: Duration) -> Result<Ended, HostError> {
        self.settle()?;
        let mut order: Vec<&Launch<'_>> = launches.iter().collect();
        order.sort_by_key(|l| std::cmp::Reverse(l.pe));
        let started: Vec<Started<'_>> = order.iter().map(|l| Started { pe: l.pe, symbol: l.symbol }).collect();
        for launch in &order {
            if let Err(e) = self.start_kernel(module, launch, launch.pe == 0) {
                // Kernels that were started before this one may wait for it; their waits are bounded.
                self.unusable = !self.wait(&started, bound).is_ok_and(|running| running.is_empty());
                return Err(e);
            }
        }
        self.finish(&started, bound)
    }

    fn record(&mut self, module: ModuleHandle, launches: &[Launch<'_>]) -> Result<GraphHandle, HostError> {
        let graph = self.capture(module, launches)?;
        self.graphs.push(Some(graph));
        Ok(GraphHandle(self.graphs.len() - 1))
    }

    fn replay(&mut self, handle: GraphHandle, bound: Duration) -> Result<Ended, HostError> {
        self.settle()?;
        let Some(graph) = self.graphs.get_mut(handle.0).and_then(Option::take) else {
            return Err(HostError::Misuse(format!("there is no graph {}", handle.0)));
        };
        let ended = self.replay_once(&graph, bound);
        self.graphs[handle.0] = Some(graph);
        ended
    }

    fn discard(&mut self, graph: GraphHandle) {
        if let Some(graph) = self.graphs.get_mut(graph.0).and_then(Option::take) {
            graph.destroy(&self.devices);
        }
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        if self.unusable {
            // Freeing would wait for the kernel that hangs; the process's end frees everything.
            std::mem::forget(self.segments.take());
            return;
        }
        for graph in std::mem::take(&mut self.graphs).into_iter().flatten() {
            graph.destroy(&self.devices);
        }
        for (address, pe) in std::mem::take(&mut self.allocations) {
            if self.enter(pe).is_ok() {
                // SAFETY: allocated by this backend and still in its table.
                unsafe { sys::cuMemFree_v2(address) };
            }
        }
        for on_pes in std::mem::take(&mut self.modules) {
            for (pe, loaded) in on_pes.iter().enumerate() {
                if self.enter(pe as u32).is_ok() {
                    loaded.unload();
                }
            }
        }
        self.segments = None;
        for device in &self.devices {
            device.close();
        }
    }
}
