//! A team: PEs with symmetric memory, modules made usable on them, and launches whose error words are read.
//!
//! Modules are best loaded before buffers are allocated: a module takes its workspace from the symmetric heap for good,
//! and what lies before it is not used again. Buffers are freed together ([`Team::free_buffers`]).

use std::path::Path;
use std::time::Duration;

use gicc_abi::heap::{
    BARRIER_ARRIVALS, BARRIER_EPOCHS, BUFFER_ALIGN, COLLECTIVE_EPOCHS, DEFAULT_COLLECTIVE_BLOCKS, GRID_COUNTER,
    PACKETS, PART_BYTES, PART_LINE, REGION_BYTES, WORKSPACE_BYTES, WORKSPACE_OFFSET,
};
use gicc_abi::layout::{Error, State};
use gicc_abi::manifest::Manifest;
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, STATE_SYMBOL};

use crate::backend::{Backend, Ended, GraphHandle, Heap, Launch, ModuleHandle};
use crate::device_error::{BARRIER, DeviceError, DeviceFailure};
use crate::error::HostError;
use crate::record::Record;

/// Bytes behind each buffer that nobody may write.
pub const GUARD_BYTES: u64 = 256;

/// What the guard bytes hold.
pub const GUARD: u8 = 0xD7;

/// Bounds of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Of a wait on the device.
    pub device: Duration,
    /// Of the host's wait for a launch.
    pub host: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        let device = Duration::from_secs(10);
        Bounds { device, host: Bounds::host_for(device) }
    }
}

impl Bounds {
    /// A bound for the host that gives the device's waits the time to report.
    pub fn host_for(device: Duration) -> Duration {
        device * 4 + Duration::from_secs(20)
    }
}

/// A buffer on every PE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name, for messages.
    pub name: String,
    /// Its address on each PE.
    pub addresses: Vec<u64>,
    /// Bytes.
    pub bytes: u64,
    /// Whether it lies in the symmetric heap.
    pub symmetric: bool,
}

/// A module that can be launched.
#[derive(Clone, Debug)]
pub struct Module {
    /// The backend's handle.
    pub handle: ModuleHandle,
    /// Its source, for messages.
    pub source: String,
    /// Its record.
    pub record: Record,
    /// Offset of its workspace in each segment.
    pub workspace_offset: u64,
    /// Bytes of its workspace, with what lies behind it for parts of the PEs.
    pub workspace_bytes: u64,
    /// Where that begins in the workspace.
    pub parts_offset: u64,
    /// Address of its error words on each PE.
    pub error_words: Vec<u64>,
}

/// PEs with symmetric memory.
pub struct Team {
    backend: Box<dyn Backend>,
    bounds: Bounds,
    modules: Vec<Module>,
    buffers: Vec<Buffer>,
    /// First free byte in each segment.
    free: u64,
    /// First byte behind the workspaces.
    buffers_start: u64,
    /// The most blocks of a launch that call collectives.
    collective_blocks: u32,
}

/// How a launch ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Time of PE 0's kernel on the device's clock, in microseconds, where there is one.
    pub microseconds: Option<f64>,
}

/// Launches that can be replayed; [`Team::discard`] forgets them.
#[derive(Clone, Debug)]
pub struct Graph {
    handle: GraphHandle,
    module: usize,
    /// Index of the launch in the description, for messages.
    index: usize,
    kernel: String,
}

impl Team {
    /// A team on a backend's machines.
    pub fn new(backend: Box<dyn Backend>, bounds: Bounds) -> Team {
        Team {
            backend,
            bounds,
            modules: Vec::new(),
            buffers: Vec::new(),
            free: WORKSPACE_OFFSET,
            buffers_start: WORKSPACE_OFFSET,
            collective_blocks: DEFAULT_COLLECTIVE_BLOCKS,
        }
    }

    /// Says how many blocks of a launch call collectives at most; modules that are loaded afterwards get room for so many.
    pub fn set_collective_blocks(&mut self, blocks: u32) {
        self.collective_blocks = blocks;
    }

    /// Number of PEs.
    pub fn n_pes(&self) -> u32 {
        self.backend.n_pes()
    }

