//! A backend for tests: memory in vectors, kernels as closures.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use gicc_abi::layout::{Error, ModuleRecord, State};
use gicc_abi::manifest::Manifest;
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, STATE_SYMBOL};

use super::{Backend, Ended, GraphHandle, Heap, Launch, ModuleHandle};
use crate::error::HostError;

/// What a kernel sees of one PE.
pub(crate) struct Device<'a> {
    memory: &'a mut BTreeMap<u64, Vec<u8>>,
    /// The state that the host wrote.
    pub(crate) state: State,
    /// The parameters, packed.
    pub(crate) parameters: Vec<u8>,
}

impl Device<'_> {
    /// The 64-bit parameter at an offset.
    pub(crate) fn parameter(&self, offset: usize) -> u64 {
        u64::from_le_bytes(self.parameters[offset..offset + 8].try_into().expect("eight bytes"))
    }
    pub(crate) fn store(&mut self, address: u64, bytes: &[u8]) {
        let target = find_mut(self.memory, address, bytes.len()).expect("an address of an allocation");
        target.copy_from_slice(bytes);
    }
    pub(crate) fn load(&self, address: u64, bytes: usize) -> Vec<u8> {
        find(self.memory, address, bytes).expect("an address of an allocation").to_vec()
    }
    /// Writes the error word.
    pub(crate) fn fail(&mut self, error: Error) {
        let bytes = Error { pe: self.state.my_pe, claimed: 1, ..error }.to_bytes();
        self.store(self.state.error, &bytes);
    }
}

