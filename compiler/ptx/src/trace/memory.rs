//! The memory that a traced kernel sees, and how its addresses are laid out.
//!
//! Global memory belongs to the caller: a [`Memory`]. Shared, local, parameter and constant memory are kept by the
//! executor; their generic addresses lie in windows of their own.

use crate::meaning::Access;
use crate::span::Span;
use crate::types::StateSpace;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// Where variables of the module in global memory lie unless the launch says otherwise.
pub const GLOBAL_BASE: u64 = 0x0000_6000_0000_0000;
/// Window of shared memory.
pub const SHARED_BASE: u64 = 0x0000_7100_0000_0000;
/// Window of local memory.
pub const LOCAL_BASE: u64 = 0x0000_7200_0000_0000;
/// Window of parameters.
pub const PARAM_BASE: u64 = 0x0000_7300_0000_0000;
/// Window of constant memory.
pub const CONST_BASE: u64 = 0x0000_7400_0000_0000;
/// Addresses of functions.
pub const FUNCTION_BASE: u64 = 0x0000_7500_0000_0000;
/// Size of each window.
pub const WINDOW: u64 = 0x0000_0100_0000_0000;

/// A place in memory: the state space that it lies in, and the address. A global address is a generic one; in other
/// spaces the address counts from the beginning of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// `Global`, `Shared`, `Local`, `Param` or `Const`.
    pub space: StateSpace,
    /// The address in it.
    pub address: u64,
}

impl Place {
    /// From a generic address.
    pub fn of_generic(address: u64) -> Place {
        let windows = [
            (SHARED_BASE, StateSpace::Shared),
            (LOCAL_BASE, StateSpace::Local),
            (PARAM_BASE, StateSpace::Param),
            (CONST_BASE, StateSpace::Const),
        ];
        windows.into_iter().find(|(base, _)| (*base..base + WINDOW).contains(&address)).map_or(
            Place { space: StateSpace::Global, address },
            |(base, space)| Place { space, address: address - base },
        )
    }

    /// From an address in a written state space.
    pub fn new(space: StateSpace, address: u64) -> Place {
        match space {
            StateSpace::Generic => Place::of_generic(address),
            _ if space.is_shared_cta() || space == StateSpace::SharedCluster => {
                Place { space: StateSpace::Shared, address }
            }
            _ if space.is_param() => Place { space: StateSpace::Param, address },
            space => Place { space, address },
        }
    }

    /// The generic address.
    pub fn generic(self) -> u64 {
        self.address.wrapping_add(window(self.space))
    }
}

/// The beginning of a space's window; 0 for global memory.
pub(super) fn window(space: StateSpace) -> u64 {
    match space {
        StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => SHARED_BASE,
        StateSpace::Local => LOCAL_BASE,
        StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc => PARAM_BASE,
        StateSpace::Const => CONST_BASE,
        _ => 0,
    }
}

/// One scalar access to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The thread, as its linear index in the block.
    pub thread: u32,
    /// The address.
    pub address: u64,
    /// Bytes of this scalar.
    pub width: u32,
    /// Which scalar of a vector access.
    pub lane: u32,
    /// What the instruction means; nothing for the bytes of an asynchronous copy.
    pub access: Option<Access>,
    /// The statement.
    pub span: Span,
}

/// The memory refused an access.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason} (address {address:#x}, {width} bytes)")]
pub struct MemoryFault {
    /// Why.
    pub reason: String,
    /// The address.
    pub address: u64,
    /// The bytes.
    pub width: u32,
}

/// Global memory, as the caller wants it to be.
pub trait Memory {
    /// The value that a load reads.
    fn load(&mut self, request: &Request) -> Result<u128, MemoryFault>;

    /// A store.
    fn store(&mut self, request: &Request, value: u128) -> Result<(), MemoryFault>;

    /// A read-modify-write: returns what was there.
    fn update(&mut self, request: &Request, new: &mut dyn FnMut(u128) -> u128) -> Result<u128, MemoryFault> {
        let old = self.load(request)?;
        self.store(request, new(old))?;
        Ok(old)
    }
}

/// A small memory of bytes, with loads that can be forced to a value.
#[derive(Clone, Debug, Default)]
pub struct ConcreteMemory {
    regions: BTreeMap<u64, Vec<u8>>,
    forced: BTreeMap<u64, VecDeque<u128>>,
}

impl ConcreteMemory {
    /// An empty memory: every access faults until there is a region.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a region with contents. Regions must not overlap.
    pub fn region(&mut self, address: u64, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.regions.insert(address, bytes.into());
        self
    }

    /// Forces the next loads from the address to these values, one after the other, whatever is stored there. The last
    /// value stays: a poll that must end with 5 after two other values is `[0, 4, 5]`. Atomics are not forced.
    pub fn force(&mut self, address: u64, values: impl IntoIterator<Item = u128>) -> &mut Self {
        self.forced.insert(address, values.into_iter().collect());
        self
    }

    /// The bytes there, if one region holds them all.
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (base, bytes) = self.regions.range(..=address).next_back()?;
        let start = usize::try_from(address - base).ok()?;
        bytes.get(start..start.checked_add(length)?)
    }

    fn slot(&mut self, request: &Request) -> Result<&mut [u8], MemoryFault> {
        let fault =
            || MemoryFault { reason: "no memory there".to_owned(), address: request.address, width: request.width };
        let (base, bytes) = self.regions.range_mut(..=request.address).next_back().ok_or_else(fault)?;
        let start = usize::try_from(request.address - base).map_err(|_| fault())?;
        let end = start.checked_add(request.width as usize).ok_or_else(fault)?;
        bytes.get_mut(start..end).ok_or_else(fault)
    }

    fn refuse_multimem(request: &Request) -> Result<(), MemoryFault> {
        use crate::meaning::AccessKind::{MultimemLoad, MultimemReduce, MultimemStore};
        match request.access.map(|access| access.kind) {
            Some(MultimemLoad { .. } | MultimemStore | MultimemReduce { .. }) => Err(MemoryFault {
                reason: "this memory has no multimem addresses".to_owned(),
                address: request.address,
                width: request.width,
            }),
            _ => Ok(()),
        }
    }
}

impl Memory for ConcreteMemory {
    fn load(&mut self, request: &Request) -> Result<u128, MemoryFault> {
        Self::refuse_multimem(request)?;
        let stored = from_bytes(self.slot(request)?);
        match self.forced.get_mut(&request.address) {
            Some(values) if values.len() > 1 => Ok(values.pop_front().unwrap_or(stored)),
            Some(values) => Ok(values.front().copied().unwrap_or(stored)),
            None => Ok(stored),
        }
    }

    fn store(&mut self, request: &Request, value: u128) -> Result<(), MemoryFault> {
        Self::refuse_multimem(request)?;
        to_bytes(value, self.slot(request)?);
        Ok(())
    }

    fn update(&mut self, request: &Request, new: &mut dyn FnMut(u128) -> u128) -> Result<u128, MemoryFault> {
        Self::refuse_multimem(request)?;
        let slot = self.slot(request)?;
        let old = from_bytes(slot);
        to_bytes(new(old), slot);
        Ok(old)
    }
}

/// A little-endian number of up to 16 bytes.
pub(super) fn from_bytes(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// Writes a little-endian number.
pub(super) fn to_bytes(value: u128, bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (value >> (8 * i)) as u8;
    }
}
