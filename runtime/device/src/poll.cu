// The bound of a poll.
#include "runtime.cuh"
#include "poll.cuh"

extern "C" __device__ __attribute__((noinline, cold)) bool gicc_rt_give_up(const void *sig, int32_t compare,
                                                                           uint64_t value, uint64_t seen,
                                                                           int32_t source_pe, uint64_t *since) {
  if (__gicc_error_code() != GICC_ERROR_CODE_NONE) return true;
  uint64_t now = __nvvm_read_ptx_sreg_globaltimer();
  if (*since == 0) {
    *since = now;
    return false;
  }
  if (now - *since < (uint64_t)__gicc_timeout_ns()) return false;
  gicc_rt_fail(GICC_ERROR_CODE_TIMEOUT, source_pe, (uint32_t)compare, sig, value, seen);
  return true;
}
