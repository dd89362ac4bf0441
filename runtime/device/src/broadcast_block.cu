// What the first thread of a block has, for all its threads. `pure` on purpose: the word in shared memory is nobody
// else's, so a call whose result is unused may go, barriers included. All threads of a block call, as for a barrier.
#include "runtime.cuh"

extern "C" __device__ __attribute__((noinline, pure)) uint64_t gicc_rt_broadcast_block(uint64_t value) {
  __shared__ uint64_t word;
  // Everybody has read what an earlier call left here.
  __syncthreads();
  if (Block::speaks()) word = value;
  __syncthreads();
  return word;
}
