// Pattern 10: the last block speaks for all; scope chains over several hops. Two blocks.
#include "weak.h"

KERNEL(last_block) {
  if (ME == 0) {
    if (T1) st_weak(at(DATA(blockIdx.x), 1), 101 + blockIdx.x);
    if (M != 4) __syncthreads();
    if (!T0) return;
    u32 old;
    if (M == 1) old = add_relaxed_gpu(FLAG(2), 1);
    else if (M == 2) old = add_release_gpu(FLAG(2), 1);
    else if (M == 3) old = add_acquire_gpu(FLAG(2), 1);
    else old = add_acq_rel_gpu(FLAG(2), 1);
    PATH(old);
    if (old != 1) return;
    if (M == 5) st_release_gpu(at(FLAG(0), 1), 1);
    else st_release_sys(at(FLAG(0), 1), 1);
  } else if (T0 && blockIdx.x == 0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 101);
    v = ld_weak(DATA(1));
    CHECK(1, v, 102);
  }
}
ENTRIES_5(last_block)

// The same in CUDA's words.
KERNEL(threadfence_counter) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(blockIdx.x), 1), 103 + blockIdx.x);
    if (M != 1) __threadfence();
    u32 old = atomicAdd(FLAG(2), 1);
    PATH(old);
    if (old != 1) return;
    if (M != 2) __threadfence_system();
    st_volatile(at(FLAG(0), 1), 1);
  } else if (blockIdx.x == 0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 103);
  }
}
ENTRIES_2(threadfence_counter)

// Block 0 tells block 1 at gpu scope, and block 1 the peer at system scope.
KERNEL(scope_chain) {
  if (!T0) return;
  if (ME == 0 && blockIdx.x == 0) {
    st_weak(at(DATA(0), 1), 105);
    if (M == 1) st_relaxed_gpu(FLAG(2), 1);
    else st_release_gpu(FLAG(2), 1);
  } else if (ME == 0) {
    if (M == 2) POLL_GE(ld_relaxed_gpu, FLAG(2), 1);
    else POLL_GE(ld_acquire_gpu, FLAG(2), 1);
    if (M == 3) st_release_gpu(at(FLAG(0), 1), 1);
    else st_release_sys(at(FLAG(0), 1), 1);
  } else if (blockIdx.x == 0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 105);
  }
}
ENTRIES_3(scope_chain)

// From PE to PE to PE. Three PEs.
KERNEL(three_pes) {
  if (!T0 || blockIdx.x != 0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 2), 106);
    st_release_sys(at(FLAG(0), 1), 1);
  } else if (ME == 1) {
    if (M == 1) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    if (M == 2) st_relaxed_sys(at(FLAG(0), 2), 1);
    else st_release_sys(at(FLAG(0), 2), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 106);
  }
}
ENTRIES_2(three_pes)

// A barrier of the grid, then one block signals for both.
KERNEL(grid_barrier) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(blockIdx.x), 1), 107 + blockIdx.x);
    u32 old = M == 1 ? add_relaxed_gpu(FLAG(2), 1) : add_acq_rel_gpu(FLAG(2), 1);
    (void)old;
    if (blockIdx.x != 0) return;
    if (M == 2) POLL_GE(ld_relaxed_gpu, FLAG(2), 2);
    else POLL_GE(ld_acquire_gpu, FLAG(2), 2);
    st_release_sys(at(FLAG(0), 1), 1);
  } else if (blockIdx.x == 0) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(1));
    CHECK(0, v, 108);
  }
}
ENTRIES_2(grid_barrier)
