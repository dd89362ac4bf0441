// The bounded poll that waits, channels and the barrier share. The fast path is one load and one compare; the clock and
// the error word are looked at once in many polls.
#pragma once

/// Polls between two looks at the clock.
#define GICC_POLLS 256

/// Whether `seen` compares with `value`. The comparison is nearly always a constant.
GICC_RT bool compares(int32_t compare, uint64_t seen, uint64_t value) {
  switch (compare) {
  case GICC_COMPARE_EQ: return seen == value;
  case GICC_COMPARE_NE: return seen != value;
  case GICC_COMPARE_GT: return seen > value;
  case GICC_COMPARE_GE: return seen >= value;
  case GICC_COMPARE_LT: return seen < value;
  default: return seen <= value;
  }
}

/// What a wait that polled in vain does now and then. `since`: what it returned the last time, 0 at first. Returns when the
/// wait first looked at the clock, or 0 where it has to give up: because the PE has an error already, or because the bound
/// is reached, which it reports. (A time passed by address would be a store to local memory in every wait, and the fences
/// and acquires around would have to wait for it.)
extern "C" __device__ uint64_t gicc_rt_keep_waiting(const void *sig, int32_t compare, uint64_t value, uint64_t seen,
                                                    int32_t source_pe, uint64_t since);

/// Polls until the signal compares; `seen` is the value last read. False where the wait gave up.
template <int Order = GICC_ORDER_ACQUIRE>
GICC_RT bool poll_until(void *sig, int32_t compare, uint64_t value, int32_t source_pe, uint64_t &seen) {
  uint64_t since = 0;
  do {
#pragma clang loop unroll(disable)
    for (int i = 0; i < GICC_POLLS; i++) {
      seen = (uint64_t)__gicc_poll(sig, Order, source_pe);
      if (compares(compare, seen, value)) return true;
    }
    since = gicc_rt_keep_waiting(sig, compare, value, seen, source_pe, since);
  } while (since != 0);
  return false;
}

/// The group's poll: its speaker polls, then the group meets. A thread alone meets nobody: a barrier of the warp's threads
/// that wait at the same place would never end where one of them waits for what another does next.
template <class Group>
GICC_RT bool poll_together(void *sig, int32_t compare, uint64_t value, int32_t source_pe, uint64_t &seen) {
  bool good = true;
  if (Group::speaks()) good = poll_until(sig, compare, value, source_pe, seen);
  Group::meet();
  return good;
}
