// What the functions of collectives, which level H makes, need of the device runtime: facts, checks and the block's epoch.
// The algorithms themselves are no part of it.
#include "runtime.cuh"

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_thread_index() {
  return (int32_t)thread_in_block();
}
extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_thread_count() {
  return (int32_t)threads_of_block();
}
extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_block_index() { return (int32_t)block_in_grid(); }
extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_block_count() { return (int32_t)blocks_of_grid(); }

/// Out of line, and marked by the compiler as a call that may be made for nothing: such a call leaves a loop in which it is
/// always the same, which LLVM does to no division by a number that it does not know.
extern "C" __device__ __attribute__((noinline, const)) int64_t __gicc_div_up(int64_t a, int64_t b) {
  uint64_t divisor = b == 0 ? 1 : (uint64_t)b;
  return (int64_t)(((uint64_t)a + (divisor - 1)) / divisor);
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_is_symmetric(void *p, int64_t bytes) {
  return symmetric(p, bytes);
}

/// Out of line: finds out which check failed.
extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail_collective(const void *out, const void *in,
                                                                                   int64_t count, int32_t size) {
  uint32_t kind = GICC_OF_COLLECTIVE;
  uint64_t low = low_bits(size);
  if (count < 0) gicc_rt_fail(GICC_ERROR_CODE_BAD_SIZE, -1, kind, in, (uint64_t)count, 0);
  else if ((uint64_t)out & low) gicc_rt_fail(GICC_ERROR_CODE_MISALIGNED, -1, kind, out, (uint64_t)count, 0);
  else if ((uint64_t)in & low) gicc_rt_fail(GICC_ERROR_CODE_MISALIGNED, -1, kind, in, (uint64_t)count, 0);
  else {
    uint64_t room = ((uint64_t)__gicc_workspace_bytes() - GICC_PACKETS) / (GICC_REGION_BYTES * (uint64_t)__gicc_n_pes());
    gicc_rt_fail(GICC_ERROR_CODE_TOO_MANY_BLOCKS, -1, kind, __gicc_workspace(), room, block_in_grid());
  }
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_collective_fits(void *out, void *in, int64_t count,
                                                                                    int32_t size) {
  bool aligned = (((uint64_t)out | (uint64_t)in) & low_bits(size)) == 0;
  uint32_t block = block_in_grid();
  uint64_t needed = GICC_PACKETS + (uint64_t)(block + 1) * (uint32_t)__gicc_n_pes() * GICC_REGION_BYTES;
  bool room = (int)(block < GICC_MAX_BARRIER_BLOCKS) & (int)(needed <= (uint64_t)__gicc_workspace_bytes());
  return (int)(count >= 0) & (int)aligned & (int)room;
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_collective_check(void *out, void *in, int64_t count,
                                                                                     int32_t size) {
  if (__builtin_expect(__gicc_collective_fits(out, in, count, size), 1)) return 1;
  if (Block::speaks()) gicc_rt_fail_collective(out, in, count, size);
  return 0;
}

/// The block's epoch in the workspace. A block too many shares the last one's; its collectives are refused.
GICC_RT uint64_t GICC_GLOBAL *epoch_word() {
  uint32_t block = block_in_grid(), last = GICC_MAX_BARRIER_BLOCKS - 1;
  return (uint64_t GICC_GLOBAL *)((char *)__gicc_workspace() + GICC_COLLECTIVE_EPOCHS) + (block < last ? block : last);
}

extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_epoch_load() { return (int64_t)*epoch_word(); }

extern "C" __device__ __attribute__((always_inline)) void __gicc_epoch_store(int64_t epoch) {
  if (Block::speaks()) *epoch_word() = (uint64_t)epoch;
}
