// A flag that is set by an atomic operation, with any strength, and reset by a store: it is as if a store set it.
// RUN: not %gicc check %s > %t
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
#define ATOMIC(name, order)                                                                                                  \
  static __device__ void name(unsigned *flag) {                                                                              \
    unsigned before;                                                                                                         \
    asm volatile("atom." order ".sys.global.exch.b32 %0, [%1], 1;" : "=r"(before) : "l"(flag) : "memory");                    \
  }
ATOMIC(exchange, "acq_rel")
ATOMIC(exchange_release, "release")
static __device__ void count(unsigned *flag) { asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(flag) : "memory"); }

#define KERNEL(name, tell)                                                                                                   \
  extern "C" __global__ void name(unsigned *flag, int rounds) {                                                              \
    if (threadIdx.x != 0) return;                                                                                            \
    unsigned *theirs = gicc::peer_ptr(flag, 1 - gicc::my_pe());                                                              \
    for (int i = 0; i < rounds; ++i) {                                                                                       \
      tell(theirs);                                                                                                          \
      while (get(flag) != 1) {}                                                                                              \
      set(flag, 0);                                                                                                          \
    }                                                                                                                        \
  }
// CHECK: error[C0110] reset-overtakes, in `by_exchange`
KERNEL(by_exchange, exchange)
// CHECK: error[C0110] reset-overtakes, in `by_release`
KERNEL(by_release, exchange_release)
// CHECK: error[C0110] reset-overtakes, in `by_count`
KERNEL(by_count, count)

// CHECK-NOT: C0110
// Right: reset before the answer that lets the peer set it again.
extern "C" __global__ void right(unsigned *full, unsigned *empty, int rounds) {
  if (threadIdx.x != 0) return;
  unsigned *there = gicc::peer_ptr(full, 1), *here = gicc::peer_ptr(empty, 0);
  if (gicc::my_pe() == 0) {
    for (int i = 0; i < rounds; ++i) {
      exchange(there);
      while (get(empty) != i + 1) {}
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      while (get(full) != 1) {}
      set(full, 0);
      set(here, i + 1);
    }
  }
}
