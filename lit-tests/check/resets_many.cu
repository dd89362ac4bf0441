// A flag that is reset behind more signals than are looked through: that is said, and nothing is claimed.
// RUN: %gicc check %s > %t
// RUN: FileCheck %s < %t
#include <gicc/gicc.cuh>

static __device__ unsigned get(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
static __device__ void set(unsigned *flag, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

#define FOUR(x) x x x x

// CHECK-NOT: C0110
// CHECK: note[C0308] incomplete, in `seventeen_answers`
// CHECK: the reset of a flag with more waits and signals than are looked through
// CHECK: resets_many.cu:[[#@LINE-8]]:
extern "C" __global__ void seventeen_answers(unsigned *full, unsigned *empty, int rounds) {
  if (threadIdx.x != 0) return;
  unsigned *there = gicc::peer_ptr(full, 1), *here = gicc::peer_ptr(empty, 0);
  if (gicc::my_pe() == 0) {
    for (int i = 0; i < rounds; ++i) {
      set(there, 1);
      while (get(empty) != i + 1) {}
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      while (get(full) != 1) {}
      FOUR(FOUR(set(here, i + 1);))
      set(here, i + 1);
      set(full, 0);
    }
  }
}
