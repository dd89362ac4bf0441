// Pattern 8: flags that are volatile in C++.
#include "weak.h"

KERNEL(volatile_flag) {
  if (ME == 0) {
    if (T1) st_weak(at(DATA(0), 1), 81);
    __syncthreads();
    if (T0) {
      if (M != 1) __threadfence_system();
      *(volatile u32 *)at(FLAG(0), 1) = 1;
    }
  } else if (T0) {
    u32 seen;
    do { seen = *(volatile u32 *)FLAG(0); } while (seen < 1);
    SEEN_GE(seen, 1);
    if (M != 2) __threadfence_system();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 81);
  }
}
ENTRIES_2(volatile_flag)

// A barrier of two PEs by volatile flags, as older all-reduces have it.
KERNEL(volatile_barrier) {
  if (!T0) return;
  st_weak(DATA(0), 82 + ME);
  if (M != 1) __threadfence_system();
  *(volatile u32 *)at(FLAG(0), 1 - ME) = 1;
  u32 seen;
  do { seen = *(volatile u32 *)FLAG(0); } while (seen < 1);
  SEEN_GE(seen, 1);
  if (M != 2) __threadfence_system();
  u32 v = ld_weak(at(DATA(0), 1 - ME));
  CHECK(0, v, 82 + 1 - ME);
}
ENTRIES_2(volatile_barrier)
