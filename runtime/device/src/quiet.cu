// quiet: the group meets, its speaker publishes as far as all GPUs and the host, and the group meets again: behind it every
// thread knows that the puts of all are complete.
#include "runtime.cuh"

#define GICC_QUIET(group, Group)                                                                                       \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_quiet_##group() {                                   \
    Group::meet();                                                                                                     \
    if (Group::speaks()) __gicc_publish(GICC_SCOPE_SYS, 0, -1);                                                        \
    Group::meet();                                                                                                     \
  }
GICC_QUIET(thread, Thread)
GICC_QUIET(warp, Warp)
GICC_QUIET(block, Block)