    /// What the team runs on.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// What the team runs on, to be told something.
    pub(crate) fn backend_mut(&mut self) -> &mut dyn Backend {
        &mut *self.backend
    }

    /// The modules, in the order in which they were loaded.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The symmetric heap.
    pub fn heap(&self) -> Heap {
        self.backend.heap()
    }

    /// Bytes of a segment that a module with the default workspace and buffers of these sizes need.
    pub fn segment_bytes(workspace: u64, buffers: impl IntoIterator<Item = u64>) -> u64 {
        let workspace = workspace.max(WORKSPACE_BYTES).next_multiple_of(BUFFER_ALIGN);
        buffers.into_iter().fold(WORKSPACE_OFFSET + workspace, |at, bytes| at.saturating_add(with_guard(bytes)))
    }

    /// Loads a compiled folder's module on every PE and makes it usable: its record is checked, its workspace zeroed, and
    /// its state written.
    pub fn load(&mut self, folder: &Path, manifest: &Manifest) -> Result<usize, HostError> {
        if manifest.abi_version != ABI_VERSION {
            let error = crate::record::RecordError::Version { found: manifest.abi_version };
            return Err(HostError::Record { source_name: manifest.source.clone(), error });
        }
        let handle = self.backend.load(folder, manifest)?;
        self.init(handle, &manifest.source)
    }

    /// Makes modules that somebody else loaded, one a PE, usable in the same way. `source` names them in messages.
    pub fn adopt(&mut self, modules: &[*mut std::ffi::c_void], source: &str) -> Result<usize, HostError> {
        let handle = self.backend.adopt(modules)?;
        self.init(handle, source)
    }

    fn init(&mut self, handle: ModuleHandle, source: &str) -> Result<usize, HostError> {
        let refuse = |error| HostError::Record { source_name: source.to_owned(), error };
        let record = self.record(handle, 0)?.map_err(refuse)?;
        for module in &self.modules {
            record.agrees_with(&module.record, &module.source).map_err(refuse)?;
        }
        if let Some(channel) = record.with_packets()
            && let Some((from, to)) = self.backend.without_wide_words()
        {
            return Err(HostError::NoPackets {
                source_name: source.to_owned(),
                channel: if channel.name.is_empty() {
                    "a channel".into()
                } else {
                    format!("channel `{}`", channel.name)
                },
                from,
                to,
            });
        }
        let regions = u64::from(self.n_pes()) * u64::from(self.collective_blocks);
        let packets = record.module.region_bytes.saturating_mul(regions);
        // What is for parts of the PEs lies behind what the state tells of.
        let parts_offset = record.module.workspace_bytes.max(WORKSPACE_BYTES).saturating_add(packets);
        let parts = record.module.part_bytes.saturating_mul(regions);
        let workspace_bytes = parts_offset.saturating_add(parts);
        let workspace_offset = self.take("the workspace", workspace_bytes.next_multiple_of(BUFFER_ALIGN))?;
        self.buffers_start = self.free;
        let heap = self.backend.heap();
        let words = u64::from(record.module.error_words.max(1)) * size_of::<Error>() as u64;
        let mut error_words = Vec::new();
        for pe in 0..self.n_pes() {
            let error = self.backend.allocate(pe, words, "gicc error words")?;
            error_words.push(error);
            let state = State {
                abi_version: ABI_VERSION,
                my_pe: pe as i32,
                n_pes: self.n_pes() as i32,
                flags: 0,
                heap_base: heap.base,
                heap_stride: heap.stride,
                heap_bytes: heap.bytes,
                workspace_offset,
                workspace_bytes: parts_offset,
                error,
                timeout_ns: self.bounds.device.as_nanos().try_into().unwrap_or(u64::MAX),
            };
            // A module without communication does not read the state, and then the variable is gone.
            if let Some((address, bytes)) = self.backend.symbol(handle, pe, STATE_SYMBOL)? {
                let state = state.to_bytes();
                if bytes < state.len() as u64 {
                    return Err(HostError::Misuse(format!(
                        "`{STATE_SYMBOL}` of {source} has {bytes} bytes instead of {}; compile the source again",
                        state.len()
                    )));
                }
                self.backend.write(pe, address, &state)?;
            }
        }
        let source = source.to_owned();
        self.modules.push(Module {
            handle,
            source,
            record,
            workspace_offset,
            workspace_bytes,
            parts_offset,
            error_words,
        });
        let index = self.modules.len() - 1;
        self.name_workspace(index);
        self.reset_module(index)?;
        Ok(index)
    }

