// Blocks write at a peer, count each other, and one of them signals for all. A relaxed count brings their number and not
// their data.
// RUN: not %gicc check %s -DBEFORE | FileCheck %s --check-prefix=BEFORE
// RUN: %gicc check %s | FileCheck %s --check-prefix=AFTER
#include <gicc/gicc.cuh>

// BEFORE: error[C0108] relaxed-counter
// BEFORE: grid_barrier.cu:[[#@LINE+11]]
// AFTER: nothing is wrong
#ifdef BEFORE
#define COUNT "atom.relaxed.gpu.global.add.u32"
#else
#define COUNT "atom.acq_rel.gpu.global.add.u32"
#endif

static __device__ unsigned count(unsigned *counter) {
  unsigned old;
  // The line of the operation itself.
  asm volatile(COUNT " %0, [%1], 1;" : "=r"(old) : "l"(counter) : "memory");
  return old;
}

__global__ void scatter(unsigned *to, unsigned *counter, gicc::signal_t *arrived, unsigned *sum) {
  if (threadIdx.x != 0) return;
  if (gicc::my_pe() == 0) {
    *gicc::peer_ptr(to + 32 * blockIdx.x, 1) = 7 + blockIdx.x;
    if (count(counter) == 1) gicc::signal(arrived, 1, 1);
  } else if (blockIdx.x == 0) {
    gicc::wait(arrived, gicc::cmp::ge, 1, 0);
    *sum = to[0] + to[32];
  }
}
