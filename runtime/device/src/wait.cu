// wait: one thread polls with acquire, then the group meets; causality goes on through the meeting, so the whole group
// sees what was released with the value. A source of -1 is any PE.
#include "runtime.cuh"
#include "poll.cuh"
#include "transfer.cuh"

#define GICC_WAIT(group, Group)                                                                                        \
  extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_wait_##group(void *sig, int32_t compare,         \
                                                                                   int64_t value, int32_t source_pe) { \
    uint64_t seen = 0;                                                                                                 \
    if (!signal_ok<Group>(sig, source_pe == -1 ? __gicc_my_pe() : source_pe)) return 0;                                \
    poll_together<Group>(sig, compare, (uint64_t)value, source_pe, seen);                                              \
    return (int64_t)broadcast(Group(), seen);                                                                          \
  }
GICC_WAIT(thread, Thread)
GICC_WAIT(warp, Warp)
GICC_WAIT(block, Block)
