// A barrier of peers by volatile flags, in a kernel that writes a part and pulls the others': without a fence the part is not
// published. With release and acquire it is.
// RUN: not %gicc check %s -DBEFORE | FileCheck %s --check-prefix=BEFORE
// RUN: %gicc check %s | FileCheck %s --check-prefix=AFTER
#include <gicc/gicc.cuh>

// BEFORE: error[C0115] unordered-flag
// BEFORE: a volatile flag signals data that it does not publish
// BEFORE: volatile_barrier.cu:[[#@LINE+15]]
// AFTER: nothing is wrong
static __device__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

static __device__ void meet(unsigned *flags, int me, int other) {
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef BEFORE
    *(volatile unsigned *)gicc::peer_ptr(flags + me, other) = 1;
    while (*(volatile unsigned *)(flags + other) != 1) {}
#else
    set(gicc::peer_ptr(flags + me, other), 1);
    while (get(flags + other) != 1) {}
#endif
  }
  __syncthreads();
}

__global__ void sum(float *part, unsigned *flags, const float *input, float *result) {
  int me = gicc::my_pe(), other = 1 - me;
  part[threadIdx.x] = 2 * input[threadIdx.x];
  meet(flags, me, other);
  result[threadIdx.x] = part[threadIdx.x] + *gicc::peer_ptr(part + threadIdx.x, other);
}
