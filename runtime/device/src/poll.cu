// The bound of a poll.
#include "runtime.cuh"
#include "poll.cuh"

extern "C" __device__ __attribute__((noinline, cold)) uint64_t gicc_rt_keep_waiting(const void *sig, int32_t compare,
                                                                                    uint64_t value, uint64_t seen,
                                                                                    int32_t source_pe, uint64_t since) {
  if (__gicc_error_code() != GICC_ERROR_CODE_NONE) return 0;
  uint64_t now = __nvvm_read_ptx_sreg_globaltimer();
  // A clock that stands at 0 is no time.
  if (since == 0) return now != 0 ? now : 1;
  if (now - since < (uint64_t)__gicc_timeout_ns()) return since;
  gicc_rt_fail(GICC_ERROR_CODE_TIMEOUT, source_pe, (uint32_t)compare, sig, value, seen);
  return 0;
}
