// Pattern 9: slots that are used again, resets, remote polls.
#include "weak.h"

// One slot: the second message waits for the credit of the first.
KERNEL(credit) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 91);
    st_release_sys(at(FLAG(0), 1), 1);
    if (M == 2) POLL_GE(ld_relaxed_sys, FLAG(1), 1);
    else if (M != 3) POLL_GE(ld_acquire_sys, FLAG(1), 1);
    st_weak(at(DATA(0), 1), 92);
    st_release_sys(at(FLAG(0), 1), 2);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 91);
    if (M == 1) st_relaxed_sys(at(FLAG(1), 0), 1);
    else st_release_sys(at(FLAG(1), 0), 1);
    POLL_GE(ld_acquire_sys, FLAG(0), 2);
    v = ld_weak(DATA(0));
    CHECK(1, v, 92);
  }
}
ENTRIES_3(credit)

// Two slots, three messages: the third waits for the credit of the first.
KERNEL(two_slots) {
  if (!T0) return;
  if (ME == 0) {
    for (u32 e = 1; e <= 3; ++e) {
      if (e == 3 && M != 1) POLL_GE(ld_acquire_sys, FLAG(1), 1);
      st_weak(at(DATA(e & 1), 1), 92 + e);
      st_release_sys(at(FLAG(0), 1), e);
    }
  } else {
    for (u32 e = 1; e <= 3; ++e) {
      POLL_GE(ld_acquire_sys, FLAG(0), e);
      u32 v = ld_weak(DATA(e & 1));
      CHECK(e, v, 92 + e);
      if (M == 2) st_relaxed_sys(at(FLAG(1), 0), e);
      else st_release_sys(at(FLAG(1), 0), e);
    }
  }
}
ENTRIES_2(two_slots)

// The waiter resets a word before it tells the sender that it is free again.
KERNEL(reset_then_signal) {
  if (!T0) return;
  if (ME == 1) {
    st_relaxed_sys(DATA(0), 5);
    st_relaxed_sys(DATA(0), 7);
    if (M == 1) st_relaxed_sys(at(FLAG(0), 0), 1);
    else st_release_sys(at(FLAG(0), 0), 1);
  } else {
    if (M == 2) POLL_GE(ld_relaxed_sys, FLAG(0), 1);
    else POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_relaxed_sys(at(DATA(0), 1));
    CHECK(0, v, 7);
  }
}
ENTRIES_2(reset_then_signal)

// The sender looks at the reader's memory for the reader's progress.
KERNEL(remote_poll) {
  if (!T0) return;
  if (ME == 1) {
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 0);
    if (M == 1) st_relaxed_sys(FLAG(0), 1);
    else st_release_sys(FLAG(0), 1);
  } else {
    if (M != 2) {
      u32 seen;
      do { seen = ld_acquire_sys(at(FLAG(0), 1)); } while (seen < 1);
      SEEN_GE(seen, 1);
    }
    st_weak(at(DATA(0), 1), 95);
  }
}
ENTRIES_2(remote_poll)
