// notify: a signal alone. With release the group meets first, so that the one thread's release covers all that the group
// wrote; relaxed it is sent by the same thread, which is also the one that `release` lets publish.
#include "runtime.cuh"
#include "transfer.cuh"

#define GICC_NOTIFY(group, Group)                                                                                      \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_notify_##group(                                     \
      void *sig, int64_t value, int32_t op, int32_t order, int32_t pe) {                                               \
    if (!signal_ok<Group>(sig, pe)) return;                                                                            \
    if (order != GICC_ORDER_RELAXED) {                                                                                 \
      Group::meet();                                                                                                   \
      send_signal<Group>(sig, value, op, GICC_ORDER_RELEASE, pe);                                                      \
    } else {                                                                                                           \
      send_signal<Group>(sig, value, op, GICC_ORDER_RELAXED, pe);                                                      \
    }                                                                                                                  \
  }
GICC_NOTIFY(thread, Thread)
GICC_NOTIFY(warp, Warp)
GICC_NOTIFY(block, Block)