    fn name_workspace(&mut self, module: usize) {
        let Some(m) = self.modules.get(module) else { return };
        let (offset, bytes, heap) = (m.workspace_offset, m.workspace_bytes, self.backend.heap());
        for pe in 0..self.n_pes() {
            let address = heap.base + u64::from(pe) * heap.stride + offset;
            self.backend.name_range(pe, address, bytes, "gicc workspace");
        }
    }

    fn record(&self, handle: ModuleHandle, pe: u32) -> Result<Result<Record, crate::record::RecordError>, HostError> {
        let Some((address, bytes)) = self.backend.symbol(handle, pe, MODULE_RECORD_SYMBOL)? else {
            return Ok(Err(crate::record::RecordError::Missing));
        };
        let mut contents = vec![0; bytes as usize];
        self.backend.read(pe, address, &mut contents)?;
        Ok(Record::parse(&contents))
    }

    /// Zeroes a module's workspace and error words: done once at load, and again after a launch that failed, since that
    /// leaves the workspace in no defined state.
    pub fn reset_module(&mut self, module: usize) -> Result<(), HostError> {
        let heap = self.backend.heap();
        for pe in 0..self.n_pes() {
            let m = self.module(module)?;
            let (address, bytes) = (heap.base + u64::from(pe) * heap.stride + m.workspace_offset, m.workspace_bytes);
            self.backend.write(pe, address, &vec![0; bytes as usize])?;
        }
        self.clear_error_words(module)
    }

    fn module(&self, module: usize) -> Result<&Module, HostError> {
        self.modules.get(module).ok_or_else(|| HostError::Misuse(format!("there is no module {module}")))
    }

    /// Clears a module's error words; every launch of [`Team::launch`] begins with it.
    pub fn clear_error_words(&mut self, module: usize) -> Result<(), HostError> {
        let m = self.module(module)?;
        let zero = vec![0; m.record.module.error_words.max(1) as usize * size_of::<Error>()];
        for (pe, address) in m.error_words.clone().into_iter().enumerate() {
            self.backend.write(pe as u32, address, &zero)?;
        }
        Ok(())
    }

    /// Takes bytes at the same offset of every segment.
    fn take(&mut self, name: &str, bytes: u64) -> Result<u64, HostError> {
        let heap = self.backend.heap().bytes;
        let left = heap.saturating_sub(self.free);
        if bytes > left {
            return Err(HostError::HeapFull { name: name.to_owned(), bytes, left, heap });
        }
        let at = self.free;
        self.free += bytes;
        Ok(at)
    }

    /// A buffer at the same offset of the symmetric heap on every PE, aligned to 256 bytes and followed by guard bytes.
    pub fn allocate_symmetric(&mut self, name: &str, bytes: u64) -> Result<Buffer, HostError> {
        let offset = self.take(name, with_guard(bytes))?;
        let heap = self.backend.heap();
        let addresses: Vec<u64> =
            (0..self.n_pes()).map(|pe| heap.base + u64::from(pe) * heap.stride + offset).collect();
        for (pe, address) in addresses.iter().enumerate() {
            self.backend.name_range(pe as u32, *address, bytes, name);
        }
        self.add(Buffer { name: name.to_owned(), addresses, bytes, symmetric: true })
    }

    /// The multicast address of a symmetric buffer.
    pub fn multicast(&self, buffer: &Buffer) -> Result<u64, HostError> {
        match buffer.addresses.first().filter(|_| buffer.symmetric) {
            Some(&address) => self.backend.multicast(address),
            None => Err(HostError::Misuse(format!("buffer `{}` is not symmetric", buffer.name))),
        }
    }

