// Channels of protocol `simple`. The put side waits for a credit where it knows of none, stores into the slot, meets, and
// says with release how many messages have been sent; the wait side polls that count, and when the slot has been read gives
// it back with release, so that the reads come before the next message's writes.
#pragma once

/// A credit for the next message: the group waits until one comes, and all of its threads learn it. False where the wait gave
/// up.
template <class Group> GICC_RT bool simple_credit(Counters &c, State *state, int32_t slots, int32_t pe) {
  uint64_t seen = 0;
  bool free = poll_together<Group>(&state->credited, GICC_COMPARE_GT, c.sent - (uint32_t)slots, pe, seen);
  // A credit is never 0: there are as many slots without one.
  seen = broadcast(Group(), free ? seen : 0);
  if (seen == 0) return false;
  c.credit = seen;
  return true;
}

/// Whether a message may go into this slot, looked at one by one; where not, sets the error word.
extern "C" __device__ __attribute__((cold)) bool gicc_rt_slot_fits(const void *state, const void *dst, const void *slot,
                                                                   const void *src, int64_t bytes, int64_t capacity,
                                                                   int32_t element, int32_t pe, bool speaks);

/// Sends a message.
template <class Group>
GICC_RT void simple_put(Counters &c, State *state, void *dst, const void *src, int64_t bytes, int64_t capacity,
                        int32_t element, int32_t slots, int32_t pe) {
  uint64_t sent = c.sent;
  int64_t at = (int64_t)(sent % (uint32_t)slots) * capacity;
  // Asked of all slots, so that a kernel's loop decides it once.
  bool fits = (int)signal_fits(state, pe, sizeof *state) & (int)symmetric(dst, slots * capacity) &
              (int)(bytes <= capacity) & (int)transfer_fits(dst, src, bytes, element, pe) &
              (int)(((uint64_t)capacity & low_bits(element)) == 0);
  if (__builtin_expect(!fits, 0) && !gicc_rt_slot_fits(state, dst, (char *)dst + at, src, bytes, capacity, element, pe,
                                                       Group::speaks()))
    return;
  if (sent - c.credit >= (uint32_t)slots && !simple_credit<Group>(c, state, slots, pe)) return;
  char *there = (char *)peer_address(dst, pe);
  copy_to_global<Group>(there + at, src, (uint64_t)bytes);
  // All stores of the group come before the release.
  Group::meet();
  c.sent = sent + 1;
  send_signal<Group>(&state->arrived, (int64_t)(sent + 1), GICC_SIGNAL_OP_SET, GICC_ORDER_RELEASE, pe);
}

/// Whether the next message came, for the group's speaker; the others have nothing to say.
template <class Group>
GICC_RT bool simple_take(const Counters &c, State *state, void *dst, int64_t bytes, int64_t capacity, int32_t pe) {
  bool good = message_fits<Group>(dst, bytes, capacity, pe) && signal_ok<Group>(state, pe, sizeof *state);
  uint64_t seen;
  if (good && Group::speaks()) good = poll_until(&state->arrived, GICC_COMPARE_GT, c.received, pe, seen);
  return good;
}

template <class Group> GICC_RT void simple_done(Counters &c, State *state, int32_t pe) {
  if (!signal_ok<Group>(state, pe, sizeof *state)) return;
  uint64_t returned = c.returned;
  // All have read the slot.
  Group::meet();
  c.returned = returned + 1;
  // By the thread that goes on last: the release takes its time, and the speaker may poll meanwhile.
  if (Group::rank() == Group::count() - 1)
    __gicc_signal_set(peer_address(&state->credited, pe), (int64_t)(returned + 1), GICC_ORDER_RELEASE, pe);
}
