// One lane polls, and its warp goes on. With a barrier behind the poll, or where only that lane goes on, nothing is said; where
// the others read what the poll brings, the order is wrong, and that is said instead.
// RUN: not %gicc check %s > %t
// RUN: FileCheck %s < %t
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void set(unsigned *flag) { asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }

static __device__ void tell(unsigned *flag) {
  if (threadIdx.x == 0) set(gicc::peer_ptr(flag, 1 - gicc::my_pe()));
}

// CHECK: performance[C0206] diverged-poll, in `diverged`
// CHECK: one lane polls, and its warp goes on without having met it
// CHECK: diverged_poll.cu:[[#@LINE-11]]:
// CHECK: put `__syncwarp()`, or a barrier of the block, behind the poll
extern "C" __global__ void diverged(unsigned *flag, const float *in, float *out) {
  tell(flag);
  if (threadIdx.x == 0) while (get(flag) != 1) {}
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

// CHECK-NOT: C0206
extern "C" __global__ void with_barrier(unsigned *flag, const float *in, float *out) {
  tell(flag);
  if (threadIdx.x == 0) while (get(flag) != 1) {}
  __syncthreads();
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

extern "C" __global__ void with_warp(unsigned *flag, const float *in, float *out) {
  tell(flag);
  if (threadIdx.x % 32 == 0) while (get(flag) != 1) {}
  __syncwarp();
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

extern "C" __global__ void alone(unsigned *flag, const float *in, float *out) {
  tell(flag);
  if (threadIdx.x == 0) {
    while (get(flag) != 1) {}
    out[0] = 2 * in[0];
  }
}

extern "C" __global__ void all_poll(unsigned *flag, const float *in, float *out) {
  tell(flag);
  while (get(flag) != 1) {}
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

// CHECK: error[C0106] no-barrier-after-wait, in `wrong`
// CHECK-NOT: C0206
extern "C" __global__ void wrong(unsigned *flag, float *landing, float *out) {
  if (gicc::my_pe() == 0) {
    gicc::peer_ptr(landing, 1)[threadIdx.x] = 1;
    __syncthreads();
    tell(flag);
  } else {
    if (threadIdx.x == 0) while (get(flag) != 1) {}
    out[threadIdx.x] = landing[threadIdx.x];
  }
}
