// arrive: one thread counts the block in, acquiring and releasing; all threads of the last block learn that it is the last.
// Causality: every block's writes, its meeting, its count, the last block's count, the last block's meeting.
#include "runtime.cuh"

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_arrive_thread(void *counter, int32_t blocks) {
  return __gicc_count(counter, blocks - 1) == blocks - 1;
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_arrive_block(void *counter, int32_t blocks) {
  Block::meet();
  bool last = false;
  if (Block::speaks()) last = __gicc_arrive_thread(counter, blocks);
  return __nvvm_bar0_or(last) != 0;
}
