// wait: one thread polls with acquire, then the group meets; causality goes on through the meeting, so the whole group
// sees what was released with the value. A thread that waits alone brings the threads of its warp that wait with it
// together again: left apart, they would run all that follows in pieces.
#include "runtime.cuh"
#include "poll.cuh"
#include "transfer.cuh"

extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_wait_thread(void *sig, int32_t compare,
                                                                                int64_t value, int32_t source_pe) {
  unsigned together = __nvvm_activemask();
  uint64_t seen = 0;
  if (signal_ok<Thread>(sig, source_pe)) poll_until(sig, compare, (uint64_t)value, source_pe, seen);
  __nvvm_bar_warp_sync(together);
  return (int64_t)seen;
}

template <class Group> GICC_RT int64_t wait_together(void *sig, int32_t compare, int64_t value, int32_t source_pe) {
  uint64_t seen = 0;
  if (!signal_ok<Group>(sig, source_pe)) return 0;
  if (Group::speaks()) poll_until(sig, compare, (uint64_t)value, source_pe, seen);
  Group::meet();
  return (int64_t)broadcast(Group(), seen);
}

extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_wait_warp(void *sig, int32_t compare, int64_t value,
                                                                              int32_t source_pe) {
  return wait_together<Warp>(sig, compare, value, source_pe);
}

extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_wait_block(void *sig, int32_t compare,
                                                                               int64_t value, int32_t source_pe) {
  return wait_together<Block>(sig, compare, value, source_pe);
}
