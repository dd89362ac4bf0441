// put_signal: stores to a peer, the group meets, one thread signals with release. Causality reaches the release from all
// stores through the meeting, so the one release publishes them all.
#include "runtime.cuh"
#include "transfer.cuh"

#define GICC_PUT_SIGNAL(group, Group)                                                                                  \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_put_signal_##group(                                 \
      void *dst, const void *src, int64_t bytes, int32_t element, void *sig, int64_t value, int32_t op, int32_t pe) {  \
    bool fits = (int)transfer_fits(dst, src, bytes, element, pe) & (int)signal_fits(sig, pe, sizeof(uint64_t));        \
    if (__builtin_expect(!fits, 0)) {                                                                                  \
      if (transfer_ok<Group>(dst, src, bytes, element, pe)) signal_ok<Group>(sig, pe);                                 \
      return;                                                                                                          \
    }                                                                                                                  \
    put_checked<Group>(dst, src, bytes, pe);                                                                           \
    Group::meet();                                                                                                     \
    send_signal<Group>(sig, value, op, GICC_ORDER_RELEASE, pe);                                                        \
  }
GICC_PUT_SIGNAL(thread, Thread)
GICC_PUT_SIGNAL(warp, Warp)
GICC_PUT_SIGNAL(block, Block)
