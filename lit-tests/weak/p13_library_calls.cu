// Pattern 13: calls with a branch for peers in reach and one for others, as in NVSHMEM. Every peer here is in reach.
#include "weak.h"

template <bool Fence> DEV void near_or_far(u32 *to, u32 value, u32 *flag, int pe, u32 *queue) {
  u32 *near = at(to, pe);
  if (near) {
    st_weak(near, value);
    if (Fence) __threadfence_system();
    st_volatile(at(flag, pe), 1);
  } else {
    queue[0] = value;
    queue[1] = pe;
  }
}

// The wait has the consistency step that the near branch needs.
KERNEL(put_signal_call) {
  if (!T0) return;
  if (ME == 0) near_or_far<M != 2>(DATA(0), 131, FLAG(0), 1, out + 4 * 63);
  else {
    POLL_GE(ld_volatile, FLAG(0), 1);
    if (M != 1) __threadfence_system();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 131);
  }
}
ENTRIES_2(put_signal_call)

// Forwarding in a ring: what came is sent on. Three PEs.
KERNEL(ring_broadcast) {
  if (!T0) return;
  if (ME == 0) near_or_far<true>(DATA(0), 132, FLAG(0), 1, out + 4 * 63);
  else {
    POLL_GE(ld_volatile, FLAG(0), 1);
    if (M != 1 || ME != 1) __threadfence_system();
    u32 v = ld_weak(DATA(0));
    CHECK(0, v, 132);
    if (ME == 1) {
      st_weak(at(DATA(0), 2), 132);
      if (M != 2) __threadfence_system();
      st_volatile(at(FLAG(0), 2), 1);
    }
  }
}
ENTRIES_2(ring_broadcast)
