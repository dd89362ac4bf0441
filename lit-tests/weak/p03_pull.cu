// Pattern 3: a local, exported store; a remote flag; a remote plain load.
#include "weak.h"

// PE 0 exports, PE 1 pulls.
KERNEL(pull) {
  if (ME == 0) {
    if (T1) st_weak(DATA(0), 21);
    if (M != 1) __syncthreads();
    if (T0) {
      if (M == 2) st_relaxed_sys(at(FLAG(0), 1), 1);
      else if (M == 3) st_release_gpu(at(FLAG(0), 1), 1);
      else st_release_sys(at(FLAG(0), 1), 1);
    }
  } else if (T0) {
    if (M == 4) POLL_GE(ld_volatile, FLAG(0), 1);
    else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(at(DATA(0), 0));
    CHECK(0, v, 21);
  }
}
ENTRIES_4(pull)

// The owner may write again when the reader's whole block has read.
KERNEL(pull_exit) {
  if (ME == 1) {
    if (T1) { u32 v = ld_weak(at(DATA(0), 0)); CHECK(0, v, 0); }
    if (M != 1) __syncthreads();
    if (T0) {
      if (M == 2) st_relaxed_sys(at(FLAG(0), 0), 1);
      else st_release_sys(at(FLAG(0), 0), 1);
    }
  } else if (T0) {
    if (M == 3) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    st_weak(DATA(0), 2);
  }
}
ENTRIES_3(pull_exit)

// Both rendezvous: before the reading and behind it.
KERNEL(pull_twice) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(DATA(0), 1);
    if (M == 1) st_relaxed_sys(at(FLAG(0), 1), 1);
    else st_release_sys(at(FLAG(0), 1), 1);
    if (M != 2) POLL_GE(ld_acquire_sys, FLAG(1), 1);
    st_weak(DATA(0), 2);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(at(DATA(0), 0));
    CHECK(0, v, 1);
    if (M == 3) st_relaxed_sys(at(FLAG(1), 0), 1);
    else st_release_sys(at(FLAG(1), 0), 1);
  }
}
ENTRIES_3(pull_twice)
