// A team's barrier orders what its PEs store at each other; without it nothing does.
// RUN: %gicc check %s -DMEET 2>&1 | FileCheck --check-prefix=MEETS %s
// RUN: %gicc check %s -DAGAIN 2>&1 | FileCheck --check-prefix=AGAIN %s
// RUN: not %gicc check %s 2>&1 | FileCheck --check-prefix=ALONE %s
// MEETS-NOT: error[
// MEETS: 1 kernel: nothing is wrong
// The rounds of barriers that follow each other are not followed, so that is a note.
// AGAIN-NOT: error[
// AGAIN: note[C0303] undecided, in `again`
// AGAIN: barriers of a part of the PEs that follow each other are not followed, and may order them
// ALONE: error[C0114] no-order, in `pass`
#include <gicc/gicc.cuh>
#ifdef AGAIN
extern "C" __global__ void again(float *data, float *out) {
  const gicc::team both(0, 1, 2);
  data[threadIdx.x] = 1;
  gicc::barrier(both);
  out[threadIdx.x] = gicc::peer_ptr(data, 1 - gicc::my_pe())[threadIdx.x];
  gicc::barrier(both);
  data[threadIdx.x] = 2;
}
#else
extern "C" __global__ void pass(float *data, float *out) {
  float *theirs = gicc::peer_ptr(data, 1 - gicc::my_pe());
  theirs[threadIdx.x] = threadIdx.x;
#ifdef MEET
  gicc::barrier(gicc::team(0, 1, 2));
#endif
  out[threadIdx.x] = data[threadIdx.x ^ 1];
}
#endif
