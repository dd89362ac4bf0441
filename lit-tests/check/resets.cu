// A flag that is reset in each round. The peer must not be able to set it again before.
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
static __device__ void set_relaxed(unsigned *flag, unsigned value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

// CHECK: error[C0110] reset-overtakes, in `reset_last`
// CHECK: the reset of the flag may wipe out the next signal
// CHECK: resets.cu:[[#@LINE-8]]:
// CHECK: count epochs instead of resetting
// CHECK: witness: the flag ends as 0
// CHECK-NOT: C0110
extern "C" __global__ void reset_last(unsigned *flag, int rounds) {
  if (threadIdx.x != 0) return;
  unsigned *theirs = gicc::peer_ptr(flag, 1 - gicc::my_pe());
  for (int i = 0; i < rounds; ++i) {
    set(theirs, 1);
    while (get(flag) != 1) {}
    set(flag, 0);
  }
}

// The consumer resets behind the signal that frees the slot.
// CHECK: error[C0110] reset-overtakes, in `behind_the_answer`
extern "C" __global__ void behind_the_answer(unsigned *full, unsigned *empty, int rounds) {
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
      set(here, i + 1);
      set_relaxed(full, 0);
    }
  }
}

// CHECK-NOT: C0110
// Before the signal that frees it, with release: right.
extern "C" __global__ void before_the_answer(unsigned *full, unsigned *empty, int rounds) {
  if (threadIdx.x != 0) return;
  unsigned *there = gicc::peer_ptr(full, 1), *here = gicc::peer_ptr(empty, 0);
  if (gicc::my_pe() == 0) {
    for (int i = 0; i < rounds; ++i) {
      set(there, 1);
      while (get(empty) != 1) {}
      set_relaxed(empty, 0);
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      while (get(full) != 1) {}
      set_relaxed(full, 0);
      set(here, 1);
    }
  }
}

extern "C" __global__ void epochs(unsigned *flag, int rounds) {
  if (threadIdx.x != 0) return;
  unsigned *theirs = gicc::peer_ptr(flag, 1 - gicc::my_pe());
  for (int i = 0; i < rounds; ++i) {
    set(theirs, i + 1);
    while (get(flag) < i + 1) {}
  }
}

// Used once in a launch: the next launch begins behind this one.
extern "C" __global__ void once(unsigned *flag) {
  if (threadIdx.x != 0) return;
  set(gicc::peer_ptr(flag, 1 - gicc::my_pe()), 1);
  while (get(flag) != 1) {}
  set(flag, 0);
}

// Two meetings: the first one resets the flag of the second.
struct Flags {
  unsigned first[8], second[8];
};

template <bool RELEASES> static __device__ void two_meetings(Flags *own, Flags *const *all, int rank, int pes) {
  int peer = threadIdx.x;
  if (peer < pes) {
    own->second[peer] = 0;
    if (RELEASES) set(&all[peer]->first[rank], 1);
    else *(volatile unsigned *)&all[peer]->first[rank] = 1;
    if (RELEASES) while (get(&own->first[peer]) == 0) {}
    else while (*(volatile unsigned *)&own->first[peer] == 0) {}
  }
  __syncthreads();
  if (peer < pes) {
    set(&all[peer]->second[rank], 1);
    while (get(&own->second[peer]) == 0) {}
  }
}

// CHECK: error[C0110] reset-overtakes, in `reset_ahead`
// CHECK: the peer may see what tells it to go on
// CHECK: own->second[peer] = 0;
// CHECK: witness: the flag ends as 0: the reset comes behind the peer's signal
extern "C" __global__ void reset_ahead(Flags *own, Flags *const *all, int rank, int pes) {
  two_meetings<false>(own, all, rank, pes);
}

// CHECK-NOT: C0110
// The signal that tells the peer releases, and the peer's wait acquires.
extern "C" __global__ void reset_ahead_released(Flags *own, Flags *const *all, int rank, int pes) {
  two_meetings<true>(own, all, rank, pes);
}
