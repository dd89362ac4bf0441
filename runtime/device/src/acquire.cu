// acquire: each thread observes for what it read itself (a fence makes an acquire pattern with the earlier reads of its
// own thread only), then the group meets, so that all see what any of them acquired.
#include "runtime.cuh"

#define GICC_ACQUIRE(group, Group)                                                                                     \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_acquire_##group(int32_t scope, int32_t domain) {    \
    __gicc_observe(scope, domain);                                                                                     \
    Group::meet();                                                                                                     \
  }
GICC_ACQUIRE(thread, Thread)
GICC_ACQUIRE(warp, Warp)
GICC_ACQUIRE(block, Block)
