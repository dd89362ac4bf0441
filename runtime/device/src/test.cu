// test: one poll with acquire. Who sends the signal is not known, so any PE may.
#include "runtime.cuh"
#include "poll.cuh"
#include "transfer.cuh"

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_test(void *sig, int32_t compare, int64_t value) {
  if (!signal_ok<Thread>(sig, __gicc_my_pe())) return 0;
  return compares(compare, (uint64_t)__gicc_poll(sig, GICC_ORDER_ACQUIRE, -1), (uint64_t)value);
}
