// Pattern 2: polls as inline PTX: compare-and-swap, with a bound, with a fence behind them.
#include "weak.h"

// The waiter takes the flag with a compare-and-swap.
KERNEL(cas_poll) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 3);
    st_release_sys(at(FLAG(0), 1), 1);
  } else {
    u32 old;
    if (M == 1) do { old = cas_relaxed_sys(FLAG(0), 1, 2); } while (old != 1);
    else if (M == 2) do { old = cas_acquire_gpu(FLAG(0), 1, 2); } while (old != 1);
    else do { old = cas_acquire_sys(FLAG(0), 1, 2); } while (old != 1);
    SEEN_EQ(old, 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 3);
  }
}
ENTRIES_2(cas_poll)

// A poll that gives up.
KERNEL(bounded_poll) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 8);
    if (M == 2) st_relaxed_sys(at(FLAG(0), 1), 1);
    else st_release_sys(at(FLAG(0), 1), 1);
  } else {
    u32 seen = 0;
    for (int round = 0; round < 100000 && seen == 0; ++round) seen = M == 1 ? ld_relaxed_sys(FLAG(0)) : ld_acquire_sys(FLAG(0));
    if (seen == 0) return;
    SEEN_GE(seen, 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 8);
  }
}
ENTRIES_2(bounded_poll)

// Relaxed rounds, one fence when the flag has come.
KERNEL(poll_then_fence) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 2);
    st_release_sys(at(FLAG(0), 1), 1);
  } else {
    if (M == 3) fence_acq_rel_sys();
    POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    if (M == 0) fence_acq_rel_sys();
    if (M == 2) fence_acq_rel_gpu();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 2);
  }
}
ENTRIES_3(poll_then_fence)
