// A team's barrier orders what its PEs store at each other; without it nothing does.
// RUN: %gicc check %s -DMEET 2>&1 | FileCheck --check-prefix=MEETS %s
// RUN: not %gicc check %s 2>&1 | FileCheck --check-prefix=ALONE %s
// MEETS-NOT: error[
// MEETS: 1 kernel: nothing is wrong
// ALONE: error[C0114] no-order, in `pass`
#include <gicc/gicc.cuh>
extern "C" __global__ void pass(float *data, float *out) {
  float *theirs = gicc::peer_ptr(data, 1 - gicc::my_pe());
  theirs[threadIdx.x] = threadIdx.x;
#ifdef MEET
  gicc::barrier(gicc::team(0, 1, 2));
#endif
  out[threadIdx.x] = data[threadIdx.x ^ 1];
}