    /// A buffer in each PE's own memory, aligned to 256 bytes and followed by guard bytes.
    pub fn allocate_local(&mut self, name: &str, bytes: u64) -> Result<Buffer, HostError> {
        let mut buffer = Buffer { name: name.to_owned(), addresses: Vec::new(), bytes, symmetric: false };
        for pe in 0..self.n_pes() {
            let whole = if self.backend.checks_bounds() { bytes } else { with_guard(bytes) };
            match self.backend.allocate(pe, whole, name) {
                Ok(address) => buffer.addresses.push(address),
                Err(e) => {
                    for (pe, address) in buffer.addresses.iter().enumerate() {
                        self.backend.free(pe as u32, *address)?;
                    }
                    return Err(e);
                }
            }
        }
        self.add(buffer)
    }

    fn add(&mut self, buffer: Buffer) -> Result<Buffer, HostError> {
        self.buffers.push(buffer.clone());
        if self.backend.checks_bounds() {
            return Ok(buffer);
        }
        let guard = vec![GUARD; (with_guard(buffer.bytes) - buffer.bytes) as usize];
        for (pe, address) in buffer.addresses.iter().enumerate() {
            self.backend.write(pe as u32, address + buffer.bytes, &guard)?;
        }
        Ok(buffer)
    }

    /// Frees all buffers.
    pub fn free_buffers(&mut self) -> Result<(), HostError> {
        for buffer in std::mem::take(&mut self.buffers) {
            if !buffer.symmetric {
                for (pe, address) in buffer.addresses.iter().enumerate() {
                    self.backend.free(pe as u32, *address)?;
                }
            }
        }
        self.free = self.buffers_start;
        self.backend.forget_names();
        for module in 0..self.modules.len() {
            self.name_workspace(module);
        }
        Ok(())
    }

    /// Copies to the start of a buffer on a PE.
    pub fn write(&mut self, buffer: &Buffer, pe: u32, bytes: &[u8]) -> Result<(), HostError> {
        let address = self.address(buffer, pe, bytes.len())?;
        self.backend.write(pe, address, bytes)
    }

    /// Copies from the start of a buffer on a PE.
    pub fn read(&self, buffer: &Buffer, pe: u32, bytes: &mut [u8]) -> Result<(), HostError> {
        let address = self.address(buffer, pe, bytes.len())?;
        self.backend.read(pe, address, bytes)
    }

    fn address(&self, buffer: &Buffer, pe: u32, bytes: usize) -> Result<u64, HostError> {
        let address = buffer.addresses.get(pe as usize).filter(|_| bytes as u64 <= buffer.bytes);
        address
            .copied()
            .ok_or_else(|| HostError::Misuse(format!("{bytes} bytes of buffer `{}` on PE {pe}", buffer.name)))
    }

    /// Buffers, with a PE, behind which guard bytes were changed, and how many bytes behind the end the first change lies.
    pub fn broken_guards(&self) -> Result<Vec<(String, u32, u64)>, HostError> {
        let mut broken = Vec::new();
        if self.backend.checks_bounds() {
            return Ok(broken);
        }
        for buffer in &self.buffers {
            let mut guard = vec![0; (with_guard(buffer.bytes) - buffer.bytes) as usize];
            for (pe, address) in buffer.addresses.iter().enumerate() {
                self.backend.read(pe as u32, address + buffer.bytes, &mut guard)?;
                if let Some(at) = guard.iter().position(|b| *b != GUARD) {
                    broken.push((buffer.name.clone(), pe as u32, at as u64));
                }
            }
        }
        Ok(broken)
    }

