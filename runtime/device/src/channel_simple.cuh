// Channels of protocol `simple`. The put side waits for a credit where it knows of none, stores into the slot, meets, and
// says with release how many messages have been sent; the wait side polls that count, and when the slot has been read gives
// it back with release, so that the reads come before the next message's writes.
#pragma once

template <class Group>
GICC_RT void simple_put(Counters &c, State *state, void *dst, const void *src, int64_t bytes, int64_t capacity,
                        int32_t element, int32_t slots, int32_t pe) {
  if (!signal_ok<Group>(state, pe, sizeof *state)) return;
  uint64_t sent = c.sent;
  char *slot = (char *)dst + (int64_t)(sent % (uint32_t)slots) * capacity;
  if (!transfer_ok<Group>(slot, src, bytes, element, pe)) return;
  if (sent - c.credit >= (uint32_t)slots) {
    uint64_t seen = 0;
    bool free = poll_together<Group>(&state->credited, GICC_COMPARE_GT, sent - (uint32_t)slots, pe, seen);
    // A credit is never 0: there are as many slots without one.
    seen = broadcast(Group(), free ? seen : 0);
    if (seen == 0) return;
    c.credit = seen;
  }
  put_checked<Group>(slot, src, bytes, pe);
  // All stores of the group come before the release.
  Group::meet();
  c.sent = sent + 1;
  send_signal<Group>(&state->arrived, (int64_t)(sent + 1), GICC_SIGNAL_OP_SET, GICC_ORDER_RELEASE, pe);
}

template <class Group>
GICC_RT void *simple_wait(Counters &c, State *state, void *dst, int64_t bytes, int64_t capacity, int32_t slots,
                          int32_t pe) {
  bool good = message_fits<Group>(dst, bytes, capacity, pe) && signal_ok<Group>(state, pe, sizeof *state);
  uint64_t received = c.received, seen;
  if (good && Group::speaks()) good = poll_until(&state->arrived, GICC_COMPARE_GT, received, pe, seen);
  // The group meets and learns the outcome in one, also where it may not wait: there is one way from the meeting on.
  bool all = Group::all(good);
  c.received = received + all;
  return all ? (char *)dst + (int64_t)(received % (uint32_t)slots) * capacity : nullptr;
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
