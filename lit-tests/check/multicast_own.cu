// Multicast of what is in the kernel's own memory: an argument of the same width is not what is behind the multicast address.
// RUN: %gicc check %s | FileCheck %s
// CHECK-NOT: error[
// CHECK: nothing is wrong
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void add_to_all(unsigned *flags) {
  asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(flags) : "memory");
}

extern "C" __global__ void gathers(unsigned *flags, unsigned *flag, float *all_out, const float *in) {
  asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(all_out + gicc::my_pe() * 1024 + threadIdx.x), "f"(in[threadIdx.x]) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes()) {}
  }
}

extern "C" __global__ void reduces(unsigned *flags, unsigned *flag, const float *all_in, float *out) {
  if (threadIdx.x == 0) {
    add_to_all(flags);
    while (get(flag) < gicc::n_pes()) {}
  }
  __syncthreads();
  float sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(all_in + threadIdx.x) : "memory");
  out[threadIdx.x] = sum;
}
