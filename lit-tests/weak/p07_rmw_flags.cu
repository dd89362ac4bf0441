// Pattern 7: flags by read-modify-write.
#include "weak.h"

// Two PEs count at the third. Three PEs.
KERNEL(red_flag) {
  if (!T0) return;
  if (ME < 2) {
    st_weak(at(DATA(ME), 2), 71 + ME);
    if (M == 1) red_relaxed_sys(at(FLAG(0), 2), 1);
    else if (M == 2) red_release_gpu(at(FLAG(0), 2), 1);
    else red_release_sys(at(FLAG(0), 2), 1);
  } else {
    if (M == 3) POLL_GE(ld_relaxed_sys, FLAG(0), 2);
    else POLL_GE(ld_acquire_sys, FLAG(0), 2);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 71);
    v = ld_weak(DATA(1));
    CHECK(1, v, 72);
  }
}
ENTRIES_1(red_flag)
ENTRY(red_flag, 3)

KERNEL(atomic_add_system) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 73);
    if (M != 2) __threadfence_system();
    if (M == 1) atomicAdd(at(FLAG(0), 1), 1);
    else atomicAdd_system(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 73);
  }
}
ENTRIES_2(atomic_add_system)

KERNEL(exchange_flag) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 74);
    if (M == 1) exch_relaxed_sys(at(FLAG(0), 1), 1);
    else exch_release_sys(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 74);
  }
}
ENTRIES_1(exchange_flag)

KERNEL(cas_flag) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 75);
    u32 old = M == 1 ? cas_relaxed_sys(at(FLAG(0), 1), 0, 1) : cas_release_sys(at(FLAG(0), 1), 0, 1);
    SEEN_EQ(old, 0);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 75);
  }
}
ENTRIES_1(cas_flag)

// PE 1 passes PE 0's release on by a relaxed increment; a store in its place breaks the chain. Three PEs.
KERNEL(rmw_chain) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 2), 76);
    red_release_sys(at(FLAG(0), 2), 1);
  } else if (ME == 1) {
    u32 seen;
    do { seen = ld_relaxed_sys(at(FLAG(0), 2)); } while (seen < 1);
    SEEN_GE(seen, 1);
    if (M == 1) st_relaxed_sys(at(FLAG(0), 2), 2);
    else red_relaxed_sys(at(FLAG(0), 2), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 2);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 76);
  }
}
ENTRIES_1(rmw_chain)
