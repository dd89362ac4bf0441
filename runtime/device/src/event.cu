// event_test, event_wait: the threads of the initiation have stored and met, so the transfer has ended as soon as one of them
// publishes; whoever observes a later signal of that thread (test), or of the group's speaker (wait), sees the bytes. A
// fence makes a release pattern with its own thread's writes only, so a meeting behind it would let nobody else signal.
// Nothing is polled, so nothing is bounded.
#include "runtime.cuh"

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_event_test(int64_t event, int32_t scope,
                                                                               int32_t domain) {
  if (event != 0) __gicc_publish(scope, domain, -1);
  return 1;
}

#define GICC_EVENT_WAIT(group, Group)                                                                                  \
  extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_event_wait_##group(int64_t event, int32_t scope, \
                                                                                         int32_t domain) {             \
    if (Group::speaks()) __gicc_publish(scope, domain, -1);                                                            \
    return event != 0;                                                                                                 \
  }
GICC_EVENT_WAIT(thread, Thread)
GICC_EVENT_WAIT(warp, Warp)
GICC_EVENT_WAIT(block, Block)
