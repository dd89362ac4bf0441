// release: the group meets and its speaker publishes. The speaker is also the thread that sends the group's signals
// (notify): a fence makes a release pattern with the later writes of its own thread only, so a relaxed signal of another
// thread would carry nothing, whatever barrier stood between. No second meeting is needed therefore.
#include "runtime.cuh"

#define GICC_RELEASE(group, Group)                                                                                     \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_release_##group(int32_t scope, int32_t domain) {    \
    Group::meet();                                                                                                     \
    if (Group::speaks()) __gicc_publish(scope, domain, -1);                                                            \
  }
GICC_RELEASE(thread, Thread)
GICC_RELEASE(warp, Warp)
GICC_RELEASE(block, Block)
