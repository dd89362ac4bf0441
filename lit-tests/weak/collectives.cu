// Skeletons of collectives, which use several patterns together.
#include "weak.h"

// A barrier of two PEs by release reductions.
KERNEL(barrier_of_pes) {
  if (!T0) return;
  st_weak(at(DATA(0), 1 - ME), 151 + ME);
  if (M == 1) red_relaxed_sys(at(FLAG(0), 1 - ME), 1);
  else red_release_sys(at(FLAG(0), 1 - ME), 1);
  if (M == 2) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
  else POLL_GE(ld_acquire_sys, FLAG(0), 1);
  u32 v = ld_weak(DATA(0));
  CHECK(0, v, 151 + 1 - ME);
}
ENTRIES_2(barrier_of_pes)

// One-shot all-reduce: slots alternate, so that no rendezvous is needed at the end. Two epochs with two threads.
KERNEL(one_shot) {
  for (u32 e = 1; e <= 2; ++e) {
    const u32 slot = M == 1 ? 0 : e & 1;
    if (T1) st_weak(at(DATA(slot), 1 - ME), 10 * e + ME);
    if (M != 2) __syncthreads();
    if (T0) {
      if (M == 3) st_relaxed_sys(at(FLAG(0), 1 - ME), e);
      else st_release_sys(at(FLAG(0), 1 - ME), e);
      POLL_GE(ld_acquire_sys, FLAG(0), e);
    }
    __syncthreads();
    if (T1) { u32 v = ld_weak(DATA(slot)); CHECK(e, v, 10 * e + 1 - ME); }
  }
}
ENTRIES_3(one_shot)

// Two-shot: scatter, then gather of the sums.
KERNEL(two_shot) {
  if (!T0) return;
  const int other = 1 - ME;
  st_weak(at(DATA(0), other), 161 + ME);
  st_release_sys(at(FLAG(0), other), 1);
  if (M == 1) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
  else POLL_GE(ld_acquire_sys, FLAG(0), 1);
  u32 v = ld_weak(DATA(0));
  CHECK(0, v, 161 + other);
  st_weak(at(DATA(1), other), 171 + ME);
  if (M == 2) st_relaxed_sys(at(FLAG(0), other), 2);
  else st_release_sys(at(FLAG(0), other), 2);
  POLL_GE(ld_acquire_sys, FLAG(0), 2);
  v = ld_weak(DATA(1));
  CHECK(1, v, 171 + other);
}
ENTRIES_2(two_shot)

// All-to-all of three PEs, each with a flag for each source. Three PEs.
KERNEL(all_to_all) {
  if (!T0) return;
  for (int to = 0; to < 3; ++to) {
    if (to == ME) continue;
    st_weak(at(DATA(ME), to), 181 + ME);
    if (M == 1) st_relaxed_sys(at(FLAG(ME), to), 1);
    else st_release_sys(at(FLAG(ME), to), 1);
  }
  const int from = (ME + 1) % 3;
  POLL_GE(ld_acquire_sys, FLAG(from), 1);
  // The other source's flag was not waited for.
  const int read = M == 2 ? (ME + 2) % 3 : from;
  u32 v = ld_weak(DATA(read));
  CHECK(0, v, 181 + read);
}
ENTRIES_2(all_to_all)

// The credit of a ring goes back by a reduction, and the slot is filled again.
KERNEL(ring_credit) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 191);
    red_release_sys(at(FLAG(0), 1), 1);
    POLL_GE(ld_acquire_sys, FLAG(1), 1);
    st_weak(at(DATA(0), 1), 192);
    red_release_sys(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 191);
    if (M == 1) red_relaxed_sys(at(FLAG(1), 0), 1);
    else red_release_sys(at(FLAG(1), 0), 1);
    if (M == 2) POLL_GE(ld_relaxed_sys, FLAG(0), 2);
    else POLL_GE(ld_acquire_sys, FLAG(0), 2);
    v = ld_weak(DATA(0));
    CHECK(1, v, 192);
  }
}
ENTRIES_2(ring_credit)
