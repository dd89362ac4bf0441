// The counters of a channel's two sides while a kernel uses it. Each thread has its own copy, in registers: a load for each
// message would cost more than the rest of a small one. They are loaded from memory when the channel is opened and stored
// when it is closed, by the groups that used it.
#pragma once

typedef gicc_channel_counters Counters;
typedef gicc_channel_state State;

/// Loads the counters. The credit that a `ll` put side sees may be a newer one; for `simple` it has to be acquired, so none
/// is known yet.
GICC_RT void load_counters(Counters &c, const State *state, bool ll) {
  c.sent = state->sent;
  c.received = state->received;
  c.returned = c.settled = state->returned;
  c.kinds = state->kinds;
  c.credit = ll ? (uint64_t)__gicc_load_u64((void *)&state->credited, GICC_ORDER_RELAXED, GICC_SCOPE_SYS) : 0;
  c.put_group = c.wait_group = 0;
}

/// One side's counters are stored by the speaker of its group: behind the loads of all of its threads, and in front of what
/// they may load when they open the channel again. The lambda is the store.
template <class Store> GICC_RT void store_counters(uint32_t group, Store store) {
  if (group == 1 + GICC_GROUP_BLOCK) {
    Block::meet();
    if (Block::speaks()) store();
    Block::meet();
  } else if (group == 1 + GICC_GROUP_WARP) {
    Warp::meet();
    if (Warp::speaks()) store();
    Warp::meet();
  } else if (group == 1 + GICC_GROUP_THREAD) {
    store();
  }
}

GICC_RT void store_counters(const Counters &c, State *state) {
  store_counters(c.put_group, [&] { state->sent = c.sent; });
  store_counters(c.wait_group, [&] {
    state->received = c.received;
    state->returned = c.returned;
    state->kinds = c.kinds;
  });
}

/// Whether a message fits a slot; where not, sets the error word.
template <class Group> GICC_RT bool message_fits(const void *dst, int64_t bytes, int64_t capacity, int32_t pe) {
  if (__builtin_expect(bytes <= capacity, 1)) return true;
  if (Group::speaks())
    gicc_rt_fail(GICC_ERROR_CODE_OVER_CAPACITY, pe, 0, dst, (uint64_t)bytes, (uint64_t)capacity);
  return false;
}
