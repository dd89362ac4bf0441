// The three groups that execute a primitive together: who a thread is in its group, how many there are, which thread
// speaks for the group, how the group meets, how it learns whether something holds for all of its threads (which is a meeting
// too), and how its warps run together again.
#pragma once

#define GICC_RT static inline __device__ __attribute__((always_inline))
/// Of a member function.
#define GICC_RT_MEMBER inline __device__ __attribute__((always_inline))

/// One thread: alone, always the speaker.
struct Thread {
  GICC_RT unsigned rank() { return 0; }
  GICC_RT unsigned count() { return 1; }
  GICC_RT bool speaks() { return true; }
  GICC_RT void meet() {}
  GICC_RT bool all(bool holds) { return holds; }
  GICC_RT void converge() {}
};

/// The thread's index in its block, x fastest.
GICC_RT unsigned thread_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

/// Threads of the block.
GICC_RT unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/// The block's index in its grid, x fastest.
GICC_RT unsigned block_in_grid() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }

/// Blocks of the grid.
GICC_RT unsigned blocks_of_grid() { return gridDim.x * gridDim.y * gridDim.z; }

/// A warp; the last warp of a block may have fewer than 32 threads. Lanes that do not exist count as arrived.
struct Warp {
  GICC_RT unsigned rank() { return thread_in_block() & 31; }
  GICC_RT unsigned count() {
    unsigned rest = threads_of_block() - (thread_in_block() & ~31u);
    return rest < 32 ? rest : 32;
  }
  GICC_RT bool speaks() { return rank() == 0; }
  GICC_RT void meet() { __nvvm_bar_warp_sync(0xffffffffu); }
  GICC_RT bool all(bool holds) {
    bool answer = __nvvm_vote_all_sync(0xffffffffu, holds);
    meet();
    return answer;
  }
  GICC_RT void converge() { meet(); }
};

/// A block.
struct Block {
  GICC_RT unsigned rank() { return thread_in_block(); }
  GICC_RT unsigned count() { return threads_of_block(); }
  GICC_RT bool speaks() { return thread_in_block() == 0; }
  GICC_RT void meet() { __syncthreads(); }
  GICC_RT bool all(bool holds) { return __nvvm_bar0_and(holds) != 0; }
  GICC_RT void converge() { __nvvm_bar_warp_sync(0xffffffffu); }
};

// A group's answer of its speaker for all: each reads what the speaker has.
GICC_RT uint64_t broadcast(Thread, uint64_t value) { return value; }

GICC_RT uint64_t broadcast(Warp, uint64_t value) {
  unsigned low = __nvvm_shfl_sync_idx_i32(0xffffffffu, (int)value, 0, 31);
  unsigned high = __nvvm_shfl_sync_idx_i32(0xffffffffu, (int)(value >> 32), 0, 31);
  return (uint64_t)high << 32 | low;
}

// Out of line and without effect but its result, so that a wait whose result nobody reads pays no second barrier.
extern "C" __device__ uint64_t gicc_rt_broadcast_block(uint64_t value) __attribute__((pure));
GICC_RT uint64_t broadcast(Block, uint64_t value) { return gicc_rt_broadcast_block(value); }
