// Pattern 1: all threads' data, a barrier, one thread's flag.
#include "weak.h"

// Two threads store at PE 1, the block meets, thread 0 signals.
KERNEL(block_flag) {
  if (ME == 0) {
    st_weak(at(DATA(threadIdx.x), 1), 11 + threadIdx.x);
    if (M == 6 && T0) st_release_sys(at(FLAG(0), 1), 1);
    if (M != 1) __syncthreads();
    if (T0) {
      if (M == 2) st_release_gpu(at(FLAG(0), 1), 1);
      else if (M == 3) st_relaxed_sys(at(FLAG(0), 1), 1);
      else if (M != 6) st_release_sys(at(FLAG(0), 1), 1);
    }
  } else {
    if (T0) {
      if (M == 4) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
      else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    }
    if (M != 5) __syncthreads();
    if (T0) { u32 v = ld_weak(DATA(1)); CHECK(0, v, 12); }
    if (M == 5 && T1) return;
    if (T1) { u32 v = ld_weak(DATA(0)); CHECK(1, v, 11); }
  }
}
ENTRIES_4(block_flag)
ENTRY(block_flag, 6)

// The same, and only the thread that did not poll reads.
KERNEL(wait_then_barrier) {
  if (ME == 0) {
    if (T0) st_weak(at(DATA(0), 1), 5);
    if (T0) st_release_sys(at(FLAG(0), 1), 1);
  } else {
    if (T0) {
      if (M == 2) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
      else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    }
    if (M != 1) __syncthreads();
    if (M == 2 && T1) fence_acquire_sys();
    if (T1) { u32 v = ld_weak(DATA(0)); CHECK(0, v, 5); }
  }
}
ENTRIES_2(wait_then_barrier)

// A named barrier over the whole block.
KERNEL(named_barrier_flag) {
  if (ME == 0) {
    if (M == 2 && T0) st_release_sys(at(FLAG(0), 1), 1);
    if (T1) st_weak(at(DATA(0), 1), 7);
    u32 id = 3;
    if (M != 1) asm volatile("bar.sync %0;" ::"r"(id) : "memory");
    if (M != 2 && T0) st_release_sys(at(FLAG(0), 1), 1);
  } else if (T0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 7);
  }
}
ENTRIES_2(named_barrier_flag)

// The second warp stores and arrives, the first one waits and signals. Blocks of 64 threads.
KERNEL(arrive_then_flag) {
  if (ME == 0) {
    if (threadIdx.x >= 32) {
      if (M == 2) asm volatile("bar.arrive 1, 64;" ::: "memory");
      if (threadIdx.x == 32) st_weak(at(DATA(0), 1), 9);
      if (M == 0) asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      if (M != 1) asm volatile("bar.sync 1, 64;" ::: "memory");
      if (T0) st_release_sys(at(FLAG(0), 1), 1);
    }
  } else if (T0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 9);
  }
}
ENTRIES_2(arrive_then_flag)

// One warp: its lanes meet, then the first signals.
KERNEL(warp_flag) {
  if (ME == 0) {
    if (T1) st_weak(at(DATA(0), 1), 4);
    if (M != 1) __syncwarp();
    if (T0) {
      if (M == 2) st_relaxed_sys(at(FLAG(0), 1), 1);
      else st_release_sys(at(FLAG(0), 1), 1);
    }
  } else {
    if (T0) POLL_GE(ld_acquire_sys, FLAG(0), 1);
    if (M != 3) __syncwarp();
    if (T1) { u32 v = ld_weak(DATA(0)); CHECK(0, v, 4); }
  }
}
ENTRIES_3(warp_flag)

// A fence by the signalling thread before the barrier covers its own stores only.
KERNEL(fence_after_barrier) {
  if (ME == 0) {
    if (T1) st_weak(at(DATA(0), 1), 6);
    if (M == 1 && T0) fence_acq_rel_sys();
    __syncthreads();
    if (M != 1 && T0) fence_acq_rel_sys();
    if (T0) st_relaxed_sys(at(FLAG(0), 1), 1);
  } else if (T0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 6);
  }
}
ENTRIES_1(fence_after_barrier)
