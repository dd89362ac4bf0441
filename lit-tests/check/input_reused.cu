// The result goes into the buffer that peers read the input from. They have to have read it first.
// RUN: not %gicc check %s -DBEFORE | FileCheck %s --check-prefix=BEFORE
// RUN: %gicc check %s | FileCheck %s --check-prefix=AFTER
#include <gicc/gicc.cuh>

// BEFORE: error[C01
// BEFORE: peer
// BEFORE: finding of correctness
// AFTER: nothing is wrong
__global__ void add_in_place(float *buffer, gicc::signal_t *read) {
  if (threadIdx.x != 0) return;
  int me = gicc::my_pe(), other = 1 - me;
  float theirs = *gicc::peer_ptr(buffer, other);
#ifndef BEFORE
  gicc::signal(read, 1, other);
  gicc::wait(read, gicc::cmp::ge, 1, other);
#endif
  *buffer += theirs;
}
