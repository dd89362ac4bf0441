// check_error: whether this PE has an error, the same answer for the whole group. A thread whose operation failed has set
// the word or has read that it is set, so its own load sees that; the group's vote is what makes the others know it too.
// Nothing is ordered: the loads are relaxed.
#include "runtime.cuh"

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_check_error_thread() {
  return __gicc_error_code() != GICC_ERROR_CODE_NONE;
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_check_error_warp() {
  return __nvvm_vote_any_sync(0xffffffffu, __gicc_check_error_thread() != 0) != 0;
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_check_error_block() {
  return __nvvm_bar0_or(__gicc_check_error_thread()) != 0;
}
