// What could not be followed is said: silence means that all was looked at.
// RUN: %gicc check %s --rdc | FileCheck %s
#include <gicc/gicc.cuh>

extern __device__ int elsewhere(int);

// CHECK: note[C0308] incomplete, in `{{.*}}calls
// CHECK: a call of `{{.*}}elsewhere{{.*}}`
// CHECK: incomplete.cu:[[#@LINE+3]]:44
__global__ void calls(int *to, gicc::signal_t *arrived) {
  if (threadIdx.x != 0) return;
  *gicc::peer_ptr(to, 1 - gicc::my_pe()) = elsewhere(3);
  gicc::signal(arrived, 1, 1 - gicc::my_pe());
}

// CHECK: note[C0308] incomplete, in `{{.*}}loops
// CHECK: a long loop was left early
__global__ void loops(int *to, gicc::signal_t *arrived) {
  if (threadIdx.x != 0) return;
#pragma nounroll
  for (int i = 0; i < 1000; ++i) gicc::peer_ptr(to, 1 - gicc::my_pe())[i] = i;
  gicc::signal(arrived, 1, 1 - gicc::my_pe());
}

// CHECK: note[C0308] incomplete, in `{{.*}}branches
// CHECK: a thread has more paths than were followed
__global__ void branches(int *to, int *from, gicc::signal_t *arrived) {
  if (threadIdx.x != 0) return;
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 6; ++i)
    if (from[i] == 3) to[i] = ++sum;
  gicc::peer_ptr(to, 1 - gicc::my_pe())[7] = sum;
  gicc::signal(arrived, 1, 1 - gicc::my_pe());
}

// CHECK: note[C0308] incomplete, in `{{.*}}table
// CHECK: no small launch shows who is whose peer
// CHECK: incomplete.cu:[[#@LINE+1]]:1
__global__ void table(float *const *peers, unsigned *const *flags, float value, int rank) {
  if (threadIdx.x != 0) return;
  peers[1 - rank][0] = value;
  asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flags[1 - rank]) : "memory");
}
