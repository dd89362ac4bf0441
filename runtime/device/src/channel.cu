// Channels: the intrinsics choose the protocol. Of a channel of both, messages below GICC_LL_BELOW bytes go by `ll` and the
// others by `simple`, each with words, counters and slots of its own, so that neither has to know of the other's credits;
// which message is next follows from the order of calls, which is the same at both ends.
#include "runtime.cuh"
#include "poll.cuh"
#include "transfer.cuh"
#include "packet.cuh"
#include "pack.cuh"
#include "channel.cuh"
#include "channel_simple.cuh"
#include "channel_ll.cuh"

extern "C" __device__ __attribute__((noinline, cold)) bool gicc_rt_slot_fits(const void *state, const void *dst,
                                                                             const void *slot, const void *src,
                                                                             int64_t bytes, int64_t capacity,
                                                                             int32_t element, int32_t pe, bool speaks) {
  if (bytes > capacity) {
    if (speaks) gicc_rt_fail(GICC_ERROR_CODE_OVER_CAPACITY, pe, 0, dst, (uint64_t)bytes, (uint64_t)capacity);
    return false;
  }
  if (!signal_fits(state, pe, sizeof(State))) {
    if (speaks) gicc_rt_fail_signal(state, pe);
    return false;
  }
  if (transfer_fits(slot, src, bytes, element, pe)) return true;
  if (speaks) gicc_rt_fail_transfer(slot, src, bytes, element, pe);
  return false;
}

/// Bytes of a slot for messages that go by `ll`.
GICC_RT int64_t ll_capacity(int64_t capacity, int32_t protocol) {
  return protocol == GICC_PROTOCOL_AUTOMATIC && capacity > (int64_t)GICC_LL_BELOW ? (int64_t)GICC_LL_BELOW : capacity;
}

/// Whether a message goes by `ll`.
GICC_RT bool by_ll(int64_t bytes, int32_t protocol) {
  return protocol == GICC_PROTOCOL_LL || (protocol == GICC_PROTOCOL_AUTOMATIC && bytes < (int64_t)GICC_LL_BELOW);
}

/// What a channel of both protocols has for `ll`: the second of its words and counters, and slots behind the others.
GICC_RT int second(int32_t protocol) { return protocol == GICC_PROTOCOL_AUTOMATIC; }

template <class Group, int Code>
GICC_RT void channel_put(Counters *c, State *state, void *dst, const void *src, int64_t bytes, int64_t capacity,
                         int32_t element, int32_t slots, int32_t protocol, int32_t data, int32_t pe) {
  c->put_group = c[second(protocol)].put_group = 1 + Code;
  if (by_ll(bytes, protocol))
    ll_put<Group>(c[second(protocol)], state, state + second(protocol), dst, src, bytes, capacity,
                  ll_capacity(capacity, protocol), element, slots, data, pe);
  else
    simple_put<Group>(*c, state, dst, src, bytes, capacity, element, slots, pe);
}

template <class Group, int Code>
GICC_RT void *channel_wait(Counters *c, State *state, void *dst, int64_t bytes, int64_t capacity, int32_t element,
                           int32_t slots, int32_t protocol, int32_t data, int32_t pe) {
  Counters &l = c[second(protocol)];
  c->wait_group = l.wait_group = 1 + Code;
  const bool ll = by_ll(bytes, protocol);
  const int64_t slot_bytes = ll_capacity(capacity, protocol);
  char *slots_of_ll = (char *)dst + second(protocol) * slots * capacity;
  bool good = ll ? ll_take<Group>(l, state, slots_of_ll, bytes, capacity, slot_bytes, slot_bytes, element, slots, data, pe)
                 : simple_take<Group>(*c, state, dst, bytes, capacity, pe);
  // The group meets and learns the outcome in one, whatever the protocol. What is counted behind that depends on every poll of
  // every thread.
  bool all = Group::all(good);
  uint64_t received = ll ? l.received : c->received;
  char *slot = (ll ? slots_of_ll : (char *)dst) + (int64_t)(received % (uint32_t)slots) * (ll ? slot_bytes : capacity);
  // All of the group's threads were done with what they gave back.
  l.settled = l.returned;
  // Without branches, so that it is counted when the user's code has what it waits for.
  if (protocol != GICC_PROTOCOL_AUTOMATIC) {
    c->received = received + all;
  } else {
    c->received += (uint32_t)all & (uint32_t)!ll;
    l.received += (uint32_t)all & (uint32_t)ll;
    c->kinds = all ? c->kinds << 1 | !ll : c->kinds;
    c->open += all;
  }
  return all ? slot : nullptr;
}

template <class Group>
GICC_RT void channel_done(Counters *c, State *state, int32_t slots, int32_t protocol, int32_t pe) {
  bool ll = protocol == GICC_PROTOCOL_LL;
  if (protocol == GICC_PROTOCOL_AUTOMATIC) {
    // The oldest open message's; without one, whatever stands there.
    c->open -= c->open != 0;
    ll = (c->kinds >> c->open & 1) == 0;
  }
  if (ll) ll_done<Group>(c[second(protocol)], state + second(protocol), slots, pe);
  else simple_done<Group>(*c, state, pe);
}

extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_open(void *counters, void *state,
                                                                              int32_t protocol) {
  Counters *c = (Counters *)counters;
  const State *s = (const State *)state;
  load_counters(c[0], s, protocol == GICC_PROTOCOL_LL);
  c->open = 0;
  if (protocol == GICC_PROTOCOL_AUTOMATIC) {
    load_counters(c[1], s + 1, true);
    c->open = (uint32_t)(c[0].received - c[0].returned + c[1].received - c[1].returned);
  }
}

extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_close(void *counters, void *state,
                                                                               int32_t protocol) {
  Counters *c = (Counters *)counters;
  store_counters(c[0], (State *)state);
  if (protocol == GICC_PROTOCOL_AUTOMATIC) store_counters(c[1], (State *)state + 1);
}

#define GICC_CHANNEL(group, Group, Code)                                                                               \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_put_##group(                                \
      void *counters, void *state, void *dst, const void *src, int64_t bytes, int64_t capacity, int32_t element,       \
      int32_t slots, int32_t protocol, int32_t packet_data, int32_t pe, const void *) {                                \
    channel_put<Group, Code>((Counters *)counters, (State *)state, dst, src, bytes, capacity, element, slots,          \
                             protocol, packet_data, pe);                                                               \
  }                                                                                                                    \
  extern "C" __device__ __attribute__((always_inline)) void *__gicc_channel_wait_##group(                              \
      void *counters, void *state, void *dst, int64_t bytes, int64_t capacity, int32_t element, int32_t slots,         \
      int32_t protocol, int32_t packet_data, int32_t pe, const void *) {                                               \
    return channel_wait<Group, Code>((Counters *)counters, (State *)state, dst, bytes, capacity, element, slots,       \
                                     protocol, packet_data, pe);                                                       \
  }                                                                                                                    \
  extern "C" __device__ __attribute__((always_inline)) void __gicc_channel_done_##group(                               \
      void *counters, void *state, int32_t slots, int32_t protocol, int32_t pe) {                                      \
    channel_done<Group>((Counters *)counters, (State *)state, slots, protocol, pe);                                    \
  }
GICC_CHANNEL(thread, Thread, GICC_GROUP_THREAD)
GICC_CHANNEL(warp, Warp, GICC_GROUP_WARP)
GICC_CHANNEL(block, Block, GICC_GROUP_BLOCK)
