// Setting and reading the error word.
#include "runtime.cuh"

extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail(uint32_t code, int32_t other_pe,
                                                                        uint32_t compare, const void *address,
                                                                        uint64_t expected, uint64_t observed) {
  gicc_error GICC_GLOBAL *e = (gicc_error GICC_GLOBAL *)__gicc_error_words();
  if (__gicc_atom_cas_u32((void *)&e->claimed, 0, (int32_t)code, GICC_ORDER_RELAXED, GICC_SCOPE_GPU) != 0) return;
  e->pe = __gicc_my_pe();
  e->other_pe = other_pe;
  e->compare = compare;
  e->block = block_in_grid();
  e->thread = thread_in_block();
  e->address = (uint64_t)address;
  e->expected = expected;
  e->observed = observed;
  // Last, for the host, which reads the words when the kernel has ended; threads look at the claim.
  __gicc_store_u32((void *)&e->code, (int32_t)code, GICC_ORDER_RELAXED, GICC_SCOPE_GPU);
}

extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail_transfer(const void *remote, const void *local,
                                                                                 int64_t bytes, int32_t element,
                                                                                 int32_t pe) {
  uint64_t low = low_bits(element);
  uint32_t code;
  const void *address = remote;
  if (!in_team(pe)) code = GICC_ERROR_CODE_PE_OUT_OF_RANGE;
  else if (bytes < 0 || ((uint64_t)bytes & low)) code = GICC_ERROR_CODE_BAD_SIZE;
  else if (!symmetric(remote, bytes)) code = GICC_ERROR_CODE_NOT_SYMMETRIC;
  else {
    code = GICC_ERROR_CODE_MISALIGNED;
    if (!((uint64_t)remote & low)) address = local;
  }
  gicc_rt_fail(code, pe, 0, address, (uint64_t)bytes, 0);
}

extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail_signal(const void *sig, int32_t pe) {
  uint32_t code = !in_team(pe) ? GICC_ERROR_CODE_PE_OUT_OF_RANGE
                  : (uint64_t)sig & 7 ? GICC_ERROR_CODE_MISALIGNED
                                      : GICC_ERROR_CODE_NOT_SYMMETRIC;
  gicc_rt_fail(code, pe, 0, sig, sizeof(uint64_t), 0);
}

extern "C" __device__ __attribute__((noinline, cold)) void gicc_rt_fail_packets(const void *words, uint64_t storage,
                                                                                const void *dst, const void *local,
                                                                                int64_t bytes, int64_t capacity,
                                                                                int32_t element, int32_t pe) {
  if (bytes > capacity) {
    gicc_rt_fail(GICC_ERROR_CODE_OVER_CAPACITY, pe, 0, dst, (uint64_t)bytes, (uint64_t)capacity);
    return;
  }
  uint32_t code = GICC_ERROR_CODE_MISALIGNED;
  const void *address = (uint64_t)words & 15 ? words : local;
  if (!in_team(pe)) code = GICC_ERROR_CODE_PE_OUT_OF_RANGE;
  else if (bytes < 0 || ((uint64_t)bytes & low_bits(element))) code = GICC_ERROR_CODE_BAD_SIZE;
  else if (!symmetric(words, (int64_t)storage)) code = GICC_ERROR_CODE_NOT_SYMMETRIC, address = words;
  gicc_rt_fail(code, pe, 0, address, (uint64_t)bytes, 0);
}

extern "C" __device__ __attribute__((always_inline)) int32_t __gicc_error_code() {
  // The claim, which is the first write of an error: a thread that failed has made it, or has seen that it is made.
  gicc_error *e = (gicc_error *)__gicc_error_words();
  return __gicc_load_u32(&e->claimed, GICC_ORDER_RELAXED, GICC_SCOPE_GPU);
}