/// What a launch does on one PE.
pub(crate) type Kernel = Rc<dyn Fn(&mut Device<'_>)>;

/// The backend.
pub(crate) struct Fake {
    n_pes: u32,
    heap: Heap,
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    kernels: BTreeMap<String, Kernel>,
    /// Recorded launches: PE, symbol and parameters.
    graphs: Vec<Vec<(u32, String, Vec<u8>)>>,
    pub(crate) record: ModuleRecord,
    /// What follows the record, with how many channels that is, of the modules that are loaded one after the other.
    pub(crate) channels: std::collections::VecDeque<(u32, Vec<u8>)>,
    pub(crate) without_wide_words: Option<(u32, u32)>,
    pub(crate) resident: Option<u64>,
    pub(crate) hangs: bool,
}

const SEGMENTS: u64 = 0x10_0000_0000;
const STATES: u64 = 0x1000;
const RECORD: u64 = 0x100_0000;
const LOCAL: u64 = 0x1_0000_0000;

impl Fake {
    pub(crate) fn new(n_pes: u32, heap_bytes: u64, kernels: &[(&str, Kernel)]) -> Fake {
        let stride = heap_bytes.next_multiple_of(1 << 21);
        let mut memory = BTreeMap::new();
        for pe in 0..u64::from(n_pes) {
            memory.insert(SEGMENTS + pe * stride, vec![0xEE; stride as usize]);
            memory.insert(STATES + 256 * pe, vec![0; size_of::<State>()]);
        }
        memory.insert(RECORD, vec![0; size_of::<ModuleRecord>()]);
        Fake {
            n_pes,
            heap: Heap { base: SEGMENTS, stride, bytes: stride },
            memory,
            next: LOCAL,
            kernels: kernels.iter().map(|(n, k)| ((*n).to_owned(), k.clone())).collect(),
            graphs: Vec::new(),
            record: ModuleRecord {
                magic: ModuleRecord::MAGIC,
                abi_version: ABI_VERSION,
                record_bytes: size_of::<ModuleRecord>() as u32,
                error_words: 1,
                ..ModuleRecord::default()
            },
            channels: Default::default(),
            without_wide_words: None,
            resident: None,
            hangs: false,
        }
    }
}

impl Fake {
    fn call(&mut self, pe: u32, symbol: &str, parameters: Vec<u8>) {
        let state = find(&self.memory, STATES + 256 * u64::from(pe), size_of::<State>()).and_then(State::from_bytes);
        let kernel = self.kernels[symbol].clone();
        kernel(&mut Device { memory: &mut self.memory, state: state.expect("the state"), parameters });
    }
}

fn find(memory: &BTreeMap<u64, Vec<u8>>, address: u64, bytes: usize) -> Option<&[u8]> {
    let (start, contents) = memory.range(..=address).next_back()?;
    let at = (address - start) as usize;
    contents.get(at..at + bytes)
}

fn find_mut(memory: &mut BTreeMap<u64, Vec<u8>>, address: u64, bytes: usize) -> Option<&mut [u8]> {
    let (start, contents) = memory.range_mut(..=address).next_back()?;
    let at = (address - start) as usize;
    contents.get_mut(at..at + bytes)
}

impl Backend for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn describe(&self) -> Vec<String> {
        vec!["a machine for tests".into()]
    }
    fn n_pes(&self) -> u32 {
        self.n_pes
    }
    fn heap(&self) -> Heap {
        self.heap
    }
    fn allocate(&mut self, _pe: u32, bytes: u64, _name: &str) -> Result<u64, HostError> {
        let at = self.next;
        self.next += bytes.next_multiple_of(256) + 256;
        self.memory.insert(at, vec![0xEE; bytes as usize]);
        Ok(at)
    }
    fn free(&mut self, _pe: u32, address: u64) -> Result<(), HostError> {
        self.memory.remove(&address).map(|_| ()).ok_or_else(|| HostError::Misuse("freed twice".into()))
    }
    fn write(&mut self, _pe: u32, address: u64, bytes: &[u8]) -> Result<(), HostError> {
        let target = find_mut(&mut self.memory, address, bytes.len());
        target.ok_or_else(|| HostError::Misuse("write outside".into()))?.copy_from_slice(bytes);
        Ok(())
    }
    fn read(&self, _pe: u32, address: u64, bytes: &mut [u8]) -> Result<(), HostError> {
        let source = find(&self.memory, address, bytes.len());
        bytes.copy_from_slice(source.ok_or_else(|| HostError::Misuse("read outside".into()))?);
        Ok(())
    }
    fn without_wide_words(&self) -> Option<(u32, u32)> {
        self.without_wide_words
    }
    fn load(&mut self, _folder: &Path, _manifest: &Manifest) -> Result<ModuleHandle, HostError> {
        let (channels, bytes) = self.channels.pop_front().unwrap_or_default();
        let record_bytes = self.record.record_bytes + bytes.len() as u32;
        let mut record = ModuleRecord { channels, record_bytes, ..self.record }.to_bytes();
        record.extend(bytes);
        self.memory.insert(RECORD, record);
        Ok(ModuleHandle(0))
    }
    fn symbol(&self, _module: ModuleHandle, pe: u32, name: &str) -> Result<Option<(u64, u64)>, HostError> {
        Ok(match name {
            STATE_SYMBOL => Some((STATES + 256 * u64::from(pe), size_of::<State>() as u64)),
            MODULE_RECORD_SYMBOL if self.record.magic != 0 => Some((RECORD, self.memory[&RECORD].len() as u64)),
            _ => None,
        })
    }
    fn resident_blocks(&self, _module: ModuleHandle, _launch: &Launch<'_>) -> Result<Option<u64>, HostError> {
        Ok(self.resident)
    }
    fn launch(&mut self, _module: ModuleHandle, launches: &[Launch<'_>], _bound: Duration) -> Result<Ended, HostError> {
        if self.hangs {
            return Ok(Ended::Running(launches.iter().map(|l| l.pe).collect()));
        }
        for l in launches {
            self.call(l.pe, l.symbol, l.parameters.clone());
        }
        Ok(Ended::All { microseconds: Some(1.0) })
    }
    fn record(&mut self, _module: ModuleHandle, launches: &[Launch<'_>]) -> Result<GraphHandle, HostError> {
        self.graphs.push(launches.iter().map(|l| (l.pe, l.symbol.to_owned(), l.parameters.clone())).collect());
        Ok(GraphHandle(self.graphs.len() - 1))
    }
    fn replay(&mut self, graph: GraphHandle, _bound: Duration) -> Result<Ended, HostError> {
        let launches = self.graphs[graph.0].clone();
        let of_pe_0 = launches.iter().filter(|(pe, ..)| *pe == 0).count();
        for (pe, symbol, parameters) in launches {
            self.call(pe, &symbol, parameters);
        }
        Ok(Ended::All { microseconds: Some(of_pe_0 as f64) })
    }
    fn discard(&mut self, graph: GraphHandle) {
        assert!(!std::mem::take(&mut self.graphs[graph.0]).is_empty(), "forgotten once");
    }
}
