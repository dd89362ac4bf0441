// Pattern 4: a rendezvous that relies on the boundary between two kernels.
#include "weak.h"

// What the first kernel stores at a peer, the second one reads.
KERNEL(kernel_boundary) {
  if (!T0) return;
  if (phase == 0 && ME == 0) st_weak(at(DATA(0), 1), 31);
  if (phase == (M == 1 ? 0 : 1) && ME == 1) { u32 v = ld_weak(DATA(0)); CHECK(0, v, 31); }
}
ENTRIES_1(kernel_boundary)

// A volatile rendezvous at entry carries no data: the kernel before has written it.
KERNEL(entry_rendezvous) {
  if (!T0) return;
  if (phase == (M == 1 ? 1 : 0) && ME == 0) st_weak(DATA(0), 32);
  if (phase == 0) return;
  st_volatile(at(FLAG(0), 1 - ME), 1);
  POLL_GE(ld_volatile, FLAG(0), 1);
  if (ME == 1) { u32 v = ld_weak(at(DATA(0), 0)); CHECK(0, v, 32); }
}
ENTRIES_1(entry_rendezvous)

// A volatile rendezvous at exit: the next kernel writes what this one read.
KERNEL(exit_by_boundary) {
  if (!T0) return;
  if (phase == 0 && ME == 1) { u32 v = ld_weak(at(DATA(0), 0)); CHECK(0, v, 0); }
  if (phase == 0) {
    st_volatile(at(FLAG(0), 1 - ME), 1);
    POLL_GE(ld_volatile, FLAG(0), 1);
  }
  if (phase == (M == 1 ? 0 : 1) && ME == 0) st_weak(DATA(0), 33);
}
ENTRIES_1(exit_by_boundary)
