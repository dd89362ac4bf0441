// Pattern 11: no flag in the kernel at all.
#include "weak.h"

// A halo for the next kernel; this one reads only what it owns.
KERNEL(halo) {
  if (!T0) return;
  if (phase == 0) {
    st_weak(at(DATA(0), 1 - ME), 111 + ME);
    u32 v = ld_weak(M == 1 ? DATA(0) : DATA(1));
    CHECK(0, v, 0);
  } else {
    u32 v = ld_weak(DATA(0));
    CHECK(1, v, 111 + 1 - ME);
  }
}
ENTRIES_1(halo)

// Each PE writes its own part of a shared result.
KERNEL(disjoint) {
  if (!T0 || phase != 0) return;
  st_weak(at(DATA(0) + (M == 1 ? 0 : ME), 0), 113 + ME);
  if (ME == 0) { u32 v = ld_weak(DATA(0)); CHECK(0, v, 113); }
}
ENTRIES_1(disjoint)
