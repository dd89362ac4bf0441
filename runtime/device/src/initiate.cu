// initiate, by the engine `direct`: the group's own threads store, as for put, and meet, so that each of them may speak for
// all in a test of the event; the signal, where there is one, is sent with release. The event is then nothing but whether
// the checks of the transfer passed: `complete` is a matter of a fence, which is left to whoever tests or waits.
#include "runtime.cuh"
#include "transfer.cuh"

/// The event of a transfer that the initiating threads carried out. 0 is a failed one.
#define GICC_EVENT_STORED 1

template <class Group>
GICC_RT int64_t initiate_direct(void *dst, const void *src, int64_t bytes, int32_t element, void *sig, int64_t value,
                                int32_t op, int32_t pe) {
  bool fits = transfer_fits(dst, src, bytes, element, pe);
  if (sig != nullptr) fits = (int)fits & (int)signal_fits(sig, pe, sizeof(uint64_t));
  if (__builtin_expect(!fits, 0)) {
    if (transfer_ok<Group>(dst, src, bytes, element, pe)) signal_ok<Group>(sig, pe);
    return 0;
  }
  put_checked<Group>(dst, src, bytes, pe);
  Group::meet();
  if (sig != nullptr) send_signal<Group>(sig, value, op, GICC_ORDER_RELEASE, pe);
  return GICC_EVENT_STORED;
}

// The priority orders a queue, and the threads have none; the domain was checked when the call was compiled.
#define GICC_INITIATE(group, Group)                                                                                    \
  extern "C" __device__ __attribute__((always_inline)) int64_t __gicc_initiate_##group(                                \
      void *dst, const void *src, int64_t bytes, int32_t element, void *sig, int64_t value, int32_t op, int32_t,       \
      int32_t, int32_t, int32_t pe) {                                                                                  \
    return initiate_direct<Group>(dst, src, bytes, element, sig, value, op, pe);                                       \
  }
GICC_INITIATE(thread, Thread)
GICC_INITIATE(warp, Warp)
GICC_INITIATE(block, Block)
