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

/// What a loop in which each thread polls a word of its own keeps between two looks at the clock. It has one way out, which is
/// asked about while its load is under way: for each further one the lanes of a warp would have to be brought together again.
struct Patience {
  uint64_t since = 0;
  /// Polls until the next look; after a look 0 or more to go on, or negative where the wait has to give up.
  int32_t left = GICC_POLLS, verdict = 0;

  /// Whether to look now.
  GICC_RT_MEMBER bool ends() { return __builtin_expect(--left == 0, 0); }
  GICC_RT_MEMBER void look(const void *sig, int32_t compare, uint64_t value, uint64_t seen, int32_t source_pe) {
    since = gicc_rt_keep_waiting(sig, compare, value, seen, source_pe, since);
    // Of several bits, so that no path through the loop is taken apart for it.
    verdict = since == 0 ? INT32_MIN : (int32_t)(since & INT32_MAX);
    left = GICC_POLLS;
  }
  GICC_RT_MEMBER bool gave_up() const { return verdict < 0; }
};

/// Polls until the signal compares; `seen` is the value last read. False where the wait gave up. As a rule one thread polls, so
/// there may be two ways out: nothing is asked about between a good poll and what comes next. The bound is counted in front of
/// a poll, where it delays none but the first: LLVM copies the front of a loop that begins with a way out, and the machine lets
/// other lanes run at a loop's beginning, which is better not between a poll and what comes next.
template <int Order = GICC_ORDER_ACQUIRE>
GICC_RT bool poll_until(void *sig, int32_t compare, uint64_t value, int32_t source_pe, uint64_t &seen) {
  uint64_t since = 0;
  int left = GICC_POLLS + 1;
  seen = 0;
#pragma clang loop unroll(disable)
  do {
    if (__builtin_expect(--left == 0, 0)) {
      since = gicc_rt_keep_waiting(sig, compare, value, seen, source_pe, since);
      if (since == 0) return false;
      left = GICC_POLLS;
    }
    seen = (uint64_t)__gicc_poll(sig, Order, source_pe);
  } while (!compares(compare, seen, value));
  return true;
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
