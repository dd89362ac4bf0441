// Pattern 14: non-coherent loads of memory that peers write.
#include "weak.h"

// The kernel before has written it.
KERNEL(nc_after_boundary) {
  if (!T0) return;
  if (phase == 0 && ME == 0) {
    st_weak(at(DATA(0), 1), 141);
    st_release_sys(at(FLAG(0), 1), 1);
  }
  if (phase == (M == 1 ? 0 : 1) && ME == 1) {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = ld_nc(DATA(0));
    CHECK(0, v, 141);
  }
}
ENTRIES_1(nc_after_boundary)

// A peer writes it while the kernel runs: an ordinary load is needed.
KERNEL(coherent_load) {
  if (!T0) return;
  if (ME == 0) {
    st_weak(at(DATA(0), 1), 142);
    st_release_sys(at(FLAG(0), 1), 1);
  } else {
    POLL_GE(ld_acquire_sys, FLAG(0), 1);
    u32 v = M == 1 ? ld_nc(DATA(0)) : ld_weak(DATA(0));
    CHECK(0, v, 142);
  }
}
ENTRIES_1(coherent_load)
