// Pattern 5: a stand-alone fence and a relaxed store.
#include "weak.h"

KERNEL(fence_then_flag) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 51);
    if (M == 3) st_relaxed_sys(at(FLAG(0), 1), 1);
    if (M == 0 || M == 3) fence_acq_rel_sys();
    if (M == 2) fence_acq_rel_gpu();
    if (M != 3) st_relaxed_sys(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 51);
  }
}
ENTRIES_3(fence_then_flag)

// CUDA's own words.
KERNEL(threadfence_system_flag) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 52);
    if (M == 0) __threadfence_system();
    if (M == 2) __threadfence();
    st_volatile(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_volatile, FLAG(0), 1);
    __threadfence_system();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 52);
  }
}
ENTRIES_2(threadfence_system_flag)

// One fence for the flags of two peers. Three PEs.
KERNEL(two_flags_one_fence) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(DATA(0), 53);
    if (M == 0) fence_release_sys();
    if (M == 1) st_release_sys(at(FLAG(0), 1), 1);
    else st_relaxed_sys(at(FLAG(0), 1), 1);
    st_relaxed_sys(at(FLAG(0), 2), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(at(DATA(0), 0));
    CHECK(0, v, 53);
  }
}
ENTRIES_2(two_flags_one_fence)

// Every thread fences with fence.sc before the barrier; the flag is relaxed and set by another. Right only for a reader
// that fences with fence.sc too.
KERNEL(fences_on_both_sides) {
  if (ME == 0) {
    if (T1) st_weak(at(DATA(0), 1), 54);
    if (M != 1) fence_sc_sys();
    __syncthreads();
    if (T0) st_relaxed_sys(at(FLAG(0), 1), 1);
  } else if (T0) {
    POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    if (M == 2) fence_acq_rel_sys();
    else fence_sc_sys();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 54);
  }
}
ENTRIES_2(fences_on_both_sides)