    /// Launches on all PEs at once and waits. `index` and `kernel` are for messages. After an error word the module is
    /// reset, so that it can be launched again.
    pub fn launch(
        &mut self,
        module: usize,
        index: usize,
        kernel: &str,
        launches: &[Launch<'_>],
    ) -> Result<Timing, HostError> {
        self.clear_error_words(module)?;
        let handle = self.module(module)?.handle;
        self.check_resident(module, kernel, launches)?;
        let ended = self.backend.launch(handle, launches, self.bounds.host)?;
        self.finish(module, index, kernel, ended)
    }

    /// Records launches, to be replayed at once: those of one PE follow each other in the order given. `index` and `kernel`
    /// are for messages.
    pub fn record_launches(
        &mut self,
        module: usize,
        index: usize,
        kernel: &str,
        launches: &[Launch<'_>],
    ) -> Result<Graph, HostError> {
        self.check_resident(module, kernel, launches)?;
        let handle = self.backend.record(self.module(module)?.handle, launches)?;
        Ok(Graph { handle, module, index, kernel: kernel.to_owned() })
    }

    /// Starts recorded launches on all PEs and waits; otherwise as [`Team::launch`]. The time is of all of PE 0's launches.
    pub fn replay(&mut self, graph: &Graph) -> Result<Timing, HostError> {
        self.clear_error_words(graph.module)?;
        let ended = self.backend.replay(graph.handle, self.bounds.host)?;
        self.finish(graph.module, graph.index, &graph.kernel, ended)
    }

    /// Forgets recorded launches.
    pub fn discard(&mut self, graph: Graph) {
        self.backend.discard(graph.handle);
    }

    /// Whether all blocks of launches are resident at once, where the module's kernels rely on it.
    fn check_resident(&self, module: usize, kernel: &str, launches: &[Launch<'_>]) -> Result<(), HostError> {
        let m = self.module(module)?;
        let handle = m.handle;
        if m.record.module.co_resident != 0 {
            for launch in launches {
                let asked = launch.grid.iter().map(|n| u64::from(*n)).product();
                if let Some(fit) = self.backend.resident_blocks(handle, launch)?
                    && asked > fit
                {
                    return Err(HostError::NotResident { kernel: kernel.to_owned(), asked, fit });
                }
            }
        }
        Ok(())
    }

    /// What became of kernels that were started: their error words, and their time.
    fn finish(&mut self, module: usize, index: usize, kernel: &str, ended: Ended) -> Result<Timing, HostError> {
        let microseconds = match ended {
            Ended::All { microseconds } => microseconds,
            Ended::Running(running) => {
                let kernel = kernel.to_owned();
                return Err(HostError::Hang { launch: index, kernel, waited: self.bounds.host, running });
            }
        };
        let errors = self.device_errors(module)?;
        if errors.is_empty() {
            Ok(Timing { microseconds })
        } else {
            self.reset_module(module)?;
            Err(HostError::Device(DeviceFailure { launch: index, kernel: kernel.to_owned(), errors }))
        }
    }

    /// What the error words of a module say.
    pub fn device_errors(&self, module: usize) -> Result<Vec<DeviceError>, HostError> {
        let m = self.module(module)?;
        let mut errors = Vec::new();
        for (pe, address) in m.error_words.iter().enumerate() {
            let mut bytes = vec![0; size_of::<Error>()];
            self.backend.read(pe as u32, *address, &mut bytes)?;
            if let Some(word) = Error::from_bytes(&bytes).filter(|w| w.code != 0) {
                let place = self.place(word.address, word.pe);
                errors.push(DeviceError::new(&word, place, self.bounds.device));
            }
        }
        Ok(errors)
    }

    /// What lies at an address that PE `pe` used.
    pub fn place(&self, address: u64, pe: i32) -> String {
        let heap = self.backend.heap();
        let owner = address.checked_sub(heap.base).map(|distance| distance / heap.stride.max(1));
        let owner = owner.filter(|owner| *owner < self.n_pes().into());
        let of = match owner {
            Some(owner) if owner as i64 != i64::from(pe) => format!(" of PE {owner}"),
            _ => String::new(),
        };
        let offset = |by: u64| if by == 0 { String::new() } else { format!("+{by}") };
        for buffer in &self.buffers {
            for (at_pe, start) in buffer.addresses.iter().enumerate() {
                if (*start..*start + buffer.bytes.max(1)).contains(&address) {
                    let local = if buffer.symmetric { of.clone() } else { format!(" of PE {at_pe}'s own memory") };
                    return format!("`{}`{}{local}", buffer.name, offset(address - start));
                }
            }
        }
        let Some(owner) = owner else { return format!("address {address:#x}") };
        let inside = address - heap.base - owner * heap.stride;
        for m in &self.modules {
            if (m.workspace_offset..m.workspace_offset + m.workspace_bytes).contains(&inside) {
                return match inside - m.workspace_offset {
                    at if at < GRID_COUNTER => {
                        format!("{BARRIER} block {}{of}", barrier_block(at, self.n_pes().into()))
                    }
                    at if at < COLLECTIVE_EPOCHS => format!("the counter of the grid{of}"),
                    at if at >= m.parts_offset => {
                        format!("{}{of}", place_in_parts(at - m.parts_offset, self.n_pes().into()))
                    }
                    at if at >= PACKETS && m.record.module.region_bytes > 0 => {
                        let region = (at - PACKETS) / m.record.module.region_bytes;
                        let (block, source) = (region / u64::from(self.n_pes()), region % u64::from(self.n_pes()));
                        format!("the packets of block {block} from PE {source}{of}")
                    }
                    at => format!("the workspace+{at}{of}"),
                };
            }
        }
        let before = self.buffers.iter().filter(|b| b.symmetric).filter_map(|b| {
            let start = b.addresses.get(owner as usize)?;
            (*start <= address).then_some((*start, b))
        });
        match before.max_by_key(|(start, _)| *start) {
            Some((start, b)) => format!("`{}`+{}{of}, behind its {} bytes", b.name, address - start, b.bytes),
            None => format!("address {address:#x}{of}"),
        }
    }
}

/// The block whose barrier uses a place of the workspace: it has a word of each PE, and one of its epoch.
fn barrier_block(at: u64, n_pes: u64) -> u64 {
    match at.checked_sub(BARRIER_EPOCHS) {
        Some(epoch) => epoch / 8,
        None => at.saturating_sub(BARRIER_ARRIVALS) / 8 / n_pes.max(1),
    }
}

/// What lies at a place of the memory for parts of the PEs.
fn place_in_parts(at: u64, n_pes: u64) -> String {
    let n_pes = n_pes.max(1);
    let (block, inside) = (at / (PART_BYTES * n_pes), at % (PART_BYTES * n_pes));
    let line = PART_LINE * n_pes;
    if inside < line {
        format!("the epochs of block {block}")
    } else if inside < 2 * line {
        format!("{BARRIER} a part's block {block}")
    } else {
        format!("the packets of a part's block {block} from PE {}", (inside - 2 * line) / REGION_BYTES)
    }
}

/// Bytes of a buffer with its guard, so that what follows is aligned.
fn with_guard(bytes: u64) -> u64 {
    bytes.saturating_add(GUARD_BYTES).checked_next_multiple_of(BUFFER_ALIGN).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_parts_are_found() {
        let block = |n| PART_BYTES * 3 * n;
        assert_eq!(place_in_parts(block(2) + 8, 3), "the epochs of block 2");
        assert_eq!(place_in_parts(block(1) + 3 * PART_LINE + 16, 3), "the barrier of a part's block 1");
        let packets = 6 * PART_LINE;
        assert_eq!(place_in_parts(packets, 3), "the packets of a part's block 0 from PE 0");
        assert_eq!(place_in_parts(block(1) - 1, 3), "the packets of a part's block 0 from PE 2");
        assert_eq!(place_in_parts(block(1) + packets + REGION_BYTES, 3), "the packets of a part's block 1 from PE 1");
    }

    #[test]
    fn the_block_of_a_barrier_is_found_from_its_words() {
        for n_pes in [1, 2, 3, 4, 8, 72] {
            for block in [0, 1, 3, 14] {
                for pe in 0..n_pes {
                    let word = BARRIER_ARRIVALS + 8 * (block * n_pes + pe);
                    assert_eq!(barrier_block(word, n_pes), block, "word of PE {pe} of {n_pes}");
                }
                assert_eq!(barrier_block(BARRIER_EPOCHS + 8 * block, n_pes), block);
            }
        }
    }
}
