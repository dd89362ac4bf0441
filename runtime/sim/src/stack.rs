//! Stacks of threads, cut out of large slabs: one mapping for hundreds of stacks, since the number of mappings is limited.
//! There are no guard pages; the program checks at each function's start that its frame fits. The check runs when the frame
//! has been taken already, so below each stack there is room for the largest frame, where the check may stop the thread.

use std::num::NonZeroUsize;

use corosensei::stack::{Stack, StackPointer};
use gicc_abi::sim::{MAX_LOCAL_BYTES, Stack as Need};

use crate::memory::Mapping;

/// Stacks of a slab.
const STACKS_PER_SLAB: usize = 256;

/// What the simulator itself may use of a stack below the program's frames.
pub(crate) const RESERVE: u64 = 16 << 10;

/// Positions of a stack's top in its room, and their distance: a tenth of the smallest stack at most.
const COLOURS: usize = 32;
const COLOUR_BYTES: usize = 128;

/// A stack of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PooledStack {
    base: NonZeroUsize,
    limit: NonZeroUsize,
}

// SAFETY: the memory belongs to a slab that lives as long as its pool, and a stack is handed out once at a time. Instead of
// a guard page, programs check their frames, see the head of this file.
unsafe impl Stack for PooledStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.limit
    }
}

impl PooledStack {
    /// Lowest and one past the highest address.
    pub(crate) fn range(self) -> (u64, u64) {
        (self.limit.get() as u64, self.base.get() as u64)
    }
}

/// Stacks that are free, and the memory of all.
pub(crate) struct StackPool {
    bytes: usize,
    /// Room below each stack.
    below: usize,
    slabs: Vec<Mapping>,
    free: Vec<PooledStack>,
}

impl StackPool {
    /// Stacks of this size.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { bytes: bytes.next_multiple_of(4096), below: 0, slabs: Vec::new(), free: Vec::new() }
    }

    /// Makes later stacks large enough for programs with these needs above a size that all have. No stack is handed out.
    pub(crate) fn fit(&mut self, bytes: usize, needs: impl Iterator<Item = Need>) {
        let all = needs
            .fold(Need::default(), |a, b| Need { frames: a.frames.max(b.frames), largest: a.largest.max(b.largest) });
        // What is inlined twice has its variables twice; no thread needs more than a GPU would give it.
        let (frames, largest) = (all.frames.min(MAX_LOCAL_BYTES), all.largest);
        let bytes = (bytes + frames as usize).next_multiple_of(4096);
        // The caller of the function that checks may have gone past the limit by its own frame.
        let below = (2 * largest + RESERVE).next_multiple_of(4096) as usize;
        if bytes > self.bytes || below > self.below {
            *self = Self {
                bytes: bytes.max(self.bytes),
                below: below.max(self.below),
                slabs: Vec::new(),
                free: Vec::new(),
            };
        }
    }

    /// A stack, or nothing where the host gives no memory.
    pub(crate) fn take(&mut self) -> Option<PooledStack> {
        if self.free.is_empty() {
            let room = self.bytes + self.below;
            let slab = Mapping::new((room * STACKS_PER_SLAB) as u64, 4096)?;
            slab.small_pages();
            let start = slab.address() as usize;
            // The last one first, so that stacks are taken in the order of their addresses.
            for number in (0..STACKS_PER_SLAB).rev() {
                let limit = NonZeroUsize::new(start + number * room + self.below)?;
                // Tops at equal distances would all fall into the same sets of the caches.
                let shift = number % COLOURS * COLOUR_BYTES;
                let base = NonZeroUsize::new(start + (number + 1) * room - shift)?;
                self.free.push(PooledStack { base, limit });
            }
            self.slabs.push(slab);
        }
        self.free.pop()
    }

    /// Gives a stack back.
    pub(crate) fn give(&mut self, stack: PooledStack) {
        self.free.push(stack);
    }

    /// Whether an address lies in any stack.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.slabs.iter().any(|s| address.wrapping_sub(s.address()) < s.bytes())
    }
}
